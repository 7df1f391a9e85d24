/* SPDX-License-Identifier: BSD-3-Clause */
/* One table of words, and their sum. */
#include "config/framing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAW "raw"

const struct framing_word framing_words[] = {
	/* lengths as the frame has them; further words add to that */
	{RAW, 0, FRAMING_UNSAID, FRAMING_UNSAID, true},
	/* more than any link has: a whole ATM cell */
	{"conservative", 48, CAKE_ATM, FRAMING_UNSAID, true},

	{"ipoa-vcmux", 8, CAKE_ATM, FRAMING_UNSAID, false},
	{"ipoa-llcsnap", 16, CAKE_ATM, FRAMING_UNSAID, false},
	{"bridged-vcmux", 24, CAKE_ATM, FRAMING_UNSAID, false},
	{"bridged-llcsnap", 32, CAKE_ATM, FRAMING_UNSAID, false},
	{"pppoa-vcmux", 10, CAKE_ATM, FRAMING_UNSAID, false},
	{"pppoa-llc", 14, CAKE_ATM, FRAMING_UNSAID, false},
	{"pppoe-vcmux", 32, CAKE_ATM, FRAMING_UNSAID, false},
	{"pppoe-llcsnap", 40, CAKE_ATM, FRAMING_UNSAID, false},

	/* Ethernet header 14 and FCS 4, PTM's start and end 2 and CRC 2; PPPoE and PPP 8 more */
	{"pppoe-ptm", 30, CAKE_PTM, FRAMING_UNSAID, false},
	{"bridged-ptm", 22, CAKE_PTM, FRAMING_UNSAID, false},

	/* header 14 and FCS 4: what a cable operator's shaper counts */
	{"docsis", 18, CAKE_NOATM, 64, false},
	/* header 14, FCS 4, preamble 8, gap 12; the least frame is 64 + 8 + 12 */
	{"ethernet", 38, FRAMING_UNSAID, 84, false},
	{"ether-vlan", 4, FRAMING_UNSAID, FRAMING_UNSAID, false},
	{0},
};

/** What the words up to here come to. */
struct sum {
	unsigned words;
	bool raw;
	int overhead;
	const struct framing_word *atm, *mpu; /* the first word that said something of it */
};

/** A number of bytes is a word like others: tc's "overhead N" in one. */
static const struct framing_word *as_number(const char *text, struct framing_word *number)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (!strchr("-0123456789", *text) || *end)
		return NULL;
	*number = (struct framing_word){text, 0, FRAMING_UNSAID, FRAMING_UNSAID, true};
	/* one beyond the range stays beyond it, whatever long is */
	number->overhead = n < CAKE_OVERHEAD_MIN   ? CAKE_OVERHEAD_MIN - 1
			   : n > CAKE_OVERHEAD_MAX ? CAKE_OVERHEAD_MAX + 1
						   : (int)n;
	return number;
}

static const struct framing_word *find_word(const char *text, struct framing_word *number)
{
	for (const struct framing_word *w = framing_words; w->word; w++) {
		if (!strcmp(w->word, text))
			return w;
	}
	return as_number(text, number);
}

static int contradiction(const struct framing_word *w, const struct framing_word *earlier,
			 const char *about, char *wrong)
{
	snprintf(wrong, FRAMING_WRONG_MAX, "%s and %s say different things of %s; give one",
		 earlier->word, w->word, about);
	return -EINVAL;
}

static int add_word(struct sum *sum, const struct framing_word *w, char *wrong)
{
	bool raw = !strcmp(w->word, RAW);

	if (w->first && sum->words > (!raw && sum->raw)) {
		snprintf(wrong, FRAMING_WRONG_MAX,
			 "%s undoes what stands before it; write it first", w->word);
		return -EINVAL;
	}
	if (sum->atm && w->atm != FRAMING_UNSAID && w->atm != sum->atm->atm)
		return contradiction(w, sum->atm, "atm", wrong);
	if (sum->mpu && w->mpu != FRAMING_UNSAID && w->mpu != sum->mpu->mpu)
		return contradiction(w, sum->mpu, "mpu", wrong);
	if (w->atm != FRAMING_UNSAID)
		sum->atm = w;
	if (w->mpu != FRAMING_UNSAID)
		sum->mpu = w;
	sum->raw |= raw;
	sum->overhead += w->overhead;
	sum->words++;
	return 0;
}

static int add_text(struct sum *sum, const char *text, char *wrong)
{
	struct framing_word number;
	const struct framing_word *w = find_word(text, &number);

	if (w)
		return add_word(sum, w, wrong);
	snprintf(wrong, FRAMING_WRONG_MAX, "%s", text);
	return -ENOENT;
}

static int add_all(struct sum *sum, char *words, char *wrong)
{
	char *rest = words;
	int rc = 0;

	for (char *text; !rc && (text = strsep(&rest, " "));) {
		if (*text)
			rc = add_text(sum, text, wrong);
	}
	if (!rc && !sum->words) {
		snprintf(wrong, FRAMING_WRONG_MAX, "no words; leave the key out");
		return -EINVAL;
	}
	if (!rc && (sum->overhead < CAKE_OVERHEAD_MIN || sum->overhead > CAKE_OVERHEAD_MAX)) {
		snprintf(wrong, FRAMING_WRONG_MAX, "out of range; accepted: %d..%d",
			 CAKE_OVERHEAD_MIN, CAKE_OVERHEAD_MAX);
		return -EINVAL;
	}
	return rc;
}

int framing_parse(const char *words, struct cake_params *p, char wrong[FRAMING_WRONG_MAX])
{
	char *copy = strdup(words);
	struct sum sum = {0};
	int rc;

	if (!copy)
		return -ENOMEM;
	rc = add_all(&sum, copy, wrong);
	free(copy);
	if (rc)
		return rc;
	p->overhead = sum.overhead;
	p->overhead_set = !sum.raw;
	if (sum.atm)
		p->atm = (enum cake_atm)sum.atm->atm;
	if (sum.mpu)
		p->mpu = (uint32_t)sum.mpu->mpu;
	return 0;
}
