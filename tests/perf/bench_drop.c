/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a packet that is dropped costs: ns per offered packet from rte_eth_rx_burst()'s return until
 * it is free again, in bursts of 32 of the shortest frames.
 *
 *	build/tests/perf/bench_drop --core 1
 *
 * A queue is offered 10 and 30 times its rate in virtual time.
 *
 *	shed		32 M packets/s, received by another lcore than the queue's home: it sheds
 *what is ahead, and defers the rest instance	4 M packets/s, received by its home: there is time
 *to let CAKE choose, all go into the instance, and the longest queues' heads are dropped
 *
 * What follows is what the parts cost alone. The holder's runs between bursts do not count, but
 * share the caches. Where frames and mbufs are said to be: nic.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "bench.h"
#include "lcore/receive.h"
#include "nic.h"
#include "packet/parse.h"
#include "wire.h"

#define BURST    32
#define PACKETS  (BURST * 2048) /* of a run */
#define START_NS 1000000000000ull

/* What the pool is for: queues of all rows, and their NICs' rings. */
#define MEMORY  (2u << 20)
#define ROWS    26
#define BUFFERS (ROWS * (NIC_RING + MEMORY / 2432 + 512))

/* Until what is shed settles, virtual: as long as all flows' tags need to come by. */
#define WARM_NS 30000000

/* Of the packets this many must go the way that is measured, at least: 0.9 at 10 times the rate. */
#define PART_LOST 0.85

static struct pool pool;

struct row {
	bool ipv6, classes, shed; /* classes: diffserv4 and triple-isolate, else besteffort */
	unsigned overload;

	struct nic *nic;
	struct txq *queue;
	struct packet_describer describer;
	struct worker_control control;
	struct worker worker;
	struct worker_rx rx;
	uint64_t now, burst_ns, ran_ns;
};

static uint16_t device_takes(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	(void)port;
	(void)queue;
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static struct cake_params cake_params(const struct row *r)
{
	struct cake_params p;

	cake_params_default(&p);
	p.diffserv = r->classes ? CAKE_DIFFSERV4 : CAKE_BESTEFFORT;
	p.flowmode = r->classes ? CAKE_TRIPLE_ISOLATE : CAKE_FLOWS;
	p.memlimit = MEMORY;
	p.bandwidth_bps = UINT64_C(8000000000) * BURST *
			  (r->ipv6 ? WIRE_IPV6_BYTES : WIRE_IPV4_BYTES) / r->burst_ns / r->overload;
	return p;
}

/* Receive a burst. Returns TSC ticks from rte_eth_rx_burst()'s return on. */
static uint64_t receive_one(struct row *r)
{
	r->now += r->burst_ns;
	receive(&r->worker, &r->rx, r->now);
	return rte_rdtsc() - nic_returned(r->nic);
}

/* As often as a holder that has nothing else to do. */
static void run_queue(struct row *r)
{
	struct worker_tx tx = {.queue = r->queue};

	if (r->now < r->ran_ns + 4000)
		return;
	serve(&tx, r->now, &r->worker.dead);
	r->ran_ns = r->now;
}

static void receive_counted(void *arg)
{
	receive_one(arg);
}

static double run(void *arg)
{
	struct row *r = arg;
	uint64_t ticks = 0;

	nic_plug(r->nic);
	for (unsigned i = 0; i < PACKETS / BURST; i++) {
		if (bench_counts()) /* with what the NIC executes, which is a part of this program
				     */
			bench_timed(receive_counted, r, BURST);
		else
			ticks += receive_one(r);
		run_queue(r);
	}
	return (double)ticks * 1e9 / (double)rte_get_tsc_hz() / PACKETS;
}

static int join(struct row *r)
{
	struct txq_params p = {
		.cake = cake_params(r), .map = pool.map, .tx = device_takes, .home = r->shed};
	int ret = txq_create(&r->queue, &p);

	if (!ret)
		ret = worker_init(&r->worker, &r->control, 0, 0);
	if (!ret)
		ret = dispatch_create(&r->worker.to[0], &r->queue, 1, STEER_FLOW, 0,
				      &r->worker.dead);
	return ret;
}

static int begin(void *arg)
{
	static const struct packet_hash_params hash = {.key = "not a secret"};
	struct row *r = arg;
	struct cake_params p;
	int ret;

	r->burst_ns = r->shed ? 1000 : 8000;
	r->now = START_NS;
	r->control.map = pool.map;
	p = cake_params(r);
	packet_describer_init(&r->describer, &p, &hash);
	r->nic = nic_create(&pool, r->ipv6);
	ret = r->nic ? join(r) : -ENOMEM;
	if (ret)
		return ret;
	r->rx = (struct worker_rx){.mtu = 1500, .to = r->worker.to[0], .describer = &r->describer};
	nic_plug(r->nic);
	while (r->now < START_NS + WARM_NS) {
		receive_one(r);
		run_queue(r);
	}
	return 0;
}

struct fates {
	uint64_t received, shed, dropped, other;
	uint64_t deferred; /* no fate: they went on by the ring */
};

static struct fates count(const struct row *r)
{
	const struct dispatch_counters *d = dispatch_counters(r->rx.to);
	const struct txq_counters *q = txq_counters(r->queue);
	struct fates f = {.received = counter_get(&r->worker.ports[0].rx_packets),
			  .dropped = counter_get(&q->dropped[CAKE_DROP_OVERFLOW]),
			  .deferred = counter_get(&d->deferred)};

	for (unsigned i = 0; i < CAKE_MAX_TINS; i++)
		f.shed += counter_get(&d->shed[i]);
	f.other = counter_get(&d->defer) + counter_get(&q->sent_packets) + txq_queued(r->queue) +
		  txq_deferred(r->queue) + txq_held(r->queue);
	for (unsigned i = CAKE_DROP_OVERFLOW + 1; i < CAKE_DECISIONS; i++)
		f.other += counter_get(&q->dropped[i]);
	return f;
}

static void end(void *arg)
{
	struct row *r = arg;
	const struct fates f = count(r);
	const uint64_t meant = r->shed ? f.shed : f.dropped;

	if (f.received != f.shed + f.dropped + f.other)
		bench_fail("%lu packets of %lu are missing",
			   f.received - f.shed - f.dropped - f.other, f.received);
	if ((double)meant < PART_LOST * (double)f.received)
		bench_fail("%lu packets of %lu were shed, %lu dropped by the instance", f.shed,
			   f.received, f.dropped);
	/* The holder's runs do not count: what it drops of the ring would cost nothing. */
	if (!r->shed && f.deferred)
		bench_fail("%lu packets of %lu went onto the ring, by the queue's home", f.deferred,
			   f.received);
	txq_purge(r->queue);
	txq_destroy(r->queue);
	worker_fini(&r->worker);
	nic_destroy(r->nic);
}

/* The parts: each alone, on frames as they come from the NIC. */

struct part {
	struct row row; /* of which ipv6, classes, nic and describer are used */
	void (*look)(struct row *r, struct rte_mbuf **pkts);
};

static volatile uint32_t sink;

static void parse_all(struct row *r, struct rte_mbuf **pkts, struct packet_view *views)
{
	for (unsigned i = 0; i < BURST; i++) {
		struct packet_segment segs[MBUF_SEGS_MAX];
		struct packet_frame frame = mbuf_frame(pkts[i], segs);

		packet_parse(&frame, r->describer.depth, &views[i].headers);
	}
}

static void parse(struct row *r, struct rte_mbuf **pkts)
{
	struct packet_view views[BURST];

	parse_all(r, pkts, views);
	sink = views[BURST - 1].headers.sport;
}

static void parse_and_hash(struct row *r, struct rte_mbuf **pkts)
{
	struct packet_view views[BURST];

	parse_all(r, pkts, views);
	packet_identify(&r->describer, views, BURST);
	sink = views[BURST - 1].hashes.flow;
}

static void describe(struct row *r, struct rte_mbuf **pkts)
{
	mbuf_describe_burst(pkts, BURST, &r->describer, &pool.map);
}

static double run_part(void *arg)
{
	struct part *part = arg;
	struct rte_mbuf *pkts[BURST];
	uint64_t ticks = 0;

	nic_plug(part->row.nic);
	for (unsigned i = 0; i < PACKETS / BURST; i++) {
		rte_eth_rx_burst(0, 0, pkts, BURST);
		for (unsigned j = 0; j < BURST; j++)
			rte_prefetch0(rte_pktmbuf_mtod(pkts[j], void *));
		part->look(&part->row, pkts);
		ticks += rte_rdtsc() - nic_returned(part->row.nic);
		rte_pktmbuf_free_bulk(pkts, BURST);
	}
	return (double)ticks * 1e9 / (double)rte_get_tsc_hz() / PACKETS;
}

static int begin_part(void *arg)
{
	static const struct packet_hash_params hash = {.key = "not a secret"};
	struct row *r = &((struct part *)arg)->row;
	struct cake_params p;

	r->burst_ns = r->overload = 1;
	p = cake_params(r);
	packet_describer_init(&r->describer, &p, &hash);
	r->nic = nic_create(&pool, r->ipv6);
	return r->nic ? 0 : -ENOMEM;
}

static void end_part(void *arg)
{
	nic_destroy(((struct part *)arg)->row.nic);
}

static struct bench_row way(struct row *r, unsigned i)
{
	*r = (struct row){
		.ipv6 = i & 1, .classes = i & 2, .overload = i & 4 ? 30 : 10, .shed = !(i & 8)};
	return (struct bench_row){
		.id = bench_text("%s-%s-%s-%ux", r->shed ? "shed" : "instance",
				 r->classes ? "diffserv4" : "besteffort", r->ipv6 ? "ipv6" : "ipv4",
				 r->overload),
		.what = bench_text("%s, %u times the rate",
				   r->shed ? "shed where it is received"
					   : "overflow of the instance",
				   r->overload),
		.unit = "ns",
		.run = run,
		.arg = r,
		.begin = begin,
		.end = end,
	};
}

static struct bench_row part_row(struct part *part, unsigned i)
{
	static const struct {
		const char *id, *what;
		void (*look)(struct row *r, struct rte_mbuf **pkts);
		bool classes;
	} parts[] = {
		{"parse", "headers alone", parse, false},
		{"hash-besteffort", "headers and hash of the flow", parse_and_hash, false},
		{"hash-diffserv4", "headers and hashes of flow and hosts", parse_and_hash, true},
		{"describe-besteffort", "all of mbuf_describe_burst(), besteffort", describe,
		 false},
		{"describe-diffserv4", "all of mbuf_describe_burst(), diffserv4", describe, true},
	};
	const bool ipv6 = i & 1;

	i /= 2;
	*part = (struct part){.row = {.ipv6 = ipv6, .classes = parts[i].classes},
			      .look = parts[i].look};
	return (struct bench_row){
		.id = bench_text("%s-%s", parts[i].id, ipv6 ? "ipv6" : "ipv4"),
		.what = parts[i].what,
		.unit = "ns",
		.run = run_part,
		.arg = part,
		.begin = begin_part,
		.end = end_part,
	};
}

int main(int argc, char **argv)
{
	static struct row rows[16];
	static struct part parts[10];
	struct bench_row table[ROWS];

	bench_start(argc, argv, "drop");
	nic_start(&pool, BUFFERS);
	for (unsigned i = 0; i < RTE_DIM(rows); i++)
		table[i] = way(&rows[i], i);
	for (unsigned i = 0; i < RTE_DIM(parts); i++)
		table[RTE_DIM(rows) + i] = part_row(&parts[i], i);
	bench_group(table, ROWS);
	return 0;
}
