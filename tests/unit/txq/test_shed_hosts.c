/* SPDX-License-Identifier: BSD-3-Clause */
/* What flows pay for their hosts, with what hosts send set by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "txq/shed_hosts.h"

#define LEN 100

static struct shed_hosts *create(enum cake_flowmode mode)
{
	struct shed_hosts *h;

	assert_int_equal(shed_hosts_create(&h), 0);
	shed_hosts_isolate(h, mode);
	return h;
}

static struct cake_packet packet(uint32_t src, uint32_t dst)
{
	return (struct cake_packet){.len = LEN, .src_hash = src, .dst_hash = dst};
}

static double weight(const struct shed_hosts *h, uint32_t src, uint32_t dst)
{
	struct cake_packet p = packet(src, dst);

	return (double)shed_hosts_weight(h, &p, 0) / SHED_WEIGHT_ONE;
}

/** Host @src sends @n packets to @dst, each the @first of its flow or not. */
static void send(struct shed_hosts *h, uint32_t src, uint32_t dst, unsigned n, bool first)
{
	struct cake_packet p = packet(src, dst);

	for (unsigned i = 0; i < n; i++)
		shed_hosts_arrived(h, &p, 0, first);
}

static void modes_without_hosts_beside_flows_count_none(void **state)
{
	static const enum cake_flowmode modes[] = {CAKE_FLOWS, CAKE_HOSTS};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct shed_hosts *h = create(modes[i]);

		send(h, 1, 7, 1000, true);
		shed_hosts_update(h, 0, 0, LEN);
		assert_true(weight(h, 1, 7) == 1);
		assert_int_equal(shed_hosts_count(h, 0), 0);
		shed_hosts_destroy(h);
	}
}

static void a_flow_pays_for_all_of_its_host(void **state)
{
	struct shed_hosts *h = create(CAKE_DUAL_SRCHOST);

	(void)state;
	send(h, 1, 7, 1000, true);
	send(h, 2, 7, 1, true);
	shed_hosts_update(h, 0, 0, LEN);
	assert_true(weight(h, 1, 7) == 1000);
	assert_true(weight(h, 2, 7) == 1);
	assert_true(weight(h, 3, 7) == 1);
	assert_int_equal(shed_hosts_count(h, 0), 2);
	shed_hosts_destroy(h);
}

/* One source with flows to many, beside one flow: the source weighs, its destinations do not. */
static void the_heavier_of_both_hosts_counts(void **state)
{
	struct shed_hosts *h = create(CAKE_TRIPLE_ISOLATE);

	(void)state;
	for (uint32_t dst = 100; dst < 200; dst++)
		send(h, 1, dst, 1, true);
	send(h, 2, 300, 1, true);
	shed_hosts_update(h, 0, 0, LEN);
	assert_true(weight(h, 1, 150) == 100);
	assert_true(weight(h, 2, 300) == 1);
	assert_int_equal(shed_hosts_count(h, 0), 2);
	shed_hosts_destroy(h);
}

/* The weight comes to what makes it even: half of the flows are idle, so 1,000 is twice too much.
 * What came in right after a change is not counted, as flows still go by the weight before. */
static void a_host_that_gets_less_than_v_is_corrected(void **state)
{
	struct shed_hosts *h = create(CAKE_DUAL_DSTHOST);

	(void)state;
	send(h, 1, 7, 1000, true);
	shed_hosts_update(h, 0, 0, LEN);
	send(h, 1, 7, 5000, false);
	shed_hosts_update(h, 0, 1000 * LEN, LEN);
	assert_true(weight(h, 1, 7) == 1000);
	send(h, 1, 7, 500, false);
	shed_hosts_update(h, 0, 1000 * LEN, LEN);
	assert_true(weight(h, 1, 7) == 500);
	/* And again, the other way. */
	shed_hosts_update(h, 0, 500 * LEN, LEN);
	send(h, 1, 7, 750, false);
	shed_hosts_update(h, 0, 500 * LEN, LEN);
	assert_true(weight(h, 1, 7) == 750);
	shed_hosts_destroy(h);
}

static void nobody_pays_less_than_the_length(void **state)
{
	struct shed_hosts *h = create(CAKE_DUAL_SRCHOST);

	(void)state;
	send(h, 1, 7, 1, true);
	for (unsigned i = 0; i < 100; i++)
		shed_hosts_update(h, 0, 100 * LEN, LEN);
	assert_true(weight(h, 1, 7) == 1);
	shed_hosts_destroy(h);
}

static void tins_are_apart_and_reset_alone(void **state)
{
	struct shed_hosts *h = create(CAKE_DUAL_SRCHOST);
	struct cake_packet p = packet(1, 7);

	(void)state;
	send(h, 1, 7, 10, true);
	for (unsigned i = 0; i < 20; i++)
		shed_hosts_arrived(h, &p, 3, true);
	shed_hosts_update(h, 0, 0, LEN);
	shed_hosts_update(h, 3, 0, LEN);
	assert_true(weight(h, 1, 7) == 10);
	assert_int_equal(shed_hosts_weight(h, &p, 3), 20 * SHED_WEIGHT_ONE);
	shed_hosts_reset(h, 0);
	assert_true(weight(h, 1, 7) == 1);
	assert_int_equal(shed_hosts_count(h, 0), 0);
	assert_int_equal(shed_hosts_weight(h, &p, 3), 20 * SHED_WEIGHT_ONE);
	shed_hosts_destroy(h);
}

/* 100,000 hosts with a flow each take no place from one with two, which came first. */
static void hosts_of_one_flow_make_room(void **state)
{
	struct shed_hosts *h = create(CAKE_DUAL_SRCHOST);

	(void)state;
	send(h, 1, 7, 2, true);
	shed_hosts_update(h, 0, 0, LEN);
	for (uint32_t src = 1000; src < 101000; src++)
		send(h, src, 7, 1, true);
	assert_true(weight(h, 1, 7) == 2);
	assert_in_range(shed_hosts_count(h, 0), 1, SHED_HOSTS_MAX);
	shed_hosts_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_without_hosts_beside_flows_count_none),
		cmocka_unit_test(a_flow_pays_for_all_of_its_host),
		cmocka_unit_test(the_heavier_of_both_hosts_counts),
		cmocka_unit_test(a_host_that_gets_less_than_v_is_corrected),
		cmocka_unit_test(nobody_pays_less_than_the_length),
		cmocka_unit_test(tins_are_apart_and_reset_alone),
		cmocka_unit_test(hosts_of_one_flow_make_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
