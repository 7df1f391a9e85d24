#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Metrics over HTTP as a scraper meets them, and as a hostile client does. $GATEAUD and $GATEAU are the
programs."""

import http.client
import os
import random
import re
import socket
import stat
import subprocess
import time
import unittest
from pathlib import Path

from gateaud import STOP_S, GateaudTest

CLIENTS_MAX = 16  # ctl/http.h
WAIT_S = 30
OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PLAIN = "text/plain; version=0.0.4; charset=utf-8"


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a socket file."""

    def __init__(self, path):
        super().__init__("localhost", timeout=WAIT_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(WAIT_S)
        self.sock.connect(str(self.path))


class MetricsTest(GateaudTest):
    def launch(self, listen="127.0.0.1:0", source="net_null0", **changes):
        """Start gateaud; self.address is where its metrics are."""
        metrics = {"listen": listen} if listen else {}
        config = self.config(source, "net_null1", metrics=metrics, **changes)
        self.process = self.start("-c", config, "-j")
        self.wait_for_line(self.process, "gateaud: running")
        found = re.search(r"http://\[?([0-9.:]+?)\]?:(\d+)/metrics", self.err())
        self.address = (found[1], int(found[2])) if found else None

    def ask(self, method="GET", path="/metrics", connection=None, **headers):
        """(response, its body as text)"""
        connection = connection or http.client.HTTPConnection(*self.address, timeout=WAIT_S)
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response, body

    def assert_answers(self):
        response, body = self.ask()
        self.assertEqual(response.status, 200)
        self.assertIn("\ngateau_config_generation 1\n", body)

    def value(self, sample):
        _, body = self.ask()
        found = re.search(rf"(?m)^{re.escape(sample)} (\S+)$", body)
        self.assertIsNotNone(found, f"{sample} is not in\n{body}")
        return float(found[1])


class Answers(MetricsTest):
    def test_what_is_forwarded_is_counted(self):
        self.launch()
        sent = 'gateau_sent_packets_total{port="b",queue="0"}'
        self.wait_until("frames", lambda: self.value(sent) > 1000)
        summary = self.summary(self.process)
        self.assertGreater(summary["ports"][1]["tx_packets"], 1000)

    def test_the_format_is_what_the_client_asks_for(self):
        self.launch()
        response, body = self.ask(Accept="application/openmetrics-text;version=1.0.0,*/*;q=0.1")
        self.assertEqual(response.headers["Content-Type"], OPEN)
        self.assertTrue(body.endswith("\n# EOF\n"))
        self.assertIn("# TYPE gateau_build info\n", body)
        for accept in {}, {"Accept": "text/plain"}:
            response, body = self.ask(**accept)
            self.assertEqual(response.headers["Content-Type"], PLAIN)
            self.assertNotIn("# EOF", body)
            self.assertIn("# TYPE gateau_sent_packets_total counter\n", body)

    def test_there_is_nothing_else(self):
        self.launch()
        for path in "/", "/metrics/", "/metricsx", "/../etc/passwd", "//metrics":
            self.assertEqual(self.ask(path=path)[0].status, 404, path)
        for method in "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE":
            response, _ = self.ask(method)
            self.assertEqual(response.status, 405, method)
            self.assertEqual(response.headers["Allow"], "GET, HEAD")
        response, body = self.ask("HEAD")
        self.assertEqual((response.status, body), (200, ""))
        self.assertEqual(self.ask(path="/metrics?name=x")[0].status, 200)

    def test_a_request_has_8_kb_at_most(self):
        self.launch()
        self.assertEqual(self.ask(X="x" * 6000)[0].status, 200)
        self.assertIn(self.ask(X="x" * 8192)[0].status, (413, 431))
        self.assert_answers()

    def test_an_answer_ends_its_connection(self):
        self.launch()
        self.assertEqual(self.ask()[0].headers["Connection"], "close")

    def test_queues_are_not_visited_for_each_of_many_questions(self):
        """What is asked for twice at once is the same text, uptime included."""
        self.launch()
        same = 0
        for _ in range(20):
            same += self.ask()[1] == self.ask()[1]
        self.assertGreater(same, 0)


class Changes(MetricsTest):
    def samples(self):
        """All counters, by series: what may only grow."""
        time.sleep(0.25)  # an answer is given again for 0.2 s
        _, body = self.ask()
        return {series: float(value) for series, value in
                re.findall(r"(?m)^(\w+_(?:total|bucket|count|sum)(?:{.*})?) (\S+)$", body)}  # fmt: skip

    def change(self, *keys):
        subprocess.run([os.environ["GATEAU"], "set", "b", *keys], check=True, capture_output=True,
                       env={**os.environ, "GATEAU_SOCKET": str(self.socket)})  # fmt: skip

    def test_no_counter_goes_back_when_the_configuration_changes(self):
        self.launch(scheduler={"bandwidth": "100mbit", "diffserv": "diffserv4"})
        for n, keys in enumerate((("bandwidth", "50mbit"), ("diffserv", "diffserv3"),
                                  ("flowmode", "flows"), ("bandwidth", "200mbit")), 2):  # fmt: skip
            before = self.samples()
            self.change(*keys)
            after = self.samples()
            back = {s: (v, after[s]) for s, v in before.items() if after.get(s, v) < v}
            self.assertEqual(back, {}, keys)
            self.assertEqual(self.value("gateau_config_generation"), n)
        self.assertEqual(self.value('gateau_bandwidth_bytes_per_second{port="b"}'), 25000000)
        self.summary(self.process)


class Documented(MetricsTest):
    def rows(self, body):
        """The table of docs/operations.md: what each family says of itself, and its labels."""
        for name, text in re.findall(r"(?m)^# HELP (\S+) (.*)$", body):
            kind = re.search(rf"(?m)^# TYPE {name} (\S+)$", body)[1]
            samples = re.findall(rf"(?m)^{name}(?:_bucket)?(?:{{(.*)}})? \S+$", body)
            labels = max((re.findall(r'(\w+)="', sample) for sample in samples), key=len)
            yield f"| `{name}` | {kind} | {', '.join(labels)} | {text} |"

    def test_every_metric_is_listed_with_its_meaning(self):
        self.launch(egress={"tx_queues": 2, "steer": "flow", "scheduler": {"bandwidth": "1gbit"}})
        wanted = "\n".join(self.rows(self.ask()[1])) + "\n"
        docs = (Path(__file__).parents[2] / "docs/operations.md").read_text()
        block = re.search(r"<!-- metrics -->\n.*\n\|---.*\n((?:.*\n)*?)<!-- end -->\n", docs)[1]
        self.assertEqual(block, wanted, f"docs/operations.md must have:\n{wanted}")


class Places(MetricsTest):
    def test_ipv6(self):
        addresses = Path("/proc/net/if_inet6")
        if not addresses.exists() or not addresses.read_text():
            self.skipTest("no IPv6 on this machine")
        self.launch("[::1]:0")
        self.assert_answers()

    def test_a_socket_file(self):
        path = self.path("metrics.sock")
        self.launch(f"unix:{path}")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o660)
        self.assertIn("gateau_build_info", self.ask(connection=UnixConnection(path))[1])
        self.summary(self.process)
        self.assertFalse(path.exists())

    def test_off_is_off(self):
        self.launch("off")
        self.assertNotIn("metrics", self.err())
        with open(f"/proc/{self.process.pid}/net/tcp") as table:
            listening = {line.split()[9] for line in table if line.split()[3] == "0A"}
        links = {os.readlink(f"/proc/{self.process.pid}/fd/{fd}")
                 for fd in os.listdir(f"/proc/{self.process.pid}/fd")}  # fmt: skip
        self.assertFalse({f"socket:[{inode}]" for inode in listening} & links)

    def occupied(self):
        """A port that somebody listens at."""
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        return taken.getsockname()[1]

    def test_an_address_that_was_named_must_be_had(self):
        listen = f"127.0.0.1:{self.occupied()}"
        process = self.start("-c", self.config("net_null0", "net_null1", metrics={"listen": listen}))
        self.assertEqual(process.wait(STOP_S), 1)
        self.assertIn(f"gateaud: metrics: cannot listen at {listen} (Address already in use)\n",
                      self.err())  # fmt: skip
        self.assertNotIn("running", self.err())

    def test_the_default_is_done_without_where_it_cannot_be_had(self):
        """Whoever has it, this test or a gateaud of another one: two cannot."""
        try:
            self.addCleanup(socket.create_server(("127.0.0.1", 9095)).close)
        except OSError:
            pass
        self.launch(None)
        self.assertIn("gateaud: warning: metrics: no HTTP at 127.0.0.1:9095 (Address already in use)",
                      self.err())  # fmt: skip
        self.summary(self.process)


class Hostile(MetricsTest):
    def connect(self):
        client = socket.create_connection(self.address)
        self.addCleanup(client.close)
        client.settimeout(WAIT_S)
        return client

    def silent(self):
        return self.connect()

    def half(self):
        client = self.connect()
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-A: ")
        return client

    def endless_header(self):
        client = self.connect()
        client.settimeout(0.05)
        try:
            client.sendall(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 1000000)
        except OSError:
            pass
        return client

    def endless_body(self):
        client = self.connect()
        client.settimeout(0.05)
        try:
            client.sendall(b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n")
            client.sendall(b"x" * 1000000)
        except OSError:
            pass
        return client

    def never_reads(self):
        client = self.connect()
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
        return client

    def garbage(self):
        client = self.connect()
        client.sendall(self.random.randbytes(self.random.randrange(1, 2000)) + b"\r\n\r\n")
        return client

    def gone_at_once(self):
        client = self.half()
        client.close()
        return client

    def test_hundreds_of_them_harm_nobody(self):
        self.random = random.Random(1)
        self.launch()
        count_fds = lambda: len(os.listdir(f"/proc/{self.process.pid}/fd"))  # noqa: E731
        before = count_fds()
        kinds = [self.silent, self.half, self.endless_header, self.endless_body, self.never_reads,
                 self.garbage, self.gone_at_once]  # fmt: skip
        clients = []
        for n in range(300):
            clients.append(self.random.choice(kinds)())
            if len(clients) > 3 * CLIENTS_MAX:
                clients.pop(0).close()
            if n % 20 == 0:
                self.assert_answers()
                self.assertLessEqual(count_fds(), before + 2 * CLIENTS_MAX + 1)
        self.assert_answers()
        for client in clients:
            client.close()
        self.wait_until("clients forgotten", lambda: count_fds() <= before)
        self.summary(self.process)

    def test_a_client_that_says_nothing_is_closed(self):
        self.launch()
        client = self.silent()
        dribble = self.connect()
        end = time.monotonic() + WAIT_S
        try:
            while time.monotonic() < end:
                dribble.sendall(b"G")  # always busy, never done
                time.sleep(0.2)
        except OSError:
            pass
        self.assertLess(time.monotonic(), end)
        try:
            self.assertEqual(client.recv(1), b"")
        except ConnectionResetError:
            pass


if __name__ == "__main__":
    unittest.main(verbosity=2)
