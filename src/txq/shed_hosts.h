/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host isolation under a flood: how much more a flow pays because its host has several. No DPDK.
 *
 * A host with 1,000 flows is to have the part of one host, so each of its flows pays a thousandfold
 * for a packet: its weight. The holder, which sees what all lcores bring, counts the flows of each
 * host as they begin, and then corrects: a host that got twice what V went on has half the weight
 * that it should. With both hosts isolated the larger weight counts, as in CAKE.
 *
 * The holder writes; receiving lcores read a line per packet while the queue is overloaded. Hosts
 * that do not fit weigh 1, as if they had a single flow each.
 */
#ifndef GATEAU_TXQ_SHED_HOSTS_H
#define GATEAU_TXQ_SHED_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

/** Hosts at once, of all tins: the holder goes through them every 50 us, which takes 1 us. */
#define SHED_HOSTS_MAX 1024

/** A weight of 1. */
#define SHED_WEIGHT_ONE 256

struct shed_hosts;

/** 0 or -ENOMEM. No hosts are isolated yet. */
int shed_hosts_create(struct shed_hosts **out);
void shed_hosts_destroy(struct shed_hosts *h);

/** Holder: count the hosts that @mode isolates beside flows. */
void shed_hosts_isolate(struct shed_hosts *h, enum cake_flowmode mode);

/** Any thread: of a packet in tin @tin, in units of 1 / SHED_WEIGHT_ONE. */
uint32_t shed_hosts_weight(const struct shed_hosts *h, const struct cake_packet *p, unsigned tin);

/** Holder: a packet of an overloaded tin came in; @first: the first of its flow since it is. */
void shed_hosts_arrived(struct shed_hosts *h, const struct cake_packet *p, unsigned tin,
			bool first);

/** Holder: V of @tin went on by @v bytes; its packets have @len bytes on average. */
void shed_hosts_update(struct shed_hosts *h, unsigned tin, double v, double len);

/** Holder: hosts that flows of @tin have begun of: what flows are counted by, instead of flows. */
unsigned shed_hosts_count(const struct shed_hosts *h, unsigned tin);

/** Holder: @tin is overloaded from here on; what was so of its hosts before is over. */
void shed_hosts_reset(struct shed_hosts *h, unsigned tin);

#endif
