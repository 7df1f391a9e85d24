/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CAKE as a library: a shaper, tins, flow queues with host isolation and COBALT, for one queue.
 *
 * Sources: T. Hoeiland-Joergensen, D. Taeht, J. Morton, "Piece of CAKE" (IEEE LANMAN 2018);
 * RFC 8289 (CoDel), RFC 8290 (FQ-CoDel), tc-cake(8), Linux net/sched/sch_cake.c for behaviour.
 *
 * An instance owns no clock, starts no thread, touches no packet byte and allocates nothing after
 * cake_create(). Time is CLOCK-agnostic nanoseconds that never go back; start well above zero.
 * One thread at a time may use an instance; different instances are independent but for the
 * random generator they are given.
 *
 *	packets ──► cake_enqueue ──► tins / flows ──► cake_dequeue ──► to send, in order
 *	                 │                                 │
 *	                 └──────────► drop list ◄──────────┘ ──► cake_take_drops ──► to free
 *
 * A packet is known by its handle, a number the caller chooses. Every handle that went in comes out
 * exactly once, through cake_dequeue() or cake_take_drops().
 */
#ifndef GATEAU_CAKE_H
#define GATEAU_CAKE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake_config.h>

struct cake;
struct cake_stats;
struct prng;

/** cake_next_time(): nothing to wait for. */
#define CAKE_NEVER UINT64_MAX

/** Most packets that may go in between two cake_take_drops() that empty the list, unless
 * cake_params.burst says otherwise. */
#define CAKE_BURST_MAX 256

/** State of a flow queue, as in the algorithm; the values are those of the golden CSV. */
enum cake_flow_set {
	CAKE_SET_NONE,
	CAKE_SET_SPARSE,
	CAKE_SET_SPARSE_WAIT, /* counted as sparse, in the bulk rotation */
	CAKE_SET_BULK,
	CAKE_SET_DECAYING, /* no packets, AQM state still fading */
};

/** What was decided about a packet. */
enum cake_decision {
	CAKE_SEND,
	CAKE_SEND_CE,       /* send, with ECN's Congestion Experienced set */
	CAKE_DROP_OVERFLOW, /* memory limit: head of the fattest flow */
	CAKE_DROP_CODEL,    /* AQM, sojourn above target */
	CAKE_DROP_BLUE,     /* AQM, flow does not respond */
	CAKE_DROP_ACK,      /* ACK filter: a later ACK says it, too */
	CAKE_DROP_PURGE,    /* cake_purge() */
	CAKE_DECISIONS
};

/** A short lower-case name of @d for statistics, e.g. "codel". */
const char *cake_decision_name(enum cake_decision d);

/** Most SACK blocks that fit in a TCP header: 40 bytes of options, 2 + 8 per block. */
#define CAKE_SACK_MAX 4

/**
 * What the ACK filter compares of a packet of TCP, in host order. Two packets are of one connection
 * if version, addresses and ports are equal.
 */
struct cake_tcp {
	uint8_t src[16], dst[16]; /* wire order; IPv4 in the first 4 bytes, the others 0 */
	uint16_t sport, dport;
	uint32_t ack;          /* acknowledgement number */
	uint32_t tsval, tsecr; /* timestamp option, 0 without one */
	uint8_t version;       /* 4 or 6 */
	uint8_t ecn_flags;     /* ECE and CWR, as in the header's flag byte */
	uint8_t sacks;         /* blocks in `sack` */
	bool supersedes : 1;   /* ACK without SYN: may make earlier ones superfluous */
	bool pure : 1;         /* nothing but an acknowledgement: may be superfluous */
	bool timestamp : 1;    /* it has the option */
	struct cake_sack {
		uint32_t start, end; /* first byte, and the one after the last */
	} sack[CAKE_SACK_MAX];
};
static_assert(sizeof(struct cake_tcp) == 84, "half of it is addresses");

/** A packet on its way in. The last three fields are written by cake_enqueue(), also of packets
 * that it does not take. */
struct cake_packet {
	uint32_t handle;
	uint32_t len;            /* bytes, frame with Ethernet header, without FCS; not 0 */
	uint32_t charge;         /* bytes of buffer it pins, >= cake_params.min_charge */
	uint32_t flow_hash;      /* identity of the flow, never 0 for IP */
	uint32_t src_hash;       /* identity of the source host, 0 if none */
	uint32_t dst_hash;       /* identity of the destination host, 0 if none */
	uint32_t mark;           /* firewall mark, see cake_params.fwmark */
	uint16_t network_offset; /* bytes from frame start to the network header, tags included */
	uint16_t gso_segs;       /* super-packet to be sent unsplit: its segments; else 0 or 1 */
	uint16_t gso_size;       /* its payload bytes per segment */
	uint16_t gso_header;     /* its bytes before the payload */
	uint8_t dscp;            /* 0..63; before washing */
	bool ecn_capable;        /* ECT(0), ECT(1) or CE */
	bool more; /* the next packet is a segment of the same arrival: it is queued in the same
		      flow, and activation and overflow wait for the arrival's last packet */
	uint8_t priority_tin;       /* 1..tins: order of the tin the operator chose; 0 = none */
	const struct cake_tcp *tcp; /* NULL = not TCP, or there is no ACK filter; read, and copied,
				       by cake_enqueue() */

	uint32_t flow;    /* out: its slot in the tin's flow table */
	uint8_t tin;      /* out: tin it was put in */
	uint8_t flow_set; /* out: the flow's state before this arrival, enum cake_flow_set */
};

/** What a flow is told apart by: its own hash, or its hosts'; 0 where nothing is. */
static inline uint32_t cake_flow_key(enum cake_flowmode mode, const struct cake_packet *p)
{
	uint32_t key = 0;

	if (mode & CAKE_FLOWS)
		return p->flow_hash;
	if (mode & CAKE_SRCHOST)
		key ^= p->src_hash;
	if (mode & CAKE_DSTHOST)
		key ^= p->dst_hash;
	return key;
}

/** A packet on its way out. */
struct cake_verdict {
	uint64_t enqueued_ns;
	uint32_t handle;
	uint32_t len;     /* bytes, as enqueued */
	uint32_t adj_len; /* bytes, as charged to the shaper */
	uint32_t flow;
	uint8_t tin;
	uint8_t decision; /* enum cake_decision */
	uint8_t flow_set; /* state of the flow after the decision */
	bool ce;          /* the AQM marked it; also if BLUE then dropped it */
};

/**
 * Create an instance.
 *
 * @param out   set on success; free with cake_destroy()
 * @param p     copied
 * @param rng   generator for dithering and BLUE; the caller keeps it alive and may share it among
 *              instances of one thread
 * @return 0, -EINVAL (a parameter out of its range), -ENOMEM
 */
int cake_create(struct cake **out, const struct cake_params *p, struct prng *rng);

/** Free an instance. Handles still inside are forgotten: cake_purge() and take them first. */
void cake_destroy(struct cake *c);

/** Bytes cake_create() allocates for these parameters. */
uint64_t cake_footprint(const struct cake_params *p);

/**
 * Put a burst of packets in.
 *
 * Packets of one arrival (cake_packet.more) may not be split over two calls. Packets dropped to
 * stay within the memory limit go to the drop list.
 *
 * @param now   ns, the same or later than in any earlier call
 * @return packets taken, from the front; fewer than @n only if more than a burst went in
 *         since the drop list was emptied. The rest still belongs to the caller.
 */
unsigned cake_enqueue(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now);

/**
 * Take packets that are to be sent now, in order.
 *
 * Packets the AQM drops on the way go to the drop list.
 *
 * @param out   room for @max entries, decision CAKE_SEND or CAKE_SEND_CE
 * @return entries written; fewer than @max means that nothing more may be sent at @now, or, in the
 *         gateau profile, that the call has done its share of work: cake_next_time() is @now then
 */
unsigned cake_dequeue(struct cake *c, struct cake_verdict *out, unsigned max, uint64_t now);

/** Take up to @max dropped packets off the drop list, oldest first. Returns how many. */
unsigned cake_take_drops(struct cake *c, struct cake_verdict *out, unsigned max);

/**
 * The link was away until @now: what it did not carry meanwhile is not made up for, in either
 * profile. What is queued stays and goes on at the rate.
 */
void cake_resume(struct cake *c, uint64_t now);

/** Move every queued packet to the drop list (CAKE_DROP_PURGE). Returns how many. */
unsigned cake_purge(struct cake *c);

/*
 * Changing parameters while packets are queued. Most of them in place, by cake_change().
 * What tables are made for is changed by another instance that succeeds this one:
 *
 *	cake_create(&fresh) ─► cake_succeed(fresh, c) ─┬─► cake_take(c) ─► cake_requeue(fresh) ─┐
 *	                                               └──────── until cake_backlog(c) is 0 ◄───┘
 *	                       ─► cake_absorb(fresh, c) ─► cake_destroy(c)
 *
 * Meanwhile fresh sends, and what arrives goes into c, behind its flow's earlier packets.
 */

/** What it takes to get to other parameters. */
enum cake_change {
	CAKE_CHANGE_NONE, /* they are the same */
	CAKE_CHANGE_IN_PLACE,
	CAKE_CHANGE_REQUEUE, /* another instance: diffserv, flowmode, flows, profile, min_charge or
				burst differ, there is no room for the memory limit, or none for an
				ACK filter where none has been since cake_create() */
};

/** From the parameters of @c to @to. Returns an enum cake_change, or -EINVAL (as cake_create()). */
int cake_change_kind(const struct cake *c, const struct cake_params *to);

/**
 * Go by @to from now on, all of it or, on error, nothing.
 *
 * What is queued stays, in its order and with the adjusted lengths that it came with (as in Linux).
 * AQM state, deficits and hosts stay. What was sent takes the link for as long as it did; at a
 * higher rate, but in the linux profile, for as long as it would now. A part of the rate
 * (cake_set_share()) stays the same fraction of it. Where the rate follows what arrives, another
 * bandwidth is its new estimate.
 *
 * Nothing is dropped: a memory limit below what is held comes into force by cake_shrink().
 * Parameters that are no change touch nothing; others count in cake_stats.changes. @to->room is
 * ignored.
 *
 * @return 0, -EINVAL (as cake_create()), -EOPNOTSUPP (CAKE_CHANGE_REQUEUE)
 */
int cake_change(struct cake *c, const struct cake_params *to, uint64_t now);

/**
 * Drop up to @max packets, heads of the fattest flows, to the drop list, as CAKE_DROP_OVERFLOW, to
 * come down to a memory limit that was lowered. Until then the limit is what is held.
 *
 * @return whether the limit is in force
 */
bool cake_shrink(struct cake *c, unsigned max, uint64_t now);

/**
 * @c, which is empty, goes on where @before stands: its schedule of the link, as after
 * cake_change(), and its counters. Those of a tin go on in the tin of the same name
 * (cake_tin_name()); of one that has none only the sums do. What moves counts as an arrival of the
 * tin it moves to as well; in the sums once. @before counts from 0 then: what is
 * queued, and what is dropped of it.
 */
void cake_succeed(struct cake *c, struct cake *before, uint64_t now);

/**
 * Take up to @max queued packets out for cake_requeue(), whatever shaper and AQM would say: of each
 * flow in order, flows and tins by turns. They count as if they had never come in.
 *
 * @param out  room for @max; `decision` means nothing
 * @return how many; fewer than @max, even none, is not the end: cake_backlog() is
 */
unsigned cake_take(struct cake *c, struct cake_verdict *out, unsigned max);

/**
 * Put packets in that came at @enqueued_ns[i] and were queued elsewhere meanwhile: as
 * cake_enqueue(), but that each is an arrival of its own that the ACK filter drops nothing for and
 * no rate is estimated from.
 */
unsigned cake_requeue(struct cake *c, struct cake_packet *pkts, const uint64_t *enqueued_ns,
		      unsigned n, uint64_t now);

/** @before is empty, and what it has counted since cake_succeed() counts in @c from now on. */
void cake_absorb(struct cake *c, struct cake *before);

/*
 * Instances that share one rate (src/share). Each is told what part of it is likely its own, so
 * that its tins' thresholds and its flows' quanta fit; what it really sends is bounded either by
 * that part, or, with cake_params.slots, by the slots it is given on a clock that all of them
 * share.
 */

/**
 * @bytes_per_s of the rate are this instance's from now on; 0 = all of it, as after cake_create().
 * Touches the rates of tins in use, others follow when something arrives for them. AQM parameters,
 * memory limit, queued packets, deficits and schedules stay those of the full rate. With
 * cake_params.slots the shaper keeps the full rate. Nothing happens if it is no change, or if the
 * instance is unlimited.
 *
 * @return whether it was a change
 */
bool cake_set_share(struct cake *c, uint64_t bytes_per_s);

/**
 * Only with cake_params.slots: packets wait, and less than half of their average is left of the
 * slot. Rounded to the nearest packet so, a slot of whole packets is used to its end.
 */
bool cake_wants_slot(const struct cake *c);

/** What is left of the slot, ns; negative: more was used, and is taken off the next one. */
int64_t cake_slot_left(const struct cake *c);

/**
 * The next slot, ns: the instance may send what fits into it at the full rate, not before @start,
 * also after @end. Time used beyond the slot before is taken off, time left over is added.
 */
void cake_give_slot(struct cake *c, uint64_t start, uint64_t end);

/** Nothing is left of the slot from here on, and the next one has nothing to pay. */
void cake_end_slot(struct cake *c);

/** What an instance has to do: gauges, cheap to read. */
struct cake_load {
	uint64_t bytes;     /* queued, frame lengths */
	uint64_t adj_bytes; /* queued, lengths as charged to the shaper */
	uint32_t packets;   /* queued */
	uint32_t sparse_flows, bulk_flows;
	uint32_t src_hosts, dst_hosts; /* with bulk flows, summed over the tins; 0 unless the
					  mode isolates them */
};

void cake_load_get(const struct cake *c, struct cake_load *out);

/** What went into a tin since cake_create(), and what is left of it: cheap to read. */
struct cake_tin_load {
	uint64_t arrived_bytes, arrived_packets; /* frame lengths */
	uint64_t queued_bytes;                   /* gauge */
};

/** Of tin @tin (internal index). */
void cake_tin_load_get(const struct cake *c, unsigned tin, struct cake_tin_load *out);

/**
 * Internal index of the tin that an instance with these parameters puts @p in. Any thread.
 */
unsigned cake_classify(const struct cake_params *params, const struct cake_packet *p);

/**
 * Hold at most @bytes of buffer from now on, 0 = as the parameters said. What is too much goes to
 * the drop list.
 *
 * @return 0, -ENOSPC (more than cake_create() made room for)
 */
int cake_set_memlimit(struct cake *c, uint64_t bytes, uint64_t now);

/**
 * When cake_dequeue() should be called next if nothing arrives, ns; CAKE_NEVER if it need not be.
 * A time that has passed means now. Good after cake_dequeue() wrote fewer entries than it might,
 * until the next cake_enqueue() or cake_dequeue(); a new rate or limit makes it now.
 */
uint64_t cake_next_time(const struct cake *c);

/** Bytes of buffer charged, of what is queued. */
uint64_t cake_memory_used(const struct cake *c);

/** Bytes of buffer that may still be charged before something has to be dropped for it. */
uint64_t cake_memory_left(const struct cake *c);

/** Packets queued, not counting the drop list. */
uint32_t cake_backlog(const struct cake *c);

/** Copy all counters and the state of every tin to @out. */
void cake_stats_get(const struct cake *c, struct cake_stats *out);

#endif
