/* SPDX-License-Identifier: BSD-3-Clause */
/* See choose.h. */
#include "port/choose.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "port/device.h"
#include "port/mbuf.h"
#include "port/port.h"

void choose_note(struct choice *out, enum choose_level level, const char *about, const char *fmt,
		 ...)
{
	struct choose_note *note;
	va_list args;

	if (out->n_notes == CHOOSE_NOTES_MAX)
		return;
	note = &out->notes[out->n_notes++];
	note->level = level;
	note->about = about;
	va_start(args, fmt);
	vsnprintf(note->text, sizeof(note->text), fmt, args);
	va_end(args);
}

static bool is_driver(const struct rte_eth_dev_info *info, const char *name)
{
	return !strcmp(info->driver_name, name);
}

/** The kernel deals frames to all sockets ("qpairs") of a net_af_packet, polled or not. */
static bool spreads_by_itself(const struct rte_eth_dev_info *info)
{
	return is_driver(info, "net_af_packet");
}

/**
 * An E810 without its DDP package, let in by "safe-mode-support=1": the driver then has no RSS and
 * no checksums, and knows no other reason to offer none.
 */
static bool is_in_safe_mode(const struct rte_eth_dev_info *info)
{
	return is_driver(info, "net_ice") && !info->flow_type_rss_offloads;
}

static bool is_virtio(const char *name)
{
	return !strncmp(name, "net_virtio", strlen("net_virtio"));
}

static bool is_vhost(const char *name)
{
	return !strncmp(name, "net_vhost", strlen("net_vhost"));
}

bool choose_may_have_super_packets(const char *device)
{
	return is_virtio(device) || is_vhost(device);
}

/**
 * virtio's peer cuts its super-packets itself unless told that they are welcome, and it takes as
 * many buffers as they need. vhost's peer is told by the device's argument "tso".
 */
static bool offers_super_packets(const struct rte_eth_dev_info *info)
{
	const uint64_t need = RTE_ETH_RX_OFFLOAD_TCP_LRO | RTE_ETH_RX_OFFLOAD_SCATTER;

	return is_virtio(info->driver_name) && (info->rx_offload_capa & need) == need;
}

static void choose_queues(struct choice *out, const struct config_port *c,
			  const struct rte_eth_dev_info *info)
{
	if (is_in_safe_mode(info) && (c->rx_queues > 1 || c->tx_queues > 1))
		choose_note(out, CHOOSE_FAULT, "queues",
			    "%u RX and %u TX queues asked for, and the device is in safe mode "
			    "(it has no DDP package), where it spreads nothing; install the "
			    "package, or ask for one queue",
			    c->rx_queues, c->tx_queues);
	else if (c->rx_queues > info->max_rx_queues || c->tx_queues > info->max_tx_queues)
		choose_note(out, CHOOSE_FAULT, "queues",
			    "%u RX and %u TX queues asked for, the device has at most %u and %u",
			    c->rx_queues, c->tx_queues, info->max_rx_queues, info->max_tx_queues);
	else if (spreads_by_itself(info) && c->rx_queues < info->max_rx_queues)
		choose_note(out, CHOOSE_FAULT, "queues",
			    "the kernel spreads frames over the device's %u queues (qpairs), so "
			    "rx_queues must be %u, too",
			    info->max_rx_queues, info->max_rx_queues);
	else
		choose_note(out, CHOOSE_INFO, "queues", "%u of %u RX queues, %u of %u TX queues",
			    c->rx_queues, info->max_rx_queues, c->tx_queues, info->max_tx_queues);
	if (is_in_safe_mode(info))
		choose_note(out, CHOOSE_WARNING, "ddp",
			    "the device is in safe mode: it has no DDP package (docs/nics.md)");
}

/** As ethdev counts: a driver that names no longest packet has a longest frame, FCS included. */
static uint32_t largest_mtu(const struct rte_eth_dev_info *info)
{
	const uint32_t around = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
	const uint32_t frame = RTE_MAX(info->max_rx_pktlen, (uint32_t)around);

	if (info->max_mtu != UINT16_MAX && frame > info->max_mtu)
		return info->max_mtu;
	return RTE_MIN((uint32_t)info->max_mtu, frame - around);
}

static void choose_mtu(struct choice *out, const struct config_port *c,
		       const struct rte_eth_dev_info *info)
{
	/* The least that IPv4 allows is the least in a configuration, too. */
	const uint32_t least = RTE_MAX(info->min_mtu, (uint16_t)RTE_ETHER_MIN_MTU);
	const uint32_t most = largest_mtu(info);

	if (c->mtu >= least && c->mtu <= most)
		choose_note(out, CHOOSE_INFO, "mtu", "%u; the device takes %u to %u", c->mtu, least,
			    most);
	else
		choose_note(out, CHOOSE_FAULT, "mtu",
			    "MTU %u asked for, the device (%s) takes %u to %u", c->mtu,
			    info->driver_name, least, most);
}

/** To a multiple of what the driver counts in, within its limits; 0 = it names none. */
static uint16_t fit_descriptors(uint16_t wanted, const struct rte_eth_desc_lim *limits)
{
	uint32_t n = wanted;

	if (limits->nb_align)
		n = (n + limits->nb_align - 1) / limits->nb_align * limits->nb_align;
	if (limits->nb_max)
		n = RTE_MIN(n, (uint32_t)limits->nb_max);
	return (uint16_t)RTE_MAX(n, (uint32_t)limits->nb_min);
}

/** One direction. @asked and @usual are 0 where nobody has an opinion. */
static uint16_t choose_ring(struct choice *out, const char *which, uint16_t asked, uint16_t usual,
			    const struct rte_eth_desc_lim *limits)
{
	const uint16_t wanted = asked ? asked : usual ? usual : CHOOSE_DESCRIPTORS;
	const uint16_t n = fit_descriptors(wanted, limits);
	const char *whose = asked   ? "as asked for"
			    : usual ? "the driver's default"
				    : "gateau's default";
	char range[64] = "its driver names no limits";

	if (limits->nb_max)
		snprintf(range, sizeof(range), "the device takes %u to %u in steps of %u",
			 limits->nb_min, limits->nb_max, RTE_MAX(limits->nb_align, (uint16_t)1));
	if (n == wanted)
		choose_note(out, CHOOSE_INFO, "descriptors", "%s: %u, %s; %s", which, n, whose,
			    range);
	else
		choose_note(out, asked ? CHOOSE_WARNING : CHOOSE_INFO, "descriptors",
			    "%s: %u in place of %u, %s; %s", which, n, wanted, whose, range);
	return n;
}

static void choose_descriptors(struct choice *out, const struct config_port *c,
			       const struct rte_eth_dev_info *info)
{
	const uint16_t rx = info->default_rxportconf.ring_size;
	const uint16_t tx = info->default_txportconf.ring_size;

	out->rx_descriptors = choose_ring(out, "RX", c->rx_descriptors, rx, &info->rx_desc_lim);
	out->tx_descriptors = choose_ring(out, "TX", c->tx_descriptors, tx, &info->tx_desc_lim);
	out->rx_room = out->rx_descriptors;
	out->tx_room = out->tx_descriptors;
	/* A second ring, for what does not fit a buffer of the first: filled whatever is asked for.
	 */
	if (is_driver(info, "net_vmxnet3"))
		out->rx_room *= 2;
	if (!device_is_pci(c->device)) {
		/* Software devices have rings of their own size, however few are asked for. */
		out->rx_room = RTE_MAX(out->rx_room, (uint32_t)(rx ? rx : CHOOSE_DESCRIPTORS));
		out->tx_room = RTE_MAX(out->tx_room, (uint32_t)(tx ? tx : CHOOSE_DESCRIPTORS));
	}
}

/** Spread flows over several RX queues, as far as the device can. */
static void choose_rss(struct choice *out, const struct config_port *c,
		       const struct rte_eth_dev_info *info)
{
	const uint64_t fields =
		(RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP) & info->flow_type_rss_offloads;

	if (c->rx_queues == 1 || spreads_by_itself(info))
		return;
	if (!fields) {
		choose_note(out, CHOOSE_WARNING, "rss",
			    "the device cannot spread flows over its RX queues");
		return;
	}
	out->rss_fields = fields;
	if (!info->hash_key_size || info->hash_key_size > CHOOSE_RSS_KEY_MAX) {
		choose_note(out, CHOOSE_WARNING, "rss",
			    "the device takes no key for its RSS hash and spreads flows in a known "
			    "way");
		return;
	}
	out->rss_key_bytes = info->hash_key_size;
	choose_note(out, CHOOSE_INFO, "rss",
		    "flows are spread by%s%s%s, with a random key of %u bytes",
		    fields & RTE_ETH_RSS_IP ? " IP" : "", fields & RTE_ETH_RSS_TCP ? " TCP" : "",
		    fields & RTE_ETH_RSS_UDP ? " UDP" : "", info->hash_key_size);
}

static void choose_rx_offloads(struct choice *out, const struct config_port *c,
			       const struct rte_eth_dev_info *info)
{
	out->super_packets = is_vhost(info->driver_name) || offers_super_packets(info);
	if (offers_super_packets(info)) {
		out->rx_offloads |= RTE_ETH_RX_OFFLOAD_TCP_LRO | RTE_ETH_RX_OFFLOAD_SCATTER;
		choose_note(out, CHOOSE_INFO, "offloads",
			    "RX: super-packets of virtual machines are taken whole");
	}
	if (port_max_frame(c->mtu) <= MBUF_DATA_ROOM)
		return;
	if (info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) {
		out->rx_offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
		choose_note(out, CHOOSE_INFO, "offloads",
			    "RX: a frame above %u bytes takes several buffers", MBUF_DATA_ROOM);
	} else {
		choose_note(out, CHOOSE_WARNING, "offloads",
			    "the device does not say that it can spread a frame over buffers; "
			    "frames above %u bytes may be lost",
			    MBUF_DATA_ROOM);
	}
}

/** net_tap cuts IPv4 alone, and by itself. */
static void choose_tso(struct choice *out, const struct config_port *c,
		       const struct rte_eth_dev_info *info)
{
	const uint64_t need = RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_TCP_CKSUM |
			      RTE_ETH_TX_OFFLOAD_MULTI_SEGS;

	if (c->scheduler.cake.split_gso || (info->tx_offload_capa & need) != need ||
	    is_driver(info, "net_tap"))
		return;
	out->tso_flags = RTE_MBUF_F_TX_TCP_SEG;
	out->tx_offloads |= need;
	if (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_IPV4_CKSUM) {
		out->tso_flags |= RTE_MBUF_F_TX_IP_CKSUM;
		out->tx_offloads |= RTE_ETH_TX_OFFLOAD_IPV4_CKSUM;
	}
	choose_note(out, CHOOSE_INFO, "offloads", "TX: the device cuts super-packets (TSO)");
}

static void choose_segments(struct choice *out, const struct rte_eth_dev_info *info)
{
	if (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) {
		out->tx_offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
		choose_note(out, CHOOSE_INFO, "offloads",
			    "TX: a frame may lie in several buffers, so no fast free");
	} else {
		choose_note(out, CHOOSE_WARNING, "offloads",
			    "the device does not say that it can send a frame from several "
			    "buffers; frames above %u bytes may be lost",
			    MBUF_DATA_ROOM);
	}
}

static void choose_tx_offloads(struct choice *out, const struct config_port *c,
			       const struct rte_eth_dev_info *info, bool segmented)
{
	choose_tso(out, c, info);
	if (segmented) {
		choose_segments(out, info);
	} else if (!out->tso_flags && info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) {
		/* Its terms hold: one pool, one segment, and nobody takes a second reference
		 * (mbuf_make_own()). */
		out->tx_offloads |= RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
		choose_note(out, CHOOSE_INFO, "offloads",
			    "TX: fast free, since all frames are of one pool, in one buffer, and "
			    "nobody else's");
	}
}

/**
 * Drivers that fall back to plain C for what their vector paths cannot do, from their guides and
 * sources of DPDK 22.11. Drivers do not tell this in advance; once started they name their path.
 */
static void note_vector_paths(struct choice *out, const struct rte_eth_dev_info *info)
{
	static const char *const drivers[] = {"net_ice", "net_i40e", "net_iavf", "net_ixgbe"};
	const uint64_t lost = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_TCP_TSO;
	bool known = false;

	for (unsigned i = 0; i < RTE_DIM(drivers); i++)
		known |= is_driver(info, drivers[i]);
	if (!known)
		return;
	if (!rte_is_power_of_2(out->rx_descriptors))
		choose_note(out, CHOOSE_WARNING, "vector",
			    "%u RX descriptors are no power of 2: the driver leaves its vector "
			    "path for receiving",
			    out->rx_descriptors);
	if (out->tx_offloads & lost)
		choose_note(out, CHOOSE_WARNING, "vector",
			    "frames of several buffers: the driver leaves its vector path for "
			    "sending");
}

/**
 * Drivers of DPDK 22.11 whose devices, as QEMU has them, say so once and never again: the state
 * would be that of the first time for ever, since DPDK does not ask a device that is to say it by
 * itself.
 */
static bool falls_silent(const struct rte_eth_dev_info *info)
{
	return is_driver(info, "net_e1000_em") || is_driver(info, "net_vmxnet3");
}

static void choose_link(struct choice *out, const struct rte_eth_dev_info *info)
{
	out->link_events =
		info->dev_flags && *info->dev_flags & RTE_ETH_DEV_INTR_LSC && !falls_silent(info);
	choose_note(out, CHOOSE_INFO, "link", "%s",
		    out->link_events ? "the device says when it goes down or comes up"
				     : "it is looked at: the device does not say by itself when it "
				       "goes down");
}

static bool has_fault(const struct choice *c)
{
	for (unsigned i = 0; i < c->n_notes; i++)
		if (c->notes[i].level == CHOOSE_FAULT)
			return true;
	return false;
}

int choose(struct choice *out, const struct config_port *c, const struct rte_eth_dev_info *info,
	   bool segmented)
{
	*out = (struct choice){0};
	choose_queues(out, c, info);
	choose_mtu(out, c, info);
	choose_descriptors(out, c, info);
	choose_rss(out, c, info);
	choose_rx_offloads(out, c, info);
	choose_tx_offloads(out, c, info, segmented);
	note_vector_paths(out, info);
	choose_link(out, info);
	return has_fault(out) ? -ERANGE : 0;
}
