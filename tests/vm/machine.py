# SPDX-License-Identifier: BSD-3-Clause
"""A virtual machine with PCI NICs behind an IOMMU, and a shell in it. Its NICs' cables end in wires (wire.py)
of this process; its console and all that is said in its shell go to standard output.

The shell is on the second serial port: a command goes in as text, and what it prints comes out, up to a
line with a word nobody else says and the exit code.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import image
from wire import Wire

QEMU = "qemu-system-x86_64"
MEMORY_MB = 1024
CPUS = 2
HUGEPAGES = 224  # of 2 MB
BOOT_S = 90  # longest time to the shell; 12 s by software emulation on an idle machine
COMMAND_S = 60  # longest time of a command

# For the kernel: that a busy host holds it up for a while is neither a broken timer nor a hung CPU.
PATIENT = "no_timer_check tsc=reliable nowatchdog rcupdate.rcu_cpu_stall_suppress=1"

# $VM_ACCEL: tcg, software emulation, is the same everywhere. KVM is faster, where it works: within a virtual
# machine it may not, or refuse arch-capabilities that it has just offered.
CPU = {"tcg": "max", "kvm": "max,arch-capabilities=off"}

# What a NIC needs besides its address: virtio by the modern interface only, behind the IOMMU as others are.
DEVICES = {
    "e1000e": "e1000e",
    "virtio": "virtio-net-pci,disable-legacy=on,iommu_platform=on,romfile=",
    "vmxnet3": "vmxnet3",
}


class MachineError(Exception):
    """The machine did not do what it was told to; the text says which and what it said."""


class Nic:
    """One NIC: its kind, its address in the guest, and the wire in its port."""

    def __init__(self, kind, slot, wire):
        self.kind, self.wire = kind, wire
        self.slot, self.name = slot, f"nic{slot}"
        self.address = f"0000:00:{slot:02x}.0"
        self.folder = f"/sys/bus/pci/devices/{self.address}"
        self.mac = f"02:00:00:00:00:{slot:02x}"


class Machine:
    """Use as `with Machine(kernel, kinds, ...) as machine:`. `kinds`: of DEVICES, a NIC for each, in
    `machine.nics`; `files`: as image.build()'s arguments but the first."""

    def __init__(self, kernel, kinds, **files):
        self._kernel, self._files = kernel, files
        self._folder = tempfile.TemporaryDirectory(prefix="gateau-vm-")
        self._clean = contextlib.ExitStack()
        self._clean.callback(self._folder.cleanup)
        self._heard, self._count = "", 0
        self.nics = [
            Nic(kind, slot, self._clean.enter_context(Wire(self.path(f"nic{slot}"))))
            for slot, kind in enumerate(kinds, 4)
        ]

    def path(self, name):
        return str(Path(self._folder.name, name))

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._clean.close()
            raise
        return self

    def __exit__(self, *unused):
        self._clean.close()

    def _start(self):
        image.build(self.path("initramfs"), **self._files)
        listener = {name: self._listen(name) for name in ("console", "shell", "control")}
        accel = os.environ.get("VM_ACCEL", "tcg")
        say(f"a virtual machine by {accel}: {', '.join(nic.kind for nic in self.nics)}")
        self._qemu = subprocess.Popen(
            # Gone when this process is, however that ends.
            ["setpriv", "--pdeathsig", "KILL", QEMU, *self._arguments(accel)],
            stdin=subprocess.DEVNULL,
        )
        self._clean.callback(self._stop)
        ends = {name: self._accept(sock) for name, sock in listener.items()}
        self._shell, self._control = ends["shell"], ends["control"]
        threading.Thread(target=print_console, args=(ends["console"],), daemon=True).start()
        self._control_lines = self._control.makefile("r")
        self._control_lines.readline()
        self.control("qmp_capabilities")
        self._hear_until("ready\n", "boot", BOOT_S)

    def _listen(self, name):
        sock = self._clean.enter_context(socket.socket(socket.AF_UNIX))
        sock.bind(self.path(name))
        sock.listen()
        sock.settimeout(COMMAND_S)
        return sock

    def _accept(self, listener):
        sock, _ = listener.accept()
        return self._clean.enter_context(sock)

    def _arguments(self, accel):
        yield from ("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot")
        # Interrupts are remapped by the emulated IOMMU, so KVM must leave their routing to it.
        yield from ("-machine", "q35" + (",kernel-irqchip=split" if accel == "kvm" else ""))
        yield from ("-accel", accel, "-cpu", CPU[accel], "-smp", str(CPUS), "-m", str(MEMORY_MB))
        yield from ("-device", "intel-iommu,intremap=on,caching-mode=on,aw-bits=48,device-iotlb=on")
        yield from ("-kernel", self._kernel, "-initrd", self.path("initramfs"))
        yield from ("-append", f"{PATIENT} console=ttyS0 quiet loglevel=4 panic=-1 "
                    f"intel_iommu=on iommu=pt hugepages={HUGEPAGES}")  # fmt: skip
        for name in ("console", "shell"):
            yield from ("-chardev", f"socket,id={name},path={self.path(name)}")
            yield from ("-serial", f"chardev:{name}")
        yield from ("-qmp", f"unix:{self.path('control')}")
        for nic in self.nics:
            yield from ("-netdev", f"dgram,id={nic.name}," + nic.wire.netdev())
            yield from ("-device", f"{DEVICES[nic.kind]},id={nic.name}d,netdev={nic.name},"
                        f"bus=pcie.0,addr={nic.slot:#x},mac={nic.mac}")  # fmt: skip

    def _stop(self):
        if self._qemu.poll() is None:
            self._qemu.kill()
        self._qemu.wait()

    def control(self, command, **arguments):
        """Tell the machine monitor something (QMP)."""
        request = {"execute": command, "arguments": arguments}
        self._control.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = json.loads(self._control_lines.readline())
            if "error" in answer:
                raise MachineError(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def run(self, command, seconds=COMMAND_S, quiet=False):
        """Run a command in the guest; returns (exit code, what it printed on both streams). `quiet`:
        without a word in the log of the test."""
        self._count += 1
        mark = f"==end-of-{self._count}=="
        self._shell.sendall(f'{{ {command}\n}} </dev/null 2>&1; echo "{mark} $?"\n'.encode())
        end = time.monotonic() + seconds
        text = self._hear_until(mark, command, seconds)
        code = self._hear_until("\n", command, end - time.monotonic())
        if not quiet:
            say(f"guest# {command}\n{text}", end="")
        return int(code), text

    def _hear_until(self, mark, what, seconds):
        """What the shell says before `mark`."""
        end = time.monotonic() + seconds
        while mark not in self._heard:
            self._shell.settimeout(max(end - time.monotonic(), 0.001))
            data = b""
            with contextlib.suppress(OSError):
                data = self._shell.recv(65536)
            if not data:
                raise MachineError(f"{what}: no end of it; so far:\n{self._heard}")
            self._heard += data.decode(errors="replace").replace("\r\n", "\n")
        text, _, self._heard = self._heard.partition(mark)
        return text

    def must(self, command, seconds=COMMAND_S):
        """run() of what has to succeed; returns what it printed."""
        code, text = self.run(command, seconds)
        if code:
            raise MachineError(f"guest# {command}: exit code {code}:\n{text}")
        return text

    def write(self, path, text):
        """Write a file in the guest."""
        self.must(f"cat >{path} <<'end-of-file'\n{text}\nend-of-file")

    def of(self, kind):
        """Its NICs of a kind."""
        return [nic for nic in self.nics if nic.kind == kind]

    def bind(self, nic):
        """Hand a NIC to vfio-pci, as an operator does by driverctl or dpdk-devbind."""
        self.must(f"cd {nic.folder} && echo vfio-pci >driver_override && "
                  f"echo {nic.address} >/sys/bus/pci/drivers_probe && "
                  "readlink driver | grep -q vfio-pci")  # fmt: skip

    def unbind(self, nic):
        """Take it from its driver, if it has one."""
        self.must(f"cd {nic.folder} && if [ -e driver ]; then echo {nic.address} >driver/unbind; fi")

    def give(self, nic, user):
        """The file of the NIC's group in /dev/vfio belongs to `user` now."""
        self.must(f"chown {user} /dev/vfio/$(basename $(readlink {nic.folder}/iommu_group))")


def say(text, end="\n"):
    """To the test's log, in the order in which it happens."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


def print_console(sock):
    with contextlib.suppress(OSError):
        for line in sock.makefile("r", errors="replace"):
            say(f"console: {line.rstrip()}")
