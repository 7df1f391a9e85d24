/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is to be measured. docs/operations.md lists it, which a test compares. */
#include "stats/openmetrics_family.h"

#include <inttypes.h>
#include <stddef.h>

#include <rte_version.h>

#include "base/version.h"

static void write_build(const struct exposition *e, const struct family *f)
{
	struct labels l = {0};

	labels_add(&l, "version", GATEAU_VERSION);
	labels_add(&l, "dpdk", rte_version());
	write_sample(e, f, "", &l, 1, 0);
}

static void write_generation(const struct exposition *e, const struct family *f)
{
	write_sample(e, f, "", NULL, e->generation, 0);
}

static void write_port(const struct exposition *e, const struct family *f)
{
	for (unsigned p = 0; p < e->s->config->n_ports; p++) {
		struct labels l = labels_port(e, p);

		labels_add(&l, "device", e->s->config->ports[p].device);
		write_sample(e, f, "", &l, 1, 0);
	}
}

/** A port without a rate has no sample. */
static void write_bandwidth(const struct exposition *e, const struct family *f)
{
	for (unsigned p = 0; p < e->s->config->n_ports; p++) {
		uint64_t bps = e->s->config->ports[p].scheduler.cake.bandwidth_bps;
		struct labels l = labels_port(e, p);

		if (bps && e->s->ports[p].n_queues)
			write_sample(e, f, "", &l, bps / 8, 0);
	}
}

static void write_reason(const struct exposition *e, const struct family *f, struct labels l,
			 const char *reason, uint64_t n)
{
	labels_add(&l, "reason", reason);
	write_sample(e, f, "", &l, n, 0);
}

/** What of port @p no queue has counted: the port's sum has the queues' in it. */
static uint64_t dropped_before(const struct exposition *e, unsigned p, unsigned reason)
{
	const struct stats_port *port = &e->s->ports[p];
	uint64_t n = port->dropped[reason];

	for (unsigned i = 0; i < port->n_queues; i++) {
		const struct stats_queue *q = &e->s->queues[port->first_queue + i];

		if (reason == WORKER_DROP_GSO_NO_BUFFER)
			n -= q->gso_no_buffer;
		else if (reason == WORKER_DROP_LINK_DOWN)
			n -= q->link_down;
	}
	return n;
}

static void write_queue_drops(const struct exposition *e, const struct family *f,
			      const struct stats_queue *q)
{
	const struct labels l = labels_queue(e, q);

	write_reason(e, f, l, worker_drop_name(WORKER_DROP_GSO_NO_BUFFER), q->gso_no_buffer);
	write_reason(e, f, l, worker_drop_name(WORKER_DROP_LINK_DOWN), q->link_down);
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		write_reason(e, f, l, cake_decision_name(d), q->dropped[d]);
}

static void write_drops(const struct exposition *e, const struct family *f)
{
	for (unsigned p = 0; p < e->s->config->n_ports; p++) {
		const struct stats_port *port = &e->s->ports[p];

		for (unsigned r = 0; r < WORKER_DROPS; r++)
			write_reason(e, f, labels_port(e, p), worker_drop_name(r),
				     dropped_before(e, p, r));
		for (unsigned i = 0; i < port->n_queues; i++)
			write_queue_drops(e, f, &e->s->queues[port->first_queue + i]);
	}
}

static void write_unclassified(const struct exposition *e, const struct family *f)
{
	for (unsigned p = 0; p < e->s->config->n_ports; p++)
		for (unsigned r = PACKET_CLASSIFIED + 1; r < PACKET_UNCLASSIFIED_REASONS; r++)
			write_reason(e, f, labels_port(e, p), packet_unclassified_name(r),
				     e->s->ports[p].unclassified[r]);
}

static void write_shed(const struct exposition *e, const struct family *f)
{
	for (unsigned p = 0; p < e->s->config->n_ports; p++) {
		const enum cake_diffserv mode = e->s->config->ports[p].scheduler.cake.diffserv;

		for (unsigned t = 0; t < e->s->ports[p].cake.tin_cnt; t++) {
			struct labels l = labels_port(e, p);

			labels_add(&l, "tin", cake_tin_name(mode, t));
			write_sample(e, f, "", &l, e->s->ports[p].shed[t], 0);
		}
	}
}

static void for_each_tin(const struct exposition *e, const struct family *f,
			 void (*write)(const struct exposition *, const struct family *,
				       const struct stats_queue *, unsigned tin))
{
	for (unsigned i = 0; i < e->s->n_queues; i++)
		for (unsigned t = 0; t < e->s->queues[i].cake.tin_cnt; t++)
			write(e, f, &e->s->queues[i], t);
}

static void write_tin_flows(const struct exposition *e, const struct family *f,
			    const struct stats_queue *q, unsigned tin)
{
	const struct cake_tin_stats *t = &q->cake.tins[tin];
	const struct {
		const char *name;
		uint32_t flows;
	} states[] = {
		{"sparse", t->sparse_flows},
		{"bulk", t->bulk_flows},
		{"unresponsive", t->unresponsive_flows},
	};

	for (unsigned i = 0; i < RTE_DIM(states); i++) {
		struct labels l = labels_tin(e, q, tin);

		labels_add(&l, "state", states[i].name);
		write_sample(e, f, "", &l, states[i].flows, 0);
	}
}

static void write_flows(const struct exposition *e, const struct family *f)
{
	for_each_tin(e, f, write_tin_flows);
}

/** Buckets are cumulative here, and the last one has no bound. */
static void write_tin_sojourn(const struct exposition *e, const struct family *f,
			      const struct stats_queue *q, unsigned tin)
{
	const struct sojourn *s = &q->sojourn[tin];
	const struct labels l = labels_tin(e, q, tin);
	uint64_t n = 0;

	for (unsigned i = 0; i < SOJOURN_BUCKETS; i++) {
		const uint64_t bound = sojourn_bound_ns(i);
		struct labels bucket = l;
		char le[32] = "+Inf";

		if (i < SOJOURN_BUCKETS - 1)
			snprintf(le, sizeof(le), "%" PRIu64 ".%09" PRIu64, bound / 1000000000,
				 bound % 1000000000);
		labels_add(&bucket, "le", le);
		n += s->counts[i];
		write_sample(e, f, "_bucket", &bucket, n, 0);
	}
	write_sample(e, f, "_sum", &l, s->sum_ns, 9);
	write_sample(e, f, "_count", &l, n, 0);
}

static void write_sojourn(const struct exposition *e, const struct family *f)
{
	for_each_tin(e, f, write_tin_sojourn);
}

#define FIELD(scope_, type_, member) \
	.scope = scope_, .field = offsetof(type_, member), .width = sizeof(((type_ *)0)->member)
#define ALL(member)   FIELD(SCOPE_ALL, struct stats_snapshot, member)
#define PORT(member)  FIELD(SCOPE_PORT, struct stats_port, member)
#define QUEUE(member) FIELD(SCOPE_QUEUE, struct stats_queue, member)
#define SHARE(member) FIELD(SCOPE_SHARE, struct stats_queue, share.member)
#define TIN(member)   FIELD(SCOPE_TIN, struct cake_tin_stats, member)
#define LCORE(member) FIELD(SCOPE_LCORE, struct stats_worker, member)
#define OTHERS(fn)    .scope = SCOPE_OTHERS, .write = fn

#define COUNTER         .type = FAMILY_COUNTER
#define PACKETS         .type = FAMILY_COUNTER, .unit = "packets"
#define BYTES           .type = FAMILY_COUNTER, .unit = "bytes"
#define SECONDS(digits) .unit = "seconds", .decimals = digits
#define NS              9
#define US              6

const struct family openmetrics_families[] = {
	/* The program. */
	{"build", .help = "Always 1: which gateaud, on which DPDK.", .type = FAMILY_INFO,
	 OTHERS(write_build)},
	{"uptime_seconds", .help = "Since forwarding began.", SECONDS(NS), ALL(uptime_ns)},
	{"config_generation", .help = "Of the configuration in force; 1 is the start-up file's.",
	 OTHERS(write_generation)},
	{"clock_hertz", .unit = "hertz", .help = "The processor's time-stamp counter, as measured.",
	 ALL(hz)},
	{"clock_error_ratio", .unit = "ratio", .decimals = 9,
	 .help = "Bound on the error of that, and with it of all rates.", ALL(error_ppb)},
	{"packet_buffers", .help = "There are in the pool.", ALL(mbufs)},

	/* Ports. */
	{"port", .help = "Always 1: the port's device.", .type = FAMILY_INFO, OTHERS(write_port)},
	{"bandwidth_bytes_per_second", .unit = "bytes_per_second",
	 .help = "Configured, for all queues of the port together; none if unlimited.",
	 OTHERS(write_bandwidth)},
	{"port_link_up", .help = "1: the link is up.", PORT(link_up)},
	{"port_link_downs", COUNTER, .help = "Times that it went down.", PORT(link_downs)},
	{"received_packets", PACKETS, .help = "Frames that arrived at the port.", PORT(rx_packets)},
	{"received_bytes", BYTES, .help = "Their bytes, VLAN tags that the NIC took out included.",
	 PORT(rx_bytes)},
	{"segments_added_packets", PACKETS,
	 .help = "Frames that super-packets for the port were cut into, less these.",
	 PORT(segments_added)},
	{"dropped_packets", PACKETS,
	 .help = "Frames dropped, by reason; without a queue: before they reached one.",
	 OTHERS(write_drops)},
	{"unclassified_packets", PACKETS,
	 .help = "Frames received that could not be classified, by reason. They flow all the same.",
	 OTHERS(write_unclassified)},
	{"shed_packets", PACKETS,
	 .help = "Of the frames dropped those for reason shed, by tin: overload kept from a queue.",
	 OTHERS(write_shed)},
	{"shed_collisions", COUNTER,
	 .help = "Frames in overload whose flow found no place in the table of flows seen.",
	 PORT(shed_collisions)},
	{"nic_missed_packets", PACKETS, .help = "Lost by the device: its ring was full.",
	 PORT(nic.missed)},
	{"nic_no_buffer_packets", PACKETS, .help = "Lost by the device: it got no packet buffer.",
	 PORT(nic.no_buffer)},
	{"nic_receive_errors", COUNTER, .help = "Damaged frames, by the device.",
	 PORT(nic.rx_errors)},
	{"nic_transmit_errors", COUNTER, .help = "Frames the device took and did not send.",
	 PORT(nic.tx_errors)},

	/* TX queues. */
	{"sent_packets", PACKETS, .help = "Frames that the device took.", QUEUE(tx_packets)},
	{"sent_bytes", BYTES, .help = "Their bytes.", QUEUE(tx_bytes)},
	{"marked_packets", PACKETS, .help = "Frames that left with ECN's congestion mark set here.",
	 QUEUE(marked)},
	{"queued_packets", .unit = "packets", .help = "Frames in the scheduler.", QUEUE(queued)},
	{"queued_bytes", .unit = "bytes", .help = "Their bytes.", QUEUE(cake.backlog)},
	{"deferred_packets", .unit = "packets",
	 .help = "Frames on their way from another lcore's ring.", QUEUE(deferred)},
	{"in_flight_packets", .unit = "packets",
	 .help = "Frames that the device, being full, gave back.", QUEUE(held)},
	{"device_full", COUNTER,
	 .help = "Times the device took fewer frames than it was given; they are tried again.",
	 QUEUE(device_full)},
	{"queue_stalls", COUNTER,
	 .help = "Times that the lcore which ran the queue stopped in the middle for 1 ms or more.",
	 QUEUE(stalls)},
	{"queue_stalled",
	 .help = "1: the lcore that holds it does not come round; what else is said of it is old.",
	 QUEUE(stalled)},
	{"overlimits", COUNTER, .help = "Times that the scheduler had to wait for its rate.",
	 QUEUE(cake.overlimits)},
	{"catch_ups", COUNTER, .help = "Stalls whose missed time was not made up for in full.",
	 QUEUE(cake.catch_ups)},
	{"catch_up_seconds", .type = FAMILY_COUNTER, SECONDS(NS),
	 .help = "Sending time given up in them.", QUEUE(cake.catch_up_ns)},
	{"memory_limit_bytes", .unit = "bytes", .help = "Buffer memory the scheduler may hold.",
	 QUEUE(cake.memory_limit)},
	{"memory_used_max_bytes", .unit = "bytes", .help = "Most that it ever held.",
	 QUEUE(cake.memory_used)},
	{"capacity_bytes_per_second", .unit = "bytes_per_second",
	 .help = "The rate configured, or with autorate-ingress what arrives.",
	 QUEUE(cake.capacity_estimate)},
	{"share_active_queues", .unit = "queues",
	 .help = "Queues of the port with packets, itself among them, when it last looked.",
	 SHARE(active_queues)},
	{"share_bytes_per_second", .unit = "bytes_per_second",
	 .help = "Part of the port's rate that its tins' thresholds go by.", SHARE(share_bytes_s)},
	{"share_changes", COUNTER, .help = "Times its tins' rates changed because that did.",
	 SHARE(share_changes)},
	{"share_slots", COUNTER, .help = "Slots reserved on the clock that the queues share.",
	 SHARE(reservations)},
	{"share_syncs", COUNTER, .help = "Times it looked at the other queues.", SHARE(syncs)},

	/* Tins. */
	{"tin_threshold_bytes_per_second", .unit = "bytes_per_second",
	 .help = "Rate up to which the tin has priority; 0: unlimited.", TIN(threshold_rate)},
	{"tin_target_seconds", SECONDS(US), .help = "Standing delay that the AQM allows.",
	 TIN(target_us)},
	{"tin_interval_seconds", SECONDS(US),
	 .help = "For how long the AQM lets a longer one pass.", TIN(interval_us)},
	{"tin_peak_delay_seconds", SECONDS(US),
	 .help = "Time that packets waited: an average that follows quickly upwards.",
	 TIN(peak_delay_us)},
	{"tin_average_delay_seconds", SECONDS(US),
	 .help = "Time that packets waited: an even average.", TIN(avg_delay_us)},
	{"tin_sparse_delay_seconds", SECONDS(US),
	 .help = "Time that packets waited: an average that follows quickly downwards.",
	 TIN(base_delay_us)},
	{"tin_queued_packets", .unit = "packets", .help = "Packets queued.", TIN(backlog_packets)},
	{"tin_queued_bytes", .unit = "bytes", .help = "Their bytes.", TIN(backlog_bytes)},
	{"tin_enqueued_packets", PACKETS,
	 .help = "Packets that were put in, also those that were dropped later.",
	 TIN(sent_packets)},
	{"tin_enqueued_bytes", BYTES, .help = "Their bytes.", TIN(sent_bytes)},
	{"tin_dropped_packets", PACKETS,
	 .help = "Packets dropped for any reason but the ACK filter's.", TIN(drops)},
	{"tin_ack_filtered_packets", PACKETS, .help = "Acknowledgements thinned out.",
	 TIN(ack_drops)},
	{"tin_marked_packets", PACKETS, .help = "Packets that the AQM marked.", TIN(ecn_mark)},
	{"tin_flows", .help = "Flows now: sparse, bulk (with a queue), unresponsive.",
	 OTHERS(write_flows)},
	{"tin_way_indirect_hits", COUNTER,
	 .help = "Packets whose flow was found in another slot than its hash names.",
	 TIN(way_indirect_hits)},
	{"tin_way_misses", COUNTER, .help = "Packets of a new flow, which got a slot of its own.",
	 TIN(way_misses)},
	{"tin_way_collisions", COUNTER,
	 .help = "Packets of a new flow that shares a slot, all eight being taken.",
	 TIN(way_collisions)},
	{"tin_packet_max_bytes", .unit = "bytes", .help = "Longest packet.", TIN(max_pkt_len)},
	{"tin_quantum_bytes", .unit = "bytes", .help = "What a flow may send per round.",
	 TIN(flow_quantum)},
	{"sojourn_seconds", .type = FAMILY_HISTOGRAM, .unit = "seconds",
	 .help = "How long packets that left a scheduler had waited in it.", OTHERS(write_sojourn)},

	/* Workers. */
	{"lcore_passes", COUNTER, .help = "Times round the loop of the worker on this CPU.",
	 LCORE(passes)},
	{"lcore_busy_passes", COUNTER, .help = "Those that moved a frame.", LCORE(busy_passes)},
	{"lcore_busy_cycles", COUNTER,
	 .help = "Cycles of the time-stamp counter in passes that moved a frame.",
	 LCORE(busy_cycles)},
	{"lcore_sleeps", COUNTER, .help = "Times it slept since nothing arrived.", LCORE(sleeps)},
	{"lcore_slept_seconds", .type = FAMILY_COUNTER, SECONDS(NS), .help = "For how long.",
	 LCORE(slept_ns)},
	{"lcore_interrupts", COUNTER, .help = "Sleeps that an RX interrupt ended.",
	 LCORE(interrupts)},
	{"lcore_late_wakeups", COUNTER, .help = "Times it woke noticeably later than it asked for.",
	 LCORE(late_wakeups)},
	{"lcore_stalls", COUNTER, .help = "Times that the machine held it up for 1 ms or more.",
	 LCORE(stalls)},
	{"lcore_stall_seconds", .type = FAMILY_COUNTER, SECONDS(NS), .help = "For how long.",
	 LCORE(stall_ns)},
	{"lcore_stall_max_seconds", SECONDS(NS), .help = "The longest of them.",
	 LCORE(max_stall_ns)},
	{"lcore_taken_up", COUNTER,
	 .help = "Times it ran another worker's queue, since that one did not come round.",
	 LCORE(taken_up)},
	{0},
};
