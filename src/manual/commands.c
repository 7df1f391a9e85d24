/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of gateau(1); see manual.h. */
#include <ctype.h>
#include <string.h>

#include "cli/cli.h"
#include "manual/manual.h"
#include "manual/roff.h"

static void print_command(FILE *out, const struct cli_command *c)
{
	fprintf(out, ".SS %s\n\\fBgateau %s\\fR ", c->name, c->name);
	roff_usage(out, c->usage);
	fprintf(out, "\n.PP\n%c", toupper((unsigned char)*c->summary));
	roff_words(out, c->summary + 1, strlen(c->summary + 1));
	fputs(".\n", out);
	if (c->options)
		roff_options(out, c->options);
	if (c->help) {
		fputs(".PP\n", out);
		roff_paragraphs(out, c->help);
	}
}

void manual_commands(FILE *out)
{
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		print_command(out, *c);
}
