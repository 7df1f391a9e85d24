/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an overloaded queue tells the lcores that receive for it, and what they tell it: the one
 * place that both sides of shedding look at. No DPDK.
 *
 * Under a flood a queue cannot even look at all that arrives. What is too much has to go where it
 * is received, and it has to be the overloader's. No table of flows is published for that, but one
 * number per tin that moves: the virtual time V of generalised processor sharing, the bytes that
 * a flow which always wants to send may have had so far. A receiving lcore keeps for itself how far
 * each of its flows has come (shed_table.h), and sheds what is ahead of V. How fast V moves is the
 * holder's to find (shed_control.h): as fast as keeps a short queue standing.
 *
 *	receiving lcores ── struct shed_line per tin ◄── holder
 *	                 └─ struct shed_report each ───► holder
 *
 * Nobody waits and nobody shares a written line: each has one writer. Where hosts are isolated
 * their weights are published likewise (shed_hosts.h).
 */
#ifndef GATEAU_TXQ_SHED_H
#define GATEAU_TXQ_SHED_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake_config.h>

#include "base/counter.h"
#include "cake/classify.h"

#define SHED_LINE 64 /* bytes of a cache line */

/** Lcores that may receive for a queue: numbers below this. */
#define SHED_LCORES_MAX 256

/** V counts bytes, in 2^-16 of one; a flow's tag has 40 bits of whole bytes, see shed_ahead(). */
#define SHED_V_SHIFT  16
#define SHED_TAG_MASK ((1ull << 40) - 1)

/** A reader goes on by itself from the line for this long, ns: a holder that stalls grants no
 * more. Twice the time between two publications. */
#define SHED_EXTRAPOLATE_NS 100000

/** What a flow may make up for that had nothing to send, or found the ring full, ns of V: of few
 * flows each sends many packets between two looks at the ring. */
#define SHED_LAG_NS 20000

/** A flow seen this long before the overload, or later, is one that was there before, ns. A flow of
 * 100 packets/s, sampled 1 in 8, is missed for so long with probability (7/8)^200 = 3e-12. */
#define SHED_KNOWN_NS 2000000000

/** What a packet that passes is of its flow since the tin is overloaded. */
enum shed_first {
	SHED_FIRST_NOT,
	SHED_FIRST_KNOWN, /* the first, of a flow that was there before */
	SHED_FIRST_NEW,   /* the first that is known of a flow */
};

/** What a reader knows of one tin. */
struct shed_view {
	bool on;
	uint64_t v;      /* 2^-16 bytes: V at the time of the look */
	uint64_t began;  /* tag: V when it was overloaded; now, if it is not */
	uint64_t known;  /* tag: flows seen later than this were there before */
	uint64_t tol;    /* bytes that a flow may be ahead */
	uint64_t credit; /* the same for one that was there before and was never ahead so far */
	uint64_t lag;    /* bytes that a flow may make up for after it was held up */
	uint32_t admit;  /* 2^-32: probability that a packet of an unknown flow passes */
};

/** What the holder publishes of one tin; V(t) = v0 + (t - t0) * speed. */
struct shed_values {
	bool on;
	uint64_t v0;    /* 2^-16 bytes */
	uint64_t t0;    /* ns */
	uint64_t speed; /* 2^-32 bytes per ns */
	uint64_t began; /* tag */
	uint64_t tol;
	uint32_t credit;
	uint32_t admit;
};

/* Writer: the holder. `version` is odd while the others are written; they belong together. */
struct shed_line {
	_Alignas(SHED_LINE) _Atomic uint32_t version;
	_Atomic uint32_t on;
	_Atomic uint64_t v0, t0, speed, began, tol;
	_Atomic uint32_t credit, admit;
};
static_assert(sizeof(struct shed_line) == SHED_LINE, "one line per tin");

/* Writer: one receiving lcore. Bytes that it did not let into the queue, by tin: shed, or refused
 * by a full ring. */
struct shed_report {
	_Alignas(SHED_LINE) counter_t bytes[CAKE_MAX_TINS];
};
static_assert(sizeof(struct shed_report) == SHED_LINE, "one line per lcore");

struct shed_hosts;

/** Of one queue. */
struct shed {
	/* Written before the workers start. */
	struct shed_hosts *hosts;
	uint32_t flows;  /* of a tin; as it was created */
	unsigned lcores; /* highest number that receives, plus 1 */

	/* Writer: the holder. Bit per tin that is overloaded, and how packets are told apart: all
	 * that is read while none is. */
	_Alignas(SHED_LINE) _Atomic uint32_t on;
	_Atomic uint64_t mode; /* shed_mode_of() */

	/* Holder: rw. */
	unsigned tins;
	bool by_hosts; /* hosts are isolated beside flows */

	struct shed_line lines[CAKE_MAX_TINS];
	struct shed_report reports[SHED_LCORES_MAX];
};

/** Of a queue whose instance has these parameters. 0 or -ENOMEM. */
int shed_create(struct shed **out, const struct cake_params *p);
void shed_destroy(struct shed *s);

/**
 * How a packet's tin and flow are found: diffserv and flow mode, and the mask of marks above, in
 * one word, so that whoever receives has all of one moment.
 */
static inline uint64_t shed_mode_of(const struct cake_params *p)
{
	return (uint64_t)p->fwmark << 32 | (uint64_t)p->flowmode << 8 | p->diffserv;
}

static inline enum cake_flowmode shed_mode_flowmode(uint64_t mode)
{
	return (enum cake_flowmode)(mode >> 8 & 0xff);
}

static inline enum cake_diffserv shed_mode_diffserv(uint64_t mode)
{
	return (enum cake_diffserv)(mode & 0xff);
}

/** Holder: the instance goes by @p. Receiving lcores see it with their next burst. */
void shed_set_mode(struct shed *s, const struct cake_params *p);

/** Before the workers start: @lcore is going to receive for it. */
struct shed_report *shed_join(struct shed *s, unsigned lcore);

/** Holder. */
void shed_publish(struct shed *s, unsigned tin, const struct shed_values *values);

/** Holder: @tin is not overloaded, and its V, @v at @now, goes with time. */
void shed_publish_idle(struct shed *s, unsigned tin, uint64_t v, uint64_t now);

/** Any thread. While the line is being written, @view stays as it was: good enough for a burst. */
void shed_look(const struct shed *s, unsigned tin, uint64_t now, struct shed_view *view);

/** Any thread: bit per overloaded tin. */
static inline uint32_t shed_on(const struct shed *s)
{
	return atomic_load_explicit(&s->on, memory_order_relaxed);
}

/** How far V gets in @ns, 2^-16 bytes. */
static inline uint64_t shed_progress(uint64_t speed, uint64_t ns)
{
	return (uint64_t)((unsigned __int128)speed * ns >> (32 - SHED_V_SHIFT));
}

/** V as a flow's tag. */
static inline uint64_t shed_tag(uint64_t v)
{
	return v >> SHED_V_SHIFT & SHED_TAG_MASK;
}

/**
 * Bytes that tag @a is ahead of tag @b; negative: behind. Tags wrap after 1.1 TB, which one flow
 * alone at 100 Gbit/s takes 73 s for. No flow is ever 4 GB ahead, so what seems to be further is
 * of one that has been silent for long.
 */
#define SHED_AHEAD_MAX (1ull << 32)
static inline int64_t shed_ahead(uint64_t a, uint64_t b)
{
	uint64_t ahead = (a - b) & SHED_TAG_MASK;

	return ahead <= SHED_AHEAD_MAX ? (int64_t)ahead : (int64_t)(ahead | ~SHED_TAG_MASK);
}

#endif
