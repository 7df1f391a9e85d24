/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of a scenario, from its description to the numbers it is judged by. */
#ifndef GATEAU_SCENARIO_RUN_H
#define GATEAU_SCENARIO_RUN_H

#include "scenario.h"

struct run_result {
	double values[EXPECTS_MAX];    /* by expectation */
	char fault[SCENARIO_TEXT_MAX]; /* what must never be: "" = nothing */
};

/** @s: its phases are measured in. */
void run_scenario(struct scenario *s, struct run_result *out);

#endif
