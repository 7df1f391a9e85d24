/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TCP headers of a few connections, as bytes, through an instance that filters ACKs: what is
 * filtered says nothing that the packet which arrived does not say, at most one goes per arrival,
 * and every packet is accounted for.
 * Input: options of the instance, then packets and dequeues until it ends.
 */
#include <gateau/cake.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit.h"
#include "base/prng.h"
#include "fuzz.h"
#include "kit.h"
#include "packet/describe.h"

#define FLAG_ECE 0x40
#define FLAG_CWR 0x80

enum {
	PACKETS = 512,
	CONNECTIONS = 4,
	HEADERS_MAX = 14 + 20 + 40 + 60, /* Ethernet, IPv4 of 6in4, IPv6, TCP */
	OPTIONS_MAX = 40,
	FRAME_MIN = 60,
};

/* What the filter is to know of a packet: as it was built, not as it was read. */
struct built {
	uint8_t connection;
	uint8_t flags;
	uint32_t ack;
	uint32_t payload;
	bool sacks;         /* there are SACK blocks, which are read */
	bool other_options; /* behind these nothing is sure: they may end the list, or be SACK */
	bool in;
};

struct bed {
	struct fuzz_input in;
	struct packet_describer describer;
	struct cake *c;
	uint64_t now;
	struct built built[PACKETS];
	uint32_t n_built, out;
};

static uint8_t *put(uint8_t *at, uint64_t value, unsigned bytes)
{
	while (bytes--)
		*at++ = value >> 8 * bytes;
	return at;
}

/* Options of all kinds, right and wrong; returns their end. */
static uint8_t *put_options(struct bed *b, uint8_t *at, struct built *p)
{
	const uint8_t *end = at + OPTIONS_MAX;
	unsigned blocks;

	while (fuzz_below(&b->in, 3)) {
		uint8_t kind = fuzz_u8(&b->in);

		if (kind % 4 == 0 && end - at >= 12) {
			at = put(at,
				 TCPOPT_NOP << 24 | TCPOPT_NOP << 16 | TCPOPT_TIMESTAMP << 8 |
					 TCPOLEN_TIMESTAMP,
				 4);
			at = put(at, fuzz_below(&b->in, 4), 4);
			at = put(at, 0u - fuzz_below(&b->in, 4), 4);
		} else if (kind % 4 == 1) {
			blocks = 1 + fuzz_below(&b->in, 4);
			if (end - at < 2 + 8 * blocks)
				break;
			p->sacks |= !p->other_options;
			at = put(at, TCPOPT_SACK << 8 | (2 + 8 * blocks), 2);
			for (; blocks; blocks--) {
				at = put(at, p->ack + (int8_t)fuzz_u8(&b->in), 4);
				at = put(at, p->ack + fuzz_u8(&b->in), 4);
			}
		} else if (end - at >= 2) { /* any kind and length, which may be 0, 1 or beyond */
			p->other_options = true;
			at = put(at, kind, 1);
			at = put(at, fuzz_u8(&b->in), 1);
		}
	}
	while ((end - at) % 4)
		at = put(at, 0, 1);
	return at;
}

/* Ports, numbers, flags, options. */
static uint8_t *put_tcp(struct bed *b, uint8_t *at, struct built *p)
{
	uint8_t *tcp = at, *end;

	at = put(at, 1000 + p->connection, 2);
	at = put(at, 80, 2);
	at = put(at, 1, 4);
	at = put(at, p->ack, 4);
	at = put(at, 5 << 12 | p->flags, 2);
	at = put(at, 65535ull << 32, 6); /* window, checksum, urgent pointer */
	end = put_options(b, at, p);
	tcp[12] = (end - tcp) / 4 << 4;
	return end;
}

static uint8_t *put_ipv6(uint8_t *at, uint32_t len)
{
	static const uint8_t source[16] = {0x20, 1, [15] = 1}, target[16] = {0x20, 1, [15] = 2};

	at = put(at, 6u << 28, 4);
	at = put(at, len << 16 | IPPROTO_TCP << 8 | 64, 4);
	memcpy(at, source, 16);
	memcpy(at + 16, target, 16);
	return at + 32;
}

static uint8_t *put_ipv4(uint8_t *at, uint32_t len, uint8_t proto)
{
	at = put(at, 0x45 << 24 | (20 + len), 4);
	at = put(at, 0, 4);
	at = put(at, 64 << 24 | proto << 16, 4);
	at = put(at, 0x0a000001, 4);
	return put(at, 0x0a010001, 4);
}

/* A frame as it is captured: headers, some of the payload; returns its bytes. */
static uint32_t build_frame(struct bed *b, uint8_t frame[HEADERS_MAX], struct built *p)
{
	static const uint8_t common[] = {TH_ACK, TH_ACK, TH_ACK, TH_ACK | TH_PUSH};
	static const uint32_t payloads[] = {0, 0, 0, 1, 6, 1448};
	unsigned how = fuzz_below(&b->in, 8), nested = fuzz_below(&b->in, 3);
	uint8_t tcp[20 + OPTIONS_MAX], *at = frame;
	uint32_t len;

	*p = (struct built){
		.connection = fuzz_below(&b->in, CONNECTIONS),
		.ack = 0u - 8 + fuzz_below(&b->in, 16), /* goes round */
		.flags = how < COUNT(common) ? common[how] : fuzz_u8(&b->in),
		.payload = payloads[fuzz_below(&b->in, COUNT(payloads))],
	};
	len = put_tcp(b, tcp, p) - tcp;

	memset(at, 2, 12);
	at = put(at + 12, nested == 1 ? 0x86dd : 0x0800, 2);
	if (nested == 2)
		at = put_ipv4(at, 40 + len + p->payload, IPPROTO_IPV6);
	at = nested ? put_ipv6(at, len + p->payload) : put_ipv4(at, len + p->payload, IPPROTO_TCP);
	memcpy(at, tcp, len);
	p->connection |= (nested > 0) << 4; /* the inner addresses count in 6in4 */
	return at + len - frame;
}

static void arrive(struct bed *b, const uint8_t *bytes, uint32_t size, struct built *p)
{
	uint8_t *copy = malloc(size);
	struct packet_segment seg = {.data = copy, .len = size};
	uint32_t len = size + p->payload;
	struct packet_frame frame = {
		.segs = &seg, .n_segs = 1, .len = len < FRAME_MIN ? FRAME_MIN : len};
	struct cake_packet packet;
	struct packet_view view;
	struct cake_tcp room;

	assert_non_null(copy);
	memcpy(copy, bytes, size); /* to the byte: a sanitizer guards its end */
	packet_describe(&b->describer, &frame, &view, &packet);
	packet.tcp = packet_describe_tcp(&b->describer, &frame, &view, &room);
	free(copy);
	packet.handle = b->n_built++;
	packet.charge = kit_charge(packet.len);
	assert_int_equal(cake_enqueue(b->c, &packet, 1, b->now), 1);
	p->in = true;
}

/* A pure ACK, which the packet that arrived makes superfluous. */
static void check_filtered(const struct built *old, const struct built *arrived)
{
	assert_true(old->in && old < arrived);
	assert_int_equal(old->connection, arrived->connection);
	assert_int_equal(old->flags & ~(FLAG_ECE | FLAG_CWR), TH_ACK);
	assert_int_equal(old->payload, 0);
	assert_int_equal(arrived->flags & (TH_ACK | TH_SYN), TH_ACK);
	assert_true((int32_t)(arrived->ack - old->ack) >= 0);
	if (arrived->sacks || arrived->other_options)
		return;
	assert_int_not_equal(arrived->ack, old->ack); /* no duplicate ACK is lost */
	assert_false(old->sacks);
}

static void note_out(struct bed *b, const struct cake_verdict *v)
{
	assert_true(v->handle < b->n_built && b->built[v->handle].in);
	b->built[v->handle].in = false;
	b->out++;
}

/* Returns how many the filter dropped. */
static unsigned take_drops(struct bed *b)
{
	struct cake_verdict v;
	unsigned filtered = 0;

	while (cake_take_drops(b->c, &v, 1)) {
		if (v.decision == CAKE_DROP_ACK) {
			check_filtered(&b->built[v.handle], &b->built[b->n_built - 1]);
			filtered++;
		}
		note_out(b, &v);
	}
	return filtered;
}

static void dequeue(struct bed *b, unsigned max)
{
	struct cake_verdict v;

	while (max-- && cake_dequeue(b->c, &v, 1, b->now))
		note_out(b, &v);
	assert_int_equal(take_drops(b), 0);
}

static void step(struct bed *b)
{
	struct built *p = &b->built[b->n_built];
	uint8_t frame[HEADERS_MAX];
	unsigned act = fuzz_below(&b->in, 8);

	b->now += 1 << fuzz_below(&b->in, 20);
	if (act == 0) {
		dequeue(b, 1 + fuzz_below(&b->in, 8));
	} else {
		arrive(b, frame, build_frame(b, frame, p), p);
		assert_in_range(take_drops(b), 0, 1);
	}
	assert_int_equal(audit_state(b->c), 0);
	assert_int_equal(b->n_built, b->out + cake_backlog(b->c));
}

static struct cake_params draw_params(struct fuzz_input *in)
{
	static const enum cake_flowmode modes[] = {CAKE_FLOWBLIND, CAKE_FLOWS, CAKE_TRIPLE_ISOLATE};
	static const uint64_t memlimits[] = {2000, 10000, 1000000};
	struct cake_params p;

	cake_params_default(&p);
	p.profile = fuzz_below(in, CAKE_PROFILE_LINUX + 1);
	p.ack_filter = CAKE_ACK_FILTER_ON + fuzz_below(in, 2);
	p.flowmode = modes[fuzz_below(in, COUNT(modes))];
	p.memlimit = memlimits[fuzz_below(in, COUNT(memlimits))];
	p.bandwidth_bps = fuzz_below(in, 2) * 1000000;
	p.ingress = fuzz_below(in, 2);
	p.flows = CAKE_FLOWS_MIN; /* connections share queues */
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct packet_hash_params hash = {.method = PACKET_HASH_PORTABLE};
	static struct bed b;
	struct prng dice = prng_xorshift32(1);
	struct cake_params p;

	memset(&b, 0, sizeof(b));
	b.in = (struct fuzz_input){data, size};
	b.now = T0;
	p = draw_params(&b.in);
	packet_describer_init(&b.describer, &p, &hash);
	b.c = kit_create(&p, &dice);
	while (b.in.left && b.n_built < PACKETS)
		step(&b);
	cake_purge(b.c);
	take_drops(&b);
	assert_int_equal(b.out, b.n_built);
	cake_destroy(b.c);
	return 0;
}
