/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What identities are made of, for each function that makes them. Of frames that the golden tables
 * do not have, the reference counts less: see test_hash_reference.c for its values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "packet/hash.h"
#include "samples.h"

static const enum packet_hash_method methods[] = {PACKET_HASH_KEYED, PACKET_HASH_PORTABLE,
						  PACKET_HASH_REFERENCE};
#define METHODS (sizeof(methods) / sizeof(methods[0]))
#define KEYED   2 /* methods before the reference */

static struct packet_hasher hasher_of(enum packet_hash_method method, enum cake_flowmode mode)
{
	const struct packet_hash_params params = {.method = method, .key = "a key for tests"};
	struct packet_hasher hasher;

	packet_hasher_init(&hasher, &params, mode);
	return hasher;
}

static struct packet_hashes hash(unsigned method, struct packet_headers h)
{
	struct packet_hasher hasher = hasher_of(methods[method], CAKE_TRIPLE_ISOLATE);
	struct packet_hashes out;

	packet_hash(&hasher, &h, &out);
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

static void both_directions_are_one_flow_between_the_same_hosts(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++)
		for (unsigned id = 0; id < SAMPLES; id++) {
			struct packet_hashes there = hash(m, samples[id].headers);
			struct packet_hashes back = hash(m, reversed(samples[id].headers));

			assert_int_equal(there.flow, back.flow);
			assert_int_equal(there.src_host, back.dst_host);
			assert_int_equal(there.dst_host, back.src_host);
		}
}

/* Of addresses that differ only in their second half, too. */
static void ipv6_addresses_are_sorted_by_all_their_bytes(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++)
		for (unsigned byte = 0; byte < 16; byte++) {
			struct packet_headers h = samples[SAMPLE_UDP6].headers;

			memcpy(h.dst, h.src, sizeof(h.dst));
			h.dst[byte] ^= 0x55;
			assert_int_equal(hash(m, h).flow, hash(m, reversed(h)).flow);
		}
}

/* The order of the ports says nothing about that of the addresses. */
static void addresses_and_ports_are_sorted_each_on_their_own(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++) {
		struct packet_headers h = samples[SAMPLE_UDP4].headers;
		uint32_t flow = hash(m, h).flow;
		uint16_t port = h.sport;

		h.sport = h.dport;
		h.dport = port;
		assert_int_equal(hash(m, h).flow, flow);
	}
}

static void assert_all_flows_differ(const struct packet_headers *variants, unsigned n)
{
	for (unsigned m = 0; m < METHODS; m++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned j = 0; j < i; j++)
				assert_int_not_equal(hash(m, variants[i]).flow,
						     hash(m, variants[j]).flow);
}

static void every_part_of_the_key_tells_flows_apart(void **state)
{
	const enum sample_id ids[] = {SAMPLE_UDP4, SAMPLE_UDP6};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct packet_headers base = samples[ids[i]].headers;
		struct packet_headers variants[] = {base, base, base, base, base, base, base};

		variants[1].sport++;
		variants[2].dport++;
		variants[3].proto = 6;
		variants[4].vlan_tci = variants[4].vlan_id = 1;
		variants[5].src[base.addr_len - 1]++;
		variants[6].dst[0]++;
		assert_all_flows_differ(variants, 7);
	}
}

/* A label of the ports' value is not the ports. */
static void a_flow_label_is_not_taken_for_ports(void **state)
{
	struct packet_headers variants[2] = {samples[SAMPLE_UDP6].headers,
					     samples[SAMPLE_UDP6].headers};

	(void)state;
	variants[0].sport = 0x1234;
	variants[0].dport = 0x5;
	variants[1].sport = variants[1].dport = 0;
	variants[1].flow_label = 0x51234;
	assert_all_flows_differ(variants, 2);
	variants[1].flow_label = 0x12340005 & 0xfffff;
	assert_all_flows_differ(variants, 2);
}

static void flow_label_replaces_the_ports_but_not_the_protocol(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++) {
		struct packet_headers h = samples[SAMPLE_TCP6_LABEL].headers;
		uint32_t flow = hash(m, h).flow;

		h.sport = h.dport = 0;
		assert_int_equal(hash(m, h).flow, flow);
		h.flow_label ^= 1;
		assert_int_not_equal(hash(m, h).flow, flow);
		h.flow_label ^= 1;
		h.proto = 17;
		assert_int_not_equal(hash(m, h).flow, flow);
	}
}

static void a_host_is_its_address_and_vlan_alone(void **state)
{
	const enum sample_id ids[] = {SAMPLE_UDP4, SAMPLE_UDP6};

	(void)state;
	for (unsigned m = 0; m < METHODS; m++)
		for (unsigned i = 0; i < 2; i++) {
			struct packet_headers h = samples[ids[i]].headers;
			uint32_t host = hash(m, h).src_host;

			h.sport = h.dport = 7;
			h.proto = 6;
			h.dst[h.addr_len - 1] ^= 1;
			assert_int_equal(hash(m, h).src_host, host);
			h.flow_label = h.addr_len == 16 ? 9 : 0;
			assert_int_equal(hash(m, h).src_host, host);
			h.vlan_tci = h.vlan_id = 1;
			assert_int_not_equal(hash(m, h).src_host, host);
			h.vlan_tci = h.vlan_id = 0;
			h.src[h.addr_len - 1] ^= 1;
			assert_int_not_equal(hash(m, h).src_host, host);
		}
}

/* IEEE 802.1Q: priority in the upper three bits, drop eligible in the next. */
static void priority_and_dei_of_a_tag_are_no_part_of_an_identity(void **state)
{
	(void)state;
	for (unsigned m = 0; m < KEYED; m++)
		for (unsigned id = 0; id < SAMPLES; id++) {
			struct packet_headers plain = samples[id].headers, h = plain;
			struct packet_hashes a, b;

			plain.vlan_id = h.vlan_id = plain.vlan_tci = 7;
			h.vlan_tci = 0xf007;
			h.pcp = 7;
			a = hash(m, plain);
			b = hash(m, h);
			assert_memory_equal(&a, &b, sizeof(a));
		}
}

static void an_inner_vlan_id_tells_flows_and_hosts_apart(void **state)
{
	const enum sample_id ids[] = {SAMPLE_UDP4, SAMPLE_UDP6, SAMPLE_LLDP};

	(void)state;
	for (unsigned m = 0; m < KEYED; m++)
		for (unsigned i = 0; i < 3; i++) {
			struct packet_headers outer = samples[ids[i]].headers, inner = outer;

			outer.vlan_id = 1;
			inner.inner_vlan_id = 1;
			assert_int_not_equal(hash(m, outer).flow, hash(m, inner).flow);
			if (outer.addr_len)
				assert_int_not_equal(hash(m, outer).src_host,
						     hash(m, inner).src_host);
		}
}

static void without_ip_the_ethertype_is_the_flow_and_there_are_no_hosts(void **state)
{
	struct packet_headers variants[3] = {
		samples[SAMPLE_LLDP].headers, samples[SAMPLE_ARP].headers, {.ethertype = 0x8809}};

	(void)state;
	assert_all_flows_differ(variants, 3);
	for (unsigned m = 0; m < METHODS; m++)
		for (unsigned i = 0; i < 3; i++) {
			struct packet_hashes out = hash(m, variants[i]);

			assert_int_not_equal(out.flow, 0);
			assert_int_equal(out.src_host, 0);
			assert_int_equal(out.dst_host, 0);
		}
}

/* The same bytes as flow and as host, or with both IP versions, must not give the same number. */
static void kinds_of_messages_have_separate_functions(void **state)
{
	(void)state;
	for (unsigned m = 0; m < KEYED; m++) {
		struct packet_headers four = {.addr_len = 4}, six = {.addr_len = 16}, other = {0};
		struct packet_hashes h4 = hash(m, four), h6 = hash(m, six), ho = hash(m, other);
		const uint32_t all[] = {h4.flow, h4.src_host, h6.flow, h6.src_host, ho.flow};

		for (unsigned i = 0; i < 5; i++)
			for (unsigned j = 0; j < i; j++)
				assert_int_not_equal(all[i], all[j]);
	}
}

static void only_what_the_mode_looks_at_is_computed(void **state)
{
	(void)state;
	for (unsigned m = 0; m < KEYED; m++)
		for (unsigned mode = CAKE_FLOWBLIND; mode <= CAKE_TRIPLE_ISOLATE; mode++)
			for (unsigned id = 0; id < SAMPLES; id++) {
				const struct packet_headers *h = &samples[id].headers;
				struct packet_hasher hasher = hasher_of(methods[m], mode);
				struct packet_hashes all = hash(m, *h), out;

				memset(&out, 0xff, sizeof(out));
				packet_hash(&hasher, h, &out);
				assert_int_equal(out.flow, mode & CAKE_FLOWS ? all.flow : 0);
				assert_int_equal(out.src_host,
						 mode & CAKE_SRCHOST ? all.src_host : 0);
				assert_int_equal(out.dst_host,
						 mode & CAKE_DSTHOST ? all.dst_host : 0);
			}
}

static void the_name_says_which_function_it_is(void **state)
{
	struct packet_hasher best = hasher_of(PACKET_HASH_KEYED, CAKE_FLOWS);

	(void)state;
	assert_string_equal(hasher_of(PACKET_HASH_PORTABLE, CAKE_FLOWS).name, "SipHash-1-3");
	assert_string_equal(hasher_of(PACKET_HASH_REFERENCE, CAKE_FLOWS).name, "FNV-1a, not keyed");
	if (strcmp(best.name, "SipHash-1-3"))
		assert_string_equal(best.name, "AES (Pelican)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions_are_one_flow_between_the_same_hosts),
		cmocka_unit_test(ipv6_addresses_are_sorted_by_all_their_bytes),
		cmocka_unit_test(addresses_and_ports_are_sorted_each_on_their_own),
		cmocka_unit_test(every_part_of_the_key_tells_flows_apart),
		cmocka_unit_test(a_flow_label_is_not_taken_for_ports),
		cmocka_unit_test(flow_label_replaces_the_ports_but_not_the_protocol),
		cmocka_unit_test(a_host_is_its_address_and_vlan_alone),
		cmocka_unit_test(priority_and_dei_of_a_tag_are_no_part_of_an_identity),
		cmocka_unit_test(an_inner_vlan_id_tells_flows_and_hosts_apart),
		cmocka_unit_test(without_ip_the_ethertype_is_the_flow_and_there_are_no_hosts),
		cmocka_unit_test(kinds_of_messages_have_separate_functions),
		cmocka_unit_test(only_what_the_mode_looks_at_is_computed),
		cmocka_unit_test(the_name_says_which_function_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
