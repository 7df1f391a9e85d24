/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a connection share; see tcp.h. */
#ifndef GATEAU_SCENARIO_TCP_INTERNAL_H
#define GATEAU_SCENARIO_TCP_INTERNAL_H

#include "tcp.h"

#define TCP_NEVER UINT64_MAX

/** Blocks in an ACK: with timestamps there is room for three. */
#define TCP_SACKS 3

/**
 * ACKs are looked up by number when they arrive. More than two windows of them cannot be under way:
 * each answers a segment that its sender still took for outstanding.
 */
#define TCP_ACKS (2 * TCP_WINDOW)

struct tcp_ack {
	uint64_t id;  /* which ACK this is */
	uint64_t cum; /* segments below it have all arrived */
	struct tcp_sack {
		uint64_t start, end;
	} sack[TCP_SACKS]; /* the newest first */
	uint8_t sacks;
	bool ece;
};

/** Congestion control: tcp_cc.c. */
struct tcp_cc {
	enum tcp_algorithm algorithm;
	double cwnd, ssthresh; /* segments */
	/* CUBIC, in the terms of RFC 9438; segments and seconds */
	double w_max, w_est, k;
	uint64_t epoch_ns; /* 0 = congestion avoidance begins with the next ACK */
};

void tcp_cc_init(struct tcp_cc *cc, enum tcp_algorithm algorithm);

/** @acked segments were acknowledged at @now, ns, while the window was full. */
void tcp_cc_grow(struct tcp_cc *cc, uint32_t acked, uint64_t srtt_ns, uint64_t now);

/** A sign of congestion: one per window of data. */
void tcp_cc_reduce(struct tcp_cc *cc);

/** Everything outstanding is lost: the window begins anew from one segment. @again = nothing came
 * through since the last time. */
void tcp_cc_collapse(struct tcp_cc *cc, bool again);

enum tcp_segment_state {
	TCP_SEGMENT_ACKED, /* or SACKed */
	TCP_SEGMENT_IN_FLIGHT,
	TCP_SEGMENT_LOST, /* waits to be sent again */
};

struct tcp_segment {
	uint64_t sent_ns;
	uint64_t transmission; /* number of its last one */
	uint8_t state;         /* enum tcp_segment_state */
	bool again;            /* retransmitted: tells no RTT (Karn) */
};

/** How the sender answers congestion now. */
enum tcp_phase {
	TCP_OPEN,
	TCP_REDUCED,   /* the window of data that was outstanding at a reduction is not yet acked */
	TCP_TIMED_OUT, /* the same after an RTO: the window grows meanwhile */
};

struct tcp_sender {
	struct tcp_cc cc;
	enum tcp_phase phase;
	bool cwr;         /* the next new segment tells of the reduction */
	uint64_t una;     /* oldest segment not acknowledged */
	uint64_t next;    /* next new segment */
	uint64_t recover; /* phase ends when this one is acknowledged */
	uint32_t in_flight;
	struct tcp_segment segments[TCP_WINDOW]; /* una..next-1 */

	/* Transmissions in their order; what was sent three before a delivered one is lost. */
	uint64_t oldest, transmissions, delivered;
	uint64_t sent[2 * TCP_WINDOW];

	/* Lost segments in the order of their retransmission. */
	uint64_t lost_head, lost_tail;
	uint64_t lost[2 * TCP_WINDOW];

	uint64_t srtt_ns, rttvar_ns;
	unsigned backoff; /* RTO is doubled so often */
};

struct tcp_receiver {
	uint64_t next;             /* lowest segment not received */
	uint64_t highest;          /* one above the highest received */
	bool received[TCP_WINDOW]; /* next..highest-1 */
	struct tcp_sack recent[TCP_SACKS];
	unsigned n_recent;
	unsigned unacked; /* segments since the last ACK */
	bool ece;         /* a mark was seen, the sender's answer was not */
	uint64_t acks;
	struct tcp_ack ack[TCP_ACKS];
};

struct tcp {
	struct tcp_params params;
	struct tcp_counters counters;
	struct timer {
		uint64_t due;     /* TCP_NEVER = not running */
		uint64_t pending; /* when tcp_wake() will come, TCP_NEVER = will not */
	} timers[TCP_TIMERS];
	struct tcp_sender sender;
	struct tcp_receiver receiver;
};

/** ACKs have the top bit; data, the one below it if the segment has CWR. The rest is a number. */
#define TCP_COOKIE_ACK    (1ull << 63)
#define TCP_COOKIE_CWR    (1ull << 62)
#define TCP_COOKIE_NUMBER (TCP_COOKIE_CWR - 1)

/** Run @timer until @due; a later one than before costs no event. */
void tcp_timer_set(struct tcp *t, enum tcp_timer timer, uint64_t due);

void tcp_sender_start(struct tcp *t, uint64_t now);
void tcp_sender_take_ack(struct tcp *t, const struct tcp_ack *ack, uint64_t now);
void tcp_sender_time_out(struct tcp *t, uint64_t now);

void tcp_receiver_take(struct tcp *t, uint64_t segment, bool cwr, bool ce, uint64_t now);
void tcp_receiver_send_ack(struct tcp *t, uint64_t now);

#endif
