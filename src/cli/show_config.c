/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau show config: the configuration in force. */
#include "cli/show_config.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/client.h"

int show_config(const char *socket, bool json)
{
	json_t *result = client_ask("show", socket, json_pack("{s:s}", "op", "config"));

	if (!result)
		return CLI_FAILED;
	if (!json)
		printf("generation %" JSON_INTEGER_FORMAT "\n",
		       json_integer_value(json_object_get(result, "generation")));
	client_print(json ? result : json_object_get(result, "config"));
	json_decref(result);
	return CLI_OK;
}
