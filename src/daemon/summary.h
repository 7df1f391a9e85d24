/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened between start and stop, for people and for programs, from the last statistics that
 * were collected (stats/snapshot.h). docs/operations.md describes both forms.
 */
#ifndef GATEAU_DAEMON_SUMMARY_H
#define GATEAU_DAEMON_SUMMARY_H

#include <stdio.h>

#include "stats/snapshot.h"

void summary_print_text(const struct stats_snapshot *s, FILE *out);

/** 0, -ENOMEM, or -EIO. */
int summary_print_json(const struct stats_snapshot *s, FILE *out);

#endif
