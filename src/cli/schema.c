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

int cmd_schema(int argc, char **argv)
{
	if (argc == 1)
		return print_schema();
	if (argc > 2 || strcmp(argv[1], "--markdown") != 0)
		return cli_usage_fault(argv[0], "unknown option %s", argv[argc > 2 ? 2 : 1]);
	reference_print(stdout, schema_file);
	return CLI_OK;
}
