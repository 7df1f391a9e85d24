/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TCP connection that always has something to send: the closed loop of scenarios. It owns no
 * clock and no network; whoever does delivers packets, or loses them, and wakes it.
 *
 *	                ┌──────────── ops->send() ───────────► network ──┐
 *	tcp_sender.c ───┤  loss, recovery, RTO          data, ACKs       │
 *	tcp_cc.c        │  Reno, CUBIC                                   │
 *	tcp_receiver.c ─┘  delayed ACK, SACK, ECE  ◄── tcp_deliver() ────┘
 *
 * Modelled: initial window 10, slow start, congestion avoidance of Reno (RFC 5681) and CUBIC (RFC
 * 9438), SACK (RFC 2018), fast retransmit three transmissions after the loss (also of
 * retransmissions), RTO (RFC 6298), classic ECN (RFC 3168), delayed ACKs.
 *
 * Not modelled: handshake and end, pacing, HyStart, tail loss probes, PRR (the window is halved at
 * once), undoing of reductions, sequence numbers that wrap. Data is counted in segments of one
 *size.
 */
#ifndef GATEAU_SCENARIO_TCP_H
#define GATEAU_SCENARIO_TCP_H

#include <stdbool.h>
#include <stdint.h>

/** Segments that may be unacknowledged: the receive window. 5.9 MB of 1,448 bytes: 24 ms at 2
 * Gbit/s, for one connection alone. */
#define TCP_WINDOW 4096

/** Bytes of payload per segment over Ethernet with an MTU of 1,500 bytes, with timestamps. */
#define TCP_MSS 1448

/** Bytes of a frame beside its payload: Ethernet 14, IPv4 20, TCP 20, timestamps 12. */
#define TCP_HEADERS 66

struct tcp;

enum tcp_algorithm {
	TCP_RENO,
	TCP_CUBIC,
};

enum tcp_timer {
	TCP_TIMER_RTO,    /* sender */
	TCP_TIMER_DELACK, /* receiver */
	TCP_TIMERS
};

/** What a packet says, in a number that the network carries along unread. */
typedef uint64_t tcp_cookie;

/** Whether it is an acknowledgement, which goes from the receiver to the sender. */
bool tcp_is_ack(tcp_cookie cookie);

struct tcp_ops {
	/* A frame of @len bytes (without FCS) leaves: tcp_deliver() it, or lose it. */
	void (*send)(void *ctx, struct tcp *t, tcp_cookie cookie, uint32_t len, bool ecn_capable,
		     uint64_t now);
	/* Call tcp_wake(t, timer, at) at @at, ns, and not at the time asked for before. */
	void (*wake_at)(void *ctx, struct tcp *t, enum tcp_timer timer, uint64_t at);
};

struct tcp_params {
	enum tcp_algorithm algorithm;
	bool ecn;
	uint32_t mss;        /* bytes of payload per segment */
	uint64_t rto_min_ns; /* Linux: 200 ms */
	uint64_t delack_ns;  /* Linux: 40 ms */
	const struct tcp_ops *ops;
	void *ctx; /* for ops */
};

/** Frames as over Ethernet with an MTU of 1,500 bytes, timers as in Linux. */
struct tcp_params tcp_defaults(enum tcp_algorithm algorithm, bool ecn);

struct tcp_counters {
	uint64_t segments_sent; /* data, retransmissions included */
	uint64_t retransmits;
	uint64_t losses;   /* segments taken for lost, not counting those of a timeout */
	uint64_t timeouts; /* RTO */
	uint64_t loss_reductions, ecn_reductions;
	uint64_t acks_sent;
	uint64_t segments_received; /* data, doubles included */
	uint64_t doubles;           /* of segments that had come before */
	uint64_t ce_received;
	uint64_t in_order; /* segments handed to the application: goodput */
};

/** 0, -EINVAL (no mss or ops), -ENOMEM. */
int tcp_create(struct tcp **out, const struct tcp_params *p);
void tcp_destroy(struct tcp *t);

/** Begin to send at @now, ns. */
void tcp_start(struct tcp *t, uint64_t now);

/** A packet has arrived at the other end; @ce = marked on the way. */
void tcp_deliver(struct tcp *t, tcp_cookie cookie, bool ce, uint64_t now);

/** The time that wake_at() asked for has come. */
void tcp_wake(struct tcp *t, enum tcp_timer timer, uint64_t now);

const struct tcp_counters *tcp_counters(const struct tcp *t);

/** Segments: congestion window, and in flight as the sender sees it. */
double tcp_cwnd(const struct tcp *t);
uint32_t tcp_in_flight(const struct tcp *t);

/** Smoothed round-trip time, ns; 0 = not known yet. */
uint64_t tcp_srtt(const struct tcp *t);

#endif
