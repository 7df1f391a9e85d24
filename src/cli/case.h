/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Golden case files: the options of a replay and what is expected of it (tests/golden/README.md).
 */
#ifndef GATEAU_CLI_CASE_H
#define GATEAU_CLI_CASE_H

#include "config/config.h"
#include "replay/replay.h"

struct replay_case {
	char *trace; /* path of the capture */
	struct replay_options options;
	struct replay_mark *marks; /* options.marks points here */
};

/**
 * Read and check the case at @path, always in the linux profile.
 *
 * @param out  on success to be closed with case_close()
 * @return 0, -EINVAL, -ENOMEM or an error of reading; @err has it in words
 */
int case_load(const char *path, struct replay_case *out, struct config_error *err);
void case_close(struct replay_case *c);

#endif
