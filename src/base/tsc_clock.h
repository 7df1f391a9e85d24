/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nanoseconds from the processor's time-stamp counter.
 *
 * A worker reads the TSC once per loop, a few nanoseconds, and converts it here. The frequency is
 * measured against a reference clock (CLOCK_MONOTONIC_RAW in the daemon), since what firmware and
 * hypervisors announce may be off by more than a shaper can bear, and is refined while running.
 *
 * A reference reading is taken between two TSC readings, so it happened somewhere in that bracket:
 * half the bracket bounds its error, whatever the machine did meanwhile. Of many readings the
 * narrowest is kept, and the two brackets of a measurement bound the frequency's error:
 *
 *	error <= (bracket_a + bracket_b) / 2 / (tsc_b - tsc_a)
 *
 * Neither clock is read directly: both come through struct tsc_clock_source, so that a test runs
 * the same code with a false one. No DPDK here.
 *
 * One thread calibrates and refines; any number convert at the same time without waiting for it.
 */
#ifndef GATEAU_BASE_TSC_CLOCK_H
#define GATEAU_BASE_TSC_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * Where the converted time begins. Well above zero, so that a time before now is always
 * expressible and CAKE's zero state lies in the past.
 */
#define TSC_CLOCK_START_NS UINT64_C(1000000000000)

/** Frequency error that calibration must guarantee, parts per billion: 50 ppm. */
#define TSC_CLOCK_MAX_ERROR_PPB 50000

/** The two clocks that are compared. */
struct tsc_clock_source {
	uint64_t (*read_tsc)(void *arg);
	uint64_t (*read_ns)(void *arg);       /* never goes back */
	void (*wait_ns)(void *arg, uint64_t); /* let about that much time pass */
	void *arg;
};

/** A reference reading and the TSC bracket around it. */
struct tsc_clock_sample {
	uint64_t tsc;     /* middle of the bracket */
	uint64_t bracket; /* ticks */
	uint64_t ns;      /* reference */
};

/** One straight piece of the conversion: ns = ns0 + (tsc - tsc0) * mult / 2^48. */
struct tsc_clock_line {
	_Atomic uint64_t tsc0, ns0, mult;
};

/** Fields below `lines` belong to the thread that calibrates. */
struct tsc_clock {
	/* Converting threads: ro. Calibrating thread: wo. Two copies; the one that readers are
	 * sent to (version & 1) is never the one being written. */
	_Atomic uint32_t version;
	struct tsc_clock_line lines[2];

	struct tsc_clock_source source;
	struct tsc_clock_sample anchor;  /* frequencies are measured from here ... */
	struct tsc_clock_sample standby; /* ... and from here once the anchor is too old */
	uint64_t hz;                     /* in force */
	uint64_t error_ppb;              /* bound on the error of hz when it was measured */
	uint32_t refinements;            /* frequencies put in force after the first */
	uint32_t rejected;               /* samples not used: worse than what is known */
	uint32_t
		restarts; /* measurements begun anew: the clocks moved apart (suspend, migration) */
	bool restarted;   /* the next good frequency is believed whatever it is */
};

/** What a converting thread remembers, so that its time never goes back. */
struct tsc_clock_reader {
	uint64_t last_ns;
};

/** rdtsc, CLOCK_MONOTONIC_RAW and nanosleep(). */
struct tsc_clock_source tsc_clock_system_source(void);

/**
 * Measure the frequency for at least 20 ms and until the bound on its error is below
 * TSC_CLOCK_MAX_ERROR_PPB, at most about 2 s.
 *
 * @return 0; -ETIME if the bound was not reached; -ENODEV if the TSC does not advance
 */
int tsc_clock_calibrate(struct tsc_clock *c, const struct tsc_clock_source *source);

/**
 * Take another sample and put a better frequency in force, if it gives one. The conversion stays
 * continuous: the new slope starts where the old one arrived. Call it every few hundred
 * milliseconds at first and every few seconds later; how often does not matter.
 */
void tsc_clock_refine(struct tsc_clock *c);

/** Time at the TSC reading @tsc, ns. Good for centuries after the last refinement. */
uint64_t tsc_clock_convert(const struct tsc_clock *c, uint64_t tsc);

/** The same, but never less than what this reader was given before. */
static inline uint64_t tsc_clock_read(const struct tsc_clock *c, struct tsc_clock_reader *r,
				      uint64_t tsc)
{
	uint64_t ns = tsc_clock_convert(c, tsc);

	if (ns > r->last_ns)
		r->last_ns = ns;
	return r->last_ns;
}

#endif
