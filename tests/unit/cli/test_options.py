#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each option of a scheduler is in force: what it changes in `gateau replay` of a tiny capture.

usage: test_options.py GATEAU GOLDEN-FOLDER

Unless a test says otherwise: the gateau profile, frames of 1,000 bytes that all arrive at 0, and
8 Mbit/s, at which one takes 1 ms. A key of the schema without a test here fails.
"""

import csv
import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[2], "model")))
from frames import write_capture  # pylint: disable=wrong-import-position

GATEAU = Path(sys.argv[1]).resolve()  # replays run in folders of their own
MS = 10**6
EF, CS1 = 46, 8
BEST_EFFORT, BULK, VOICE = 0, 1, 2
TCP, UDP = 6, 17
TCP_HEADERS = 14 + 20 + 20

# Nothing of these captures waits longer than its target, half a second.
PATIENT = {"bandwidth": "8mbit", "rtt": "10s"}

SHOWN = set()


def shows(*keys):
    """Marks a test as that of these options."""
    SHOWN.update(keys)
    return lambda test: test


def ipv4(proto, payload, dscp, src, dst):
    header = struct.pack(">BBHHHBBH4s4s", 0x45, dscp << 2, 20 + len(payload), 0, 0, 64, proto, 0,
                         bytes([10, 0, 0, src]), bytes([10, 1, 0, dst]))
    total = sum(struct.unpack(">10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    header = header[:10] + struct.pack(">H", total ^ 0xFFFF) + header[12:]
    return bytes.fromhex("0200000000020200000000010800") + header + payload


def frame(length=1000, *, dscp=0, src=1, dst=1, port=1):
    size = length - 14 - 20
    return ipv4(UDP, struct.pack(">HHHH", port, 5001, size, 0) + bytes(size - 8), dscp, src, dst)


def segment(payload, number=0):
    header = struct.pack(">HHIIHHHH", 1, 80, 0, number, 0x5010, 100, 0, 0)
    return ipv4(TCP, header + bytes(payload), 0, 1, 1)


class Options(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_replay(self, scheduler, frames, *arguments):
        """FRAMES: bytes, or (ns, bytes)."""
        records = [f if isinstance(f, tuple) else (0, f) for f in frames]
        write_capture(self.folder / "in.pcap", [(t, f, len(f)) for t, f in records], 65535)
        (self.folder / "s.json").write_text(json.dumps({"scheduler": scheduler}))
        return subprocess.run(
            [GATEAU, "replay", "--config", "s.json", "--in", "in.pcap", "--csv", "out.csv",
             "--json", *arguments], cwd=self.folder, capture_output=True, text=True, check=False)

    def replay(self, scheduler, frames, *arguments):
        """(report, rows of what was sent)"""
        result = self.run_replay(scheduler, frames, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with open(self.folder / "out.csv", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        return json.loads(result.stdout), [row for row in rows if row["action"] == "sent"]

    def sent(self, scheduler, frames, column, *arguments):
        return [int(row[column]) for row in self.replay(scheduler, frames, *arguments)[1]]

    def test_every_option_is_shown_to_be_in_force(self):
        result = subprocess.run([GATEAU, "schema"], check=True, capture_output=True)
        port = json.loads(result.stdout)["properties"]["ports"]["items"]["properties"]
        self.assertEqual(SHOWN, set(port["scheduler"]["properties"]))

    @shows("bandwidth")
    def test_bandwidth_is_the_rate(self):
        frames = 5 * [frame()]
        self.assertEqual(self.sent({"bandwidth": "8mbit"}, frames, "time_ns"),
                         [0, MS, 2 * MS, 3 * MS, 4 * MS])
        self.assertEqual(self.sent({"bandwidth": "80mbit"}, frames, "time_ns"),
                         [0, MS // 10, MS // 5, 3 * MS // 10, 2 * MS // 5])
        self.assertEqual(self.sent({"bandwidth": "unlimited"}, frames, "time_ns"), 5 * [0])

    @shows("rtt")
    def test_rtt_sets_interval_and_target(self):
        for rtt, target_us, drops in (("100ms", 5000, True), ("1s", 50000, False)):
            report, _ = self.replay({**PATIENT, "rtt": rtt}, 20 * [frame()])  # the last waits 19 ms
            tin = report["cake"]["tins"][1]
            self.assertEqual((tin["target_us"], tin["interval_us"]), (target_us, 20 * target_us))
            self.assertEqual(report["cake"]["drops_by_reason"]["codel"] > 0, drops)

    @shows("diffserv")
    def test_diffserv_maps_dscp_to_tins(self):
        frames = [frame(dscp=dscp) for dscp in (EF, CS1, 0)]
        for mode, tins in (("besteffort", [0, 0, 0]), ("precedence", [EF >> 3, CS1 >> 3, 0]),
                           ("diffserv3", [2, 1, 0]), ("diffserv4", [3, 1, 0]),
                           ("diffserv8", [6, 1, 2])):
            self.assertEqual(self.sent({"diffserv": mode}, frames, "tin"), tins, mode)

    @shows("flowmode")
    def test_flowmode_says_what_a_flow_is(self):
        frames = [frame(), frame(port=2), frame(dst=2), frame(src=2)]
        for mode, flows in (("flowblind", 1), ("srchost", 2), ("dsthost", 2), ("hosts", 3),
                            ("flows", 4), ("dual-srchost", 4), ("dual-dsthost", 4),
                            ("triple-isolate", 4)):
            slots = self.sent({**PATIENT, "flowmode": mode}, frames, "flow")
            self.assertEqual(len(set(slots)), flows, mode)

    @shows("flowmode")
    def test_flowmode_says_which_hosts_share(self):
        """Three flows of one host against one of another: a quarter for each flow, or halves."""
        for one, other in ("src", "dst"), ("dst", "src"):
            frames = [frame(**{one: host, other: end})
                      for _ in range(40) for host, end in ((1, 1), (1, 2), (1, 3), (2, 4))]
            hosts = {frame_number: 1 + (frame_number % 4 == 3) for frame_number in range(160)}
            for mode, share in (("flows", 10), (f"dual-{one}host", 20), (f"dual-{other}host", 10),
                                ("triple-isolate", 20)):
                first = self.sent({**PATIENT, "flowmode": mode}, frames, "idx")[:40]
                got = sum(hosts[i] == 2 for i in first)
                self.assertAlmostEqual(got, share, delta=3, msg=f"{mode} {one}")

    @shows("overhead")
    def test_overhead_is_added_to_the_network_layer_length(self):
        for options, adjusted in (({}, 1000), ({"overhead": 18}, 1000 - 14 + 18),
                                  ({"overhead": -50}, 1000 - 14 - 50),
                                  ({"overhead": "pppoe-ptm"}, 986 + 30 + 16)):  # / 64 in 16 blocks
            self.assertEqual(self.sent(options, [frame()], "adj_len"), [adjusted])

    @shows("overhead")
    def test_overhead_slows_the_link_down(self):
        options = {"bandwidth": "8mbit", "overhead": 14 + 200}
        self.assertEqual(self.sent(options, 2 * [frame()], "time_ns"), [0, 12 * MS // 10])

    @shows("mpu")
    def test_mpu_is_the_least_a_frame_counts(self):
        frames = [frame(100), frame(200)]
        self.assertEqual(self.sent({"mpu": 128}, frames, "adj_len"), [128, 200])
        self.assertEqual(self.sent({}, frames, "adj_len"), [100, 200])

    @shows("atm")
    def test_atm_counts_cells_and_ptm_blocks(self):
        for atm, adjusted in (("noatm", 1000), ("atm", 21 * 53), ("ptm", 1000 + 16)):
            self.assertEqual(self.sent({"atm": atm}, [frame()], "adj_len"), [adjusted])

    @shows("wash")
    def test_wash_clears_dscp_behind_the_choice_of_a_tin(self):
        for wash, dscp in ((False, EF), (True, 0)):
            _, rows = self.replay({"wash": wash}, [frame(dscp=EF)])
            self.assertEqual((int(rows[0]["dscp"]), int(rows[0]["tin"])), (dscp, VOICE))

    @shows("ingress", "memlimit")
    def test_ingress_charges_what_is_dropped(self):
        """A frame is sent, two fit, and two more push these out: 2 ms of the link. Two thirds of
        the rate go on all the same."""
        options = {**PATIENT, "memlimit": 2 * 2304}  # bytes that a frame of 1,000 pins
        frames = 5 * [frame()]
        self.assertEqual(self.sent(options, frames, "time_ns"), [0, MS, 2 * MS])
        self.assertEqual(self.sent({**options, "ingress": True}, frames, "time_ns"),
                         [0, 3 * MS // 2, 3 * MS])

    @shows("memlimit")
    def test_memlimit_is_what_the_queue_may_hold(self):
        for options, limit, dropped in (({"memlimit": 2 * 2304}, 4608, 2), ({}, 4 << 20, 0)):
            report, _ = self.replay({**PATIENT, "rtt": "100ms", **options}, 5 * [frame()])
            self.assertEqual(report["cake"]["memory_limit"], limit)
            self.assertEqual(report["cake"]["drops_by_reason"]["overflow"], dropped)

    @shows("split_gso")
    def test_split_gso_cuts_and_either_way_each_segment_is_billed(self):
        """Three segments of 1,000 bytes and their headers, each with 38 of overhead."""
        billed = 1000 + TCP_HEADERS - 14 + 38
        for split, lengths, adjusted in ((True, 3 * [1000 + TCP_HEADERS], 3 * [billed]),
                                         (False, [3000 + TCP_HEADERS], [3 * billed])):
            options = {"split_gso": split, "overhead": 38}
            for column, wanted in (("len", lengths), ("adj_len", adjusted)):
                self.assertEqual(self.sent(options, [segment(3000)], column, "--gso-size", "1000"),
                                 wanted)

    @shows("flows")
    def test_flows_are_the_queues_there_are(self):
        for flows, collisions in ((8, 1), (1024, 0)):
            report, _ = self.replay({**PATIENT, "flows": flows}, [frame(port=i) for i in range(9)])
            self.assertEqual(sum(t["way_collisions"] for t in report["cake"]["tins"]), collisions)

    @shows("fwmark", "rules")
    def test_fwmark_cuts_the_tin_out_of_the_mark(self):
        """Places count from Bulk, Best Effort, Voice: 0x30 >> 4 is the third, its last bit the
        first."""
        rules = [{"dport": 5001, "mark": "0x30"}]
        for mask, tin in (("0xf0", VOICE), ("0x10", BULK)):
            self.assertEqual(self.sent({"fwmark": mask, "rules": rules}, [frame()], "tin"), [tin])

    @shows("rules")
    def test_rules_choose_the_tin(self):
        rules = [{"src": "10.0.0.2/32", "tin": "Bulk"}, {"protocol": "udp", "tin": "Voice"}]
        self.assertEqual(self.sent({"rules": rules}, [frame(), frame(src=2), segment(0)], "tin"),
                         [VOICE, BULK, BEST_EFFORT])

    @shows("profile")
    def test_profile_rounds_as_linux_or_not_at_all(self):
        """60 bytes at 10 Gbit/s take 48 ns, in Linux's fixed point a little less, cut to 47."""
        frames = 101 * [frame(60)]
        for profile, last in (("linux", 4700), ("gateau", 4800)):
            times = self.sent({"bandwidth": "10gbit", "profile": profile}, frames, "time_ns")
            self.assertAlmostEqual(times[-1], last, delta=1)

    @shows("catch-up")
    def test_catch_up_bounds_what_a_slow_link_holds_back(self):
        """A link of a tenth of the rate is free at 10, 20, 30, 40 ms, where the shaper had been at
        1 ms, and then at the time of the frame before: 8 + 9 + 9 + 9 ms are given up."""
        for limit, times, given_up in (("1ms", 4, 35 * MS), ("10s", 0, 0)):
            report, _ = self.replay({**PATIENT, "catch-up": limit}, 5 * [frame()],
                                    "--link-rate", "800kbit")
            self.assertEqual(report["cake"]["catch_ups"], times)
            self.assertEqual(report["cake"]["catch_up_ns"], given_up)

    @shows("ack-filter")
    def test_ack_filter_leaves_two_or_one(self):
        """Of ten, the first leaves at once."""
        acks = [segment(0, number) for number in range(10)]
        for mode, left in (("off", list(range(10))), ("on", [0, 8, 9]), ("aggressive", [0, 9])):
            report, rows = self.replay({**PATIENT, "ack-filter": mode}, acks)
            self.assertEqual([int(row["idx"]) for row in rows], left)
            self.assertEqual(report["cake"]["drops_by_reason"]["ack_filter"], 10 - len(left))

    @shows("autorate-ingress")
    def test_autorate_ingress_follows_what_arrives(self):
        """1,000 bytes a ms, in pairs: where all gaps are equal there are no bursts. The rate is
        15/16 of it; it begins with 80 kbit/s, 10,000 bytes/s."""
        frames = [(t * MS // 2, frame()) for ms in range(0, 2000, 2) for t in (2 * ms, 2 * ms + 1)]
        options = {"bandwidth": "80kbit", "ingress": True, "memlimit": 100000}
        for autorate, estimate, rate in ((False, 10000, 10000), (True, 10**6, 937500)):
            report, _ = self.replay({**options, "autorate-ingress": autorate}, frames)
            cake = report["cake"]
            self.assertAlmostEqual(cake["capacity_estimate"], estimate, delta=estimate / 50)
            self.assertAlmostEqual(cake["tins"][1]["threshold_rate"], rate, delta=rate / 50)

    @shows("nat")
    def test_nat_is_refused_with_what_to_do_instead(self):
        result = self.run_replay({"nat": True}, [frame()])
        self.assertEqual(result.returncode, 1)
        self.assertIn("use host isolation on the side where inner addresses are visible",
                      result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
