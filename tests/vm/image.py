# SPDX-License-Identifier: BSD-3-Clause
"""The file system of the virtual machine, made when the test starts from what is on this one: busybox, the
programs under test, DPDK's drivers, the libraries of all of them, and the kernel's modules. Nothing here
knows what the machine is for."""

import gzip
import os
import re
import stat
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUSYBOX = Path("/bin/busybox")
MODULES = ("irqbypass", "vfio", "vfio_virqfd", "vfio_iommu_type1", "vfio-pci-core", "vfio-pci")
# DPDK's plugins are loaded by folder; these are all that PCI devices of these kinds need.
PLUGINS = ("bus_pci", "bus_vdev", "mempool_ring", "net_e1000", "net_virtio", "net_vmxnet3")


class Archive:
    """An initramfs in the making: cpio, "newc" (Documentation/driver-api/early-userspace/buffer-format.rst
    of Linux), gzipped. Folders on the way to a file come by themselves."""

    def __init__(self):
        self._parts, self._names = [], set()

    def _entry(self, name, mode, data=b"", device=(0, 0)):
        path = name.encode() + b"\0"
        fields = (len(self._names), mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + path
        for part in (head, data):
            self._parts.append(part + bytes(-len(part) % 4))

    def _once(self, name, mode, data=b"", device=(0, 0)):
        """The first entry of a name stays."""
        if name in self._names:
            return
        if name != ".":
            self.folder(os.path.dirname(name) or ".")
        self._names.add(name)
        self._entry(name, mode, data, device)

    def folder(self, name):
        self._once(name, stat.S_IFDIR | 0o755)

    def file(self, name, data, mode=0o644):
        """`name`: its path without the leading slash."""
        self._once(name, stat.S_IFREG | mode, data)

    def copy(self, source, name=None):
        """A file of this machine, at its own place unless `name` is given. A link stays one: the loader knows
        by the inode what it has loaded already."""
        real = os.path.realpath(source)
        mode = 0o755 if os.access(real, os.X_OK) else 0o644
        self.file(name or real[1:], Path(real).read_bytes(), mode)
        if not name and real != str(source):
            self._once(str(source)[1:], stat.S_IFLNK | 0o777, real.encode())

    def device(self, name, major, minor):
        self._once(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def write(self, path):
        self._entry("TRAILER!!!", 0)
        with gzip.open(path, "wb", compresslevel=1) as out:
            for part in self._parts:
                out.write(part)


def libraries(program):
    """The shared libraries that the loader finds for `program`, the loader among them."""
    listing = subprocess.run(("ldd", program), capture_output=True, text=True, check=True).stdout
    return re.findall(r"(/\S+) \(0x", listing)


def build(path, programs, tools, plugins, modules):
    """Write the file system to `path`. `programs` go to /bin, `tools` of this machine and drivers from the
    folder `plugins` to their own places, kernel modules from anywhere below the folder `modules` to
    /modules."""
    archive = Archive()
    for folder in ("dev", "proc", "sys", "run", "tmp", "bin", "root"):
        archive.folder(folder)
    archive.device("dev/console", 5, 1)
    archive.file("init", (HERE / "init").read_bytes(), 0o755)
    archive.copy(BUSYBOX, "bin/busybox")
    drivers = [path for name in PLUGINS for path in Path(plugins).glob(f"librte_{name}.so.*")]
    for program in programs:
        archive.copy(program, f"bin/{Path(program).name}")
    for file in (*tools, *drivers):
        archive.copy(file)
    for binary in (*programs, *tools, *drivers):
        for library in libraries(binary):
            archive.copy(library)
    for name in MODULES:
        (module,) = Path(modules).rglob(f"{name}.ko")
        archive.copy(module, f"modules/{name}.ko")
    archive.write(path)
