#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud --probe, and the samples in config/: all are valid, and the virtual ones fit this machine."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from gateaud import GATEAUD, STOP_S, GateaudTest, udp, write_capture

GATEAU = os.environ["GATEAU"]
CONFIG = Path(__file__).resolve().parents[2] / "config"
SAMPLES = sorted(path for path in CONFIG.glob("*.json") if ".schema." not in path.name)
PCI = ("e810.json", "xxv710.json", "virtio.json")
NAMESPACE = ["unshare", "-n", "sh", "-ec"]
# lab.json's devices; its only worker is on CPU 1.
LAB = "for p in lan wan; do ip link add veth-$p type veth peer name $p-host; done; exec \"$0\" \"$@\""


class ProbeTest(GateaudTest):
    def probe(self, *argv, before=()):
        """The exit code, and what was found."""
        command = [*before, GATEAUD, "--probe", *map(str, argv), "-j"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=STOP_S)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, json.loads(done.stdout)

    def notes(self, port, level):
        return {note["about"]: note["text"] for note in port["notes"] if note["level"] == level}


class Probe(ProbeTest):
    def test_the_machine_alone(self):
        code, found = self.probe()
        self.assertEqual(code, 0)
        self.assertEqual(list(found), ["machine"])
        machine = found["machine"]
        self.assertTrue(machine["dpdk"].startswith("DPDK "))
        for nic in machine["nics"]:
            self.assertEqual(Path(f"/sys/bus/pci/devices/{nic['address']}/class").read_text()[:4], "0x02")
            self.assertIn(nic["owner"], ("nobody", "kernel", "dpdk", "divided"))

    def test_a_file_that_fits(self):
        code, found = self.probe("-c", self.config("net_null_a", "net_null_b"))
        self.assertEqual(code, 0)
        self.assertTrue(found["fits"] and found["dpdk_starts"])
        self.assertEqual([port["driver"] for port in found["ports"]], ["net_null", "net_null"])
        self.assertIn("queues", self.notes(found["ports"][0], "info"))
        self.assertGreater(found["memory"]["need_mb"], 0)

    def test_what_does_not_fit_is_said_of_every_port(self):
        capture = self.path("in.pcap")
        write_capture(capture, [udp(60)])
        config = self.config(f"net_pcap_a,rx_pcap={capture}", "net_nothing", ingress={"rx_queues": 2})
        code, found = self.probe("-c", config)
        self.assertEqual(code, 1)
        self.assertFalse(found["fits"])
        first, second = (self.notes(port, "fault") for port in found["ports"])
        self.assertEqual(list(first), ["queues"])
        self.assertIn("has at most 1", first["queues"])
        self.assertEqual(list(second), ["device"])

    def test_hugepages_that_are_not_there(self):
        config = self.config("net_null_a", "net_null_b", eal={"hugepages": True, "memory": "1024gb"})
        whole = json.loads(config.read_text())
        for port in whole["ports"]:
            port["scheduler"] = {"memlimit": "16gb"}
        config.write_text(json.dumps(whole))
        code, found = self.probe("-c", config)
        self.assertEqual(code, 1)
        self.assertIn("memory", self.notes(found["memory"], "fault"))

    def test_text_says_the_verdict(self):
        config = self.config("net_null_a", "net_null_b")
        done = subprocess.run([GATEAUD, "--probe", "-c", config], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("port a: net_null_a\n  driver net_null", done.stdout)
        self.assertTrue(done.stdout.endswith("the configuration fits this machine\n"))

    def test_neither_a_file_nor_a_probe(self):
        done = subprocess.run([GATEAUD], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no configuration file given", done.stderr)


class Samples(ProbeTest):
    def test_all_are_valid(self):
        self.assertGreaterEqual(len(SAMPLES), 8)
        for sample in SAMPLES:
            with self.subTest(sample.name):
                subprocess.run([GATEAU, "check", sample], check=True, capture_output=True)

    def test_those_for_nics_name_what_is_missing_here(self):
        """On a machine that has none of these cards; the file itself is fine."""
        for name in PCI:
            with self.subTest(name):
                code, found = self.probe("-c", CONFIG / name)
                self.assertEqual(code, 1)
                for port in found["ports"]:
                    self.assertIn("device", self.notes(port, "fault"))
                self.assertGreater(found["memory"]["need_mb"], 0)

    @unittest.skipUnless(os.geteuid() == 0, "without root there are no network devices")
    @unittest.skipUnless(os.sysconf("SC_NPROCESSORS_ONLN") > 1, "its worker is on CPU 1")
    def test_the_lab_fits(self):
        code, found = self.probe("-c", CONFIG / "lab.json", before=[*NAMESPACE, LAB])
        self.assertEqual(code, 0, found)
        self.assertEqual({port["driver"] for port in found["ports"]}, {"net_af_packet"})


if __name__ == "__main__":
    unittest.main()
