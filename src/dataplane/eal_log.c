/* SPDX-License-Identifier: BSD-3-Clause */
/* See eal_log.h. DPDK prints to a stream and flushes it after each message. */
#include "dataplane/eal_log.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <rte_log.h>

#include "base/log.h"

#define LINE_MAX_BYTES 1024

/* Messages may be half a line, or several. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two below */
static char line[LINE_MAX_BYTES];
static size_t used;

/** Each of DPDK's components, its log types, is a kind of message of its own. */
static const void *kind_of(int type)
{
	static const char kinds[256];

	return &kinds[(unsigned)type % sizeof(kinds)];
}

static void end_line(void)
{
	line[used] = '\0';
	/* DPDK counts from 1, syslog from 0. */
	if (used)
		log_foreign(rte_log_cur_msg_loglevel() - 1, kind_of(rte_log_cur_msg_logtype()),
			    line);
	used = 0;
}

static ssize_t take(void *cookie, const char *buf, size_t size)
{
	(void)cookie;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < size; i++) {
		if (buf[i] == '\n')
			end_line();
		else if (used < sizeof(line) - 1)
			line[used++] = buf[i];
	}
	pthread_mutex_unlock(&lock);
	return size;
}

int eal_log_open(void)
{
	FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take});

	if (!f || rte_openlog_stream(f))
		return -ENOMEM;
	return 0;
}
