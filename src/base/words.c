/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Optimal string alignment distance (Levenshtein's, with swaps of neighbours as one edit), by the
 * usual table of which three rows are kept. A word here is a key or a command: 31 letters at most.
 */
#include "base/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t min2(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t words_distance(const char *a, const char *b)
{
	size_t rows[3][WORDS_LEN_MAX + 1];
	size_t len_a = strlen(a), len_b = strlen(b);

	if (len_a > WORDS_LEN_MAX || len_b > WORDS_LEN_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= len_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= len_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= len_b; j++) {
			row[j] = min2(above[j - 1] + !same(a[i - 1], b[j - 1]),
				      min2(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = min2(row[j], above2[j - 2] + 1);
		}
	}
	return rows[len_a % 3][len_b];
}

size_t words_tolerance(const char *word)
{
	size_t third = strlen(word) / 3;

	return third > 1 ? third : 1;
}
