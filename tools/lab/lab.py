# SPDX-License-Identifier: BSD-3-Clause
"""A network in a box for tools/demo and tests/netns: two hosts and what stands between them.

    host a ── eth0 ═══ lan ── middle ── wan ═══ eth0 ── host b
    10.77.0.1..            (no address)              10.77.0.2
    fd77::1                                          fd77::2

Three network namespaces, two veth pairs. The middle is either a bridge with a FIFO on both sides
(Lab.fifo) or gateaud (Lab.gateaud), never both. Everything that is made here has the process id in
its name or is a child process, and is gone when the `with` block ends, however it ends. What runs
over the network is load.py; what is measured and expected belongs to the callers.
"""

import contextlib
import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
A_HOSTS = ("10.77.0.1", "10.77.0.3")  # host a answers to both: two hosts for the scheduler
B_HOST = "10.77.0.2"
A_HOST6, B_HOST6 = "fd77::1", "fd77::2"

# Linux numbers that Python's modules do not have.
CLONE_NEWNET = 0x40000000
ETH_P_ALL = 3
SOL_PACKET, PACKET_AUXDATA = 263, 8

START_S = 30  # longest wait for a program to be ready
STOP_S = 15  # longest wait for a program to end; gateaud drains for 1 s


class LabError(Exception):
    """The network could not be set up or a program in it failed; the text says which and how."""


def need_root():
    """Exit 77, meson's "skipped", unless this is root."""
    if os.geteuid() != 0:
        print("skipped: network namespaces need root")
        sys.exit(77)


def gateaud_path():
    """The daemon under test: $GATEAUD, else that of build/."""
    return Path(os.environ.get("GATEAUD", ROOT / "build" / "gateaud"))


def split_cpus():
    """(CPU for gateaud's worker, CPUs for the hosts). With one CPU both share it."""
    cpus = sorted(os.sched_getaffinity(0))
    return cpus[-1], cpus[:-1] or cpus


def wait_for(what, condition, seconds=START_S):
    """Poll `condition` until it is true; LabError after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise LabError(f"{what}: nothing within {seconds} s")
        time.sleep(0.02)


def run(*argv):
    """Run a command to its end; LabError with its words if it fails. Returns its output."""
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise LabError(f"{' '.join(argv)}: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


class Process:
    """A program in a namespace, its output in files. It ends with the Lab at the latest."""

    def __init__(self, name, popen, out, err):
        self.name, self.popen, self._out, self._err = name, popen, out, err

    def out(self):
        return self._out.read_text(errors="replace")

    def err(self):
        return self._err.read_text(errors="replace")

    def running(self):
        return self.popen.poll() is None

    def wait(self, seconds):
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self.name} did not end within {seconds:.0f} s") from None

    def stop(self, sig=signal.SIGTERM):
        """Signal it and wait; returns its exit code."""
        if self.running():
            self.popen.send_signal(sig)
        return self.wait(STOP_S)

    def kill(self):
        if self.running():
            self.popen.kill()
        self.popen.wait()

    def rx_bytes(self):
        """Bytes eth0 of its host has received, Ethernet header included; it must be running.

        Returns (bytes, time before reading, time after reading), seconds of CLOCK_MONOTONIC_RAW:
        whoever computes a rate knows how far the counter's moment is certain.
        """
        before = time.clock_gettime(time.CLOCK_MONOTONIC_RAW)
        text = Path(f"/proc/{self.popen.pid}/net/dev").read_text(encoding="ascii")
        after = time.clock_gettime(time.CLOCK_MONOTONIC_RAW)
        return int(re.search(r"eth0: *(\d+)", text)[1]), before, after

    def wait_for_text(self, text):
        """Wait until it has printed `text`; LabError if it ends before."""

        def printed():
            if text in self.out() or text in self.err():
                return True
            if not self.running():
                raise LabError(
                    f"{self.name} ended with exit code {self.popen.returncode} before "
                    f'"{text}":\n{self.out()}{self.err()}'
                )
            return False

        wait_for(f'{self.name}, "{text}"', printed)


class Gateaud:
    """A running gateaud and, once stopped, its summary."""

    def __init__(self, process):
        self.process = process

    def stop(self, sig=signal.SIGTERM):
        """Returns (exit code, summary as parsed JSON)."""
        code = self.process.stop(sig)
        text = self.process.out()
        try:
            return code, json.loads(text[text.index("{") :])
        except ValueError:
            raise LabError(
                f"gateaud, exit code {code}, printed no summary:\n{text}{self.process.err()}"
            ) from None


class Lab:
    """See the top of this file. Use as `with Lab() as lab:`."""

    def __init__(self):
        self._prefix = f"gateau-{os.getpid()}"
        self._processes = []
        self._namespaces = []
        self._folder = None
        self._count = 0
        self.worker_cpu, self._host_cpus = split_cpus()

    def __enter__(self):
        for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(sig, self._interrupted)
        self._folder = tempfile.TemporaryDirectory(prefix=self._prefix)
        try:
            self._build()
        except BaseException:
            self._clean()
            raise
        return self

    def __exit__(self, *unused):
        self._clean()

    @staticmethod
    def _interrupted(number, _frame):
        # The one exception that unittest lets through at once.
        raise KeyboardInterrupt(signal.Signals(number).name)

    def _clean(self):
        for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(sig, signal.SIG_IGN)
        for process in reversed(self._processes):
            process.kill()
        for namespace in self._namespaces:
            subprocess.run(("ip", "netns", "del", namespace), check=False)
        self._folder.cleanup()
        for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(sig, signal.SIG_DFL)

    def _build(self):
        for side in "amb":
            run("ip", "netns", "add", self.ns(side))
            self._namespaces.append(self.ns(side))
        self._wire("a", "lan", [f"{a}/24" for a in A_HOSTS] + [f"{A_HOST6}/64"])
        self._wire("b", "wan", [f"{B_HOST}/24", f"{B_HOST6}/64"])

    def _wire(self, side, middle, addresses):
        """One veth pair: eth0 in the host, `middle` in the middle."""
        run("ip", "link", "add", "eth0", "netns", self.ns(side), "type", "veth",
            "peer", "name", middle, "netns", self.ns("m"))  # fmt: skip
        # The middle is a wire: the kernel there must not speak on it.
        self.run("m", "sh", "-c", f"echo 1 >/proc/sys/net/ipv6/conf/{middle}/disable_ipv6")
        for end, interface in ((side, "eth0"), ("m", middle)):
            # Without this veth hands over super-packets of 64 KB with checksums left to do.
            self.run(end, "ethtool", "-K", interface, "tx", "off")
            self.run(end, "ip", "link", "set", interface, "up")
        self.run(side, "ip", "link", "set", "lo", "up")
        for address in addresses:
            nodad = ["nodad"] if ":" in address else []
            self.run(side, "ip", "addr", "add", address, "dev", "eth0", *nodad)

    def ns(self, side):
        """Name of a namespace: side is "a", "b" or "m", the middle."""
        return f"{self._prefix}-{side}"

    def _inside(self, side):
        """What to put before a command. Unlike `ip -n` it leaves mounts alone, which not
        every container allows to change.
        """
        return ["nsenter", f"--net=/run/netns/{self.ns(side)}", "--"]

    def run(self, side, *argv):
        """The module's run(), on a host or in the middle."""
        return run(*self._inside(side), *argv)

    def start(self, side, *argv):
        """Start a program on a host ("a" or "b") or in the middle. Returns its Process.

        All run before whatever else the machine does: what stops the worker stops the link, and a
        sender that stops for longer than a short queue lasts leaves the link empty.
        """
        self._count += 1
        out, err = (Path(self._folder.name, f"{self._count}.{end}") for end in ("out", "err"))
        where = ["nice", "-n", "-20", "setpriv", "--pdeathsig", "KILL"]
        where += self._inside(side)
        if side != "m":
            where += ["taskset", "-c", ",".join(map(str, self._host_cpus))]
        with out.open("wb") as out_file, err.open("wb") as err_file:
            popen = subprocess.Popen(
                where + [str(a) for a in argv],
                stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file,
                start_new_session=True,  # fmt: skip
            )
        # Its session has a group of the kernel's autogroup scheduling, with a niceness of its own.
        # Not every kernel has that, and the program may have ended.
        with contextlib.suppress(OSError):
            Path(f"/proc/{popen.pid}/autogroup").write_text("-20", encoding="ascii")
        process = Process(Path(argv[0]).name, popen, out, err)
        self._processes.append(process)
        return process

    def fifo(self, rate, packets=1000):
        """Join the hosts by a bridge whose two sides send at `rate` from a queue of `packets`."""
        self.run("m", "ip", "link", "add", "br0", "type", "bridge")
        self.run("m", "ip", "link", "set", "br0", "up")
        for interface in ("lan", "wan"):
            self.run("m", "ip", "link", "set", interface, "master", "br0")
            # tbf counts its limit in bytes and starts with a queue that does, too: replace that.
            self.run("m", "tc", "qdisc", "add", "dev", interface, "root", "handle", "1:",
                     "tbf", "rate", rate, "burst", "32kb",
                     "limit", str(packets * 1514))  # fmt: skip
            self.run("m", "tc", "qdisc", "add", "dev", interface, "parent", "1:1",
                     "pfifo", "limit", str(packets))  # fmt: skip

    def unjoin(self):
        """Take away what fifo() made."""
        self.run("m", "ip", "link", "del", "br0")
        for interface in ("lan", "wan"):
            self.run("m", "tc", "qdisc", "del", "dev", interface, "root")

    def gateaud(self, scheduler, queues=1, taps=False, **more):
        """Join the hosts by gateaud; `scheduler` holds for both ports, host isolation by side, and
        so does the number of queues, RX and TX. `taps`: by interfaces of its own, which are bridged
        to the hosts'. `more` are keys of the configuration.

        Returns a Gateaud that forwards already.
        """

        def device(name):
            if taps:
                return f"net_tap_{name},iface=tap-{name}"
            return (f"net_af_packet_{name},iface={name},framecnt={4096 // queues},"
                    f"qpairs={queues}")  # fmt: skip

        def port(name, flowmode):
            return {
                "name": name,
                "device": device(name),
                "rx_queues": queues,
                "tx_queues": queues,
                "scheduler": {"flowmode": flowmode, **scheduler},
            }

        config = {
            "eal": {"lcores": [self.worker_cpu], "hugepages": False, "prefix": self._prefix},
            "ports": [port("lan", "dual-dsthost"), port("wan", "dual-srchost")],
            "links": [{"from": "lan", "to": "wan"}, {"from": "wan", "to": "lan"}],
            **more,
        }
        path = Path(self._folder.name, "gateaud.json")
        path.write_text(json.dumps(config, indent=2))
        process = self.start("m", gateaud_path(), "-c", path, "-j")
        process.wait_for_text("gateaud: running")
        if taps:
            self._bridge("lan", "tap-lan")
            self._bridge("wan", "tap-wan")
        return Gateaud(process)

    def _bridge(self, *interfaces):
        """Join interfaces in the middle by a bridge, which learns addresses and says nothing."""
        bridge = f"br-{interfaces[0]}"
        self.run("m", "ip", "link", "add", bridge, "type", "bridge", "mcast_snooping", "0")
        for interface in (bridge, *interfaces):
            self.run("m", "sh", "-c", f"echo 1 >/proc/sys/net/ipv6/conf/{interface}/disable_ipv6")
        for interface in interfaces:
            self.run("m", "ip", "link", "set", interface, "master", bridge, "up")
        self.run("m", "ip", "link", "set", bridge, "up")

    def packets(self, side):
        """(received, sent) by eth0 of host `side` since it was made."""
        text = self.run(side, "cat", "/proc/self/net/dev")
        numbers = re.search(r"eth0:(.*)", text)[1].split()
        return int(numbers[1]), int(numbers[9])

    def packet_socket(self, side):
        """A raw socket on eth0 of host `side`, for frames that no program here would send.

        Received frames come without their outer VLAN tag; PACKET_AUXDATA, switched on here, has it.
        """
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/self/ns/net", "rb") as here, \
                open(f"/run/netns/{self.ns(side)}", "rb") as there:  # fmt: skip
            if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
                raise LabError(f"setns: {os.strerror(ctypes.get_errno())}")
            try:
                raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            finally:
                libc.setns(here.fileno(), CLONE_NEWNET)
        raw.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        raw.bind(("eth0", ETH_P_ALL))
        return raw
