#!/bin/bash
# What the README shows is what happens: every "caisson ..." line of its shell blocks is run, and the verdict
# in its comment must be the one given.
# The policy it shows is loaded, and the folders and documents it names exist.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
readme=$here/README.md
verdicts=(allow ask deny contain)

failure_files=(out)

# Blocks of one language, without their fences.
blocks() { awk -v lang="$1" '$0 == "```" lang { on = 1; next } /^```/ { on = 0 } on' "$readme"; }

lines=0
while IFS= read -r line; do
	[[ $line == *caisson\ check* ]] || continue
	lines=$((lines + 1))
	want=${line##*\# }
	want=${want%%[!a-z]*}
	(
		caisson() { "$CAISSON" "$@"; }
		cd "$tmp" && eval "$line"
	) >"$tmp/out" 2>&1
	got=$?
	case $want in
	allow | ask | deny | contain) [[ ${verdicts[got]-} == "$want" ]] ;;
	*) ((got <= 3)) && [[ -s $tmp/out ]] ;;
	esac
	result $? "$line" "$got"
done < <(blocks sh)
: >"$tmp/out"
((lines >= 5))
result $? "at least five examples were found" "$lines"

# In a project of its own: `git stash` asks where it would change a protected file.
git init -q "$tmp/project"
blocks yaml >"$tmp/policy.yaml"
while read -r want command; do
	"$CAISSON" check --cwd "$tmp/project" --config "$tmp/policy.yaml" "$command" >"$tmp/out" 2>&1
	got=$?
	[[ ${verdicts[got]-} == "$want" ]]
	result $? "with the policy shown: $command: $want" "$got"
done <<'ROWS'
deny git push origin main
deny true && env X=1 git push
allow git stash
ask npm publish
allow make test
allow ls
ROWS
echo 'default: [' >"$tmp/bad.yaml"
"$CAISSON" check --config "$tmp/bad.yaml" ls >"$tmp/out" 2>&1
got=$?
[[ $got == 2 ]] && grep -q 'bad.yaml:[0-9]*:[0-9]*' "$tmp/out"
result $? 'a policy that does not load denies, with its place' "$got"

: >"$tmp/out"
while read -r link; do
	[[ -e $here/$link ]]
	result $? "README names $link" 0
done < <(grep -o '](\([^)#]*\))' "$readme" | sed 's/^](//; s/)$//' | grep -v '^http' | sort -u)
while read -r folder; do
	[[ -d $here/$folder ]]
	result $? "ARCHITECTURE.md names $folder" 0
done < <(grep -o '^| `\(src\|tests\|knowledge\|scripts\)[a-z/]*`' "$here/ARCHITECTURE.md" | tr -d '|` ' |
	sort -u)
echo "1..$n"
