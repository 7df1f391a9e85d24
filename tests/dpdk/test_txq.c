/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TX queue in virtual time, in front of a device that takes what the test says: order,
 * conservation, what happens when the device or the queue is full, and that frames are marked and
 * washed. The scheduler's own decisions are tested in tests/unit/cake and tests/golden.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ip.h>
#include <rte_tcp.h>

#include "harness.h"
#include "txq/txq.h"

#define FLOWS 64

/* The device: what it will take of the next bursts, and what it has been given. */
static struct {
	unsigned room; /* frames it still takes; UINT32_MAX = any number */
	uint64_t packets, bytes;
	uint64_t marked; /* frames with CE */
	uint32_t next_number[FLOWS];
	bool in_order; /* each flow's numbers grew */
	uint8_t last_tos;
} device;

static uint16_t device_takes(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t taken = (uint16_t)RTE_MIN((unsigned)n, device.room);

	(void)port;
	(void)queue;
	for (uint16_t i = 0; i < taken; i++) {
		uint32_t *next = &device.next_number[frame_flow(pkts[i]) % FLOWS];

		device.in_order &= frame_number(pkts[i]) >= *next;
		*next = frame_number(pkts[i]) + 1;
		device.packets++;
		device.bytes += rte_pktmbuf_pkt_len(pkts[i]);
		device.marked += (frame_tos(pkts[i]) & 3) == 3;
		device.last_tos = frame_tos(pkts[i]);
		assert_checksum(pkts[i]);
	}
	rte_pktmbuf_free_bulk(pkts, taken);
	if (device.room != UINT32_MAX)
		device.room -= taken;
	return taken;
}

static struct txq *queue_of(uint64_t bandwidth_bps, uint64_t memlimit, bool wash)
{
	struct txq_params params = {.map = harness_pool.map, .tx = device_takes};
	struct txq *q;

	memset(&device, 0, sizeof(device));
	device.room = UINT32_MAX;
	device.in_order = true;
	cake_params_default(&params.cake);
	params.cake.bandwidth_bps = bandwidth_bps;
	params.cake.memlimit = memlimit;
	params.cake.wash = wash;
	assert_int_equal(txq_create(&q, &params), 0);
	return q;
}

static struct txq_dead dead;

/** As a worker does it: claimed, run, released, and the dropped freed. */
static unsigned run_queue(struct txq *q, uint64_t now)
{
	unsigned moved;

	assert_true(txq_claim(q, now));
	moved = txq_run(q, NULL, now, &dead);
	txq_release(q);
	txq_free_dead(q, &dead);
	return moved;
}

static void enqueue(struct txq *q, struct rte_mbuf **pkts, unsigned n, uint64_t now)
{
	assert_true(txq_claim(q, now));
	assert_true(txq_enqueue(q, pkts, n, 0, now, &dead));
	txq_release(q);
	txq_free_dead(q, &dead);
}

static void put(struct txq *q, uint16_t flow, uint32_t number, uint64_t now)
{
	struct rte_mbuf *m = described(flow, number, 1514, 0);

	enqueue(q, &m, 1, now);
}

static uint64_t dropped(const struct txq *q)
{
	uint64_t sum = 0;

	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		sum += counter_get(&txq_counters(q)->dropped[d]);
	return sum;
}

/** Whatever @given went in is accounted for, and the device agrees. */
static void assert_conserved(const struct txq *q, uint64_t given)
{
	const struct txq_counters *c = txq_counters(q);

	assert_int_equal(counter_get(&c->sent_packets), device.packets);
	assert_int_equal(counter_get(&c->sent_bytes), device.bytes);
	assert_int_equal(given, device.packets + dropped(q) + txq_queued(q) + txq_deferred(q) +
					txq_held(q));
}

static void end(struct txq *q, uint64_t given)
{
	assert_conserved(q, given);
	txq_purge(q);
	assert_conserved(q, given);
	assert_int_equal(txq_queued(q) + txq_deferred(q) + txq_held(q), 0);
	txq_destroy(q);
}

static void a_device_that_takes_k_of_n_loses_and_reorders_nothing(void **state)
{
	(void)state;
	for (unsigned k = 0; k <= TXQ_BURST; k++) {
		struct txq *q = queue_of(0, 0, false);
		uint64_t now = START_NS;

		for (uint32_t i = 0; i < 200; i++)
			put(q, i % 8, i / 8, now);
		/* k frames are taken of the first run, then none. */
		device.room = k;
		run_queue(q, now);
		assert_int_equal(device.packets, k);
		assert_int_equal(txq_held(q), TXQ_BURST - k ? TXQ_BURST - k : TXQ_BURST);
		assert_conserved(q, 200);
		/* Nothing more is dequeued while some are held. */
		run_queue(q, now + MS);
		assert_int_equal(device.packets, k);
		assert_int_equal(txq_queued(q) + txq_held(q), 200 - k);
		/* k at a time, it all comes out. */
		for (unsigned run = 0; k && device.packets < 200; run++) {
			assert_in_range(run, 0, 200);
			device.room = k;
			run_queue(q, now + MS);
		}
		assert_int_equal(device.packets, k ? 200 : 0);
		assert_true(device.in_order);
		end(q, 200);
	}
}

static void a_device_full_for_a_second_costs_that_second_alone(void **state)
{
	/* 100 Mbit/s, offered 1,000 frames/s of 1,514 bytes: 12 Mbit/s. */
	struct txq *q = queue_of(100000000, 0, false);
	uint64_t now = START_NS, resumed;

	(void)state;
	device.room = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		put(q, 1, i, now);
		run_queue(q, now);
		now += MS;
	}
	assert_int_equal(device.packets, 0);
	assert_conserved(q, 1000);
	/* It takes again: what is queued leaves at the shaper's rate. AQM may drop meanwhile. */
	device.room = UINT32_MAX;
	resumed = now;
	while (txq_queued(q) + txq_held(q)) {
		run_queue(q, now);
		now += 10000;
		assert_true(now - resumed < S / 2);
	}
	assert_true(device.in_order);
	assert_int_equal(device.packets + dropped(q), 1000);
	/* Not faster than 100 Mbit/s but for the held burst, paid for before, and the catch-up:
	 * the larger of 1 ms and two frames at rate, 12.5 kB. */
	assert_in_range(device.bytes, 1,
			(now - resumed) / 80 + (uint64_t)TXQ_BURST * 1514 + 12500 + 2 * 1514);
	/* and traffic after that flows as if nothing had been: none waits, none is lost */
	for (uint32_t i = 0; i < 100; i++) {
		uint64_t before = device.packets;

		now += MS;
		put(q, 2, i, now);
		run_queue(q, now);
		assert_int_equal(device.packets, before + 1);
	}
	end(q, 1100);
}

static void a_full_queue_leaves_buffers_for_reception(void **state)
{
	/* The limit the pool was sized for, and a device that takes nothing. */
	struct txq *q = queue_of(1000000, 16 << 20, false);
	struct rte_mbuf *rx_ring[1024], *tx_ring[1024];
	uint64_t given = 0, now = START_NS;

	(void)state;
	for (unsigned i = 0; i < 1024; i++) {
		rx_ring[i] = buffer(60);
		tx_ring[i] = buffer(60);
	}
	device.room = 0;
	for (unsigned round = 0; round < 1000; round++, now += 10000) {
		struct rte_mbuf *burst[32];

		/* A NIC would take its buffers right here; buffer() fails if there is none. */
		for (unsigned i = 0; i < 32; i++)
			burst[i] = described((uint16_t)(i % 4), round * 8 + i / 4, 60, 0);
		given += 32;
		enqueue(q, burst, 32, now);
		run_queue(q, now);
	}
	/* 16 MiB / 2,496 bytes per buffer = 6,721 fit, of 32,000. */
	assert_int_equal(txq_queued(q), (16 << 20) / harness_pool.map.element_bytes);
	assert_int_equal(counter_get(&txq_counters(q)->dropped[CAKE_DROP_OVERFLOW]),
			 given - txq_queued(q) - txq_held(q));
	rte_pktmbuf_free_bulk(rx_ring, 1024);
	rte_pktmbuf_free_bulk(tx_ring, 1024);
	end(q, given);
}

static void ten_idle_seconds_give_no_credit(void **state)
{
	/* 10 Mbit/s: 100 frames of 1,514 bytes last 121 ms. */
	struct txq *q = queue_of(10000000, 0, false);
	uint64_t now = START_NS;

	(void)state;
	put(q, 1, 0, now);
	for (uint64_t end_ns = now + 10 * S; now < end_ns; now += MS)
		run_queue(q, now);
	assert_int_equal(device.packets, 1);

	uint64_t bytes0 = device.bytes, t0 = now;

	for (uint32_t i = 0; i < 100; i++)
		put(q, (uint16_t)(2 + i % 10), i / 10, now);
	while (txq_queued(q) + txq_held(q)) {
		run_queue(q, now);
		/* rate x time, one frame ahead of it */
		assert_true(device.bytes - bytes0 <= (now - t0) / 800 + 2 * 1514);
		now += 100000;
	}
	assert_int_equal(device.packets + dropped(q), 101);
	/* and no slower: all that was sent in the time it takes, 1 % and one frame over */
	assert_true((device.bytes - bytes0) * 800 >= (now - t0) * 99 / 100 - 1514 * 800);
	end(q, 101);
}

static void what_the_ring_cannot_hold_stays_the_producers(void **state)
{
	struct txq *q = queue_of(0, 0, false);
	struct rte_mbuf *burst[32];
	unsigned taken = 0, n;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		for (unsigned k = 0; k < 32; k++)
			burst[k] = described(1, i * 32 + k, 60, 0);
		n = txq_defer(q, burst, 32);
		rte_pktmbuf_free_bulk(burst + n, 32 - n);
		taken += n;
	}
	assert_int_equal(taken, DEFER_SIZE);
	assert_int_equal(txq_deferred(q), DEFER_SIZE);
	assert_conserved(q, DEFER_SIZE);
	while (run_queue(q, START_NS))
		;
	assert_int_equal(device.packets, DEFER_SIZE);
	assert_true(device.in_order);
	end(q, DEFER_SIZE);
}

static void a_run_sends_more_than_it_takes_in(void **state)
{
	struct txq *q = queue_of(0, 0, false);
	struct rte_mbuf *burst[32];
	uint32_t number = 0;

	(void)state;
	/* A producer that fills the ring each time: with a device that takes all, nothing stays. */
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < DEFER_SIZE / 32; i++) {
			for (unsigned k = 0; k < 32; k++)
				burst[k] = described(1, number++, 60, 0);
			assert_int_equal(txq_defer(q, burst, 32), 32);
		}
		assert_int_equal(run_queue(q, START_NS), 2 * DEFER_SIZE);
		assert_int_equal(txq_queued(q) + txq_held(q), 0);
	}
	assert_true(device.in_order);
	end(q, number);
}

static void what_was_deferred_goes_before_what_comes_directly(void **state)
{
	struct txq *q = queue_of(0, 0, false);
	struct rte_mbuf *burst[32];

	(void)state;
	for (unsigned k = 0; k < 32; k++)
		burst[k] = described(1, k, 60, 0);
	assert_int_equal(txq_defer(q, burst, 32), 32);
	put(q, 1, 32, START_NS);
	assert_int_equal(txq_deferred(q), 0);
	while (run_queue(q, START_NS))
		;
	assert_true(device.in_order);
	assert_int_equal(device.packets, 33);
	end(q, 33);
}

static void a_purge_frees_what_is_in_every_place(void **state)
{
	struct txq *q = queue_of(1000000, 0, false);
	struct rte_mbuf *m;

	(void)state;
	device.room = 0;
	for (uint32_t i = 0; i < 500; i++)
		put(q, (uint16_t)(i % 16), i / 16, START_NS);
	run_queue(q, START_NS);
	m = described(1, 99, 60, 0);
	assert_int_equal(txq_defer(q, &m, 1), 1);
	assert_true(txq_queued(q) > 0 && txq_deferred(q) == 1 && txq_held(q) > 0);
	txq_purge(q);
	assert_int_equal(counter_get(&txq_counters(q)->dropped[CAKE_DROP_PURGE]), 501);
	end(q, 501);
}

static void a_marked_frame_leaves_with_ce_and_a_right_checksum(void **state)
{
	/* Twice the rate for 2 s: the AQM has to signal. ECT(0) everywhere. */
	struct txq *q = queue_of(10000000, 0, false);
	uint64_t now = START_NS;
	uint32_t number = 0;

	(void)state;
	while (now < START_NS + 2 * S) {
		struct rte_mbuf *m = described(1, number++, 1514, 2);

		enqueue(q, &m, 1, now);
		run_queue(q, now);
		now += 1514 * 8 * S / 20000000;
	}
	assert_true(device.marked > 0);
	assert_int_equal(device.marked, counter_get(&txq_counters(q)->marked));
	end(q, number);
}

static void washing_clears_dscp_after_it_chose_the_tin(void **state)
{
	struct txq *q = queue_of(10000000, 0, true);
	struct rte_mbuf *m = described(1, 0, 100, 46 << 2 | 1); /* EF, ECT(1) */
	struct cake_stats stats;

	(void)state;
	enqueue(q, &m, 1, START_NS);
	run_queue(q, START_NS);
	assert_int_equal(device.packets, 1);
	assert_int_equal(device.last_tos, 1);
	txq_stats(q, &stats);
	/* diffserv3: Voice is the last tin of tc's listing. */
	assert_int_equal(stats.tins[cake_tin_order(CAKE_DIFFSERV3, 2)].sent_packets, 1);
	end(q, 1);
}

static void a_frame_over_several_buffers_is_charged_for_each(void **state)
{
	struct txq *q = queue_of(1000000, 0, false);
	struct rte_mbuf *m = described(1, 7, 9014, 0);
	struct cake_stats stats;

	(void)state;
	/* 9,014 bytes in buffers of 2,048 */
	assert_int_equal(m->nb_segs, 5);
	assert_int_equal(pool_mbufs_of(9014), 5);
	enqueue(q, &m, 1, START_NS);
	txq_stats(q, &stats);
	assert_int_equal(stats.memory_used, 5 * harness_pool.map.element_bytes);
	run_queue(q, START_NS);
	assert_int_equal(device.bytes, 9014);
	end(q, 1);
}

/* A pure ACK: frame() with a TCP header in place of UDP's. Where frame() puts the number the
 * acknowledgement number is, in the other byte order: @number grows up to 127. */
static struct rte_mbuf *ack(uint16_t flow, uint32_t number)
{
	struct rte_mbuf *m = frame(flow, number, 60, 0);
	struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, 14);
	struct rte_tcp_hdr *tcp = (struct rte_tcp_hdr *)(ip + 1);

	ip->next_proto_id = 6;
	ip->total_length = rte_cpu_to_be_16(sizeof(*ip) + sizeof(*tcp));
	ip->hdr_checksum = 0;
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	tcp->sent_seq = 0;
	tcp->data_off = 5 << 4;
	tcp->tcp_flags = RTE_TCP_ACK_FLAG;
	return m;
}

/* Received, described, queued directly and by way of the ring: two flows, 100 ACKs each, while the
 * shaper holds all but the first back. "on" leaves two of each flow. */
static void acks_are_thinned_on_their_way(void **state)
{
	struct txq_params params = {.map = harness_pool.map, .tx = device_takes};
	struct packet_describer describer;
	struct txq *q;

	(void)state;
	memset(&device, 0, sizeof(device));
	device.room = UINT32_MAX;
	device.in_order = true;
	cake_params_default(&params.cake);
	params.cake.bandwidth_bps = 8000; /* 60 bytes take 60 ms */
	params.cake.ack_filter = CAKE_ACK_FILTER_ON;
	packet_describer_init(&describer, &params.cake, &harness_hash);
	assert_int_equal(txq_create(&q, &params), 0);
	for (uint32_t i = 0; i < 100; i++) {
		struct rte_mbuf *m[2] = {ack(1, i), ack(2, i)};

		mbuf_describe(m[0], &describer, &harness_pool.map);
		mbuf_describe(m[1], &describer, &harness_pool.map);
		enqueue(q, &m[0], 1, START_NS);
		assert_int_equal(txq_defer(q, &m[1], 1), 1);
		run_queue(q, START_NS);
	}
	assert_int_equal(txq_queued(q) + device.packets, 200 - dropped(q));
	assert_in_range(txq_queued(q), 3, 4);
	assert_int_equal(counter_get(&txq_counters(q)->dropped[CAKE_DROP_ACK]), dropped(q));
	for (uint64_t now = START_NS; txq_queued(q); now += MS)
		run_queue(q, now);
	assert_true(device.in_order);
	assert_int_equal(device.next_number[1], 100); /* the last of each flow came through */
	assert_int_equal(device.next_number[2], 100);
	end(q, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_device_that_takes_k_of_n_loses_and_reorders_nothing),
		TEST(a_device_full_for_a_second_costs_that_second_alone),
		TEST(a_full_queue_leaves_buffers_for_reception),
		TEST(ten_idle_seconds_give_no_credit),
		TEST(what_the_ring_cannot_hold_stays_the_producers),
		TEST(a_run_sends_more_than_it_takes_in),
		TEST(what_was_deferred_goes_before_what_comes_directly),
		TEST(a_purge_frees_what_is_in_every_place),
		TEST(a_marked_frame_leaves_with_ce_and_a_right_checksum),
		TEST(washing_clears_dscp_after_it_chose_the_tin),
		TEST(a_frame_over_several_buffers_is_charged_for_each),
		TEST(acks_are_thinned_on_their_way),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}
