# shellcheck shell=bash
# For the tests of the box: a temporary directory, an ordinary user beside root, and small words to run and
# look. Sourced; no test by itself.
umask 022 # what is made here is for an ordinary user as well
tmp_template=/tmp/caisson-test-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "${BASH_SOURCE[0]}")/../prologue.sh"
CAISSON=$(realpath "$CAISSON")
chmod 755 "$tmp"
disk=$tmp # a directory on a disk, also where /tmp is none; empty: there is none
on_disk() { [[ $(stat -f -c %T "$1") != @(tmpfs|ramfs) ]]; }
if ! on_disk "$tmp"; then
	disk=
	if on_disk /var/tmp; then
		disk=$(mktemp -d /var/tmp/caisson-test-XXXXXX)
		chmod 755 "$disk"
	fi
fi
tidy() { rm -rf "$tmp" ${disk:+"$disk"}; }
trap tidy EXIT
PYTHON=/usr/bin/python3

# An id that owns nothing, so that whatever works for it works for any user. The program is copied: its own
# place may not be readable.
ORDINARY=61234
cp "$CAISSON" "$tmp/caisson"
chmod 755 "$tmp/caisson"
mkdir -p "$tmp/root/home" "$tmp/user/home" ${disk:+"$disk/root" "$disk/user"}
[[ $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$tmp/user" ${disk:+"$disk/user"}

# Who runs the tests: root and an ordinary user, or just the caller when that is no root. PEOPLE says
# otherwise.
people() { if [[ ${PEOPLE:-} ]]; then echo "$PEOPLE"; elif [[ $(id -u) == 0 ]]; then echo root user; else \
	echo user; fi; }

passed=() # further variables, NAME=VALUE
# become WHO COMMAND...: with a home and a state of its own, in place of this shell. The tests may lie where
# only their owner can go, below /root for one: what has chosen no directory of the test runs in $tmp.
become() {
	local who=$1
	shift
	[[ $PWD == "$tmp"* || ( -n $disk && $PWD == "$disk"* ) ]] || cd "$tmp" || exit 99
	local env=(env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$tmp/$who/home" \
		CAISSON_STATE="$tmp/$who/state" LC_ALL=C.UTF-8 "${passed[@]}")
	if [[ $who == user && $(id -u) == 0 ]]; then
		exec setpriv --reuid "$ORDINARY" --regid "$ORDINARY" --clear-groups "${env[@]}" "$@"
	fi
	exec "${env[@]}" "$@"
}
as() { (become "$@"); }

skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

# box WHO OPTIONS... : one run; the report in $tmp/out, the exit status in $rc. `cd` is a directory that
# exists for everybody.
box() {
	local who=$1 whole=(--head 100000)
	shift
	[[ " $* " == *' --plain '* ]] && whole=() # there is no report to be shortened
	[[ " $* " == *' --memory '* ]] && whole+=(--accept watched) # an ordinary user may have no cgroup
	(cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run "${whole[@]}" "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
}
# want 'JQ CONDITION' 'what it means'
want() { [[ $(jq "$1" "$tmp/out" 2>/dev/null) == true ]]; result $? "$2"; }
field() { jq -r "$1" "$tmp/out" 2>/dev/null; }
done_testing() { echo "1..$n"; }

# driver_results WHO...: waits for drivers that write results without numbers to $tmp/WHO.tap, then prints one
# TAP stream.
# A driver that died prints a trace instead of results.
driver_results() {
	local who
	wait
	for who in "$@"; do
		grep -q '^\(not \)\?ok - ' "$tmp/$who.tap" && ! grep -q '^Traceback' "$tmp/$who.tap" ||
			echo "not ok - $who: the driver ended early"
		cat "$tmp/$who.tap"
	done | awk '/^(not )?ok / { n++; sub(/ok -/, "ok " n " -") } { print } END { print "1.." n }'
}
