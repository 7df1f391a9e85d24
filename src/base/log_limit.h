/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often a message of one kind is said: LOG_LIMIT_BURST times in LOG_LIMIT_WINDOW_NS, then the
 * last of those that were hidden and how many there were. So what repeats a thousand times a second
 * fills no disk, and what is true in the end is always said.
 *
 * Time is an argument.
 */
#ifndef GATEAU_BASE_LOG_LIMIT_H
#define GATEAU_BASE_LOG_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LIMIT_BURST     10
#define LOG_LIMIT_WINDOW_NS UINT64_C(5000000000)

/** Kinds that are told apart at a time; more of them share one window. */
#define LOG_LIMIT_KINDS 32

/** Bytes of a hidden message that are kept, with the final 0. */
#define LOG_LIMIT_TEXT 512

/** A kind of message, from its first one on until its window ends. */
struct log_window {
	const void *kind;  /* only compared */
	uint64_t since_ns; /* of the first message */
	unsigned said;     /* 0 = no window */
	unsigned hidden;
	int priority;              /* of the last hidden one */
	char last[LOG_LIMIT_TEXT]; /* likewise */
};

/** All zero to begin with. */
struct log_limiter {
	struct log_window windows[LOG_LIMIT_KINDS];
};

/**
 * Whether to say @text now; if not, it is kept as the last one of its @kind. What log_limit_end()
 * has to say at @now is to be said before.
 *
 * @param now  ns, not before that of earlier calls
 */
bool log_limit_pass(struct log_limiter *l, const void *kind, int priority, const char *text,
		    uint64_t now);

/**
 * End a window that began LOG_LIMIT_WINDOW_NS before @now, and in which something was hidden: copy
 * it to @out. To be called until it returns false: then there is none. UINT64_MAX ends all.
 */
bool log_limit_end(struct log_limiter *l, uint64_t now, struct log_window *out);

#endif
