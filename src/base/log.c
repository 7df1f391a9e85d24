/* SPDX-License-Identifier: BSD-3-Clause */
/* See log.h. A line is formatted whole and written at once, so that lines never mix. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/log_limit.h"

#define LINE_MAX_BYTES 1024

static const char *log_name = "gateau";
static bool to_journal;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static bool limited;
static struct log_limiter limiter;

/** The service manager says which file the journal is: one that standard error may yet not be. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == device && st.st_ino == inode;
}

void log_set_name(const char *name)
{
	log_name = name;
	to_journal = stderr_is_journal();
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/** @text is as it will be shown, but for what the journal has instead of it. */
static void write_line(int priority, const char *text, const char *more)
{
	if (to_journal)
		fprintf(stderr, "<%d>%s%s\n", priority, text, more);
	else
		fprintf(stderr, "%s%s\n", text, more);
}

/** The last of a kind stands for all of them. */
static void say_hidden(uint64_t now)
{
	struct log_window w;

	while (log_limit_end(&limiter, now, &w)) {
		char more[64] = "";

		if (w.hidden > 1)
			snprintf(more, sizeof(more), " (and %u more like this, not shown)",
				 w.hidden - 1);
		write_line(w.priority, w.last, more);
	}
}

void log_foreign(int priority, const void *kind, const char *text)
{
	uint64_t now;

	pthread_mutex_lock(&lock);
	now = now_ns();
	say_hidden(now);
	if (!limited || log_limit_pass(&limiter, kind, priority, text, now))
		write_line(priority, text, "");
	pthread_mutex_unlock(&lock);
}

void log_limit(bool on)
{
	pthread_mutex_lock(&lock);
	limited = on;
	if (!on)
		say_hidden(UINT64_MAX);
	pthread_mutex_unlock(&lock);
}

void log_tick(void)
{
	pthread_mutex_lock(&lock);
	say_hidden(now_ns());
	pthread_mutex_unlock(&lock);
}

static void say(int priority, const char *prefix, const char *fmt, va_list ap)
{
	char text[LINE_MAX_BYTES];
	int used = 0;

	if (!to_journal)
		used = snprintf(text, sizeof(text), "%s: ", log_name);
	used += snprintf(text + used, sizeof(text) - used, "%s", prefix);
	vsnprintf(text + used, sizeof(text) - used, fmt, ap);
	log_foreign(priority, fmt, text);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(LOG_ERR, "", fmt, ap);
	va_end(ap);
}

void log_warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(LOG_WARNING, "warning: ", fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(LOG_INFO, "", fmt, ap);
	va_end(ap);
}
