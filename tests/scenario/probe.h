/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Round-trip times as ping measures them: a small packet goes out by one port and its echo comes
 * back by the other, at times that have nothing to do with what else happens. They are noted for
 * the request's group (world_note_rtt()).
 */
#ifndef GATEAU_SCENARIO_PROBE_H
#define GATEAU_SCENARIO_PROBE_H

#include <stdint.h>

struct flow;
struct world;

struct probe_params {
	struct flow *request, *reply; /* of different ports; deliver and arg are set here */
	uint32_t len;                 /* bytes of the frames */
	uint64_t interval_ns; /* on average; each is between half of it and one and a half */
	uint64_t start;       /* ns: of the first */
	uint32_t seed;
};

struct probe;

struct probe *probe_create(struct world *w, const struct probe_params *p);

/** Before its world. */
void probe_destroy(struct probe *p);

#endif
