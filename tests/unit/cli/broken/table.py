# SPDX-License-Identifier: BSD-3-Clause
"""Broken configuration files, one fault each, as edits of good.json.

broken.txt holds one file per paragraph:

    # what is wrong
    - text of good.json, which stands there once
    + text in its place
    = what gateau says, behind the file's name and a colon
    ~ why the JSON Schema accepts the file all the same, if it does

Several - or + lines are several lines of text; \\xNN in a + line is that byte. Without - lines the +
lines are the whole file. A paragraph that begins with @NAME gives a text that messages repeat as @NAME.
"""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
GOOD = (FOLDER / "good.json").read_text()


@dataclass
class Broken:
    """One file: what is wrong with it, its bytes, the message behind "FILE:"; if JSON and valid under
    the schema, why."""

    title: str
    text: bytes
    message: str
    passes_schema: str


def lines_of(paragraph, mark):
    return [line[2:] for line in paragraph.splitlines() if line.startswith(mark)]


def edited(title, old, new):
    if not old:
        return new + "\n"
    if GOOD.count(old) != 1:
        raise ValueError(f"{title}: its - text stands in good.json {GOOD.count(old)} times")
    return GOOD.replace(old, new)


def read_paragraph(paragraph, names):
    (title,) = lines_of(paragraph, "#")
    (message,) = lines_of(paragraph, "=")
    for name, text in names.items():
        message = message.replace(name, text)
    old, new = ("\n".join(lines_of(paragraph, mark)) for mark in "-+")
    text = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes.fromhex(m[1].decode()),
                  edited(title, old, new).encode())
    return Broken(title, text, message, " ".join(lines_of(paragraph, "~")))


def broken_files():
    paragraphs = (FOLDER / "broken.txt").read_text().strip().split("\n\n")
    names = dict(p.split(" ", 1) for p in paragraphs if p.startswith("@"))
    return [read_paragraph(p, names) for p in paragraphs if not p.startswith("@")]
