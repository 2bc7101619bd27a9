#!/bin/bash
# What is in a directory that is copied gets its name from there: cp -r DIR/. . and rsync DIR/ . into a project. Real files. TAP.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
CAISSON=${CAISSON:-$here/build/caisson}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
export HOME=$tmp/home
unset XDG_CONFIG_HOME XDG_STATE_HOME CAISSON_STATE TMPDIR
dir=$HOME/p
mkdir -p "$dir/.git" "$dir/plain/src" "$dir/agent/.claude" "$dir/hooks/.github/hooks" "$dir/repo/.git/hooks"
echo 'ref: refs/heads/main' >"$dir/.git/HEAD"
touch "$dir/plain/src/a.c" "$dir/plain/.gitignore" "$dir/agent/.claude/settings.json" "$dir/hooks/.github/hooks/x" "$dir/repo/.git/hooks/pre-commit"

# judge VERDICT ID COMMAND: the verdict, and a reason of that id ("-": none)
judge() {
	"$CAISSON" check --cwd "$dir" -- "$3" >"$tmp/said" 2>&1
	local reason=1
	if [[ $2 == - ]]; then grep -q '(ask)\|(deny)\|(contain)' "$tmp/said" || reason=0; else grep -q "^  $2 (" "$tmp/said" && reason=0; fi
	n=$((n + 1))
	if [[ $(head -1 "$tmp/said") == "$1"* && $reason == 0 ]]; then echo "ok $n - $1 $2: $3"; else
		echo "not ok $n - $1 $2: $3"
		sed 's/^/#   /' "$tmp/said"
	fi
}

judge allow - 'cp -r plain/. .'
judge allow - 'cp -r plain/src/. src'
judge ask protected-write 'cp -r agent/. .'
judge ask protected-write 'cp -a agent/. ./'
judge ask protected-write 'cp -r hooks/. .'
judge ask protected-write 'cp -r repo/. .'
judge allow - 'rsync -a plain/ .'
judge ask protected-write 'rsync -a agent/ .'
judge ask protected-write 'rsync -a hooks/ ./'
judge ask protected-write 'cp -r agent/.claude .'
echo "1..$n"
