#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random cases in the format of the golden ones: a seed makes options and a capture.

usage: random_cases.py SEED FOLDER     write FOLDER/cases/SEED.json and FOLDER/traces/SEED.pcap

What they cover:
  options    every key of a case, each at its edges (rates of 512 bit/s and 10 Gbit/s, an rtt of
             1 us, a memory limit of less than one packet) and in between, each also absent; up to
             8 queues
  marks      in and out of the mask and the range of tins; priorities with and without a major part
  frames     IPv4 with options, IPv6 with extension headers and flow labels, 6in4, fragments, up to
             three VLAN tags, ARP, other ethertypes; TCP, UDP and what has no ports; all values of
             DSCP and ECN; 14 to 65,549 bytes; super-packets
  traffic    one to hundreds of flows, of few hosts or many, from a third of the rate to 100 times
             it; steady, Poisson, bursts, all at once, on and off, in phases; flows that ping at the
             AQM's own times
  corners    that chance alone would hardly reach: times that are equal to the nanosecond, BLUE at
             its highest, a full memory limit that follows from rate and rtt, more flows or hosts
             than their 8 ways hold (SPECIAL below, one seed in three)

What they do not: several queues with autorate-ingress, which there is not; frames whose headers are
cut off, captures that go back in time, frames that a negative overhead makes smaller than nothing.
"""

import itertools
import json
import os
import random
import struct
import sys
from dataclasses import dataclass

import frames
from cake_model import DSCP_TINS, FLOW_MODES, M32

CAPTURED = 192  # of a frame; up to 186 of it are headers that are read
LONGEST_GAP = 200 * frames.NS_PER_S
RTT_DEFAULT_US = 100000

ISOLATING = ("dual-srchost", "dual-dsthost", "triple-isolate")


def maybe(r, probability, options, key, choose):
    """Leave an option at its default, or choose."""
    if r.random() < probability:
        options[key] = choose()


def log_uniform(r, low, high):
    return int(10 ** r.uniform(low, high))


# Options

def choose_bandwidth(r):
    """bit/s; 0 = unlimited"""
    return r.choices([
        0,
        r.choice([512, 1000, 2500, 5000, 10000, 64000, 128000, 500000, 10**10]),
        r.randrange(512, 10**6),
        log_uniform(r, 5.5, 10),
    ], [15, 15, 5, 65])[0]


def choose_rtt_us(r):
    if r.random() < 0.6:
        return r.choice([1, 5, 19, 20, 21, 39, 100, 1000, 5000, 10000, 30000, 50000, 300000,
                         10**6, 2 * 10**6])
    return log_uniform(r, 0, 6.3)


def choose_memlimit(r):
    return r.choice([1, 700, 2304, 5000, 20000, 65536, 200000, 10**6, 5 * 10**6, 32 << 20,
                     r.randrange(1, 10**6), 0])


def choose_fwmark(r):
    return r.choice([0xF, 0xF0, 0xFF, 0xFF0000, 0xF0000000, 1, 6, 1 << 31, M32,
                     r.randrange(1, 1 << 32), 0])


def choose_scheduler(r, rate):
    s = {}
    if rate:
        s["bandwidth"] = f"{rate}bit"
    else:
        maybe(r, 0.8, s, "bandwidth", lambda: "unlimited")
    maybe(r, 0.95, s, "diffserv", lambda: r.choice(list(DSCP_TINS)))
    maybe(r, 0.95, s, "flowmode", lambda: r.choice(list(FLOW_MODES)))
    maybe(r, 0.5, s, "rtt", lambda: f"{choose_rtt_us(r)}us")
    maybe(r, 0.4, s, "overhead", lambda: r.choice([-20, -14, -4, 0, 4, 8, 18, 22, 38, 44, 256,
                                                   r.randrange(-20, 257)]))
    maybe(r, 0.3, s, "mpu", lambda: r.choice([0, 64, 84, 200, 256, r.randrange(257)]))
    maybe(r, 0.3, s, "atm", lambda: r.choice(["atm", "ptm"]))
    maybe(r, 0.25, s, "wash", lambda: r.random() < 0.8)
    maybe(r, 0.35, s, "ingress", lambda: r.random() < 0.8)
    maybe(r, 0.4, s, "split_gso", lambda: r.random() < 0.5)
    maybe(r, 0.4, s, "memlimit", lambda: choose_memlimit(r))
    maybe(r, 0.25, s, "fwmark", lambda: choose_fwmark(r))
    maybe(r, 0.1, s, "autorate-ingress", lambda: False)
    maybe(r, 0.1, s, "ack-filter", lambda: "off")
    return s


def choose_acks_and_rates(r, s):
    maybe(r, 0.4, s, "ack-filter", lambda: r.choice(["off", "on", "aggressive"]))
    maybe(r, 0.1, s, "autorate-ingress", lambda: True)


def choose_surroundings(r, rate):
    s = {}
    if r.random() < (0.25 if rate else 0.92):
        link = (rate or log_uniform(r, 5, 9.5)) * r.choice([0.3, 0.9, 1, 1.1, 2, 10])
        s["link_rate"] = r.choice([max(1000, int(link))] * 19 + [10**11])
    maybe(r, 0.3, s, "gso_size",
          lambda: r.choice([1448, 1448, 1400, 536, 1000, 9000, 100, r.randrange(300, 9000)]))
    maybe(r, 0.1, s, "queues", lambda: 1)
    return s


def choose_queues(r, case):
    if not case["scheduler"].get("autorate-ingress"):
        maybe(r, 0.4, case["replay"], "queues", lambda: r.randrange(2, 9))


def choose_random(r):
    if r.random() < 0.75:
        return {"kind": "xorshift32", "seed": r.randrange(1, 1 << 32)}
    return {"kind": "constant",
            "u32": r.choice([0, 1 << 24, 1 << 28, 1 << 31, M32, r.randrange(1 << 32)]),
            "u16": r.choice([0, 32768, 65535, r.randrange(65536)])}


def choose_marks(r, mask, count):
    shift = (mask & -mask).bit_length() - 1 if mask else 0
    marks = []
    for index in range(count):
        mark = r.choice([r.randrange(12) << shift & M32, r.randrange(1 << 32), 0])
        priority = r.choice([0, 0, r.randrange(10), 1 << 16 | r.randrange(12),
                             0x80010000 | r.randrange(12)])
        if r.random() < 0.8:
            marks.append([index, mark, priority])
    return marks


# Frames

def addresses_v4(r, count):
    return [struct.pack(">I", r.choice([0x0A000000, 0xC0A80000]) + r.randrange(1 << 16))
            for _ in range(count)]


def addresses_v6(r, count):
    near = bytes.fromhex("20010db8") + bytes(11)
    return [near + r.randbytes(1) if r.random() < 0.7 else r.randbytes(16) for _ in range(count)]


def crowding_addresses(r, count, entries):
    """IPv4 addresses whose untagged hosts all belong into the first few entries of a table."""
    found = set()
    while len(found) < count:
        address = struct.pack(">I", 0x0A000000 + r.randrange(1 << 24))
        if frames.hash_key(frames.IPV4, bytes(2), bytes(4), address) % 1024 < entries:
            found.add(address)
    return sorted(found)


class Population:
    """What the flows of a case have in common."""

    def __init__(self, r):
        self.flows = r.choice([1, 2, 3, 8, 20, 50, 200, 600])
        self.slots = 1024  # of a flow table, that they have at most
        self.kinds = r.choice([(1, 0, 0, 0, 0), (1, 1, .3, .05, .05), (0, 1, 0, 0, 0),
                               (.2, .2, 1, 0, 0), (1, 1, 1, 1, 1)])
        self.tagged = r.choice([0, 0, 0.3, 1])
        self.dscps = r.choice([[0], range(64), [0, 8, 46, 48],
                               [0, 1, 8, 18, 26, 32, 34, 40, 46, 48, 56]])
        self.ecns = r.choice([[0], [0, 1, 2, 3], [2], [1], [0, 2]])
        self.fragments = r.choice([0, 0, 0.2])
        self.labels = r.choice([0, 0, 0.3, 1])
        self.extensions = r.choice([0, 0, 0.3])
        self.v4 = [addresses_v4(r, r.choice([1, 2, 5, 20, 200, 2000])) for _ in range(2)]
        self.v6 = [addresses_v6(r, r.choice([1, 2, 5, 20, 200])) for _ in range(2)]

    def crowd_flows(self, r):
        """Many flows for few slots."""
        self.kinds, self.fragments = (1, 1, 0, 0, 0), 0
        self.slots, self.flows = r.choice([(8, 20), (16, 40), (64, 150)])

    def crowd_hosts(self, r):
        """Many hosts for few entries, and so many flows that all have some."""
        self.flows = r.choice([100, 200])
        self.kinds, self.tagged, self.dscps = (1, 0, 0, 0, 0), 0, [0]
        entries = r.choice([8, 8, 16])
        self.v4 = [crowding_addresses(r, r.choice([9, 20, 60]), entries) for _ in range(2)]


class Flow:
    """A sender: its frames differ in length, and now and then in DSCP and ECN."""

    def __init__(self, r, population):
        self.kind = r.choices(["v4", "v6", "6in4", "arp", "other"], population.kinds)[0]
        self.tags = b""
        if r.random() < population.tagged:
            for _ in range(r.choice([1, 1, 1, 2, 2, 3])):
                tci = r.choice([0, 1, 100, 4095, 0xE064, r.randrange(1 << 16)])
                self.tags += struct.pack(">HH", r.choice(frames.VLAN_TAGS), tci)
        self.tos = r.choice(population.dscps) << 2 | r.choice(population.ecns)
        self.inner_tos = r.randrange(256)
        self.ports = r.randrange(1 << 16), r.choice([80, 443, r.randrange(1 << 16)])
        self.proto = r.choice([frames.TCP] * 10 + [frames.UDP] * 10 + [1, 47, 50, 58, 132])
        self.tcp_words = 5 + r.choice([0, 0, 3, 10])
        self.v4 = [r.choice(side) for side in population.v4]
        self.v4_words = 5 + r.choice([0, 0, 0, 0, 1, 10])
        self.v4_fragment = r.choice([0, 0x4000])
        if r.random() < population.fragments:
            self.v4_fragment = r.choice([0x2000, 1, 0x2005, 0x1FFF, 0x8000])
        self.v6 = [r.choice(side) for side in population.v6]
        self.label = r.randrange(1, 1 << 20) if r.random() < population.labels else 0
        self.extensions = []  # (number, body behind the next header's number)
        if r.random() < population.extensions:
            for _ in range(r.choice([1, 1, 2])):
                words = r.choice([0, 0, 1])
                self.extensions.append((r.choice(frames.SKIPPED_EXTENSIONS),
                                        bytes([words]) + bytes(6 + 8 * words)))
        if r.random() < population.fragments:
            offset = r.choice([0, 1, 8, 9, 0xFFF8])
            self.extensions.append((frames.FRAGMENT, struct.pack(">BHI", 0, offset, 7)))
        self.segment = None  # TCP header in place of the plain one, see acknowledge()
        self.payload = 0
        self.ack = r.randrange(1 << 32)
        self.ethertype = r.choice([0x8847, 0x88CC, 0x8863, 0x8864, 0x9100, 0x0700, 100])

    def acknowledge(self, r):
        """Be an acknowledgement from now on, mostly one that a filter may drop."""
        self.ack = self.ack + r.choice([0, 0, 1, 1448, 2896, -1448]) & M32
        flags = r.choice([0x10] * 20 + [0x50] * 3 + [0x90, 0xD0, 0x11, 0x18, 0x12, 0x14, 0x110])
        options = b""
        if r.random() < 0.3:
            stamp = (self.ack >> 10) + r.choice([0, 0, 0, 1]) & M32
            options += b"\1\1" + struct.pack(">BBII", 8, 10, stamp, stamp)
        if r.random() < 0.3:
            blocks = r.choice([1, 1, 2, 3])
            options += b"\1\1" + bytes([5, 2 + 8 * blocks])
            for i in range(blocks):
                start = self.ack + r.choice([1448, 2896, 2896, -1448]) + 10000 * i
                options += struct.pack(">II", start & M32,
                                       start + r.choice([1448, 2896]) & M32)
        options += r.choice([b""] * 20 + [b"\x08\1\0\0", b"\xc8\4\0\0", b"\x05\x14\0\0"])
        options = options[:40]  # the longest header has
        self.payload = r.choice([0] * 12 + [1, 100])
        self.segment = struct.pack(">HHIIHHHH", *self.ports, 1, self.ack,
                                   (5 + len(options) // 4) << 12 | flags, 100, 0, 0) + options

    def total(self, rest):
        """An IP length; frames that are no acknowledgements do without."""
        return len(rest) + self.payload if self.segment else 0

    def transport(self):
        if self.segment:
            return self.segment
        if self.proto == frames.TCP:
            return struct.pack(">HHIIHHHH", *self.ports, 1, 1, self.tcp_words << 12 | 0x10, 100, 0,
                               0) + bytes(4 * (self.tcp_words - 5))
        if self.proto == frames.UDP:
            return struct.pack(">HHHH", *self.ports, 8, 0)
        return bytes(range(16))

    def ipv6(self, tos):
        numbers = [number for number, _ in self.extensions] + [self.proto]
        chain = b"".join(bytes([following]) + body
                         for following, (_, body) in zip(numbers[1:], self.extensions))
        rest = chain + self.transport()
        return struct.pack(">IHBB", 6 << 28 | tos << 20 | self.label, self.total(rest), numbers[0],
                           64) + self.v6[0] + self.v6[1] + rest

    def ipv4(self, tos, proto, payload):
        rest = bytes(4 * (self.v4_words - 5)) + payload
        total = self.total(bytes(20) + rest)
        return struct.pack(">BBHHHBBH", 4 << 4 | self.v4_words, tos, total, 1, self.v4_fragment,
                           64, proto, 0) + self.v4[0] + self.v4[1] + rest

    def headers(self, tos):
        """A frame without its payload."""
        if self.kind == "v4":
            ethertype, payload = frames.IPV4, self.ipv4(tos, self.proto, self.transport())
        elif self.kind == "v6":
            ethertype, payload = frames.IPV6, self.ipv6(tos)
        elif self.kind == "6in4":
            ethertype, payload = frames.IPV4, self.ipv4(tos, frames.IPV6_IN_IPV4,
                                                        self.ipv6(self.inner_tos))
        elif self.kind == "arp":
            ethertype, payload = frames.ARP, bytes(28)
        else:
            ethertype, payload = self.ethertype, bytes(range(self.ports[0] % 47))
        return bytes.fromhex("020000000001020000000002") + self.tags + \
            struct.pack(">H", ethertype) + payload

    def is_tcp(self):
        return self.kind in ("v4", "v6", "6in4") and self.proto == frames.TCP


def choose_flows(r, population):
    """The flows. If a narrow population does not have enough for few slots, any will do."""
    flows = []
    attempts = 0
    while len(flows) < population.flows:
        flow = Flow(r, population)
        attempts += 1
        if population.slots < 1024 and attempts < 20 * 1024:
            data = flow.headers(0)
            if frames.parse(data, 0, 0, len(data)).flow_hash % 1024 >= population.slots:
                continue
        flows.append(flow)
    return flows


# Traffic: [(time in ns from the start, flow, length)]

SIZES = ((1514,), (60,), (60, 1514), (60, 590, 1514), (60, 128, 300, 1514, 1518), (1514, 9014),
         (60, 61, 62, 63, 64, 65, 200, 700, 1500, 1514, 4000, 9000, 20000, 65535),
         (14, 42, 54, 60, 1514))


@dataclass
class Plan:
    """What the traffic of a case is to be like."""

    law: str
    load: float
    sizes: tuple
    count: int
    rate: int      # bit/s of the bottleneck
    interval: int  # ns, of the AQM


def one_process(r, flows, plan):
    """All flows take turns at random, some more often than others; one law says when."""
    weights = list(itertools.accumulate(r.expovariate(1) + 0.01 for _ in flows))
    load = plan.load
    # The control law's intervals are a ns short. One such gap puts all that follow out of step.
    waits = r.choice([(plan.interval, plan.interval / 20), (plan.interval, plan.interval - 1)])
    waiting = False
    time = 0
    for i in range(plan.count):
        length = r.choice(plan.sizes)
        yield time, r.choices(flows, cum_weights=weights)[0], length
        gap = length * 8e9 / plan.rate / load
        if plan.law == "poisson":
            gap = r.expovariate(1 / gap)
        elif plan.law == "bursts":
            gap = gap * 32 if r.random() < 1 / 32 else 0
        elif plan.law == "on and off" and r.random() < 1 / 200:
            gap += r.choice([0.3, 1, 10, 100, 1000]) * plan.interval
        elif plan.law == "at once":
            gap = 0 if r.random() < 0.9 else round(gap * 10, -6)
        elif plan.law == "phases":
            if i % 150 == 0:
                load = r.choice([0.2, 0.9, 1, 3, 30])
            gap = r.choice([gap, r.expovariate(1 / gap)])
            if r.random() < 1 / 400:
                gap += r.uniform(0, 3) * plan.interval
        elif plan.law == "in step":
            waiting = r.random() < (1 / 2 if waiting else 1 / 30)
            gap = r.choice(waits) if waiting else gap * r.choice([0, 0, 0, 0, 1, 1, 1, 2, 3])
        time += int(min(gap, LONGEST_GAP))


def one_flow(r, law, length, share, interval, span):
    """Times and lengths of one flow with a law of its own."""
    time = r.uniform(0, span if law == "late" else span / 10)
    period = length * 8e9 / share
    while time < span:
        if law in ("steady", "late"):
            yield time, length
            time += period * r.uniform(0.5, 1.5)
        elif law == "bursts":
            packets = r.randrange(2, 40)
            for i in range(packets):
                yield time + i * r.choice([0, 1, 1000]), length
            time += period * packets * r.uniform(0.3, 3)
        elif law == "pairs":
            yield time, length
            yield time, 60
            time += r.choice([1 / 20, 1 / 5, 1, 2, 5]) * interval
        else:  # pings, at the AQM's own times
            yield time, r.choice([60, 100])
            time += r.choice([1 / 40, 1 / 19, 1 / 10, 1, 1.01, 3]) * interval


def many_processes(r, flows, plan):
    """Every flow has its own law and share."""
    load = r.choice([0.5, 0.9, 1.1, 2, 6])
    span = plan.count * 600 * 8e9 / plan.rate / load
    arrivals = []
    for flow in flows:
        law = r.choice(["steady", "late", "bursts", "pairs", "pings"])
        share = plan.rate * load / len(flows) * r.choice([0.05, 0.3, 1, 2, 5])
        own = one_flow(r, law, r.choice(plan.sizes), share, plan.interval, span)
        arrivals += [(int(time), flow, length)
                     for time, length in itertools.islice(own, plan.count)]
    arrivals.sort(key=lambda arrival: arrival[0])
    return arrivals[:plan.count]


def super_length(r, gso_size, headers):
    """A TCP frame of up to 64 KiB, about half of them around a whole number of segments."""
    whole = gso_size * r.randrange(1, max(2, 60000 // gso_size)) + r.randrange(200)
    return min(65549, headers + r.choice([whole, gso_size, gso_size + 1, r.randrange(1000, 65000)]))


def make_frames(r, arrivals, gso_size, acks):
    """The records of the capture. Stops when super-packets have made it long enough."""
    changes_tos = r.choice([0, 0, 0, 0.1])
    start = 1_600_000_000 * frames.NS_PER_S + r.randrange(frames.NS_PER_S)
    segments = 0
    records = []
    for time, flow, length in arrivals:
        tos = r.randrange(256) if r.random() < changes_tos else flow.tos
        if acks and flow.is_tcp():
            flow.acknowledge(acks)
        data = flow.headers(tos)
        if acks and flow.is_tcp():
            length = max(60, len(data) + flow.payload)
        elif gso_size and flow.is_tcp() and r.random() < 0.4:
            length = super_length(r, gso_size, len(data))
            segments += length // gso_size
            if segments > 4000:
                break
        length = max(length, len(data))
        captured = data[:CAPTURED].ljust(min(length, CAPTURED), b"\0")
        records.append((start + time, captured, length))
    return records


# Corners: options and traffic made for each other

def in_step(r, case, plan, population):
    """A frame lasts a whole number of ns, the AQM's times are multiples of that, and so are the
    gaps between arrivals: sojourn times, timers and the tins' schedules are often equal."""
    frame_us = r.choice([1, 2, 10, 100, 1000])  # of 1000 bytes
    plan.rate = 8 * 10**9 // frame_us
    plan.interval = 20 * frame_us * r.choice([1, 2, 5]) * 1000
    plan.law, plan.load = "in step", r.choice([0.25, 0.5, 1, 1, 2, 4])
    plan.sizes, plan.count = (r.choice([1000, 1514]),), 2000
    population.flows = r.choice([2, 3, 8, 20])
    if r.random() < 0.5:
        population.crowd_flows(r)  # that a slot is kept a ns too long shows when another wants it
    scheduler = case["scheduler"]
    for key in ("overhead", "mpu", "atm", "memlimit"):
        scheduler.pop(key, None)
    maybe(r, 0.5, scheduler, "memlimit", lambda: r.choice([5000, 20000, 100000]))
    scheduler["rtt"] = f"{plan.interval // 1000}us"
    if r.random() < 0.5:
        scheduler["bandwidth"] = "unlimited"
        case["replay"] = {"link_rate": plan.rate}
    else:
        scheduler["bandwidth"] = f"{plan.rate}bit"
        scheduler["diffserv"] = r.choice(["diffserv3", "diffserv4"])  # rates divided by powers of 2
        case["replay"] = {}


def flooded(r, case, plan, _):
    """A short queue in front of a slow link, a short target: BLUE climbs to its highest."""
    plan.rate, plan.interval = 10**6, 20000
    plan.sizes, plan.law, plan.load, plan.count = (1514,), "phases", 100, 2000
    case["scheduler"].update({"rtt": "20us", "bandwidth": "unlimited",
                              "memlimit": r.choice([5000, 20000])})
    case["replay"] = {"link_rate": plan.rate}


def wide(r, case, plan, _):
    """The default limit from 4 MiB to its cap, at some rates after Linux has cut off its high bits;
    giant frames that are not cut fill it at once."""
    limit = r.choice([4 << 20, 6 * 10**6, 10**7, 15 * 10**6, 40 * 10**6]) + \
        r.choice([0, 1, 2]) * (1 << 32)
    plan.rate, plan.interval = limit, 2 * 10**9  # 4 x 2 s at so many bit/s are so many bytes
    plan.sizes, plan.law, plan.load, plan.count = (20000, 65535), "at once", 100, 500
    case["scheduler"].update({"rtt": "2000000us", "bandwidth": f"{plan.rate}bit"})
    case["scheduler"].pop("memlimit", None)
    case["replay"] = {}


def crowded(r, case, plan):
    """Most flows have packets queued."""
    case["scheduler"]["flowmode"] = r.choice(ISOLATING)
    case["scheduler"].pop("memlimit", None)
    plan.sizes, plan.count, plan.load = (60, 1514), 2000, r.choice([1.2, 5])


def crowded_slots(r, case, plan, population):
    crowded(r, case, plan)
    population.crowd_flows(r)


def crowded_hosts(r, case, plan, population):
    crowded(r, case, plan)
    population.crowd_hosts(r)


SPECIAL = (in_step, crowded_slots, flooded, in_step, crowded_hosts, wide)


def make_case(seed):
    """(case without the names of its files, records of its capture)"""
    r = random.Random(seed)
    rate = choose_bandwidth(r)
    case = {"scheduler": choose_scheduler(r, rate), "replay": choose_surroundings(r, rate),
            "random": choose_random(r)}
    plan = Plan(
        law=r.choice(["poisson", "steady", "bursts", "on and off", "at once", "phases"]),
        load=r.choice([0.3, 0.8, 1, 1.2, 2, 5, 20, 100]),
        sizes=r.choice(SIZES),
        count=r.choice([100, 500, 1000, 2000]),
        rate=min(rate or 10**11, case["replay"].get("link_rate", 0) or 10**11),
        interval=int(case["scheduler"].get("rtt", f"{RTT_DEFAULT_US}us")[:-2]) * 1000)
    traffic = r.choice([one_process, one_process, many_processes])
    population = Population(r)
    if seed % 3 == 0:
        SPECIAL[seed // 3 % len(SPECIAL)](r, case, plan, population)
        traffic = one_process
    arrivals = traffic(r, choose_flows(r, population), plan)
    acks = random.Random(f"acks {seed}")  # of its own: the other draws stay as they are
    choose_acks_and_rates(acks, case["scheduler"])
    choose_queues(random.Random(f"queues {seed}"), case)
    records = make_frames(r, arrivals, case["replay"].get("gso_size", 0),
                          acks if acks.random() < 0.3 else None)
    if "fwmark" in case["scheduler"] or r.random() < 0.1:
        case["marks"] = choose_marks(r, case["scheduler"].get("fwmark", 0), len(records))
    return case, records


def write_case(seed, folder):
    """Write both files; returns the path of the case."""
    case, records = make_case(seed)
    case["trace"] = f"traces/{seed}.pcap"
    for part in ("cases", "traces"):
        os.makedirs(os.path.join(folder, part), exist_ok=True)
    frames.write_capture(os.path.join(folder, case["trace"]), records, CAPTURED)
    path = os.path.join(folder, "cases", f"{seed}.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(case, f)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(write_case(int(sys.argv[1]), sys.argv[2]))
