/* SPDX-License-Identifier: BSD-3-Clause */
/* Flows added up by their hosts; see flows.h. */
#include <errno.h>
#include <stdlib.h>

#include "stats/flows_internal.h"

/** @e's share in its source, or destination; false: that is not known. */
static bool begin_host(struct flows_host *h, const struct flows *f, unsigned at, bool source)
{
	const struct flows_entry *e = &f->entries[at];

	*h = (struct flows_host){
		.port = e->port,
		.source = source,
		.identity = source ? e->seen.src_host : e->seen.dst_host,
		.backlog = e->seen.backlog,
		.flows = 1,
		.bulk = e->seen.set == CAKE_SET_BULK,
		.fattest = at,
	};
	return h->identity;
}

static int by_identity(const void *a, const void *b)
{
	const struct flows_host *x = a, *y = b;

	if (x->port != y->port)
		return x->port - y->port;
	if (x->source != y->source)
		return x->source - y->source;
	if (x->identity != y->identity)
		return x->identity < y->identity ? -1 : 1;
	return (x->fattest > y->fattest) - (x->fattest < y->fattest);
}

static int fatter_host(const void *a, const void *b)
{
	const struct flows_host *x = a, *y = b;

	return (x->backlog < y->backlog) - (x->backlog > y->backlog);
}

static bool same_host(const struct flows_host *a, const struct flows_host *b)
{
	return a->port == b->port && a->source == b->source && a->identity == b->identity;
}

/** Of each host one entry; the first of it is that of its fattest flow. Returns how many. */
static unsigned merge(struct flows_host *hosts, unsigned n)
{
	unsigned to = 0;

	for (unsigned i = 0; i < n; i++) {
		if (to && same_host(&hosts[to - 1], &hosts[i])) {
			hosts[to - 1].backlog += hosts[i].backlog;
			hosts[to - 1].flows++;
			hosts[to - 1].bulk += hosts[i].bulk;
		} else {
			hosts[to++] = hosts[i];
		}
	}
	return to;
}

int flows_find_hosts(struct flows *f)
{
	unsigned n = 0;

	if (!f->n)
		return 0;
	f->hosts = calloc(2 * (size_t)f->n, sizeof(*f->hosts));
	if (!f->hosts)
		return -ENOMEM;
	for (unsigned i = 0; i < f->n; i++) {
		n += begin_host(&f->hosts[n], f, i, true);
		n += begin_host(&f->hosts[n], f, i, false);
	}
	qsort(f->hosts, n, sizeof(*f->hosts), by_identity);
	f->n_hosts = merge(f->hosts, n);
	qsort(f->hosts, f->n_hosts, sizeof(*f->hosts), fatter_host);
	return 0;
}
