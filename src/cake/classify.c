/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes' tables (tc-cake(8), "PRIORITY QUEUE PARAMETERS"; Linux for the code points). */
#include "cake/classify.h"

static const uint8_t besteffort[64];

static const uint8_t precedence[64] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, /* CS0, CS1 */
	2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, /* CS2, CS3 */
	4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, /* CS4, CS5 */
	6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, /* CS6, CS7 */
};

/* Code points: 1 LE; 4 the old TOS4; 44 VA; 46 EF; 8n CSn; 8n + 2m AFnm. */
static const uint8_t diffserv3[64] = {
	[1] = 1, [8] = 1,                                /* Bulk */
	[4] = 2, [44] = 2, [46] = 2, [48] = 2, [56] = 2, /* Voice */
};

static const uint8_t diffserv4[64] = {
	[1] = 1,  [8] = 1,                                /* Bulk */
	[4] = 2,  [16] = 2, [18] = 2, [20] = 2, [22] = 2, /* Video */
	[24] = 2, [26] = 2, [28] = 2, [30] = 2, [34] = 2, [36] = 2, [38] = 2,
	[32] = 3, [40] = 3, [44] = 3, [46] = 3, [48] = 3, [56] = 3, /* Voice */
};

static const uint8_t diffserv8[64] = {
	2, 0, 1, 2, 4, 2, 2, 2, 1, 2, 1, 2, 1, 2, 1, 2, /* LE 0; CS1, AF1x 1; TOS4 4 */
	5, 2, 4, 2, 4, 2, 4, 2, 3, 2, 3, 2, 3, 2, 3, 2, /* CS2 5; AF2x 4; CS3, AF3x 3 */
	6, 2, 3, 2, 3, 2, 3, 2, 6, 2, 2, 2, 6, 2, 6, 2, /* CS4 6; AF4x 3; CS5, VA, EF 6 */
	7, 2, 2, 2, 2, 2, 2, 2, 7, 2, 2, 2, 2, 2, 2, 2, /* CS6, CS7 7 */
};

static const uint8_t ascending[CAKE_MAX_TINS] = {0, 1, 2, 3, 4, 5, 6, 7};
static const uint8_t bulk_first[CAKE_MAX_TINS] = {1, 0, 2, 3};

static const struct mode {
	unsigned tins;
	const uint8_t *dscp_to_tin;
	const uint8_t *order;
	const char *names[CAKE_MAX_TINS];
} modes[] = {
	[CAKE_BESTEFFORT] = {1, besteffort, ascending, {"Tin 0"}},
	[CAKE_PRECEDENCE] = {8,
			     precedence,
			     ascending,
			     {"Tin 0", "Tin 1", "Tin 2", "Tin 3", "Tin 4", "Tin 5", "Tin 6",
			      "Tin 7"}},
	[CAKE_DIFFSERV3] = {3, diffserv3, bulk_first, {"Best Effort", "Bulk", "Voice"}},
	[CAKE_DIFFSERV4] = {4, diffserv4, bulk_first, {"Best Effort", "Bulk", "Video", "Voice"}},
	[CAKE_DIFFSERV8] = {8,
			    diffserv8,
			    ascending,
			    {"Tin 0", "Tin 1", "Tin 2", "Tin 3", "Tin 4", "Tin 5", "Tin 6",
			     "Tin 7"}},
};

unsigned cake_tin_count(enum cake_diffserv mode)
{
	return modes[mode].tins;
}

const char *cake_tin_name(enum cake_diffserv mode, unsigned tin)
{
	return modes[mode].names[tin];
}

unsigned cake_tin_order(enum cake_diffserv mode, unsigned order)
{
	return modes[mode].order[order];
}

void classifier_init(struct classifier *c, enum cake_diffserv mode, uint32_t fwmark)
{
	*c = (struct classifier){
		.dscp_to_tin = modes[mode].dscp_to_tin,
		.order = modes[mode].order,
		.tins = modes[mode].tins,
		.mark_mask = fwmark,
		.mark_shift = fwmark ? __builtin_ctz(fwmark) : 0,
	};
}

unsigned cake_classify(const struct cake_params *params, const struct cake_packet *p)
{
	struct classifier c;

	classifier_init(&c, params->diffserv, params->fwmark);
	return classify(&c, p);
}
