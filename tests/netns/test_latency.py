#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rate and delay of a loaded 100 Mbit/s link, against a FIFO of 1000 packets measured beside it.

The machine may stop for 200 ms at any moment, so: medians, no maxima; byte counters with the
interval within which they were read; time the daemon says it lost is given back to it.
"""

import time
import unittest

import netns
from lab import B_HOST, Lab
from load import Ping, Transfers

RATE = 100e6  # bit/s of frames, Ethernet header included
FLOWS = 4
SETTLE_S = 3
MEASURE_S = 8
TRIES = 3


class Measured:
    """One loaded interval: pings, and the bytes host b received in each second of it."""

    def __init__(self, lab):
        transfers = Transfers(lab, B_HOST, FLOWS, SETTLE_S + MEASURE_S + 3)
        time.sleep(SETTLE_S)
        ping = Ping(lab, B_HOST)
        reads = [transfers.server.rx_bytes()]
        for _ in range(MEASURE_S):
            time.sleep(1)
            reads.append(transfers.server.rx_bytes())
        self.ping = ping.finish()
        transfers.abandon()
        first, last = reads[0], reads[-1]
        self.bits = 8 * (last[0] - first[0])
        self.shortest = last[1] - first[2]  # s; the interval of the counters is not shorter
        # bit/s in the fastest second: one that no stall has slowed down.
        self.peak = max(
            8 * (bytes1 - bytes0) / (after1 - before0)
            for (bytes0, before0, _), (bytes1, _, after1) in zip(reads, reads[1:])
        )


class Latency(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The FIFO once, gateaud up to three times until the link was filled."""
        cls.rounds = []
        with Lab() as lab:
            lab.fifo("100mbit")
            cls.fifo = Measured(lab)
            lab.unjoin()
            for _ in range(TRIES):
                gateaud = lab.gateaud({"bandwidth": "100mbit", "diffserv": "besteffort"})
                measured = Measured(lab)
                code, summary = gateaud.stop()
                cls.rounds.append((measured, code, summary))
                if cls.filled(measured, summary) >= 0.9:
                    break

    @staticmethod
    def filled(measured, summary):
        """Share of what the rate allows in the time in which the daemon ran."""
        ran = measured.shortest - netns.stall_seconds(summary)
        return measured.bits / (RATE * ran)

    def test_no_second_is_faster_than_the_shaper(self):
        for measured, _, _ in self.rounds:
            print(f"{measured.peak / 1e6:.2f} Mbit/s in the fastest second")
            self.assertLess(measured.peak, RATE * 1.01)

    def test_link_is_filled_while_the_daemon_runs(self):
        measured, _, summary = self.rounds[-1]
        self.assertGreaterEqual(self.filled(measured, summary), 0.9)

    def test_median_ping_under_load_is_below_half_of_the_fifos(self):
        measured = self.rounds[-1][0]
        print(f"FIFO {self.fifo.ping.median} ms, gateau {measured.ping.median} ms")
        self.assertLess(measured.ping.median, self.fifo.ping.median / 2)

    def test_every_summary_balances(self):
        for _, code, summary in self.rounds:
            netns.assert_balanced(self, code, summary)


if __name__ == "__main__":
    netns.main()
