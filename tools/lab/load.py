# SPDX-License-Identifier: BSD-3-Clause
"""Traffic over a Lab: TCP transfers by iperf3 and pings. Starts, stops and reads their results."""

import json
import re
import signal
import statistics

from lab import LabError

EF, CS1 = 0xB8, 0x20  # TOS bytes of DSCP 46 and DSCP 8
CONNECT_MS = 5000


class Transfers:
    """`flows` TCP cubic connections from host a to an address of host b, one iperf3 pair."""

    _next_port = 5201

    def __init__(self, lab, to, flows, seconds, tos=0, source=None):
        port, Transfers._next_port = Transfers._next_port, Transfers._next_port + 1
        self._seconds = seconds
        self.server = lab.start("b", "iperf3", "-s", "-p", port, "--forceflush")
        self.server.wait_for_text("Server listening")
        bind = ["-B", source] if source else []
        self.client = lab.start(
            "a", "iperf3", "-c", to, "-p", port, "-C", "cubic", "-P", flows, "-t", seconds,
            "-S", tos, "-J", "--connect-timeout", CONNECT_MS, *bind,
        )  # fmt: skip

    def finish(self):
        """Wait for the end. Returns the bit/s of payload that arrived."""
        self.client.wait(self._seconds + 15)
        self.server.stop()
        try:
            result = json.loads(self.client.out())
            if "error" in result:
                raise LabError(f"iperf3: {result['error']}")
            return result["end"]["sum_received"]["bits_per_second"]
        except (ValueError, KeyError):
            words = self.client.out() + self.client.err()
            raise LabError(f"iperf3 gave no result: {words}") from None

    def abandon(self):
        """End it without a result."""
        self.client.kill()
        self.server.kill()


class Flood:
    """`flows` UDP flows of full frames from host a to an address of host b, `rate` in all, whatever
    becomes of them; until abandon()."""

    def __init__(self, lab, to, flows, rate, seconds, source):
        port, Transfers._next_port = Transfers._next_port, Transfers._next_port + 1
        self.server = lab.start("b", "iperf3", "-s", "-p", port, "--forceflush")
        self.server.wait_for_text("Server listening")
        self.client = lab.start(
            "a", "iperf3", "-c", to, "-p", port, "-u", "-l", 1400, "-b", rate // flows, "-P", flows,
            "-t", seconds, "-B", source, "--connect-timeout", CONNECT_MS,
        )  # fmt: skip

    def abandon(self):
        """End it without a result."""
        self.client.kill()
        self.server.kill()


class Ping:
    """Echo requests from host a, every `interval` seconds, until finish()."""

    def __init__(self, lab, to, interval=0.02, tos=0, size=56):
        self._process = lab.start(
            "a", "ping", "-n", "-i", interval, "-Q", tos, "-s", size, "-W", 5, to
        )

    def finish(self):
        self._process.stop(signal.SIGINT)
        text = self._process.out()
        times = [float(t) for t in re.findall(r"time=([\d.]+) ms", text)]
        counts = re.search(r"(\d+) packets transmitted, (\d+) received", text)
        if not counts or not times:
            raise LabError(f"ping had no answer: {text}{self._process.err()}")
        return PingResult(times, int(counts[1]), int(counts[2]))


class PingResult:
    """Round-trip times in ms of the answers that came."""

    def __init__(self, times, sent, received):
        self.sent, self.lost = sent, sent - received
        self.quarter = sorted(times)[len(times) // 4]
        self.median, self.maximum = statistics.median(times), max(times)
        # The smallest time that 95 % of the answers do not exceed.
        self.p95 = sorted(times)[max(0, -(-len(times) * 95 // 100) - 1)]
