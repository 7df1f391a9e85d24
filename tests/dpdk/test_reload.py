#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Changing what runs: set, reload, SIGHUP and diff, under traffic, with the books balanced at the end.
$GATEAUD and $GATEAU are the programs; $CHANGE_S seconds of changes at full rate (default 5)."""

import json
import os
import signal
import subprocess
import time
import unittest

from gateaud import GateaudTest

GATEAU = os.environ["GATEAU"]
CHANGE_S = float(os.environ.get("CHANGE_S", "5"))
WAIT_S = 60
QUEUES = 4


class ChangeTest(GateaudTest):
    """gateaud between two devices that give and take all that there is."""

    def setUp(self):
        super().setUp()
        scheduler = {"bandwidth": "100mbit", "memlimit": "1mb"}
        self.file = self.config("net_null0", "net_null1", scheduler=scheduler,
                                egress={"tx_queues": QUEUES, "steer": "flow"})  # fmt: skip
        self.process = self.start("-c", self.file, "-j")
        self.wait_for_line(self.process, "gateaud: running")

    def gateau(self, *argv):
        return subprocess.run([GATEAU, *argv], capture_output=True, text=True, timeout=WAIT_S,
                              env={**os.environ, "GATEAU_SOCKET": str(self.socket)})  # fmt: skip

    def succeed(self, *argv):
        done = self.gateau(*argv)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refuse(self, why, *argv):
        done = self.gateau(*argv)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(why, done.stderr)

    def in_force(self):
        return json.loads(self.succeed("show", "config", "-j"))

    def port(self, name="b"):
        ports = self.in_force()["config"]["ports"]
        return next(port for port in ports if port["name"] == name)

    def generation(self):
        return self.in_force()["generation"]

    def rewrite(self, name="new.json", **keys):
        """The start-up file with `keys` of port b's scheduler; returns the path of the new one."""
        whole = json.loads(self.file.read_text())
        whole["ports"][1]["scheduler"].update(keys)
        path = self.path(name)
        path.write_text(json.dumps(whole))
        return path


class Set(ChangeTest):
    def test_keys_are_changed_and_said_and_not_written(self):
        before = self.file.read_text()
        out = self.succeed("set", "b", "bandwidth", "900mbit", "rtt", "50ms")
        self.assertEqual(out, "b: bandwidth 100mbit -> 900mbit (live)\n"
                              "b: rtt 100ms -> 50ms (live)\n"
                              "generation 2\n"
                              "not in the file: lost at the next reload or restart\n")  # fmt: skip
        self.assertEqual(self.port()["scheduler"]["bandwidth"], "900mbit")
        self.assertEqual(self.port("a")["scheduler"]["bandwidth"], "100mbit")
        self.assertEqual(self.file.read_text(), before)
        out = json.loads(self.succeed("set", "-j", "b", "bandwidth", "1gbit"))
        self.assertEqual((out["generation"], out["takes"]), (3, "live"))
        self.assertEqual(out["changes"][0]["new"], "1gbit")
        self.assertEqual(self.succeed("set", "b", "bandwidth", "1gbit"), "no difference; generation 3\n")
        self.summary(self.process)

    def test_words_of_overhead_say_mpu_and_atm_until_others_do(self):
        self.succeed("set", "b", "overhead", "docsis")
        self.assertEqual(self.port()["scheduler"]["mpu"], 64)
        self.succeed("set", "b", "overhead", "pppoe-ptm ether-vlan")
        scheduler = self.port()["scheduler"]
        self.assertEqual((scheduler["overhead"], scheduler["mpu"], scheduler["atm"]), (34, 0, "ptm"))
        self.succeed("set", "b", "overhead", "default")
        self.assertEqual(self.port()["scheduler"]["overhead"], "raw")

    def test_every_live_key_changes_under_traffic(self):
        for key, value, shown in (
            ("bandwidth", "200mbit", "200mbit"), ("rtt", "lan", "1ms"), ("overhead", "18", 18),
            ("mpu", "84", 84), ("atm", "atm", "atm"), ("wash", "true", True), ("ingress", "true", True),
            ("split_gso", "false", False), ("memlimit", "512kb", "512kb"), ("fwmark", "0xff", "0xff"),
            ("rules", '[{"dscp": "ef", "tin": 1}]', [{"dscp": "ef", "tin": 1}]),
            ("catch-up", "2ms", "2ms"), ("share", "equal", "equal"),
            ("ack-filter", "aggressive", "aggressive"), ("flows", "64", 64),
            ("flowmode", "dual-srchost", "dual-srchost"), ("diffserv", "diffserv8", "diffserv8"),
            ("bandwidth", "unlimited", "unlimited"), ("bandwidth", "10mbit", "10mbit"),
            ("steer", "src-host", "src-host"), ("steer", "dst-host", "dst-host"),
        ):  # fmt: skip
            self.succeed("set", "b", key, value)
            port = self.port()
            self.assertEqual({**port, **port["scheduler"]}[key], shown, key)
        self.assertEqual(self.generation(), 22)
        self.summary(self.process)

    def test_what_cannot_be_is_refused_and_nothing_changes(self):
        before = self.in_force()
        self.refuse('no port "c"; there are: a, b', "set", "c", "bandwidth", "1mbit")
        self.refuse('did you mean "bandwidth"?', "set", "b", "bandwith", "1mbit")
        self.refuse('ports[1].scheduler.bandwidth: "1": a number without a unit',
                    "set", "b", "rtt", "5ms", "bandwidth", "1")  # fmt: skip
        self.refuse("accepted: -64..256", "set", "b", "overhead", "300")
        self.refuse("takes a restart of gateaud; nothing has been changed", "set", "b", "tx_queues", "2")
        self.refuse("packet buffers", "set", "b", "memlimit", "1gb")
        self.assertEqual(self.gateau("set", "b", "rtt").returncode, 2)
        self.assertEqual(self.in_force(), before)
        self.summary(self.process)


class Reload(ChangeTest):
    def test_a_file_is_compared_and_comes_into_force(self):
        new = self.rewrite(bandwidth="1gbit", wash=True)
        self.assertEqual(self.succeed("diff", new), "b: bandwidth 100mbit -> 1gbit (live)\n"
                         "b: wash false -> true (live)\nall of it comes into force live\n")  # fmt: skip
        self.assertEqual(self.succeed("diff", self.file, new), self.succeed("diff", new))
        self.assertEqual(self.generation(), 1)
        self.assertIn("generation 2\n", self.succeed("reload", new))
        self.assertEqual(self.succeed("diff", new), "no difference\n")
        self.assertIn("b: bandwidth 1gbit -> 100mbit (live)", self.succeed("reload"))
        self.assertEqual(self.generation(), 3)
        self.summary(self.process)

    def test_hangup_reads_the_start_up_file_again(self):
        self.rewrite(self.file.name, bandwidth="1gbit")
        self.process.send_signal(signal.SIGHUP)
        self.wait_until("reloaded", lambda: self.generation() == 2)
        self.assertEqual(self.port()["scheduler"]["bandwidth"], "1gbit")
        self.assertIn('reload: generation 2: b: bandwidth "100mbit" -> "1gbit"', self.err())
        self.summary(self.process)

    def test_a_bad_file_is_named_and_the_good_one_stays(self):
        self.file.write_text(self.file.read_text().replace("100mbit", "100megabit"))
        self.process.send_signal(signal.SIGHUP)
        self.wait_for_line(self.process, f"reload: {self.file}:1: ports[0].scheduler.bandwidth: ")
        self.wait_for_line(self.process, "going on as before")
        self.assertEqual(self.generation(), 1)
        self.refuse(f"{self.file}:1: ports[0].scheduler.bandwidth", "reload")
        self.refuse(f"{self.file}:1: ports[0].scheduler.bandwidth", "reload", self.file)
        self.summary(self.process)

    def test_what_takes_a_restart_is_refused_as_a_whole(self):
        whole = json.loads(self.file.read_text())
        whole["ports"][1]["scheduler"]["bandwidth"] = "1gbit"
        whole["eal"]["lcores"] = [0, 1]
        new = self.path("new.json")
        new.write_text(json.dumps(whole))
        self.assertIn("it takes a restart of gateaud", self.succeed("diff", new))
        self.refuse("eal.lcores null -> [0,1] takes a restart of gateaud", "reload", new)
        self.assertEqual(self.port()["scheduler"]["bandwidth"], "100mbit")
        self.summary(self.process)


class Share(ChangeTest):
    def reservations(self):
        ports = json.loads(self.succeed("show", "-s", "-q", "-j"))["ports"]
        queues = next(port for port in ports if port["port"] == "b")["queues"]
        return [queue["share"]["reservations"] for queue in queues]

    def test_what_was_counted_of_a_share_stays_when_there_is_none_for_a_while(self):
        self.wait_until("slots", lambda: max(self.reservations()) > 1000)
        before = self.reservations()
        self.succeed("set", "b", "bandwidth", "unlimited")
        self.succeed("set", "b", "bandwidth", "100mbit")
        self.assertTrue(all(a >= b for a, b in zip(self.reservations(), before)))
        self.summary(self.process)


class RestartPorts(ChangeTest):
    def packets(self):
        ports = json.loads(self.succeed("show", "-s", "-j"))["ports"]
        return [port["tx_packets"] for port in ports if port["port"] == "b"][0]

    def restart(self, *argv):
        before = self.packets()
        out = self.succeed(*argv)
        self.assertIn("(reopen)", out)
        self.wait_until("frames after it", lambda: self.packets() > before + 1000)

    def test_a_port_is_set_up_anew_while_frames_come_and_nothing_is_lost(self):
        self.refuse("--restart-ports", "set", "b", "descriptors", "512")
        self.restart("set", "--restart-ports", "b", "descriptors", "512", "bandwidth", "1gbit")
        self.assertEqual(self.port()["descriptors"], 512)
        self.assertIn("512", next(line for line in self.succeed("diff", str(self.file)).splitlines()
                                  if "descriptors" in line))  # fmt: skip
        self.restart("set", "--restart-ports", "a", "mtu", "1400", "descriptors", "256")
        self.restart("reload", "--restart-ports", str(self.file))
        self.assertEqual(self.port().get("descriptors", 0), self.port("a").get("descriptors", 0))
        self.assertEqual(self.generation(), 4)
        summary = self.summary(self.process)
        self.assertGreater(summary["ports"][1]["tx_packets"], 0)

    def test_what_a_device_does_not_take_is_refused_and_it_goes_on(self):
        before = self.packets()
        self.refuse("mtu", "set", "--restart-ports", "b", "mtu", "65500")
        self.assertEqual(self.port()["mtu"], 1500)
        self.wait_until("frames after it", lambda: self.packets() > before + 1000)
        self.summary(self.process)


class Load(ChangeTest):
    def test_ten_changes_a_second_at_full_rate_lose_nothing(self):
        changes = [
            ("bandwidth", "1gbit"), ("rtt", "10ms"), ("bandwidth", "unlimited"), ("wash", "true"),
            ("memlimit", "256kb"), ("bandwidth", "10mbit"), ("overhead", "ethernet"),
            ("memlimit", "1mb"), ("share", "equal"), ("bandwidth", "5gbit"), ("ingress", "true"),
            ("share", "demand"), ("ingress", "false"), ("overhead", "raw"), ("rtt", "100ms"),
            ("rules", '[{"dscp": 0, "tin": 1}]'), ("wash", "false"), ("rules", "default"),
            ("diffserv", "diffserv8"), ("flowmode", "flows"), ("ack-filter", "on"),
            ("diffserv", "besteffort"), ("flowmode", "dual-dsthost"), ("ack-filter", "off"),
            ("diffserv", "diffserv3"), ("flowmode", "triple-isolate"), ("steer", "src-host"),
            ("bandwidth", "unlimited"), ("steer", "flow"),
        ]  # fmt: skip
        start = time.monotonic()
        n = 0
        while time.monotonic() < start + CHANGE_S:
            self.succeed("set", "b", *changes[n % len(changes)])
            n += 1
            time.sleep(max(0, start + n / 10 - time.monotonic()))
        self.assertGreater(n, 2 * CHANGE_S, "too slow to say anything")
        summary = self.summary(self.process)
        self.assertGreater(summary["balance"]["sent"], 1000)


if __name__ == "__main__":
    unittest.main()
