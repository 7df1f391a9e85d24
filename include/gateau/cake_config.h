/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a CAKE instance is told: the parameters in the units a person uses.
 *
 * The option words and their meaning are those of tc-cake(8). cake.h turns these parameters into
 * the machine's units (cake/params.h) and the running state (cake/state.h); while packets flow they
 * change as a whole, by cake_change().
 */
#ifndef GATEAU_CAKE_CONFIG_H
#define GATEAU_CAKE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/** Most tins any mode has (precedence and diffserv8). */
#define CAKE_MAX_TINS 8

/** Flow queues per tin: a power of two, 8 (the ways of a set) to 131,072. Linux has 1,024. */
#define CAKE_FLOWS_DEFAULT 1024
#define CAKE_FLOWS_MIN     8
#define CAKE_FLOWS_MAX     131072

/** Ethernet frame of a 1,500-byte MTU without FCS: tc-cake's device MTU + link header. */
#define CAKE_MAX_FRAME_DEFAULT 1514

/** Range of `overhead`, bytes: the kernel's netlink policy for TCA_CAKE_OVERHEAD. */
#define CAKE_OVERHEAD_MIN (-64)
#define CAKE_OVERHEAD_MAX 256

/** Largest `mpu`, bytes: the kernel's netlink policy for TCA_CAKE_MPU. */
#define CAKE_MPU_MAX 256

/** Whose oddities to keep: Linux's, packet by packet, or none (docs/deviations.md). */
enum cake_profile {
	CAKE_PROFILE_GATEAU,
	CAKE_PROFILE_LINUX,
};

/** How DSCP and marks map to tins: tc-cake(8), "PRIORITY QUEUE PARAMETERS". */
enum cake_diffserv {
	CAKE_BESTEFFORT,
	CAKE_PRECEDENCE,
	CAKE_DIFFSERV3,
	CAKE_DIFFSERV4,
	CAKE_DIFFSERV8,
};

/** What shares fairly: bits of a mask, so that a mode says what it looks at. */
enum cake_flowmode {
	CAKE_FLOWBLIND = 0,
	CAKE_SRCHOST = 1,
	CAKE_DSTHOST = 2,
	CAKE_HOSTS = 3,
	CAKE_FLOWS = 4,
	CAKE_DUAL_SRCHOST = 5,
	CAKE_DUAL_DSTHOST = 6,
	CAKE_TRIPLE_ISOLATE = 7,
};

/** Link-layer framing that the length adjustment compensates for. */
enum cake_atm {
	CAKE_NOATM,
	CAKE_ATM, /* 53-byte cells with 48 bytes of payload */
	CAKE_PTM, /* 64b/65b */
};

/** Whether TCP acknowledgements that a later one makes superfluous are dropped. */
enum cake_ack_filter {
	CAKE_ACK_FILTER_OFF,
	CAKE_ACK_FILTER_ON,         /* always leaves two of a flow in the queue */
	CAKE_ACK_FILTER_AGGRESSIVE, /* leaves one */
};

/** Parameters of one instance. Start from cake_params_default() and change what differs. */
struct cake_params {
	uint64_t bandwidth_bps; /* bit/s, 0 = unlimited */
	uint64_t rtt_ns;        /* AQM interval, >= 1 us; whole us in the linux profile */
	uint64_t target_ns;     /* AQM target, 0 = rtt / 20; at least 1 us; likewise */
	uint64_t memlimit;      /* bytes of buffer charged at most, 0 = from rate and rtt */
	uint64_t catch_up_ns; /* gateau profile: most time a stalled queue may make up for at once;
				 0 = the larger of 1 ms and two maximum frames */
	enum cake_profile profile;
	enum cake_diffserv diffserv;
	enum cake_flowmode flowmode;
	enum cake_atm atm;
	enum cake_ack_filter ack_filter;
	bool overhead_set;     /* false = "raw": lengths start from the frame's own */
	int32_t overhead;      /* bytes added to the network-layer length, -64..256; with raw to the
				  frame's, as in Linux */
	uint32_t mpu;          /* bytes, smallest adjusted length, 0..256 */
	uint32_t fwmark;       /* mask over cake_packet.mark, 0 = marks choose no tin */
	uint32_t flows;        /* flow queues per tin, a power of two in 8..131,072 */
	uint32_t max_frame;    /* bytes, device MTU + link header */
	uint32_t min_charge;   /* bytes, least cake_packet.charge there is: with the memory limit it
				  bounds the number of packets, hence the slab */
	uint32_t burst;        /* packets that may go in before the drop list is emptied, at most
				  65,535; 0 = CAKE_BURST_MAX. The segments of one arrival must fit */
	uint64_t room;         /* bytes: cake_change() may raise the memory limit to it without a
				  new instance; less than the limit itself counts as that */
	bool ingress;          /* shape what arrives: drops are charged to the shaper */
	bool autorate_ingress; /* the rate follows what arrives; bandwidth_bps is where it starts */
	bool wash;             /* the caller clears DSCP before enqueue (packet/mark.h) */
	bool split_gso;        /* the caller cuts super-packets before enqueue (packet/segment.h) */
	bool slots;            /* one of several instances that share bandwidth_bps: it sends in
				  the slots it is given (cake_give_slot()); not with autorate */
};

/** tc's defaults: diffserv3, triple-isolate, unlimited, rtt 100 ms, split-gso, raw. */
void cake_params_default(struct cake_params *p);

/** Whether a mode is fair to source, resp. destination, hosts besides the flows of each. */
static inline bool cake_isolates_sources(enum cake_flowmode mode)
{
	return (mode & CAKE_DUAL_SRCHOST) == CAKE_DUAL_SRCHOST;
}
static inline bool cake_isolates_destinations(enum cake_flowmode mode)
{
	return (mode & CAKE_DUAL_DSTHOST) == CAKE_DUAL_DSTHOST;
}

/** Number of tins of a mode: 1, 3, 4 or 8. */
unsigned cake_tin_count(enum cake_diffserv mode);

/** tc's name of tin @tin (internal index) of @mode, e.g. "Bulk"; for people and logs. */
const char *cake_tin_name(enum cake_diffserv mode, unsigned tin);

/**
 * Internal tin at position @order (0-based) of tc's listing; it is also what marks count in.
 * diffserv3 and diffserv4 list Bulk before Best Effort.
 */
unsigned cake_tin_order(enum cake_diffserv mode, unsigned order);

/**
 * Bytes of buffer an instance with these parameters may hold, before dropping from the fattest
 * flow: `memlimit`, or rate x interval x 4 with a floor of 4 MiB, capped at 10,240 full frames
 * (15,503,360) like Linux; in the gateau profile no less than rate x interval. With
 * autorate_ingress it is the most that the limit may come to as the rate changes.
 */
uint64_t cake_memory_limit(const struct cake_params *p);

#endif
