/* SPDX-License-Identifier: BSD-3-Clause */
/* Identities: known values, and what they are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "packet/hash.h"
#include "samples.h"

static struct packet_hashes hash(struct packet_headers h)
{
	struct packet_hashes out;

	packet_hash(&h, &out);
	return out;
}

static struct packet_headers reversed(struct packet_headers h)
{
	struct packet_headers r = h;

	memcpy(r.src, h.dst, sizeof(r.src));
	memcpy(r.dst, h.src, sizeof(r.dst));
	r.sport = h.dport;
	r.dport = h.sport;
	return r;
}

static void known_frames_have_the_golden_hashes(void **state)
{
	(void)state;
	for (unsigned id = 0; id < SAMPLES; id++) {
		struct packet_hashes h = hash(samples[id].headers);

		print_message("%s\n", samples[id].name);
		assert_int_equal(h.flow, samples[id].hashes.flow);
		assert_int_equal(h.src_host, samples[id].hashes.src_host);
		assert_int_equal(h.dst_host, samples[id].hashes.dst_host);
	}
}

static void both_directions_are_one_flow_between_the_same_hosts(void **state)
{
	(void)state;
	for (unsigned id = 0; id < SAMPLES; id++) {
		struct packet_hashes there = hash(samples[id].headers);
		struct packet_hashes back = hash(reversed(samples[id].headers));

		assert_int_equal(there.flow, back.flow);
		assert_int_equal(there.src_host, back.dst_host);
		assert_int_equal(there.dst_host, back.src_host);
	}
}

/* The order of the ports says nothing about that of the addresses. */
static void addresses_and_ports_are_sorted_each_on_their_own(void **state)
{
	struct packet_headers h = samples[SAMPLE_UDP4].headers;
	uint32_t flow = hash(h).flow;

	(void)state;
	h.sport = 2000;
	h.dport = 1000;
	assert_int_equal(hash(h).flow, flow);
}

static void every_part_of_the_key_tells_flows_apart(void **state)
{
	const struct packet_headers base = samples[SAMPLE_UDP6].headers;
	struct packet_headers variants[] = {base, base, base, base, base, base, base, base};
	const unsigned n = sizeof(variants) / sizeof(variants[0]);

	(void)state;
	variants[1].sport++;
	variants[2].dport++;
	variants[3].proto = 6;
	variants[4].vlan_tci = 1;
	variants[5].src[15]++;
	variants[6].dst[0]++;
	variants[7].flow_label = 1;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < i; j++)
			assert_int_not_equal(hash(variants[i]).flow, hash(variants[j]).flow);
}

static void flow_label_replaces_the_ports_but_not_the_protocol(void **state)
{
	struct packet_headers h = samples[SAMPLE_TCP6_LABEL].headers;
	uint32_t flow = hash(h).flow;

	(void)state;
	h.sport = h.dport = 0;
	assert_int_equal(hash(h).flow, flow);
	h.proto = 17;
	assert_int_not_equal(hash(h).flow, flow);
}

static void a_host_is_its_address_and_vlan_alone(void **state)
{
	struct packet_headers h = samples[SAMPLE_UDP6].headers;
	uint32_t host = hash(h).src_host;

	(void)state;
	h.sport = h.dport = 7;
	h.proto = 6;
	h.flow_label = 9;
	h.dst[15] ^= 1;
	assert_int_equal(hash(h).src_host, host);
	h.vlan_tci = 1;
	assert_int_not_equal(hash(h).src_host, host);
}

/*
 * UDP from 10.0.0.1 port 0 to 10.1.25.36 port 5315, found by search: FNV-1a of its key is 0, and
 * fmix32 keeps 0.
 */
static void a_hash_of_zero_becomes_one(void **state)
{
	const struct packet_headers h = {
		.ethertype = 0x0800,
		.proto = 17,
		.dport = 5315,
		.addr_len = 4,
		.src = {10, 0, 0, 1},
		.dst = {10, 1, 25, 36},
	};

	(void)state;
	assert_int_equal(hash(h).flow, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_frames_have_the_golden_hashes),
		cmocka_unit_test(both_directions_are_one_flow_between_the_same_hosts),
		cmocka_unit_test(addresses_and_ports_are_sorted_each_on_their_own),
		cmocka_unit_test(every_part_of_the_key_tells_flows_apart),
		cmocka_unit_test(flow_label_replaces_the_ports_but_not_the_protocol),
		cmocka_unit_test(a_host_is_its_address_and_vlan_alone),
		cmocka_unit_test(a_hash_of_zero_becomes_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
