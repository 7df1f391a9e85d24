/* SPDX-License-Identifier: BSD-3-Clause */
/* See plan.h. */
#include "dataplane/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_ether.h>

#include "cake/adjust.h"
#include "lcore/topology.h"
#include "lcore/worker.h"
#include "port/gso.h"
#include "txq/txq.h"

/* Descriptors assumed of a queue at least, since drivers may choose: what common ones allow at
 * most. Memory set aside for too many is never touched. */
#define DESCRIPTORS_ASSUMED 4096

/* What DPDK needs beside the pool: the pool's ring of pointers, rings and tables of ports. */
#define MEMORY_FIXED_MB    16
#define MEMORY_PER_PORT_MB 2

/* IPv6 and TCP with all options: what each segment of a super-packet repeats. */
#define TCP_HEADERS_MAX (40 + 60)

#define MB (UINT64_C(1) << 20)

uint32_t plan_longest_frame(const struct gateau_config *cfg)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < cfg->n_ports; i++)
		longest = RTE_MAX(longest, port_max_frame(cfg->ports[i].mtu));
	return longest;
}

/** Whether super-packets wait in the queue of a port as such. */
static bool queues_super_packets(const struct config_port *c, bool super_packets)
{
	return super_packets && !c->scheduler.cake.split_gso;
}

/** A queue whose limit no frame fits drops all of them. */
static int check_memory_limit(const struct config_port *c, bool super_packets,
			      uint32_t element_bytes, struct config_error *err)
{
	bool super = queues_super_packets(c, super_packets);
	uint32_t longest = super ? MBUF_FRAME_MAX : port_max_frame(c->mtu);
	uint64_t limit = cake_memory_limit(&c->scheduler.cake);
	uint64_t pinned = (uint64_t)pool_mbufs_of(longest) * element_bytes;

	if (limit >= pinned)
		return 0;
	if (super)
		snprintf(err->text, sizeof(err->text),
			 "port %s: scheduler.memlimit: %" PRIu64
			 " bytes; without split_gso one super-packet pins %" PRIu64
			 " bytes of buffer",
			 c->name, limit, pinned);
	else
		snprintf(err->text, sizeof(err->text),
			 "port %s: scheduler.memlimit: %" PRIu64
			 " bytes; one frame of MTU %u pins %" PRIu64 " bytes of buffer",
			 c->name, limit, c->mtu, pinned);
	return -EINVAL;
}

/** mbufs of super-packets that bursts brought in, of the segments that one of them is cut into, of
 * what an arrival pushes out of a full queue, and of a super-packet cut late. */
static uint32_t segments_of(const struct config_port *c)
{
	return c->rx_queues * (WORKER_RX_BURST * pool_mbufs_of(MBUF_FRAME_MAX) + GSO_SEGS_MAX) +
	       c->tx_queues * 3u * GSO_SEGS_MAX;
}

/** Whether super-packets may come in. @ports NULL: the devices are not known yet. */
static bool has_super_packets(const struct gateau_config *cfg, const struct port *ports)
{
	for (unsigned i = 0; i < cfg->n_ports; i++)
		if (ports ? ports[i].choice.super_packets
			  : choose_may_have_super_packets(cfg->ports[i].device))
			return true;
	return false;
}

/** Longest frame in a port's scheduler; @max_frame is the longest there is but super-packets. */
static uint32_t longest_queued(const struct config_port *c, bool super_packets, uint32_t max_frame)
{
	return queues_super_packets(c, super_packets) ? MBUF_FRAME_MAX : max_frame;
}

uint64_t plan_memory_room(const struct cake_params *p)
{
	struct cake_params unlimited = *p;

	unlimited.bandwidth_bps = 0;
	return RTE_MAX(cake_memory_limit(p), cake_memory_limit(&unlimited));
}

/** Where the frames of one port can be. @port NULL: the device is not known yet. */
static struct pool_demand demand_of(const struct config_port *c, const struct port *port,
				    bool scheduled, bool super_packets, uint32_t max_frame)
{
	uint32_t per_place = port_buffers_per_place(c->device, max_frame);
	uint32_t rx = RTE_MAX(c->rx_descriptors, DESCRIPTORS_ASSUMED);
	uint32_t tx = RTE_MAX(c->tx_descriptors, DESCRIPTORS_ASSUMED);

	if (port) {
		rx = port->choice.rx_room;
		tx = port->choice.tx_room;
	}
	return (struct pool_demand){
		.memory_limit = scheduled ? c->tx_queues * plan_memory_room(&c->scheduler.cake) : 0,
		.rx_descriptors = c->rx_queues * rx * per_place,
		.tx_descriptors = c->tx_queues * tx * per_place,
		.deferred = scheduled ? c->tx_queues * DEFER_SIZE : 0,
		.in_hand = c->rx_queues * WORKER_RX_BURST + c->tx_queues * TXQ_BURST,
		.segments = super_packets ? segments_of(c) : 0,
		.max_frame = max_frame,
		.tcp = scheduled, /* there may be an ACK filter one day, change.h */
	};
}

int plan_buffers(struct pool_plan *plan, const struct gateau_config *cfg, const struct port *ports,
		 unsigned n_workers, struct config_error *err)
{
	struct pool_demand demands[CONFIG_PORTS_MAX + 1];
	struct pool_demand *workers = &demands[cfg->n_ports];
	bool super_packets = has_super_packets(cfg, ports);
	uint32_t max_frame = plan_longest_frame(cfg);
	int ret;

	*workers = (struct pool_demand){.in_hand = n_workers * (uint32_t)TXQ_IN_HAND,
					.max_frame = max_frame};
	for (unsigned i = 0; i < cfg->n_ports; i++) {
		bool scheduled = topology_is_target(cfg, i);

		demands[i] = demand_of(&cfg->ports[i], ports ? &ports[i] : NULL, scheduled,
				       super_packets,
				       longest_queued(&cfg->ports[i], super_packets, max_frame));
		workers->max_frame = RTE_MAX(workers->max_frame, demands[i].max_frame);
	}
	/* The main thread has a cache, too: it frees what is left at the end. */
	ret = pool_plan(plan, demands, cfg->n_ports + 1, n_workers + 1);
	if (ret)
		snprintf(err->text, sizeof(err->text),
			 "the schedulers' memory limits are more than any machine has");
	for (unsigned i = 0; !ret && i < cfg->n_ports; i++)
		if (topology_is_target(cfg, i))
			ret = check_memory_limit(&cfg->ports[i], super_packets, plan->element_bytes,
						 err);
	return ret;
}

int plan_check_room(const struct pool_plan *pool, const struct gateau_config *cfg,
		    const struct port *ports, unsigned n_workers, struct config_error *err)
{
	struct pool_plan plan;
	int ret = plan_buffers(&plan, cfg, ports, n_workers, err);

	if (ret || plan.elements <= pool->elements)
		return ret;
	snprintf(
		err->text, sizeof(err->text),
		"the schedulers' memory limits take %u packet buffers with all else, and there are "
		"%u of %u bytes: a restart makes more",
		plan.elements, pool->elements, pool->element_bytes);
	return -ENOMEM;
}

uint32_t plan_memory_mb(const struct pool_plan *plan, unsigned n_ports)
{
	/* A pool's ring has twice as many pointers as elements at most. */
	uint64_t bytes = plan->bytes + UINT64_C(2) * sizeof(void *) * plan->elements;

	return (uint32_t)((bytes + MB - 1) / MB) + MEMORY_FIXED_MB + n_ports * MEMORY_PER_PORT_MB;
}

uint32_t plan_largest_packet(const struct gateau_config *cfg, const struct port *ports, unsigned p)
{
	const struct config_port *c = &cfg->ports[p];
	struct cake_packet largest = {
		.len = port_max_frame(c->mtu),
		.network_offset = RTE_ETHER_HDR_LEN,
	};
	struct adjust adjust;

	if (queues_super_packets(c, has_super_packets(cfg, ports))) {
		largest.len = MBUF_FRAME_MAX;
		largest.gso_segs = GSO_SEGS_MAX;
		largest.gso_size = MBUF_FRAME_MAX / GSO_SEGS_MAX;
		largest.gso_header = PORT_FRAME_OVERHEAD + TCP_HEADERS_MAX;
	}
	adjust_init(&adjust, &c->scheduler.cake);
	return adjust_length(&adjust, &largest);
}
