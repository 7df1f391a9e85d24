/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON in C strings that a person can read: ` stands for a double quote. Include cmocka.h first. */
#ifndef GATEAU_TESTS_UNIT_CONFIG_QUOTED_H
#define GATEAU_TESTS_UNIT_CONFIG_QUOTED_H

#include <string.h>

/** A copy of @s with every ` made a double quote; free() it. */
static inline char *quoted(const char *s)
{
	char *copy = strdup(s);

	assert_non_null(copy);
	for (char *p = copy; (p = strchr(p, '`'));)
		*p = '"';
	return copy;
}

#endif
