# SPDX-License-Identifier: BSD-3-Clause
"""The far end of an emulated NIC's cable: a pair of UNIX datagram sockets, one Ethernet frame in each
datagram. Neither side drops: qemu waits where a socket or a NIC is full."""

import socket
import time

FRAME_MAX = 65536
BUFFER_BYTES = 1 << 20


class Wire:
    """Use in a `with` block. `path`: beginning of the names of its two sockets."""

    def __init__(self, path):
        self._here, self._there = f"{path}.host", f"{path}.nic"
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        self._sock.bind(self._here)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._sock.close()

    def netdev(self):
        """What -netdev dgram needs to know."""
        return (f"local.type=unix,local.path={self._there},"
                f"remote.type=unix,remote.path={self._here}")  # fmt: skip

    def send(self, frame):
        self._sock.settimeout(10)
        self._sock.sendto(frame, self._there)

    def receive(self, seconds):
        """The next frame, or None if none comes within `seconds`."""
        self._sock.settimeout(max(seconds, 0.001))
        try:
            return self._sock.recv(FRAME_MAX)
        except TimeoutError:
            return None

    def clear(self):
        """Forget what has arrived."""
        while self.receive(0.001) is not None:
            pass


def exchange(source, target, frames, window=32, seconds=30):
    """Send `frames` into one wire and take what comes out of the other until as many have, at most
    `window` of them on their way at a time. Returns (frames received, seconds from the first sent
    to the last received)."""
    received, sent = [], 0
    start = last = time.monotonic()
    while len(received) < len(frames) and time.monotonic() - last < seconds:
        while sent < len(frames) and sent - len(received) < window:
            source.send(frames[sent])
            sent += 1
        frame = target.receive(seconds)
        if frame is not None:
            received.append(frame)
            last = time.monotonic()
    return received, last - start
