/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's part for the process: how DPDK is started, and where statistics are served. */
#include "config/schema.h"

#include "config/config.h"
#include "config/listen.h"
#include "config/names.h"

#define MB (INT64_C(1) << 20)
#define GB (INT64_C(1) << 30)

const struct schema_key schema_eal[] = {
	{.name = "lcores",
	 .help = "CPUs of the polling workers. Without it: every CPU but one, at least one.",
	 .type = SCHEMA_INTEGERS,
	 .max = SCHEMA_CPU_MAX,
	 .entries_min = 1,
	 .entries_max = CONFIG_LCORES_MAX,
	 .distinct = true,
	 .quantity = "CPU numbers",
	 .examples = "[1, 2, 3]",
	 SCHEMA_STORE_ARRAY(struct config_eal, lcores, n_lcores)},
	{.name = "hugepages",
	 .help = "Take memory from hugepages; NICs need them, virtual devices do not.",
	 .type = SCHEMA_BOOL,
	 .initial = "true",
	 SCHEMA_STORE(struct config_eal, hugepages)},
	{.name = "memory",
	 .help = "Memory to take at start. Without it: as much as the pools need.",
	 .type = SCHEMA_SIZE,
	 .min = 16 * MB,
	 .max = 1024 * GB,
	 .unit = MB,
	 .examples = "\"512mb\", \"2gb\"",
	 SCHEMA_STORE(struct config_eal, memory_mb)},
	{.name = "prefix",
	 .help = "Name of this instance for DPDK; two on one machine need different ones.",
	 .type = SCHEMA_STRING,
	 .initial = "\"gateau\"",
	 .noun = "a name of 1..31 of A-Z a-z 0-9 _ . -, the first a letter or digit",
	 .examples = "\"gateau\", \"lab-2\"",
	 .pattern = config_name_pattern,
	 .valid = config_name_valid,
	 SCHEMA_STORE(struct config_eal, prefix)},
	{0},
};

const struct schema_key schema_metrics[] = {
	{.name = "listen",
	 .help = "Where statistics are served over HTTP, for Prometheus. Who can connect there can "
		 "read them.",
	 .type = SCHEMA_STRING,
	 .initial = "\"" LISTEN_METRICS "\"",
	 .noun = "ADDRESS:PORT, [ADDRESS]:PORT, unix:/PATH or off",
	 .examples =
		 "\"127.0.0.1:9095\", \"[::1]:9095\", \"unix:/run/gateau/metrics.sock\", \"off\"",
	 .pattern = listen_pattern,
	 .valid = listen_valid,
	 SCHEMA_STORE(struct config_metrics, listen),
	 .set_field = offsetof(struct config_metrics, listen_set)},
	{0},
};
