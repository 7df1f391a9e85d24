/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration takes in buffers, and the largest packets it lets through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/plan.h"

#define MB (1 << 20)

/** Two ports, the second of which sends what arrives at the first. */
static struct gateau_config *linked(void)
{
	static struct gateau_config cfg;

	cfg = (struct gateau_config){.n_ports = 2, .n_links = 1, .links[0] = {.from = 0, .to = 1}};
	for (unsigned i = 0; i < 2; i++) {
		struct config_port *p = &cfg.ports[i];

		p->rx_queues = p->tx_queues = 1;
		p->mtu = 1500;
		strcpy(p->device, "net_null0");
		config_scheduler_default(&p->scheduler);
		p->scheduler.cake.memlimit = 8 * MB;
	}
	return &cfg;
}

static struct pool_plan planned(const struct gateau_config *cfg)
{
	struct pool_plan plan;
	struct config_error err;

	assert_int_equal(plan_buffers(&plan, cfg, NULL, 2, &err), 0);
	return plan;
}

/* Nobody's memory limit is lent to another: each may be full at the same time. */
static void each_tx_queue_has_room_for_its_memory_limit_and_ring(void **state)
{
	struct gateau_config *cfg = linked();
	const struct pool_plan one = planned(cfg);
	struct pool_plan many;

	(void)state;
	assert_int_equal(one.queued, 8 * MB / one.element_bytes);
	cfg->ports[1].tx_queues = 64;
	many = planned(cfg);
	assert_int_equal(many.queued, 64ull * 8 * MB / many.element_bytes);
	assert_int_equal(many.deferred, 64 * one.deferred);
	assert_true(many.descriptors > one.descriptors);
	assert_true(many.in_hand > one.in_hand);
	assert_true(plan_memory_mb(&many, 2) > plan_memory_mb(&one, 2) + 63 * 8);
}

/* 2 ports: a burst received, a burst held; 2 workers: a batch on its way in and all that a full
 * ring pushes out, since its places may be taken anew before that is freed. */
static void what_workers_have_in_hand_has_room(void **state)
{
	struct gateau_config *cfg = linked();

	(void)state;
	assert_int_equal(planned(cfg).in_hand, 2 * (32 + 32) + 2 * (256 + 1024 + 256));
	/* five buffers to a frame */
	cfg->ports[1].mtu = 9000;
	assert_int_equal(planned(cfg).in_hand, 5 * 2 * (32 + 32) + 5 * 2 * (256 + 1024 + 256));
}

static void queues_that_no_link_leads_to_hold_nothing(void **state)
{
	struct gateau_config *cfg = linked();
	const struct pool_plan one = planned(cfg);

	(void)state;
	cfg->ports[0].tx_queues = 64;
	assert_int_equal(planned(cfg).queued, one.queued);
	assert_int_equal(planned(cfg).deferred, one.deferred);
}

static void the_largest_packet_is_what_the_shaper_counts(void **state)
{
	static const struct port ports[2];
	struct gateau_config *cfg = linked();
	struct cake_params *cake = &cfg->ports[1].scheduler.cake;

	(void)state;
	/* the frame, with two tags: 1500 + 14 + 8 */
	assert_int_equal(plan_largest_packet(cfg, ports, 1), 1522);
	/* from the network header, tags may be part of it: 1508 + 44, 33 cells */
	cake->overhead_set = true;
	cake->overhead = 44;
	assert_int_equal(plan_largest_packet(cfg, ports, 1), 1552);
	cake->atm = CAKE_ATM;
	assert_int_equal(plan_largest_packet(cfg, ports, 1), 33 * 53);
}

static void whole_super_packets_are_larger_with_the_headers_of_their_segments(void **state)
{
	static const struct port ports[2] = {{.choice.super_packets = true}};
	struct gateau_config *cfg = linked();

	(void)state;
	assert_int_equal(plan_largest_packet(cfg, ports, 1), 1522);
	cfg->ports[1].scheduler.cake.split_gso = false;
	assert_in_range(plan_largest_packet(cfg, ports, 1), UINT16_MAX + 511 * (22 + 100), 200000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_tx_queue_has_room_for_its_memory_limit_and_ring),
		cmocka_unit_test(what_workers_have_in_hand_has_room),
		cmocka_unit_test(queues_that_no_link_leads_to_hold_nothing),
		cmocka_unit_test(the_largest_packet_is_what_the_shaper_counts),
		cmocka_unit_test(whole_super_packets_are_larger_with_the_headers_of_their_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
