# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration behind tools/demo where there is no root: a capture in virtual time.

usage: demo_replay.py GATEAU

The same capture through something like a FIFO and through CAKE, side by side. Real traffic is demo.py's.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

CAPTURE = Path("tests/golden/traces/e88128caeb.pcap.gz")  # below the repository
SCHEDULERS = {
    # One queue whose AQM never gets to act, with room for 1000 full frames of 2304 bytes of memory.
    "like a FIFO": {"bandwidth": "20mbit", "diffserv": "besteffort", "flowmode": "flowblind",
                    "rtt": "1000s", "memlimit": 2304000},
    "CAKE": {"bandwidth": "20mbit"},
}  # fmt: skip


def replay(gateau, capture, folder, scheduler):
    """The decisions about every packet."""
    config, rows = Path(folder, "config.json"), Path(folder, "rows.csv")
    config.write_text(json.dumps({"scheduler": scheduler}), encoding="ascii")
    command = [gateau, "replay", "--config", config, "--in", capture, "--csv", rows]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"demo: gateau replay: {run.stderr.strip()}")
    with rows.open(encoding="ascii") as f:
        return list(csv.DictReader(f))


def sparse_packets(rows):
    """Numbers in the capture of the packets of the flow with the fewest bytes."""
    total = {}
    for row in rows:
        total[row["flow_hash"]] = total.get(row["flow_hash"], 0) + int(row["len"])
    sparse = min(total, key=total.get)
    return {row["idx"] for row in rows if row["flow_hash"] == sparse}


def figures(rows):
    """What is shown of some packets: heading -> text."""
    sent = [r for r in rows if r["action"] == "sent"]
    delays = sorted(int(r["sojourn_ns"]) for r in sent)
    if not delays:
        return {"lost": f"{len(rows)} of {len(rows)}"}
    shown = {"median": 50, "95th percentile": 95, "maximum": 100}
    texts = {name: f"{delays[-(-len(delays) * p // 100) - 1] / 1e6:.1f} ms"
             for name, p in shown.items()}  # fmt: skip
    texts["lost"] = f"{len(rows) - len(sent)} of {len(rows)}"
    return texts


def compare(results):
    """The table; `results` is heading -> rows."""
    print(f"{'':<34}" + "".join(f"{name:>16}" for name in results))
    sparse = sparse_packets(results["CAKE"])  # one queue tells no flows apart
    for is_sparse, label in ((True, "the sparse flow"), (False, "the 8 others")):
        texts = [figures([r for r in rows if (r["idx"] in sparse) == is_sparse])
                 for rows in results.values()]  # fmt: skip
        for name in texts[0]:
            print(f"{label:<18}{name:<16}" + "".join(f"{t.get(name, '-'):>16}" for t in texts))
            label = ""


def main(gateau):
    root = Path(__file__).resolve().parents[2]
    print(f"==> {CAPTURE}:")
    print("    8 flows of 5 Mbit/s each and a sparse one, 100 small packets/s, through 20 Mbit/s")
    print()
    with tempfile.TemporaryDirectory(prefix="gateau-demo-") as folder:
        results = {name: replay(gateau, root / CAPTURE, folder, scheduler)
                   for name, scheduler in SCHEDULERS.items()}  # fmt: skip
    compare(results)
    print()
    print("Delays are of the packets sent. The senders of a capture do not slow down: of twice the rate")
    print("much is lost, whatever the queue does. What it decides is who waits, and who loses.")
    print("As root (sudo tools/demo) it is real: TCP that does slow down, and pings, across gateaud")
    print("between two network namespaces.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    main(sys.argv[1])
