#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test_demo.sh GATEAU PROJECT-FOLDER
#
# The demonstration for those without root: it ends well, fits a screen, and shows its point.
set -u
failed=0

fail()
{
	echo "$*"
	failed=1
}

text=$(python3 -B "$2/tools/lab/demo_replay.py" "$1") || fail "exit code $?"
[ "$(wc -l <<<"$text")" -le 25 ] || fail "longer than 25 lines"
# The first half of the table: both columns are about the same 140 packets, and CAKE lost none of them.
lost=$(sed -n '/^the sparse flow/,/^the 8 others/ s/^ *lost  *//p' <<<"$text")
[[ $lost =~ ^[0-9]+\ of\ 140\ +0\ of\ 140$ ]] || fail "of the sparse flow is lost: $lost"
exit $failed
