/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages for the person who runs the program: one line each on standard error, "NAME: text". If
 * that is the journal, each begins with its priority as sd-daemon(3) has it, "<4>text", and the
 * journal knows the name. Any thread.
 *
 * Not for the fast path: what happens per packet is counted, not told.
 */
#ifndef GATEAU_BASE_LOG_H
#define GATEAU_BASE_LOG_H

#include <stdbool.h>

/**
 * Set what every line begins with, and look where the lines go; @name is kept, not copied. Call
 * before threads exist.
 */
void log_set_name(const char *name);

/** What was asked for cannot be done; the caller goes on to fail with an error code. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** Something is not as asked, and the program goes on. */
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** What is in force. */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** The line of somebody else; @priority is syslog's, @kind tells for log_limit() what it is like.
 */
void log_foreign(int priority, const void *kind, const char *text);

/**
 * Whether messages of one kind, which is one @fmt, are said as often as log_limit.h allows, or, as
 * to begin with, always: while starting, stopping, and for lists that were asked for. Switching it
 * off says what is hidden.
 */
void log_limit(bool on);

/** To be called each second or so: says what was hidden in windows that have ended. */
void log_tick(void);

#endif
