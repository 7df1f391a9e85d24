/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a JSON text, finding a key in it again, and saying what is wrong where. */
#include "config/document.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

/** A message may end up on a terminal: bytes from the file that are no plain text become '?'. */
static void make_printable(char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || (unsigned char)*s > 0x7e)
			*s = '?';
	}
}

static int reading_failed(const char *name, struct config_error *err, int rc)
{
	snprintf(err->text, sizeof(err->text), "%s: %s", name, strerror(-rc));
	return rc;
}

/** Append all of @f to a growing buffer. On failure the caller still frees *text. */
static int read_stream(FILE *f, char **text, size_t *len)
{
	size_t size = 0;

	for (;;) {
		if (size - *len < 2) {
			size_t larger = size ? 2 * size : 4096;
			char *grown = realloc(*text, larger);

			if (!grown)
				return -ENOMEM;
			*text = grown;
			size = larger;
		}
		errno = 0;
		*len += fread(*text + *len, 1, size - *len - 1, f);
		if (ferror(f))
			return errno ? -errno : -EIO;
		if (*len > CONFIG_DOCUMENT_MAX)
			return -EFBIG;
		if (feof(f))
			return 0;
	}
}

/** @nul is a 0 byte in the text, the first. */
static int nul_fault(const struct config_document *doc, const char *nul, struct config_error *err)
{
	const char *start = doc->text;
	unsigned line = 1;

	for (const char *p = doc->text; p < nul; p++) {
		if (*p == '\n') {
			start = p + 1;
			line++;
		}
	}
	snprintf(err->text, sizeof(err->text), "%s:%u:%td: a NUL byte", doc->name, line,
		 nul - start + 1);
	return -EINVAL;
}

/** Take over @text (@len bytes and room for one more) and parse it. */
static int document_adopt(const char *name, char *text, size_t len, struct config_document *doc,
			  struct config_error *err)
{
	json_error_t json_err;
	const char *nul;
	int rc;

	text[len] = 0;
	*doc = (struct config_document){.name = strdup(name), .text = text, .len = len};
	if (!doc->name) {
		config_document_close(doc);
		return reading_failed(name, err, -ENOMEM);
	}
	/* jansson passes over some, and whatever searches the text would stop there. */
	nul = memchr(text, 0, len);
	if (nul) {
		rc = nul_fault(doc, nul, err);
		config_document_close(doc);
		return rc;
	}
	doc->root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &json_err);
	if (doc->root)
		return 0;

	config_document_close(doc);
	if (!*json_err.text) /* jansson has no words for memory */
		return reading_failed(name, err, -ENOMEM);
	make_printable(json_err.text);
	snprintf(err->text, sizeof(err->text), "%s:%d:%d: %s", name, json_err.line, json_err.column,
		 json_err.text);
	return -EINVAL;
}

int config_document_load(const char *path, struct config_document *doc, struct config_error *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f;
	int rc;

	f = fopen(path, "re");
	if (!f)
		return reading_failed(path, err, -errno);
	rc = read_stream(f, &text, &len);
	fclose(f);
	if (rc) {
		free(text);
		return reading_failed(path, err, rc);
	}
	return document_adopt(path, text, len, doc, err);
}

int config_document_parse(const char *name, const char *text, size_t len,
			  struct config_document *doc, struct config_error *err)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return reading_failed(name, err, -ENOMEM);
	memcpy(copy, text, len);
	return document_adopt(name, copy, len, doc, err);
}

void config_document_close(struct config_document *doc)
{
	json_decref(doc->root);
	free(doc->text);
	free(doc->name);
	*doc = (struct config_document){0};
}

/*
 * Finding a path again. The text is valid JSON and ends with a 0, so the scanners below need no
 * checks of their own; they go over a value without building anything.
 */

static const char *skip_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/** From the opening quote to behind the closing one. */
static const char *skip_string(const char *p)
{
	for (p++; *p != '"'; p++) {
		if (*p == '\\')
			p++;
	}
	return p + 1;
}

static const char *skip_value(const char *p)
{
	unsigned depth = 0;

	do {
		if (*p == '"') {
			p = skip_string(p);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (depth && (*p == '}' || *p == ']')) {
			depth--;
			p++;
		} else {
			p += strcspn(p, depth ? "\"{}[]" : ",]} \t\r\n");
		}
	} while (depth);
	return p;
}

/**
 * If @path begins with the key between @quote and @end, return what follows it; else NULL. A key
 * may be written with escapes and may hold dots, so it is decoded and compared whole.
 */
static const char *match_key(const char *quote, const char *end, const char *path)
{
	json_t *key = json_loadb(quote, (size_t)(end - quote), JSON_DECODE_ANY, NULL);
	size_t len = json_string_length(key);
	const char *rest = NULL;

	/* strchr() finds the final 0, too: the path's end */
	if (key && !strncmp(path, json_string_value(key), len) && strchr(".[", path[len]))
		rest = path + len + (path[len] == '.');
	json_decref(key);
	return rest;
}

/**
 * Where the value or key at @path begins, looking from the value at @p; NULL if it is not there.
 */
static const char *find(const char *p, const char *path);

static const char *find_member(const char *p, const char *path)
{
	for (p = skip_space(p + 1); *p != '}'; p = skip_space(p)) {
		const char *quote = p, *end = skip_string(p);
		const char *value = skip_space(skip_space(end) + 1);
		const char *rest = match_key(quote, end, path);
		const char *found = NULL;

		if (rest)
			found = *rest ? find(value, rest) : quote;
		if (found)
			return found;
		p = skip_space(skip_value(value));
		if (*p == ',')
			p++;
	}
	return NULL;
}

static const char *find_element(const char *p, const char *path)
{
	char *end;
	unsigned long index = strtoul(path + 1, &end, 10);

	for (p = skip_space(p + 1); *p != ']'; p = skip_space(p)) {
		if (!index--)
			return find(p, end + (end[1] == '.' ? 2 : 1));
		p = skip_space(skip_value(p));
		if (*p == ',')
			p++;
	}
	return NULL;
}

static const char *find(const char *p, const char *path)
{
	if (!*path)
		return p;
	if (*p == '{')
		return find_member(p, path);
	if (*p == '[' && *path == '[' && isdigit((unsigned char)path[1]))
		return find_element(p, path);
	return NULL;
}

unsigned config_document_line(const struct config_document *doc, const char *path)
{
	const char *found = find(skip_space(doc->text), path);
	unsigned line = 1;

	if (!found)
		return 0;
	for (const char *p = doc->text; p < found; p++)
		line += *p == '\n';
	return line;
}

/** Line of @path or of the innermost thing around it that is there; the whole always is. */
static unsigned nearest_line(const struct config_document *doc, const char *path)
{
	char shorter[sizeof(((struct config_error *)0)->text)];
	unsigned line;

	strlcpy(shorter, path, sizeof(shorter));
	while (!(line = config_document_line(doc, shorter))) {
		char *dot = strrchr(shorter, '.'), *bracket = strrchr(shorter, '[');
		char *last = dot > bracket ? dot : bracket;

		*(last ? last : shorter) = 0;
	}
	return line;
}

int config_vfault(const struct config_document *doc, const char *path, struct config_error *err,
		  const char *fmt, va_list args)
{
	char message[sizeof(err->text)], where[sizeof(err->text)];

	vsnprintf(message, sizeof(message), fmt, args);
	make_printable(message);
	strlcpy(where, path, sizeof(where));
	make_printable(where);
	if ((size_t)snprintf(err->text, sizeof(err->text), "%s:%u: %s%s%s", doc->name,
			     nearest_line(doc, path), where, *path ? ": " : "",
			     message) >= sizeof(err->text))
		memcpy(err->text + sizeof(err->text) - 4, "...", 4);
	return -EINVAL;
}

int config_fault(const struct config_document *doc, const char *path, struct config_error *err,
		 const char *fmt, ...)
{
	va_list args;
	int rc;

	va_start(args, fmt);
	rc = config_vfault(doc, path, err, fmt, args);
	va_end(args);
	return rc;
}
