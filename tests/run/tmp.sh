#!/bin/bash
# One /tmp for the contained commands of a project: kept between them, limited, cleaned, and never a way out of the box.
# As root and as an ordinary user. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
chmod 711 "$tmp"
as=()
boxed() { # COMMAND...: in the project's box, what it prints is in $tmp/out
	(cd "$project" && "${as[@]}" "$CAISSON" run --profile work --plain "${options[@]}" -- "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
}
said() { [[ $(cat "$tmp/out") == "$1" ]]; result $? "$who: $2: $(head -c 100 "$tmp/out" | tr '\n' ' ')"; }
hook() { # EVENT SESSION: what the client sends
	jq -nc --arg e "$1" --arg s "$2" --arg d "$project" '{hook_event_name: $e, session_id: $s, cwd: $d}' |
		(cd "$project" && "${as[@]}" "$CAISSON" hook --client claude-code) >"$tmp/out" 2>"$tmp/err"
}
kept() { find "$CAISSON_STATE/tmp/$(printf %s "$project" | sha256sum | cut -c1-16)" 2>/dev/null; }

attack() {
	local old_state=$CAISSON_STATE
	options=()
	boxed sh -c 'echo one >/tmp/a; echo two >/tmp/claude/b; echo $TMPDIR; stat -c %a /tmp'
	said $'/tmp\n1777' "/tmp and /tmp/claude can be written"
	boxed sh -c 'cat /tmp/a /tmp/claude/b'
	said $'one\ntwo' "the next command finds the files"
	[[ $(stat -c %a "$CAISSON_STATE"/tmp/*) == 700 && ! -e /tmp/a ]]
	result $? "$who: outside they are in a directory of the caller's alone"
	(cd "$project" && "${as[@]}" "$CAISSON" run --plain -- ls -A /tmp) >"$tmp/out" 2>"$tmp/err"
	said "" "twin: a box of the exec profile has an empty /tmp"
	(cd "$other" && "${as[@]}" "$CAISSON" run --profile work --plain -- ls -A /tmp) >"$tmp/out" 2>"$tmp/err"
	! grep -q '^a$' "$tmp/out"
	result $? "$who: another project has another /tmp"

	# names that an earlier program made stand in the way of mounts below /tmp
	boxed sh -c 'd=${PWD#/tmp/}; cd /; first=/tmp/${d%%/*}; mv "$first" /tmp/moved; ln -s /etc "$first"; ls -ld "$first" | cut -c1'
	[[ $project != /tmp/* ]] || said l "a program can give the way to the workspace another meaning"
	boxed sh -c 'echo ok >here; cat here; rm here'
	said ok "the next command finds its workspace all the same"
	boxed sh -c 'rm -rf /tmp/claude; ln -s /etc /tmp/claude; chmod 0 /tmp'
	boxed sh -c 'echo x >/tmp/claude/c; cat /tmp/claude/c; stat -c %a /tmp'
	said $'x\n1777' "/tmp/claude is a directory again, and /tmp has its mode"

	# the limit is watched
	options=(--scratch 8M)
	boxed sh -c 'head -c 16M /dev/zero >/tmp/big; sleep 5; echo late'
	[[ $? == 153 ]]; result $? "$who: more than the limit ends the command: $(head -c 200 "$tmp/err")"
	(cd "$project" && "${as[@]}" "$CAISSON" run --profile work --scratch 8M -- sleep 5) >"$tmp/out" 2>"$tmp/err" </dev/null
	jq -e '.status == "output_limit" and .limits.scratch_mb.enforced_by == "watched" and
		any(.hints[]; .id == "scratch") and .duration_ms < 4000' "$tmp/out" >/dev/null
	result $? "$who: the report says so"
	boxed rm /tmp/big
	result $? "$who: a command can remove the files"
	boxed sh -c 'head -c 4M /dev/zero >/tmp/small; sleep 0.4; rm /tmp/small; echo done'
	said done "twin: less than the limit does not"
	options=()
	boxed sh -c 'mkdir -p /tmp/deep; cd /tmp/deep; i=0; while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i+1)); done; sleep 5'
	[[ $? == 153 ]]; result $? "$who: a tree too deep to look at counts as too much"
	boxed rm -rf /tmp/deep

	# cleaning
	canary=$tmp/canary-$n
	mkdir "$canary" && echo keep >"$canary/file" && chmod -R a+rwX "$canary"
	boxed sh -c 'ln -s "$1" /tmp/link; ln -s "$1"/file /tmp/filelink; mkfifo /tmp/fifo; mkdir /tmp/closed /tmp/closed/in
		echo x >/tmp/closed/in/x; chmod 0 /tmp/closed/in /tmp/closed; mkdir "/tmp/new
line"; echo y >"/tmp/new
line/-rf"; git init -q /tmp/repo; mkdir -m 555 /tmp/ro; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"/tmp/sock\")"; ls -A /tmp | wc -l' sh "$canary"
	hook SessionStart one
	hook SessionStart two
	hook SessionEnd one
	[[ $(kept) ]]; result $? "$who: the end of one session leaves /tmp to the other"
	(cd "$project" && exec "${as[@]}" "$CAISSON" run --profile work --plain -- sh -c 'echo up; until [ -e go ]; do sleep 0.05; done; rm go; cat /tmp/a') >"$tmp/live" 2>&1 </dev/null &
	live=$!
	for _ in {1..100}; do grep -q up "$tmp/live" && break; sleep 0.05; done
	hook SessionEnd two
	touch "$project/go"
	wait $live
	[[ $(cat "$tmp/live") == $'up\none' ]]; result $? "$who: nothing is cleaned under a living box: $(tr '\n' ' ' <"$tmp/live")"
	hook SessionStart two # the client resumes it
	hook SessionEnd two
	[[ ! $(kept) ]]
	result $? "$who: the end of the last session removes everything: $(kept | head -3)"
	[[ $(cat "$canary/file") == keep && -e $project/.git ]]; result $? "$who: cleaning follows no link"
	boxed sh -c 'ls -A /tmp | grep -v claude; echo again >/tmp/again; cat /tmp/again'
	grep -q again "$tmp/out"; result $? "$who: /tmp works again"
	touch -d '8 days ago' "$CAISSON_STATE"/tmp/*/lock
	hook SessionStart three
	[[ ! $(kept) ]]; result $? "$who: a directory that was not used for a week is removed"
	rm -rf "$old_state"
}

start() { # USER DIRECTORY
	who=$1 project=$2/project other=$2/other
	mkdir -p "$project" "$other" "$2/home" "$2/state"
	git init -q "$project"
	git init -q "$other"
	export CAISSON_STATE=$2/state HOME=$2/home
	[[ ! ${as[*]} ]] || chown -R "$who" "$2"
	chmod 700 "$2/state"
	attack
}

start root "$tmp/root"
if [[ $(id -u) == 0 ]] && id nobody >/dev/null 2>&1; then
	as=(setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$tmp/user/home" USER=nobody)
	start nobody "$tmp/user"
	as=()
	away=$(mktemp -d /var/tmp/caisson-tmp.XXXXXX) && start root "$away"
	rm -rf "$away"
fi
echo "1..$n"
