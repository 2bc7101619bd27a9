#!/bin/bash
# What `caisson run` and `check --record` leave in the record, and what happens when they cannot: TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
failure_files=(out err row)
CAISSON=$(realpath "$CAISSON")
chmod 755 "$tmp"
mkdir -p "$tmp/home/.config/caisson" "$tmp/ws"
export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config CAISSON_STATE=$tmp/home/state \
	MY_API_TOKEN=Zq8vLk2mNp4rTs6wXy
config=$XDG_CONFIG_HOME/caisson/config.yaml
cd "$tmp/ws" || exit 1

before=()
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"
row() { # BACK 'JQ CONDITION' WHAT: of the newest row, or one before it
	cat "$CAISSON_STATE"/audit/*.jsonl | tail -n "$(($1 + 1))" | head -n 1 >"$tmp/row"
	jq -e "$2" "$tmp/row" >/dev/null 2>&1
	result $? "row: $3"
}
rows() { cat "$CAISSON_STATE"/audit/*.jsonl 2>/dev/null | wc -l; }
blob() { # DIGEST: its bytes
	local hex=${1#sha256:}
	zstd -qdc "$CAISSON_STATE/blobs/${hex:0:2}/$hex.zst"
}
holds() { "$CAISSON" audit verify >"$tmp/out" 2>"$tmp/err"; result $? "the chain holds"; }

if ! "$CAISSON" run -- /bin/true >"$tmp/out" 2>"$tmp/err"; then
	echo "1..0 # SKIP no box on this host: $(head -c 300 "$tmp/err" | tr '\n' ' ')"
	exit 0
fi

# ---- runs ----
run 0 'a run' run --agent a7 --task test -- /bin/echo hello
id=$(jq -r .id "$tmp/out")
row 1 ".kind == \"begin\" and .id == \"$id\" and .agent_id == \"a7\" and .command == \"/bin/echo hello\" and .cwd == \"$tmp/ws\" and .spec.asked.argv == [\"/bin/echo\", \"hello\"] and .spec.asked.task == \"test\" and .spec.limits.memory == 1073741824" 'begin, with the id of the report'
row 0 ".kind == \"end\" and .id == \"$id\" and .agent_id == \"a7\" and .status == \"ok\" and .exit_code == 0 and .duration_ms >= 0 and .backend == \"native\" and .validation.outcome == \"indeterminate\"" 'end'
[[ $(blob "$(jq -r .stdout "$tmp/row")") == hello ]]
result $? 'the output is a blob'
[[ $(stat -c %a "$CAISSON_STATE/audit"/*.jsonl "$CAISSON_STATE"/blobs/*/*.zst | sort -u) == 600 &&
	$(stat -c %a "$CAISSON_STATE/audit" "$CAISSON_STATE/blobs" | sort -u) == 700 ]]
result $? 'nobody else can read any of it'
count=$(find "$CAISSON_STATE/blobs" -type f | wc -l)
run 0 'the same again' run --agent a7 --task test -- /bin/echo hello
[[ $(find "$CAISSON_STATE/blobs" -type f | wc -l) == "$count" ]]
result $? 'no new blob'
run 3 'a failure' run -c 'echo out; echo err >&2; exit 3'
row 0 '.status == "exit_nonzero" and .exit_code == 3 and (.stdout | test("^sha256:[0-9a-f]{64}$")) and (.stderr | test("^sha256:[0-9a-f]{64}$"))' 'end'
run 124 'a timeout' run --timeout 100ms -- /bin/sleep 5
row 0 '.status == "timeout" and .exit_code == 124' 'end'
run 125 'no such program' run -- /no/such/program
row 0 '.kind == "end" and .status == "setup_error" and .duration_ms == null' 'end'
count=$(rows)
run 64 'wrong use' run --memory lots -- /bin/true
[[ $(rows) == "$count" ]]
result $? 'leaves no row'

# ---- secrets ----
run 0 'secrets' run -c \
	"echo $MY_API_TOKEN; printf 'ghp_%s\n' abcdefghijklmnopqrstuvwxyz0123456789 # $MY_API_TOKEN"
! grep -rq "$MY_API_TOKEN" "$CAISSON_STATE/audit"
result $? 'are not in rows'
row 0 '.stdout' 'end'
[[ $(blob "$(jq -r .stdout "$tmp/row")") == '[redacted:value]'$'\n''[redacted:github-token]' ]]
result $? 'nor in outputs'
# shellcheck disable=SC2016 # the box's variables
run 0 'one that is given for the run' run --env OTHER_TOKEN=hunter2hunter2xyz --env GREETING=hello-world -c \
	'echo $OTHER_TOKEN $GREETING'
row 0 '.stdout' 'end'
[[ $(blob "$(jq -r .stdout "$tmp/row")") == '[redacted:value] hello-world' &&
	$(jq -r .stdout "$tmp/out") == '[redacted:value] hello-world' ]] &&
	! grep -rq hunter2 "$CAISSON_STATE/audit"
result $? 'is not shown, nor recorded'
row 1 '.spec.asked.env == ["OTHER_TOKEN=[redacted:value]", "GREETING=hello-world"]' 'begin'

# ---- long outputs ----
echo 'audit: {outputs: 64K}' >"$config"
run 0 'a long output' run --output 10M -c 'seq 100000'
row 0 '.note | test("stdout has 588895 bytes; both ends are kept")' 'says that it is not whole'
blob "$(jq -r .stdout "$tmp/row")" >"$tmp/blob"
[[ $(head -n 1 "$tmp/blob") == 1 && $(tail -n 1 "$tmp/blob") == 100000 &&
	$(stat -c %s "$tmp/blob") -lt 66000 ]] && grep -q '^\[523[0-9]* bytes are not kept\]$' "$tmp/blob"
result $? 'both ends are kept'
echo 'audit: {outputs: 0}' >"$config"
run 0 'no outputs' run -- /bin/echo x
row 0 'has("stdout") | not' 'no output is kept'
rm "$config"

# ---- while it runs ----
"$CAISSON" run --workspace "$tmp/ws" -c "echo > $tmp/ws/started; sleep 1.234" >"$tmp/out" 2>"$tmp/err" &
for ((i = 0; i < 100; i++)); do [[ -e $tmp/ws/started ]] && break; sleep 0.02; done
find /proc/[0-9]*/fd \( -lname "$CAISSON_STATE/audit*" -o -lname "$CAISSON_STATE/blobs*" \) >"$tmp/fds" \
	2>/dev/null
[[ -e $tmp/ws/started && ! -s $tmp/fds ]]
result $? 'no process of the box, and not the launcher, has the record open'
wait
row 0 '.kind == "end" and .status == "ok"' 'end'

# ---- the gate ----
run 126 'denied' run --gate -c 'rm -rf /etc'
row 0 '.kind == "verdict" and .verdict == "deny" and (.reasons | length) > 0 and .command == "rm -rf /etc" and (has("status") | not)' 'a verdict'
blob "$(jq -r .view "$tmp/row")" | jq -e ".cwd == \"$tmp/ws\" and .shell == \"bash\"" >"$tmp/out" &&
	jq -e '.answers.paths | map(.path) | index("/etc")' "$tmp/row" >"$tmp/out"
result $? 'its view, and what was asked about /etc'
blob "$(jq -r .policy "$tmp/row")" | jq -e '.files == [] and (.digest | startswith("sha256:"))' >"$tmp/out"
result $? 'its policy: nothing but what is built in'
echo 'tools: {bash: {ask: [frob]}}' >"$config"
run 126 'asked' run --gate -c 'frob x'
row 0 '.kind == "verdict" and .verdict == "ask" and (.reasons | index("configured-ask"))' 'a verdict'
file=$(blob "$(jq -r .policy "$tmp/row")" | jq -r '.files[] | select(.who == "user") | .bytes')
cmp -s <(blob "$file") "$config"
result $? 'the policy file is a blob'
run 0 'allowed' run --gate -c 'echo y'
row 1 '.kind == "begin" and .verdict == "allow" and (.view | startswith("sha256:"))' 'begin has the verdict'
echo 'tools: [' >"$config"
run 126 'a broken policy' run --gate -c 'echo y'
row 0 '.kind == "verdict" and .verdict == "deny" and .reasons == ["policy-error"] and .command == "echo y"' \
	'a verdict'
rm "$config"

# ---- check ----
count=$(rows)
run 0 'check' check 'ls'
[[ $(rows) == "$count" ]]
result $? 'leaves no row'
run 0 'check --record' check --record --agent b 'ls'
row 0 '.kind == "verdict" and .verdict == "allow" and .agent_id == "b" and .command == "ls"' 'a verdict'
run 64 'check --agent alone' check --agent b 'ls'
run 64 'a batch' check --batch --record
holds
cat "$CAISSON_STATE"/audit/*.jsonl >"$tmp/all"
/usr/bin/python3 "$here/tests/run/schema.py" "$here/docs/schema/audit-row.schema.json" "$tmp/all" \
	>"$tmp/out" 2>"$tmp/err"
result $? "rows fit the schema ($(wc -l <"$tmp/all"))"

# ---- what cannot be recorded does not run ----
try() { # STATUS WHAT PATTERN: a run that would leave a mark
	rm -f "$tmp/ws/mark"
	run "$1" "$2" run --workspace "$tmp/ws" -c "echo > $tmp/ws/mark"
	if [[ $1 == 125 ]]; then
		jq -e '.status == "setup_error" and .exit_code == 125' "$tmp/out" >/dev/null &&
			grep -q "$3" "$tmp/err" && [[ ! -e $tmp/ws/mark ]]
		result $? "nothing ran, and it is said why: $3"
	else
		[[ -e $tmp/ws/mark ]]
		result $? 'it ran'
	fi
}
state=$CAISSON_STATE
export CAISSON_STATE=$tmp/file
: >"$tmp/file"
try 125 'the state is a file' 'is not a directory'
run 2 'check --record there' check --json --record ls
jq -e '.verdict == "deny" and .reasons[0].id == "record-error"' "$tmp/out" >"$tmp/err"
result $? 'denied: record-error'
CAISSON_STATE=$tmp/ws/state
run 2 'the state in the project' check --record ls
grep -q 'record-error.*lies inside the project' "$tmp/out" && [[ ! -e $tmp/ws/state ]]
result $? 'denied, and nothing was made'
CAISSON_STATE=$tmp/open
mkdir -m 777 "$tmp/open"
try 125 'others may write the state' 'others may write'
chmod 700 "$tmp/open"
mkdir -m 770 "$tmp/open/audit"
try 125 'others may write the record' 'other users can write'
rm -r "$tmp/open/audit"
ln -s /tmp "$tmp/open/audit"
try 125 'the record is a link' 'cannot open the record'
rm "$tmp/open/audit"
CAISSON_STATE=$tmp/file
echo 'audit: {required: false}' >"$config"
try 0 'audit.required: false' ''
mkdir -p "$tmp/ws/.git" && printf 'audit: {required: false, sync: none}\n' >"$tmp/ws/.caisson.yaml"
rm "$config"
try 125 'a project cannot say so' 'is not a directory'
rm -r "$tmp/ws/.caisson.yaml" "$tmp/ws/.git"
unset CAISSON_STATE
(unset HOME; cd /; "$CAISSON" run -- /bin/true >"$tmp/out" 2>"$tmp/err"; echo $? >"$tmp/rc")
[[ $(<"$tmp/rc") == 0 || $(<"$tmp/rc") == 125 ]]
result $? 'without HOME: the home of the password database, or no run'
export CAISSON_STATE=$state

# ---- a full disk ----
full() { # in a mount namespace of its own
	mkdir -p "$tmp/small" && mount -t tmpfs -o size=128k,mode=700 small "$tmp/small" || return 77
	export CAISSON_STATE=$tmp/small/state
	local i ran=0 refused=0 rc
	for ((i = 0; i < 40; i++)); do
		rm -f "$tmp/ws/mark"
		"$CAISSON" run --workspace "$tmp/ws" -c \
			"echo > $tmp/ws/mark; head -c 3000 /dev/urandom | base64; # $i $(printf '%2000s' x)" \
			>"$tmp/out" 2>"$tmp/err"
		rc=$?
		if [[ $rc == 125 && ! -e $tmp/ws/mark ]]; then refused=$((refused + 1)); elif [[ $rc == 0 &&
			-e $tmp/ws/mark ]]; then ran=$((ran + 1)); else
			echo "rc $rc, mark $(ls "$tmp/ws/mark" 2>&1)" >>"$tmp/err"
			return 1
		fi
		"$CAISSON" audit verify >"$tmp/out" 2>>"$tmp/err" || return 2
	done
	[[ $(jq -r 'select(.kind == "begin") | .id' "$CAISSON_STATE"/audit/*.jsonl | wc -l) == "$ran" ]] ||
		return 3
	((ran > 2 && refused > 2)) || return 4
	mount -o remount,size=2m "$tmp/small" || return 5
	"$CAISSON" run -- /bin/true >"$tmp/out" 2>"$tmp/err" &&
		"$CAISSON" audit verify >"$tmp/out" 2>>"$tmp/err"
}
if [[ $(id -u) == 0 ]] && unshare -m true 2>/dev/null; then
	export -f full
	export tmp CAISSON
	unshare -m --propagation private bash -c full
	rc=$?
	[[ $rc == 0 ]]
	result $? "a full disk: what ran is recorded, what could not be did not run, and the chain holds ($rc)"
else
	n=$((n + 1))
	echo "ok $n - a full disk # SKIP no mount namespace of our own"
fi

# ---- many at once ----
count=$(rows)
for ((i = 0; i < 64; i++)); do "$CAISSON" check --record "echo $i" >"$tmp/many.$i" & done
wait
[[ $(rows) == $((count + 64)) && $(cat "$tmp"/many.* | grep -c '^allow$') == 64 ]]
result $? '64 at once: 64 rows'
holds
echo "1..$n"
