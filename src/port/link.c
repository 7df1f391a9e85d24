/* SPDX-License-Identifier: BSD-3-Clause */
/* A port's link: whether it is up, and being told when that changes. See port.h. */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "base/log.h"
#include "port/port.h"

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
static bool says_up(const struct port *port)
{
	struct rte_eth_link link;

	if (port->interface)
		return interface_is_running(port->interface);
	return rte_eth_link_get_nowait(port->id, &link) || link.link_status == RTE_ETH_LINK_UP;
}

/* Looks in a row that have to find more frames: what was in the device's ring when the link went
 * down is counted by the next look at the latest. */
#define LOOKS_WITH_FRAMES 2

/**
 * Frames go on arriving while it says that it is down: then it is up. Once told to say when its
 * link changes, DPDK does not ask the device any more; where its interrupts get lost, as in some
 * virtual machines, it would be down for ever, and a port that is in order would be held.
 */
static bool receives(struct port *port)
{
	struct rte_eth_stats stats;

	if (port->interface || rte_eth_stats_get(port->id, &stats))
		return false;
	if (port->link_down && stats.ipackets > port->down_frames)
		port->down_looks++;
	else
		port->down_looks = 0;
	port->down_frames = stats.ipackets;
	return port->down_looks >= LOOKS_WITH_FRAMES;
}

void port_watch_link(struct port *port)
{
	bool up = says_up(port), doubted = !up && receives(port), was_down = port->link_down;

	if (doubted && !port->link_doubted)
		log_warning("port %s: the device says that its link is down, and frames arrive: it "
			    "is taken to be up",
			    port->config->name);
	port->link_doubted = !up && (doubted || port->link_doubted);
	up |= port->link_doubted;
	if (!up && !was_down) {
		log_warning("port %s: link is down", port->config->name);
		port->link_downs++;
	} else if (up && was_down) {
		log_info("port %s: link is up", port->config->name);
	}
	port->link_down = !up;
}

/** In DPDK's interrupt thread. */
static int wake(uint16_t id, enum rte_eth_event_type event, void *port, void *unused)
{
	(void)id;
	(void)event;
	(void)unused;
	eventfd_write(((struct port *)port)->link_fd, 1);
	return 0;
}

int port_tell_link_events(struct port *port, int fd)
{
	int ret;

	if (!port->choice.link_events)
		return 0;
	port->link_fd = fd;
	ret = rte_eth_dev_callback_register(port->id, RTE_ETH_EVENT_INTR_LSC, wake, port);
	if (!ret)
		return 0;
	log_warning("port %s: the device cannot say when its link goes down (%s)",
		    port->config->name, strerror(-ret));
	port->choice.link_events = false;
	return ret;
}

void port_ignore_link_events(struct port *port)
{
	/* -EAGAIN: it is just being called. */
	while (port->choice.link_events &&
	       rte_eth_dev_callback_unregister(port->id, RTE_ETH_EVENT_INTR_LSC, wake, port) ==
		       -EAGAIN)
		;
}
