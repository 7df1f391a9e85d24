#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud on PCI NICs, in a virtual machine: handed to vfio-pci behind an IOMMU, their memory in hugepages,
the frames in and out by DPDK's drivers for them. The other ends of their cables are in this process.

Nothing here measures: by software emulation the machine is slow, and it stops when the host is busy."""

import json
import os
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "dpdk"))

from gateaud import udp  # noqa: E402  pylint: disable=wrong-import-position
from image import BUSYBOX  # noqa: E402  pylint: disable=wrong-import-position
from machine import QEMU, Machine, MachineError  # noqa: E402  pylint: disable=wrong-import-position
from wire import exchange  # noqa: E402  pylint: disable=wrong-import-position

KERNEL = Path(os.environ["VM_KERNEL"])  # a package of Debian's cloud kernel, unpacked
PROGRAMS = [os.environ["GATEAU"], os.environ["GATEAUD"]]
PLUGINS = os.environ["DPDK_PLUGINS"]

DRIVERS = {"e1000e": "net_e1000_em", "virtio": "net_virtio", "vmxnet3": "net_vmxnet3"}

LOSSES = ("missed", "rx_errors", "no_buffer", "tx_errors")

machine = None  # pylint: disable=invalid-name


def setUpModule():
    global machine  # pylint: disable=global-statement
    (kernel,) = KERNEL.glob("boot/vmlinuz-*")
    machine = Machine(
        kernel, [kind for kind in DRIVERS for _ in range(2)],
        programs=PROGRAMS, plugins=PLUGINS, modules=KERNEL, texts={},  # fmt: skip
    )
    machine.__enter__()
    unittest.addModuleCleanup(machine.__exit__)
    for nic in machine.nics:
        machine.bind(nic)


def pair(kind):
    return [nic for nic in machine.nics if nic.kind == kind]


def config(nics, mtu=1500, **scheduler):
    """A bump in the wire between two NICs; both sides send as `scheduler` says."""
    ports = [
        {"name": name, "device": nic.address, "mtu": mtu,
         "scheduler": {"bandwidth": "unlimited", **scheduler}}
        for name, nic in zip("ab", nics)
    ]  # fmt: skip
    return {
        "eal": {"lcores": [1]},
        "ports": ports,
        "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}],
    }


class Gateaud:
    """A running gateaud in the guest; use in a `with` block. `log` is what it said until it ran."""

    def __init__(self, what):
        machine.write("/run/gateaud.json", json.dumps(what, indent=1))
        machine.must("gateau check /run/gateaud.json")
        machine.must("gateaud -c /run/gateaud.json -j >/run/out 2>/run/err & echo $! >/run/pid")
        _, self.log = machine.run(
            "until grep -q 'gateaud: running' /run/err || ! kill -0 $(cat /run/pid); do sleep 0.2; done; "
            "cat /run/err"
        )
        if "gateaud: running" not in self.log:
            raise MachineError("gateaud does not start")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        machine.run("kill -9 $(cat /run/pid) && wait $(cat /run/pid)")

    def stop(self):
        """Returns (what it said, summary)."""
        code, _ = machine.run("kill $(cat /run/pid); wait $(cat /run/pid)")
        log, out = machine.must("cat /run/err"), machine.must("cat /run/out")
        if code:
            raise MachineError(f"gateaud ended with exit code {code}")
        return log, json.loads(out)


def assorted(count, longest):
    """Frames of all lengths, with and without tags, to one host, to a group and to all."""
    to = (b"\x02\x00\x00\x00\x00\x99", b"\x01\x00\x5e\x00\x00\x05", b"\xff" * 6)
    tags = (b"", b"\x81\x00\x00\x07", b"\x88\xa8\x00\x05\x81\x00\x60\x07")
    for number in range(count):
        tag = tags[number % 3]
        length = 60 + (longest + len(tag) - 60) * number // (count - 1)
        frame = udp(length, flow=1 + number % 7, number=number, tags=tag)
        yield to[number // 3 % 3] + frame[6:]


class Pci(unittest.TestCase):
    maxDiff = 2000

    def pass_both_ways(self, nics, frames):
        """Every frame that goes in at one side comes out of the other, unchanged, each way."""
        for source, target in (nics, nics[::-1]):
            target.wire.clear()
            received, _ = exchange(source.wire, target.wire, frames)
            self.assertCountEqual(received, frames)

    def check_summary(self, summary, sent):
        """The books balance, and the devices lost nothing."""
        self.assertTrue(summary["balance"]["balanced"], summary["balance"])
        self.assertEqual(summary["balance"]["received"], sent)
        self.assertEqual(summary["balance"]["sent"], sent)
        self.assertEqual(summary["mbufs"]["lost"], 0)
        for port in summary["ports"]:
            lost = {name: port["nic"][name] for name in LOSSES}
            self.assertEqual(lost, dict.fromkeys(LOSSES, 0), port["name"])

    def forward(self, kind, mtu):
        nics, frames = pair(kind), list(assorted(120, mtu + 14))
        with Gateaud(config(nics, mtu)) as gateaud:
            for nic in nics:
                self.assertIn(f"{nic.address} ({DRIVERS[kind]}), MTU {mtu}", gateaud.log)
            self.pass_both_ways(nics, frames)
            _, summary = gateaud.stop()
        self.check_summary(summary, 2 * len(frames))

    def test_e1000e(self):
        self.forward("e1000e", 1500)

    def test_virtio(self):
        self.forward("virtio", 1500)

    def test_vmxnet3(self):
        self.forward("vmxnet3", 1500)


def need_parts():
    """Exit 77, meson's "skipped", unless all that a virtual machine is made of is here."""
    for what, there in (
        ("QEMU, qemu-system-x86", shutil.which(QEMU)),
        ("busybox-static", BUSYBOX.exists()),
        (f"a kernel unpacked in {KERNEL} (tools/check vm does it)", (KERNEL / "boot").exists()),
    ):
        if not there:
            print(f"skipped: a virtual machine needs {what}")
            sys.exit(77)


if __name__ == "__main__":
    need_parts()
    unittest.main(verbosity=2)
