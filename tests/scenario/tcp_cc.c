/* SPDX-License-Identifier: BSD-3-Clause */
/* The congestion window: Reno (RFC 5681) and CUBIC (RFC 9438), in segments. */
#include "tcp_internal.h"

#include <math.h>

#define INITIAL_WINDOW 10 /* RFC 6928 */
#define MINIMUM_WINDOW 2

#define RENO_BETA  0.5
#define CUBIC_BETA 0.7
#define CUBIC_C    0.4 /* segments/s^3 */

/* What CUBIC adds per window, so that it is never slower than Reno: RFC 9438, 4.3. */
#define RENO_FRIENDLY_ALPHA (3 * (1 - CUBIC_BETA) / (1 + CUBIC_BETA))

void tcp_cc_init(struct tcp_cc *cc, enum tcp_algorithm algorithm)
{
	*cc = (struct tcp_cc){
		.algorithm = algorithm,
		.cwnd = INITIAL_WINDOW,
		.ssthresh = TCP_WINDOW,
	};
}

/* The curve begins at the window of now: below the last maximum it climbs back to it in k seconds,
 * above it (after a timeout only) it climbs from here. */
static void begin_epoch(struct tcp_cc *cc, uint64_t now)
{
	cc->epoch_ns = now;
	cc->w_est = cc->cwnd;
	if (cc->w_max < cc->cwnd)
		cc->w_max = cc->cwnd;
	cc->k = cbrt((cc->w_max - cc->cwnd) / CUBIC_C);
}

static double cubic_curve(const struct tcp_cc *cc, double seconds)
{
	const double d = seconds - cc->k;

	return CUBIC_C * d * d * d + cc->w_max;
}

static void grow_cubic(struct tcp_cc *cc, uint32_t acked, uint64_t srtt_ns, uint64_t now)
{
	double target, t;

	if (!cc->epoch_ns)
		begin_epoch(cc, now);
	t = (double)(now - cc->epoch_ns) / 1e9;
	cc->w_est += RENO_FRIENDLY_ALPHA * acked / cc->cwnd;
	if (cubic_curve(cc, t) < cc->w_est) {
		cc->cwnd = fmax(cc->cwnd, cc->w_est);
		return;
	}
	target = fmin(cubic_curve(cc, t + (double)srtt_ns / 1e9), 1.5 * cc->cwnd);
	if (target > cc->cwnd)
		cc->cwnd += (target - cc->cwnd) / cc->cwnd * acked;
}

void tcp_cc_grow(struct tcp_cc *cc, uint32_t acked, uint64_t srtt_ns, uint64_t now)
{
	if (cc->cwnd < cc->ssthresh)
		cc->cwnd = fmin(cc->cwnd + acked, cc->ssthresh);
	else if (cc->algorithm == TCP_RENO)
		cc->cwnd += acked / cc->cwnd;
	else
		grow_cubic(cc, acked, srtt_ns, now);
	if (cc->cwnd > TCP_WINDOW)
		cc->cwnd = TCP_WINDOW;
}

static double reduced(struct tcp_cc *cc)
{
	if (cc->algorithm == TCP_RENO)
		return cc->cwnd * RENO_BETA;
	/* Fast convergence: who gave way twice in a row makes room for others. */
	cc->w_max = cc->cwnd < cc->w_max ? cc->cwnd * (1 + CUBIC_BETA) / 2 : cc->cwnd;
	return cc->cwnd * CUBIC_BETA;
}

void tcp_cc_reduce(struct tcp_cc *cc)
{
	cc->ssthresh = fmax(reduced(cc), MINIMUM_WINDOW);
	cc->cwnd = cc->ssthresh;
	cc->epoch_ns = 0;
}

void tcp_cc_collapse(struct tcp_cc *cc, bool again)
{
	if (!again)
		cc->ssthresh = fmax(reduced(cc), MINIMUM_WINDOW);
	cc->cwnd = 1;
	cc->epoch_ns = 0;
}
