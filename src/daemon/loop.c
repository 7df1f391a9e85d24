/* SPDX-License-Identifier: BSD-3-Clause */
/* See loop.h. */
#include "daemon/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "base/log.h"
#include "ctl/ops.h"
#include "ctl/protocol.h"
#include "ctl/metrics.h"
#include "ctl/server.h"
#include "ctl/telemetry.h"
#include "daemon/notify.h"
#include "dataplane/change.h"
#include "dataplane/links.h"
#include "dataplane/watch.h"

/* The clock gets better with the square of nothing but time: often at first, rarely later. */
#define REFINE_EARLY_MS    100
#define REFINE_EARLY_TIMES 50
#define REFINE_LATE_MS     2000

/* A change that takes long goes on now and then; clients wait meanwhile. */
#define SETTLE_MS       10
#define SETTLE_AGAIN_MS 10

#define SOCKET_PATH_MAX 108 /* sockaddr_un's */

struct loop {
	sd_event *event;
	struct dataplane *dp;
	int link_fd; /* links_open() */
	struct ctl ctl;
	struct server *server;
	struct metrics *metrics;
	char socket[SOCKET_PATH_MAX]; /* "" = none that this process has made */
	struct notify notify;
	struct watch watch;
	unsigned watched;        /* times */
	sd_event_source *settle; /* off while no change is on its way */
};

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

void loop_block_signals(void)
{
	sigset_t set;

	stop_signals(&set);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

bool loop_wait_ms(unsigned ms)
{
	const struct timespec timeout = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	sigset_t set;

	stop_signals(&set);
	return sigtimedwait(&set, NULL, &timeout) > 0;
}

static int on_watch(sd_event_source *source, uint64_t us, void *loop)
{
	struct loop *l = loop;
	unsigned ms = ++l->watched < REFINE_EARLY_TIMES ? REFINE_EARLY_MS : REFINE_LATE_MS;

	(void)us;
	/* Operations read all this, in whatever thread. */
	pthread_mutex_lock(&l->ctl.lock);
	tsc_clock_refine(&l->dp->clock);
	links_watch(l->dp);
	dataplane_read_nics(l->dp);
	watch_queues(&l->watch, l->dp, tsc_clock_convert(&l->dp->clock, rte_rdtsc()));
	notify_state(&l->notify, l->dp);
	pthread_mutex_unlock(&l->ctl.lock);
	log_tick();
	sd_event_source_set_time_relative(source, ms * 1000);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/** What an operation has begun and could not wait for goes on. */
static int on_settle(sd_event_source *source, uint64_t us, void *loop)
{
	struct loop *l = loop;

	(void)source;
	(void)us;
	pthread_mutex_lock(&l->ctl.lock);
	change_settle(l->dp, SETTLE_MS);
	pthread_mutex_unlock(&l->ctl.lock);
	return 0;
}

/** After whatever happened here. Only this thread makes changes. */
static int on_anything(sd_event_source *source, void *loop)
{
	struct loop *l = loop;

	(void)source;
	if (!l->dp->changing || sd_event_source_get_enabled(l->settle, NULL))
		return 0;
	sd_event_source_set_time_relative(l->settle, SETTLE_AGAIN_MS * 1000);
	return sd_event_source_set_enabled(l->settle, SD_EVENT_ONESHOT);
}

static int add_settling(struct loop *l)
{
	int ret = sd_event_add_post(l->event, NULL, on_anything, l);

	if (ret >= 0)
		ret = sd_event_add_time(l->event, &l->settle, CLOCK_MONOTONIC, 0, 1000, on_settle,
					l);
	if (ret >= 0)
		ret = sd_event_source_set_enabled(l->settle, SD_EVENT_OFF);
	return ret;
}

static void look_at_links(struct loop *l)
{
	pthread_mutex_lock(&l->ctl.lock);
	links_watch(l->dp);
	notify_state(&l->notify, l->dp);
	pthread_mutex_unlock(&l->ctl.lock);
}

static int on_link(sd_event_source *source, int fd, uint32_t events, void *loop)
{
	eventfd_t times;

	(void)source;
	(void)events;
	eventfd_read(fd, &times);
	look_at_links(loop);
	return 0;
}

static int on_look(sd_event_source *source, uint64_t us, void *loop)
{
	(void)us;
	look_at_links(loop);
	sd_event_source_set_time_relative(source, LINKS_LOOK_MS * 1000);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int add_links(struct loop *l)
{
	int ret = l->link_fd = links_open(l->dp);

	if (ret >= 0)
		ret = sd_event_add_io(l->event, NULL, l->link_fd, EPOLLIN, on_link, l);
	if (ret >= 0 && links_need_looking(l->dp))
		ret = sd_event_add_time_relative(l->event, NULL, CLOCK_MONOTONIC,
						 LINKS_LOOK_MS * 1000, 1000, on_look, l);
	return ret;
}

/** SIGHUP: the start-up file is to be read again. */
static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *loop)
{
	struct loop *l = loop;
	json_t *request = json_pack("{s:s}", "op", "reload"), *result;

	(void)source;
	(void)info;
	notify_reloading();
	result = ops_run(&l->ctl, request);
	if (!json_is_true(json_object_get(result, "ok")))
		log_error("reload: %s; going on as before",
			  json_string_value(json_object_get(result, "error")));
	notify_ready();
	json_decref(result);
	json_decref(request);
	return 0;
}

/** All but SIGHUP end the loop. */
static int add_signals(struct loop *l)
{
	sigset_t set;
	int ret = sd_event_add_signal(l->event, NULL, SIGHUP, on_hangup, l);

	stop_signals(&set);
	for (int s = 1; s < NSIG && ret >= 0; s++)
		if (sigismember(&set, s) == 1)
			ret = sd_event_add_signal(l->event, NULL, s, NULL, NULL);
	return ret;
}

static const char *default_socket(const struct loop *l, char *buf, size_t size)
{
	const char *named = getenv(CTL_SOCKET_ENV);

	if (named && *named)
		return named;
	snprintf(buf, size, "%s/%s.sock", CTL_SOCKET_DIR, l->dp->config->eal.prefix);
	return buf;
}

/** The one that the service manager passed, or one of our own. */
static int listen_for_clients(struct loop *l, const char *path)
{
	char buf[SOCKET_PATH_MAX];
	int fd;

	if (sd_listen_fds(1) == 1)
		return SD_LISTEN_FDS_START;
	path = path ? path : default_socket(l, buf, sizeof(buf));
	fd = server_listen(path);
	if (fd >= 0)
		snprintf(l->socket, sizeof(l->socket), "%s", path);
	else
		log_warning("control socket %s: %s", path,
			    fd == -EADDRINUSE ? "another process listens there" : strerror(-fd));
	return fd;
}

/** A socket that was asked for must be there; without the default one all else works. */
static int open_server(struct loop *l, const char *path)
{
	int fd = listen_for_clients(l, path);

	if (fd >= 0)
		return server_open(&l->server, l->event, &l->ctl, fd);
	return path ? fd : 0;
}

static int set_up(struct loop *l, const char *socket)
{
	int ret = sd_event_new(&l->event);

	if (ret >= 0)
		ret = add_signals(l);
	if (ret >= 0)
		ret = add_links(l);
	if (ret >= 0)
		ret = add_settling(l);
	if (ret >= 0)
		ret = sd_event_add_time_relative(l->event, NULL, CLOCK_MONOTONIC,
						 REFINE_EARLY_MS * 1000, 1000, on_watch, l);
	if (ret >= 0)
		ret = sd_event_set_watchdog(l->event, true); /* if the service manager has one */
	if (ret < 0) {
		log_error("no event loop (%s)", strerror(-ret));
		return ret;
	}
	ret = open_server(l, socket);
	if (!ret)
		ret = metrics_open(&l->metrics, l->event, &l->ctl);
	if (!ret)
		telemetry_open(&l->ctl);
	return ret;
}

static void take_down(struct loop *l)
{
	telemetry_close();
	metrics_close(l->metrics);
	server_close(l->server);
	if (*l->socket)
		unlink(l->socket);
	sd_event_source_unref(l->settle);
	sd_event_unref(l->event);
	links_close(l->dp, l->link_fd);
	ctl_fini(&l->ctl);
}

int loop_run(struct dataplane *dp, const char *file, const char *socket)
{
	struct loop l = {.dp = dp, .link_fd = -1};
	int ret;

	ctl_init(&l.ctl, dp, file, tsc_clock_convert(&dp->clock, rte_rdtsc()));
	ret = set_up(&l, socket);
	if (!ret) {
		log_info("running");
		notify_state(&l.notify, dp);
		notify_ready();
		log_limit(true);
		ret = sd_event_loop(l.event);
		log_limit(false);
		log_info("stopping");
		notify_stopping(&l.notify);
	}
	take_down(&l);
	return ret;
}
