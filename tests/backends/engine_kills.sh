#!/bin/bash
# Engines that fail: killed at random points of a run (KILLS, 20 for each backend), dead, without an image, on a
# full disk. The report tells the truth, and nothing is left. TAP; minutes. BACKENDS lists the backends; engines
# are started for this test (scripts/engines.sh) and end with it. By root.
# shellcheck disable=SC2154 # words of lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
# shellcheck source=tests/box/leftovers.sh
. "$(dirname "$0")/../box/leftovers.sh"
BACKENDS=${BACKENDS:-bwrap runc crun gvisor docker podman}
KILLS=${KILLS:-20}
PATIENCE=100 # seconds for a run
log=$BUILD/log/engines
if [[ $(id -u) != 0 ]]; then
	skip 'engines that are killed' 'engines are started by root'
	done_testing
	exit
fi
rm -rf "$log"
mkdir -p "$log"
# shellcheck source=scripts/engines.sh
. "$here/scripts/engines.sh"
trap 'engines_tidy; tidy' EXIT
trap 'exit 143' INT TERM

# ---- engines by the name of their backend ----

daemon_of() { # WHO BACKEND: the name in scripts/engines.sh; none for those without a daemon
	case $2 in
	docker) echo docker ;;
	podman) [[ $1 == root ]] && echo podman || echo podman-user ;;
	esac
}
ensure() { # WHO BACKEND: the engine answers, or $why says the reason
	local name pid
	name=$(daemon_of "$1" "$2")
	why=
	if [[ ! $name ]]; then
		lacks "$2" && return 1
		return 0
	fi
	pid=$(engine_pid "$name")
	if [[ ! $pid ]] || ! kill -0 "$pid" 2>/dev/null; then
		[[ ! $pid ]] || engine_kill "$name"
		"start_${name/-/_}" || return 1
	fi
	passed=(DOCKER_HOST="${DOCKER_HOST:-}" CONTAINER_HOST="${CONTAINER_HOST:-}")
	[[ $1 == root ]] || passed=(CONTAINER_HOST="${USER_CONTAINER_HOST:-}")
}
# Containers that caisson made and the engine still knows, and their images.
containers() { # WHO BACKEND
	local filter='filters=%7B%22label%22%3A%5B%22caisson.launcher%22%5D%7D' host
	case $1-$2 in
	root-docker) host=$DOCKER_HOST ;;
	root-podman) host=$CONTAINER_HOST ;;
	user-podman) host=$USER_CONTAINER_HOST ;;
	*) return ;;
	esac
	curl -s --max-time 20 --unix-socket "${host#unix://}" "http://engine/v1.40/containers/json?all=1&$filter" |
		jq -r '.[].Id'
}

# Whatever is in the workspace beside the program's own files.
in_workspace() { find "$tmp/$1/ws" -mindepth 1 ! -name begun ! -name ended -printf '%P '; } # WHO

# Processes that have entered the root of a box and wait there, which the engine has forgotten.
stragglers() {
	local pid
	for pid in $(pgrep 'runc'); do
		grep -q "$(stage_pattern root)\|$(stage_pattern user)" "/proc/$pid/mountinfo" 2>/dev/null && echo "$pid: $(cat "/proc/$pid/comm")"
	done
}

# ---- one killed engine ----

program='echo 1 >begun; sleep 0.2; echo 1 >ended'
# Runs the program with this backend in the background: $launcher.
launch() { # WHO BACKEND
	rm -f "$tmp/$1/ws/begun" "$tmp/$1/ws/ended"
	(cd "$tmp/$1" && become "$1" timeout -k 5 $PATIENCE "$tmp/caisson" run --accept watched --backend "$2" \
		--workspace "$tmp/$1/ws:rw" -c "$program") >"$tmp/out" 2>"$tmp/err" </dev/null &
	launcher=$!
}
# The client of an engine without a daemon, and its children, once it is there. Few forks: setup is short.
client_of() { # BACKEND
	local caisson='' comm pid pids program=${1/gvisor/runsc}
	while kill -0 "$launcher" 2>/dev/null; do
		read -r caisson _ <"/proc/$launcher/task/$launcher/children"
		[[ $caisson ]] && read -r -a pids <"/proc/$caisson/task/$caisson/children"
		for pid in "${pids[@]}"; do
			read -r comm <"/proc/$pid/comm"
			[[ $comm == "$program"* ]] || continue
			echo "$pid $(cat "/proc/$pid/task/"*/children)"
			return
		done
	done 2>/dev/null
}
# victim WHO BACKEND TURN: a process of the engine; in odd turns one that works for it.
victim() {
	local name all
	name=$(daemon_of "$1" "$2")
	if [[ $name && $3 -eq 0 ]]; then
		engine_pid "$name"
		return
	fi
	all=$(if [[ $name ]]; then engine_helpers; else client_of "$2"; fi)
	read -r -d '' -a all <<<"$all"
	((${#all[@]})) && echo "${all[RANDOM % ${#all[@]}]}"
}
# The report says no more than what happened. Prints a lie.
lie() { # WHO
	local ws=$tmp/$1/ws status error
	status=$(field .status)
	error=$(field '.error // ""')
	case $status in
	ok) [[ -e $ws/begun && -e $ws/ended ]] || echo 'ok, and the program has not ended' ;;
	setup_error) [[ ! -e $ws/begun ]] || echo 'setup_error, and the program has begun' ;;
	unknown) ;;
	*) echo "status '$status': $(head -c 200 "$tmp/err")" ;;
	esac
	[[ $status == ok || $error ]] || echo "$status without a reason"
}

kills() { # WHO BACKEND
	local who=$1 at="$1: $2" i tries ms pid name lies=() planted=() statuses='' started=0 span
	started=$(date +%s%N)
	launch "$who" "$2"
	wait "$launcher"
	want '.status == "ok"' "$at: a run before ($(field .error))"
	span=$((($(date +%s%N) - started) / 1000000))
	for ((i = 0, tries = 0; i < KILLS && tries < 4 * KILLS; tries++)); do
		ensure "$who" "$2" || break
		launch "$who" "$2"
		ms=$((RANDOM % (tries % 3 ? span : span / 4 + 1))) # setup is the shorter part
		sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
		pid=$(victim "$who" "$2" $((i % 2)))
		name=$(cat "/proc/${pid:-0}/comm" 2>/dev/null)
		[[ -z $pid ]] || kill -KILL "$pid" 2>/dev/null || pid=
		wait "$launcher"
		[[ $pid ]] || continue # the run was over
		i=$((i + 1))
		[[ -z $(lie "$who") ]] || lies+=("$i ($name after $ms ms): $(lie "$who")")
		statuses+="$(field .status) "
		echo "# $at: $name after $ms ms: $(field .status) $(field '.error // ""')"
		[[ -z $(in_workspace "$who") ]] || planted+=("$i ($name after $ms ms): $(in_workspace "$who")")
	done
	[[ $i == "$KILLS" ]]
	result $? "$at: the engine starts again each time ($why)"
	[[ ${#lies[@]} == 0 ]]
	result $? "$at: reports of $KILLS killed engines ($(tr ' ' '\n' <<<"$statuses" | sort | uniq -c | xargs)) ${lies[*]}"
	ensure "$who" "$2"
	launch "$who" "$2"
	wait "$launcher"
	want '.status == "ok"' "$at: a run after them ($(field .error))"
	nothing_left "$who"
	result $? "$at: no process, mount or file is left ($(stages "$who" | wc -l) stages, $(guests | wc -l) guests)"
	[[ -z $(containers "$who" "$2")$(stragglers) ]]
	result $? "$at: no container is left ($(containers "$who" "$2" | wc -l), $(stragglers))"
	no_groups_left && [[ -z $(find /sys/fs/cgroup -path "*/$group/*" -type d) ]]
	result $? "$at: no cgroup is left ($(dead_groups | xargs) $(find /sys/fs/cgroup -path "*/$group/*" -type d))"
	[[ ${#planted[@]} == 0 && -z $(in_workspace "$who") ]]
	result $? "$at: nothing is in the workspace ${planted[*]} $(in_workspace "$who")"
}

# ---- engines that cannot ----

dead() { # WHO BACKEND: nobody listens
	local name
	name=$(daemon_of "$1" "$2")
	[[ $name ]] || return
	engine_kill "$name"
	launch "$1" "$2"
	wait "$launcher"
	want '.status == "setup_error" and (.error | test("cannot connect to .*(refused|No such file)"))' \
		"$1: $2: a dead daemon is a setup error ($(field .error))"
	[[ -z $(in_workspace "$1")$(stages "$1") ]]
	result $? "$1: $2: nothing is left of that"
	ensure "$1" "$2"
}

no_image() { # the roots that Docker keeps
	local images
	images=$(curl -s --unix-socket "${DOCKER_HOST#unix://}" http://engine/v1.40/images/json |
		jq -r '.[].RepoTags[]? | select(startswith("localhost/caisson-root-"))')
	[[ $images ]]
	result $? 'root: docker: the root of the box is an image'
	for image in $images; do
		curl -s -X DELETE --unix-socket "${DOCKER_HOST#unix://}" "http://engine/v1.40/images/$image" >/dev/null
	done
	launch root docker
	wait "$launcher"
	want '.status == "ok"' "root: docker: a missing image is made again ($(field .error))"
}

# The stage lies on a small file system without room; the mount is seen by nobody else.
full_state() { # WHO BACKEND
	local boxes=$tmp/$1/state/boxes
	mkdir -p "$boxes"
	(cd "$tmp/$1" && unshare -m --propagation private bash -c '
		boxes=$1 owner=$2
		shift 2
		mount -t tmpfs -o size=64k,mode=0700,uid="$owner",gid="$owner" none "$boxes" || exit 99
		head -c 1M /dev/zero >"$boxes/fill" 2>/dev/null
		"$@"' bash "$boxes" "$(stat -c %u "$tmp/$1/state")" \
		bash -c "$(declare -f become); $(declare -p tmp disk passed ORDINARY); become \"\$@\"" bash \
		"$1" "$tmp/caisson" run --accept watched --backend "$2" --workspace "$tmp/$1/ws:rw" -c 'echo never') \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	want '.status == "setup_error" and .stdout == "" and (.error | test("[Nn]o space left"))' \
		"$1: $2: a full disk below the stage is a setup error ($(field .status) $(field .error))"
	[[ -z $(in_workspace "$1")$(guests) ]]
	result $? "$1: $2: nothing is left of that"
}
full_docker() {
	local pid
	engine_stop docker
	if ! start_docker 32m; then
		skip 'root: docker: a full disk of the engine' "$why"
		return
	fi
	pid=$(engine_pid docker)
	head -c 64M /dev/zero >"/proc/$pid/root$dir/docker/fill" 2>/dev/null
	launch root docker
	wait "$launcher"
	want '.status == "setup_error" and (.error | test("[Nn]o space left"))' \
		"root: docker: a full disk of the engine is a setup error ($(field .status) $(field .error))"
	rm -f "/proc/$pid/root$dir/docker/fill"
	launch root docker
	wait "$launcher"
	want '.status == "ok"' "root: docker: a run once there is room ($(field .error))"
	[[ -z $(containers root docker) ]]
	result $? 'root: docker: no container is left of that'
	engine_stop docker
}

for backend in $BACKENDS; do
	for who in $(people); do
		at="$who: $backend"
		if [[ $who-$backend == user-docker ]]; then
			skip "$at" 'only the Docker of root is started'
			continue
		fi
		if ! ensure "$who" "$backend"; then
			skip "$at" "$why"
			continue
		fi
		why=$(cd "$tmp" && as "$who" "$tmp/caisson" doctor --json 2>/dev/null |
			jq -r --arg b "$backend" '.backends[] | select(.name == $b) | select(.state == "no") | .by')
		if [[ $why ]]; then
			skip "$at" "$why"
			continue
		fi
		rm -rf "$tmp/$who/ws"
		mkdir "$tmp/$who/ws"
		[[ $who == root ]] || chown "$ORDINARY:$ORDINARY" "$tmp/$who/ws"
		kills "$who" "$backend"
		dead "$who" "$backend"
		full_state "$who" "$backend"
		[[ $backend != docker ]] || no_image
		[[ $backend != docker ]] || full_docker
	done
done
done_testing
