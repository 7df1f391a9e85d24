/* SPDX-License-Identifier: BSD-3-Clause */
/* gateaud: options, and the order in which things start and stop. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "base/log.h"
#include "daemon/announce.h"
#include "daemon/loop.h"
#include "daemon/options.h"
#include "daemon/probe.h"
#include "daemon/summary.h"
#include "dataplane/dataplane.h"
#include "dataplane/eal.h"

/**
 * Give the standard streams that are closed a file. Else DPDK's pipes and sockets would get their
 * numbers, and what is printed. It is for reading only, so that a summary that goes nowhere is an
 * error.
 */
static int occupy_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static uint64_t now_ns(const struct dataplane *dp)
{
	return tsc_clock_convert(&dp->clock, rte_rdtsc());
}

/**
 * Forward until told to stop; the summary lacks only what is known after closing. @ended: whether
 * no worker uses anything any more.
 */
static int forward(struct dataplane *dp, const struct options *opt, struct stats_snapshot *summary,
		   bool *ended)
{
	uint64_t start_ns = now_ns(dp);
	int ret = dataplane_start(dp);

	if (!ret)
		ret = loop_run(dp, opt->config_path, opt->socket);
	*ended = dataplane_stop(dp, loop_wait_ms) == 0;
	if (!*ended)
		return -ETIMEDOUT;
	dataplane_read_nics(dp);
	if (stats_collect(summary, dp, STATS_AT_REST, now_ns(dp) - start_ns)) {
		log_error("no memory for the summary");
		return -ENOMEM;
	}
	return ret;
}

static int conclude(const struct stats_snapshot *s, bool json)
{
	int ret = 0;

	if (json)
		ret = summary_print_json(s, stdout);
	else
		summary_print_text(s, stdout);
	if (!ret && fflush(stdout))
		ret = -errno;
	if (!ret && ferror(stdout))
		ret = -EIO;
	if (ret)
		log_error("cannot write the summary (%s)", strerror(-ret));
	if (stats_difference(s)) {
		log_error("NOT BALANCED by %lld packets", (long long)stats_difference(s));
		ret = -EIO;
	}
	if (s->mbufs_lost) {
		log_error("mbufs lost: %u", s->mbufs_lost);
		ret = -EIO;
	}
	return ret;
}

static int run(struct gateau_config *cfg, const struct options *opt)
{
	static struct dataplane dp;
	static struct stats_snapshot summary;
	uint32_t memory_mb = cfg->eal.memory_mb;
	struct eal_cpus cpus;
	bool ended;
	int ret;

	ret = eal_choose_cpus(&cfg->eal, &cpus);
	if (!ret && !cfg->eal.hugepages && !memory_mb)
		ret = dataplane_memory_mb(cfg, &cpus, &memory_mb);
	if (!ret)
		ret = eal_start(cfg, &cpus, memory_mb);
	if (ret)
		return ret;
	ret = dataplane_open(&dp, cfg, &cpus, memory_mb);
	if (!ret) {
		announce(&dp);
		ret = forward(&dp, opt, &summary, &ended);
		/* What a worker may still use is left to the kernel, which frees it. */
		if (!ended)
			return ret;
		summary.mbufs_lost = dataplane_close(&dp);
		if (!ret)
			ret = conclude(&summary, opt->json);
		stats_free(&summary);
	}
	eal_stop();
	return ret;
}

int main(int argc, char **argv)
{
	struct options opt = {0};
	struct gateau_config *cfg = NULL;
	struct config_error err;
	int ret;

	if (occupy_standard_streams())
		return EXIT_FAILED;
	/* A reader that has gone is no reason to leave the ports as they are. */
	signal(SIGPIPE, SIG_IGN);
	log_set_name("gateaud");
	ret = daemon_options_read(argc, argv, &opt);
	if (ret >= 0)
		return ret;
	if (opt.config_path && config_load(opt.config_path, &cfg, &err)) {
		log_error("%s", err.text);
		return EXIT_FAILED;
	}
	/* Before DPDK makes its threads. */
	loop_block_signals();
	ret = opt.probe ? probe(cfg, opt.json) : run(cfg, &opt);
	config_free(cfg);
	return ret ? EXIT_FAILED : EXIT_OK;
}
