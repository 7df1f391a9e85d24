/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as a configuration file, as a scheduler's object and as a case file: it is refused with
 * a message that names the place, or accepted, and then it can be shown and run.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "cake/params.h"
#include "cli/case.h"
#include "config/config.h"
#include "config/document.h"
#include "config/dump.h"
#include "config/show.h"
#include "fuzz.h"

/* What a person is told: "NAME:LINE: ..." or "NAME:LINE:COLUMN: ...", one line, printable. */
static void check_refusal(const char *name, int rc, const struct config_error *err)
{
	size_t name_len = strlen(name);
	const char *line = err->text + name_len + 1;

	assert_int_equal(rc, -EINVAL);
	assert_non_null(memchr(err->text, 0, sizeof(err->text)));
	assert_memory_equal(err->text, name, name_len);
	assert_int_equal(err->text[name_len], ':');
	assert_in_range(*line, '0', '9');
	for (const char *c = line; *c; c++)
		assert_in_range(*c, ' ', '~');
}

/* What is accepted must be in force: the scheduler takes it, and there are words for it. */
static void check_scheduler(const struct config_scheduler *s)
{
	char shown[CONFIG_SHOW_MAX];
	struct cake_params params = s->cake;

	memset(shown, '#', sizeof(shown));
	config_show_scheduler(s, shown, sizeof(shown));
	assert_in_range(strnlen(shown, sizeof(shown)), 1, sizeof(shown) - 2); /* not cut short */
	assert_int_equal(params_resolve(&params), 0);
}

/* What is in force can be dumped, and the dump is the same configuration. */
static void check_dump(const struct gateau_config *cfg)
{
	json_t *dumped = config_dump(cfg);
	char *text = json_dumps(dumped, 0);
	struct gateau_config *again = NULL;
	struct config_error err = {""};

	config_parse("f", text, strlen(text), &again, &err);
	assert_string_equal(err.text, "");
	for (unsigned i = 0; i < cfg->n_ports; i++)
		again->ports[i].steer_set = cfg->ports[i].steer_set;
	assert_memory_equal(cfg, again, offsetof(struct gateau_config, written));
	config_free(again);
	free(text);
	json_decref(dumped);
}

static void whole_file(const char *text, size_t len)
{
	struct gateau_config *cfg = NULL;
	struct config_error err;
	int rc;

	memset(&err, '#', sizeof(err));
	rc = config_parse("f", text, len, &cfg, &err);
	if (rc) {
		check_refusal("f", rc, &err);
		return;
	}
	assert_in_range(cfg->n_ports, 1, CONFIG_PORTS_MAX);
	for (unsigned i = 0; i < cfg->n_ports; i++)
		check_scheduler(&cfg->ports[i].scheduler);
	for (unsigned i = 0; i < cfg->n_links; i++) {
		assert_in_range(cfg->links[i].from, 0, cfg->n_ports - 1);
		assert_in_range(cfg->links[i].to, 0, cfg->n_ports - 1);
	}
	check_dump(cfg);
	config_free(cfg);
}

static void only_scheduler(const char *text, size_t len)
{
	struct config_scheduler scheduler;
	struct config_document doc;
	struct config_error err;
	int rc;

	memset(&err, '#', sizeof(err));
	if (config_document_parse("f", text, len, &doc, &err))
		return; /* whole_file() has seen to the message */
	rc = config_parse_scheduler(&doc, "scheduler", json_object_get(doc.root, "scheduler"),
				    &scheduler, &err);
	if (rc)
		check_refusal("f", rc, &err);
	else
		check_scheduler(&scheduler);
	config_document_close(&doc);
}

static void case_file(const char *text, size_t len)
{
	int fd = memfd_create("case", MFD_CLOEXEC);
	struct config_error err;
	struct replay_case c;
	char path[32];
	int rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memset(&err, '#', sizeof(err));
	rc = case_load(path, &c, &err);
	if (rc) {
		check_refusal(path, rc, &err);
	} else {
		assert_int_equal(c.options.params.profile, CAKE_PROFILE_LINUX);
		case_close(&c);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	whole_file(text, size);
	only_scheduler(text, size);
	case_file(text, size);
	return 0;
}
