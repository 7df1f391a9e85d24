#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud as a service manager sees it: a notify socket of the test's own, a watchdog, and a control
socket that is passed on. $GATEAUD is the program."""

import json
import os
import signal
import socket
import time
import unittest

from gateaud import START_S, STOP_S, GateaudTest

LISTEN_FDS_START = 3  # sd_listen_fds(3)


class Service(GateaudTest):
    def setUp(self):
        super().setUp()
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.notify.close)
        self.notify.bind(str(self.path("notify")))
        self.notify.settimeout(START_S)

    def serve(self, config, **how):
        env = {**os.environ, "GATEAU_SOCKET": str(self.socket), "NOTIFY_SOCKET": str(self.path("notify")),
               **how.pop("env", {})}  # fmt: skip
        return self.start("-c", config, "-j", env=env, **how)

    def messages(self, until):
        """All that is told until a message with the assignment `until`, as a list of them."""
        told = []
        while until not in told:
            told += self.notify.recv(4096).decode().splitlines()
        return told

    def test_ready_comes_when_it_forwards_and_stopping_when_it_ends(self):
        process = self.serve(self.config("net_null0", "net_null1"))
        self.assertEqual(self.messages("READY=1"), ["STATUS=forwarding between 2 ports", "READY=1"])
        self.assertIn("gateaud: running", self.err())
        self.assertGreater(self.summary(process)["balance"]["sent"], 0)
        self.assertEqual(self.messages("STATUS=sending what is queued"),
                         ["STOPPING=1", "STATUS=sending what is queued"])  # fmt: skip
        self.notify.setblocking(False)
        self.assertRaises(BlockingIOError, self.notify.recv, 4096)

    def test_a_reload_is_told_from_its_beginning_to_its_end(self):
        config = self.config("net_null0", "net_null1", scheduler={"bandwidth": "100mbit"})
        process = self.serve(config)
        self.messages("READY=1")
        good = config.read_text().replace("100mbit", "50mbit")
        for text, taken in ((good, True), ("{", False)):
            with self.subTest(text=text):
                config.write_text(text)
                begun = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
                process.send_signal(signal.SIGHUP)
                told = [line for line in self.messages("READY=1") if not line.startswith("STATUS=")]
                self.assertEqual((told[0], told[2:]), ("RELOADING=1", ["READY=1"]))
                name, at = told[1].split("=")
                self.assertEqual(name, "MONOTONIC_USEC")
                self.assertTrue(begun <= int(at) <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000)
                self.assertEqual("going on as before" in self.err(), not taken, self.err())
        self.summary(process)

    def test_who_cannot_start_is_never_ready(self):
        process = self.serve(self.config("net_null0", "net_cookies0"))
        self.assertEqual(process.wait(STOP_S), 1)
        self.notify.setblocking(False)
        self.assertRaises(BlockingIOError, self.notify.recv, 4096)

    def test_a_watchdog_is_kept_alive(self):
        # Signs come, twice a second; none is due in particular: the machine may stall.
        process = self.serve(self.config("net_null0", "net_null1"), env={"WATCHDOG_USEC": "1000000"})
        self.messages("READY=1")
        for _ in range(3):
            self.messages("WATCHDOG=1")
        self.summary(process)

    def test_a_socket_that_is_passed_on_is_used_and_left_in_place(self):
        path = self.path("passed.sock")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        listener.bind(str(path))
        listener.listen()
        fd = listener.fileno()
        # the process's own number is known to the shell that becomes it
        pass_on = f'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" {LISTEN_FDS_START}<&{fd}'
        process = self.serve(self.config("net_null0", "net_null1"), pass_fds=[fd],
                             before=["sh", "-c", pass_on, "sh"])  # fmt: skip
        self.messages("READY=1")
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(client.close)
        client.settimeout(START_S)
        client.connect(str(path))
        client.sendall(b'{"op": "version"}\n')
        answer = json.loads(client.makefile().read())
        self.assertEqual(answer["result"]["pid"], process.pid)
        self.assertFalse(self.socket.exists())
        self.summary(process)
        self.assertTrue(path.exists())


if __name__ == "__main__":
    unittest.main()
