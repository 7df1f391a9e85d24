/* SPDX-License-Identifier: BSD-3-Clause */
/* See notify.h. */
#include "daemon/notify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <systemd/sd-daemon.h>

void notify_ready(void)
{
	sd_notify(0, "READY=1");
}

void notify_reloading(void)
{
	struct timespec now;

	/* The manager tells by the time which reload this answers (Type=notify-reload). */
	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		   (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
}

static void tell(struct notify *n, const char *status)
{
	if (!strcmp(n->status, status))
		return;
	snprintf(n->status, sizeof(n->status), "%s", status);
	sd_notifyf(0, "STATUS=%s", status);
}

void notify_stopping(struct notify *n)
{
	sd_notify(0, "STOPPING=1");
	tell(n, "sending what is queued");
}

void notify_state(struct notify *n, const struct dataplane *dp)
{
	char text[NOTIFY_STATUS_MAX];
	const char *separator = "; link down: ";
	unsigned n_ports = dp->config->n_ports;
	size_t used;

	used = (size_t)snprintf(text, sizeof(text), "forwarding between %u port%s", n_ports,
				n_ports == 1 ? "" : "s");
	for (unsigned i = 0; i < n_ports && used < sizeof(text); i++) {
		if (!dp->ports[i].link_down)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", separator,
					 dp->config->ports[i].name);
		separator = ", ";
	}
	tell(n, text);
}
