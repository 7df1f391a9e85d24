# SPDX-License-Identifier: BSD-3-Clause
"""A golden case through the model of CAKE: virtual time, its events, the rows of the table.

Part of the reference model (see cake_model.py). The rules are those of tests/golden/README.md.
"""

import json
import os

import frames
from cake_model import M32, NEVER, Cake, Options
from mq_model import children

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
    """What takes the packets of a queue: busy for a packet's time, and until the event of its end."""

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


def steer(packet, count):
    """The queue of a packet among `count`."""
    return packet.flow_hash * count >> 32


def run(cakes, packets, links):
    """Until all packets have arrived and none is queued. At one time arrivals come first, then
    watchdogs, then links getting free, of equal ones in the order of their queues. After each event
    packets of its queue leave until its link is busy."""
    arrivals = iter(packets)
    arrival = next(arrivals, None)
    now = START
    while arrival or any(cake.qlen for cake in cakes):
        arrives = arrival.arrival if arrival else NEVER
        # A deadline in the past is now.
        wakes, woken = min((max(cake.wake, now), i) for i, cake in enumerate(cakes))
        frees, freed = min((link.free_at, i) for i, link in enumerate(links))
        now = min(arrives, wakes, frees)
        if now == arrives:
            queue = steer(arrival, len(cakes))
            cakes[queue].enqueue(arrival, now)
            arrival = next(arrivals, None)
        elif now == wakes:
            queue = woken
            cakes[queue].wake = NEVER
        else:
            queue = freed
            links[queue].free_at = NEVER
        while links[queue].is_free():
            sent = cakes[queue].dequeue(now)
            if not sent:
                break
            links[queue].take(sent.length, now)


def row_of(order, d):
    """A Decision in the words of the table."""
    p = d.packet
    return (order, p.index, d.segment, d.queue, p.arrival - START, d.action, d.time - START, d.tin,
            d.slot, d.state, d.sojourn, d.length, d.adjusted, d.ecn, p.dscp_left, p.flow_hash,
            p.src_hash, p.dst_hash)


def replay(path, seen=None):
    """The model's table of the case at `path`: a list of rows, each with COLUMNS' values."""
    case = load_case(path)
    surroundings = case.get("replay", {})
    queues = surroundings.get("queues", 1)
    options, random = Options.of_case(case["scheduler"]), generator_of(case)
    if queues == 1:
        cakes = [Cake(options, random, seen)]
    else:
        cakes = children(options, random, seen, queues)
    decisions = cakes[0].decisions
    for cake in cakes:
        cake.decisions = decisions  # in the order in which they are made
    run(cakes, load_packets(path, case),
        [Link(surroundings.get("link_rate", 0)) for _ in range(queues)])
    return [row_of(order, decision) for order, decision in enumerate(decisions)]
