/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers that a scenario may ask for. */
#include <math.h>
#include <string.h>

#include "expect.h"
#include "memory.h"
#include "tcp.h"

#define MS 1000000ull
#define S  1000000000ull

/* What the rate may be off by: of what any 20 ms and any second hold, but never less than one
 * largest frame. */
#define ALLOWED_20MS 0.0025
#define ALLOWED_1S   0.0005

static double seconds(const struct phase *phase)
{
	return (double)(phase->until - phase->from) / 1e9;
}

static double rate(const struct world *w)
{
	return (double)w->params.cake.bandwidth_bps / 8;
}

/** Windows are of this length, or as long as the phase if that is shorter. */
static uint64_t window_in(const struct phase *phase, uint64_t window)
{
	return RTE_MIN(window, phase->until - phase->from);
}

static struct meter_error error_of(const struct port *p, const struct phase *phase, uint64_t window)
{
	return meter_error(&p->meter, phase->from, phase->until, window, rate(p->world));
}

/** In parts of what is allowed. */
static double error_allowed(const struct world *w, const struct port *p, const struct phase *phase,
			    uint64_t window, double allowed)
{
	const struct meter_error e = error_of(p, phase, window);
	const double bytes =
		fmax(allowed * rate(w) * (double)window / 1e9, w->params.cake.max_frame);

	return fmax(e.over, -e.under) / bytes;
}

static double error20(const struct world *w, const struct port *p, const struct phase *phase)
{
	return error_allowed(w, p, phase, window_in(phase, 20 * MS), ALLOWED_20MS);
}

static double error1s(const struct world *w, const struct port *p, const struct phase *phase)
{
	return error_allowed(w, p, phase, window_in(phase, S), ALLOWED_1S);
}

static double over20(const struct world *w, const struct port *p, const struct phase *phase)
{
	return 100 * error_of(p, phase, 20 * MS).over / (rate(w) * 0.02);
}

static double under20(const struct world *w, const struct port *p, const struct phase *phase)
{
	const struct meter_error e = error_of(p, phase, 20 * MS);

	return e.windows ? 100 * e.under / (rate(w) * 0.02) : NAN;
}

static double port_use(const struct world *w, const struct port *p, const struct phase *phase)
{
	return 100 * (double)meter_bytes(&p->meter, phase->from, phase->until) /
	       (rate(w) * seconds(phase));
}

static double port_pps(const struct world *w, const struct port *p, const struct phase *phase)
{
	(void)w;
	return (double)(phase->end.ports[p->index].sent - phase->begin.ports[p->index].sent) /
	       seconds(phase);
}

/** Largest less smallest, of the mean. */
static double spread(const double *values, unsigned n)
{
	double least = INFINITY, most = 0, sum = 0;

	for (unsigned i = 0; i < n; i++) {
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
		sum += values[i];
	}
	return sum > 0 ? 100 * (most - least) * n / sum : NAN;
}

static double queue_spread(const struct world *w, const struct port *p, const struct phase *phase)
{
	const struct phase_port *a = &phase->begin.ports[p->index];
	const struct phase_port *b = &phase->end.ports[p->index];
	double bytes[SHARE_QUEUES_MAX];

	(void)w;
	for (unsigned q = 0; q < p->n; q++)
		bytes[q] = (double)(b->queue_bytes[q] - a->queue_bytes[q]);
	return spread(bytes, p->n);
}

#define PORT_COUNTER(name)                                                                         \
	static double name(const struct world *w, const struct port *p, const struct phase *phase) \
	{                                                                                          \
		(void)w;                                                                           \
		return (double)(phase->end.ports[p->index].name -                                  \
				phase->begin.ports[p->index].name);                                \
	}
PORT_COUNTER(syncs)
PORT_COUNTER(reservations)
PORT_COUNTER(share_changes)
PORT_COUNTER(deferred)
PORT_COUNTER(defer)
PORT_COUNTER(shed)
PORT_COUNTER(nic_lost)

static double rescues(const struct world *w, const struct port *p, const struct phase *phase)
{
	double n = 0;

	(void)p;
	(void)phase;
	for (unsigned i = 0; i < w->n_lcores; i++)
		n += (double)counter_get(&w->lcores[i].rescue.taken_up);
	return n;
}

static double busiest(const struct world *w, const struct port *p, const struct phase *phase)
{
	double most = 0;

	(void)p;
	(void)phase;
	for (unsigned i = 0; i < w->n_lcores; i++)
		most = fmax(most, (double)w->lcores[i].busy_ns);
	return 100 * most / (double)w->params.duration;
}

static struct tally difference(const struct phase *phase, unsigned flow)
{
	const struct tally *a = &phase->begin.flows[flow], *b = &phase->end.flows[flow];

	return (struct tally){
		.offered_packets = b->offered_packets - a->offered_packets,
		.offered_bytes = b->offered_bytes - a->offered_bytes,
		.sent_packets = b->sent_packets - a->sent_packets,
		.sent_bytes = b->sent_bytes - a->sent_bytes,
		.lost = b->lost - a->lost,
		.payload = b->payload - a->payload,
		.again = b->again - a->again,
	};
}

static struct tally sum_of(const struct group *g, const struct phase *phase)
{
	struct tally sum = {0};

	for (unsigned i = g->first; i < g->first + g->n; i++) {
		struct tally t = difference(phase, i);

		sum.offered_packets += t.offered_packets;
		sum.offered_bytes += t.offered_bytes;
		sum.sent_packets += t.sent_packets;
		sum.sent_bytes += t.sent_bytes;
		sum.lost += t.lost;
		sum.payload += t.payload;
		sum.again += t.again;
	}
	return sum;
}

static double goodput(const struct world *w, const struct group *g, const struct phase *phase)
{
	(void)w;
	return 8e-6 * (double)sum_of(g, phase).sent_bytes / seconds(phase);
}

static double group_pps(const struct world *w, const struct group *g, const struct phase *phase)
{
	(void)w;
	return (double)sum_of(g, phase).sent_packets / seconds(phase);
}

static double group_use(const struct world *w, const struct group *g, const struct phase *phase)
{
	return 1e6 * goodput(w, g, phase) / (8 * rate(w)) * 100;
}

/** Bytes that the other groups leave of the port's rate. */
static double rest(const struct world *w, const struct group *g, const struct phase *phase)
{
	const unsigned port = w->flows[g->first]->port;
	double bytes = rate(w) * seconds(phase);

	for (unsigned i = 0; i < w->n_groups; i++) {
		const struct group *other = &w->groups[i];

		if (other != g && other->n && w->flows[other->first]->port == port)
			bytes -= (double)sum_of(other, phase).sent_bytes;
	}
	return bytes;
}

static double of_rest(const struct world *w, const struct group *g, const struct phase *phase)
{
	return 100 * (double)sum_of(g, phase).sent_bytes / rest(w, g, phase);
}

static double payload(const struct world *w, const struct group *g, const struct phase *phase)
{
	(void)w;
	return 8e-6 * (double)sum_of(g, phase).payload / seconds(phase);
}

/** Of @bytes of full frames the payload, bytes. */
static double without_headers(double bytes)
{
	return bytes * TCP_MSS / (TCP_MSS + TCP_HEADERS);
}

static double payload_max(const struct world *w, const struct group *g, const struct phase *phase)
{
	return 8e-6 * without_headers(rest(w, g, phase)) / seconds(phase);
}

static double payload_use(const struct world *w, const struct group *g, const struct phase *phase)
{
	return 100 * payload(w, g, phase) / payload_max(w, g, phase);
}

static double again(const struct world *w, const struct group *g, const struct phase *phase)
{
	(void)w;
	return (double)sum_of(g, phase).again;
}

static double lost(const struct world *w, const struct group *g, const struct phase *phase)
{
	(void)w;
	return (double)sum_of(g, phase).lost;
}

static double loss(const struct world *w, const struct group *g, const struct phase *phase)
{
	const struct tally sum = sum_of(g, phase);

	(void)w;
	return sum.offered_packets ? 100 * (double)sum.lost / (double)sum.offered_packets : NAN;
}

static double flow_spread(const struct world *w, const struct group *g, const struct phase *phase)
{
	double *bytes = must_calloc(g->n, sizeof(*bytes));
	double result;

	(void)w;
	for (unsigned i = 0; i < g->n; i++)
		bytes[i] = (double)difference(phase, g->first + i).sent_bytes;
	result = spread(bytes, g->n);
	free(bytes);
	return result;
}

/** How far the host that is furthest off is from the mean. */
static double host_error(const struct world *w, const struct group *g, const struct phase *phase)
{
	double *bytes = must_calloc(g->n, sizeof(*bytes));
	double sum = 0, off = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++) {
		double sent = (double)difference(phase, g->first + i).sent_bytes;
		unsigned host = w->flows[g->first + i]->host;

		bytes[host] += sent;
		sum += sent;
		n = n > host ? n : host + 1;
	}
	for (unsigned i = 0; i < n; i++)
		off = fmax(off, fabs(bytes[i] * n / sum - 1));
	free(bytes);
	return 100 * off;
}

/** ns; NAN if nothing was measured. */
static double quantile(const struct histogram *h, unsigned permille)
{
	return h->n ? (double)histogram_quantile(h, permille) : NAN;
}

static double wait(const struct world *w, const struct group *g, const struct phase *phase,
		   unsigned permille)
{
	return quantile(&phase->waits[g - w->groups], permille) / 1e3;
}

static double rtt(const struct world *w, const struct group *g, const struct phase *phase,
		  unsigned permille)
{
	return quantile(&phase->rtts[g - w->groups], permille) / 1e6;
}

static double rtt_p50(const struct world *w, const struct group *g, const struct phase *phase)
{
	return rtt(w, g, phase, 500);
}

static double rtt_p99(const struct world *w, const struct group *g, const struct phase *phase)
{
	return rtt(w, g, phase, 990);
}

static double rtt_max(const struct world *w, const struct group *g, const struct phase *phase)
{
	return rtt(w, g, phase, 1000);
}

static double wait_p50(const struct world *w, const struct group *g, const struct phase *phase)
{
	return wait(w, g, phase, 500);
}

static double wait_p99(const struct world *w, const struct group *g, const struct phase *phase)
{
	return wait(w, g, phase, 990);
}

static double wait_max(const struct world *w, const struct group *g, const struct phase *phase)
{
	return wait(w, g, phase, 1000);
}

const struct metric metrics[] = {
	{"use", "%", "sent, of the port's rate", port_use, group_use},
	{"pps", "/s", "packets sent", port_pps, group_pps},
	{"error20", "", "worst window of 20 ms, in parts of what the rate may be off by", error20,
	 NULL},
	{"error1s", "", "worst window of 1 s, or the phase if that is shorter, likewise", error1s,
	 NULL},
	{"over20", "%", "most that a window of 20 ms had too much", over20, NULL},
	{"under20", "%", "most that one had too little, while something was queued", under20, NULL},
	{"queue_spread", "%", "between TX queues: most less least, of the mean", queue_spread,
	 NULL},
	{"syncs", "", "times that queues looked at the others", syncs, NULL},
	{"reservations", "", "slots", reservations, NULL},
	{"share_changes", "", "times that a queue's tin rates changed", share_changes, NULL},
	{"deferred", "", "packets put on rings", deferred, NULL},
	{"defer", "", "packets dropped because a ring was full", defer, NULL},
	{"shed", "", "packets dropped ahead of an overloaded queue", shed, NULL},
	{"nic_lost", "", "packets the NIC had no room for", nic_lost, NULL},
	{"rescues", "", "times that a queue was taken up whose home stood still, in the whole run",
	 rescues, NULL},
	{"busiest", "%", "of the time that the busiest lcore had something to do", busiest, NULL},
	{"mbit", "Mbit/s", "sent, frame lengths", NULL, goodput},
	{"of_rest", "%", "sent, of what the other groups leave of the rate", NULL, of_rest},
	{"lost", "", "packets lost, by whomever", NULL, lost},
	{"loss", "%", "packets lost, of those offered", NULL, loss},
	{"flow_spread", "%", "between flows: most bytes less least, of the mean", NULL,
	 flow_spread},
	{"host_error", "%", "host furthest from the mean of the hosts", NULL, host_error},
	{"wait_p50", "us", "from the NIC's RX ring to its TX ring, half of the packets", NULL,
	 wait_p50},
	{"wait_p99", "us", "likewise, 99 of 100", NULL, wait_p99},
	{"wait_max", "us", "likewise, the longest", NULL, wait_max},
	{"payload", "Mbit/s", "handed on in order by TCP's receivers", NULL, payload},
	{"payload_max", "Mbit/s", "payload that the rate leaves after headers and other groups",
	 NULL, payload_max},
	{"payload_use", "%", "the one of the other", NULL, payload_use},
	{"again", "", "TCP's retransmissions", NULL, again},
	{"rtt_p50", "ms", "round trips of probes that began then, half of them", NULL, rtt_p50},
	{"rtt_p99", "ms", "likewise, 99 of 100", NULL, rtt_p99},
	{"rtt_max", "ms", "likewise, the longest", NULL, rtt_max},
	{0},
};
