#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A capture with one frame of each kind through `gateau replay`: tin, flow, and what is counted.

usage: test_frames.py GATEAU GOLDEN-FOLDER

The frames are put together here, apart from the C tests' builders on purpose. Frames of one `flow`
must have one flow hash, all others different ones. Then every frame is cut at every byte, with and
without its length on the wire: all of them must come out, and nothing be counted twice.
"""

import csv
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(sys.argv[2], "model"))
from frames import write_capture  # pylint: disable=wrong-import-position

BEST_EFFORT, BULK, VOICE = 0, 1, 2  # diffserv3's tins as the table of decisions numbers them
CS1, EF = 8, 46

TCP, UDP, ICMP6 = 6, 17, 58
ONE_FLOW = "one flow"
FAILED = []


def ethernet(ethertype, payload, tags=()):
    """Tags are (TPID, TCI), outermost first."""
    stack = b"".join(struct.pack(">HH", *tag) for tag in tags)
    return bytes.fromhex("020000000002020000000001") + stack + struct.pack(">H", ethertype) + payload


def ipv4(proto, payload, dscp=0, host=1, fragment=0, options=b"", version=4, words=None):
    words = words or 5 + len(options) // 4
    header = struct.pack(">BBHHHBBH4s4s", version << 4 | words, dscp << 2,
                         20 + len(options) + len(payload), 7, fragment, 64, proto, 0,
                         bytes([10, 0, 0, host]), bytes([10, 1, 0, 1])) + options
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return header[:10] + struct.pack(">H", total ^ 0xFFFF) + header[12:] + payload


def ipv6(proto, payload, dscp=0, host=1):
    net = bytes.fromhex("20010db8") + bytes(11)
    return struct.pack(">IHBB", 6 << 28 | dscp << 22, len(payload), proto, 255) + \
        net + bytes([host]) + net + bytes([200]) + payload


def extension(following, payload, words=1):
    return bytes([following, words - 1]) + bytes(8 * words - 2) + payload


def fragment6(following, offset, more, payload):
    return struct.pack(">BBHI", following, 0, offset << 3 | more, 99) + payload


def udp(port=1000, payload=bytes(30), to=2000):
    return struct.pack(">HHHH", port, to, 8 + len(payload), 0) + payload


def tcp(port=1000):
    return struct.pack(">HHIIHHHH", port, 80, 1, 1, 0x5010, 100, 0, 0) + bytes(20)


def pppoe(protocol, payload):
    return struct.pack(">HHHH", 0x1100, 1, 2 + len(payload), protocol) + payload


def mpls(labels, payload):
    return b"".join(struct.pack(">I", label << 12 | (i + 1 == len(labels)) << 8 | 64)
                    for i, label in enumerate(labels)) + payload


def gre(protocol, payload, flags=0, fields=b""):
    return struct.pack(">HH", flags, protocol) + fields + payload


def vxlan(frame):
    return udp(50000, bytes.fromhex("0800000000002a00") + frame, 4789)


def icmp6(kind):
    return struct.pack(">BBHI", kind, 0, 0, 0) + bytes(24)


C, S, OLD = 0x8100, 0x88A8, 0x9100
IP4, IP6, PPPOE, MPLS, TEB = 0x0800, 0x86DD, 0x8864, 0x8847, 0x6558
V4, V6 = "IPv4 UDP", "IPv6 UDP"

# (name, frame, tin, flow, reason it is counted by). The flow of an IP frame in VLANs is named by
# them as well; priority and DEI are no part of it.
KINDS = [
    ("IPv4", ethernet(IP4, ipv4(UDP, udp())), BEST_EFFORT, V4, None),
    ("IPv4, back", ethernet(IP4, ipv4(UDP, udp(2000, to=1000))), BEST_EFFORT, V4, None),
    ("IPv4, DSCP EF", ethernet(IP4, ipv4(UDP, udp(), EF)), VOICE, V4, None),
    ("IPv4 with options", ethernet(IP4, ipv4(UDP, udp(), options=bytes(40))), BEST_EFFORT, V4, None),
    ("IPv4, another port", ethernet(IP4, ipv4(UDP, udp(1001))), BEST_EFFORT, "IPv4 port", None),
    ("IPv6", ethernet(IP6, ipv6(UDP, udp(), CS1)), BULK, V6, None),
    ("IPv6, hop-by-hop, routing, destination",
     ethernet(IP6, ipv6(0, extension(43, extension(60, extension(UDP, udp()), 5)))),
     BEST_EFFORT, V6, None),
    ("IPv6, the same in another order",
     ethernet(IP6, ipv6(60, extension(0, extension(43, extension(UDP, udp(), 3))))),
     BEST_EFFORT, V6, None),

    ("VLAN 5", ethernet(IP4, ipv4(UDP, udp(), EF), [(C, 5)]), VOICE, "VLAN 5", None),
    ("VLAN 5, 0x9100", ethernet(IP4, ipv4(UDP, udp()), [(OLD, 5)]), BEST_EFFORT, "VLAN 5", None),
    ("VLAN 6 in 5", ethernet(IP6, ipv6(UDP, udp(), EF), [(S, 5), (C, 6)]), VOICE, "VLAN 5, 6", None),
    ("eight tags", ethernet(IP4, ipv4(UDP, udp(), EF), [(C, 1), (C, 2)] + 6 * [(C, 3)]), VOICE,
     "VLAN 1, 2", None),
    ("nine tags", ethernet(IP4, ipv4(UDP, udp(), EF), [(C, 1), (C, 2)] + 7 * [(C, 3)]),
     BEST_EFFORT, ONE_FLOW, "too-many-tags"),

    ("PPPoE, IPv4", ethernet(PPPOE, pppoe(0x21, ipv4(UDP, udp(), EF))), VOICE, V4, None),
    ("PPPoE, IPv6", ethernet(PPPOE, pppoe(0x57, ipv6(UDP, udp(), CS1))), BULK, V6, None),
    ("PPPoE in VLAN 5", ethernet(PPPOE, pppoe(0x21, ipv4(UDP, udp(), EF)), [(C, 5)]), VOICE,
     "VLAN 5", None),
    ("PPPoE, LCP", ethernet(PPPOE, pppoe(0xC021, bytes(40))), BEST_EFFORT, "PPPoE", None),
    ("PPPoE, multilink", ethernet(PPPOE, pppoe(0x3D, bytes(40))), BEST_EFFORT, ONE_FLOW,
     "unknown-ppp-protocol"),
    ("PPPoE discovery", ethernet(0x8863, bytes.fromhex("1109") + bytes(44)), BEST_EFFORT,
     "discovery", None),

    ("MPLS, IPv4", ethernet(MPLS, mpls([100], ipv4(UDP, udp(), EF))), VOICE, V4, None),
    ("MPLS, three labels, IPv6", ethernet(MPLS, mpls([1000, 100, 2], ipv6(UDP, udp(), CS1))), BULK,
     V6, None),
    ("MPLS, pseudowire", ethernet(MPLS, mpls([100], bytes(4) + ethernet(IP4, ipv4(UDP, udp(), EF)))),
     BEST_EFFORT, ONE_FLOW, "unknown-mpls-payload"),

    ("IPv4, first fragment", ethernet(IP4, ipv4(UDP, udp(), fragment=0x2000)), BEST_EFFORT,
     "fragments of IPv4", None),
    ("IPv4, last fragment", ethernet(IP4, ipv4(UDP, bytes(40), fragment=5)), BEST_EFFORT,
     "fragments of IPv4", None),
    ("IPv6, first fragment", ethernet(IP6, ipv6(44, fragment6(UDP, 0, 1, udp()))), BEST_EFFORT,
     "fragments of IPv6", None),
    ("IPv6, last fragment", ethernet(IP6, ipv6(0, extension(44, fragment6(UDP, 5, 0, bytes(40))))),
     BEST_EFFORT, "fragments of IPv6", None),

    ("6in4", ethernet(IP4, ipv4(41, ipv6(UDP, udp(), CS1), EF, 9)), VOICE, V6, None),
    ("4in6", ethernet(IP6, ipv6(4, ipv4(UDP, udp(), CS1), EF, 9)), VOICE, V4, None),
    ("IPIP", ethernet(IP4, ipv4(4, ipv4(UDP, udp(), EF), CS1, 9)), BULK, V4, None),
    ("GRE, IPv4", ethernet(IP4, ipv4(47, gre(IP4, ipv4(UDP, udp())), EF, 9)), VOICE, V4, None),
    ("GRE with all fields, IPv6",
     ethernet(IP4, ipv4(47, gre(IP6, ipv6(UDP, udp()), 0xB000, bytes(12)), host=9)), BEST_EFFORT,
     V6, None),
    ("GRE, Ethernet", ethernet(IP4, ipv4(47, gre(TEB, ethernet(IP4, ipv4(UDP, udp()))), host=9)),
     BEST_EFFORT, V4, None),
    ("VXLAN", ethernet(IP4, ipv4(UDP, vxlan(ethernet(IP4, ipv4(UDP, udp(), CS1))), EF, 9)), VOICE,
     V4, None),
    ("VXLAN, tagged inside",
     ethernet(IP6, ipv6(UDP, vxlan(ethernet(IP6, ipv6(UDP, udp()), [(C, 5)])), host=9)),
     BEST_EFFORT, V6, None),
    ("IPIP, damaged inside", ethernet(IP4, ipv4(4, ipv4(UDP, udp(), version=5), EF, 9)), VOICE,
     "IPIP", "bad-tunnel"),

    ("ARP", ethernet(0x0806, bytes(46)), VOICE, "ARP", None),
    ("neighbour solicitation", ethernet(IP6, ipv6(ICMP6, icmp6(135))), VOICE, "ICMPv6", None),
    ("router advertisement behind hop-by-hop",
     ethernet(IP6, ipv6(0, extension(ICMP6, icmp6(134)))), VOICE, "ICMPv6", None),
    ("echo request", ethernet(IP6, ipv6(ICMP6, icmp6(128))), BEST_EFFORT, "ICMPv6", None),
    ("LLDP", ethernet(0x88CC, bytes(46)), BEST_EFFORT, "LLDP", None),
    ("LACP", ethernet(0x8809, bytes(46)), BEST_EFFORT, "LACP", None),
    ("BPDU", ethernet(38, bytes.fromhex("424203") + bytes(43)), BEST_EFFORT, "LLC", None),
    ("IS-IS", ethernet(1000, bytes.fromhex("fefe03") + bytes(997)), BEST_EFFORT, "LLC", None),

    ("unknown ethertype", ethernet(0x88B5, bytes(46)), BEST_EFFORT, ONE_FLOW, "unknown-ethertype"),
    ("another, tagged", ethernet(0x1234, bytes(46), [(C, 5)]), BEST_EFFORT, ONE_FLOW,
     "unknown-ethertype"),
    ("IPX", ethernet(46, bytes.fromhex("e0e003") + bytes(43)), BEST_EFFORT, ONE_FLOW, "unknown-llc"),
    ("IPv4 with IHL 4", ethernet(IP4, ipv4(UDP, udp(), EF, words=4)), BEST_EFFORT, ONE_FLOW,
     "bad-ip-header-length"),
    ("IPv4 of version 6", ethernet(IP4, ipv4(UDP, udp(), EF, version=6)), BEST_EFFORT, ONE_FLOW,
     "bad-ip-version"),
    ("IPv4 cut in its header", ethernet(IP4, ipv4(UDP, udp(), EF))[:30], BEST_EFFORT, ONE_FLOW,
     "truncated-ip"),
    ("IPv4 cut behind its ports", ethernet(IP4, ipv4(UDP, udp(), EF))[:50], VOICE, V4,
     "truncated-ip"),
    ("IPv4 with padding for ports", ethernet(IP4, ipv4(UDP, b"", EF) + bytes(26)), VOICE,
     "fragments of IPv4", "truncated-transport"),
]


def replay(folder, gateau, records):
    """(report, rows of the table) of the gateau profile, unlimited."""
    write_capture(f"{folder}/in.pcap", records, 65535)
    with open(f"{folder}/s.json", "w", encoding="utf-8") as f:
        json.dump({"scheduler": {"diffserv": "diffserv3"}}, f)
    out = subprocess.run([gateau, "replay", "--config", f"{folder}/s.json", "--in",
                          f"{folder}/in.pcap", "--csv", f"{folder}/out.csv", "--json"], check=True,
                         stdout=subprocess.PIPE)
    with open(f"{folder}/out.csv", encoding="utf-8") as f:
        return json.loads(out.stdout), list(csv.DictReader(f))


def expect(what, wanted, got):
    if wanted != got:
        print(f"{what}: expected {wanted}, got {got}")
        FAILED.append(what)


def check_kinds(folder, gateau):
    records = [(i * 10**6, frame, len(frame)) for i, (_, frame, *_) in enumerate(KINDS)]
    report, rows = replay(folder, gateau, records)
    expect("frames sent", len(KINDS), sum(row["action"] == "sent" for row in rows))
    hashes, counts = {}, {}
    for (name, _, tin, flow, reason), row in zip(KINDS, rows):
        expect(f"{name}: tin", tin, int(row["tin"]))
        expect(f"{name}: flow", hashes.setdefault(flow, row["flow_hash"]), row["flow_hash"])
        if reason:
            counts[reason] = counts.get(reason, 0) + 1
    expect("different flows", len(hashes), len(set(hashes.values())))
    expect("counted", counts, {k: n for k, n in report["unclassified"].items() if n})


def check_cuts(folder, gateau):
    """Cut short on the wire and by a capture's snap length, at every byte."""
    cuts = [(frame[:n], wire) for _, frame, *_ in KINDS for n in range(14, len(frame))
            for wire in (n, len(frame))]
    records = [(i * 10**6, frame, wire) for i, (frame, wire) in enumerate(cuts)]
    report, rows = replay(folder, gateau, records)
    expect("cut frames received", len(cuts), report["received"])
    expect("cut frames sent", len(cuts), sum(row["action"] == "sent" for row in rows))
    unclassified = sum(report["unclassified"].values())
    if not len(cuts) / 2 < unclassified < len(cuts):
        print(f"{unclassified} of {len(cuts)} cut frames counted")
        FAILED.append("cut frames")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_kinds(folder, sys.argv[1])
        check_cuts(folder, sys.argv[1])
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
