/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages for the person who runs the program: one line each on standard error, "NAME: text".
 *
 * Not for the fast path: what happens per packet is counted, not told.
 */
#ifndef GATEAU_BASE_LOG_H
#define GATEAU_BASE_LOG_H

/** Set what every line begins with; @name is kept, not copied. Call before threads exist. */
void log_set_name(const char *name);

/** What was asked for cannot be done; the caller goes on to fail with an error code. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** Something is not as asked, and the program goes on. */
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** What is in force. */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
