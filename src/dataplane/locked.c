/* SPDX-License-Identifier: BSD-3-Clause */
/* See locked.h. */
#include "dataplane/locked.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rte_memory.h>

#include "base/log.h"

void locked_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_MEMLOCK, &limit);
}

/** CAP_IPC_LOCK, which root has: the limit does not hold. */
static bool may_lock_anything(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

static int add_segment(const struct rte_memseg_list *list, const struct rte_memseg *segment,
		       void *sum)
{
	(void)list;
	*(uint64_t *)sum += segment->len;
	return 0;
}

int locked_check(void)
{
	struct rlimit limit;
	uint64_t need = 0;

	rte_memseg_walk(add_segment, &need);
	if (getrlimit(RLIMIT_MEMLOCK, &limit) || need <= limit.rlim_cur || may_lock_anything())
		return 0;
	log_error(
		"the devices need %" PRIu64 " MB of locked memory, this process may lock %" PRIu64
		" MB: write LimitMEMLOCK=infinity into its unit, or `ulimit -l unlimited` before, "
		"or give it CAP_IPC_LOCK",
		need >> 20, (uint64_t)limit.rlim_cur >> 20);
	return -ENOMEM;
}
