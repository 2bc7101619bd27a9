#!/bin/bash
# caisson audit keygen, checkpoint, verify --key --checkpoint: a record that was written anew does not pass
# for the one that was signed. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON_STATE=$tmp/state
mkdir "$tmp/work" && cd "$tmp/work" || exit 1
before=(audit)
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

rows() { # FROM TO [WORD]: rows of one day each
	local i
	for ((i = $1; i <= $2; i++)); do printf \
		'{"ts":"2026-01-%02dT10:00:00.000000Z","command":"%s %d","verdict":"allow"}\n' $i "${3:-ls}" \
		$i; done | /usr/bin/python3 "$here/tests/run/rows.py" "$CAISSON_STATE" >/dev/null
}

umask 022
run 3 'no record: nothing is signed' checkpoint
err 'no record yet'
run 0 'a key' keygen
key=$(<"$tmp/out")
[[ $key =~ ^[0-9a-f]{64}$ && $(stat -c %a "$CAISSON_STATE/audit.key") == 600 ]]
result $? 'the public key is printed, the secret one is for nobody else'
! grep -q "$key" "$CAISSON_STATE/audit.key"
result $? 'the file holds the secret one'
run 1 'a second one does not replace it' keygen
err 'File exists'
run 0 'another, by name' keygen "$tmp/other.key"
run 64 'two names' keygen a b
run 0 'as JSON' keygen --json "$tmp/third.key"
json '.public_key | test("^[0-9a-f]{64}$")'
other=$(jq -r .public_key "$tmp/out")
mkdir -p "$CAISSON_STATE/audit" && chmod 700 "$CAISSON_STATE" "$CAISSON_STATE/audit"
run 1 'an empty record: nothing to sign' checkpoint
err 'no row to sign yet'
rows 1 3
run 0 'verify before' verify
json_before=$(tail -n 1 "$CAISSON_STATE/audit/2026-01-03.jsonl" | jq -r .hash)
run 1 'nothing is signed by the key yet' verify --key "$key"
out '^unanchored: nothing in the record is signed'
run 0 'a checkpoint' checkpoint --export "$tmp/cp.json" --json
json ".seq == 3 and .hash == \"$json_before\" and .key == \"$key\""
cmp -s "$tmp/out" "$tmp/cp.json"
result $? 'the file holds what is printed'
run 0 'the record holds' verify
out '; signed up to row 3$'
run 0 'by this key' verify --key "$key" --json
json '.ok and .rows == 4 and .checkpoints == 1 and .signed_seq == 3'
printf '%s\n' "$key" >"$tmp/pub"
run 0 'the key from a file, and the checkpoint' verify --key "$tmp/pub" --checkpoint "$tmp/cp.json"
out '; signed up to row 3$'
run 1 'another key' verify --key "$other"
out '^unanchored: '
run 1 'another key and the checkpoint' verify --key "$other" --checkpoint "$tmp/cp.json"
out '^forged: '
run 70 'a secret key where a public one belongs' verify --key "$CAISSON_STATE/audit.key"
err 'is a secret key'
run 70 'no checkpoint file' verify --checkpoint "$tmp/none"
run 64 '--key for tail' tail --key "$key"
jq -c '.seq = 2' "$tmp/cp.json" >"$tmp/bad.json"
run 1 'a checkpoint that was changed' verify --checkpoint "$tmp/bad.json"
out '^forged: '
echo '{"seq":1}' >"$tmp/bad.json"
run 70 'not a checkpoint' verify --checkpoint "$tmp/bad.json"
err "'.*/bad.json' is not a file from caisson audit checkpoint --export"

# the record goes on
"$CAISSON" audit checkpoint --key "$tmp/third.key" >/dev/null
run 0 'somebody else may sign as well' verify --key "$key" --checkpoint "$tmp/cp.json" --json
json '.checkpoints == 1 and .rows == 5'
cp -r "$CAISSON_STATE/audit" "$tmp/good"
again() { rm -rf "$CAISSON_STATE/audit" && cp -r "$tmp/good" "$CAISSON_STATE/audit"; }
# every row but the signatures written anew, with a chain that holds
rm -rf "$CAISSON_STATE/audit"
rows 1 6 evil
run 0 'a chain that was written anew holds by itself' verify
run 1 'and not with the checkpoint' verify --checkpoint "$tmp/cp.json"
out 'row 3 rewritten: '
rm -rf "$CAISSON_STATE/audit"
rows 1 2
run 1 'rows that were signed are gone' verify --checkpoint "$tmp/cp.json"
out 'row 3 removed: row 3 was signed'
# a checkpoint row put into a chain where it does not belong
again
row=$(cat "$CAISSON_STATE"/audit/*.jsonl | grep '"kind":"checkpoint"' | head -n 1 |
	jq -c '{ts, kind, checkpoint}')
rm -rf "$CAISSON_STATE/audit"
rows 1 3 evil
echo "$row" | /usr/bin/python3 "$here/tests/run/rows.py" "$CAISSON_STATE" >/dev/null
run 1 'a signature about another chain' verify
out 'row 4 forged: '
again
chmod 644 "$CAISSON_STATE/audit.key"
run 1 'a key that others may read' checkpoint
err 'chmod 600'
chmod 600 "$CAISSON_STATE/audit.key"
ln -s "$CAISSON_STATE/audit.key" "$tmp/link.key"
run 1 'a key is not made through a link' keygen "$tmp/link.key"
for c in keygen checkpoint; do
	"$CAISSON" check "caisson audit $c" >/dev/null
	[[ $? == 2 ]]
	result $? "an agent may not call $c"
	"$CAISSON" help --man "audit $c" | cmp -s - "$here/man/caisson-audit-$c.1"
	result $? "man/caisson-audit-$c.1 is what the tables say"
done
echo "1..$n"
