/* SPDX-License-Identifier: BSD-3-Clause */
/* One file for a test program to write and read: made before its tests, removed behind them. */
#ifndef TESTS_UNIT_REPLAY_SCRATCH_H
#define TESTS_UNIT_REPLAY_SCRATCH_H

extern char scratch_path[];

/** cmocka group fixtures. */
int scratch_make(void **state);
int scratch_remove(void **state);

#endif
