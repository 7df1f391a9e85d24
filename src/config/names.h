/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What may stand in the configuration's free strings. They reach EAL's command line and device
 * parser, so each has a closed grammar: nothing else can be brought in through a name.
 */
#ifndef GATEAU_CONFIG_NAMES_H
#define GATEAU_CONFIG_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/** The grammars as regular expressions, POSIX extended and ECMA-262 alike. */
extern const char config_name_pattern[], config_device_pattern[];

/**
 * Name of a port or of an EAL instance: 1 to 31 of A-Z a-z 0-9 _ . -, the first a letter or digit
 * (it becomes a file name and an argument: no "..", no option).
 */
bool config_name_valid(const char *s);

/**
 * A DPDK device: a PCI address with domain ("0000:3b:00.0") or a virtual device whose name begins
 * with net_, at most 63 bytes of it; behind that any number of ",key=value". Values hold no spaces,
 * quotes or control bytes, and a comma only inside [].
 */
bool config_device_valid(const char *s);

/** Whether a valid device is a PCI address. */
bool config_device_is_pci(const char *s);

/** Bytes of a device up to its arguments: what must be unique. */
size_t config_device_name_length(const char *s);

/**
 * The kernel interface a virtual device sits on: the value of its argument "iface", @len bytes of
 * it, inside @s. NULL if it has none.
 */
const char *config_device_interface(const char *s, size_t *len);

#endif
