#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Debian package on a machine with systemd: installed, started, asked, reloaded, upgraded, purged.

usage: private_root test_service.py SOURCE-FOLDER PACKAGE [UNITTEST-OPTION]...

Everything here changes the machine it runs on: never run it by itself.
"""

import grp
import json
import os
import pwd
import re
import signal
import stat
import subprocess
import sys
import time
import unittest
import urllib.request
from pathlib import Path

SOURCE = DEB = None
CONFIG = Path("/etc/gateau/gateau.json")
SOCKET = Path("/run/gateau/gateau.sock")
DROPINS = Path("/etc/systemd/system/gateau.service.d")
LONG_S = 60


def run(*argv, code=0, **how):
    """What a command prints on both streams; it must end with `code`, None for any."""
    done = subprocess.run(list(map(str, argv)), check=False, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)  # fmt: skip
    if code is not None and done.returncode != code:
        log = "" if argv[0] == "journalctl" else journal()
        raise AssertionError(f"{argv}: exit code {done.returncode}\n{done.stdout}\n{log}")
    return done.stdout


def unit(name):
    return run("systemctl", "show", "-P", name, "gateau.service").strip()


def journal(since=("--boot",)):
    run("journalctl", "--sync")
    return run("journalctl", "--no-pager", "-o", "cat", "-u", "gateau.service", *since)


def wait_until(what, condition):
    end = time.monotonic() + LONG_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: {journal()}")
        time.sleep(0.05)


def configuration(first="net_null0", second="net_null1", **scheduler):
    scheduler = {"bandwidth": "100mbit", **scheduler}
    return json.dumps({
        "eal": {"hugepages": False},
        "ports": [{"name": "lan", "device": first, "scheduler": scheduler},
                  {"name": "wan", "device": second, "scheduler": scheduler}],
        "links": [{"from": "lan", "to": "wan"}, {"from": "wan", "to": "lan"}],
        "drain": "0ms"})  # fmt: skip


def status_of(pid):
    """/proc/PID/status as a dictionary."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def files():
    """Every file of this machine that a package may have to do with."""
    skipped = ("proc", "sys", "dev", "tmp", "mnt", "work", "old_root")
    found = set()
    for top in Path("/").iterdir():
        if top.name in skipped or top.is_symlink() or not top.is_dir():
            continue
        for folder, folders, names in os.walk(top):
            found.update(f"{folder}/{name}" for name in names + folders)
    return found


def setUpModule():
    # Where packages are built nothing is to be started; and nobody here reads an index of pages.
    for name in ("/usr/sbin/policy-rc.d", "/var/lib/man-db/auto-update"):
        Path(name).unlink(missing_ok=True)


class PackageTest(unittest.TestCase):
    def setUp(self):
        if not Path("/usr/sbin/gateaud").exists():
            run("dpkg", "-i", DEB)
        CONFIG.write_text(configuration())
        cursor = run("journalctl", "-n", "0", "--show-cursor").split("cursor: ")[-1].strip()
        self.since = ("--after-cursor", cursor)

    def log(self):
        """What the service has logged in this test."""
        return journal(self.since)

    def tearDown(self):
        run("systemctl", "stop", "gateau.service", code=None)
        run("systemctl", "reset-failed", code=None)

    def start(self):
        run("systemctl", "start", "gateau.service")
        return int(unit("MainPID"))



class Installed(PackageTest):
    def test_nothing_is_started_or_enabled(self):
        self.assertEqual(run("systemctl", "is-enabled", "gateau.service", code=1), "disabled\n")
        self.assertEqual(unit("ActiveState"), "inactive")
        self.assertFalse(SOCKET.exists())

    def test_user_and_folder_are_there(self):
        user = pwd.getpwnam("gateau")
        folder = SOCKET.parent.stat()
        self.assertEqual((folder.st_uid, stat.S_IMODE(folder.st_mode)), (user.pw_uid, 0o755))
        self.assertEqual(user.pw_shell, "/usr/sbin/nologin")

    def test_the_units_have_no_faults(self):
        # pages are looked at elsewhere, and may not be unpacked here
        self.assertEqual(run("systemd-analyze", "verify", "--man=no", "gateau.service", "gateau.socket"), "")

    def test_the_exposure_is_the_documented_one(self):
        text = run("systemd-analyze", "security", "--no-pager", "gateau.service")
        score = re.search(r"exposure level for gateau.service: ([0-9.]+)", text)[1]
        documented = re.search(r"exposure level of ([0-9.]+)", (SOURCE / "docs/operations.md").read_text())
        self.assertEqual(score, documented and documented[1])

    def test_every_sample_is_installed(self):
        listed = run("dpkg", "-L", "gateau")
        for sample in SOURCE.glob("config/*.json"):
            if sample.name != "gateau.schema.json":
                self.assertIn(f"/usr/share/doc/gateau/examples/{sample.name}\n", listed)

    def test_the_package_is_built_from_what_the_tree_is(self):
        lists = (SOURCE / "tools/lib.sh").read_text()
        needed = set(re.findall(r"\S+-dev\b", " ".join(re.findall(r"PACKAGES_(?:TOOL|BUILD)=\(([^)]*)\)", lists))))
        control = (SOURCE / "debian/control").read_text()
        for name in needed - {"libc6-dev", "libcmocka-dev"}:  # what every build has; what tests need
            self.assertRegex(control, rf"(?m)^(Build-Depends:)? *{name}( \(.*\))?,?$")

    def test_samples_pages_and_completion_are_there(self):
        listed = set(run("dpkg", "-L", "gateau").splitlines())
        # a machine may be set up to unpack no documentation; the list has it in any case
        for path in ("/usr/share/man/man1/gateau.1.gz", "/usr/share/man/man5/gateau.json.5.gz",
                     "/usr/share/man/man8/gateaud.8.gz", "/usr/share/bash-completion/completions/gateau",
                     "/usr/share/doc/gateau/examples/lab.json", "/lib/systemd/system/gateau.service",
                     "/usr/share/gateau/gateau.schema.json"):  # fmt: skip
            self.assertIn(path, listed)

    def test_the_version_is_the_package_s(self):
        version = run("dpkg-query", "-W", "-f", "${Version}", "gateau")
        self.assertEqual(run("gateau", "--version"), f"gateau {version}\n")
        self.assertEqual(run("gateaud", "--version"), f"gateaud {version}\n")


class Running(PackageTest):
    def test_it_is_active_when_it_forwards_and_says_how_it_is(self):
        self.start()
        self.assertEqual(unit("ActiveState"), "active")
        self.assertEqual(unit("StatusText"), "forwarding between 2 ports")
        self.assertIn("\nrunning\n", self.log())

    def test_it_is_nobody_special(self):
        status = status_of(self.start())
        self.assertEqual(set(status["Uid"].split()), {str(pwd.getpwnam("gateau").pw_uid)})
        self.assertEqual(set(status["Gid"].split()), {str(grp.getgrnam("gateau").gr_gid)})
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))

    def test_the_socket_is_for_root_and_the_group(self):
        self.start()
        found = SOCKET.stat()
        self.assertEqual((found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)),
                         (0, grp.getgrnam("gateau").gr_gid, 0o660))  # fmt: skip
        stranger = ["setpriv", "--reuid", "65534", "--regid", "65534"]
        ask = ["gateau", "show", "config", "-j"]
        self.assertIn("lan", run(*ask))
        self.assertIn("lan", run(*stranger, "--groups", found.st_gid, *ask))
        self.assertIn("ermission denied", run(*stranger, "--clear-groups", *ask, code=1))

    def test_metrics_and_telemetry_are_served(self):
        self.start()
        with urllib.request.urlopen("http://127.0.0.1:9095/metrics", timeout=LONG_S) as answer:
            self.assertIn("gateau_", answer.read().decode())
        self.assertTrue((SOCKET.parent / "dpdk/gateau/dpdk_telemetry.v2").is_socket())

    def test_asking_does_not_start_it(self):
        self.start()
        run("systemctl", "stop", "gateau.service")
        run("gateau", "show", "config", code=1)
        wait_until("the socket's end", lambda: not SOCKET.exists())
        self.assertEqual(unit("ActiveState"), "inactive")

    def test_the_journal_has_priorities(self):
        self.start()
        said = [json.loads(line) for line in journal((*self.since, "-o", "json")).splitlines()]
        priorities = {entry["MESSAGE"]: entry["PRIORITY"] for entry in said}
        self.assertEqual(priorities["running"], "6")
        self.assertNotIn("running", journal((*self.since, "-p", "warning")))
        CONFIG.write_text(configuration("net_pcap0,rx_pcap=/nowhere"))
        run("systemctl", "restart", "gateau.service", code=1)
        self.assertIn("cannot open device", journal((*self.since, "-p", "err")))

    def test_metrics_and_telemetry_pass_the_sandbox(self):
        self.start()
        with urllib.request.urlopen("http://127.0.0.1:9095/metrics", timeout=LONG_S) as answer:
            self.assertIn('gateau_port_info{port="wan",device="net_null1"} 1', answer.read().decode())
        self.assertTrue(Path("/run/gateau/dpdk/gateau/dpdk_telemetry.v2").is_socket())
        run("systemctl", "stop", "gateau.service")
        self.assertFalse(Path("/run/gateau/dpdk/gateau").exists())

    def test_it_ends_with_a_balanced_summary(self):
        self.start()
        run("systemctl", "stop", "gateau.service")
        self.assertEqual(unit("Result"), "success")
        self.assertIn(": balanced", self.log())

    def bandwidth(self):
        ports = json.loads(run("gateau", "show", "config", "-j"))["config"]["ports"]
        return ports[0]["scheduler"]["bandwidth"]

    def test_a_reload_takes_the_file_over_or_fails(self):
        pid = self.start()
        CONFIG.write_text(configuration(bandwidth="200mbit"))
        run("systemctl", "reload", "gateau.service")
        self.assertEqual(self.bandwidth(), "200mbit")
        CONFIG.write_text(configuration(bandwidth="fast"))
        run("systemctl", "reload", "gateau.service", code=1)
        self.assertIn("ports[0].scheduler.bandwidth", self.log())
        self.assertEqual(self.bandwidth(), "200mbit")
        self.assertEqual((unit("ActiveState"), int(unit("MainPID"))), ("active", pid))
        CONFIG.write_text(configuration(bandwidth="300mbit"))
        os.kill(pid, signal.SIGHUP)
        wait_until("the new rate", lambda: self.bandwidth() == "300mbit")
        wait_until("the end of the reload", lambda: unit("ActiveState") == "active")

    def test_it_comes_back_after_a_crash(self):
        pid = self.start()
        os.kill(pid, 9)
        wait_until("another process",
                   lambda: unit("ActiveState") == "active" and int(unit("MainPID")) != pid)  # fmt: skip
        self.assertIn("lan", run("gateau", "show", "config", "-j"))

    def test_a_file_that_is_wrong_is_told_before_anything_starts(self):
        CONFIG.write_text(configuration(bandwidth="fast"))
        run("systemctl", "start", "gateau.service", code=1)
        self.assertIn(f"{CONFIG}:1: ports[0].scheduler.bandwidth", self.log())
        self.assertNotIn("buffers:", self.log())


class Interfaces(PackageTest):
    def setUp(self):
        super().setUp()
        for name in ("lan", "wan"):
            run("ip", "link", "add", f"g-{name}", "type", "veth", "peer", f"h-{name}")
            run("ip", "link", "set", f"g-{name}", "up")
            run("ip", "link", "set", f"h-{name}", "up")
            self.addCleanup(run, "ip", "link", "del", f"g-{name}")
        CONFIG.write_text(configuration("net_af_packet0,iface=g-lan", "net_af_packet1,iface=g-wan"))

    def test_packet_sockets_need_the_drop_in(self):
        run("systemctl", "start", "gateau.service", code=1)
        self.assertIn("CAP_NET_RAW", self.log())

    def test_with_the_drop_in_frames_pass(self):
        DROPINS.mkdir(parents=True)
        run("cp", "/usr/share/gateau/systemd/af_packet.conf", DROPINS)
        run("systemctl", "daemon-reload")
        self.addCleanup(run, "systemctl", "daemon-reload")
        self.addCleanup(run, "rm", "-r", DROPINS)
        status = status_of(self.start())
        self.assertEqual(int(status["CapEff"], 16), 1 << 12 | 1 << 13)  # CAP_NET_ADMIN, CAP_NET_RAW
        received = Path("/sys/class/net/h-wan/statistics/rx_packets")
        before = int(received.read_text())
        run("ip", "addr", "add", "10.9.9.1/24", "dev", "h-lan")
        run("ping", "-c", "3", "-i", "0.2", "-W", "1", "10.9.9.2", code=1)  # asks who has it
        run("systemctl", "stop", "gateau.service")
        self.assertGreater(int(received.read_text()), before)
        self.assertEqual(unit("Result"), "success")


class Changed(PackageTest):
    def tearDown(self):
        super().tearDown()
        run("dpkg", "--purge", "gateau")

    def upgrade(self):
        """A package that is newer, and whose configuration file is another one."""
        folder = Path("/tmp/newer")
        run("rm", "-rf", folder)
        run("dpkg-deb", "-R", DEB, folder)
        control = folder / "DEBIAN/control"
        control.write_text(control.read_text().replace("\nVersion: ", "\nVersion: 9"))
        (folder / "etc/gateau/gateau.json").write_text('{"newer": true}\n')
        run("dpkg-deb", "-b", folder, "/tmp/newer.deb")
        run("dpkg", "--force-confold", "-i", "/tmp/newer.deb")

    def test_an_upgrade_keeps_what_the_operator_wrote_and_the_wire(self):
        pid = self.start()
        self.upgrade()
        self.assertEqual(CONFIG.read_text(), configuration())
        self.assertEqual(int(unit("MainPID")), pid)
        self.assertTrue(Path(f"{CONFIG}.dpkg-dist").exists())

    def test_removal_stops_it_and_keeps_the_configuration(self):
        self.start()
        run("systemctl", "enable", "gateau.service")
        run("dpkg", "--remove", "gateau")
        self.assertEqual(unit("ActiveState"), "inactive")
        self.assertEqual(CONFIG.read_text(), configuration())
        self.assertFalse(SOCKET.parent.exists())

    def test_purging_leaves_nothing(self):
        run("dpkg", "--purge", "gateau")
        before = files()
        run("dpkg", "-i", DEB)
        CONFIG.write_text(configuration())
        self.start()
        self.upgrade()
        run("dpkg", "--purge", "gateau")
        left = {name for name in files() - before
                if not name.startswith(("/run/systemd/", "/var/log/", "/var/lib/systemd/"))}  # fmt: skip
        self.assertEqual(left, set())


if __name__ == "__main__":
    SOURCE, DEB = Path(sys.argv[1]), sys.argv[2]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
