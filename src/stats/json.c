/* SPDX-License-Identifier: BSD-3-Clause */
/* See json.h. */
#include "stats/json.h"

#include "report/report.h"
#include "report/share.h"
#include "report/unclassified.h"
#include "stats/options.h"

json_t *stats_nic_json(const struct port_nic_stats *nic)
{
	json_t *o = json_object();

	report_set_number(o, "missed", nic->missed);
	report_set_number(o, "rx_errors", nic->rx_errors);
	report_set_number(o, "no_buffer", nic->no_buffer);
	report_set_number(o, "tx_errors", nic->tx_errors);
	return o;
}

json_t *stats_lcore_json(const struct stats_worker *w)
{
	json_t *o = json_object();

	report_set_number(o, "cpu", w->cpu);
	report_set_number(o, "passes", w->passes);
	report_set_number(o, "busy_passes", w->busy_passes);
	report_set_number(o, "busy_cycles", w->busy_cycles);
	report_set_number(o, "sleeps", w->sleeps);
	report_set_number(o, "slept_ns", w->slept_ns);
	report_set_number(o, "interrupts", w->interrupts);
	report_set_number(o, "late_wakeups", w->late_wakeups);
	report_set_number(o, "stalls", w->stalls);
	report_set_number(o, "stall_ns", w->stall_ns);
	report_set_number(o, "max_stall_ns", w->max_stall_ns);
	report_set_number(o, "taken_up", w->taken_up);
	return o;
}

json_t *stats_clock_json(const struct stats_snapshot *s)
{
	json_t *o = json_object();

	report_set_number(o, "hz", s->hz);
	report_set_number(o, "error_ppb", s->error_ppb);
	report_set_number(o, "dpdk_hz", s->dpdk_hz);
	json_object_set_new(o, "dpdk_off_ppm",
			    json_real(((double)s->dpdk_hz / (double)s->hz - 1) * 1e6));
	return o;
}

json_t *stats_balance_json(const struct stats_snapshot *s)
{
	json_t *o = json_object();

	report_set_number(o, "received", s->received);
	report_set_number(o, "segments_added", s->segments_added);
	report_set_number(o, "sent", s->sent);
	report_set_number(o, "dropped", s->dropped);
	report_set_number(o, "queued", s->queued);
	report_set_number(o, "deferred", s->deferred);
	report_set_number(o, "in_flight", s->held);
	json_object_set_new(o, "difference", json_integer(stats_difference(s)));
	return o;
}

json_t *stats_sojourn_bounds_json(void)
{
	json_t *bounds = json_array();

	for (unsigned i = 0; i < SOJOURN_BUCKETS - 1; i++)
		json_array_append_new(bounds, json_integer((json_int_t)sojourn_bound_ns(i)));
	return bounds;
}

static json_t *sojourn_counts_json(const struct sojourn *s)
{
	json_t *counts = json_array();

	for (unsigned i = 0; i < SOJOURN_BUCKETS; i++)
		json_array_append_new(counts, json_integer((json_int_t)s->counts[i]));
	return counts;
}

/** To each of @cake's tins what is counted beside the scheduler. @shed: NULL of a queue. */
static void extend_tins(json_t *cake, const struct sojourn *sojourn, const uint64_t *shed,
			enum cake_diffserv mode)
{
	json_t *tin;
	size_t i;

	json_array_foreach (json_object_get(cake, "tins"), i, tin) {
		const unsigned at = cake_tin_order(mode, (unsigned)i);

		if (shed)
			report_set_number(tin, "shed", shed[at]);
		report_set_number(tin, "sojourn_sum_ns", sojourn[at].sum_ns);
		json_object_set_new(tin, "sojourn_counts", sojourn_counts_json(&sojourn[at]));
	}
}

/** What a queue and the sum of a port's have in common. */
static void set_inside(json_t *o, uint64_t queued, uint64_t deferred, uint64_t held)
{
	report_set_number(o, "queued", queued);
	report_set_number(o, "deferred", deferred);
	report_set_number(o, "in_flight", held);
}

json_t *stats_queue_counts_json(const struct stats_queue *q)
{
	json_t *o = json_object();

	report_set_number(o, "queue", q->queue);
	report_set_number(o, "cpu", q->cpu);
	report_set_number(o, "tx_packets", q->tx_packets);
	report_set_number(o, "tx_bytes", q->tx_bytes);
	set_inside(o, q->queued, q->deferred, q->held);
	report_set_number(o, "ecn_marked", q->marked);
	report_set_number(o, "stalls", q->stalls);
	json_object_set_new(o, "share", report_share_json(q->shares ? &q->share : NULL));
	return o;
}

static json_t *queue_json(const struct stats_queue *q, enum cake_diffserv mode)
{
	json_t *o = stats_queue_counts_json(q), *cake = report_cake_json(&q->cake, mode);

	json_object_set_new(o, "stalled", json_boolean(q->stalled));
	report_set_number(o, "requeues", q->device_full);
	extend_tins(cake, q->sojourn, NULL, mode);
	json_object_update(o, cake);
	json_decref(cake);
	return o;
}

json_t *stats_port_options_json(const struct dataplane *dp, unsigned port)
{
	const struct config_port *c = &dp->config->ports[port];
	const bool scheduled = dp->txqs[port][0];
	json_t *o = json_object();

	json_object_set_new(o, "port", json_string(c->name));
	json_object_set_new(o, "device", json_string(c->device));
	json_object_set_new(o, "link", json_string(dp->ports[port].link_down ? "down" : "up"));
	report_set_number(o, "rx_queues", c->rx_queues);
	report_set_number(o, "tx_queues", c->tx_queues);
	json_object_set_new(o, "kind", json_string(scheduled ? "cake" : "noqueue"));
	json_object_set_new(o, "root", json_true());
	if (!scheduled)
		return o;
	json_object_set_new(o, "options", options_json(&c->scheduler.cake));
	if (c->tx_queues > 1) {
		json_object_set_new(o, "share",
				    json_string(options_port_word("share", (int)c->share)));
		json_object_set_new(o, "steer",
				    json_string(options_port_word("steer", (int)c->steer)));
	}
	return o;
}

/** Why frames never reached a scheduler, or were lost behind it: all but the scheduler's reasons.
 */
static json_t *other_drops_json(const struct stats_port *p)
{
	json_t *o = json_object();

	for (unsigned r = 0; r < WORKER_DROPS; r++)
		report_set_number(o, stats_reason_name(r), p->dropped[r]);
	return o;
}

static void set_scheduler(json_t *o, const struct stats_snapshot *s, unsigned port)
{
	const enum cake_diffserv mode = s->config->ports[port].scheduler.cake.diffserv;
	const struct stats_port *p = &s->ports[port];
	json_t *cake = report_cake_json(&p->cake, mode), *queues = json_array();

	extend_tins(cake, p->sojourn, p->shed, mode);
	json_object_update(o, cake);
	json_decref(cake);
	for (unsigned i = 0; i < p->n_queues; i++)
		json_array_append_new(queues, queue_json(&s->queues[p->first_queue + i], mode));
	json_object_set_new(o, "queues", queues);
}

json_t *stats_port_counts_json(const struct stats_port *p)
{
	json_t *o = json_object();

	report_set_number(o, "rx_packets", p->rx_packets);
	report_set_number(o, "rx_bytes", p->rx_bytes);
	report_set_number(o, "segments_added", p->segments_added);
	report_set_number(o, "tx_packets", p->tx_packets);
	report_set_number(o, "tx_bytes", p->tx_bytes);
	json_object_set_new(o, "unclassified", report_unclassified_json(p->unclassified));
	report_set_number(o, "shed_collisions", p->shed_collisions);
	report_set_number(o, "ring_packets", p->ring_packets);
	set_inside(o, p->queued, p->deferred, p->held);
	report_set_number(o, "ecn_marked", p->marked);
	json_object_set_new(o, "nic", stats_nic_json(&p->nic));
	return o;
}

json_t *stats_port_json(const struct stats_snapshot *s, const struct dataplane *dp, unsigned port)
{
	const struct stats_port *p = &s->ports[port];
	json_t *o = stats_port_options_json(dp, port), *counts = stats_port_counts_json(p);

	json_object_update(o, counts);
	json_decref(counts);
	json_object_set_new(o, "other_drops", other_drops_json(p));
	report_set_number(o, "requeues", p->device_full);
	if (p->n_queues)
		set_scheduler(o, s, port);
	return o;
}
