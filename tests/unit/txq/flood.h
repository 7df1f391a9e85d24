/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A queue under a flood, in virtual time: receiving lcores that judge what arrives (shed_table), a
 * ring, and a holder that runs a real CAKE instance and controls (shed_control). The work of the
 * holder costs time; receiving costs none, as there are as many lcores as that takes.
 */
#ifndef GATEAU_TESTS_FLOOD_H
#define GATEAU_TESTS_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake_config.h>

#define FLOOD_GROUPS  8
#define FLOOD_WINDOWS 256
#define FLOOD_RING    1024

/* Times of the holder, ns per packet, measured of CAKE with 1,024 flows. */
#define FLOOD_ENQUEUE_NS 25
#define FLOOD_DEQUEUE_NS 25
#define FLOOD_DROP_NS    30

/** Flows that are alike. */
struct flood_group {
	unsigned flows;
	double pps;    /* of each */
	double jitter; /* part of the time between packets, 0..1 */
	uint32_t len;  /* bytes */
	uint8_t dscp;
	unsigned per_host;   /* flows of one source; 0 = a source each */
	unsigned burst;      /* packets at once; 0 = 1 */
	bool sprayed;        /* its packets come by all lcores in turn */
	uint64_t start, end; /* ns since the beginning */
};

struct flood_params {
	struct cake_params cake;
	unsigned lcores;
	bool unshed; /* nothing is judged */
	unsigned groups;
	struct flood_group group[FLOOD_GROUPS];
	uint64_t ns;        /* how long */
	uint64_t from;      /* ns: what is counted of each flow begins here */
	uint64_t change_at; /* ns: from here on the rate is change_bps; 0 = never */
	uint64_t change_bps;
};

struct flood_result {
	struct flood_count {
		uint64_t offered, shed, refused, dropped, sent;
		uint64_t sent_bytes;
		uint64_t sent_late;             /* of those that arrived after `from` */
		uint64_t lost_late;             /* of those that arrived after `from` */
		uint64_t wait_max;              /* ns from arrival to the wire, after `from` */
		double spread_low, spread_high; /* of packets sent after `from`: 1st and 99th
						   percentile over the mean, less 1 */
	} group[FLOOD_GROUPS];
	uint64_t bytes[FLOOD_WINDOWS]; /* sent in each 10 ms */
	uint64_t packets[FLOOD_WINDOWS];
	uint64_t on_at, off_at; /* ns: first overloaded, last */
	uint64_t collisions;
	uint64_t left; /* packets still inside at the end */
};

void flood_run(const struct flood_params *p, struct flood_result *r);

#endif
