#!/bin/bash
# Boxes that other engines make: the same statuses, walls and clean-up as native ones, as root and as an ordinary user. BACKENDS
# lists them (bwrap); scripts/check-backends starts the others and calls this script. TAP.
# shellcheck disable=SC2016,SC2154 # programs are data for the box; words of lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
# shellcheck source=tests/box/leftovers.sh
. "$(dirname "$0")/../box/leftovers.sh"
BACKENDS=${BACKENDS:-bwrap}
[[ -z ${DOCKER_HOST:-} ]] || passed+=(DOCKER_HOST="$DOCKER_HOST")
[[ -z ${CONTAINER_HOST:-} ]] || passed+=(CONTAINER_HOST="$CONTAINER_HOST")
# hosts_of WHO: an ordinary user has engines of its own, or none
hosts_of() {
	[[ $1 != user || $(id -u) != 0 ]] || passed+=(DOCKER_HOST="${USER_DOCKER_HOST:-unix:///nonexistent}" CONTAINER_HOST="${USER_CONTAINER_HOST:-unix:///nonexistent}")
}
FULL=${FULL:-} # also the list of attempts, and more kills

statuses() { # WHO BACKEND
	local who=$1 with=(--backend "$2") at="$1: $2"
	box "$who" "${with[@]}" -c 'echo out; echo err >&2'
	want '.status == "ok" and .stdout == "out\n" and .stderr == "err\n" and .backend == "'"$2"'"' "$at: a program runs, and its streams are apart ($(field .error))"
	box "$who" "${with[@]}" -- /bin/sh -c 'exit 137'
	want '.status == "exit_nonzero" and .exit_code == 137' "$at: exit 137 is an exit"
	box "$who" "${with[@]}" -- /bin/sh -c 'kill -9 $$'
	want '.status == "signal" and .signal == 9' "$at: SIGKILL is a signal"
	box "$who" "${with[@]}" -- /bin/sh -c 'kill -SEGV $$'
	want '.status == "signal" and .signal == 11' "$at: SIGSEGV is another"
	box "$who" "${with[@]}" --timeout 0.5 -c 'trap "" TERM; while :; do :; done'
	want '.status == "timeout"' "$at: the time limit"
	box "$who" "${with[@]}" --memory 64M --timeout 30 --lang python -c 'x = bytearray(1 << 30)'
	want '.status == "oom"' "$at: the memory limit ($(field .status))"
	box "$who" "${with[@]}" --memory 64M --timeout 30 -c '/usr/bin/python3 -c "x = bytearray(1 << 30)"; sleep 5; echo alive'
	want '.status == "oom"' "$at: a child's memory counts, whoever survives it ($(field .status))"
	box "$who" "${with[@]}" --output 64K -c 'yes'
	want '.status == "output_limit"' "$at: the output limit"
	box "$who" "${with[@]}" --pids 32 --timeout 20 --lang python -c '
import os, time
n = 0
try:
    while n < 200:
        if os.fork() == 0:
            time.sleep(60)
        n += 1
except OSError:
    pass
print(n)'
	want '.status == "ok" and (.stdout | tonumber | . > 20 and . <= 32)' "$at: the limit of processes ($(field .stdout))"
	box "$who" "${with[@]}" -- /nonexistent/program
	want '.status == "setup_error" and (.error | test("cannot run ./nonexistent/program"))' "$at: a program that is not there"
	(cd "$tmp/$who" && echo word | as "$who" "$tmp/caisson" run "${with[@]}" --stdin -- /bin/cat) >"$tmp/out" 2>"$tmp/err"
	want '.stdout == "word\n"' "$at: standard input"
	box "$who" "${with[@]}" --env A=b -c 'echo "$A"; pwd; hostname; [ -t 0 ] || echo none'
	want '.stdout | startswith("b\n/home/box\n") and contains("box\nnone\n")' "$at: environment, directory, name"
	box "$who" "${with[@]}" -c '(setsid sleep 30 >/dev/null 2>&1 &); echo left'
	want '.status == "ok" and .duration_ms < 20000' "$at: what is left behind ends with the program"
}

walls() { # WHO BACKEND
	local who=$1 with=(--backend "$2") at="$1: $2" ws=$tmp/$1/ws-$2
	mkdir -p "$ws/.git/hooks" "$ws/.git/objects" "$ws/.git/refs" "$ws/sub"
	echo 'ref: refs/heads/main' >"$ws/.git/HEAD"
	printf '[core]\n\tbare = false\n' >"$ws/.git/config"
	echo secret >"$ws/sub/file"
	[[ $who == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$ws"
	box "$who" "${with[@]}" --workspace "$ws:rw" -c 'echo hi >new && cat sub/file && pwd'
	want '.status == "ok" and .stdout == "secret\n'"$ws"'\n"' "$at: a workspace can be read and written ($(field .error)$(field .stderr))"
	[[ -f $ws/new && $(stat -c %u "$ws/new") == $(stat -c %u "$ws") ]]
	result $? "$at: a new file belongs to the caller"
	box "$who" "${with[@]}" --workspace "$ws:rw" -c 'echo x >.git/hooks/pre-commit; echo "[core]" >>.git/config; mv .git gone; mkdir -p .claude && echo "{}" >.claude/settings.json; exit 0'
	[[ ! -e $ws/.git/hooks/pre-commit && -d $ws/.git && ! -e $ws/.claude/settings.json ]] && ! grep -q '^\[core\]$' <(tail -n 1 "$ws/.git/config")
	result $? "$at: protected names stay as they are"
	box "$who" "${with[@]}" --workspace "$ws:ro" -c 'touch x; rm -f new; exit 0'
	[[ ! -e $ws/x && -e $ws/new ]]
	result $? "$at: a read-only workspace stays as it is"
	box "$who" "${with[@]}" -c 'for p in / /etc /usr /dev /proc /sys /caisson /run /opt; do touch $p/x 2>/dev/null && echo "BREACH $p"; done; chmod 666 /dev/null 2>/dev/null && echo BREACH mode; touch /tmp/x /var/tmp/x "$HOME/x" /dev/shm/x && echo fine'
	want '.stdout == "fine\n"' "$at: only the empty directories can be written ($(field .stdout))"
	box "$who" "${with[@]}" --scratch 8M -c 'for d in /tmp /var/tmp "$HOME" /dev/shm; do head -c 20000000 /dev/zero >$d/f 2>/dev/null; stat -c %s $d/f; done | awk "{ s += \$1 } END { exit s > 8400000 }"'
	want '.status == "ok"' "$at: all of them together have the size of the limit"
	box "$who" "${with[@]}" -c 'grep -c "^ *[a-z0-9]*:" /proc/net/dev; ls /sys; grep "^Cap[A-Z][a-z]*:.*[1-9a-f]" /proc/self/status; /usr/bin/python3 -c "import ctypes, sys; sys.exit(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) != 1)" || echo BREACH; grep Seccomp:.2 /proc/self/status >/dev/null || echo BREACH filter; id -u | grep -x 0'
	want '.stdout | test("BREACH|Cap|^0$"; "m") | not' "$at: no privileges, nothing in /sys ($(field .stdout))"
	box "$who" "${with[@]}" --network loopback -c 'exec 3<>/dev/tcp/127.0.0.1/1' 
	want '.stderr | test("refused")' "$at: --network loopback has one"
	box "$who" "${with[@]}" -c 'exec 3<>/dev/tcp/127.0.0.1/1'
	want '.stderr | test("refused") | not' "$at: --network deny has none"
}

# The bundle of a runtime, read while its box runs: it asks for the walls, not only the guest for itself.
bundle() { # WHO BACKEND
	local who=$1 at="$1: $2" pid
	rm -f "$tmp/bundle"
	(cd "$tmp/$who" && become "$who" "$tmp/caisson" run --backend "$2" --accept watched --memory 64M \
		--pids 32 -- /bin/sleep 10) >/dev/null 2>&1 &
	pid=$!
	for _ in $(seq 100); do
		jq -e . "$(stages "$who" | head -n 1)/config.json" >"$tmp/bundle" 2>/dev/null && break
		sleep 0.05
	done
	kill -TERM "$pid"
	wait "$pid" 2>/dev/null
	cp "$tmp/bundle" "$tmp/out"
	want '.root.readonly and .process.noNewPrivileges' "$at: bundle: a read-only root, no new privileges"
	# Where the guest is the root of a user namespace it needs one to map its own.
	want '[.process.capabilities[][]] - ["CAP_SETFCAP"] == [] and
		(.process.capabilities | has("ambient") or has("inheritable") | not) and
		(.process.user.uid == 0 or [.process.capabilities[][]] == [])' "$at: bundle: capabilities are dropped"
	want '["pid", "ipc", "uts", "mount", "network"] - [.linux.namespaces[] | select(.path == null) | .type] == []' \
		"$at: bundle: new namespaces, the network's too"
	if [[ $who == root ]]; then
		want '.linux.resources | .memory == {limit: 67108864, swap: 67108864} and .pids.limit == 33 and
			.devices == [{allow: false, access: "rwm"}]' "$at: bundle: limits of memory, processes, devices"
	else # its limits are those of the launcher's cgroup
		want '.linux | any(.namespaces[]; .type == "user") and .uidMappings[0].size == 1 and
			(.uidMappings + .gidMappings | length) == 2' "$at: bundle: one user and one group are mapped"
	fi
	want '[.mounts[] | select(.type == "bind")] | length > 0 and
		all(.options | contains(["ro", "nosuid", "nodev"]))' "$at: bundle: the host is shown read-only"
	want '[.mounts[] | select(.type == "tmpfs" and .destination != "/dev") | .options | join(" ")] | length > 0 and
		all(test("nosuid nodev size=[1-9].* nr_inodes=[1-9]"))' "$at: bundle: empty directories have limits"
}

# No other box may write what an engine mounts.
own_stage() { # WHO BACKEND
	local who=$1 at="$1: $2" pid stage=
	(cd "$tmp/$who" && become "$who" "$tmp/caisson" run --accept watched --backend "$2" -- /bin/sleep 10) >/dev/null 2>&1 &
	pid=$!
	for _ in $(seq 100); do
		stage=$(stages "$who" | head -n 1)
		[[ ! $stage ]] || break
		sleep 0.05
	done
	box "$who" --workspace "$stage:rw" -c 'echo never'
	[[ $stage && ! -s $tmp/out ]] && grep -q "caisson's own files" "$tmp/err"
	result $? "$at: the stage of a box is no workspace of another ($stage: $(head -n 1 "$tmp/err"))"
	kill -TERM "$pid"
	wait "$pid" 2>/dev/null
}

# Without room in memory, a local engine finds its mounts on the disk. The mount is seen by nobody else.
no_memory() { # WHO BACKEND
	local who=$1 at="$1: $2"
	if [[ $(id -u) != 0 || ! -d /dev/shm ]]; then
		skip "$at: a stage on the disk" 'only root mounts a small /dev/shm'
		return
	fi
	(cd "$tmp/$who" && unshare -m --propagation private bash -c '
		mount -t tmpfs -o size=64k,mode=1777 none /dev/shm || exit 99
		"$@"' bash bash -c "$(declare -f become); $(declare -p tmp disk passed ORDINARY); become \"\$@\"" bash "$who" "$tmp/caisson" run \
		--accept watched --backend "$2" -c 'grep -c /caisson-boxes- /proc/self/mountinfo; echo ran') >"$tmp/out" 2>"$tmp/err" </dev/null
	want '.status == "ok" and .stdout == "0\nran\n"' "$at: a stage on the disk ($(field .error))"
	[[ -z $(ls "$tmp/$who/state/boxes" 2>/dev/null) ]]
	result $? "$at: nothing is left of that"
}

refusals() { # WHO BACKEND
	local who=$1 with=(--backend "$2") at="$1: $2"
	box "$who" "${with[@]}" --network example.org -c 'echo never'
	want '.status == "setup_error" and (.error | test("no network by name")) and .stdout == ""' "$at: a network by name is refused"
	box "$who" "${with[@]}" --profile work --workspace "$tmp/$who/ws-$2" --background -c 'echo never'
	want '.status == "setup_error" and (.error | test("background")) and .stdout == ""' "$at: the background is refused"
}

# kill -9 of the launcher at random moments: the box ends, and the next run finds nothing of it.
kills() { # WHO BACKEND TIMES
	local who=$1 with=(--backend "$2") at="$1: $2" i
	for ((i = 0; i < $3; i++)); do
		(cd "$tmp/$who" && become "$who" "$tmp/caisson" run "${with[@]}" --workspace "$tmp/$who/ws-$2:rw" -c 'sleep 20; touch late') >/dev/null 2>&1 &
		sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
		kill -9 $! 2>/dev/null
		wait $! 2>/dev/null
	done
	sleep 0.3
	box "$who" "${with[@]}" -c 'echo after'
	want '.stdout == "after\n"' "$at: a run after $3 killed launchers"
	nothing_left "$who"
	result $? "$at: nothing of them is left ($(stages "$who" | wc -l) stages, $(guests | wc -l) guests)"
	[[ ! -e $tmp/$who/ws-$2/late && -z $(find "$tmp/$who/ws-$2" -maxdepth 1 -name '.claude' -o -maxdepth 1 -name '.mcp.json') ]]
	result $? "$at: nor in their workspace"
	# processes that the engine started where the launchers were
	[[ -z $(find /proc -maxdepth 2 -name cwd -lname "$tmp/$who*" 2>/dev/null) ]]
	result $? "$at: nor any process of the engine"
}

# Launchers are killed while bwrap still mounts: what it makes in the workspace after that goes as well.
late_engine() { # WHO
	local who=$1 ws=$tmp/$1/ws-bwrap left times stay
	read -r times stay < <("$PYTHON" -B "$here/tests/box/outlive.py" 3 bash -c "$(declare -f become; declare -p tmp disk passed ORDINARY)"$'\n''cd "$0"; become "$@"' \
		"$tmp/$who" "$who" "$tmp/caisson" run --backend bwrap --workspace "$ws:rw" -c 'touch late')
	nothing_left "$who"
	left=$(find "$ws" -mindepth 1 -maxdepth 1 ! -name .git ! -name sub ! -name new -printf ' %f')
	[[ -z $left && $times -gt 0 ]]
	result $? "$who: bwrap: nothing is left where it outlived $times launchers$left"
	[[ $stay == 0 ]]
	result $? "$who: bwrap: nor is a process of it ($stay)"
	box "$who" --backend bwrap -c :
	[[ -z $(stages "$who") ]]
	result $? "$who: bwrap: the next run removes their stages"
}

attempts() { # WHO BACKEND
	local who=$1 list=$tmp/attempts.json
	(cd "$tmp/$who" && as "$who" "$tmp/caisson" selftest --box --json --backend "$2") >"$list" 2>"$tmp/err" </dev/null
	[[ -s $list ]] && jq -e '.box.broken == 0 and .box.held >= 27' "$list" >/dev/null
	result $? "$who: $2: the list of attempts: $(jq -r '"\(.box.held) held, \(.box.broken) broken, \(.box.untried) not tried: \([.box.attempts[] | select(.end != "held") | .name] | join(" "))"' "$list") $(head -n 1 "$tmp/err")"
	[[ -z ${TABLE:-} ]] || jq -c --arg backend "$2" --arg who "$who" '{backend: $backend, who: $who} + .box' "$list" >>"$TABLE"
}

for backend in $BACKENDS; do
	for who in $(people); do
		kept=("${passed[@]}")
		hosts_of "$who"
		why=$(cd "$tmp" && as "$who" "$tmp/caisson" doctor --json 2>/dev/null | jq -r --arg b "$backend" '.backends[] | select(.name == $b) | select(.state == "no") | .by')
		if [[ $why && ! ${REQUIRED:-} ]]; then # REQUIRED: it must be here
			skip "$who: $backend" "$why"
			passed=("${kept[@]}")
			continue
		fi
		statuses "$who" "$backend"
		walls "$who" "$backend"
		refusals "$who" "$backend"
		[[ $backend != @(runc|crun) ]] || bundle "$who" "$backend"
		own_stage "$who" "$backend"
		[[ $backend != @(bwrap|runc|crun|gvisor) ]] || no_memory "$who" "$backend"
		[[ ! $FULL ]] || attempts "$who" "$backend"
		kills "$who" "$backend" $((FULL ? 20 : 3))
		[[ $backend != bwrap ]] || late_engine "$who"
		no_groups_left
		result $? "$who: $backend: no cgroup is left"
		passed=("${kept[@]}")
	done
done

# ---- choosing ----
who=$(people | cut -d' ' -f1)
box "$who" --backend nothing -c :
[[ $rc == 64 ]] && grep -q 'expected one of' "$tmp/err"
result $? 'an unknown backend is a mistake of usage'
box "$who" --backend auto -c :
want '.status == "ok" and .backend == "native"' 'auto is native where native works'
printf 'sandbox:\n  backend: %s\n' "${BACKENDS%% *}" >"$tmp/policy.yaml"
box "$who" --config "$tmp/policy.yaml" -c :
want '.backend == "'"${BACKENDS%% *}"'"' 'sandbox.backend chooses'
box "$who" --config "$tmp/policy.yaml" --backend native -c :
want '.backend == "native"' '--backend stands above it'
done_testing
