/* SPDX-License-Identifier: BSD-3-Clause */
/* See testpmd.h. */
#include "testpmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define PROGRAM "dpdk-testpmd"
#define PROMPT  "testpmd> "

/* Frames that one "tx_first" sends by each port. */
#define TX_FIRST 32

/** In the child: become testpmd. All its threads are on the CPU that it inherits. */
static void become(const struct testpmd *t)
{
	const unsigned core = bench_core();
	const char *const argv[] = {
		/* Its prompt, which ends an answer, is not buffered: the rest must not be. */
		"stdbuf",
		"-oL",
		PROGRAM,
		"--lcores",
		bench_text("0@%u,1@%u", core, core),
		"--no-huge",
		"-m",
		"256",
		"--no-pci",
		"--no-shconf",
		"--no-telemetry",
		"--file-prefix",
		bench_text("gateau-bench-%s-%s", t->driver, t->mode),
		"--log-level=error",
		"--vdev",
		bench_text("%s0", t->driver),
		"--vdev",
		bench_text("%s1", t->driver),
		"--",
		"-i",
		"--nb-cores=1",
		/* It would empty its ports first, for a second: net_null never is. */
		"--no-flush-rx",
		"--total-num-mbufs=8192",
		bench_text("--forward-mode=%s", t->mode),
		NULL,
	};

	execvp(argv[0], (char *const *)argv);
	_exit(1);
}

/** Read up to the next prompt. Returns the last number behind @label, 0 without or if it is NULL.
 */
static uint64_t read_answer(struct testpmd *t, const char *label)
{
	char line[512];
	uint64_t found = 0;
	size_t n = 0;

	for (int c; (c = fgetc(t->answers)) != EOF;) {
		if (n == sizeof(line) - 1 || c == '\n')
			n = 0;
		line[n++] = (char)c;
		line[n] = '\0';
		if (strstr(line, PROMPT))
			return found;
		if (label && strstr(line, label))
			found = strtoull(strstr(line, label) + strlen(label), NULL, 10);
	}
	bench_fail(PROGRAM " does not run; Debian has it in the package dpdk-dev");
}

static void command(struct testpmd *t, const char *text)
{
	fprintf(t->commands, "%s\n", text);
	fflush(t->commands);
}

void testpmd_begin(struct testpmd *t)
{
	int in[2], out[2];

	fflush(NULL);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || (t->pid = fork()) < 0)
		bench_fail("cannot start " PROGRAM ": %s", strerror(errno));
	if (!t->pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		become(t);
	}
	close(in[0]);
	close(out[1]);
	t->commands = fdopen(in[1], "w");
	t->answers = fdopen(out[0], "r");
	t->start = t->frames ? bench_text("start tx_first %u", t->frames / 2 / TX_FIRST) : "start";
	read_answer(t, NULL);
}

void testpmd_end(struct testpmd *t)
{
	command(t, "quit");
	fclose(t->commands);
	while (fgetc(t->answers) != EOF)
		;
	fclose(t->answers);
	waitpid(t->pid, NULL, 0);
}

/** Processor time that it had so far, ns. */
static double cpu_ns(const struct testpmd *t)
{
	struct timespec now;
	clockid_t clock;

	if (clock_getcpuclockid(t->pid, &clock) || clock_gettime(clock, &now))
		bench_fail(PROGRAM " is gone");
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double testpmd_rate(struct testpmd *t, unsigned ms)
{
	const struct timespec time = {.tv_nsec = ms * 1000000L};
	double start = cpu_ns(t);
	uint64_t sent;

	command(t, t->start);
	read_answer(t, NULL);
	nanosleep(&time, NULL);
	command(t, "stop");
	/* Of each port, and then of all. */
	sent = read_answer(t, "TX-packets:");
	/* Frames in the rings stay there. */
	t->start = "start";
	return (double)sent / (cpu_ns(t) - start);
}
