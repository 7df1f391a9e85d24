#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The JSON Schema: shipped as generated, sound, true to what gateau check accepts and refuses.

usage: test_schema.py GATEAU SOURCE-FOLDER
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

from jsonschema import Draft202012Validator

sys.path.insert(0, str(Path(__file__).parent / "broken"))
import table  # pylint: disable=wrong-import-position

GATEAU = None
SOURCE = None


def schema():
    return json.loads((SOURCE / "config/gateau.schema.json").read_text())


def valid(instance):
    return Draft202012Validator(schema()).is_valid(instance)


def objects(node):
    """Every object schema below NODE, itself included."""
    if node.get("type") == "object":
        yield node
        for value in node["properties"].values():
            yield from objects(value)
    elif node.get("type") == "array":
        yield from objects(node["items"])


def without_twice(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def parsed(text):
    """TEXT as JSON, None if it is none."""
    try:
        return json.loads(text.decode(), object_pairs_hook=without_twice)
    except ValueError:
        return None


class Schema(unittest.TestCase):
    def test_schema_and_documentation_are_those_of_the_table_of_keys(self):
        result = subprocess.run([SOURCE / "tools/refresh", "--check", GATEAU], check=False,
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_the_schema_is_one_of_draft_2020_12(self):
        Draft202012Validator.check_schema(schema())
        self.assertEqual(schema()["$schema"], Draft202012Validator.META_SCHEMA["$id"])

    def test_no_object_takes_unknown_keys(self):
        closed = [node["additionalProperties"] is False for node in objects(schema())]
        self.assertGreaterEqual(len(closed), 5)
        self.assertTrue(all(closed))

    def test_every_sample_is_valid(self):
        samples = [p for p in (SOURCE / "config").glob("*.json") if ".schema." not in p.name]
        self.assertGreaterEqual(len(samples), 2)
        for sample in samples:
            with self.subTest(sample.name):
                Draft202012Validator(schema()).validate(json.loads(sample.read_text()))

    def test_the_good_file_is_valid_with_every_default_and_example(self):
        """Whatever the schema itself shows for a key must be valid for it."""
        self.assertTrue(valid(json.loads(table.GOOD)))
        shown = 0
        for node in objects(schema()):
            for name, key in node["properties"].items():
                for value in [*key.get("examples", []), *[key[d] for d in ("default",) if d in key]]:
                    shown += 1
                    with self.subTest(name, value=value):
                        Draft202012Validator(key).validate(value)
        self.assertGreater(shown, 30)

    def test_broken_files_are_invalid_but_for_those_that_say_why_not(self):
        refused = 0
        for broken in table.broken_files():
            with self.subTest(broken.title):
                instance = parsed(broken.text)
                passes = instance is not None and valid(instance)
                self.assertEqual(passes, bool(broken.passes_schema))
                refused += instance is not None and not passes
        self.assertGreaterEqual(refused, 100)

    def test_every_key_has_a_broken_file(self):
        messages = "\n".join(broken.message for broken in table.broken_files())
        for node in objects(schema()):
            for name in node["properties"]:
                with self.subTest(name):
                    place = rf"(?m)^\d+: ([^ ]*[.])?{re.escape(name)}(\[\d+\])?: "
                    self.assertTrue(re.search(place, messages), "no broken file")


if __name__ == "__main__":
    SOURCE = Path(sys.argv.pop(2)).resolve()
    GATEAU = Path(sys.argv.pop(1)).resolve()
    unittest.main()
