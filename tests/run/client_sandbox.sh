#!/bin/bash
# A ticket that is used inside a client's own sandbox, where no box can be made: refused with a sentence, or
# run in that sandbox where the person's policy trusts it. The sandbox is bubblewrap with a filter of system
# calls, as clients make it. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
export HOME=$tmp/home CAISSON_STATE=$tmp/home/state SHELL=/bin/bash
unset XDG_CONFIG_HOME XDG_STATE_HOME CODEX_HOME
P=$HOME/project
mkdir -p "$HOME/.config/caisson" "$P"
chmod 700 "$HOME/.config/caisson"
git init -q "$P"
printf 'test:\n\t@echo tested; touch made; exit $${CODE:-0}\n' >"$P/Makefile"
cd "$P" || exit 1

skip_all() { echo "1..0 # SKIP $1"; exit 0; }

# unshare(2) and mount(2) are refused, all else passes
/usr/bin/python3 - "$tmp/filter" "$(uname -m)" <<'PY' || skip_all \
	'there is no python3 to make the filter with'
import struct, sys
unshare, mount = {"x86_64": (272, 165), "aarch64": (97, 40)}[sys.argv[2]]
rows = [(0x20, 0, 0, 0), (0x15, 2, 0, unshare), (0x15, 1, 0, mount), (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050001)]
open(sys.argv[1], "wb").write(b"".join(struct.pack("HBBI", *r) for r in rows))
PY
sandbox() { # [OPTION...] -- COMMAND: everything read-only but the project
	local options=()
	while [[ $1 != -- ]]; do options+=("$1"); shift; done
	bwrap --unshare-user --unshare-pid ${NET---unshare-net} --ro-bind / / --bind "$P" "$P" --proc /proc \
		--dev /dev "${options[@]}" --seccomp 10 bash -c "$2" 10<"$tmp/filter" >"$tmp/out" 2>"$tmp/err"
	rc=$?
}
command -v bwrap >/dev/null || skip_all 'there is no bwrap'
sandbox -- true
[[ $rc == 0 ]] || skip_all "bwrap makes no sandbox here: $(head -n 1 "$tmp/err")"

ticket() { # CLIENT COMMAND: the line that the client would run
	jq -c --arg cwd "$P" --arg text "$2" \
		'walk(if type == "string" then gsub("@CWD@"; $cwd) | gsub("@COMMAND@"; $text) else . end)' \
		"$here/tests/hooks/$1-pre.json" |
		"$CAISSON" hook --client "${3:-$1}" |
		jq -r '.. | strings | select(contains("run --ticket"))' | head -n 1
}
policy() { printf '%s\n' "$1" >"$HOME/.config/caisson/config.yaml"; chmod 600 \
	"$HOME/.config/caisson/config.yaml"; }

line=$(ticket codex 'make test')
sandbox -- "$line"
[[ $rc == 125 && ! -s $tmp/out && ! -e made ]]
result $? "refused, and nothing ran (status $rc)"
grep -q 'codex runs commands in its own sandbox, where Caisson cannot create a box' "$tmp/err" &&
	grep -q 'caisson init --client codex' "$tmp/err"
result $? 'it says what happened, and what to do'
[[ $(wc -l <"$tmp/err") == 1 ]]
result $? 'in one line'
bash -c "$line" >"$tmp/out" 2>"$tmp/err"
[[ $(<"$tmp/out") == tested ]]
result $? 'the same ticket is still good outside'
rm -f made
line=$(ticket gemini 'make test')
sandbox -- "$line"
[[ $rc == 125 ]] && grep -q 'gemini runs commands in its own sandbox.*caisson help clients' "$tmp/err"
result $? 'a client that cannot be told to run tickets outside'
sandbox -- "$CAISSON run --ticket 0123456789abcdef0123456789abcdef"
[[ $rc == 64 ]] && grep -q 'no such ticket' "$tmp/err"
result $? 'a ticket that there is not'

policy 'sandbox: {client_sandbox: trust}'
line=$(ticket codex 'CODE=3 make test')
sandbox -- "$line"
[[ $(<"$tmp/out") == tested* && -e made && $rc == 2 ]]
result $? "trusted: it runs in that sandbox, and its exit code is what it was (status $rc)"
grep -q 'runs in the sandbox of codex, not in a box' "$tmp/err"
result $? 'and that is said'
rm -f made
sandbox --bind "$HOME" "$HOME" -- "$(ticket codex 'make test')"
[[ $rc == 125 && ! -e made ]]
result $? 'a sandbox in which the home can be written is none'
if [[ $(tail -n +3 /proc/net/dev | grep -vc '^ *lo:') == 0 ]]; then
	skip 'nor is one that has the network' 'this machine has no network either'
else
	NET='' sandbox -- "$(ticket codex 'make test')"
	[[ $rc == 125 && ! -e made ]]
	result $? 'nor is one that has the network'
fi
line=$(ticket codex 'make test')
policy 'sandbox: {client_sandbox: trust, always: true}'
sandbox -- "$line"
[[ $rc == 126 && ! -e made ]]
result $? "a policy that has changed since: refused (status $rc)"
policy 'sandbox: {client_sandbox: maybe}'
! "$CAISSON" config verify >"$tmp/err" 2>&1 && grep -q 'expected refuse or trust' "$tmp/err"
result $? 'the policy knows two words'
printf 'sandbox: {client_sandbox: trust}\n' >"$P/.caisson.yaml"
policy ''
line=$(ticket codex 'make test')
[[ -n $line ]] && sandbox -- "$line"
[[ -z $line || $rc != 0 ]] && [[ ! -e made ]]
result $? 'a project cannot say it'
echo "1..$n"
