# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of gateaud as a process share: captures, a configuration, start, end and summary.
$GATEAUD is the program."""

import json
import os
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

GATEAUD = os.environ["GATEAUD"]
START_S, STOP_S = 30, 30  # longest waits for a program on a busy machine
SETTLE_S = 1  # from the last byte read of a capture to the last frame sent, stalls included

PCAP_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)


def write_capture(path, frames):
    with open(path, "wb") as out:
        out.write(PCAP_HEADER)
        for number, data in enumerate(frames):
            out.write(struct.pack("<IIII", 1, number, len(data), len(data)) + data)


def read_capture(path):
    """The frames of a capture, whatever the resolution of its time stamps."""
    data = Path(path).read_bytes()
    frames, at = [], len(PCAP_HEADER)
    while at < len(data):
        captured, length = struct.unpack_from("<8xII", data, at)
        assert captured == length
        frames.append(data[at + 16 : at + 16 + captured])
        at += 16 + captured
    return frames


def udp(length, flow=1, number=0, tags=b"", hosts=(1, 2)):
    """A UDP frame of `length` bytes, from one of 10.0.0.0/24 to another; checksums are not looked at
    on the way."""
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, length - 14 - len(tags), 0, 0, 64, 17, 0,
                     *(bytes((10, 0, 0, host)) for host in hosts))  # fmt: skip
    head = b"\x02" * 12 + tags + b"\x08\x00" + ip + struct.pack(">HHHHI", flow, 9, 0, 0, number)
    return head + bytes(i & 0xFF for i in range(length - len(head)))


class GateaudTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gateau-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.socket = self.path("gateau.sock")

    def path(self, name):
        return self.folder / name

    def config(self, source, target, **changes):
        """A file with one link from device `source` to device `target`; returns its path. `ingress`
        and `egress` are what only one of them has."""
        port = {"mtu": changes.pop("mtu", 1500)}
        ingress, egress = changes.pop("ingress", {}), changes.pop("egress", {})
        scheduler = changes.pop("scheduler", {"bandwidth": "unlimited"})
        whole = {
            "eal": {"hugepages": False, "prefix": f"test{os.getpid()}", **changes.pop("eal", {})},
            "metrics": {"listen": "off"},
            "ports": [
                {"name": "a", "device": source, "scheduler": scheduler, **port, **ingress},
                {"name": "b", "device": target, "scheduler": scheduler, **port, **egress},
            ],
            "links": [{"from": "a", "to": "b"}],
            **changes,
        }
        path = self.path("gateaud.json")
        path.write_text(json.dumps(whole))
        return path

    def start(self, *argv, before=(), **popen):
        """Start gateaud, by the command `before` if given; its output goes to files, and its control
        socket is self.socket."""
        command = [*before, GATEAUD, *map(str, argv)]
        popen.setdefault("env", {**os.environ, "GATEAU_SOCKET": str(self.socket)})
        with self.path("out").open("wb") as out, self.path("err").open("wb") as err:
            process = subprocess.Popen(command, stdout=out, stderr=err, **popen)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def out(self):
        return self.path("out").read_text()

    def err(self):
        return self.path("err").read_text()

    def wait_until(self, what, condition):
        end = time.monotonic() + START_S
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what}: {self.err()}")
            time.sleep(0.01)

    def wait_for_line(self, process, line):
        def there():
            self.assertTrue(process.poll() is None or line in self.err(), self.err())
            return line in self.err()

        self.wait_until(line, there)

    @staticmethod
    def has_read_all(process, path):
        """Whether the process stands at the end of the file it reads."""
        for fd in Path(f"/proc/{process.pid}/fd").iterdir():
            if fd.exists() and fd.resolve() == path.resolve():
                info = Path(f"/proc/{process.pid}/fdinfo/{fd.name}").read_text()
                return int(re.search(r"pos:\s*(\d+)", info)[1]) == path.stat().st_size
        return False

    def summary(self, process, sig=signal.SIGTERM):
        """Stop it, check that it ended well, return its summary."""
        process.send_signal(sig)
        code = process.wait(STOP_S)
        self.assertEqual(code, 0, self.err())
        summary = json.loads(self.out())
        self.assertTrue(summary["balance"]["balanced"], summary["balance"])
        self.assertEqual(summary["mbufs"]["lost"], 0)
        return summary

    def forward(self, frames, **changes):
        """Pass a capture through; returns (frames that came out, summary)."""
        source, target = self.path("in.pcap"), self.path("out.pcap")
        write_capture(source, frames)
        config = self.config(f"net_pcap_a,rx_pcap={source}", f"net_pcap_b,tx_pcap={target}", **changes)
        process = self.start("-c", config, "-j")
        self.wait_for_line(process, "gateaud: running")
        self.wait_until("end of the capture", lambda: self.has_read_all(process, source))
        time.sleep(SETTLE_S)
        summary = self.summary(process)
        return read_capture(target), summary
