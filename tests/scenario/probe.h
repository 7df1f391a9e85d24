/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Round-trip times as ping measures them: a small packet goes out by one port and its echo comes
 * back by the other, at times that have nothing to do with what else happens.
 */
#ifndef GATEAU_SCENARIO_PROBE_H
#define GATEAU_SCENARIO_PROBE_H

#include <stdint.h>

#include "base/histogram.h"

struct flow;
struct world;

struct probe_params {
	struct flow *request, *reply; /* of different ports; deliver and arg are set here */
	uint32_t len;                 /* bytes of the frames */
	uint64_t interval_ns; /* on average; each is between half of it and one and a half */
	uint64_t start;       /* ns: of the first */
	uint64_t loaded_from; /* ns: those sent before measure the unloaded network */
	uint32_t seed;
};

struct probe;

struct probe *probe_create(struct world *w, const struct probe_params *p);

/** Before its world. */
void probe_destroy(struct probe *p);

/** Round-trip times, ns, of what was sent before and since the load began. */
const struct histogram *probe_base(const struct probe *p);
const struct histogram *probe_loaded(const struct probe *p);

/** Requests sent that have no echo: lost or under way. */
uint64_t probe_missing(const struct probe *p);

#endif
