/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config/framing: what tc's words come to.
 *
 * The numbers are those that tc (iproute2 6.1) puts into its netlink message for the same words:
 * TCA_CAKE_OVERHEAD, TCA_CAKE_ATM, TCA_CAKE_MPU and, for raw, TCA_CAKE_RAW.
 */
#include "config/framing.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct sample {
	const char *words;
	bool overhead_set;
	int overhead;
	int atm;
	int mpu;
};

/* Where the words say nothing of it, what was there before. */
#define OLD_ATM CAKE_PTM
#define OLD_MPU 7

static void check(const struct sample *s)
{
	struct cake_params p = {.atm = OLD_ATM, .mpu = OLD_MPU};
	char wrong[FRAMING_WRONG_MAX] = "";
	int rc = framing_parse(s->words, &p, wrong);

	if (rc)
		print_error("%s: %s\n", s->words, wrong);
	assert_int_equal(rc, 0);
	assert_int_equal(p.overhead_set, s->overhead_set);
	assert_int_equal(p.overhead, s->overhead);
	assert_int_equal(p.atm, s->atm);
	assert_int_equal(p.mpu, s->mpu);
}

static void each_word_has_tc_s_values(void **state)
{
	static const struct sample samples[] = {
		{"raw", false, 0, OLD_ATM, OLD_MPU},
		{"conservative", true, 48, CAKE_ATM, OLD_MPU},
		{"ipoa-vcmux", true, 8, CAKE_ATM, OLD_MPU},
		{"ipoa-llcsnap", true, 16, CAKE_ATM, OLD_MPU},
		{"bridged-vcmux", true, 24, CAKE_ATM, OLD_MPU},
		{"bridged-llcsnap", true, 32, CAKE_ATM, OLD_MPU},
		{"pppoa-vcmux", true, 10, CAKE_ATM, OLD_MPU},
		{"pppoa-llc", true, 14, CAKE_ATM, OLD_MPU},
		{"pppoe-vcmux", true, 32, CAKE_ATM, OLD_MPU},
		{"pppoe-llcsnap", true, 40, CAKE_ATM, OLD_MPU},
		{"pppoe-ptm", true, 30, CAKE_PTM, OLD_MPU},
		{"bridged-ptm", true, 22, CAKE_PTM, OLD_MPU},
		{"docsis", true, 18, CAKE_NOATM, 64},
		{"ethernet", true, 38, OLD_ATM, 84},
		{"ether-vlan", true, 4, OLD_ATM, OLD_MPU},
	};
	size_t words = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++)
		check(&samples[i]);
	while (framing_words[words].word)
		words++;
	assert_int_equal(words, COUNT(samples));
}

static void words_add_up_in_any_order(void **state)
{
	static const struct sample samples[] = {
		{"ethernet ether-vlan", true, 42, OLD_ATM, 84},
		{"ethernet ether-vlan ether-vlan", true, 46, OLD_ATM, 84},
		{"ether-vlan pppoe-ptm", true, 34, CAKE_PTM, OLD_MPU},
		{"pppoe-vcmux ethernet", true, 70, CAKE_ATM, 84},
		{"  docsis   ether-vlan ", true, 22, CAKE_NOATM, 64},
		{"conservative ether-vlan", true, 52, CAKE_ATM, OLD_MPU},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++)
		check(&samples[i]);
}

static void a_number_is_a_word(void **state)
{
	static const struct sample samples[] = {
		{"18", true, 18, OLD_ATM, OLD_MPU},
		{"0", true, 0, OLD_ATM, OLD_MPU},
		{"-64", true, -64, OLD_ATM, OLD_MPU},
		{"256", true, 256, OLD_ATM, OLD_MPU},
		{"-8 ether-vlan", true, -4, OLD_ATM, OLD_MPU},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++)
		check(&samples[i]);
}

static void behind_raw_words_add_to_the_frame_s_own_length(void **state)
{
	static const struct sample samples[] = {
		{"raw ether-vlan", false, 4, OLD_ATM, OLD_MPU},
		{"raw 4 ether-vlan", false, 8, OLD_ATM, OLD_MPU},
		{"raw conservative", false, 48, CAKE_ATM, OLD_MPU},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++)
		check(&samples[i]);
}

static void words_that_undo_others_are_faults(void **state)
{
	static const struct {
		const char *words, *wrong;
		int rc;
	} samples[] = {
		{"ether-vlan 4", "4 undoes what stands before it; write it first", -EINVAL},
		{"raw ether-vlan 4", "4 undoes what stands before it; write it first", -EINVAL},
		{"docsis conservative", "conservative undoes what stands before it; write it first",
		 -EINVAL},
		{"docsis raw", "raw undoes what stands before it; write it first", -EINVAL},
		{"raw raw", "raw undoes what stands before it; write it first", -EINVAL},
		{"pppoe-ptm docsis", "pppoe-ptm and docsis say different things of atm; give one",
		 -EINVAL},
		{"ethernet ether-vlan docsis",
		 "ethernet and docsis say different things of mpu; give one", -EINVAL},
		{"253 ether-vlan", "out of range; accepted: -64..256", -EINVAL},
		{"-65", "out of range; accepted: -64..256", -EINVAL},
		{"-99999999999999999999", "out of range; accepted: -64..256", -EINVAL},
		{"99999999999999999999", "out of range; accepted: -64..256", -EINVAL},
		{"", "no words; leave the key out", -EINVAL},
		{" ", "no words; leave the key out", -EINVAL},
		{"docsis atm", "atm", -ENOENT},
		{"+4", "+4", -ENOENT},
		{"-", "-", -ENOENT},
		{"4bytes", "4bytes", -ENOENT},
		{"docsis\tether-vlan", "docsis\tether-vlan", -ENOENT},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++) {
		struct cake_params p = {.overhead = 1, .mpu = OLD_MPU}, before = p;
		char wrong[FRAMING_WRONG_MAX] = "";

		assert_int_equal(framing_parse(samples[i].words, &p, wrong), samples[i].rc);
		assert_string_equal(wrong, samples[i].wrong);
		assert_memory_equal(&p, &before, sizeof(p));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_has_tc_s_values),
		cmocka_unit_test(words_add_up_in_any_order),
		cmocka_unit_test(a_number_is_a_word),
		cmocka_unit_test(behind_raw_words_add_to_the_frame_s_own_length),
		cmocka_unit_test(words_that_undo_others_are_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
