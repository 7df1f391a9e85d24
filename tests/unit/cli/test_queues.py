#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`gateau replay` of a port with several TX queues: what they send together, and who gets how much.

usage: test_queues.py GATEAU GOLDEN-FOLDER

The captures are made here: frames of 1,000 bytes of UDP, each flow at a constant rate.
"""

import csv
import heapq
import json
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[2], "model")))
from frames import write_capture  # pylint: disable=wrong-import-position

GATEAU = Path(sys.argv[1]).resolve()
LENGTH = 1000
MS, S = 10**6, 10**9
CAPTURED = 60


def frame(host, port, other=1):
    """The headers of a frame from a host; `other` is the host that it goes to."""
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, LENGTH - 14, 0, 0, 64, 17, 0,
                     bytes([10, 0, host >> 8, host & 255]), bytes([10, 1, 0, other]))
    return bytes.fromhex("0200000000020200000000010800") + ip + struct.pack(
        ">HHHH", port, 5001, LENGTH - 34, 0) + bytes(CAPTURED - 42)


def flow(headers, bps, duration, start=0):
    """Records of a flow that sends `bps` for `duration`."""
    gap = LENGTH * 8 * S // bps
    return [(S + time, headers, LENGTH) for time in range(start, duration, gap)]


class Replay:
    """A capture through a port; `keys` are those of the port."""

    def __init__(self, flows, scheduler, *arguments, **keys):
        port = {"name": "wan", "device": "net_ring1", "scheduler": scheduler, **keys}
        links = [{"from": "lan", "to": "wan"}, {"from": "wan", "to": "lan"}]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "c.json")
            capture = Path(folder, "c.pcap")
            path.write_text(json.dumps({"ports": [{"name": "lan", "device": "net_ring0"}, port],
                                        "links": links}), encoding="utf-8")
            write_capture(capture, heapq.merge(*flows, key=lambda record: record[0]), CAPTURED)
            command = [GATEAU, "replay", "--config", path, "--port", "wan", "--in", capture,
                       *arguments]
            log = Path(folder, "c.csv")
            self.result = json.loads(self.run(*command, "--json", "--csv", log))
            self.text = self.run(*command)
            with open(log, encoding="utf-8") as f:
                self.rows = list(csv.DictReader(f))
        self.sent = [row for row in self.rows if row["action"] == "sent"]

    @staticmethod
    def run(*command):
        return subprocess.run(command, check=True, text=True, capture_output=True).stdout

    def bytes_by(self, column, begin, end):
        """Sent from one time to another, by what a column of the log says."""
        sums = Counter()
        for row in self.sent:
            if begin <= int(row["time_ns"]) < end:
                sums[row[column]] += int(row["len"])
        return sums


class Balance(unittest.TestCase):
    """Every packet is in exactly one queue, and in the sum."""

    def check(self, replay, queues, shares):
        result = replay.result
        self.assertEqual(result["received"], result["sent"] + result["dropped"])
        self.assertEqual([queue["queue"] for queue in result["queues"]], list(range(queues)))
        for key in ("sent", "dropped"):
            self.assertEqual(result[key], sum(queue[key] for queue in result["queues"]))
        for key in ("bytes", "packets", "drops", "overlimits", "memory_limit"):
            self.assertEqual(result["cake"][key],
                             sum(queue["cake"][key] for queue in result["queues"]))
        by_queue = Counter((row["queue"], row["action"] == "sent") for row in replay.rows)
        for queue in result["queues"]:
            self.assertEqual(queue["sent"], by_queue[str(queue["queue"]), True])
            self.assertEqual(queue["dropped"], by_queue[str(queue["queue"]), False])
            self.assertEqual(queue["share"] is not None, shares)
        if queues > 1:
            table = re.findall(r"^  (\d+) +(\d+) +(\d+) +(\d+) +\d+" + " +.*" * shares + "$",
                               replay.text, re.MULTILINE)
            self.assertEqual([tuple(map(int, row)) for row in table],
                             [(queue["queue"], queue["sent"], queue["cake"]["bytes"],
                               queue["dropped"]) for queue in result["queues"]])

    def flows(self):
        return [flow(frame(host, port), 4_000_000, 300 * MS, port)
                for host in range(1, 11) for port in range(1, 3)]

    def test_one(self):
        replay = Replay(self.flows(), {"bandwidth": "20mbit"})
        self.check(replay, 1, False)
        self.assertNotIn("queue ", replay.text)

    def test_demand(self):
        replay = Replay(self.flows(), {"bandwidth": "20mbit"}, tx_queues=8, steer="flow")
        self.check(replay, 8, True)
        shares = [queue["share"] for queue in replay.result["queues"] if queue["sent"]]
        self.assertTrue(all(share["reservations"] for share in shares))
        self.assertTrue(all(1 <= share["active_queues"] <= 8 for share in shares))

    def test_equal(self):
        replay = Replay(self.flows(), {"bandwidth": "20mbit"}, tx_queues=8, steer="flow",
                        share="equal")
        self.check(replay, 8, True)
        shares = [queue["share"] for queue in replay.result["queues"] if queue["sent"]]
        self.assertTrue(all(share["syncs"] and share["share_changes"] for share in shares))
        self.assertFalse(any(share["reservations"] for share in shares))

    def test_unlimited(self):
        """There is no rate to share; all have one link."""
        replay = Replay(self.flows(), {}, "--link-rate", "20mbit", tx_queues=8, steer="flow")
        self.check(replay, 8, False)
        self.assertGreater(sum(queue["sent"] > 0 for queue in replay.result["queues"]), 4)
        times = [int(row["time_ns"]) for row in replay.sent]
        gaps = [after - before for before, after in zip(times, times[1:])]
        self.assertEqual(min(gaps), LENGTH * 8 * S // 20_000_000)

    def test_ingress_with_everything(self):
        replay = Replay(self.flows(), {"bandwidth": "10mbit", "ingress": True, "overhead": 38,
                                       "atm": "atm", "diffserv": "diffserv8", "memlimit": 50000,
                                       "flowmode": "dual-dsthost"}, tx_queues=64)
        self.check(replay, 64, True)

    def test_links_turns(self):
        """Queues that are all full have the same part of a link that is slower than their rate."""
        replay = Replay([flow(frame(host, 1), 20_000_000, 400 * MS) for host in range(1, 13)], {},
                        "--link-rate", "40mbit", tx_queues=4, steer="flow")
        by_queue = replay.bytes_by("queue", 100 * MS, 400 * MS).values()
        self.assertEqual(len(by_queue), 4)
        self.assertLessEqual(max(by_queue) - min(by_queue), LENGTH)


class Rate(unittest.TestCase):
    """What queues share comes to the rate, whoever sends."""

    def check(self, flows, duration, **keys):
        for queues in (2, 8, 64):
            replay = Replay(flows, {"bandwidth": "50mbit"}, tx_queues=queues, steer="flow", **keys)
            sent = sum(replay.bytes_by("tin", 0, duration).values())
            self.assertLess(abs(sent - 50_000_000 // 8 * duration // S), 3 * LENGTH, queues)

    def test_all_busy(self):
        self.check([flow(frame(host, 1), 5_000_000, 400 * MS) for host in range(1, 41)], 400 * MS)

    def test_one_busy(self):
        self.check([flow(frame(1, 1), 60_000_000, 400 * MS)] +
                   [flow(frame(host, 1), 80_000, 400 * MS, host * MS) for host in range(2, 22)],
                   400 * MS)


class Hosts(unittest.TestCase):
    """A host is in one queue, and has its share, whatever number of flows it has."""

    def check_fair(self, flows_of, column, steer, flowmode):
        each = 250_000_000 // len(flows_of)  # 2.5 times what there is
        flows = [flow(frame(*((host, port) if steer == "src-host" else (1, port, host))),
                      each // count, 1300 * MS, port * 1000 + host)
                 for host, count in enumerate(flows_of, 1) for port in range(1, count + 1)]
        replay = Replay(flows, {"bandwidth": "100mbit", "flowmode": flowmode}, tx_queues=8,
                        steer=steer)
        queues = defaultdict(set)
        for row in replay.rows:
            queues[row[column]].add(row["queue"])
        self.assertEqual({len(several) for several in queues.values()}, {1})
        self.assertGreater(len(set.union(*queues.values())), 1)
        got = replay.bytes_by(column, 300 * MS, 1300 * MS)
        fair = 100_000_000 // 8 // len(flows_of)
        self.assertEqual(len(got), len(flows_of))
        for host, amount in got.items():
            self.assertLess(abs(amount - fair), fair / 20, (host, amount / fair))

    def test_3_sources(self):
        self.check_fair([1, 20, 4], "src_hash", "src-host", "dual-srchost")

    def test_5_sources_under_triple_isolation(self):
        self.check_fair([1, 3, 30, 7, 2], "src_hash", "src-host", "triple-isolate")

    def test_64_sources(self):
        self.check_fair([1 + host * host % 7 for host in range(64)], "src_hash", "src-host",
                        "dual-srchost")

    def test_5_destinations(self):
        self.check_fair([12, 1, 1, 5, 20], "dst_hash", "dst-host", "dual-dsthost")


class Faults(unittest.TestCase):
    """What a port may not be is said by the configuration's own check, and nothing is replayed."""

    def check(self, scheduler, where, what):
        with self.assertRaises(subprocess.CalledProcessError) as fault:
            Replay([], scheduler, tx_queues=4)
        self.assertEqual(fault.exception.returncode, 1)
        self.assertIn(f": ports[1].{where}: {what}", fault.exception.stderr)

    def test_steering_is_not_said(self):
        self.check({"bandwidth": "20mbit"}, "steer", "missing")

    def test_rate_follows_arrivals(self):
        self.check({"bandwidth": "20mbit", "flowmode": "flows", "autorate-ingress": True},
                   "scheduler.autorate-ingress", "true: 4 TX queues share one rate")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
