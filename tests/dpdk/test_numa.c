/* SPDX-License-Identifier: BSD-3-Clause */
/* Which node memory comes from: whose is asked for, and that the kernel was told. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/numa.h"

static void ports_that_are_together_have_a_node(void **state)
{
	struct port ports[3] = {{.node = 1}, {.node = 1}, {.node = 0}};

	(void)state;
	assert_int_equal(numa_common_node(ports, 2), 1);
	assert_int_equal(numa_common_node(ports, 3), -1);
	assert_int_equal(numa_common_node(ports, 0), -1);
	ports[0].node = ports[1].node = -1;
	assert_int_equal(numa_common_node(ports, 2), -1);
}

static void the_kernel_is_told_of_a_preference_and_of_its_end(void **state)
{
	unsigned long mask[16] = {0};
	int mode;

	(void)state;
	if (syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0)) {
		print_message("the kernel has no memory policies: errno %d\n", errno);
		skip();
	}
	numa_prefer(0);
	assert_int_equal(syscall(SYS_get_mempolicy, &mode, mask, 8 * sizeof(mask), NULL, 0), 0);
	assert_int_equal(mode, MPOL_PREFERRED);
	assert_int_equal(mask[0], 1);
	numa_prefer(-1);
	assert_int_equal(syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0), 0);
	assert_int_equal(mode, MPOL_DEFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_that_are_together_have_a_node),
		cmocka_unit_test(the_kernel_is_told_of_a_preference_and_of_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
