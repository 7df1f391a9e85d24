/* SPDX-License-Identifier: BSD-3-Clause */
/* See shed.h. */
#include "txq/shed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "txq/shed_hosts.h"

/* While a tin is not overloaded V goes with time, a byte per us: a tag then says when its flow was
 * seen last. */
#define IDLE_SPEED  ((1ull << 32) / 1000)
#define KNOWN_BYTES (SHED_KNOWN_NS / 1000)

/* Probability for packets of unknown flows where the ring is half full and its holder has not come
 * round to say more. */
#define IDLE_ADMIT (UINT32_MAX / 8)

/* What a flow that was there before may have of the ring's other half meanwhile, bytes: ten full
 * packets. */
#define IDLE_CREDIT 16384

int shed_create(struct shed **out, const struct cake_params *p)
{
	struct shed *s = aligned_alloc(SHED_LINE, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	memset(s, 0, sizeof(*s));
	s->flows = p->flows;
	ret = shed_hosts_create(&s->hosts);
	if (ret) {
		free(s);
		return ret;
	}
	shed_set_mode(s, p);
	for (unsigned i = 0; i < CAKE_MAX_TINS; i++)
		shed_publish_idle(s, i, 0, 0);
	*out = s;
	return 0;
}

void shed_destroy(struct shed *s)
{
	if (s)
		shed_hosts_destroy(s->hosts);
	free(s);
}

void shed_set_mode(struct shed *s, const struct cake_params *p)
{
	s->tins = cake_tin_count(p->diffserv);
	s->by_hosts = cake_isolates_sources(p->flowmode) || cake_isolates_destinations(p->flowmode);
	shed_hosts_isolate(s->hosts, p->flowmode);
	atomic_store_explicit(&s->mode, shed_mode_of(p), memory_order_relaxed);
}

struct shed_report *shed_join(struct shed *s, unsigned lcore)
{
	assert(lcore < SHED_LCORES_MAX);
	if (lcore >= s->lcores)
		s->lcores = lcore + 1;
	return &s->reports[lcore];
}

/*
 * A sequence lock without fences, so that ThreadSanitizer understands it: each store of a value
 * releases the odd version before it, each load of one acquires what the even version after it may
 * not precede. All are plain moves on x86.
 */
void shed_publish(struct shed *s, unsigned tin, const struct shed_values *v)
{
	struct shed_line *l = &s->lines[tin];
	uint32_t version = atomic_load_explicit(&l->version, memory_order_relaxed);
	const uint32_t before = shed_on(s);
	const uint32_t on = (before & ~(1u << tin)) | (uint32_t)v->on << tin;

	atomic_store_explicit(&l->version, version + 1, memory_order_relaxed);
	atomic_store_explicit(&l->on, v->on, memory_order_release);
	atomic_store_explicit(&l->v0, v->v0, memory_order_release);
	atomic_store_explicit(&l->t0, v->t0, memory_order_release);
	atomic_store_explicit(&l->speed, v->speed, memory_order_release);
	atomic_store_explicit(&l->began, v->began, memory_order_release);
	atomic_store_explicit(&l->tol, v->tol, memory_order_release);
	atomic_store_explicit(&l->credit, v->credit, memory_order_release);
	atomic_store_explicit(&l->admit, v->admit, memory_order_release);
	atomic_store_explicit(&l->version, version + 2, memory_order_release);
	if (on != before)
		atomic_store_explicit(&s->on, on, memory_order_relaxed);
}

void shed_publish_idle(struct shed *s, unsigned tin, uint64_t v, uint64_t now)
{
	shed_publish(s, tin,
		     &(struct shed_values){.v0 = v,
					   .t0 = now,
					   .speed = IDLE_SPEED,
					   .credit = IDLE_CREDIT,
					   .admit = IDLE_ADMIT});
}

/** False: it was being written. */
static bool copy_line(const struct shed_line *l, struct shed_values *v)
{
	uint32_t version = atomic_load_explicit(&l->version, memory_order_acquire);

	v->on = atomic_load_explicit(&l->on, memory_order_acquire);
	v->v0 = atomic_load_explicit(&l->v0, memory_order_acquire);
	v->t0 = atomic_load_explicit(&l->t0, memory_order_acquire);
	v->speed = atomic_load_explicit(&l->speed, memory_order_acquire);
	v->began = atomic_load_explicit(&l->began, memory_order_acquire);
	v->tol = atomic_load_explicit(&l->tol, memory_order_acquire);
	v->credit = atomic_load_explicit(&l->credit, memory_order_acquire);
	v->admit = atomic_load_explicit(&l->admit, memory_order_acquire);
	return !(version & 1) && atomic_load_explicit(&l->version, memory_order_relaxed) == version;
}

void shed_look(const struct shed *s, unsigned tin, uint64_t now, struct shed_view *view)
{
	struct shed_values v;
	uint64_t passed;

	if (!copy_line(&s->lines[tin], &v))
		return;
	passed = now > v.t0 ? now - v.t0 : 0;
	if (v.on && passed > SHED_EXTRAPOLATE_NS)
		passed = SHED_EXTRAPOLATE_NS;
	view->on = v.on;
	view->v = v.v0 + shed_progress(v.speed, passed);
	view->began = v.on ? v.began : shed_tag(view->v);
	view->known = (view->began - KNOWN_BYTES) & SHED_TAG_MASK;
	view->tol = v.tol;
	view->lag = v.on ? shed_progress(v.speed, SHED_LAG_NS) >> SHED_V_SHIFT : 0;
	view->credit = v.credit > v.tol ? v.credit : v.tol;
	view->admit = v.admit;
}
