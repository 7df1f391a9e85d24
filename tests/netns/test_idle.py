#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Without traffic gateaud leaves its CPU to others, and a first frame after a pause still gets through
as fast as it says. Times are of a busy machine: the bounds are far from what is right and from what
would be wrong.
"""

import os
import time
import unittest
from pathlib import Path

import netns
from lab import B_HOST, Lab, LabError
from load import Ping

IDLE_S = 3
PING_S = 2
INTERVAL_S = 0.05  # far above the 0.2 ms after which a worker rests


def cpu_seconds(process):
    """CPU time of all threads so far."""
    text = Path(f"/proc/{process.popen.pid}/stat").read_text(encoding="ascii")
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Idle(unittest.TestCase):
    @staticmethod
    def ping(lab):
        ping = Ping(lab, B_HOST, interval=INTERVAL_S)
        time.sleep(PING_S)
        return ping.finish()

    def idle_and_ping(self, idle, taps):
        """(part of a CPU that gateaud took while idle, round trips afterwards, the worker's part of
        the summary)"""
        with Lab() as lab:
            gateaud = lab.gateaud({"bandwidth": "100mbit"}, taps=taps, idle=idle)
            self.ping(lab)  # addresses are known from here on
            time.sleep(0.5)
            before, start = cpu_seconds(gateaud.process), time.monotonic()
            time.sleep(IDLE_S)
            used = cpu_seconds(gateaud.process) - before
            part = used / (time.monotonic() - start)
            print(f"{idle}: {part:.1%} of a CPU")
            result = self.ping(lab)
            code, summary = gateaud.stop()
        print(f"{idle}: quarter {result.quarter}, median {result.median}, p95 {result.p95} ms")
        netns.assert_balanced(self, code, summary)
        return part, result, summary["lcores"][0]

    def test_adaptive_sleeps_briefly(self):
        part, ping, worker = self.idle_and_ping("adaptive", taps=False)
        self.assertLess(part, 0.2)
        self.assertGreater(worker["sleeps"], 100)
        self.assertLess(worker["sleeps"] * 10_000, worker["slept_ns"])
        self.assertLess(ping.lost, 5)
        # 0.44 ms each way at most, if the machine is there in time
        self.assertLess(ping.quarter, 3)
        self.assertGreater(worker["busy_cycles"], 0)

    def test_interrupts_end_a_sleep(self):
        part, ping, worker = self.idle_and_ping("interrupt", taps=True)
        self.assertLess(part, 0.1)
        self.assertLess(ping.lost, 5)
        # Nobody but an interrupt ends it for 10 ms: without one a quarter would wait 2.5 ms or more.
        self.assertLess(ping.quarter, 1.5)
        self.assertGreater(worker["slept_ns"], IDLE_S * 1_000_000_000 / 2)
        self.assertGreater(worker["interrupts"], 10)

    def test_spin_does_not_sleep(self):
        _, _, worker = self.idle_and_ping("spin", taps=False)
        self.assertEqual(worker["sleeps"], 0)
        self.assertGreater(worker["passes"], 100_000)

    def test_interrupts_that_a_device_lacks_are_refused(self):
        with Lab() as lab:
            with self.assertRaises(LabError) as refused:
                lab.gateaud({"bandwidth": "100mbit"}, idle="interrupt")
        text = str(refused.exception)
        self.assertIn("exit code 1", text)
        self.assertRegex(text, r"port lan: the device \(net_af_packet\) has no RX interrupts")
        self.assertIn('use "adaptive"', text)


if __name__ == "__main__":
    netns.main()
