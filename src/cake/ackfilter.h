/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ACK filter: which of a queue's TCP acknowledgements a newly appended one makes superfluous.
 *
 * It compares records of headers (struct cake_tcp) that packet/tcp.h has made; it reads no packet.
 * Taking the packet out of all counts is account.h's business.
 */
#ifndef GATEAU_CAKE_ACKFILTER_H
#define GATEAU_CAKE_ACKFILTER_H

#include <stdint.h>

#include <gateau/cake_config.h>

#include "cake/slab.h"

/** ackfilter_take(): look at the whole queue, as Linux does. */
#define ACKFILTER_ALL UINT32_MAX

/**
 * Take the packet out of @q that its last one makes superfluous, the one that has waited longest.
 *
 * @param most  packets looked at, from the head
 * @return its index, SLAB_NONE if there is none
 */
uint32_t ackfilter_take(struct fifo *q, struct slab *s, enum cake_ack_filter mode, uint32_t most);

#endif
