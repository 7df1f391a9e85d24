/* SPDX-License-Identifier: BSD-3-Clause */
/* See appliance.h. */
#include "appliance.h"

#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "bench.h"
#include "bench_eal.h"
#include "dataplane/eal.h"
#include "stats/snapshot.h"
#include "wire.h"

/* The benchmark's thread makes the worker's passes. */
static struct eal_cpus cpus = {.n_workers = 1};

/** Bytes of the frames of @a's devices. */
static uint16_t frame_bytes(bool ipv6)
{
	return ipv6 ? WIRE_IPV6_BYTES : APPLIANCE_IPV4_BYTES;
}

struct rte_mbuf *appliance_frame(struct appliance *a, unsigned flow, bool ipv6)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(a->dp.pool.mempool);

	if (!m)
		bench_fail("%s: no buffer", a->name);
	m->data_len = frame_bytes(ipv6);
	m->pkt_len = m->data_len;
	memset(rte_pktmbuf_mtod(m, void *), 0, m->data_len);
	wire_write(rte_pktmbuf_mtod(m, uint8_t *), (uint16_t)flow, ipv6);
	return m;
}

static void write_element(struct rte_mempool *mp, void *arg, void *element, unsigned index)
{
	const struct appliance *a = arg;
	struct rte_mbuf *m = element;
	uint8_t *data = (uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM;

	(void)mp;
	memset(data, 0, frame_bytes(a->ipv6));
	wire_write(data, index % APPLIANCE_FLOWS, a->ipv6);
}

/** Half of the frames into either ring. */
static void put_in(struct appliance *a)
{
	for (unsigned i = 0; i < a->frames; i++) {
		struct rte_mbuf *m = appliance_frame(a, i % APPLIANCE_FLOWS, i / 2 % 2);

		if (rte_eth_tx_burst(a->dp.ports[i % 2].id, 0, &m, 1) != 1)
			bench_fail("%s: no room for %u frames", a->name, a->frames);
	}
}

static void configure(struct appliance *a)
{
	const char *args =
		strcmp(a->driver, "net_null") ? "" : bench_text(",size=%u", frame_bytes(a->ipv6));
	const char *text = bench_text(
		"{\"eal\": {\"lcores\": [%u], \"hugepages\": false, \"prefix\": \"%s-%s\"}, "
		"\"ports\": ["
		"{\"name\": \"a\", \"device\": \"%s_%s_a%s\", \"scheduler\": %s},"
		"{\"name\": \"b\", \"device\": \"%s_%s_b%s\", \"scheduler\": %s}],"
		"\"links\": [{\"from\": \"a\", \"to\": \"b\"}, {\"from\": \"b\", \"to\": \"a\"}]}",
		cpus.workers[0], a->driver, a->name, a->driver, a->name, args, a->scheduler,
		a->driver, a->name, args, a->scheduler);
	struct config_error err;

	if (config_parse(a->name, text, strlen(text), &a->config, &err))
		bench_fail("%s", err.text);
}

void appliance_begin(struct appliance *a)
{
	bench_eal();
	cpus.workers[0] = (uint16_t)bench_core();
	configure(a);
	if (dataplane_open(&a->dp, a->config, &cpus, 0))
		bench_fail("%s: no data plane", a->name);
	if (a->frames)
		put_in(a);
	else
		rte_mempool_obj_iter(a->dp.pool.mempool, write_element, a);
}

/** Received = sent + dropped + inside. */
static void check_balance(struct appliance *a)
{
	static struct stats_snapshot s;

	if (stats_collect(&s, &a->dp, STATS_AT_REST, 0))
		bench_fail("no memory");
	if (stats_difference(&s))
		bench_fail("%s: %lld frames are not accounted for", a->name,
			   (long long)stats_difference(&s));
	stats_free(&s);
}

void appliance_end(struct appliance *a)
{
	uint32_t lost;

	check_balance(a);
	for (unsigned i = 0; i < a->config->n_ports; i++)
		txq_purge(a->dp.txqs[i][0]);
	check_balance(a);
	lost = dataplane_close(&a->dp);
	if (lost)
		bench_fail("%s: %u buffers are lost", a->name, lost);
	config_free(a->config);
}

uint64_t appliance_now(struct appliance *a)
{
	return tsc_clock_read(&a->dp.clock, &a->dp.workers[0].time, rte_rdtsc());
}

unsigned appliance_pass(struct appliance *a)
{
	return worker_pass(&a->dp.workers[0], appliance_now(a), true);
}

uint64_t appliance_sent(const struct appliance *a)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < a->config->n_ports; i++)
		sum += counter_get(&txq_counters(a->dp.txqs[i][0])->sent_packets);
	return sum;
}
