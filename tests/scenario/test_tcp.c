/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection over a link whose behaviour is known: what Reno and CUBIC are expected to do there
 * by arithmetic, and that no segment is lost track of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "base/prng.h"
#include "toy_link.h"

#define US 1000ull
#define MS 1000000ull
#define S  1000000000ull

static struct toy_link *link_;
static uint64_t start;

static int setup(void **state)
{
	(void)state;
	link_ = toy_create();
	/* 1,514 bytes at 1 Gbit/s, 1 ms there and back: 83 frames. */
	link_->frame_ns = 12112;
	link_->propagation_ns = 500 * US;
	start = link_->now;
	return 0;
}

/** Every test ends with this: what was sent arrived, was lost by the link, or is under way. */
static int teardown(void **state)
{
	uint64_t sent = 0, received = 0;

	(void)state;
	for (unsigned i = 0; i < link_->n_flows; i++) {
		const struct tcp_counters *c = tcp_counters(link_->flows[i].tcp);

		sent += c->segments_sent;
		received += c->segments_received;
		assert_true(c->in_order + c->doubles <= c->segments_received);
		assert_true(c->segments_received - c->doubles - c->in_order <= TCP_WINDOW);
	}
	assert_int_equal(sent, link_->data);
	assert_int_equal(sent, received + link_->lost_data + toy_data_under_way(link_));
	toy_destroy(link_);
	return 0;
}

static struct tcp *connect_(enum tcp_algorithm algorithm, bool ecn)
{
	const struct tcp_params p = tcp_defaults(algorithm, ecn);

	return toy_connect(link_, &p);
}

static void run_for(uint64_t ns)
{
	toy_run(link_, link_->now + ns);
}

/* Ten at once, then nothing until the first ACK; each ACK of two lets four go. */
static void slow_start_doubles_from_ten(void **state)
{
	struct tcp *t = connect_(TCP_RENO, false);

	(void)state;
	assert_int_equal(tcp_counters(t)->segments_sent, 10);
	run_for(1 * MS);
	assert_int_equal(tcp_counters(t)->segments_sent, 10);
	run_for(140 * US); /* 10 frames of 12 us later all ten are acknowledged */
	assert_int_equal(tcp_counters(t)->acks_sent, 5);
	assert_int_equal(tcp_counters(t)->segments_sent, 30);
	assert_true(tcp_cwnd(t) == 20);
}

/* From then on it sends as fast as the link delivers, whatever the window. */
static void acks_clock_the_sender(void **state)
{
	struct tcp *t = connect_(TCP_RENO, false);
	uint64_t before;

	(void)state;
	run_for(50 * MS);
	before = tcp_counters(t)->segments_received;
	run_for(100 * link_->frame_ns);
	assert_in_range(tcp_counters(t)->segments_received - before, 99, 101);
}

/* Eleven segments: five ACKs of two, and the last one's after 40 ms. */
static bool lose_all_but_11(const struct toy_link *l, bool ack, uint64_t number)
{
	(void)l;
	return !ack && number >= 11;
}

static void an_odd_segment_is_acknowledged_by_the_timer(void **state)
{
	struct tcp *t = connect_(TCP_RENO, false);

	(void)state;
	link_->lose = lose_all_but_11;
	run_for(41 * MS);
	assert_int_equal(tcp_counters(t)->acks_sent, 5);
	run_for(1 * MS);
	assert_int_equal(tcp_counters(t)->acks_sent, 6);
	assert_int_equal(tcp_counters(t)->in_order, 11);
}

/** Let the connection settle in congestion avoidance, then see how much of the link it fills. */
static double utilisation(uint64_t settle, uint64_t span)
{
	uint64_t before;

	run_for(settle);
	before = tcp_counters(link_->flows[0].tcp)->in_order;
	run_for(span);
	return (double)(tcp_counters(link_->flows[0].tcp)->in_order - before) *
	       (double)link_->frame_ns / (double)span;
}

/*
 * With next to no buffer a lone Reno's window swings between W/2 and W, W what the path holds, one
 * segment per RTT: on average it has 3/4 of the link.
 */
static void renos_sawtooth_fills_three_quarters(void **state)
{
	double u;

	(void)state;
	link_->limit = 4;
	connect_(TCP_RENO, false);
	u = utilisation(1 * S, 10 * S);
	assert_true(u > 0.73 && u < 0.79);
	assert_int_equal(tcp_counters(link_->flows[0].tcp)->timeouts, 0);
}

/* With a buffer of a whole path, 83 frames, half the window still fills the link. */
static void a_buffer_of_one_path_fills_the_link(void **state)
{
	(void)state;
	link_->limit = 90;
	connect_(TCP_RENO, false);
	assert_true(utilisation(1 * S, 10 * S) > 0.995);
}

/* CUBIC's 0.7 makes that (1 + 0.7) / 2 in its Reno-friendly region. */
static void cubics_sawtooth_fills_85_percent(void **state)
{
	double u;

	(void)state;
	link_->limit = 4;
	connect_(TCP_CUBIC, false);
	u = utilisation(1 * S, 10 * S);
	assert_true(u > 0.83 && u < 0.88);
}

static bool lose_frame_2000(const struct toy_link *l, bool ack, uint64_t number)
{
	(void)l;
	return !ack && number == 2000;
}

static void a_single_loss_is_repaired_without_timeout(void **state)
{
	struct tcp *t = connect_(TCP_RENO, false);
	const struct tcp_counters *c = tcp_counters(t);

	(void)state;
	link_->lose = lose_frame_2000;
	run_for(200 * MS);
	assert_int_equal(link_->lost_data, 1);
	assert_int_equal(c->losses, 1);
	assert_int_equal(c->retransmits, 1);
	assert_int_equal(c->loss_reductions, 1);
	assert_int_equal(c->timeouts, 0);
	assert_int_equal(c->doubles, 0);
	assert_int_equal(c->in_order, c->segments_received);
}

/* RFC 3168, 6.1.5: a mark on a retransmission would be lost with it. */
static void retransmissions_are_not_ecn_capable(void **state)
{
	(void)state;
	link_->lose = lose_frame_2000;
	connect_(TCP_CUBIC, true);
	run_for(200 * MS);
	assert_int_equal(tcp_counters(link_->flows[0].tcp)->retransmits, 1);
	assert_int_equal(link_->not_capable, 1);
}

/* Many losses in one window are one sign of congestion, and all are repaired in one go. */
static bool lose_some_of_2000(const struct toy_link *l, bool ack, uint64_t number)
{
	(void)l;
	return !ack && number >= 2000 && number < 2060 && number % 3;
}

static void many_losses_in_a_window_are_one_reduction(void **state)
{
	struct tcp *t = connect_(TCP_CUBIC, false);
	const struct tcp_counters *c = tcp_counters(t);

	(void)state;
	link_->lose = lose_some_of_2000;
	run_for(200 * MS);
	assert_int_equal(link_->lost_data, 40);
	assert_int_equal(c->retransmits, 40);
	assert_int_equal(c->loss_reductions, 1);
	assert_int_equal(c->timeouts, 0);
	assert_int_equal(c->doubles, 0);
}

/* The first frame after the loss was noticed is the retransmission: lose it, too. */
static bool lose_twice(const struct toy_link *l, bool ack, uint64_t number)
{
	const struct tcp_counters *c = tcp_counters(l->flows[0].tcp);

	return !ack && (number == 2000 || (l->lost_data == 1 && c->retransmits == 1));
}

static void a_lost_retransmission_is_repaired_without_timeout(void **state)
{
	struct tcp *t = connect_(TCP_RENO, false);
	const struct tcp_counters *c = tcp_counters(t);

	(void)state;
	link_->lose = lose_twice;
	run_for(300 * MS);
	assert_int_equal(link_->lost_data, 2);
	assert_int_equal(c->retransmits, 2);
	assert_int_equal(c->timeouts, 0);
	assert_int_equal(c->in_order, c->segments_received);
}

/* Nothing comes through for a second: RTOs after 0.2, 0.4, 0.8 s, then all is well from a window of
 * one. */
static bool lose_a_second(const struct toy_link *l, bool ack, uint64_t number)
{
	(void)ack;
	(void)number;
	return l->now >= start + 100 * MS && l->now < start + 1100 * MS;
}

static void a_blackout_is_survived_with_backoff(void **state)
{
	struct tcp *t = connect_(TCP_RENO, false);
	const struct tcp_counters *c = tcp_counters(t);
	uint64_t before;

	(void)state;
	link_->lose = lose_a_second;
	run_for(1100 * MS);
	assert_int_equal(c->timeouts, 2);
	assert_true(tcp_cwnd(t) == 1);
	run_for(1 * S);
	assert_int_equal(c->timeouts, 3);
	before = c->in_order;
	run_for(100 * link_->frame_ns);
	assert_in_range(c->in_order - before, 95, 105);
}

/* The path holds 83 segments; 100 more wait before the first mark. */
static void a_mark_reduces_once_per_window(void **state)
{
	struct tcp *t = connect_(TCP_RENO, true);
	const struct tcp_counters *c = tcp_counters(t);

	(void)state;
	link_->mark_from = 100;
	run_for(3 * MS); /* slow start has 80: not yet */
	assert_int_equal(c->ecn_reductions, 0);
	link_->mark_from = 0;
	run_for(20 * MS);
	/* An RTT is 1 ms: every window has been halved, down to the least, 2. */
	assert_in_range(c->ecn_reductions, 8, 21);
	assert_true(c->ce_received > c->ecn_reductions);
	assert_int_equal(c->retransmits, 0);
	assert_true(tcp_cwnd(t) < 4);
}

/* One marked frame alone: half of Reno's window, 0.7 of CUBIC's, and no more than once although all
 * ACKs of the window say ECE. */
static void one_mark(enum tcp_algorithm algorithm, double beta)
{
	struct tcp *t = connect_(algorithm, true);
	double before = 0;

	link_->mark_from = 100;
	while (!link_->marked)
		run_for(1 * US);
	link_->mark_from = UINT64_MAX;
	while (!tcp_counters(t)->ecn_reductions) {
		before = tcp_cwnd(t);
		run_for(1 * US);
	}
	assert_true(fabs(tcp_cwnd(t) / before - beta) < 0.01);
	run_for(20 * MS);
	assert_int_equal(tcp_counters(t)->ecn_reductions, 1);
	assert_int_equal(tcp_counters(t)->losses, 0);
}

static void reno_halves_at_a_mark(void **state)
{
	(void)state;
	one_mark(TCP_RENO, 0.5);
}

static void cubic_keeps_seven_tenths_at_a_mark(void **state)
{
	(void)state;
	one_mark(TCP_CUBIC, 0.7);
}

/*
 * RFC 9438: after a reduction at W_max the window is there again K = cbrt(0.3 W_max / 0.4) seconds
 * later; an eighth of 0.3 W_max is missing at K/2, and 0.3 W_max too much at 2 K. When the loss
 * of a frame at 40 is noticed the window is 80, and K 3.9 s. The RTT is 200 ms, so that Reno would
 * need longer: 0.3 * 80 / 0.53 windows are 9 s.
 */
static bool lose_when_40(const struct toy_link *l, bool ack, uint64_t number)
{
	(void)number;
	return !ack && !l->lost_data && tcp_cwnd(l->flows[0].tcp) >= 40;
}

static void cubic_is_back_after_k_seconds(void **state)
{
	double w_max, k, reduced;
	struct tcp *t;

	(void)state;
	link_->propagation_ns = 100 * MS;
	link_->lose = lose_when_40;
	t = connect_(TCP_CUBIC, false);
	while (!tcp_counters(t)->loss_reductions)
		run_for(1 * MS);
	reduced = tcp_cwnd(t);
	w_max = reduced / 0.7;
	k = cbrt(0.3 * w_max / 0.4);
	while (tcp_cwnd(t) == reduced) /* until the window of the loss is acknowledged */
		run_for(1 * MS);
	start = link_->now;
	toy_run(link_, start + (uint64_t)(k / 2 * 1e9));
	assert_true(fabs(tcp_cwnd(t) - (w_max - 0.3 * w_max / 8)) < 0.01 * w_max);
	toy_run(link_, start + (uint64_t)(k * 1e9));
	assert_true(fabs(tcp_cwnd(t) - w_max) < 0.01 * w_max);
	toy_run(link_, start + (uint64_t)(2 * k * 1e9));
	assert_true(fabs(tcp_cwnd(t) - 1.3 * w_max) < 0.03 * w_max);
}

static struct prng dice;

static bool lose_one_percent(const struct toy_link *l, bool ack, uint64_t number)
{
	(void)l;
	(void)ack;
	(void)number;
	return prng_u32(&dice) < UINT32_MAX / 100;
}

/* Data and ACKs are lost at random: all data comes through, once, and only what was lost is sent
 * again, but for what lost ACKs hide. */
static void random_loss_loses_nothing_for_good(void **state)
{
	struct tcp *t = connect_(TCP_CUBIC, false);
	const struct tcp_counters *c = tcp_counters(t);

	(void)state;
	dice = prng_xorshift32(1);
	link_->lose = lose_one_percent;
	run_for(10 * S);
	link_->lose = NULL;
	run_for(1 * S);
	assert_true(link_->lost_data > 100);
	assert_true(c->retransmits >= link_->lost_data);
	assert_true(c->retransmits < link_->lost_data + link_->lost_data / 20 + 5);
	assert_int_equal(c->in_order + c->doubles, c->segments_received);
}

static bool lose_acks(const struct toy_link *l, bool ack, uint64_t number)
{
	(void)l;
	(void)number;
	return ack && prng_u32(&dice) < UINT32_MAX / 3;
}

static void lost_acks_cost_no_retransmissions(void **state)
{
	struct tcp *t = connect_(TCP_RENO, false);

	(void)state;
	dice = prng_xorshift32(2);
	link_->lose = lose_acks;
	run_for(1 * S);
	assert_true(link_->lost_acks > 1000);
	assert_int_equal(tcp_counters(t)->retransmits, 0);
	assert_true(tcp_counters(t)->in_order > 70000);
}

/* The same queue for both: over ten seconds no one has more than 55 %. */
static void two_of_a_kind_share_a_link(void **state)
{
	const struct tcp_counters *a, *b;
	double part;

	(void)state;
	link_->limit = 60;
	a = tcp_counters(connect_(TCP_RENO, false));
	run_for(100 * MS);
	b = tcp_counters(connect_(TCP_RENO, false));
	run_for(20 * S);
	part = (double)a->in_order / (double)(a->in_order + b->in_order);
	assert_true(part > 0.45 && part < 0.55);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(slow_start_doubles_from_ten),
		TEST(acks_clock_the_sender),
		TEST(an_odd_segment_is_acknowledged_by_the_timer),
		TEST(renos_sawtooth_fills_three_quarters),
		TEST(a_buffer_of_one_path_fills_the_link),
		TEST(cubics_sawtooth_fills_85_percent),
		TEST(a_single_loss_is_repaired_without_timeout),
		TEST(retransmissions_are_not_ecn_capable),
		TEST(many_losses_in_a_window_are_one_reduction),
		TEST(a_lost_retransmission_is_repaired_without_timeout),
		TEST(a_blackout_is_survived_with_backoff),
		TEST(a_mark_reduces_once_per_window),
		TEST(reno_halves_at_a_mark),
		TEST(cubic_keeps_seven_tenths_at_a_mark),
		TEST(cubic_is_back_after_k_seconds),
		TEST(random_loss_loses_nothing_for_good),
		TEST(lost_acks_cost_no_retransmissions),
		TEST(two_of_a_kind_share_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
