/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel says of the machine that DPDK is to run on: network devices and the drivers that
 * have them, hugepages, NUMA nodes, IOMMU, firmware files. Read from /sys and /lib, changed
 * nowhere, and no device is touched. No DPDK.
 */
#ifndef GATEAU_DATAPLANE_MACHINE_H
#define GATEAU_DATAPLANE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_NICS_MAX  64
#define MACHINE_PAGES_MAX 32

/** Hugepages of one size on one node. */
struct machine_pages {
	unsigned node;
	uint64_t kb, total, free;
};

/** Who has a network device. */
enum machine_owner {
	MACHINE_NOBODY,  /* no driver */
	MACHINE_KERNEL,  /* a kernel's, that DPDK cannot use it by */
	MACHINE_DPDK,    /* one that leaves it to DPDK: vfio-pci and the like */
	MACHINE_DIVIDED, /* the kernel's, which DPDK uses it with: NVIDIA's */
};

/** A network device on PCI. */
struct machine_nic {
	char address[16]; /* "0000:3b:00.0" */
	uint16_t vendor, device;
	char driver[32];    /* "" = none */
	char interface[32]; /* the kernel's name for it, "" = none */
	int node;           /* -1 = not known */
	int iommu_group;    /* -1 = none */
	bool needs_ddp;     /* Intel's 800 series: nothing goes without its DDP package */
	enum machine_owner owner;
};

struct machine {
	unsigned n_nics, n_pages;
	struct machine_nic nics[MACHINE_NICS_MAX];     /* by address */
	struct machine_pages pages[MACHINE_PAGES_MAX]; /* by node and size */
	bool iommu;                                    /* there is one, and the kernel uses it */
	bool unsafe_noiommu;                           /* vfio-pci is allowed to do without */
	char ddp[128];  /* the default DDP package of Intel's 800 series, "" = none there */
	unsigned n_ddp; /* packages for one card only, ice-SERIAL.pkg */
};

/**
 * @param root  what all paths begin with: "", or a test's folder
 */
void machine_read(struct machine *m, const char *root);

/** NULL: there is none of this address. */
const struct machine_nic *machine_find_nic(const struct machine *m, const char *address);

/** The node of a CPU; -1 = not known. */
int machine_cpu_node(const char *root, unsigned cpu);

/** How far memory of node @to is from node @from, 10 = its own; 0 = not known. */
unsigned machine_distance(const char *root, int from, int to);

/** MB of hugepages that are free on @node; -1: on all. */
uint64_t machine_free_mb(const struct machine *m, int node);

#endif
