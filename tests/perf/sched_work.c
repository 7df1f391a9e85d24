/* SPDX-License-Identifier: BSD-3-Clause */
/* See sched_work.h. */
#define ALLOW_EXPERIMENTAL_API /* rte_pie.h, a part of rte_sched.h, calls some of it */

#include "sched_work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_mbuf.h>
#include <rte_sched.h>

#include "bench_eal.h"

#define RATE       UINT64_C(12500000000) /* bytes/s: 100 gbit, 7 ns for one of the packets */
#define BUCKET     1000000               /* bytes */
#define PERIOD_MS  10
#define QUEUE_SIZE 64

/** Bytes: small, so that rte_sched, which reads and links mbufs, misses less in the TLB. */
#define BUFFER_SIZE 128

/** A dequeue may leave packets for the next one: let so many return nothing before giving up. */
#define IDLE_MAX 1000

static struct rte_sched_port *create_port(uint32_t pipes)
{
	struct rte_sched_pipe_params pipe = {.tb_rate = RATE,
					     .tb_size = BUCKET,
					     .tc_period = PERIOD_MS,
					     .tc_ov_weight = 1,
					     .wrr_weights = {1, 1, 1, 1}};
	struct rte_sched_subport_profile_params profile = {
		.tb_rate = RATE, .tb_size = BUCKET, .tc_period = PERIOD_MS};
	struct rte_sched_port_params params = {
		.name = "bench",
		.rate = RATE,
		.mtu = 1522,
		.frame_overhead = RTE_SCHED_FRAME_OVERHEAD_DEFAULT,
		.n_subports_per_port = 1,
		.subport_profiles = &profile,
		.n_subport_profiles = 1,
		.n_max_subport_profiles = 1,
		.n_pipes_per_subport = pipes,
	};
	struct rte_sched_subport_params subport = {
		.n_pipes_per_subport_enabled = pipes,
		.pipe_profiles = &pipe,
		.n_pipe_profiles = 1,
		.n_max_pipe_profiles = 1,
	};
	struct rte_sched_port *port;

	/* Pipes have best effort alone: classes without queues have no rate in them. */
	for (unsigned i = 0; i < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; i++)
		profile.tc_rate[i] = RATE;
	pipe.tc_rate[RTE_SCHED_TRAFFIC_CLASS_BE] = RATE;
	subport.qsize[RTE_SCHED_TRAFFIC_CLASS_BE] = QUEUE_SIZE;
	port = rte_sched_port_config(&params);
	if (!port)
		return NULL;
	if (rte_sched_subport_config(port, 0, &subport, 0))
		goto failed;
	for (uint32_t i = 0; i < pipes; i++)
		if (rte_sched_pipe_config(port, 0, i, 0))
			goto failed;
	return port;

failed:
	rte_sched_port_free(port);
	return NULL;
}

/** Packets that are all free: enough for the standing ones and the bursts. */
static int create_mbufs(struct sched_work *w)
{
	static unsigned n;
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "bench_%u", n++);
	w->n_mbufs = w->backlog + 2 * WORK_PACKETS;
	w->pool = rte_pktmbuf_pool_create(name, w->n_mbufs, 0, 0, BUFFER_SIZE, SOCKET_ID_ANY);
	w->free = calloc(w->n_mbufs, sizeof(struct rte_mbuf *));
	if (!w->pool || !w->free || rte_pktmbuf_alloc_bulk(w->pool, w->free, w->n_mbufs))
		return -ENOMEM;
	w->n_free = w->n_mbufs;
	for (uint32_t i = 0; i < w->n_mbufs; i++)
		w->free[i]->pkt_len = w->free[i]->data_len = WORK_FRAME_BYTES;
	return 0;
}

static struct rte_mbuf *next_packet(struct sched_work *w)
{
	struct rte_mbuf *m = w->free[--w->n_free];

	rte_sched_port_pkt_write(w->port, m, 0, traffic_next(&w->traffic),
				 RTE_SCHED_TRAFFIC_CLASS_BE, 0, RTE_COLOR_GREEN);
	return m;
}

static void make(void *work)
{
	struct sched_work *w = work;

	for (unsigned i = 0; i < WORK_BURSTS; i++)
		for (unsigned j = 0; j < WORK_BURST; j++)
			w->packets[i][j] = next_packet(w);
}

/** Those that come out are free again. Returns how many. */
static unsigned take(struct sched_work *w)
{
	const int n = rte_sched_port_dequeue(w->port, &w->free[w->n_free], WORK_BURST);

	w->n_free += n;
	return n;
}

static void act(void *work)
{
	struct sched_work *w = work;

	for (unsigned i = 0; i < WORK_BURSTS; i++) {
		w->refused +=
			WORK_BURST - rte_sched_port_enqueue(w->port, w->packets[i], WORK_BURST);
		take(w);
	}
}

static int begin(void *work)
{
	struct sched_work *w = work;
	int ret;

	bench_eal();
	ret = traffic_begin(&w->traffic, w->pipes);
	if (ret)
		return ret;
	w->port = create_port(w->pipes);
	ret = w->port ? create_mbufs(w) : -ENOMEM;
	for (uint32_t i = 0; !ret && i < w->backlog; i++) {
		struct rte_mbuf *m = next_packet(w);

		w->refused += 1 - rte_sched_port_enqueue(w->port, &m, 1);
	}
	return ret;
}

static const char *end(void *work)
{
	struct sched_work *w = work;

	for (unsigned idle = 0; w->n_free < w->n_mbufs && idle < IDLE_MAX;)
		idle = take(w) ? 0 : idle + 1;
	rte_sched_port_free(w->port);
	rte_pktmbuf_free_bulk(w->free, w->n_free);
	rte_mempool_free(w->pool);
	free(w->free);
	traffic_end(&w->traffic);
	if (w->refused)
		return "a queue was full";
	return w->n_free == w->n_mbufs ? NULL : "what went in did not come out";
}

const struct work_ops sched_work_ops = {begin, make, act, end};
