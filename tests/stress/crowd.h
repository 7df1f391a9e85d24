/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the stress tests share: frames that are plain memory, devices that check what they are
 * given, and lcores as threads. No EAL, no mempool: all that may race is compiled with the test.
 *
 * Each frame is used once, and every one of them has to meet exactly one fate. What a device
 * remembers is not locked: only the claim on its queue keeps two lcores from it.
 */
#ifndef TESTS_STRESS_CROWD_H
#define TESTS_STRESS_CROWD_H

#include <stdint.h>

#include "base/prng.h"
#include "lcore/rescue.h"
#include "txq/dispatch.h"
#include "txq/txq.h"

#define CROWD_QUEUES 4
#define CROWD_LCORES 4

/** Virtual time starts here, ns, and goes on by this much with each pass of any lcore. */
#define CROWD_START_NS UINT64_C(1000000000000)
#define CROWD_STEP_NS  2000

/** Frames: all of one size, in buffers of one size. */
#define CROWD_FRAME_BYTES   1514
#define CROWD_ELEMENT_BYTES 2496

struct crowd_frame {
	struct rte_mbuf mbuf;
	struct mbuf_private priv;
	uint32_t flow, number __rte_cache_aligned;
	unsigned fates; /* times it was sent or freed */
};

/** @n of them, and what makes handles of them. */
struct crowd_frame *crowd_frames_create(unsigned n, struct mbuf_map *map);

/** Make frame @f the @number'th of @flow. */
void crowd_frame_fill(struct crowd_frame *f, const struct mbuf_map *map, uint32_t flow,
		      uint32_t number);

/** Fails unless each of the @n frames met one fate; frees them. */
void crowd_frames_destroy(struct crowd_frame *frames, unsigned n);

/** txq_params.free */
void crowd_free(struct rte_mbuf **pkts, unsigned n);

struct crowd_params {
	unsigned frames;   /* of each lcore */
	unsigned flows;    /* of each lcore */
	uint64_t rate_bps; /* of the port, 0 = unlimited */
	uint64_t memlimit; /* of each queue, 0 = as the rate says */
	bool shared;       /* the rate is one for all queues */
	enum share_mode mode;
	bool changes; /* the queues are changed meanwhile (changes.h) */
};

/** What came of it. */
struct crowd_result {
	uint64_t sent, sent_bytes, deferred, refused, shed, taken_up, changed;
	uint64_t dropped[CAKE_DECISIONS];
	uint64_t end_ns; /* when the last lcore stopped, and the queues were purged */
	uint64_t by_queue[CROWD_QUEUES]; /* sent */
};

/**
 * CROWD_LCORES threads receive all frames and run CROWD_QUEUES queues; each is the home of one,
 * neglects it at times, and takes up what others neglect. At the end what is inside is purged, and
 * everything has to add up.
 */
void crowd_run(const struct crowd_params *params, struct crowd_result *result);

#endif
