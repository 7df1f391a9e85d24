/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, packets and instances for the tests of the scheduler's parts; see kit.h. */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cake/params.h"
#include "cake/state.h"

struct cake_params kit_params(enum cake_profile profile, uint64_t bandwidth_bps)
{
	struct cake_params p;

	cake_params_default(&p);
	p.profile = profile;
	p.bandwidth_bps = bandwidth_bps;
	assert_int_equal(params_resolve(&p), 0);
	p.room = 0; /* a test may set another limit */
	return p;
}

uint32_t kit_charge(uint32_t len)
{
	uint32_t data = ((len + 64 + 63) & ~63u) + 320;
	uint32_t buffer = 512;

	while (buffer < data)
		buffer *= 2;
	return 256 + buffer;
}

struct cake_packet kit_packet(uint32_t handle, uint32_t len, uint32_t flow_hash)
{
	return (struct cake_packet){
		.handle = handle,
		.len = len,
		.charge = kit_charge(len),
		.flow_hash = flow_hash,
		.network_offset = 14,
	};
}

struct cake *kit_create(const struct cake_params *p, struct prng *rng)
{
	struct cake *c = NULL;

	assert_int_equal(cake_create(&c, p, rng), 0);
	assert_non_null(c);
	return c;
}

int kit_set_bandwidth(struct cake *c, uint64_t bandwidth_bps, uint64_t now)
{
	struct cake_params p = c->params;

	p.bandwidth_bps = bandwidth_bps;
	return cake_change(c, &p, now);
}

int kit_set_memlimit(struct cake *c, uint64_t memlimit, uint64_t now)
{
	struct cake_params p = c->params;

	p.memlimit = memlimit;
	return cake_change(c, &p, now);
}

void kit_enqueue(struct cake *c, struct cake_packet p, uint64_t now)
{
	assert_int_equal(cake_enqueue(c, &p, 1, now), 1);
}
