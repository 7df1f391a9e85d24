/* SPDX-License-Identifier: BSD-3-Clause */
/* See http.h. */
#include "ctl/http.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#define PATH       "/metrics"
#define MEDIA_OPEN "application/openmetrics-text"
#define TYPE_OPEN  MEDIA_OPEN "; version=1.0.0; charset=utf-8"
#define TYPE_PLAIN "text/plain; version=0.0.4; charset=utf-8"

/* Those that were shut down stay in the library's books until it comes round. */
#define LIBRARY_CLIENTS_MAX (2 * HTTP_CLIENTS_MAX)

/* For the request's line and headers: a scraper's are below 1 kB. */
#define REQUEST_BYTES 8192

struct client {
	struct MHD_Connection *connection; /* NULL = free */
	int fd;
	uint64_t since_us;
};

/** An answer that may be given again. */
struct page {
	struct MHD_Response *response; /* NULL = none yet */
	uint64_t made_us;
};

struct http {
	sd_event *loop;
	struct MHD_Daemon *daemon;
	sd_event_source *io, *timer;
	http_render_fn render;
	void *arg;
	struct page pages[2]; /* [openmetrics] */
	struct client clients[HTTP_CLIENTS_MAX];
};

static uint64_t now_us(const struct http *h)
{
	uint64_t now = 0;

	sd_event_now(h->loop, CLOCK_MONOTONIC, &now);
	return now;
}

/** @text is taken over; NULL: out of memory. Each answer ends its connection. */
static struct MHD_Response *make_response(char *text, size_t len, const char *type)
{
	struct MHD_Response *r =
		text ? MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE) : NULL;

	if (!r) {
		free(text);
		return NULL;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	return r;
}

static struct MHD_Response *render(struct http *h, bool openmetrics)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int ret = out ? h->render(h->arg, out, openmetrics) : -ENOMEM;

	if (out && fclose(out) && !ret)
		ret = -ENOMEM;
	if (ret) {
		free(text);
		return NULL;
	}
	return make_response(text, len, openmetrics ? TYPE_OPEN : TYPE_PLAIN);
}

/** NULL: there are no metrics. */
static struct MHD_Response *find_page(struct http *h, bool openmetrics)
{
	struct page *p = &h->pages[openmetrics];

	if (p->response && now_us(h) - p->made_us < HTTP_FRESH_MS * 1000)
		return p->response;
	if (p->response)
		MHD_destroy_response(p->response);
	p->response = render(h, openmetrics);
	p->made_us = now_us(h);
	return p->response;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
	char *text = strdup(why);
	struct MHD_Response *r = make_response(text, strlen(why), "text/plain; charset=utf-8");
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static bool wants_openmetrics(struct MHD_Connection *c)
{
	const char *accept =
		MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);

	return accept && strstr(accept, MEDIA_OPEN);
}

static enum MHD_Result on_request(void *http, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	struct MHD_Response *page;

	(void)version;
	(void)data;
	(void)size;
	(void)state;
	if (strcmp(url, PATH))
		return refuse(c, MHD_HTTP_NOT_FOUND, "not found; statistics are at " PATH "\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n");
	page = find_page(http, wants_openmetrics(c));
	if (!page)
		return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "no statistics at present\n");
	return MHD_queue_response(c, MHD_HTTP_OK, page);
}

/** The library sees the end of the connection when it comes round, and tells of it. */
static void hang_up(struct client *c)
{
	shutdown(c->fd, SHUT_RDWR);
	c->connection = NULL;
}

static void admit(struct http *h, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *place = &h->clients[0];

	for (unsigned i = 0; i < HTTP_CLIENTS_MAX && place->connection; i++)
		if (!h->clients[i].connection || h->clients[i].since_us < place->since_us)
			place = &h->clients[i];
	if (place->connection)
		hang_up(place);
	*place = (struct client){connection, info->connect_fd, now_us(h)};
}

static void on_connection(void *http, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct http *h = http;

	(void)context;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		admit(h, connection);
		return;
	}
	for (unsigned i = 0; i < HTTP_CLIENTS_MAX; i++)
		if (h->clients[i].connection == connection)
			h->clients[i].connection = NULL;
}

/** Hang up on those whose time is over. Returns when that of the next will be, UINT64_MAX = never.
 */
static uint64_t end_late_ones(struct http *h)
{
	uint64_t next = UINT64_MAX, now = now_us(h);

	for (unsigned i = 0; i < HTTP_CLIENTS_MAX; i++) {
		struct client *c = &h->clients[i];
		uint64_t end = c->since_us + HTTP_CLIENT_MS * 1000;

		if (!c->connection)
			continue;
		if (end <= now)
			hang_up(c);
		else if (end < next)
			next = end;
	}
	return next;
}

/** Let the library do what there is to do, and come again when there is more. */
static int run(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;
	uint64_t next;

	end_late_ones(h);
	MHD_run(h->daemon);
	next = end_late_ones(h);
	if (MHD_get_timeout(h->daemon, &ms) == MHD_YES && now_us(h) + ms * 1000 < next)
		next = now_us(h) + ms * 1000;
	if (next == UINT64_MAX)
		return sd_event_source_set_enabled(h->timer, SD_EVENT_OFF);
	sd_event_source_set_time(h->timer, next);
	return sd_event_source_set_enabled(h->timer, SD_EVENT_ONESHOT);
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *http)
{
	(void)source;
	(void)fd;
	(void)events;
	return run(http);
}

static int on_timer(sd_event_source *source, uint64_t us, void *http)
{
	(void)source;
	(void)us;
	return run(http);
}

/** Takes @fd over only if it succeeds. */
static int start_library(struct http *h, int fd)
{
	h->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)LIBRARY_CLIENTS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_END);
	return h->daemon ? 0 : -ENOMEM;
}

static int add_to_loop(struct http *h)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int ret = sd_event_add_io(h->loop, &h->io, info->epoll_fd, EPOLLIN, on_io, h);

	if (ret >= 0)
		ret = sd_event_add_time(h->loop, &h->timer, CLOCK_MONOTONIC, 0, 0, on_timer, h);
	return ret < 0 ? ret : 0;
}

int http_open(struct http **out, sd_event *loop, int fd, http_render_fn render_fn, void *arg)
{
	struct http *h = calloc(1, sizeof(*h));
	int ret;

	if (!h) {
		close(fd);
		return -ENOMEM;
	}
	h->loop = sd_event_ref(loop);
	h->render = render_fn;
	h->arg = arg;
	ret = start_library(h, fd);
	if (ret)
		close(fd);
	else
		ret = add_to_loop(h);
	if (ret) {
		http_close(h);
		return ret;
	}
	*out = h;
	return 0;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	sd_event_source_disable_unref(h->io);
	sd_event_source_disable_unref(h->timer);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	for (unsigned i = 0; i < 2; i++)
		if (h->pages[i].response)
			MHD_destroy_response(h->pages[i].response);
	sd_event_unref(h->loop);
	free(h);
}
