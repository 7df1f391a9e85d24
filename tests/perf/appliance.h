/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A whole appliance inside a benchmark: the daemon's data plane of one worker and two software
 * ports, each leading to the other, whose passes the benchmark makes itself.
 *
 * net_null has any number of frames and takes any number: buffers of the pool, as they are, so that
 * appliance_begin() writes a frame into each of them beforehand. A net_ring port is a loop: what is
 * sent to it comes back in by it, so that frames that were once put in go round for ever.
 */
#ifndef TESTS_PERF_APPLIANCE_H
#define TESTS_PERF_APPLIANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/dataplane.h"

/** Frames are those of wire.h; IPv4's are as long as they are with the FCS, as testpmd's are. */
#define APPLIANCE_IPV4_BYTES 64

/** Flows in the buffers of a pool. */
#define APPLIANCE_FLOWS 4096

struct appliance {
	/* Written by who makes it. */
	const char *name;      /* unique, for DPDK */
	const char *driver;    /* "net_null" or "net_ring" */
	const char *scheduler; /* JSON, of both ports */
	unsigned frames;       /* net_ring: that go round, half of either kind */
	bool ipv6;             /* net_null: frames of the second kind, not of the first */

	struct gateau_config *config;
	struct dataplane dp;
};

/** Build it; the first time this starts DPDK. A benchmark that cannot have it ends. */
void appliance_begin(struct appliance *a);

/** Nothing was lost, or the benchmark ends; take it down. */
void appliance_end(struct appliance *a);

/** The time, as its worker reads it. */
uint64_t appliance_now(struct appliance *a);

/** Make a pass, as the worker's loop does it. Returns frames moved. */
unsigned appliance_pass(struct appliance *a);

/** Frames that left since it was built, both ways. */
uint64_t appliance_sent(const struct appliance *a);

/** A frame of flow @flow, in a buffer of its own. */
struct rte_mbuf *appliance_frame(struct appliance *a, unsigned flow, bool ipv6);

#endif
