/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers between two ring ports, in virtual time: what goes in comes out unchanged, what may not
 * go out is dropped under its name, and everything adds up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "harness.h"
#include "pair.h"

/* Bytes that look like nothing, behind @tags VLAN tags and an ethertype for experiments. */
static struct rte_mbuf *opaque(uint32_t len, unsigned tags)
{
	struct rte_mbuf *m = buffer(len);
	uint8_t *p = rte_pktmbuf_mtod(m, uint8_t *);

	for (uint32_t i = 0; i < len; i++)
		p[i] = (uint8_t)(i * 7 + len);
	for (unsigned i = 0; i < tags; i++)
		memcpy(p + 12 + 4 * i, "\x81\x00\x00\x05", 4);
	memcpy(p + 12 + 4 * tags, "\x88\xb5", 2);
	return m;
}

static bool passes(uint32_t len, unsigned tags)
{
	struct rte_mbuf *given = opaque(len, tags), *taken;
	uint8_t copy[2048];

	memcpy(copy, rte_pktmbuf_mtod(given, void *), len);
	give(given);
	settle(&workers[0], START_NS);
	taken = take();
	if (!taken)
		return false;
	assert_int_equal(rte_pktmbuf_pkt_len(taken), len);
	assert_memory_equal(rte_pktmbuf_mtod(taken, void *), copy, len);
	rte_pktmbuf_free(taken);
	return true;
}

static void frames_up_to_the_mtu_pass_unchanged(void **state)
{
	(void)state;
	join(0);
	assert_true(passes(14, 0));
	assert_true(passes(60, 0));
	assert_true(passes(1514, 0));
	assert_true(passes(1518, 1));
	assert_true(passes(1522, 2));
	assert_true(passes(1522, 3));
	assert_conserved();
	part();
}

static void frames_above_the_mtu_are_dropped_and_named(void **state)
{
	(void)state;
	join(0);
	assert_false(passes(1515, 0));
	assert_false(passes(1519, 1));
	assert_false(passes(1523, 2));
	assert_false(passes(1526, 3));
	assert_int_equal(drops(IN, WORKER_DROP_TOO_LONG), 4);
	/* and the queue is not wedged */
	assert_true(passes(1514, 0));
	assert_conserved();
	part();
}

static void a_frame_that_ends_within_its_tags_passes(void **state)
{
	(void)state;
	join(0);
	for (uint32_t len = 14; len < 22; len++) {
		struct rte_mbuf *m = opaque(22, 2);

		rte_pktmbuf_trim(m, (uint16_t)(22 - len));
		give(m);
	}
	settle(&workers[0], START_NS);
	assert_int_equal(take_all(), 8);
	assert_conserved();
	part();
}

static void runts_are_dropped_and_named(void **state)
{
	(void)state;
	join(0);
	for (uint32_t len = 0; len < 14; len++)
		give(buffer(len));
	settle(&workers[0], START_NS);
	assert_int_equal(drops(IN, WORKER_DROP_RUNT), 14);
	assert_int_equal(counter_get(&workers[0].ports[IN].rx_packets), 14);
	/* 0 + 1 + ... + 13 bytes */
	assert_int_equal(counter_get(&workers[0].ports[IN].rx_bytes), 91);
	assert_null(take());
	assert_true(passes(14, 0));
	assert_conserved();
	part();
}

/*
 * @flags say which tags the driver took out: outer 0x1345, inner 0x2345. @headroom is what it left.
 */
static void check_tags(uint64_t flags, uint16_t headroom, const char *tags, uint32_t n)
{
	struct rte_mbuf *m = opaque(60, 0);
	uint8_t head[12], tail[48];

	memcpy(head, rte_pktmbuf_mtod(m, void *), sizeof(head));
	memcpy(tail, rte_pktmbuf_mtod_offset(m, void *, 12), sizeof(tail));
	memmove((uint8_t *)m->buf_addr + headroom, rte_pktmbuf_mtod(m, void *), 60);
	m->data_off = headroom;
	m->ol_flags |= flags;
	m->vlan_tci = 0x2345;
	m->vlan_tci_outer = 0x1345;
	m = pass(m);
	assert_non_null(m);
	assert_int_equal(rte_pktmbuf_pkt_len(m), 60 + n);
	assert_memory_equal(rte_pktmbuf_mtod(m, void *), head, sizeof(head));
	assert_memory_equal(rte_pktmbuf_mtod_offset(m, void *, 12), tags, n);
	assert_memory_equal(rte_pktmbuf_mtod_offset(m, void *, 12 + n), tail, sizeof(tail));
	rte_pktmbuf_free(m);
}

static void tags_the_driver_took_out_are_put_back(void **state)
{
	const uint64_t one = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	const uint64_t outer =
		RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_QINQ | RTE_MBUF_F_RX_QINQ_STRIPPED;

	(void)state;
	join(0);
	/* without headroom the frame moves to another buffer */
	for (uint16_t headroom = 0; headroom <= 8; headroom++) {
		check_tags(one, headroom, "\x81\x00\x23\x45", 4);
		check_tags(outer, headroom, "\x88\xa8\x13\x45", 4);
		check_tags(outer | one, headroom, "\x88\xa8\x13\x45\x81\x00\x23\x45", 8);
	}
	assert_conserved();
	part();
}

/* The same frame is the same flow, whether its tag is in it or beside it. */
static void a_tag_beside_the_frame_counts_as_one_in_it(void **state)
{
	struct rte_mbuf *in = buffer(104), *beside = frame(7, 0, 100, 0);
	const uint8_t *plain = rte_pktmbuf_mtod(beside, const uint8_t *);
	uint8_t *p = rte_pktmbuf_mtod(in, uint8_t *);
	const struct cake_packet *a, *b;

	(void)state;
	memcpy(p, plain, 12);
	memcpy(p + 12, "\x81\x00\x20\x05", 4);
	memcpy(p + 16, plain + 12, 88);
	beside->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	beside->vlan_tci = 0x2005;
	assert_int_equal(mbuf_make_own(&beside, &harness_pool.map), 0);
	mbuf_describe(beside, &harness_describer, &harness_pool.map);
	mbuf_describe(in, &harness_describer, &harness_pool.map);
	a = &mbuf_private(beside)->packet;
	b = &mbuf_private(in)->packet;
	assert_int_equal(a->len, b->len);
	assert_int_equal(a->flow_hash, b->flow_hash);
	assert_int_equal(a->src_hash, b->src_hash);
	assert_int_equal(a->network_offset, b->network_offset);
	rte_pktmbuf_free(in);
	rte_pktmbuf_free(beside);
}

static void free_external(void *addr, void *opaque)
{
	(void)addr;
	(*(unsigned *)opaque)++;
}

/* A frame with DSCP, whose buffers @keep has, too, goes through a queue that washes. */
static void check_shared(struct rte_mbuf *shared, struct rte_mbuf *keep)
{
	uint8_t before[100], after[100];
	struct rte_mbuf *m;

	read_bytes(keep, before, 100);
	m = pass(shared);
	assert_non_null(m);
	assert_int_equal(frame_tos(m), 1);
	assert_checksum(m);
	assert_true(RTE_MBUF_DIRECT(m));
	assert_int_equal(rte_mbuf_refcnt_read(m), 1);
	assert_int_equal(m->nb_segs, 1);
	assert_ptr_equal(m->pool, harness_pool.mempool);
	memcpy(after, before, sizeof(after));
	/* the DS field, and the checksum over it */
	after[15] = 1;
	memcpy(after + 24, rte_pktmbuf_mtod_offset(m, void *, 24), 2);
	assert_memory_equal(rte_pktmbuf_mtod(m, void *), after, 100);
	rte_pktmbuf_free(m);
	/* the other owner's bytes are as they were */
	read_bytes(keep, after, 100);
	assert_memory_equal(after, before, 100);
	assert_int_equal(before[15], 46 << 2 | 1);
	rte_pktmbuf_free(keep);
}

/** The same bytes in two buffers, the first of @n bytes. */
static struct rte_mbuf *split(struct rte_mbuf *m, uint16_t n)
{
	struct rte_mbuf *head = buffer(n), *tail = buffer(m->pkt_len - n);

	memcpy(rte_pktmbuf_mtod(head, void *), rte_pktmbuf_mtod(m, void *), n);
	memcpy(rte_pktmbuf_mtod(tail, void *), rte_pktmbuf_mtod_offset(m, void *, n),
	       m->pkt_len - n);
	rte_pktmbuf_free(m);
	assert_int_equal(rte_pktmbuf_chain(head, tail), 0);
	return head;
}

static void shared_buffers_are_left_to_their_other_owner(void **state)
{
	static uint8_t external[512];
	static unsigned freed;
	uint16_t size = sizeof(external);
	struct rte_mbuf_ext_shared_info *info;
	struct rte_mbuf *m, *keep;

	(void)state;
	join_washing();
	/* a second reference */
	m = frame(1, 0, 100, 46 << 2 | 1);
	rte_mbuf_refcnt_update(m, 1);
	check_shared(m, m);
	/* a clone, and the one that was cloned */
	keep = frame(1, 0, 100, 46 << 2 | 1);
	m = rte_pktmbuf_clone(keep, harness_pool.mempool);
	check_shared(m, keep);
	keep = frame(1, 0, 100, 46 << 2 | 1);
	m = rte_pktmbuf_clone(keep, harness_pool.mempool);
	check_shared(keep, m);
	/* the header in two buffers */
	for (uint16_t n = 1; n < 40; n++) {
		keep = split(frame(1, 0, 100, 46 << 2 | 1), n);
		m = rte_pktmbuf_clone(keep, harness_pool.mempool);
		check_shared(m, keep);
	}
	/* memory that is not the pool's */
	info = rte_pktmbuf_ext_shinfo_init_helper(external, &size, free_external, &freed);
	keep = frame(1, 0, 100, 46 << 2 | 1);
	m = rte_pktmbuf_alloc(harness_pool.mempool);
	rte_pktmbuf_attach_extbuf(m, external, RTE_BAD_IOVA, size, info);
	memcpy(rte_pktmbuf_append(m, 100), rte_pktmbuf_mtod(keep, void *), 100);
	check_shared(m, keep);
	assert_int_equal(freed, 1);
	assert_conserved();
	part();
}

/** @n bytes of @m, from @from on, in a buffer of @pool. */
static struct rte_mbuf *copy_part(const struct rte_mbuf *m, uint16_t from, uint16_t n,
				  struct rte_mempool *pool)
{
	struct rte_mbuf *part = rte_pktmbuf_alloc(pool);

	assert_non_null(part);
	memcpy(rte_pktmbuf_append(part, n), rte_pktmbuf_mtod_offset(m, void *, from), n);
	return part;
}

static void check_foreign(struct rte_mbuf *foreign, uint32_t number)
{
	struct rte_mbuf *m = pass(foreign);

	assert_non_null(m);
	assert_int_equal(m->nb_segs, 1);
	assert_ptr_equal(m->pool, harness_pool.mempool);
	assert_int_equal(frame_number(m), number);
	rte_pktmbuf_free(m);
}

static void a_buffer_of_another_pool_is_copied_into_this_one(void **state)
{
	struct rte_mempool *other =
		rte_pktmbuf_pool_create("other", 1, 0, mbuf_private_size(false),
					RTE_PKTMBUF_HEADROOM + MBUF_DATA_ROOM, SOCKET_ID_ANY);
	struct rte_mbuf *m = frame(1, 7, 100, 0), *head;

	(void)state;
	assert_non_null(other);
	join(0);
	check_foreign(copy_part(m, 0, 100, other), 7);
	/* the second of two, behind one of this pool */
	head = copy_part(m, 0, 60, harness_pool.mempool);
	assert_int_equal(rte_pktmbuf_chain(head, copy_part(m, 60, 40, other)), 0);
	check_foreign(head, 7);
	rte_pktmbuf_free(m);
	assert_int_equal(rte_mempool_avail_count(other), 1);
	part();
	rte_mempool_free(other);
}

static void a_header_over_two_buffers_is_washed_where_it_lies(void **state)
{
	(void)state;
	join_washing();
	for (uint16_t n = 1; n < 40; n++) {
		struct rte_mbuf *m = pass(split(frame(1, 0, 100, 46 << 2 | 1), n));

		assert_non_null(m);
		assert_int_equal(m->nb_segs, 2);
		assert_int_equal(rte_pktmbuf_linearize(m), 0);
		assert_int_equal(frame_tos(m), 1);
		assert_checksum(m);
		rte_pktmbuf_free(m);
	}
	part();
}

static void without_a_buffer_a_shared_frame_is_dropped_and_named(void **state)
{
	struct rte_mbuf *m = frame(1, 0, 100, 0),
			*keep = rte_pktmbuf_clone(m, harness_pool.mempool);
	struct rte_mbuf *all;

	(void)state;
	join(0);
	give(m);
	all = take_all_buffers();
	settle(&workers[0], START_NS);
	free_all_buffers(all);
	assert_null(take());
	assert_int_equal(drops(IN, WORKER_DROP_NO_BUFFER), 1);
	assert_conserved();
	rte_pktmbuf_free(keep);
	part();
}

static void a_checksum_left_to_the_nic_is_computed(void **state)
{
	struct rte_mbuf *m = frame(1, 0, 100, 0);
	struct rte_udp_hdr *udp = rte_pktmbuf_mtod_offset(m, struct rte_udp_hdr *, 34);
	const uint16_t partial = 0x1234;
	uint16_t right;

	(void)state;
	join(0);
	right = rte_ipv4_udptcp_cksum(rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, 14), udp);
	udp->dgram_cksum = partial;
	m->ol_flags |= RTE_MBUF_F_RX_L4_CKSUM_NONE;
	m = pass(m);
	assert_non_null(m);
	udp = rte_pktmbuf_mtod_offset(m, struct rte_udp_hdr *, 34);
	assert_int_equal(udp->dgram_cksum, right);
	/* what does not say so is not touched */
	m->ol_flags = RTE_MBUF_F_RX_L4_CKSUM_BAD;
	udp->dgram_cksum = partial;
	m = pass(m);
	udp = rte_pktmbuf_mtod_offset(m, struct rte_udp_hdr *, 34);
	assert_int_equal(udp->dgram_cksum, partial);
	rte_pktmbuf_free(m);
	part();
}

/* EF, 46, is Voice in diffserv3; the NIC's mark says Bulk, a rule Best Effort. */
static void rules_come_before_the_nics_mark_and_that_before_dscp(void **state)
{
	static const struct packet_rule to_best_effort = {.sport = {9, 9, .set = true}, .tin = 2};
	struct cake_params params;
	struct rte_mbuf *m[3];
	enum { BULK = 1, BEST_EFFORT, VOICE };

	(void)state;
	packet_describer_set_rules(&harness_describer, &to_best_effort, 1);
	cake_params_default(&params);
	params.fwmark = 0xff;
	join_with(0, &params);
	m[0] = frame(5, 1, 100, 46 << 2);
	m[1] = frame(5, 2, 100, 46 << 2);
	m[2] = frame(9, 3, 100, 46 << 2);
	for (unsigned i = 0; i < 3; i++)
		m[i]->hash.fdir.hi = BULK;
	m[1]->ol_flags |= RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;
	m[2]->ol_flags |= RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;
	for (unsigned i = 0; i < 3; i++)
		give(m[i]);
	settle(&workers[0], START_NS);
	assert_int_equal(take_all(), 3);
	assert_int_equal(sent_by(VOICE), 1);
	assert_int_equal(sent_by(BULK), 1);
	assert_int_equal(sent_by(BEST_EFFORT), 1);
	part();
	packet_describer_set_rules(&harness_describer, NULL, 0);
}

/* An ethertype for experiments is nobody's; ARP is known; both pass. */
static void frames_nobody_knows_pass_and_are_counted_where_they_came_in(void **state)
{
	struct rte_mbuf *arp = opaque(60, 0);

	(void)state;
	join(0);
	memcpy(rte_pktmbuf_mtod_offset(arp, void *, 12), "\x08\x06", 2);
	give(arp);
	give(opaque(60, 0));
	give(opaque(100, 1));
	give(opaque(60, 9));
	settle(&workers[0], START_NS);
	assert_int_equal(take_all(), 4);
	for (unsigned r = 0; r < PACKET_UNCLASSIFIED_REASONS; r++) {
		unsigned expected = r == PACKET_UNKNOWN_ETHERTYPE ? 2
				    : r == PACKET_TOO_MANY_TAGS   ? 1
								  : 0;

		assert_int_equal(counter_get(&workers[0].ports[IN].unclassified[r]), expected);
		assert_int_equal(counter_get(&workers[0].ports[OUT].unclassified[r]), 0);
	}
	assert_conserved();
	part();
}

/* Its 8 bytes are part of what the MTU bounds: hence the 1,492 of PPPoE links. */
static void pppoe_is_within_the_mtu(void **state)
{
	(void)state;
	join(0);
	for (uint32_t len = 1514; len <= 1522; len += 8) {
		struct rte_mbuf *m = opaque(len, 0);

		memcpy(rte_pktmbuf_mtod_offset(m, void *, 12), "\x88\x64\x11\x00\x00\x01", 6);
		memcpy(rte_pktmbuf_mtod_offset(m, void *, 20), "\x00\x21\x45\x00", 4);
		give(m);
	}
	settle(&workers[0], START_NS);
	assert_int_equal(take_all(), 1);
	assert_int_equal(drops(IN, WORKER_DROP_TOO_LONG), 1);
	assert_conserved();
	part();
}

static void a_ring_with_k_free_slots_takes_k(void **state)
{
	(void)state;
	for (unsigned k = 0; k <= TXQ_BURST; k++) {
		join(0);
		for (unsigned i = 0; i < RING_ROOM - k; i++) {
			struct rte_mbuf *m = buffer(60);

			assert_int_equal(rte_eth_tx_burst(ports[OUT].id, 0, &m, 1), 1);
		}
		for (uint32_t i = 0; i < 100; i++)
			give(frame(1, i, 60, 0));
		settle(&workers[0], START_NS);
		assert_int_equal(counter_get(&txq_counters(txq)->sent_packets), k);
		assert_int_equal(txq_queued(txq) + txq_held(txq), 100 - k);
		assert_conserved();
		/* Room again: the rest follows in order. */
		for (unsigned i = 0; i < RING_ROOM - k; i++)
			rte_pktmbuf_free(take());
		settle(&workers[0], START_NS);
		for (uint32_t i = 0; i < 100; i++) {
			struct rte_mbuf *m = take();

			assert_non_null(m);
			assert_int_equal(frame_number(m), i);
			rte_pktmbuf_free(m);
		}
		assert_null(take());
		assert_conserved();
		part();
	}
}

static void another_workers_queue_is_reached_through_its_ring(void **state)
{
	(void)state;
	join(1);
	for (uint32_t i = 0; i < 100; i++)
		give(frame((uint16_t)(i % 4), i / 4, 60, 0));
	settle(&workers[0], START_NS);
	assert_int_equal(txq_deferred(txq), 100);
	assert_conserved();
	settle(&workers[1], START_NS);
	assert_int_equal(take_all(), 100);
	assert_conserved();
	part();
}

static void a_full_ring_is_the_producers_drop_at_the_egress_port(void **state)
{
	(void)state;
	join(1);
	/* Worker 1 does not come round. */
	for (uint32_t i = 0; i < 2000; i++) {
		give(frame(1, i, 60, 0));
		settle(&workers[0], START_NS);
	}
	assert_int_equal(txq_deferred(txq), DEFER_SIZE);
	assert_int_equal(drops(OUT, WORKER_DROP_DEFER), 2000 - DEFER_SIZE);
	assert_int_equal(drops(IN, WORKER_DROP_DEFER), 0);
	assert_conserved();
	part();
}

static void nothing_is_received_when_told_not_to(void **state)
{
	(void)state;
	join(0);
	give(frame(1, 0, 60, 0));
	assert_int_equal(worker_pass(&workers[0], START_NS, false), 0);
	assert_int_equal(counter_get(&workers[0].ports[IN].rx_packets), 0);
	settle(&workers[0], START_NS);
	assert_int_equal(take_all(), 1);
	part();
}

static void a_late_pass_is_a_stall_with_its_length(void **state)
{
	const struct worker_counters *c = &workers[0].counters;

	(void)state;
	join(0);
	worker_pass(&workers[0], START_NS, true); /* the first has no one before it */
	worker_pass(&workers[0], START_NS + MS, true);
	assert_int_equal(counter_get(&c->stalls), 0);
	worker_pass(&workers[0], START_NS + 6 * MS, true);
	worker_pass(&workers[0], START_NS + 8 * MS, true);
	assert_int_equal(counter_get(&c->stalls), 2);
	assert_int_equal(counter_get(&c->stall_ns), 7 * MS);
	assert_int_equal(counter_get(&c->max_stall_ns), 5 * MS);
	assert_int_equal(counter_get(&c->passes), 4);
	assert_int_equal(counter_get(&c->busy_passes), 0);
	part();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(frames_up_to_the_mtu_pass_unchanged),
		TEST(frames_above_the_mtu_are_dropped_and_named),
		TEST(a_frame_that_ends_within_its_tags_passes),
		TEST(runts_are_dropped_and_named),
		TEST(tags_the_driver_took_out_are_put_back),
		TEST(a_tag_beside_the_frame_counts_as_one_in_it),
		TEST(shared_buffers_are_left_to_their_other_owner),
		TEST(a_buffer_of_another_pool_is_copied_into_this_one),
		TEST(a_header_over_two_buffers_is_washed_where_it_lies),
		TEST(without_a_buffer_a_shared_frame_is_dropped_and_named),
		TEST(a_checksum_left_to_the_nic_is_computed),
		TEST(rules_come_before_the_nics_mark_and_that_before_dscp),
		TEST(frames_nobody_knows_pass_and_are_counted_where_they_came_in),
		TEST(pppoe_is_within_the_mtu),
		TEST(a_ring_with_k_free_slots_takes_k),
		TEST(another_workers_queue_is_reached_through_its_ring),
		TEST(a_full_ring_is_the_producers_drop_at_the_egress_port),
		TEST(nothing_is_received_when_told_not_to),
		TEST(a_late_pass_is_a_stall_with_its_length),
	};

	return cmocka_run_group_tests(tests, pair_start, pair_stop);
}
