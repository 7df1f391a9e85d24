/* SPDX-License-Identifier: BSD-3-Clause */
/* Which word a person may have meant: for messages about misspelt keys, choices and commands. */
#ifndef GATEAU_BASE_WORDS_H
#define GATEAU_BASE_WORDS_H

#include <stddef.h>

/** Words longer than this are never compared: no key or command is. */
#define WORDS_LEN_MAX 31

/**
 * Edits (insert, delete, replace a letter, swap two neighbours) that lead from @a to @b, letters of
 * either case being equal; SIZE_MAX if a word is longer than WORDS_LEN_MAX.
 */
size_t words_distance(const char *a, const char *b);

/**
 * The most edits a typing mistake in @word is believed to have: one per three letters, at least 1.
 * A word further from all that is known is no misspelling of any of it.
 */
size_t words_tolerance(const char *word);

#endif
