/* SPDX-License-Identifier: BSD-3-Clause */
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>

#include "harness.h"

static const struct config_port port_configs[PORTS] = {
	{.name = "in", .device = "net_ring_in", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
	{.name = "out", .device = "net_ring_out", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
};

struct port ports[PORTS];
static struct worker_control control;
struct worker workers[2];
struct txq *txq;

int pair_start(void **state)
{
	if (harness_start(state))
		return -1;
	for (unsigned i = 0; i < PORTS; i++)
		if (port_open(&ports[i], &port_configs[i], false) ||
		    port_setup(&ports[i], &harness_pool) || port_start(&ports[i]))
			return -1;
	control.map = harness_pool.map;
	return 0;
}

int pair_stop(void **state)
{
	for (unsigned i = 0; i < PORTS; i++) {
		port_stop(&ports[i]);
		port_close(&ports[i]);
	}
	return harness_stop(state);
}

void join_with(unsigned tx, const struct cake_params *cake)
{
	struct txq_params params = {.map = harness_pool.map, .port = ports[OUT].id, .home = tx};
	struct worker_rx rx = {.device = ports[IN].id,
			       .port = IN,
			       .to_port = OUT,
			       .mtu = 1500,
			       .describer = &harness_describer,
			       .split_gso = cake->split_gso};

	params.cake = *cake;
	assert_int_equal(txq_create(&txq, &params), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(worker_init(&workers[i], &control, 1, 1), 0);
	assert_int_equal(
		dispatch_create(&workers[0].to[OUT], &txq, 1, STEER_FLOW, 0, &workers[0].dead), 0);
	rx.to = workers[0].to[OUT];
	worker_add_rx(&workers[0], &rx);
	worker_add_tx(&workers[tx], &(struct worker_tx){.queue = txq});
}

void join(unsigned tx)
{
	struct cake_params params;

	cake_params_default(&params);
	join_with(tx, &params);
}

void join_washing(void)
{
	struct cake_params params;

	cake_params_default(&params);
	params.wash = true;
	join_with(0, &params);
}

void part(void)
{
	txq_purge(txq);
	txq_destroy(txq);
	for (unsigned i = 0; i < 2; i++)
		worker_fini(&workers[i]);
}

void give(struct rte_mbuf *m)
{
	assert_int_equal(rte_eth_tx_burst(ports[IN].id, 0, &m, 1), 1);
}

struct rte_mbuf *take(void)
{
	struct rte_mbuf *m;

	return rte_eth_rx_burst(ports[OUT].id, 0, &m, 1) ? m : NULL;
}

unsigned take_all(void)
{
	struct rte_mbuf *m;
	unsigned n = 0;

	for (; (m = take()); n++)
		rte_pktmbuf_free(m);
	return n;
}

void settle(struct worker *w, uint64_t now)
{
	while (worker_pass(w, now, true))
		;
}

uint64_t drops(unsigned port, enum worker_drop reason)
{
	if (port == OUT && reason == WORKER_DROP_DEFER)
		return counter_get(&dispatch_counters(workers[0].to[OUT])->defer);
	return counter_get(&workers[0].ports[port].dropped[reason]);
}

void assert_conserved(void)
{
	const struct txq_counters *c = txq_counters(txq);
	uint64_t sum = counter_get(&c->sent_packets) + counter_get(&c->gso_no_buffer) +
		       counter_get(&c->link_down);

	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		sum += counter_get(&c->dropped[d]);
	for (unsigned r = 0; r < WORKER_DROPS; r++)
		sum += drops(IN, r) + drops(OUT, r);
	sum += txq_queued(txq) + txq_deferred(txq) + txq_held(txq);
	assert_int_equal(counter_get(&workers[0].ports[IN].rx_packets) +
				 counter_get(&workers[0].ports[OUT].segments_added) +
				 counter_get(&c->segments_added),
			 sum);
}

struct rte_mbuf *pass(struct rte_mbuf *m)
{
	give(m);
	settle(&workers[0], START_NS);
	return take();
}

void read_bytes(const struct rte_mbuf *m, uint8_t *to, uint32_t n)
{
	const void *p = rte_pktmbuf_read(m, 0, n, to);

	assert_non_null(p);
	memmove(to, p, n);
}

struct rte_mbuf *take_all_buffers(void)
{
	struct rte_mbuf *m, *all = NULL;

	while ((m = rte_pktmbuf_alloc(harness_pool.mempool))) {
		m->next = all;
		all = m;
	}
	return all;
}

void free_all_buffers(struct rte_mbuf *all)
{
	while (all) {
		struct rte_mbuf *next = all->next;

		all->next = NULL;
		rte_pktmbuf_free(all);
		all = next;
	}
}

uint64_t sent_by(unsigned place)
{
	struct cake_stats stats;

	txq_stats(txq, &stats);
	return stats.tins[cake_tin_order(CAKE_DIFFSERV3, place - 1)].sent_packets;
}
