# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration behind tools/demo: the same load over a FIFO and over gateaud, side by side."""

import sys
import time

from lab import B_HOST, Lab, LabError
from load import CS1, EF, Ping, Transfers

RATE = "100mbit"
FLOWS = 4
SECONDS = 20  # of TCP
SETTLE_S = 4  # TCP needs that long to fill a 1000-packet queue; pings start then
PING_S = SECONDS - SETTLE_S - 1

# diffserv4's tins in the order of the summary, and what is shown of each.
TINS = ("Bulk", "Best Effort", "Video", "Voice")
TIN_ROWS = [
    ("threshold", lambda t: f"{t['threshold_rate'] * 8 / 1e6:g} Mbit/s"),
    ("packets", lambda t: t["sent_packets"]),
    ("Mbytes", lambda t: f"{t['sent_bytes'] / 1e6:.1f}"),
    ("drops", lambda t: t["drops"]),
    ("ECN marks", lambda t: t["ecn_mark"]),
    ("average delay", lambda t: f"{t['avg_delay_us'] / 1e3:.2f} ms"),
    ("peak delay", lambda t: f"{t['peak_delay_us'] / 1e3:.2f} ms"),
]


def say(text):
    print(f"==> {text}", flush=True)


def load(lab):
    """The load of one round. Returns what it measured."""
    transfers = Transfers(lab, B_HOST, FLOWS, SECONDS)
    background = Transfers(lab, B_HOST, 1, SECONDS, tos=CS1)
    time.sleep(SETTLE_S)
    pings = {"best effort": Ping(lab, B_HOST), "EF (voice)": Ping(lab, B_HOST, tos=EF)}
    for second in range(SETTLE_S + 1, SETTLE_S + PING_S + 1):
        time.sleep(1)
        if second % 5 == 0:
            print(f"    {second} of {SECONDS} s", flush=True)
    result = {name: ping.finish() for name, ping in pings.items()}
    return {"pings": result, "tcp": transfers.finish(), "background": background.finish()}


def row(label, what, *values):
    print(f"{label:<20}{what:<18}" + "".join(f"{v:>20}" for v in values))


def compare(fifo, gateau):
    row("", "", "FIFO, 1000 packets", "gateau")
    both = (fifo, gateau)
    for name in fifo["pings"]:
        pings = [r["pings"][name] for r in both]
        row(f"ping, {name}", "median", *(f"{p.median:.1f} ms" for p in pings))
        row("", "95th percentile", *(f"{p.p95:.1f} ms" for p in pings))
        row("", "maximum", *(f"{p.maximum:.1f} ms" for p in pings))
        row("", "lost", *(f"{p.lost} of {p.sent}" for p in pings))
    row("TCP payload", f"{FLOWS} best effort", *(f"{r['tcp'] / 1e6:.1f} Mbit/s" for r in both))
    row("", "1 background CS1", *(f"{r['background'] / 1e6:.1f} Mbit/s" for r in both))
    row("", "sum", *(f"{(r['tcp'] + r['background']) / 1e6:.1f} Mbit/s" for r in both))


def tins(summary):
    """The scheduler's view: the port towards host b, one column a tin."""
    wan = next(p for p in summary["ports"] if p["name"] == "wan")
    columns = wan["scheduler"]["tins"]
    print("gateaud, port wan:" + "".join(f"{name:>14}" for name in TINS))
    for label, show in TIN_ROWS:
        print(f"  {label:<16}" + "".join(f"{show(tin):>14}" for tin in columns))


def accounts(summary):
    """Where every packet went, and the time that was not gateau's to use."""
    b = summary["balance"]
    print(f"received {b['received']} + segments added {b['segments_added']} = "
          f"sent {b['sent']} + dropped {b['dropped']} + queued {b['queued']} + deferred {b['deferred']} + in flight {b['in_flight']}: "
          + ("balanced" if b["balanced"] else f"NOT BALANCED by {b['difference']}"))  # fmt: skip
    stalled = max(worker["stall_ns"] for worker in summary["lcores"])
    ran = summary["uptime_ns"]
    print(f"the machine held gateaud up for {stalled / 1e9:.2f} of {ran / 1e9:.0f} s")


def main():
    say("two hosts in network namespaces, a FIFO of 1000 packets at 100 Mbit/s between them")
    with Lab() as lab:
        lab.fifo(RATE)
        say(f"{FLOWS} TCP transfers, one more marked CS1, and pings through the FIFO, {SECONDS} s")
        fifo = load(lab)
        lab.unjoin()
        say("gateaud in place of the FIFO: 100 Mbit/s, diffserv4, host isolation")
        gateaud = lab.gateaud({"bandwidth": RATE, "diffserv": "diffserv4"})
        say(f"the same load through gateaud, {SECONDS} s")
        result = load(lab)
        code, summary = gateaud.stop()
    say("all taken down")
    print()
    compare(fifo, result)
    print()
    tins(summary)
    print()
    accounts(summary)
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(f"demo: {error}")
    except KeyboardInterrupt:
        sys.exit("demo: interrupted, all taken down")
