/* SPDX-License-Identifier: BSD-3-Clause */
/* A burst is described as each of its frames is alone, and as its bytes are in one piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ether.h>

#include "base/prng.h"
#include "harness.h"
#include "port/mbuf.h"

#define ROUNDS 2000
#define BYTES  160

static uint32_t below(struct prng *r, uint32_t n)
{
	return prng_u32(r) % n;
}

/* Two times of three IP comes next, else a tag, PPPoE, MPLS, ARP or LLC. */
static void put_ethertype(struct prng *r, uint8_t *p)
{
	static const uint16_t types[] = {0x8100, 0x88a8, 0x8864, 0x8847, 0x0806, 0x0020};
	uint16_t type = below(r, 2) ? 0x0800 : 0x86dd;

	if (!below(r, 3))
		type = types[below(r, RTE_DIM(types))];
	p[0] = (uint8_t)(type >> 8);
	p[1] = (uint8_t)type;
}

/* IP in front of TCP, UDP or VXLAN, mostly; its length is right, or one that may not be. */
static void put_ip(struct prng *r, uint8_t *ip, uint32_t len)
{
	static const uint8_t protocols[] = {6, 6, 17, 17, 4, 41, 47, 58, 0, 44, 51};
	const uint8_t proto = protocols[below(r, RTE_DIM(protocols))];
	const bool ipv4 = ip[-2] != 0x86;
	uint8_t *transport = ip + (ipv4 ? 20 : 40);

	ip[0] = ipv4 ? (uint8_t)(0x45 + !below(r, 8)) : 0x60;
	memset(ip + 2, 0, 5);
	len -= below(r, 2) || len < 40 ? 0 : ipv4 ? 0 : 40;
	ip[ipv4 ? 3 : 5] = (uint8_t)(below(r, 4) ? len : below(r, 100));
	ip[ipv4 ? 9 : 6] = proto;
	transport[12] = 0x50;
	if (proto == 17 && below(r, 2)) {
		transport[2] = 4789 >> 8;
		transport[3] = 4789 & 0xff;
	}
}

/* Headers of all kinds, by chance, changed somewhere. Returns the frame's length. */
static uint32_t make_bytes(struct prng *r, uint8_t bytes[BYTES])
{
	uint32_t len = RTE_ETHER_HDR_LEN + below(r, BYTES - RTE_ETHER_HDR_LEN + 1);

	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)below(r, 9);
	put_ethertype(r, bytes + RTE_ETHER_HDR_LEN - 2);
	put_ip(r, bytes + RTE_ETHER_HDR_LEN, len - RTE_ETHER_HDR_LEN);
	for (unsigned n = below(r, 3); n; n--)
		bytes[below(r, 90)] = (uint8_t)prng_u32(r);
	return len;
}

/* The bytes in one buffer, or cut anywhere, also into pieces of nothing. */
static struct rte_mbuf *make_frame(struct prng *r, const uint8_t *bytes, uint32_t len)
{
	unsigned cuts = below(r, 2) ? 0 : 1 + below(r, 3);
	struct rte_mbuf *first = NULL;

	for (unsigned i = 0; i <= cuts; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(harness_pool.mempool);
		uint32_t n = i == cuts ? len : below(r, RTE_MIN(len, 70u) + 1);

		assert_non_null(m);
		memcpy(rte_pktmbuf_append(m, (uint16_t)n), bytes, n);
		bytes += n;
		len -= n;
		if (first)
			assert_int_equal(rte_pktmbuf_chain(first, m), 0);
		else
			first = m;
	}
	if (!below(r, 4)) {
		first->ol_flags |= RTE_MBUF_F_RX_LRO;
		first->tso_segsz = (uint16_t)(1 + below(r, 30));
	}
	if (!below(r, 4)) {
		first->ol_flags |= RTE_MBUF_F_RX_FDIR_ID;
		first->hash.fdir.hi = prng_u32(r);
	}
	return first;
}

/* Of a private area that was something else before. */
static struct mbuf_private look_again(struct rte_mbuf *m, const struct packet_describer *d)
{
	memset(mbuf_private(m), 0xa5, sizeof(struct mbuf_private));
	mbuf_describe(m, d, &harness_pool.map);
	return *mbuf_private(m);
}

static void check_same(const struct mbuf_private *a, const struct mbuf_private *b)
{
	const struct cake_packet *p = &a->packet, *q = &b->packet;

	assert_int_equal(p->handle, q->handle);
	assert_int_equal(p->len, q->len);
	assert_int_equal(p->charge, q->charge);
	assert_int_equal(p->flow_hash, q->flow_hash);
	assert_int_equal(p->src_hash, q->src_hash);
	assert_int_equal(p->dst_hash, q->dst_hash);
	assert_int_equal(p->mark, q->mark);
	assert_int_equal(p->network_offset, q->network_offset);
	assert_int_equal(p->gso_segs, q->gso_segs);
	assert_int_equal(p->gso_size, q->gso_size);
	assert_int_equal(p->gso_header, q->gso_header);
	assert_int_equal(p->dscp, q->dscp);
	assert_int_equal(p->ecn_capable, q->ecn_capable);
	assert_int_equal(p->more, q->more);
	assert_int_equal(p->priority_tin, q->priority_tin);
	assert_int_equal(a->network_offset, b->network_offset);
	assert_int_equal(a->l3, b->l3);
	assert_int_equal(a->unclassified, b->unclassified);
	assert_int_equal(a->shed_first, b->shed_first);
}

/* What the replayer sees of the same bytes. */
static void check_piece(const struct mbuf_private *priv, const struct packet_describer *d,
			uint8_t *bytes, uint32_t len, uint32_t mark)
{
	const struct packet_segment seg = {.data = bytes, .len = len};
	const struct packet_frame f = {.segs = &seg, .n_segs = 1, .len = len, .mark = mark};
	struct packet_view view;
	struct mbuf_private piece = *priv;

	packet_describe(d, &f, &view, &piece.packet);
	piece.packet.handle = priv->packet.handle;
	piece.packet.charge = priv->packet.charge;
	piece.packet.gso_segs = priv->packet.gso_segs;
	piece.packet.gso_size = priv->packet.gso_size;
	piece.packet.gso_header = priv->packet.gso_header;
	piece.l3 = (uint8_t)view.headers.l3;
	piece.unclassified = (uint8_t)view.headers.unclassified;
	piece.network_offset = view.headers.network_offset;
	check_same(priv, &piece);
}

static void check_burst(struct prng *r, const struct packet_describer *d)
{
	uint8_t bytes[MBUF_BURST][BYTES];
	struct rte_mbuf *pkts[MBUF_BURST];
	unsigned n = 1 + below(r, MBUF_BURST);

	for (unsigned i = 0; i < n; i++) {
		pkts[i] = make_frame(r, bytes[i], make_bytes(r, bytes[i]));
		memset(mbuf_private(pkts[i]), 0x5a, sizeof(struct mbuf_private));
	}
	mbuf_describe_burst(pkts, n, d, &harness_pool.map);
	for (unsigned i = 0; i < n; i++) {
		struct mbuf_private in_burst = *mbuf_private(pkts[i]);
		struct mbuf_private alone = look_again(pkts[i], d);

		check_same(&in_burst, &alone);
		check_piece(&in_burst, d, bytes[i], pkts[i]->pkt_len, mbuf_mark(pkts[i]));
		rte_pktmbuf_free(pkts[i]);
	}
}

static void a_burst_is_described_as_each_frame_alone(void **state)
{
	static const struct packet_rule rules[] = {
		{.protocol_set = true, .protocol = 17, .mark_set = true, .mark = 3, .tin = 2},
		{.vlan_set = true, .vlan = 5, .tin = 1},
	};
	struct prng r = prng_xorshift32(5200);

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct packet_describer d;
		struct cake_params params;

		cake_params_default(&params);
		params.profile = i & 1 ? CAKE_PROFILE_LINUX : CAKE_PROFILE_GATEAU;
		params.flowmode = (enum cake_flowmode)(i >> 1 & CAKE_TRIPLE_ISOLATE);
		packet_describer_init(&d, &params, &harness_hash);
		packet_describer_set_rules(&d, rules, i >> 4 & 1 ? RTE_DIM(rules) : 0);
		check_burst(&r, &d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_burst_is_described_as_each_frame_alone),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}
