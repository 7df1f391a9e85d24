/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What config/gateau.bash.in, which is how words are completed, has to know of commands and keys;
 * see manual.h.
 *
 * Nothing here needs quoting: names and words of the tables are letters, digits, '-', '_' and '.'.
 */
#include <stdbool.h>
#include <string.h>

#include "cli/cli.h"
#include "config/framing.h"
#include "config/schema.h"
#include "daemon/options.h"
#include "manual/manual.h"

/* What gateau itself takes in place of a command. */
#define COMMON_OPTIONS "--help --version"

static void print_options(FILE *out, const char *pattern, const struct options_entry *table)
{
	fprintf(out, "\t%s)\n\t\techo '--help", pattern);
	for (const struct options_entry *e = table; e && e->name; e++) {
		if (strcmp(e->name, "help") != 0)
			fprintf(out, " --%s", e->name);
	}
	fputs("'\n\t\t;;\n", out);
}

static void print_values(FILE *out, const char *name, const struct options_entry *table)
{
	for (const struct options_entry *e = table; e && e->name; e++) {
		if (!e->value)
			continue;
		fprintf(out, "\t'%s --%s'", name, e->name);
		if (e->letter)
			fprintf(out, " | '%s -%c'", name, e->letter);
		fprintf(out, ")\n\t\techo '%s'\n\t\t;;\n", e->value);
	}
}

/** Whether @c ends in keys with their values, any number of pairs. */
static bool ends_in_pairs(const struct cli_command *c)
{
	int n = 0;

	while (n < CLI_OPERANDS_MAX && c->operands[n])
		n++;
	return n >= 2 && !strcmp(c->operands[n - 2], "KEY") && !strcmp(c->operands[n - 1], "VALUE");
}

static void print_operands(FILE *out, const struct cli_command *c)
{
	bool pairs = ends_in_pairs(c);

	for (int i = 0; i < CLI_OPERANDS_MAX && c->operands[i]; i++) {
		bool last = i + 1 == CLI_OPERANDS_MAX || !c->operands[i + 1];

		if (pairs && !strcmp(c->operands[i], "KEY")) /* every second place from here on */
			fprintf(out, "\t'%s '*[%s])\n", c->name, i % 2 ? "02468" : "13579");
		else if (last)
			fprintf(out, "\t'%s '*)\n", c->name);
		else
			fprintf(out, "\t'%s %d')\n", c->name, i + 1);
		fprintf(out, "\t\techo '%s'\n\t\t;;\n", c->operands[i]);
	}
}

static void print_key_words(FILE *out, const struct schema_key *key)
{
	fprintf(out, "\t%s)\n\t\techo '", key->name);
	if (key->type == SCHEMA_BOOL)
		fputs(key->refusal ? "false" : "true false", out);
	for (const struct schema_choice *c = key->choices; c && c->word; c++)
		fprintf(out, "%s%s", c == key->choices ? "" : " ", c->word);
	for (const struct schema_preset *p = key->presets; p && p->word; p++)
		fprintf(out, "%s%s", p == key->presets ? "" : " ", p->word);
	if (key->type == SCHEMA_FRAMING) {
		for (const struct framing_word *w = framing_words; w->word; w++)
			fprintf(out, "%s%s", w == framing_words ? "" : " ", w->word);
	}
	if (key->zero && *key->zero == '"')
		fprintf(out, "%.*s", (int)strlen(key->zero) - 2, key->zero + 1);
	fputs(" default'\n\t\t;;\n", out);
}

/** Open and close a function that answers by its argument. */
static void begin(FILE *out, const char *function)
{
	fprintf(out, "%s()\n{\n\tcase $1 in\n", function);
}

static void end(FILE *out)
{
	fputs("\tesac\n}\n\n", out);
}

static void print_key_name(FILE *out, const struct schema_key *key)
{
	fprintf(out, "%s ", key->name);
}

/** Do @print with each key of a port and of its scheduler that a running gateaud may be given. */
static void for_each_key(FILE *out, void (*print)(FILE *out, const struct schema_key *key))
{
	const struct schema_key *const lists[] = {schema_scheduler,
						  schema_find(schema_file, "ports")->members};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (const struct schema_key *k = lists[i]; k->name; k++) {
			if (k->type != SCHEMA_OBJECT && k->apply != SCHEMA_RESTART)
				print(out, k);
		}
	}
}

static void print_lists(FILE *out)
{
	fputs("_gateau_commands='", out);
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		fprintf(out, "%s ", (*c)->name);
	fputs(COMMON_OPTIONS "'\n_gateau_keys='", out);
	for_each_key(out, print_key_name);
	fputs("'\n\n", out);
}

void manual_completion(FILE *out)
{
	print_lists(out);
	begin(out, "_gateau_options");
	print_options(out, "gateaud", daemon_options);
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		print_options(out, (*c)->name, (*c)->options);
	end(out);
	begin(out, "_gateau_option_value");
	print_values(out, "gateaud", daemon_options);
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		print_values(out, (*c)->name, (*c)->options);
	end(out);
	begin(out, "_gateau_operand");
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		print_operands(out, *c);
	end(out);
	begin(out, "_gateau_key_value");
	for_each_key(out, print_key_words);
	end(out);
}
