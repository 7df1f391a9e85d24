# SPDX-License-Identifier: BSD-3-Clause
"""What a build folder is built with, as far as it changes what is executed."""

import json
import subprocess


def read(build, what):
    return json.loads((build / f"meson-info/intro-{what}.json").read_text())


def options(build):
    return {option["name"]: option["value"] for option in read(build, "buildoptions")}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def compiler(build):
    """E.g. "gcc 12, x86_64-linux-gnu, -O2"; what is unusual comes behind."""
    command = next(source["compiler"] for target in read(build, "targets")
                   for source in target["target_sources"] if source.get("language") == "c")
    family = "clang" if "clang" in output(*command, "--version") else "gcc"
    values = options(build)
    text = [f"{family} {output(*command, '-dumpversion')}", output(*command, "-dumpmachine"),
            f"-O{values['optimization']}"]
    usual = {"b_sanitize": "none", "b_lto": False, "b_ndebug": "false", "b_coverage": False, "c_args": []}
    return ", ".join(text + [f"{name}={values[name]}" for name, value in usual.items()
                             if values[name] != value])


def dpdk(build):
    """Its version, None if the build has none."""
    return next((d["version"] for d in read(build, "dependencies") if d["name"] == "libdpdk"), None)
