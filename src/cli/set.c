/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau set: change keys of a port while it runs. */
#include <stdio.h>
#include <string.h>

#include "cli/changes.h"
#include "cli/cli.h"
#include "cli/client.h"

enum { OPTION_SOCKET, OPTION_JSON, OPTION_RESTART, OPTIONS };

static const struct options_entry options[] = {
	[OPTION_SOCKET] = CLIENT_OPTION_SOCKET,
	[OPTION_JSON] = {.name = "json", .letter = 'j', .help = "print the result as JSON"},
	[OPTION_RESTART] = CHANGES_OPTION_RESTART_PORTS,
	{0},
};

/** @argv: KEY VALUE, again and again. NULL: a key is given twice. */
static json_t *take_keys(char **argv, const char **twice)
{
	json_t *keys = json_object();

	for (; *argv; argv += 2) {
		*twice = argv[0];
		if (json_object_get(keys, argv[0]) ||
		    json_object_set_new(keys, argv[0], json_string(argv[1]))) {
			json_decref(keys);
			return NULL;
		}
	}
	return keys;
}

static int run(int argc, char **argv)
{
	const char *given[OPTIONS], *twice = "";
	int first = cli_options(&cli_set, argc, argv, given);
	json_t *keys, *request, *result;

	if (first < 0)
		return CLI_USAGE;
	if (argc - first < 3 || (argc - first) % 2 == 0)
		return cli_usage_fault(argv[0], "a port, and keys with their values");
	keys = take_keys(argv + first + 1, &twice);
	if (!keys)
		return cli_usage_fault(argv[0], "\"%s\" is given twice, or is no text", twice);
	request = json_pack("{s:s, s:s, s:o, s:b}", "op", "set", "port", argv[first], "keys", keys,
			    "restart_ports", given[OPTION_RESTART] != NULL);
	result = client_ask(argv[0], given[OPTION_SOCKET], request);
	if (!result)
		return CLI_FAILED;
	changes_print_result(result, given[OPTION_JSON]);
	if (!given[OPTION_JSON] && json_array_size(json_object_get(result, "changes")))
		printf("not in the file: lost at the next reload or restart\n");
	json_decref(result);
	return CLI_OK;
}

const struct cli_command cli_set = {
	.name = "set",
	.usage = "[-j] [--restart-ports] [--socket PATH] PORT KEY VALUE [KEY VALUE ...]",
	.summary = "change keys of a port while it runs",
	.help = "KEY is a key of the port or of its scheduler; VALUE is what a file has\n"
		"for it, without quotes; \"default\" takes the key out. All of them come into force, or\n"
		"none. The file is not written: a reload or a restart has what is in there again.\n"
		"\n"
		"  gateau set wan bandwidth 900mbit\n"
		"  gateau set wan rtt 50ms overhead \"pppoe-ptm ether-vlan\" wash true\n",
	.options = options,
	.operands = {"PORT", "KEY", "VALUE"},
	.run = run,
};
