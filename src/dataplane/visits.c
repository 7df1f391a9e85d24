/* SPDX-License-Identifier: BSD-3-Clause */
/* See visits.h. */
#include "dataplane/visits.h"

#include <errno.h>
#include <time.h>

/* A pass of a busy worker takes some 10 us. */
#define LOOK_AGAIN_NS 50000

static void nap(void)
{
	const struct timespec t = {.tv_nsec = LOOK_AGAIN_NS};

	nanosleep(&t, NULL);
}

uint64_t visits_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static struct visit_door *door_of(struct dataplane *dp, const struct queue_visit *v)
{
	if (v->port == VISITS_WORKER)
		return &dp->workers[v->queue].door;
	return txq_door(dp->txqs[v->port][v->queue]);
}

static void wake(struct dataplane *dp, const struct queue_visit *v)
{
	unsigned worker =
		v->port == VISITS_WORKER ? v->queue : txq_home(dp->txqs[v->port][v->queue]);

	if (worker < dp->n_running)
		worker_wake(&dp->workers[worker]);
}

static bool all_done(const struct queue_visit *visits, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!visit_is_done(&visits[i].visit))
			return false;
	return true;
}

/** A visit that cannot be called off is being made: a matter of microseconds. */
static int call_off(struct dataplane *dp, struct queue_visit *visits, unsigned n)
{
	int ret = 0;

	for (unsigned i = 0; i < n; i++) {
		struct visit *v = &visits[i].visit;

		if (visit_is_done(v))
			continue;
		if (visit_withdraw(door_of(dp, &visits[i]), v)) {
			ret = -ETIMEDOUT;
			continue;
		}
		while (!visit_is_done(v))
			nap();
	}
	return ret;
}

int visits_make(struct dataplane *dp, struct queue_visit *visits, unsigned n, unsigned patience_ms)
{
	const uint64_t deadline = visits_clock_ms() + patience_ms;

	/* Nobody else visits: the doors are free. */
	for (unsigned i = 0; i < n; i++) {
		visit_post(door_of(dp, &visits[i]), &visits[i].visit);
		wake(dp, &visits[i]);
	}
	while (!all_done(visits, n)) {
		if (visits_clock_ms() >= deadline)
			return call_off(dp, visits, n);
		nap();
	}
	return 0;
}

int visits_make_port(struct dataplane *dp, unsigned p,
		     void (*run)(struct txq *q, void *arg, uint64_t now), void *arg,
		     unsigned patience_ms)
{
	struct queue_visit visits[CONFIG_QUEUES_MAX];
	unsigned n = 0;

	for (unsigned q = 0; q < CONFIG_QUEUES_MAX; q++)
		if (dp->txqs[p][q])
			visits[n++] = (struct queue_visit){
				.port = p, .queue = q, .visit = {.run = run, .arg = arg}};
	return visits_make(dp, visits, n, patience_ms);
}
