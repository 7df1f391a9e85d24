/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON text that remembers where its keys are, so that a message can name the line.
 *
 * jansson reports a position for syntax errors only; locate finds a key again in a text that is
 * already known to be valid.
 */
#ifndef GATEAU_CONFIG_DOCUMENT_H
#define GATEAU_CONFIG_DOCUMENT_H

#include <stdarg.h>
#include <stddef.h>

#include <jansson.h>

struct config_error;

/** Longest file that is read, bytes: beyond any configuration or case, short of filling memory. */
#define CONFIG_DOCUMENT_MAX (64u << 20)

struct config_document {
	char *name; /* file name or what stands for it */
	char *text; /* len bytes, then a 0 */
	size_t len;
	json_t *root;
};

/**
 * Read a file and parse it; duplicate keys are errors, as are bytes after the value.
 *
 * @return 0; -EINVAL with "FILE:LINE:COLUMN: what is wrong" in @err; -EFBIG, -ENOMEM or an error of
 *         reading with "FILE: reason". Only on success @doc is to be closed.
 */
int config_document_load(const char *path, struct config_document *doc, struct config_error *err);

/** The same for a text in memory, which is copied; @name stands in messages for the file name. */
int config_document_parse(const char *name, const char *text, size_t len,
			  struct config_document *doc, struct config_error *err);

void config_document_close(struct config_document *doc);

/** Line (1-based) of the value or key at @path such as "ports[1].scheduler.rtt"; 0 = not there. */
unsigned config_document_line(const struct config_document *doc, const char *path);

/**
 * Write "NAME:LINE: PATH: message" to @err, or "NAME:LINE: message" where @path is "". For a key
 * that is missing the line is that of the object it is missing from. Returns -EINVAL for the caller
 * to return.
 */
int config_fault(const struct config_document *doc, const char *path, struct config_error *err,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** The same, for functions that make up the path and take the message's arguments themselves. */
int config_vfault(const struct config_document *doc, const char *path, struct config_error *err,
		  const char *fmt, va_list args) __attribute__((format(printf, 4, 0)));

#endif
