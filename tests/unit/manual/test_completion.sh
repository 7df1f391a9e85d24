#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test_completion.sh COMPLETION GATEAU
#
# Completion of command lines as bash would ask for it. A stand-in for gateau tells the ports.
#
# Functions are called by the completion:
# shellcheck disable=SC2317
set -u
completion=$1
gateau=$2
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The names of the functions are those that "complete" is told.
# shellcheck source=/dev/null
. "$completion"

# Only a completion under way has options.
compopt()
{
	:
}

# gateau show config -j, as gateaud would answer
gateau()
{
	[ "$*" = "show config -j" ] || return 1
	cat "$dir/config"
}

# offers LINE: what the last word of LINE may become, sorted, on one line.
offers()
{
	local line=$1 words

	read -r -a words <<<"$line"
	[[ $line != *' ' ]] || words+=('')
	COMP_WORDS=("${words[@]}")
	COMP_CWORD=$((${#words[@]} - 1))
	COMPREPLY=()
	"_${words[0]}"
	printf '%s\n' "${COMPREPLY[@]-}" | sort | paste -sd ' '
}

# expect LINE OFFERS
expect()
{
	local got

	got=$(offers "$1")
	[ "$got" = "$2" ] || {
		printf '"%s": offers "%s", expected "%s"\n' "$1" "$got" "$2"
		failed=1
	}
}

cd "$dir" || exit 1
touch one.json 'two words.json'
mkdir folder
printf '{ "generation": 1,\n  "ports": [\n    { "name": "lan", "mtu": 1500 },\n' >config
printf '    { "mtu": 1500, "name": "wan" } ] }\n' >>config

expect 'gateau ch' check
expect 'gateau --v' --version
expect 'gateau check ' 'config folder one.json two words.json'
expect 'gateau check tw' 'two words.json'
expect 'gateau check --' --help
expect 'gateau set wan ru' rules
expect 'gateau replay --in o' one.json
expect 'gateau replay --in one.json --js' --json
expect 'gateau replay --seed ' ''
expect 'gateau replay --link-rate 1gbit --ca' --case
expect 'gateau help rep' replay
expect 'gateau frobnicate ' ''
expect 'gateaud -c o' one.json
expect 'gateaud --config one.json --js' --json
expect 'gateaud -j --socket fo' folder

# What the tables have today is offered: every command, and every option of its help.
for command in $("$gateau" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	expect "gateau $command" "$command"
	while read -r option; do
		expect "gateau $command $option" "$option"
	done < <("$gateau" help "$command" | sed -n 's/^\(-., \)\?\(--[a-z-]*\)\( .*\|$\)/\2/p')
done

# The words that stand for others, where a command has them.
_gateau_operand()
{
	case $1 in
	'try 1') echo 'flows PORT' ;;
	'try '*[02468]) echo 'KEY' ;;
	'try '*) echo 'VALUE' ;;
	esac
}
expect 'gateau try ' 'flows lan wan'
expect 'gateau try wan ack' ack-filter
expect 'gateau try wan sha' share
expect 'gateau try wan diffserv diffserv' 'diffserv3 diffserv4 diffserv8'
expect 'gateau try wan wash ' 'default false true'
expect 'gateau try wan rtt lan overhead pppoe-p' pppoe-ptm
expect 'gateau try wan rtt lan memlimit ' default
rm config
expect 'gateau try w' ''

# What bash itself asks for.
[ "$(complete -p gateau gateaud)" = $'complete -F _gateau gateau\ncomplete -F _gateaud gateaud' ] || {
	complete -p gateau gateaud
	failed=1
}
exit $failed
