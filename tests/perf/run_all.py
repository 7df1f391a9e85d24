#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the benchmarks of a build folder and print one table: what tools/bench does once it has built.

usage: run_all.py BUILD [--json] [--only WORDS] [--runs N] [--core N] [BENCH...]

tools/bench --help says what the options mean.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import goals
from built import compiler, dpdk

HERE = Path(__file__).resolve().parent
COUNTING = "instructions"


def number(low):
    """A whole number of LOW at least, as text for the benchmarks."""
    def check(text):
        if not (text.isascii() and text.isdigit() and int(text) >= low):
            raise argparse.ArgumentTypeError(f"a number, {low} at least, is wanted, not {text}")
        return text
    return check


def parse_arguments(args=None):
    parser = argparse.ArgumentParser(prog="tools/bench", add_help=False, allow_abbrev=False,
                                     usage="see tools/bench --help")
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("benches", nargs="*")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--runs", type=number(1))
    parser.add_argument("--core", type=number(0))
    return parser.parse_intermixed_args(args)


def programs(build):
    """Name -> program, in the order of names."""
    found = sorted((build / "tests/perf").glob("bench_*"))
    return {path.name[len("bench_"):]: path for path in found if path.is_file() and os.access(path, os.X_OK)}


def first_match(path, key):
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "unknown")


def machine(build):
    cpuinfo = "/proc/cpuinfo"
    return {
        "CPU": f"{first_match(cpuinfo, 'model name')}, family {first_match(cpuinfo, 'cpu family')}, "
               f"model {first_match(cpuinfo, 'model	')}",
        "CPUs": f"{os.cpu_count()}{', of a virtual machine' if virtual() else ''}",
        "load": "{:.1f} before the start".format(os.getloadavg()[0]),
        "kernel": platform.release(),
        "compiler": compiler(build),
        "DPDK": dpdk(build) or "none",
    }


def virtual():
    return "hypervisor" in first_match("/proc/cpuinfo", "flags").split()


def command(name, program, args):
    """What measures the benchmark NAME, a JSON line a row; None if there is nothing to measure."""
    if name == COUNTING:
        rows = json.loads((HERE / "instructions.json").read_text())["rows"]
        words = args.only.split(",") if args.only else [""]
        wanted = [row for row in rows if any(word in row for word in words)]
        return [HERE / "instructions.py", "--json", args.build, *wanted] if wanted else None
    options = [(f"--{key}", getattr(args, key)) for key in ("only", "runs", "core")]
    return [program, "--json", *(text for option in options if option[1] for text in option)]


def measure(names, available, args):
    """Rows by BENCH/ROW, and the benchmarks that failed."""
    rows, failed = {}, []
    for name in names:
        run = command(name, available.get(name), args)
        if not run:
            continue
        print(f"==> {name}", file=sys.stderr, flush=True)
        done = subprocess.run(run, stdout=subprocess.PIPE, text=True, check=False)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            rows[f"{row['bench']}/{row['id']}"] = row
        if done.returncode:
            failed.append(name)
    return rows, failed


def cell(row, key):
    if key not in row or row.get("runs") == 1 and key != "median":
        return ""
    return f"{row[key]:,.{2 if row['median'] < 1000 else 0}f}"


def print_rows(rows):
    bench = None
    for row in rows.values():
        if row["bench"] != bench:
            bench = row["bench"]
            print(f"\n{bench:34} {'median':>12} {'min':>10} {'max':>10} {'spread':>9}")
        print(f"{row['id']:34} {cell(row, 'median'):>12} {cell(row, 'min'):>10} {cell(row, 'max'):>10} "
              f"{cell(row, 'spread'):>9} {row['unit']:6} {row['what']}")


def print_goals(judged):
    print(f"\n{'goal':70} {'measured':>10}")
    for goal in judged:
        name = goal["row"] + (f" over {goal['over']}" if "over" in goal else "")
        print(f"{name:70} {goal['figure']:10,.2f} {goals.words(goal):>11}  {goals.verdict(goal):8} {goal['why']}")
    met = sum(goal["met"] for goal in judged)
    missed = sum(not goal["held"] for goal in judged)
    print(f"\n{met} goals met, {len(judged) - met} not met, {missed} beyond the gate")


def main():
    args = parse_arguments()
    available = programs(args.build)
    names = args.benches or [*available, COUNTING]
    unknown = [name for name in names if name not in available and name != COUNTING]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join([*available, COUNTING])}")
    about = machine(args.build)
    rows, failed = measure(names, available, args)
    if not rows and not failed:
        sys.exit(f"no row has {args.only} in its id")
    wanted = goals.load()
    judged = [goal for goal in (goals.judge(goal, rows) for goal in wanted) if goal]
    if not (args.benches or args.only) and len(judged) < len(wanted):
        failed.append(f"{len(wanted) - len(judged)} goals: their rows were not measured, this")
    if args.json:
        print(json.dumps({"machine": about, "rows": list(rows.values()), "goals": judged}, indent="\t"))
    else:
        print("\n".join(f"{key:9} {value}" for key, value in about.items()))
        print_rows(rows)
        print_goals(judged)
    for name in failed:
        print(f"{name} FAILED", file=sys.stderr)
    return 1 if failed or any(not goal["held"] for goal in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
