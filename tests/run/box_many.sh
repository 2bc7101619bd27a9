#!/bin/bash
# Many boxes: 1,000 in a row, 64 at once, and 200 whose launcher is killed at a random moment. Afterwards
# everything is as it was before. TAP.
# shellcheck disable=SC2016,SC2154 # programs are data; words of lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
# shellcheck source=tests/box/leftovers.sh
. "$(dirname "$0")/../box/leftovers.sh"
# Under the sanitizers every start takes ten times as long, and what they look for is the same each time.
if [[ -n ${SANITIZE:-} ]]; then row=100 killed=40; else row=1000 killed=200; fi
IN_A_ROW=${IN_A_ROW:-$row}
AT_ONCE=${AT_ONCE:-64}
KILLED=${KILLED:-$killed}
KILLED_EARLY=30

# Counts mounts, processes (ours, by the path of the program) and files. no_groups_left() looks at groups.
left() {
	wc -l </proc/self/mountinfo
	pgrep -fc "^$tmp/caisson" || true
	find "$tmp" -path "$tmp/*/state" -prune -o -type f -print 2>/dev/null |
		grep -vc "^$tmp/\(before\|after\|out\|err\|n[0-9]*\)$" || true
}
# Kernel workers take namespaces down a little later; a group that is still busy is tried again.
settled() {
	for _ in $(seq 50); do
		left >"$tmp/after"
		if cmp -s "$tmp/before" "$tmp/after"; then
			no_groups_left
			return
		fi
		sleep 0.1
	done
	diff "$tmp/before" "$tmp/after" >"$tmp/err"
	return 1
}

many() {
	local who=$1 wrong=0 ws=$tmp/$1/ws
	mkdir -p "$ws"
	[[ $who == user && $(id -u) == 0 ]] && chown "$ORDINARY:$ORDINARY" "$ws"
	left >"$tmp/before"

	# One process that starts all of them, so that what it would inherit or leak adds up in it.
	cat >"$tmp/row.sh" <<-'ROW'
		wrong=0
		for i in $(seq "$1"); do
			out=$("$2" run -- /bin/echo "$i") || wrong=$((wrong + 1))
			[[ $out == *'"status":"ok"'*"\"stdout\":\"$i\\n\""* || $out == *'"status": "ok"'*"\"stdout\": \"$i\\n\""* ]] || wrong=$((wrong + 1))
		done
		echo "$wrong $(ls /proc/$$/fd | wc -l)"
	ROW
	as "$who" bash "$tmp/row.sh" "$IN_A_ROW" "$tmp/caisson" >"$tmp/out" 2>"$tmp/err"
	[[ $(<"$tmp/out") == "0 "* ]]
	result $? "$who: $IN_A_ROW runs in a row, each report right ($(<"$tmp/out"))"
	rm -f "$tmp/row.sh"
	settled
	result $? "$who: and nothing grew: groups, mounts, processes, files"

	for i in $(seq "$AT_ONCE"); do
		as "$who" "$tmp/caisson" run -c "sleep 0.2; echo $i; exit $((i % 7))" >"$tmp/n$i" \
			2>/dev/null &
	done
	wait
	for i in $(seq "$AT_ONCE"); do
		jq -e ".stdout == \"$i\\n\" and .exit_code == $((i % 7))" "$tmp/n$i" >/dev/null 2>&1 ||
			wrong=$((wrong + 1))
		rm -f "$tmp/n$i"
	done
	[[ $wrong == 0 ]]
	result $? "$who: $AT_ONCE at once, each report right ($wrong wrong)"
	settled
	result $? "$who: and nothing left"

	for i in $(seq "$KILLED"); do
		(become "$who" "$tmp/caisson" run --workspace "$ws:rw" -c 'sleep 3; touch survived') \
			>/dev/null 2>&1 & # the pid is the launcher's
		pid=$!
		sleep "0.0$((RANDOM % 40 + 10))"
		kill -9 "$pid"
		wait "$pid" 2>/dev/null
	done
	settled
	result $? "$who: $KILLED launchers killed at random moments leave nothing"
	for _ in $(seq 50); do
		[[ -z $(ls -A "$ws") ]] && break
		sleep 0.1
	done
	ls -lA "$ws" >"$tmp/err"
	[[ -z $(ls -A "$ws") ]]
	result $? "$who: not in the workspace either"
	killed_early "$who"
}

# A launcher that is killed before its box starts has seen nothing that a box brought: what the next run finds
# is the person's own.
killed_early() {
	local who=$1 ws moved=0
	for i in $(seq "$KILLED_EARLY"); do
		ws=$tmp/$who/own$i
		mkdir -p "$ws"
		[[ $who == user && $(id -u) == 0 ]] && chown "$ORDINARY:$ORDINARY" "$ws"
		as "$who" bash -c \
			"cd '$ws' && git init -q . && git config core.fsmonitor ./fsm.sh && printf '#!/bin/sh\nexit 1\n' >fsm.sh &&
			cp fsm.sh .git/hooks/pre-commit && chmod 755 fsm.sh .git/hooks/pre-commit"
		(become "$who" "$tmp/caisson" run --workspace "$ws:rw" -c 'sleep 3') >/dev/null 2>&1 &
		pid=$!
		sleep "0.00$((i % 10))"
		kill -9 "$pid"
		wait "$pid" 2>/dev/null
		as "$who" "$tmp/caisson" run --workspace "$ws:rw" -c true >"$tmp/out" 2>&1
		[[ -e $ws/.git/config && -x $ws/.git/hooks/pre-commit ]] || moved=$((moved + 1))
	done
	[[ $moved == 0 ]]
	result $? "$who: after launchers killed early the person's settings and hooks are where they were ($moved of $KILLED_EARLY moved)"
}

for who in $(people); do
	many "$who"
done
[[ $(id -u) == 0 ]] || skip 'as root' 'not root'
done_testing
