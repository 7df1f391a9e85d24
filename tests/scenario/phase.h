/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of a run that is measured by itself: what flows did in it, and how long packets waited. */
#ifndef GATEAU_SCENARIO_PHASE_H
#define GATEAU_SCENARIO_PHASE_H

#include <stdint.h>

#include "base/histogram.h"
#include "flow.h"
#include "share/share.h"

#define PHASE_NAME_MAX 32

/** What a port's queues had done at some time. */
struct phase_port {
	uint64_t queue_bytes[SHARE_QUEUES_MAX]; /* sent */
	uint64_t sent, dropped[CAKE_DECISIONS]; /* frames, by the queues */
	uint64_t deferred, defer, shed; /* frames: on rings; dropped on the way there, by name */
	uint64_t nic_lost;              /* frames */
	uint64_t syncs, reservations, share_changes;
};

#define PHASE_PORTS_MAX 2

struct phase_mark {
	struct tally *flows; /* by flow of the world */
	struct phase_port ports[PHASE_PORTS_MAX];
};

struct phase {
	char name[PHASE_NAME_MAX];
	uint64_t from, until; /* ns of the world's time */
	struct phase_mark begin, end;
	struct histogram
		*waits; /* by group: ns from the NIC's ring to the device, by when it ended */
	struct histogram *rtts; /* by group: round-trip times of probes, ns, by when they began */
};

#endif
