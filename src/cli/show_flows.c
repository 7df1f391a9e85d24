/* SPDX-License-Identifier: BSD-3-Clause */
/* See show_flows.h. */
#include "cli/show_flows.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "report/report.h"

/* Room for "[ADDRESS]:PORT", and for two of them with a protocol. */
#define END_SIZE      64
#define IDENTITY_SIZE 160

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "-";
}

static const char *protocol_name(char *buf, size_t size, unsigned protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
		return "TCP";
	case IPPROTO_UDP:
		return "UDP";
	case IPPROTO_ICMP:
		return "ICMP";
	case IPPROTO_ICMPV6:
		return "ICMPv6";
	case IPPROTO_ESP:
		return "ESP";
	default:
		snprintf(buf, size, "protocol %u", protocol);
		return buf;
	}
}

/** "10.0.0.1:443", "[2001:db8::1]:443"; the address alone where there are no ports. */
static void format_end(char *buf, size_t size, const json_t *flow, const char *address,
		       const char *port)
{
	const char *a = text(flow, address);
	const char *form = strchr(a, ':') ? "[%s]:%u" : "%s:%u";

	if (json_object_get(flow, port))
		snprintf(buf, size, form, a, (unsigned)report_get_number(flow, port));
	else
		snprintf(buf, size, "%s", a);
}

static const char *format_identity(char *buf, size_t size, const json_t *flow)
{
	char src[END_SIZE], dst[END_SIZE], protocol[16];

	if (json_object_get(flow, "ethertype")) {
		snprintf(buf, size, "ethertype 0x%04x",
			 (unsigned)report_get_number(flow, "ethertype"));
		return buf;
	}
	if (!json_object_get(flow, "src"))
		return "gone meanwhile";
	format_end(src, sizeof(src), flow, "src", "sport");
	format_end(dst, sizeof(dst), flow, "dst", "dport");
	snprintf(buf, size, "%s > %s %s", src, dst,
		 protocol_name(protocol, sizeof(protocol),
			       (unsigned)report_get_number(flow, "protocol")));
	return buf;
}

static void print_flow(const json_t *f)
{
	char wait[UNITS_FORMAT_MAX], identity[IDENTITY_SIZE];

	printf("%-10s %5" PRIu64 " %-11s %12" PRIu64 "b %8s %10" PRIu64 " %5.1f%% %-6s %s\n",
	       text(f, "port"), report_get_number(f, "queue"), text(f, "tin"),
	       report_get_number(f, "backlog"),
	       units_format_time_short(wait, sizeof(wait), report_get_number(f, "wait_ns")),
	       report_get_number(f, "drops"),
	       (double)report_get_number(f, "blue_prob") * 100 / 4294967296.0, text(f, "set"),
	       format_identity(identity, sizeof(identity), f));
}

static void print_flows(const json_t *result)
{
	json_t *flow;
	size_t i;

	printf("flows that queue packets: %" PRIu64 "%s\n", report_get_number(result, "queuing"),
	       json_is_true(json_object_get(result, "complete")) ? ""
								 : ", as far as was looked at");
	if (!json_array_size(json_object_get(result, "flows")))
		return;
	printf("%-10s %5s %-11s %13s %8s %10s %6s %-6s %s\n", "port", "queue", "tin", "backlog",
	       "wait", "drops", "blue", "set", "flow");
	json_array_foreach (json_object_get(result, "flows"), i, flow)
		print_flow(flow);
}

static void print_hosts(const json_t *hosts)
{
	json_t *h;
	size_t i;

	if (!json_array_size(hosts))
		return;
	printf("\n%-10s %-11s %13s %8s %8s %s\n", "port", "as", "backlog", "flows", "bulk", "host");
	json_array_foreach (hosts, i, h)
		printf("%-10s %-11s %12" PRIu64 "b %8" PRIu64 " %8" PRIu64 " %s\n", text(h, "port"),
		       text(h, "as"), report_get_number(h, "backlog"),
		       report_get_number(h, "flows"), report_get_number(h, "bulk_flows"),
		       text(h, "address"));
}

static void print_text(const json_t *result)
{
	print_flows(result);
	print_hosts(json_object_get(result, "hosts"));
}

int show_flows(const struct show_flows *what)
{
	json_t *request = json_pack("{s:s, s:s*}", "op", "flows", "port", what->port);
	json_t *result;

	if (what->most)
		report_set_number(request, "most", what->most);
	result = client_ask("show", what->socket, request);
	if (!result)
		return CLI_FAILED;
	if (what->json)
		client_print(result);
	else
		print_text(result);
	json_decref(result);
	return CLI_OK;
}
