/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parser's messages say of a value, and what they propose instead. Every message has the
 * form "VALUE: what is wrong with it; what is accepted", behind the place that config_fault()
 * writes.
 */
#include "config/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

char *fault_shown(json_t *value, char *buf, size_t size)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT);
	int cut = text && strlen(text) > SHOWN_MAX;

	snprintf(buf, size, "%.*s%s", SHOWN_MAX, text ? text : "?", cut ? "..." : "");
	free(text);
	return buf;
}

/** What is accepted is said in one line, so that examples add nothing. */
static bool is_plain_number(const struct schema_key *key)
{
	return key->type == SCHEMA_INTEGER || key->type == SCHEMA_INTEGERS ||
	       key->type == SCHEMA_BITS;
}

char *fault_advice(const struct schema_key *key, char *buf, size_t size)
{
	char accepts[SCHEMA_TEXT_MAX];

	schema_accepts_text(key, accepts, sizeof(accepts));
	if (key->examples && !is_plain_number(key))
		snprintf(buf, size, "; example%s: %s", strchr(key->examples, ',') ? "s" : "",
			 key->examples);
	else
		snprintf(buf, size, "%s%s", *accepts ? "; accepted: " : "", accepts);
	return buf;
}

/** How to say here what @word says on tc's command line, "" if it says nothing there. */
static char *did_you_mean(const struct parser *p, const char *word, char hint[HINT_MAX])
{
	char text[HINT_MAX / 2];

	*hint = 0;
	if (schema_spell(p->keys, word, text, sizeof(text)))
		snprintf(hint, HINT_MAX, "; did you mean %s?", text);
	return hint;
}

struct nearest nearest_to(const char *misspelt)
{
	return (struct nearest){.misspelt = misspelt, .distance = words_tolerance(misspelt) + 1};
}

void nearest_compare(struct nearest *n, const char *word)
{
	size_t distance = words_distance(n->misspelt, word);

	if (distance == n->distance)
		n->word = NULL;
	if (distance >= n->distance)
		return;
	n->distance = distance;
	n->word = word;
}

char *fault_hint(const struct parser *p, const struct nearest *n, char hint[HINT_MAX])
{
	did_you_mean(p, n->misspelt, hint);
	if (!*hint && n->word)
		snprintf(hint, HINT_MAX, "; did you mean \"%s\"?", n->word);
	return hint;
}

static void hint_at_number(const struct parser *p, const struct schema_key *key, const char *word,
			   char hint[HINT_MAX])
{
	struct nearest nearest = nearest_to(word);

	for (const struct schema_preset *w = key->presets; w && w->word; w++)
		nearest_compare(&nearest, w->word);
	fault_hint(p, &nearest, hint);
}

int fault_not(struct parser *p, const struct schema_key *key, json_t *value, const char *kind)
{
	char text[SHOWN_MAX + 4], help[2 * SCHEMA_TEXT_MAX], hint[HINT_MAX] = "";
	bool show = !json_is_object(value) && !json_is_array(value) && !json_is_null(value);

	if (json_is_string(value))
		hint_at_number(p, key, json_string_value(value), hint);
	fault_advice(key, help, sizeof(help));
	return FAULT(p, "%s%s%s%snot %s%s%s", show ? fault_shown(value, text, sizeof(text)) : "",
		     show ? ": " : "", kind ? kind : "", kind ? ", " : "", schema_noun(key), hint,
		     *hint && *help ? help + 1 : help);
}

int fault_type(struct parser *p, const struct schema_key *key, json_t *value)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array",
		[JSON_STRING] = "a string",    [JSON_INTEGER] = "an integer",
		[JSON_REAL] = "a real number", [JSON_TRUE] = "a boolean",
		[JSON_FALSE] = "a boolean",    [JSON_NULL] = "null",
	};

	return fault_not(p, key, value, kinds[json_typeof(value)]);
}

int fault_accepted(struct parser *p, const struct schema_key *key, json_t *value, const char *wrong)
{
	char text[SHOWN_MAX + 4], accepts[SCHEMA_TEXT_MAX];
	bool asks = wrong[strlen(wrong) - 1] == '?';

	return FAULT(p, "%s: %s%s accepted: %s", fault_shown(value, text, sizeof(text)), wrong,
		     asks ? "" : ";", schema_accepts_text(key, accepts, sizeof(accepts)));
}
