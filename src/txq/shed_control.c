/* SPDX-License-Identifier: BSD-3-Clause */
/* See shed_control.h. */
#include "txq/shed_control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "txq/shed_hosts.h"

#define US 1000.0
#define MS 1000000.0

/* The queue that is left standing, ns: six times the control interval, so that what flows do in
 * between does not empty it, and far below CoDel's target. At least four packets. */
#define STANDING_NS   (300 * US)
#define STANDING_PKTS 4

/* Rates are measured over this time, ns, and this many packets, at least. */
#define WINDOW_NS   (500 * US)
#define WINDOW_PKTS 8

/* A holder that finds this part of the ring used in every run has no time to spare: below it the
 * work of a run that is not for packets would count. */
#define RING_BUSY (1.0 / 16)

/* Overloaded: this much more is offered than sent, for two windows. Half as much again as TCP in
 * slow start offers, which doubles within a round trip. */
#define OVERLOAD      2.5
#define OVERLOAD_NS   (1 * MS)
#define OVERLOAD_RUNS 2

/* What a flow that was there before may be ahead as long as it never was further, ns of its part of
 * C: it must not suffer before V goes at the right speed, after some 500 us. */
#define CREDIT_NS (1 * MS)

/* ... and the holder has no time for it: at this many ns a packet, which is what it takes one to
 * come in and to be dropped again, a quarter of its time or more. What it has time for CAKE sorts
 * out better, and so that TCP fills the link: a queue as short as the one left standing here does
 * not. */
#define HOLDER_NS   50
#define HOLDER_PART 0.25

/* No longer: for this long less than an eighth of what is offered had to be shed. */
#define CALM_NS   (20 * MS)
#define CALM_PART 8

/* For this long all flows that were seen count, if the queue is too long: those that use V up are
 * not counted yet, ns. */
#define YOUNG_NS (20 * MS)

/* In an empty queue the count of flows falls by a factor of e in this time, ns. */
#define GONE_NS (500 * US)

/* An average packet of a tin that has had none, bytes. */
#define LEN_FIRST 64

struct tin {
	struct shed_traffic last; /* at the last look */
	struct shed_values line;
	double len;      /* bytes, average packet */
	double capacity; /* C: bytes per ns that it is served with */

	/* The window that the capacity is measured in. */
	uint64_t window_ns, window_sent;
	bool window_busy;    /* it always had something waiting */
	unsigned ring_looks; /* that found the ring in use, since the last window */

	/* Off: is it overloaded? */
	uint64_t over_ns, over_sent, over_arrived, over_refused;
	unsigned overs;

	/* On. Rates in bytes per ns. */
	double speed;          /* of V */
	double admit;          /* probability for unknown flows */
	double tol, tol_step;  /* bytes; the last change */
	double flows;          /* that use V up */
	double in, v;          /* bytes that came in, and V went on, fading out */
	double opening;        /* rate of first packets, average */
	uint64_t flows_before; /* traffic.flows when the ring was not full yet */
	double gone;           /* of those that began since, see flows_left() */
	uint64_t began_ns;
	uint64_t full_ns; /* the ring was full last */
	uint64_t calm_ns, calm_arrived, calm_refused, calm_look;
};

struct shed_control {
	struct shed *shed;
	/* Of the ring, since the last look: the part that was used at most, 0..1; what the run that
	 * took least took, and this run so far. */
	double ring, ring_least, ring_run;
	unsigned ring_half; /* looks in a row that found it half full */
	uint64_t last_ns;
	struct shed_traffic traffic[CAKE_MAX_TINS];
	struct tin tins[CAKE_MAX_TINS];
};

int shed_control_create(struct shed_control **out, struct shed *s)
{
	struct shed_control *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->shed = s;
	for (unsigned i = 0; i < CAKE_MAX_TINS; i++)
		c->tins[i].len = LEN_FIRST;
	*out = c;
	return 0;
}

void shed_control_destroy(struct shed_control *c)
{
	free(c);
}

struct shed_traffic *shed_traffic(struct shed_control *c)
{
	return c->traffic;
}

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

static double max(double a, double b)
{
	return a > b ? a : b;
}

void shed_arrived(struct shed_control *c, const struct cake_packet *p, enum shed_first first)
{
	struct shed_traffic *t = &c->traffic[p->tin];

	if (first == SHED_FIRST_NEW) {
		t->opened += p->len;
		t->flows++;
	}
	if (c->shed->by_hosts && c->tins[p->tin].line.on)
		shed_hosts_arrived(c->shed->hosts, p, p->tin, first != SHED_FIRST_NOT);
}

void shed_saw_ring(struct shed_control *c, unsigned n, unsigned limit)
{
	double part;

	if (!n)
		return;
	part = clamp((double)n / limit, 0, 1);
	c->ring = max(c->ring, part);
	c->ring_run += part;
}

static uint64_t backlog(const struct shed_traffic *now)
{
	return now->arrived - now->sent - now->dropped;
}

/* Bytes that receiving lcores kept out of @tin. */
static uint64_t refused(const struct shed *s, unsigned tin)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->lcores; i++)
		sum += counter_get(&s->reports[i].bytes[tin]);
	return sum;
}

/* What happened since the last look. */
struct interval {
	uint64_t now;
	double ns;
	double arrived, opened, sent; /* bytes */
	uint64_t packets, openers;    /* in packets */
	double delay, standing;       /* ns: the queue, and what it should be */
	double ring;                  /* part of the ring that was used, 0..1 */
	bool busy;                    /* its holder found something there in every run */
};

static void open_window(struct tin *t, const struct shed_traffic *io, uint64_t now)
{
	t->window_ns = now;
	t->window_sent = io->sent;
	t->window_busy = true;
}

/* The tin waits for the holder: what it is sent then is what the holder manages. */
static void measure_holder(struct tin *t, const struct shed_traffic *io, const struct interval *iv)
{
	double part = clamp(iv->ns / WINDOW_NS, 0, 0.5), rate = iv->sent / iv->ns;

	if (t->ring_looks++)
		t->capacity += (rate - t->capacity) * part;
	else if (rate > t->capacity)
		t->capacity = rate;
	open_window(t, io, iv->now);
}

/* The tin waits for the link. What it is served with shows only while something waits; at other
 * times it is at least what it sends. */
static void measure_link(struct tin *t, const struct shed_traffic *io, const struct interval *iv)
{
	double ns = (double)(iv->now - t->window_ns), sent = (double)(io->sent - t->window_sent);
	double rate;

	t->window_busy &= backlog(io) > 0;
	if (ns < WINDOW_NS || (sent < WINDOW_PKTS * t->len && ns < 100 * WINDOW_NS))
		return;
	rate = sent / ns;
	t->ring_looks = 0;
	if (!t->window_busy)
		t->capacity = max(t->capacity, rate);
	else
		t->capacity = t->capacity > 0 ? (t->capacity + rate) / 2 : rate;
	open_window(t, io, iv->now);
}

static void measure(struct tin *t, const struct shed_traffic *io, const struct interval *iv)
{
	if (iv->busy)
		measure_holder(t, io, iv);
	else
		measure_link(t, io, iv);
}

/* Off ─► on */

static void begin(struct shed_control *c, unsigned tin, uint64_t now)
{
	const struct shed_traffic *io = &c->traffic[tin];
	struct tin *t = &c->tins[tin];
	struct shed_view view;

	/* Flows count as first ones anew, and so do their hosts. */
	if (c->shed->by_hosts)
		shed_hosts_reset(c->shed->hosts, tin);
	shed_look(c->shed, tin, now, &view);
	t->line = (struct shed_values){.on = true,
				       .v0 = view.v,
				       .t0 = now,
				       .began = shed_tag(view.v),
				       .credit = (uint32_t)(CREDIT_NS * t->capacity)};
	t->flows = 1;
	t->gone = 0;
	t->speed = 0;
	t->admit = 1.0 / 8;
	t->tol = 0;
	t->tol_step = 0;
	t->in = 0;
	t->v = 0;
	t->opening = t->capacity;
	t->began_ns = now;
	t->full_ns = now;
	t->calm_ns = now;
	t->calm_look = now;
	t->calm_arrived = io->arrived;
	t->calm_refused = refused(c->shed, tin);
}

/* Whether the holder has time for @bytes of packets in @ns. */
static bool has_time(const struct tin *t, double bytes, double ns)
{
	return bytes / t->len * HOLDER_NS < HOLDER_PART * ns;
}

/* Offered much more than sent, and than there is time for, with a queue standing, in each of the
 * last windows. */
static bool floods(struct shed_control *c, unsigned tin, const struct interval *iv)
{
	const struct shed_traffic *io = &c->traffic[tin];
	struct tin *t = &c->tins[tin];
	uint64_t out = refused(c->shed, tin);
	double offered = (double)(io->arrived - t->over_arrived + out - t->over_refused);
	double sent = (double)(io->sent - t->over_sent);
	double ns = (double)(iv->now - t->over_ns);

	if (ns < OVERLOAD_NS || sent < WINDOW_PKTS * t->len)
		return false;
	t->overs = iv->delay > 2 * iv->standing && offered > OVERLOAD * sent &&
				   !has_time(t, offered, ns)
			   ? t->overs + 1
			   : 0;
	t->over_ns = iv->now;
	t->over_arrived = io->arrived;
	t->over_refused = out;
	t->over_sent = io->sent;
	return t->overs >= OVERLOAD_RUNS;
}

/* The ring stays half full, and this tin is a good part of the reason. */
static bool fills_ring(const struct shed_control *c, const struct interval *iv, double all)
{
	return c->ring_half >= 2 && iv->arrived * 2 * c->shed->tins >= all;
}

/* On */

static bool in_rush(const struct tin *t, const struct interval *iv)
{
	return (iv->openers > 20 && iv->opened > 0.1 * iv->arrived) ||
	       t->opening > 0.3 * t->capacity;
}

/* Unknown flows pass with a probability, so that the first packets of very many do not fill the
 * queue before their second ones can be told apart. */
static void control_admission(struct tin *t, const struct interval *iv)
{
	double rate = iv->opened / iv->ns;

	t->opening += (rate - t->opening) * clamp(iv->ns / (200 * US), 0, 1);
	if (rate > 0.2 * t->capacity && (iv->ring >= 0.45 || iv->delay > 4 * iv->standing ||
					 (rate > 0.9 * t->capacity && iv->delay > iv->standing)))
		t->admit = max(0.001, 0.7 * t->admit);
	else if (rate < 0.6 * t->capacity || iv->delay < iv->standing / 2)
		t->admit = clamp(1.25 * t->admit, 0, 1);
}

static void count_flows(struct tin *t, const struct interval *iv, double v, double seen, bool rush)
{
	double tau = clamp(t->speed > 0 ? 2 * t->len / t->speed : 20 * MS, 2 * MS, 20 * MS);
	double keep = tau / (tau + iv->ns);

	t->in = t->in * keep + iv->arrived - iv->opened;
	t->v = t->v * keep + v + t->tol_step;
	if (rush) {
		t->flows = max(1, seen);
		t->in = t->flows * t->v;
	} else if (t->in > 20 * t->len && t->v > 0) {
		t->flows = max(0.5, t->in / t->v);
	}
}

static double next_speed(const struct tin *t, const struct interval *iv, double seen, bool rush)
{
	double flows = max(t->flows, seen), fill = max(iv->delay / iv->standing, iv->ring / 0.25);
	double gain = iv->delay > iv->standing ? 0.3 : 0.15;
	double all = t->capacity * (1 + clamp(gain * (1 - fill), -0.5, 0.25));
	double slowest = t->speed * (1 - clamp(iv->ns / (200 * US), 0, 0.5));
	double fastest = max(t->speed * (1 + iv->ns / (400 * US)), 0.5 * t->capacity / flows);
	bool late = iv->delay > 2 * iv->standing && iv->now - t->began_ns < YOUNG_NS;
	double speed = clamp(all / (late ? flows : t->flows), slowest, fastest);

	if (speed > 1.5 * t->capacity / t->flows)
		speed = 1.5 * t->capacity / t->flows;
	if (iv->ring >= 0.5 && speed > 0.85 * t->speed)
		speed = 0.85 * t->speed;
	if (rush)
		speed = max(0, t->capacity - 1.2 * t->opening) / flows;
	return clamp(speed, 0, 1.2 * t->capacity);
}

/* How far a flow may be ahead: 5 ms, or a packet. It changes slowly: flows of a flood would all
 * make use of it at once, or all have to wait until V is there. */
static void control_tolerance(struct tin *t, const struct interval *iv)
{
	double most = max(t->len, 5 * MS * t->speed), step = 0.1 * t->speed * iv->ns;

	if (iv->ring >= 0.45)
		t->full_ns = iv->now;
	if (t->tol < most && (double)(iv->now - t->full_ns) < 2 * MS)
		step = 0;
	t->tol_step = clamp(most - t->tol, -step, step);
	t->tol += t->tol_step;
}

/* Whether next to nothing has been shed, or there would have been time for it, for long enough. */
static bool calm(struct shed_control *c, unsigned tin, const struct interval *iv)
{
	const struct shed_traffic *io = &c->traffic[tin];
	struct tin *t = &c->tins[tin];
	uint64_t out, shed, offered;

	if (iv->ring >= 0.5)
		t->calm_ns = iv->now;
	if ((double)(iv->now - t->calm_look) < 1 * MS)
		return false;
	out = refused(c->shed, tin);
	shed = out - t->calm_refused;
	offered = io->arrived - t->calm_arrived + shed;
	if (shed * CALM_PART > offered &&
	    !has_time(t, (double)offered, (double)(iv->now - t->calm_look)))
		t->calm_ns = iv->now;
	t->calm_look = iv->now;
	t->calm_arrived = io->arrived;
	t->calm_refused = out;
	return (double)(iv->now - t->calm_ns) >= CALM_NS;
}

/* That began since the tin is overloaded; where hosts are isolated each of them is one. */
static double flows_seen(const struct shed_control *c, unsigned tin)
{
	if (c->shed->by_hosts)
		return shed_hosts_count(c->shed->hosts, tin);
	return (double)(c->traffic[tin].flows - c->tins[tin].flows_before);
}

/* Of those the ones that still send. As long as they do the queue does not run empty in the rush:
 * if it does, though much is shed, that many must have gone, as where each flow is a short one. */
static double flows_left(struct shed_control *c, unsigned tin, const struct interval *iv)
{
	struct tin *t = &c->tins[tin];
	double left = max(1, flows_seen(c, tin) - t->gone);

	if (iv->delay < iv->standing / 2 && iv->ring < 0.25) {
		double part = clamp(iv->ns / GONE_NS, 0, 0.5);

		t->gone += left * part;
		left -= left * part;
	}
	return max(1, left);
}

/* Tags are told apart within SHED_AHEAD_MAX. V may be further than that from where it began: with
 * one flow at 10 gbit after 3.4 s. Half of it is long enough for any flow that still sends to have
 * come by. */
static void follow_v(struct shed_values *line)
{
	const uint64_t since = (shed_tag(line->v0) - line->began) & SHED_TAG_MASK;

	if (since > SHED_AHEAD_MAX / 2)
		line->began = (shed_tag(line->v0) - SHED_AHEAD_MAX / 2) & SHED_TAG_MASK;
}

static void steer(struct shed_control *c, unsigned tin, const struct interval *iv)
{
	struct tin *t = &c->tins[tin];
	double seen = flows_left(c, tin, iv), v;
	uint64_t ns = iv->now - t->line.t0, step;
	bool rush;

	if (ns > SHED_EXTRAPOLATE_NS)
		ns = SHED_EXTRAPOLATE_NS;
	step = shed_progress(t->line.speed, ns);
	control_admission(t, iv);
	rush = in_rush(t, iv);
	v = (double)step / (1 << SHED_V_SHIFT);
	if (c->shed->by_hosts)
		shed_hosts_update(c->shed->hosts, tin, v, t->len);
	count_flows(t, iv, v, seen, rush);
	t->speed = next_speed(t, iv, seen, rush);
	control_tolerance(t, iv);
	t->line.v0 += step;
	follow_v(&t->line);
	t->line.t0 = iv->now;
	t->line.speed = (uint64_t)(t->speed * 0x1p32);
	t->line.tol = (uint64_t)t->tol;
	t->line.credit = (uint32_t)(CREDIT_NS * t->capacity / max(t->flows, seen));
	t->line.admit = (uint32_t)(t->admit * UINT32_MAX);
}

static struct interval look(struct shed_control *c, unsigned tin, uint64_t now)
{
	const struct shed_traffic *io = &c->traffic[tin];
	struct tin *t = &c->tins[tin];
	struct interval iv = {
		.now = now,
		.ns = (double)(now - c->last_ns),
		.arrived = (double)(io->arrived - t->last.arrived),
		.opened = (double)(io->opened - t->last.opened),
		.sent = (double)(io->sent - t->last.sent),
		.packets = io->packets - t->last.packets,
		.openers = io->flows - t->last.flows,
		.ring = c->ring,
		.busy = c->ring_least >= RING_BUSY,
	};

	if (iv.packets)
		t->len += (iv.arrived / (double)iv.packets - t->len) / 8;
	measure(t, io, &iv);
	iv.standing = STANDING_NS;
	if (t->capacity > 0) {
		iv.delay = (double)backlog(io) / t->capacity;
		iv.standing = max(STANDING_NS, STANDING_PKTS * t->len / t->capacity);
	}
	t->last = *io;
	return iv;
}

static void control(struct shed_control *c, unsigned tin, const struct interval *iv, double all)
{
	struct tin *t = &c->tins[tin];

	if (t->line.on && calm(c, tin, iv)) {
		t->line.on = false;
		shed_publish_idle(c->shed, tin, t->line.v0, iv->now);
	} else if (t->line.on) {
		steer(c, tin, iv);
		shed_publish(c->shed, tin, &t->line);
	} else if (floods(c, tin, iv) || fills_ring(c, iv, all)) {
		begin(c, tin, iv->now);
		shed_publish(c->shed, tin, &t->line);
	} else if (!c->ring_half) {
		t->flows_before = c->traffic[tin].flows;
	}
}

uint32_t shed_control_parties(const struct shed_control *c)
{
	double sum = 0;

	for (unsigned i = 0; i < c->shed->tins; i++)
		if (c->tins[i].line.on)
			sum += clamp(c->tins[i].flows, 1, c->shed->flows);
	return (uint32_t)(sum + 0.5);
}

void shed_control_suspend(struct shed_control *c, uint64_t now)
{
	for (unsigned i = 0; i < CAKE_MAX_TINS; i++) {
		struct tin *t = &c->tins[i];

		if (t->line.on)
			shed_publish_idle(c->shed, i, t->line.v0, now);
		*t = (struct tin){.len = LEN_FIRST, .line.v0 = t->line.v0};
		c->traffic[i] = (struct shed_traffic){0};
	}
}

void shed_control_resume(struct shed_control *c, uint64_t now)
{
	for (unsigned i = 0; i < c->shed->tins; i++) {
		struct tin *t = &c->tins[i];

		t->last = c->traffic[i];
		t->over_ns = now;
		t->over_sent = t->last.sent;
		t->over_arrived = t->last.arrived;
		t->over_refused = refused(c->shed, i);
		t->flows_before = t->last.flows;
		open_window(t, &t->last, now);
	}
	c->ring = 0;
	c->ring_half = 0;
	c->last_ns = now;
}

bool shed_control_is_due(struct shed_control *c, uint64_t now)
{
	if (c->ring_run < c->ring_least)
		c->ring_least = c->ring_run;
	c->ring_run = 0;
	return now >= c->last_ns + SHED_CONTROL_NS;
}

void shed_control_run(struct shed_control *c, uint64_t now)
{
	struct interval intervals[CAKE_MAX_TINS];
	double all = 0;

	if (!c->last_ns)
		c->last_ns = now - SHED_CONTROL_NS;
	c->ring_half = c->ring >= 0.5 ? c->ring_half + 1 : 0;
	for (unsigned i = 0; i < c->shed->tins; i++) {
		intervals[i] = look(c, i, now);
		all += intervals[i].arrived;
	}
	for (unsigned i = 0; i < c->shed->tins; i++)
		control(c, i, &intervals[i], all);
	c->ring = 0;
	c->ring_least = 1;
	c->last_ns = now;
}
