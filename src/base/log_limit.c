/* SPDX-License-Identifier: BSD-3-Clause */
/* See log_limit.h. */
#include "base/log_limit.h"

#include <stdio.h>
#include <string.h>

static bool is_over(const struct log_window *w, uint64_t now)
{
	return now - w->since_ns >= LOG_LIMIT_WINDOW_NS;
}

/** That of @kind, else a free one, else the last, which several kinds then have in common. */
static struct log_window *find_window(struct log_limiter *l, const void *kind, uint64_t now)
{
	struct log_window *free = NULL;

	for (unsigned i = 0; i < LOG_LIMIT_KINDS; i++) {
		struct log_window *w = &l->windows[i];

		if (w->said && w->kind == kind && !is_over(w, now))
			return w;
		if (!free && (!w->said || (!w->hidden && is_over(w, now))))
			free = w;
	}
	if (!free)
		return &l->windows[LOG_LIMIT_KINDS - 1];
	*free = (struct log_window){.kind = kind, .since_ns = now};
	return free;
}

bool log_limit_pass(struct log_limiter *l, const void *kind, int priority, const char *text,
		    uint64_t now)
{
	struct log_window *w = find_window(l, kind, now);

	if (w->said < LOG_LIMIT_BURST) {
		w->said++;
		return true;
	}
	w->hidden++;
	w->priority = priority;
	snprintf(w->last, sizeof(w->last), "%s", text);
	return false;
}

bool log_limit_end(struct log_limiter *l, uint64_t now, struct log_window *out)
{
	for (unsigned i = 0; i < LOG_LIMIT_KINDS; i++) {
		struct log_window *w = &l->windows[i];

		if (!w->hidden || !is_over(w, now))
			continue;
		*out = *w;
		*w = (struct log_window){0};
		return true;
	}
	return false;
}
