/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which function makes identities; the functions are in hash_aes.c, hash_sip.c, hash_reference.c.
 */
#include "packet/hash.h"

#include "packet/hash_message.h"

void packet_hasher_init(struct packet_hasher *hasher, const struct packet_hash_params *params,
			enum cake_flowmode mode)
{
	*hasher = (struct packet_hasher){.needed = mode};
	if (params->method == PACKET_HASH_REFERENCE)
		hash_reference_init(hasher);
	else if (params->method == PACKET_HASH_PORTABLE || !hash_aes_init(hasher, params->key))
		hash_sip_init(hasher, params->key);
}
