/* SPDX-License-Identifier: BSD-3-Clause */
/* See server.h. */
#include "ctl/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ctl/protocol.h"

/* Requests are short but for whole configurations: room grows as it is needed. */
#define ROOM_FIRST 4096

enum state {
	STATE_FREE,
	STATE_REQUEST, /* its request is not complete */
	STATE_ANSWER,  /* its answer is not read */
};

struct client {
	struct server *server;
	enum state state;
	int fd;
	uint64_t since_us; /* of the state */
	sd_event_source *io, *deadline;
	char *buf;   /* request or answer; malloc() */
	size_t len;  /* bytes in it */
	size_t size; /* request: room; answer: bytes sent */
};

struct server {
	sd_event *loop;
	struct ctl *ctl;
	int fd;
	sd_event_source *io;
	struct client clients[CTL_CLIENTS_MAX];
};

static void drop_client(struct client *c)
{
	sd_event_source_disable_unref(c->io);
	sd_event_source_disable_unref(c->deadline);
	close(c->fd);
	free(c->buf);
	*c = (struct client){.server = c->server};
}

static uint64_t now_us(const struct server *s)
{
	uint64_t now = 0;

	sd_event_now(s->loop, CLOCK_MONOTONIC, &now);
	return now;
}

static int on_deadline(sd_event_source *source, uint64_t us, void *client)
{
	(void)source;
	(void)us;
	drop_client(client);
	return 0;
}

static int enter(struct client *c, enum state state, uint64_t ms)
{
	c->state = state;
	c->since_us = now_us(c->server);
	return sd_event_source_set_time(c->deadline, c->since_us + ms * 1000);
}

/** As much of the answer as goes. */
static void send_answer(struct client *c)
{
	while (c->size < c->len) {
		ssize_t n = send(c->fd, c->buf + c->size, c->len - c->size, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0)
			break;
		c->size += n;
	}
	drop_client(c);
}

/** @json as a line; NULL if out of memory. */
static char *dump_line(const json_t *json, size_t *len)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	char *line;

	*len = text ? strlen(text) + 1 : 0;
	line = text ? realloc(text, *len) : NULL;
	if (!line) {
		free(text);
		return NULL;
	}
	line[*len - 1] = '\n';
	return line;
}

static void answer(struct client *c, json_t *json)
{
	free(c->buf);
	c->buf = dump_line(json, &c->len);
	c->size = 0;
	json_decref(json);
	if (!c->buf || enter(c, STATE_ANSWER, CTL_ANSWER_MS) ||
	    sd_event_source_set_io_events(c->io, EPOLLOUT)) {
		drop_client(c);
		return;
	}
	send_answer(c);
}

static json_t *refusal(const char *why)
{
	return json_pack("{s:b, s:s}", "ok", 0, "error", why);
}

/** The line is complete: @len bytes without the newline. */
static void take_request(struct client *c, size_t len)
{
	json_t *request = json_loadb(c->buf, len, JSON_REJECT_DUPLICATES, NULL);

	if (json_is_object(request))
		answer(c, ops_run(c->server->ctl, request));
	else
		answer(c, refusal("a request is one line with a JSON object"));
	json_decref(request);
}

static bool make_room(struct client *c)
{
	size_t size = c->size ? 2 * c->size : ROOM_FIRST;
	char *buf;

	if (c->len < c->size)
		return true;
	buf = realloc(c->buf, size);
	if (!buf)
		return false;
	c->buf = buf;
	c->size = size;
	return true;
}

static void receive_request(struct client *c)
{
	const char *end;
	ssize_t n;

	if (!make_room(c)) {
		drop_client(c);
		return;
	}
	n = recv(c->fd, c->buf + c->len, c->size - c->len, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop_client(c);
		return;
	}
	end = memchr(c->buf + c->len, '\n', n);
	c->len += n;
	if (end)
		take_request(c, end - c->buf);
	else if (c->len >= CTL_REQUEST_MAX)
		answer(c, refusal("the request is too long"));
}

static int on_client(sd_event_source *source, int fd, uint32_t events, void *client)
{
	struct client *c = client;

	(void)source;
	(void)fd;
	(void)events;
	if (c->state == STATE_REQUEST)
		receive_request(c);
	else
		send_answer(c);
	return 0;
}

/** A free place, or that of the client that has been in its state for longest. */
static struct client *find_place(struct server *s)
{
	struct client *oldest = &s->clients[0];

	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++) {
		struct client *c = &s->clients[i];

		if (c->state == STATE_FREE)
			return c;
		if (c->since_us < oldest->since_us)
			oldest = c;
	}
	drop_client(oldest);
	return oldest;
}

static void admit(struct server *s, int fd)
{
	struct client *c = find_place(s);

	c->fd = fd;
	if (sd_event_add_io(s->loop, &c->io, fd, EPOLLIN, on_client, c) < 0 ||
	    sd_event_add_time(s->loop, &c->deadline, CLOCK_MONOTONIC, 0, 0, on_deadline, c) < 0 ||
	    enter(c, STATE_REQUEST, CTL_REQUEST_MS) < 0)
		drop_client(c);
}

static int on_connect(sd_event_source *source, int fd, uint32_t events, void *server)
{
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)source;
	(void)events;
	if (client >= 0)
		admit(server, client);
	return 0;
}

int server_open(struct server **out, sd_event *loop, struct ctl *ctl, int fd)
{
	struct server *s = calloc(1, sizeof(*s));
	int ret;

	if (!s) {
		close(fd);
		return -ENOMEM;
	}
	s->loop = sd_event_ref(loop);
	s->ctl = ctl;
	s->fd = fd;
	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
		s->clients[i].server = s;
	ret = sd_event_add_io(loop, &s->io, fd, EPOLLIN, on_connect, s);
	if (ret < 0) {
		server_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

void server_close(struct server *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
		if (s->clients[i].state != STATE_FREE)
			drop_client(&s->clients[i]);
	sd_event_source_disable_unref(s->io);
	close(s->fd);
	sd_event_unref(s->loop);
	free(s);
}
