#!/bin/bash
# caisson validate for type checkers, linters, tables and JSON: through the program, with tools that are here,
# and beside another reader of schemas. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
failure_files=(answer)
cd "$here" || exit 1

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# says NAME OUTCOME RESULT FORMAT ID ARGUMENTS...: what validate must answer, and its exit status
says() {
	local want rc name=$1 outcome=$2 res=$3 format=$4 id=$5
	shift 5
	"$CAISSON" validate "$@" >"$tmp/answer" 2>&1
	rc=$?
	case $outcome in valid) want=0 ;; invalid) want=1 ;; *) want=3 ;; esac
	[[ $rc == "$want" ]] && jq -e --arg o "$outcome" --arg r "$res" --arg f "$format" --arg id "$id" \
		'.outcome == $o and .result == $r and .format == $f and .is_error == ($o == "invalid") and (if $id == "" then .checks == [] else any(.checks[]; .id == $id and .message != "") end)' \
		"$tmp/answer" >/dev/null
	result $? "$name"
}

samples=tests/samples
says 'mypy: errors are a valid failure' valid fail mypy '' --task typecheck --raw --exit-code 1 \
	$samples/mypy/bad.stdout
says 'mypy: errors with exit 0 are not' invalid none mypy exit-mismatch --task typecheck --raw --exit-code 0 \
	$samples/mypy/bad.stdout
says 'eslint: recognised without a task' valid fail eslint-json '' --raw --exit-code 1 \
	$samples/eslint/bad.stdout
says 'a table with the columns that are required' valid pass csv '' --task data --raw --exit-code 0 \
	--columns id,amount $samples/data/ok.csv
says 'a table without one of them' invalid none csv column-missing --task data --raw --exit-code 0 --columns \
	id,price $samples/data/ok.csv
says 'a table that is none' invalid none csv data-empty --task data --raw --exit-code 0 \
	$samples/data/empty.csv

# ---- a report as the box writes it: both streams, and how it ended ----
jq -nc --rawfile e $samples/go-vet/bad.stderr \
	'{status: "ok", exit_code: 0, stdout: "", stderr: $e, duration_ms: 1, peak_memory_mb: null}' \
	>"$tmp/report"
says 'go vet: findings on standard error of a report' valid fail go-vet-json '' --task lint "$tmp/report"
jq -nc --rawfile o $samples/data/ok.csv \
	'{status: "timeout", exit_code: null, stdout: $o, stderr: "", duration_ms: 1, peak_memory_mb: null}' \
	>"$tmp/report"
says 'a table of a command that was killed' invalid none csv run-killed --task data "$tmp/report"

# ---- cargo, where it is ----
if command -v cargo >/dev/null; then
	mkdir -p "$tmp/crate/src"
	printf '[package]\nname = "t"\nversion = "0.1.0"\nedition = "2021"\n' >"$tmp/crate/Cargo.toml"
	echo 'fn main() { let x: i32 = "a"; }' >"$tmp/crate/src/main.rs"
	(cd "$tmp/crate" &&
		exec cargo check --offline --message-format=json) >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	if ((rc == 101)) && grep -q build-finished "$tmp/out"; then
		says 'cargo check: a real failure' valid fail cargo-json '' --task typecheck --raw \
			--exit-code 101 "$tmp/out"
		grep -v build-finished "$tmp/out" >"$tmp/cut"
		says 'cargo check: the same without its end' invalid none cargo-json malformed-report --task \
			typecheck --raw --exit-code 101 "$tmp/cut"
	else
		skip 'cargo check' 'cargo does not work here'
	fi
else
	skip 'cargo check' 'no cargo'
fi

# ---- schemas: beside tests/run/schema.py, which knows few keywords and shares nothing with ours ----
# It says no as soon as a property is not in `properties`, so the schemas here all have
# "additionalProperties": false.
cat >"$tmp/schema.json" <<'JSON'
{"oneOf": [{"$ref": "#/$defs/point"}, {"$ref": "#/$defs/name"}],
 "$defs": {
  "point": {"type": "object", "required": ["x", "y"], "additionalProperties": false,
   "properties": {"x": {"type": "integer"}, "y": {"type": ["number", "null"]}, "tag": {"enum": ["a", "b"]}, "path": {"type": "array", "items": {"type": "string"}}}},
  "name": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {"name": {"type": "string"}, "x": {"type": "boolean"}}}}}
JSON
/usr/bin/python3 -B - "$tmp" <<'PY'
import json, random, sys
random.seed(6)
def value():
    return random.choice([0, 7, 2.5, "a", "b", "c", None, True, False, [], ["s"], ["s", 1], {}])
with open(sys.argv[1] + "/docs.jsonl", "w") as f:
    for _ in range(60):
        keys = random.sample(["x", "y", "tag", "path", "name", "z"], random.randint(0, 4))
        doc = {k: value() for k in keys}
        if random.random() < .5:
            doc = {"x": random.choice([1, 2, "1", True]), "y": random.choice([1.5, None, "y"]), **({"tag": random.choice(["a", "c"])} if random.random() < .5 else {})}
        f.write(json.dumps(doc) + "\n")
PY
same=0 differ=0 yes=0
while IFS= read -r doc; do
	printf '%s\n' "$doc" >"$tmp/doc"
	"$CAISSON" validate --task json --raw --exit-code 0 --schema "$tmp/schema.json" "$tmp/doc" \
		>"$tmp/answer" 2>&1
	ours=$?
	/usr/bin/python3 -B tests/run/schema.py "$tmp/schema.json" "$tmp/doc" >/dev/null 2>&1
	theirs=$?
	if [[ $ours == "$theirs" ]]; then same=$((same + 1)); else
		differ=$((differ + 1))
		echo "# differ ($ours, $theirs): $doc"
	fi
	[[ $ours == 0 ]] && yes=$((yes + 1))
done <"$tmp/docs.jsonl"
[[ $differ == 0 && $same == 60 && $yes -gt 3 && $yes -lt 57 ]]
result $? "60 documents: the same answer as another reader ($yes fit)"

printf '{"requird": ["a"]}' >"$tmp/typo.json"
printf '{}' >"$tmp/doc"
says 'a mistyped keyword is not passed over' indeterminate none json schema-unsupported --task json --raw \
	--exit-code 0 --schema "$tmp/typo.json" "$tmp/doc"

echo "1..$n"
