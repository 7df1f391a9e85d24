/* SPDX-License-Identifier: BSD-3-Clause */
/* See dataplane.h. */
#include "dataplane/dataplane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_malloc.h>
#include <rte_string_fns.h>

#include "base/log.h"
#include "dataplane/change.h"
#include "dataplane/locked.h"
#include "dataplane/numa.h"
#include "dataplane/plan.h"
#include "dataplane/terms.h"
#include "lcore/monitor.h"
#include "port/device.h"

int dataplane_memory_mb(const struct gateau_config *cfg, const struct eal_cpus *cpus,
			uint32_t *memory_mb)
{
	struct pool_plan plan;
	struct config_error err;
	int ret = plan_buffers(&plan, cfg, NULL, cpus->n_workers, &err);

	if (ret)
		log_error("%s", err.text);
	else
		*memory_mb = plan_memory_mb(&plan, cfg->n_ports);
	return ret;
}

static int open_ports(struct dataplane *dp)
{
	const bool segmented = plan_longest_frame(dp->config) > MBUF_DATA_ROOM;

	for (unsigned i = 0; i < dp->config->n_ports; i++) {
		int ret = port_open(&dp->ports[i], &dp->config->ports[i], segmented);

		if (ret)
			return ret;
	}
	return 0;
}

static int create_pool(struct dataplane *dp, uint32_t memory_mb)
{
	char name[RTE_MEMPOOL_NAMESIZE];
	struct config_error err;
	uint32_t need;
	int node;
	int ret = plan_buffers(&dp->plan, dp->config, dp->ports, dp->n_workers, &err);

	if (ret) {
		log_error("%s", err.text);
		return ret;
	}
	need = plan_memory_mb(&dp->plan, dp->config->n_ports);
	if (memory_mb && need > memory_mb) {
		log_error("eal.memory: %u MB is too little; %u packet buffers of %u bytes and the "
			  "rest take %u MB",
			  memory_mb, dp->plan.elements, dp->plan.element_bytes, need);
		return -ENOMEM;
	}
	/* Unique, where a process has several data planes; DPDK's names are shorter. */
	strlcpy(name, dp->config->eal.prefix, sizeof(name));
	/* Without hugepages all of DPDK's memory is one piece. */
	node = dp->config->eal.hugepages ? numa_common_node(dp->ports, dp->config->n_ports) : -1;
	return pool_create(&dp->pool, name, &dp->plan, node);
}

static int setup_ports(struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->config->n_ports; i++) {
		int ret;

		dp->ports[i].rx_interrupts = dp->config->idle == CONFIG_IDLE_INTERRUPT;
		ret = port_setup(&dp->ports[i], &dp->pool);

		if (ret)
			return ret;
	}
	return 0;
}

/** The key is drawn anew at each start: who learnt from one what collides has to begin again. */
static int draw_hash_key(struct dataplane *dp)
{
	dp->hash.method = PACKET_HASH_KEYED;
	if (getentropy(dp->hash.key, sizeof(dp->hash.key)) == 0)
		return 0;
	log_error("the kernel gives no random key for telling flows apart (%s)", strerror(errno));
	return -EIO;
}

/** What the queues of port @p have in common, if they have. */
static int create_share(struct dataplane *dp, unsigned p)
{
	const struct share_params params = terms_share(dp, dp->config, p);

	return terms_shares(dp->config, p) ? share_create(&dp->shares[p], &params) : 0;
}

static int create_txq(struct dataplane *dp, const struct topology_queue *t)
{
	const struct config_port *c = &dp->config->ports[t->port];
	struct txq_params params = {
		.cake = c->scheduler.cake,
		.map = dp->pool.map,
		.port = dp->ports[t->port].id,
		.queue = t->queue,
		.tso_flags = dp->ports[t->port].choice.tso_flags,
		.home = t->worker,
		.share = dp->shares[t->port],
		.share_index = t->queue,
	};

	params.cake.room = plan_memory_room(&c->scheduler.cake);
	params.cake.slots = params.share && c->share == SHARE_DEMAND;
	return txq_create(&dp->txqs[t->port][t->queue], &params);
}

static int create_describer(struct dataplane *dp, unsigned p)
{
	dp->describers[p] = aligned_alloc(RTE_CACHE_LINE_SIZE,
					  RTE_CACHE_LINE_ROUNDUP(sizeof(*dp->describers[p])));
	if (!dp->describers[p])
		return -ENOMEM;
	terms_describer(dp->describers[p], dp, dp->config, p);
	return 0;
}

static int create_txqs(struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->topology.n_tx; i++) {
		const struct topology_queue *t = &dp->topology.tx[i];
		int ret = 0;

		numa_prefer(dp->ports[t->port].node);
		if (t->queue == 0) {
			ret = create_describer(dp, t->port);
			if (!ret)
				ret = create_share(dp, t->port);
		}
		if (!ret)
			ret = create_txq(dp, t);
		numa_prefer(-1);
		if (ret) {
			log_error("port %s: cannot create the scheduler of TX queue %u (%s)",
				  dp->config->ports[t->port].name, t->queue, strerror(-ret));
			return ret;
		}
	}
	return 0;
}

/** The way of worker @w's frames into the queues of port @to: one for all its RX queues. */
static int create_dispatch(struct dataplane *dp, struct worker *w, unsigned to)
{
	if (w->to[to])
		return 0;
	return dispatch_create(&w->to[to], dp->txqs[to], dp->config->ports[to].tx_queues,
			       dp->config->ports[to].steer, w - dp->workers, &w->dead);
}

/** To all workers: one is its home, the others may run it when that does not come round. */
static void add_tx_queue(struct dataplane *dp, const struct topology_queue *q)
{
	for (unsigned i = 0; i < dp->n_workers; i++) {
		struct worker *w = &dp->workers[i];
		const struct worker_tx tx = {
			.queue = dp->txqs[q->port][q->queue],
			.view = &w->views[q->port],
		};

		if (i == q->worker)
			worker_add_tx(w, &tx);
		else
			worker_add_foreign(w, &tx);
	}
}

static int add_queues(struct dataplane *dp)
{
	const struct topology *t = &dp->topology;

	for (unsigned i = 0; i < t->n_tx; i++)
		add_tx_queue(dp, &t->tx[i]);
	for (unsigned i = 0; i < t->n_rx; i++) {
		const struct topology_rx *r = &t->rx[i];
		struct worker *w = &dp->workers[r->q.worker];
		int ret = create_dispatch(dp, w, r->to);
		const struct worker_rx rx = {
			.device = dp->ports[r->q.port].id,
			.queue = r->q.queue,
			.port = r->q.port,
			.to_port = r->to,
			.mtu = dp->config->ports[r->to].mtu,
			.split_gso = dp->config->ports[r->to].scheduler.cake.split_gso,
			.to = w->to[r->to],
			.describer = dp->describers[r->to],
		};

		if (ret)
			return ret;
		worker_add_rx(w, &rx);
	}
	return 0;
}

static int create_workers(struct dataplane *dp, const struct eal_cpus *cpus)
{
	int ret;

	dp->control = (struct worker_control){
		.phase = WORKER_RUN,
		.drain_ns = dp->config->drain_ns,
		.clock = &dp->clock,
		.map = dp->pool.map,
	};
	dp->workers =
		rte_zmalloc("workers", dp->n_workers * sizeof(*dp->workers), RTE_CACHE_LINE_SIZE);
	if (!dp->workers) {
		log_error("no memory for %u workers", dp->n_workers);
		return -ENOMEM;
	}
	dp->control.workers = dp->workers;
	dp->control.n_workers = dp->n_workers;
	for (unsigned i = 0; i < dp->n_workers; i++) {
		struct worker *w = &dp->workers[i];

		ret = worker_init(w, &dp->control, dp->topology.n_rx, dp->topology.n_tx);

		if (ret) {
			log_error("no memory for the queues of the worker on CPU %u",
				  cpus->workers[i]);
			return ret;
		}
		w->lcore = EAL_FIRST_WORKER + i;
		w->cpu = cpus->workers[i];
	}
	ret = add_queues(dp);
	if (ret)
		log_error("no memory for the workers' ways to the queues");
	return ret;
}

/** Only when all memory is there, and before a device may write to it. */
static int check_memory(const struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		if (device_is_pci(dp->config->ports[i].device))
			return locked_check();
	return 0;
}

static int start_ports(struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->config->n_ports; i++) {
		int ret = port_start(&dp->ports[i]);

		if (ret)
			return ret;
	}
	return 0;
}

/** RX interrupts are there for all workers, or the configuration is refused. */
static int watch_rx(struct dataplane *dp, struct worker *w)
{
	const struct worker_rx *refused;
	int ret = worker_watch_rx(w, &refused);

	if (ret)
		log_error("port %s: the device (%s) has no RX interrupts (%s), so \"idle\": "
			  "\"interrupt\" is not possible; use \"adaptive\"",
			  dp->config->ports[refused->port].name, dp->ports[refused->port].driver,
			  strerror(-ret));
	return ret;
}

/** By what workers rest: that depends on devices that have been started. */
static int choose_means(struct dataplane *dp)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < dp->n_workers; i++) {
		struct worker *w = &dp->workers[i];

		w->means = (struct idle_means){
			.mode = dp->config->idle,
			.others = dp->n_workers > 1,
		};
		if (w->means.mode == CONFIG_IDLE_ADAPTIVE)
			w->means.monitor = monitor_can(w->rx, w->n_rx);
		else if (w->means.mode == CONFIG_IDLE_INTERRUPT)
			ret = watch_rx(dp, w);
	}
	return ret;
}

static int calibrate(struct dataplane *dp)
{
	struct tsc_clock_source source = tsc_clock_system_source();
	int ret = tsc_clock_calibrate(&dp->clock, &source);

	if (ret)
		log_error("cannot measure the processor's clock (%s)", strerror(-ret));
	return ret;
}

/** A file that names workers has been checked for this: here their CPUs were chosen for it. */
static void explain_wish(const struct gateau_config *cfg, const struct topology_wish *wish)
{
	log_error(
		"port %s: %s[%u]: no worker on CPU %u; without eal.lcores they are on every CPU of "
		"this process but the first: list it there",
		cfg->ports[wish->port].name, wish->tx ? "tx_lcores" : "rx_lcores", wish->queue,
		wish->cpu);
}

static int deal_queues(struct dataplane *dp, const struct eal_cpus *cpus)
{
	struct topology_wish unmet;
	int ret = topology_deal(&dp->topology, dp->config, cpus->workers, cpus->n_workers, &unmet);

	if (ret)
		explain_wish(dp->config, &unmet);
	return ret;
}

int dataplane_open(struct dataplane *dp, struct gateau_config *cfg, const struct eal_cpus *cpus,
		   uint32_t memory_mb)
{
	int ret;

	memset(dp, 0, sizeof(*dp));
	dp->config = cfg;
	dp->n_workers = cpus->n_workers;
	ret = deal_queues(dp, cpus);
	if (!ret)
		ret = draw_hash_key(dp);
	if (!ret)
		ret = calibrate(dp);
	if (!ret)
		ret = open_ports(dp);
	if (!ret)
		ret = create_pool(dp, memory_mb);
	if (!ret)
		ret = setup_ports(dp);
	if (!ret)
		ret = create_txqs(dp);
	if (!ret)
		ret = create_workers(dp, cpus);
	if (!ret)
		ret = check_memory(dp);
	if (!ret)
		ret = start_ports(dp);
	if (!ret)
		ret = choose_means(dp);
	if (ret)
		dataplane_close(dp);
	return ret;
}

int dataplane_start(struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->n_workers; i++) {
		struct worker *w = &dp->workers[i];
		int ret = rte_eal_remote_launch(worker_main, w, w->lcore);

		if (ret) {
			log_error("cannot start the worker on CPU %u (%s)", w->cpu, strerror(-ret));
			return ret;
		}
		dp->n_running++;
	}
	return 0;
}

void dataplane_read_nics(struct dataplane *dp)
{
	const uint64_t now = tsc_clock_convert(&dp->clock, rte_rdtsc());

	for (unsigned i = 0; i < dp->config->n_ports; i++)
		port_read_nic(&dp->ports[i], now);
}

/** A worker that has not come to @phase; NULL if all have. */
static const struct worker *find_behind(const struct dataplane *dp, enum worker_phase phase)
{
	for (unsigned i = 0; i < dp->n_running; i++)
		if (atomic_load_explicit(&dp->workers[i].reached, memory_order_acquire) <
		    (int)phase)
			return &dp->workers[i];
	return NULL;
}

static void set_phase(struct dataplane *dp, enum worker_phase phase)
{
	atomic_store_explicit(&dp->control.phase, phase, memory_order_release);
	for (unsigned i = 0; i < dp->n_running; i++)
		worker_wake(&dp->workers[i]);
}

/** A driver may wait for its device without end: the one place where a worker can be stuck. */
static int give_up(const struct worker *stuck)
{
	log_error("the worker on CPU %u does not stop: a port's driver does not let it go; ending "
		  "without a summary",
		  stuck->cpu);
	return -ETIMEDOUT;
}

int dataplane_stop(struct dataplane *dp, bool (*wait_ms)(unsigned ms))
{
	const uint64_t drain_ms = dp->config->drain_ns / 1000000;
	const struct worker *behind;
	bool cut_short = false;

	set_phase(dp, WORKER_STOP_RX);
	for (uint64_t ms = 0; (behind = find_behind(dp, WORKER_STOP_RX)); ms++) {
		if (ms == DATAPLANE_PATIENCE_MS)
			return give_up(behind);
		cut_short |= wait_ms(1);
	}
	set_phase(dp, cut_short ? WORKER_ABANDON : WORKER_DRAIN);
	for (uint64_t ms = 0; (behind = find_behind(dp, WORKER_ENDED)); ms++) {
		if (ms == drain_ms + DATAPLANE_PATIENCE_MS)
			return give_up(behind);
		if (wait_ms(1))
			set_phase(dp, WORKER_ABANDON);
	}
	rte_eal_mp_wait_lcore();
	return 0;
}

/** Buffers that are missing and that no driver is known to keep. */
static uint32_t count_lost(const struct dataplane *dp)
{
	uint32_t missing = pool_missing(&dp->pool), kept = 0;

	for (unsigned i = 0; i < dp->config->n_ports; i++)
		kept += port_buffers_kept(&dp->ports[i]);
	return missing > kept ? missing - kept : 0;
}

uint32_t dataplane_close(struct dataplane *dp)
{
	uint32_t lost = 0;

	for (unsigned i = 0; dp->workers && i < dp->n_workers; i++)
		worker_unwatch_rx(&dp->workers[i]);
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		port_stop(&dp->ports[i]);
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		port_close(&dp->ports[i]);
	change_forget(dp);
	for (unsigned i = 0; dp->workers && i < dp->n_workers; i++)
		worker_fini(&dp->workers[i]);
	rte_free(dp->workers);
	for (unsigned i = 0; i < dp->topology.n_tx; i++)
		txq_destroy(dp->txqs[dp->topology.tx[i].port][dp->topology.tx[i].queue]);
	for (unsigned i = 0; i < dp->config->n_ports; i++) {
		share_destroy(dp->shares[i]);
		free(dp->describers[i]);
	}
	if (dp->pool.mempool) {
		lost = count_lost(dp);
		pool_destroy(&dp->pool);
	}
	return lost;
}
