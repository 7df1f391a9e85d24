/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the algorithm costs: ns per packet for cake_enqueue() and cake_dequeue() together, in bursts
 *of 32 packets of 64 bytes with hashes supplied, in runs of 262,144 packets.
 *
 *	build/tests/perf/bench_cake --help
 *
 * Rows are unlimited besteffort with flow isolation, and diffserv4 with triple isolation at 10
 *gbit, with so many flows in tables that have a queue for each of them; `backlog`: with so many
 *packets standing. `active`: four packets stand in each queue, as they do in the queues of DPDK's
 *rte_sched below. `fifo` is the least that a queue of descriptors costs.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cake_work.h"
#include "fifo_work.h"
#ifdef WITH_RTE_SCHED
#include "sched_work.h"
#endif

#define ROUNDS         2048
#define COUNTED_ROUNDS 128 /* where instructions are counted */
#define ROWS           64

/** Rounds before them, not measured: other rows have used the caches since the last run, and each
 * of 100,000 flows should have come by. */
#define WARM 1024

/** Packets that stand in a queue that is active. */
#define ACTIVE 4

/** What a row measures. */
struct subject {
	const char *id;
	const struct work_ops *ops;
	void *work;
};

static struct subject subjects[ROWS];
static struct bench_row rows[ROWS];
static unsigned n_rows;

static double run(void *arg)
{
	const struct subject *s = arg;
	const unsigned warm = bench_counts() ? 0 : WARM;
	const unsigned rounds = bench_counts() ? COUNTED_ROUNDS : ROUNDS;
	double ns[ROUNDS];

	for (unsigned i = 0; i < warm; i++) {
		s->ops->make(s->work);
		s->ops->act(s->work);
	}
	for (unsigned i = 0; i < rounds; i++) {
		s->ops->make(s->work);
		ns[i] = bench_timed(s->ops->act, s->work, WORK_PACKETS);
	}
	return bench_mean(ns, rounds) / WORK_PACKETS;
}

static int begin(void *arg)
{
	const struct subject *s = arg;

	return s->ops->begin(s->work);
}

static void end(void *arg)
{
	const struct subject *s = arg;
	const char *fault = s->ops->end(s->work);

	if (fault)
		bench_fail("%s: %s", s->id, fault);
}

static void add(const char *id, const char *what, const struct work_ops *ops, void *work)
{
	struct subject *s = &subjects[n_rows];

	if (n_rows == ROWS || !work)
		bench_fail("no room for %s", id);
	*s = (struct subject){id, ops, work};
	rows[n_rows++] = (struct bench_row){.id = id,
					    .what = what,
					    .unit = "ns",
					    .run = run,
					    .arg = s,
					    .begin = begin,
					    .end = end};
}

static void *copy(const void *work, size_t size)
{
	void *c = malloc(size);

	return c ? memcpy(c, work, size) : NULL;
}

static void add_cake(const char *id, const char *what, const struct cake_work *w)
{
	add(id, what, &cake_work_ops, copy(w, sizeof(*w)));
}

static struct cake_work besteffort(uint32_t flows, uint32_t backlog)
{
	return (struct cake_work){.diffserv = CAKE_BESTEFFORT,
				  .flowmode = CAKE_FLOWS,
				  .flows = flows,
				  .backlog = backlog};
}

static struct cake_work diffserv4(uint32_t flows, uint32_t backlog)
{
	return (struct cake_work){.diffserv = CAKE_DIFFSERV4,
				  .flowmode = CAKE_TRIPLE_ISOLATE,
				  .bandwidth_bps = CAKE_WORK_BPS,
				  .flows = flows,
				  .backlog = backlog};
}

static void add_flows(uint32_t flows)
{
	const struct cake_work plain = besteffort(flows, 0), full = diffserv4(flows, 0);

	add_cake(bench_text("besteffort-%u", flows), bench_text("besteffort, %u flows", flows),
		 &plain);
	add_cake(bench_text("diffserv4-%u", flows),
		 bench_text("diffserv4 triple-isolate 10 gbit, %u flows", flows), &full);
}

/** @thousands of packets, of 1,024. */
static void add_backlog(unsigned thousands)
{
	const uint32_t flows = 1024, backlog = thousands * 1024;
	const struct cake_work plain = besteffort(flows, backlog), full = diffserv4(flows, backlog);
	const struct fifo_work fifo = {.backlog = backlog};

	add_cake(bench_text("besteffort-backlog-%uk", thousands),
		 bench_text("besteffort, %u flows, %uk packets standing", flows, thousands),
		 &plain);
	add_cake(bench_text("diffserv4-backlog-%uk", thousands),
		 bench_text("diffserv4 triple-isolate 10 gbit, likewise"), &full);
	add(bench_text("fifo-backlog-%uk", thousands), "a FIFO of descriptors, likewise",
	    &fifo_work_ops, copy(&fifo, sizeof(fifo)));
}

static void add_active(uint32_t queues)
{
	const struct cake_work cake = besteffort(queues, ACTIVE * queues);
#ifdef WITH_RTE_SCHED
	const struct sched_work sched = {.pipes = queues, .backlog = ACTIVE * queues};

	add(bench_text("rte_sched-%u", queues), bench_text("rte_sched, %u active pipes", queues),
	    &sched_work_ops, copy(&sched, sizeof(sched)));
#endif
	add_cake(bench_text("active-%u", queues), bench_text("besteffort, %u active flows", queues),
		 &cake);
}

int main(int argc, char **argv)
{
	static const uint32_t flows[] = {16, 1024, 10000, 100000};
	static const unsigned backlogs[] = {1, 32, 128};
	static const uint32_t active[] = {16, 256, 4096};
	const struct fifo_work fifo = {0};

	bench_start(argc, argv, "cake");
	for (unsigned i = 0; i < sizeof(flows) / sizeof(flows[0]); i++)
		add_flows(flows[i]);
	add("fifo", "a FIFO of descriptors", &fifo_work_ops, copy(&fifo, sizeof(fifo)));
	for (unsigned i = 0; i < sizeof(backlogs) / sizeof(backlogs[0]); i++)
		add_backlog(backlogs[i]);
	for (unsigned i = 0; i < sizeof(active) / sizeof(active[0]); i++)
		add_active(active[i]);
	bench_group(rows, n_rows);
	return 0;
}
