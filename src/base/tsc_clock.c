/* SPDX-License-Identifier: BSD-3-Clause */
/* See tsc_clock.h. Sampling, the choice of a frequency, publication, and the system's clocks. */
#include "base/tsc_clock.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

/* With 48 bits of fraction a tick of 1 ns has a relative error of 2^-48; the largest multiplier,
 * of a 1 MHz counter, is 1000 * 2^48 < 2^58. The product with a 64-bit difference needs 122 bits.
 */
#define MULT_SHIFT 48
#define MIN_HZ     1000000

/* Readings per sample. A stall of the machine spoils the readings it hits, not all of them. */
#define SAMPLE_READS 32

#define CALIBRATE_STEP_NS UINT64_C(20000000)
#define CALIBRATE_MAX_NS  (2 * NS_PER_S)

/* A frequency spans half to one window. A longer one would gain nothing (100 ns in 32 s is 3 ppb)
 * and would follow a drifting oscillator less closely. */
#define WINDOW_NS (64 * NS_PER_S)

/* Good enough to replace any older measurement, so that drift is followed: 1 ppm. */
#define GOOD_ERROR_PPB 1000

/* An oscillator does not change by this much while it runs: 100 ppm. Clocks that seem to were
 * set apart by a suspend or a move to another host. */
#define MAX_DRIFT_PPB 100000

static struct tsc_clock_sample take_sample(const struct tsc_clock_source *s)
{
	struct tsc_clock_sample best = {.bracket = UINT64_MAX};

	for (unsigned i = 0; i < SAMPLE_READS; i++) {
		uint64_t before = s->read_tsc(s->arg);
		uint64_t ns = s->read_ns(s->arg);
		uint64_t after = s->read_tsc(s->arg);

		if (after - before < best.bracket)
			best = (struct tsc_clock_sample){
				.tsc = before + (after - before) / 2,
				.bracket = after - before,
				.ns = ns,
			};
	}
	return best;
}

/** Bound on the frequency's error when measured from @a to @b, parts per billion, at least 1. */
static uint64_t error_bound(const struct tsc_clock_sample *a, const struct tsc_clock_sample *b)
{
	unsigned __int128 ticks = (unsigned __int128)(a->bracket / 2 + b->bracket / 2 + 1);
	unsigned __int128 ppb = ticks * NS_PER_S / (b->tsc - a->tsc) + 1;

	return ppb > UINT64_MAX ? UINT64_MAX : (uint64_t)ppb;
}

static uint64_t frequency(const struct tsc_clock_sample *a, const struct tsc_clock_sample *b)
{
	unsigned __int128 ticks = (unsigned __int128)(b->tsc - a->tsc) * NS_PER_S;
	uint64_t ns = b->ns - a->ns;

	return (uint64_t)((ticks + ns / 2) / ns);
}

static uint64_t multiplier(uint64_t hz)
{
	return (uint64_t)((((unsigned __int128)NS_PER_S << MULT_SHIFT) + hz / 2) / hz);
}

static bool is_later(const struct tsc_clock_sample *a, const struct tsc_clock_sample *b)
{
	return b->tsc > a->tsc && b->ns > a->ns;
}

static void write_line(struct tsc_clock_line *l, uint64_t tsc0, uint64_t ns0, uint64_t mult)
{
	atomic_store_explicit(&l->tsc0, tsc0, memory_order_relaxed);
	atomic_store_explicit(&l->ns0, ns0, memory_order_relaxed);
	atomic_store_explicit(&l->mult, mult, memory_order_relaxed);
}

/*
 * Put a line in force. Readers are sent to the copy that is not being written: first from copy 0
 * to copy 1, which still holds the old line, while copy 0 is written, then back. The fences order
 * the redirection before the writing; a reader that was caught midway sees the version change.
 */
static void publish(struct tsc_clock *c, uint64_t tsc0, uint64_t ns0, uint64_t hz)
{
	uint32_t version = atomic_load_explicit(&c->version, memory_order_relaxed);
	uint64_t mult = multiplier(hz);

	for (unsigned copy = 0; copy < 2; copy++) {
		atomic_store_explicit(&c->version, ++version, memory_order_release);
		atomic_thread_fence(memory_order_seq_cst);
		write_line(&c->lines[copy], tsc0, ns0, mult);
	}
	c->hz = hz;
}

uint64_t tsc_clock_convert(const struct tsc_clock *c, uint64_t tsc)
{
	uint64_t tsc0, ns0, mult;
	uint32_t version;

	do {
		version = atomic_load_explicit(&c->version, memory_order_acquire);
		const struct tsc_clock_line *l = &c->lines[version & 1];

		tsc0 = atomic_load_explicit(&l->tsc0, memory_order_relaxed);
		ns0 = atomic_load_explicit(&l->ns0, memory_order_relaxed);
		mult = atomic_load_explicit(&l->mult, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (atomic_load_explicit(&c->version, memory_order_relaxed) != version);

	/* Read just before the line was published, converted just after: its start is close. */
	if (tsc <= tsc0)
		return ns0;
	return ns0 + (uint64_t)(((unsigned __int128)(tsc - tsc0) * mult) >> MULT_SHIFT);
}

int tsc_clock_calibrate(struct tsc_clock *c, const struct tsc_clock_source *source)
{
	struct tsc_clock_sample s;
	uint64_t start_ns;

	memset(c, 0, sizeof(*c));
	c->source = *source;
	c->anchor = take_sample(source);
	start_ns = c->anchor.ns;
	do {
		source->wait_ns(source->arg, CALIBRATE_STEP_NS);
		s = take_sample(source);
		if (!is_later(&c->anchor, &s) || frequency(&c->anchor, &s) < MIN_HZ)
			return -ENODEV;
		c->error_ppb = error_bound(&c->anchor, &s);
		if (c->error_ppb <= TSC_CLOCK_MAX_ERROR_PPB) {
			c->standby = s;
			publish(c, s.tsc, TSC_CLOCK_START_NS, frequency(&c->anchor, &s));
			return 0;
		}
		/* The anchor itself may have been taken during a stall. */
		if (s.bracket < c->anchor.bracket / 2)
			c->anchor = s;
	} while (s.ns - start_ns < CALIBRATE_MAX_NS);
	return -ETIME;
}

/** Keep a standby of half a window's age, and let it be the anchor once that is a window old. */
static void advance_window(struct tsc_clock *c, const struct tsc_clock_sample *s)
{
	uint64_t age = s->ns - c->anchor.ns;

	if (age >= WINDOW_NS) {
		c->anchor = c->standby;
		c->standby = *s;
	} else if (age >= WINDOW_NS / 2 && c->standby.ns - c->anchor.ns < WINDOW_NS / 2) {
		c->standby = *s;
	}
}

static void restart(struct tsc_clock *c, const struct tsc_clock_sample *s)
{
	c->anchor = *s;
	c->standby = *s;
	c->restarted = true;
	c->restarts++;
}

void tsc_clock_refine(struct tsc_clock *c)
{
	struct tsc_clock_sample s = take_sample(&c->source);
	uint64_t error, hz, apart;

	if (!is_later(&c->anchor, &s)) {
		restart(c, &s);
		return;
	}
	error = error_bound(&c->anchor, &s);
	if (error > GOOD_ERROR_PPB &&
	    (c->restarted ? error > TSC_CLOCK_MAX_ERROR_PPB : error >= c->error_ppb)) {
		c->rejected++;
		return;
	}
	hz = frequency(&c->anchor, &s);
	apart = (uint64_t)((unsigned __int128)(hz > c->hz ? hz - c->hz : c->hz - hz) * NS_PER_S /
			   c->hz);
	if (hz < MIN_HZ || (!c->restarted && apart > MAX_DRIFT_PPB + error + c->error_ppb)) {
		restart(c, &s);
		return;
	}
	publish(c, s.tsc, tsc_clock_convert(c, s.tsc), hz);
	c->error_ppb = error;
	c->restarted = false;
	c->refinements++;
	advance_window(c, &s);
}

static uint64_t system_tsc(void *arg)
{
	uint64_t tsc;

	(void)arg;
	/* Neither side may move across, or the bracket would not enclose the reading. */
	__builtin_ia32_lfence();
	tsc = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	return tsc;
}

static uint64_t system_ns(void *arg)
{
	struct timespec ts;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void system_wait(void *arg, uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};

	(void)arg;
	nanosleep(&ts, NULL);
}

struct tsc_clock_source tsc_clock_system_source(void)
{
	return (struct tsc_clock_source){
		.read_tsc = system_tsc, .read_ns = system_ns, .wait_ns = system_wait};
}
