/* SPDX-License-Identifier: BSD-3-Clause */
/* Text as man(7) wants it: nothing in a table's words may be taken for a request or an escape. */
#ifndef GATEAU_MANUAL_ROFF_H
#define GATEAU_MANUAL_ROFF_H

#include <stdbool.h>
#include <stdio.h>

#include "base/options.h"

/** Write @length bytes of @text within a line; `words` between backquotes become bold. */
void roff_words(FILE *out, const char *text, size_t length);

/** Write @text, which may have several lines, as lines of one paragraph. */
void roff_lines(FILE *out, const char *text);

/** Write whole lines: paragraphs, between them empty lines; indented lines are examples. */
void roff_paragraphs(FILE *out, const char *text);

/**
 * Write what follows a command's name, e.g. "FILE [--json]", as in a synopsis: words in capitals
 * are italic, others bold, brackets and bars neither.
 */
void roff_usage(FILE *out, const char *usage);

/** Write a table of options as a list of tagged paragraphs. */
void roff_options(FILE *out, const struct options_entry *table);

#endif
