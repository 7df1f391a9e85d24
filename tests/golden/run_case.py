#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run one golden case and compare every row with the expected table.

usage: run_case.py GATEAU CASE.json
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile


def replay(gateau, case, out):
    return subprocess.run([gateau, "replay", "--case", case, "--csv", out], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)


def expected_rows(case):
    with open(case, encoding="utf-8") as f:
        path = json.load(f)["expected"]
    with gzip.open(os.path.join(os.path.dirname(case), "..", path), "rt", newline=None) as f:
        return f.read().splitlines()


def first_difference(want, got):
    """The first row that differs, in words; None if there is none."""
    for i in range(max(len(want), len(got))):
        w = want[i] if i < len(want) else "(end)"
        g = got[i] if i < len(got) else "(end)"
        if w != g:
            return f"row {i}:\n  {want[0]}\n  expected {w}\n  got      {g}"
    return None


def compare(gateau, case):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.csv")
        run = replay(gateau, case, out)
        if run.returncode:
            return f"exit {run.returncode}: {run.stderr}"
        with open(out, encoding="utf-8") as f:
            got = f.read().splitlines()
    want = expected_rows(case)
    if len(want) < 2:
        return "the expected table is empty"
    return first_difference(want, got)


def main(args):
    if len(args) != 2:
        sys.exit(__doc__)
    fault = compare(*args)
    if fault:
        sys.exit(f"{args[1]}: {fault}")


if __name__ == "__main__":
    main(sys.argv[1:])
