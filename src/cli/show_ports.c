/* SPDX-License-Identifier: BSD-3-Clause */
/* See show_ports.h. */
#include "cli/show_ports.h"

#include "cli/cli.h"
#include "cli/client.h"

int show_ports(const struct show_ports *what)
{
	json_t *request = json_pack("{s:s, s:b, s:s*}", "op", "show", "stats", what->stats, "port",
				    what->port);
	json_t *result = client_ask("show", what->socket, request);

	if (!result)
		return CLI_FAILED;
	if (what->json)
		client_print(result);
	else
		show_ports_text(stdout, result, what->queues);
	json_decref(result);
	return CLI_OK;
}
