/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an instance takes, bytes: tables for its tins and flows, and what each packet that may be
 * queued adds. Nothing is allocated later.
 *
 *	build/tests/perf/bench_memory --help
 *
 * Figures are cake_footprint()'s; what malloc() has handed out for an instance may not exceed them.
 */
#include <malloc.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "bench.h"

/** Room for that many packets is the difference that shows what one takes. */
#define PACKETS 65536

/** malloc()'s own, and what alignment to cache lines loses, bytes: for each of an instance's parts,
 * of which there are some by tin. What has pages of its own loses up to one more. */
#define PER_PART 128
#define PARTS    4
#define BY_TIN   6
#define PAGE     4096

/** Flows, of 64 bytes, whose table has pages of its own: mallopt(3), M_MMAP_THRESHOLD. */
#define OWN_PAGES (131072 / 64)

struct instance {
	enum cake_diffserv diffserv;
	uint32_t flows;
};

/** With room for as few packets as there may be: one, and a burst of one. */
static void least(const struct instance *i, struct cake_params *p)
{
	cake_params_default(p);
	p->diffserv = i->diffserv;
	p->flows = i->flows;
	p->memlimit = 1;
	p->burst = 1;
}

static uint64_t handed_out(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void check(const struct cake_params *p)
{
	struct prng rng = prng_xorshift32(1);
	const uint64_t before = handed_out();
	const unsigned parts = PARTS + BY_TIN * cake_tin_count(p->diffserv);
	const uint64_t loss = parts * (p->flows >= OWN_PAGES ? PAGE : PER_PART);
	struct cake *c;
	uint64_t taken;

	if (cake_create(&c, p, &rng))
		bench_fail("no memory");
	taken = handed_out() - before;
	if (taken > cake_footprint(p) + loss)
		bench_fail("an instance takes %lu bytes, cake_footprint() says %lu", taken,
			   cake_footprint(p));
	cake_destroy(c);
}

static double instance_bytes(void *arg)
{
	struct cake_params p;

	least(arg, &p);
	check(&p);
	return cake_footprint(&p);
}

static double packet_bytes(void *arg)
{
	struct cake_params p;
	uint64_t without;

	least(arg, &p);
	without = cake_footprint(&p);
	p.memlimit = (uint64_t)PACKETS * p.min_charge;
	check(&p);
	return (double)(cake_footprint(&p) - without) / PACKETS;
}

int main(int argc, char **argv)
{
	static struct instance small = {CAKE_BESTEFFORT, 1024}, four = {CAKE_DIFFSERV4, 1024},
			       large = {CAKE_DIFFSERV4, CAKE_FLOWS_MAX};
	static const struct bench_row rows[] = {
		{"instance-1x1024", "an instance, triple-isolate, 1 tin of 1,024 flows", "bytes",
		 .run = instance_bytes, .arg = &small, .exact = true},
		{"instance-4x1024", "the same, 4 tins", "bytes", .run = instance_bytes,
		 .arg = &four, .exact = true},
		{"instance-4xmax", "the same, 4 tins with as many flows as there may be", "bytes",
		 .run = instance_bytes, .arg = &large, .exact = true},
		{"packet", "a packet that may be queued", "bytes", .run = packet_bytes,
		 .arg = &small, .exact = true},
	};

	bench_start(argc, argv, "memory");
	mallopt(M_MMAP_MAX, 0); /* which rounds to pages */
	bench_group(rows, sizeof(rows) / sizeof(rows[0]));
	return 0;
}
