/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that read, as commands of DPDK's telemetry: /gateau/version, /gateau/show,PORT and so
 * on, next to those that DPDK has itself (usertools/dpdk-telemetry.py).
 */
#ifndef GATEAU_CTL_TELEMETRY_H
#define GATEAU_CTL_TELEMETRY_H

#include "ctl/ops.h"

/** Offer the commands, which DPDK's thread runs, until telemetry_close(). Says so if it cannot. */
void telemetry_open(struct ctl *ctl);

/** When this returns no command runs, and none will find @ctl any more. */
void telemetry_close(void);

#endif
