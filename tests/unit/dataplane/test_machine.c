/* SPDX-License-Identifier: BSD-3-Clause */
/* What is read of a machine: from a folder with the files that a kernel would have in /sys. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/machine.h"

static char root[32];
static struct machine m;

/** The folders that lead to @path. */
static void make_folders(const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	for (char *at = folder + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(folder, 0700);
	}
}

static void file(const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	make_folders(full);
	f = fopen(full, "we");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void linked(const char *path, const char *target)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	make_folders(full);
	assert_int_equal(symlink(target, full), 0);
}

static void nic(const char *address, const char *device, const char *driver)
{
	char folder[128], path[160], target[160];

	snprintf(folder, sizeof(folder), "/sys/bus/pci/devices/%s", address);
	snprintf(path, sizeof(path), "%s/class", folder);
	file(path, "0x020000\n");
	snprintf(path, sizeof(path), "%s/vendor", folder);
	file(path, "0x8086\n");
	snprintf(path, sizeof(path), "%s/device", folder);
	file(path, device);
	snprintf(path, sizeof(path), "%s/numa_node", folder);
	file(path, "1\n");
	if (!driver)
		return;
	snprintf(path, sizeof(path), "%s/driver", folder);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	linked(path, target);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(root, "/tmp/machine.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int take_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void nics_are_found_with_who_has_them(void **state)
{
	(void)state;
	nic("0000:17:00.0", "0x1592\n", "vfio-pci");
	linked("/sys/bus/pci/devices/0000:17:00.0/iommu_group", "../../kernel/iommu_groups/42");
	nic("0000:17:00.1", "0x1592\n", "ice");
	file("/sys/bus/pci/devices/0000:17:00.1/net/ens1f1/mtu", "1500\n");
	nic("0000:3b:00.0", "0x158b\n", NULL);
	nic("0000:5e:00.0", "0x1013\n", "mlx5_core");
	nic("0000:00:02.0", "0x0001\n", "nvme");
	file("/sys/bus/pci/devices/0000:00:02.0/class", "0x010802\n"); /* no network device */
	machine_read(&m, root);
	assert_int_equal(m.n_nics, 4);
	assert_string_equal(m.nics[0].address, "0000:17:00.0");
	assert_int_equal(m.nics[0].vendor, 0x8086);
	assert_int_equal(m.nics[0].device, 0x1592);
	assert_int_equal(m.nics[0].node, 1);
	assert_int_equal(m.nics[0].iommu_group, 42);
	assert_int_equal(m.nics[0].owner, MACHINE_DPDK);
	assert_true(m.nics[0].needs_ddp);
	assert_string_equal(m.nics[1].driver, "ice");
	assert_string_equal(m.nics[1].interface, "ens1f1");
	assert_int_equal(m.nics[1].owner, MACHINE_KERNEL);
	assert_int_equal(m.nics[1].iommu_group, -1);
	assert_int_equal(m.nics[2].owner, MACHINE_NOBODY);
	assert_false(m.nics[2].needs_ddp); /* an XXV710 */
	assert_int_equal(m.nics[3].owner, MACHINE_DIVIDED);
	assert_ptr_equal(machine_find_nic(&m, "0000:3B:00.0"), &m.nics[2]);
	assert_null(machine_find_nic(&m, "0000:00:02.0"));
}

static void a_virtio_devices_interface_is_found(void **state)
{
	(void)state;
	nic("0000:00:03.0", "0x1041\n", "virtio-pci");
	file("/sys/bus/pci/devices/0000:00:03.0/virtio0/net/eth0/mtu", "1500\n");
	machine_read(&m, root);
	assert_string_equal(m.nics[0].interface, "eth0");
}

static void free_hugepages_are_added_up(void **state)
{
	static const char *const nodes = "/sys/devices/system/node/node";
	char path[128];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s%u/hugepages/hugepages-2048kB/nr_hugepages", nodes,
			 i);
		file(path, "512\n");
		snprintf(path, sizeof(path), "%s%u/hugepages/hugepages-2048kB/free_hugepages",
			 nodes, i);
		file(path, i ? "512\n" : "3\n");
	}
	machine_read(&m, root);
	assert_int_equal(m.n_pages, 2);
	assert_int_equal(m.pages[1].node, 1);
	assert_int_equal(m.pages[1].kb, 2048);
	assert_int_equal(m.pages[1].total, 512);
	assert_int_equal(machine_free_mb(&m, -1), 2 * (512 + 3));
	assert_int_equal(machine_free_mb(&m, 0), 2 * 3);
}

static void nodes_of_cpus_and_their_distances(void **state)
{
	(void)state;
	file("/sys/devices/system/cpu/cpu5/node1/cpulist", "4-7\n");
	file("/sys/devices/system/node/node1/distance", "21 10\n");
	assert_int_equal(machine_cpu_node(root, 5), 1);
	assert_int_equal(machine_cpu_node(root, 6), -1);
	assert_int_equal(machine_distance(root, 1, 0), 21);
	assert_int_equal(machine_distance(root, 1, 1), 10);
	assert_int_equal(machine_distance(root, 0, 0), 0);
}

static void an_iommu_and_vfio_without_one(void **state)
{
	(void)state;
	machine_read(&m, root);
	assert_false(m.iommu);
	assert_false(m.unsafe_noiommu);
	file("/sys/kernel/iommu_groups/0/type", "DMA\n");
	file("/sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "Y\n");
	machine_read(&m, root);
	assert_true(m.iommu);
	assert_true(m.unsafe_noiommu);
}

static void the_ddp_package_that_the_driver_takes_is_named(void **state)
{
	char expected[96];

	(void)state;
	machine_read(&m, root);
	assert_string_equal(m.ddp, "");
	file("/lib/firmware/intel/ice/ddp/ice-1.3.30.0.pkg", "");
	linked("/lib/firmware/intel/ice/ddp/ice.pkg", "ice-1.3.30.0.pkg");
	file("/lib/firmware/intel/ice/ddp/ice-00ccbbffffaa0568.pkg", "");
	machine_read(&m, root);
	snprintf(expected, sizeof(expected), "%s/lib/firmware/intel/ice/ddp/ice.pkg", root);
	assert_string_equal(m.ddp, expected);
	assert_int_equal(m.n_ddp, 1);
	file("/lib/firmware/updates/intel/ice/ddp/ice.pkg", "");
	machine_read(&m, root);
	snprintf(expected, sizeof(expected), "%s/lib/firmware/updates/intel/ice/ddp/ice.pkg", root);
	assert_string_equal(m.ddp, expected);
}

#define MACHINE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, take_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(nics_are_found_with_who_has_them),
		MACHINE_TEST(a_virtio_devices_interface_is_found),
		MACHINE_TEST(free_hugepages_are_added_up),
		MACHINE_TEST(nodes_of_cpus_and_their_distances),
		MACHINE_TEST(an_iommu_and_vfio_without_one),
		MACHINE_TEST(the_ddp_package_that_the_driver_takes_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
