#!/bin/bash
# caisson audit prune: days past their time go with a tombstone, blobs that nothing refers to go, the chain
# holds over it. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON_STATE=$tmp/state HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config
mkdir -p "$tmp/work" "$tmp/home" && cd "$tmp/work" || exit 1
before=(audit)
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

err() { [[ $(wc -l <"$tmp/err") == 1 ]] && grep -q -- "$1" "$tmp/err"; result $? "one line on stderr: $1"; }
days() { find "$CAISSON_STATE/audit" -name '*.jsonl' | wc -l; }
day() { date -u -d "$1 days ago" +%F; }
blob() { # TEXT: a blob that is two days old; prints its digest
	/usr/bin/python3 - "$CAISSON_STATE/blobs" "$1" <<'PY'
import hashlib, os, struct, sys, time
top, text = sys.argv[1], sys.argv[2].encode()
name = hashlib.sha256(text).hexdigest()
os.makedirs(os.path.join(top, name[:2]), mode=0o700, exist_ok=True)
path = os.path.join(top, name[:2], name + ".zst")
fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
os.write(fd, struct.pack("<IBI", 0xFD2FB528, 0xA0, len(text)) + struct.pack("<I", len(text) << 3 | 1)[:3] + text)
os.utime(path, (time.time() - 2 * 86400,) * 2)
print("sha256:" + name)
PY
}
file_of() { local hex=${1#sha256:}; echo "$CAISSON_STATE/blobs/${hex:0:2}/$hex.zst"; }
record() { # DAYS_AGO...: three rows each; the fields of the next rows are in $extra
	local d
	for d in "$@"; do
		for i in 1 2 3; do printf '{"ts":"%sT10:00:0%d.000000Z","command":"ls"%s}\n' "$(day "$d")" \
			$i "${extra:-}"; done
	done | /usr/bin/python3 "$here/tests/run/rows.py" "$CAISSON_STATE" >/dev/null
}

umask 077
run 3 'no record' prune
err 'no record yet'
run 64 'days that are no number' prune --days x
run 64 'no days' prune --days 0
gone=$(blob 'an output that is old')
file=$(blob 'a policy file')
policy=$(blob "{\"files\":[{\"sha256\":\"$file\"}]}")
kept=$(blob 'an output that is kept')
never=$(blob 'nobody ever named it')
young=$(blob 'new'); touch "$(file_of "$young")"
extra=",\"kind\":\"end\",\"stdout\":\"$gone\"" record 120 100 91
extra=",\"stdout\":\"$kept\",\"policy\":\"$policy\"" record 89 1
extra='' record 0
run 0 'the record holds' verify
out '^the chain is intact: 18 rows in 6 days'
run 0 'dry' prune --dry-run
out "^3 days, $(day 120) to $(day 91), would be dropped: 9 rows, "
out '^2 blobs that no row refers to would be removed'
[[ $(days) == 6 && -e $(file_of "$gone") ]]
result $? 'nothing was removed'
run 0 'prune, for programs' prune --json
json ".dropped.days == 3 and .dropped.rows == 9 and .dropped.until_seq == 9 and .dropped.from == \"$(day 120)\" and .record.days == 3 and (.record.above_quota | not)"
json '.swept.blobs == 2'
[[ $(days) == 3 && ! -e $(file_of "$gone") && ! -e $(file_of "$never") ]]
result $? 'three days and two blobs are gone'
[[ -e $(file_of "$kept") && -e $(file_of "$policy") && -e $(file_of "$file") && -e $(file_of "$young") ]]
result $? 'what rows name, what a policy names, and what is young stays'
run 0 'the chain holds over it' verify --json
json '.ok and .first_seq == 10 and .tombstones == 1 and .rows == 10'
tail -n 1 "$CAISSON_STATE/audit/$(day 0).jsonl" >"$tmp/out"
json '.kind == "tombstone" and .until.seq == 9 and .dropped.days == 3 and .dropped.rows == 9'
run 0 'again: nothing' prune
out '^no day is older than 90 days'
run 0 'verify' verify
run 0 'the policy of another' prune --dry-run --days 30
out '^1 day, '
run 0 'a tombstone may be dropped by a later one' prune --days 1
run 0 'and the chain holds' verify --json
json '.ok and .first_seq == 13'

# cut short between the tombstone and the last file
rm -rf "$CAISSON_STATE/audit"
extra='' record 120 110 100 0
cp "$CAISSON_STATE/audit/$(day 100).jsonl" "$CAISSON_STATE/audit/$(day 110).jsonl" "$tmp/"
"$CAISSON" audit prune >/dev/null
cp "$tmp/$(day 100).jsonl" "$tmp/$(day 110).jsonl" "$CAISSON_STATE/audit/"
run 0 'days that a tombstone speaks of and that are there' verify
run 0 'the next one removes them' prune
[[ $(days) == 1 ]]
result $? 'gone'
run 0 'and it holds' verify --json
json '.ok and .tombstones == 2'

# a chain that is broken at the cut
rm -rf "$CAISSON_STATE/audit"
extra='' record 120 100 0
sed -i '$d' "$CAISSON_STATE/audit/$(day 100).jsonl"
run 1 'a broken chain' prune
err 'the chain is broken before'
[[ $(days) == 3 ]]
result $? 'is left as it is'

# never the newest, and not because of a clock that is far from the record
rm -rf "$CAISSON_STATE/audit"
extra='' record 400 399
run 0 'an old record that nobody wrote to' prune
[[ $(days) == 2 ]]
result $? 'keeps its last days'
run 0 'it holds' verify

# lines that are no rows: what they name is not known
rm -rf "$CAISSON_STATE/audit"
extra='' record 1 0
lost=$(blob 'named by nobody')
sed -i '1s/^/x/' "$CAISSON_STATE/audit/$(day 1).jsonl"
run 1 'a line that is no row' prune
err 'no blob is removed'
[[ -e $(file_of "$lost") ]]
result $? 'the blob is there'

rm -rf "$CAISSON_STATE/audit"
extra='' record 1 0
printf 'audit:\n  quota: 64K\n' >"$tmp/small.yaml"
run 0 'less than the quota' prune --config "$tmp/small.yaml"
[[ ! -s $tmp/err ]]
result $? 'no word about it'
big=$(printf '%064d' 7)
mkdir -p "$CAISSON_STATE/blobs/00" && head -c 100000 /dev/zero >"$CAISSON_STATE/blobs/00/$big.zst"
run 0 'more than the quota' prune --config "$tmp/small.yaml"
err 'more than audit.quota (65536); nothing that is younger than 90 days is dropped'
"$CAISSON" doctor --json --config "$tmp/small.yaml" >"$tmp/out" 2>"$tmp/err"
json '.rows[] | select(.id == "record") | .state == "partly" and (.by | test("more than audit.quota"))'
printf 'audit: [\n' >"$tmp/bad.yaml"
run 1 'a policy that does not load' prune --config "$tmp/bad.yaml"
"$CAISSON" check 'caisson audit prune' >/dev/null
[[ $? == 2 ]]
result $? 'an agent may not call it'
"$CAISSON" help --man 'audit prune' | cmp -s - "$here/man/caisson-audit-prune.1"
result $? 'man/caisson-audit-prune.1 is what the tables say'
echo "1..$n"
