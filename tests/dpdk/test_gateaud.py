#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud as a process, over capture files and null devices: what comes out, how it ends, and what
it says when it cannot start. $GATEAUD is the program. No hugepages; root only for KernelDevices."""

import json
import os
import signal
import subprocess
import time
import unittest
from collections import Counter
from pathlib import Path

from gateaud import GATEAUD, STOP_S, GateaudTest, udp, write_capture


def free_hugepages():
    pages = Path("/sys/kernel/mm/hugepages").glob("*/free_hugepages")
    return sum(int(path.read_text()) for path in pages)


class Forwarding(GateaudTest):
    def test_a_flow_passes_unchanged_and_in_order(self):
        frames = [udp(length, number=length) for length in range(60, 1515)]
        out, summary = self.forward(frames)
        self.assertEqual(out, frames)
        self.assertEqual(summary["balance"]["received"], len(frames))
        self.assertEqual(summary["ports"][0]["rx_bytes"], sum(map(len, frames)))
        self.assertEqual(summary["ports"][1]["tx_bytes"], sum(map(len, frames)))

    def test_many_flows_pass_unchanged_each_in_order(self):
        frames = [udp(100, flow=n % 50, number=n) for n in range(2000)]
        out, _ = self.forward(frames)
        self.assertEqual(Counter(out), Counter(frames))
        flow = slice(34, 36)
        for key in {f[flow] for f in frames}:
            self.assertEqual([f for f in out if f[flow] == key], [f for f in frames if f[flow] == key])

    def test_one_cpu_is_enough(self):
        cpu = min(os.sched_getaffinity(0))
        config = self.config("net_null_a", "net_null_b", scheduler={"bandwidth": "1mbit"})
        process = self.start("-c", config, "-j",
                             preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))  # fmt: skip
        self.wait_for_line(process, "gateaud: running")
        self.wait_for_line(process, f"worker on CPU {cpu}:")
        summary = self.summary(process)
        self.assertEqual([lcore["cpu"] for lcore in summary["lcores"]], [cpu])

    def test_two_tags_may_come_on_top_of_the_mtu(self):
        tags = b"\x81\x00\x00\x05"
        frames = [udp(1518, tags=tags), udp(1522, tags=tags * 2)]
        out, _ = self.forward(frames)
        self.assertEqual(Counter(out), Counter(frames))

    def test_an_empty_capture_gives_an_empty_summary(self):
        out, summary = self.forward([])
        self.assertEqual(out, [])
        self.assertEqual(summary["balance"]["received"], 0)

    def test_runts_and_long_frames_are_named(self):
        good = udp(1514)
        out, summary = self.forward([b"\x02" * 13, udp(1515), good, b"\x02" * 9, udp(4000)])
        self.assertEqual(out, [good])
        drops = summary["ports"][0]["drops"]
        self.assertEqual((drops["runt"], drops["too-long"]), (2, 2))
        self.assertEqual(summary["balance"]["dropped"], 4)

    def test_jumbo_frames_pass_over_several_buffers(self):
        frames = [udp(length, number=length) for length in (60, 2048, 2049, 4097, 9014)]
        out, summary = self.forward([*frames, udp(9015)], mtu=9000)
        self.assertEqual(out, frames)
        self.assertEqual(summary["ports"][0]["drops"]["too-long"], 1)

    def test_rules_choose_the_tin(self):
        frames = [udp(100, flow=1 + n % 10, number=n) for n in range(100)]
        rules = [{"sport": 1, "tin": "Voice"}, {"sport": "1-3", "mark": "0x10"}]
        out, summary = self.forward(frames, scheduler={"fwmark": "0xf0", "rules": rules})
        self.assertEqual(len(out), 100)
        # tc's order: Bulk has ports 2 and 3, Best Effort 4 to 10, Voice 1
        tins = summary["ports"][1]["scheduler"]["tins"]
        self.assertEqual([tin["sent_packets"] for tin in tins], [20, 70, 10])
        self.assertIn("port b: rule 1: sport 1-3 -> mark 0x10, tin Bulk", self.err())

    def test_each_start_tells_flows_apart_in_its_own_way(self):
        # About 200 of 700 flows find another in their slot, with a deviation of about 10: two starts
        # with different keys count the same in 3 % of all cases, four in 0.003 %.
        frames = [udp(100, flow=n % 700, number=n) for n in range(1400)]
        counts = set()
        for _ in range(4):
            out, summary = self.forward(frames)
            self.assertEqual(len(out), len(frames))
            self.assertRegex(self.err(), r"port b: cake .*, flows hashed by (AES \(Pelican\)|SipHash-1-3)")
            counts.add(sum(tin["way_indirect_hits"]
                           for tin in summary["ports"][1]["scheduler"]["tins"]))  # fmt: skip
        self.assertGreater(len(counts), 1)
        self.assertTrue(all(100 < n < 400 for n in counts), counts)

    def test_a_queue_that_overflows_balances(self):
        frames = [udp(1000, flow=n % 10, number=n) for n in range(3000)]
        # 1 MiB of 2,496-byte buffers: 420 frames; at 1 Mbit/s 125 leave in a second.
        out, summary = self.forward(
            frames, scheduler={"bandwidth": "1mbit", "memlimit": "1mb"}, drain="100ms"
        )
        self.assertEqual(len(out), summary["balance"]["sent"])
        self.assertEqual(summary["balance"]["received"], 3000)
        self.assertGreater(summary["ports"][1]["drops"]["overflow"], 2000)
        for frame in out:
            self.assertIn(frame, frames)


class Stopping(GateaudTest):
    def slow(self, drain):
        """gateaud with a thousand frames to send at 8 a second."""
        source = self.path("in.pcap")
        write_capture(source, [udp(1000, flow=n % 100, number=n) for n in range(1000)])
        config = self.config(f"net_pcap_a,rx_pcap={source}", "net_null_b",
                             scheduler={"bandwidth": "64kbit"}, drain=drain)  # fmt: skip
        process = self.start("-c", config, "-j")
        self.wait_for_line(process, "gateaud: running")
        self.wait_until("end of the capture", lambda: self.has_read_all(process, source))
        return process

    def test_both_signals_stop_an_endless_source(self):
        for sig in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sig=sig):
                config = self.config("net_null_a", "net_null_b",
                                     scheduler={"bandwidth": "100mbit"})  # fmt: skip
                process = self.start("-c", config, "-j")
                self.wait_for_line(process, "gateaud: running")
                self.assertGreater(self.summary(process, sig)["balance"]["received"], 0)

    def test_a_lost_terminal_does_not_stop_it(self):
        # with nohup and without
        for disposition in (signal.SIG_DFL, signal.SIG_IGN):
            with self.subTest(disposition):
                process = self.start("-c", self.config("net_null_a", "net_null_b"), "-j",
                                     preexec_fn=lambda d=disposition: signal.signal(signal.SIGHUP, d))  # fmt: skip
                self.wait_for_line(process, "gateaud: running")
                process.send_signal(signal.SIGHUP)
                time.sleep(0.5)
                self.assertNotIn("stopping", self.err())
                self.summary(process)

    def test_a_log_that_nobody_reads_any_more_is_no_matter(self):
        reader, writer = os.pipe()
        process = subprocess.Popen([GATEAUD, "-c", self.config("net_null_a", "net_null_b"), "-j"],
                                   stdout=subprocess.PIPE, stderr=writer)  # fmt: skip
        self.addCleanup(process.kill)
        os.close(writer)
        text = b""
        while b"gateaud: running" not in text:
            more = os.read(reader, 4096)
            self.assertTrue(more, text)
            text += more
        os.close(reader)
        process.terminate()
        out, _ = process.communicate(timeout=STOP_S)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(json.loads(out)["balance"]["balanced"])

    def test_a_summary_that_cannot_be_written_is_a_failure(self):
        for redirection, reason in ((">/dev/full", "No space left"), (">&-", "Bad file"),
                                    ("| true", "Broken pipe")):  # fmt: skip
            with self.subTest(redirection=redirection):
                config = self.config("net_null_a", "net_null_b")
                command = f"{GATEAUD} -c {config} {redirection}; exit ${{PIPESTATUS[0]}}"
                with self.path("err").open("wb") as err:
                    shell = subprocess.Popen(["bash", "-c", command], stderr=err)
                self.addCleanup(shell.kill)
                self.wait_for_line(shell, "gateaud: running")
                children = Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()
                os.kill(int(children[0]), signal.SIGTERM)
                self.assertEqual(shell.wait(STOP_S), 1)
                self.assertIn(f"cannot write the summary ({reason}", self.err())

    def test_a_closed_stream_is_not_taken_by_something_else(self):
        process = self.start("-c", self.config("net_null_a", "net_null_b"),
                             preexec_fn=lambda: os.closerange(0, 2))  # fmt: skip
        self.wait_for_line(process, "gateaud: running")
        for fd in (0, 1):
            self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{fd}"), "/dev/null")

    def test_workers_stop_in_step_and_lose_nothing(self):
        """One receives as fast as it can, another runs the queue; stopped in full flow."""
        cpus = sorted(os.sched_getaffinity(0))[:2]  # with one CPU it is one worker
        for _ in range(5):
            config = self.config("net_null_a", "net_null_b", eal={"lcores": cpus})
            whole = json.loads(config.read_text())
            whole["ports"][0]["rx_lcores"] = [cpus[0]]
            whole["ports"][1]["tx_lcores"] = [cpus[-1]]
            config.write_text(json.dumps(whole))
            process = self.start("-c", config, "-j")
            self.wait_for_line(process, "gateaud: running")
            time.sleep(0.2)
            self.assertGreater(self.summary(process)["balance"]["sent"], 0)

    def test_the_drain_is_bounded_and_the_rest_is_purged(self):
        process = self.slow(drain="300ms")
        begin = time.monotonic()
        summary = self.summary(process)
        self.assertGreaterEqual(time.monotonic() - begin, 0.3)
        self.assertGreater(summary["ports"][1]["drops"]["purge"], 0)

    def test_a_second_signal_cuts_the_drain_short(self):
        process = self.slow(drain="60s")
        process.send_signal(signal.SIGTERM)
        self.wait_for_line(process, "gateaud: stopping")
        begin = time.monotonic()
        summary = self.summary(process)
        self.assertLess(time.monotonic() - begin, STOP_S)
        self.assertGreater(summary["ports"][1]["drops"]["purge"], 0)

    def test_the_text_summary_has_the_balance(self):
        process = self.start("-c", self.config("net_null_a", "net_null_b"))
        self.wait_for_line(process, "gateaud: running")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(STOP_S), 0, self.err())
        self.assertRegex(self.out(), r"received (\d+) \+ segments added 0 = sent \d+ .*: balanced\n")
        self.assertIn("mbufs lost: 0 of", self.out())
        self.assertRegex(self.out(), r"(?m)^ +Bulk +Best Effort +Voice$")


class Refusing(GateaudTest):
    def refused(self, *argv, code=1, **how):
        process = self.start(*argv, **how)
        self.assertEqual(process.wait(STOP_S), code, self.err())
        self.assertEqual(self.out(), "")
        self.assertNotIn("running", self.err())
        return self.err()

    def last_line(self, text):
        return text.rstrip("\n").split("\n")[-1]

    def test_a_capture_that_is_not_there(self):
        config = self.config("net_pcap_a,rx_pcap=/nowhere/in.pcap", "net_null_b")
        line = self.last_line(self.refused("-c", config))
        self.assertIn("port a: cannot open device net_pcap_a,rx_pcap=/nowhere/in.pcap", line)

    def test_an_argument_that_the_driver_does_not_know(self):
        line = self.last_line(self.refused("-c", self.config("net_null_a,sice=64", "net_null_b")))
        self.assertIn("port a: cannot open device net_null_a,sice=64;", line)
        self.assertIn("see that it knows these arguments", line)

    def test_a_driver_that_does_not_exist(self):
        line = self.last_line(self.refused("-c", self.config("net_null_a", "net_cookies0")))
        self.assertIn("port b: no driver for device net_cookies0", line)

    def test_an_interface_that_is_not_there_or_not_given(self):
        for driver in ("net_af_packet", "net_af_xdp"):
            for arguments, reason in ((",iface=no-such-one", 'no interface "no-such-one"'),
                                      (",iface=a-name-longer-than-the-kernel-has", "no interface"),
                                      ("", "needs an interface"),
                                      (",ifcae=lo", "needs an interface")):  # fmt: skip
                with self.subTest(driver=driver, arguments=arguments):
                    config = self.config("net_null_a", f"{driver}_b{arguments}")
                    line = self.last_line(self.refused("-c", config))
                    self.assertIn("port b: ", line)
                    self.assertIn(reason, line)

    def test_raw_sockets_that_are_not_allowed(self):
        config = self.config("net_null_a", "net_af_packet_b,iface=lo")
        without = ["setpriv", "--bounding-set=-net_raw"] if os.geteuid() == 0 else []
        line = self.last_line(self.refused("-c", config, before=without))
        self.assertIn("port b: device net_af_packet_b needs the capability CAP_NET_RAW", line)

    def test_a_pci_device_without_hugepages(self):
        line = self.last_line(self.refused("-c", self.config("net_null_a", "ffff:fe:1f.7")))
        self.assertIn("a PCI device needs hugepages", line)

    @unittest.skipUnless(free_hugepages(), "no hugepages are free, which a PCI device needs")
    def test_a_pci_device_that_is_not_there_is_named_as_dpdk_spells_it(self):
        for device in ("ffff:fe:1f.7", "FFFF:FE:1F.7"):
            config = self.config("net_null_a", device, eal={"hugepages": True})
            line = self.last_line(self.refused("-c", config))
            self.assertIn("port b: no device ffff:fe:1f.7", line)

    def test_a_cpu_that_is_not_there(self):
        missing = max(os.sched_getaffinity(0)) + 1
        config = self.config("net_null_a", "net_null_b", eal={"lcores": [missing]})
        line = self.last_line(self.refused("-c", config))
        self.assertIn(f"eal.lcores[0]: no CPU {missing}", line)

    def test_a_port_that_wants_a_cpu_without_a_worker(self):
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("the only CPU has a worker")
        for key, value, place in (("rx_lcores", [cpus[0]], r"a: rx_lcores\[0\]"),
                                  ("tx_lcores", [cpus[0]], r"b: tx_lcores\[0\]")):  # fmt: skip
            with self.subTest(key=key):
                config = self.config("net_null_a", "net_null_b")
                whole = json.loads(config.read_text())
                whole["ports"][key == "tx_lcores"][key] = value
                config.write_text(json.dumps(whole))
                line = self.last_line(self.refused("-c", config))
                self.assertRegex(line, rf"port {place}: no worker on CPU {cpus[0]}; .*eal\.lcores")

    def test_memory_that_does_not_hold_the_buffers(self):
        config = self.config("net_null_a", "net_null_b", eal={"memory": "20mb"})
        line = self.last_line(self.refused("-c", config))
        self.assertRegex(line, r"eal\.memory: 20 MB is too little; .* take \d+ MB")

    def test_a_memory_limit_that_no_frame_fits(self):
        config = self.config("net_null_a", "net_null_b", mtu=9000, scheduler={"memlimit": "12kb"})
        # ceil(9,022 / 2,048) = 5 buffers of 2,624 bytes
        line = self.last_line(self.refused("-c", config))
        self.assertIn("port b: scheduler.memlimit: 12288 bytes; one frame of MTU 9000 pins 13120", line)

    def test_memory_that_the_machine_does_not_have(self):
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGESIZE")
        too_much = (pages * size >> 20) + 1
        for wanted in ({"memory": f"{too_much}mb"}, {"memory": "1024gb"}):
            with self.subTest(wanted=wanted):
                config = self.config("net_null_a", "net_null_b", eal=wanted)
                line = self.last_line(self.refused("-c", config))
                self.assertRegex(line, rf"eal\.memory: \d+ MB; this machine has {too_much - 1} MB")
        ports = [{"name": f"p{n}", "device": f"net_null{n}", "scheduler": {"memlimit": "4gb"}}
                 for n in range(32)]  # fmt: skip
        if too_much > 32 * 4096:
            self.skipTest("a machine with more than 128 GB")
        links = [{"from": f"p{n}", "to": f"p{(n + 1) % 32}"} for n in range(32)]
        config = self.config("net_null_a", "net_null_b", ports=ports, links=links)
        self.assertIn("the schedulers' memory limits and the rest take", self.refused("-c", config))

    @unittest.skipUnless("HugePages_Total:       0\n" in Path("/proc/meminfo").read_text(), "hugepages")
    def test_hugepages_that_were_not_set_aside(self):
        config = self.config("net_null_a", "net_null_b", eal={"hugepages": True})
        text = self.refused("-c", config)
        self.assertIn("no hugepages are free; set some aside (dpdk-hugepages.py --setup 1G)", text)
        self.assertIn('"hugepages": false', text)
        self.assertNotIn("denied", text)

    def test_more_queues_than_the_device_has(self):
        config = self.config("net_pcap_a,rx_pcap=/dev/null", "net_null_b")
        whole = json.loads(config.read_text())
        source = self.path("in.pcap")
        write_capture(source, [])
        whole["ports"][0].update(device=f"net_pcap_a,rx_pcap={source}", rx_queues=2)
        config.write_text(json.dumps(whole))
        line = self.last_line(self.refused("-c", config))
        self.assertIn("port a: 2 RX and 1 TX queues asked for, the device has at most 1", line)

    def test_a_faulty_file_with_line_and_key(self):
        path = self.path("faulty.json")
        path.write_text('{\n"ports": [\n{"name": 5}\n],\n"links": []\n}\n')
        text = self.refused("-c", path)
        self.assertEqual(text.count("\n"), 1)
        self.assertRegex(text, r"^gateaud: .*faulty\.json:3: ports\[0\]\.name: ")

    def test_a_file_that_is_not_there(self):
        self.assertIn("nowhere.json", self.refused("-c", self.path("nowhere.json")))

    def test_wrong_options(self):
        for argv in ([], ["-c"], ["-x"], ["--frobnicate"], ["-c", "file", "more"]):
            with self.subTest(argv=argv):
                self.assertIn("usage: gateaud -c FILE", self.refused(*argv, code=2))

    def test_help_and_version_are_no_errors(self):
        for argv, text in (("--help", "usage: gateaud"), ("--version", "gateaud ")):
            process = self.start(argv)
            self.assertEqual(process.wait(STOP_S), 0)
            self.assertTrue(self.out().startswith(text), self.out())


@unittest.skipUnless(os.geteuid() == 0, "without root there are no network devices")
class KernelDevices(GateaudTest):
    """Devices of the kernel's, in a network namespace that lives as long as gateaud."""

    def start_beside_veth(self, a, b, first="true", port_b=(), **port_a):
        """`first`: a command run there before gateaud."""
        config = self.config(a, b)
        whole = json.loads(config.read_text())
        whole["ports"][0].update(port_a)
        whole["ports"][1].update(port_b)
        config.write_text(json.dumps(whole))
        script = f"""ip link add veth-a type veth peer name veth-b
            ip link set veth-a up; ip link set veth-b up; {first}; exec "$0" -c {config} -j"""
        with self.path("out").open("wb") as out, self.path("err").open("wb") as err:
            process = subprocess.Popen(["unshare", "-n", "sh", "-ec", script, GATEAUD],
                                       stdout=out, stderr=err)  # fmt: skip
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_a_link_that_is_down_is_told_of_and_so_is_its_coming_up(self):
        process = self.start_beside_veth("net_af_packet0,iface=veth-a", "net_null_b",
                                         first="ip link set veth-b down")  # fmt: skip
        self.wait_for_line(process, "gateaud: running")
        said = self.err()
        self.assertIn("gateaud: warning: port a: link is down\n", said)
        self.assertEqual(said.count("link is"), 1)
        self.set_link(process, "up")
        self.wait_for_line(process, "gateaud: port a: link is up\n")
        self.summary(process)

    def set_link(self, process, state):
        subprocess.run(["nsenter", f"--net=/proc/{process.pid}/ns/net",
                        "ip", "link", "set", "veth-b", state], check=True)  # fmt: skip

    def test_what_waits_for_a_link_is_dropped_by_name_when_it_stays_down(self):
        process = self.start_beside_veth("net_null_a", "net_af_packet0,iface=veth-a",
                                         port_b={"link_hold": "10ms"})  # fmt: skip
        self.wait_for_line(process, "gateaud: running")
        self.set_link(process, "down")
        self.wait_for_line(process, "gateaud: warning: port b: link is down\n")
        time.sleep(1)  # a hundred times the hold
        self.set_link(process, "up")
        self.wait_for_line(process, "gateaud: port b: link is up\n")
        port = self.summary(process)["ports"][1]
        self.assertGreater(port["drops"]["link-down"], 0)
        self.assertGreater(port["tx_packets"], 0)

    def test_an_mtu_that_the_device_does_not_take(self):
        device = "net_af_packet0,iface=veth-a"
        process = self.start_beside_veth(device, "net_null_b", mtu=1501)
        self.assertEqual(process.wait(STOP_S), 1, self.err())
        # RTE_ETHER_MAX_LEN, 1,518, less Ethernet's header and FCS
        self.assertIn("port a: MTU 1501 asked for, the device (net_af_packet) takes 68 to 1500",
                      self.err())  # fmt: skip

    def test_a_socket_that_nobody_would_poll_is_refused(self):
        device = "net_af_packet0,iface=veth-a,qpairs=2"
        process = self.start_beside_veth(device, "net_null_b")
        self.assertEqual(process.wait(STOP_S), 1, self.err())
        self.assertIn("port a: the kernel spreads frames over the device's 2 queues", self.err())

    def test_sockets_that_are_all_polled_are_in_order(self):
        device = "net_af_packet0,iface=veth-a,qpairs=2"
        process = self.start_beside_veth(device, "net_null_b", rx_queues=2)
        self.wait_for_line(process, "gateaud: running")
        self.assertNotIn("warning", self.err())
        self.summary(process)

    def test_what_net_af_xdp_keeps_is_not_called_lost(self):
        process = self.start_beside_veth("net_af_xdp0,iface=veth-a", "net_af_packet1,iface=veth-b")
        self.wait_until("start", lambda: process.poll() is not None
                        or "gateaud: running" in self.err())  # fmt: skip
        if process.poll() is not None:
            self.skipTest(self.err())  # a kernel without AF_XDP
        self.summary(process)


if __name__ == "__main__":
    unittest.main(verbosity=2)
