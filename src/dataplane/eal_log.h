/* SPDX-License-Identifier: BSD-3-Clause */
/* What DPDK and its drivers say goes the way of gateaud's own messages (base/log.h). */
#ifndef GATEAU_DATAPLANE_EAL_LOG_H
#define GATEAU_DATAPLANE_EAL_LOG_H

/**
 * Take DPDK's log over; before rte_eal_init(), and for good. Else DPDK would write each line to
 * syslog as well, and a flood of a driver's would not be limited.
 *
 * @return 0, -ENOMEM
 */
int eal_log_open(void);

#endif
