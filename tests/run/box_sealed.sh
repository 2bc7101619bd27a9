#!/bin/bash
# Ways out of a box, or into the next one, that are no system call by themselves: locks, FIFOs, swapped files and directories, a failed setup that is
# believed too easily, what /proc tells. Each with a twin: the ordinary use that must go on working. TAP.
# shellcheck disable=SC2016 # programs are data for the box
set -u
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

place() { mkdir -p "$1" && { [[ $(id -u) != 0 || $who != user ]] || chown -R "$ORDINARY:$ORDINARY" "$1"; }; }
background() { # OPTIONS...: a run in the background; its number in $bg
	(cd "$tmp/$who" && become "$who" "$tmp/caisson" run "$@") >"$tmp/bg.out" 2>"$tmp/bg.err" </dev/null &
	bg=$!
}
await() { for _ in {1..300}; do [[ -e $1 ]] && return 0; sleep 0.02; done; return 1; }

# ---- locks ----
locks() {
	local ws=$tmp/$who/locked share=$tmp/$who/share
	place "$ws"
	place "$share"
	background --workspace "$ws:ro" --write "$share" --timeout 20 -c "flock -x . sh -c 'touch $share/held; sleep 20'"
	await "$share/held"
	result $? "$who: a program in a read-only workspace can lock its directory"
	box "$who" --workspace "$ws" -c 'echo done >x; flock -x x true && flock -s . echo locked'
	want '.status == "ok" and .stdout == "locked\n"' "$who: a writable run in it goes on, with locks of its own"
	kill "$bg"
	wait "$bg" 2>/dev/null
	box "$who" --workspace "$ws" -c true
	[[ $(ls -A "$ws") == x ]]
	result $? "$who: when the lock is gone the next run leaves no placeholder"
}

for who in $(people); do
	locks
done
done_testing
