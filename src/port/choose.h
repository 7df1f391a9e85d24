/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what a device says it can do, and what the configuration asks of it, to how it is set up and
 * why. Limits are the driver's; nothing is asked of the device here, so that every kind of it can
 * be tried in a test.
 */
#ifndef GATEAU_PORT_CHOOSE_H
#define GATEAU_PORT_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

struct rte_eth_dev_info;

/** Descriptors of a queue where neither the operator nor the driver has an opinion. */
#define CHOOSE_DESCRIPTORS 1024

/** Longest key of an RSS hash, bytes; most NICs have 40, Intel's E810 52. */
#define CHOOSE_RSS_KEY_MAX 128

enum choose_level {
	CHOOSE_INFO,    /* so it is */
	CHOOSE_WARNING, /* it works, but not as well as it might */
	CHOOSE_FAULT,   /* the device cannot do what the configuration asks */
};

/** One thing that was chosen, or cannot be, with its reason. */
struct choose_note {
	enum choose_level level;
	const char *about; /* "queues", "mtu", "descriptors", "rss", "offloads", "link", ... */
	char text[232];
};

#define CHOOSE_NOTES_MAX 16

/** How a device is set up. Offloads and flags are DPDK's. */
struct choice {
	uint16_t rx_descriptors, tx_descriptors; /* per queue, as the device takes them */
	uint32_t rx_room, tx_room;               /* places in a queue's ring, at most */
	uint64_t rx_offloads, tx_offloads;
	uint64_t rss_fields;   /* RTE_ETH_RSS_; 0: nothing to spread, or it cannot */
	uint8_t rss_key_bytes; /* 0: the device takes no key */
	uint64_t tso_flags;    /* RTE_MBUF_F_TX_ of super-packets that it is to cut; 0 = none */
	bool super_packets;    /* it may hand on several TCP segments as one frame: port/gso.h */
	bool link_events;      /* it says itself when its link goes down or comes up */
	unsigned n_notes;
	struct choose_note notes[CHOOSE_NOTES_MAX];
};

/**
 * @param segmented  some port has frames longer than one buffer
 * @return 0; -ERANGE if the device cannot do it: the notes of level CHOOSE_FAULT say what
 */
int choose(struct choice *out, const struct config_port *c, const struct rte_eth_dev_info *info,
	   bool segmented);

/** Add a note to those there are; what does not fit is left out. */
void choose_note(struct choice *out, enum choose_level level, const char *about, const char *fmt,
		 ...) __attribute__((format(printf, 4, 5)));

/**
 * Whether a device of this name may hand on super-packets: one that connects virtual machines,
 * whose kernels leave cutting to it. NICs are not asked to: what they put together (LRO) is not as
 * it was.
 */
bool choose_may_have_super_packets(const char *device);

#endif
