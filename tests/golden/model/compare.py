#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the model of CAKE with gateau on random cases, or with the shipped golden tables.

usage: compare.py GATEAU FIRST LAST [--keep DIR]   the cases of seeds FIRST to LAST, both included;
                                                   of one that differs, DIR gets the files
       compare.py --golden FOLDER                  the cases of FOLDER

Every row must be equal in every column. A difference is a fault of gateau or of the model: see
cake_model.py. What occurred is counted at the end, and what must occur but never did is a failure,
so that the cases cannot become too tame; fewer than MEASURED cases need not show everything.
"""

import argparse
import gzip
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

from cake_model import STATE_NAMES
from random_cases import write_case
from replay_model import COLUMNS, beside, load_case, replay

MEASURED = 50  # cases from which on everything that must occur does

ACTIONS = ("sent", "dropped_enqueue", "dropped_aqm_codel", "dropped_aqm_blue", "ack_filtered",
           "gso_split")

# In rows; that flows come to wait as sparse ones is among the rules. NONE and DECAYING are seen in
# rows of gso_split alone, which tell the state before the arrival.
STATES = ("none", "sparse", "bulk", "decaying")

# Names that the model gives to its rules (`seen` of cake_model.py)
RULES = (
    "shaper holds back", "failsafe lets through", "tin within its threshold", "tin due first",
    "tin by mark", "tin by priority",
    "slot known, own", "slot known, other way", "slot known idle, own", "slot free, own",
    "slot free, other way", "slot taken over, sparse", "slot taken over, sparse-wait",
    "slot taken over, bulk", "slot taken over, decaying", "host entry taken over",
    "none -> sparse", "decaying -> sparse", "sparse -> bulk", "sparse -> sparse-wait",
    "sparse-wait -> bulk", "sparse -> decaying", "sparse-wait -> decaying", "bulk -> decaying",
    "decaying -> decaying", "decaying -> none",
    "codel begins to drop", "codel counts past its table", "codel backs off", "marked",
    "marked, then dropped", "blue steps up", "blue at its highest", "blue steps down",
    "ack saved by ECE or CWR", "rate follows arrivals",
    "share cut", "share raised", "share kept",
    "last packet spared", "overflow of its own", "overflow of another flow",
)


class Tally:
    """What occurred in all cases."""

    def __init__(self):
        self.cases = 0
        self.actions = Counter()
        self.states = Counter()
        self.rules = Counter()  # filled by the model

    def add(self, rows):
        self.cases += 1
        self.actions.update(row[COLUMNS.index("action")] for row in rows)
        self.states.update(STATE_NAMES[row[COLUMNS.index("flow_set")]] for row in rows)

    def missing(self):
        if self.cases < MEASURED:
            return []
        return [name for wanted, seen in ((ACTIONS, self.actions), (STATES, self.states),
                                          (RULES, self.rules))
                for name in wanted if not seen[name]]

    def __str__(self):
        return "\n".join(f"{title}: " + ", ".join(f"{name} {n}" for name, n in counts.most_common())
                         for title, counts in (("rows by action", self.actions),
                                               ("rows by state of the flow", self.states),
                                               ("rules at work", self.rules)))


def lines_of(rows):
    return [",".join(COLUMNS)] + [",".join(map(str, row)) for row in rows]


def first_difference(model, other):
    """In words; None if the tables are equal."""
    for i, (m, o) in enumerate(itertools.zip_longest(model, other, fillvalue="(end)")):
        if m != o:
            columns = [name for name, x, y in zip(COLUMNS, m.split(","), o.split(",")) if x != y]
            return (f"row {i} differs in {', '.join(columns)}\n  {model[0]}\n"
                    f"  model {m}\n  other {o}")
    return None


def options_of(path):
    case = load_case(path)
    return "\n".join(f"  {key}: {json.dumps(case.get(key))}"
                     for key in ("scheduler", "replay", "random"))


def gateau_table(gateau, path, out):
    """(lines, None) of gateau's table, or (None, fault)"""
    run = subprocess.run([gateau, "replay", "--case", path, "--csv", out], check=False, text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if run.returncode:
        return None, f"gateau: exit {run.returncode}: {run.stderr}"
    with open(out, encoding="utf-8") as f:
        return f.read().splitlines(), None


def keep_files(path, table, folder):
    """The case, its capture and gateau's table, in folders as a case expects them."""
    for source in (path, beside(path, load_case(path)["trace"])):
        target = os.path.join(folder, os.path.basename(os.path.dirname(source)))
        os.makedirs(target, exist_ok=True)
        shutil.copy(source, target)
    if os.path.exists(table):
        shutil.copy(table, folder)


def compare_random(gateau, seed, tally, keep):
    """Fault of one seed's case, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_case(seed, folder)
        rows = replay(path, tally.rules)
        tally.add(rows)
        table = os.path.join(folder, f"{seed}.csv")
        lines, fault = gateau_table(gateau, path, table)
        fault = fault or first_difference(lines_of(rows), lines)
        if fault and keep:
            keep_files(path, table, keep)
        return f"seed {seed}: {fault}\n{options_of(path)}" if fault else None


def compare_golden(path, tally):
    """Fault of one shipped case, or None."""
    rows = replay(path, tally.rules)
    tally.add(rows)
    with gzip.open(beside(path, load_case(path)["expected"]), "rt", newline=None) as f:
        fault = first_difference(lines_of(rows), f.read().splitlines())
    return f"{path}: {fault}\n{options_of(path)}" if fault else None


def golden_cases(folder):
    return [os.path.join(folder, "cases", name)
            for name in sorted(os.listdir(os.path.join(folder, "cases")))]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--golden")
    parser.add_argument("--keep")
    parser.add_argument("gateau_first_last", nargs="*")
    args = parser.parse_args()
    if (args.golden is None) != (len(args.gateau_first_last) == 3):
        parser.error("give GATEAU FIRST LAST, or --golden FOLDER")

    tally = Tally()
    if args.golden:
        faults = [compare_golden(path, tally) for path in golden_cases(args.golden)]
    else:
        gateau, first, last = args.gateau_first_last
        faults = [compare_random(gateau, seed, tally, args.keep)
                  for seed in range(int(first), int(last) + 1)]
    faults = [fault for fault in faults if fault]
    if not args.golden:
        faults += [f"never seen: {name}" for name in tally.missing()]
    if not tally.cases:
        faults.append("no case was compared")
    print(f"{tally.cases} cases\n{tally}")
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
