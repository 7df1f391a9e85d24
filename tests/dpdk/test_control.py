#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The control socket as a client meets it, well-behaved and not. $GATEAUD and $GATEAU are the
programs."""

import json
import os
import random
import socket
import stat
import subprocess
import time
import unittest

from gateaud import GateaudTest

GATEAU = os.environ["GATEAU"]
REQUEST_MAX, CLIENTS_MAX = 1 << 20, 16  # ctl/protocol.h
SESSIONS = 1000
WAIT_S = 30


class ControlTest(GateaudTest):
    def setUp(self):
        super().setUp()
        self.process = self.start("-c", self.config("net_null0", "net_null1"), "-j")
        self.wait_for_line(self.process, "gateaud: running")

    def connect(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(client.close)
        client.connect(str(self.socket))  # waits where many do
        client.settimeout(WAIT_S)
        return client

    @staticmethod
    def read_all(client):
        data = b""
        try:
            while part := client.recv(65536):
                data += part
        except ConnectionResetError:
            pass  # closed with some of the request unread; the answer has come before that
        return data

    def ask(self, data):
        """The answer to these bytes."""
        client = self.connect()
        client.sendall(data)
        return json.loads(self.read_all(client))

    def gateau(self, *argv, **env):
        return subprocess.run([GATEAU, *argv], capture_output=True, text=True, timeout=WAIT_S,
                              env={**os.environ, "GATEAU_SOCKET": str(self.socket), **env})  # fmt: skip

    def assert_answers(self):
        answer = self.ask(b'{"op": "version"}\n')
        self.assertTrue(answer["ok"], answer)
        self.assertEqual(answer["result"]["pid"], self.process.pid)


class Protocol(ControlTest):
    def assert_refused(self, data, why):
        answer = self.ask(data)
        self.assertFalse(answer["ok"])
        self.assertIn(why, answer["error"])

    def test_what_is_no_request_is_refused_with_the_reason(self):
        self.assert_refused(b"\n", "a request is one line with a JSON object")
        self.assert_refused(b"[]\n", "a request is one line with a JSON object")
        self.assert_refused(b'{"op": "version"\n', "a request is one line with a JSON object")
        self.assert_refused(b'{"op": "version", "op": "version"}\n', "one line with a JSON object")
        self.assert_refused(b'{"op": 1}\n', '"op", a string')
        self.assert_refused(b"{}\n", '"op", a string')
        self.assert_refused(b'{"op": "vers"}\n', 'no operation "vers"')
        self.assert_refused(b"[" * 100000 + b"\n", "a request is one line with a JSON object")
        self.assert_answers()

    def test_an_error_quotes_a_token_at_most(self):
        answer = self.ask(b'{"op": "' + b"x" * 100000 + b'"}\n')
        self.assertLess(len(answer["error"]), 100)

    def test_a_token_that_is_cut_in_a_character_is_answered(self):
        answer = self.ask(json.dumps({"op": "x" + "ä" * 50}, ensure_ascii=False).encode() + b"\n")
        self.assertFalse(answer["ok"])

    def test_a_request_may_come_in_pieces(self):
        client = self.connect()
        for byte in b'{"op": "version"}\n':
            client.sendall(bytes([byte]))
            time.sleep(0.002)
        self.assertTrue(json.loads(self.read_all(client))["ok"])

    def test_a_request_that_is_too_long_is_refused(self):
        client = self.connect()
        try:
            client.sendall(b" " * (REQUEST_MAX + 1))
        except OSError:
            pass  # it need not read more than it takes
        self.assertIn("too long", json.loads(self.read_all(client))["error"])
        self.assert_answers()

    def test_who_is_not_of_the_group_may_not_connect(self):
        mode = os.stat(self.socket).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o660)

    def test_the_socket_is_gone_after_the_end(self):
        self.summary(self.process)
        self.assertFalse(self.socket.exists())

    def test_a_socket_that_was_left_behind_is_replaced_one_in_use_is_not(self):
        self.process.kill()
        self.process.wait()
        self.assertTrue(self.socket.exists())
        self.process = self.start("-c", self.path("gateaud.json"), "-j")
        self.wait_for_line(self.process, "gateaud: running")
        self.assert_answers()
        second = self.start("-c", self.path("gateaud.json"), "-s", self.socket)
        self.assertEqual(second.wait(WAIT_S), 1)
        self.assertIn("another process listens there", self.err())
        self.assert_answers()


class Hostile(ControlTest):
    def count_fds(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def silent(self):
        return self.connect()

    def half(self):
        client = self.connect()
        client.sendall(b'{"op": "ver')
        return client

    def a_megabyte(self):
        client = self.connect()
        client.settimeout(0.01)
        try:
            client.sendall(bytes(REQUEST_MAX))
        except OSError:
            pass
        return client

    def never_reads(self):
        client = self.connect()
        client.sendall(b'{"op": "version"}\n')
        return client

    def gone_at_once(self):
        client = self.connect()
        client.sendall(b'{"op": "version"}\n')
        client.close()
        return client

    def garbage(self):
        client = self.connect()
        client.sendall(self.random.randbytes(self.random.randrange(2000)) + b"\n")
        return client

    def deep(self):
        client = self.connect()
        client.sendall(b'{"op":' * 10000 + b"\n")
        return client

    def test_a_thousand_sessions_harm_nobody(self):
        self.random = random.Random(1)
        before = self.count_fds()
        kinds = [self.silent, self.half, self.a_megabyte, self.never_reads, self.gone_at_once,
                 self.garbage, self.deep]  # fmt: skip
        open_clients = []
        for n in range(SESSIONS):
            open_clients.append(self.random.choice(kinds)())
            if len(open_clients) > 3 * CLIENTS_MAX:
                open_clients.pop(self.random.randrange(len(open_clients))).close()
            if n % 50 == 0:
                self.assert_answers()
        self.assert_answers()
        for client in open_clients:
            client.close()
        self.wait_until("clients forgotten", lambda: self.count_fds() == before)
        self.summary(self.process)

    def test_a_client_that_says_nothing_is_closed(self):
        self.assertEqual(self.read_all(self.silent()), b"")
        self.assertEqual(self.read_all(self.half()), b"")


class Client(ControlTest):
    def test_it_finds_the_socket(self):
        self.assertEqual(self.gateau("show").returncode, 0)
        done = self.gateau("show", "--socket", str(self.socket), GATEAU_SOCKET="/nowhere")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nobody_there_is_told(self):
        done = self.gateau("show", GATEAU_SOCKET="/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "gateau show: control socket /nowhere: No such file or "
                                      "directory; is gateaud running?\n")  # fmt: skip


class Config(ControlTest):
    def test_what_is_in_force_has_its_defaults_and_a_generation(self):
        done = self.gateau("show", "config", "-j")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(done.stdout)
        self.assertEqual(shown["generation"], 1)
        port = shown["config"]["ports"][1]
        self.assertEqual((port["name"], port["device"], port["mtu"]), ("b", "net_null1", 1500))
        self.assertEqual(port["scheduler"]["flowmode"], "triple-isolate")
        text = self.gateau("show", "config").stdout
        self.assertEqual(text.split("\n", 1)[0], "generation 1")
        self.assertEqual(json.loads(text.split("\n", 1)[1]), shown["config"])


if __name__ == "__main__":
    unittest.main()
