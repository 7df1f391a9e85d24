/* SPDX-License-Identifier: BSD-3-Clause */
/* See port.h. */
#include "port/port.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_string_fns.h>

#include "base/log.h"
#include "port/nic.h"

/* Most frames taken out of a stopped device. Only software devices keep any, at most a ring full;
 * the bound ends a device that never runs dry. */
#define STOP_DRAIN_MAX 65536

static int ask_abilities(const struct port *port, struct rte_eth_dev_info *info)
{
	int ret = rte_eth_dev_info_get(port->id, info);

	if (ret)
		log_error("port %s: cannot ask the device for its abilities (%s)",
			  port->config->name, strerror(-ret));
	return ret;
}

static void tell_faults(const struct port *port)
{
	for (unsigned i = 0; i < port->choice.n_notes; i++)
		if (port->choice.notes[i].level == CHOOSE_FAULT)
			log_error("port %s: %s", port->config->name, port->choice.notes[i].text);
}

int port_choose(struct port *port, const struct config_port *config, bool segmented)
{
	struct rte_eth_dev_info info;
	int ret = ask_abilities(port, &info);

	return ret ? ret : choose(&port->choice, config, &info, segmented);
}

bool port_can_start_again(const struct port *port)
{
	return strcmp(port->driver, "net_af_packet") != 0;
}

int port_open(struct port *port, const struct config_port *config, bool segmented)
{
	struct rte_eth_dev_info info;
	int ret;

	*port = (struct port){.config = config};
	ret = device_find(config, &port->id);
	if (ret)
		return ret;
	port->opened = true;
	ret = ask_abilities(port, &info);
	if (ret)
		goto err_close;
	strlcpy(port->driver, info.driver_name, sizeof(port->driver));
	port->interface = info.if_index;
	port->node = rte_eth_dev_socket_id(port->id);
	ret = choose(&port->choice, config, &info, segmented);
	if (port->node >= 0)
		choose_note(&port->choice, CHOOSE_INFO, "memory", "on NUMA node %d, the device's",
			    port->node);
	if (!ret)
		return 0;
	tell_faults(port);

err_close:
	port_close(port);
	return ret;
}

/**
 * Who knows the key of the RSS hash can send all flows to one queue, so the key is random. Not that
 * of the schedulers' hashes: of a Toeplitz key the spread tells much.
 */
static int draw_rss_key(struct port *port, struct rte_eth_rss_conf *rss)
{
	const uint8_t size = port->choice.rss_key_bytes;

	rss->rss_hf = port->choice.rss_fields;
	if (!size)
		return 0;
	if (getentropy(port->rss_key, size)) {
		log_error("port %s: the kernel gives no random key for the RSS hash (%s)",
			  port->config->name, strerror(errno));
		return -EIO;
	}
	rss->rss_key = port->rss_key;
	rss->rss_key_len = size;
	return 0;
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
		ret = rte_eth_rx_queue_setup(port->id, q, port->choice.rx_descriptors, socket,
					     &rxconf, pool->mempool);
		if (ret)
			return ret;
	}
	for (uint16_t q = 0; q < c->tx_queues; q++) {
		ret = rte_eth_tx_queue_setup(port->id, q, port->choice.tx_descriptors, socket,
					     &txconf);
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

/**
 * A neighbour's pause frames would stop this port with frames in the device's ring, where no
 * scheduler can choose among them; this port's own would make a queue of the neighbour.
 */
static void refuse_pause_frames(struct port *port)
{
	struct choice *c = &port->choice;
	struct rte_eth_fc_conf fc;
	int ret = rte_eth_dev_flow_ctrl_get(port->id, &fc);

	if (ret == -ENOTSUP && !device_is_pci(port->config->device))
		return;
	if (ret) {
		choose_note(c, CHOOSE_INFO, "pause",
			    "the driver does not say whether the device obeys or sends pause "
			    "frames; switch them off on the other end of the link");
		return;
	}
	if (fc.mode != RTE_ETH_FC_NONE) {
		fc.mode = RTE_ETH_FC_NONE;
		ret = rte_eth_dev_flow_ctrl_set(port->id, &fc);
	}
	if (!ret)
		choose_note(c, CHOOSE_INFO, "pause", "pause frames are off");
	else
		choose_note(c, CHOOSE_WARNING, "pause", "pause frames cannot be switched off (%s)",
			    strerror(-ret));
}

int port_setup(struct port *port, const struct pool *pool)
{
	const struct config_port *c = port->config;
	const struct choice *choice = &port->choice;
	struct rte_eth_conf conf = {
		.intr_conf.lsc = choice->link_events,
		.rxmode.mtu = c->mtu,
		.rxmode.mq_mode = choice->rss_fields ? RTE_ETH_MQ_RX_RSS : RTE_ETH_MQ_RX_NONE,
		.rxmode.offloads = choice->rx_offloads,
		.txmode.offloads = choice->tx_offloads,
		.intr_conf.rxq = port->rx_interrupts,
	};
	struct rte_eth_dev_info info;
	int ret;

	ret = ask_abilities(port, &info);
	if (ret)
		return ret;
	ret = draw_rss_key(port, &conf.rx_adv_conf.rss_conf);
	if (ret)
		return ret;
	ret = configure(port, &conf);
	if (!ret)
		ret = setup_queues(port, &info, &conf, pool);
	if (ret) {
		log_error("port %s: the device refuses %u+%u queues of %u+%u descriptors with MTU "
			  "%u (%s)",
			  c->name, c->rx_queues, c->tx_queues, choice->rx_descriptors,
			  choice->tx_descriptors, c->mtu, strerror(-ret));
		return ret;
	}
	refuse_pause_frames(port);
	return set_mtu(port, &info);
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
	return c->rx_queues * port->choice.rx_room + c->tx_queues * port->choice.tx_room;
}
