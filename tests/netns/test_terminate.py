#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ending gateaud in the middle of transfers: it drains, accounts for every packet and returns 0."""

import signal
import time
import unittest

import netns
from lab import B_HOST, Lab
from load import Transfers


class Terminate(unittest.TestCase):
    def end_by(self, sig):
        with Lab() as lab:
            gateaud = lab.gateaud({"bandwidth": "100mbit", "diffserv": "diffserv4"})
            transfers = Transfers(lab, B_HOST, 8, 60)
            time.sleep(3)
            self.assertTrue(transfers.client.running(), transfers.client.out())
            code, summary = gateaud.stop(sig)
            transfers.abandon()
        netns.assert_balanced(self, code, summary)
        return summary

    def test_sigterm_in_mid_transfer_ends_balanced(self):
        self.end_by(signal.SIGTERM)

    def test_sigint_in_mid_transfer_ends_balanced(self):
        self.end_by(signal.SIGINT)


if __name__ == "__main__":
    netns.main()
