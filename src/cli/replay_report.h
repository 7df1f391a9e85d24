/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a replay for people and programs; the scheduler's own part of it is report/'s. */
#ifndef GATEAU_CLI_REPLAY_REPORT_H
#define GATEAU_CLI_REPLAY_REPORT_H

#include <stdio.h>

#include "replay/replay.h"

void replay_report_json(FILE *out, const struct replay_result *r, enum cake_diffserv mode);
void replay_report_text(FILE *out, const struct replay_result *r, enum cake_diffserv mode);

#endif
