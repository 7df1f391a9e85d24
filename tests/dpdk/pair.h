/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ring ports and the workers between them, in virtual time. A ring port is a loop: what is sent
 * to it can be received from it.
 */
#ifndef TESTS_DPDK_PAIR_H
#define TESTS_DPDK_PAIR_H

#include "harness.h"
#include "lcore/worker.h"
#include "port/port.h"

enum { IN, OUT, PORTS };

#define RING_ROOM 1023 /* frames a ring port holds */

extern struct port ports[PORTS];
extern struct worker workers[2];
extern struct txq *txq; /* OUT's */

/** cmocka group fixtures: harness_start() and the ports. */
int pair_start(void **state);
int pair_stop(void **state);

/** Worker 0 polls IN; worker @tx runs OUT's queue. Undo with part(). */
void join_with(unsigned tx, const struct cake_params *cake);
/** With the default scheduler, unlimited. */
void join(unsigned tx);
void join_washing(void);
void part(void);

void give(struct rte_mbuf *m);
/** The next frame that left, or NULL. */
struct rte_mbuf *take(void);
/** How many were left to take; all are freed. */
unsigned take_all(void);
/** Pass until nothing moves. */
void settle(struct worker *w, uint64_t now);
/** What comes out when @m goes in, NULL if nothing does. */
struct rte_mbuf *pass(struct rte_mbuf *m);

/** Of worker 0. */
uint64_t drops(unsigned port, enum worker_drop reason);
/** Packets that left by the tin at @place of tc's list, from 1. */
uint64_t sent_by(unsigned place);
/** Received + segments added = sent + dropped + inside, over both workers. */
void assert_conserved(void);

/** The first @n bytes, wherever they lie. */
void read_bytes(const struct rte_mbuf *m, uint8_t *to, uint32_t n);

/** A list of all the buffers there are. */
struct rte_mbuf *take_all_buffers(void);
void free_all_buffers(struct rte_mbuf *all);

#endif
