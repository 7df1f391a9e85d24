/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The holder's side of shedding: is a tin overloaded, and how fast may each of its flows send?
 * No DPDK, no clock.
 *
 * What is offered is not known and need not be. Two things are measured of each tin: what it is
 * served with while it has something waiting, C, and how many bytes came in per byte that V went
 * on, which is the number of flows that use V up. V then goes at C / flows, a little faster or
 * slower as the standing queue is shorter or longer than it should be: the queue is never empty, so
 * the link never idles, and never long.
 *
 * It looks every SHED_CONTROL_NS. While nothing is overloaded that is a few comparisons per tin.
 */
#ifndef GATEAU_TXQ_SHED_CONTROL_H
#define GATEAU_TXQ_SHED_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "txq/shed.h"

#define SHED_CONTROL_NS 50000

/** Bytes of a tin since the beginning. */
struct shed_traffic {
	uint64_t arrived, packets; /* taken in; packets too */
	uint64_t sent, dropped;    /* out of the instance */
	uint64_t opened, flows; /* first ones of flows, and how many: shed_arrived() keeps these */
};

struct shed_control;

/** For the queue of @s. 0 or -ENOMEM. */
int shed_control_create(struct shed_control **out, struct shed *s);
void shed_control_destroy(struct shed_control *c);

/**
 * The queue is going to have other tins, or tell flows apart by other means: nothing is overloaded
 * until shed_control_resume(), with the traffic as it is then. What traffic was dropped of counts
 * from 0.
 */
void shed_control_suspend(struct shed_control *c, uint64_t now);
void shed_control_resume(struct shed_control *c, uint64_t now);

/** The tins' traffic, for the holder to keep up to date where shed_control_is_due(). */
struct shed_traffic *shed_traffic(struct shed_control *c);

/**
 * Packet @p went into the instance, in tin @p->tin, and was judged to be @first. Needed only while
 * a tin is overloaded.
 */
void shed_arrived(struct shed_control *c, const struct cake_packet *p, enum shed_first first);

/**
 * Flows that use up what they may have of the overloaded tins, hosts where these are isolated; no
 * more than the instance tells apart. 0: no tin is overloaded.
 */
uint32_t shed_control_parties(const struct shed_control *c);

/** A run has begun, with @n packets in the ring where @limit may be. */
void shed_saw_ring(struct shed_control *c, unsigned n, unsigned limit);

/** A run has ended. Returns whether the control is to look at it: every SHED_CONTROL_NS. */
bool shed_control_is_due(struct shed_control *c, uint64_t now);

/** Look, with the traffic as it is at @now. */
void shed_control_run(struct shed_control *c, uint64_t now);

#endif
