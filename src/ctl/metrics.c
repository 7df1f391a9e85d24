/* SPDX-License-Identifier: BSD-3-Clause */
/* See metrics.h. */
#include "ctl/metrics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_string_fns.h>

#include "base/log.h"
#include "ctl/http.h"
#include "ctl/server.h"
#include "ctl/show.h"
#include "stats/openmetrics.h"

#define BACKLOG 16

struct metrics {
	struct ctl *ctl;
	struct http *http;
	char path[LISTEN_TEXT_MAX]; /* of the socket; "" = it has none */
};

static int render(void *metrics, FILE *out, bool openmetrics)
{
	struct metrics *m = metrics;
	int ret;

	pthread_mutex_lock(&m->ctl->lock);
	ret = show_collect(m->ctl);
	if (!ret)
		openmetrics_write(out, openmetrics ? OPENMETRICS_1 : OPENMETRICS_PLAIN,
				  &m->ctl->stats, m->ctl->generation);
	pthread_mutex_unlock(&m->ctl->lock);
	return ret;
}

static int listen_tcp(const struct listen_address *a)
{
	const int yes = 1;
	int ret, fd = socket(a->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	/* Connections of a gateaud that has just ended are no reason to wait. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (!bind(fd, (const struct sockaddr *)&a->addr, a->len) && !listen(fd, BACKLOG))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

/** What was bound, which is more than what was asked for if that was port 0. */
static void announce(int fd)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	char host[INET6_ADDRSTRLEN];

	if (getsockname(fd, (struct sockaddr *)&a, &len))
		return;
	if (a.ss_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)&a;

		inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
		log_info("metrics: http://%s:%u/metrics", host, ntohs(in->sin_port));
	} else if (a.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const void *)&a;

		inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof(host));
		log_info("metrics: http://[%s]:%u/metrics", host, ntohs(in->sin6_port));
	} else {
		log_info("metrics: /metrics by HTTP at the socket %s",
			 ((const struct sockaddr_un *)(const void *)&a)->sun_path);
	}
}

/** A socket that listens; 0: none, which is no fault; -errno. */
static int listen_at(const struct config_metrics *c)
{
	const char *path = listen_path(c->listen);
	struct listen_address a;
	int fd;

	if (!listen_parse(c->listen, &a) || !a.len)
		return 0;
	fd = path ? server_listen(path) : listen_tcp(&a);
	if (fd >= 0) {
		announce(fd);
		return fd;
	}
	if (!c->listen_set) {
		log_warning("metrics: no HTTP at %s (%s); \"metrics\": { \"listen\" } names "
			    "another address",
			    c->listen, strerror(-fd));
		return 0;
	}
	log_error("metrics: cannot listen at %s (%s)", c->listen, strerror(-fd));
	return fd;
}

static int serve_http(struct metrics **out, sd_event *loop, struct ctl *ctl, int fd)
{
	struct metrics *m = calloc(1, sizeof(*m));
	const char *path = listen_path(ctl->dp->config->metrics.listen);
	int ret;

	if (!m) {
		close(fd);
		return -ENOMEM;
	}
	m->ctl = ctl;
	if (path)
		strlcpy(m->path, path, sizeof(m->path));
	ret = http_open(&m->http, loop, fd, render, m);
	if (ret) {
		metrics_close(m);
		return ret;
	}
	*out = m;
	return 0;
}

int metrics_open(struct metrics **out, sd_event *loop, struct ctl *ctl)
{
	int ret = listen_at(&ctl->dp->config->metrics);

	*out = NULL;
	if (ret <= 0)
		return ret;
	ret = serve_http(out, loop, ctl, ret);
	if (ret)
		log_error("metrics: cannot serve HTTP (%s)", strerror(-ret));
	return ret;
}

void metrics_close(struct metrics *m)
{
	if (!m)
		return;
	http_close(m->http);
	if (*m->path)
		unlink(m->path);
	free(m);
}
