/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ThreadSanitizer is to make of `volatile`, which C leaves open: that accesses of aligned
 * words are relaxed atomics. DPDK's rings read positions so that others write with atomics; nothing
 * of gateau's own uses it. It orders nothing: what is published by such an access is still found.
 *
 * gcc calls these before the access, --param=tsan-distinguish-volatile=1. A write is taken as an
 * atomic addition of nothing, since it is not told what will be written.
 */
#include <stdint.h>

#define VOLATILE_ACCESS(bytes, bits)                                          \
	void __tsan_volatile_read##bytes(void *p);                            \
	void __tsan_volatile_write##bytes(void *p);                           \
	void __tsan_volatile_read##bytes(void *p)                             \
	{                                                                     \
		__atomic_load_n((uint##bits##_t *)p, __ATOMIC_RELAXED);       \
	}                                                                     \
	void __tsan_volatile_write##bytes(void *p)                            \
	{                                                                     \
		__atomic_fetch_add((uint##bits##_t *)p, 0, __ATOMIC_RELAXED); \
	}

VOLATILE_ACCESS(1, 8)
VOLATILE_ACCESS(2, 16)
VOLATILE_ACCESS(4, 32)
VOLATILE_ACCESS(8, 64)
