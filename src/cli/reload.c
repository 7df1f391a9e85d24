/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau reload: another configuration while gateaud runs. */
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

static int run(int argc, char **argv)
{
	const char *given[OPTIONS];
	int first = cli_options(&cli_reload, argc, argv, given);
	json_t *request, *result;

	if (first < 0)
		return CLI_USAGE;
	if (argc > first + 1)
		return cli_usage_fault(argv[0], "one file at a time");
	request = argc == first ? json_pack("{s:s}", "op", "reload")
				: changes_request("reload", argv[first]);
	if (request && given[OPTION_RESTART])
		json_object_set_new(request, "restart_ports", json_true());
	result = request ? client_ask(argv[0], given[OPTION_SOCKET], request) : NULL;
	if (!result)
		return CLI_FAILED;
	changes_print_result(result, given[OPTION_JSON]);
	json_decref(result);
	return CLI_OK;
}

const struct cli_command cli_reload = {
	.name = "reload",
	.usage = "[-j] [--restart-ports] [--socket PATH] [FILE]",
	.summary = "have another configuration in force while gateaud runs",
	.help = "Without FILE gateaud reads its start-up file again, as SIGHUP has it do. All of the\n"
		"file comes into force, without losing or reordering a packet, or nothing does and\n"
		"the reason is printed; `gateau diff` shows what it would be.\n",
	.options = options,
	.operands = {"FILE"},
	.run = run,
};
