/* SPDX-License-Identifier: BSD-3-Clause */
/* inet_pton() and inet_ntop() do the addresses; here are length and the bits behind it. */
#include "config/prefix.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int socket_family(const struct packet_prefix *p)
{
	return p->family == 4 ? AF_INET : AF_INET6;
}

/* Clear what lies behind the prefix. Returns whether anything did. */
static bool clear_behind(struct packet_prefix *p)
{
	bool any = false;

	for (unsigned i = p->len / 8; i < sizeof(p->addr); i++) {
		uint8_t behind = i == p->len / 8 ? 0xff >> p->len % 8 : 0xff;

		any |= p->addr[i] & behind;
		p->addr[i] &= (uint8_t)~behind;
	}
	return any;
}

int prefix_parse(const char *s, struct packet_prefix *out)
{
	char address[INET6_ADDRSTRLEN];
	size_t len = strcspn(s, "/");
	const char *bits = s + len + 1;
	unsigned max;

	*out = (struct packet_prefix){.family = memchr(s, ':', len) ? 6 : 4};
	if (len >= sizeof(address))
		return -EINVAL;
	memcpy(address, s, len);
	address[len] = 0;
	max = out->family == 4 ? 32 : 128;
	if (inet_pton(socket_family(out), address, out->addr) != 1)
		return -EINVAL;
	out->len = max;
	if (!s[len])
		return -ENODATA;
	if (!*bits || strlen(bits) > 3 || bits[strspn(bits, "0123456789")] ||
	    strtoul(bits, NULL, 10) > max)
		return -EINVAL;
	out->len = strtoul(bits, NULL, 10);
	return clear_behind(out) ? -ERANGE : 0;
}

char *prefix_format(const struct packet_prefix *p, char *buf, size_t size)
{
	char address[INET6_ADDRSTRLEN] = "";

	inet_ntop(socket_family(p), p->addr, address, sizeof(address));
	snprintf(buf, size, "%s/%u", address, p->len);
	return buf;
}
