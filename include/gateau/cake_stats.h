/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of one CAKE instance, under the names `tc -j -s qdisc show` gives them.
 *
 * Plain numbers in the units named; all monotonic unless said to be a gauge.
 */
#ifndef GATEAU_CAKE_STATS_H
#define GATEAU_CAKE_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>
#include <gateau/cake_config.h>

/** One tin. sent_* count what was enqueued, also what was dropped later, as in Linux. */
struct cake_tin_stats {
	uint64_t threshold_rate; /* gauge, bytes/s, 0 = unlimited */
	uint64_t sent_bytes;
	uint64_t sent_packets;
	uint64_t backlog_bytes;   /* gauge */
	uint32_t backlog_packets; /* gauge */
	uint64_t target_us;       /* gauge */
	uint64_t interval_us;     /* gauge */
	uint64_t peak_delay_us; /* gauge, as are the two below: EWMA of the sojourn of sent packets
				 */
	uint64_t avg_delay_us;
	uint64_t base_delay_us;
	uint64_t drops; /* all reasons but the ACK filter */
	uint64_t ecn_mark;
	uint64_t ack_drops;
	uint64_t way_indirect_hits;
	uint64_t way_misses;
	uint64_t way_collisions;
	uint32_t sparse_flows;       /* gauge, decaying ones included */
	uint32_t bulk_flows;         /* gauge */
	uint32_t unresponsive_flows; /* gauge: BLUE's drop probability above 0 */
	uint32_t max_pkt_len;
	uint32_t flow_quantum; /* gauge, bytes */
};

/** One instance. */
struct cake_stats {
	uint64_t bytes;   /* sent, frame lengths */
	uint64_t packets; /* sent */
	uint64_t enqueued_packets;
	uint64_t enqueued_bytes;
	uint64_t drops;      /* all reasons */
	uint64_t overlimits; /* waits for the shaper with packets queued */
	uint64_t backlog;    /* gauge, bytes */
	uint32_t qlen;       /* gauge, packets */

	uint64_t capacity_estimate; /* gauge, bytes/s: autorate's peak, else the configured rate */
	uint64_t memory_used;       /* most ever, bytes */
	uint64_t memory_limit;      /* gauge, bytes */
	uint32_t avg_hdr_offset;    /* gauge, bytes */
	uint32_t min_network_size, max_network_size;
	uint32_t min_adj_size, max_adj_size;

	uint64_t decisions[CAKE_DECISIONS]; /* packets, by enum cake_decision */
	uint64_t catch_ups;   /* stalls whose missed time was not made up for in full */
	uint64_t catch_up_ns; /* time given up in them */
	uint64_t changes;     /* of parameters: cake_change(), cake_succeed() */

	unsigned tin_cnt;
	struct cake_tin_stats tins[CAKE_MAX_TINS]; /* by internal index; see cake_tin_order() */
};

/**
 * Add the statistics of another instance with the same options, as one of several queues of a port,
 * to @sum, which is all 0 to begin with: counters and amounts are added up; of rates, delays,
 * limits of the AQM and sizes the largest is kept, of base_delay_us, min_network_size and
 * min_adj_size the least that is not 0.
 */
void cake_stats_add(struct cake_stats *sum, const struct cake_stats *s);

/**
 * cake_stats_get() of @c together with @before, which is being emptied into it (cake_succeed()).
 * Tins are those of @c; what is still in @before is in the sums alone.
 */
void cake_stats_with(const struct cake *c, const struct cake *before, struct cake_stats *out);

/** One flow queue: a slot of a tin's flow table, what tc shows as a class. */
struct cake_flow_stats {
	uint64_t backlog;      /* gauge, bytes */
	uint64_t drops;        /* packets, whoever the slot belonged to */
	int64_t drop_next_us;  /* gauge: when CoDel signals next, from now; negative = past */
	int64_t blue_timer_us; /* gauge: when BLUE's probability last changed, from now */
	int32_t deficit;       /* gauge, bytes it may still send in this round */
	uint32_t cobalt_count; /* gauge: CoDel's signals in this episode */
	uint32_t blue_prob;    /* gauge: BLUE's drop probability, 2^32 = 1 */
	bool dropping;         /* CoDel sees a standing queue */
	enum cake_flow_set set;
};

/**
 * Copy the state of slot @flow of @tin (internal index) as it is at @now, ns.
 *
 * @return 0, -ENOENT (no such tin or slot)
 */
int cake_flow_stats_get(const struct cake *c, unsigned tin, uint32_t flow, uint64_t now,
			struct cake_flow_stats *out);

/** A flow that queues packets: what cake_list_flows() finds. */
struct cake_flow_seen {
	uint64_t backlog;            /* bytes */
	uint32_t flow;               /* slot */
	uint32_t src_host, dst_host; /* identities of its hosts (cake_packet.src_hash, dst_hash);
					0 where the mode does not isolate them */
	uint16_t src_bulk, dst_bulk; /* bulk flows that these have in the tin */
	uint8_t tin;                 /* internal index */
	uint8_t set;                 /* enum cake_flow_set */
};

/** Slots that one cake_list_flows() looks at, at most: 32 kB that lie side by side. */
#define CAKE_LIST_SLOTS 4096

/**
 * List flows that queue packets, in a time that is bounded however many there are: of the next
 * CAKE_LIST_SLOTS slots of all tins the first @max.
 *
 * @param next  where to begin, 0 the first time; set to where to go on, 0 = all have been looked at
 * @return entries written to @out
 */
unsigned cake_list_flows(const struct cake *c, uint32_t *next, struct cake_flow_seen *out,
			 unsigned max);

/** A packet that waits. */
struct cake_waiting {
	uint64_t enqueued_ns;
	uint32_t handle;
	uint32_t len; /* bytes */
};

/** The packet of slot @flow of @tin (internal index) that is to leave next. 0; -ENOENT: none. */
int cake_flow_head(const struct cake *c, unsigned tin, uint32_t flow, struct cake_waiting *out);

#endif
