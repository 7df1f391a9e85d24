#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts, one with 1 flow and one with 15, get the same: within 25 % on a machine that may stop
for 200 ms, best of 3. Within 1 % is a virtual-time test of the scheduler.
"""

import time
import unittest

import netns
from lab import A_HOSTS, B_HOST, Lab
from load import Transfers

LOADED = 50e6  # bit/s in sum: below that the link was not what the hosts shared
FLOWS = (1, 15)
SECONDS = 10
TRIES = 3


def ratio(lab):
    """Share of the host with 1 flow over that of the host with 15, payload of the whole time.

    0, which is unfair, if the link was not loaded.
    """
    transfers = [
        Transfers(lab, B_HOST, flows, SECONDS, source=host)
        for host, flows in zip(A_HOSTS, FLOWS, strict=True)
    ]
    time.sleep(SECONDS)
    one, many = (t.finish() for t in transfers)
    print(f"1 flow {one / 1e6:.1f} Mbit/s, 15 flows {many / 1e6:.1f} Mbit/s")
    return one / many if one + many > LOADED else 0


class HostFairness(unittest.TestCase):
    def test_hosts_with_1_and_15_flows_share_equally(self):
        ratios = []
        with Lab() as lab:
            gateaud = lab.gateaud({"bandwidth": "100mbit", "diffserv": "besteffort"})
            while len(ratios) < TRIES and not any(0.75 <= r <= 1.25 for r in ratios):
                ratios.append(ratio(lab))
            code, summary = gateaud.stop()
        netns.assert_balanced(self, code, summary)
        best = min(ratios, key=lambda r: abs(r - 1))
        self.assertTrue(0.75 <= best <= 1.25, f"ratios {ratios}")


if __name__ == "__main__":
    netns.main()
