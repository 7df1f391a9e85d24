#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Count instructions of fixed work, and hold them against the budget: a slow change is seen on a noisy machine.

usage: instructions.py [--update | --json] BUILD [ROW...]

BUILD is a build folder. The rows are those of instructions.json, beside this file, all of them unless
some are named:

  BENCH/ROW    instructions per packet of a row of BUILD/tests/perf/bench_BENCH
  replay/CASE  instructions of `gateau replay --case tests/golden/cases/CASE.json`, in all

Counted is by valgrind's callgrind, and only what the program itself executes: libraries choose their
functions by the processor. Exit 1 if a row is over its budget by more than the margin. A row that is
under it by more than that is told: the budget should follow. --update writes what was counted as the
budget; --json prints it, a line a row, and holds it against nothing.

Budgets are for the compiler they were made with: with another one (or without valgrind) the exit code is
77, skipped.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from built import compiler, dpdk

HERE = Path(__file__).resolve().parent
CASES = HERE.parent / "golden/cases"
BUDGET = HERE / "instructions.json"
SKIPPED = 77
PARALLEL = len(os.sched_getaffinity(0))


def own_cost(profile, program):
    """The instructions that PROGRAM itself executed, by callgrind's file."""
    names, total, own, skip = {}, 0, False, False
    for line in profile.splitlines():
        if line.startswith("ob="):
            number, _, name = line[3:].partition(" ")
            name = names.setdefault(number, name)
            own = name == str(program)
        elif line.startswith("cob="):
            number, _, name = line[4:].partition(" ")
            names.setdefault(number, name)
        elif line.startswith("calls="):
            skip = True  # the next line is what the called function costs
        elif re.match(r"[0-9+*-]", line):
            if own and not skip:
                total += int(line.split()[1])
            skip = False
    return total


def callgrind(program, *args, toggle=None):
    """Run it; its instructions, and what it printed."""
    with tempfile.NamedTemporaryFile() as out:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}"]
        if toggle:
            command.append(f"--toggle-collect={toggle}")
        run = subprocess.run([*command, program, *args], capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"{program} {' '.join(args)}: exit {run.returncode}\n{run.stderr}")
        cost = own_cost(Path(out.name).read_text(), program)
    if not cost:
        sys.exit(f"{program} {' '.join(args)}: callgrind counted nothing: is there such a row?")
    return cost, run.stdout


def bench_program(build, bench):
    return build / f"tests/perf/bench_{bench}"


def count_bench(build, bench, row):
    cost, out = callgrind(bench_program(build, bench), "--count", row, toggle="bench_counted")
    return cost / json.loads(out)["counted"]


def count_replay(build, case):
    cost, _ = callgrind(build / "gateau", "replay", "--case", str(CASES / f"{case}.json"))
    return float(cost)


def count(build, row):
    kind, _, name = row.partition("/")
    figure = count_replay(build, name) if kind == "replay" else count_bench(build, kind, name)
    return round(figure, 1 if figure < 10000 else None)


def there(build, rows):
    """Without DPDK some benchmarks are not built."""
    if dpdk(build):
        return list(rows)
    return [row for row in rows if row.startswith("replay/") or bench_program(build, row.split("/")[0]).exists()]


def judge(row, figure, budget, margin):
    """A line about the row, and whether it is too much."""
    line = f"{row:34} {figure:14,.1f} {budget:14,.1f} {100 * (figure / budget - 1):+7.1f} %"
    if 100 * figure > (100 + margin) * budget:
        return f"{line}  OVER its budget", True
    if 100 * figure < (100 - margin) * budget:
        return f"{line}  under its budget: it should follow", False
    return line, False


def check(counted, budget):
    margin = budget["margin_percent"]
    print(f"{'instructions':34} {'measured':>14} {'budget':>14}  margin {margin} %")
    lines = [judge(row, figure, budget["rows"][row], margin) for row, figure in counted.items()]
    for line, _ in lines:
        print(line)
    over = sum(fault for _, fault in lines)
    if over:
        print(f"{over} of {len(lines)} rows cost more than they may. What takes it: callgrind_annotate\n"
              "(docs/performance.md, Instructions). If it is worth it: tests/perf/instructions.py --update BUILD")
    return 1 if over else 0


def main(args):
    options = {arg for arg in args if arg.startswith("-")}
    words = [arg for arg in args if not arg.startswith("-")]
    if options & {"-h", "--help"} or not words or options - {"--update", "--json"}:
        print(__doc__.strip())
        return 0 if options & {"-h", "--help"} else 2
    build, budget = Path(words[0]).resolve(), json.loads(BUDGET.read_text())
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed", file=sys.stderr)
        return SKIPPED
    if compiler(build) != budget["compiler"] and not options:
        print(f"skipped: the budget is for {budget['compiler']}, this is {compiler(build)}")
        return SKIPPED
    rows = words[1:] or there(build, budget["rows"])
    with ThreadPoolExecutor(PARALLEL) as pool:
        counted = dict(zip(rows, pool.map(lambda row: count(build, row), rows)))
    if "--json" in options:
        for row, figure in counted.items():
            print(json.dumps({"bench": "instructions", "id": row, "unit": "instr", "median": figure,
                              "what": "executed, a replay" if row.startswith("replay/") else
                              "executed per packet"}))
        return 0
    if "--update" in options:
        budget["compiler"] = compiler(build)
        budget["rows"].update(counted)
        BUDGET.write_text(json.dumps(budget, indent="\t") + "\n")
        print(f"{BUDGET}: {len(counted)} rows written")
        return 0
    return check(counted, budget)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
