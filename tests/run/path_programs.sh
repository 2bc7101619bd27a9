#!/bin/bash
# Programs that the caller's PATH finds in the project: a box may have put them there, so plain names run them in the
# box alone. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export HOME=$tmp/home CAISSON_STATE=$tmp/state
p=$tmp/home/p
mkdir -p "$p/.venv/bin" "$p/sub" "$tmp/home/bin" "$tmp/home/q"
git init -q "$p"
git init -q "$tmp/home/q"
ln -s "$p" "$tmp/home/link"
for name in ls git eza; do printf '#!/bin/sh\necho planted\n' >"$p/.venv/bin/$name"; chmod +x "$p/.venv/bin/$name"; done
mkdir "$p/.venv/bin/wc"
cp "$p/.venv/bin/ls" "$tmp/home/bin/ls"

# verdict PATH COMMAND WANTED [DIRECTORY]
verdict() {
	local got
	got=$(cd "${4:-$p}" && PATH=$1 "$CAISSON" check "$2" | head -n 2 | tr '\n' ' ')
	[[ $got == $3* ]]
	result $? "PATH=${1//$tmp/} $2: $3 ($got)"
}
system=/usr/local/bin:/usr/bin:/bin
for path in "$p/.venv/bin:$system" ".venv/bin:$system" "$tmp/home/link/.venv/bin:$system" "$tmp/home/bin-none:$p/.venv/bin:$system"; do
	verdict "$path" ls 'contain   executes-file'
	verdict "$path" 'echo x | ls' 'contain   executes-file'
	verdict "$path" 'git status' 'contain   executes-file'
	verdict "$path" 'cat x' allow
	verdict "$path" 'wc x' allow
	verdict "$path" 'echo x' allow
	verdict "$path" '/usr/bin/ls' allow
done
verdict "$system" ls allow
verdict "$system:$p/.venv/bin" ls allow
[[ $(PATH=$system type -P eza) ]] || verdict "$system:$p/.venv/bin" eza 'contain   executes-file'
many=$(printf "$tmp/home/none%s:" {1..20})
verdict "$many$p/.venv/bin:$system" ls 'contain   executes-file'
verdict "$many$p/.venv/bin:$system" 'cat x' allow
verdict "$tmp/home/bin:$system" ls allow
verdict "$tmp/home/bin:$p/.venv/bin:$system" ls allow
verdict "$p/.venv/bin:$system" 'cp x .venv/bin/cat && cat x' 'contain   executes-file'
verdict "$p/.venv/bin:$system" 'cp x sub/cat && cat x' allow
verdict "$p/.venv/bin:$system" ls allow "$tmp/home/q"
verdict "$tmp/home/bin:$system" ls allow "$tmp/home" # no box writes the home
printf 'tools: {bash: {allow: [eza]}}\n' >"$tmp/policy.yaml"
got=$(cd "$p" && PATH=$p/.venv/bin:$system "$CAISSON" check --config "$tmp/policy.yaml" eza | head -n 1)
[[ $got == allow ]]
result $? "a person's rule lifts it ($got)"

# What was decided can be replayed without that PATH.
jq -nc --arg p "$p" '{session_id: "s", cwd: $p, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {command: "ls"}, tool_use_id: "t"}' |
	(cd "$p" && PATH=$p/.venv/bin:$system "$CAISSON" hook --client claude-code) >"$tmp/out" 2>"$tmp/err"
grep -q 'caisson run --ticket' "$tmp/out" || grep -q '"ask"' "$tmp/out" # without a box
result $? 'a hook contains it'
row=$("$CAISSON" audit query --json | jq -r 'select(.kind == "verdict") | .id' | head -n 1)
PATH=$system "$CAISSON" replay --judge --json "$row" >"$tmp/out" 2>"$tmp/err"
grep -q executes-file "$tmp/out"
result $? 'and the record has what was decided by'
echo "1..$n"
