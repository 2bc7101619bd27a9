#!/bin/bash
# A scope of the user's systemd manager as the group of a box, and the manager's sockets, which no box sees.
# The latter everywhere; the former for an ordinary user with cgroup version 2 and a manager to whom nothing
# is delegated: `make check-vm` has one. TAP.
# shellcheck disable=SC2016 # programs are data for the box
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

# ---- the sockets of a manager ----

# Listens at each of these (@: an abstract name) until its input ends.
listener='
import socket, sys
all = [socket.socket(socket.AF_UNIX) for _ in sys.argv[1:]]
for s, at in zip(all, sys.argv[1:]):
    s.bind("\0" + at[1:] if at[0] == "@" else at)
    s.listen()
print("up", flush=True)
sys.stdin.read()
'
# One word for each: what a connection there ends in.
client='
import errno, os, socket, sys
for at in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect("\0" + at[1:] if at[0] == "@" else at)
        print("connected", end=" ")
    except OSError as e:
        print(errno.errorcode.get(e.errno, e), end=" ")
print("names:", *[n for n in ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS") if n in os.environ])
'

# knock WHO OPTIONS...: the client in a box, started with the addresses in the environment, as from a desktop
knock() {
	local who=$1
	shift
	(cd "$tmp/$who/ws" &&
		become "$who" env XDG_RUNTIME_DIR="$runtime" \
		DBUS_SESSION_BUS_ADDRESS="unix:path=$runtime/bus" \
		"$tmp/caisson" run "$@" -- "$PYTHON" -c "$client" "$runtime/bus" "$runtime/systemd/private" \
		"@$abstract") >"$tmp/out" 2>"$tmp/err" </dev/null
	field .stdout
}

sockets() {
	local who=$1 uid=$2 made='' said word
	runtime=/run/user/$uid
	abstract=caisson-test-$$-$uid
	if [[ ! -e $runtime && $(id -u) == 0 ]]; then
		mkdir -p "$runtime/systemd" && chmod 700 "$runtime" && chown -R "$uid:$uid" "$runtime" &&
			made=1
	fi
	local at=("@$abstract")
	[[ $made ]] && at+=("$runtime/bus" "$runtime/systemd/private")
	coproc L { as "$who" "$PYTHON" -c "$listener" "${at[@]}"; }
	local pid=$L_PID to=${L[1]}
	read -r -u "${L[0]}" word
	if [[ -S $runtime/bus && -S $runtime/systemd/private ]]; then
		said=$(as "$who" "$PYTHON" -c "$client" "$runtime/bus" "$runtime/systemd/private" \
			"@$abstract")
		[[ $word == up && $said == 'connected connected connected names:'* ]]
		result $? "$who: outside the sockets of a user manager can be reached: $said"
	else
		skip "$who: outside the sockets of a user manager can be reached" \
			"this user has no user manager, and only root can make $runtime"
	fi
	mkdir -p "$tmp/$who/ws"
	[[ $(id -u) != 0 ]] || chown "$uid:$uid" "$tmp/$who/ws"
	for how in '' '--profile work --workspace .' '--network loopback'; do
		# shellcheck disable=SC2086 # words
		said=$(knock "$who" $how)
		[[ $said =~ ^(ENOENT|EACCES|EPERM)\ (ENOENT|EACCES|EPERM)\ (ECONNREFUSED|EACCES|EPERM)\ names:$ ]]
		result $? "$who: ${how:-by default} no box reaches them, nor an abstract name, nor is told where they are: $said"
	done
	mkdir -p "$tmp/$who/home/.config/caisson"
	echo 'sandbox: {network: host-allowed}' >"$tmp/$who/home/.config/caisson/config.yaml"
	said=$(knock "$who" --network host)
	rm "$tmp/$who/home/.config/caisson/config.yaml"
	[[ $said =~ ^(ENOENT|EACCES|EPERM)\ (ENOENT|EACCES|EPERM)\  ]]
	result $? "$who: not with the host's network either: $said"
	box "$who" --profile work --workspace ws -c \
		"ls -d /run/user /run/user/$uid /run/dbus /run/systemd 2>/dev/null; true"
	want '.status == "ok" and .stdout == ""' \
		"$who: /run/user, /run/dbus and /run/systemd are not in a box"
	exec {to}>&- # its input ends
	wait "$pid" 2>/dev/null
	[[ $made ]] && rm -rf "$runtime"
	rmdir /run/user 2>/dev/null # if it was made for this
	true
}
for who in $(people); do
	if [[ $who == root ]]; then sockets root 0; elif [[ $(id -u) == 0 ]]; then sockets user "$ORDINARY"; \
		else sockets user "$(id -u)"; fi
done

# ---- a scope ----

hog='x = bytearray(300 << 20); print(len(x))'
scopes() { find /sys/fs/cgroup/user.slice -name 'caisson-*' 2>/dev/null | wc -l; }
none_left() { # within five seconds: the manager removes a scope after its last process
	local i
	for ((i = 0; i < 50; i++)); do
		[[ $(scopes) == 0 ]] && return 0
		sleep 0.1
	done
	return 1
}
ms() { echo $(($(date +%s%N) / 1000000)); }

# --require: a busy machine may take longer than a run waits by default
limits() {
	box user --require cgroup -- /bin/true
	want '.status == "ok" and ([.limits | .memory_mb, .pids | .enforced_by] | all(. == "cgroup2"))' \
		"memory and processes are limited by cgroup2"
	want '.limits.cpus.enforced_by | IN("cgroup2", "affinity")' \
		"CPUs by $(field .limits.cpus.enforced_by)"
	box user --require cgroup --cpus 0.5 -- /bin/true
	want '.status == "ok"' "half a CPU: by $(field .limits.cpus.enforced_by)"
	box user --require cgroup --memory 100M -- "$PYTHON" -c "$hog"
	want '.status == "oom" and .exit_code == 137 and .limits.memory_mb.enforced_by == "cgroup2"' \
		"300 MB with 100: oom"
	box user --require cgroup --memory 500M -- "$PYTHON" -c "$hog"
	want '.status == "ok" and .stdout == "314572800\n" and .peak_memory_mb >= 300' \
		"twin: 300 MB with 500, and the peak is known ($(field .peak_memory_mb))"
	# shared memory that only a cgroup counts
	box user --require cgroup --memory 100M -- "$PYTHON" -c 'import mmap; m = mmap.mmap(-1, 300 << 20)
for i in range(0, 300 << 20, 4096): m[i] = 1'
	want '.status == "oom"' "300 MB of shared memory with 100: oom"
	box user --require cgroup --pids 20 -- "$PYTHON" -c 'import os, time
n = 0
try:
    while n < 100:
        if os.fork() == 0: time.sleep(60); os._exit(0)
        n += 1
except OSError: pass
print(n)'
	want '.status == "ok" and (.stdout | tonumber) <= 20 and (.stdout | tonumber) >= 15' \
		"a hundred processes with 20: $(field .stdout)"
	box user --require cgroup -c \
		'cat /proc/self/cgroup /proc/1/cgroup; ls /sys/fs/cgroup 2>/dev/null | wc -l'
	want '.stdout == "0::/\n0::/\n0\n"' "a box sees itself at the root of its groups"
}

in_a_row() {
	local good=0 i
	for ((i = 0; i < ${SCOPES:-20}; i++)); do
		box user --require cgroup --memory 100M -- "$PYTHON" -c "$hog"
		[[ $(field '.status + .limits.memory_mb.enforced_by') == oomcgroup2 ]] && good=$((good + 1))
	done
	[[ $good == "${SCOPES:-20}" ]]
	result $? "in a row: $good of ${SCOPES:-20} end as oom by cgroup2"
	none_left
	result $? "no scope is left after them"
	for ((i = 0; i < 4; i++)); do
		(cd "$tmp/user" &&
			as user "$tmp/caisson" run --memory 100M -- "$PYTHON" -c "$hog" >"$tmp/at-once-$i" \
			2>/dev/null </dev/null) &
	done
	wait
	cat "$tmp"/at-once-* >"$tmp/out"
	good=$(jq -r '.status + .limits.memory_mb.enforced_by' "$tmp/out" | grep -c '^oomcgroup2$')
	[[ $good == 4 ]]
	result $? "at once: $good of 4 ($(jq -r '[.status, .limits.memory_mb.enforced_by, .error] | @json' "$tmp/out" | tr '\n' ' '))"
	none_left
	result $? "no scope is left after them either"
}

# The launcher stays where it is, and when it is killed nothing remains.
killed() {
	local good=0 i pid own here_ tries
	here_=$(cat /proc/self/cgroup)
	for ((i = 0; i < ${KILLED:-20} / 4; i++)); do
		(cd "$tmp/user" &&
			become user "$tmp/caisson" run --require cgroup --timeout 60 -- /bin/sleep 50.$$ \
			>/dev/null 2>&1 </dev/null) &
		pid=$!
		for ((tries = 0; tries < 100; tries++)); do
			pgrep -f "^/bin/sleep 50.$$" >/dev/null && break
			sleep 0.1
		done
		own=$(cat /proc/$pid/cgroup)
		[[ $own == "$here_" && $(scopes) -gt 0 ]] && good=$((good + 1))
		kill -9 "$pid"
		wait "$pid" 2>/dev/null
		none_left || good=-100
		pgrep -f "^/bin/sleep 50.$$" >/dev/null && good=-100
	done
	[[ $good == $((${KILLED:-20} / 4)) ]]
	result $? "a launcher stays in its own group; killed, it leaves neither scope nor process ($good of $((${KILLED:-20} / 4)))"
	box user --timeout 1 -- /bin/sleep 30
	want '.status == "timeout"' "twin: a box that is ended by its time limit"
	none_left
	result $? "no scope is left after it"
}

# Whatever the manager does, a run goes on without it and says so.
without() {
	local manager before after i
	manager=$(pgrep -u "$(id -u)" -x systemd | head -n 1)
	chmod 755 "/run/user/$(id -u)"
	box user -- /bin/true
	want '.status == "ok" and .limits.memory_mb.enforced_by == "watched"' \
		"a runtime directory that others may enter is not used: memory is watched"
	as user "$tmp/caisson" doctor >"$tmp/out" 2>&1
	tr -s ' \n' ' ' <"$tmp/out" |
		grep -q 'user manager (systemd) delegates no cgroup: .* is not a directory of this user alone'
	result $? "doctor says why"
	before=$(ms)
	for i in 1 2 3 4 5; do box user -- /bin/true; done
	before=$(($(ms) - before))
	chmod 700 "/run/user/$(id -u)"
	after=$(ms)
	for i in 1 2 3 4 5; do box user --require cgroup -- /bin/true; done
	after=$(($(ms) - after))
	want '.limits.memory_mb.enforced_by == "cgroup2"' "twin: with its own mode it is used"
	echo "# five runs: $before ms without a scope, $after ms with one"
	mv "/run/user/$(id -u)/systemd/private" "/run/user/$(id -u)/systemd/moved"
	box user --require cgroup -- /bin/true
	want '.status == "ok" and .limits.memory_mb.enforced_by == "cgroup2"' \
		"without the manager's own socket the bus does"
	mv "/run/user/$(id -u)/systemd/moved" "/run/user/$(id -u)/systemd/private"
	kill -STOP "$manager"
	(cd "$tmp/user" &&
		as user "$tmp/caisson" run --memory 100M -- /bin/true) >"$tmp/out" 2>"$tmp/err" </dev/null
	want '.status == "setup_error" and (.error | test("no answer in time"))' \
		"a manager that does not answer: a limit that was asked for is not just watched"
	box user -- /bin/true
	want '.status == "ok" and .limits.memory_mb.enforced_by == "watched"' \
		"twin: the default one is, and is said to be"
	kill -CONT "$manager"
	none_left
	result $? "what was asked of it meanwhile leaves nothing"
	box user --require cgroup -- /bin/true
	want '.status == "ok" and .limits.memory_mb.enforced_by == "cgroup2"' "twin: it answers again"
}

tell() {
	as user "$tmp/caisson" doctor >"$tmp/out" 2>&1
	tr -s ' \n' ' ' <"$tmp/out" |
		grep -q 'memory limit yes cgroup2, by a scope of your user manager (systemd)'
	result $? "doctor says who limits memory"
	none_left
	result $? "doctor leaves no scope"
}

why=
if [[ $(id -u) == 0 ]]; then
	why="root needs no scope"
elif [[ $(stat -f -c %T /sys/fs/cgroup) != cgroup2fs ]]; then
	why="this host has no cgroup version 2"
elif [[ ! -S /run/user/$(id -u)/systemd/private ]]; then
	why="no systemd manager of this user runs"
elif [[ $(cut -d : -f 3 /proc/self/cgroup) == */user@*.service/* ||
	! $(cut -d : -f 3 /proc/self/cgroup) =~ ^/(user|system)\.slice/ ]]; then
	why="this process may have a group of its own"
fi
if [[ $why ]]; then
	skip "a scope of the user's systemd manager" "$why"
else
	limits
	in_a_row
	killed
	without
	tell
fi
done_testing
