/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration file, read and checked: what a person wrote, in the machine's types.
 *
 * One table (schema.c) says for every key its type, range, default and help; parsing, checking and
 * the documentation follow from it. A struct gateau_config exists only if the whole file is valid.
 */
#ifndef GATEAU_CONFIG_CONFIG_H
#define GATEAU_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <gateau/cake_config.h>

#include "config/listen.h"
#include "packet/rules.h"
#include "share/share.h"
#include "share/steer.h"

#define CONFIG_NAME_MAX   32 /* bytes of a port's name, with the final 0 */
#define CONFIG_DEVICE_MAX 256
#define CONFIG_PORTS_MAX  32
#define CONFIG_LINKS_MAX  64
#define CONFIG_LCORES_MAX 127 /* DPDK's 128 but for the main thread's */
#define CONFIG_QUEUES_MAX 64

/** Largest "memlimit", bytes, given or by default: three intervals of 100 ms at 400 Gbit/s. */
#define CONFIG_MEMLIMIT_MAX (INT64_C(16) << 30)

/** "idle": what a worker does while nothing arrives (lcore/idle.h). */
enum config_idle {
	CONFIG_IDLE_SPIN,
	CONFIG_IDLE_ADAPTIVE,
	CONFIG_IDLE_INTERRUPT,
};

/** "eal": how DPDK is started. */
struct config_eal {
	unsigned n_lcores;                  /* 0 = every CPU but one, at least one */
	uint16_t lcores[CONFIG_LCORES_MAX]; /* CPUs of the polling workers */
	bool hugepages;                     /* default true */
	uint32_t memory_mb;                 /* 0 = as much as the pools need */
	char prefix[CONFIG_NAME_MAX];       /* default "gateau": keeps instances apart */
};

/** "metrics": statistics over HTTP. */
struct config_metrics {
	char listen[LISTEN_TEXT_MAX]; /* listen.h; default LISTEN_METRICS */
	bool listen_set;              /* the file says it: it must be had then */
};

/** "scheduler": CAKE, and what is known of packets before they reach it. */
struct config_scheduler {
	struct cake_params cake;
	unsigned n_rules;
	struct packet_rule rules[PACKET_RULES_MAX];
};

/** One of "ports". */
struct config_port {
	char name[CONFIG_NAME_MAX];
	char device[CONFIG_DEVICE_MAX];          /* PCI address or vdev with its arguments */
	uint16_t rx_queues;                      /* default 1 */
	uint16_t tx_queues;                      /* default 1; each has a scheduler */
	uint16_t rx_descriptors, tx_descriptors; /* "descriptors": 0 = the driver's default */
	uint16_t mtu;                            /* default 1500 */
	uint64_t link_hold_ns;                   /* "link_hold": default 1 s */
	unsigned n_rx_lcores;                    /* "rx_lcores": 0 = dealt round-robin */
	uint16_t rx_lcores[CONFIG_QUEUES_MAX];   /* worker of each RX queue */
	unsigned n_tx_lcores;                    /* "tx_lcores": likewise */
	uint16_t tx_lcores[CONFIG_QUEUES_MAX];   /* worker that runs each TX queue's scheduler */
	enum share_mode share;                   /* default demand; means nothing to one queue */
	bool steer_set;                          /* the file says it */
	enum steer steer; /* else by flow mode; flow where one queue leaves nothing to choose */
	struct config_scheduler scheduler;
};

/** One of "links": what arrives at `from` leaves at `to`. Indices into ports. */
struct config_link {
	unsigned from, to;
};

struct gateau_config {
	struct config_eal eal;
	struct config_metrics metrics;
	enum config_idle idle; /* default adaptive */
	uint64_t drain_ns;     /* "drain": longest time to send what is queued when stopping */
	unsigned n_ports, n_links;
	struct config_port ports[CONFIG_PORTS_MAX];
	struct config_link links[CONFIG_LINKS_MAX];
	json_t *written; /* as the file says it, for changing single keys of it (edit.h) */
};

/** One fault, as shown to a person: "FILE:LINE: path.to.key: what is wrong; what is accepted". */
struct config_error {
	char text[1024];
};

/**
 * Read, parse and check FILE.
 *
 * @param out  set on success; free with config_free()
 * @param err  the first fault on failure
 * @return 0, -ENOENT and other errors of reading, -EINVAL for a fault in the file, -ENOMEM
 */
int config_load(const char *path, struct gateau_config **out, struct config_error *err);

/** The same for a text in memory; @name stands in messages in place of the file name. */
int config_parse(const char *name, const char *text, size_t len, struct gateau_config **out,
		 struct config_error *err);

void config_free(struct gateau_config *cfg);

/** Have @a and @b change places: who points into one of them finds there what the other was. */
void config_swap(struct gateau_config *a, struct gateau_config *b);

/** What a scheduler is without any key: tc's defaults. */
void config_scheduler_default(struct config_scheduler *s);

/**
 * Read one port out of a full configuration, or the scheduler of a file that has nothing else,
 * {"scheduler": {...}}, as a port with one TX queue and no name; either is checked whole.
 *
 * @param port  the port's name, NULL for a file without ports
 * @return as config_load()
 */
int config_load_port(const char *path, const char *port, struct config_port *out,
		     struct config_error *err);

/**
 * Parse and check just a scheduler object into @out, which is set up with defaults first.
 *
 * @param doc   name and text of the document it came from, for line numbers; see document.h
 * @param path  where in it the object is, e.g. "scheduler"
 * @param obj   NULL is a fault: missing
 * @return 0, -EINVAL, -ENOMEM
 */
struct config_document;
int config_parse_scheduler(const struct config_document *doc, const char *path, json_t *obj,
			   struct config_scheduler *out, struct config_error *err);

#endif
