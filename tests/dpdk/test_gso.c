/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Super-packets between two ring ports: cut where they are received, or queued whole and cut when
 * their turn comes. Their payload is made of the bytes' positions, and so is what must come out.
 */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_tcp.h>

#include "harness.h"
#include "pair.h"
#include "port/gso.h"

#define TCP4_HEADERS (14 + 20 + 32)
#define TCP6_HEADERS (14 + 40 + 32)

static uint8_t payload_byte(uint32_t at)
{
	return (uint8_t)(at * 31 + (at >> 8));
}

/** As a virtual machine's kernel leaves it: ACK, PSH and FIN, no checksum, @mss bytes a segment. */
static struct rte_mbuf *super_packet(bool ipv6, uint32_t payload, uint16_t mss, uint8_t tos)
{
	const uint32_t headers = ipv6 ? TCP6_HEADERS : TCP4_HEADERS;
	struct rte_mbuf *m = buffer(headers + payload);
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	struct rte_ipv4_hdr *ip4 = (struct rte_ipv4_hdr *)(eth + 1);
	struct rte_ipv6_hdr *ip6 = (struct rte_ipv6_hdr *)(eth + 1);
	struct rte_tcp_hdr *tcp = rte_pktmbuf_mtod_offset(m, struct rte_tcp_hdr *, headers - 32);
	uint32_t at = 0;

	if (ipv6) {
		eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV6);
		ip6->vtc_flow = rte_cpu_to_be_32(6u << 28 | (uint32_t)tos << 20);
		ip6->payload_len = rte_cpu_to_be_16((uint16_t)(32 + payload));
		ip6->proto = IPPROTO_TCP;
		memset(&ip6->src_addr, 0x20, 16);
		memset(&ip6->dst_addr, 0x21, 16);
	} else {
		eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
		*ip4 = (struct rte_ipv4_hdr){
			.version_ihl = 0x45,
			.type_of_service = tos,
			.total_length = rte_cpu_to_be_16((uint16_t)(52 + payload)),
			.packet_id = rte_cpu_to_be_16(0xfffe),
			.time_to_live = 64,
			.next_proto_id = IPPROTO_TCP,
			.src_addr = rte_cpu_to_be_32(0x0a000001),
			.dst_addr = rte_cpu_to_be_32(0x0a000002),
		};
		ip4->hdr_checksum = rte_ipv4_cksum(ip4);
	}
	tcp->src_port = rte_cpu_to_be_16(1000);
	tcp->dst_port = rte_cpu_to_be_16(80);
	tcp->sent_seq = rte_cpu_to_be_32(0xfffffc00);
	tcp->data_off = 8 << 4;
	tcp->tcp_flags = RTE_TCP_ACK_FLAG | RTE_TCP_PSH_FLAG | RTE_TCP_FIN_FLAG;
	tcp->cksum = 0x1234;
	for (struct rte_mbuf *s = m; s; s = s->next)
		for (uint16_t i = 0; i < s->data_len; i++, at++)
			if (at >= headers)
				rte_pktmbuf_mtod(s, uint8_t *)[i] = payload_byte(at - headers);
	m->ol_flags |= RTE_MBUF_F_RX_LRO | RTE_MBUF_F_RX_L4_CKSUM_NONE;
	m->tso_segsz = mss;
	return m;
}

/** A segment of it, which is freed: its payload starts at @at, it is number @i, the @last or not.
 */
static void check_segment(struct rte_mbuf *m, bool ipv6, uint32_t at, uint32_t payload, uint16_t i,
			  bool last, uint8_t tos)
{
	const uint32_t headers = ipv6 ? TCP6_HEADERS : TCP4_HEADERS;
	struct rte_tcp_hdr *tcp;
	uint16_t given;
	const struct rte_ipv4_hdr *ip4;
	const struct rte_ipv6_hdr *ip6;
	static uint8_t bytes[MBUF_FRAME_MAX];

	assert_int_equal(rte_pktmbuf_pkt_len(m), headers + payload);
	read_bytes(m, bytes, m->pkt_len);
	rte_pktmbuf_free(m);
	ip4 = (const struct rte_ipv4_hdr *)(bytes + 14);
	ip6 = (const struct rte_ipv6_hdr *)(bytes + 14);
	tcp = (struct rte_tcp_hdr *)(bytes + headers - 32);
	if (ipv6) {
		assert_int_equal(rte_be_to_cpu_16(ip6->payload_len), 32 + payload);
		assert_int_equal(rte_be_to_cpu_32(ip6->vtc_flow) >> 20 & 0xff, tos);
		given = tcp->cksum;
		tcp->cksum = 0;
		assert_int_equal(rte_ipv6_udptcp_cksum(ip6, tcp), given);
	} else {
		assert_int_equal(rte_be_to_cpu_16(ip4->total_length), 52 + payload);
		assert_int_equal(ip4->type_of_service, tos);
		assert_int_equal(rte_be_to_cpu_16(ip4->packet_id), (uint16_t)(0xfffe + i));
		assert_int_equal(rte_raw_cksum(ip4, sizeof(*ip4)), 0xffff);
		given = tcp->cksum;
		tcp->cksum = 0;
		assert_int_equal(rte_ipv4_udptcp_cksum(ip4, tcp), given);
	}
	assert_int_equal(rte_be_to_cpu_32(tcp->sent_seq), 0xfffffc00 + at);
	assert_int_equal(tcp->tcp_flags,
			 RTE_TCP_ACK_FLAG | (last ? RTE_TCP_PSH_FLAG | RTE_TCP_FIN_FLAG : 0));
	for (uint32_t k = 0; k < payload; k++)
		assert_int_equal(bytes[headers + k], payload_byte(at + k));
}

/** All segments of a super-packet come out, in order. */
static void check_cut(bool ipv6, uint32_t payload, uint16_t mss)
{
	uint16_t i = 0;

	for (uint32_t at = 0; at < payload; at += mss, i++) {
		struct rte_mbuf *m = take();

		assert_non_null(m);
		check_segment(m, ipv6, at, RTE_MIN(payload - at, (uint32_t)mss), i,
			      at + mss >= payload, 0);
	}
	assert_null(take());
}

static void a_super_packet_leaves_as_its_segments(void **state)
{
	(void)state;
	for (unsigned tx = 0; tx < 2; tx++) {
		join(tx);
		for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
			static const uint32_t payloads[] = {1429, 2856, 4000, 65000};

			for (unsigned k = 0; k < RTE_DIM(payloads); k++) {
				give(super_packet(ipv6, payloads[k], 1428, 0));
				settle(&workers[0], START_NS);
				settle(&workers[tx], START_NS);
				check_cut(ipv6, payloads[k], 1428);
				assert_conserved();
			}
		}
		/* 2 + 2 + 3 + 46 segments of 4 packets, twice */
		assert_int_equal(counter_get(&workers[0].ports[OUT].segments_added), 2 * (53 - 4));
		part();
	}
}

static void what_is_flagged_but_fits_a_segment_is_only_completed(void **state)
{
	(void)state;
	join(0);
	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		give(super_packet(ipv6, 1428, 1428, 0));
		settle(&workers[0], START_NS);
		check_cut(ipv6, 1428, 1428);
	}
	assert_int_equal(counter_get(&workers[0].ports[OUT].segments_added), 0);
	assert_conserved();
	part();
}

static void segments_keep_their_place_between_other_frames(void **state)
{
	struct rte_mbuf *m;

	(void)state;
	for (unsigned tx = 0; tx < 2; tx++) {
		join(tx);
		give(frame(1, 0, 60, 0));
		give(super_packet(false, 5000, 1428, 0));
		give(frame(1, 1, 60, 0));
		give(frame(1, 2, 60, 0));
		settle(&workers[0], START_NS);
		assert_int_equal(txq_deferred(txq), tx ? 1 + 4 + 2 : 0);
		settle(&workers[tx], START_NS);
		for (uint32_t i = 0; (m = take()); i++)
			rte_pktmbuf_free(m);
		assert_conserved();
		part();
	}
}

/*
 * 254 frames and 35 segments: a batch takes 256 and the rest of the arrival. The queue is
 * full to its limit, of 200 buffers, and what is above it while the arrival goes in shows
 * that it is one.
 */
static void a_batch_does_not_end_within_an_arrival(void **state)
{
	const uint32_t element = harness_pool.map.element_bytes;
	struct cake_params params;
	struct cake_stats stats;

	(void)state;
	cake_params_default(&params);
	params.memlimit = 200 * element;
	join_with(1, &params);
	for (uint32_t i = 0; i < CAKE_BURST_MAX - 2; i++)
		give(frame(1, i, 60, 0));
	settle(&workers[0], START_NS);
	give(super_packet(false, 35 * 1000, 1000, 0));
	settle(&workers[0], START_NS);
	assert_int_equal(txq_deferred(txq), CAKE_BURST_MAX - 2 + 35);
	settle(&workers[1], START_NS);
	txq_stats(txq, &stats);
	assert_int_equal(stats.memory_used, (200 + 35) * element);
	assert_int_equal(take_all(), 200);
	assert_conserved();
	part();
}

static void a_ring_takes_all_segments_or_none(void **state)
{
	(void)state;
	join(1);
	for (uint32_t i = 0; i < DEFER_SIZE - 10; i++) {
		give(frame(1, i, 60, 0));
		settle(&workers[0], START_NS);
	}
	give(super_packet(false, 11 * 1000, 1000, 0));
	settle(&workers[0], START_NS);
	assert_int_equal(txq_deferred(txq), DEFER_SIZE - 10);
	assert_int_equal(drops(OUT, WORKER_DROP_DEFER), 11);
	give(super_packet(false, 10 * 1000, 1000, 0));
	settle(&workers[0], START_NS);
	assert_int_equal(txq_deferred(txq), DEFER_SIZE);
	assert_conserved();
	part();
}

static void segments_too_long_or_too_many_are_dropped_and_named(void **state)
{
	(void)state;
	join(0);
	/* 66 + 1,448 = 1,514 fits an MTU of 1,500 */
	give(super_packet(false, 5000, 1449, 0));
	settle(&workers[0], START_NS);
	assert_int_equal(drops(IN, WORKER_DROP_TOO_LONG), 1);
	give(super_packet(false, 5000, 1448, 0));
	settle(&workers[0], START_NS);
	check_cut(false, 5000, 1448);
	give(super_packet(false, GSO_SEGS_MAX * 100 + 1, 100, 0));
	settle(&workers[0], START_NS);
	assert_int_equal(drops(IN, WORKER_DROP_GSO_SEGMENTS), 1);
	give(super_packet(false, GSO_SEGS_MAX * 100, 100, 0));
	settle(&workers[0], START_NS);
	check_cut(false, GSO_SEGS_MAX * 100, 100);
	assert_conserved();
	part();
}

static void without_buffers_a_super_packet_is_dropped_and_named(void **state)
{
	struct rte_mbuf *all;

	(void)state;
	join(0);
	give(super_packet(false, 5000, 1448, 0));
	all = take_all_buffers();
	/* two of the four segments find one */
	for (unsigned i = 0; i < 2; i++) {
		struct rte_mbuf *next = all->next;

		all->next = NULL;
		rte_pktmbuf_free(all);
		all = next;
	}
	settle(&workers[0], START_NS);
	free_all_buffers(all);
	assert_null(take());
	assert_int_equal(drops(OUT, WORKER_DROP_GSO_NO_BUFFER), 1);
	assert_int_equal(counter_get(&workers[0].ports[OUT].segments_added), 0);
	assert_conserved();
	part();
}

static void join_whole(unsigned tx)
{
	struct cake_params params;

	cake_params_default(&params);
	params.split_gso = false;
	join_with(tx, &params);
}

/* Without a device that cuts, the lcore that runs the queue does. */
static void a_super_packet_that_was_queued_whole_is_cut_late(void **state)
{
	(void)state;
	for (unsigned tx = 0; tx < 2; tx++) {
		join_whole(tx);
		for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
			give(frame(1, 0, 60, 0));
			give(super_packet(ipv6, 65000, 1428, 0));
			worker_pass(&workers[0], START_NS, true);
			assert_int_equal(txq_deferred(txq), tx ? 2 : 0);
			settle(&workers[tx], START_NS);
			rte_pktmbuf_free(take());
			check_cut(ipv6, 65000, 1428);
			assert_conserved();
		}
		/* 2 frames and 2 packets of 46 segments, by Best Effort */
		assert_int_equal(sent_by(2), 4);
		assert_int_equal(counter_get(&txq_counters(txq)->sent_packets), 2 + 2 * 46);
		assert_int_equal(counter_get(&txq_counters(txq)->segments_added), 2 * 45);
		part();
	}
}

static void the_mark_of_a_whole_super_packet_is_on_all_its_segments(void **state)
{
	struct cake_params params;
	uint64_t now = START_NS, marked;
	struct rte_mbuf *m;

	(void)state;
	cake_params_default(&params);
	params.split_gso = false;
	params.bandwidth_bps = 100000000;
	join_with(0, &params);
	/* 14,280 bytes of payload last 1.2 ms at 100 Mbit/s: twice the rate until CoDel signals */
	for (unsigned i = 0; i < 2000; i++, now += 600000) {
		unsigned n = 0, ce = 0;

		give(super_packet(false, 14280, 1428, 2));
		worker_pass(&workers[0], now, true);
		marked = counter_get(&txq_counters(txq)->marked);
		for (; (m = take()); n++) {
			ce += frame_tos(m) == 3;
			assert_checksum(m);
			rte_pktmbuf_free(m);
		}
		assert_int_equal(n % 10, 0);
		assert_int_equal(ce % 10, 0);
		if (marked && ce)
			break;
	}
	assert_in_range(now, START_NS, START_NS + S);
	assert_true(marked > 0);
	assert_conserved();
	part();
}

/* 3 segments of 66 + 1,448 and one of 66 + 656 bytes are 5,264, which last 42.1 ms at 1 Mbit/s; the
 * 5,066 bytes of the super-packet would be 40.5 ms. */
static void a_whole_super_packet_is_billed_by_the_segment(void **state)
{
	struct cake_params params;

	(void)state;
	cake_params_default(&params);
	params.split_gso = false;
	params.bandwidth_bps = 1000000;
	join_with(0, &params);
	give(super_packet(false, 5000, 1448, 0));
	settle(&workers[0], START_NS);
	assert_int_equal(take_all(), 4);
	give(frame(1, 0, 60, 0));
	settle(&workers[0], START_NS + 42 * MS);
	assert_null(take());
	settle(&workers[0], START_NS + 43 * MS);
	assert_int_equal(take_all(), 1);
	part();
}

static void a_late_cut_without_buffers_is_dropped_and_named(void **state)
{
	struct rte_mbuf *all;

	(void)state;
	join_whole(0);
	give(super_packet(false, 5000, 1448, 0));
	give(frame(1, 0, 60, 0));
	all = take_all_buffers();
	settle(&workers[0], START_NS);
	free_all_buffers(all);
	assert_int_equal(take_all(), 1);
	assert_int_equal(counter_get(&txq_counters(txq)->gso_no_buffer), 1);
	assert_conserved();
	part();
}

/* What the device is told: where the headers are, what to compute, the sum it starts from. */
static void a_device_that_cuts_is_given_what_it_needs(void **state)
{
	const uint64_t flags = RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IP_CKSUM;

	(void)state;
	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		struct rte_mbuf *m = super_packet(ipv6, 5000, 1448, 0);
		const struct rte_tcp_hdr *tcp;
		uint16_t pseudo;

		mbuf_describe(m, &harness_describer, &harness_pool.map);
		assert_true(gso_offload(m, flags, ports[OUT].id, 0));
		tcp = rte_pktmbuf_mtod_offset(m, const struct rte_tcp_hdr *, ipv6 ? 54 : 34);
		/* DPDK's sum leaves the length out if it sees TCP_SEG */
		pseudo = ipv6 ? rte_ipv6_phdr_cksum(
					rte_pktmbuf_mtod_offset(m, struct rte_ipv6_hdr *, 14), 0)
			      : rte_ipv4_phdr_cksum(
					rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, 14), 0);
		assert_int_equal(tcp->cksum, pseudo);
		assert_int_equal(m->l2_len, 14);
		assert_int_equal(m->l3_len, ipv6 ? 40 : 20);
		assert_int_equal(m->l4_len, 32);
		assert_int_equal(m->tso_segsz, 1448);
		assert_int_equal(m->ol_flags & RTE_MBUF_F_TX_OFFLOAD_MASK,
				 ipv6 ? RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IPV6
				      : flags | RTE_MBUF_F_TX_IPV4);
		rte_pktmbuf_free(m);
	}
}

/* 9,728 bytes with two tags: an MTU of 9,706. */
static void jumbo_frames_pass_up_to_their_mtu(void **state)
{
	static uint8_t sent[9732], got[9732];
	struct cake_stats stats;

	(void)state;
	join(0);
	workers[0].rx[0].mtu = 9706;
	for (uint32_t len = 9726; len <= 9730; len++) {
		struct rte_mbuf *m = buffer(len);

		for (struct rte_mbuf *s = m; s; s = s->next)
			for (uint16_t i = 0; i < s->data_len; i++)
				rte_pktmbuf_mtod(s, uint8_t *)[i] = (uint8_t)(i * 7 + len);
		memcpy(rte_pktmbuf_mtod_offset(m, void *, 12),
		       "\x88\xa8\x00\x07\x81\x00\x00\x05\x88\xb5", 10);
		assert_int_equal(m->nb_segs, pool_mbufs_of(len));
		read_bytes(m, sent, len);
		m = pass(m);
		if (len > 9728) {
			assert_null(m);
			continue;
		}
		assert_non_null(m);
		read_bytes(m, got, len);
		assert_memory_equal(got, sent, len);
		rte_pktmbuf_free(m);
	}
	assert_int_equal(drops(IN, WORKER_DROP_TOO_LONG), 2);
	txq_stats(txq, &stats);
	assert_int_equal(stats.max_adj_size, 9728);
	assert_int_equal(stats.memory_used, 5 * harness_pool.map.element_bytes);
	/* and segments that long: 66 + 9,644, in 5 buffers each */
	give(super_packet(false, 60000, 9644, 0));
	settle(&workers[0], START_NS);
	check_cut(false, 60000, 9644);
	assert_conserved();
	part();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_super_packet_leaves_as_its_segments),
		TEST(what_is_flagged_but_fits_a_segment_is_only_completed),
		TEST(segments_keep_their_place_between_other_frames),
		TEST(a_batch_does_not_end_within_an_arrival),
		TEST(a_ring_takes_all_segments_or_none),
		TEST(segments_too_long_or_too_many_are_dropped_and_named),
		TEST(without_buffers_a_super_packet_is_dropped_and_named),
		TEST(a_super_packet_that_was_queued_whole_is_cut_late),
		TEST(the_mark_of_a_whole_super_packet_is_on_all_its_segments),
		TEST(a_whole_super_packet_is_billed_by_the_segment),
		TEST(a_late_cut_without_buffers_is_dropped_and_named),
		TEST(a_device_that_cuts_is_given_what_it_needs),
		TEST(jumbo_frames_pass_up_to_their_mtu),
	};

	return cmocka_run_group_tests(tests, pair_start, pair_stop);
}
