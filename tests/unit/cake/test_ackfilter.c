/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/ackfilter: which queued acknowledgement a newly appended one makes superfluous.
 *
 * A queue is built of records, its last one is the trigger; what the filter takes is told by its
 * place from the head. RFC 5681 (duplicate ACKs), RFC 2018 (SACK), RFC 2883 (DSACK), RFC 3168 (ECE,
 * CWR), RFC 7323 (timestamps).
 */
#include "cake/ackfilter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kit.h"

#define ECE 0x40
#define CWR 0x80

#define NOTHING    (-1)
#define NOT_TCP    ((struct cake_tcp){.version = 0})
#define ROOM       64
#define ON         CAKE_ACK_FILTER_ON
#define AGGRESSIVE CAKE_ACK_FILTER_AGGRESSIVE

/* An acknowledgement of everything before @number. */
static struct cake_tcp ack(uint32_t number)
{
	return (struct cake_tcp){
		.src = {10, 0, 0, 1},
		.dst = {10, 0, 0, 2},
		.sport = 50000,
		.dport = 443,
		.version = 4,
		.ack = number,
		.supersedes = true,
		.pure = true,
	};
}

/* A segment with payload, which acknowledges, too. */
static struct cake_tcp data(uint32_t number)
{
	struct cake_tcp tcp = ack(number);

	tcp.pure = false;
	return tcp;
}

static struct cake_tcp ack_ecn(uint32_t number, uint8_t flags)
{
	struct cake_tcp tcp = ack(number);

	tcp.ecn_flags = flags;
	return tcp;
}

static struct cake_tcp ack_time(uint32_t number, uint32_t tsval, uint32_t tsecr)
{
	struct cake_tcp tcp = ack(number);

	tcp.timestamp = true;
	tcp.tsval = tsval;
	tcp.tsecr = tsecr;
	return tcp;
}

/* @n SACK blocks, each as its first byte and the one after its last. */
static struct cake_tcp ack_sack(uint32_t number, unsigned n, const uint32_t (*blocks)[2])
{
	struct cake_tcp tcp = ack(number);

	tcp.sacks = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		tcp.sack[i] = (struct cake_sack){.start = blocks[i][0], .end = blocks[i][1]};
	return tcp;
}

#define SACK(number, ...)                                                                     \
	ack_sack(number, sizeof((const uint32_t[][2]){__VA_ARGS__}) / (2 * sizeof(uint32_t)), \
		 (const uint32_t[][2]){__VA_ARGS__})

/* What is taken of a queue of @n, the last of them the trigger; that the others stay in order is
 * checked. NOTHING or a place from 0. */
static int taken(enum cake_ack_filter mode, uint32_t most, const struct cake_tcp *tcps, unsigned n)
{
	struct fifo queue;
	struct slab slab;
	uint32_t i, place = 0;
	int found;

	assert_int_equal(slab_init(&slab, ROOM, true), 0);
	fifo_init(&queue);
	for (unsigned k = 0; k < n; k++) {
		i = slab_get(&slab);
		slab.descs[i] = (struct desc){.handle = k, .tcp = tcps[k].version != 0};
		slab.tcps[i] = tcps[k];
		fifo_push(&queue, &slab, i);
	}
	i = ackfilter_take(&queue, &slab, mode, most);
	found = i == SLAB_NONE ? NOTHING : (int)slab.descs[i].handle;
	while ((i = fifo_pop(&queue, &slab)) != SLAB_NONE) {
		place += (int)place == found;
		assert_int_equal(slab.descs[i].handle, place++);
	}
	place += (int)place == found;
	assert_int_equal(place, n);
	slab_fini(&slab);
	return found;
}

#define TAKEN(mode, ...)                                             \
	taken(mode, ACKFILTER_ALL, (struct cake_tcp[]){__VA_ARGS__}, \
	      sizeof((struct cake_tcp[]){__VA_ARGS__}) / sizeof(struct cake_tcp))

static void of_two_superfluous_acks_the_older_goes(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(ON, ack(1), ack(2), ack(3)), 0);
	assert_int_equal(TAKEN(ON, data(1), ack(1), data(1), ack(2), data(2), ack(3)), 1);
	assert_int_equal(TAKEN(ON, ack(1), ack(2), data(3)), 0); /* it may carry data */
	assert_int_equal(TAKEN(ON, ack(1)), NOTHING);
}

static void one_superfluous_ack_stays_unless_aggressive(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(ON, ack(1), ack(2)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), ack(2)), 0);
	assert_int_equal(TAKEN(AGGRESSIVE, data(1), ack(1), ack(2)), 1);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), ack(2), ack(3)), 0);
}

static void aggressive_takes_a_single_one_only_from_directly_before(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), data(1), ack(2)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), NOT_TCP, ack(2)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), ack_ecn(2, ECE)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack_ecn(1, ECE), ack(2)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack_ecn(1, ECE), ack_ecn(2, ECE)), 0);
}

static void duplicate_acks_stay(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(AGGRESSIVE, ack(5), ack(5)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(5), ack(5), ack(5), ack(5)), NOTHING);
	assert_int_equal(TAKEN(ON, ack(5), ack(5), ack(5), ack(5)), NOTHING);
	/* until the hole is filled */
	assert_int_equal(TAKEN(ON, ack(5), ack(5), ack(5), ack(9)), 0);
}

static void an_ack_of_more_is_never_taken(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(AGGRESSIVE, ack(9), ack(9), ack(8)), NOTHING);
	assert_int_equal(TAKEN(ON, ack(9), ack(1), ack(2), ack(8)), 1);
}

static void numbers_go_round(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(AGGRESSIVE, ack(UINT32_MAX), ack(0)), 0);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(0), ack(UINT32_MAX)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(0x80000001), ack(0)), 0); /* 2^31 - 1 ahead */
	assert_int_equal(TAKEN(AGGRESSIVE, ack(0x7fffffff), ack(0)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack_time(1, UINT32_MAX, UINT32_MAX), ack_time(2, 0, 0)),
			 0);
}

static void sacks_that_grow_make_the_smaller_superfluous(void **state)
{
	(void)state;
	/* the same number: only what says more replaces it */
	assert_int_equal(TAKEN(AGGRESSIVE, ack(5), SACK(5, {10, 20})), 0);
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}), SACK(5, {10, 30})), 0);
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}), SACK(5, {40, 50}, {10, 20})), 0);
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}), SACK(5, {10, 20})), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 30}), SACK(5, {10, 20})), NOTHING);
	/* a later number needs only the same blocks */
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}), SACK(6, {10, 20})), 0);
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}, {30, 40}), SACK(6, {10, 40})), 0);
}

static void a_block_that_is_not_repeated_is_kept(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}), ack(6)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}, {30, 40}), SACK(6, {30, 50})),
			 NOTHING);
	/* half of it in either of two blocks */
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}), SACK(6, {10, 15}, {15, 20})),
			 NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}), SACK(6, {11, 20})), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(5, {10, 20}), SACK(6, {10, 19})), NOTHING);
}

static void a_dsack_is_kept(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(50, {10, 20}), SACK(60, {10, 20})), NOTHING);
	assert_int_equal(
		TAKEN(AGGRESSIVE, SACK(50, {70, 80}, {10, 20}), SACK(60, {70, 80}, {10, 20})),
		NOTHING);
	/* one that begins with the number itself is none */
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(50, {50, 60}), SACK(51, {50, 60})), 0);
	/* in the later one it takes nothing from the earlier */
	assert_int_equal(TAKEN(AGGRESSIVE, SACK(50, {70, 80}), SACK(60, {10, 20}, {70, 80})), 0);
}

static void a_change_of_ece_or_cwr_saves_the_ack_before_it(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(ON, ack(1), ack_ecn(2, ECE), ack_ecn(3, ECE)), NOTHING);
	assert_int_equal(TAKEN(ON, ack(1), ack_ecn(2, CWR), ack(3)), NOTHING);
	assert_int_equal(TAKEN(ON, ack(1), ack_ecn(2, ECE), ack(3), ack(4)), NOTHING);
	/* from the change on the count begins anew */
	assert_int_equal(TAKEN(ON, ack(1), ack_ecn(2, ECE), ack_ecn(3, ECE), ack(4)), 1);
	/* a change is one also where it is not on an ACK that could go */
	struct cake_tcp change = data(1);

	change.ecn_flags = CWR;
	assert_int_equal(TAKEN(ON, ack(1), change, ack(2), ack(3)), NOTHING);
	/* what another connection says does not count */
	change.dport = 80;
	assert_int_equal(TAKEN(ON, ack(1), change, ack(2), ack(3)), 0);
}

static void an_ack_with_a_newer_timestamp_is_kept(void **state)
{
	(void)state;
	assert_int_equal(TAKEN(AGGRESSIVE, ack_time(1, 10, 20), ack_time(2, 10, 20)), 0);
	assert_int_equal(TAKEN(AGGRESSIVE, ack_time(1, 11, 20), ack_time(2, 10, 20)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack_time(1, 10, 21), ack_time(2, 10, 20)), NOTHING);
	/* without the option the later one's count as 0 */
	assert_int_equal(TAKEN(AGGRESSIVE, ack_time(1, 10, 20), ack(2)), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), ack_time(2, 10, 20)), 0);
	/* and the earlier one's for nothing, though 0 is after half the circle */
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), ack_time(2, 3u << 30, 3u << 30)), 0);
}

static void two_connections_in_one_queue_leave_each_other_alone(void **state)
{
	struct cake_tcp other[] = {ack(1), ack(1), ack(1), ack(1), ack(1), ack(1), ack(1)};

	(void)state;
	other[0].sport++;
	other[1].dport++;
	other[2].src[3]++;
	other[3].dst[3]++;
	other[4].src[15]++; /* IPv6 to the last byte */
	other[5].dst[15]++;
	other[6].version = 6;
	for (unsigned i = 0; i < COUNT(other); i++) {
		struct cake_tcp later = other[i];

		assert_int_equal(TAKEN(AGGRESSIVE, other[i], ack(2)), NOTHING);
		assert_int_equal(TAKEN(ON, other[i], ack(2), ack(3)), NOTHING);
		assert_int_equal(TAKEN(ON, other[i], ack(2), other[i], ack(3), ack(4)), 1);
		later.ack = 9;
		assert_int_equal(TAKEN(ON, ack(1), other[i], ack(2), other[i], later), 1);
	}
}

static void what_does_not_supersede_takes_nothing(void **state)
{
	struct cake_tcp syn = ack(9);

	(void)state;
	syn.supersedes = false;
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), ack(2), syn), NOTHING);
	assert_int_equal(TAKEN(AGGRESSIVE, ack(1), ack(2), NOT_TCP), NOTHING);
}

static void only_so_many_packets_are_looked_at(void **state)
{
	const struct cake_tcp tcps[] = {data(1), data(1), ack(1), ack(2), ack(3)};

	(void)state;
	assert_int_equal(taken(ON, 4, tcps, COUNT(tcps)), 2);
	assert_int_equal(taken(ON, 3, tcps, COUNT(tcps)), NOTHING);
	assert_int_equal(taken(ON, 0, tcps, COUNT(tcps)), NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_two_superfluous_acks_the_older_goes),
		cmocka_unit_test(one_superfluous_ack_stays_unless_aggressive),
		cmocka_unit_test(aggressive_takes_a_single_one_only_from_directly_before),
		cmocka_unit_test(duplicate_acks_stay),
		cmocka_unit_test(an_ack_of_more_is_never_taken),
		cmocka_unit_test(numbers_go_round),
		cmocka_unit_test(sacks_that_grow_make_the_smaller_superfluous),
		cmocka_unit_test(a_block_that_is_not_repeated_is_kept),
		cmocka_unit_test(a_dsack_is_kept),
		cmocka_unit_test(a_change_of_ece_or_cwr_saves_the_ack_before_it),
		cmocka_unit_test(an_ack_with_a_newer_timestamp_is_kept),
		cmocka_unit_test(two_connections_in_one_queue_leave_each_other_alone),
		cmocka_unit_test(what_does_not_supersede_takes_nothing),
		cmocka_unit_test(only_so_many_packets_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
