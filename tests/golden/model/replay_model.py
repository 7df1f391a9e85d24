# SPDX-License-Identifier: BSD-3-Clause
"""A golden case through the model of CAKE: virtual time, its events, the rows of the table.

Part of the reference model (see cake_model.py). The rules are those of tests/golden/README.md.
"""

import json
import os

import frames
from cake_model import M32, NEVER, Cake, Options, Unsupported

NS_PER_S = 10**9
START = 1000 * NS_PER_S  # the scheduler's clock when the first packet arrives

COLUMNS = ("order", "idx", "seg", "queue", "arrival_ns", "action", "time_ns", "tin", "flow",
           "flow_set", "sojourn_ns", "len", "adj_len", "ecn", "dscp", "flow_hash", "src_hash",
           "dst_hash")


class Xorshift32:
    """A 32-bit draw is the next value, a 16-bit draw its low half."""

    def __init__(self, seed):
        self.x = seed

    def u32(self):
        x = self.x
        x ^= x << 13 & M32
        x ^= x >> 17
        x ^= x << 5 & M32
        self.x = x
        return x

    def u16(self):
        return self.u32() & 0xFFFF


class Constant:
    def __init__(self, u32, u16):
        self.values = u32, u16

    def u32(self):
        return self.values[0]

    def u16(self):
        return self.values[1]


def generator_of(case):
    given = case["random"]
    if given["kind"] == "constant":
        return Constant(given["u32"], given["u16"])
    return Xorshift32(given["seed"])


def load_case(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def beside(path, name):
    """A file that a case names: relative to the folder above the case's own."""
    return os.path.join(os.path.dirname(path), "..", name)


class Link:
    """What takes the packets: busy for a packet's time, and until the event of its end."""

    def __init__(self, rate_bps):
        self.rate_bps = rate_bps
        self.free_at = NEVER  # NEVER = it is free now

    def is_free(self):
        return self.free_at == NEVER

    def take(self, length, now):
        if self.rate_bps:
            self.free_at = now + length * 8 * NS_PER_S // self.rate_bps


def load_packets(path, case):
    """Arrivals in order; a TCP frame with more payload than gso_size is a super-packet."""
    gso_size = case.get("replay", {}).get("gso_size", 0)
    marks = {index: (mark, priority) for index, mark, priority in case.get("marks", [])}
    records = frames.read_capture(beside(path, case["trace"]))
    packets = []
    for index, (time, data, length) in enumerate(records):
        packet = frames.parse(data, index, START + time - records[0][0], length)
        packet.mark, packet.priority = marks.get(index, (0, 0))
        if gso_size and packet.headers and length - packet.headers > gso_size:
            packet.gso_size = gso_size
        packets.append(packet)
    return packets


def run(cake, packets, link):
    """Until all packets have arrived and none is queued. At one time arrivals come first, then the
    watchdog, then the link getting free; after each, packets leave until the link is busy."""
    arrivals = iter(packets)
    arrival = next(arrivals, None)
    now = START
    while arrival or cake.qlen:
        arrives = arrival.arrival if arrival else NEVER
        wakes = max(cake.wake, now)  # a deadline in the past is now
        now = min(arrives, wakes, link.free_at)
        if now == arrives:
            cake.enqueue(arrival, now)
            arrival = next(arrivals, None)
        elif now == wakes:
            cake.wake = NEVER
        else:
            link.free_at = NEVER
        while link.is_free():
            sent = cake.dequeue(now)
            if not sent:
                break
            link.take(sent.length, now)


def row_of(order, d):
    """A Decision in the words of the table; one queue so far."""
    p = d.packet
    return (order, p.index, d.segment, 0, p.arrival - START, d.action, d.time - START, d.tin,
            d.slot, d.state, d.sojourn, d.length, d.adjusted, d.ecn, p.dscp_left, p.flow_hash,
            p.src_hash, p.dst_hash)


def replay(path, seen=None):
    """The model's table of the case at `path`: a list of rows, each with COLUMNS' values."""
    case = load_case(path)
    surroundings = case.get("replay", {})
    if surroundings.get("queues", 1) != 1:
        raise Unsupported("queues")
    cake = Cake(Options.of_case(case["scheduler"]), generator_of(case), seen)
    run(cake, load_packets(path, case), Link(surroundings.get("link_rate", 0)))
    return [row_of(order, decision) for order, decision in enumerate(cake.decisions)]
