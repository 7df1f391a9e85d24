/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of gateau.json(5); see manual.h. */
#include <string.h>

#include "base/units.h"
#include "config/framing.h"
#include "config/reference.h"
#include "config/schema.h"
#include "manual/manual.h"
#include "manual/roff.h"

static void print_sentence(FILE *out, const char *label, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "%s: ", label);
	roff_words(out, text, strlen(text));
	fputs(".\n", out);
}

/** "lan = 1ms, ..."; the words of integers are among what is accepted. */
static void print_presets(FILE *out, const struct schema_key *key)
{
	char list[SCHEMA_TEXT_MAX] = "", number[UNITS_FORMAT_MAX];
	size_t used = 0;

	if (key->type == SCHEMA_INTEGER)
		return;
	for (const struct schema_preset *p = key->presets; p && p->word; p++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s = %s",
					 used ? ", " : "", p->word,
					 schema_number_text(key, p->value, number, sizeof(number)));
	print_sentence(out, "Words", list);
}

/** "conservative = 48 atm, ..." */
static void print_framing(FILE *out)
{
	static const char *const atm_words[] = {" noatm", " atm", " ptm"};
	char list[2 * SCHEMA_TEXT_MAX] = "", mpu[16];
	size_t used = 0;

	for (const struct framing_word *w = framing_words; w->word; w++) {
		snprintf(mpu, sizeof(mpu), " mpu %d", w->mpu);
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s = %d%s%s",
					 used ? ", " : "", w->word, w->overhead,
					 w->atm == FRAMING_UNSAID ? "" : atm_words[w->atm],
					 w->mpu == FRAMING_UNSAID ? "" : mpu);
	}
	print_sentence(out, "Words", list);
}

static void print_key(FILE *out, const struct schema_key *key)
{
	char text[SCHEMA_TEXT_MAX];
	const char *unit = schema_unit(key);

	fprintf(out, ".TP\n\\fB%s\\fR: ", key->name);
	roff_words(out, schema_noun(key), strlen(schema_noun(key)));
	if (*unit)
		fprintf(out, ", %s", unit);
	if (key->required)
		fputs(", required", out);
	fputc('\n', out);
	roff_lines(out, key->help);
	print_sentence(out, "Accepted", schema_accepts_text(key, text, sizeof(text)));
	print_presets(out, key);
	if (key->type == SCHEMA_FRAMING)
		print_framing(out);
	if (key->members)
		return;
	print_sentence(out, "Change", schema_apply_word(key->apply));
	print_sentence(out, "Default", key->initial ? key->initial : "");
	print_sentence(out, "Example", schema_example(key, text, sizeof(text)));
}

static void print_object(FILE *out, const char *name, const struct schema_key *keys)
{
	fprintf(out, ".SS %s\n", name);
	for (const struct schema_key *k = keys; k->name; k++)
		print_key(out, k);
	for (const struct schema_key *k = keys; k->name; k++) {
		if (k->members)
			print_object(out, k->name, k->members);
	}
}

void manual_keys(FILE *out)
{
	print_object(out, "The file", schema_file);
}
