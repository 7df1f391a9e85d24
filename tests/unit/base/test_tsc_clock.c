/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TSC calibration and conversion against a false clock whose true frequency is known: accuracy,
 * outliers, refinement, continuity, range. The system's own clocks are only tried for agreement of
 * a fresh calibration with itself, since nothing here knows their truth.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prng.h"
#include "base/tsc_clock.h"

#define S UINT64_C(1000000000)

/* A machine: real time moves when a clock is read or waited for; the reference shows it. */
struct machine {
	uint64_t real_ns;
	uint64_t hz;
	uint64_t tsc_base, tsc_base_ns; /* the counter was tsc_base at real time tsc_base_ns */
	uint64_t read_cost_ns;          /* a reading takes 0..this */
	unsigned stall_percent;         /* of readings are hit by 10..200 ms of stall */
	struct prng rng;
};

static struct machine machine_of(uint64_t hz)
{
	return (struct machine){.real_ns = 7 * S,
				.hz = hz,
				.tsc_base = 123456789,
				.read_cost_ns = 60,
				.rng = prng_xorshift32(1)};
}

static uint64_t tsc_at(const struct machine *m, uint64_t real_ns)
{
	return m->tsc_base + (uint64_t)((unsigned __int128)(real_ns - m->tsc_base_ns) * m->hz / S);
}

/** Let the counter run on at another frequency. */
static void set_hz(struct machine *m, uint64_t hz)
{
	m->tsc_base = tsc_at(m, m->real_ns);
	m->tsc_base_ns = m->real_ns;
	m->hz = hz;
}

static void spend(struct machine *m)
{
	m->real_ns += prng_u32(&m->rng) % (m->read_cost_ns + 1);
	if (prng_u32(&m->rng) % 100 < m->stall_percent)
		m->real_ns += 10000000 + prng_u32(&m->rng) % 190000000;
}

static uint64_t read_tsc(void *arg)
{
	struct machine *m = arg;

	spend(m);
	return tsc_at(m, m->real_ns);
}

static uint64_t read_ns(void *arg)
{
	struct machine *m = arg;

	spend(m);
	return m->real_ns;
}

static void wait_ns(void *arg, uint64_t ns)
{
	((struct machine *)arg)->real_ns += ns;
}

static struct tsc_clock_source source_of(struct machine *m)
{
	return (struct tsc_clock_source){read_tsc, read_ns, wait_ns, m};
}

static uint64_t error_ppb(const struct tsc_clock *c, const struct machine *m)
{
	uint64_t apart = c->hz > m->hz ? c->hz - m->hz : m->hz - c->hz;

	return apart * S / m->hz;
}

static void calibrate(struct tsc_clock *c, struct machine *m)
{
	struct tsc_clock_source source = source_of(m);

	assert_int_equal(tsc_clock_calibrate(c, &source), 0);
}

static void refine_every(struct tsc_clock *c, struct machine *m, uint64_t step_ns, unsigned times)
{
	while (times--) {
		wait_ns(m, step_ns);
		tsc_clock_refine(c);
	}
}

static void calibration_is_within_50_ppm(void **state)
{
	static const uint64_t hz[] = {2000000, 24000000, 1899999937, 2095078000, 5200000000};

	(void)state;
	for (unsigned i = 0; i < sizeof(hz) / sizeof(hz[0]); i++) {
		struct machine m = machine_of(hz[i]);
		struct tsc_clock c;

		calibrate(&c, &m);
		assert_in_range(error_ppb(&c, &m), 0, 50000);
		/* and the bound it claims is true; 1 Hz is the resolution of hz */
		assert_in_range(error_ppb(&c, &m), 0, c.error_ppb + S / m.hz);
	}
}

static void stalled_readings_are_left_out(void **state)
{
	struct tsc_clock c;
	unsigned seed;

	(void)state;
	for (seed = 1; seed <= 50; seed++) {
		struct machine m = machine_of(2095078000);

		m.rng = prng_xorshift32(seed);
		m.stall_percent = 30;
		calibrate(&c, &m);
		assert_in_range(error_ppb(&c, &m), 0, 50000);
		refine_every(&c, &m, S, 30);
		/* 120 ns of bracket, half of it an error at either end, over 30 s: 4 ppb */
		assert_in_range(error_ppb(&c, &m), 0, 10);
	}
}

static void calibration_gives_up_when_every_reading_is_stalled(void **state)
{
	struct machine m = machine_of(2095078000);
	struct tsc_clock_source source = source_of(&m);
	struct tsc_clock c;

	(void)state;
	/* Brackets of at least 2 x 10 ms need 20 ms / 50 ppm = 400 s of span; it has 2 s. */
	m.stall_percent = 100;
	m.read_cost_ns = 0;
	assert_int_equal(tsc_clock_calibrate(&c, &source), -ETIME);
}

static void a_counter_that_stands_still_is_refused(void **state)
{
	struct machine m = machine_of(0);
	struct tsc_clock_source source = source_of(&m);
	struct tsc_clock c;

	(void)state;
	assert_int_equal(tsc_clock_calibrate(&c, &source), -ENODEV);
}

static void refinement_converges(void **state)
{
	struct machine m = machine_of(2095078000);
	struct tsc_clock c;
	uint64_t first;

	(void)state;
	m.read_cost_ns = 1000; /* a slow reference: 2 us of bracket over 20 ms is 100 ppm */
	calibrate(&c, &m);
	first = c.error_ppb;
	refine_every(&c, &m, S / 10, 10);
	assert_true(c.error_ppb < first);
	refine_every(&c, &m, 4 * S, 16);
	/* at most 2 us over 65 s: 31 ppb */
	assert_in_range(error_ppb(&c, &m), 0, 31);
	assert_true(c.refinements > 0);
}

static void a_sample_worse_than_what_is_known_changes_nothing(void **state)
{
	struct machine m = machine_of(2095078000);
	struct tsc_clock c;
	uint64_t hz;

	(void)state;
	calibrate(&c, &m);
	hz = c.hz;
	/* 25 ms after the anchor with 100 ms brackets: worse than the first 20 ms */
	m.stall_percent = 100;
	refine_every(&c, &m, S / 200, 1);
	assert_int_equal(c.rejected, 1);
	assert_int_equal(c.hz, hz);
}

static void refinement_neither_steps_nor_goes_back(void **state)
{
	struct machine m = machine_of(2095078000);
	struct tsc_clock_reader reader = {0};
	struct tsc_clock c;
	uint64_t last = 0;

	(void)state;
	m.read_cost_ns = 1000;
	calibrate(&c, &m);
	for (unsigned i = 0; i < 500; i++) {
		uint64_t real = m.real_ns, tsc = tsc_at(&m, real);
		uint64_t before = tsc_clock_convert(&c, tsc), elapsed, advance;

		/* The old line ends and the new one begins while this reads the clocks. */
		tsc_clock_refine(&c);
		tsc = tsc_at(&m, m.real_ns);
		advance = tsc_clock_convert(&c, tsc) - before;
		elapsed = m.real_ns - real;
		/* 50 ppm of at most 32 x 3 us is 5 ns; 2 for rounding */
		assert_in_range(advance, elapsed - 7, elapsed + 7);
		for (unsigned k = 0; k < 20; k++) {
			uint64_t ns = tsc_clock_read(&c, &reader, tsc + k);

			assert_true(ns >= last);
			last = ns;
		}
		wait_ns(&m, S / 100);
	}
	assert_in_range(c.refinements, 1, 500);
}

static void a_reading_taken_before_the_line_began_does_not_go_back(void **state)
{
	struct machine m = machine_of(3000000000);
	struct tsc_clock_reader reader = {0};
	struct tsc_clock c;
	uint64_t old_tsc, old_ns;

	(void)state;
	calibrate(&c, &m);
	wait_ns(&m, S);
	old_tsc = tsc_at(&m, m.real_ns);
	old_ns = tsc_clock_read(&c, &reader, old_tsc);
	tsc_clock_refine(&c);
	assert_int_equal(c.refinements, 1);
	assert_true(tsc_clock_read(&c, &reader, old_tsc + 1) >= old_ns);
}

static void a_drifting_oscillator_is_followed(void **state)
{
	struct machine m = machine_of(2000000000);
	struct tsc_clock c;

	(void)state;
	calibrate(&c, &m);
	refine_every(&c, &m, 4 * S, 50);
	assert_in_range(error_ppb(&c, &m), 0, 10);
	set_hz(&m, 2000020000); /* 10 ppm */
	/* One window of 64 s and a half later no sample from before is in use. */
	refine_every(&c, &m, 4 * S, 26);
	assert_in_range(error_ppb(&c, &m), 0, 10);
	assert_int_equal(c.restarts, 0);
}

static void clocks_that_were_set_apart_are_measured_anew(void **state)
{
	struct machine m = machine_of(2095078000);
	struct tsc_clock c;
	uint64_t before;

	(void)state;
	calibrate(&c, &m);
	refine_every(&c, &m, 4 * S, 20);
	before = tsc_clock_convert(&c, tsc_at(&m, m.real_ns));
	/* The counter stood still for an hour, as in a suspended guest. */
	m.tsc_base = tsc_at(&m, m.real_ns);
	m.real_ns += 3600 * S;
	m.tsc_base_ns = m.real_ns;
	tsc_clock_refine(&c);
	assert_int_equal(c.restarts, 1);
	refine_every(&c, &m, 4 * S, 3);
	assert_int_equal(c.restarts, 1);
	/* two brackets of 120 ns over 12 s: 10 ppb */
	assert_in_range(error_ppb(&c, &m), 0, 20);
	/* The hour is not in the counter, so not in the time either: 12 s and some readings. */
	assert_in_range(tsc_clock_convert(&c, tsc_at(&m, m.real_ns)) - before, 12 * S,
			12 * S + S / 1000);
}

static void ten_years_fit_even_without_refinement(void **state)
{
	const uint64_t ten_years = 3653 * UINT64_C(86400) * S;
	struct machine m = machine_of(5200000000);
	struct tsc_clock c;
	uint64_t from, to, apart;

	(void)state;
	calibrate(&c, &m);
	from = tsc_clock_convert(&c, tsc_at(&m, m.real_ns));
	m.real_ns += ten_years;
	to = tsc_clock_convert(&c, tsc_at(&m, m.real_ns));
	apart = to - from > ten_years ? to - from - ten_years : ten_years - (to - from);
	assert_in_range(apart, 0, ten_years / S * 50000);
	/* and it goes on from there */
	refine_every(&c, &m, 4 * S, 2);
	assert_in_range(tsc_clock_convert(&c, tsc_at(&m, m.real_ns)) - to, 8 * S - 1000,
			8 * S + S / 1000);
}

static void time_starts_well_above_zero(void **state)
{
	struct machine m = machine_of(2000000000);
	struct tsc_clock c;

	(void)state;
	calibrate(&c, &m);
	assert_in_range(tsc_clock_convert(&c, tsc_at(&m, m.real_ns)), 1000 * S, 1001 * S);
}

/*
 * Concurrent reading. Every line is converted far in its future, where all agree but for the small
 * changes of frequency; the start of one line with the start time of the next would be 200 s off.
 */
struct race {
	struct tsc_clock clock;
	struct machine machine;
	_Atomic bool done;
};

#define RACE_LINES 20000
#define RACE_STEP  (200 * S)

static void *refine_without_pause(void *arg)
{
	struct race *r = arg;

	for (unsigned i = 0; i < RACE_LINES; i++) {
		set_hz(&r->machine, i % 2 ? 2000000000 : 2000000200); /* 0.1 ppm */
		wait_ns(&r->machine, RACE_STEP);
		tsc_clock_refine(&r->clock);
	}
	atomic_store(&r->done, true);
	return NULL;
}

static void readers_never_see_half_a_line(void **state)
{
	static struct race r;
	pthread_t writer;
	uint64_t tsc0, ahead;

	(void)state;
	r.machine = machine_of(2000000000);
	calibrate(&r.clock, &r.machine);
	/* The first line is of a measurement over 20 ms, the others over 200 s. */
	wait_ns(&r.machine, RACE_STEP);
	tsc_clock_refine(&r.clock);
	tsc0 = tsc_at(&r.machine, r.machine.real_ns);
	ahead = tsc_clock_convert(&r.clock, tsc0) + RACE_LINES * RACE_STEP;
	assert_int_equal(pthread_create(&writer, NULL, refine_without_pause, &r), 0);
	while (!atomic_load(&r.done)) {
		uint64_t ns = tsc_clock_convert(&r.clock, tsc0 + RACE_LINES * RACE_STEP * 2);

		/* 0.1 ppm of 20,000 x 200 s is 0.4 s, of which the lines differ, and which the
		 * counter is ahead at the end; the last line may begin later than that. */
		assert_in_range(ns, ahead - S, ahead + 2 * S);
	}
	pthread_join(writer, NULL);
	assert_int_equal(r.clock.refinements, RACE_LINES + 1);
}

static void the_system_agrees_with_itself(void **state)
{
	struct tsc_clock_source source = tsc_clock_system_source();
	struct tsc_clock a, b;
	uint64_t apart;

	(void)state;
	assert_int_equal(tsc_clock_calibrate(&a, &source), 0);
	assert_int_equal(tsc_clock_calibrate(&b, &source), 0);
	apart = a.hz > b.hz ? a.hz - b.hz : b.hz - a.hz;
	assert_in_range(apart * S / a.hz, 0, a.error_ppb + b.error_ppb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calibration_is_within_50_ppm),
		cmocka_unit_test(stalled_readings_are_left_out),
		cmocka_unit_test(calibration_gives_up_when_every_reading_is_stalled),
		cmocka_unit_test(a_counter_that_stands_still_is_refused),
		cmocka_unit_test(refinement_converges),
		cmocka_unit_test(a_sample_worse_than_what_is_known_changes_nothing),
		cmocka_unit_test(refinement_neither_steps_nor_goes_back),
		cmocka_unit_test(a_reading_taken_before_the_line_began_does_not_go_back),
		cmocka_unit_test(a_drifting_oscillator_is_followed),
		cmocka_unit_test(clocks_that_were_set_apart_are_measured_anew),
		cmocka_unit_test(ten_years_fit_even_without_refinement),
		cmocka_unit_test(time_starts_well_above_zero),
		cmocka_unit_test(readers_never_see_half_a_line),
		cmocka_unit_test(the_system_agrees_with_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
