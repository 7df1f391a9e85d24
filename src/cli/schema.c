/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau schema: what a configuration may hold, for programs and for the documentation. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/jsonschema.h"
#include "config/reference.h"
#include "config/schema.h"

static int print_schema(void)
{
	json_t *schema = jsonschema_create(schema_file, "gateau's configuration");
	char *text = json_dumps(schema, JSON_INDENT(2));

	json_decref(schema);
	if (!text) {
		fprintf(stderr, "gateau schema: %s\n", strerror(ENOMEM));
		return CLI_FAILED;
	}
	puts(text);
	free(text);
	return CLI_OK;
}

enum { GIVEN_MARKDOWN, N_OPTIONS };

static int run(int argc, char **argv)
{
	const char *given[N_OPTIONS];
	int first = cli_options(&cli_schema, argc, argv, given);

	if (first < 0)
		return CLI_USAGE;
	if (argc > first)
		return cli_usage_fault(argv[0], "unexpected argument %s", argv[first]);
	if (!given[GIVEN_MARKDOWN])
		return print_schema();
	reference_print(stdout, schema_file);
	return CLI_OK;
}

static const struct options_entry options[] = {
	[GIVEN_MARKDOWN] = {.name = "markdown",
			    .help = "the tables of docs/configuration.md instead"},
	{0},
};

const struct cli_command cli_schema = {
	.name = "schema",
	.usage = "[--markdown]",
	.summary = "print what a configuration may hold, as a JSON Schema",
	.help = "For editors, and for programs that write configurations. What gateau accepts is valid\n"
		"under the schema; of what is valid gateau still refuses ranges exceeded in strings and\n"
		"keys that do not fit together: `gateau check` decides.\n",
	.options = options,
	.run = run,
};
