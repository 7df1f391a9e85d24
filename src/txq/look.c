/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at what waits in a TX queue; see txq.h. */
#include <errno.h>
#include <string.h>

#include "txq/state.h"

const struct cake *txq_cake(const struct txq *q)
{
	return q->cake;
}

int txq_flow_head(const struct txq *q, unsigned tin, uint32_t flow, struct txq_head *out)
{
	struct cake_waiting w;
	struct rte_mbuf *m;
	int ret = cake_flow_head(q->cake, tin, flow, &w);

	if (ret)
		return ret;
	m = mbuf_from_handle(&q->map, w.handle);
	out->enqueued_ns = w.enqueued_ns;
	out->len = w.len;
	/* Headers lie in the first buffer; where they do not, less is told. */
	out->present = RTE_MIN(m->data_len, (uint32_t)TXQ_HEAD_BYTES);
	memcpy(out->bytes, rte_pktmbuf_mtod(m, uint8_t *), out->present);
	return 0;
}
