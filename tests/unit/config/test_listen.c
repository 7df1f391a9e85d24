/* SPDX-License-Identifier: BSD-3-Clause */
/* config/listen: numeric addresses with a port, socket paths, and nothing else. */
#include "config/listen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <regex.h>
#include <string.h>
#include <sys/un.h>

static struct listen_address parse(const char *s)
{
	struct listen_address a;

	assert_true(listen_parse(s, &a));
	return a;
}

static void an_ipv4_address_has_a_port(void **state)
{
	struct listen_address a = parse("127.0.0.1:9095");
	const struct sockaddr_in *in = (const void *)&a.addr;

	(void)state;
	assert_int_equal(a.len, sizeof(*in));
	assert_int_equal(in->sin_family, AF_INET);
	assert_int_equal(ntohl(in->sin_addr.s_addr), INADDR_LOOPBACK);
	assert_int_equal(ntohs(in->sin_port), 9095);
}

static void an_ipv6_address_is_in_brackets(void **state)
{
	struct listen_address a = parse("[::1]:65535");
	const struct sockaddr_in6 *in = (const void *)&a.addr;

	(void)state;
	assert_int_equal(a.len, sizeof(*in));
	assert_int_equal(in->sin6_family, AF_INET6);
	assert_memory_equal(&in->sin6_addr, &in6addr_loopback, sizeof(in6addr_loopback));
	assert_int_equal(ntohs(in->sin6_port), 65535);
}

static void a_path_is_absolute(void **state)
{
	struct listen_address a = parse("unix:/run/gateau/metrics.sock");
	const struct sockaddr_un *un = (const void *)&a.addr;

	(void)state;
	assert_int_equal(un->sun_family, AF_UNIX);
	assert_string_equal(un->sun_path, "/run/gateau/metrics.sock");
	assert_string_equal(listen_path("unix:/x"), "/x");
	assert_null(listen_path("127.0.0.1:1"));
}

static void off_is_no_address(void **state)
{
	(void)state;
	assert_int_equal(parse("off").len, 0);
	assert_true(parse(LISTEN_METRICS).len > 0);
}

/* 107 bytes of path and the final 0 are what sockaddr_un has. */
static void the_longest_path_fits(void **state)
{
	char text[LISTEN_TEXT_MAX + 1] = "unix:/";

	(void)state;
	memset(text + 6, 'x', LISTEN_TEXT_MAX - 7);
	assert_int_equal(strlen(text), LISTEN_TEXT_MAX - 1);
	assert_true(listen_valid(text));
	strcat(text, "x");
	assert_false(listen_valid(text));
}

static const char *const wrong[] = {
	"",
	"on",
	"9095",
	":9095",
	"127.0.0.1",
	"127.0.0.1:",
	"127.0.0.1:65536",
	"127.0.0.1:9095x",
	"127.0.0.1:-1",
	"127.0.0.1: 80",
	"127.1:80",
	"localhost:9095",
	"::1:9095",
	"[::1]",
	"[::1]9095",
	"[::1:9095",
	"[127.0.0.1]:80",
	"]:1",
	"unix:",
	"unix:/",
	"unix:run/x",
	"OFF",
	"http://127.0.0.1:80",
};

static void everything_else_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (listen_valid(wrong[i]))
			fail_msg("\"%s\"", wrong[i]);
}

/* The JSON Schema has the pattern: it may be wider, never narrower. */
static void the_pattern_takes_what_is_valid(void **state)
{
	static const char *const valid[] = {
		"off", LISTEN_METRICS, "[::1]:0", "0.0.0.0:80", "[::ffff:10.0.0.1]:9", "unix:/a",
	};
	regex_t re;

	(void)state;
	assert_int_equal(regcomp(&re, listen_pattern, REG_EXTENDED | REG_NOSUB), 0);
	for (size_t i = 0; i < sizeof(valid) / sizeof(*valid); i++) {
		assert_true(listen_valid(valid[i]));
		assert_int_equal(regexec(&re, valid[i], 0, NULL, 0), 0);
	}
	regfree(&re);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ipv4_address_has_a_port),
		cmocka_unit_test(an_ipv6_address_is_in_brackets),
		cmocka_unit_test(a_path_is_absolute),
		cmocka_unit_test(off_is_no_address),
		cmocka_unit_test(the_longest_path_fits),
		cmocka_unit_test(everything_else_is_refused),
		cmocka_unit_test(the_pattern_takes_what_is_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
