#!/bin/bash
# Characters that nobody sees, or that turn the text around: whatever caisson prints about a command spells
# them out. One character of each range. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export LC_ALL=C.UTF-8 # printf writes the characters
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"
export HOME=$tmp/home CAISSON_STATE=$tmp/state SHELL=/bin/bash
unset CLAUDE_PROJECT_DIR XDG_CONFIG_HOME XDG_STATE_HOME
mkdir -p "$HOME" "$tmp/project"
cd "$tmp/project" || exit 1

# The classes of src/base/chars.h: blanks, lines, joiners, invisible ones, directions, tags, controls.
code_points='a0 1680 2003 202f 205f 2800 3000 85 2028 2029 34f 180b 180f 200c 200d fe0f e0100 13430 ad 115f 17b4 180e 200b 2060 206a 3164
	feff ffa0 fff9 16fe4 1bca0 1d159 1d173 e0080 e01f0 61c 200e 202a 202e 2066 2069 e0001 e0041 e007f 7 1b 7f 9b'

hook() { # COMMAND: the answer of the hook, with JSON's own escapes read
	jq -nc --arg c "$1" --arg d "$PWD" \
		'{session_id: "s", cwd: $d, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {command: $c}, tool_use_id: "t"}' |
		"$CAISSON" hook --client claude-code | jq -r '.. | strings'
}

for hex in $code_points; do
	printf -v char '%b' "\\U$(printf '%08x' "0x$hex")"
	if ((16#$hex < 0x80)); then shown=$(printf '\\x%02x' "0x$hex"); else shown="\\u{$hex}"; fi
	command="rm -rf '/srv/a${char}b'"
	for how in 'check' 'check --explain'; do
		# shellcheck disable=SC2086 # two words
		"$CAISSON" $how "$command" >"$tmp/out" 2>"$tmp/err"
		grep -qF -- "a${shown}b" "$tmp/out" && ! grep -qF -- "$char" "$tmp/out"
		result $? "$how spells U+$hex out"
	done
	hook "$command" >"$tmp/out" 2>"$tmp/err"
	grep -qF -- "a${shown}b" "$tmp/out" && ! grep -qF -- "$char" "$tmp/out"
	result $? "a hook's reason spells U+$hex out"
done

# What is ordinary stays as it is.
text='grün 日本語 → ✓ 👍'
"$CAISSON" check --explain "rm -rf '/srv/$text'" >"$tmp/out" 2>"$tmp/err"
grep -qF -- "$text" "$tmp/out"
result $? "ordinary text stays: $text"
echo "1..$n"
