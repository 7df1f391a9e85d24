/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing the decision log; see csv.h. */
#include "replay/csv.h"

#include <errno.h>
#include <inttypes.h>

/* After errno was 0. */
static int result(FILE *f)
{
	if (!ferror(f))
		return 0;
	return errno ? -errno : -EIO;
}

void csv_header(FILE *f)
{
	fputs("order,idx,seg,queue,arrival_ns,action,time_ns,tin,flow,flow_set,sojourn_ns,len,"
	      "adj_len,ecn,dscp,flow_hash,src_hash,dst_hash\n",
	      f);
}

int csv_write(FILE *f, uint64_t order, const struct csv_row *r)
{
	errno = 0;
	fprintf(f, "%" PRIu64 ",%" PRIu64 ",%u,%u,%" PRIu64 ",%s,%" PRIu64, order, r->idx, r->seg,
		r->queue, r->arrival_ns, r->action, r->time_ns);
	fprintf(f, ",%u,%u,%u,%" PRIu64 ",%u,%u,%d,%d,%u,%u,%u\n", r->tin, r->flow, r->flow_set,
		r->sojourn_ns, r->len, r->adj_len, r->ecn, r->dscp, r->hashes.flow,
		r->hashes.src_host, r->hashes.dst_host);
	return result(f);
}

int csv_flush(FILE *f)
{
	errno = 0;
	fflush(f);
	return result(f);
}
