/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of parsing, and what parse.c, parse_scalar.c and parse_fault.c need of one another. */
#ifndef GATEAU_CONFIG_PARSER_H
#define GATEAU_CONFIG_PARSER_H

#include "config/parse.h"

struct parser {
	const struct config_document *doc;
	struct config_error *err;
	const struct schema_key *keys; /* those of the object around the value */
	char path[CONFIG_PATH_MAX];
};

/** As config_parse_keys(), for one @key that is neither an object nor an array of any kind. */
int parse_scalar(struct parser *p, const struct schema_key *key, json_t *value, char *out);

#define FAULT(p, ...) config_fault((p)->doc, (p)->path, (p)->err, __VA_ARGS__)

/** Most characters of a faulty value that a message repeats. */
#define SHOWN_MAX 60

/** Room for any fault_hint(). */
#define HINT_MAX 128

/** Which of the words it is compared with a misspelt one is nearest to; none if two are. */
struct nearest {
	const char *misspelt;
	const char *word;
	size_t distance;
};

struct nearest nearest_to(const char *misspelt);
void nearest_compare(struct nearest *n, const char *word);

/** What tc's word says here, or else the word it is nearest to, if either is known. */
char *fault_hint(const struct parser *p, const struct nearest *n, char hint[HINT_MAX]);

/** What a message says to do instead: "examples: ..." or "accepted: ...", or nothing. */
char *fault_advice(const struct schema_key *key, char *buf, size_t size);

/** @value as JSON, cut to SHOWN_MAX characters; what is not ASCII is escaped. Returns @buf. */
char *fault_shown(json_t *value, char *buf, size_t size);

/** @value, which is @kind (NULL if its type is right), is not what @key takes. */
int fault_not(struct parser *p, const struct schema_key *key, json_t *value, const char *kind);

/** The same for a value of another JSON type. */
int fault_type(struct parser *p, const struct schema_key *key, json_t *value);

/** @value is of the right kind, but @wrong; where that asks, "did you mean ...?", it needs no ";".
 */
int fault_accepted(struct parser *p, const struct schema_key *key, json_t *value,
		   const char *wrong);

#endif
