/* SPDX-License-Identifier: BSD-3-Clause */
/* See queues.h. */
#include "replay/queues.h"

#include <errno.h>
#include <net/ethernet.h>
#include <string.h>

#include "cake/adjust.h"

#define NS_PER_S 1000000000ull

/**
 * Buffer a packet of @len bytes pins in a Linux host, bytes: struct sk_buff and the data buffer
 * with its headroom, rounded as the allocator rounds it. 60 -> 768, 1514 -> 2304.
 */
static uint32_t charge_of(uint32_t len)
{
	uint32_t data = ((len + 64 + 63) & ~63u) + 320;
	uint32_t size = 512;

	while (size < data)
		size *= 2;
	return 256 + size;
}

/* Bytes on the link of the largest frame there may be. */
static uint32_t largest_adjusted(const struct cake_params *p)
{
	const struct cake_packet largest = {
		.len = p->max_frame,
		.network_offset = ETHER_HDR_LEN,
	};
	struct adjust adjust;

	adjust_init(&adjust, p);
	return adjust_length(&adjust, &largest);
}

/* What the queues have in common: nothing, if there is but one, or no rate. */
static int create_share(struct replay_queues *q, uint64_t now)
{
	const struct replay_options *opt = q->opt;
	const struct share_params params = {
		.bytes_per_s = opt->params.bandwidth_bps / 8,
		.queues = q->n,
		.max_frame = largest_adjusted(&opt->params),
		.mode = opt->share,
		.weight = steer_weight(opt->steer, opt->params.flowmode),
		.now = now,
	};

	if (q->n == 1)
		return 0;
	if (opt->params.autorate_ingress)
		return -EINVAL;
	return !params.bytes_per_s ? 0 : share_create(&q->share, &params);
}

static int create_queue(struct replay_queues *q, unsigned i, const struct cake_params *params)
{
	struct replay_queue *queue = &q->queues[i];
	int err = cake_create(&queue->cake, params, &q->rng);

	if (err)
		return err;
	queue->link = &q->links[i % q->n_links];
	return q->share ? share_queue_create(&queue->share, q->share, i, queue->cake) : 0;
}

int queues_create(struct replay_queues *q, const struct replay_options *opt, uint32_t burst,
		  uint64_t now)
{
	struct cake_params params = opt->params;
	int err;

	*q = (struct replay_queues){.opt = opt, .rng = opt->rng};
	if (opt->queues > SHARE_QUEUES_MAX)
		return -EINVAL;
	q->n = opt->queues ? opt->queues : 1;
	q->n_links = opt->link_per_queue ? q->n : 1;
	err = create_share(q, now);
	params.min_charge = charge_of(0);
	params.burst = burst;
	params.slots = q->share && opt->share == SHARE_DEMAND;
	for (unsigned i = 0; !err && i < q->n; i++)
		err = create_queue(q, i, &params);
	return err;
}

void queues_destroy(struct replay_queues *q)
{
	for (unsigned i = 0; i < q->n; i++) {
		share_queue_destroy(q->queues[i].share);
		cake_destroy(q->queues[i].cake);
	}
	share_destroy(q->share);
}

unsigned queues_enqueue(struct replay_queues *q, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	unsigned i = steer_queue(q->opt->steer, pkts, q->n);

	for (unsigned p = 0; p < n; p++)
		pkts[p].charge = charge_of(pkts[p].len);
	/* All go in: the drop list is emptied after every arrival, and has room for one. */
	cake_enqueue(q->queues[i].cake, pkts, n, now);
	if (q->queues[i].share)
		share_publish(q->queues[i].share, now);
	return i;
}

bool queues_dequeue(struct replay_queues *q, unsigned i, struct cake_verdict *out, uint64_t now)
{
	const struct replay_queue *queue = &q->queues[i];

	return queue->share ? share_dequeue(queue->share, &q->view, out, 1, now)
			    : cake_dequeue(queue->cake, out, 1, now);
}

void queues_occupy_link(struct replay_queues *q, unsigned i, uint32_t len, uint64_t now)
{
	struct replay_link *link = q->queues[i].link;

	if (!q->opt->link_rate_bps)
		return;
	link->busy = true;
	link->free_ns =
		now + (uint64_t)((unsigned __int128)len * 8 * NS_PER_S / q->opt->link_rate_bps);
	link->last = i;
}

/* An empty queue that has no part in a rate finds nothing to do when it wakes up. */
static uint64_t wake_of(const struct replay_queue *queue)
{
	if (queue->share)
		return share_next_time(queue->share);
	return cake_backlog(queue->cake) ? cake_next_time(queue->cake) : CAKE_NEVER;
}

struct replay_event queues_next(const struct replay_queues *q, uint64_t now)
{
	struct replay_event next = {.time = CAKE_NEVER};

	for (unsigned i = 0; i < q->n; i++) {
		const struct replay_queue *queue = &q->queues[i];
		uint64_t wake;

		/* On a busy link it could send nothing: whoever frees the link asks it. */
		if (queue->link->busy)
			continue;
		wake = wake_of(queue);
		if (wake < now)
			wake = now;
		if (wake < next.time)
			next = (struct replay_event){wake, false, i};
	}
	for (unsigned i = 0; i < q->n_links; i++) {
		const struct replay_link *link = &q->links[i];

		if (link->busy && link->free_ns < next.time)
			next = (struct replay_event){link->free_ns, true, i};
	}
	return next;
}

uint64_t queues_backlog(const struct replay_queues *q)
{
	uint64_t packets = 0;

	for (unsigned i = 0; i < q->n; i++)
		packets += cake_backlog(q->queues[i].cake);
	return packets;
}

void queues_result(const struct replay_queues *q, struct replay_result *out)
{
	out->n_queues = q->n;
	out->shares = q->share;
	for (unsigned i = 0; i < q->n; i++) {
		struct replay_queue_result *r = &out->queues[i];

		cake_stats_get(q->queues[i].cake, &r->stats);
		cake_stats_add(&out->stats, &r->stats);
		if (q->queues[i].share)
			share_counters_get(q->queues[i].share, &r->share);
	}
}
