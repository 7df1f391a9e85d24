/* SPDX-License-Identifier: BSD-3-Clause */
/* See listen.h. */
#include "config/listen.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#define UNIX "unix:"
#define PORT ":[0-9]{1,5}"

static_assert(LISTEN_TEXT_MAX == sizeof(UNIX) - 1 + sizeof(((struct sockaddr_un *)0)->sun_path),
	      "the longest path fits");

const char listen_pattern[] = "^(off|" UNIX "/[A-Za-z0-9_./:@%+=~-]{1,106}"
			      "|[0-9.]{7,15}" PORT "|\\[[0-9a-fA-F:.]{2,45}\\]" PORT ")$";

static bool parse_port(const char *s, in_port_t *port)
{
	char *end;
	unsigned long n;

	if (*s < '0' || *s > '9')
		return false;
	n = strtoul(s, &end, 10);
	*port = htons((uint16_t)n);
	return !*end && n <= UINT16_MAX;
}

static bool parse_unix(const char *path, struct listen_address *out)
{
	struct sockaddr_un *a = (void *)&out->addr;

	if (*path != '/' || !path[1] || strlen(path) >= sizeof(a->sun_path))
		return false;
	a->sun_family = AF_UNIX;
	strcpy(a->sun_path, path);
	out->len = sizeof(*a);
	return true;
}

static bool parse_ipv4(const char *host, const char *port, struct listen_address *out)
{
	struct sockaddr_in *a = (void *)&out->addr;

	a->sin_family = AF_INET;
	out->len = sizeof(*a);
	return inet_pton(AF_INET, host, &a->sin_addr) == 1 && parse_port(port, &a->sin_port);
}

static bool parse_ipv6(const char *host, const char *port, struct listen_address *out)
{
	struct sockaddr_in6 *a = (void *)&out->addr;

	a->sin6_family = AF_INET6;
	out->len = sizeof(*a);
	return inet_pton(AF_INET6, host, &a->sin6_addr) == 1 && parse_port(port, &a->sin6_port);
}

const char *listen_path(const char *s)
{
	return strncmp(s, UNIX, strlen(UNIX)) ? NULL : s + strlen(UNIX);
}

bool listen_parse(const char *s, struct listen_address *out)
{
	char host[LISTEN_TEXT_MAX];
	char *colon;

	*out = (struct listen_address){0};
	if (!strcmp(s, "off"))
		return true;
	if (listen_path(s))
		return parse_unix(listen_path(s), out);
	if (strlen(s) >= sizeof(host))
		return false;
	strcpy(host, s);
	colon = strrchr(host, ':');
	if (!colon)
		return false;
	*colon = '\0';
	if (*host != '[')
		return parse_ipv4(host, colon + 1, out);
	if (colon[-1] != ']')
		return false;
	colon[-1] = '\0';
	return parse_ipv6(host + 1, colon + 1, out);
}

bool listen_valid(const char *s)
{
	struct listen_address a;

	return listen_parse(s, &a);
}
