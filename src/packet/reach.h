/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of an operator's rules no frame ever gets to: a rule that asks for what no frame has, or
 * whose frames all match rules before it. For checking a configuration, not for packets.
 */
#ifndef GATEAU_PACKET_REACH_H
#define GATEAU_PACKET_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/rules.h"

/** Whether some frame matches @r, were it the only rule. */
bool packet_rule_possible(const struct packet_rule *r);

/**
 * Which rules take every frame that @rules[@at] would match: bit i stands for rule i < @at, and
 * none of those named can be spared. 0 if some frame gets to the rule.
 *
 * A rule before it that covers it alone is always found. What only several cover together is found
 * exactly, too, unless that takes more than REACH_STEPS: then the rule counts as reachable. The
 * question is as hard as Boolean satisfiability, but rules people write take tens of steps.
 */
uint64_t packet_rule_covered(const struct packet_rule *rules, unsigned at);

/** Pieces a rule is cut into at most in looking for a frame that gets to it: some 10 ms. */
#define REACH_STEPS (1u << 17)

#endif
