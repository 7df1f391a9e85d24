# SPDX-License-Identifier: BSD-3-Clause
"""gateaud in the virtual machine: its configuration, start, log, end and summary."""

import json
import re
import time

from machine import MachineError, say

START_S = 60  # longest time to start, or until the log has a line, on a busy host
USER = 1000
SETPRIV = "/usr/bin/setpriv"
AS_USER = f"{SETPRIV} --reuid {USER} --regid {USER} --clear-groups"


def config(nics, mtu=1500, tx_queues=1, eal=(), **scheduler):
    """A bump in the wire between two NICs; both sides send as `scheduler` says."""
    return {
        "eal": {"lcores": [1], **dict(eal)},
        "ports": [
            {"name": name, "device": nic.address, "mtu": mtu, "tx_queues": tx_queues,
             "scheduler": {"bandwidth": "unlimited", "flowmode": "dual-srchost", **scheduler}}
            for name, nic in zip("ab", nics)
        ],
        "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}],
    }  # fmt: skip


class Gateaud:
    """A gateaud that forwards; use in a `with` block. `before`: what to put before the command."""

    def __init__(self, machine, what, before=""):
        self._machine = machine
        machine.write("/run/gateaud.json", json.dumps(what))
        machine.must("gateau check /run/gateaud.json")
        machine.must(f"{before} gateaud -c /run/gateaud.json -j >/run/out 2>/run/err & echo $! >/run/pid")
        try:
            self.wait_for("gateaud: running")
            self._wait_for_links()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._machine.run("kill -9 $(cat /run/pid); wait $(cat /run/pid); cat /run/err")

    def log(self):
        return self._machine.run("cat /run/err", quiet=True)[1]

    def wait_for(self, *lines):
        """Until its log has all of `lines`, in this order."""
        self._wait(" and ".join(lines), lambda log: re.search(".*".join(map(re.escape, lines)), log, re.S))

    def _wait_for_links(self):
        """Until no port's link is down, by what was said last of each."""

        def none_down(log):
            last = dict(re.findall(r"port (\S+): link is (up|down)", log))
            return "down" not in last.values()

        self._wait("links", none_down)

    def _wait(self, what, condition):
        end = time.monotonic() + START_S
        while not condition(self.log()):
            ended, _ = self._machine.run("kill -0 $(cat /run/pid)", quiet=True)
            if ended or time.monotonic() > end:
                raise MachineError(f"gateaud: {what}: {'it ended' if ended else 'not in time'}")
            time.sleep(0.2)

    def reload(self, what):
        """Have `what` in force by SIGHUP."""
        self._machine.write("/run/gateaud.json", json.dumps(what))
        self._machine.must("kill -HUP $(cat /run/pid)")
        self.wait_for("gateaud: reload: generation")

    def kill(self):
        """As the kernel would, without a chance to put anything in order."""
        self._machine.must("kill -9 $(cat /run/pid); wait $(cat /run/pid) || true")

    def stop(self):
        """Returns (what it said, summary)."""
        code, _ = self._machine.run("kill $(cat /run/pid); wait $(cat /run/pid)")
        log = self._machine.must("cat /run/err")
        _, out = self._machine.run("cat /run/out", quiet=True)
        if code:
            raise MachineError(f"gateaud ended with exit code {code}")
        summary = json.loads(out)
        say(f"summary: {summary['balance']}, mbufs {summary['mbufs']}")
        return log, summary


def refusal(machine, what, before=""):
    """What gateaud says that does not start."""
    machine.write("/run/gateaud.json", json.dumps(what))
    code, text = machine.run(f"{before} timeout 60 gateaud -c /run/gateaud.json")
    if code != 1:
        raise MachineError(f"gateaud, that should not start, ended with exit code {code}")
    return text
