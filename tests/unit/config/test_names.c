/* SPDX-License-Identifier: BSD-3-Clause */
/* config/names: strings that reach EAL carry nothing but what they are for. */
#include "config/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"

static void names_are_short_plain_words(void **state)
{
	(void)state;
	assert_true(config_name_valid("a"));
	assert_true(config_name_valid("0"));
	assert_true(config_name_valid("wan-1.up_LINK"));
	assert_true(config_name_valid("a234567890123456789012345678901"));   /* 31 */
	assert_false(config_name_valid("a2345678901234567890123456789012")); /* 32 */
	assert_false(config_name_valid(""));
	assert_false(config_name_valid("-v"));
	assert_false(config_name_valid(".."));
	assert_false(config_name_valid("a/b"));
	assert_false(config_name_valid("a b"));
	assert_false(config_name_valid("a\n"));
	assert_false(config_name_valid("\xc3\xa9"));
}

static void devices_are_pci_addresses_or_net_vdevs_with_arguments(void **state)
{
	static const char *const valid[] = {
		"0000:3b:00.0",
		"0000:3B:1f.7",
		"10000:01:00.0", /* behind a VMD, domains have more digits */
		"0000:3b:00.0,representor=[0,2-3],mprq_en=1",
		"0000:3b:00.0,representor=pf0vf[0-3]",
		"0000:3b:00.0,proto_xtr=[(1,2-3):tcp,10:vlan]",
		"net_ring0",
		"net_null0,size=64,copy=1",
		"net_af_packet0,iface=veth-lan",
		"net_af_packet0,iface=eth0.100",
		"net_pcap0,rx_pcap=/var/tmp/in.pcap,tx_pcap=out.pcap",
		"net_tap0,mac=02:00:00:00:00:01",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
		if (!config_device_valid(valid[i]))
			print_error("%s\n", valid[i]);
		assert_true(config_device_valid(valid[i]));
	}
}

static void the_interface_of_a_device_is_its_argument_of_that_name(void **state)
{
	const char *device = "net_af_packet0,iface=veth-lan,framecnt=4096";
	size_t len;

	(void)state;
	assert_ptr_equal(config_device_interface(device, &len), strstr(device, "veth"));
	assert_int_equal(len, strlen("veth-lan"));
	assert_null(config_device_interface("net_null0,xiface=a", &len));
	assert_null(config_device_interface("0000:3b:00.0", &len));
}

static void devices_smuggle_nothing(void **state)
{
	static const char *const invalid[] = {
		"",
		"eth0",
		"net_",
		"NET_null0",
		"net_Null0",
		"net_null0 ",
		" net_null0",
		"net_null0\n",
		"net_null0 --vdev=net_null1",
		"--vdev=net_null0",
		"crypto_null0",
		"event_skeleton0",
		"net_null0,",
		"net_null0,size",
		"net_null0,size=",
		"net_null0,=64",
		"net_null0,,size=64",
		"net_null0,iface=a b",
		"net_null0,iface=\"a\"",
		"net_null0,iface=a\tb",
		"net_null0;size=64",
		"net_failsafe0,exec(reboot)",
		"net_failsafe0,exec(reboot x=1)",
		"net_failsafe0,dev(net_null0,size=1)",
		"net_null0/class=eth",
		"net_null0,a=[1,b=2",
		"3b:00.0",
		"000:3b:00.0",
		"000000000:3b:00.0",
		"0000:3b:00.8",
		"0000:3b:20.0", /* a bus has 32 slots */
		"0000:3b:00",
		"0000:3b:00.0x",
		"0000:3g:00.0",
		"pci:0000:3b:00.0",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		if (config_device_valid(invalid[i]))
			print_error("%s\n", invalid[i]);
		assert_false(config_device_valid(invalid[i]));
	}
}

static void devices_fit_dpdk_s_and_our_own_buffers(void **state)
{
	char device[CONFIG_DEVICE_MAX + 1];

	(void)state;
	/* a device's name, 63 bytes and a 0 in DPDK */
	memset(device, 'n', sizeof(device));
	memcpy(device, "net_", 4);
	device[63] = 0;
	assert_true(config_device_valid(device));
	device[63] = 'n';
	device[64] = 0;
	assert_false(config_device_valid(device));

	/* all of it: CONFIG_DEVICE_MAX with the 0 */
	memset(device, 'n', sizeof(device));
	memcpy(device, "net_a,b=", 8);
	device[CONFIG_DEVICE_MAX - 1] = 0;
	assert_true(config_device_valid(device));
	device[CONFIG_DEVICE_MAX - 1] = 'n';
	device[CONFIG_DEVICE_MAX] = 0;
	assert_false(config_device_valid(device));
}

static void the_name_of_a_device_ends_where_its_arguments_begin(void **state)
{
	(void)state;
	assert_int_equal(config_device_name_length("net_ring0"), 9);
	assert_int_equal(config_device_name_length("net_pcap0,iface=a,iface=b"), 9);
	assert_int_equal(config_device_name_length("0000:3b:00.0,x=1"), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_short_plain_words),
		cmocka_unit_test(devices_are_pci_addresses_or_net_vdevs_with_arguments),
		cmocka_unit_test(the_interface_of_a_device_is_its_argument_of_that_name),
		cmocka_unit_test(devices_smuggle_nothing),
		cmocka_unit_test(devices_fit_dpdk_s_and_our_own_buffers),
		cmocka_unit_test(the_name_of_a_device_ends_where_its_arguments_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
