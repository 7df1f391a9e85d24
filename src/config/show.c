/* SPDX-License-Identifier: BSD-3-Clause */
/* Showing what is set; see show.h. */
#include "config/show.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/units.h"
#include "config/schema.h"

/* The number in a field of @width bytes, which is signed if the key's range is. */
static int64_t load_number(const struct schema_key *key, const char *field)
{
	uint64_t n = 0;
	unsigned unused = 64 - 8 * (unsigned)key->width;

	memcpy(&n, field, key->width); /* little-endian, as every platform DPDK runs on */
	return key->min < 0 ? (int64_t)(n << unused) >> unused : (int64_t)n;
}

static const char *format_value(const struct schema_key *key, int64_t n, char *buf, size_t size)
{
	if (key->type == SCHEMA_CHOICE)
		return schema_word(key, (int)n);
	if (key->type == SCHEMA_RATE && !n)
		return "unlimited";
	return schema_number_text(key, n, buf, size);
}

/* A bool's name says that it is on, most words say which key they belong to; numbers do not. */
static bool shows_name(const struct schema_key *key)
{
	return key->type == SCHEMA_CHOICE ? key->named : key->type != SCHEMA_RATE;
}

static bool is_set(const struct schema_key *key, const char *in, const char *initial)
{
	if (key->set_field)
		return in[key->set_field];
	if (key->type == SCHEMA_FRAMING && ((const struct config_scheduler *)in)->cake.overhead_set)
		return true; /* 0 is something else than raw */
	return key->always_shown || memcmp(in + key->field, initial + key->field, key->width) != 0;
}

static void append(char *buf, size_t size, const char *word)
{
	strlcat(buf, *buf ? " " : "", size);
	strlcat(buf, word, size);
}

char *config_show_scheduler(const struct config_scheduler *s, char *buf, size_t size)
{
	const char *in = (const char *)s;
	struct config_scheduler initial;

	config_scheduler_default(&initial);
	*buf = 0;
	for (const struct schema_key *key = schema_scheduler; key->name; key++) {
		char text[UNITS_FORMAT_MAX];
		int64_t n;

		if (!key->width || !is_set(key, in, (const char *)&initial))
			continue;
		n = load_number(key, in + key->field);
		if (key->type == SCHEMA_BOOL && !n)
			append(buf, size, "no");
		if (key->type == SCHEMA_FRAMING && !s->cake.overhead_set)
			append(buf, size, "raw");
		if (shows_name(key))
			append(buf, size, key->name);
		if (key->type != SCHEMA_BOOL)
			append(buf, size, format_value(key, n, text, sizeof(text)));
	}
	return buf;
}
