#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A device that says itself when its link changes: net_vhost, whose link is up while the
net_virtio_user of another gateaud is at its socket."""

import json
import os
import subprocess
import unittest

from gateaud import GATEAUD, STOP_S, GateaudTest


class LinkEvents(GateaudTest):
    def start_guest(self):
        """The other end: it connects to the socket, and sends for as long as it lives."""
        whole = json.loads(self.config(f"net_virtio_user0,path={self.path('vhost')}", "net_null_b").read_text())
        whole["eal"]["prefix"] = f"guest{os.getpid()}"
        whole["links"].append({"from": "b", "to": "a"})
        path = self.path("guest.json")
        path.write_text(json.dumps(whole))
        env = {**os.environ, "GATEAU_SOCKET": str(self.path("guest.sock"))}
        guest = subprocess.Popen([GATEAUD, "-c", path], env=env, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)  # fmt: skip
        self.addCleanup(guest.wait)
        self.addCleanup(guest.kill)
        return guest

    def test_a_peer_that_comes_and_goes(self):
        config = self.config("net_null_a", f"net_vhost0,iface={self.path('vhost')}",
                             egress={"link_hold": "0s"})  # fmt: skip
        process = self.start("-c", config, "-j")
        self.wait_for_line(process, "gateaud: running")
        self.assertIn("port b: link: the device says when it goes down or comes up", self.err())
        self.assertIn("warning: port b: link is down\n", self.err())
        guest = self.start_guest()
        self.wait_for_line(process, "gateaud: port b: link is up\n")
        guest.terminate()
        guest.wait(STOP_S)
        self.wait_until("the link is down again", lambda: self.err().count("port b: link is down") >= 2)
        port = self.summary(process)["ports"][1]
        self.assertGreater(port["drops"]["link-down"], 0)


if __name__ == "__main__":
    unittest.main()
