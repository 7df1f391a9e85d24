# SPDX-License-Identifier: BSD-3-Clause
"""What the netns tests share: finding tools/lab, judging a summary, skipping without root."""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lab"))

from lab import need_root  # noqa: E402  pylint: disable=wrong-import-position


def assert_balanced(test, code, summary):
    """gateaud ended well: every frame and every buffer is accounted for, and there were some."""
    balance = summary["balance"]
    parts = ("sent", "dropped", "queued", "deferred", "in_flight")
    test.assertEqual(balance["received"], sum(balance[part] for part in parts), balance)
    test.assertTrue(balance["balanced"], balance)
    test.assertGreater(balance["sent"], 0)
    test.assertEqual(summary["mbufs"]["lost"], 0)
    test.assertEqual(code, 0)


def stall_seconds(summary):
    """Time in which the daemon, by its own count, could not run; the worst worker's."""
    return max(worker["stall_ns"] for worker in summary["lcores"]) / 1e9


class Received:
    """What eth0 of the host of `process` receives in `seconds` from now, counted every second. The
    counters are read within known intervals, and the machine may stop in between."""

    def __init__(self, process, seconds):
        reads = [process.rx_bytes()]
        for _ in range(seconds):
            time.sleep(1)
            reads.append(process.rx_bytes())
        first, last = reads[0], reads[-1]
        self.bits = 8 * (last[0] - first[0])
        self.shortest = last[1] - first[2]  # s; the interval of the counters is not shorter
        # bit/s in the fastest second: one that no stall has slowed down.
        self.peak = max(
            8 * (bytes1 - bytes0) / (after1 - before0)
            for (bytes0, before0, _), (bytes1, _, after1) in zip(reads, reads[1:])
        )

    def filled(self, rate, summary):
        """Share of what `rate`, bit/s, allows in the time in which the daemon ran."""
        return self.bits / (rate * (self.shortest - stall_seconds(summary)))


def main():
    need_root()
    unittest.main(module="__main__", verbosity=2)
