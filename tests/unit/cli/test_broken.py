#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gateau check on good files and broken ones: message and exit code.

usage: test_broken.py GATEAU

The broken files are in broken/; what no edit of a good file makes (folders, devices, links) is here.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "broken"))
import table  # pylint: disable=wrong-import-position

GATEAU = None
FILE = "f.json"


class Check(unittest.TestCase):
    """Each test has a folder of its own, in which gateau runs."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check(self, file):
        return subprocess.run([GATEAU, "check", file], cwd=self.folder.name, capture_output=True,
                              text=True, check=False)

    def check_text(self, text):
        Path(self.folder.name, FILE).write_bytes(text)
        return self.check(FILE)

    def assert_refused(self, result, message):
        self.assertEqual(result.stderr, message + "\n")
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.returncode, 1)

    def test_the_file_that_the_broken_ones_differ_from_is_valid(self):
        result = self.check_text(table.GOOD.encode())
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_each_broken_file_is_refused_with_its_message(self):
        files = table.broken_files()
        self.assertGreaterEqual(len(files), 100)
        for broken in files:
            with self.subTest(broken.title):
                self.assert_refused(self.check_text(broken.text), f"{FILE}:{broken.message}")

    def test_the_broken_files_are_different_ones(self):
        files = table.broken_files()
        self.assertEqual(len({broken.text for broken in files}), len(files))
        self.assertEqual(len({broken.title for broken in files}), len(files))

    def test_nesting_without_end_is_refused(self):
        self.assert_refused(self.check_text(b"[" * 100000),
                            f"{FILE}:1:2049: maximum parsing depth reached near '['")

    def test_what_cannot_be_read_says_why(self):
        Path(self.folder.name, "loop").symlink_to("loop")
        Path(self.folder.name, "dangling").symlink_to("nowhere")
        Path(self.folder.name, "plain").touch()
        for file, reason in (("none", "No such file or directory"),
                             ("dangling", "No such file or directory"),
                             ("loop", "Too many levels of symbolic links"),
                             ("plain/file", "Not a directory"),
                             (".", "Is a directory"),
                             ("/dev/zero", "File too large")):
            with self.subTest(file):
                self.assert_refused(self.check(file), f"{file}: {reason}")

    def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_not(self):
        largest = 64 << 20
        path = Path(self.folder.name, FILE)
        path.write_text(table.GOOD + " " * (largest - len(table.GOOD)))
        self.assertEqual(self.check(FILE).returncode, 0)
        with path.open("a") as file:
            file.write(" ")
        self.assert_refused(self.check(FILE), f"{FILE}: File too large")

    def test_a_pipe_is_read_like_a_file(self):
        os.mkfifo(Path(self.folder.name, FILE))
        with subprocess.Popen([GATEAU, "check", FILE], cwd=self.folder.name,
                              stdout=subprocess.PIPE) as process:
            Path(self.folder.name, FILE).write_text(table.GOOD)
            process.communicate()
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    GATEAU = Path(sys.argv.pop(1)).resolve()
    unittest.main()
