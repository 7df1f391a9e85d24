/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tc's words for what a link puts around packets, such as "pppoe-ptm ether-vlan": what they add to
 * the overhead and what they say of atm and mpu.
 *
 * Stricter than tc in one thing: a word that undoes an earlier one is a fault, not the winner.
 */
#ifndef GATEAU_CONFIG_FRAMING_H
#define GATEAU_CONFIG_FRAMING_H

#include <stdbool.h>
#include <stddef.h>

#include <gateau/cake_config.h>

/** What a word says nothing about. */
#define FRAMING_UNSAID (-1)

/** A word. Values are those of tc (iproute2's q_cake.c); tc-cake(8) says where they come from. */
struct framing_word {
	const char *word;
	int overhead; /* bytes, added to those of the other words */
	int atm;      /* enum cake_atm or FRAMING_UNSAID */
	int mpu;      /* bytes or FRAMING_UNSAID */
	bool first;   /* tc forgets what stands before it, so nothing but "raw" may */
};

/** All words; the list ends with a null word. A number of bytes may stand for one. */
extern const struct framing_word framing_words[];

/** Room for what framing_parse() writes to @wrong. */
#define FRAMING_WRONG_MAX 128

/**
 * Read words, separated by spaces, and set overhead, overhead_set, and where the words say
 * something of them atm and mpu.
 *
 * @param wrong what is wrong with the words; with -ENOENT the word that is none
 * @return 0, -EINVAL, -ENOENT, -ENOMEM; only with 0 @p is changed
 */
int framing_parse(const char *words, struct cake_params *p, char wrong[FRAMING_WRONG_MAX]);

#endif
