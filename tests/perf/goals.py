# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmarks should come to: goals.json, a list of

  {"row": "BENCH/ROW", "at_most": X, "why": TEXT}                           the row's median
  {"row": "BENCH/ROW", "over": "BENCH/ROW", "at_least": X, "gate": true}    the quotient of two rows

A quotient is the median of those of each round, so that a machine that was slow in one was so for both.
A goal that gates fails the run when it is missed. Only what does not depend on the machine's speed may:
quotients of rows of one run, and figures that are no times.
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
    if goal.get("gate") and not over and row["unit"] not in NO_TIMES:
        raise ValueError(f"{goal['row']}: a time may not gate")
    figure = quotient(row, over) if over else row["median"]
    met = figure <= goal.get("at_most", figure) and figure >= goal.get("at_least", figure)
    return goal | {"figure": figure, "met": met}


def words(goal):
    """What is asked for, e.g. "<= 1.3"."""
    return f"<= {goal['at_most']:g}" if "at_most" in goal else f">= {goal['at_least']:g}"


def verdict(goal):
    return "met" if goal["met"] else "MISSED" if goal.get("gate") else "not met"
