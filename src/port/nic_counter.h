/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device's counter as one that only grows, in 64 bits, whatever its own does.
 *
 * NICs count in registers of 32, 36, 40 or 48 bits that wrap, drivers start over when they reset a
 * device. What came since the reading before is
 *
 *	the device shows no less     the difference
 *	less, and it can have        what came with a wrap at the narrowest such width: no more than
 *	wrapped                      @most, nor than half of its range
 *	less, and it cannot          what it shows: it has started from 0 again
 *
 * Limits. What was counted between the last reading and a reset is never seen. A reset that comes
 * within @most of a width's end is taken for a wrap, which errs by less than @most; one after which
 * the device counts past the last reading before it is read again goes unnoticed. A counter has to
 * be read before half its range has passed: of 32 bits, with the smallest frames at 400 Gbit/s,
 * every 3.5 s.
 */
#ifndef GATEAU_PORT_NIC_COUNTER_H
#define GATEAU_PORT_NIC_COUNTER_H

#include <stdint.h>

/** Packets a port can see in a second: 64-byte frames, 84 on the wire, at 400 Gbit/s, make
 * 595 million. */
#define NIC_COUNTER_PACKETS_PER_S 600000000

struct nic_counter {
	uint64_t last;  /* what the device showed */
	uint64_t total; /* of all there was between readings */
};

/** Packets that cannot have been exceeded in @ns. */
uint64_t nic_counter_most(uint64_t ns);

/** Count on from here: the device shows @raw now, whatever it showed before. */
void nic_counter_begin(struct nic_counter *c, uint64_t raw);

/** The device shows @raw; no more than @most can have come since the last call, UINT64_MAX if that
 * is not known. */
void nic_counter_read(struct nic_counter *c, uint64_t raw, uint64_t most);

#endif
