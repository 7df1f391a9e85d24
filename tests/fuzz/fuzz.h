/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fuzz targets share: their entry, and how they take numbers out of an input.
 *
 * A target is a file fuzz_NAME.c with the one function below; its seeds are in corpus/NAME/. It is
 * linked twice: to libFuzzer (clang, the build option `fuzz`), and to corpus.c, which runs the
 * seeds as a unit test with any compiler. A property that does not hold fails a cmocka assertion.
 */
#ifndef GATEAU_TESTS_FUZZ_H
#define GATEAU_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** Run one input. @data is the target's to read only; always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** An input being decoded, front to back; past its end everything is 0. */
struct fuzz_input {
	const uint8_t *data;
	size_t left;
};

static inline uint8_t fuzz_u8(struct fuzz_input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

/** 0..@n - 1, @n > 0; as many bytes as @n needs, so that a small choice costs one. */
static inline uint32_t fuzz_below(struct fuzz_input *in, uint32_t n)
{
	uint32_t value = 0;

	for (uint32_t rest = n - 1; rest; rest >>= 8)
		value = value << 8 | fuzz_u8(in);
	return value % n;
}

#endif
