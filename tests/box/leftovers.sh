# shellcheck shell=bash
# What boxes of other engines must not leave: processes, mounts, stages, cgroups. Sourced after lib.sh or prologue.sh.

# A group with processes is that of a box in the background, of another test: nothing_left() finds our own.
has_processes() { # GROUP
	cat "$1/cgroup.procs" "$1"/*/cgroup.procs 2>/dev/null | grep -q .
}
# Launchers in this pid namespace that are gone and whose cgroups are not: others may run here.
dead_groups() {
	local path name pid ns own
	own=$(sed -n 's/^[0-9]*:memory:\(.*\)/\/sys\/fs\/cgroup\/memory\1/p
		s/^0::\(.*\)/\/sys\/fs\/cgroup\1\/../p' /proc/self/cgroup | head -n 1)
	find "$own" -maxdepth 2 -type d -name 'caisson-*' 2>/dev/null | sort -u |
		while read -r path; do
			IFS=- read -r name pid _ ns _ <<<"${path##*/}"
			[[ $ns == $(stat -L -c %i /proc/self/ns/pid) && ! -d /proc/$pid ]] &&
				! has_processes "$path" && echo "$name-$pid"
		done
	find /sys/fs/cgroup -maxdepth 4 -type d -regex '.*/caisson-[0-9]+-[0-9a-f]+' 2>/dev/null |
		sort -u | while read -r path; do # of engines
			IFS=- read -r name pid _ <<<"${path##*/}"
			[[ -d /proc/$pid ]] || has_processes "$path" || echo "$name-$pid"
		done
}
# Other tests leave some for a moment: those that stay count.
no_groups_left() {
	local left
	left=$(dead_groups | sort)
	for ((i = 0; i < 20; i++)); do
		[[ $left ]] || return 0
		sleep 0.3
		left=$(comm -12 <(echo "$left") <(dead_groups | sort))
	done
	[[ -z $left ]]
}
# Guests of this test: they show its own program.
guests() {
	local pid
	for pid in $(pgrep -f '^/caisson/guest box-guest'); do
		grep -q "$tmp/caisson " "/proc/$pid/mountinfo" 2>/dev/null && echo "$pid"
	done
}
# What engines mount lies below the state directory, or in memory, where other tests have theirs as well.
stage_pattern() { # WHO
	local boxes=$tmp/$1/state/boxes inode
	inode=$(stat -c %i "$tmp/$1/state" 2>/dev/null) && boxes+="\|/caisson-boxes-[0-9]*/box-$inode-"
	echo "$boxes"
}
stages() { # WHO
	local inode
	ls -d "$tmp/$1/state/boxes"/* 2>/dev/null
	inode=$(stat -c %i "$tmp/$1/state" 2>/dev/null) && ls -d /dev/shm/caisson-boxes-*/box-"$inode"-* 2>/dev/null
}
nothing_left() { # WHO
	for _ in $(seq 60); do
		[[ -z $(stages "$1") && -z $(guests) ]] &&
			! pgrep -f "^$tmp/caisson" >/dev/null &&
			! grep -q "$(stage_pattern "$1")" /proc/self/mountinfo && return 0
		sleep 0.1
	done
	return 1
}
