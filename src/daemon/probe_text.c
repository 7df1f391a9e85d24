/* SPDX-License-Identifier: BSD-3-Clause */
/* See probe.h: the form for people. */
#include <string.h>

#include "daemon/probe.h"

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "-";
}

/** A number, or "-" where it is not known. Returns @buf. */
static const char *number_of(const json_t *o, const char *key, char buf[24])
{
	const json_t *value = json_object_get(o, key);

	snprintf(buf, 24, json_is_integer(value) ? "%lld" : "-",
		 (long long)json_integer_value(value));
	return buf;
}

static void print_hugepages(const json_t *machine, FILE *out)
{
	const json_t *pages;
	char node[24], kb[24], total[24], left[24];
	size_t i;

	json_array_foreach (json_object_get(machine, "hugepages"), i, pages)
		fprintf(out, "hugepages of %s kB on node %s: %s, %s free\n",
			number_of(pages, "kb", kb), number_of(pages, "node", node),
			number_of(pages, "total", total), number_of(pages, "free", left));
}

static void print_nics(const json_t *machine, FILE *out)
{
	const json_t *nics = json_object_get(machine, "nics"), *nic;
	char node[24], group[24];
	size_t i;

	if (!json_array_size(nics)) {
		fprintf(out, "network devices on PCI: none\n");
		return;
	}
	fprintf(out, "%-13s %-10s %-16s %-8s %-12s %4s %11s\n", "device", "id", "driver", "owner",
		"interface", "node", "IOMMU group");
	json_array_foreach (nics, i, nic)
		fprintf(out, "%-13s %-10s %-16s %-8s %-12s %4s %11s\n", text_of(nic, "address"),
			text_of(nic, "id"), text_of(nic, "driver"), text_of(nic, "owner"),
			text_of(nic, "interface"), number_of(nic, "node", node),
			number_of(nic, "iommu_group", group));
}

static void print_machine(const json_t *machine, FILE *out)
{
	bool iommu = json_is_true(json_object_get(machine, "iommu"));
	bool without = json_is_true(json_object_get(machine, "unsafe_noiommu"));

	fprintf(out, "%s\n", text_of(machine, "dpdk"));
	fprintf(out, "IOMMU: %s\n",
		iommu     ? "in use"
		: without ? "none; vfio-pci does without (unsafe)"
			  : "none in use");
	fprintf(out, "DDP package of Intel's 800 series: %s\n", text_of(machine, "ddp_package"));
	print_hugepages(machine, out);
	print_nics(machine, out);
}

static void print_notes(const json_t *notes, FILE *out)
{
	const json_t *note;
	size_t i;

	json_array_foreach (notes, i, note) {
		const char *level = text_of(note, "level");

		fprintf(out, "  %-8s %s: %s\n", strcmp(level, "info") ? level : "",
			text_of(note, "about"), text_of(note, "text"));
	}
}

static void print_port(const json_t *port, FILE *out)
{
	char node[24], speed[24];

	fprintf(out, "port %s: %s\n", text_of(port, "name"), text_of(port, "device"));
	if (json_object_get(port, "driver"))
		fprintf(out, "  driver %s, firmware %s, node %s, %s Mbit/s\n",
			text_of(port, "driver"), text_of(port, "firmware"),
			number_of(port, "node", node), number_of(port, "speed_mbps", speed));
	print_notes(json_object_get(port, "notes"), out);
}

void probe_print_text(const json_t *found, FILE *out)
{
	const json_t *ports = json_object_get(found, "ports"), *port;
	size_t i;

	print_machine(json_object_get(found, "machine"), out);
	if (!ports)
		return;
	json_array_foreach (ports, i, port)
		print_port(port, out);
	fprintf(out, "memory:\n");
	print_notes(json_object_get(json_object_get(found, "memory"), "notes"), out);
	if (json_is_false(json_object_get(found, "dpdk_starts")))
		fprintf(out, "DPDK does not start: the log says why\n");
	fprintf(out, "%s\n",
		json_is_true(json_object_get(found, "fits"))
			? "the configuration fits this machine"
			: "the configuration does NOT fit this machine");
}
