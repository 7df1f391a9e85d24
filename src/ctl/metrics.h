/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics' place: where the configuration says, GET /metrics is a snapshot (http.h). */
#ifndef GATEAU_CTL_METRICS_H
#define GATEAU_CTL_METRICS_H

#include <systemd/sd-event.h>

#include "ctl/ops.h"

struct metrics;

/**
 * Serve at config->metrics.listen. Where the file does not name the address and it cannot be had,
 * that is a warning; "off" and that leave *@out NULL.
 *
 * @param loop  of the thread that calls this; kept until metrics_close(), as is @ctl
 * @return 0 or -errno; says why
 */
int metrics_open(struct metrics **out, sd_event *loop, struct ctl *ctl);

/** NULL is ignored. */
void metrics_close(struct metrics *m);

#endif
