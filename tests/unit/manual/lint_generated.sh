#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: lint_generated.sh COMPLETION PAGE...
#
# Check what is made while building: the shell's completion with shellcheck, manual pages with
# groff and with mandoc, whose only complaint may be about style (lines of the source that are long).
set -u
failed=0
completion=$1
shift

for tool in shellcheck groff mandoc; do
	command -v $tool >/dev/null || {
		echo "lint_generated: $tool is not installed"
		exit 77
	}
done
shellcheck "$completion" || failed=1
for page in "$@"; do
	warnings=$(groff -ww -man -Tutf8 -z "$page" 2>&1)
	[ -z "$warnings" ] || {
		printf '%s\n' "$warnings"
		failed=1
	}
	mandoc -Tlint -Wwarning "$page" || failed=1
done
exit $failed
