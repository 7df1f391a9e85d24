#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`gateau top` on a terminal of tmux's. $GATEAUD and $GATEAU are the programs."""

import os
import subprocess
import time
import unittest

from gateaud import GateaudTest

GATEAU = os.environ["GATEAU"]
WAIT_S = 30


class TopTest(GateaudTest):
    def setUp(self):
        super().setUp()
        config = self.config("net_null0", "net_null1",
                             egress={"tx_queues": 2, "steer": "flow",
                                     "scheduler": {"bandwidth": "1mbit"}})  # fmt: skip
        self.process = self.start("-c", config)
        self.wait_for_line(self.process, "gateaud: running")

    def tmux(self, *argv):
        done = subprocess.run(["tmux", "-f", "/dev/null", "-S", self.path("tmux"), *argv],
                              capture_output=True, text=True, timeout=WAIT_S)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def open_top(self, *argv, columns=80, rows=24):
        """In a shell that says what the terminal is like before and after, and then waits."""
        command = " ".join([GATEAU, "top", *argv])
        script = self.path("script")
        script.write_text(f"trap : INT\nexport GATEAU_SOCKET={self.socket}\nbefore=$(stty -g)\n{command}\n"
                          "echo ended $?\n"
                          '[ "$before" = "$(stty -g)" ] && echo restored\nexec sleep 1000\n')  # fmt: skip
        self.addCleanup(subprocess.run, ["tmux", "-S", self.path("tmux"), "kill-server"],
                        capture_output=True)  # fmt: skip
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), f"sh {script}")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def wait_screen(self, *words):
        def there():
            self.last = self.screen()
            return all(word in self.last for word in words)

        end = time.monotonic() + WAIT_S
        while not there():
            self.assertLess(time.monotonic(), end, f"{words} not in\n{self.last}")
            time.sleep(0.05)
        return self.last

    def keys(self, *keys):
        self.tmux("send-keys", *keys)


class Screen(TopTest):
    def test_80_by_24(self):
        self.open_top("-d", "0.2")
        screen = self.wait_screen("port a (1 of 2)", "packets/s", "q quit")
        self.assertTrue(screen.startswith("gateau top - port a"))
        self.keys("Right")
        screen = self.wait_screen("port b (2 of 2)", "of 1mbit", "Best Effort", "wait99%", "> all", "CPU")
        lines = screen.split("\n")
        self.assertEqual(lines[23], "q quit  arrows port and queue  ? help")
        self.keys("Down")
        self.wait_screen("> 0 CPU")
        self.keys("Tab")
        self.wait_screen("port a (1 of 2)")
        self.keys("?")
        self.wait_screen("gateau top: help", "quit")
        self.keys("?")
        self.wait_screen("port a (1 of 2)")
        self.keys("q")
        self.wait_screen("ended 0", "restored")

    def test_rates_show_up(self):
        self.open_top("a", "-d", "0.2")
        end = time.monotonic() + WAIT_S
        while "in   0bit" in self.wait_screen("in   "):
            self.assertLess(time.monotonic(), end)

    def test_200_by_60_and_resized(self):
        self.open_top("b", columns=200, rows=60)
        lines = self.wait_screen("port b (2 of 2)", "q quit").split("\n")
        self.assertIn("q quit", lines[59])
        self.tmux("resize-window", "-x", "80", "-y", "24")
        self.wait_until("drawn anew", lambda: "q quit" in self.screen().split("\n")[23])
        self.assertIn("port b (2 of 2)", self.screen())

    def test_a_signal_ends_it_and_restores_the_terminal(self):
        self.open_top("b")
        self.wait_screen("port b")
        self.keys("C-c")
        self.wait_screen("ended 0", "restored")


class Gone(TopTest):
    def test_it_says_that_gateaud_is_gone_and_goes_on_when_there_is_one(self):
        self.open_top("b", "-d", "0.2")
        self.wait_screen("port b")
        self.process.terminate()
        self.process.wait(WAIT_S)
        self.wait_screen("NO ANSWER, trying again: control socket", "Best Effort")
        self.process = self.start("-c", self.path("gateaud.json"))
        self.wait_until("an answer", lambda: "NO ANSWER" not in self.screen())
        self.assertIn("port b", self.screen())
        self.keys("q")
        self.wait_screen("ended 0", "restored")


class Errors(TopTest):
    def run_top(self, *argv, **env):
        return subprocess.run([GATEAU, "top", *argv], capture_output=True, text=True, timeout=WAIT_S,
                              stdin=subprocess.DEVNULL,
                              env={**os.environ, "GATEAU_SOCKET": str(self.socket), **env})  # fmt: skip

    def test_without_a_terminal_or_a_port_or_a_delay(self):
        done = self.run_top()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no terminal that it can use", done.stderr)
        self.assertEqual(self.run_top("c").stderr, 'gateau top: no port "c"; there are: a, b\n')
        self.assertIn("is no delay", self.run_top("-d", "0").stderr)
        self.assertEqual(self.run_top("-d", "nan").returncode, 2)
        self.assertIn("is gateaud running?", self.run_top(GATEAU_SOCKET="/nowhere").stderr)


if __name__ == "__main__":
    unittest.main()
