/* SPDX-License-Identifier: BSD-3-Clause */
/* See reopen.h. */
#include "dataplane/reopen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>

#include "base/log.h"
#include "dataplane/plan.h"
#include "dataplane/visits.h"

/* Longer than a device takes: a queue that is held is always told to go on. */
#define HOLD_NS (UINT64_C(3600) * 1000000000)

static int fail(struct config_error *err, int code, const struct port *port, const char *why)
{
	snprintf(err->text, sizeof(err->text), "port %s: %s", port->config->name, why);
	return code;
}

static bool is_segmented(const struct gateau_config *cfg)
{
	return plan_longest_frame(cfg) > MBUF_DATA_ROOM;
}

static int check_choice(const struct port *port, const struct choice *choice, int ret,
			struct config_error *err)
{
	for (unsigned i = 0; ret && i < choice->n_notes; i++)
		if (choice->notes[i].level == CHOOSE_FAULT)
			return fail(err, ret, port, choice->notes[i].text);
	return ret ? fail(err, ret, port, strerror(-ret)) : 0;
}

int reopen_check(struct dataplane *dp, unsigned p, const struct gateau_config *to,
		 struct config_error *err)
{
	static struct choice choice; /* 4 kB; one operation at a time */
	struct port *port = &dp->ports[p];
	int ret;

	if (!port_can_start_again(port))
		return fail(err, -EOPNOTSUPP, port,
			    "its device cannot be started a second time (net_af_packet closes its "
			    "sockets); that takes a restart of gateaud");
	if (is_segmented(to) != is_segmented(dp->config))
		return fail(err, -EOPNOTSUPP, port,
			    "frames would come to take several buffers, or no more, at every port; "
			    "that takes a restart of gateaud");
	choice = port->choice;
	ret = port_choose(port, &to->ports[p], is_segmented(to));
	ret = check_choice(port, &port->choice, ret, err);
	if (!ret)
		ret = plan_check_room(&dp->plan, to, dp->ports, dp->n_workers, err);
	port->choice = choice;
	return ret;
}

/* What workers and queues do about it */

/** The port, and its configuration from now on. */
struct errand {
	const struct dataplane *dp;
	struct worker *worker;
	unsigned port;
};

static void hold_queue(struct txq *q, void *errand, uint64_t now)
{
	(void)errand;
	txq_link_down(q, now, HOLD_NS);
}

static void release_queue(struct txq *q, void *errand, uint64_t now)
{
	const struct errand *e = errand;
	const struct port *port = &e->dp->ports[e->port];

	txq_link_up(q, now);
	if (port->link_down)
		txq_link_down(q, now, port->config->link_hold_ns);
}

static void leave_out(struct txq *none, void *errand, uint64_t now)
{
	const struct errand *e = errand;

	(void)none;
	(void)now;
	worker_leave_out(e->worker, e->port);
}

static void take_in(struct txq *none, void *errand, uint64_t now)
{
	const struct errand *e = errand;

	(void)none;
	(void)now;
	worker_take_in(e->worker, e->port, e->dp->ports[e->port].config->mtu);
}

static int visit_queues(struct dataplane *dp, unsigned p,
			void (*run)(struct txq *, void *, uint64_t))
{
	struct errand errand = {.dp = dp, .port = p};

	return visits_make_port(dp, p, run, &errand, VISITS_PATIENCE_MS);
}

static int visit_workers(struct dataplane *dp, unsigned p,
			 void (*run)(struct txq *, void *, uint64_t))
{
	struct queue_visit visits[CONFIG_LCORES_MAX];
	struct errand errands[CONFIG_LCORES_MAX];

	for (unsigned i = 0; i < dp->n_running; i++) {
		errands[i] = (struct errand){.dp = dp, .worker = &dp->workers[i], .port = p};
		visits[i] = (struct queue_visit){.port = VISITS_WORKER,
						 .queue = i,
						 .visit = {.run = run, .arg = &errands[i]}};
	}
	return visits_make(dp, visits, dp->n_running, VISITS_PATIENCE_MS);
}

/** Nobody touches the device once this has returned 0. */
static int retreat(struct dataplane *dp, unsigned p)
{
	int ret = visit_queues(dp, p, hold_queue);

	return ret ? ret : visit_workers(dp, p, leave_out);
}

/** A worker or queue that cannot be reached now is when it comes round: it is asked until then. */
static void return_to(struct dataplane *dp, unsigned p)
{
	while (visit_workers(dp, p, take_in) || visit_queues(dp, p, release_queue))
		log_warning("port %s: a worker does not come round", dp->ports[p].config->name);
	dp->ports[p].queues_wait = dp->ports[p].link_down;
}

/* The device */

static int set_up(struct dataplane *dp, struct port *port, const struct config_port *as,
		  bool segmented)
{
	int ret;

	port->config = as;
	ret = port_choose(port, as, segmented);
	if (!ret)
		ret = port_setup(port, &dp->pool);
	return ret ? ret : port_start(port);
}

int reopen_port(struct dataplane *dp, unsigned p, const struct gateau_config *to,
		struct config_error *err)
{
	struct port *port = &dp->ports[p];
	const struct config_port *before = port->config;
	int ret = retreat(dp, p);

	if (ret) {
		return_to(dp, p);
		return fail(err, ret, port, "a worker does not come round: its driver holds it up");
	}
	port_read_nic(port, tsc_clock_convert(&dp->clock, rte_rdtsc()));
	port_stop(port);
	ret = set_up(dp, port, &to->ports[p], is_segmented(to));
	if (!ret) {
		port_announce(port);
		return_to(dp, p);
		return 0;
	}
	fail(err, ret, port, "its device refuses that, as the log says, and runs as before");
	if (set_up(dp, port, before, is_segmented(dp->config))) {
		/* Its queues go on holding what comes, and what is more than they hold is dropped.
		 */
		fail(err, ret, port,
		     "its device refuses that, and also to run as before: restart "
		     "gateaud");
		log_error("%s", err->text);
		return ret;
	}
	return_to(dp, p);
	return ret;
}

void reopen_conclude(struct dataplane *dp, unsigned p)
{
	dp->ports[p].config = &dp->config->ports[p];
}
