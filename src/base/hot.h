/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that run once or twice per packet and have few callers: a call would cost as much as
 * what they do, and what is constant at a caller drops out.
 */
#ifndef GATEAU_BASE_HOT_H
#define GATEAU_BASE_HOT_H

#define HOT static inline __attribute__((always_inline))

#endif
