#!/bin/bash
# What a box could take from others: what the kernel counts for a whole user, core dumps, CPUs; each beside
# the ordinary use, inside and outside. As root and as an ordinary user. TAP.
# shellcheck disable=SC2016 # programs are data for the box
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

tools=$tmp/tools
mkdir "$tools"
cp "$BUILD/box/exhaust" "$tools/exhaust"
chmod 755 "$tools" "$tools/exhaust"
USUAL_FILES=1024 # the soft limit of open files that processes of people have

# said WHO OPTIONS...: what the program of the tools prints in a box
said() {
	local who=$1
	shift
	box "$who" --read "$tools" "$@"
	field .stdout
}

# hold WHO THING: a box that has taken all it can get of it and keeps that until let_go
hold() {
	: >"$tmp/held"
	(cd "$tmp/$1" &&
		become "$1" "$tmp/caisson" run --plain --timeout 60 --read "$tools" -- "$tools/exhaust" "$2" \
		60) >"$tmp/held" 2>"$tmp/err" </dev/null &
	holder=$!
	for ((i = 0; i < 500; i++)); do [[ -s $tmp/held ]] && break; sleep 0.02; done
}
let_go() {
	kill "$holder" 2>/dev/null
	wait "$holder" 2>/dev/null
}

exhaust() {
	local who=$1 thing most
	while read -r thing most; do
		hold "$who" "$thing"
		(($(<"$tmp/held") > 0 && $(<"$tmp/held") <= most))
		result $? "$who: $thing: a box gets $(<"$tmp/held") of them, at most $most"
		[[ $(ulimit -Sn $USUAL_FILES && as "$who" "$tools/exhaust" use "$thing") == "done" ]]
		result $? "$who: $thing: the user's other processes still have theirs"
		if [[ $who == user &&
			$thing == inflight ]]; then # all boxes of untrusted code together have that many
			[[ $(said "$who" -- /bin/echo started) == started ]]
		else
			[[ $(said "$who" -- "$tools/exhaust" use "$thing") == "done" ]]
		fi
		result $? "$who: $thing: and other boxes"
		let_go
		[[ $(said "$who" -- "$tools/exhaust" use "$thing") == "done" ]]
		result $? "$who: $thing: twin: a little of it"
	done <<-THINGS
		inotify $(($(</proc/sys/fs/inotify/max_user_instances) / 4))
		inflight $([[ $who == user ]] && echo $USUAL_FILES || echo 20253)
		signals 4096
		terminals 256
	THINGS
}

cores() {
	local who=$1 ws=$tmp/$1/cores text
	mkdir -p "$ws"
	[[ $who == user && $(id -u) == 0 ]] && chown "$ORDINARY:$ORDINARY" "$ws"
	if [[ $(ulimit -Hc) == 0 ]]; then
		skip "$who: core dumps" "the caller's own hard limit is 0, which nobody but root can raise"
		return
	fi
	text=$(said "$who" -- "$tools/exhaust" core)
	[[ $text == *' now 1 1 1' ]]
	result $? "$who: nobody changes the limit of core dumps: $text"
	[[ $text == 'setrlimit 0 raise 0 syscall 0 prlimit 0 of-itself 0 high 0 bits 0 both 1 high-both 1 '* \
		]]
	result $? "$who: twin: a program that wants none is told that it is done"
	box "$who" --workspace "$ws" -c 'ulimit -c 0 || exit 3; kill -SEGV $$'
	want '.status == "signal" and .signal == 11' "$who: a program that ends by a signal that dumps"
	[[ -z $(ls -A "$ws") ]]
	result $? "$who: leaves no core"
	skip "$who: nor starts the host's program for cores" \
		'the pattern is one for the whole machine, and here it names a file'
}

cpus() {
	local who=$1 all
	all=$(nproc --all)
	if ((all < 2)); then
		skip "$who: CPUs" 'there is only one'
		return
	fi
	said "$who" --cpus 1 -- "$tools/exhaust" cpus >"$tmp/said"
	if [[ $(field .limits.cpus.enforced_by) == affinity ]]; then
		[[ $(<"$tmp/said") == 'EPERM 1' ]]
	else
		[[ $(<"$tmp/said") == "set $all" ]]
	fi
	result $? "$who: who has one CPU by its affinity gets no other ($(<"$tmp/said"), $(field .limits.cpus.enforced_by))"
	(cd "$tmp/$who" &&
		taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$BASH" -c '. /dev/stdin' \
		< <(declare -f as become; declare -p tmp ORDINARY tools; echo \
		'as '"$who"' "$tmp/caisson" run --cpus 1 --read "$tools" -- "$tools/exhaust" cpus')) \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	want '.stdout == "EPERM 1\n" and .limits.cpus.enforced_by == "affinity"' \
		"$who: nor who inherits it from the caller"
	box "$who" --cpus 0.5 -- /bin/true
	want '.limits.cpus | .value == 0.5 and .enforced_by != "affinity" or .value == 1 and .enforced_by == "affinity"' "$who: half a CPU is not said to be enforced where it is one"
	[[ $(said "$who" --cpus 1024 -- "$tools/exhaust" cpus) == "set $all" ]]
	result $? "$who: twin: where all CPUs are given, a program places itself"
	box "$who" --cpus 1 -c 'nproc'
	want '.stdout == "1\n" or .limits.cpus.enforced_by != "affinity"' \
		"$who: twin: and is told how many it has"
}

# Without a cgroup memory is watched, not enforced: shared memory that nobody maps any more is not seen. So
# whoever asks for a limit hears of it.
memory() {
	local who=$1
	(cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run --memory 64M --read "$tools" -- "$tools/exhaust" shared 200) \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	want '(.status == "oom" and (.limits.memory_mb.enforced_by | startswith("cgroup"))) or (.status == "setup_error" and (.error | test("--accept watched")) and .limits.memory_mb.enforced_by == null)' \
		"$who: a memory limit that is asked for is enforced or refused ($(field .status))"
	box "$who" --memory 64M --read "$tools" -- "$tools/exhaust" shared 200
	want '(.status == "oom" and (.limits.memory_mb.enforced_by | startswith("cgroup"))) or .limits.memory_mb.enforced_by == "watched"' "$who: what is only watched is not called enforced"
	box "$who" --lang python -c 'x = bytearray(10 << 30); print(len(x))'
	want '.status == "oom" and .exit_code == 137 and .stdout == "" and .peak_memory_mb < 3000' \
		"$who: 10 GB of memory where 1 GB is allowed ($(field .peak_memory_mb) MB)"
	box "$who" --lang python -c 'x = bytearray(512 << 20); print(len(x))'
	want '.status == "ok" and .stdout == "536870912\n" and (.limits.memory_mb.enforced_by | IN("cgroup1", "cgroup2", "watched"))' "$who: twin: half of it, and the default needs no word"
	box "$who" --lang python -c \
		'import mmap; m = mmap.mmap(-1, 200 << 30, flags=mmap.MAP_PRIVATE | 0x4000); m[0] = 1; print(open("/proc/self/oom_score_adj").read())'
	want '.status == "ok" and .stdout == "1000\n\n"' \
		"$who: twin: what is reserved and not used costs nothing; the kernel would end a box before others"
}

# Pseudo-terminals have a bound in each box, since the kernel has one for all.
terminals() {
	local who=$1
	box "$who" --lang python -c 'import os
for i in range(300): os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)'
	want '.status == "exit_nonzero" and (.stderr | test("No space left")) and (.hints | any(.message | test("pseudo-terminals")))' "$who: 300 terminals are too many, and the report says why"
	if command -v script >/dev/null; then
		box "$who" -c 'script -qc "test -t 1 && echo on" /dev/null'
		want '.status == "ok" and (.stdout | test("^on"))' \
			"$who: twin: a program on a terminal of its own"
	else
		skip "$who: twin: a program on a terminal of its own" 'there is no script'
	fi
}

# Data that nobody reads, in internet sockets: with a cgroup of version 1 it has a counter of its own. Says
# how many MB are held, of 400.
hold_tcp='import socket, time
listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
keep, held, useless = [], 0, 0
while held < 400 << 20 and useless < 3:
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    s.connect(listener.getsockname())
    keep += [s, listener.accept()[0]]
    s.setblocking(False)
    before, idle = held, 0
    while idle < 3:
        try:
            held += s.send(bytes(65536))
            idle = 0
        except BlockingIOError:
            idle += 1
            time.sleep(0.002)
    useless += held - before < 1 << 20
print(held >> 20)'
hold_udp='import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
keep, held = [], 0
for i in range(250):
    r = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    r.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    r.bind(("127.0.0.1", 0))
    r.setblocking(False)
    keep.append(r)
    for k in range(40):
        s.sendto(bytes(60000), r.getsockname())
for r in keep:
    try:
        while True: held += len(r.recv(65536))
    except BlockingIOError: pass
print(held >> 20)'
transfer='import socket, threading
listener = socket.create_server(("127.0.0.1", 0))
def send():
    with socket.create_connection(listener.getsockname()) as s: s.sendall(bytes(50 << 20))
threading.Thread(target=send).start()
s, got = listener.accept()[0], 0
while n := len(s.recv(1 << 20)): got += n
print(got >> 20)'
sockets() {
	local who=$1 code
	box "$who" --network loopback --lang python -c "$transfer"
	want '.status == "ok" and .stdout == "50\n"' "$who: twin: 50 MB through the loopback"
	if [[ $(field .limits.memory_mb.enforced_by) != cgroup1 ||
		! -e /sys/fs/cgroup/memory/memory.kmem.tcp.limit_in_bytes ]]; then
		skip "$who: data in internet sockets" 'no cgroup of version 1 that counts it'
		return
	fi
	for code in "$hold_tcp" "$hold_udp"; do
		box "$who" --network loopback --memory 64M --timeout 20 --lang python -c "$code"
		want '.status == "oom" or (.stdout | tonumber? // 999) <= 80' \
			"$who: unread data of $([[ $code == *listener* ]] && echo TCP || echo UDP) stays below the memory limit ($(field .stdout) MB)"
	done
	box "$who" --network loopback --memory 64M --timeout 20 --lang python -c "$transfer"
	want '.status == "ok" and .stdout == "50\n"' \
		"$who: twin: 50 MB through the loopback with a small limit"
}

# Sanitizers reserve terabytes.
sanitizers() {
	local who=$1 name
	if ! command -v gcc >/dev/null; then
		skip "$who: sanitizers" 'there is no gcc'
		return
	fi
	echo 'int main(int n, char **v) { int *p = __builtin_malloc(40); p[n] = 7; n = p[n] != 7; __builtin_free(p); return n || !v; }' >"$tmp/s.c"
	for name in address thread; do
		[[ -x $tools/$name ]] || gcc -fsanitize=$name "$tmp/s.c" -o "$tools/$name" 2>/dev/null
		if ! "$tools/$name" 2>/dev/null; then
			skip "$who: -fsanitize=$name" 'it does not work on this machine'
			continue
		fi
		box "$who" --read "$tools" -- "$tools/$name"
		want '.status == "ok"' "$who: a program with -fsanitize=$name runs"
	done
}

# Time of processes that nobody waits for.
cpu_time() {
	local who=$1
	box "$who" --cpu-time 300ms --timeout 20 --read "$tools" -- "$tools/exhaust" burn 4
	want '.status == "timeout" and .duration_ms < 3000 and .cpu_ms >= 300 and (.limits.cpu_time_sec.enforced_by | IN("cgroup1", "cgroup2", "watched"))' \
		"$who: CPU time of children that nobody waits for ($(field .cpu_ms) ms, $(field .limits.cpu_time_sec.enforced_by))"
	box "$who" --cpu-time 2 --timeout 20 -c \
		'for i in 1 2 3 4 5 6 7 8; do /bin/true; done; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo $i'
	want '.status == "ok" and .stdout == "20000\n" and .cpu_ms < 2000' \
		"$who: twin: less than the limit, children that are waited for count once ($(field .cpu_ms) ms)"
	if [[ $who == root ]]; then
		want '.limits.cpu_time_sec.enforced_by | startswith("cgroup")' \
			"$who: it is counted by the cgroup"
	fi
}

# The kernel takes seconds to give back millions of watches; whoever asked for a run is answered at the limit.
teardown() {
	local who=$1 ws=$tmp/$1/teardown
	mkdir -p "$ws"
	[[ $who == user && $(id -u) == 0 ]] && chown "$ORDINARY:$ORDINARY" "$ws"
	box "$who" --timeout 2.5 --memory 4096 --workspace "$ws" --read "$tools" -- "$tools/exhaust" epoll \
		60 16
	want '.status == "timeout" and .exit_code == 124 and .duration_ms >= 2500 and .duration_ms < 3500' \
		"$who: a box that holds much ends at its limit ($(field .duration_ms) ms, $(field '.hints[1].id'))"
	box "$who" --timeout 0.3 -- /bin/sleep 5
	want '.status == "timeout" and (.hints | map(.id) == ["timeout"])' \
		"$who: twin: of another nothing is left"
}

# An ordinary user has half of the processes left, whatever a box does.
processes() {
	[[ $1 == user ]] || return 0
	(cd "$tmp/user" && ulimit -u 400 &&
		as user "$tmp/caisson" run --pids 4000 -- /bin/true) >"$tmp/out" 2>"$tmp/err"
	want '.limits.pids.value == 201 and .status == "ok"' \
		"$1: a box has at most half of the caller's processes"
	box "$1" --pids 100 -- /bin/true
	want '.limits.pids.value == 100' "$1: twin: a smaller limit is as it was asked for"
}

for who in $(people); do
	exhaust "$who"
	teardown "$who"
	memory "$who"
	sockets "$who"
	terminals "$who"
	sanitizers "$who"
	cpu_time "$who"
	cores "$who"
	cpus "$who"
	processes "$who"
done
[[ $(id -u) == 0 ]] || skip 'as root' 'not root'
done_testing
