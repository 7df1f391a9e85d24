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

	"$gateau" replay "$@" >"$dir/out" 2>"$dir/err"
	rc=$?
	read -r got <"$dir/err"
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
refused 2 'gateau replay: --out - and --json both write to stdout' \
	--config "$dir/s.json" --in "$trace" --json --out -
refused 2 'gateau replay: --out - and --csv - both write to stdout' \
	--config "$dir/s.json" --in "$trace" --csv - --out -
refused 2 "gateau replay: --out is not compressed; write --out - | gzip >o.pcap.gz" \
	--config "$dir/s.json" --in "$trace" --out o.pcap.gz
refused 2 'gateau replay: a case has its own link rate, GSO size and seed' --case c --seed 2
refused 2 'gateau replay: --link-rate 20: not a rate; examples: 20mbit, 1.5gbit' \
	--config "$dir/s.json" --in "$trace" --link-rate 20
refused 2 'gateau replay: --link-rate 0bit: not a rate; examples: 20mbit, 1.5gbit' \
	--config "$dir/s.json" --in "$trace" --link-rate 0bit
for size in 0 65536 -1 1k; do
	refused 2 "gateau replay: --gso-size $size: not in 1..65535" \
		--config "$dir/s.json" --in "$trace" --gso-size=$size
done
for seed in 0 4294967296 x; do
	refused 2 "gateau replay: --seed $seed: not in 1..4294967295" \
		--config "$dir/s.json" --in "$trace" --seed $seed
done
refused 1 "$dir/none: No such file or directory" --config "$dir/s.json" --in "$dir/none"
refused 1 "$dir/none/o.csv: No such file or directory" \
	--config "$dir/s.json" --in "$trace" --csv "$dir/none/o.csv"
refused 1 "$dir/none/o.pcap: No such file or directory" \
	--config "$dir/s.json" --in "$trace" --out "$dir/none/o.pcap"
refused 1 '/dev/full: No space left on device' --config "$dir/s.json" --in "$trace" --out /dev/full
refused 1 '/dev/full: No space left on device' --config "$dir/s.json" --in "$trace" --csv /dev/full

# The capture that is read is not written to, by whatever name.
cp "$trace" "$dir/in.pcap"
ln "$dir/in.pcap" "$dir/same.pcap"
for option in --out --csv; do
	refused 1 "$dir/same.pcap: is the capture to be read" \
		--config "$dir/s.json" --in "$dir/in.pcap" $option "$dir/same.pcap"
done
cmp "$trace" "$dir/in.pcap" || fail "the capture that was read is another now"

# Text, JSON and CSV tell the same story, and every frame is in it.
"$gateau" replay --config "$dir/s.json" --in "$trace" --csv "$dir/o.csv" >"$dir/text" || fail "text"
"$gateau" replay --config "$dir/s.json" --in "$trace" --json >"$dir/json" || fail "json"
python3 - "$dir" <<'PYTHON' || fail "text, JSON and CSV differ"
import csv, json, re, sys

folder = sys.argv[1]
with open(f"{folder}/json") as f:
    result = json.load(f)
with open(f"{folder}/o.csv") as f:
    rows = list(csv.DictReader(f))
actions = [row["action"] for row in rows]
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

# Delays: quantiles of the nearest rank, to 1/256; both ends and the rate exactly. All is best effort,
# the second tin of diffserv3; a frame lasts until the next one leaves.
bulk, best_effort, voice = result["delays"]
assert [tin["tin"] for tin in result["delays"]] == ["Bulk", "Best Effort", "Voice"]
assert bulk["packets"] == voice["packets"] == 0 and bulk["min_ns"] is voice["p99_ns"] is None
sent = [row for row in rows if row["action"] == "sent"]
delays = sorted(int(row["sojourn_ns"]) for row in sent)
assert best_effort["packets"] == len(delays)
assert best_effort["min_ns"] == delays[0] and best_effort["max_ns"] == delays[-1]
for key, percent in ("median_ns", 50), ("p95_ns", 95), ("p99_ns", 99):
    exact = delays[-(-len(delays) * percent // 100) - 1]
    assert abs(best_effort[key] - exact) <= exact / 256, (key, best_effort[key], exact)
span = int(sent[-1]["time_ns"]) - int(sent[0]["time_ns"])
for key, length in ("rate_bps", "len"), ("adjusted_rate_bps", "adj_len"):
    assert result[key] == sum(int(row[length]) for row in sent[:-1]) * 8 * 10**9 // span, key
assert best_effort["rate_bps"] == result["rate_bps"]
assert re.search(rf"^  sent +0 +{len(sent)} +0$", text, re.MULTILINE)
assert re.search(r"^  p99 +- +\S+ms +-$", text, re.MULTILINE)
PYTHON

# Standard input and output do what files do, and stdout then has nothing else.
"$gateau" replay --config "$dir/s.json" --in "$trace" --out "$dir/o.pcap" >"$dir/text2" || fail "--out"
cmp "$dir/text" "$dir/text2" || fail "--out changes the result"
"$gateau" replay --config "$dir/s.json" --in - --out - <"$trace" >"$dir/o2.pcap" || fail "--in - --out -"
cmp "$dir/o.pcap" "$dir/o2.pcap" || fail "--out - differs from --out FILE"
# A file's header has 24 bytes, a record's 16; frames were cut to 160 bytes.
[ "$(stat -c %s "$dir/o.pcap")" -eq $((24 + 5495 * (16 + 160))) ] || fail "frames sent and frames written"

# The link behind: 8 mbit/s, whatever an unlimited scheduler says.
echo '{ "scheduler": {} }' >"$dir/unlimited.json"
"$gateau" replay --config "$dir/unlimited.json" --in "$trace" --link-rate 8mbit --json >"$dir/json" ||
	fail "--link-rate"
python3 - "$dir/json" <<'PYTHON' || fail "the link is not as slow as it should be"
import json, sys
with open(sys.argv[1]) as f:
    rate = json.load(f)["rate_bps"]
assert 7_900_000 < rate <= 8_000_000, rate
PYTHON

# Another seed, other decisions.
bulk=$golden/traces/2f15a2ae68.pcap.gz
echo '{ "scheduler": { "bandwidth": "20mbit", "memlimit": 65536 } }' >"$dir/short.json"
for seed in '' --seed=1 --seed=2; do
	# shellcheck disable=SC2086 # none or one option
	"$gateau" replay --config "$dir/short.json" --in "$bulk" $seed --csv "$dir/rows$seed" >/dev/null ||
		fail "$seed"
done
cmp "$dir/rows" "$dir/rows--seed=1" || fail "--seed 1 is not the default"
cmp -s "$dir/rows" "$dir/rows--seed=2" && fail "--seed has no effect"

# 300 super-packets of 1..14,480 bytes of payload, ten each of 30 lengths: as in test_case.sh.
super=$golden/traces/9dd5a9d33c.pcap.gz
"$gateau" replay --config "$dir/unlimited.json" --in "$super" --gso-size 50 --json >"$dir/json" ||
	fail "--gso-size"
grep -q '"segments_added": 46950' "$dir/json" || fail "--gso-size 50 adds other than 46950 segments"

# Rules choose the tin: one packet of each code point, all of one prefix.
cat >"$dir/rules.json" <<'JSON'
{ "scheduler": { "diffserv": "diffserv4", "fwmark": "0xf0", "rules": [
    { "dscp": "ef", "tin": "Bulk" }, { "dscp": 8, "mark": "0x30" }, { "dscp": 0, "mark": 0 },
    { "src": "10.0.0.0/8", "protocol": "udp", "sport": "0-65535", "tin": 4 } ] } }
JSON
"$gateau" replay --config "$dir/rules.json" --in "$golden/traces/3c013683d3.pcap.gz" --csv - \
	>"$dir/o.csv" || fail "rules"
python3 - "$dir/o.csv" <<'PYTHON' || fail "rules do not choose the tin"
import csv, sys

BEST_EFFORT, BULK, VIDEO, VOICE = range(4)
with open(sys.argv[1]) as f:
    tins = {int(row["dscp"]): int(row["tin"]) for row in csv.DictReader(f)}
assert len(tins) == 64
assert tins == {**{dscp: VOICE for dscp in range(64)}, 46: BULK, 8: VIDEO, 0: BEST_EFFORT}
PYTHON

# A capture that ends in the middle is replayed as far as it goes.
zcat "$trace" | head -c 100000 >"$dir/cut.pcap"
"$gateau" replay --config "$dir/s.json" --in "$dir/cut.pcap" --json >"$dir/json" 2>"$dir/err" ||
	fail "a damaged capture is no failure"
grep -q '"truncated": true' "$dir/json" || fail "a damaged capture is not called so"
grep -q 'cannot be read beyond frame [1-9].*; what came before was replayed' "$dir/err" || fail "no warning of a damaged capture"

# A frame of no length is counted, not queued. Each record: seconds, nanoseconds, captured, length.
{
	printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0'
	printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
} >"$dir/nothing.pcap"
"$gateau" replay --config "$dir/s.json" --in "$dir/nothing.pcap" --json >"$dir/json" || fail "no length"
grep -q '"runts": 1' "$dir/json" || fail "a frame of no length is not a runt"

# Of several interfaces one is not Ethernet: nothing is said but that. Blocks: section, link types 1 and 113.
{
	printf '\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0'
	printf '\xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0'
	printf '\x01\0\0\0\x14\0\0\0\x01\0\0\0\0\0\x04\0\x14\0\0\0'
	printf '\x01\0\0\0\x14\0\0\0\x71\0\0\0\0\0\x04\0\x14\0\0\0'
} >"$dir/mixed.pcapng"
refused 1 "$dir/mixed.pcapng: interfaces of several link types: only Ethernet captures can be read" \
	--config "$dir/s.json" --in "$dir/mixed.pcapng"

exit $failed
