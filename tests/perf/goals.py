# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmarks should come to: goals.json, a list of

  {"row": "BENCH/ROW", "at_most": X, "why": TEXT}                           the row's median
  {"row": "BENCH/ROW", "over": "BENCH/ROW", "at_least": X, "gate": Y}       the quotient of two rows

A quotient is the median of those of each round, so that a machine that was slow in one was so for both.
A goal may be out of reach and is told. What has been reached is held by the gate, which is the goal or
less than that: a figure beyond it fails the run. Only what does not depend on the machine's speed may
have one: quotients of rows of one run, each by its best round, since a neighbour does not slow all rows
alike, and figures that are no times. Instructions have their budgets.
"""

import json
import statistics
from pathlib import Path

GOALS = Path(__file__).resolve().parent / "goals.json"
NO_TIMES = ("bytes", "instr")


def load(path=GOALS):
    return json.loads(path.read_text())


def quotient(row, over):
    pairs = zip(row.get("figures", [row["median"]]), over.get("figures", [over["median"]]))
    return statistics.median(a / b for a, b in pairs)


def judge(goal, rows):
    """The goal with its figure and whether it is met; None if a row that it needs was not measured."""
    row, over = rows.get(goal["row"]), rows.get(goal.get("over"))
    if not row or ("over" in goal and not over):
        return None
    if "gate" in goal and not over and row["unit"] not in NO_TIMES:
        raise ValueError(f"{goal['row']}: a time may not gate")
    figure = quotient(row, over) if over else row["median"]
    reached = best(row) / best(over) if over else figure
    return goal | {"figure": figure, "met": within(goal, figure, bound(goal)),
                   "held": within(goal, reached, goal.get("gate", reached))}


def best(row):
    """What the code can do, whoever else slowed the machine: the row's best round."""
    figures = row.get("figures", [row["median"]])
    return max(figures) if row["unit"] == "Mpps" else min(figures)


def bound(goal):
    return goal["at_most"] if "at_most" in goal else goal["at_least"]


def within(goal, figure, limit):
    return figure <= limit if "at_most" in goal else figure >= limit


def words(goal):
    """What is asked for, e.g. "<= 1.3"."""
    return f"{'<=' if 'at_most' in goal else '>='} {bound(goal):g}"


def verdict(goal):
    """MISSED: what had been reached no longer is."""
    return "MISSED" if not goal["held"] else "met" if goal["met"] else "not met"
