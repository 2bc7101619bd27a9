#!/bin/bash
# caisson init: every client's settings, put in and taken out again to the byte, in whatever layout they are.
# TAP.
apart=1
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
ORDINARY=61234 # a user that no host has
chmod 755 "$tmp"

skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
init() { "$CAISSON" init "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }
tree() { (cd "$tmp" &&
	find home project -not -path 'project/.git/*' -printf '%p %m %y\n' | sort; cd "$tmp" &&
	find home project -type f -not -path 'project/.git/*' -exec sha256sum {} + | sort); }

leave_client
export HOME=$tmp/home CAISSON_STATE=$tmp/state
mkdir -p "$HOME" "$tmp/project/.git"
cd "$tmp/project" || exit 1
declare -A user=([claude-code]=.claude/settings.json [codex]=.codex/hooks.json \
	[gemini]=.gemini/settings.json [qwen]=.qwen/settings.json [copilot]=.copilot/hooks/caisson.json
	[opencode]=.config/opencode/plugin/caisson.js [cursor]=.cursor/hooks.json \
		[windsurf]=.codeium/windsurf/hooks.json)
declare -A project=([claude-code]=.claude/settings.json [codex]=.codex/hooks.json \
	[gemini]=.gemini/settings.json [qwen]=.qwen/settings.json [copilot]=.github/hooks/caisson.json
	[opencode]=.opencode/plugin/caisson.js [cursor]=.cursor/hooks.json [windsurf]=.windsurf/hooks.json)
clients=(claude-code codex gemini qwen copilot opencode cursor windsurf)
before=$(tree)

# ---- nothing there yet ----
init && grep -q '^found no client' "$tmp/out" && [[ $(tree) == "$before" ]]
result $? 'where no client is used nothing is done'
for c in "${clients[@]}"; do
	now=$(tree)
	init --client "$c" --dry-run && grep -q "^+++ $HOME/${user[$c]}$" "$tmp/out" &&
		grep -q '^+.*caisson' "$tmp/out" && [[ $(tree) == "$now" ]]
	result $? "$c: a dry run shows the file and makes nothing"
	(cd / && patch -s -p0 -o "$tmp/patched" <"$tmp/out") >/dev/null 2>&1
	init --client "$c" && [[ -s $HOME/${user[$c]} ]] && grep -q created "$tmp/out"
	result $? "$c: created"
	[[ $(stat -c %a "$HOME/${user[$c]}") == 600 ]]
	result $? "$c: for the user alone"
	more=()
	[[ $c == codex ]] && more=("$HOME/.codex/rules/caisson.rules")
	cat "$HOME/${user[$c]}" "${more[@]}" | cmp -s "$tmp/patched" -
	result $? "$c: it is what the diff said, which patch(1) understands"
	cp "$HOME/${user[$c]}" "$tmp/first"
	init --client "$c" && cmp -s "$tmp/first" "$HOME/${user[$c]}" && grep -q 'already' "$tmp/out"
	result $? "$c: the second time nothing changes"
	init --client "$c" --dry-run && ! grep -q '^+' "$tmp/out"
	result $? "$c: and a dry run says so"
	if [[ $c != opencode ]]; then
		jq -e '.hooks | length >= 2 and all(.[]; length == 1)' "$HOME/${user[$c]}" >/dev/null
		result $? "$c: each event has one entry"
		jq -r '.. | objects | (.command // .bash) // empty | select(type == "string")' \
			"$HOME/${user[$c]}" |
			grep -Eqv "^(trap '[^']*' EXIT; )?(/[^ ]*/timeout -k 1 25 )?$CAISSON hook --client $c"
		[[ $? == 1 ]]
		result $? "$c: every command is this program by its absolute path"
	fi
	init --client "$c" --project && [[ -s ${project[$c]} ]] && init --client "$c" --project --remove &&
		[[ ! -e ${project[$c]} ]]
	result $? "$c: the same in a project"
done
init --json && jq -e --arg home "$HOME" '.v == 1 and .scope == "user" and (.dry_run | not) and
	(.files | length) == 9 and all(.files[]; .change == "none" and (has("diff") | not)) and
	.files[0] == {client: "claude-code", path: "\($home)/.claude/settings.json", change: "none"}' \
	"$tmp/out" >/dev/null
result $? 'as JSON: all files, and none changes'
init --remove --dry-run --json && jq -e '.dry_run and all(.files[]; .change == "delete" and
	(.diff | test("^--- /.*\n\\+\\+\\+ /dev/null\n")))' "$tmp/out" >/dev/null
result $? 'as JSON: a dry run has the diffs'
init --client gemini --project --json && jq -e '.scope == "project" and
	[.files[] | .change, .path] == ["create", "'"$PWD"'/.gemini/settings.json"]' "$tmp/out" >/dev/null &&
	init --client gemini --project --remove --json &&
	jq -e '[.files[].change] == ["delete"]' "$tmp/out" >/dev/null
result $? 'as JSON: created, and deleted again'
mkdir -p .gemini && printf '{,' >.gemini/settings.json
! init --client gemini --project --json && jq -e '[.files[] | .client, (.error | test("settings.json")),
	has("change")] == ["gemini", true, false]' "$tmp/out" >/dev/null && grep -q '^caisson: init: gemini' "$tmp/err"
result $? 'as JSON: a failure has its error'
rm -r .gemini
jq -e '[.hooks.PreToolUse[].hooks[] | .onFailure == "block" and .timeout > 0] | all' \
	"$HOME/.claude/settings.json" >/dev/null
result $? 'claude-code: a hook that fails means no'
jq -e '(.hooks | keys) == ["PostToolUse", "PostToolUseFailure", "PreToolUse", "SessionEnd", "SessionStart"]' \
	"$HOME/.claude/settings.json" >/dev/null
result $? 'claude-code: all five events'
jq -e '.version == 1 and ([.hooks[][].failClosed] | all)' "$HOME/.cursor/hooks.json" >/dev/null
result $? 'cursor: a hook that fails means no'
[[ $(jq -Sc --arg c "$CAISSON" \
	'.hooks | walk(if type == "string" and contains($c) then split($c) | join("caisson") else . end)' \
	"$HOME/.claude/settings.json") == "$(jq -Sc .hooks "$here/clients/claude-code/hooks/hooks.json")" ]]
result $? 'the plugin folder for Claude Code has the same hooks'
if command -v node >/dev/null; then
	cp "$HOME/.config/opencode/plugin/caisson.js" "$tmp/plugin.mjs"
	node --check "$tmp/plugin.mjs" 2>"$tmp/err" &&
		grep -q "^const program = \"$CAISSON\";" "$tmp/plugin.mjs"
	result $? 'the plugin for opencode is JavaScript, with the path of the program'
else
	skip 'the plugin for opencode is JavaScript' 'there is no node'
fi
init && [[ $(grep -c 'already' "$tmp/out") == 9 ]]
result $? 'without --client all that are used here'
init --remove && [[ $(tree) == "$before" ]]
result $? 'taken out, everything is as it was, directories too'
init --remove --client gemini && grep -q 'no hooks of caisson' "$tmp/out"
result $? 'taking out what is not there does nothing'

# ---- settings that somebody has written ----
there_and_back() { # CLIENT FILE WHAT
	local file=$HOME/${user[$1]} good=0
	cp "$2" "$file"
	init --client "$1" && ! cmp -s "$2" "$file" && cp "$file" "$tmp/with" && init --client "$1" &&
		cmp -s "$file" "$tmp/with" && init --client "$1" --remove && cmp -s "$2" "$file" || good=1
	result $good "$1: there and back: $3"
	rm -f "$file"
}
for c in "${clients[@]}"; do mkdir -p "$(dirname "$HOME/${user[$c]}")"; done
while IFS= read -r text; do
	# shellcheck disable=SC2059 # the escapes are the point
	printf "$text" >"$tmp/settings"
	there_and_back claude-code "$tmp/settings" "$text"
	there_and_back cursor "$tmp/settings" "$text"
	jq -e . "$tmp/with" >/dev/null 2>&1
	result $? 'and it was JSON in between'
done <<'TEXTS'
{}
{"sandbox": {}}
{"sandbox": {"enabled": true}}
{"sandbox": {"excludedCommands": []}, "hooks": {}}
{"sandbox": {"excludedCommands": ["docker:*"], "enabled": true}}
{\n  "sandbox": {\n    "enabled": true,\n    "excludedCommands": [\n      "docker:*"\n    ]\n  }\n}\n
{\n\t"a": 1,\n\t"sandbox": {\n\t}\n}
{ }
{\n}\n
{\n\n}
\n
\n\n \n
{"a":1}
{"a":1}\n
{ "a" : [ 1, 2 ] }
{\n  "model": "x",\n  "permissions": {"allow": ["Bash(ls)"]}\n}\n
{\n\t"a": 1,\n\t"b": [\n\t\t1\n\t]\n}
{\r\n    "a": 1\r\n}\r\n
{\n  "hooks": {}\n}\n
{"hooks":{}}
{"hooks": { } }
{\n  "hooks": {\n  }\n}\n
{"hooks": {\n}, "a": {}}
{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n
{"hooks":{"PreToolUse":[ ],"beforeShellExecution":[]}}
{\n  "hooks": {\n    "PreToolUse": [\n    ],\n    "beforeShellExecution": [\n    ]\n  }\n}\n
{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}
{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/other hook"}]}\n    ]\n  },\n  "z": null\n}\n
{"version": 1}
{"version": 1, "hooks": {}}
\n\n{"a": "\\u00e9 // no comment, \\"quoted\\""}
TEXTS
: >"$tmp/settings"
there_and_back claude-code "$tmp/settings" 'an empty file'
printf '\xef\xbb\xbf{"a": 1}' >"$tmp/settings"
there_and_back claude-code "$tmp/settings" 'a byte order mark'
printf '// mine\n{\n  // and this\n  "a": 1, /* here */\n  "hooks": { /* none yet */ } // end\n}\n// after' \
	>"$tmp/settings"
there_and_back gemini "$tmp/settings" 'comments'
there_and_back qwen "$tmp/settings" 'comments'

/usr/bin/python3 - "$tmp/random" <<'PY'
import random, sys, os
r = random.Random(8)
os.mkdir(sys.argv[1])
def ws():
    return r.choice(["", "", " ", "\n", "\n  ", "\t", "\r\n", " \n\n "])
def value(depth, keys=None):
    k = r.randrange(6) if depth < 3 else r.randrange(4)
    if k < 4:
        return r.choice(["1", "-2.5e3", "true", "null", '"x"', '"a,b]}"', '"\\"{"', '""'])
    if k == 4:
        return "[" + ws() + ("," + ws()).join(value(depth + 1) + ws() for _ in range(r.randrange(4))) + "]"
    return obj(depth + 1, r.sample(["a", "b", "c d", "matcher", "command", "hooks"], r.randrange(4)))
def obj(depth, names):
    out = "{" + ws()
    parts = []
    for name in names:
        if name == "hooks" and depth == 0:
            v = obj(1, r.sample(["PreToolUse", "PostToolUse", "SessionStart", "Stop"], r.randrange(4)))
        elif depth == 1 and name in ("PreToolUse", "PostToolUse", "SessionStart", "Stop"):
            v = "[" + ws() + ("," + ws()).join(obj(2, r.sample(["matcher", "hooks", "command"], r.randrange(3))) + ws() for _ in range(r.randrange(3))) + "]"
        else:
            v = value(depth + 1)
        parts.append('"%s"%s:%s%s%s' % (name, ws(), ws(), v, ws()))
    return out + ("," + ws()).join(parts) + "}"
for i in range(60):
    with open("%s/%03d" % (sys.argv[1], i), "w", newline="") as f:
        f.write(ws() + obj(0, r.sample(["a", "hooks", "version", "z"], r.randrange(5))) + ws())
PY
bad=
for f in "$tmp"/random/*; do
	file=$HOME/.claude/settings.json
	cp "$f" "$file"
	init --client claude-code && ! cmp -s "$f" "$file" &&
		jq -e '[.hooks.PreToolUse[0].hooks[0].command, .hooks.PostToolUse[0].hooks[0].command] | all(contains("caisson hook"))' "$file" >/dev/null &&
		cp "$file" "$tmp/with" && init --client claude-code && cmp -s "$file" "$tmp/with" &&
		init --client claude-code --remove && cmp -s "$f" "$file" || bad+="$f "
done
for f in $bad; do sed 's/^/#   /' "$f"; echo; done
[[ -z $bad ]]
result $? '60 files of any layout: put in first, twice the same, and back to the byte'
rm -f "$HOME/.claude/settings.json"

# ---- ours from before ----
cat >"$HOME/.claude/settings.json" <<'JSON'
{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "other"}, {"type": "command", "command": "'/old place/caisson' hook"}]},
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "/usr/bin/caisson hook --client claude-code"}]}
    ]
  }
}
JSON
init --client claude-code &&
	jq -e --arg c " EXIT; $CAISSON hook --client claude-code" \
	'[.hooks.PreToolUse[].hooks[].command] | length == 2 and .[0] == "other" and (.[1] | endswith($c))' \
	"$HOME/.claude/settings.json" >/dev/null
result $? 'hooks of an older caisson are renewed, others stay'
init --client claude-code --remove &&
	jq -e '.hooks == {PreToolUse: [{matcher: "Bash", hooks: [{type: "command", command: "other"}]}]}' \
	"$HOME/.claude/settings.json" >/dev/null
result $? 'and taken out from among others'
# Lines of every version, and somebody else's that only look like them.
while IFS= read -r old; do
	printf '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": %s}]}]}}' \
		"$(jq -nc --arg o "$old" '$o')" >"$HOME/.codex/hooks.json"
	init --client codex &&
		[[ $(jq -r '[.hooks.PreToolUse[].hooks[].command] | length' "$HOME/.codex/hooks.json") == 1 \
		]] && jq -e '.hooks.PreToolUse[0].hooks[0].command | startswith("trap ")' \
		"$HOME/.codex/hooks.json" >/dev/null
	result $? "codex: renewed: $old"
	init --client codex --remove && ! grep -q caisson "$HOME/.codex/hooks.json" 2>/dev/null
	result $? 'and taken out'
done <<'OLD'
caisson hook
/usr/bin/caisson hook --client codex
'/old place/caisson' hook --client codex
trap 'exit 2' EXIT; /usr/bin/timeout -k 1 25 '/old place/caisson' hook --client codex
/usr/bin/timeout -k 1 25 /usr/bin/caisson hook --client codex || { echo "no answer" >&2; exit 2; }
timeout -k 1 20 '/it'\''s/caisson' hook --client codex || { exit 2; }
'/a b/timeout' -k 1 25 '/old place/caisson-2.1' hook || exit 0
OLD
while IFS= read -r other; do
	jq -nc --arg o "$other" '{hooks: {PreToolUse: [{hooks: [{type: "command", command: $o}]}]}}' \
		>"$HOME/.codex/hooks.json"
	cp "$HOME/.codex/hooks.json" "$tmp/settings"
	init --client codex --remove && cmp -s "$tmp/settings" "$HOME/.codex/hooks.json"
	result $? "codex: not ours: $other"
done <<'OTHER'
timeout -k 1 25 /opt/other hook
trap 'caisson hook' EXIT; /opt/other hook
trap 'caisson hook
timeout 5
/usr/bin/timeout
/opt/caisson-hooks/other hook
echo caisson hook
OTHER
rm -f "$HOME/.codex/hooks.json"
mkdir -p "$tmp/it's here"
cp "$CAISSON" "$tmp/it's here/caisson"
"$tmp/it's here/caisson" init --client claude-code >"$tmp/out" 2>"$tmp/err"
command=$(jq -r '.hooks.PreToolUse[0].hooks[0].command' "$HOME/.claude/settings.json")
[[ $(sh -c "set -- ${command#*EXIT; }; echo \"\$1|\$2|\$3|\$4\"") == \
	"$tmp/it's here/caisson|hook|--client|claude-code" ]]
result $? "a path with a quote and a blank is one word for sh"
init --client claude-code &&
	[[ $(jq -r '[.hooks.PreToolUse[].hooks[].command] | map(select(contains("caisson"))) | length' \
	"$HOME/.claude/settings.json") == 1 ]]
result $? 'and is known again'
rm -f "$HOME/.claude/settings.json"

# ---- what is refused ----
refused() { # CLIENT WHERE TEXT
	printf '%s' "$3" >"$HOME/${user[$1]}"
	cp "$HOME/${user[$1]}" "$tmp/was"
	init --client "$1"
	[[ $? == 1 ]] && grep -q "${user[$1]}:$2: " "$tmp/err" && cmp -s "$tmp/was" "$HOME/${user[$1]}"
	result $? "$1: refused at $2 and untouched: ${3//$'\n'/ }"
	init --client "$1" --remove
	cmp -s "$tmp/was" "$HOME/${user[$1]}"
	result $? 'also when taking out'
	rm -f "$HOME/${user[$1]}"
}
refused claude-code 1:2 '{'
refused claude-code 1:9 '{"a": 1,}'
refused claude-code 3:3 $'{"a":\n\n  tru}'
refused claude-code 1:1 '[1]'
refused claude-code 1:11 '{"hooks": 1}'
refused claude-code 1:13 '{"sandbox": 1}'
refused claude-code 1:34 '{"sandbox": {"excludedCommands": {}}}'
refused claude-code 1:26 '{"hooks": {"PreToolUse": {}}}'
refused claude-code 1:9 '{"a": 1}}'
refused claude-code 1:10 '{"a": 1, "a": 2}'
refused claude-code 1:7 '{"a": 01}'
refused claude-code 2:1 $'{"a": 1,\n// a comment\n"b": 2}'
refused gemini 1:3 '{ /* no end'
refused opencode 1:1 'export const other = 1'
printf '{"a": %s1%s}' "$(printf '[%.0s' {1..100})" "$(printf ']%.0s' {1..100})" >"$HOME/.claude/settings.json"
init --client claude-code
[[ $? == 1 ]] && grep -q 'nested too deeply' "$tmp/err"
result $? 'nesting has a bound'
printf '{"a":' >"$HOME/.claude/settings.json"
init
[[ $? == 1 ]] && [[ -s $HOME/.gemini/settings.json ]]
result $? 'one client whose file is broken does not keep the others from being set up'
rm -f "$HOME/.claude/settings.json"
init --remove
for bad in '--client nosuch' '--user --project' 'claude-code' '--client'; do
	# shellcheck disable=SC2086
	init $bad
	[[ $? == 64 ]]
	result $? "usage: $bad"
done

# ---- links, modes, owners ----
printf '{"a": 1}\n' >"$tmp/dotfile"
chmod 640 "$tmp/dotfile"
ln -s "$tmp/dotfile" "$HOME/.claude/settings.json"
init --client claude-code && [[ -L $HOME/.claude/settings.json ]] &&
	grep -q 'caisson hook' "$tmp/dotfile" && grep -q 'it is a link' "$tmp/out"
result $? 'a link is followed, and stays one'
[[ $(stat -c %a "$tmp/dotfile") == 640 ]]
result $? 'the mode stays'
init --client claude-code --remove && [[ $(cat "$tmp/dotfile") == '{"a": 1}' ]]
result $? 'and back'
rm -f "$HOME/.claude/settings.json"
mkdir -p .claude
ln -s "$tmp/dotfile" .claude/settings.json
init --client claude-code --project
[[ $? == 1 ]] && grep -q 'link out of the project' "$tmp/err" && ! grep -q hook "$tmp/dotfile"
result $? 'but not out of a project'
rm -rf .claude
ln -s loop "$HOME/.claude/loop"
ln -s loop "$HOME/.claude/settings.json"
init --client claude-code
[[ $? == 1 ]]
result $? 'a circle is refused'
rm -f "$HOME/.claude/settings.json" "$HOME/.claude/loop"
mkdir "$HOME/.claude/settings.json"
init --client claude-code
[[ $? == 1 ]] && grep -q 'not a file' "$tmp/err"
result $? 'a directory in its place is refused'
rmdir "$HOME/.claude/settings.json"
if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
	mkdir -p "$tmp/other/.claude" "$tmp/other/.gemini"
	echo '{}' >"$tmp/other/.claude/settings.json"
	chown -R $ORDINARY "$tmp/other"
	chmod 555 "$tmp/other/.claude" "$tmp/other/.gemini"
	cp "$CAISSON" "$tmp/caisson"
	chmod 755 "$tmp/caisson"
	HOME=$tmp/other CAISSON_STATE=$tmp/other/state setpriv --reuid=$ORDINARY --clear-groups \
		"$tmp/caisson" init --client claude-code --client gemini >"$tmp/out" 2>"$tmp/err"
	[[ $? == 1 && $(grep -c 'ermission denied' "$tmp/err") == 2 &&
		$(cat "$tmp/other/.claude/settings.json") == '{}' && -z $(ls -A "$tmp/other/.gemini") ]]
	result $? 'a directory that cannot be written: said, and nothing is left behind'
	chmod 755 "$tmp/other/.claude"
	# a HOME of somebody else's would not count
	CLAUDE_CONFIG_DIR=$tmp/other/.claude "$CAISSON" init --client claude-code >"$tmp/out" 2>"$tmp/err"
	grep -q caisson "$tmp/other/.claude/settings.json" &&
		[[ $(stat -c '%u' "$tmp/other/.claude/settings.json") == "$ORDINARY" ]]
	result $? 'the owner stays'
else
	skip 'a directory that cannot be written' 'only root can be somebody else'
	skip 'the owner stays' 'only root can be somebody else'
fi

# ---- agents ----
CLAUDECODE=1 init --client claude-code
[[ $? == 1 && ! -e $HOME/.claude/settings.json ]] && grep -q CLAUDECODE "$tmp/err"
result $? 'an agent does not get it done'
cp /bin/bash "$tmp/claude"
"$tmp/claude" -c '"$0" init --client claude-code; exit $?' "$CAISSON" >"$tmp/out" 2>"$tmp/err"
[[ $? == 1 && ! -e $HOME/.claude/settings.json ]] && grep -q 'runs below claude-code' "$tmp/err"
result $? 'and below a client, whatever the variables say'
CLAUDECODE=1 init --client claude-code --dry-run
result $? 'but may look'
for c in 'caisson init' 'caisson init --remove' "$CAISSON init --user" \
	'sh -c "caisson init --remove --client claude-code"'; do
	"$CAISSON" check "$c" >"$tmp/out" 2>"$tmp/err"
	[[ $? == 2 ]] && grep -q caisson-milder "$tmp/out"
	result $? "and the gate denies: $c"
done
CLAUDE_CONFIG_DIR=$tmp/elsewhere init --client claude-code && [[ -s $tmp/elsewhere/settings.json ]]
result $? 'where the client was told to have its settings'
echo "1..$n"
