#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`gateau show` of a running gateaud: tc's keys, types and columns, and numbers that add up. $GATEAUD
and $GATEAU are the programs."""

import json
import os
import re
import subprocess
import time
import unittest

from gateaud import GateaudTest, udp, write_capture

GATEAU = os.environ["GATEAU"]
WAIT_S = 30
BURST = 512  # DISPATCH_BURST: what a worker may have in hand

# tc -j -s qdisc show of a cake: keys, in its order, and types (iproute2's tc/q_cake.c; what tc_qdisc.c
# prints for every qdisc comes first).
TC_OPTIONS = {
    "bandwidth": (int, str), "diffserv": str, "flowmode": str, "nat": bool, "wash": bool,
    "ingress": bool, "ack-filter": str, "split_gso": bool, "rtt": int, "raw": bool, "atm": str,
    "overhead": int, "mpu": int, "memlimit": int, "fwmark": str,
}  # fmt: skip
TC_STATS = {
    "kind": str, "root": bool, "options": dict,
    "bytes": int, "packets": int, "drops": int, "overlimits": int, "requeues": int, "backlog": int,
    "qlen": int,
    "memory_used": int, "memory_limit": int, "capacity_estimate": int, "min_network_size": int,
    "max_network_size": int, "min_adj_size": int, "max_adj_size": int, "avg_hdr_offset": int,
    "tins": list,
}  # fmt: skip
TC_TIN = [
    "threshold_rate", "sent_bytes", "backlog_bytes", "target_us", "interval_us", "peak_delay_us",
    "avg_delay_us", "base_delay_us", "sent_packets", "way_indirect_hits", "way_misses",
    "way_collisions", "drops", "ecn_mark", "ack_drops", "sparse_flows", "bulk_flows",
    "unresponsive_flows", "max_pkt_len", "flow_quantum",
]  # fmt: skip
TC_ROWS = [
    "thresh", "target", "interval", "pk_delay", "av_delay", "sp_delay", "backlog", "pkts", "bytes",
    "way_inds", "way_miss", "way_cols", "drops", "marks", "ack_drop", "sp_flows", "bk_flows",
    "un_flows", "max_len", "quantum",
]  # fmt: skip

SHAPED = {
    "bandwidth": "20mbit", "diffserv": "diffserv4", "flowmode": "dual-srchost", "rtt": "50ms",
    "overhead": 44, "mpu": 64, "memlimit": "4mb", "ack-filter": "aggressive", "ingress": True,
    "wash": True, "split_gso": False, "fwmark": "0xff", "flows": 256,
}  # fmt: skip


class ShowTest(GateaudTest):
    def run_gateaud(self, source="net_null0", target="net_null1", **changes):
        config = self.config(source, target, **changes)
        self.process = self.start("-c", config, "-j")
        self.wait_for_line(self.process, "gateaud: running")

    def gateau(self, *argv, code=0):
        done = subprocess.run([GATEAU, "show", *argv], capture_output=True, text=True, timeout=WAIT_S,
                              env={**os.environ, "GATEAU_SOCKET": str(self.socket)})  # fmt: skip
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def show(self, *argv):
        return json.loads(self.gateau(*argv, "-j"))

    def port(self, name, *argv):
        (port,) = self.show(name, *argv)["ports"]
        return port


class Options(ShowTest):
    def test_a_line_has_them_in_tcs_words_and_order(self):
        self.run_gateaud(egress={"scheduler": SHAPED})
        self.assertEqual(
            self.gateau(),
            "port a: noqueue\n"
            "port b: cake bandwidth 20mbit diffserv4 dual-srchost nonat wash ingress "
            "ack-filter-aggressive no-split-gso rtt 50ms noatm overhead 44 mpu 64 memlimit 4mb "
            "fwmark 0xff flows 256\n",
        )
        self.assertEqual(self.gateau("a"), "port a: noqueue\n")

    def test_json_has_tcs_keys_types_and_values(self):
        self.run_gateaud(egress={"scheduler": SHAPED})
        options = self.port("b")["options"]
        self.assertEqual([key for key in options if key in TC_OPTIONS], list(TC_OPTIONS))
        for key, types in TC_OPTIONS.items():
            self.assertIsInstance(options[key], types, key)
            self.assertEqual(isinstance(options[key], bool), types is bool, key)
        self.assertEqual(options["bandwidth"], 2500000)  # bytes/s
        self.assertEqual(options["rtt"], 50000)  # us
        self.assertEqual(options["ack-filter"], "aggressive")
        self.assertEqual(options["memlimit"], 4 << 20)
        self.assertEqual(options["fwmark"], "0xff")
        self.assertEqual({"raw": options["raw"], "nat": options["nat"]}, {"raw": False, "nat": False})

    def test_without_keys_they_are_tcs_defaults(self):
        self.run_gateaud()
        self.assertEqual(
            self.gateau("b"),
            "port b: cake bandwidth unlimited diffserv3 triple-isolate nonat nowash no-ack-filter "
            "split-gso rtt 100ms raw overhead 0\n",
        )
        options = self.port("b")["options"]
        self.assertEqual(options["bandwidth"], "unlimited")
        self.assertEqual(options["ack-filter"], "disabled")
        self.assertEqual(options["fwmark"], "0")
        for absent in ("atm", "mpu", "memlimit", "autorate"):
            self.assertNotIn(absent, options)

    def test_without_statistics_there_are_none(self):
        self.run_gateaud()
        self.assertNotIn("bytes", self.port("b"))
        self.assertNotIn("lcores", self.show())


class Statistics(ShowTest):
    FRAMES = 300
    LENGTH = 600

    def forward(self, queues=1, **scheduler):
        """Frames of a capture, all of which have left, by a device of any number of queues. However
        long the machine stands still meanwhile, none is dropped for it."""
        source = self.path("in.pcap")
        write_capture(source, [udp(self.LENGTH, flow=n % 3) for n in range(self.FRAMES)])
        scheduler = {"bandwidth": "unlimited", "rtt": "interplanetary", "memlimit": "32mb",
                     **scheduler}  # fmt: skip
        egress = {"tx_queues": queues, "scheduler": scheduler}
        if queues > 1:
            egress["steer"] = "flow"
        self.run_gateaud(f"net_pcap_a,rx_pcap={source}", "net_null1", egress=egress)
        self.wait_until("frames sent", lambda: self.port("b", "-s")["tx_packets"] == self.FRAMES)

    def test_json_has_tcs_keys_and_types_and_the_order_of_tins(self):
        self.forward(bandwidth="1gbit", diffserv="diffserv4")
        port = self.port("b", "-s")
        for key, kind in TC_STATS.items():
            self.assertIsInstance(port[key], kind, key)
        self.assertEqual([tin["name"] for tin in port["tins"]],
                         ["Bulk", "Best Effort", "Video", "Voice"])  # fmt: skip
        for tin in port["tins"]:
            for key in TC_TIN:
                self.assertIs(type(tin[key]), int, key)
        self.assertEqual(port["packets"], self.FRAMES)
        self.assertEqual(port["bytes"], self.FRAMES * self.LENGTH)
        self.assertEqual(port["tins"][1]["sent_packets"], self.FRAMES)
        self.assertEqual(port["tins"][0]["threshold_rate"], 125000000 // 16)

    def test_what_was_counted_adds_up(self):
        self.forward()
        shown = self.show("-s")
        a, b = shown["ports"]
        self.assertEqual((a["rx_packets"], a["rx_bytes"]), (self.FRAMES, self.FRAMES * self.LENGTH))
        self.assertEqual(b["tx_bytes"], self.FRAMES * self.LENGTH)
        self.assertEqual(shown["balance"]["difference"], 0)
        self.assertEqual(shown["balance"]["received"], self.FRAMES)
        self.assertEqual(sum(b["drops_by_reason"].values()), b["drops"])
        self.assertEqual(set(a["nic"].values()), {0})
        (lcore,) = shown["lcores"]
        self.assertGreater(lcore["busy_cycles"], 0)
        self.assertGreater(shown["clock"]["hz"], 1000000)

    def test_every_packet_sent_is_in_the_histogram_of_its_tin(self):
        self.forward()
        shown = self.show("b", "-s")
        bounds = shown["sojourn_bounds_ns"]
        self.assertEqual((bounds[0], bounds[-1]), (1 << 10, 1 << 34))
        for tin in shown["ports"][0]["tins"]:
            self.assertEqual(len(tin["sojourn_counts"]), len(bounds) + 1)
            self.assertEqual(sum(tin["sojourn_counts"]), tin["sent_packets"])
            least = sum(n * (bounds[i - 1] if i else 0) for i, n in enumerate(tin["sojourn_counts"]))
            self.assertGreaterEqual(tin["sojourn_sum_ns"], least)

    def test_queues_sum_up_to_their_port(self):
        self.forward(queues=3)
        port = self.port("b", "-s")
        self.assertEqual([queue["queue"] for queue in port["queues"]], [0, 1, 2])
        for key in ("bytes", "packets", "drops", "tx_packets", "requeues", "ecn_marked"):
            self.assertEqual(sum(queue[key] for queue in port["queues"]), port[key], key)
        for i, tin in enumerate(port["tins"]):
            counts = zip(*(queue["tins"][i]["sojourn_counts"] for queue in port["queues"]))
            self.assertEqual([sum(n) for n in counts], tin["sojourn_counts"])
        self.assertFalse(any(queue["stalled"] for queue in port["queues"]))

    def test_text_has_tcs_rows_as_columns_of_tins(self):
        self.forward(queues=2, bandwidth="1gbit")
        text = self.gateau("b", "-s")
        self.assertIn(f" Sent {self.FRAMES * self.LENGTH} bytes {self.FRAMES} pkt (dropped 0, ", text)
        self.assertIn("\n other drops: runt 0, too-long 0, no-buffer 0,", text)
        self.assertIn("\n device: missed 0, rx errors 0, no buffer 0, tx errors 0, full ", text)
        self.assertRegex(text, r"\n {19}Bulk  Best Effort        Voice\n")
        rows = re.findall(r"^  (\w+%?)(?: +\S+){3}$", text, re.M)
        self.assertEqual(rows, [*TC_ROWS, "wait_50%", "wait_99%", "shed"])
        self.assertRegex(text, rf"\n  pkts +0 +{self.FRAMES} +0\n")
        # The rates of a tin in use follow the queue's part of the port's.
        self.assertRegex(text, r"\n  thresh( +\d+k?m?g?bit){3}\n")
        self.assertRegex(text, r"\n  queue  CPU +packets .* active +part")
        self.assertRegex(text, r"\n  1 +\d+ +\d+ +\d+ +0 +0 ")
        self.assertRegex(text, r"\nworker on CPU \d+: \d+ passes, ")
        self.assertNotIn("port b queue", text)
        self.assertIn("\nport b queue 1:\n Sent ", self.gateau("b", "-q"))


class Live(ShowTest):
    """Under load: frames without end arrive, and far more than can leave."""

    def run_workers(self, cpus):
        """A worker on each CPU, which receives for a queue of its own and for the others'."""
        n = len(cpus)
        self.run_gateaud(eal={"lcores": cpus}, ingress={"rx_queues": n},
                         egress={"tx_queues": n, "steer": "flow",
                                 "scheduler": {"bandwidth": "100mbit"}})  # fmt: skip

    def assert_readings_add_up(self, workers):
        received = 0
        for _ in range(20):
            shown = self.show("-s")
            balance = shown["balance"]
            self.assertEqual(len(shown["lcores"]), workers)
            self.assertLessEqual(balance["difference"], workers * BURST)
            self.assertGreaterEqual(balance["difference"], -(balance["moved"] + workers * BURST))
            self.assertGreaterEqual(balance["received"], received)
            received = balance["received"]
            time.sleep(0.01)
        self.assertGreater(received, 0)
        summary = self.summary(self.process)
        self.assertGreaterEqual(summary["balance"]["received"], received)

    def test_a_reading_differs_by_no_more_than_moved_meanwhile(self):
        cpus = sorted(os.sched_getaffinity(0))
        self.run_workers(cpus[:1])
        self.assert_readings_add_up(1)

    def test_of_two_workers_as_well(self):
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("one CPU: there is no place for a second worker")
        self.run_workers(cpus[:2])
        self.assert_readings_add_up(2)


class Flows(ShowTest):
    """Five flows of three hosts wait at a rate that lets next to nothing go."""

    def queue_flows(self, **scheduler):
        def many(n, flow, host):
            return [udp(1000, flow=flow, hosts=(host, 9)) for _ in range(n)]

        # One packet of each leaves at once, or not: no count below depends on it.
        frames = many(40, 1, 1) + many(30, 2, 1) + many(50, 3, 2) + many(20, 4, 3) + many(10, 5, 3)
        source = self.path("in.pcap")
        write_capture(source, frames)
        scheduler = {"bandwidth": "8kbit", "memlimit": "8mb", "rtt": "interplanetary", **scheduler}
        self.run_gateaud(f"net_pcap_a,rx_pcap={source}", "net_null1", drain="1ms",
                         egress={"scheduler": scheduler})  # fmt: skip
        self.wait_until("frames queued", lambda: self.port("b", "-s")["tins"][-2]["sent_packets"]
                        == len(frames))  # fmt: skip

    def test_the_fattest_come_first_with_who_they_are(self):
        self.queue_flows()
        shown = self.show("flows")
        self.assertEqual((shown["queuing"], shown["complete"]), (5, True))
        flows = shown["flows"]
        self.assertEqual([flow["sport"] for flow in flows], [3, 1, 2, 4, 5])
        backlogs = [flow["backlog"] for flow in flows]
        self.assertEqual(backlogs, sorted(backlogs, reverse=True))
        first = flows[0]
        self.assertEqual((first["src"], first["dst"]), ("10.0.0.2", "10.0.0.9"))
        self.assertEqual((first["dport"], first["protocol"], first["tin"]), (9, 17, "Best Effort"))
        self.assertIn(first["backlog"], (50000, 49000))
        self.assertEqual(first["head_bytes"], 1000)
        self.assertGreater(first["wait_ns"], 0)
        for key in ("drops", "deficit", "count", "drop_next", "blue_prob", "blue_timer"):
            self.assertIs(type(first[key]), int, key)
        self.assertIs(type(first["dropping"]), bool)

    def test_hosts_are_added_up_over_their_flows(self):
        self.queue_flows()
        hosts = [(h["as"], h["address"], h["flows"]) for h in self.show("flows")["hosts"]]
        self.assertEqual(hosts, [("destination", "10.0.0.9", 5), ("source", "10.0.0.1", 2),
                                 ("source", "10.0.0.2", 1), ("source", "10.0.0.3", 2)])  # fmt: skip

    def test_hosts_are_those_that_the_mode_tells_apart(self):
        self.queue_flows(flowmode="flows")
        self.assertEqual(self.show("flows")["hosts"], [])

    def test_as_many_as_are_asked_for_and_of_the_port_asked_for(self):
        self.queue_flows()
        self.assertEqual(len(self.show("flows", "b", "-n", "2")["flows"]), 2)
        self.assertEqual(self.show("flows", "b", "-n", "2")["queuing"], 5)
        self.assertEqual(self.show("flows", "a")["flows"], [])
        self.assertIn("no port", self.gateau("flows", "c", code=1))
        self.assertIn("no number of flows", self.gateau("flows", "-n", "65", code=2))

    def test_text(self):
        self.queue_flows()
        text = self.gateau("flows", "-n", "2")
        self.assertRegex(text, r"^flows that queue packets: 5\nport +queue +tin +backlog +wait +drops +blue "
                               r"+set +flow\n")  # fmt: skip
        self.assertRegex(text, r"\nb +0 Best Effort +(50000|49000)b +\S+ +\d+ +0\.0% \S+ +"
                               r"10\.0\.0\.2:3 > 10\.0\.0\.9:9 UDP\n")  # fmt: skip
        self.assertRegex(text, r"\nb +source +\d+b +2 +\d+ 10\.0\.0\.1\n")
        self.assertEqual(text.count("UDP"), 2)


class Errors(ShowTest):
    def test_a_port_that_is_not_there_is_told_with_those_that_are(self):
        self.run_gateaud()
        self.assertEqual(self.gateau("c", code=1), 'gateau show: no port "c"; there are: a, b\n')
        self.assertEqual(self.gateau("c", "-s", "-j", code=1),
                         'gateau show: no port "c"; there are: a, b\n')  # fmt: skip

    def test_wrong_arguments(self):
        self.assertIn('no argument "b"', self.gateau("a", "b", code=2))
        self.assertIn("usage: gateau show", self.gateau("--nonsense", code=2))


if __name__ == "__main__":
    unittest.main()
