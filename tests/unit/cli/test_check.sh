#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test_check.sh GATEAU SOURCE-FOLDER VERSION
#
# gateau's commands, help and exit codes, and gateau check on good and bad files.
set -u
gateau=$1
source=$2
version=$3
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# expect CODE STDOUT STDERR ARGUMENT...: run gateau; either text is the first line expected, "" none.
expect()
{
	local code=$1 out=$2 err=$3 rc
	shift 3

	"$gateau" "$@" >"$dir/out" 2>"$dir/err"
	rc=$?
	if [ $rc -eq "$code" ] && [ "$(head -n 1 "$dir/out")" = "$out" ] &&
		[ "$(head -n 1 "$dir/err")" = "$err" ]; then
		return
	fi
	failed=1
	printf 'gateau %s: exit code %d, expected %d\n' "$*" $rc "$code"
	head -n 1 "$dir/out" "$dir/err"
	printf 'expected:\n%s\n%s\n' "$out" "$err"
}

overview='usage: gateau COMMAND [ARGUMENTS]'
check='usage: gateau check FILE'

expect 0 "$overview" '' --help
expect 0 "$overview" '' help
expect 0 "gateau $version" '' --version
expect 0 "gateau $version" '' -V
expect 2 '' "$overview"
expect 2 '' 'gateau: no command "chekc"; did you mean "check"?' chekc
expect 2 '' 'gateau: no command "-x"' -x
expect 2 '' 'gateau: no command "frobnicate"' help frobnicate
expect 2 '' 'gateau help: one command at a time' help check help
expect 0 "$check" '' help check
expect 0 "$check" '' check --help
expect 0 "$check" '' check file --help
expect 2 '' 'gateau check: no file given' check
expect 2 '' 'gateau check: one file at a time' check a b
expect 2 '' 'gateau check: unknown option --json' check a --json
expect 2 '' 'gateau schema: unknown option --frob' schema --frob
expect 2 '' 'gateau schema: unexpected argument x' schema --markdown x
expect 0 '{' '' schema
expect 0 '<!-- keys: file -->' '' schema --markdown

# Every command of the overview has a page.
for command in $("$gateau" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	"$gateau" help "$command" | grep -q "^usage: gateau $command " || {
		echo "no help for $command"
		failed=1
	}
done

# Every sample is valid, and so is every whole file the documentation shows.
mkdir "$dir/docs"
awk -v dir="$dir/docs" '/^```$/ { file = "" } file { print > file }
	/^```json$/ { file = dir "/" ++n ".json" }' "$source/docs/configuration.md"
for file in "$source"/config/*.json "$dir"/docs/*.json; do
	[[ $file != *.schema.json ]] || continue
	expect 0 "$file: valid" '' check "$file"
done

cmp "$dir/docs/1.json" "$source/config/lab.json" || failed=1
cmp "$dir/docs/2.json" "$source/config/home-25g.json" || failed=1

expect 1 '' 'no/such/file: No such file or directory' check no/such/file
cat >"$dir/bad.json" <<'JSON'
{ "ports": [
    { "name": "lan", "device": "net_null0" },
    { "name": "wan", "device": "net_null1",
      "scheduler": { "bandwidth": "100mbit",
                     "rtt": "100mss" } }
  ],
  "links": [ { "from": "lan", "to": "wan" } ] }
JSON
expect 1 '' "$dir/bad.json:5: ports[1].scheduler.rtt: \"100mss\": not a time; examples: \"100ms\", \"5us\", \"lan\"" \
	check "$dir/bad.json"

# The summary says what the file sets up.
sed 's/100mss/20ms/' "$dir/bad.json" >"$dir/good.json"
"$gateau" check "$dir/good.json" >"$dir/out"
diff - "$dir/out" <<SUMMARY || failed=1
$dir/good.json: valid
port lan: net_null0, 1 RX + 1 TX queue, mtu 1500
  cake unlimited diffserv3 triple-isolate rtt 100ms, memory limit 15503360 bytes
port wan: net_null1, 1 RX + 1 TX queue, mtu 1500
  cake 100mbit diffserv3 triple-isolate rtt 20ms, memory limit 4194304 bytes
link lan -> wan
SUMMARY

# Rules are shown as they are understood, in order.
cat >"$dir/rules.json" <<'JSON'
{ "ports": [
    { "name": "lan", "device": "net_null0" },
    { "name": "wan", "device": "net_null1",
      "scheduler": { "fwmark": 255, "rules": [
          { "vlan": 20, "pcp": 5, "tin": "Voice" },
          { "src": "10.0.0.0/8", "protocol": "tcp", "dport": "80-443", "dscp": 46, "mark": 1 },
          { "dst": "2001:db8::/32", "mark": 0 } ] } }
  ],
  "links": [ { "from": "lan", "to": "wan" } ] }
JSON
"$gateau" check "$dir/rules.json" | grep -A 4 '^port wan' >"$dir/out"
diff - "$dir/out" <<'SUMMARY' || failed=1
port wan: net_null1, 1 RX + 1 TX queue, mtu 1500
  cake unlimited diffserv3 triple-isolate rtt 100ms fwmark 0xff, memory limit 15503360 bytes
  rule 0: vlan 20 pcp 5 -> tin Voice
  rule 1: src 10.0.0.0/8 protocol tcp dport 80-443 dscp ef -> mark 0x1, tin Bulk
  rule 2: dst 2001:db8::/32 -> mark 0, tin by DSCP
SUMMARY

# What several queues mean, and what is said of one in vain.
cat >"$dir/queues.json" <<'JSON'
{ "ports": [
    { "name": "lan", "device": "net_null0", "steer": "flow", "share": "equal" },
    { "name": "wan", "device": "net_null1", "tx_queues": 4, "steer": "src-host",
      "scheduler": { "bandwidth": "1gbit", "memlimit": "8mb" } } ],
  "links": [ { "from": "lan", "to": "wan" } ] }
JSON
"$gateau" check "$dir/queues.json" | grep -A 8 '^port lan' >"$dir/out"
diff - "$dir/out" <<'SUMMARY' || failed=1
port lan: net_null0, 1 RX + 1 TX queue, mtu 1500
  cake unlimited diffserv3 triple-isolate rtt 100ms, memory limit 15503360 bytes
  note: "share" has no effect with one TX queue
  note: "steer" has no effect with one TX queue
port wan: net_null1, 1 RX + 4 TX queues, mtu 1500
  cake 1gbit diffserv3 triple-isolate rtt 100ms memlimit 8mb, memory limit 8388608 bytes in each queue
  queues: share demand by source hosts, steer src-host
  fair to: source hosts across queues, destination hosts within each queue only
link lan -> wan
SUMMARY

# An rtt's worth of buffer that no machine has: 3,125,000,000 bytes/s x 1000 s.
sed 's/100mss/1000s/; s/100mbit/25gbit/' "$dir/bad.json" >"$dir/fat.json"
expect 1 '' "$dir/fat.json:5: ports[1].scheduler.rtt: at this bandwidth an rtt's worth is 3125000000000 bytes of buffer; at most 16gb can be held: say how much by \"memlimit\", or give a shorter rtt" \
	check "$dir/fat.json"

# What could not be written was not said.
for command in "check $dir/good.json" schema "schema --markdown" help --version; do
	# shellcheck disable=SC2086 # a command and its argument
	message=$("$gateau" $command 2>&1 >/dev/full)
	rc=$?
	[ $rc -eq 1 ] && [ "$message" = "gateau: standard output: No space left on device" ] && continue
	echo "gateau $command to a full device: exit code $rc, $message"
	failed=1
done
exit $failed
