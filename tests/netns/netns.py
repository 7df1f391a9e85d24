# SPDX-License-Identifier: BSD-3-Clause
"""What the netns tests share: finding tools/lab, judging a summary, skipping without root."""

import sys
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


def main():
    need_root()
    unittest.main(module="__main__", verbosity=2)
