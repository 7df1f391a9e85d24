/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ways into a TX queue and out of it cost one lcore, ns per frame in runs of 32,768
 *frames, and what a pass costs that finds nothing to do.
 *
 *	build/tests/perf/bench_txq --help
 *
 * The device takes all; frames are used again and stay in the second cache. Nobody else touches the
 * queue: what a line costs that another lcore has written comes on top.
 */
#include "bench.h"
#include "crowd.h"

#define BURST   32
#define BURSTS  1024 /* of a run */
#define AT_ONCE 8    /* before the queue is run: a quarter of the ring, so that nothing is judged */
#define FLOWS   64
#define QUEUES  63 /* of others, to look at */

static struct crowd_frame *frames;
static struct mbuf_map map;
static struct txq *queue;
static struct txq *others[QUEUES];
static struct dispatch *home, *other;
static struct txq_dead dead;
static struct rescue rescue;
static uint64_t now = CROWD_START_NS;
static uint64_t received, received_elsewhere; /* frames: all, and by the other lcore */

static uint16_t device_takes(uint16_t port, uint16_t tx_queue, struct rte_mbuf **pkts, uint16_t n)
{
	(void)port;
	(void)tx_queue;
	(void)pkts;
	return n;
}

/** What is put in before the queue is run. */
static void receive(void *way)
{
	struct rte_mbuf *pkts[BURST];

	for (unsigned i = 0; i < AT_ONCE; i++) {
		for (unsigned j = 0; j < BURST; j++)
			pkts[j] = &frames[j].mbuf;
		dispatch_burst(way, pkts, BURST, now);
	}
	received += BURST * AT_ONCE;
	if (way == other)
		received_elsewhere += BURST * AT_ONCE;
}

static void run_queue(void *arg)
{
	struct worker_tx tx = {.queue = queue};

	(void)arg;
	serve(&tx, now += 1000, &dead);
}

/** One way in alone: the time of the runs between does not count. */
static double ns_into(struct dispatch *way)
{
	double ns[BURSTS / AT_ONCE];

	for (unsigned i = 0; i < BURSTS / AT_ONCE; i++) {
		ns[i] = bench_timed(receive, way, BURST * AT_ONCE);
		run_queue(NULL);
	}
	return bench_mean(ns, BURSTS / AT_ONCE) / (BURST * AT_ONCE);
}

static double direct(void *arg)
{
	(void)arg;
	return ns_into(home);
}

static double deferred(void *arg)
{
	(void)arg;
	return ns_into(other);
}

/** Out of the ring, through CAKE and to the device. */
static double run_of_deferred(void *arg)
{
	double ns[BURSTS / AT_ONCE];

	(void)arg;
	for (unsigned i = 0; i < BURSTS / AT_ONCE; i++) {
		receive(other);
		ns[i] = bench_timed(run_queue, NULL, BURST * AT_ONCE);
	}
	return bench_mean(ns, BURSTS / AT_ONCE) / (BURST * AT_ONCE);
}

/** All frames came out again, by the ring those of the other lcore and no others. */
static void end(void *arg)
{
	const uint64_t sent = counter_get(&txq_counters(queue)->sent_packets);
	const uint64_t by_home = counter_get(&dispatch_counters(home)->deferred);
	const uint64_t by_other = counter_get(&dispatch_counters(other)->deferred);

	(void)arg;
	if (sent != received)
		bench_fail("%lu of %lu frames were sent", sent, received);
	if (by_home || by_other != received_elsewhere)
		bench_fail("%lu frames went onto the ring by the queue's home, %lu of %lu by the "
			   "other lcore",
			   by_home, by_other, received_elsewhere);
}

static void idle_runs(void *arg)
{
	for (unsigned i = 0; i < BURSTS; i++)
		run_queue(arg);
}

static void idle_looks(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < BURSTS; i++)
		rescue_pass(&rescue, now += RESCUE_LOOK_NS, &dead);
}

static double idle_run(void *arg)
{
	return bench_timed(idle_runs, arg, BURSTS) / BURSTS;
}

static double idle_look(void *arg)
{
	return bench_timed(idle_looks, arg, BURSTS) / BURSTS;
}

static int create(void)
{
	struct txq_params p = {.map = map, .tx = device_takes, .free = crowd_free};
	int ret;

	cake_params_default(&p.cake);
	ret = txq_create(&queue, &p);
	for (unsigned i = 0; !ret && i < QUEUES; i++) {
		ret = txq_create(&others[i], &p);
		if (!ret)
			ret = i ? 0 : rescue_init(&rescue, QUEUES);
		if (!ret)
			rescue_add(&rescue, &(struct worker_tx){.queue = others[i]});
	}
	if (!ret)
		ret = dispatch_create(&home, &queue, 1, STEER_FLOW, 0, &dead);
	if (!ret)
		ret = dispatch_create(&other, &queue, 1, STEER_FLOW, 1, &dead);
	return ret;
}

int main(int argc, char **argv)
{
	static const struct bench_row rows[] = {
		{"direct", "a frame into CAKE, by the queue's home", "ns", .run = direct,
		 .end = end},
		{"deferred", "a frame onto the ring, by another lcore", "ns", .run = deferred,
		 .end = end},
		{"run", "a frame from the ring through CAKE to the device", "ns",
		 .run = run_of_deferred, .end = end},
		{"idle-run", "a run that finds nothing to do", "ns", .run = idle_run},
		{"idle-look", "a look at a queue of others", "ns", .run = idle_look},
	};

	bench_start(argc, argv, "txq");
	frames = crowd_frames_create(BURST, &map);
	for (uint32_t i = 0; i < BURST; i++)
		crowd_frame_fill(&frames[i], &map, i % FLOWS, i);
	if (create())
		bench_fail("no memory");
	bench_group(rows, RTE_DIM(rows));
	return 0;
}
