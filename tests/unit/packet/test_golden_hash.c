/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of the golden captures give the identities, code points and lengths of the golden tables.
 *
 * It needs no scheduler: what is compared here goes into it. Run with the folder tests/golden.
 */
#include <dirent.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "packet/hash.h"
#include "packet/parse.h"
#include "packet/segment.h"
#include "replay/capture.h"

/* The cases that are shipped; a test that finds fewer would pass for nothing. */
#define CASES 52

static const char *golden_dir;

static struct packet_hasher hasher;

/* What was read from one frame of the capture. */
struct seen {
	struct packet_headers headers;
	struct packet_hashes hashes;
	struct packet_cut cut;
	uint32_t len;
	bool in_table;
};

/* One row of an expected table; the columns that do not depend on the scheduler. */
struct row {
	unsigned long idx, seg, len, flow_hash, src_hash, dst_hash;
	long ecn, dscp;
	bool whole; /* stands for the frame as it arrived, not for a segment of it */
};

static char *join(const char *a, const char *b)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", a, b) > 0);
	return path;
}

static struct seen *read_capture(const char *path, uint32_t gso_size, unsigned long *n)
{
	struct capture_packet p;
	struct seen *seen = NULL;
	struct capture *c;
	char err[256];
	int rc;

	if (capture_open(&c, path, err, sizeof(err)))
		fail_msg("%s", err);
	for (*n = 0; (rc = capture_next(c, &p)) == 1; (*n)++) {
		struct packet_segment seg = {p.data, p.captured};
		struct packet_frame frame = {.segs = &seg, .n_segs = 1, .len = p.len};
		struct seen *s;

		if (!(*n & (*n - 1))) { /* a power of two: full */
			seen = reallocarray(seen, *n ? 2 * *n : 1, sizeof(*seen));
			assert_non_null(seen);
		}
		s = &seen[*n];
		s->in_table = false;
		s->len = p.len;
		packet_parse(&frame, PACKET_DEPTH_LINUX, &s->headers);
		packet_hash(&hasher, &s->headers, &s->hashes);
		s->cut = packet_cut_plan(&s->headers, p.len, gso_size);
	}
	assert_int_equal(rc, 0);
	capture_close(c);
	return seen;
}

/* order,idx,seg,queue,arrival_ns,action,time_ns,tin,flow,flow_set,sojourn_ns,len,... */
static void parse_row(const char *line, bool cuts, struct row *r)
{
	char action[32];
	int n = sscanf(
		line, "%*u,%lu,%lu,%*u,%*u,%31[^,],%*u,%*u,%*u,%*u,%*u,%lu,%*u,%ld,%ld,%lu,%lu,%lu",
		&r->idx, &r->seg, action, &r->len, &r->ecn, &r->dscp, &r->flow_hash, &r->src_hash,
		&r->dst_hash);

	assert_int_equal(n, 9);
	r->whole = !cuts || !strcmp(action, "gso_split");
}

/* DSCP and ECN are printed as they left: DSCP may have been washed, ECN been set to CE. */
static bool row_matches(const struct row *r, const struct seen *s, bool wash)
{
	const struct packet_headers *h = &s->headers;
	bool ip = h->l3 == PACKET_L3_IPV4 || h->l3 == PACKET_L3_IPV6;
	long dscp = !ip ? -1 : wash ? 0 : h->dscp;
	long ecn = ip ? h->ecn : -1;

	return r->flow_hash == s->hashes.flow && r->src_hash == s->hashes.src_host &&
	       r->dst_hash == s->hashes.dst_host && r->dscp == dscp &&
	       (r->ecn == ecn || (ecn > 0 && r->ecn == 3)) &&
	       r->len == (r->whole ? s->len : packet_cut_len(&s->cut, r->seg));
}

static unsigned compare(const char *name, const char *table, struct seen *seen, unsigned long n,
			bool cuts, bool wash)
{
	gzFile gz = gzopen(table, "r");
	unsigned wrong = 0;
	char line[512];
	struct row r;

	assert_non_null(gz);
	assert_non_null(gzgets(gz, line, sizeof(line))); /* the column names */
	while (gzgets(gz, line, sizeof(line))) {
		parse_row(line, cuts, &r);
		assert_true(r.idx < n);
		seen[r.idx].in_table = true;
		if (row_matches(&r, &seen[r.idx], wash))
			continue;
		if (!wrong++)
			print_error("%s: first differing row: %s", name, line);
	}
	assert_int_equal(gzclose(gz), Z_OK);
	for (unsigned long i = 0; i < n; i++)
		wrong += !seen[i].in_table;
	return wrong;
}

static unsigned check_case(const char *name)
{
	char *cases = join(golden_dir, "cases"), *path = join(cases, name), *trace, *table;
	const char *trace_name, *table_name;
	int wash = 0, split = 1, gso_size = 0;
	struct seen *seen;
	unsigned long n;
	unsigned wrong;
	json_t *root = json_load_file(path, 0, NULL);

	assert_non_null(root);
	assert_int_equal(0,
			 json_unpack(root, "{s:s, s:s, s:{s?b, s?b}, s:{s?i}}", "trace",
				     &trace_name, "expected", &table_name, "scheduler", "wash",
				     &wash, "split_gso", &split, "replay", "gso_size", &gso_size));
	trace = join(golden_dir, trace_name);
	table = join(golden_dir, table_name);
	seen = read_capture(trace, split ? gso_size : 0, &n);
	assert_true(n > 0);
	wrong = compare(name, table, seen, n, split && gso_size, wash);

	free(seen);
	free(table);
	free(trace);
	json_decref(root);
	free(path);
	free(cases);
	return wrong;
}

static void every_case_gives_the_tables_identities(void **state)
{
	char *path = join(golden_dir, "cases");
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned cases = 0, wrong = 0;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		wrong += check_case(entry->d_name);
		cases++;
	}
	closedir(dir);
	free(path);
	assert_int_equal(wrong, 0);
	assert_int_equal(cases, CASES);
}

int main(int argc, char **argv)
{
	const struct packet_hash_params reference = {.method = PACKET_HASH_REFERENCE};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_gives_the_tables_identities),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s GOLDEN_FOLDER\n", argv[0]);
		return 2;
	}
	golden_dir = argv[1];
	packet_hasher_init(&hasher, &reference, CAKE_TRIPLE_ISOLATE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
