# Words of the scripts that call one command after another and look at what it said. Sourced after
# tests/prologue.sh. A script sets `before`, the words that every call begins with (none, or audit); what a
# call wrote is in $tmp/out and $tmp/err.
# shellcheck shell=bash disable=SC2154 # tmp, here and before are set elsewhere
run() { # STATUS WHAT ARG...
	local want=$1 what=$2
	shift 2
	"$CAISSON" "${before[@]}" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	local got=$?
	[[ $got == "$want" ]]
	result $? "$what (status $got)"
}
# The same on a pseudo-terminal, where the question gets this answer.
at_terminal() { # STATUS WHAT ANSWER ARG...
	local want=$1 what=$2 answer=$3
	shift 3
	timeout 30 /usr/bin/python3 "$here/tests/terminal.py" "$answer" "$CAISSON" "$@" >"$tmp/out" \
		2>"$tmp/err" </dev/null
	local got=$?
	[[ $got == "$want" ]]
	result $? "$what (status $got)"
}
out() { grep -q -- "$1" "$tmp/out"; result $? "output has: $1"; }
no() { [[ -s $tmp/out ]] && ! grep -q -- "$1" "$tmp/out"; result $? "output has not: $1"; }
err() { [[ $(wc -l <"$tmp/err") == 1 && ! -s $tmp/out ]] &&
	grep -q -- "$1" "$tmp/err"; result $? "one line on stderr, nothing on stdout: $1"; }
json() { [[ -s $tmp/out ]] && jq -e "$1" "$tmp/out" >/dev/null 2>&1; result $? "JSON: $1"; }
