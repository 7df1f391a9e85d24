/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations on the configuration: what is in force. */
#ifndef GATEAU_CTL_CONFIGURE_H
#define GATEAU_CTL_CONFIGURE_H

#include "ctl/ops.h"

/** "config": {"generation": n, "config": {...}}, all that is in force (config/dump.h). */
int configure_show(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err);

#endif
