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
        self.received = netns.Received(transfers.server, MEASURE_S)
        self.ping = ping.finish()
        transfers.abandon()


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
                if measured.received.filled(RATE, summary) >= 0.9:
                    break

    def test_no_second_is_faster_than_the_shaper(self):
        for measured, _, _ in self.rounds:
            print(f"{measured.received.peak / 1e6:.2f} Mbit/s in the fastest second")
            self.assertLess(measured.received.peak, RATE * 1.01)

    def test_link_is_filled_while_the_daemon_runs(self):
        measured, _, summary = self.rounds[-1]
        self.assertGreaterEqual(measured.received.filled(RATE, summary), 0.9)

    def test_median_ping_under_load_is_below_half_of_the_fifos(self):
        measured = self.rounds[-1][0]
        print(f"FIFO {self.fifo.ping.median} ms, gateau {measured.ping.median} ms")
        self.assertLess(measured.ping.median, self.fifo.ping.median / 2)

    def test_every_summary_balances(self):
        for _, code, summary in self.rounds:
            netns.assert_balanced(self, code, summary)


if __name__ == "__main__":
    netns.main()
