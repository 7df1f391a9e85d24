#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test_replay.sh GATEAU GOLDEN-FOLDER
#
# gateau replay as a user calls it: options, text, JSON and CSV that agree, captures that are damaged.
set -u
gateau=$1
golden=$2
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "$*"
	failed=1
}

# refused CODE MESSAGE ARGUMENT...: the first line on stderr.
refused()
{
	local code=$1 message=$2 got rc
	shift 2

	got=$("$gateau" replay "$@" 2>&1 >"$dir/out" | head -n 1)
	"$gateau" replay "$@" >"$dir/out" 2>/dev/null
	rc=$?
	if [ $rc -ne "$code" ] || [ "$got" != "$message" ]; then
		fail "replay $*: exit code $rc, $got"
	fi
}

trace=$golden/traces/1f092a469f.pcap.gz
echo '{ "scheduler": { "bandwidth": "20mbit", "flowmode": "flows" } }' >"$dir/s.json"

refused 2 'gateau replay: give either --config or --case'
refused 2 'gateau replay: --config needs a capture, --in FILE' --config "$dir/s.json"
refused 2 'gateau replay: --config needs a value' --config
refused 2 'gateau replay: unknown option --frob' --frob
refused 2 'gateau replay: unexpected argument x' --config "$dir/s.json" --in "$trace" x
refused 2 'gateau replay: a case names its own capture and has no ports' --case c --in "$trace"
refused 2 'gateau replay: --json and --csv - both write to stdout' \
	--config "$dir/s.json" --in "$trace" --json --csv -
refused 1 "$dir/none: No such file or directory" --config "$dir/s.json" --in "$dir/none"
refused 1 "$dir/none/o.csv: No such file or directory" \
	--config "$dir/s.json" --in "$trace" --csv "$dir/none/o.csv"

# Text, JSON and CSV tell the same story, and every frame is in it.
"$gateau" replay --config "$dir/s.json" --in "$trace" --csv "$dir/o.csv" >"$dir/text" || fail "text"
"$gateau" replay --config "$dir/s.json" --in "$trace" --json >"$dir/json" || fail "json"
python3 - "$dir" <<'PYTHON' || fail "text, JSON and CSV differ"
import csv, json, re, sys

folder = sys.argv[1]
with open(f"{folder}/json") as f:
    result = json.load(f)
with open(f"{folder}/o.csv") as f:
    actions = [row["action"] for row in csv.DictReader(f)]
with open(f"{folder}/text") as f:
    text = f.read()
assert result["received"] > 5000
assert result["received"] + result["segments_added"] == \
    result["sent"] + result["dropped"] + result["runts"]
assert result["sent"] == actions.count("sent") == result["cake"]["packets"]
assert result["dropped"] == len(actions) - actions.count("sent") == result["cake"]["drops"]
assert result["truncated"] is False
assert len(result["cake"]["tins"]) == 3
words = re.match(r"received (\d+) frames, sent (\d+), dropped (\d+), in ", text)
assert [int(n) for n in words.groups()] == [result["received"], result["sent"], result["dropped"]]
PYTHON

# A capture that ends in the middle is replayed as far as it goes.
zcat "$trace" | head -c 100000 >"$dir/cut.pcap"
"$gateau" replay --config "$dir/s.json" --in "$dir/cut.pcap" --json >"$dir/json" 2>"$dir/err" ||
	fail "a damaged capture is no failure"
grep -q '"truncated": true' "$dir/json" || fail "a damaged capture is not called so"
grep -q 'what came before was replayed' "$dir/err" || fail "no warning of a damaged capture"

# A frame of no length is counted, not queued. Each record: seconds, nanoseconds, captured, length.
{
	printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0'
	printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
} >"$dir/nothing.pcap"
"$gateau" replay --config "$dir/s.json" --in "$dir/nothing.pcap" --json >"$dir/json" || fail "no length"
grep -q '"runts": 1' "$dir/json" || fail "a frame of no length is not a runt"

exit $failed
