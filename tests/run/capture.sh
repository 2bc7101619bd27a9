#!/bin/bash
# Output of any size: exact counts, the end of what is too long, memory that does not grow, nothing half left
# behind. TAP.
# CAPTURE_MB is the size of the long stream (160; the promise is about 1024).
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
CAISSON=$(realpath "$CAISSON")
chmod 755 "$tmp"
mkdir -p "$tmp/home"
export HOME=$tmp/home CAISSON_STATE=$tmp/home/state XDG_CONFIG_HOME=$tmp/home/.config
unset CLAUDECODE
cd "$tmp" || exit 1
PYTHON=/usr/bin/python3
MB=1048576
size=$((${CAPTURE_MB:-160} * MB))

skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
run() { "$CAISSON" run "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }
json() { jq -e "$1" "$tmp/out" >/dev/null 2>&1; result $? "$2"; }
cut() { jq -r ".truncated.${2:-stdout}.$1" "$tmp/out"; }
clear_outputs() { rm -rf "$CAISSON_STATE/outputs"; }

# ---- around 30,000 ----
line='y | head -c'
for k in 29999 30000 30001; do
	run --head 100000 -c "yes 12$line $k"
	if ((k > 30000)); then
		json ".truncated.stdout | .total_bytes == $k and .omitted_bytes == 0 and .dropped_bytes == 0 and .total_lines == 7501" "$k bytes are kept, though they are shown"
		[[ $(stat -c '%s %a' "$(cut path)") == "$k 600" ]]
		result $? 'in a file of that size, for the caller alone'
	else
		json ".truncated.stdout == null and (.stdout | length) == $k" \
			"$k bytes that are shown need no file"
	fi
done
run -c 'seq 2000; seq 3000 >&2'
json '.truncated | .stdout.total_bytes == 8893 and .stdout.total_lines == 2000 and .stderr.total_bytes == 13893 and .stderr.total_lines == 3000' 'each stream has its own counts'
[[ $(cat "$(cut path)") == "$(seq 2000)" && $(cat "$(cut path stderr)") == "$(seq 3000)" ]]
result $? 'and its own file'

# ---- between memory and file ----
for k in 262143 262144 262145 1000000; do
	run -c "seq 1000000 | head -c $k"
	[[ $(cut total_bytes) == "$k" ]] && cmp -s <(seq 1000000 | head -c $k) "$(cut path)"
	result $? "$k bytes are kept as they are"
done
clear_outputs

# ---- longer than what is kept ----
if [[ ${SANITIZE:-} ]]; then
	skip 'the end of a long stream' 'too slow with sanitizers; test_streams has it'
else
	run --output 1G -c 'seq 10000000' # 78,888,897 bytes
	path=$(cut path) kept=$(stat -c %s "$(cut path)")
	json '.status == "ok" and (.stdout | startswith("1\n2\n")) and (.stdout | endswith("\n9999999\n10000000\n"))' 'of a long stream both ends are shown'
	json '.truncated.stdout | .total_bytes == 78888897 and .total_lines == 10000000' \
		'all of it is counted'
	json '(.truncated.stdout | .omitted_lines) as $n | .stdout | test("\n\\.\\.\\. truncated \\(\($n) more lines\\) \\.\\.\\.\n")' 'the marker has the same number'
	json '.truncated.stdout.total_lines - .truncated.stdout.omitted_lines == (.stdout | split("\n") | length - 2)' 'of the lines that are not shown'
	((kept <= 64 * MB && kept > 64 * MB - 10 && kept + $(cut dropped_bytes) == 78888897)) &&
		cmp -s <(seq 10000000 | tail -c "$kept") "$path" && [[ $(head -c 1 "$path") != $'\n' ]]
	result $? 'the file has the last 64 MB, from the start of a line'
	clear_outputs
	for k in $((64 * MB)) $((64 * MB + 1)); do
		run --output 1G -c "head -c $k /dev/zero | tr '\\0' x >&2"
		over=$((k > 64 * MB ? k - 64 * MB : 0))
		[[ $(cut total_bytes stderr) == "$k" && $(cut dropped_bytes stderr) == "$over" &&
			$(stat -c %s "$(cut path stderr)") == $((k - over)) ]]
		result $? "$k bytes: $over are dropped"
		clear_outputs
	done
fi
run --output 1M -c 'seq 1000000'
json '.status == "output_limit" and (.truncated.stdout | .dropped_bytes == .total_bytes - 1048576 and .dropped_bytes > 0 and .total_lines > 100000)' 'beyond the limit nothing is kept, and it is counted'
[[ $(stat -c %s "$(cut path)") == "$MB" ]]
result $? 'what came before it is'
clear_outputs

# ---- memory ----
# The usage of a process is that of the largest one below it, and no less than its parent had when it was
# started: it says at least as much as was used. What is used at least is what the launcher itself has while
# an idle program runs.
cat >"$tmp/peak.py" <<'END'
import os, sys
pid = os.fork()
if not pid:
    os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss)
END
peak() { "$PYTHON" "$tmp/peak.py" "$tmp/out" "$CAISSON" run --output 1G "$@" 2>"$tmp/err"; }
idle() {
	"$CAISSON" run -c 'echo; sleep 0.5' >/dev/null 2>"$tmp/err" &
	sleep 0.3
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$!/status
	wait $!
}
if [[ ${SANITIZE:-} ]]; then
	skip 'memory' 'sanitizers have their own'
else
	base=$(idle)
	long=$(peak -c "yes 'a line that is as long as many are, and no longer' | head -c $size")
	echo "# memory of a run that prints nothing $base KB, of one that prints $((size / MB)) MB $long KB"
	((base > 500 && long - base <= 8192))
	result $? "$((size / MB)) MB of output take no more than 8 MB of memory"
	json ".status == \"ok\" and .truncated.stdout.total_bytes == $size and .truncated.stdout.dropped_bytes >= $((size - 64 * MB))" 'and are counted'
	clear_outputs
fi

# ---- passing through ----
if [[ ! ${SANITIZE:-} ]]; then
	sum=$("$CAISSON" run --plain --output 1G --report "$tmp/report" -c 'seq 1000000' | sha256sum)
	[[ $sum == "$(seq 1000000 | sha256sum)" &&
		$(jq .truncated.stdout.total_bytes "$tmp/report") == 6888896 ]]
	result $? 'plain: all of it passes, and the report knows it'
	clear_outputs
fi

# ---- nothing half ----
run -c true # the state is made
"$CAISSON" run --output 1G -c 'head -c 60000000 /dev/zero | tr "\0" x' >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$! seen=
for ((i = 0; i < 20000; i++)); do
	for f in "/proc/$pid/fd"/*; do
		[[ $(readlink "$f") == "$CAISSON_STATE/outputs/"*' (deleted)' ]] && seen=1
	done
	[[ $seen || ! -d /proc/$pid ]] && break
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
if [[ $seen ]]; then
	[[ -d $CAISSON_STATE/outputs && -z $(find "$CAISSON_STATE/outputs" -type f ! -name .pruned) ]]
	result $? 'who is killed while a text is being written leaves nothing'
else
	skip 'who is killed while a text is being written leaves nothing' 'it was too quick to be seen'
fi

# ---- the raw bytes have no name ----
"$CAISSON" run -c 'seq 100000; sleep 20' >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$! seen=
for ((i = 0; i < 200 && ${#seen} == 0; i++)); do
	sleep 0.05
	for f in "/proc/$pid/fd"/*; do
		[[ $(readlink "$f") == "$CAISSON_STATE/"*' (deleted)' ]] && seen=$f
	done
done
[[ $seen && $(stat -L -c '%h %a' "$seen") == '0 600' ]] && ! grep -rqax 99999 "$CAISSON_STATE"
result $? 'while the program runs, its output is in a file without a name'
kill -TERM $pid
wait $pid

# ---- a disk that is full ----
full() { # full COMMAND...: with a state of 1 MB
	unshare -m bash -c 'mount -t tmpfs -o size=1m,mode=700 none "$1" && shift && "$@"' _ \
		"$CAISSON_STATE" "$@"
}
if [[ $(id -u) == 0 ]] && full true 2>/dev/null; then
	full "$CAISSON" run -c 'seq 1000000' >"$tmp/out" 2>"$tmp/err"
	json '.status == "ok" and (.stdout | endswith("\n1000000\n")) and (.truncated.stdout | .path == null and .total_bytes == 6888896 and .total_lines == 1000000 and .dropped_bytes == 0)' 'a full disk costs the file, not the report'
else
	skip 'a full disk' 'needs root'
fi

(ulimit -f 512 && exec "$CAISSON" run -c 'seq 1000000') >"$tmp/out" 2>"$tmp/err"
json '.status == "ok" and (.stdout | startswith("1\n")) and (.truncated.stdout | .total_bytes == 6888896 and .total_lines == 1000000 and .dropped_bytes >= 6888896 - 524288 and .dropped_bytes <= 6888896 - 262144)' 'when no place takes it, it runs on, and what is missing is counted'

# ---- retention ----
run -c 'seq 2000'
touch -d '91 days ago' "$(cut path)" "$CAISSON_STATE/outputs/.pruned"
old=$(cut path)
run -c 'seq 2000'
[[ ! -e $old && -e $(cut path) ]]
result $? 'what is older than the record goes'

echo "1..$n"
