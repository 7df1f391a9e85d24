#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud on PCI NICs, in a virtual machine: handed to vfio-pci behind an IOMMU, their memory in hugepages,
the frames in and out by DPDK's drivers for them. The other ends of their cables are in this process.

Nothing here measures: by software emulation the machine is slow, and it stops when the host is busy."""

import json
import os
import pathlib
import shutil
import sys
import time
import unittest
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "dpdk"))

from gateaud import udp  # noqa: E402  pylint: disable=wrong-import-position
from image import BUSYBOX  # noqa: E402  pylint: disable=wrong-import-position
from guest import AS_USER, SETPRIV, USER, Gateaud, config, refusal  # noqa: E402  pylint: disable=wrong-import-position
from machine import QEMU, Machine  # noqa: E402  pylint: disable=wrong-import-position
from wire import exchange  # noqa: E402  pylint: disable=wrong-import-position

KERNEL = pathlib.Path(os.environ["VM_KERNEL"])  # a package of Debian's cloud kernel, unpacked
PROGRAMS = [os.environ["GATEAU"], os.environ["GATEAUD"]]
PLUGINS = os.environ["DPDK_PLUGINS"]

DRIVERS = {"e1000e": "net_e1000_em", "virtio": "net_virtio", "vmxnet3": "net_vmxnet3"}

LOSSES = ("missed", "rx_errors", "no_buffer", "tx_errors")

LINK_S = 60  # longest wait for a link after its device was started

machine = None  # pylint: disable=invalid-name


def setUpModule():
    global machine  # pylint: disable=global-statement
    (kernel,) = KERNEL.glob("boot/vmlinuz-*")
    machine = Machine(
        kernel, [kind for kind in DRIVERS for _ in range(2)],
        programs=PROGRAMS, tools=[SETPRIV], plugins=PLUGINS, modules=KERNEL,  # fmt: skip
    )
    machine.__enter__()
    unittest.addModuleCleanup(machine.__exit__)


def nics(*kinds):
    """Two NICs of these kinds, handed to vfio-pci; of one kind, both of it."""
    first = machine.of(kinds[0])[0]
    pair = (first, machine.of(kinds[-1])[1])
    for nic in pair:
        machine.bind(nic)
    return pair


def assorted(count, longest):
    """Frames of all lengths, with and without tags, to one host, to a group and to all."""
    to = (b"\x02\x00\x00\x00\x00\x99", b"\x01\x00\x5e\x00\x00\x05", b"\xff" * 6)
    tags = (b"", b"\x81\x00\x00\x07", b"\x88\xa8\x00\x05\x81\x00\x60\x07")
    for number in range(count):
        tag = tags[number % 3]
        length = 60 + (longest + len(tag) - 60) * number // (count - 1)
        frame = udp(length, flow=1 + number % 7, number=number, tags=tag)
        yield to[number // 3 % 3] + frame[6:]


class PciTest(unittest.TestCase):
    def pass_frames(self, source, target, frames, **how):
        """Every frame that goes in at `source` comes out at `target`, unchanged. Returns the
        seconds it took."""
        target.wire.clear()
        received, seconds = exchange(source.wire, target.wire, frames, **how)
        lost, strange = Counter(frames), Counter(received)
        lost, strange = lost - strange, strange - lost
        if lost or strange:
            self.fail(
                f"{source.address} to {target.address}: {lost.total()} of {len(frames)} frames lost, "
                f"of bytes {sorted(map(len, lost))}; and {strange.total()} that nobody sent came out, "
                f"of bytes {sorted(map(len, strange))}"
            )
        return seconds

    def check_summary(self, summary, frames):
        """The books balance over so many frames, and the devices lost none."""
        self.assertTrue(summary["balance"]["balanced"], summary["balance"])
        self.assertEqual(summary["balance"]["received"], frames)
        self.assertEqual(summary["balance"]["sent"], frames)
        self.assertEqual(summary["mbufs"]["lost"], 0)
        for port in summary["ports"]:
            lost = {name: port["nic"][name] for name in LOSSES}
            self.assertEqual(lost, dict.fromkeys(LOSSES, 0), port["name"])

    def forward(self, pair, what, mtu=1500, before=""):
        """gateaud between a pair of NICs passes frames both ways. Returns what it said."""
        frames = list(assorted(100, mtu + 14))
        with Gateaud(machine, what, before) as gateaud:
            for one, other in (pair, pair[::-1]):
                self.pass_frames(one, other, frames)
            log, summary = gateaud.stop()
        self.check_summary(summary, 2 * len(frames))
        for nic in pair:
            self.assertIn(f"{nic.address} ({DRIVERS[nic.kind]}), MTU {mtu}", log)
        return log


class Devices(PciTest):
    """What holds for each kind of device."""

    def one_kind(self, kind):
        """Frames pass; a link goes down and comes back, and frames pass again."""
        a, b = nics(kind)
        frames = list(assorted(100, 1514))
        with Gateaud(machine, config((a, b))) as gateaud:
            self.pass_frames(a, b, frames)
            machine.control("set_link", name=a.name, up=False)
            gateaud.wait_for("gateaud: running", "port a: link is down")
            machine.control("set_link", name=a.name, up=True)
            gateaud.wait_for("gateaud: running", "port a: link is down", "port a: link is up")
            self.pass_frames(a, b, frames)
            self.pass_frames(b, a, frames)
            _, summary = gateaud.stop()
        self.check_summary(summary, 3 * len(frames))

    def test_e1000e(self):
        self.one_kind("e1000e")

    def test_virtio(self):
        self.one_kind("virtio")

    def test_vmxnet3(self):
        self.one_kind("vmxnet3")

    @staticmethod
    def wait_for_link(port):
        """After a port was set up anew: its link comes up some time later."""
        end = time.monotonic() + LINK_S
        while json.loads(machine.must(f"gateau show {port} -j"))["ports"][0]["link"] != "up":
            assert time.monotonic() < end, f"port {port}: the link does not come up"

    def test_ports_are_set_up_anew(self):
        """MTU and descriptors of both ports change while gateaud runs, and frames pass again."""
        for kind, idle in ("e1000e", "adaptive"), ("virtio", "interrupt"), ("vmxnet3", "spin"):
            a, b = nics(kind)
            frames = list(assorted(50, 1414))
            with self.subTest(kind), Gateaud(machine, {**config((a, b)), "idle": idle}) as gateaud:
                self.pass_frames(a, b, frames)
                for port in "a", "b":
                    machine.must(f"gateau set --restart-ports {port} mtu 1400 descriptors 256")
                for port in "a", "b":
                    self.wait_for_link(port)
                self.pass_frames(a, b, frames)
                self.pass_frames(b, a, frames)
                _, summary = gateaud.stop()
                self.check_summary(summary, 3 * len(frames))

    def interrupts(self, kind):
        """RX interrupts that ended sleeps of the worker while frames passed one by one."""
        a, b = nics(kind)
        frames = list(assorted(50, 1514))
        with Gateaud(machine, {**config((a, b)), "idle": "interrupt"}) as gateaud:
            self.pass_frames(a, b, frames)
            _, summary = gateaud.stop()
        self.check_summary(summary, len(frames))
        return summary["lcores"][0]["interrupts"]

    def test_rx_interrupts(self):
        for kind in ("virtio", "vmxnet3"):
            self.assertGreater(self.interrupts(kind), 0, kind)

    def test_rx_interrupts_that_never_come(self):
        """DPDK's driver for the 82574 takes the request and sends none: the worker sleeps briefly instead."""
        self.assertEqual(self.interrupts("e1000e"), 0)

    def test_frames_of_9000_bytes_lie_in_several_buffers(self):
        """Not of vmxnet3: DPDK's driver does not tell QEMU's device that they may."""
        pair = nics("e1000e", "virtio")
        self.forward(pair, config(pair, 9000, memlimit="4mb"), 9000)

    def test_several_tx_queues(self):
        pair = nics("e1000e", "vmxnet3")
        self.forward(pair, config(pair, tx_queues=2))


class Path(PciTest):
    """From the kernel's hands to a frame at the shaper's rate."""

    def test_shaped(self):
        """No faster than the rate: 200 frames of 1,514 bytes at 10 Mbit/s take 0.24 s."""
        a, b = nics("e1000e")
        frames = [udp(1514, number=number) for number in range(200)]
        # Few frames at a time, and a target they do not reach: none is dropped.
        with Gateaud(machine, config((a, b), bandwidth="10mbit", rtt="10s")) as gateaud:
            seconds = self.pass_frames(a, b, frames, window=16)
            _, summary = gateaud.stop()
        self.check_summary(summary, len(frames))
        self.assertGreater(seconds, 0.95 * 199 * 1514 * 8 / 10e6)

    def test_seen_and_changed_while_it_runs(self):
        """By command and by SIGHUP; frames pass before and after."""
        a, b = nics("e1000e", "virtio")
        frames = list(assorted(50, 1514))
        what = config((a, b), bandwidth="100mbit", rtt="10s")
        with Gateaud(machine, what) as gateaud:
            self.pass_frames(a, b, frames, window=16)
            shown = json.loads(machine.must("gateau show b -s -j"))["ports"][0]
            self.assertEqual((shown["device"], shown["link"]), (b.address, "up"))
            self.assertEqual(shown["tx_packets"], len(frames))
            machine.must("gateau set b bandwidth 20mbit")
            self.assertIn("bandwidth 20mbit", machine.must("gateau show b"))
            what["ports"][1]["scheduler"]["bandwidth"] = "30mbit"
            gateaud.reload(what)
            self.assertIn("bandwidth 30mbit", machine.must("gateau show b"))
            self.pass_frames(a, b, frames, window=16)
            _, summary = gateaud.stop()
        self.check_summary(summary, 2 * len(frames))

    def test_probe(self):
        a, b = nics("e1000e", "virtio")
        machine.write("/run/probe.json", json.dumps(config((a, b))))
        text = machine.must("gateaud --probe -c /run/probe.json")
        self.assertIn("IOMMU: in use", text)
        for nic in (a, b):
            self.assertRegex(text, rf"{nic.address} +\S+ +vfio-pci +dpdk")
            self.assertIn(f"driver {DRIVERS[nic.kind]},", text)
        self.assertIn("the configuration fits this machine", text)
        machine.unbind(b)
        code, text = machine.run("gateaud --probe -c /run/probe.json")
        self.assertEqual(code, 1)
        self.assertRegex(text, rf"{b.address} +\S+ +- +nobody")

    def test_killed_and_started_again(self):
        """A device that nobody has stopped is as good as new."""
        pair = nics("e1000e", "virtio")
        with Gateaud(machine, config(pair)) as gateaud:
            pair[0].wire.send(udp(64))
            gateaud.kill()
        self.forward(pair, config(pair))

    def test_device_that_no_driver_has(self):
        a, b = machine.of("vmxnet3")
        machine.bind(a)
        machine.unbind(b)
        self.assertIn(f"no device {b.address} that DPDK can use", refusal(machine, config((a, b))))

    def test_user_with_no_capability(self):
        """What a user needs is the groups' files and the right to lock memory, and it is told so."""
        pair = nics("e1000e", "virtio")
        what = config(pair)
        self.assertIn("no device", refusal(machine, what, AS_USER))
        for nic in pair:
            machine.give(nic, USER)
        text = refusal(machine, what, f"ulimit -l 8192; {AS_USER}")
        self.assertRegex(text, r"need \d+ MB of locked memory, this process may lock 8 MB")
        self.forward(pair, what, before=f"ulimit -l unlimited; {AS_USER}")


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
