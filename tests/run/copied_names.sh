#!/bin/bash
# What is in a directory that is copied gets its name from there: cp -r DIR/. . and rsync DIR/ . into a
# project. Real files. TAP.
# shellcheck source=tests/judge.sh
. "$(dirname "$0")/../judge.sh"
dir=$HOME/p
mkdir -p "$dir/.git" "$dir/plain/src" "$dir/agent/.claude" "$dir/hooks/.github/hooks" "$dir/repo/.git/hooks"
echo 'ref: refs/heads/main' >"$dir/.git/HEAD"
touch "$dir/plain/src/a.c" "$dir/plain/.gitignore" "$dir/agent/.claude/settings.json" \
	"$dir/hooks/.github/hooks/x" "$dir/repo/.git/hooks/pre-commit"

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
