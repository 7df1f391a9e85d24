/* SPDX-License-Identifier: BSD-3-Clause */
/* See changes.h. */
#include "changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

void changes_begin(struct changes *c, struct txq *const *queues, unsigned n,
		   const struct txq_settings *by)
{
	*c = (struct changes){
		.queues = queues, .n = n, .to = *by, .rng = prng_xorshift32(9), .at = n - 1};
}

/* Modes that take another instance, a rate in place; all queues get them in turn. */
static void draw(struct changes *c)
{
	struct cake_params *p = &c->to.cake;

	switch (prng_u32(&c->rng) % 3) {
	case 0:
		p->diffserv = prng_u32(&c->rng) % (CAKE_DIFFSERV8 + 1);
		break;
	case 1:
		p->flowmode = CAKE_FLOWS | prng_u32(&c->rng) % (CAKE_TRIPLE_ISOLATE + 1);
		break;
	default:
		if (p->bandwidth_bps)
			p->bandwidth_bps += p->bandwidth_bps / 8 -
					    p->bandwidth_bps / 4 * (prng_u32(&c->rng) & 1);
		c->to.shared.bytes_per_s = p->bandwidth_bps / 8;
	}
}

static void next(struct changes *c)
{
	if (++c->at == c->n) {
		c->at = 0;
		draw(c);
	}
	assert_int_equal(txq_change_prepare(&c->change, c->queues[c->at], &c->to), 0);
	c->visit = (struct visit){.run = txq_change_apply, .arg = c->change};
	assert_true(visit_post(txq_door(c->queues[c->at]), &c->visit));
}

void changes_step(struct changes *c)
{
	if (!c->change) {
		next(c);
	} else if (visit_is_done(&c->visit) && txq_change_is_done(c->change)) {
		txq_change_end(c->change);
		c->change = NULL;
		c->done++;
	}
}

void changes_end(struct changes *c)
{
	if (!c->change)
		return;
	if (!visit_is_done(&c->visit))
		assert_true(visit_withdraw(txq_door(c->queues[c->at]), &c->visit));
	else
		assert_true(txq_change_is_done(c->change));
	txq_change_end(c->change);
	c->change = NULL;
}
