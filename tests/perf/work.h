/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scheduler at work, for whoever measures it in time or instructions: bursts of 64-byte packets
 * go in and as many come out, so that what is queued stays as it was.
 */
#ifndef TESTS_PERF_WORK_H
#define TESTS_PERF_WORK_H

#define WORK_BURST 32

/** Bursts made at once: few, so that they stay in the first cache as what a lcore just received. */
#define WORK_BURSTS 4

/** Packets of one work_ops.act. */
#define WORK_PACKETS (WORK_BURST * WORK_BURSTS)

#define WORK_FRAME_BYTES 64

/** Each takes the work's own state. */
struct work_ops {
	/** Create the scheduler and let the standing packets in. 0 or -errno. */
	int (*begin)(void *work);

	/** Make the next WORK_BURSTS bursts; no part of what is measured. */
	void (*make)(void *work);

	/** Put them in, each followed by a dequeue of as many packets: what is measured. */
	void (*act)(void *work);

	/**
	 * Let out what is queued, and free all.
	 *
	 * @return NULL, or why what was measured is not what it was to be: a packet was dropped or
	 *         lost
	 */
	const char *(*end)(void *work);
};

#endif
