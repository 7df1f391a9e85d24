/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One Ethernet port: a DPDK device opened, set up as a bump in the wire needs it, started, closed.
 *
 * Everything the device has by itself that would change frames or hide some is off: VLAN stripping,
 * receive coalescing, filtering. Only what was one packet when it was sent is taken as one. What a
 * device cannot do is an error if frames would be lost for it, else a warning. Functions say on the
 * log what went wrong and return -errno.
 *
 *	port_open ──► port_setup ──► port_start ──► port_stop ──► port_close
 *
 * The main thread calls all of this, while no worker polls the port, but for port_watch_link().
 */
#ifndef GATEAU_PORT_PORT_H
#define GATEAU_PORT_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "port/choose.h"
#include "port/device.h"
#include "port/nic_counter.h"
#include "port/pool.h"

/** Ethernet header and two VLAN tags: what a frame of a port's MTU may have in addition. */
#define PORT_FRAME_OVERHEAD 22

/** What the device has lost, as counters that only grow, and when it was asked last, ns. */
struct port_nic {
	struct nic_counter missed, rx_errors, no_buffer, tx_errors;
	uint64_t read_ns; /* 0: not since its start */
};

/** One port. Written by the main thread alone, before workers start and after they end. */
struct port {
	const struct config_port *config;
	uint16_t id; /* DPDK's */
	bool opened, started;
	bool rx_interrupts;   /* of each RX queue, asked for: set it before port_setup() */
	bool link_down;       /* when last seen */
	bool link_doubted;    /* the device says "down", and frames arrive */
	bool queues_wait;     /* its TX queues know that the link is down */
	int link_fd;          /* for port_tell_link_events() */
	uint64_t link_downs;  /* times it went down */
	uint64_t down_frames; /* received, when it was last looked at and down */
	unsigned down_looks;  /* in a row that found more of them */
	int node;             /* NUMA node of the device; -1 = not known, or it has none */
	unsigned interface;   /* the kernel's index of it; 0: not the kernel's */
	struct choice choice; /* how it is set up, and why */
	struct port_nic nic;
	char driver[32];
	/* DPDK keeps a pointer to it; it only spreads frames over RX queues (packet/hash.h) */
	uint8_t rss_key[CHOOSE_RSS_KEY_MAX];
};

/** What the device lost by itself: never seen by gateau, or not sent after it was handed over. */
struct port_nic_stats {
	uint64_t missed;    /* RX ring was full */
	uint64_t rx_errors; /* damaged */
	uint64_t no_buffer; /* pool was empty */
	uint64_t tx_errors;
};

/** Largest frame that may arrive at or leave a port of this MTU. */
static inline uint32_t port_max_frame(uint16_t mtu)
{
	return (uint32_t)mtu + PORT_FRAME_OVERHEAD;
}

/** A NIC's place in a ring holds a buffer, a software device's a frame of any number of them. */
static inline uint32_t port_buffers_per_place(const char *device, uint32_t max_frame)
{
	return device_is_pci(device) ? 1 : pool_mbufs_of(max_frame);
}

/**
 * Find the device, creating it if it is virtual, and check that it can do what @config asks.
 * 0, what device_find() returns, or -ERANGE (queues, MTU).
 *
 * @param segmented  some port has frames longer than one buffer
 */
int port_open(struct port *port, const struct config_port *config, bool segmented);

/**
 * Choose anew how the device is set up, for @config: port->choice, which has the reasons.
 * 0; -ERANGE: it cannot do that; or what it says when it is asked.
 */
int port_choose(struct port *port, const struct config_port *config, bool segmented);

/** Whether it can be set up and started again once it was stopped: net_af_packet cannot. */
bool port_can_start_again(const struct port *port);

/** Configure device and queues as was chosen when it was opened. */
int port_setup(struct port *port, const struct pool *pool);

/** Say on the log how it is set up, and why. */
void port_announce(const struct port *port);

/** Start the device; a link that is down is told of, and no error. */
int port_start(struct port *port);

/** Say if the link went down or came up since it was last looked at; also while workers run. */
void port_watch_link(struct port *port);

/**
 * Where the device says itself when its link changes, have @fd, an eventfd, written to then, from
 * whatever thread, until port_ignore_link_events(). 0 or -errno, which it says.
 */
int port_tell_link_events(struct port *port, int fd);
void port_ignore_link_events(struct port *port);

/** Stop, and free what a device without descriptors of its own still holds. */
void port_stop(struct port *port);

/** Give the device up; harmless on a port that is not open. */
void port_close(struct port *port);

/**
 * Buffers that may be missing after the port was closed, at most, since its driver is known not to
 * give them back: net_af_xdp forgets those that the kernel has to fill, or has sent.
 */
uint32_t port_buffers_kept(const struct port *port);

/** Ask the device for its counters, at @now ns; each 3.5 s at least (nic_counter.h). */
void port_read_nic(struct port *port, uint64_t now);

/** The device's counters since its start, when it was asked last; zeros where it has none. */
void port_nic_stats(const struct port *port, struct port_nic_stats *out);

#endif
