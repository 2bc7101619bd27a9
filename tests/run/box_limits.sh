#!/bin/bash
# The limits of the box, broken on purpose, each beside something ordinary that must work; as root and as an
# ordinary user. TAP.
# shellcheck disable=SC2016,SC2154 # programs are data for the box; words of lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

limits() {
	local who=$1 ws=$tmp/$1/ws at=${disk:-$tmp}/$1/ws
	mkdir -p "$ws" "$at"
	[[ $who == user && $(id -u) == 0 ]] && chown "$ORDINARY:$ORDINARY" "$ws" "$at"

	# ---- 1: what outlives its parent ----
	box "$who" --workspace "$ws:rw" -c '(setsid sh -c "sleep 1; touch late" >/dev/null 2>&1 &) ; exit 0'
	want '.status == "ok" and .exit_code == 0' "$who: a program that leaves a daemon behind ends"
	sleep 1.3
	[[ ! -e $ws/late ]]
	result $? "$who: and its daemon with it"
	box "$who" --workspace "$ws:rw" -c '(sleep 0.1; touch twin) & wait'
	[[ -e $ws/twin ]]
	result $? "$who: twin: a job in the background does its work"

	# ---- 2: bombs ----
	box "$who" --timeout 2 --pids 64 -c 'f() { f | f & }; f; sleep 0.5; echo alive'
	want '.status | IN("ok", "exit_nonzero", "timeout")' "$who: a fork bomb is stopped ($(field .status))"
	box "$who" --pids 64 --timeout 60 --lang python -c '
import threading, time
n = 0
try:
    for i in range(500):
        threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
        n += 1
except RuntimeError:
    pass
print(n)'
	want '.status == "ok" and (.stdout | tonumber) < 64' \
		"$who: threads count as processes ($(field .stdout))"
	box "$who" --pids 64 -c 'for i in $(seq 20); do sleep 0.05 & done; wait; echo done'
	want '.stdout == "done\n" and .stderr == ""' "$who: twin: twenty processes at once"

	# ---- 3: signals ----
	box "$who" --timeout 0.3 -c 'trap "" TERM INT HUP; while :; do :; done'
	want '.status == "timeout"' "$who: a loop that ignores signals is a timeout"
	[[ $rc == 124 ]]
	result $? "$who: with exit status 124 ($rc)"
	box "$who" --timeout 0.3 -c 'kill -STOP $$'
	want '.status == "timeout"' "$who: a program that stops itself as well"
	box "$who" -c 'for s in KILL STOP TERM ALRM HUP CHLD USR1; do kill -s $s 1; done; sleep 0.02; echo here'
	want '.stdout == "here\n" and .status == "ok"' "$who: pid 1 takes no signals from inside"
	box "$who" -c 'kill -9 -1; echo never'
	want '.status | IN("signal", "ok")' \
		"$who: a program that kills everything ends nobody but its own box"
	box "$who" -c 'trap "echo caught; exit 5" TERM; kill -TERM $$; sleep 1'
	want '.exit_code == 5 and .stdout == "caught\n"' "$who: twin: signals work inside"

	# ---- 4: memory in all its forms ----
	local form
	while IFS='|' read -r name form; do
		box "$who" --memory 64M --scratch 512M --timeout 20 --lang python -c "$form"
		# Where no cgroup counts there are no memory files: a watcher would not see them.
		want '(.status == "oom" and .exit_code == 137) or (.limits.memory_mb.enforced_by == "watched" and (.stderr | test("not implemented")))' \
			"$who: memory: $name ($(field .status))"
		[[ $(field .status) != oom || $rc == 137 ]]
		result $? "$who: memory: $name: exit status ($rc)"
	done <<'FORMS'
anonymous|x = bytearray(300 * 1024 * 1024); import time; time.sleep(5)
a file in /tmp|f = open('/tmp/x', 'wb'); [f.write(b'x' * 1048576) for i in range(300)]; f.flush(); import time; time.sleep(5)
a file in /dev/shm|f = open('/dev/shm/x', 'wb'); [f.write(b'x' * 1048576) for i in range(300)]; f.flush(); import time; time.sleep(5)
memfd|import os, time; m = os.memfd_create('x'); [os.write(m, b'x' * 1048576) for i in range(300)]; time.sleep(5)
shared mapping|import mmap, time; m = mmap.mmap(-1, 300 * 1048576); [m.__setitem__(slice(i * 1048576, (i + 1) * 1048576), b'x' * 1048576) for i in range(300)]; time.sleep(5)
FORMS
	box "$who" --memory 128M --lang python -c 'x = bytearray(60 * 1024 * 1024); print(len(x))'
	want '.status == "ok"' "$who: twin: less than the limit is given"
	if [[ -n $disk ]]; then
		box "$who" --memory 64M --workspace "$at:rw" -c \
			'dd if=/dev/zero of=big bs=1M count=200 2>/dev/null && rm big && echo written'
		want '.stdout == "written\n"' "$who: twin: the page cache of a large file is nobody's fault"
	else
		skip "$who: twin: the page cache of a large file" '/tmp and /var/tmp are memory'
	fi
	box "$who" --memory 64M --timeout 60 --lang python -c '
import os, fcntl
n = 0
try:
    for i in range(2000):
        r, w = os.pipe()
        fcntl.fcntl(w, 1031, 1048576)
        os.set_blocking(w, False)
        try:
            while True: n += os.write(w, b"x" * 65536)
        except BlockingIOError: pass
except OSError: pass
print(n >> 20)'
	want '.status == "oom" or (.stdout | tonumber) < 300' \
		"$who: memory: pipes ($(field .status), $(field .stdout | tr -d "\n") MB)"
	box "$who" --memory 64M --timeout 60 --lang python -c '
import socket
keep, n = [], 0
try:
    for i in range(4000):
        a, b = socket.socketpair(); keep.append((a, b)); a.setblocking(False)
        try:
            while True: n += a.send(b"x" * 65536)
        except BlockingIOError: pass
except OSError: pass
print(n >> 20)'
	want '.status == "oom" or (.stdout | tonumber) < 1200' \
		"$who: memory: sockets ($(field .status), $(field .stdout | tr -d "\n") MB)"

	# ---- 5, 6: what killed it ----
	box "$who" --memory 64M -c \
		"$PYTHON -c 'import time; x = bytearray(300 * 1024 * 1024); time.sleep(5)'; exit 0"
	want '.status == "oom"' "$who: memory of a child whose parent ends well is told"
	box "$who" --memory 64M --timeout 0.4 --lang python -c '
import time
x = []
while True: x.append(bytearray(1024 * 1024)); time.sleep(0.005)'
	want '.status | IN("oom", "timeout")' \
		"$who: memory and time at once is one of both ($(field .status))"
	box "$who" -c 'kill -9 $$'
	want '.status == "signal" and .signal == 9' "$who: its own SIGKILL is a signal, not a limit"
	for code in 124 125 126 137 255; do
		box "$who" -c "exit $code"
		want ".status == \"exit_nonzero\" and .exit_code == $code" \
			"$who: exit $code is the program's own"
		[[ $rc == "$code" ]]
		result $? "$who: and caisson's ($rc)"
	done

	# ---- 7: output ----
	box "$who" --output 1M --timeout 20 -c 'yes'
	want '.status == "output_limit"' "$who: endless output is stopped"
	box "$who" --output 1M --timeout 20 -c 'yes >&2'
	want '.status == "output_limit"' "$who: on standard error as well"
	box "$who" -c "printf 'a\\000b\\377\\376c\\n'"
	want '.stdout | startswith("a") and endswith("c\n")' \
		"$who: bytes that are no text still give a report"
	box "$who" -c 'exec >&- 2>&-; exit 4'
	want '.exit_code == 4 and .stdout == ""' "$who: closed streams"
	local before=$SECONDS
	box "$who" --timeout 20 -c 'sleep 15 & echo out'
	want '.stdout == "out\n" and .status == "ok"' "$who: a child that holds the pipe"
	((SECONDS - before < 8))
	result $? "$who: is not waited for"
	box "$who" -c 'seq 1 200000 | tail -n 1; seq 1 200000 | wc -c'
	want '.stdout == "200000\n1288895\n"' "$who: twin: much through a pipe inside"

	# ---- 8: the scratch ----
	box "$who" --scratch 16M -c 'dd if=/dev/zero of=/tmp/x bs=1M count=64; echo "code $?"'
	want '.status == "ok" and (.stderr | test("No space left"))' \
		"$who: a full scratch is ENOSPC, not a kill"
	box "$who" --scratch 16M --timeout 20 --lang python -c '
import errno
n = 0
try:
    while n < 200000:
        open("/tmp/%d" % n, "w").close(); n += 1
except OSError as e:
    print(e.errno == errno.ENOSPC, n < 20000)'
	want '.stdout == "True True\n"' "$who: so is the end of its inodes"
	box "$who" -c 'truncate -s 1P /tmp/sparse; echo "code $?"; ls -s /tmp'
	want '.status == "ok"' "$who: a sparse file of a petabyte costs nothing"
	box "$who" --workspace "$ws:rw" --lang python -c '
import os
os.mkdir("deep"); os.chdir("deep")
for i in range(1000): os.mkdir("d"); os.chdir("d")
print("deep")'
	want '.stdout == "deep\n" and .status == "ok"' "$who: a thousand directories deep"
	rm -rf "$ws/deep"
	box "$who" --workspace "$ws:rw" -c 'mkfifo pipe; ln -s /etc/shadow link; mknod null c 1 3; ls'
	want '.stdout | test("link") and test("pipe") and (test("null") | not)' \
		"$who: no device can be made; twin: a FIFO and a link can"
	box "$who" -c 'head -c 1000000 /dev/urandom > /tmp/a && cp /tmp/a ~/b && mv ~/b /dev/shm/c && cmp /tmp/a /dev/shm/c && echo same'
	want '.stdout == "same\n"' "$who: twin: files in the scratch"

	# ---- 17, 18: cores, leaks between runs ----
	box "$who" -c 'ulimit -c; ulimit -c unlimited 2>/dev/null; ulimit -c; kill -SEGV $$'
	want '.stdout == "0\n0\n" and .status == "signal" and .signal == 11' "$who: no core dumps"
	box "$who" --lang python -c '
import os
open("/tmp/leak", "w").write("x"); open(os.path.expanduser("~/leak"), "w").write("x"); open("/dev/shm/leak", "w").write("x")
x = bytearray(50 * 1024 * 1024)'
	want '.peak_memory_mb >= 50' "$who: the peak of memory is told"
	box "$who" -c 'ls -A /tmp ~ /dev/shm | grep leak; ipcs -m 2>/dev/null | grep -c 0x; echo end'
	want '(.stdout | test("leak") | not) and .peak_memory_mb < 40' \
		"$who: nothing of a run is there in the next"

	# ---- 9: standard input is what was given, not a way to where it came from ----
	echo given >"$tmp/$who/given"
	chmod 666 "$tmp/$who/given"
	(cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run --stdin -c \
		'echo mine >/proc/self/fd/0; readlink /proc/self/fd/0; cat') <"$tmp/$who/given" >"$tmp/out" \
		2>"$tmp/err"
	want '.stdout | test("^pipe:") and test("given\n")' "$who: a file as standard input is a pipe inside"
	[[ $(<"$tmp/$who/given") == given ]]
	result $? "$who: and stays as it is"

	# ---- 14: the network: nothing, or a loopback of its own that is not the host's ----
	box "$who" --lang python -c 'import socket; socket.socket()'
	want '.status == "exit_nonzero" and (.stderr | test("not supported"))' "$who: no internet sockets"
	box "$who" --network loopback --lang python -c "
import socket
s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); s.accept()[0].send(b'hello'); print(c.recv(9))
for host, port in ('127.0.0.1', $port), ('192.0.2.1', 80), ('::1', $port):
    try: socket.create_connection((host, port), 1); print('OUT')
    except OSError: print('closed')"
	want '.stdout == "b'"'hello'"'\nclosed\nclosed\nclosed\n"' \
		"$who: a loopback of its own: its own server answers, the host's does not, nothing leads out"

	# ---- disks ----
	head -c 2M /dev/urandom >"$at/disk"
	chmod 644 "$at/disk"
	sync -f "$at"
	box "$who" --io 1M --workspace "$at:ro" -c \
		'dd if=disk of=/dev/null bs=64k iflag=direct 2>&1 | tail -1'
	if [[ $(field .status) == setup_error ]]; then
		want '.error | test("limits? disk")' "$who: disks that cannot be limited are refused"
	else
		want '.limits.io_mb_sec.enforced_by | IN("cgroup1", "cgroup2")' \
			"$who: disks are limited by $(field .limits.io_mb_sec.enforced_by)"
		if [[ -n $disk ]]; then
			want '.duration_ms > 1000 or (.stdout | test("Invalid argument"))' \
				"$who: two megabytes at one a second ($(field .duration_ms) ms)"
		else
			skip "$who: two megabytes at one a second" '/tmp and /var/tmp are memory'
		fi
	fi
	box "$who" --workspace "$at:ro" -c 'dd if=disk of=/dev/null bs=64k 2>/dev/null; echo read'
	want '.stdout == "read\n" and .limits.io_mb_sec.value == null' "$who: twin: without a limit"
	rm -f "$at/disk"

	# ---- time ----
	box "$who" --timeout 0.5 -c 'sleep 5'
	want '.status == "timeout" and .duration_ms >= 500 and .duration_ms < 1500' \
		"$who: the time limit holds ($(field .duration_ms) ms)"
	box "$who" --cpu-time 0.3 --timeout 20 -c 'while :; do :; done'
	want '.status == "timeout" and .duration_ms < 10000' "$who: the CPU time limit holds"
	box "$who" --timeout 5 -c 'sleep 0.2; echo slept'
	want '.stdout == "slept\n" and .duration_ms >= 200' "$who: twin: within the time"
}

# A listener of the host's that no box may reach.
"$PYTHON" -c 'import socket, time; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); time.sleep(600)' >"$tmp/port" &
listener=$!
trap 'kill "$listener" 2>/dev/null; tidy' EXIT
until [[ -s $tmp/port ]]; do sleep 0.05; done
port=$(<"$tmp/port")

for who in $(people); do
	limits "$who"
done
[[ $(id -u) == 0 ]] || skip 'as root' 'not root'
done_testing
