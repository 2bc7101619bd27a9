#!/bin/bash
# The start of a box when something is in its way: a caller with odd signals or few descriptors, a kernel that
# refuses a namespace, much to tell an init that is dead. Each ends soon, with one clear line, and leaves
# nothing. TAP.
# shellcheck disable=SC2016,SC2154 # programs are data; words of lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

nobody_left() {
	for _ in $(seq 50); do
		pgrep -f "^$tmp/caisson" >/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# The kernel counts namespaces by user namespace, and in one of our own we may say how many there can be.
refused_namespace() {
	local who=$1 kind=$2 what=$3
	(cd "$tmp/$who" &&
		as "$who" timeout 20 unshare -Ur bash -c \
		'echo 0 >"/proc/sys/user/max_$1_namespaces" || exit 99; shift; for _ in 1 2 3 4; do "$@"; [[ $? == 125 ]] || exit 98; done' \
		x "$kind" "$tmp/caisson" run --plain -- /bin/true "${@:4}") >"$tmp/out" 2>"$tmp/err"
	rc=$?
	[[ $rc == 0 && $(wc -l <"$tmp/err") == 4 &&
		$(grep -c "cannot make .*$what.*: the limit user.max_user_namespaces" "$tmp/err") == 4 &&
		! -s $tmp/out ]]
	result $? "$who: no $kind namespace${4:+, with much to tell}: four times the same clear line ($rc)"
}

start() {
	local who=$1 much busy='' wrong=0 cat
	for kind in user pid mnt uts ipc cgroup; do
		refused_namespace "$who" "$kind" 'namespaces of the box'
	done
	refused_namespace "$who" net 'network namespace'
	much=$(head -c 120000 /dev/zero | tr '\0' x)
	refused_namespace "$who" mnt 'namespaces of the box' "$much" "$much" "$much" "$much" "$much" "$much"
	nobody_left
	result $? "$who: and nobody is left"

	# What the caller ignores or blocks is not the program's affair, nor the box's.
	for what in 'trap "" CHLD' 'trap "" HUP INT TERM ALRM PIPE TSTP CONT 32 33'; do
		(cd "$tmp/$who" &&
			as "$who" bash -c "$what"'; exec "$@"' x "$tmp/caisson" run -- /bin/grep '^Sig[BI]' \
			/proc/self/status) >"$tmp/out" 2>"$tmp/err"
		want '.status == "ok" and ([.stdout | scan("[1-9a-f]")] | length) < 8 and (.stdout | contains("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000"))' "$who: $what: not in the box"
		(cd "$tmp/$who" &&
			as "$who" bash -c "$what"'; exec "$@"' x "$tmp/caisson" run --timeout 0.2 -- \
			/bin/sleep 5) >"$tmp/out" 2>"$tmp/err"
		want '.status == "timeout" and .duration_ms < 2000' "$who: $what: the time is kept"
	done
	nobody_left
	result $? "$who: and nobody is left"

	# With few descriptors it either runs with all its limits or says what is missing; less is never taken
	# for all.
	for many in $(seq 4 3 46); do
		(cd "$tmp/$who" &&
			as "$who" bash -c 'ulimit -n "$1" && shift && exec "$@"' x "$many" "$tmp/caisson" \
			run --timeout 10 --accept watched --memory 64M -- /usr/bin/python3 -c '
import os, time
for i in range(3):
    if not os.fork():
        held = bytearray(30 << 20)
        time.sleep(0.5)
        os._exit(0)
time.sleep(0.6)') >"$tmp/out" 2>"$tmp/err"
		jq -e '.status == "oom" or (.status == "setup_error" and (.error | contains("Too many open files")))' "$tmp/out" >/dev/null || { wrong=$((wrong + 1)); cp "$tmp/out" "$tmp/wrong"; }
	done
	[[ -e $tmp/wrong ]] && mv "$tmp/wrong" "$tmp/out"
	[[ $wrong == 0 ]]
	result $? "$who: few descriptors are no way around a limit ($wrong wrong)"

	# Where init is put while the box is made is not where the program has to stay.
	for _ in $(seq 20); do (cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run --plain -- /usr/bin/nproc); done |
		sort -u >"$tmp/out" 2>"$tmp/err"
	[[ $(<"$tmp/out") == "$(nproc)" ]]
	result $? "$who: twenty programs have all CPUs of the caller"
	# Nor when the launcher is done before init has started anything: beside others who keep the CPUs busy
	# that happens.
	for _ in 1 2 3; do
		timeout 60 bash -c 'while :; do :; done' &
		busy+=" $!"
	done
	for _ in $(seq 40); do (cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run --plain -- /usr/bin/nproc); done |
		sort -u >"$tmp/out" 2>"$tmp/err"
	# shellcheck disable=SC2086 # words
	kill $busy && wait $busy 2>/dev/null
	[[ $(<"$tmp/out") == "$(nproc)" ]]
	result $? "$who: forty beside busy others as well"
	(cd "$tmp/$who" &&
		as "$who" taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" "$tmp/caisson" run --plain -- \
		/usr/bin/nproc) >"$tmp/out" 2>"$tmp/err"
	[[ $(<"$tmp/out") == 1 ]]
	result $? "$who: and no more than the caller may use"

	# Init still has something to do when the program begins. Its mounts are the program's, from the first
	# moment on.
	cat=(/bin/cat)
	for _ in $(seq 100); do cat+=(/proc/1/mountinfo); done
	for _ in $(seq 20); do (cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run --plain -- "${cat[@]}" /proc/self/mountinfo) | sort | uniq -c |
		awk '$1 != 101'; done >"$tmp/out" 2>"$tmp/err"
	[[ ! -s $tmp/out ]]
	result $? "$who: twenty programs look at once, and init shows no mount that is not theirs"

	# Judging needs little memory, whatever a box may need.
	if [[ -n ${SANITIZE:-} ]]; then
		skip "$who: with little memory" 'the sanitizers need more'
	else
		(cd "$tmp/$who" &&
			as "$who" bash -c 'ulimit -d 12000 && exec "$@"' x "$tmp/caisson" check 'ls') \
			>"$tmp/out" 2>"$tmp/err"
		rc=$?
		(cd "$tmp/$who" &&
			as "$who" bash -c 'ulimit -d 12000 && exec "$@"' x "$tmp/caisson" run --plain -- \
			/bin/true) >"$tmp/out" 2>"$tmp/err"
		rc=$rc,$?
		[[ $rc == 0,125 && $(wc -l <"$tmp/err") == 1 && $(<"$tmp/err") == *memory* ]]
		result $? "$who: with little memory a command is judged, and a box says why not ($rc)"
	fi

	# Whoever collects reports of tests beside the box must not keep the program's input from ending.
	mkdir -p "$tmp/$who/ws"
	[[ $(id -u) == 0 && $who == user ]] && chown "$ORDINARY:$ORDINARY" "$tmp/$who/ws"
	(cd "$tmp/$who" &&
		echo word | as "$who" "$tmp/caisson" run --stdin --timeout 5 --task test --workspace \
		"$tmp/$who/ws" -c 'cat; echo end') >"$tmp/out" 2>"$tmp/err"
	want '.status == "ok" and .stdout == "word\nend\n"' \
		"$who: the program's input ends also where reports are collected"
}

for who in $(people); do
	start "$who"
done
[[ $(id -u) == 0 ]] || skip 'as root' 'not root'
done_testing
