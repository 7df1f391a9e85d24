/* SPDX-License-Identifier: BSD-3-Clause */
/* See steer.h. */
#include "share/steer.h"

bool steer_by_mode(enum cake_flowmode mode, enum steer *out)
{
	switch (mode) {
	case CAKE_SRCHOST:
	case CAKE_DUAL_SRCHOST:
		*out = STEER_SRC_HOST;
		return true;
	case CAKE_DSTHOST:
	case CAKE_DUAL_DSTHOST:
		*out = STEER_DST_HOST;
		return true;
	case CAKE_FLOWBLIND:
	case CAKE_FLOWS:
		*out = STEER_FLOW;
		return true;
	case CAKE_HOSTS:
	case CAKE_TRIPLE_ISOLATE:
		break;
	}
	return false;
}

enum share_weight steer_weight(enum steer steer, enum cake_flowmode mode)
{
	switch (mode) {
	case CAKE_DUAL_SRCHOST:
		return SHARE_BY_SRC_HOSTS;
	case CAKE_DUAL_DSTHOST:
		return SHARE_BY_DST_HOSTS;
	case CAKE_TRIPLE_ISOLATE:
		return steer == STEER_SRC_HOST   ? SHARE_BY_SRC_HOSTS
		       : steer == STEER_DST_HOST ? SHARE_BY_DST_HOSTS
						 : SHARE_BY_FLOWS;
	default:
		/* A "flow" of srchost, dsthost or hosts is a host, or a pair of them, already. */
		return SHARE_BY_FLOWS;
	}
}

enum cake_flowmode steer_hashes(enum steer steer)
{
	static const enum cake_flowmode hashes[] = {
		[STEER_FLOW] = CAKE_FLOWS,
		[STEER_SRC_HOST] = CAKE_SRCHOST,
		[STEER_DST_HOST] = CAKE_DSTHOST,
	};

	return hashes[steer];
}
