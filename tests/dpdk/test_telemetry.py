#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud's commands on DPDK's telemetry socket. $GATEAUD is the program."""

import json
import os
import socket
import stat
import subprocess
import unittest
from pathlib import Path

from gateaud import GateaudTest

ANSWER_MAX = 1 << 14  # DPDK's


class Telemetry(GateaudTest):
    def launch(self, **changes):
        scheduler = {"bandwidth": "1gbit", "diffserv": "diffserv8", **changes.pop("scheduler", {})}
        egress = {"tx_queues": 2, "steer": "flow", "scheduler": scheduler}
        config = self.config("net_null0", "net_null1", egress=egress, **changes)
        self.process = self.start("-c", config, "-j")
        self.wait_for_line(self.process, "gateaud: running")
        base = Path("/var/run/dpdk") if os.getuid() == 0 else \
            Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp"), "dpdk")  # fmt: skip
        self.folder_of_dpdk = base / f"test{os.getpid()}"
        self.client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(self.client.close)
        self.client.connect(str(self.folder_of_dpdk / "dpdk_telemetry.v2"))
        self.client.settimeout(30)
        self.client.recv(ANSWER_MAX)  # a greeting

    def ask(self, command):
        self.client.send(command.encode())
        answer = json.loads(self.client.recv(2 * ANSWER_MAX))
        return answer[command.split(",")[0]]

    def test_commands_are_listed_beside_those_of_dpdk(self):
        self.launch()
        commands = self.ask("/")
        for name in "/gateau/version", "/gateau/show", "/gateau/workers", "/gateau/config":
            self.assertIn(name, commands)
            self.assertIn("arameters", self.ask(f"/help,{name}")[name])
        self.assertIn("/ethdev/stats", commands)

    def test_the_version_is_the_process(self):
        self.launch()
        self.assertEqual(self.ask("/gateau/version")["pid"], self.process.pid)

    def test_a_port_and_its_queues(self):
        self.launch()
        self.wait_until("frames", lambda: self.ask("/gateau/show,b")["tx_packets"] > 0)
        port = self.ask("/gateau/show,b")
        self.assertEqual((port["port"], port["device"]), ("b", "net_null1"))
        self.assertEqual(len(port["tins"]), 8)
        self.assertIn("no_buffer", port["other_drops"])  # no-buffer
        self.assertEqual(port["options"]["split_gso"], 1)  # true
        self.assertNotIn("queues", port)
        queue = self.ask("/gateau/show,b,1")
        self.assertEqual(queue["queue"], 1)
        self.assertEqual(set(queue["tins"]), {str(n) for n in range(8)})
        self.assertIn("received", self.ask("/gateau/workers")["balance"])

    def test_what_there_is_not_is_told(self):
        self.launch()
        self.assertIn('no port "x"', self.ask("/gateau/show,x")["error"])
        self.assertIn('no port ""', self.ask("/gateau/show")["error"])
        self.assertEqual(self.ask("/gateau/show,b,7")["error"], "no such queue")
        self.assertIn("no port", self.ask("/gateau/show," + "x" * 500)["error"])

    def test_the_configuration(self):
        self.launch()
        config = self.ask("/gateau/config")
        self.assertEqual(config["generation"], 1)
        self.assertEqual(config["config"]["ports"]["1"]["tx_queues"], 2)

    def test_what_is_too_long_is_refused(self):
        host = "2001:db8:1111:2222:3333:4444:5555:6666/128"
        rules = [{"src": host, "dst": host, "protocol": "udp", "sport": "1024-65535", "dport": n,
                  "tin": 1 + n % 3} for n in range(1, 65)]  # fmt: skip
        self.launch(ingress={"scheduler": {"rules": rules}},
                    scheduler={"rules": rules})  # fmt: skip
        self.assertIn("too much", self.ask("/gateau/config")["error"])
        self.assertEqual(self.ask("/gateau/version")["pid"], self.process.pid)

    def test_it_is_for_who_runs_gateaud_alone(self):
        self.launch()
        self.assertEqual(stat.S_IMODE(self.folder_of_dpdk.stat().st_mode) & 0o077, 0)

    def test_another_of_the_same_prefix_leaves_it_alone(self):
        self.launch()
        probe = subprocess.run([os.environ["GATEAUD"], "--probe", "-c", self.path("gateaud.json")],
                               capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(probe.returncode, 0, probe.stdout + probe.stderr)
        self.assertTrue((self.folder_of_dpdk / "dpdk_telemetry.v2").is_socket())

    def test_nothing_is_left_behind(self):
        self.launch()
        self.summary(self.process)
        self.assertFalse(self.folder_of_dpdk.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
