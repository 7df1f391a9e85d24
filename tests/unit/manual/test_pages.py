#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages have every command, option and key there is, and no escape went wrong.

usage: test_pages.py GATEAU PAGE...
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

GATEAU = None
PAGES = {}

ESCAPES = {r"\-": "-", r"\e": "\\", r"\(aq": "'", r"\(dq": '"', r"\(ga": "`", r"\(ti": "~", r"\(ha": "^",
           r"\&": "", r"\fB": "", r"\fI": "", r"\fR": ""}  # fmt: skip


def plain(roff):
    """The words of a page, and its requests."""
    roff = re.sub(r'^\.\\".*\n', "", roff, flags=re.M)
    return re.sub(r"\\(f.|\(..|.)", lambda match: ESCAPES[match[0]], roff)


def gateau(*argv):
    return subprocess.run([GATEAU, *argv], check=True, capture_output=True, text=True).stdout


def objects(schema, name="The file"):
    """(name, keys) of every object in a JSON Schema."""
    if schema.get("type") == "array":
        schema = schema["items"]
    if schema.get("type") == "object":
        yield name, schema["properties"]
        for key, value in schema["properties"].items():
            yield from objects(value, key)


class Pages(unittest.TestCase):
    def section(self, page, name):
        """The text of a subsection."""
        text = plain(PAGES[page])
        match = re.search(rf"^\.SS {re.escape(name)}\n(.*?)(?=^\.S[SH] |\Z)", text, re.M | re.S)
        self.assertTrue(match, f"{page}: {name}")
        return match[1]

    def test_every_command_is_explained_as_by_help(self):
        commands = re.findall(r"^  ([a-z]+) ", gateau("help"), re.M)
        self.assertIn("check", commands)
        for command in commands:
            with self.subTest(command=command):
                text = self.section("gateau.1", command)
                usage, *lines = gateau("help", command).splitlines()
                self.assertIn(usage.removeprefix("usage: "), text)
                for line in lines:
                    # an option and its help are two lines of a page
                    for part in re.split(r" {2,}", line.strip()):
                        self.assertIn(part.replace("`", ""), text)

    def test_every_key_is_there_with_its_help(self):
        found = 0
        for name, keys in objects(json.loads(gateau("schema"))):
            text = self.section("gateau.json.5", name)
            for key, schema in keys.items():
                with self.subTest(object=name, key=key):
                    self.assertRegex(text, rf"(?m)^{key}: ")
                    self.assertIn(schema["description"].replace("`", ""), text)
                    found += 1
        self.assertGreater(found, 40)

    def test_every_option_of_the_daemon_is_there(self):
        if "gateaud.8" not in PAGES:
            self.skipTest("a build without gateaud")
        for option in ("-c, --config FILE", "-j, --json", "-h, --help", "-V, --version"):
            self.assertIn(f".TP\n{option}\n", plain(PAGES["gateaud.8"]))

    def test_nothing_is_left_to_be_filled_in(self):
        version = gateau("--version").split()[1]
        for name, text in PAGES.items():
            self.assertNotRegex(text, "@[a-z-]+@", name)
            self.assertIn(f'"gateau {version}"', text, name)


if __name__ == "__main__":
    GATEAU = sys.argv[1]
    PAGES = {Path(path).name: Path(path).read_text() for path in sys.argv[2:]}
    unittest.main(argv=sys.argv[:1])
