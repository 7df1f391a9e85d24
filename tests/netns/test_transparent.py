#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A bump in the wire passes everything: ARP, neighbour discovery, full-size and tiny frames, VLAN
tags, multicast and protocols that it does not know, unchanged.
"""

import struct
import time
import unittest

import netns
from lab import B_HOST, B_HOST6, Lab
from load import Ping

TP_STATUS_VLAN_VALID = 1 << 4
VLAN = 0x8100
UNKNOWN = 0x88B5  # IEEE 802: for local experiments
TO_SOMEONE = bytes.fromhex("020000000001")
TO_A_GROUP = bytes.fromhex("01005e000001")
FROM_A = bytes.fromhex("0200000000aa")
ANSWER_S = 10

# (name, frame as it goes into the wire); 60 bytes is the least Ethernet frame, 1514 the longest
# without a tag, 1518 with one.
FRAMES = [
    ("unknown_protocol", TO_SOMEONE + FROM_A + struct.pack("!H", UNKNOWN) + bytes(range(46))),
    ("multicast", TO_A_GROUP + FROM_A + struct.pack("!H", UNKNOWN) + bytes(46)),
    ("broadcast", b"\xff" * 6 + FROM_A + struct.pack("!H", UNKNOWN) + bytes(46)),
    ("full_size", TO_SOMEONE + FROM_A + struct.pack("!H", UNKNOWN) + bytes(1500)),
    ("vlan_tag", TO_SOMEONE + FROM_A + struct.pack("!HHH", VLAN, 0xA007, UNKNOWN) + bytes(46)),
    ("priority_tag", TO_SOMEONE + FROM_A + struct.pack("!HHH", VLAN, 0xE000, UNKNOWN) + bytes(46)),
    ("two_tags", TO_SOMEONE + FROM_A
     + struct.pack("!HHHHH", VLAN, 7, VLAN, 8, UNKNOWN) + bytes(46)),
    ("vlan_tag_full_size", TO_SOMEONE + FROM_A
     + struct.pack("!HHH", VLAN, 7, UNKNOWN) + bytes(1500)),
]  # fmt: skip


def receive(raw):
    """The next frame with the tag that the kernel had taken off put back."""
    frame, control, _, _ = raw.recvmsg(4096, 256)
    for _, _, data in control:
        # struct tpacket_auxdata: status, len, snaplen, mac, net, vlan_tci, vlan_tpid
        status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", data[:20])
        if status & TP_STATUS_VLAN_VALID:
            frame = frame[:12] + struct.pack("!HH", tpid, tci) + frame[12:]
    return frame


def arrives(raw, frame):
    """Whether this very frame comes out within some seconds; others in between do not matter."""
    end = time.monotonic() + ANSWER_S
    while time.monotonic() < end:
        raw.settimeout(max(0.01, end - time.monotonic()))
        try:
            if receive(raw) == frame:
                return True
        except TimeoutError:
            break
    return False


class Transparent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab())
        cls.gateaud = cls.lab.gateaud({"bandwidth": "100mbit", "diffserv": "diffserv4"})

    def ping(self, to, **how):
        ping = Ping(self.lab, to, interval=0.1, **how)
        time.sleep(2)
        self.assertLess(ping.finish().lost, 10)

    def test_arp_and_ipv4_pass(self):
        self.ping(B_HOST)

    def test_neighbour_discovery_and_ipv6_pass(self):
        self.ping(B_HOST6)

    def test_ipv4_of_full_size_passes(self):
        self.ping(B_HOST, size=1472)  # 1500 - 20 bytes of IPv4 - 8 of ICMP

    def test_ipv6_in_fragments_passes(self):
        # Not IPv4: the kernel puts IPv4 fragments together for net_af_packet (it asks for
        # PACKET_FANOUT_FLAG_DEFRAG), and what comes out is no frame any more.
        self.ping(B_HOST6, size=4000)

    def test_frames_pass_unchanged_in_both_directions(self):
        for source, target in (("a", "b"), ("b", "a")):
            with self.lab.packet_socket(source) as sender, \
                    self.lab.packet_socket(target) as receiver:  # fmt: skip
                for name, frame in FRAMES:
                    with self.subTest(name, to=target):
                        sender.send(frame)
                        self.assertTrue(arrives(receiver, frame))

    @classmethod
    def tearDownClass(cls):
        code, summary = cls.gateaud.stop()
        netns.assert_balanced(unittest.TestCase(), code, summary)


if __name__ == "__main__":
    netns.main()
