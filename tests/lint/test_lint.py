#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lint steps must be able to fail: each is fed trees and files with one fault.

usage: test_lint.py TOOLS-FOLDER

A tree is written to a temporary folder; nothing in the repository is read but the tools themselves.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = None

GOOD_TREE = {
    "include/gateau/cake.h": "#include <stdint.h>\n#include <gateau/cake_config.h>\n",
    "src/base/prng.h": "#include <stdint.h>\n",
    "src/cake/tin.c": '#include <gateau/cake.h>\n#include "cake/tin.h"\n#include "base/prng.h"\n',
    "src/port/port.c": '#include <rte_ethdev.h>\n#include "config/config.h"\n',
    "src/lcore/worker.c": '#include <rte_cycles.h>\n#include "txq/txq.h"\n#include "port/port.h"\n',
    "src/daemon/main.c": '#include <rte_eal.h>\n#include "lcore/worker.h"\n',
    "src/cli/show.c": '#include "ctl/protocol.h"\n#include "replay/replay.h"\n',
    "tests/unit/cake/test_tin.c": '#include <cmocka.h>\n#include "cake/tin.h"\n',
    "tests/dpdk/test_txq.c": '#include <rte_ring.h>\n#include "txq/txq.h"\n',
}

# (what is wrong, file, the include that is at fault)
LAYER_FAULTS = [
    ("base_sees_no_other_folder", "src/base/x.c", '#include "cake/tin.h"'),
    ("base_sees_no_public_header", "src/base/x.c", "#include <gateau/cake.h>"),
    ("cake_does_not_look_up_to_config", "src/cake/x.c", '#include "config/config.h"'),
    ("cake_does_not_see_packet", "src/cake/x.c", '#include "packet/packet.h"'),
    ("cake_sees_no_dpdk", "src/cake/x.c", "#include <rte_mbuf.h>"),
    ("cake_sees_no_quoted_dpdk", "src/cake/x.c", '#include "rte_mbuf.h"'),
    ("packet_does_not_see_cake", "src/packet/x.c", '#include "cake/tin.h"'),
    ("packet_sees_no_dpdk", "src/packet/x.c", "#  include <rte_mbuf.h>"),
    ("share_does_not_see_cake", "src/share/x.c", '#include "cake/shaper.h"'),
    ("config_does_not_see_port", "src/config/x.c", '#include "port/port.h"'),
    ("replay_sees_no_dpdk", "src/replay/x.c", "#include <rte_ring.h>"),
    ("txq_does_not_see_port", "src/txq/x.c", '#include "port/pool.h"'),
    ("txq_does_not_see_config", "src/txq/x.c", '#include "config/config.h"'),
    ("port_does_not_see_lcore", "src/port/x.c", '#include "lcore/worker.h"'),
    ("lcore_does_not_see_ctl", "src/lcore/x.c", '#include "ctl/ops.h"'),
    ("daemon_does_not_see_the_command_line", "src/daemon/x.c", '#include "cli/cli.h"'),
    ("cli_sees_of_ctl_the_protocol_only", "src/cli/x.c", '#include "ctl/ops.h"'),
    ("cli_sees_no_dpdk", "src/cli/x.c", "#include <rte_eal.h>"),
    ("public_headers_stand_alone", "include/gateau/x.h", '#include "cake/tin.h"'),
    ("unit_tests_see_no_dpdk", "tests/unit/cake/test_x.c", "#include <rte_eal.h>"),
    ("no_way_around_by_relative_names", "src/cake/x.c", '#include "../config/config.h"'),
    ("unknown_folders_are_refused", "src/cake/x.c", '#include "util/list.h"'),
    ("new_folders_need_a_place_in_the_table", "src/util/x.c", "#include <stdint.h>"),
]


def run(tool, *args):
    return subprocess.run([TOOLS / tool, *args], capture_output=True, text=True, check=False)


class Layers(unittest.TestCase):
    def lint(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return run("lint-layers", folder)

    def test_a_good_tree_passes(self):
        result = self.lint(GOOD_TREE)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_each_fault_is_found_where_it_stands(self):
        for name, file, include in LAYER_FAULTS:
            with self.subTest(name):
                result = self.lint({**GOOD_TREE, file: f"/* first line */\n{include}\n"})
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                faults = result.stdout.splitlines()[:-1]
                self.assertEqual(len(faults), 1, result.stdout)
                self.assertTrue(faults[0].startswith(f"{file}:"), result.stdout)

    def test_an_empty_tree_is_no_success(self):
        self.assertEqual(self.lint({}).returncode, 2)


class Files(unittest.TestCase):
    """lint-format and lint-shell, one file each."""

    def lint(self, tool, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_text(text)
            result = run(tool, path)
        if result.returncode == 77:
            self.skipTest(result.stderr.strip())
        return result.returncode

    def test_kernel_layout_passes(self):
        self.assertEqual(self.lint("lint-format", "a.c", "int f(void)\n{\n\treturn 0;\n}\n"), 0)

    def test_other_layout_fails(self):
        self.assertEqual(self.lint("lint-format", "a.c", "int f(void) {\n  return 0;\n}\n"), 1)

    def test_a_clean_script_passes(self):
        self.assertEqual(self.lint("lint-shell", "a.sh", '#!/bin/bash\necho "$1"\n'), 0)

    def test_a_script_that_does_not_parse_fails(self):
        self.assertNotEqual(self.lint("lint-shell", "a.sh", "#!/bin/bash\nif true\n"), 0)

    def test_an_unquoted_variable_fails(self):
        self.assertEqual(self.lint("lint-shell", "a.sh", "#!/bin/bash\nrm $1\n"), 1)


if __name__ == "__main__":
    TOOLS = Path(sys.argv.pop(1)).resolve()
    unittest.main()
