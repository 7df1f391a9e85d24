/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gateau top: what a running gateaud does, live on a terminal. The loop: asks, waits for keys,
 * draws what top_lines.c says.
 */
#include <curses.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/client.h"
#include "cli/top_lines.h"
#include "report/report.h"

enum { OPTION_DELAY, OPTION_SOCKET, OPTIONS };

static const struct options_entry options[] = {
	[OPTION_DELAY] = {.name = "delay",
			  .letter = 'd',
			  .value = "SECONDS",
			  .help = "from one look to the next; 1 without it"},
	[OPTION_SOCKET] = CLIENT_OPTION_SOCKET,
	{0},
};

#define DELAY_MIN 0.1
#define DELAY_MAX 3600.0

/* Esc by itself is told from a key that begins with it by this wait, ms. */
#define ESCAPE_MS 50

struct top {
	const char *socket, *port;
	unsigned delay_ms;
	struct top_view view;
	struct top_data data;
	json_t *now, *before;
	char why[CLIENT_WHY_MAX];
	struct top_screen screen;
};

/* Set by signals; the loop ends, and the terminal is what it was. */
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void catch_signals(void)
{
	/* Without SA_RESTART: waiting for an answer ends, too. */
	struct sigaction a = {.sa_handler = stop};

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	sigaction(SIGHUP, &a, NULL);
}

static uint64_t monotonic_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/** Of a gateaud that was started anew the numbers begin anew. */
static bool same_run(const json_t *now, const json_t *before)
{
	return report_get_number(now, "uptime_ns") > report_get_number(before, "uptime_ns");
}

static void look(struct top *t)
{
	json_t *result =
		client_try(t->socket, json_pack("{s:s, s:b}", "op", "show", "stats", 1), t->why);

	t->data.trouble = result ? NULL : t->why;
	if (!result)
		return;
	json_decref(t->before);
	t->before = t->now;
	t->now = result;
	t->data.now = t->now;
	t->data.before = t->before && same_run(t->now, t->before) ? t->before : NULL;
}

/** Begin with the port that was named; false: there is none. */
static bool choose_port(struct top *t)
{
	const json_t *ports = json_object_get(t->now, "ports");
	json_t *p;
	size_t i;

	if (!t->port)
		return true;
	json_array_foreach (ports, i, p) {
		if (strcmp(json_string_value(json_object_get(p, "port")), t->port) != 0)
			continue;
		t->view.port = (unsigned)i;
		return true;
	}
	return false;
}

static void draw(struct top *t)
{
	struct top_screen *s = &t->screen;

	s->rows = (unsigned)LINES;
	s->columns = (unsigned)COLS;
	top_lines(s, &t->data, &t->view);
	erase();
	for (unsigned i = 0; i < s->used; i++) {
		attrset(s->bold[i] ? A_BOLD : A_NORMAL);
		mvaddstr((int)i, 0, s->lines[i]);
	}
	refresh();
}

/** False: quit. */
static bool obey(struct top *t, int key)
{
	switch (key) {
	case 'q':
	case 27: /* Esc */
		return false;
	case '?':
	case 'h':
		t->view.help = !t->view.help;
		break;
	case '\t':
	case KEY_RIGHT:
		top_next_port(&t->data, &t->view, 1);
		break;
	case KEY_BTAB:
	case KEY_LEFT:
		top_next_port(&t->data, &t->view, -1);
		break;
	case KEY_DOWN:
		top_next_queue(&t->data, &t->view, 1);
		break;
	case KEY_UP:
		top_next_queue(&t->data, &t->view, -1);
		break;
	default: /* KEY_RESIZE: drawn anew as after any key */
		break;
	}
	return true;
}

/** Keys until @deadline. False: quit. */
static bool wait_keys(struct top *t, uint64_t deadline)
{
	for (;;) {
		const uint64_t now = monotonic_ms();
		int key;

		if (stopped)
			return false;
		if (now >= deadline)
			return true;
		timeout((int)(deadline - now));
		key = getch();
		if (key == ERR)
			continue;
		if (!obey(t, key))
			return false;
		draw(t);
	}
}

static void run_screen(struct top *t)
{
	uint64_t next = monotonic_ms();

	do {
		draw(t);
		/* What was missed while gateaud was waited for is not made up for. */
		next += t->delay_ms;
		if (next < monotonic_ms())
			next = monotonic_ms();
		if (!wait_keys(t, next))
			return;
		look(t);
	} while (!stopped);
}

static int open_screen(SCREEN **screen)
{
	*screen =
		isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? newterm(NULL, stdout, stdin) : NULL;
	if (!*screen) {
		fprintf(stderr, "gateau top: no terminal that it can use (TERM=%s)\n",
			getenv("TERM") ? getenv("TERM") : "");
		return CLI_FAILED;
	}
	set_term(*screen);
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	return CLI_OK;
}

static void say_ports(const struct top *t)
{
	const json_t *ports = json_object_get(t->now, "ports");
	json_t *p;
	size_t i;

	fprintf(stderr, "gateau top: no port \"%s\"; there are: ", t->port);
	json_array_foreach (ports, i, p)
		fprintf(stderr, "%s%s", i ? ", " : "",
			json_string_value(json_object_get(p, "port")));
	fputc('\n', stderr);
}

/** The first answer, before the terminal is touched: a wrong socket or port is told as usual. */
static int begin(struct top *t)
{
	look(t);
	if (t->data.trouble) {
		fprintf(stderr, "gateau top: %s\n", t->why);
		return CLI_FAILED;
	}
	if (!choose_port(t)) {
		say_ports(t);
		return CLI_FAILED;
	}
	return CLI_OK;
}

static int run_top(struct top *t)
{
	SCREEN *screen;
	int code = begin(t);

	if (!code)
		code = open_screen(&screen);
	if (!code) {
		catch_signals();
		run_screen(t);
		endwin();
		delscreen(screen);
	}
	json_decref(t->now);
	json_decref(t->before);
	return code;
}

/** 0: it is none, which was said. */
static unsigned read_delay_ms(const char *given)
{
	char *end;
	double s;

	if (!given)
		return 1000;
	s = strtod(given, &end);
	if (*end || end == given || !(s >= DELAY_MIN && s <= DELAY_MAX)) {
		cli_usage_fault("top", "\"%s\" is no delay; %g to %g seconds", given, DELAY_MIN,
				DELAY_MAX);
		return 0;
	}
	return (unsigned)(s * 1000);
}

static int run(int argc, char **argv)
{
	static struct top t = {.view.queue = -1};
	const char *given[OPTIONS];
	int first = cli_options(&cli_top, argc, argv, given);

	if (first < 0)
		return CLI_USAGE;
	if (argc > first + 1)
		return cli_usage_fault(argv[0], "one port at a time");
	t.socket = given[OPTION_SOCKET];
	t.port = argv[first];
	t.delay_ms = read_delay_ms(given[OPTION_DELAY]);
	return t.delay_ms ? run_top(&t) : CLI_USAGE;
}

const struct cli_command cli_top = {
	.name = "top",
	.usage = "[PORT] [-d SECONDS] [--socket PATH]",
	.summary = "watch a running gateaud on the terminal",
	.help = "Rates, delays, drops and marks by tin and TX queue, and how busy the workers are,\n"
		"since the screen before. Arrow keys choose a port and one of its queues, ? explains,\n"
		"q ends it. When gateaud is gone it says so and goes on when there is one again.\n"
		"\n"
		"  gateau top wan -d 0.5\n",
	.options = options,
	.operands = {"PORT"},
	.run = run,
};
