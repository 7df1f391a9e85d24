/* SPDX-License-Identifier: BSD-3-Clause */
/* See probe.h: finding out. Everything goes into JSON first; probe_text.c prints it for people. */
#include "daemon/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_version.h>

#include "base/log.h"
#include "dataplane/dataplane.h"
#include "dataplane/eal.h"
#include "dataplane/numa.h"
#include "dataplane/plan.h"
#include "report/report.h"

/* The device's argument by which net_ice does without a DDP package. */
#define SAFE_MODE "safe-mode-support=1"

/** What is being found out. */
struct probe {
	const struct gateau_config *cfg;
	struct machine machine;
	struct eal_cpus cpus;
	struct port ports[CONFIG_PORTS_MAX];
	bool opened; /* all of them */
	bool fits;
};

static const char *const level_names[] = {
	[CHOOSE_INFO] = "info",
	[CHOOSE_WARNING] = "warning",
	[CHOOSE_FAULT] = "fault",
};

static void add_note(struct probe *p, json_t *notes, enum choose_level level, const char *about,
		     const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void add_note(struct probe *p, json_t *notes, enum choose_level level, const char *about,
		     const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	p->fits &= level != CHOOSE_FAULT;
	json_array_append_new(notes, json_pack("{s:s, s:s, s:s}", "level", level_names[level],
					       "about", about, "text", text));
}

static json_t *owner_json(enum machine_owner owner)
{
	static const char *const names[] = {
		[MACHINE_NOBODY] = "nobody",
		[MACHINE_KERNEL] = "kernel",
		[MACHINE_DPDK] = "dpdk",
		[MACHINE_DIVIDED] = "divided",
	};

	return json_string(names[owner]);
}

static json_t *nic_json(const struct machine_nic *nic)
{
	json_t *o = json_object();
	char id[16];

	snprintf(id, sizeof(id), "%04x:%04x", nic->vendor, nic->device);
	json_object_set_new(o, "address", json_string(nic->address));
	json_object_set_new(o, "id", json_string(id));
	json_object_set_new(o, "driver", *nic->driver ? json_string(nic->driver) : json_null());
	json_object_set_new(o, "owner", owner_json(nic->owner));
	json_object_set_new(o, "interface",
			    *nic->interface ? json_string(nic->interface) : json_null());
	json_object_set_new(o, "node", nic->node < 0 ? json_null() : json_integer(nic->node));
	json_object_set_new(o, "iommu_group",
			    nic->iommu_group < 0 ? json_null() : json_integer(nic->iommu_group));
	json_object_set_new(o, "needs_ddp", json_boolean(nic->needs_ddp));
	return o;
}

static json_t *pages_json(const struct machine_pages *pages)
{
	json_t *o = json_object();

	report_set_number(o, "node", pages->node);
	report_set_number(o, "kb", pages->kb);
	report_set_number(o, "total", pages->total);
	report_set_number(o, "free", pages->free);
	return o;
}

json_t *probe_machine_json(const struct machine *m)
{
	json_t *o = json_object(), *nics = json_array(), *pages = json_array();

	for (unsigned i = 0; i < m->n_nics; i++)
		json_array_append_new(nics, nic_json(&m->nics[i]));
	for (unsigned i = 0; i < m->n_pages; i++)
		json_array_append_new(pages, pages_json(&m->pages[i]));
	json_object_set_new(o, "dpdk", json_string(rte_version()));
	json_object_set_new(o, "iommu", json_boolean(m->iommu));
	json_object_set_new(o, "unsafe_noiommu", json_boolean(m->unsafe_noiommu));
	json_object_set_new(o, "hugepages", pages);
	report_set_number(o, "hugepages_free_mb", machine_free_mb(m, -1));
	json_object_set_new(o, "ddp_package", *m->ddp ? json_string(m->ddp) : json_null());
	report_set_number(o, "ddp_packages_of_one_card", m->n_ddp);
	json_object_set_new(o, "nics", nics);
	return o;
}

/** What of a PCI device can be said before DPDK is asked. */
static void note_pci(struct probe *p, const struct config_port *c, json_t *notes)
{
	const struct machine_nic *nic;
	char address[16];

	if (!device_is_pci(c->device))
		return;
	snprintf(address, sizeof(address), "%.*s", (int)strcspn(c->device, ","), c->device);
	nic = machine_find_nic(&p->machine, address);
	if (!nic) {
		add_note(p, notes, CHOOSE_FAULT, "device", "no network device %s on PCI", address);
		return;
	}
	if (nic->owner == MACHINE_KERNEL || nic->owner == MACHINE_NOBODY)
		add_note(p, notes, CHOOSE_FAULT, "device",
			 "%s is %s%s; bind it to vfio-pci (dpdk-devbind.py -b vfio-pci %s)",
			 address, *nic->driver ? "bound to " : "bound to no driver", nic->driver,
			 address);
	else
		add_note(p, notes, CHOOSE_INFO, "device", "%s is bound to %s", address,
			 nic->driver);
	if (nic->owner == MACHINE_DPDK && !p->machine.iommu && !p->machine.unsafe_noiommu)
		add_note(p, notes, CHOOSE_WARNING, "iommu",
			 "no IOMMU is in use: vfio-pci takes the device only with "
			 "enable_unsafe_noiommu_mode");
	if (nic->needs_ddp && !*p->machine.ddp && !p->machine.n_ddp)
		add_note(p, notes, strstr(c->device, SAFE_MODE) ? CHOOSE_WARNING : CHOOSE_FAULT,
			 "ddp",
			 "no DDP package in /lib/firmware/intel/ice/ddp: the driver does not open "
			 "this NIC without one (docs/nics.md)");
}

/** How far a port is from a CPU that works for it. */
static void note_distance(struct probe *p, const struct port *port, uint16_t cpu, json_t *notes)
{
	int node = machine_cpu_node("", cpu);

	if (port->node < 0 || node < 0 || node == port->node)
		return;
	add_note(p, notes, CHOOSE_WARNING, "numa",
		 "CPU %u is on node %d, the port on node %d (distance %u; 10 is near)", cpu, node,
		 port->node, machine_distance("", node, port->node));
}

static void note_distances(struct probe *p, unsigned at, json_t *notes)
{
	static struct topology t;
	struct topology_wish unmet;
	bool seen[CONFIG_LCORES_MAX] = {false};

	if (topology_deal(&t, p->cfg, p->cpus.workers, p->cpus.n_workers, &unmet)) {
		add_note(p, notes, CHOOSE_FAULT, "lcores", "no worker on CPU %u", unmet.cpu);
		return;
	}
	for (unsigned i = 0; i < t.n_rx; i++)
		seen[t.rx[i].q.worker] |= t.rx[i].q.port == at;
	for (unsigned i = 0; i < t.n_tx; i++)
		seen[t.tx[i].worker] |= t.tx[i].port == at;
	for (unsigned i = 0; i < p->cpus.n_workers; i++)
		if (seen[i])
			note_distance(p, &p->ports[at], p->cpus.workers[i], notes);
}

/** What the device was opened for. */
static json_t *describe_port(const struct port *port, json_t *o)
{
	struct rte_eth_link link;
	char firmware[128];

	json_object_set_new(o, "driver", json_string(port->driver));
	json_object_set_new(o, "node", port->node < 0 ? json_null() : json_integer(port->node));
	if (rte_eth_dev_fw_version_get(port->id, firmware, sizeof(firmware)) == 0)
		json_object_set_new(o, "firmware", json_string(firmware));
	if (rte_eth_link_get_nowait(port->id, &link) == 0)
		json_object_set_new(o, "speed_mbps",
				    link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN
					    ? json_null()
					    : json_integer(link.link_speed));
	report_set_number(o, "rx_descriptors", port->choice.rx_descriptors);
	report_set_number(o, "tx_descriptors", port->choice.tx_descriptors);
	return o;
}

/** @started: DPDK is there to be asked. */
static json_t *probe_port(struct probe *p, unsigned at, bool started, bool segmented)
{
	const struct config_port *c = &p->cfg->ports[at];
	json_t *o = json_object(), *notes = json_array();
	struct port *port = &p->ports[at];

	json_object_set_new(o, "name", json_string(c->name));
	json_object_set_new(o, "device", json_string(c->device));
	note_pci(p, c, notes);
	if (started && port_open(port, c, segmented) == 0)
		describe_port(port, o);
	else
		p->opened = false;
	for (unsigned i = 0; i < port->choice.n_notes; i++)
		add_note(p, notes, port->choice.notes[i].level, port->choice.notes[i].about, "%s",
			 port->choice.notes[i].text);
	if (started && !port->opened && !port->choice.n_notes)
		add_note(p, notes, CHOOSE_FAULT, "device", "it cannot be opened; the log says why");
	if (port->opened)
		note_distances(p, at, notes);
	json_object_set_new(o, "notes", notes);
	return o;
}

/** Memory is to be where the ports are. */
static void note_node(struct probe *p, uint32_t need, json_t *notes)
{
	int node = p->opened ? numa_common_node(p->ports, p->cfg->n_ports) : -1;
	uint64_t free_mb = machine_free_mb(&p->machine, node);

	if (p->cfg->eal.hugepages && node >= 0 && free_mb < need)
		add_note(p, notes, CHOOSE_WARNING, "numa",
			 "the ports are on node %d, where %" PRIu64 " MB of hugepages are free",
			 node, free_mb);
}

/** What all of it takes; hugepages have to be there. */
static json_t *probe_memory(struct probe *p)
{
	const uint64_t free_mb = machine_free_mb(&p->machine, -1);
	json_t *o = json_object(), *notes = json_array();
	struct config_error err;
	struct pool_plan plan;
	uint32_t need;

	json_object_set_new(o, "notes", notes);
	if (plan_buffers(&plan, p->cfg, p->opened ? p->ports : NULL, p->cpus.n_workers, &err)) {
		add_note(p, notes, CHOOSE_FAULT, "memory", "%s", err.text);
		return o;
	}
	need = plan_memory_mb(&plan, p->cfg->n_ports);
	report_set_number(o, "need_mb", need);
	report_set_number(o, "buffers", plan.elements);
	if (!p->cfg->eal.hugepages)
		add_note(p, notes, CHOOSE_INFO, "memory", "%u MB, of the kernel's small pages",
			 need);
	else
		add_note(p, notes, need > free_mb ? CHOOSE_FAULT : CHOOSE_INFO, "memory",
			 "%u MB of hugepages; free are %" PRIu64, need, free_mb);
	note_node(p, need, notes);
	return o;
}

static void close_ports(struct probe *p)
{
	for (unsigned i = 0; i < p->cfg->n_ports; i++)
		port_close(&p->ports[i]);
}

/** Open what the file names, as a start does. */
static int probe_config(struct probe *p, json_t *found)
{
	const bool segmented = plan_longest_frame(p->cfg) > MBUF_DATA_ROOM;
	uint32_t memory_mb = p->cfg->eal.memory_mb;
	json_t *ports = json_array();
	bool started;
	int ret;

	ret = eal_choose_cpus(&p->cfg->eal, &p->cpus);
	if (!ret && !p->cfg->eal.hugepages && !memory_mb)
		ret = dataplane_memory_mb(p->cfg, &p->cpus, &memory_mb);
	started = !ret && eal_start(p->cfg, &p->cpus, memory_mb) == 0;
	p->fits &= started;
	p->opened = true;
	json_object_set_new(found, "dpdk_starts", json_boolean(started));
	for (unsigned i = 0; i < p->cfg->n_ports; i++)
		json_array_append_new(ports, probe_port(p, i, started, segmented));
	json_object_set_new(found, "ports", ports);
	json_object_set_new(found, "memory", probe_memory(p));
	json_object_set_new(found, "fits", json_boolean(p->fits));
	if (started) {
		close_ports(p);
		eal_stop();
	}
	return p->fits ? 0 : -ERANGE;
}

static int print(const json_t *found, bool json)
{
	if (json)
		json_dumpf(found, stdout, JSON_INDENT(2));
	else
		probe_print_text(found, stdout);
	if (json)
		fputc('\n', stdout);
	return fflush(stdout) || ferror(stdout) ? -EIO : 0;
}

int probe(const struct gateau_config *cfg, bool json)
{
	static struct probe p;
	json_t *found;
	int ret = 0, failed;

	p = (struct probe){.cfg = cfg, .fits = true};
	machine_read(&p.machine, "");
	found = json_pack("{s:o}", "machine", probe_machine_json(&p.machine));
	if (!found)
		return -ENOMEM;
	if (cfg)
		ret = probe_config(&p, found);
	failed = print(found, json);
	json_decref(found);
	return ret ? ret : failed;
}
