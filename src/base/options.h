/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program's options as a table: from it they are read from a command line, explained by --help
 * and written into the manual page, so that the three cannot differ.
 */
#ifndef GATEAU_BASE_OPTIONS_H
#define GATEAU_BASE_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

/** Most options of one table. */
#define OPTIONS_MAX 32

/** Room for any message of options_parse() about arguments of usual length; others are cut. */
#define OPTIONS_ERROR_MAX 160

/** An option. A table ends with a null name. */
struct options_entry {
	const char *name;  /* without its dashes */
	char letter;       /* the same as -LETTER; 0 = it has none */
	const char *value; /* what it takes, in capitals, e.g. "FILE"; NULL = nothing */
	const char *help;  /* what it does; lines separated by \n */
};

/**
 * Read the options in @argv, of which argv[0] is a name; they may stand between operands, and "--"
 * ends them.
 *
 * @param table at most OPTIONS_MAX entries; NULL = there are no options
 * @param given one pointer per entry: the value, "" for an option that takes none, NULL for one
 * that was not given. The last one counts. Not touched where @table is NULL
 * @param err   on failure what is wrong, without the program's name; OPTIONS_ERROR_MAX bytes
 * @return the index of the first operand in @argv, which is reordered so that operands come last;
 * -1 on failure
 */
int options_parse(const struct options_entry *table, int argc, char **argv, const char **given,
		  char err[OPTIONS_ERROR_MAX]);

/** Write the table in two columns, each line after @indent spaces. */
void options_print(FILE *out, const struct options_entry *table, int indent);

#endif
