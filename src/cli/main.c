/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gateau, the operator's tool: one table of commands drives dispatch and help.
 *
 * Nothing here knows what a command does.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "base/words.h"

struct command {
	const char *name;
	const char *arguments;
	const char *summary; /* one line of `gateau --help` */
	const char *help;    /* the rest of `gateau help NAME`, whole lines */
	int (*run)(int argc, char **argv);
};

static int cmd_help(int argc, char **argv);

static const struct command commands[] = {
	{"check", "FILE", "check a configuration file without starting anything",
	 "Reads FILE as gateaud would and prints what it sets up. The first fault, if there is\n"
	 "one, goes to stderr as FILE:LINE: KEY: what is wrong; what is accepted.\n"
	 "Devices and CPUs are not looked for: the file may be meant for another machine.\n",
	 cmd_check},
	{"replay", "--config FILE [--port NAME] --in CAPTURE | --case CASE  [OPTION]...",
	 "run a capture through the scheduler in virtual time",
	 "--config FILE     a whole configuration, or just {\"scheduler\": {...}}\n"
	 "--port NAME       which port, in a whole configuration, with all its TX queues\n"
	 "--in CAPTURE      pcap or pcapng with Ethernet frames, may be gzipped; - is stdin\n"
	 "--link-rate RATE  the link behind the scheduler, e.g. 1gbit; without it that takes no time\n"
	 "--gso-size N      TCP frames with more than N bytes of payload are super-packets\n"
	 "--seed N          draw other random numbers, 1..4294967295; without it 1\n"
	 "--case CASE       a golden case instead: tests/golden/README.md\n\n"
	 "--out CAPTURE     write the frames sent, when and as they leave: pcap; - is stdout\n"
	 "--csv FILE        write every decision as a row; - is stdout\n"
	 "--json            print the result as JSON, with the keys of `tc -j -s qdisc show`\n\n"
	 "Frames arrive at the times of the capture and leave when the scheduler says so. No\n"
	 "device, no DPDK and no rights are needed, and the result is the same every time: the\n"
	 "key of the hashes, random in gateaud, is a fixed one, and a case's hashes have no key.\n"
	 "Senders do not see what happens to their packets: docs/operations.md says what that\n"
	 "means, and how to capture.\n",
	 cmd_replay},
	{"schema", "[--markdown]", "print what a configuration may hold, as a JSON Schema",
	 "For editors, and for programs that write configurations. What gateau accepts is valid\n"
	 "under the schema; of what is valid gateau still refuses ranges exceeded in strings and\n"
	 "keys that do not fit together: `gateau check` decides.\n"
	 "--markdown  the tables of docs/configuration.md instead\n",
	 cmd_schema},
	{"help", "[COMMAND]", "explain the commands, or one of them", "", cmd_help},
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static void print_overview(FILE *out)
{
	fprintf(out, "usage: gateau COMMAND [ARGUMENTS]\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fprintf(out,
		"\n`gateau help COMMAND` explains one; `gateau --version` says which this is.\n"
		"Exit code: 0 done, 1 failed, 2 wrong usage.\n");
}

static void print_usage(FILE *out, const struct command *c)
{
	fprintf(out, "usage: gateau %s %s\n", c->name, c->arguments);
}

static void print_help(const struct command *c)
{
	print_usage(stdout, c);
	printf("\n%c%s.\n%s%s", c->summary[0] - 'a' + 'A', c->summary + 1, *c->help ? "\n" : "",
	       c->help);
}

int cli_usage_fault(const char *command, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "gateau %s: ", command);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	print_usage(stderr, find_command(command));
	return CLI_USAGE;
}

static int unknown_command(const char *name)
{
	size_t tolerance = words_tolerance(name);

	fprintf(stderr, "gateau: no command \"%s\"", name);
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (words_distance(name, commands[i].name) <= tolerance)
			fprintf(stderr, "; did you mean \"%s\"?", commands[i].name);
	}
	fprintf(stderr, "\n");
	print_overview(stderr);
	return CLI_USAGE;
}

static int cmd_help(int argc, char **argv)
{
	const struct command *c;

	if (argc > 2)
		return cli_usage_fault("help", "one command at a time");
	if (argc < 2) {
		print_overview(stdout);
		return CLI_OK;
	}
	c = find_command(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	print_help(c);
	return CLI_OK;
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	}
	return false;
}

static int run_command(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_overview(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cmd_help(1, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("gateau %s\n", GATEAU_VERSION);
		return CLI_OK;
	}
	c = find_command(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	if (wants_help(argc - 1, argv + 1)) {
		print_help(c);
		return CLI_OK;
	}
	return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int rc = run_command(argc, argv);

	/* A result that a full disk swallowed must not pass for one. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "gateau: standard output: %s\n", strerror(errno));
		return CLI_FAILED;
	}
	return rc;
}
