/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections and probes through a world: what they measure is what the world did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "closed.h"
#include "world.h"

#define US 1000ull
#define MS 1000000ull

/** Two directions of 100 Mbit/s, two queues each, 1 ms there and back. */
static struct world *create_world(void)
{
	struct world_params p = {.ports = 2,
				 .queues = 2,
				 .rx_lcores = 2,
				 .tx_lcores = 2,
				 .rx_ring = 1024,
				 .tx_ring = 1024,
				 .delay_ns = 500 * US,
				 .duration = 500 * MS,
				 .seed = 1};
	struct world *w;

	cake_params_default(&p.cake);
	p.cake.bandwidth_bps = 100000000;
	p.cake.flowmode = CAKE_FLOWS;
	cost_default(&p.cost);
	assert_int_equal(world_create(&w, &p), 0);
	return w;
}

static void run(struct world *w, struct phase *phases, unsigned n)
{
	assert_null(world_run(w, phases, n));
}

static const struct tally *tally(const struct world *w, unsigned flow)
{
	return &w->flows[flow]->tally;
}

/* 1 ms of wires, and some passes of lcores: nothing waits for anything. */
static void a_ping_takes_what_the_way_takes(void **state)
{
	const struct closed_probe_params ping = {
		.name = "ping", .flows = 2, .size = 98, .interval_ns = 10 * MS};
	struct phase phase = {.from = WORLD_START, .until = WORLD_START + 490 * MS};
	struct world *w = create_world();
	struct closed *c = closed_create_probes(w, &ping);
	const struct histogram *rtts;

	(void)state;
	run(w, &phase, 1);
	rtts = &phase.rtts[0];
	assert_in_range(rtts->n, 2 * 40, 2 * 60);
	assert_in_range(rtts->min, 1000 * US, 1002 * US);
	assert_in_range(rtts->max, 1000 * US, 1010 * US);
	assert_int_equal(w->flows[2]->port, 1);
	assert_int_equal(tally(w, 2)->sent_packets, tally(w, 0)->sent_packets);
	world_free_phases(&phase, 1);
	closed_destroy(c);
	world_destroy(w);
}

/* By when it was sent, not by when the answer came. */
static void a_ping_belongs_to_the_phase_it_began_in(void **state)
{
	const struct closed_probe_params ping = {
		.name = "ping", .flows = 1, .size = 98, .interval_ns = 400 * US};
	struct phase phases[2] = {
		{.from = WORLD_START, .until = WORLD_START + 1 * MS},
		{.from = WORLD_START + 1 * MS, .until = WORLD_START + 490 * MS},
	};
	struct world *w = create_world();
	struct closed *c = closed_create_probes(w, &ping);

	(void)state;
	run(w, phases, 2);
	assert_in_range(phases[0].rtts[0].n, 1, 5);
	assert_in_range(phases[1].rtts[0].n, 800, 2450);
	world_free_phases(phases, 2);
	closed_destroy(c);
	world_destroy(w);
}

/* What its receiver handed on was sent, once for each segment; it is all of the link but headers
 * and the start. */
static void a_connection_fills_its_port(void **state)
{
	const struct closed_tcp_params up = {.name = "up",
					     .flows = 1,
					     .n_dscps = 1,
					     .dscps = {46},
					     .algorithm = TCP_CUBIC,
					     .from = 10 * MS};
	struct phase phase = {.from = WORLD_START + 100 * MS, .until = WORLD_START + 500 * MS};
	struct world *w = create_world();
	struct closed *c = closed_create_tcp(w, &up);
	const struct tally *data;

	(void)state;
	run(w, &phase, 1);
	data = tally(w, 0);
	assert_int_equal(w->flows[0]->dscp, 46);
	assert_int_equal(w->flows[0]->flow_hash, w->flows[1]->flow_hash);
	assert_true(data->payload / TCP_MSS <= data->sent_packets - data->again + data->lost);
	assert_true(phase.end.flows[0].payload - phase.begin.flows[0].payload >
		    0.97 * 0.4 * 100e6 / 8 * TCP_MSS / (TCP_MSS + TCP_HEADERS));
	assert_in_range(tally(w, 1)->sent_packets, data->sent_packets / 2, data->sent_packets);
	world_free_phases(&phase, 1);
	closed_destroy(c);
	world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ping_takes_what_the_way_takes),
		cmocka_unit_test(a_ping_belongs_to_the_phase_it_began_in),
		cmocka_unit_test(a_connection_fills_its_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
