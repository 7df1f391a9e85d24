/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of Markdown: of a key all that is known, of a word what it stands for. */
#include "config/reference.h"

#include <string.h>

#include "base/units.h"
#include "config/framing.h"

#define HEADER                                                                       \
	"| key | value | unit | accepted | default | example | change | meaning |\n" \
	"|---|---|---|---|---|---|---|---|\n"

#define END "<!-- end -->\n"

static void print_row(FILE *out, const struct schema_key *key)
{
	char accepts[SCHEMA_TEXT_MAX], example[SCHEMA_TEXT_MAX];

	fprintf(out, "| `%s` | %s | %s | %s | ", key->name, schema_noun(key), schema_unit(key),
		schema_accepts_text(key, accepts, sizeof(accepts)));
	if (key->initial)
		fprintf(out, "`%s` | ", key->initial);
	else
		fprintf(out, "%s | ", key->required ? "required" : "none");
	if (key->members)
		fputs("below", out);
	else
		fprintf(out, "`%s`", schema_example(key, example, sizeof(example)));
	fprintf(out, " | %s | %s |\n", key->members ? "" : schema_apply_word(key->apply),
		key->help);
}

static void print_presets(FILE *out, const struct schema_key *key)
{
	char number[UNITS_FORMAT_MAX];

	fprintf(out, "<!-- words: %s -->\n| word | stands for |\n|---|---|\n", key->name);
	for (const struct schema_preset *p = key->presets; p->word; p++)
		fprintf(out, "| `%s` | %s |\n", p->word,
			schema_number_text(key, p->value, number, sizeof(number)));
	fprintf(out, END);
}

static void print_framing(FILE *out, const struct schema_key *key)
{
	static const char *const atm_words[] = {"noatm", "atm", "ptm"};

	fprintf(out, "<!-- words: %s -->\n| word | bytes | `atm` | `mpu` |\n|---|---|---|---|\n",
		key->name);
	for (const struct framing_word *w = framing_words; w->word; w++) {
		fprintf(out, "| `%s` | %d | %s | ", w->word, w->overhead,
			w->atm == FRAMING_UNSAID ? "" : atm_words[w->atm]);
		if (w->mpu != FRAMING_UNSAID)
			fprintf(out, "%d ", w->mpu);
		fprintf(out, "|\n");
	}
	fprintf(out, END);
}

static void print_table(FILE *out, const char *name, const struct schema_key *keys)
{
	fprintf(out, "<!-- keys: %s -->\n" HEADER, name);
	for (const struct schema_key *k = keys; k->name; k++)
		print_row(out, k);
	fprintf(out, END);
	for (const struct schema_key *k = keys; k->name; k++) {
		if (k->members)
			print_table(out, k->name, k->members);
		if (k->presets && k->type != SCHEMA_INTEGER)
			print_presets(out, k);
		if (k->type == SCHEMA_FRAMING)
			print_framing(out, k);
	}
}

void reference_print(FILE *out, const struct schema_key *keys)
{
	print_table(out, "file", keys);
}
