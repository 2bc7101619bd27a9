#!/bin/bash
# caisson check --batch looks at the policy files again before each line: a rule that comes, changes or goes
# while the stream is open counts for the next line. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"

result() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		printf '#   %s\n' "${answer-}"
	fi
}

deny() { printf 'tools:\n  bash:\n    deny: ["%s"]\n' "$1"; }

# Asks the open stream about one command in the project.
ask() {
	printf '{"id":1,"cwd":"%s","command":"%s"}\n' "$dir" "$1" >&"${stream[1]}"
	read -r -t 30 answer <&"${stream[0]}"
}

verdict() {
	ask "$2"
	[[ $answer == *"\"verdict\":\"$1\""* ]]
	result $? "$3"
}

# A file as old as one that nobody edits right now.
settle() { touch -d '1 hour ago' "$@"; }

export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config CAISSON_STATE=$tmp/state
project=$tmp/work
mkdir -p "$HOME/.config/caisson" "$project/sub" "$tmp/state" "$tmp/elsewhere"
chmod 700 "$tmp/state"
git init -q "$project"
dir=$project
own=$HOME/.config/caisson/config.yaml

coproc stream { exec "$CAISSON" check --batch 2>"$tmp/err"; }

verdict allow 'echo one' 'no policy file: allow'
deny 'echo one' >"$own"
verdict deny 'echo one' "the person's policy file appears"
settle "$own"
verdict deny 'echo one' 'its time changes'
verdict allow 'echo two' 'what it does not name is allowed'
deny 'echo two' >"$own"
touch -d '1 hour ago' "$own"
verdict deny 'echo two' 'the same size, and its modification time set back'
verdict allow 'echo one' 'the old rule is gone'
deny 'echo thr' >"$tmp/new.yaml"
settle "$tmp/new.yaml"
mv "$tmp/new.yaml" "$own"
verdict deny 'echo thr' 'the file is replaced by rename'
printf 'tools: [' >"$own"
verdict deny 'echo one' 'a file that no longer loads denies'
[[ $answer == *policy-error* ]]
result $? 'the reason is policy-error'
rm "$own"
verdict allow 'echo one' 'the file goes'

deny 'echo one' >"$project/.caisson.yaml"
verdict deny 'echo one' "the project's policy file appears"
rm "$project/.caisson.yaml"
verdict allow 'echo one' '... and goes'
mkdir -p "$project/.claude/fencepost/config"
verdict allow 'echo one' 'an empty folder of fencepost'
deny 'echo one' >"$project/.claude/fencepost/config/a.yaml"
verdict deny 'echo one' 'a file in the folder of fencepost'
rm -r "$project/.claude"
verdict allow 'echo one' '... and goes'

dir=$project/sub
deny 'echo one' >"$project/.caisson.yaml"
verdict deny 'echo one' 'a directory of the project'
git init -q "$project/sub"
verdict deny 'echo one' 'a repository of its own inside: the policy around it holds'
rm -r "$project/sub/.git"
rm "$project/.caisson.yaml"
verdict allow 'echo one' 'without a policy'
dir=$tmp/elsewhere
verdict allow 'echo one' 'no repository'
deny 'echo one' >"$tmp/elsewhere/.caisson.yaml"
verdict deny 'echo one' 'a directory that is a project without a repository'

# An untrusted project can only be stricter. The trust store counts from the next line on.
dir=$project
printf 'tools:\n  bash:\n    allow: ["git push"]\n' >"$project/.caisson.yaml"
settle "$project/.caisson.yaml"
verdict ask 'git push' 'an untrusted project allows nothing'
printf '[{"path":"%s/.caisson.yaml","sha256":"%s","when":"now"}]\n' "$project" \
	"$(sha256sum <"$project/.caisson.yaml" | cut -d' ' -f1)" >"$tmp/state/trust.json"
chmod 600 "$tmp/state/trust.json"
verdict allow 'git push' 'the project becomes trusted'
rm "$tmp/state/trust.json"
verdict ask 'git push' 'the trust is taken back'
eval "exec ${stream[1]}>&-"
wait
echo "1..$n"
