#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Four TX queues on net_af_packet: 32 TCP connections of one host against a UDP flood of another.

The wire carries the rate of one shaper, not of four; what shares, hosts or flows, gets its part; pings
do not notice the flood; and every frame that either side sent is accounted for. The machine may stop
for 200 ms at any moment: medians, ratios within one run, best of 3 where a part is measured.
"""

import time
import unittest

import netns
from lab import A_HOSTS, B_HOST, Lab
from load import Flood, Ping, Transfers

RATE = 100_000_000  # bit/s of frames, Ethernet header included
QUEUES = 4
SENDERS, FLOOD_FLOWS = 32, 4
SETTLE_S = 3
MEASURE_S = 6
TRIES = 3
PAYLOAD = 1448 / 1514  # of TCP in a full frame


class Round:
    """One loaded interval, and what the daemon says of all of it."""

    def __init__(self, lab, flowmode):
        at_start = lab.packets("b")[0]
        gateaud = lab.gateaud(
            {"bandwidth": "100mbit", "diffserv": "besteffort", "flowmode": flowmode}, QUEUES
        )
        sent_before, begin = lab.packets("a")[1], time.monotonic()
        self._load(lab)
        self.seconds = time.monotonic() - begin
        self.offered = lab.packets("a")[1] - sent_before
        self.code, self.summary = gateaud.stop()
        self.arrived = lab.packets("b")[0] - at_start
        print(f"{flowmode}: wire {self.filled():.3f} of the rate while the daemon ran, fastest second "
              f"{self.wire.peak / RATE:.3f}; TCP {self.tcp_part():.3f} of what it sent; ping median "
              f"{self.ping.median} ms, p95 {self.ping.p95} ms, {self.ping.lost} lost")  # fmt: skip

    def _load(self, lab):
        seconds = SETTLE_S + MEASURE_S
        flood = Flood(lab, B_HOST, FLOOD_FLOWS, 3 * RATE, seconds + 5, A_HOSTS[1])
        transfers = Transfers(lab, B_HOST, SENDERS, seconds, source=A_HOSTS[0])
        time.sleep(SETTLE_S)
        ping = Ping(lab, B_HOST)
        self.wire = netns.Received(transfers.server, MEASURE_S)
        self.ping = ping.finish()
        self.tcp = transfers.finish()
        flood.abandon()

    def filled(self):
        return self.wire.filled(RATE, self.summary)

    def tcp_part(self):
        """Share of TCP in what the wire carried, headers included."""
        return self.tcp / PAYLOAD / (self.wire.bits / self.wire.shortest)

    def port(self, name):
        return next(port for port in self.summary["ports"] if port["name"] == name)


class Queues(unittest.TestCase):
    def run_until_fair(self, flowmode, part):
        """Rounds until TCP has its part within a quarter; the last of them."""
        parts = []
        with Lab() as lab:
            while len(parts) < TRIES and not any(0.75 <= p / part <= 1.25 for p in parts):
                done = Round(lab, flowmode)
                parts.append(done.tcp_part())
                self.assert_one_rate_and_nothing_lost(done)
        self.assertTrue(0.75 <= parts[-1] / part <= 1.25, f"TCP had {parts}, not {part}")
        self.assertGreaterEqual(done.filled(), 0.9)
        return done

    def assert_one_rate_and_nothing_lost(self, done):
        netns.assert_balanced(self, done.code, done.summary)
        self.assertLess(done.wire.peak, RATE * 1.01)
        self.assertEqual(done.ping.lost, 0)
        self.assertLess(done.ping.median, 5)
        wan, lan = done.port("wan"), done.port("lan")
        self.assertEqual(done.arrived, wan["tx_packets"])
        # net_af_packet does not count what overflows its ring: that happens in stalls alone.
        missing = done.offered - lan["rx_packets"]
        stalled = netns.stall_seconds(done.summary) / done.seconds
        self.assertLessEqual(missing, 2 * stalled * done.offered)

    def test_two_hosts_share_in_halves(self):
        """All of a host meet in one queue, whatever it sends: no more than two queues drop."""
        done = self.run_until_fair("dual-srchost", 1 / 2)
        queues = done.port("wan")["queues"]
        self.assertEqual(len(queues), QUEUES)
        self.assertIn(sum(queue["scheduler"]["drops"] > 0 for queue in queues), (1, 2))

    def test_flows_in_all_queues_share_alike(self):
        done = self.run_until_fair("flows", SENDERS / (SENDERS + FLOOD_FLOWS))
        for queue in done.port("wan")["queues"]:
            self.assertGreater(queue["tx_packets"], 0)


if __name__ == "__main__":
    netns.main()
