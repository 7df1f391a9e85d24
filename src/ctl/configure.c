/* SPDX-License-Identifier: BSD-3-Clause */
/* See configure.h. */
#include "ctl/configure.h"

#include <errno.h>

#include "config/dump.h"

int configure_show(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err)
{
	(void)request;
	(void)err;
	*result = json_pack("{s:I, s:o}", "generation", (json_int_t)ctl->generation, "config",
			    config_dump(ctl->dp->config));
	return *result ? 0 : -ENOMEM;
}
