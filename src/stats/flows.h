/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which flows and hosts queue the most, while the workers run.
 *
 * A queue's holder lists its flows step by step, each a visit (txq/visit.h) that is bounded by
 * CAKE_LIST_SLOTS slots and FLOWS_STEP flows, some 20 us; what is the fattest is found out here. Of
 * those few the holders then copy the state, and the first bytes of the frame that is to leave
 * next, which say whose flow it is. Flows come and go meanwhile: it is a look, not a count.
 */
#ifndef GATEAU_STATS_FLOWS_H
#define GATEAU_STATS_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake_stats.h>

#include "dataplane/dataplane.h"
#include "packet/packet.h"

/** Flows that a visit lists, at most: five cache lines each. */
#define FLOWS_STEP 64

/** Flows, and hosts, that may be asked for. */
#define FLOWS_MAX 64

/** How long listing may take, ms; what has not been looked at by then is not in it. */
#define FLOWS_PATIENCE_MS 1000

/** A flow that queues something. */
struct flows_entry {
	uint16_t port, queue; /* index into the configuration's ports; which of its queues */
	struct cake_flow_seen seen;

	/* Of the fattest, and of the fattest of each host listed, if they were still there. */
	bool there;
	struct cake_flow_stats state;
	uint64_t wait_ns; /* of the packet that is to leave next, so far */
	uint32_t head_bytes;
	struct packet_headers headers; /* its */
};

/** A host with flows that queue something, where the scheduler tells hosts apart. */
struct flows_host {
	uint16_t port;
	bool source; /* or destination */
	uint32_t identity;
	uint64_t backlog; /* bytes */
	unsigned flows;   /* that queue something */
	unsigned bulk;    /* of these the bulk ones */
	unsigned fattest; /* its, in `entries` */
};

struct flows {
	struct flows_entry *entries; /* all that were listed, the fattest first */
	unsigned n, room;
	struct flows_host *hosts; /* likewise */
	unsigned n_hosts;
	bool complete; /* every queue was looked at to its end */
};

/**
 * Look at port @port, or all if it is below 0, and learn more of the @most fattest flows and hosts,
 * at most FLOWS_MAX. One thread at a time.
 *
 * @return 0, -ENOMEM. Free with flows_free(), also if it fails.
 */
int flows_collect(struct flows *f, struct dataplane *dp, int port, unsigned most);
void flows_free(struct flows *f);

#endif
