/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a configuration makes of a port's scheduling, in the terms of those who do it: at the start
 * (dataplane.h) and for a change (change.h) alike.
 */
#ifndef GATEAU_DATAPLANE_TERMS_H
#define GATEAU_DATAPLANE_TERMS_H

#include "dataplane/dataplane.h"

/** Whether the TX queues of port @p of @cfg have a rate in common. */
bool terms_shares(const struct gateau_config *cfg, unsigned p);

/** How they share it. @dp says what super-packets there are, and what time it is. */
struct share_params terms_share(const struct dataplane *dp, const struct gateau_config *cfg,
				unsigned p);

/** How frames that leave by port @p are looked at. */
void terms_describer(struct packet_describer *out, const struct dataplane *dp,
		     const struct gateau_config *cfg, unsigned p);

#endif
