/* SPDX-License-Identifier: BSD-3-Clause */
/* See nic.h. */
#include "port/nic.h"

#include <rte_ethdev.h>

void nic_begin(struct port *port)
{
	struct rte_eth_stats stats;

	port->nic.read_ns = 0;
	if (rte_eth_stats_get(port->id, &stats))
		return;
	nic_counter_begin(&port->nic.missed, stats.imissed);
	nic_counter_begin(&port->nic.rx_errors, stats.ierrors);
	nic_counter_begin(&port->nic.no_buffer, stats.rx_nombuf);
	nic_counter_begin(&port->nic.tx_errors, stats.oerrors);
}

void port_read_nic(struct port *port, uint64_t now)
{
	struct port_nic *nic = &port->nic;
	struct rte_eth_stats stats;
	uint64_t most;

	if (rte_eth_stats_get(port->id, &stats))
		return;
	most = nic->read_ns ? nic_counter_most(now - nic->read_ns) : UINT64_MAX;
	nic_counter_read(&nic->missed, stats.imissed, most);
	nic_counter_read(&nic->rx_errors, stats.ierrors, most);
	nic_counter_read(&nic->no_buffer, stats.rx_nombuf, most);
	nic_counter_read(&nic->tx_errors, stats.oerrors, most);
	nic->read_ns = now;
}

void port_nic_stats(const struct port *port, struct port_nic_stats *out)
{
	*out = (struct port_nic_stats){
		.missed = port->nic.missed.total,
		.rx_errors = port->nic.rx_errors.total,
		.no_buffer = port->nic.no_buffer.total,
		.tx_errors = port->nic.tx_errors.total,
	};
}
