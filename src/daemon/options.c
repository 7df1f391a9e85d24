/* SPDX-License-Identifier: BSD-3-Clause */
/* See options.h. */
#include "daemon/options.h"

#include <stdio.h>

#include "base/log.h"
#include "base/version.h"
#include "ctl/protocol.h"

enum given {
	GIVEN_CONFIG,
	GIVEN_SOCKET,
	GIVEN_PROBE,
	GIVEN_JSON,
	GIVEN_HELP,
	GIVEN_VERSION,
	N_GIVEN
};

const struct options_entry daemon_options[] = {
	[GIVEN_CONFIG] = {.name = "config",
			  .letter = 'c',
			  .value = "FILE",
			  .help = "the configuration (docs/configuration.md)"},
	[GIVEN_SOCKET] = {.name = "socket",
			  .letter = 's',
			  .value = "PATH",
			  .help = "the control socket; without it " CTL_SOCKET_DIR "/PREFIX.sock\n"
				  "with \"eal\": {\"prefix\"}, which is \"gateau\" by default"},
	[GIVEN_PROBE] = {.name = "probe",
			 .help = "print what the machine and its devices are, and, with a file,\n"
				 "whether it fits them; then end"},
	[GIVEN_JSON] = {.name = "json",
			.letter = 'j',
			.help = "print the closing summary, or what --probe finds, as JSON"},
	[GIVEN_HELP] = {.name = "help", .letter = 'h', .help = "print this"},
	[GIVEN_VERSION] = {.name = "version", .letter = 'V', .help = "print the version"},
	[N_GIVEN] = {0},
};

static void print_usage(FILE *out)
{
	fputs("usage: gateaud -c FILE [-s PATH] [-j]\n"
	      "       gateaud --probe [-c FILE] [-j]\n",
	      out);
	options_print(out, daemon_options, 2);
}

static int wrong_usage(const char *why)
{
	log_error("%s", why);
	print_usage(stderr);
	return EXIT_USAGE;
}

int daemon_options_read(int argc, char **argv, struct options *out)
{
	const char *given[N_GIVEN];
	char err[OPTIONS_ERROR_MAX];
	int first = options_parse(daemon_options, argc, argv, given, err);

	if (first < 0)
		return wrong_usage(err);
	if (given[GIVEN_HELP]) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (given[GIVEN_VERSION]) {
		printf("gateaud %s\n", GATEAU_VERSION);
		return EXIT_OK;
	}
	if (first < argc) {
		snprintf(err, sizeof(err), "\"%s\" is not an option", argv[first]);
		return wrong_usage(err);
	}
	if (!given[GIVEN_CONFIG] && !given[GIVEN_PROBE])
		return wrong_usage("no configuration file given");
	*out = (struct options){.config_path = given[GIVEN_CONFIG],
				.socket = given[GIVEN_SOCKET],
				.json = given[GIVEN_JSON],
				.probe = given[GIVEN_PROBE]};
	return -1;
}
