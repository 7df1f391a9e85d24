/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one table of the configuration: for every key its name, type, range, default, help and where
 * its value is stored.
 *
 * Parsing (parse.h), messages and docs/configuration.md follow from it; rules that look at more
 * than one key are in validate.h.
 */
#ifndef GATEAU_CONFIG_SCHEMA_H
#define GATEAU_CONFIG_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schema_type {
	SCHEMA_BOOL,
	SCHEMA_INTEGER,
	SCHEMA_STRING,
	SCHEMA_CHOICE,   /* a string out of a list of words */
	SCHEMA_RATE,     /* a string, see base/units.h; bit/s */
	SCHEMA_TIME,     /* a string; ns */
	SCHEMA_SIZE,     /* a string, or an integer of bytes; bytes */
	SCHEMA_INTEGERS, /* an array of integers, stored as uint16_t */
	SCHEMA_OBJECT,   /* an object with the keys of `members` */
	SCHEMA_OBJECTS,  /* an array of such objects */
	SCHEMA_BITS,     /* an integer, or "0x" and hexadecimal digits in a string */
	SCHEMA_SPAN,     /* an integer, or "FIRST-LAST"; stored as struct packet_span */
	SCHEMA_PREFIX,   /* a string ADDRESS/BITS, see prefix.h; stored as struct packet_prefix */
	SCHEMA_FRAMING,  /* an integer of bytes, or words (framing.h) that may say more than that;
			    only in a struct config_scheduler */
};

/** A word of a SCHEMA_CHOICE. The list ends with a null word. */
struct schema_choice {
	const char *word;
	int value;
};

/** A word for a number, in the machine's unit. The list ends with a null word. */
struct schema_preset {
	const char *word;
	int64_t value;
};

/** A word of tc's command line that says a value of a key. The list ends with a null word. */
struct schema_spelling {
	const char *word;
	const char *value; /* JSON text */
};

/** How another value of a key comes into force while gateaud runs. */
enum schema_apply {
	SCHEMA_RESTART, /* not at all: gateaud has to be restarted */
	SCHEMA_LIVE,    /* between two packets */
	SCHEMA_REQUEUE, /* live; what is queued moves to another instance, in order */
	SCHEMA_REOPEN,  /* its port is stopped, set up anew and started */
};

/** A key. A list of keys ends with a null name. Fields not used by a type are zero. */
struct schema_key {
	const char *name;
	const char *help;    /* one line; units and what happens without the key */
	const char *initial; /* default as JSON text; NULL = none */
	enum schema_type type;
	bool required;
	enum schema_apply apply; /* of an object: see its members */

	int64_t min, max; /* of a number or of each integer in an array, limits included */
	int64_t unit;     /* a number must be a multiple of this, and is stored divided by it; 0 =
			     any, stored as it is */
	bool power_of_2;  /* a number must be one */
	const char *zero; /* JSON text, a word or 0, for 0 where that is out of range */
	const char *examples;         /* JSON texts, separated by ", " */
	const char *noun;             /* STRING: what it is, e.g. "a name" */
	bool (*valid)(const char *s); /* STRING: whether it is that */
	const char *pattern;          /* STRING: the same as a regular expression of ECMA-262, or
					 NULL; the JSON Schema then takes any string */
	const char *quantity; /* INTEGER, INTEGERS, BITS, SPAN: what it counts, e.g. "bytes" */
	const struct schema_choice *choices;
	const struct schema_preset *presets;     /* INTEGER, RATE, TIME, SIZE: words, or NULL */
	const struct schema_spelling *spellings; /* hints for people who know tc, or NULL */
	bool named;          /* CHOICE: its words do not say which key they belong to; see show.h */
	bool always_shown;   /* see show.h: also when it has its default */
	const char *refusal; /* why what the grammar knows (true, a number above max) is refused */

	const struct schema_key *members;
	unsigned entries_min, entries_max; /* of an array, limits included */
	bool distinct;                     /* no integer may be in the array twice */

	/* Where the value goes: bytes from the start of the structure that holds the object. */
	size_t field;
	size_t width;       /* bytes of the field or of an array's element; 0 = only checked */
	size_t count_field; /* arrays: unsigned, number of entries */
	size_t set_field;   /* bool that becomes true when the key is given; 0 = none */
};

/** Initialises where a key's value goes: member @member of @type. */
#define SCHEMA_STORE(type, member) \
	.field = offsetof(type, member), .width = sizeof(((type *)0)->member)

/** The same for an array, whose number of entries goes to member @count. */
#define SCHEMA_STORE_ARRAY(type, member, count)                                   \
	.field = offsetof(type, member), .width = sizeof(((type *)0)->member[0]), \
	.count_field = offsetof(type, count)

/** The whole file, stored in struct gateau_config. */
extern const struct schema_key schema_file[];

/** A "scheduler" object, stored in struct config_scheduler. */
extern const struct schema_key schema_scheduler[];

/** "eal" and "metrics", stored in struct config_eal and config_metrics: schema_process.c. */
extern const struct schema_key schema_eal[], schema_metrics[];

/** A CPU number: as many as a Linux cpu_set_t holds. Whether it exists is seen at start. */
#define SCHEMA_CPU_MAX 1023

/** An entry of a scheduler's "rules", stored in struct packet_rule: schema_rule.c. */
extern const struct schema_key schema_rule[];

/** A file that holds just "scheduler", stored in struct config_scheduler. */
extern const struct schema_key schema_scheduler_file[];

/** Room for any schema_*_text(). */
#define SCHEMA_TEXT_MAX 512

/** What a value of @key is, with its article: "a rate", "an array of integers". */
const char *schema_noun(const struct schema_key *key);

/**
 * Write what values @key accepts, as in messages and in the documentation: a range, a list of
 * words, or "" for what no line can say (strings, objects). Returns @buf.
 */
char *schema_accepts_text(const struct schema_key *key, char *buf, size_t size);

/** The unit of @key's numbers, or what they count; "" for what is no number. */
const char *schema_unit(const struct schema_key *key);

/** Write how @key may be given, other than by default where that is possible. Returns @buf. */
char *schema_example(const struct schema_key *key, char *buf, size_t size);

/** Write @n as the configuration spells @key's numbers: rate, time, size, integer. Returns @buf. */
char *schema_number_text(const struct schema_key *key, int64_t n, char *buf, size_t size);

/** The number in @key's field, or in an array's element, at @field, as it is stored. */
int64_t schema_load(const struct schema_key *key, const char *field);

/** The word of a SCHEMA_CHOICE that stands for @value, NULL if none does. */
const char *schema_word(const struct schema_key *key, int value);

/** The word of @key's presets that stands for @value, NULL if none does. */
const char *schema_preset_word(const struct schema_key *key, int64_t value);

/** What @apply is called: "restart", "live", "re-queue", "reopen". */
const char *schema_apply_word(enum schema_apply apply);

/** The key called @name in @keys, NULL if there is none. */
const struct schema_key *schema_find(const struct schema_key *keys, const char *name);

/**
 * How to say in @keys what a word of tc's command line says, e.g. "\"rtt\": \"lan\"" for "lan".
 * Returns @buf, NULL if tc has no such word or gateau does not accept it.
 */
char *schema_spell(const struct schema_key *keys, const char *word, char *buf, size_t size);

#endif
