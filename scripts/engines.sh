# shellcheck shell=bash
# Real container engines for tests and benches, with data directories, sockets and cgroups of their own in a
# temporary directory. Sourced, by root. The caller sets `log`, a directory.
#
#   start_docker, start_podman, start_podman_user   export the address of the engine; 1: $why has the reason
#   engine_stop NAME, engine_kill NAME              ends one of them; it can be started again
#   engine_pid NAME                                 prints the process id of a daemon
#   engines_tidy                                    ends engines by their process ids, removes the directory
#                                                   and the cgroups that were not there before
START_SECONDS=30
STOP_SECONDS=20
ORDINARY=61234 # the user of tests/box/lib.sh

dir=$(mktemp -d /tmp/caisson-engines-XXXXXX)
chmod 755 "$dir"
group=caisson-engines-$$
declare -A engines=() # process ids by name

# Podman's own groups have a fixed name: those of another Podman stay.
groups_now() {
	find /sys/fs/cgroup -mindepth 1 -maxdepth 2 -type d \( -name "$group" -o -name libpod_parent \) | sort
}
before=$(groups_now)

ended() { # PID SECONDS
	local i
	for ((i = 0; i < $2 * 10; i++)); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}
stop() { # PID
	[[ $1 ]] && kill -TERM "$1" 2>/dev/null || return 0
	ended "$1" $STOP_SECONDS || kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}
engine_pid() { echo "${engines[$1]:-}"; }
engine_stop() { # NAME
	[[ -z ${engines[$1]:-} ]] || stop "${engines[$1]}"
	unset "engines[$1]"
}
engine_kill() { # NAME
	kill -KILL "${engines[$1]}" 2>/dev/null
	{ wait "${engines[$1]}"; } 2>/dev/null
	unset "engines[$1]"
}

engines_tidy() {
	local name pid at
	for name in "${!engines[@]}"; do
		engine_stop "$name"
	done
	# It holds the namespaces of a rootless Podman, whose child it no longer is.
	pid=$(cat "$dir"/user/run/libpod/tmp/pause.pid 2>/dev/null)
	[[ -z $pid || $(stat -c %u "/proc/$pid" 2>/dev/null) != "$ORDINARY" ]] || stop "$pid"
	# Helpers of killed engines: their arguments name the directory.
	for pid in $(engine_helpers); do
		kill -KILL "$pid" 2>/dev/null
	done
	awk -v dir="$dir/" 'index($2, dir) == 1 { print $2 }' /proc/self/mounts | tac | while read -r at; do
		umount -l "$at"
	done
	rm -rf "$dir"
	comm -13 <(echo "$before") <(groups_now) | while read -r at; do
		find "$at" -depth -type d -exec rmdir {} +
	done
}
# Processes of these engines other than the daemons: containerd, shims, conmon, runtimes at work.
engine_helpers() {
	local pid
	for pid in $(pgrep -f "$dir/"); do
		[[ " $$ $BASHPID ${engines[*]} " == *" $pid "* || $(cat "/proc/$pid/comm" 2>/dev/null) == @(bash|caisson) ]] ||
			echo "$pid"
	done
}

# up NAME SOCKET PATH COMMAND...: starts an engine in the background and waits until it answers at PATH.
# Otherwise $why has the reason.
up() {
	local name=$1 socket=$2 path=$3 pid i
	shift 3
	why=
	# conmon leaves a file "oom" in the directory where its Podman was started
	{ cd "$dir" && exec "$@"; } >>"$log/$name.engine" 2>&1 </dev/null &
	pid=$!
	engines[$name]=$pid
	for ((i = 0; i < START_SECONDS * 10; i++)); do
		curl -sf --max-time 2 --unix-socket "$socket" "http://engine$path" >/dev/null 2>&1 && return 0
		if ! kill -0 "$pid" 2>/dev/null; then
			why="$name has ended: $(tail -n 1 "$log/$name.engine")"
			return 1
		fi
		sleep 0.1
	done
	why="$name has not answered for $START_SECONDS seconds: $(tail -n 1 "$log/$name.engine")"
	return 1
}

# Programs for this are missing: $why says which.
lacks() {
	local program=${1/#gvisor/runsc}
	why=
	command -v "$program" >/dev/null || why="there is no $program here (scripts/deps backends)"
	[[ $why ]]
}

# start_docker [SIZE]: with a size, its data lie on a file system of so many bytes
start_docker() {
	local prepare='exec "$@"'
	lacks dockerd && return 1
	# A killed daemon leaves its containerd, for which the next one would wait in vain.
	stop "$(cat "$dir/run/docker/containerd/containerd.pid" 2>/dev/null)"
	mkdir -p "$dir/run" "$dir/docker"
	[[ -z ${1:-} ]] || prepare="mount -t tmpfs -o size=$1 none '$dir/docker' && exec \"\$@\""
	up docker "$dir/docker.sock" /_ping unshare -m --propagation slave sh -c "$prepare" sh dockerd \
		--data-root "$dir/docker" --exec-root "$dir/run/docker" --pidfile "$dir/run/docker.pid" \
		-H "unix://$dir/docker.sock" --iptables=false --ip6tables=false --bridge=none \
		--storage-driver overlay2 --cgroup-parent "/$group" || return 1
	export DOCKER_HOST=unix://$dir/docker.sock
}

printf '[engine]\ncgroup_manager = "cgroupfs"\nruntime = "runc"\n' >"$dir/containers.conf"

start_podman() {
	lacks podman && return 1
	up podman "$dir/podman.sock" /libpod/_ping env -u CONTAINER_HOST CONTAINERS_CONF="$dir/containers.conf" podman \
		--root "$dir/podman/root" --runroot "$dir/podman/run" --tmpdir "$dir/podman/tmp" \
		system service --time 0 "unix://$dir/podman.sock" || return 1
	export CONTAINER_HOST=unix://$dir/podman.sock
}

start_podman_user() {
	local own=$dir/user
	lacks podman && return 1
	install -d -m 700 -o "$ORDINARY" -g "$ORDINARY" "$own" "$own/home" "$own/run"
	up podman-user "$own/podman.sock" /libpod/_ping setpriv --reuid "$ORDINARY" --regid "$ORDINARY" \
		--clear-groups env -i -C "$own" PATH="$PATH" HOME="$own/home" XDG_RUNTIME_DIR="$own/run" \
		CONTAINERS_CONF="$dir/containers.conf" podman --root "$own/root" --runroot "$own/runroot" \
		--tmpdir "$own/run/libpod/tmp" --storage-driver vfs \
		system service --time 0 "unix://$own/podman.sock" || return 1
	export USER_CONTAINER_HOST=unix://$own/podman.sock
}
