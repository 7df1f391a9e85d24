/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table itself; what messages and documentation take from it is in schema_words.c.
 *
 * A key belongs here if what is accepted can be said of it alone. What it means together with
 * others is in validate.c. The scheduler's words are tc-cake(8)'s.
 */
#include "config/schema.h"

#include <gateau/cake_config.h>

#include "config/config.h"
#include "config/framing.h"
#include "config/names.h"

#define US   INT64_C(1000)
#define MS   INT64_C(1000000)
#define SEC  INT64_C(1000000000)
#define GBIT INT64_C(1000000000)

static const struct schema_choice diffserv_words[] = {
	{.word = "besteffort", .value = CAKE_BESTEFFORT},
	{.word = "precedence", .value = CAKE_PRECEDENCE},
	{.word = "diffserv3", .value = CAKE_DIFFSERV3},
	{.word = "diffserv4", .value = CAKE_DIFFSERV4},
	{.word = "diffserv8", .value = CAKE_DIFFSERV8},
	{0},
};

static const struct schema_choice flowmode_words[] = {
	{.word = "flowblind", .value = CAKE_FLOWBLIND},
	{.word = "srchost", .value = CAKE_SRCHOST},
	{.word = "dsthost", .value = CAKE_DSTHOST},
	{.word = "hosts", .value = CAKE_HOSTS},
	{.word = "flows", .value = CAKE_FLOWS},
	{.word = "dual-srchost", .value = CAKE_DUAL_SRCHOST},
	{.word = "dual-dsthost", .value = CAKE_DUAL_DSTHOST},
	{.word = "triple-isolate", .value = CAKE_TRIPLE_ISOLATE},
	{0},
};

static const struct schema_choice atm_words[] = {
	{.word = "noatm", .value = CAKE_NOATM},
	{.word = "atm", .value = CAKE_ATM},
	{.word = "ptm", .value = CAKE_PTM},
	{0},
};

static const struct schema_choice profile_words[] = {
	{.word = "gateau", .value = CAKE_PROFILE_GATEAU},
	{.word = "linux", .value = CAKE_PROFILE_LINUX},
	{0},
};

static const struct schema_choice ack_filter_words[] = {
	{.word = "off", .value = CAKE_ACK_FILTER_OFF},
	{.word = "on", .value = CAKE_ACK_FILTER_ON},
	{.word = "aggressive", .value = CAKE_ACK_FILTER_AGGRESSIVE},
	{0},
};

static const struct schema_choice share_words[] = {
	{.word = "demand", .value = SHARE_DEMAND},
	{.word = "equal", .value = SHARE_EQUAL},
	{0},
};

static const struct schema_choice steer_words[] = {
	{.word = "flow", .value = STEER_FLOW},
	{.word = "src-host", .value = STEER_SRC_HOST},
	{.word = "dst-host", .value = STEER_DST_HOST},
	{0},
};

static const struct schema_choice idle_words[] = {
	{.word = "spin", .value = CONFIG_IDLE_SPIN},
	{.word = "adaptive", .value = CONFIG_IDLE_ADAPTIVE},
	{.word = "interrupt", .value = CONFIG_IDLE_INTERRUPT},
	{0},
};

/* tc's, of which the target is a twentieth, too */
static const struct schema_preset rtt_words[] = {
	{"datacentre", 100 * US},
	{"lan", 1 * MS},
	{"metro", 10 * MS},
	{"regional", 30 * MS},
	{"internet", 100 * MS},
	{"oceanic", 300 * MS},
	{"satellite", 1 * SEC},
	{"interplanetary", 1000 * SEC},
	{0},
};

static const struct schema_spelling bandwidth_spellings[] = {{"unlimited", "\"unlimited\""}, {0}};
static const struct schema_spelling wash_spellings[] = {{"nowash", "false"}, {0}};
static const struct schema_spelling ingress_spellings[] = {{"egress", "false"}, {0}};
static const struct schema_spelling nat_spellings[] = {{"nonat", "false"}, {0}};

static const struct schema_spelling gso_spellings[] = {
	{"split-gso", "true"},
	{"no-split-gso", "false"},
	{0},
};

static const struct schema_spelling ack_filter_spellings[] = {
	{"no-ack-filter", "\"off\""},
	{"ack-filter-aggressive", "\"aggressive\""},
	{0},
};

const struct schema_key schema_scheduler[] = {
	{.name = "bandwidth",
	 .help = "Rate of the shaper, counted in adjusted lengths (overhead, mpu, atm).",
	 .type = SCHEMA_RATE,
	 .apply = SCHEMA_LIVE,
	 .initial = "\"unlimited\"",
	 .min = 512,
	 .max = 400 * GBIT,
	 .zero = "\"unlimited\"",
	 .examples = "\"950mbit\", \"1.5gbit\", \"unlimited\"",
	 .spellings = bandwidth_spellings,
	 .always_shown = true,
	 SCHEMA_STORE(struct config_scheduler, cake.bandwidth_bps)},
	{.name = "diffserv",
	 .help = "How DSCP maps to priority tins.",
	 .type = SCHEMA_CHOICE,
	 .apply = SCHEMA_REQUEUE,
	 .initial = "\"diffserv3\"",
	 .choices = diffserv_words,
	 .always_shown = true,
	 SCHEMA_STORE(struct config_scheduler, cake.diffserv)},
	{.name = "flowmode",
	 .help = "What shares fairly: flows, hosts, or flows within hosts.",
	 .type = SCHEMA_CHOICE,
	 .apply = SCHEMA_REQUEUE,
	 .initial = "\"triple-isolate\"",
	 .choices = flowmode_words,
	 .always_shown = true,
	 SCHEMA_STORE(struct config_scheduler, cake.flowmode)},
	{.name = "rtt",
	 .help = "Round-trip time the AQM is tuned for; its target is a twentieth of it.",
	 .type = SCHEMA_TIME,
	 .apply = SCHEMA_LIVE,
	 .initial = "\"100ms\"",
	 .min = US,
	 .max = 1000 * SEC,
	 .examples = "\"100ms\", \"5us\", \"lan\"",
	 .presets = rtt_words,
	 .always_shown = true,
	 SCHEMA_STORE(struct config_scheduler, cake.rtt_ns)},
	{.name = "overhead",
	 .help = "Bytes added to each packet's network-layer length, or tc's words for the link, "
		 "which may also say mpu and atm. Without it lengths are the frame's own (raw).",
	 .type = SCHEMA_FRAMING,
	 .apply = SCHEMA_LIVE,
	 .min = CAKE_OVERHEAD_MIN,
	 .max = CAKE_OVERHEAD_MAX,
	 .examples = "18, \"pppoe-ptm ether-vlan\"",
	 SCHEMA_STORE(struct config_scheduler, cake.overhead)},
	{.name = "mpu",
	 .help = "Least adjusted length of a packet, bytes. Without it: what the words of overhead "
		 "say, or 0.",
	 .type = SCHEMA_INTEGER,
	 .apply = SCHEMA_LIVE,
	 .max = CAKE_MPU_MAX,
	 .quantity = "bytes",
	 .examples = "64, 84",
	 SCHEMA_STORE(struct config_scheduler, cake.mpu)},
	{.name = "atm",
	 .help = "Link-layer framing to make up for: ATM cells (ADSL) or PTM (VDSL2). Without it: "
		 "what the words of overhead say, or noatm.",
	 .type = SCHEMA_CHOICE,
	 .apply = SCHEMA_LIVE,
	 .choices = atm_words,
	 SCHEMA_STORE(struct config_scheduler, cake.atm)},
	{.name = "wash",
	 .help = "Clear DSCP after it chose the tin.",
	 .type = SCHEMA_BOOL,
	 .apply = SCHEMA_LIVE,
	 .initial = "false",
	 .spellings = wash_spellings,
	 SCHEMA_STORE(struct config_scheduler, cake.wash)},
	{.name = "ingress",
	 .help = "The bottleneck is before this box: what is dropped is charged to the shaper, too.",
	 .type = SCHEMA_BOOL,
	 .apply = SCHEMA_LIVE,
	 .initial = "false",
	 .spellings = ingress_spellings,
	 SCHEMA_STORE(struct config_scheduler, cake.ingress)},
	{.name = "split_gso",
	 .help = "Cut super-packets, in which virtual machines send several TCP segments, before "
		 "queueing; false: queue them whole, billed by the segment.",
	 .type = SCHEMA_BOOL,
	 .apply = SCHEMA_LIVE,
	 .initial = "true",
	 .spellings = gso_spellings,
	 SCHEMA_STORE(struct config_scheduler, cake.split_gso)},
	{.name = "memlimit",
	 .help = "Bytes of buffer a queue may hold; 0 = from rate and rtt. A port accepts 4kb and "
		 "more.",
	 .type = SCHEMA_SIZE,
	 .apply = SCHEMA_LIVE,
	 .initial = "0",
	 .min = 1,
	 .max = CONFIG_MEMLIMIT_MAX,
	 .zero = "0",
	 .examples = "65536, \"64kb\", \"4mb\"",
	 SCHEMA_STORE(struct config_scheduler, cake.memlimit)},
	{.name = "flows",
	 .help = "Flow queues per tin.",
	 .type = SCHEMA_INTEGER,
	 .apply = SCHEMA_REQUEUE,
	 .initial = "1024",
	 .min = CAKE_FLOWS_MIN,
	 .max = CAKE_FLOWS_MAX,
	 .power_of_2 = true,
	 .quantity = "queues",
	 .examples = "256, 131072",
	 SCHEMA_STORE(struct config_scheduler, cake.flows)},
	{.name = "fwmark",
	 .help = "Mask over a frame's mark that chooses the tin; 0 = none. Marks come from rules "
		 "and from the NIC.",
	 .type = SCHEMA_BITS,
	 .apply = SCHEMA_LIVE,
	 .initial = "0",
	 .max = UINT32_MAX,
	 .quantity = "bits",
	 .examples = "255, \"0xff\"",
	 SCHEMA_STORE(struct config_scheduler, cake.fwmark)},
	{.name = "rules",
	 .help = "Which frames get which mark or tin; the first that matches decides.",
	 .type = SCHEMA_OBJECTS,
	 .apply = SCHEMA_LIVE,
	 .members = schema_rule,
	 .entries_min = 1,
	 .entries_max = PACKET_RULES_MAX,
	 SCHEMA_STORE_ARRAY(struct config_scheduler, rules, n_rules)},
	{.name = "profile",
	 .help = "gateau, or linux: sch_cake packet by packet, oddities included.",
	 .type = SCHEMA_CHOICE,
	 .apply = SCHEMA_REQUEUE,
	 .initial = "\"gateau\"",
	 .choices = profile_words,
	 .named = true,
	 SCHEMA_STORE(struct config_scheduler, cake.profile)},
	{.name = "catch-up",
	 .help = "Most time a queue that was not served makes up for at once; gateau profile only. "
		 "Without it: the larger of 1 ms and two full frames.",
	 .type = SCHEMA_TIME,
	 .apply = SCHEMA_LIVE,
	 .min = US,
	 .max = 10 * SEC,
	 .examples = "\"1ms\", \"500us\"",
	 SCHEMA_STORE(struct config_scheduler, cake.catch_up_ns)},
	{.name = "ack-filter",
	 .help = "Drop queued TCP acknowledgements that a later one makes superfluous; aggressive "
		 "leaves one of a flow instead of two.",
	 .type = SCHEMA_CHOICE,
	 .apply = SCHEMA_LIVE,
	 .initial = "\"off\"",
	 .choices = ack_filter_words,
	 .spellings = ack_filter_spellings,
	 .named = true,
	 SCHEMA_STORE(struct config_scheduler, cake.ack_filter)},
	{.name = "autorate-ingress",
	 .help = "The rate follows what arrives, for links whose rate changes; bandwidth is where it "
		 "starts. Use it with ingress.",
	 .type = SCHEMA_BOOL,
	 .apply = SCHEMA_LIVE,
	 .initial = "false",
	 SCHEMA_STORE(struct config_scheduler, cake.autorate_ingress)},
	{.name = "nat",
	 .help = "Look up addresses behind the kernel's NAT; its table is out of this path's reach.",
	 .type = SCHEMA_BOOL,
	 .apply = SCHEMA_LIVE,
	 .initial = "false",
	 .spellings = nat_spellings,
	 .refusal = "the kernel's conntrack is not on this path; use host isolation on the side "
		    "where inner addresses are visible"},
	{0},
};

static const struct schema_key schema_port[] = {
	{.name = "name",
	 .help = "What links, messages and commands call the port.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "a name of 1..31 of A-Z a-z 0-9 _ . -, the first a letter or digit",
	 .examples = "\"lan\", \"wan-1\"",
	 .pattern = config_name_pattern,
	 .valid = config_name_valid,
	 SCHEMA_STORE(struct config_port, name)},
	{.name = "device",
	 .help = "DPDK device: a PCI address with domain, or a virtual device (net_...); either "
		 "with ,key=value arguments.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "a PCI address or net_ device with ,key=value arguments, 255 characters at most",
	 .examples = "\"0000:3b:00.0\", \"net_af_packet0,iface=eth1\"",
	 .pattern = config_device_pattern,
	 .valid = config_device_valid,
	 SCHEMA_STORE(struct config_port, device)},
	{.name = "rx_queues",
	 .help = "RX queues, over which the NIC spreads flows (RSS).",
	 .type = SCHEMA_INTEGER,
	 .initial = "1",
	 .min = 1,
	 .max = CONFIG_QUEUES_MAX,
	 .quantity = "queues",
	 .examples = "4",
	 SCHEMA_STORE(struct config_port, rx_queues)},
	{.name = "tx_queues",
	 .help = "TX queues, each with a scheduler of its own; they share its bandwidth.",
	 .type = SCHEMA_INTEGER,
	 .initial = "1",
	 .min = 1,
	 .max = CONFIG_QUEUES_MAX,
	 .quantity = "queues",
	 .examples = "4",
	 SCHEMA_STORE(struct config_port, tx_queues)},
	{.name = "share",
	 .help = "How TX queues share the bandwidth: demand (what one does not use others do, in "
		 "parts by active hosts or flows), or equal (Linux cake_mq: the same part for each "
		 "active queue). Means nothing to one queue.",
	 .type = SCHEMA_CHOICE,
	 .apply = SCHEMA_LIVE,
	 .initial = "\"demand\"",
	 .choices = share_words,
	 SCHEMA_STORE(struct config_port, share)},
	{.name = "steer",
	 .help = "What of a frame chooses its TX queue. Without it: the host that flowmode isolates, "
		 "or flow; triple-isolate and hosts look at both hosts, so with several queues it "
		 "must be said. Means nothing to one queue.",
	 .type = SCHEMA_CHOICE,
	 .apply = SCHEMA_REQUEUE,
	 .choices = steer_words,
	 SCHEMA_STORE(struct config_port, steer),
	 .set_field = offsetof(struct config_port, steer_set)},
	{.name = "descriptors",
	 .help = "Length of each RX and TX ring. Without it: the driver's default.",
	 .type = SCHEMA_INTEGER,
	 .apply = SCHEMA_REOPEN,
	 .min = 64,
	 .max = 32768,
	 .quantity = "descriptors",
	 .examples = "2048",
	 SCHEMA_STORE(struct config_port, rx_descriptors)},
	{.name = "mtu",
	 .help = "Bytes of the largest packet, without the Ethernet header.",
	 .type = SCHEMA_INTEGER,
	 .apply = SCHEMA_REOPEN,
	 .initial = "1500",
	 .min = 68,
	 .max = 9710,
	 .quantity = "bytes",
	 .examples = "9000",
	 SCHEMA_STORE(struct config_port, mtu)},
	{.name = "link_hold",
	 .help = "How long to keep what waits to leave by the port while its link is down; later it "
		 "is dropped, and counted.",
	 .type = SCHEMA_TIME,
	 .apply = SCHEMA_LIVE,
	 .initial = "\"1s\"",
	 .max = 60 * SEC,
	 .examples = "\"1s\", \"200ms\"",
	 SCHEMA_STORE(struct config_port, link_hold_ns)},
	{.name = "rx_lcores",
	 .help = "CPU that polls each RX queue, one per queue; of eal.lcores if that is given. "
		 "Without it: dealt round-robin.",
	 .type = SCHEMA_INTEGERS,
	 .max = SCHEMA_CPU_MAX,
	 .entries_min = 1,
	 .entries_max = CONFIG_QUEUES_MAX,
	 .quantity = "CPU numbers",
	 .examples = "[1, 2]",
	 SCHEMA_STORE_ARRAY(struct config_port, rx_lcores, n_rx_lcores)},
	{.name = "tx_lcores",
	 .help = "CPU that runs each TX queue's scheduler, one per queue; of eal.lcores if that is "
		 "given. Without it: dealt round-robin.",
	 .type = SCHEMA_INTEGERS,
	 .max = SCHEMA_CPU_MAX,
	 .entries_min = 1,
	 .entries_max = CONFIG_QUEUES_MAX,
	 .quantity = "CPU numbers",
	 .examples = "[3]",
	 SCHEMA_STORE_ARRAY(struct config_port, tx_lcores, n_tx_lcores)},
	{.name = "scheduler",
	 .help = "CAKE on each of this port's TX queues.",
	 .type = SCHEMA_OBJECT,
	 .initial = "{}",
	 .members = schema_scheduler,
	 SCHEMA_STORE(struct config_port, scheduler)},
	{0},
};

/* Names of ports become indices in validate.c, where all ports are known. */
static const struct schema_key schema_link[] = {
	{.name = "from",
	 .help = "Port at which frames arrive.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "the name of a port",
	 .examples = "\"lan\"",
	 .pattern = config_name_pattern,
	 .valid = config_name_valid},
	{.name = "to",
	 .help = "Port at which they leave, through its scheduler.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "the name of a port",
	 .examples = "\"wan\"",
	 .pattern = config_name_pattern,
	 .valid = config_name_valid},
	{0},
};

const struct schema_key schema_file[] = {
	{.name = "eal",
	 .help = "How DPDK is started.",
	 .type = SCHEMA_OBJECT,
	 .initial = "{}",
	 .members = schema_eal,
	 SCHEMA_STORE(struct gateau_config, eal)},
	{.name = "ports",
	 .help = "Network devices, each with its scheduler.",
	 .type = SCHEMA_OBJECTS,
	 .required = true,
	 .members = schema_port,
	 .entries_min = 1,
	 .entries_max = CONFIG_PORTS_MAX,
	 SCHEMA_STORE_ARRAY(struct gateau_config, ports, n_ports)},
	{.name = "links",
	 .help = "Which port's traffic goes where.",
	 .type = SCHEMA_OBJECTS,
	 .required = true,
	 .members = schema_link,
	 .entries_min = 1,
	 .entries_max = CONFIG_LINKS_MAX,
	 SCHEMA_STORE_ARRAY(struct gateau_config, links, n_links)},
	{.name = "metrics",
	 .help = "Statistics for monitoring.",
	 .type = SCHEMA_OBJECT,
	 .initial = "{}",
	 .members = schema_metrics,
	 SCHEMA_STORE(struct gateau_config, metrics)},
	{.name = "idle",
	 .help = "What workers do while nothing arrives: spin (go on polling), adaptive (short "
		 "sleeps; a first frame waits 0.5 ms at most), interrupt (sleep until the NIC "
		 "wakes them; refused if a device has no RX interrupts). Under load all poll.",
	 .type = SCHEMA_CHOICE,
	 .initial = "\"adaptive\"",
	 .choices = idle_words,
	 SCHEMA_STORE(struct gateau_config, idle)},
	{.name = "drain",
	 .help = "Longest time to send what is queued when stopping.",
	 .type = SCHEMA_TIME,
	 .apply = SCHEMA_LIVE,
	 .initial = "\"1s\"",
	 .max = 60 * SEC,
	 .examples = "\"1s\", \"500ms\"",
	 SCHEMA_STORE(struct gateau_config, drain_ns)},
	{0},
};

const struct schema_key schema_scheduler_file[] = {
	{.name = "scheduler",
	 .help = "One CAKE instance.",
	 .type = SCHEMA_OBJECT,
	 .required = true,
	 .members = schema_scheduler,
	 .width = sizeof(struct config_scheduler)},
	{0},
};
