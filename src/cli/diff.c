/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau diff: what a file would change. */
#include "config/diff.h"

#include <stdio.h>
#include <string.h>

#include "cli/changes.h"
#include "cli/cli.h"
#include "cli/client.h"

enum { OPTION_SOCKET, OPTION_JSON, OPTIONS };

static const struct options_entry options[] = {
	[OPTION_SOCKET] = CLIENT_OPTION_SOCKET,
	[OPTION_JSON] = {.name = "json", .letter = 'j', .help = "print JSON"},
	{0},
};

static struct gateau_config *load(const char *path)
{
	struct gateau_config *cfg;
	struct config_error err;

	if (!config_load(path, &cfg, &err))
		return cfg;
	fprintf(stderr, "%s\n", err.text);
	return NULL;
}

/** Between two files; as the daemon's answer, but for the generation. */
static json_t *compare_files(const char *from, const char *to)
{
	struct gateau_config *a = load(from), *b = a ? load(to) : NULL;
	json_t *changes, *result = NULL;

	if (b) {
		config_align(b, a);
		changes = config_diff(a, b);
		result = json_pack("{s:s, s:o}", "takes",
				   schema_apply_word(config_diff_takes(changes)), "changes",
				   changes);
	}
	config_free(a);
	config_free(b);
	return result;
}

static json_t *compare_running(const char *socket, const char *path)
{
	json_t *request = changes_request("diff", path);

	return request ? client_ask("diff", socket, request) : NULL;
}

static void print(const json_t *result)
{
	static const struct {
		const char *takes, *means;
	} verdicts[] = {
		{"live", "all of it comes into force live"},
		{"re-queue", "all of it comes into force live; what is queued moves, in order"},
		{"reopen", "a port has to be stopped and set up anew, with --restart-ports"},
		{"restart", "it takes a restart of gateaud"},
	};
	const json_t *changes = json_object_get(result, "changes");
	const char *takes = json_string_value(json_object_get(result, "takes"));

	if (!json_array_size(changes)) {
		printf("no difference\n");
		return;
	}
	changes_print(changes);
	for (unsigned i = 0; takes && i < sizeof(verdicts) / sizeof(*verdicts); i++)
		if (!strcmp(verdicts[i].takes, takes))
			printf("%s\n", verdicts[i].means);
}

static int run(int argc, char **argv)
{
	const char *given[OPTIONS];
	int first = cli_options(&cli_diff, argc, argv, given);
	json_t *result;

	if (first < 0)
		return CLI_USAGE;
	if (argc == first || argc > first + 2)
		return cli_usage_fault(argv[0], "one file, or two");
	result = argc == first + 1 ? compare_running(given[OPTION_SOCKET], argv[first])
				   : compare_files(argv[first], argv[first + 1]);
	if (!result)
		return CLI_FAILED;
	if (given[OPTION_JSON])
		client_print(result);
	else
		print(result);
	json_decref(result);
	return CLI_OK;
}

const struct cli_command cli_diff = {
	.name = "diff",
	.usage = "[-j] [--socket PATH] FILE [NEW]",
	.summary = "show what a file would change, and what that takes",
	.help = "Compares FILE with what is in force in a running gateaud; with NEW, the two files,\n"
		"without a daemon. Each line is a key, its old and new value, and how it is applied:\n"
		"\n"
		"  live      between two packets\n"
		"  re-queue  likewise, and what is queued moves to another instance, in order\n"
		"  reopen    its port is stopped, set up anew and started\n"
		"  restart   not while gateaud runs\n",
	.options = options,
	.operands = {"FILE"},
	.run = run,
};
