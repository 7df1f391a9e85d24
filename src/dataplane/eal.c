/* SPDX-License-Identifier: BSD-3-Clause */
/* See eal.h. */
#include "dataplane/eal.h"

#include <assert.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_string_fns.h>

#include "base/log.h"
#include "dataplane/eal_log.h"
#include "dataplane/locked.h"
#include "port/device.h"

static_assert(EAL_FIRST_WORKER + CONFIG_LCORES_MAX <= RTE_MAX_LCORE, "an lcore for every worker");

/* Twelve arguments that are always there at most, two per PCI device. */
#define ARGS_MAX (16 + 2 * CONFIG_PORTS_MAX)

/* "--lcores" names every worker: "127@1023," each, and the main thread's CPUs. */
#define TEXT_MAX 8192

/* EAL's command line: a growing text and where its words begin. */
struct arguments {
	int n;
	char *words[ARGS_MAX + 1];
	size_t used;
	char text[TEXT_MAX];
};

static void add(struct arguments *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Add a word. The sizes above have room for every configuration there can be. */
static void add(struct arguments *a, const char *fmt, ...)
{
	va_list ap;

	a->words[a->n++] = a->text + a->used;
	va_start(ap, fmt);
	a->used += (size_t)vsnprintf(a->text + a->used, sizeof(a->text) - a->used, fmt, ap) + 1;
	va_end(ap);
}

/** Write a set as "0,2-5", the form of EAL's arguments. Returns @buf. */
static const char *format_cpus(char *buf, size_t size, const cpu_set_t *set)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && used < size; cpu++) {
		unsigned first = cpu;

		if (!CPU_ISSET(cpu, set))
			continue;
		while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, set))
			cpu++;
		used += (size_t)snprintf(buf + used, size - used, "%s%u", used ? "," : "", first);
		if (cpu > first && used < size)
			used += (size_t)snprintf(buf + used, size - used, "-%u", cpu);
	}
	return buf;
}

/** Every CPU but the first, which is left to the main thread, unless it is the only one. */
static void choose_all_but_one(const cpu_set_t *allowed, struct eal_cpus *out)
{
	bool spare_one = CPU_COUNT(allowed) > 1;

	for (unsigned cpu = 0; cpu < CPU_SETSIZE && out->n_workers < CONFIG_LCORES_MAX; cpu++) {
		if (!CPU_ISSET(cpu, allowed))
			continue;
		if (spare_one)
			spare_one = false;
		else
			out->workers[out->n_workers++] = (uint16_t)cpu;
	}
}

int eal_choose_cpus(const struct config_eal *eal, struct eal_cpus *out)
{
	char list[512];
	cpu_set_t allowed;

	*out = (struct eal_cpus){0};
	if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		int err = errno;

		log_error("cannot ask for this process's CPUs (%s)", strerror(err));
		return -err;
	}
	for (unsigned i = 0; i < eal->n_lcores; i++) {
		if (eal->lcores[i] >= CPU_SETSIZE || !CPU_ISSET(eal->lcores[i], &allowed)) {
			log_error("eal.lcores[%u]: no CPU %u for this process; there are: %s", i,
				  eal->lcores[i], format_cpus(list, sizeof(list), &allowed));
			return -ENOENT;
		}
		out->workers[out->n_workers++] = eal->lcores[i];
	}
	if (!eal->n_lcores)
		choose_all_but_one(&allowed, out);
	out->main = allowed;
	for (unsigned i = 0; i < out->n_workers; i++)
		CPU_CLR(out->workers[i], &out->main);
	if (!CPU_COUNT(&out->main))
		out->main = allowed;
	return 0;
}

static void add_lcores(struct arguments *a, const struct eal_cpus *cpus)
{
	char list[4096], map[TEXT_MAX / 2];
	size_t used;

	used = (size_t)snprintf(map, sizeof(map), "%u@(%s)", EAL_MAIN_LCORE,
				format_cpus(list, sizeof(list) / 2, &cpus->main));
	for (unsigned i = 0; i < cpus->n_workers && used < sizeof(map); i++)
		used += (size_t)snprintf(map + used, sizeof(map) - used, ",%u@%u",
					 EAL_FIRST_WORKER + i, cpus->workers[i]);
	add(a, "--lcores");
	add(a, "%s", map);
	add(a, "--main-lcore");
	add(a, "%u", EAL_MAIN_LCORE);
}

static void add_memory(struct arguments *a, const struct config_eal *eal, uint32_t memory_mb)
{
	/* Both leave no files behind that a second process could share. */
	if (eal->hugepages) {
		add(a, "--in-memory");
	} else {
		add(a, "--no-huge");
		add(a, "--no-shconf");
	}
	if (memory_mb) {
		add(a, "-m");
		add(a, "%u", memory_mb);
	}
}

/** PCI devices are found at the start, those that are named and no others. */
static void add_devices(struct arguments *a, const struct gateau_config *cfg)
{
	bool pci = false;

	for (unsigned i = 0; i < cfg->n_ports; i++) {
		if (!device_is_pci(cfg->ports[i].device))
			continue;
		add(a, "-a");
		add(a, "%s", cfg->ports[i].device);
		pci = true;
	}
	if (!pci)
		add(a, "--no-pci");
}

/** Free hugepages of all sizes together; -1 where the system does not say. */
static long long count_hugepages(void)
{
	long long sum = -1, n;
	glob_t sizes;

	if (glob("/sys/kernel/mm/hugepages/*/free_hugepages", 0, NULL, &sizes))
		return -1;
	for (size_t i = 0; i < sizes.gl_pathc; i++) {
		FILE *f = fopen(sizes.gl_pathv[i], "r");

		if (!f)
			continue;
		if (fscanf(f, "%lld", &n) == 1)
			sum = (sum < 0 ? 0 : sum) + n;
		fclose(f);
	}
	globfree(&sizes);
	return sum;
}

/** Without hugepages DPDK names an error that has nothing to do with them. */
static int check_hugepages(void)
{
	if (count_hugepages())
		return 0;
	log_error("no hugepages are free; set some aside (dpdk-hugepages.py --setup 1G), or, if "
		  "all devices are virtual, write \"eal\": { \"hugepages\": false }");
	return -ENOMEM;
}

/** DPDK would map any amount, and then die or busy itself for minutes with its page tables. */
static int check_machine_memory(const struct config_eal *eal, uint32_t memory_mb)
{
	uint64_t machine_mb =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;

	if (memory_mb <= machine_mb)
		return 0;
	log_error("%s %u MB; this machine has %" PRIu64 " MB",
		  eal->memory_mb ? "eal.memory:"
				 : "the schedulers' memory limits and the rest take",
		  memory_mb, machine_mb);
	return -ENOMEM;
}

/** DPDK's folder of this run, named after the prefix. */
static char run_folder[PATH_MAX];

/**
 * DPDK shares nothing in it here but telemetry's socket, which it removes when the process exits,
 * and leaves the folder. That another process of this prefix uses it is no fault.
 */
static void remove_run_folder(void)
{
	rmdir(run_folder);
}

int eal_start(const struct gateau_config *cfg, const struct eal_cpus *cpus, uint32_t memory_mb)
{
	struct arguments a = {0};
	int ret;

	ret = cfg->eal.hugepages ? check_hugepages() : check_machine_memory(&cfg->eal, memory_mb);
	if (!ret)
		ret = eal_log_open();
	if (ret)
		return ret;
	add(&a, "gateaud");
	add_lcores(&a, cpus);
	add_memory(&a, &cfg->eal, memory_mb);
	add(&a, "--file-prefix");
	add(&a, "%s", cfg->eal.prefix);
	add(&a, "--log-level=error");
	add_devices(&a, cfg);
	locked_raise_limit();
	/* Before DPDK has its own done at the exit: the last comes first. */
	atexit(remove_run_folder);
	if (rte_eal_init(a.n, a.words) < 0) {
		int err = rte_errno ? rte_errno : EINVAL;

		/* Whatever it lacked, a folder or a right or memory, its own lines name it best. */
		log_error("DPDK does not start (%s); the lines before say why", rte_strerror(err));
		return -err;
	}
	strlcpy(run_folder, rte_eal_get_runtime_dir(), sizeof(run_folder));
	return 0;
}

void eal_stop(void)
{
	rte_eal_cleanup();
}
