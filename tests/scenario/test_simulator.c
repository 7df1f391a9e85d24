/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulator by itself: time, senders, meters, wire, lcores that sleep, and that it sees faults.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "balance.h"
#include "event.h"
#include "meter.h"
#include "nic.h"
#include "sender.h"
#include "source.h"
#include "world.h"

#define US 1000ull
#define MS 1000000ull
#define S  1000000000ull

/* What happened, in order. */
static char happened[16];

static void note(void *arg, uint64_t now)
{
	(void)now;
	strcat(happened, arg);
}

static void events_happen_in_order_of_time_then_of_setting(void **state)
{
	struct events *e = events_create();
	struct event a = {.fn = note, .arg = "a"}, b = {.fn = note, .arg = "b"},
		     c = {.fn = note, .arg = "c"}, d = {.fn = note, .arg = "d"};

	(void)state;
	happened[0] = 0;
	events_set(e, &d, 40);
	events_set(e, &b, 20);
	events_set(e, &c, 20);
	events_set(e, &a, 30);
	events_set(e, &a, 10); /* moved */
	events_run(e, 20);
	assert_string_equal(happened, "a");
	assert_int_equal(events_now(e), 20);
	events_clear(e, &d);
	events_run(e, 100);
	assert_string_equal(happened, "abc");
	events_destroy(e);
}

/* Random times, some moved, some cleared: they come out sorted. */
static uint64_t last_seen;
static unsigned seen;

static void ascending(void *arg, uint64_t now)
{
	(void)arg;
	assert_true(now >= last_seen);
	last_seen = now;
	seen++;
}

static void a_thousand_events_come_out_sorted(void **state)
{
	struct events *e = events_create();
	struct event all[1000] = {0};
	struct prng rng = prng_xorshift32(7);

	(void)state;
	last_seen = seen = 0;
	for (unsigned i = 0; i < 1000; i++) {
		all[i].fn = ascending;
		events_set(e, &all[i], prng_u32(&rng) % 5000);
	}
	for (unsigned i = 0; i < 1000; i += 3)
		events_set(e, &all[i], prng_u32(&rng) % 5000);
	for (unsigned i = 0; i < 1000; i += 10)
		events_clear(e, &all[i]);
	events_run(e, 5000);
	assert_int_equal(seen, 900);
	events_destroy(e);
}

/* 1,000 bytes every 0.1 ms, always something queued: 10 MB/s. */
static void send_steadily(struct meter *m, uint64_t from, uint64_t until)
{
	for (uint64_t at = from; at < until; at += METER_BIN_NS)
		meter_sent(m, 1000, at);
}

static void a_steady_rate_has_no_error(void **state)
{
	struct meter m;
	struct meter_error e;

	(void)state;
	meter_init(&m, S, 100 * MS);
	meter_inside(&m, 1, S);
	send_steadily(&m, S, S + 100 * MS);
	e = meter_error(&m, S + METER_BIN_NS, S + 100 * MS, 20 * MS, 10e6);
	assert_true(fabs(e.over) < 1e-6 && fabs(e.under) < 1e-6);
	assert_int_equal(e.windows, 1000 - 1 - 200 + 1);
	meter_fini(&m);
}

static void every_window_counts_for_too_much_and_busy_ones_for_too_little(void **state)
{
	struct meter m;
	struct meter_error e;

	(void)state;
	meter_init(&m, S, 100 * MS);
	meter_inside(&m, 1, S);
	send_steadily(&m, S, S + 40 * MS);
	meter_inside(&m, -1, S + 40 * MS); /* nothing to send for 20 ms: no error */
	meter_inside(&m, 1, S + 60 * MS);
	send_steadily(&m, S + 60 * MS, S + 100 * MS);
	e = meter_error(&m, S + METER_BIN_NS, S + 100 * MS, 20 * MS, 10e6);
	assert_true(fabs(e.under) < 1e-6);

	meter_sent(&m, 700, S + 50 * MS); /* while nothing was queued, as far as was told */
	meter_sent(&m, 900, S + 61 * MS);
	e = meter_error(&m, S + METER_BIN_NS, S + 100 * MS, 20 * MS, 10e6);
	assert_true(fabs(e.over - 900) < 1e-6);

	m.bytes[800] = 0; /* one bin of a busy time without its 1,000 bytes */
	e = meter_error(&m, S + METER_BIN_NS, S + 100 * MS, 20 * MS, 10e6);
	assert_true(fabs(e.under + 1000) < 1e-6);
	meter_fini(&m);
}

/* Packets of a source in @ms. */
static unsigned count_packets(const struct source_params *p, unsigned ms, unsigned *most_at_once)
{
	struct source *s = source_create(p);
	unsigned n = 0, at_once = 0;
	uint64_t last = 0;

	*most_at_once = 0;
	for (; source_next(s) < ms * MS; n++) {
		uint64_t at = source_next(s);

		assert_true(at >= last);
		at_once = at == last ? at_once + 1 : 1;
		*most_at_once = at_once > *most_at_once ? at_once : *most_at_once;
		last = at;
		source_take(s);
	}
	source_destroy(s);
	return n;
}

static void sources_keep_their_rate(void **state)
{
	struct flow all[100] = {0}, *flows[100];
	struct source_params p = {.flows = flows,
				  .n = 100,
				  .interval_ns = 1e6,
				  .until = UINT64_MAX,
				  .burst = 1,
				  .n_sizes = 1,
				  .sizes = {100},
				  .seed = 3};
	unsigned at_once;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		flows[i] = &all[i];
	assert_int_equal(count_packets(&p, 100, &at_once), 100 * 100);
	p.burst = 5;
	assert_int_equal(count_packets(&p, 100, &at_once), 100 * 100 * 5);
	assert_true(at_once >= 5);
	/* On for a third of the time, together from the start. */
	p.burst = 1;
	p.on_ns = 3 * MS;
	p.off_ns = 6 * MS;
	p.together = true;
	assert_int_equal(count_packets(&p, 90, &at_once), 100 * 30);
	p.random = true;
	assert_in_range(count_packets(&p, 9000, &at_once), 100 * 2700, 100 * 3300);
	p.on_ns = p.off_ns = 0;
	p.from = 40 * MS;
	p.until = 70 * MS;
	assert_int_equal(count_packets(&p, 100, &at_once), 100 * 30);
}

/* Two whose seeds a generator gives one after the other, which is how a group seeds its own. */
static void sources_do_not_draw_the_same(void **state)
{
	struct flow flow = {0}, *flows[] = {&flow};
	struct source_params p = {.flows = flows,
				  .n = 1,
				  .interval_ns = 1e6,
				  .until = UINT64_MAX,
				  .burst = 1,
				  .n_sizes = 2,
				  .sizes = {60, 1514}};
	struct prng rng = prng_xorshift32(5);
	struct source *a, *b;
	unsigned alike = 0;

	(void)state;
	p.seed = prng_u32(&rng);
	a = source_create(&p);
	p.seed = prng_u32(&rng);
	b = source_create(&p);
	source_take(a); /* if it went on as the other does, then one ahead */
	for (unsigned i = 0; i < 1000; i++)
		alike += source_take(a).len == source_take(b).len;
	assert_in_range(alike, 400, 600);
	source_destroy(a);
	source_destroy(b);
}

static void loads_and_spans_are_read(void **state)
{
	unsigned first, count;
	double part;

	(void)state;
	assert_true(sender_load("150%", &part) && part == 1.5);
	assert_true(sender_load("50%/100", &part) && part == 0.005);
	assert_false(sender_load("", &part));
	assert_false(sender_load("50", &part));
	assert_false(sender_load("0%", &part));
	assert_false(sender_load("50%/", &part));
	assert_true(sender_span("3", 8, &first, &count) && first == 3 && count == 1);
	assert_true(sender_span("2-5", 8, &first, &count) && first == 2 && count == 4);
	assert_true(sender_span("1-", 8, &first, &count) && first == 1 && count == 7);
	assert_false(sender_span("8", 8, &first, &count));
	assert_false(sender_span("2-8", 8, &first, &count));
	assert_false(sender_span("5-2", 8, &first, &count));
	assert_false(sender_span("x", 8, &first, &count));
}

/* A port of 1 Gbit/s with two queues and two lcores, 8 flows that want 1.2 Gbit/s, and 8 of a
 * packet now and then. */
static struct world *box(uint32_t seed, bool sleepless, struct sender *senders[2])
{
	struct world_params p = {.ports = 1,
				 .queues = 2,
				 .rx_lcores = 2,
				 .tx_lcores = 2,
				 .rx_ring = 1024,
				 .tx_ring = 512,
				 .duration = 50 * MS,
				 .seed = seed,
				 .sleepless = sleepless};
	struct sender_params sends = {.name = "all",
				      .flows = 8,
				      .load = "120%",
				      .n_sizes = 1,
				      .sizes = {1514},
				      .burst = 1,
				      .hosts = 1,
				      .dst_hosts = 1,
				      .queues = "0-"};
	struct world *w;

	cake_params_default(&p.cake);
	p.cake.bandwidth_bps = 1000000000;
	p.cake.diffserv = CAKE_BESTEFFORT;
	p.cake.flowmode = CAKE_FLOWS;
	cost_default(&p.cost);
	assert_int_equal(world_create(&w, &p), 0);
	senders[0] = sender_create(w, &sends);
	*sends.load = 0;
	sends.interval_ns = MS;
	senders[1] = sender_create(w, &sends);
	assert_true(senders[0] && senders[1]);
	return w;
}

/* What is left of a run when it is over. */
struct outcome {
	uint64_t sent, lost, last_bin; /* packets and bytes */
	uint64_t wait_p50, wait_p99;   /* ns, of the sparse flows */
};

static struct outcome outcome_of(uint32_t seed, bool sleepless)
{
	struct phase phase = {.from = WORLD_START, .until = WORLD_START + 50 * MS};
	struct sender *senders[2];
	struct world *w = box(seed, sleepless, senders);
	struct outcome o = {0};

	assert_null(world_run(w, &phase, 1));
	for (unsigned i = 0; i < w->n_flows; i++) {
		o.sent += w->flows[i]->tally.sent_packets * (i + 1);
		o.lost += w->flows[i]->tally.lost * (i + 1);
	}
	o.last_bin = w->ports[0].meter.bytes[499];
	o.wait_p50 = histogram_quantile(&phase.waits[1], 500);
	o.wait_p99 = histogram_quantile(&phase.waits[1], 990);
	world_free_phases(&phase, 1);
	sender_destroy(senders[0]);
	sender_destroy(senders[1]);
	world_destroy(w);
	return o;
}

static void a_run_repeats_exactly(void **state)
{
	struct outcome a = outcome_of(1, false), b = outcome_of(1, false), c = outcome_of(2, false);

	(void)state;
	assert_memory_equal(&a, &b, sizeof(a));
	assert_memory_not_equal(&a, &c, sizeof(a));
}

static void assert_near(uint64_t a, uint64_t b, double part)
{
	assert_true(fabs((double)a - (double)b) <= part * (double)b);
}

/* Not to the nanosecond: an idle pass in which a queue looks at the others takes longer. */
static void lcores_that_sleep_come_to_what_those_that_poll_do(void **state)
{
	struct outcome asleep = outcome_of(1, false), polling = outcome_of(1, true);

	(void)state;
	assert_near(asleep.sent, polling.sent, 0.001);
	assert_int_equal(asleep.lost, polling.lost);
	assert_near(asleep.wait_p50, polling.wait_p50, 0.05);
	assert_near(asleep.wait_p99, polling.wait_p99, 0.05);
}

/* One packet more, one less, or one late: each is seen. */
static void a_packet_that_appears_vanishes_or_overtakes_is_seen(void **state)
{
	struct sender *senders[2];
	struct world *w = box(1, false, senders);
	struct phase phase = {.from = WORLD_START, .until = WORLD_START + 50 * MS};
	struct tally *t = &w->flows[3]->tally;

	(void)state;
	assert_null(world_run(w, &phase, 1));
	t->offered_packets++;
	assert_non_null(balance_fault(w));
	t->offered_packets--;
	t->sent_packets--;
	assert_non_null(balance_fault(w));
	t->sent_packets++;
	t->late++;
	assert_non_null(balance_fault(w));
	t->late--;
	frame_get(w->frames, 100);
	assert_non_null(balance_empty(w));
	world_free_phases(&phase, 1);
	sender_destroy(senders[0]);
	sender_destroy(senders[1]);
	world_destroy(w);
}

static struct flow *delivered;
static uint64_t delivered_at, delivered_cookie;

static void deliver(void *arg, struct flow *flow, uint64_t cookie, uint32_t len, bool ce,
		    uint64_t now)
{
	(void)arg;
	(void)ce;
	assert_int_equal(len, 1226);
	delivered = flow;
	delivered_at = now;
	delivered_cookie = cookie;
}

/* 1,226 bytes and 24 of the wire are 10 us at 1 Gbit/s: behind two others and 5 us away, 35 us. */
static void the_wire_takes_its_time_and_its_ring_fills(void **state)
{
	struct events *e = events_create();
	struct frames *frames = frames_create();
	struct flow flow = {.deliver = deliver};
	struct rte_mbuf *m = frame_get(frames, 1226);
	struct wire w;

	(void)state;
	*frame_note(m) = (struct frame_note){.flow = &flow, .cookie = 42};
	wire_init(&w, e, 1000000000, 5 * US, 2, 2);
	assert_int_equal(wire_room(&w, 0, 32, 0), 2);
	flow.deliver = NULL;
	wire_send(&w, 0, m, 0);
	wire_send(&w, 0, m, 0);
	assert_int_equal(wire_room(&w, 0, 32, 10 * US - 1), 0);
	assert_int_equal(wire_room_at(&w, 0), 10 * US);
	flow.deliver = deliver;
	wire_send(&w, 1, m, 0);
	assert_int_equal(wire_room(&w, 0, 32, 10 * US), 1);
	events_run(e, S);
	assert_ptr_equal(delivered, &flow);
	assert_int_equal(delivered_cookie, 42);
	assert_int_equal(delivered_at, 35 * US);
	wire_fini(&w);
	frame_put(frames, m);
	frames_destroy(frames);
	events_destroy(e);
}

static void an_rx_ring_loses_what_comes_when_it_is_full(void **state)
{
	struct frames *frames = frames_create();
	struct flow flow = {0};
	struct rte_mbuf *pkts[8];
	struct rxq q;

	(void)state;
	rxq_init(&q, frames, 4);
	for (unsigned i = 0; i < 6; i++)
		rxq_arrive(&q, &flow, 100, i, i);
	assert_int_equal(q.lost, 2);
	assert_int_equal(flow.tally.lost, 2);
	assert_int_equal(flow.tally.offered_packets, 6);
	assert_int_equal(rxq_poll(&q, pkts, 8, 10), 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(frame_note(pkts[i])->cookie, i);
		assert_int_equal(frame_note(pkts[i])->arrived_ns, i);
		frame_put(frames, pkts[i]);
	}
	assert_int_equal(frames_out(frames), 0);
	rxq_fini(&q);
	frames_destroy(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_happen_in_order_of_time_then_of_setting),
		cmocka_unit_test(a_thousand_events_come_out_sorted),
		cmocka_unit_test(a_steady_rate_has_no_error),
		cmocka_unit_test(every_window_counts_for_too_much_and_busy_ones_for_too_little),
		cmocka_unit_test(sources_keep_their_rate),
		cmocka_unit_test(sources_do_not_draw_the_same),
		cmocka_unit_test(loads_and_spans_are_read),
		cmocka_unit_test(a_run_repeats_exactly),
		cmocka_unit_test(lcores_that_sleep_come_to_what_those_that_poll_do),
		cmocka_unit_test(a_packet_that_appears_vanishes_or_overtakes_is_seen),
		cmocka_unit_test(the_wire_takes_its_time_and_its_ring_fills),
		cmocka_unit_test(an_rx_ring_loses_what_comes_when_it_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
