#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What judges figures must be able to fail: goals, budgets, and the reading of callgrind's file; and the
options of a benchmark do what they say.

usage: test_tools.py BENCH_MEMORY
"""

import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import goals
import instructions
import run_all

PROGRAM = None

ROWS = {
    "cake/few": {"unit": "ns", "median": 40.0},
    "cake/many": {"unit": "ns", "median": 60.0},
    "memory/instance": {"unit": "bytes", "median": 96001},
}

# As callgrind writes it: /gateau's main executes 7, calls a function of its own and one of libc's,
# which calls back.
PROFILE = """\
events: Ir

ob=(1) /gateau
fl=(1) main.c
fn=(1) main
10 3
+2 4
cfn=(2) own
calls=1 20
12 100
cob=(2) /libc.so
cfi=(2) string.c
cfn=(3) memcpy
calls=1 30
12 1000
fn=(2)
20 50

ob=(2)
fl=(2)
fn=(3)
30 900
cob=(1)
cfn=(2)
calls=1 20
* 50
ob=(1)
fn=(2)
20 50

totals: 1007
"""


class Goals(unittest.TestCase):
    def test_a_time_is_told_against_its_goal(self):
        self.assertTrue(goals.judge({"row": "cake/few", "at_most": 40}, ROWS)["met"])
        self.assertFalse(goals.judge({"row": "cake/few", "at_most": 39.9}, ROWS)["met"])

    def test_quotients_are_of_two_rows(self):
        goal = {"row": "cake/many", "over": "cake/few"}
        self.assertTrue(goals.judge(goal | {"at_most": 1.5}, ROWS)["met"])
        self.assertFalse(goals.judge(goal | {"at_least": 1.51}, ROWS)["met"])
        self.assertEqual(goals.judge(goal | {"at_least": 1.51}, ROWS)["figure"], 1.5)

    def test_a_quotient_is_taken_round_by_round(self):
        rows = {"a": {"unit": "ns", "median": 20, "figures": [10, 20, 30]},
                "b": {"unit": "ns", "median": 10, "figures": [5, 10, 10]}}
        self.assertEqual(goals.judge({"row": "a", "over": "b", "at_most": 2}, rows)["figure"], 2)

    def test_what_is_beyond_its_gate_is_told_apart(self):
        goal = {"row": "cake/many", "over": "cake/few", "at_most": 1.3}
        self.assertEqual(goals.verdict(goals.judge(goal, ROWS)), "not met")
        self.assertEqual(goals.verdict(goals.judge(goal | {"gate": 1.5}, ROWS)), "not met")
        self.assertEqual(goals.verdict(goals.judge(goal | {"gate": 1.4}, ROWS)), "MISSED")
        goal = {"row": "cake/many", "over": "cake/few", "at_least": 2}
        self.assertEqual(goals.verdict(goals.judge(goal | {"gate": 1.5}, ROWS)), "not met")
        self.assertEqual(goals.verdict(goals.judge(goal | {"gate": 1.6}, ROWS)), "MISSED")

    def test_a_gate_looks_at_the_best_round_of_each_row(self):
        rows = {"a": {"unit": "Mpps", "median": 10, "figures": [10, 20, 9]},
                "b": {"unit": "Mpps", "median": 40, "figures": [40, 40, 39]}}
        goal = {"row": "a", "over": "b", "at_least": 0.5, "gate": 0.5}
        self.assertEqual(goals.verdict(goals.judge(goal, rows)), "not met")
        self.assertEqual(goals.verdict(goals.judge(goal | {"gate": 0.51}, rows)), "MISSED")
        rows = {"a": {"unit": "ns", "median": 10, "figures": [10, 4]}, "b": {"unit": "ns", "median": 2, "figures": [3, 2]}}
        goal = {"row": "a", "over": "b", "at_most": 2, "gate": 2}
        self.assertEqual(goals.verdict(goals.judge(goal, rows)), "not met")
        self.assertEqual(goals.verdict(goals.judge(goal | {"gate": 1.9}, rows)), "MISSED")

    def test_a_time_may_not_gate(self):
        with self.assertRaises(ValueError):
            goals.judge({"row": "cake/few", "at_most": 50, "gate": 50}, ROWS)

    def test_what_was_not_measured_is_neither_met_nor_missed(self):
        self.assertIsNone(goals.judge({"row": "cake/other", "at_most": 1}, ROWS))
        self.assertIsNone(goals.judge({"row": "cake/few", "over": "cake/other", "at_most": 1}, ROWS))

    def test_the_goals_are_well_formed(self):
        for goal in goals.load():
            self.assertEqual(len(goal.keys() & {"at_most", "at_least"}), 1, goal)
            self.assertFalse(goal.keys() - {"row", "over", "at_most", "at_least", "gate", "why"}, goal)
            self.assertTrue(goals.within(goal, goals.bound(goal), goal.get("gate", goals.bound(goal))),
                            f"{goal}: what is as good as the goal is beyond the gate")


class Budget(unittest.TestCase):
    def test_what_is_over_by_more_than_the_margin_fails(self):
        self.assertEqual([instructions.judge("row", figure, 100, 2)[1] for figure in (98, 100, 102, 102.1)],
                         [False, False, False, True])

    def test_what_is_far_under_is_told(self):
        self.assertIn("should follow", instructions.judge("row", 97.9, 100, 2)[0])
        self.assertNotIn("should follow", instructions.judge("row", 98, 100, 2)[0])

    def test_what_the_program_itself_executes_is_counted(self):
        self.assertEqual(instructions.own_cost(PROFILE, "/gateau"), 3 + 4 + 50 + 50)
        self.assertEqual(instructions.own_cost(PROFILE, "/libc.so"), 900)


def bench(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=False)


class Options(unittest.TestCase):
    def test_json_is_an_object_a_row(self):
        rows = [json.loads(line) for line in bench("--json").stdout.splitlines()]
        self.assertEqual([row["bench"] for row in rows], ["memory"] * 4)
        self.assertEqual([row["median"] for row in rows if row["id"] == "packet"], [32])

    def test_only_chooses_rows_by_a_part_of_their_names(self):
        rows = bench("--json", "--only", "4x1024,none,pack").stdout.splitlines()
        self.assertEqual([json.loads(row)["id"] for row in rows], ["instance-4x1024", "packet"])
        self.assertEqual(bench("--json", "--only", "none").stdout, "")

    def test_what_is_wrong_is_refused(self):
        for options in (["--runs", "0"], ["--runs", "3x"], ["--other"], ["word"], ["--core", "-1"]):
            self.assertEqual(bench(*options).returncode, 2, options)
        self.assertEqual(bench("--core", "1000").returncode, 1)

    def test_a_row_without_anything_to_count_is_told(self):
        self.assertIn("nothing of it is counted", bench("--count", "packet").stderr)


class RunAll(unittest.TestCase):
    def measure(self, script):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "bench_fake"
            program.write_text(script)
            program.chmod(0o755)
            args = argparse.Namespace(only=None, runs="3", core=None)
            return run_all.measure(["fake"], {"fake": program}, args)

    def test_rows_are_named_by_their_benchmark(self):
        rows, failed = self.measure('#!/bin/sh\nprintf \'{"bench": "fake", "id": "a", "options": "%s"}\' "$*"\n')
        self.assertEqual(rows["fake/a"]["options"], "--json --runs 3")
        self.assertEqual(failed, [])

    def test_a_benchmark_that_fails_is_told(self):
        self.assertEqual(self.measure("#!/bin/sh\nexit 1\n"), ({}, ["fake"]))

    def test_what_is_wrong_is_refused_before_anything_runs(self):
        for options in (["--runs", "0"], ["--runs", "3x"], ["--core", "-1"], ["--other"], ["--jso"]):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as out:
                run_all.parse_arguments(["build", *options])
            self.assertEqual(out.exception.code, 2, options)
        self.assertEqual(run_all.parse_arguments(["build", "--runs", "3", "cake"]).benches, ["cake"])

    def run_bench(self, only, benches, path=None):
        """tools/bench without the building, in the folder that the tests are built in."""
        build = Path(PROGRAM).resolve().parents[2]
        return subprocess.run([sys.executable, run_all.__file__, build, "--only", only, *benches], text=True,
                              capture_output=True, check=False, env=os.environ | ({"PATH": path} if path else {}))

    def test_words_that_no_row_has_are_told(self):
        out = self.run_bench("nothing-has-this", ["memory", "instructions"])
        self.assertEqual(out.returncode, 1)
        self.assertIn("no row has nothing-has-this", out.stderr)

    def test_without_valgrind_the_rest_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            for tool in ("cc", "gcc", "python3"):
                if shutil.which(tool):
                    (Path(folder) / tool).symlink_to(shutil.which(tool))
            out = self.run_bench("packet", ["memory", "instructions"], folder)
        self.assertEqual(out.returncode, 1)
        self.assertIn("a packet that may be queued", out.stdout)
        self.assertIn("instructions FAILED", out.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
