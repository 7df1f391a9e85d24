#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateaud's metrics, the alerts and the dashboard as a real Prometheus takes them.

$GATEAUD is the program; prometheus and promtool are in $PROMETHEUS or on the path. It listens on this
machine's loopback and keeps its data in a temporary folder.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

from gateaud import GateaudTest

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "config/prometheus/gateau.rules.yml"
SCRAPE = ROOT / "config/prometheus/prometheus.yml"
DASHBOARD = ROOT / "config/grafana/gateau.json"
SEARCH = f"{os.environ.get('PROMETHEUS', '')}:{os.environ['PATH']}"
PROMETHEUS, PROMTOOL = shutil.which("prometheus", path=SEARCH), shutil.which("promtool", path=SEARCH)
SKIPPED = 77

NAME = re.compile(r"\bgateau_\w+")


def promtool(*args, cwd=None, **how):
    """(exit code, what it said)"""
    done = subprocess.run([PROMTOOL, *map(str, args)], cwd=cwd, capture_output=True, text=True, **how)
    return done.returncode, done.stdout + done.stderr


def dashboard_queries():
    """All that the dashboard asks, its variables left in."""
    dashboard = json.loads(DASHBOARD.read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield re.fullmatch(r"label_values\((.*), \w+\)", variable["query"])[1]


class Files(unittest.TestCase):
    def test_the_rules_and_the_scrape_configuration_are_valid(self):
        for kind, path in ("rules", RULES), ("config", SCRAPE):
            code, said = promtool("check", kind, path)
            self.assertEqual(code, 0, said)

    def test_each_alert_fires_for_what_it_is_about(self):
        code, said = promtool("test", "rules", ROOT / "tests/watch/rules_test.yml")
        self.assertEqual(code, 0, said)

    def test_each_alert_is_tested_and_documented(self):
        alerts = re.findall(r"- alert: (\w+)", RULES.read_text())
        tests = (ROOT / "tests/watch/rules_test.yml").read_text()
        docs = (ROOT / "docs/operations.md").read_text()
        for alert in alerts:
            self.assertRegex(tests, rf"alertname: {alert}\n +exp_alerts")
            self.assertIn(f"| `{alert}` |", docs)
        self.assertEqual(set(re.findall(r"(?m)^\| `(Gateau\w+)` \|", docs)), set(alerts))


class Dashboard(unittest.TestCase):
    """What Grafana would show crooked, or not at all."""

    def setUp(self):
        self.dashboard = json.loads(DASHBOARD.read_text())
        self.panels = self.dashboard["panels"]

    def test_panels_have_numbers_and_places_of_their_own(self):
        self.assertEqual(len({panel["id"] for panel in self.panels}), len(self.panels))
        taken = set()
        for panel in self.panels:
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"])
                     for y in range(at["y"], at["y"] + at["h"])}  # fmt: skip
            self.assertFalse(cells & taken, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            taken |= cells

    def test_variables_are_declared(self):
        declared = {"$" + variable["name"] for variable in self.dashboard["templating"]["list"]}
        used = set(re.findall(r"\$\w+", " ".join(dashboard_queries())))
        self.assertEqual(used - declared, {"$__rate_interval"})  # Grafana's own
        self.assertEqual({"$datasource"} | used - {"$__rate_interval"}, declared)


class Running(GateaudTest):
    """One gateaud, and for what needs it one Prometheus."""

    def setUp(self):
        super().setUp()
        scheduler = {"bandwidth": "100mbit", "diffserv": "diffserv4"}
        config = self.config("net_null0", "net_null1", metrics={"listen": "127.0.0.1:0"},
                             egress={"tx_queues": 2, "steer": "flow", "scheduler": scheduler})  # fmt: skip
        self.gateaud = self.start("-c", config, "-j")
        self.wait_for_line(self.gateaud, "gateaud: running")
        self.target = re.search(r"http://(\S+)/metrics", self.err())[1]

    def fetch(self):
        with urllib.request.urlopen(f"http://{self.target}/metrics", timeout=30) as answer:
            return answer.read().decode()

    def test_promtool_has_nothing_to_say(self):
        code, said = promtool("check", "metrics", input=self.fetch())
        self.assertEqual((code, said), (0, ""))

    def test_there_is_all_that_rules_and_dashboard_name(self):
        there = set(re.findall(r"(?m)^(gateau_\w+)", self.fetch()))
        named = set(NAME.findall(RULES.read_text()))
        for query in dashboard_queries():
            named |= set(NAME.findall(query))
        self.assertGreater(len(named), 30)
        self.assertEqual(named - there, set())

    def start_prometheus(self):
        """It scrapes as config/prometheus/ says, but once a second, and this gateaud."""
        shutil.copy(RULES, self.folder)
        text = SCRAPE.read_text().replace("127.0.0.1:9095", self.target).replace("15s", "1s")
        self.assertIn(self.target, text)
        self.path("prometheus.yml").write_text(text)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.api = f"127.0.0.1:{free.getsockname()[1]}"
        with self.path("prometheus.log").open("w") as log:
            process = subprocess.Popen(
                [PROMETHEUS, f"--config.file={self.path('prometheus.yml')}",
                 f"--storage.tsdb.path={self.path('data')}", f"--web.listen-address={self.api}"],
                stdout=log, stderr=log)  # fmt: skip
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def ask(self, what, **params):
        url = f"http://{self.api}/api/v1/{what}?{urllib.parse.urlencode(params)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return json.load(answer)["data"]
        except OSError as err:
            if getattr(err, "code", 503) == 503:
                return None  # not there yet
            self.fail(f"{params}: {err.read().decode()}")

    def query(self, text):
        """Its samples: [(labels, number)], None if Prometheus is not there yet."""
        data = self.ask("query", query=text)
        return data and [(r["metric"], float(r["value"][1])) for r in data["result"]]

    def check_target(self):
        """It was read as OpenMetrics, whose parser is strict."""
        target = self.ask("targets")["activeTargets"][0]
        self.assertEqual((target["health"], target["lastError"]), ("up", ""))
        meta = self.ask("metadata", metric="gateau_sent_packets")["gateau_sent_packets"][0]
        self.assertEqual((meta["type"], meta["unit"]), ("counter", "packets"))

    def check_queries(self):
        values = {"$instance": self.target, "$port": ".*", "$queue": ".*", "$__rate_interval": "1m"}
        for text in dashboard_queries():
            for variable, value in values.items():
                text = text.replace(variable, value)
            self.assertNotIn("$", text)
            self.assertIsNotNone(self.query(text))

    def check_rules(self):
        rules = self.ask("rules")["groups"][0]["rules"]
        self.assertEqual(len(rules), RULES.read_text().count("- alert:"))
        for rule in rules:
            self.assertEqual(rule.get("lastError", ""), "", rule["name"])
            self.assertEqual(rule["health"], "ok", rule["name"])

    def test_prometheus_reads_and_answers(self):
        self.start_prometheus()
        sent = 'gateau_sent_packets_total{port="b", queue="0"}'
        sojourn = "histogram_quantile(0.5, sum by (le) (rate(gateau_sojourn_seconds_bucket[1m])))"
        self.wait_until("a first sample", lambda: self.query(sent))
        self.wait_until("a rate", lambda: (self.query(sojourn) or [({}, 0)])[0][1] > 0)
        self.wait_until("rules", lambda: self.ask("rules")["groups"][0]["rules"][0]["health"] == "ok")
        self.assertEqual(self.query("up")[0][1], 1)
        self.assertEqual(self.query("gateau_bandwidth_bytes_per_second{port='b'}")[0][1], 12500000)
        self.check_target()
        self.check_queries()
        self.check_rules()
        counted = self.query(sent)[0][1]
        summary = self.summary(self.gateaud)
        self.assertLessEqual(counted, summary["ports"][1]["queues"][0]["tx_packets"])


if __name__ == "__main__":
    if not (PROMETHEUS and PROMTOOL):
        print("skipped: neither prometheus nor promtool is here; `tools/check watch` unpacks them")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
