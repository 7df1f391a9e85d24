#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud with several TX queues, over capture files and null devices: which queue frames leave by,
that nothing is lost or overtaken, and what the queues have of one rate. $GATEAUD is the program."""

import json
import os
import time
import unittest
from collections import Counter

from gateaud import SETTLE_S, GateaudTest, read_capture, udp, write_capture

QUEUES = 4
SOURCE, TARGET, FLOW = slice(26, 30), slice(30, 34), slice(26, 36)  # bytes of a frame
CPUS = sorted(os.sched_getaffinity(0))[:2]


class QueuesTest(GateaudTest):
    def several(self, **egress):
        """What a port with several TX queues has, by flows unless told otherwise."""
        return {"tx_queues": QUEUES, **egress}

    def pass_through(self, frames, scheduler, rx_files=1, **egress):
        """(frames that left by each queue, summary); of several files to read each has a queue."""
        sources = [self.path(f"in{i}.pcap") for i in range(rx_files)]
        targets = [self.path(f"out{i}.pcap") for i in range(QUEUES)]
        for i, source in enumerate(sources):
            write_capture(source, frames[i::rx_files])
        config = self.config(
            "net_pcap_a," + ",".join(f"rx_pcap={source}" for source in sources),
            "net_pcap_b," + ",".join(f"tx_pcap={target}" for target in targets),
            scheduler=scheduler, egress=self.several(**egress), ingress={"rx_queues": rx_files})
        process = self.start("-c", config, "-j")
        self.wait_for_line(process, "gateaud: running")
        for source in sources:
            self.wait_until("end of the capture", lambda s=source: self.has_read_all(process, s))
        time.sleep(SETTLE_S)
        summary = self.summary(process)
        out = [read_capture(target) for target in targets]
        counted = [queue["tx_packets"] for queue in summary["ports"][1]["queues"]]
        self.assertEqual(counted, [len(frames) for frames in out])
        self.assertEqual(sum(counted), summary["ports"][1]["tx_packets"])
        return out, summary

    def assert_together(self, out, part):
        """Frames that are alike in bytes `part` left by one queue, and such queues are all in use."""
        seen = [{frame[part] for frame in frames} for frames in out]
        self.assertTrue(all(seen), [len(s) for s in seen])
        self.assertEqual(sum(map(len, seen)), len(set.union(*seen)))


class Steering(QueuesTest):
    def test_flows_of_one_rx_queue_reach_all_tx_queues_each_in_order(self):
        frames = [udp(100, flow=1 + n % 64, number=n) for n in range(2000)]
        out, _ = self.pass_through(frames, {"flowmode": "flows"})
        self.assert_together(out, FLOW)
        self.assertEqual(Counter(sum(out, [])), Counter(frames))
        for left in out:
            for flow in {f[FLOW] for f in left}:
                self.assertEqual([f for f in left if f[FLOW] == flow],
                                 [f for f in frames if f[FLOW] == flow])

    def test_flows_of_several_rx_queues_meet_in_their_tx_queue(self):
        frames = [udp(100, flow=1 + n % 64, number=n) for n in range(2000)]
        out, summary = self.pass_through(frames, {"flowmode": "flows"}, rx_files=3)
        self.assert_together(out, FLOW)
        self.assertEqual(Counter(sum(out, [])), Counter(frames))
        self.assertEqual(summary["ports"][0]["rx_packets"], len(frames))

    def test_steering_by_a_host_keeps_it_in_one_queue(self):
        """Also where the flow mode does not look at it, and whatever else differs."""
        frames = [udp(100, flow=1 + n % 7, number=n, hosts=(n % 97, 100 + n % 101))
                  for n in range(2000)]  # fmt: skip
        for steer, part in (("src-host", SOURCE), ("dst-host", TARGET)):
            for mode in ("triple-isolate", "flows", "flowblind"):
                with self.subTest(steer=steer, mode=mode):
                    out, _ = self.pass_through(frames, {"flowmode": mode}, steer=steer)
                    self.assert_together(out, part)
                    self.assertEqual(sum(map(len, out)), len(frames))

    def test_a_mode_that_tells_nothing_apart_is_spread_all_the_same(self):
        frames = [udp(100, flow=1 + n % 64, number=n) for n in range(500)]
        out, _ = self.pass_through(frames, {"flowmode": "flowblind"})
        self.assert_together(out, FLOW)

    def test_the_default_follows_the_mode(self):
        frames = [udp(100, flow=1 + n % 7, number=n, hosts=(n % 97, 100 + n % 101))
                  for n in range(2000)]  # fmt: skip
        out, _ = self.pass_through(frames, {"flowmode": "dual-dsthost"})
        self.assert_together(out, TARGET)
        self.assertIn("queues: no rate to share, steer dst-host", self.err())


class Sharing(QueuesTest):
    RATE = 100e6  # bit/s, of frames' own lengths
    FLOWS = 256

    def run_loaded(self, seconds=2, **egress):
        """The summary of an endless source of full flows, in excess of the rate."""
        source = self.path("in.pcap")
        write_capture(source, [udp(1000, flow=1 + n) for n in range(self.FLOWS)])
        config = self.config(f"net_pcap_a,rx_pcap={source},infinite_rx=1", "net_null_b",
                             scheduler={"bandwidth": "100mbit", "flowmode": "flows"},
                             egress=self.several(**egress), drain="0ms",
                             eal={"lcores": CPUS})  # fmt: skip
        process = self.start("-c", config, "-j")
        self.wait_for_line(process, "gateaud: running")
        time.sleep(seconds)
        return self.summary(process)

    def assert_rate(self, summary, most=1.0025):
        """No more than `most` of the rate, plus a frame; nearly all but for what the machine took."""
        seconds = summary["uptime_ns"] / 1e9
        lost = sum(lcore["stall_ns"] for lcore in summary["lcores"]) / 1e9
        sent = 8 * summary["ports"][1]["tx_bytes"] / self.RATE
        self.assertLess(sent, seconds * most + 0.001)
        self.assertGreater(sent, (seconds - lost) * 0.8 - 0.2)

    def test_by_demand_the_port_keeps_its_rate(self):
        summary = self.run_loaded()
        self.assert_rate(summary)
        for queue in summary["ports"][1]["queues"]:
            self.assertGreater(queue["tx_bytes"], summary["ports"][1]["tx_bytes"] / QUEUES / 3)
            self.assertGreater(queue["share"]["reservations"], 0)

    def test_in_equal_parts_each_queue_has_a_quarter(self):
        """About: parts follow who was active, and a worker that does not run makes others' larger."""
        summary = self.run_loaded(share="equal")
        self.assert_rate(summary, most=1.2)
        for queue in summary["ports"][1]["queues"]:
            part = queue["tx_bytes"] * QUEUES / summary["ports"][1]["tx_bytes"]
            self.assertTrue(0.6 < part < 1.6, part)
            self.assertGreater(queue["share"]["share_changes"], 0)
            self.assertEqual(queue["share"]["reservations"], 0)

    def test_a_port_without_a_rate_shares_none(self):
        frames = [udp(100, flow=1 + n % 64) for n in range(500)]
        _, summary = self.pass_through(frames, {"flowmode": "flows"})
        self.assertTrue(all(queue["share"] is None for queue in summary["ports"][1]["queues"]))

    def test_what_waits_in_all_queues_is_purged_and_counted(self):
        source = self.path("in.pcap")
        frames = [udp(1000, flow=1 + n % 100, number=n) for n in range(1000)]
        write_capture(source, frames)
        config = self.config(f"net_pcap_a,rx_pcap={source}", "net_null_b", drain="100ms",
                             scheduler={"bandwidth": "64kbit", "flowmode": "flows"},
                             egress=self.several())  # fmt: skip
        process = self.start("-c", config, "-j")
        self.wait_for_line(process, "gateaud: running")
        self.wait_until("end of the capture", lambda: self.has_read_all(process, source))
        time.sleep(SETTLE_S)
        port = self.summary(process)["ports"][1]
        self.assertEqual(port["tx_packets"] + port["drops"]["purge"], len(frames))
        self.assertGreater(port["drops"]["purge"], 900)


class Workers(QueuesTest):
    def deal(self, **egress):
        config = self.config("net_null_a", "net_null_b", eal={"lcores": CPUS},
                             scheduler={"flowmode": "flows"}, egress=self.several(**egress))  # fmt: skip
        process = self.start("-c", config, "-j")
        self.wait_for_line(process, "gateaud: running")
        return [queue["cpu"] for queue in self.summary(process)["ports"][1]["queues"]]

    def test_queues_are_dealt_to_all_workers(self):
        """The only RX queue has the first."""
        self.assertEqual(self.deal(), [CPUS[(1 + i) % len(CPUS)] for i in range(QUEUES)])

    def test_a_file_says_who_runs_which(self):
        wanted = [CPUS[-1], CPUS[0], CPUS[0], CPUS[-1]]
        self.assertEqual(self.deal(tx_lcores=wanted), wanted)

    def test_the_log_says_who_has_which_queues_briefly(self):
        self.deal(tx_lcores=[CPUS[-1], CPUS[0], CPUS[0], CPUS[-1]])
        if len(CPUS) > 1:
            self.assertIn(f"worker on CPU {CPUS[0]}: rx a/0 tx b/1-2\n", self.err())
            self.assertIn(f"worker on CPU {CPUS[1]}: tx b/0,3\n", self.err())
        else:
            self.assertIn(f"worker on CPU {CPUS[0]}: rx a/0 tx b/0-3\n", self.err())

    def test_a_device_with_fewer_queues_is_refused(self):
        config = self.config("net_null_a", f"net_pcap_b,tx_pcap={self.path('out')}",
                             scheduler={"flowmode": "flows"}, egress=self.several())  # fmt: skip
        process = self.start("-c", config)
        self.assertEqual(process.wait(30), 1)
        self.assertIn("port b: 1 RX and 4 TX queues asked for, the device has at most 1 and 1",
                      self.err())  # fmt: skip

    def test_each_queue_has_buffers_of_its_own(self):
        """Four times 1 MiB of buffers of 2,624 bytes, with room for an ACK filter's record, are 1,598."""
        config = self.config("net_null_a", "net_null_b", egress=self.several(),
                             scheduler={"flowmode": "flows", "memlimit": "1mb"})  # fmt: skip
        process = self.start("-c", config, "-j")
        self.wait_for_line(process, "gateaud: running")
        self.summary(process)
        self.assertIn("buffers: 1598 queued", self.err())


if __name__ == "__main__":
    unittest.main(verbosity=2)
