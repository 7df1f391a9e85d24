/* SPDX-License-Identifier: BSD-3-Clause */
/* What is changed while an instance is used: parameters in place, and instances; exercise_state.h.
 */
#include "exercise_state.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Most that an instance which follows another may hold, bytes. */
#define ROOM_MAX (16 << 20)

/* Another instance begins, with other modes, and most often other options. */
void exercise_begin_move(struct exercise *x)
{
	struct cake_params p = x->c->params;

	exercise_take_all_drops(x);
	x->collided |= exercise_collided(x->c);
	p.diffserv = exercise_roll(x, CAKE_DIFFSERV8 + 1);
	p.flowmode = exercise_roll(x, CAKE_TRIPLE_ISOLATE + 1);
	p.room = 0;
	if (exercise_roll(x, 2))
		exercise_draw_options(&p, x->choices);
	if (exercise_roll(x, 2))
		p.bandwidth_bps = 512ull * exercise_roll(x, 1 << 16);
	/* At 400 Gbit/s a limit that follows the rate takes gigabytes. */
	if (cake_memory_limit(&p) > ROOM_MAX)
		p.memlimit = x->c->params.room < ROOM_MAX ? x->c->params.room : ROOM_MAX;
	x->before = x->c;
	x->c = kit_create(&p, &x->dice);
	cake_succeed(x->c, x->before, x->now);
	memset(x->next_of_slot, 0, sizeof(x->next_of_slot));
	x->link.unchecked |= p.ingress && p.profile == CAKE_PROFILE_LINUX;
	exercise_follow_rate(x, true);
}

/* As many packets as drawn move; the last one ends it. */
void exercise_move_some(struct exercise *x)
{
	struct cake_verdict v[BURST];
	uint64_t came[BURST];
	struct cake_packet pkts[BURST];
	unsigned n = cake_take(x->before, v, 1 + exercise_roll(x, BURST));

	for (unsigned i = 0; i < n; i++) {
		const struct handed *h = &x->handed[v[i].handle];

		assert_true(h->in);
		assert_int_equal(v[i].len, h->packet.len);
		came[i] = v[i].enqueued_ns;
		pkts[i] = h->packet;
		pkts[i].more = false;
		if (pkts[i].tcp)
			pkts[i].tcp = exercise_ack(x, h->stream);
	}
	exercise_take_all_drops(x);
	assert_int_equal(cake_requeue(x->c, pkts, came, n, x->now), n);
	for (unsigned i = 0; i < n; i++) {
		struct handed *h = &x->handed[v[i].handle];

		h->packet = pkts[i];
		h->path = h->path << 3 | pkts[i].tin;
		h->moved = true;
	}
	x->since_emptied += n;
	exercise_take_all_drops(x);
	if (cake_backlog(x->before))
		return;
	x->collided |= exercise_collided(x->before);
	cake_absorb(x->c, x->before);
	cake_destroy(x->before);
	x->before = NULL;
}

/* Any parameter that can be changed in place, some at a time. */
static void draw_change(struct exercise *x, struct cake_params *p)
{
	switch (exercise_roll(x, 8)) {
	case 0:
		p->rtt_ns = (1 + exercise_roll(x, 200)) * NS_PER_MS;
		p->target_ns = exercise_roll(x, 2) * NS_PER_MS;
		break;
	case 1:
		p->overhead = CAKE_OVERHEAD_MIN +
			      (int32_t)exercise_roll(x, CAKE_OVERHEAD_MAX - CAKE_OVERHEAD_MIN + 1);
		p->mpu = exercise_roll(x, CAKE_MPU_MAX + 1);
		p->atm = exercise_roll(x, CAKE_PTM + 1);
		break;
	case 2:
		p->memlimit = exercise_roll(x, p->room + 1);
		break;
	case 3:
		p->ingress = !p->ingress;
		break;
	case 4:
		p->ack_filter =
			x->c->slab.tcps ? exercise_roll(x, CAKE_ACK_FILTER_AGGRESSIVE + 1) : 0;
		break;
	case 5:
		p->fwmark = exercise_roll(x, 16);
		break;
	case 6:
		p->autorate_ingress = !p->autorate_ingress && cake_memory_limit(p) <= p->room;
		break;
	default:
		p->bandwidth_bps = 512ull * exercise_roll(x, 1 << 16);
	}
}

static void change_params(struct exercise *x)
{
	struct cake_params p = x->c->params, before = p;
	uint64_t changes = x->c->changes, held = x->c->memory;
	int kind;

	draw_change(x, &p);
	kind = cake_change_kind(x->c, &p);
	if (kind == CAKE_CHANGE_REQUEUE) { /* no room for the limit */
		assert_int_equal(cake_change(x->c, &p, x->now), -EOPNOTSUPP);
		assert_memory_equal(&before, &x->c->params, sizeof(before));
		return;
	}
	assert_int_equal(cake_change(x->c, &p, x->now), 0);
	assert_int_equal(x->c->changes - changes, kind == CAKE_CHANGE_IN_PLACE);
	assert_int_equal(x->c->memory, held);
	x->link.unchecked |= p.ingress && p.profile == CAKE_PROFILE_LINUX;
	exercise_follow_rate(x, true);
	while (!cake_shrink(x->c, 1 + exercise_roll(x, 64), x->now))
		exercise_take_all_drops(x);
	assert_true(x->c->memory_limit <= cake_memory_limit(&p));
}

/* A rate or a limit like those that there are, or none. */
void exercise_change_limits(struct exercise *x)
{
	uint64_t room = cake_memory_limit(&x->c->params);

	if (exercise_roll(x, 2)) {
		assert_int_equal(cake_set_memlimit(x->c, room * exercise_roll(x, 5) / 4, x->now),
				 0);
		assert_int_equal(cake_set_memlimit(x->c, room + 1, x->now), -ENOSPC);
	} else {
		change_params(x);
	}
}
