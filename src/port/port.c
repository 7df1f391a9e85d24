/* SPDX-License-Identifier: BSD-3-Clause */
/* See port.h. */
#include "port/port.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_string_fns.h>

#include "base/log.h"
#include "port/nic.h"

/* Most frames taken out of a stopped device. Only software devices keep any, at most a ring full;
 * the bound ends a device that never runs dry. */
#define STOP_DRAIN_MAX 65536

/** The kernel deals frames to all sockets ("qpairs") of a net_af_packet, polled or not. */
static bool spreads_by_itself(const struct rte_eth_dev_info *info)
{
	return !strcmp(info->driver_name, "net_af_packet");
}

/** As ethdev counts: a driver that names no longest packet has a longest frame, FCS included. */
static uint32_t largest_mtu(const struct rte_eth_dev_info *info)
{
	const uint32_t around = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
	const uint32_t frame = RTE_MAX(info->max_rx_pktlen, around);

	if (info->max_mtu != UINT16_MAX && frame > info->max_mtu)
		return info->max_mtu;
	return RTE_MIN((uint32_t)info->max_mtu, frame - around);
}

static int check_mtu(const struct config_port *c, const struct rte_eth_dev_info *info)
{
	/* The least that IPv4 allows is the least in a configuration, too. */
	const uint32_t least = RTE_MAX(info->min_mtu, (uint16_t)RTE_ETHER_MIN_MTU);

	if (c->mtu >= least && c->mtu <= largest_mtu(info))
		return 0;
	log_error("port %s: MTU %u asked for, the device (%s) takes %u to %u", c->name, c->mtu,
		  info->driver_name, least, largest_mtu(info));
	return -ERANGE;
}

static int check_limits(const struct config_port *c, const struct rte_eth_dev_info *info)
{
	if (c->rx_queues > info->max_rx_queues || c->tx_queues > info->max_tx_queues) {
		log_error("port %s: %u RX and %u TX queues asked for, the device has at most %u "
			  "and %u",
			  c->name, c->rx_queues, c->tx_queues, info->max_rx_queues,
			  info->max_tx_queues);
		return -ERANGE;
	}
	if (spreads_by_itself(info) && c->rx_queues < info->max_rx_queues) {
		log_error(
			"port %s: the kernel spreads frames over the device's %u queues (qpairs), "
			"so rx_queues must be %u, too",
			c->name, info->max_rx_queues, info->max_rx_queues);
		return -ERANGE;
	}
	return check_mtu(c, info);
}

static int ask_abilities(const struct port *port, struct rte_eth_dev_info *info)
{
	int ret = rte_eth_dev_info_get(port->id, info);

	if (ret)
		log_error("port %s: cannot ask the device for its abilities (%s)",
			  port->config->name, strerror(-ret));
	return ret;
}

static int choose_descriptors(struct port *port, const struct rte_eth_dev_info *info)
{
	const struct config_port *c = port->config;
	uint16_t rx = info->default_rxportconf.ring_size;
	uint16_t tx = info->default_txportconf.ring_size;
	int ret;

	rx = rx ? rx : PORT_DESCRIPTORS;
	tx = tx ? tx : PORT_DESCRIPTORS;
	port->rx_descriptors = c->rx_descriptors ? c->rx_descriptors : rx;
	port->tx_descriptors = c->tx_descriptors ? c->tx_descriptors : tx;
	ret = rte_eth_dev_adjust_nb_rx_tx_desc(port->id, &port->rx_descriptors,
					       &port->tx_descriptors);
	if (ret)
		log_error("port %s: cannot fit the numbers of descriptors to the device (%s)",
			  c->name, strerror(-ret));
	port->rx_room = port->rx_descriptors;
	port->tx_room = port->tx_descriptors;
	if (!device_is_pci(c->device)) {
		/* Software devices have rings of their own size, however few are asked for. */
		port->rx_room = RTE_MAX(port->rx_room, rx);
		port->tx_room = RTE_MAX(port->tx_room, tx);
	}
	return ret;
}

static bool is_virtio(const char *name)
{
	return !strncmp(name, "net_virtio", strlen("net_virtio"));
}

static bool is_vhost(const char *name)
{
	return !strncmp(name, "net_vhost", strlen("net_vhost"));
}

bool port_may_have_super_packets(const char *device)
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

/** net_tap cuts IPv4 alone, and by itself. */
static uint64_t choose_tso(const struct config_port *c, const struct rte_eth_dev_info *info)
{
	const uint64_t need = RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_TCP_CKSUM |
			      RTE_ETH_TX_OFFLOAD_MULTI_SEGS;

	if (c->scheduler.cake.split_gso || (info->tx_offload_capa & need) != need ||
	    !strcmp(info->driver_name, "net_tap"))
		return 0;
	if (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_IPV4_CKSUM)
		return RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IP_CKSUM;
	return RTE_MBUF_F_TX_TCP_SEG;
}

static uint64_t tso_offloads(uint64_t flags)
{
	uint64_t offloads = RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_TCP_CKSUM |
			    RTE_ETH_TX_OFFLOAD_MULTI_SEGS;

	return flags & RTE_MBUF_F_TX_IP_CKSUM ? offloads | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM : offloads;
}

int port_open(struct port *port, const struct config_port *config)
{
	struct rte_eth_dev_info info;
	int ret;

	*port = (struct port){.config = config};
	ret = device_find(config, &port->id);
	if (ret)
		return ret;
	port->opened = true;
	ret = ask_abilities(port, &info);
	if (!ret)
		ret = choose_descriptors(port, &info);
	if (ret)
		goto err_close;
	strlcpy(port->driver, info.driver_name, sizeof(port->driver));
	port->interface = info.if_index;
	port->tso_flags = choose_tso(config, &info);
	port->super_packets = is_vhost(info.driver_name) || offers_super_packets(&info);
	ret = check_limits(config, &info);
	if (ret)
		goto err_close;
	return 0;

err_close:
	port_close(port);
	return ret;
}

/**
 * Who knows the key of the RSS hash can send all flows to one queue, so the key is random. Not that
 * of the schedulers' hashes: of a Toeplitz key the spread tells much.
 */
static int choose_rss_key(struct port *port, const struct rte_eth_dev_info *info,
			  struct rte_eth_rss_conf *rss)
{
	const uint8_t size = info->hash_key_size;

	if (!size || size > sizeof(port->rss_key)) {
		log_warning("port %s: the device takes no key for its RSS hash and spreads flows "
			    "in a known way",
			    port->config->name);
		return 0;
	}
	if (getentropy(port->rss_key, size)) {
		log_error("port %s: the kernel gives no random key for the RSS hash (%s)",
			  port->config->name, strerror(errno));
		return -EIO;
	}
	rss->rss_key = port->rss_key;
	rss->rss_key_len = size;
	return 0;
}

/** Spread flows over several RX queues, as far as the device can. */
static int choose_rss(struct port *port, const struct rte_eth_dev_info *info,
		      struct rte_eth_conf *conf)
{
	const struct config_port *c = port->config;
	uint64_t fields =
		(RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP) & info->flow_type_rss_offloads;

	if (c->rx_queues == 1 || spreads_by_itself(info))
		return 0;
	if (!fields) {
		log_warning("port %s: the device cannot spread flows over its RX queues", c->name);
		return 0;
	}
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf = fields;
	return choose_rss_key(port, info, &conf->rx_adv_conf.rss_conf);
}

static void choose_offloads(const struct config_port *c, const struct rte_eth_dev_info *info,
			    uint64_t tso_flags, bool segmented, struct rte_eth_conf *conf)
{
	if (offers_super_packets(info))
		conf->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_TCP_LRO | RTE_ETH_RX_OFFLOAD_SCATTER;
	if (port_max_frame(c->mtu) > MBUF_DATA_ROOM) {
		if (info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER)
			conf->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
		else
			log_warning("port %s: the device does not say that it can spread a frame "
				    "over buffers; frames above %u bytes may be lost",
				    c->name, MBUF_DATA_ROOM);
	}
	if (tso_flags)
		conf->txmode.offloads |= tso_offloads(tso_flags);
	if (segmented) {
		if (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS)
			conf->txmode.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
		else
			log_warning("port %s: the device does not say that it can send a frame "
				    "from several buffers; frames above %u bytes may be lost",
				    c->name, MBUF_DATA_ROOM);
	} else if (!tso_flags && info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) {
		/* Its terms hold: one pool, one segment, and nobody takes a second reference. */
		conf->txmode.offloads |= RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	}
}

static int setup_queues(struct port *port, const struct rte_eth_dev_info *info,
			const struct rte_eth_conf *conf, const struct pool *pool)
{
	const struct config_port *c = port->config;
	unsigned socket = (unsigned)rte_eth_dev_socket_id(port->id);
	struct rte_eth_rxconf rxconf = info->default_rxconf;
	struct rte_eth_txconf txconf = info->default_txconf;
	int ret;

	rxconf.offloads = conf->rxmode.offloads;
	txconf.offloads = conf->txmode.offloads;
	for (uint16_t q = 0; q < c->rx_queues; q++) {
		ret = rte_eth_rx_queue_setup(port->id, q, port->rx_descriptors, socket, &rxconf,
					     pool->mempool);
		if (ret)
			return ret;
	}
	for (uint16_t q = 0; q < c->tx_queues; q++) {
		ret = rte_eth_tx_queue_setup(port->id, q, port->tx_descriptors, socket, &txconf);
		if (ret)
			return ret;
	}
	return 0;
}

/** A driver that has no way to set an MTU will do if its frames are long enough anyway. */
static int set_mtu(const struct port *port, const struct rte_eth_dev_info *info)
{
	const struct config_port *c = port->config;
	int ret = rte_eth_dev_set_mtu(port->id, c->mtu);

	if (ret == -ENOTSUP && info->max_rx_pktlen >= (uint32_t)c->mtu + RTE_ETHER_HDR_LEN)
		return 0;
	if (ret)
		log_error("port %s: cannot set MTU %u (%s)", c->name, c->mtu, strerror(-ret));
	return ret;
}

/** With the RSS key of our choice, or else with the device's. */
static int configure(const struct port *port, struct rte_eth_conf *conf)
{
	const struct config_port *c = port->config;
	struct rte_eth_rss_conf *rss = &conf->rx_adv_conf.rss_conf;
	int ret = rte_eth_dev_configure(port->id, c->rx_queues, c->tx_queues, conf);

	if (!ret || !rss->rss_key)
		return ret;
	rss->rss_key = NULL;
	rss->rss_key_len = 0;
	ret = rte_eth_dev_configure(port->id, c->rx_queues, c->tx_queues, conf);
	if (!ret)
		log_warning("port %s: the device refuses a key for its RSS hash and spreads flows "
			    "in a known way",
			    c->name);
	return ret;
}

int port_setup(struct port *port, const struct pool *pool, bool segmented)
{
	const struct config_port *c = port->config;
	struct rte_eth_conf conf = {.rxmode.mtu = c->mtu};
	struct rte_eth_dev_info info;
	int ret;

	ret = ask_abilities(port, &info);
	if (ret)
		return ret;
	ret = choose_rss(port, &info, &conf);
	if (ret)
		return ret;
	choose_offloads(c, &info, port->tso_flags, segmented, &conf);
	ret = configure(port, &conf);
	if (!ret)
		ret = setup_queues(port, &info, &conf, pool);
	if (ret) {
		log_error("port %s: the device refuses %u+%u queues of %u+%u descriptors with MTU "
			  "%u (%s)",
			  c->name, c->rx_queues, c->tx_queues, port->rx_descriptors,
			  port->tx_descriptors, c->mtu, strerror(-ret));
		return ret;
	}
	return set_mtu(port, &info);
}

/** Whether the kernel's interface has a carrier. */
static bool interface_is_running(unsigned index)
{
	struct ifreq request = {0};
	bool running;
	int fd;

	if (!if_indextoname(index, request.ifr_name))
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return true; /* not known */
	running = ioctl(fd, SIOCGIFFLAGS, &request) == 0 && request.ifr_flags & IFF_RUNNING;
	close(fd);
	return running;
}

/** Where an interface stands behind a device the kernel knows: net_af_packet says "up" always. */
static bool link_is_up(const struct port *port)
{
	struct rte_eth_link link;

	if (port->interface)
		return interface_is_running(port->interface);
	return rte_eth_link_get_nowait(port->id, &link) || link.link_status == RTE_ETH_LINK_UP;
}

void port_watch_link(struct port *port)
{
	bool up = link_is_up(port);

	if (!up && !port->link_down)
		log_warning("port %s: link is down", port->config->name);
	else if (up && port->link_down)
		log_info("port %s: link is up", port->config->name);
	port->link_down = !up;
}

/** A bump in the wire passes everything. Promiscuous reception has multicast with it, so a device
 * that cannot do the second is only told of if it cannot do the first. */
static void receive_everything(const struct port *port)
{
	int promiscuous = rte_eth_promiscuous_enable(port->id);
	int multicast = rte_eth_allmulticast_enable(port->id);

	if (!promiscuous)
		return;
	log_warning("port %s: cannot receive what is for other addresses (%s)", port->config->name,
		    strerror(-promiscuous));
	if (multicast)
		log_warning("port %s: cannot receive all multicast (%s)", port->config->name,
			    strerror(-multicast));
}

int port_start(struct port *port)
{
	int ret = rte_eth_dev_start(port->id);

	if (ret) {
		log_error("port %s: cannot start the device (%s)", port->config->name,
			  strerror(-ret));
		return ret;
	}
	port->started = true;
	nic_begin(port);
	receive_everything(port);
	port_watch_link(port);
	return 0;
}

/** A ring between two software ports keeps its frames when its ports stop. */
static void drain_device(const struct port *port)
{
	struct rte_mbuf *pkts[32];
	unsigned total = 0;
	uint16_t n;

	for (uint16_t q = 0; q < port->config->rx_queues; q++)
		do {
			n = rte_eth_rx_burst(port->id, q, pkts, RTE_DIM(pkts));
			rte_pktmbuf_free_bulk(pkts, n);
			total += n;
		} while (n && total < STOP_DRAIN_MAX);
}

void port_stop(struct port *port)
{
	int ret;

	if (!port->started)
		return;
	drain_device(port);
	ret = rte_eth_dev_stop(port->id);
	if (ret)
		log_warning("port %s: the device does not stop (%s)", port->config->name,
			    strerror(-ret));
	port->started = false;
}

void port_close(struct port *port)
{
	int ret;

	if (!port->opened)
		return;
	ret = rte_eth_dev_close(port->id);
	if (ret)
		log_warning("port %s: the device does not close (%s)", port->config->name,
			    strerror(-ret));
	port->opened = false;
}

uint32_t port_buffers_kept(const struct port *port)
{
	const struct config_port *c = port->config;

	if (strcmp(port->driver, "net_af_xdp"))
		return 0;
	return c->rx_queues * port->rx_room + c->tx_queues * port->tx_room;
}
