#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test_case.sh GATEAU GOLDEN-FOLDER
#
# Cases at the edges of what a case may ask for; the captures are those of the golden cases.
set -u
gateau=$1
golden=$2
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/cases"
ln -s "$golden/traces" "$dir/traces"

# decide NAME TRACE SCHEDULER REPLAY RANDOM: run the case, decisions to $dir/NAME.csv.
decide()
{
	printf '{"trace": "traces/%s.pcap.gz", "scheduler": {%s}, "replay": {%s}, "random": {%s}}' \
		"$2" "$3" "$4" "$5" >"$dir/cases/$1.json"
	"$gateau" replay --case "$dir/cases/$1.json" --csv "$dir/$1.csv" >/dev/null || failed=1
}

# expect WHAT WANTED GOT
expect()
{
	[ "$2" = "$3" ] && return
	printf '%s: expected %s, got %s\n' "$1" "$2" "$3"
	failed=1
}

# 20 mbit with overload: quanta are dithered and BLUE draws. An xorshift32 that holds 0 yields 0.
bulk='"bandwidth": "20mbit", "memlimit": 65536'
decide seed 2f15a2ae68 "$bulk" '' '"kind": "xorshift32", "seed": 0'
decide zeros 2f15a2ae68 "$bulk" '' '"kind": "constant", "u32": 0, "u16": 0'
cmp "$dir/seed.csv" "$dir/zeros.csv" || failed=1

# No packet is charged less than 768 bytes: with less room than that every one is dropped as it comes.
decide tiny 0d6c032051 '"bandwidth": "10mbit", "memlimit": 767' '' ''
expect 'packets dropped on arrival' 3964 "$(grep -c ',dropped_enqueue,' "$dir/tiny.csv")"
expect 'packets sent' 0 "$(grep -c ',sent,' "$dir/tiny.csv")"

# The 300 super-packets have 14,480 bytes of payload at most: 290 segments of 50 bytes, numbered from 0.
decide segments 9dd5a9d33c '' '"gso_size": 50' ''
expect 'super-packets' 300 "$(grep -c ',gso_split,' "$dir/segments.csv")"
expect 'last segment' 289 "$(cut -d, -f3 "$dir/segments.csv" | sort -n | tail -n 1)"

# The report balances: the payloads, ten each of 30 lengths, make 10 * sum(ceil(payload / 50)) = 47,250
# segments of 300 frames, hence 46,950 more frames than the 600 received.
"$gateau" replay --case "$dir/cases/segments.json" --json >"$dir/report.json" || failed=1
report="$(tr -d ' \n' <"$dir/report.json")"
expect 'report' '{"received":600,"segments_added":46950,"sent":47550,"dropped":0,"runts":0,' \
	"${report%%\"duration_ns\"*}"
expect 'end of the report' '"timestamps_backwards":0,"truncated":false,"cake":{"bytes":' \
	"$(grep -o '"timestamps_[^{]*"cake":{"bytes":' <<<"$report")"

# Queues are those of cake_mq, whose rate follows nothing that arrives.
refuse()
{
	printf '{"trace": "none",\n"scheduler": {%s},\n"replay": {%s}}' "$1" "$2" >"$dir/cases/refused.json"
	"$gateau" replay --case "$dir/cases/refused.json" --csv "$dir/refused.csv" 2>"$dir/err" && failed=1
	expect "case with $1 $2" "$dir/cases/refused.json:3: $3" "$(cat "$dir/err")"
	[ ! -e "$dir/refused.csv" ] || failed=1
}
refuse '"autorate-ingress": true' '"queues": 2' \
	'replay.queues: several queues share one rate: not with autorate-ingress'
refuse '' '"queues": 65' 'replay.queues: 65: out of range; accepted: 1..64'

exit $failed
