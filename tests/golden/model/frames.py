# SPDX-License-Identifier: BSD-3-Clause
"""Captured frames and what a scheduler needs to know of them: lengths, DSCP, ECN, identities.

Part of the reference model (see cake_model.py), written apart from src/packet on purpose. The
hashes are the golden cases', in place of the kernel's keyed ones. Frames are expected to hold their
headers whole; what becomes of damaged ones is the unit tests' business.
"""

import gzip
import struct
from dataclasses import dataclass

M32 = 0xFFFFFFFF
NS_PER_S = 10**9

NANOSECOND_PCAP = 0xA1B23C4D
VLAN_TAGS = (0x8100, 0x88A8)
IPV4, IPV6, ARP = 0x0800, 0x86DD, 0x0806
TCP, UDP, IPV6_IN_IPV4, FRAGMENT = 6, 17, 41, 44
SKIPPED_EXTENSIONS = (0, 43, 60)  # hop-by-hop, routing, destination options
DSCP_OF_ARP = 56

CAPTURE_HEADER = struct.Struct("<IHHiIII")
RECORD_HEADER = struct.Struct("<IIII")


@dataclass
class Packet:
    """One frame: `length` is its length on the wire; the capture may hold less of it."""

    index: int
    arrival: int
    length: int
    network_offset: int
    dscp: int           # chooses the tin
    dscp_left: int      # as it leaves: washed, or -1 where there is no IP header
    ecn: int            # -1 where there is no IP header
    headers: int        # up to the TCP payload; 0 if the frame is no TCP
    flow_hash: int
    src_hash: int       # 0 where there are no addresses
    dst_hash: int
    mark: int = 0
    priority: int = 0
    gso_size: int = 0   # payload of a segment if this is a super-packet
    tcp: object = None  # a Tcp, if an ACK filter would look at it

    def segments(self):
        """Lengths of the frames that a super-packet is cut into: all repeat its headers."""
        payload = self.length - self.headers
        count = -(-payload // self.gso_size)
        last = payload - (count - 1) * self.gso_size
        return [self.headers + self.gso_size] * (count - 1) + [self.headers + last]


@dataclass
class Tcp:
    """What an ACK filter compares."""

    connection: tuple
    ack: int
    ecn: int            # ECE and CWR
    supersedes: bool    # ACK without SYN
    pure: bool          # but for what depends on the packet it is compared with
    sacks: list         # (start, end)
    timestamp: tuple    # (value, echo) or None


def read_capture(path):
    """[(time in ns, bytes captured, length on the wire)] of a pcap file, gzipped or not."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if CAPTURE_HEADER.unpack_from(data)[0] != NANOSECOND_PCAP:
        raise ValueError(f"{path}: no little-endian pcap with nanoseconds")
    records = []
    at = CAPTURE_HEADER.size
    while at < len(data):
        seconds, ns, captured, length = RECORD_HEADER.unpack_from(data, at)
        at += RECORD_HEADER.size
        records.append((seconds * NS_PER_S + ns, data[at:at + captured], length))
        at += captured
    return records


def write_capture(path, records, captured):
    """The reverse of read_capture(), not gzipped; `captured` is the most bytes of a frame."""
    with open(path, "wb") as f:
        f.write(CAPTURE_HEADER.pack(NANOSECOND_PCAP, 2, 4, 0, 0, captured, 1))
        for time, data, length in records:
            f.write(RECORD_HEADER.pack(time // NS_PER_S, time % NS_PER_S, len(data), length))
            f.write(data)


def hash32(data):
    """FNV-1a, then murmur3's last mixing step; 0 is kept for "no identity"."""
    h = 0x811C9DC5
    for byte in data:
        h = (h ^ byte) * 0x01000193 & M32
    h ^= h >> 16
    h = h * 0x85EBCA6B & M32
    h ^= h >> 13
    h = h * 0xC2B2AE35 & M32
    h ^= h >> 16
    return h or 1


def hash_key(ethertype, tci, src, dst, proto=0, label=0, ports=(0, 0)):
    """Hash of a flow, or of a host if one address is zeros and there is nothing but addresses.

    Addresses and ports are sorted, each by themselves, so both directions are one flow.
    """
    return hash32(ethertype.to_bytes(2, "big") + bytes([proto]) + label.to_bytes(4, "big") + tci +
                  bytes(4) + struct.pack(">HH", *sorted(ports)) + b"".join(sorted((src, dst))))


def be16(data, at):
    return int.from_bytes(data[at:at + 2], "big")


def read_ethernet(data):
    """(ethertype behind all tags, control field of the outer tag, offset of what follows)"""
    ethertype, at, tci = be16(data, 12), 14, None
    while ethertype in VLAN_TAGS:
        if tci is None:
            tci = data[at:at + 2]
        ethertype = be16(data, at + 2)
        at += 4
    return ethertype, tci or bytes(2), at


def skip_extensions(data, proto, at):
    """(protocol, its offset, whether this is a fragment) behind an IPv6 header's extensions."""
    while proto in SKIPPED_EXTENSIONS:
        proto, words = data[at], data[at + 1]
        at += (words + 1) * 8
    if proto == FRAGMENT:
        return data[at], at + 8, True
    return proto, at, False


def options_of(data):
    """[(kind, body)] of TCP options; one that cannot be right ends them."""
    options = []
    while data and data[0] != 0:
        if data[0] == 1:
            data = data[1:]
            continue
        if len(data) < 2 or not 2 <= data[1] <= len(data):
            break
        options.append((data[0], data[2:data[1]]))
        data = data[data[1]:]
    return options


def read_tcp(data, ethertype, at):
    """The Tcp directly behind an IP header, or in 6in4; None if there is none."""
    proto, words, total = None, 0, 0
    if ethertype == IPV4 and data[at] >> 4 == 4:
        proto, words = data[at + 9], (data[at] & 15) * 4
        ends, total = data[at + 12:at + 20], be16(data, at + 2) - words
    if ethertype == IPV6 or proto == IPV6_IN_IPV4:
        at += words
        if data[at] >> 4 != 6:
            return None
        proto, words = data[at + 6], 40
        ends, total = data[at + 8:at + 40], be16(data, at + 4)
    if proto != TCP:
        return None
    at += words
    header = (data[at + 12] >> 4) * 4
    if header < 20 or at + header > len(data):
        return None
    options = options_of(data[at + 20:at + header])
    sacks = next((body for kind, body in options if kind == 5), b"")
    stamps = [body for kind, body in options if kind == 8]
    flags = be16(data, at + 12) & 0xFFF
    pure = flags & ~0xC0 == 0x10 and total == header and len(stamps) <= 1 and all(
        kind == 19 or kind == 5 and len(body) % 8 == 0 or kind == 8 and len(body) == 8
        for kind, body in options)
    return Tcp(
        connection=(len(ends), ends, data[at:at + 4]),
        ack=int.from_bytes(data[at + 8:at + 12], "big"), ecn=flags & 0xC0,
        supersedes=flags & 0x12 == 0x10, pure=pure,
        sacks=[struct.unpack_from(">II", sacks, i) for i in range(0, len(sacks) - 7, 8)],
        timestamp=struct.unpack(">II", stamps[0]) if stamps and len(stamps[0]) == 8 else None)


def parse(data, index, arrival, length):
    """The Packet of a frame. Of 6in4 the outer header gives DSCP and ECN, the inner the flow."""
    outer, tci, at = read_ethernet(data)
    ethertype, network_offset = outer, at
    proto = label = 0
    src = dst = b""
    fragment = False

    if ethertype == IPV4:
        tos, proto = data[at + 1], data[at + 9]
        src, dst = data[at + 12:at + 16], data[at + 16:at + 20]
        fragment = be16(data, at + 6) & 0x3FFF != 0  # more fragments, or an offset
        at += (data[at] & 15) * 4
        if proto == IPV6_IN_IPV4 and not fragment:
            ethertype = IPV6
    elif ethertype == IPV6:
        tos = be16(data, at) >> 4 & 0xFF
    if ethertype == IPV6:
        label = int.from_bytes(data[at:at + 4], "big") & 0xFFFFF
        src, dst = data[at + 8:at + 24], data[at + 24:at + 40]
        proto, at, fragment = skip_extensions(data, data[at + 6], at + 40)

    ports, headers = (0, 0), 0
    if src and not fragment and proto in (TCP, UDP):
        if not label:  # a flow label stands in for the ports
            ports = be16(data, at), be16(data, at + 2)
        if proto == TCP:
            headers = at + (data[at + 12] >> 4) * 4

    is_ip = outer in (IPV4, IPV6)
    dscp = tos >> 2 if is_ip else DSCP_OF_ARP if outer == ARP else 0
    zeros = bytes(len(src))
    return Packet(
        index=index, arrival=arrival, length=length, network_offset=network_offset, dscp=dscp,
        dscp_left=dscp if is_ip else -1, ecn=tos & 3 if is_ip else -1, headers=headers,
        flow_hash=hash_key(ethertype, tci, src, dst, proto, label, ports),
        tcp=read_tcp(data, outer, network_offset) if is_ip else None,
        src_hash=hash_key(ethertype, tci, src, zeros) if src else 0,
        dst_hash=hash_key(ethertype, tci, zeros, dst) if src else 0)
