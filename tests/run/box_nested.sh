#!/bin/bash
# A box started from inside a box is refused with one clear line; inside other people's namespaces it has all
# its walls, or is refused. As root and as an ordinary user. TAP.
# shellcheck disable=SC2016 # programs are data for the box
# shellcheck disable=SC2154 # tmp and rc are set by lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
already='this is already a box'

nested() {
	local who=$1 ws=$tmp/$1/ws
	mkdir -p "$ws/.git"
	echo '[core]' >"$ws/.git/config"
	[[ $who == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$ws"

	box "$who" --plain -- true
	[[ $rc == 0 ]]
	result $? "$who: twin: outside of a box one is made (status $rc)"
	box "$who" --read "$tmp/caisson" -- "$tmp/caisson" run --plain -- true
	want '.exit_code == 125 and .stdout == ""' "$who: a box in a box is caisson's own failure"
	want '.stderr | (split("\n") | length) == 2 and startswith("caisson: ") and contains("'"$already"'")' "$who: with one clear line"
	box "$who" --read "$tmp/caisson" -- "$tmp/caisson" run -- true
	want '.stdout | fromjson | .status == "setup_error" and (.error | contains("'"$already"'"))' \
		"$who: and a report"
	box "$who" --read "$tmp/caisson" --workspace "$ws:rw" -- "$tmp/caisson" run --plain --workspace \
		"$ws:rw" -c 'echo in >inside; echo evil >.git/config'
	want '.stderr | contains("'"$already"'")' "$who: with a workspace the same"
	[[ $(ls -A "$ws") == .git && $(<"$ws/.git/config") == '[core]' && $(ls -A "$ws/.git") == config ]]
	result $? "$who: and nothing is left in it"
	box "$who" --read "$tmp/caisson" -- "$tmp/caisson" run --require cgroup --plain -- true
	want '.exit_code == 125 and (.stderr | split("\n") | length) == 2' "$who: with --require the same"
	box "$who" --read "$tmp/caisson" -- "$tmp/caisson" selftest --box
	want '.exit_code == 70 and .stdout == "" and (.stderr | contains("'"$already"'"))' \
		"$who: the selftest does not pass there"
	box "$who" --read "$tmp/caisson" -- "$tmp/caisson" doctor
	want '.exit_code == 2 and (.stdout | contains("'"$already"'"))' "$who: doctor says so"
	box "$who" --read "$tmp/caisson" -- "$tmp/caisson" check 'rm -rf /'
	want '.exit_code == 2 and (.stdout | startswith("deny"))' "$who: twin: judging works in a box"
}

# The walls, as seen from inside a box that was made in a user namespace of somebody else.
walls='set -- $(grep "^CapEff\|^NoNewPrivs\|^Seccomp:" /proc/self/status); echo "$2 $4 $6"; id -u; set -- /proc/[0-9]*; echo $#; ls /root /etc/shadow 2>&1 | grep -c "^[a-z]*: "; unshare -U true 2>&1 | grep -c .'
foreign() {
	local who=$1
	box "$who" --plain --shell sh -c "$walls"
	cp "$tmp/out" "$tmp/plain"
	as "$who" unshare -Ur "$tmp/caisson" run --plain --shell sh -c "$walls" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	[[ $rc == 0 && $(sed 2d "$tmp/out") == "$(sed 2d "$tmp/plain")" && $(sed -n 2p "$tmp/out") != 0 ]]
	result $? "$who: in a user namespace of somebody else the walls are the same (status $rc)"
	as "$who" unshare -Ur "$tmp/caisson" selftest --box --json >"$tmp/out" 2>"$tmp/err"
	rc=$?
	[[ $rc == 0 ]] && jq -e '.box.broken == 0 and .box.held >= 20' "$tmp/out" >/dev/null
	result $? "$who: and hold (status $rc)"
	as "$who" unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh \
		"$tmp/caisson" run --plain -- /bin/true >"$tmp/out" 2>"$tmp/err"
	[[ $? == 125 ]] && grep -q 'the limit user.max_user_namespaces' "$tmp/err"
	result $? "$who: a host without namespaces left is named as such"
}

for who in $(people); do
	if [[ -z ${SANITIZE-} ]]; then nested "$who"; else skip "$who: caisson in a box" \
		'sanitizers need ptrace and address space that a box does not give'; fi
	if as "$who" unshare -Ur true 2>/dev/null; then foreign "$who"; else skip \
		"$who: user namespaces of somebody else" 'they cannot be made here'; fi
done
done_testing
