#!/bin/bash
# What docs/policy.md shows is what happens: every yaml block loads as a policy, and the rows of the verdicts
# block behind it come out as it says.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
rows=0
verdicts=(allow ask deny contain)

failure_files=(out)

# 1.yaml 1.verdicts 2.yaml ...
awk -v dir="$tmp" '
	$0 == "```yaml" { k++; out = dir "/" k ".yaml"; next }
	$0 == "```verdicts" { out = dir "/" k ".verdicts"; next }
	/^```/ { out = ""; next }
	out { print > out }' "$here/docs/policy.md"

mkdir "$tmp/work"
cd "$tmp/work" || exit 1
for policy in "$tmp"/*.yaml; do
	name=${policy##*/}
	"$CAISSON" check --json --config "$policy" true >"$tmp/out" 2>&1
	got=$?
	! grep -q policy-error "$tmp/out" && ((got <= 3))
	result $? "docs/policy.md: block $name loads" "$got"
	[[ -e ${policy%.yaml}.verdicts ]] || continue
	while read -r want command; do
		rows=$((rows + 1))
		"$CAISSON" check --config "$policy" "$command" >"$tmp/out" 2>&1
		got=$?
		[[ ${verdicts[got]-} == "$want" ]]
		result $? "block $name: $command: $want" "$got"
	done <"${policy%.yaml}.verdicts"
done
: >"$tmp/out"
((rows >= 5))
result $? "at least five rows were found" "$rows"
((n >= 15))
result $? "at least eight blocks were found" "$n"

printf 'tools:\n  bash:\n    dney: []\n' >"$tmp/policy.yaml"
cd "$tmp" && "$CAISSON" check --config policy.yaml ls >"$tmp/out" 2>&1
got=$?
want=$(grep -F "policy.yaml:3:5: " "$here/docs/policy.md")
[[ $got == 2 && -n $want ]] && grep -qF "$want" "$tmp/out"
result $? "the message shown for a wrong key" "$got"
echo "1..$n"
