#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud's log as the journal gets it, DPDK's lines included. $GATEAUD is the program."""

import os
import unittest

from gateaud import STOP_S, GateaudTest


class Journal(GateaudTest):
    def start_into_journal(self, *argv):
        """Standard error is a file anyway: say that it is the journal."""
        self.path("err").touch()
        st = self.path("err").stat()
        env = {**os.environ, "GATEAU_SOCKET": str(self.socket),
               "JOURNAL_STREAM": f"{st.st_dev}:{st.st_ino}"}  # fmt: skip
        return self.start(*argv, env=env)

    def test_every_line_has_a_priority_and_no_name(self):
        process = self.start_into_journal("-c", self.config("net_null0", "net_null1"), "-j")
        self.wait_for_line(process, "<6>running\n")
        self.summary(process)
        for line in self.err().splitlines():
            self.assertRegex(line, r"^<[346]>(?!gateaud:).")
        self.assertIn("<6>stopping\n", self.err())

    def test_what_the_driver_says_has_its_own_priority(self):
        config = self.config("net_pcap_a,rx_pcap=/nowhere/in.pcap", "net_null_b")
        process = self.start_into_journal("-c", config)
        self.assertEqual(process.wait(STOP_S), 1)
        lines = self.err().splitlines()
        self.assertRegex(lines[-1], "^<3>port a: cannot open device net_pcap_a,rx_pcap=/nowhere")
        self.assertTrue(any(line.startswith("<3>eth_pcap") or line.startswith("<3>EAL: ")
                            for line in lines[:-1]), lines)  # fmt: skip
        self.assertTrue(all(line.startswith("<") for line in lines), lines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
