/* SPDX-License-Identifier: BSD-3-Clause */
/* See log.h. A line is formatted whole and written at once, so that lines never mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_MAX_BYTES 1024

static const char *log_name = "gateau";

void log_set_name(const char *name)
{
	log_name = name;
}

static void write_line(const char *prefix, const char *fmt, va_list ap)
{
	char text[LINE_MAX_BYTES];

	vsnprintf(text, sizeof(text), fmt, ap);
	fprintf(stderr, "%s: %s%s\n", log_name, prefix, text);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line("", fmt, ap);
	va_end(ap);
}

void log_warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line("warning: ", fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line("", fmt, ap);
	va_end(ap);
}
