/* SPDX-License-Identifier: BSD-3-Clause */
/* See client.h. */
#include "cli/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "ctl/protocol.h"

/* Longer than any operation takes: a change waits some seconds for its workers. */
#define PATIENCE_S 60

static const char *choose_socket(const char *socket)
{
	const char *named = getenv(CTL_SOCKET_ENV);

	if (socket)
		return socket;
	return named && *named ? named : CTL_SOCKET_DEFAULT;
}

/** Returns the file descriptor or -errno. */
static int dial(const char *path)
{
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	strcpy(a.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&a, sizeof(a)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience))) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	return fd;
}

static void explain_no_connection(char *why, const char *path, int error)
{
	const char *hint = "";

	if (error == ENOENT || error == ECONNREFUSED)
		hint = "; is gateaud running?";
	else if (error == EACCES || error == EPERM)
		hint = "; root and members of its group may use it";
	snprintf(why, CLIENT_WHY_MAX, "control socket %s: %s%s", path, strerror(error), hint);
}

static int send_line(int fd, const json_t *request)
{
	char *text = json_dumps(request, JSON_COMPACT);
	size_t len = text ? strlen(text) : 0;
	int ret = text ? 0 : -ENOMEM;

	/* In place of the final 0, which nobody sends. */
	if (text)
		text[len++] = '\n';
	for (size_t sent = 0; !ret && sent < len;) {
		ssize_t n = send(fd, text + sent, len - sent, MSG_NOSIGNAL);

		if (n > 0)
			sent += n;
		else if (errno != EINTR)
			ret = -errno;
	}
	free(text);
	return ret;
}

/** Until the daemon closes. */
static json_t *receive(int fd)
{
	FILE *in = fdopen(fd, "r");
	json_t *answer = NULL;

	if (!in) {
		close(fd);
		return NULL;
	}
	answer = json_loadf(in, 0, NULL);
	fclose(in);
	return answer;
}

static json_t *take_result(json_t *answer, char *why)
{
	const char *error = json_string_value(json_object_get(answer, "error"));
	json_t *result = NULL;

	if (json_is_true(json_object_get(answer, "ok")))
		result = json_incref(json_object_get(answer, "result"));
	if (!result)
		snprintf(why, CLIENT_WHY_MAX, "%s",
			 error ? error : "gateaud gave no answer that can be understood");
	json_decref(answer);
	return result;
}

json_t *client_try(const char *socket, json_t *request, char *why)
{
	const char *path = choose_socket(socket);
	int fd = dial(path), ret;

	if (fd < 0) {
		explain_no_connection(why, path, -fd);
		json_decref(request);
		return NULL;
	}
	ret = send_line(fd, request);
	json_decref(request);
	/* A daemon that refuses early has answered, too: EPIPE is no reason not to read. */
	if (ret && ret != -EPIPE) {
		snprintf(why, CLIENT_WHY_MAX, "control socket %s: %s", path, strerror(-ret));
		close(fd);
		return NULL;
	}
	return take_result(receive(fd), why);
}

json_t *client_ask(const char *command, const char *socket, json_t *request)
{
	char why[CLIENT_WHY_MAX];
	json_t *result = client_try(socket, request, why);

	if (!result)
		fprintf(stderr, "gateau %s: %s\n", command, why);
	return result;
}

void client_print(const json_t *json)
{
	json_dumpf(json, stdout, JSON_INDENT(2));
	fputc('\n', stdout);
}
