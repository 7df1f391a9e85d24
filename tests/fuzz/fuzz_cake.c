/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any sequence of operations on an instance with any options: the input says which, exercise.h
 * does and checks them. Input: options, then operations until it ends.
 */
#include <gateau/cake.h>

#include "base/prng.h"
#include "exercise.h"
#include "fuzz.h"
#include "kit.h"

/* Bytes; room for 1,365 of the smallest packets. The default's descriptors are 160 pages, which
 * take longer to make than the operations of most inputs. */
#define MEMLIMIT_MAX (1 << 20)

static uint32_t below(void *source, uint32_t n)
{
	return fuzz_below(source, n);
}

/* A rate people have, one at an edge of the arithmetic, or any at all; bit/s. */
static uint64_t draw_rate(struct fuzz_input *in)
{
	static const uint64_t rates[] = {
		0,
		8,
		511,
		512,
		2800,
		1000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		400000000000,
		1ull << 32,
		8ull << 32,
		(1ull << 32) - 1,
	};
	uint32_t any = fuzz_below(in, COUNT(rates) + 2);
	uint64_t high;

	if (any < COUNT(rates))
		return rates[any];
	high = fuzz_below(in, 94); /* up to 94 x 2^32 bit/s: 404 gbit/s */
	return 8 + (high << 32 | fuzz_below(in, UINT32_MAX));
}

static struct cake_params draw_params(struct fuzz_input *in)
{
	struct choices choices = {.below = below, .source = in};
	struct cake_params p;

	cake_params_default(&p);
	p.profile = fuzz_below(in, CAKE_PROFILE_LINUX + 1);
	p.diffserv = fuzz_below(in, CAKE_DIFFSERV8 + 1);
	p.flowmode = fuzz_below(in, CAKE_TRIPLE_ISOLATE + 1);
	p.bandwidth_bps = draw_rate(in);
	p.rtt_ns = (1 + fuzz_below(in, 256)) * (fuzz_below(in, 2) ? NS_PER_MS : NS_PER_US);
	exercise_draw_options(&p, choices);
	if (!p.memlimit || p.memlimit > MEMLIMIT_MAX)
		p.memlimit = MEMLIMIT_MAX;
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	struct choices choices = {.below = below, .source = &in};
	struct cake_params p = draw_params(&in);
	struct exercise *x = exercise_begin(&p, choices, fuzz_below(&in, UINT16_MAX));

	while (in.left)
		exercise_step(x);
	exercise_end(x);
	return 0;
}
