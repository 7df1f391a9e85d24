/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of a port on the log once it is set up: port_announce(). */
#include "port/port.h"

#include <rte_ethdev.h>

#include "base/log.h"

static void announce_note(const struct config_port *c, const struct choose_note *note)
{
	if (note->level == CHOOSE_INFO)
		log_info("port %s: %s: %s", c->name, note->about, note->text);
	else
		log_warning("port %s: %s", c->name, note->text);
}

/** Which of its ways to receive and send the driver has taken, where it says so. */
static void announce_paths(const struct port *port)
{
	struct rte_eth_burst_mode rx, tx;

	if (rte_eth_rx_burst_mode_get(port->id, 0, &rx) == 0 &&
	    rte_eth_tx_burst_mode_get(port->id, 0, &tx) == 0)
		log_info("port %s: the driver receives by \"%s\" and sends by \"%s\"",
			 port->config->name, rx.info, tx.info);
}

void port_announce(const struct port *port)
{
	const struct config_port *c = port->config;

	log_info("port %s: %s (%s), MTU %u, %u RX queue%s of %u, %u TX queue%s of %u", c->name,
		 c->device, port->driver, c->mtu, c->rx_queues, c->rx_queues == 1 ? "" : "s",
		 port->choice.rx_descriptors, c->tx_queues, c->tx_queues == 1 ? "" : "s",
		 port->choice.tx_descriptors);
	for (unsigned i = 0; i < port->choice.n_notes; i++)
		announce_note(c, &port->choice.notes[i]);
	announce_paths(port);
}
