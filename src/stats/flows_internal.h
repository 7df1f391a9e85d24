/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of flows_collect() that have files of their own; see flows.h. */
#ifndef GATEAU_STATS_FLOWS_INTERNAL_H
#define GATEAU_STATS_FLOWS_INTERNAL_H

#include "stats/flows.h"

/** Add up by hosts what is in @f->entries, which are in order. 0, -ENOMEM. */
int flows_find_hosts(struct flows *f);

/** Learn more of the @most fattest flows, and of the fattest flow of as many hosts. 0, -ENOMEM. */
int flows_learn(struct flows *f, struct dataplane *dp, unsigned most);

#endif
