/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is chosen for a device, by what it says of itself: NICs that no test machine has, as their
 * drivers of DPDK 22.11 describe them, and software devices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_string_fns.h>

#include "port/choose.h"

#define RSS_ALL   (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_L2_PAYLOAD)
#define SEGMENTS  RTE_ETH_TX_OFFLOAD_MULTI_SEGS
#define FAST_FREE RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE
#define SCATTER   RTE_ETH_RX_OFFLOAD_SCATTER
#define CHECKSUMS (RTE_ETH_TX_OFFLOAD_TCP_CKSUM | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM)
#define INTEL_RING                                           \
	{                                                    \
		.nb_min = 64, .nb_max = 4096, .nb_align = 32 \
	}

static const uint32_t with_events = RTE_ETH_DEV_INTR_LSC;
static const uint32_t without_events;

/* Both drivers: 9,728 bytes with 2 VLAN tags and FCS, so an MTU of 9,702. */
#define INTEL(driver, queues, ring)                                                                \
	{                                                                                          \
		.driver_name = driver, .min_mtu = 68, .max_mtu = 9702, .max_rx_pktlen = 9728,      \
		.dev_flags = &with_events, .max_rx_queues = queues, .max_tx_queues = queues,       \
		.rx_offload_capa = SCATTER,                                                        \
		.tx_offload_capa = SEGMENTS | FAST_FREE | RTE_ETH_TX_OFFLOAD_TCP_TSO | CHECKSUMS,  \
		.hash_key_size = 52, .flow_type_rss_offloads = RSS_ALL, .rx_desc_lim = INTEL_RING, \
		.tx_desc_lim = INTEL_RING, .default_rxportconf.ring_size = ring,                   \
		.default_txportconf.ring_size = ring,                                              \
	}

static const struct rte_eth_dev_info e810 = INTEL("net_ice", 256, 1024);
static const struct rte_eth_dev_info xxv710 = INTEL("net_i40e", 192, 256);

/* Many features and no fast free; no default length of a ring. */
static const struct rte_eth_dev_info mlx5 = {
	.driver_name = "mlx5_pci",
	.min_mtu = 68,
	.max_mtu = 65535,
	.max_rx_pktlen = 65536,
	.dev_flags = &with_events,
	.max_rx_queues = 1024,
	.max_tx_queues = 1024,
	.rx_offload_capa = SCATTER,
	.tx_offload_capa = SEGMENTS,
	.hash_key_size = 40,
	.flow_type_rss_offloads = RSS_ALL,
	.rx_desc_lim = {.nb_max = 65535, .nb_align = 1},
	.tx_desc_lim = {.nb_max = 65535, .nb_align = 1},
};

static const struct rte_eth_dev_info virtio = {
	.driver_name = "net_virtio",
	.min_mtu = 68,
	.max_mtu = 9698,
	.max_rx_pktlen = 9728,
	.dev_flags = &with_events,
	.max_rx_queues = 1,
	.max_tx_queues = 1,
	.rx_offload_capa = SCATTER | RTE_ETH_RX_OFFLOAD_TCP_LRO,
	.tx_offload_capa = SEGMENTS | RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_TCP_CKSUM,
	.rx_desc_lim = {.nb_min = 32, .nb_max = 32768, .nb_align = 1},
	.tx_desc_lim = {.nb_min = 32, .nb_max = 32768, .nb_align = 1},
};

static const struct rte_eth_dev_info af_packet = {
	.driver_name = "net_af_packet",
	.min_mtu = 68,
	.max_mtu = UINT16_MAX,
	.max_rx_pktlen = 1518,
	.dev_flags = &without_events,
	.max_rx_queues = 2,
	.max_tx_queues = 2,
	.tx_offload_capa = SEGMENTS,
};

struct wish {
	const char *device;
	uint16_t rx_queues, tx_queues, descriptors, mtu;
	bool whole_super_packets, segmented;
};

static int choose_for(struct choice *out, const struct rte_eth_dev_info *info, struct wish w)
{
	struct config_port c = {
		.rx_queues = w.rx_queues ? w.rx_queues : 1,
		.tx_queues = w.tx_queues ? w.tx_queues : 1,
		.rx_descriptors = w.descriptors,
		.tx_descriptors = w.descriptors,
		.mtu = w.mtu ? w.mtu : 1500,
		.scheduler.cake.split_gso = !w.whole_super_packets,
	};

	strlcpy(c.device, w.device ? w.device : "0000:3b:00.0", sizeof(c.device));
	return choose(out, &c, info, w.segmented);
}

/** How often something is said at a level about a matter, with these words in it. */
static unsigned notes(const struct choice *c, enum choose_level level, const char *about,
		      const char *words)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n_notes; i++)
		n += c->notes[i].level == level && !strcmp(c->notes[i].about, about) &&
		     strstr(c->notes[i].text, words);
	return n;
}

static unsigned at_level(const struct choice *c, enum choose_level level)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n_notes; i++)
		n += c->notes[i].level == level;
	return n;
}

static void an_e810_has_all_it_is_asked_for(void **state)
{
	struct choice c;

	(void)state;
	assert_int_equal(
		choose_for(&c, &e810,
			   (struct wish){.rx_queues = 8, .tx_queues = 8, .descriptors = 2048}),
		0);
	assert_int_equal(c.rx_descriptors, 2048);
	assert_int_equal(c.tx_descriptors, 2048);
	assert_int_equal(c.tx_offloads, FAST_FREE);
	assert_int_equal(c.rx_offloads, 0);
	assert_int_equal(c.rss_key_bytes, 52);
	assert_int_equal(c.rss_fields, RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP);
	assert_true(c.link_events);
	assert_int_equal(at_level(&c, CHOOSE_WARNING), 0);
	assert_int_equal(notes(&c, CHOOSE_INFO, "queues", "8 of 256 RX queues"), 1);
}

static void in_safe_mode_there_is_one_queue(void **state)
{
	struct rte_eth_dev_info safe = e810;
	struct choice c;

	(void)state;
	safe.flow_type_rss_offloads = 0;
	assert_int_equal(choose_for(&c, &safe, (struct wish){.rx_queues = 2}), -ERANGE);
	assert_int_equal(notes(&c, CHOOSE_FAULT, "queues", "safe mode"), 1);
	assert_int_equal(choose_for(&c, &safe, (struct wish){.tx_queues = 2}), -ERANGE);
	assert_int_equal(choose_for(&c, &safe, (struct wish){0}), 0);
	assert_int_equal(notes(&c, CHOOSE_WARNING, "ddp", "safe mode"), 1);
}

static void another_driver_without_rss_is_in_no_safe_mode(void **state)
{
	struct rte_eth_dev_info plain = xxv710;
	struct choice c;

	(void)state;
	plain.flow_type_rss_offloads = 0;
	assert_int_equal(choose_for(&c, &plain, (struct wish){.rx_queues = 2}), 0);
	assert_int_equal(notes(&c, CHOOSE_WARNING, "rss", "cannot spread"), 1);
}

static void limits_of_queues_and_mtu_are_the_drivers(void **state)
{
	struct choice c;

	(void)state;
	assert_int_equal(choose_for(&c, &xxv710, (struct wish){.rx_queues = 192, .mtu = 9702}), 0);
	assert_int_equal(choose_for(&c, &xxv710, (struct wish){.tx_queues = 193, .mtu = 9703}),
			 -ERANGE);
	/* Both are said at once. */
	assert_int_equal(notes(&c, CHOOSE_FAULT, "queues", "at most 192 and 192"), 1);
	assert_int_equal(notes(&c, CHOOSE_FAULT, "mtu", "takes 68 to 9702"), 1);
	/* 1,518 - 14 - 4: what the driver does not say itself */
	assert_int_equal(choose_for(&c, &af_packet, (struct wish){.rx_queues = 2, .mtu = 1501}),
			 -ERANGE);
	assert_int_equal(notes(&c, CHOOSE_FAULT, "mtu", "takes 68 to 1500"), 1);
}

static void descriptors_are_a_multiple_within_the_limits(void **state)
{
	static const struct {
		uint16_t asked, taken;
	} rows[] = {{64, 64}, {65, 96}, {2000, 2016}, {4096, 4096}, {8192, 4096}};
	struct choice c;

	(void)state;
	for (unsigned i = 0; i < RTE_DIM(rows); i++) {
		assert_int_equal(choose_for(&c, &e810, (struct wish){.descriptors = rows[i].asked}),
				 0);
		assert_int_equal(c.rx_descriptors, rows[i].taken);
		assert_int_equal(c.tx_descriptors, rows[i].taken);
		assert_int_equal(notes(&c, CHOOSE_WARNING, "descriptors", "steps of 32"),
				 rows[i].asked == rows[i].taken ? 0 : 2);
	}
}

static void who_is_not_asked_has_the_drivers_descriptors_or_ours(void **state)
{
	struct choice c;

	(void)state;
	assert_int_equal(choose_for(&c, &xxv710, (struct wish){0}), 0);
	assert_int_equal(c.rx_descriptors, 256);
	assert_int_equal(notes(&c, CHOOSE_INFO, "descriptors", "the driver's default"), 2);
	assert_int_equal(choose_for(&c, &mlx5, (struct wish){0}), 0);
	assert_int_equal(c.tx_descriptors, CHOOSE_DESCRIPTORS);
	assert_int_equal(notes(&c, CHOOSE_INFO, "descriptors", "gateau's default"), 2);
}

static void a_software_device_has_room_for_its_own_ring(void **state)
{
	struct choice c;

	(void)state;
	assert_int_equal(choose_for(&c, &af_packet,
				    (struct wish){.device = "net_af_packet0,iface=veth-lan",
						  .rx_queues = 2,
						  .descriptors = 64}),
			 0);
	assert_int_equal(c.rx_descriptors, 64);
	assert_int_equal(c.rx_room, CHOOSE_DESCRIPTORS);
	assert_int_equal(choose_for(&c, &e810, (struct wish){.descriptors = 64}), 0);
	assert_int_equal(c.rx_room, 64);
}

static void the_kernel_spreads_over_all_queues_of_af_packet(void **state)
{
	struct choice c;

	(void)state;
	assert_int_equal(choose_for(&c, &af_packet, (struct wish){.rx_queues = 1}), -ERANGE);
	assert_int_equal(notes(&c, CHOOSE_FAULT, "queues", "rx_queues must be 2"), 1);
	assert_int_equal(choose_for(&c, &af_packet, (struct wish){.rx_queues = 2}), 0);
	assert_int_equal(c.rss_fields, 0);
	assert_false(c.link_events);
	assert_int_equal(notes(&c, CHOOSE_INFO, "link", "looked at"), 1);
}

static void devices_that_fall_silent_about_their_links_are_looked_at(void **state)
{
	struct rte_eth_dev_info silent = e810;
	struct choice c;

	(void)state;
	silent.driver_name = "net_e1000_em";
	assert_int_equal(choose_for(&c, &silent, (struct wish){0}), 0);
	assert_false(c.link_events);
	silent.driver_name = "net_vmxnet3";
	assert_int_equal(choose_for(&c, &silent, (struct wish){0}), 0);
	assert_false(c.link_events);
}

static void vmxnet3_fills_two_rings(void **state)
{
	struct rte_eth_dev_info vmxnet3 = e810;
	struct choice c;

	(void)state;
	vmxnet3.driver_name = "net_vmxnet3";
	assert_int_equal(choose_for(&c, &vmxnet3, (struct wish){.descriptors = 512}), 0);
	assert_int_equal(c.rx_room, 2 * 512);
	assert_int_equal(c.tx_room, 512);
}

static void a_key_that_is_too_long_is_not_given(void **state)
{
	struct rte_eth_dev_info odd = e810;
	struct choice c;

	(void)state;
	odd.hash_key_size = CHOOSE_RSS_KEY_MAX + 1;
	assert_int_equal(choose_for(&c, &odd, (struct wish){.rx_queues = 2}), 0);
	assert_int_equal(c.rss_key_bytes, 0);
	assert_int_not_equal(c.rss_fields, 0);
	assert_int_equal(notes(&c, CHOOSE_WARNING, "rss", "takes no key"), 1);
}

/* Frames longer than 2,048 bytes lie in several buffers: at MTU 2,026 the longest has 2,048. */
static void fast_free_is_for_frames_of_one_buffer(void **state)
{
	struct choice c;

	(void)state;
	assert_int_equal(choose_for(&c, &e810, (struct wish){.mtu = 2026}), 0);
	assert_int_equal(c.tx_offloads, FAST_FREE);
	assert_int_equal(c.rx_offloads, 0);
	assert_int_equal(choose_for(&c, &e810, (struct wish){.mtu = 2027, .segmented = true}), 0);
	assert_int_equal(c.tx_offloads, SEGMENTS);
	assert_int_equal(c.rx_offloads, SCATTER);
	/* The other port's frames may be long. */
	assert_int_equal(choose_for(&c, &e810, (struct wish){.segmented = true}), 0);
	assert_int_equal(c.tx_offloads, SEGMENTS);
	assert_int_equal(c.rx_offloads, 0);
	assert_int_equal(choose_for(&c, &mlx5, (struct wish){0}), 0);
	assert_int_equal(c.tx_offloads, 0);
}

static void what_a_vector_path_is_lost_by_is_said_of_intels(void **state)
{
	struct choice c;

	(void)state;
	assert_int_equal(choose_for(&c, &e810, (struct wish){.descriptors = 1536}), 0);
	assert_int_equal(notes(&c, CHOOSE_WARNING, "vector", "1536 RX descriptors"), 1);
	assert_int_equal(choose_for(&c, &xxv710, (struct wish){.mtu = 9000, .segmented = true}), 0);
	assert_int_equal(notes(&c, CHOOSE_WARNING, "vector", "for sending"), 1);
	assert_int_equal(
		choose_for(&c, &mlx5,
			   (struct wish){.descriptors = 1536, .mtu = 9000, .segmented = true}),
		0);
	assert_int_equal(at_level(&c, CHOOSE_WARNING), 0);
}

static void virtual_machines_super_packets_are_taken_and_given_whole(void **state)
{
	struct choice c;

	(void)state;
	assert_int_equal(choose_for(&c, &virtio, (struct wish){0}), 0);
	assert_true(c.super_packets);
	assert_int_equal(c.rx_offloads, SCATTER | RTE_ETH_RX_OFFLOAD_TCP_LRO);
	assert_int_equal(c.tso_flags, 0);
	assert_int_equal(choose_for(&c, &virtio, (struct wish){.whole_super_packets = true}), 0);
	assert_int_equal(c.tso_flags, RTE_MBUF_F_TX_TCP_SEG);
	assert_int_equal(c.tx_offloads, virtio.tx_offload_capa);
	/* A NIC that can cut them gets whole ones, too, and then no fast free. */
	assert_int_equal(choose_for(&c, &e810, (struct wish){.whole_super_packets = true}), 0);
	assert_false(c.super_packets);
	assert_int_equal(c.tso_flags, RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IP_CKSUM);
	assert_int_equal(c.tx_offloads, SEGMENTS | RTE_ETH_TX_OFFLOAD_TCP_TSO | CHECKSUMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_e810_has_all_it_is_asked_for),
		cmocka_unit_test(in_safe_mode_there_is_one_queue),
		cmocka_unit_test(another_driver_without_rss_is_in_no_safe_mode),
		cmocka_unit_test(limits_of_queues_and_mtu_are_the_drivers),
		cmocka_unit_test(descriptors_are_a_multiple_within_the_limits),
		cmocka_unit_test(who_is_not_asked_has_the_drivers_descriptors_or_ours),
		cmocka_unit_test(a_software_device_has_room_for_its_own_ring),
		cmocka_unit_test(the_kernel_spreads_over_all_queues_of_af_packet),
		cmocka_unit_test(devices_that_fall_silent_about_their_links_are_looked_at),
		cmocka_unit_test(vmxnet3_fills_two_rings),
		cmocka_unit_test(a_key_that_is_too_long_is_not_given),
		cmocka_unit_test(fast_free_is_for_frames_of_one_buffer),
		cmocka_unit_test(what_a_vector_path_is_lost_by_is_said_of_intels),
		cmocka_unit_test(virtual_machines_super_packets_are_taken_and_given_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
