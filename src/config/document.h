/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON text that remembers where its keys are, so that a message can name the line.
 *
 * jansson reports a position for syntax errors only; locate finds a key again in a text that is
 * already known to be valid.
 */
#ifndef GATEAU_CONFIG_DOCUMENT_H
#define GATEAU_CONFIG_DOCUMENT_H

#include <stddef.h>

#include <jansson.h>

struct config_error;

struct config_document {
	char *name; /* file name or what stands for it */
	char *text; /* len bytes, then a 0 */
	size_t len;
	json_t *root;
};

/**
 * Read a file and parse it; duplicate keys are errors, as are bytes after the value.
 * On failure @err has file, line and column. Close with config_document_close().
 */
int config_document_load(const char *path, struct config_document *doc, struct config_error *err);
int config_document_parse(const char *name, const char *text, size_t len,
			  struct config_document *doc, struct config_error *err);
void config_document_close(struct config_document *doc);

/** Line (1-based) of the value or key at @path such as "ports[1].scheduler.rtt"; 0 = not there. */
unsigned config_document_line(const struct config_document *doc, const char *path);

/** Write "NAME:LINE: PATH: message" to @err. Returns -EINVAL for the caller to return. */
int config_fault(const struct config_document *doc, const char *path, struct config_error *err,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
