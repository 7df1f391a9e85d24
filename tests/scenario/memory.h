/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a test program: there is enough, or it ends. All zero. */
#ifndef GATEAU_SCENARIO_MEMORY_H
#define GATEAU_SCENARIO_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

static inline void *must_have(void *memory)
{
	if (!memory) {
		fprintf(stderr, "scenario: out of memory\n");
		abort();
	}
	return memory;
}

static inline void *must_calloc(size_t n, size_t size)
{
	return must_have(calloc(n ? n : 1, size));
}

static inline void *must_realloc(void *old, size_t size)
{
	return must_have(realloc(old, size));
}

#endif
