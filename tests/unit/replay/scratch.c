/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char scratch_path[] = P_tmpdir "/gateau_test.XXXXXX";

int scratch_make(void **state)
{
	int fd = mkstemp(scratch_path);

	(void)state;
	return fd < 0 || close(fd);
}

int scratch_remove(void **state)
{
	(void)state;
	return unlink(scratch_path);
}
