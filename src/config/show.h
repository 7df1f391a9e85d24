/* SPDX-License-Identifier: BSD-3-Clause */
/* From a C structure back to words, by the table of keys that filled it (schema.h). */
#ifndef GATEAU_CONFIG_SHOW_H
#define GATEAU_CONFIG_SHOW_H

#include <stddef.h>

#include "config/config.h"

/** Room for any config_show_*(). */
#define CONFIG_SHOW_MAX 512

/**
 * Write a scheduler as tc would show it, on one line: rate, tins, fairness and rtt, then what
 * differs from the defaults, e.g. "20mbit diffserv4 dual-srchost rtt 50ms overhead 44 atm ingress".
 * Returns @buf.
 */
char *config_show_scheduler(const struct config_scheduler *s, char *buf, size_t size);

/**
 * Write rule @at of a scheduler as it is understood, e.g. "vlan 10 dport 443 -> tin Voice" or
 * "protocol tcp -> mark 0x3, tin Video". Returns @buf.
 */
char *config_show_rule(const struct config_scheduler *s, unsigned at, char *buf, size_t size);

/**
 * Write how a port's TX queues, which are several, share its rate, e.g. "share demand by source
 * hosts, steer src-host". Returns @buf.
 */
char *config_show_sharing(const struct config_port *p, char *buf, size_t size);

/**
 * Write what is fair to what at a port with several TX queues, which share or not, e.g. "source
 * hosts across queues, destination hosts within each queue only". Returns @buf.
 */
char *config_show_fairness(const struct config_port *p, char *buf, size_t size);

#endif
