/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * manual: complete a template. Part of the build, not installed.
 *
 * usage: manual TEMPLATE
 *
 * Writes TEMPLATE to stdout; a line @NAME@ is replaced by what the table below makes, and @version@
 * anywhere by gateau's version.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "daemon/options.h"
#include "manual/manual.h"
#include "manual/roff.h"

#define VERSION "@version@"

static const struct {
	const char *line;
	void (*print)(FILE *out);
} parts[] = {
	{"@commands@\n", manual_commands},
	{"@keys@\n", manual_keys},
	{"@daemon-options@\n", manual_daemon_options},
	{"@completion@\n", manual_completion},
};

void manual_daemon_options(FILE *out)
{
	roff_options(out, daemon_options);
}

static void complete_line(const char *line)
{
	const char *at;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!strcmp(line, parts[i].line)) {
			parts[i].print(stdout);
			return;
		}
	}
	while ((at = strstr(line, VERSION))) {
		printf("%.*s%s", (int)(at - line), line, GATEAU_VERSION);
		line = at + strlen(VERSION);
	}
	fputs(line, stdout);
}

static int complete(FILE *in)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, in) > 0)
		complete_line(line);
	free(line);
	return ferror(in) || fflush(stdout) || ferror(stdout) ? -1 : 0;
}

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (argc != 2)
		fputs("usage: manual TEMPLATE\n", stderr);
	else if (!in || complete(in))
		fprintf(stderr, "manual: %s: %s\n", argv[1], strerror(errno));
	else
		return 0;
	return 1;
}
