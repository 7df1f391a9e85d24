/* SPDX-License-Identifier: BSD-3-Clause */
/* See links.h. */
#include "dataplane/links.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "dataplane/visits.h"

/* A worker comes round every 10 us; one that does not is told at the next look. */
#define TELL_PATIENCE_MS 100

int links_open(struct dataplane *dp)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		port_tell_link_events(&dp->ports[i], fd);
	return fd;
}

void links_close(struct dataplane *dp, int fd)
{
	if (fd < 0)
		return;
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		port_ignore_link_events(&dp->ports[i]);
	close(fd);
}

bool links_need_looking(const struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		if (!dp->ports[i].choice.link_events)
			return true;
	return false;
}

static void hold_queue(struct txq *q, void *config, uint64_t now)
{
	txq_link_down(q, now, ((const struct config_port *)config)->link_hold_ns);
}

static void resume_queue(struct txq *q, void *config, uint64_t now)
{
	(void)config;
	txq_link_up(q, now);
}

/** All queues of port @p learn how its link is; if they cannot be reached, at the next look. */
static void tell_queues(struct dataplane *dp, unsigned p)
{
	const bool down = dp->ports[p].link_down;
	const struct config_port *config = &dp->config->ports[p];

	if (visits_make_port(dp, p, down ? hold_queue : resume_queue, (void *)(uintptr_t)config,
			     TELL_PATIENCE_MS) == 0)
		dp->ports[p].queues_wait = down;
}

void links_watch(struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->config->n_ports; i++) {
		port_watch_link(&dp->ports[i]);
		if (dp->ports[i].link_down != dp->ports[i].queues_wait)
			tell_queues(dp, i);
	}
}
