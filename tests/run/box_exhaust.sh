#!/bin/bash
# What a box could take from others: what the kernel counts for a whole user, core dumps, CPUs; each beside the ordinary use, inside and outside. As root and as
# an ordinary user. TAP.
# shellcheck disable=SC2016 # programs are data for the box
set -u
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
BUILD=${BUILD:-$here/build}

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
	(cd "$tmp/$1" && become "$1" "$tmp/caisson" run --plain --timeout 60 --read "$tools" -- "$tools/exhaust" "$2" 60) >"$tmp/held" 2>"$tmp/err" </dev/null &
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
		if [[ $who == user && $thing == inflight ]]; then # all boxes of untrusted code together have that many
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
	[[ $text == 'setrlimit 0 raise 0 syscall 0 prlimit 0 of-itself 0 high 0 bits 0 both 1 high-both 1 '* ]]
	result $? "$who: twin: a program that wants none is told that it is done"
	box "$who" --workspace "$ws" -c 'ulimit -c 0 || exit 3; kill -SEGV $$'
	want '.status == "signal" and .signal == 11' "$who: a program that ends by a signal that dumps"
	[[ -z $(ls -A "$ws") ]]
	result $? "$who: leaves no core"
	skip "$who: nor starts the host's program for cores" 'the pattern is one for the whole machine, and here it names a file'
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
	(cd "$tmp/$who" && taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$BASH" -c '. /dev/stdin' < <(declare -f as become; declare -p tmp ORDINARY tools; echo 'as '"$who"' "$tmp/caisson" run --cpus 1 --read "$tools" -- "$tools/exhaust" cpus')) >"$tmp/out" 2>"$tmp/err" </dev/null
	want '.stdout == "EPERM 1\n" and .limits.cpus.enforced_by == "affinity"' "$who: nor who inherits it from the caller"
	box "$who" --cpus 0.5 -- /bin/true
	want '.limits.cpus | .value == 0.5 and .enforced_by != "affinity" or .value == 1 and .enforced_by == "affinity"' "$who: half a CPU is not said to be enforced where it is one"
	[[ $(said "$who" --cpus 1024 -- "$tools/exhaust" cpus) == "set $all" ]]
	result $? "$who: twin: where all CPUs are given, a program places itself"
	box "$who" --cpus 1 -c 'nproc'
	want '.stdout == "1\n" or .limits.cpus.enforced_by != "affinity"' "$who: twin: and is told how many it has"
}

for who in $(people); do
	exhaust "$who"
	cores "$who"
	cpus "$who"
done
[[ $(id -u) == 0 ]] || skip 'as root' 'not root'
done_testing
