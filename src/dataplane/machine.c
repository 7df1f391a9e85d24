/* SPDX-License-Identifier: BSD-3-Clause */
/* See machine.h. */
#include "dataplane/machine.h"

#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTEL      0x8086
#define CLASS_NET  0x020000
#define CLASS_MASK 0xff0000

/** E810, E822, E823, E825 and E830, by the numbers that Linux's driver knows. */
static const struct {
	uint16_t first, last;
} ddp_devices[] = {{0x124c, 0x124f}, {0x12d1, 0x12de}, {0x151d, 0x151d}, {0x1591, 0x1593},
		   {0x1599, 0x159b}, {0x1888, 0x188e}, {0x1890, 0x189a}, {0x579c, 0x579f}};

static const char *const dpdk_drivers[] = {"vfio-pci", "uio_pci_generic", "igb_uio"};
static const char *const divided_drivers[] = {"mlx4_core", "mlx5_core"};

static bool is_among(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

#define IS_AMONG(word, words) is_among(word, words, sizeof(words) / sizeof(*(words)))

/** As much of @from as fits. */
static void copy(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	memcpy(to, from, n);
	to[n] = '\0';
}

/** The first line of a file, "" if there is none. */
static void read_line(char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void read_line(char *line, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	FILE *f;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	*line = '\0';
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(line, (int)size, f))
		line[strcspn(line, "\n")] = '\0';
	fclose(f);
}

/** The number in a file in @folder; @otherwise if there is none. */
static long long read_number(const char *folder, const char *name, long long otherwise)
{
	char line[64], *end;
	long long value;

	read_line(line, sizeof(line), "%s/%s", folder, name);
	value = strtoll(line, &end, 0);
	return end == line ? otherwise : value;
}

/** The last part of what a link points to, "" if there is none. */
static void read_target(char *name, size_t size, const char *folder, const char *link)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/%s", folder, link);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	slash = strrchr(target, '/');
	copy(name, size, slash ? slash + 1 : target);
}

static bool needs_ddp(const struct machine_nic *nic)
{
	for (size_t i = 0; i < sizeof(ddp_devices) / sizeof(*ddp_devices); i++)
		if (nic->vendor == INTEL && nic->device >= ddp_devices[i].first &&
		    nic->device <= ddp_devices[i].last)
			return true;
	return false;
}

static enum machine_owner owner_of(const char *driver)
{
	if (!*driver)
		return MACHINE_NOBODY;
	if (IS_AMONG(driver, dpdk_drivers))
		return MACHINE_DPDK;
	return IS_AMONG(driver, divided_drivers) ? MACHINE_DIVIDED : MACHINE_KERNEL;
}

/** Of what glob(3) finds, in its order. */
static void for_each(const char *root, const char *pattern,
		     void (*fn)(struct machine *m, const char *path), struct machine *m)
{
	char full[PATH_MAX];
	glob_t found;

	snprintf(full, sizeof(full), "%s%s", root, pattern);
	if (glob(full, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			fn(m, found.gl_pathv[i]);
	globfree(&found);
}

static void read_interface(struct machine_nic *nic, const char *folder)
{
	char pattern[PATH_MAX];
	glob_t found;

	/* virtio's is one level down. */
	snprintf(pattern, sizeof(pattern), "%s/{net,virtio*/net}/*", folder);
	if (glob(pattern, GLOB_BRACE, NULL, &found) == 0)
		copy(nic->interface, sizeof(nic->interface), strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
}

static void read_nic(struct machine *m, const char *folder)
{
	struct machine_nic *nic = &m->nics[m->n_nics];
	char group[16];

	if ((read_number(folder, "class", 0) & CLASS_MASK) != CLASS_NET ||
	    m->n_nics == MACHINE_NICS_MAX)
		return;
	m->n_nics++;
	copy(nic->address, sizeof(nic->address), strrchr(folder, '/') + 1);
	nic->vendor = (uint16_t)read_number(folder, "vendor", 0);
	nic->device = (uint16_t)read_number(folder, "device", 0);
	nic->node = (int)read_number(folder, "numa_node", -1);
	read_target(nic->driver, sizeof(nic->driver), folder, "driver");
	read_target(group, sizeof(group), folder, "iommu_group");
	nic->iommu_group = *group ? atoi(group) : -1;
	read_interface(nic, folder);
	nic->needs_ddp = needs_ddp(nic);
	nic->owner = owner_of(nic->driver);
}

static void read_pages(struct machine *m, const char *folder)
{
	struct machine_pages *p = &m->pages[m->n_pages];
	const char *node = strstr(folder, "/node/node");

	if (!node || m->n_pages == MACHINE_PAGES_MAX ||
	    sscanf(node, "/node/node%u/hugepages/hugepages-%" SCNu64 "kB", &p->node, &p->kb) != 2)
		return;
	p->total = (uint64_t)read_number(folder, "nr_hugepages", 0);
	p->free = (uint64_t)read_number(folder, "free_hugepages", 0);
	m->n_pages++;
}

static void note_iommu(struct machine *m, const char *path)
{
	(void)path;
	m->iommu = true;
}

/** Where the driver looks first comes first. */
static void note_ddp(struct machine *m, const char *path)
{
	if (!*m->ddp)
		copy(m->ddp, sizeof(m->ddp), path);
}

static void count_ddp(struct machine *m, const char *path)
{
	(void)path;
	m->n_ddp++;
}

void machine_read(struct machine *m, const char *root)
{
	char line[8];

	*m = (struct machine){0};
	for_each(root, "/sys/bus/pci/devices/*", read_nic, m);
	for_each(root, "/sys/devices/system/node/node*/hugepages/hugepages-*", read_pages, m);
	for_each(root, "/sys/kernel/iommu_groups/*", note_iommu, m);
	for_each(root, "/lib/firmware/updates/intel/ice/ddp/ice.pkg", note_ddp, m);
	for_each(root, "/lib/firmware/intel/ice/ddp/ice.pkg", note_ddp, m);
	/* 16 digits: a serial number, and not the version in the name of the default package */
	for_each(root, "/lib/firmware/updates/intel/ice/ddp/ice-????????????????.pkg", count_ddp,
		 m);
	for_each(root, "/lib/firmware/intel/ice/ddp/ice-????????????????.pkg", count_ddp, m);
	read_line(line, sizeof(line), "%s/sys/module/vfio/parameters/enable_unsafe_noiommu_mode",
		  root);
	m->unsafe_noiommu = *line == 'Y' || *line == '1';
}

const struct machine_nic *machine_find_nic(const struct machine *m, const char *address)
{
	for (unsigned i = 0; i < m->n_nics; i++)
		if (!strcasecmp(m->nics[i].address, address))
			return &m->nics[i];
	return NULL;
}

int machine_cpu_node(const char *root, unsigned cpu)
{
	char pattern[PATH_MAX];
	int node = -1;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/sys/devices/system/cpu/cpu%u/node*", root, cpu);
	if (glob(pattern, 0, NULL, &found) == 0)
		node = atoi(strrchr(found.gl_pathv[0], '/') + strlen("/node"));
	globfree(&found);
	return node;
}

unsigned machine_distance(const char *root, int from, int to)
{
	char line[1024], *at = line;
	unsigned long distance = 0;

	read_line(line, sizeof(line), "%s/sys/devices/system/node/node%d/distance", root, from);
	for (int i = 0; i <= to; i++)
		distance = strtoul(at, &at, 10);
	return (unsigned)distance;
}

uint64_t machine_free_mb(const struct machine *m, int node)
{
	uint64_t kb = 0;

	for (unsigned i = 0; i < m->n_pages; i++)
		if (node < 0 || m->pages[i].node == (unsigned)node)
			kb += m->pages[i].free * m->pages[i].kb;
	return kb >> 10;
}
