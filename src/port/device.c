/* SPDX-License-Identifier: BSD-3-Clause */
/* See device.h. */
#include "port/device.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>
#include <rte_pci.h>
#include <rte_string_fns.h>

#include "base/log.h"
#include "config/names.h"

/** DPDK's name of @device: what stands before its arguments. */
static void device_name(const char *device, char *name, size_t size)
{
	strlcpy(name, device, RTE_MIN(size, config_device_name_length(device) + 1));
}

bool device_is_pci(const char *device)
{
	char name[CONFIG_DEVICE_MAX];
	struct rte_pci_addr addr;

	device_name(device, name, sizeof(name));
	return rte_pci_addr_parse(name, &addr) == 0;
}

static int find_pci(const struct config_port *c, const struct rte_pci_addr *addr, uint16_t *id)
{
	char name[PCI_PRI_STR_SIZE];

	/* DPDK spells them with lower-case digits, whatever it was given. */
	rte_pci_device_name(addr, name, sizeof(name));
	if (rte_eth_dev_get_port_by_name(name, id) == 0)
		return 0;
	log_error(
		"port %s: no device %s that DPDK can use; is it there, bound to vfio-pci, and, an "
		"Intel E810, with a DDP package? gateaud --probe looks",
		c->name, name);
	return -ENODEV;
}

static bool may_open_raw_sockets(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0)
		return errno != EPERM;
	close(fd);
	return true;
}

/** Drivers that take an interface from the kernel: what they fail without, they do not all name. */
static int check_interface(const struct config_port *c, const char *name)
{
	char interface[CONFIG_DEVICE_MAX];
	const char *found;
	size_t len;

	if (strncmp(name, "net_af_packet", strlen("net_af_packet")) &&
	    strncmp(name, "net_af_xdp", strlen("net_af_xdp")))
		return 0;
	found = config_device_interface(c->device, &len);
	if (!found) {
		log_error("port %s: device %s needs an interface, as in \"%s,iface=eth1\"", c->name,
			  c->device, name);
		return -ENODEV;
	}
	strlcpy(interface, found, RTE_MIN(len + 1, sizeof(interface)));
	if (!if_nametoindex(interface)) {
		log_error("port %s: no interface \"%s\" for device %s", c->name, interface, name);
		return -ENODEV;
	}
	if (!may_open_raw_sockets()) {
		log_error("port %s: device %s needs the capability CAP_NET_RAW; root has it",
			  c->name, name);
		return -EPERM;
	}
	return 0;
}

/** Whether a driver takes devices of this name. */
static bool has_driver(const char *device)
{
	struct rte_devargs args = {0};
	int ret = rte_devargs_parse(&args, device);

	free(args.data);
	return ret == 0;
}

static int create_virtual(const struct config_port *c, const char *name, uint16_t *id)
{
	int ret;

	if (!has_driver(c->device)) {
		log_error("port %s: no driver for device %s; is its name misspelt, or its part of "
			  "DPDK not installed (librte-net-...)?",
			  c->name, name);
		return -ENODEV;
	}
	ret = check_interface(c, name);
	if (ret)
		return ret;
	/* The driver's own message, if it has one, goes to the log just before. */
	if (rte_dev_probe(c->device) || rte_eth_dev_get_port_by_name(name, id)) {
		log_error("port %s: cannot open device %s; where its driver says no reason above, "
			  "see that it knows these arguments%s",
			  c->name, c->device, geteuid() ? ", and that it does not need root" : "");
		return -ENODEV;
	}
	return 0;
}

int device_find(const struct config_port *c, uint16_t *id)
{
	char name[CONFIG_DEVICE_MAX];
	struct rte_pci_addr addr;

	device_name(c->device, name, sizeof(name));
	if (rte_pci_addr_parse(name, &addr) == 0)
		return find_pci(c, &addr, id);
	if (rte_eth_dev_get_port_by_name(name, id) == 0) {
		log_error("port %s: device %s is in use by another port", c->name, name);
		return -EBUSY;
	}
	return create_virtual(c, name, id);
}
