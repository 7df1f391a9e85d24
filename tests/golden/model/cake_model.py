# SPDX-License-Identifier: BSD-3-Clause
"""A model of Linux CAKE's decisions: what the linux profile must decide, said a second time.

Why it exists: the shipped golden tables are one sample of what Linux decides. This model, written
from the description of the algorithm and sharing no code with src/, says what is to be decided for
any other traffic and options. Where it and gateau differ, one of the two is at fault: find out from
Linux which, and never copy the answer from one to the other. So it is written to be read, rule by
rule; speed comes second.

Here is the scheduler alone. Frames are read in frames.py; several queues with one rate are in
mq_model.py; events, virtual time and the rows of a table are in replay_model.py. As in the golden cases a full queue drops from the flow that really
has the largest backlog, and everything else is as in Linux, oddities included.

Times are ns, rates bytes/s, lengths bytes. `seen` counts how often each rule was at work: a
comparison in which some never were proves little.
"""

import heapq
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass

M32 = 0xFFFFFFFF
NEVER = 1 << 100

FLOWS = 1024  # slots of a tin's tables
WAYS = 8      # slots in which a hash may be found
MTU = 1514    # full Ethernet frame

# States of a flow
NONE, SPARSE, SPARSE_WAIT, BULK, DECAYING = range(5)
STATE_NAMES = ("none", "sparse", "sparse-wait", "bulk", "decaying")

# Flow modes are made of these.
BY_SRC_HOST, BY_DST_HOST, BY_FLOW = 1, 2, 4
FLOW_MODES = {
    "flowblind": 0,
    "srchost": BY_SRC_HOST,
    "dsthost": BY_DST_HOST,
    "hosts": BY_SRC_HOST | BY_DST_HOST,
    "flows": BY_FLOW,
    "dual-srchost": BY_FLOW | BY_SRC_HOST,
    "dual-dsthost": BY_FLOW | BY_DST_HOST,
    "triple-isolate": BY_FLOW | BY_SRC_HOST | BY_DST_HOST,
}

# Code points of each tin that is not the default one (tc-cake(8)).
DSCP_TINS = {
    "besteffort": (0, {}),
    "precedence": (0, {tin: range(8 * tin, 8 * tin + 8) for tin in range(1, 8)}),
    "diffserv3": (0, {1: (1, 8), 2: (4, 44, 46, 48, 56)}),
    "diffserv4": (0, {1: (1, 8),
                      2: (4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38),
                      3: (32, 40, 44, 46, 48, 56)}),
    "diffserv8": (2, {0: (1,), 1: (2, 8, 10, 12, 14), 3: (24, 26, 28, 30, 34, 36, 38),
                      4: (4, 18, 20, 22), 5: (16,), 6: (32, 40, 44, 46), 7: (48, 56)}),
}

# 1/sqrt(count) as 0.32 fixed point, for counts below 16
INV_SQRT = (M32, M32, 3037000500, 2479700525, 2147483647, 1920767767, 1753413056, 1623345051,
            1518500250, 1431655765, 1358187914, 1294981364, 1239850263, 1191209601, 1147878294,
            1108955788)

# BLUE's steps, 0.32 fixed point
P_INC = 1 << 24
P_DEC = 1 << 20


class Unsupported(Exception):
    """The case asks for something that the model does not know."""


def tin_table(mode, rate):
    """[(threshold rate, DRR quantum)] of a mode's tins, and the order in which marks count them."""
    if mode == "besteffort":
        return [(rate, 65535)], [0]
    if mode == "diffserv3":
        return [(rate, 1024), (rate >> 4, 64), (rate >> 2, 256)], [1, 0, 2]
    if mode == "diffserv4":
        return [(rate, 1024), (rate >> 4, 64), (rate >> 1, 512), (rate >> 2, 256)], [1, 0, 2, 3]
    tins, quantum = [], 256
    for _ in range(8):  # precedence, diffserv8
        tins.append((rate, quantum))
        rate, quantum = rate * 7 >> 3, quantum * 7 >> 3
    return tins, list(range(8))


def dscp_table(mode):
    """The tin of each of the 64 code points."""
    default, others = DSCP_TINS[mode]
    table = [default] * 64
    for tin, code_points in others.items():
        for code_point in code_points:
            table[code_point] = tin
    return table


def memory_of(length):
    """Buffer that a frame occupies: 60 -> 768, 1514 -> 2304."""
    data = max(512, (length + 64 + 63) // 64 * 64 + 320)
    return 256 + (1 << (data - 1).bit_length())


@dataclass
class Options:
    """A case's scheduler object, in machine units."""

    rate: int           # 0 = unlimited
    mode: str
    flow_mode: int
    interval: int
    target: int
    overhead: int       # None = lengths are the frame's own
    mpu: int
    framing: str        # None, "atm" or "ptm"
    wash: bool
    ingress: bool
    split_gso: bool
    mark_mask: int
    rtt_us: int
    memlimit: int       # 0 = by rate and interval
    ack_filter: str     # "off", "on" or "aggressive"
    autorate: bool

    @classmethod
    def of_case(cls, scheduler):
        """Read the words of a case; what is absent has tc's default."""
        given = dict(scheduler)
        bandwidth = given.pop("bandwidth", "unlimited")
        rate = 0 if bandwidth == "unlimited" else int(bandwidth.removesuffix("bit")) // 8
        rtt_us = max(1, int(given.pop("rtt", "100000us").removesuffix("us")))
        interval = rtt_us * 1000
        options = cls(
            rate=rate,
            mode=given.pop("diffserv", "diffserv3"),
            flow_mode=FLOW_MODES[given.pop("flowmode", "triple-isolate")],
            interval=interval,
            target=max(1, rtt_us // 20) * 1000,  # tc sends whole microseconds
            overhead=given.pop("overhead", None),
            mpu=given.pop("mpu", 0),
            framing=given.pop("atm", None),
            wash=given.pop("wash", False),
            ingress=given.pop("ingress", False),
            split_gso=given.pop("split_gso", True),
            mark_mask=given.pop("fwmark", 0),
            rtt_us=rtt_us,
            memlimit=given.pop("memlimit", 0),
            ack_filter=given.pop("ack-filter", "off"),
            autorate=given.pop("autorate-ingress", False))
        if given:
            raise Unsupported(", ".join(given))
        return options

    def memory_limit(self, rate):
        """What is configured; else 4 intervals' bytes, cut to 32 bits, at least 4 MiB. At most what
        10,240 full frames have, unless more is configured."""
        if self.memlimit:
            limit = self.memlimit
        elif rate:
            limit = max(4 << 20, rate * self.rtt_us // 250000 & M32)
        else:
            limit = M32
        return min(limit, max(10240 * MTU, self.memlimit))


class Rate:
    """A rate as Linux computes with it: ns per byte in fixed point, at most 34 bits of it."""

    def __init__(self, rate):
        self.ns_per_byte = self.shift = 0
        if rate:
            self.ns_per_byte = (10**9 << 34) // max(64, rate)
            self.shift = 34
        while self.ns_per_byte >> 34:
            self.ns_per_byte >>= 1
            self.shift -= 1

    def duration(self, length):
        return length * self.ns_per_byte >> self.shift


class Cobalt:
    """CoDel and BLUE of one slot. It belongs to the slot: a new owner inherits it."""

    def __init__(self):
        self.count = 0
        self.inv_sqrt = 0  # not 1: a slot that never signalled gets no interval of grace
        self.drop_next = 0
        self.dropping = False
        self.p_drop = 0
        self.blue_timer = 0

    def set_count(self, count):
        """Set how many signals there were; 1/sqrt of it is by table, or one Newton step."""
        self.count = count
        if count < 16:
            self.inv_sqrt = INV_SQRT[count]
            return
        x = self.inv_sqrt
        v = ((3 << 32) - count * (x * x >> 32)) % (1 << 64) >> 2
        self.inv_sqrt = v * x % (1 << 64) >> 31 & M32

    def control_law(self, tin, time):
        """The next signal after `time`. Linux cuts the interval to 32 bits."""
        return time + ((tin.interval & M32) * self.inv_sqrt >> 32)

    def signal(self, tin, count):
        """Go on to another count, on schedule."""
        self.set_count(count)
        self.drop_next = self.control_law(tin, self.drop_next)

    def is_due(self, now):
        return self.count > 0 and now >= self.drop_next

    def note_sojourn(self, tin, now, sojourn, bulk_flows):
        """Enter or leave the dropping state. In ingress mode a crowd of bulk flows may wait longer:
        each of them needs two packets in the queue."""
        over = (sojourn > tin.target and sojourn > 4 * tin.mtu_time and
                sojourn > 2 * tin.mtu_time * bulk_flows)
        if not over:
            self.dropping = False
            return
        if not self.dropping:
            tin.seen["codel begins to drop"] += 1
            self.dropping = True
            self.drop_next = self.control_law(tin, now)
        if self.count == 0:
            self.count = 1

    def judge(self, tin, now, sojourn, bulk_flows, ecn_capable, random):
        """(reason to drop the head packet or None, whether it is to be marked)

        What is due, and how late, is read before the sojourn time is looked at. How late is read
        again only after a signal or a step back; entering the dropping state does not count."""
        late = now - self.drop_next
        due = self.is_due(now)
        reason, mark = None, False

        self.note_sojourn(tin, now, sojourn, bulk_flows)
        if due and self.dropping:
            if ecn_capable:
                mark = True
            else:
                reason = "dropped_aqm_codel"
            self.signal(tin, min(M32, self.count + 1))
            late = now - self.drop_next
            if self.count >= 16:
                tin.seen["codel counts past its table"] += 1
        else:
            while due:
                tin.seen["codel backs off"] += 1
                self.signal(tin, self.count - 1)
                late = now - self.drop_next
                due = self.is_due(now)

        if self.p_drop and not reason and random.u32() < self.p_drop:
            reason = "dropped_aqm_blue"  # ECN or not, marked or not

        if self.count == 0:
            self.drop_next = now + tin.interval  # until then the slot stays reserved
        elif late > 0 and not reason:
            self.drop_next = now
        return reason, mark

    def overflow(self, tin, now):
        """A packet was dropped for lack of memory: BLUE steps up, at most once a target."""
        if now - self.blue_timer > tin.target:
            tin.seen["blue steps up"] += 1
            self.p_drop = min(M32, self.p_drop + P_INC)
            if self.p_drop == M32:
                tin.seen["blue at its highest"] += 1
            self.blue_timer = now
        self.dropping = True
        self.drop_next = now
        self.count = max(1, self.count)

    def empty(self, tin, now):
        """The flow was to be served and has no packet: BLUE steps down, CoDel backs off."""
        if self.p_drop and now - self.blue_timer > tin.target:
            tin.seen["blue steps down"] += 1
            self.p_drop = max(0, self.p_drop - P_DEC)
            self.blue_timer = now
        self.dropping = False
        if self.is_due(now):
            self.signal(tin, self.count - 1)

    def at_rest(self, now):
        return self.p_drop == 0 and self.count == 0 and now >= self.drop_next


@dataclass
class Queued:
    """A packet, or a segment of one, in a flow's queue."""

    packet: object
    segment: int
    enqueued: int
    length: int
    adjusted: int
    ecn: int

    @property
    def memory(self):
        return memory_of(self.length)


class Flow:
    """One slot of a tin's flow table."""

    def __init__(self, slot):
        self.slot = slot
        self.tag = 0
        self.state = NONE
        self.queue = deque()
        self.backlog = 0
        self.deficit = 0
        self.cobalt = Cobalt()
        self.src_host = self.dst_host = None
        self.rotation = None  # the list it is in


class Host:
    """One entry of a host table: how many bulk flows of a tin the host has."""

    def __init__(self):
        self.tag = 0
        self.bulk_flows = 0


class Table(dict):
    """What has as many entries as a tin has slots: each is made when it is looked at first."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def __missing__(self, slot):
        self[slot] = self.make(slot)
        return self[slot]


def ways(h):
    """The slots a hash may have, its own first."""
    own = h % FLOWS
    base = own - own % WAYS
    return [base + (own + i) % WAYS for i in range(WAYS)]


class Tin:
    """A priority level: its schedule, its flows, the lists they rotate in."""

    def __init__(self, index, threshold, quantum, options, seen):
        self.index = index
        self.quantum = quantum
        self.seen = seen
        self.set_rate(threshold, options)

        self.next = 0     # schedule: when it is within its threshold again
        self.deficit = 0  # for tins in rotation, where there is no rate
        self.backlog = 0
        self.counts = [0] * 5  # flows by state; NONE's is not kept

        self.flows = Table(Flow)
        isolates_src = options.flow_mode & 5 == FLOW_MODES["dual-srchost"]
        isolates_dst = options.flow_mode & 6 == FLOW_MODES["dual-dsthost"]
        self.src_hosts = Table(lambda slot: Host()) if isolates_src else None
        self.dst_hosts = Table(lambda slot: Host()) if isolates_dst else None
        self.new, self.old, self.decaying = OrderedDict(), OrderedDict(), OrderedDict()

    def set_threshold(self, threshold):
        self.rate = Rate(threshold)
        self.flow_quantum = min(max(threshold >> 12, 300), MTU) if threshold else MTU

    def set_rate(self, threshold, options):
        """The same, and the AQM's times, which a share of the rate does not change."""
        self.set_threshold(threshold)
        self.mtu_time = self.rate.duration(MTU)
        self.target = max(self.mtu_time * 3 // 2, options.target)
        self.interval = max(options.interval + self.target - options.target, 2 * self.target)

    def has_flows(self):
        """Whether it takes part: decaying flows do not count."""
        return self.counts[SPARSE] + self.counts[SPARSE_WAIT] + self.counts[BULK] > 0

    def hosts_of(self, flow):
        return [host for host in (flow.src_host, flow.dst_host) if host]

    def count_in_hosts(self, flow, step):
        """Host counters stay within 0 and 1,024."""
        for host in self.hosts_of(flow):
            host.bulk_flows = min(1024, max(0, host.bulk_flows + step))

    def set_state(self, flow, state):
        """Change state and what depends on it: only bulk flows weigh on their hosts."""
        self.seen[f"{STATE_NAMES[flow.state]} -> {STATE_NAMES[state]}"] += 1
        if flow.state == BULK:
            self.count_in_hosts(flow, -1)
        self.counts[flow.state] -= 1
        self.counts[state] += 1
        flow.state = state
        if state == BULK:
            self.count_in_hosts(flow, 1)

    def move_to_tail(self, flow, rotation):
        """Move a flow to the end of a list, or with None out of all."""
        if flow.rotation is not None:
            del flow.rotation[flow.slot]
        flow.rotation = rotation
        if rotation is not None:
            rotation[flow.slot] = flow

    def refill(self, flow, random):
        """A round's worth of bytes: the quantum, shared among the bulk flows of its busier host.
        The random fraction makes small shares even out over the rounds."""
        load = max([1] + [host.bulk_flows for host in self.hosts_of(flow)])
        return (self.flow_quantum * (65535 // load) + random.u16()) >> 16

    def find_slot(self, h):
        """(flow, whether it must be told its hosts, whether this is a collision)

        1. a slot with this tag, idle or not; 2. an idle slot; 3. its own, whoever has it."""
        candidates = [self.flows[slot] for slot in ways(h)]
        own = candidates[0]
        for flow in candidates:
            if flow.tag == h:
                idle = " idle" if flow.state == NONE else ""
                self.seen[f"slot known{idle}, " + ("own" if flow is own else "other way")] += 1
                return flow, flow.state == NONE, False
        for flow in candidates:
            if flow.state == NONE:
                self.seen["slot free, " + ("own" if flow is own else "other way")] += 1
                return flow, True, False
        self.seen["slot taken over, " + STATE_NAMES[own.state]] += 1
        return own, True, True

    def find_host(self, table, h):
        """A host's entry: the one with its tag, else one without bulk flows, else its own."""
        candidates = [table[slot] for slot in ways(h)]
        for host in candidates:
            if host.tag == h:
                return host
        for host in candidates:
            if host.bulk_flows == 0:
                host.tag = h
                return host
        self.seen["host entry taken over"] += 1
        candidates[0].tag = h
        return candidates[0]

    def find_flow(self, h, src_hash, dst_hash):
        """The flow of a hash. On a collision a bulk flow's weight goes over to the new hosts."""
        flow, wants_hosts, collision = self.find_slot(h)
        flow.tag = h
        if wants_hosts:
            moves_weight = collision and flow.state == BULK
            if moves_weight:
                self.count_in_hosts(flow, -1)
            if self.src_hosts is not None:
                flow.src_host = self.find_host(self.src_hosts, src_hash)
            if self.dst_hosts is not None:
                flow.dst_host = self.find_host(self.dst_hosts, dst_hash)
            if moves_weight:
                self.count_in_hosts(flow, 1)
        return flow


def later(a, b):
    """Of numbers that go round: whether `a` comes after `b`."""
    return (b - a) & M32 >= 1 << 31


def sacks_compared(candidate, trigger):
    """1 if the trigger tells more by SACK, 0 if as much, -1 if not all that the candidate does."""
    if not candidate.sacks or not trigger.sacks:
        return bool(trigger.sacks) - bool(candidate.sacks)
    for start, end in candidate.sacks:
        if later(candidate.ack, start):
            return -1  # DSACK: said once
        if not any(not later(first, start) and not later(end, last)
                   for first, last in trigger.sacks):
            return -1
    totals = [sum(end - start for start, end in tcp.sacks) & M32 for tcp in (trigger, candidate)]
    return 1 if totals[0] > totals[1] else 0


def may_go(candidate, trigger):
    """Whether the trigger makes the candidate, of the same connection, superfluous."""
    if not candidate.pure or later(candidate.ack, trigger.ack):
        return False
    stamps = trigger.timestamp or (0, 0)
    if candidate.timestamp and any(map(later, candidate.timestamp, stamps)):
        return False
    more = sacks_compared(candidate, trigger)
    return more > 0 or more == 0 and candidate.ack != trigger.ack


def ewma(avg, sample, shift):
    return avg - (avg >> shift) + (sample >> shift)


class Autorate:
    """The estimate of what the link before does: bytes over time between the ends of bursts."""

    def __init__(self, rate):
        self.peak = rate
        self.gap = self.last = self.begin = self.bytes = 0

    def arrive(self, length, now):
        """A new rate, or None. Linux never notes when it last changed it."""
        gap = min(now - self.last, 10**9)
        self.gap = ewma(self.gap, gap, 2 if gap > self.gap else 8)
        self.last = now
        self.bytes = self.bytes + length & (1 << 64) - 1
        if gap <= self.gap:
            return None
        estimate = (self.bytes * 10**9 & (1 << 64) - 1) // (now - self.begin)
        self.peak = ewma(self.peak, estimate, 2 if estimate > self.peak else 8)
        self.bytes, self.begin = 0, now
        return self.peak * 15 >> 4


@dataclass
class Decision:
    """What became of a packet, and when."""

    packet: object
    queue: int
    action: str
    time: int
    tin: int
    slot: int
    state: int
    segment: int
    sojourn: int
    length: int
    adjusted: int
    ecn: int


class Cake:
    """An instance. enqueue() and dequeue() add to `decisions`; `wake` is the watchdog."""

    def __init__(self, options, random, seen=None):
        self.queue = 0
        self.options = options
        self.random = random
        self.seen = Counter() if seen is None else seen
        self.decisions = []
        tins, self.order = tin_table(options.mode, options.rate)
        self.tins = [Tin(i, threshold, quantum, options, self.seen)
                     for i, (threshold, quantum) in enumerate(tins)]
        self.tin_of_dscp = dscp_table(options.mode)
        self.shaped = options.rate > 0
        self.rate = self.tins[0].rate  # also where another tin is the default
        self.memory_limit = options.memory_limit(options.rate)
        self.autorate = Autorate(options.rate) if options.autorate else None
        self.next = self.failsafe = 0
        self.wake = NEVER
        self.current_tin = 0
        self.first_pick = False
        self.qlen = 0
        self.memory = 0
        self.by_backlog = []  # heap of (-backlog, tin, slot), stale entries among them

    # Lengths

    def adjust(self, length, network_offset):
        """What a frame costs on the link behind: overhead, least size, cells."""
        if self.options.overhead is not None:
            length += self.options.overhead - network_offset
        if length < 0:
            raise Unsupported("frames smaller than their negative overhead")
        length = max(length, self.options.mpu)
        if self.options.framing == "atm":
            return -(-length // 48) * 53
        if self.options.framing == "ptm":
            return length + -(-length // 64)
        return length

    def adjust_packet(self, packet):
        """An uncut super-packet costs what its segments would."""
        lengths = packet.segments() if packet.gso_size else [packet.length]
        return sum(self.adjust(length, packet.network_offset) for length in lengths)

    # Shaper: schedules of time, not buckets of tokens

    def charge(self, tin, adjusted, now, sent):
        """Move the schedules on. A tin that fell behind catches up with a packet's time at most.
        The failsafe moves for sent packets only: where dropped ones are charged too, it bounds how
        long the link can be held back."""
        if not self.shaped:
            return
        duration = tin.rate.duration(adjusted)
        if tin.next < now:
            tin.next += duration
        elif tin.next < now + duration:
            tin.next = now + duration
        duration = self.rate.duration(adjusted)
        self.next += duration
        if sent:
            self.failsafe += duration + duration // 2

    def blocked(self, now):
        """Whether nothing may be sent yet; if so the watchdog is set."""
        if self.next <= now or self.failsafe <= now:
            if self.next > now:
                self.seen["failsafe lets through"] += 1
            return False
        self.seen["shaper holds back"] += 1
        self.wake = min(self.next, self.failsafe)
        return True

    def restart_schedules(self, tin, now):
        """An arrival where there was none: idle time is no credit, but debts stay."""
        if tin.backlog:
            return
        tin.next = max(tin.next, now)
        if self.qlen:
            return
        if self.next < now:
            self.next = self.failsafe = now
        else:
            self.blocked(now)

    # Enqueue

    def classify(self, packet):
        """The tin: by firewall mark, else by priority, else by DSCP."""
        if len(self.tins) == 1:
            return self.tins[0]
        mask = self.options.mark_mask
        shift = (mask & -mask).bit_length() - 1 if mask else 0
        mark = (packet.mark & mask) >> shift
        if 1 <= mark <= len(self.tins):
            self.seen["tin by mark"] += 1
            return self.tins[self.order[mark - 1]]
        major, minor = packet.priority >> 16, packet.priority & 0xFFFF
        if major and 1 <= minor <= len(self.tins):
            self.seen["tin by priority"] += 1
            return self.tins[self.order[minor - 1]]
        return self.tins[self.tin_of_dscp[packet.dscp]]

    def find_flow(self, tin, packet):
        mode = self.options.flow_mode
        if mode == FLOW_MODES["flowblind"]:
            return tin.flows[0]
        h = packet.flow_hash
        if not mode & BY_FLOW:
            h = (packet.src_hash if mode & BY_SRC_HOST else 0) ^ \
                (packet.dst_hash if mode & BY_DST_HOST else 0)
        return tin.find_flow(h, packet.src_hash, packet.dst_hash)

    def enqueue(self, packet, now):
        """Classify once, queue the packet or its segments, wake the flow, make room."""
        tin = self.classify(packet)
        if self.options.wash and packet.dscp_left > 0:
            packet.dscp_left = 0
        flow = self.find_flow(tin, packet)
        self.restart_schedules(tin, now)
        arrived = packet.length
        if packet.gso_size and self.options.split_gso:
            self.decide("gso_split", tin, flow, now,
                        Queued(packet, 0, now, packet.length, 0, packet.ecn))
            arrived = sum(packet.segments())
            for segment, length in enumerate(packet.segments()):
                adjusted = self.adjust(length, packet.network_offset)
                self.append(tin, flow,
                            Queued(packet, segment, now, length, adjusted, packet.ecn))
        else:
            adjusted = self.adjust_packet(packet)
            self.append(tin, flow, Queued(packet, 0, now, packet.length, adjusted, packet.ecn))
            arrived -= self.thin_acks(tin, flow, now)
        if self.autorate:
            self.set_rate(self.autorate.arrive(arrived, now))
        self.activate(tin, flow)
        while self.memory > self.memory_limit:
            self.drop_from_fattest(now, flow)

    def thin_acks(self, tin, flow, now):
        """Drop the oldest ACK that the last packet makes superfluous, if two are (aggressive: if one
        is, directly before). Returns its length."""
        trigger = flow.queue[-1].packet.tcp
        if self.options.ack_filter == "off" or not trigger or not trigger.supersedes:
            return 0
        found = None
        for i, entry in enumerate(list(flow.queue)[:-1]):
            tcp = entry.packet.tcp
            if not tcp or tcp.connection != trigger.connection:
                continue
            if found is not None and flow.queue[found].packet.tcp.ecn != tcp.ecn:
                self.seen["ack saved by ECE or CWR"] += 1
                found = None
            if not may_go(tcp, trigger):
                continue
            if found is not None:
                return self.filter_ack(tin, flow, found, now)
            found = i
        if found is not None and self.options.ack_filter == "aggressive" and \
                found == len(flow.queue) - 2 and flow.queue[found].packet.tcp.ecn == trigger.ecn:
            return self.filter_ack(tin, flow, found, now)
        return 0

    def filter_ack(self, tin, flow, place, now):
        entry = flow.queue[place]
        del flow.queue[place]
        self.count_out(tin, flow, entry)
        if self.options.ingress:
            self.charge(tin, entry.adjusted, now, sent=False)
        self.decide("ack_filtered", tin, flow, now, entry)
        return entry.length

    def set_rate(self, rate):
        """Everything that follows from the rate; None = it stays."""
        if rate is None:
            return
        self.seen["rate follows arrivals"] += 1
        for tin, (threshold, _) in zip(self.tins, tin_table(self.options.mode, rate)[0]):
            tin.set_rate(threshold, self.options)
        self.shaped = rate > 0
        self.rate = self.tins[0].rate
        self.memory_limit = self.options.memory_limit(rate)

    def append(self, tin, flow, entry):
        flow.queue.append(entry)
        flow.backlog += entry.length
        tin.backlog += entry.length
        self.qlen += 1
        self.memory += entry.memory
        heapq.heappush(self.by_backlog, (-flow.backlog, tin.index, flow.slot))

    def activate(self, tin, flow):
        """A flow at rest becomes sparse, with a fresh deficit; one that had waited its turn without
        packets becomes bulk."""
        if flow.state in (NONE, DECAYING):
            tin.move_to_tail(flow, tin.new)
            tin.set_state(flow, SPARSE)
            flow.deficit = tin.refill(flow, self.random)
        elif flow.state == SPARSE_WAIT:
            tin.set_state(flow, BULK)

    def fattest(self):
        """The flow with the largest backlog; of equals the lowest tin's, then the lowest slot."""
        while True:
            backlog, tin, slot = self.by_backlog[0]
            flow = self.tins[tin].flows[slot]
            if flow.backlog == -backlog and flow.queue:
                return self.tins[tin], flow
            heapq.heappop(self.by_backlog)

    def drop_from_fattest(self, now, arrived):
        """Drop its head."""
        tin, flow = self.fattest()
        self.seen["overflow of " + ("its own" if flow is arrived else "another flow")] += 1
        entry = self.take_head(tin, flow)
        flow.cobalt.overflow(tin, now)
        if self.options.ingress:
            self.charge(tin, entry.adjusted, now, sent=False)
        self.decide("dropped_enqueue", tin, flow, now, entry)

    # Dequeue

    def dequeue(self, now):
        """The next packet to send, or None. With no packet queued no flow is looked at."""
        self.first_pick = True
        while self.qlen and not self.blocked(now):
            tin = self.choose_tin_by_schedule(now) if self.shaped \
                else self.choose_tin_by_deficit()
            if tin is None:
                return None
            entry = self.serve_tin(tin, now)
            if entry:
                return entry
        return None

    def choose_tin_by_schedule(self, now):
        """The highest tin that is within its threshold, else the one that is so first (of equals
        the highest)."""
        best, best_wait = None, None
        for tin in self.tins:
            wait = tin.next - now
            if tin.has_flows() and (best is None or wait <= 0 or wait <= best_wait):
                best, best_wait = tin, wait
        if best:
            self.seen["tin within its threshold" if best_wait <= 0 else "tin due first"] += 1
        return best

    def choose_tin_by_deficit(self):
        """Deficit round robin: stay while there is deficit. None after two rounds without flows."""
        wrapped = found = False
        tin = self.tins[self.current_tin]
        while tin.deficit < 0 or not tin.has_flows():
            if tin.deficit <= 0:
                tin.deficit += tin.quantum
            found = found or tin.has_flows()
            self.current_tin += 1
            if self.current_tin == len(self.tins):
                self.current_tin = 0
                if wrapped and not found:
                    return None
                wrapped = True
            tin = self.tins[self.current_tin]
        return tin

    def choose_flow(self, tin):
        """New before old before decaying; but the first pick of a dequeue() looks at a decaying
        flow, so that each is looked at now and then."""
        lists = [tin.new, tin.old, tin.decaying]
        if self.first_pick and tin.decaying:
            lists = [tin.decaying]
        self.first_pick = False
        for flows in lists:
            if flows:
                return next(iter(flows.values()))
        return None

    def serve_tin(self, tin, now):
        """A packet of this tin; None if a flow was found empty, which begins everything anew."""
        while True:
            flow = self.choose_flow(tin)
            if flow is None:
                return None
            if flow.deficit <= 0:
                self.rotate(tin, flow)
                continue
            while flow.queue:
                entry, dropped = self.serve_head(tin, flow, now)
                if not dropped:
                    return entry
                if self.options.ingress:
                    break  # a drop used up deficit: choose among the flows again
            else:
                self.retire(tin, flow, now)
                return None

    def rotate(self, tin, flow):
        """A flow without deficit goes to the end of the old ones, and is sparse no longer."""
        if flow.state == SPARSE:
            tin.set_state(flow, BULK if flow.queue else SPARSE_WAIT)
        flow.deficit += tin.refill(flow, self.random)
        tin.move_to_tail(flow, tin.old)

    def retire(self, tin, flow, now):
        """An empty flow keeps its slot, decaying, until its AQM is at rest."""
        flow.cobalt.empty(tin, now)
        if flow.cobalt.at_rest(now):
            tin.set_state(flow, NONE)
            tin.move_to_tail(flow, None)
        else:
            tin.set_state(flow, DECAYING)
            tin.move_to_tail(flow, tin.decaying)

    def serve_head(self, tin, flow, now):
        """(head packet, whether it was dropped). The last packet of a flow is never dropped."""
        entry = self.take_head(tin, flow)
        bulk_flows = tin.counts[BULK] if self.options.ingress else 0
        reason, mark = flow.cobalt.judge(tin, now, now - entry.enqueued, bulk_flows, entry.ecn > 0,
                                         self.random)
        if mark:
            self.seen["marked, then dropped" if reason else "marked"] += 1
            entry.ecn = 3
        if reason and not flow.queue:
            self.seen["last packet spared"] += 1
            reason = None
        if not reason:
            self.charge(tin, entry.adjusted, now, sent=True)
            self.set_wake_after_send(now)
        elif self.options.ingress:
            self.charge(tin, entry.adjusted, now, sent=False)
        if not reason or self.options.ingress:
            flow.deficit -= entry.adjusted
            tin.deficit -= entry.adjusted
        self.decide(reason or "sent", tin, flow, now, entry)
        return entry, bool(reason)

    def take_head(self, tin, flow):
        entry = flow.queue.popleft()
        self.count_out(tin, flow, entry)
        return entry

    def count_out(self, tin, flow, entry):
        flow.backlog -= entry.length
        tin.backlog -= entry.length
        self.qlen -= 1
        self.memory -= entry.memory
        if flow.queue:
            heapq.heappush(self.by_backlog, (-flow.backlog, tin.index, flow.slot))

    def set_wake_after_send(self, now):
        """When the next packet is due; if none is left, a wake-up for the decaying flows of the
        first tin that has some, which finds nothing to do."""
        if self.qlen:
            if self.next > now:
                self.wake = min(self.next, self.failsafe)
            return
        for tin in self.tins:
            if tin.counts[DECAYING]:
                self.wake = now + tin.target
                return

    def decide(self, action, tin, flow, now, entry):
        self.decisions.append(Decision(
            packet=entry.packet, queue=self.queue, action=action, time=now, tin=tin.index, slot=flow.slot,
            state=flow.state, segment=entry.segment, sojourn=now - entry.enqueued,
            length=entry.length, adjusted=entry.adjusted, ecn=entry.ecn))
