/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers between two ring ports, in virtual time: what goes in comes out unchanged, what may not
 * go out is dropped under its name, and everything adds up.
 */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_ring.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "harness.h"
#include "lcore/worker.h"
#include "port/port.h"

/* A ring port is a loop: what is sent to it can be received from it. */
enum { IN, OUT, PORTS };

#define RING_ROOM 1023 /* frames a ring port holds */

static const struct config_port port_configs[PORTS] = {
	{.name = "in", .device = "net_ring_in", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
	{.name = "out", .device = "net_ring_out", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
};

static struct port ports[PORTS];
static struct worker_control control;
static struct worker workers[2];
static struct txq *txq;

static int start_ports(void **state)
{
	if (harness_start(state))
		return -1;
	for (unsigned i = 0; i < PORTS; i++)
		if (port_open(&ports[i], &port_configs[i]) ||
		    port_setup(&ports[i], &harness_pool, false) || port_start(&ports[i]))
			return -1;
	control.map = harness_pool.map;
	return 0;
}

static int stop_ports(void **state)
{
	for (unsigned i = 0; i < PORTS; i++) {
		port_stop(&ports[i]);
		port_close(&ports[i]);
	}
	return harness_stop(state);
}

/** Worker 0 polls IN; worker @tx runs OUT's queue, unlimited. */
static void join_with(unsigned tx, const struct cake_params *cake)
{
	struct txq_params params = {.map = harness_pool.map, .port = ports[OUT].id};
	struct worker_rx rx = {.device = ports[IN].id,
			       .port = IN,
			       .to_port = OUT,
			       .mtu = 1500,
			       .describer = &harness_describer,
			       .same_worker = tx == 0,
			       .split_gso = cake->split_gso};

	params.cake = *cake;
	assert_int_equal(txq_create(&txq, &params), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(worker_init(&workers[i], &control, 1), 0);
	rx.to = txq;
	worker_add_rx(&workers[0], &rx);
	worker_add_tx(&workers[tx], txq);
}

static void join(unsigned tx)
{
	struct cake_params params;

	cake_params_default(&params);
	join_with(tx, &params);
}

static void join_washing(void)
{
	struct cake_params params;

	cake_params_default(&params);
	params.wash = true;
	join_with(0, &params);
}

static void part(void)
{
	txq_purge(txq);
	txq_destroy(txq);
	for (unsigned i = 0; i < 2; i++)
		worker_fini(&workers[i]);
}

static void give(struct rte_mbuf *m)
{
	assert_int_equal(rte_eth_tx_burst(ports[IN].id, 0, &m, 1), 1);
}

/** The next frame that left, or NULL. */
static struct rte_mbuf *take(void)
{
	struct rte_mbuf *m;

	return rte_eth_rx_burst(ports[OUT].id, 0, &m, 1) ? m : NULL;
}

static unsigned take_all(void)
{
	struct rte_mbuf *m;
	unsigned n = 0;

	for (; (m = take()); n++)
		rte_pktmbuf_free(m);
	return n;
}

/** Pass until nothing moves. */
static void settle(struct worker *w, uint64_t now)
{
	while (worker_pass(w, now, true))
		;
}

static uint64_t drops(unsigned port, enum worker_drop reason)
{
	return counter_get(&workers[0].ports[port].dropped[reason]);
}

/** Received + segments added = sent + dropped + inside, over both workers. */
static void assert_conserved(void)
{
	const struct txq_counters *c = txq_counters(txq);
	uint64_t sum = counter_get(&c->sent_packets) + counter_get(&c->gso_no_buffer);

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

/** What comes out when @m goes in. */
static struct rte_mbuf *pass(struct rte_mbuf *m)
{
	give(m);
	settle(&workers[0], START_NS);
	return take();
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

/** The first @n bytes, wherever they lie. */
static void read_bytes(const struct rte_mbuf *m, uint8_t *to, uint32_t n)
{
	const void *p = rte_pktmbuf_read(m, 0, n, to);

	assert_non_null(p);
	memmove(to, p, n);
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

/** A list of all the buffers there are. */
static struct rte_mbuf *take_all_buffers(void)
{
	struct rte_mbuf *m, *all = NULL;

	while ((m = rte_pktmbuf_alloc(harness_pool.mempool))) {
		m->next = all;
		all = m;
	}
	return all;
}

static void free_all_buffers(struct rte_mbuf *all)
{
	while (all) {
		struct rte_mbuf *next = all->next;

		all->next = NULL;
		rte_pktmbuf_free(all);
		all = next;
	}
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

/** Packets that left by the tin at @place of tc's list, from 1. */
static uint64_t sent_by(unsigned place)
{
	struct cake_stats stats;

	txq_stats(txq, &stats);
	return stats.tins[cake_tin_order(CAKE_DIFFSERV3, place - 1)].sent_packets;
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

/* Super-packets. Their payload is made of the bytes' positions, and so is what must come out. */

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

/** A segment of it, which is freed: its payload starts at @at, it is number @i and the
 * @last or not. */
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
 * full to its limit, of 100 buffers, and what is above it while the arrival goes in shows
 * that it is one.
 */
static void a_batch_does_not_end_within_an_arrival(void **state)
{
	const uint32_t element = harness_pool.map.element_bytes;
	struct cake_params params;
	struct cake_stats stats;

	(void)state;
	cake_params_default(&params);
	params.memlimit = 100 * element;
	join_with(1, &params);
	for (uint32_t i = 0; i < CAKE_BURST_MAX - 2; i++)
		give(frame(1, i, 60, 0));
	settle(&workers[0], START_NS);
	give(super_packet(false, 35 * 1000, 1000, 0));
	settle(&workers[0], START_NS);
	assert_int_equal(txq_deferred(txq), CAKE_BURST_MAX - 2 + 35);
	settle(&workers[1], START_NS);
	txq_stats(txq, &stats);
	assert_int_equal(stats.memory_used, (100 + 35) * element);
	assert_int_equal(take_all(), 100);
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

#define TEST(f) cmocka_unit_test_teardown(f, harness_no_buffer_is_lost)

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
		TEST(a_header_over_two_buffers_is_washed_where_it_lies),
		TEST(without_a_buffer_a_shared_frame_is_dropped_and_named),
		TEST(a_checksum_left_to_the_nic_is_computed),
		TEST(rules_come_before_the_nics_mark_and_that_before_dscp),
		TEST(frames_nobody_knows_pass_and_are_counted_where_they_came_in),
		TEST(pppoe_is_within_the_mtu),
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
		TEST(a_ring_with_k_free_slots_takes_k),
		TEST(another_workers_queue_is_reached_through_its_ring),
		TEST(a_full_ring_is_the_producers_drop_at_the_egress_port),
		TEST(nothing_is_received_when_told_not_to),
		TEST(a_late_pass_is_a_stall_with_its_length),
	};

	return cmocka_run_group_tests(tests, start_ports, stop_ports);
}
