#!/bin/bash
# caisson hook that crashes, has no memory or no stack: the exit code denies, with a sentence; after a tool it
# passes. Signals come from outside, and limits from ulimit, so the program is the real one. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
export HOME=$tmp/home CAISSON_STATE=$tmp/state SHELL=/bin/bash
unset CLAUDE_PROJECT_DIR XDG_CONFIG_HOME XDG_STATE_HOME
P=$tmp/project
mkdir -p "$HOME" "$P"
git init -q "$P"
cd "$P" || exit 1
# Every signal that dumps core by default. SIGXFSZ is ignored: a file that may not grow is an error of
# write().
SIGNALS='SEGV BUS ILL FPE ABRT SYS TRAP XCPU QUIT'
ulimit -c unlimited
mkfifo "$tmp/in.fifo" "$tmp/out.fifo"

catches() { # PID SIGNAL: it is the program by now, not the shell that starts it, and its handler is in place
	local mask
	[[ $(readlink "/proc/$1/exe") == "$CAISSON" ]] || return 1
	mask=$(awk '/^SigCgt:/ { print $2 }' "/proc/$1/status" 2>/dev/null)
	[[ -n $mask ]] && ((0x$mask >> ($(kill -l "$2") - 1) & 1))
}
wait_for() { # COMMAND...: five seconds at most
	for _ in $(seq 500); do
		"$@" && return 0
		sleep 0.01
	done
	return 1
}
blocked_in_write() { [[ $(awk '{ print $1 }' "/proc/$1/syscall" 2>/dev/null) == 1 ]]; }

# ---- stopped: it cannot answer, and the kernel kills it ----
exec 7<>"$tmp/in.fifo"
"$CAISSON" hook --client codex <"$tmp/in.fifo" >"$tmp/stopped.out" 2>"$tmp/stopped.err" &
stopped=$!
wait_for catches $stopped ALRM
kill -STOP $stopped

if [[ -n ${SANITIZE-} ]]; then
	skip 'signals' 'the sanitizers report crashes themselves'
else
	# ---- while it waits for its input ----
	exec 8<>"$tmp/in.fifo"
	for s in $SIGNALS; do
		"$CAISSON" hook --client codex <"$tmp/in.fifo" >"$tmp/out" 2>"$tmp/err" &
		pid=$!
		wait_for catches $pid "$s"
		kill -"$s" $pid
		wait $pid
		rc=$?
		[[ $rc == 2 && ! -s $tmp/out && $(wc -l <"$tmp/err") == 1 ]] &&
			grep -q "nothing runs.*SIG$s.*caisson doctor" "$tmp/err"
		result $? "SIG$s before a tool denies, with a sentence (status $rc)"
	done
	env --block-signal=SEGV "$CAISSON" hook --client codex <"$tmp/in.fifo" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	wait_for catches $pid SEGV
	kill -SEGV $pid
	wait $pid
	rc=$?
	[[ $rc == 2 && -s $tmp/err ]]
	result $? "also when the caller had it blocked (status $rc)"
	exec 8>&-
	[[ -z $(find . "$tmp" -maxdepth 1 -name 'core*') ]]
	result $? 'no core is dumped'

	# ---- while it answers ----
	fill() { head -c 65536 /dev/zero >&9; } # nobody reads the pipe, so the answer waits
	for row in 'claude-pre SEGV 2' 'claude-pre ABRT 2' 'claude-post SEGV 0' 'claude-post ABRT 0' \
		'claude-start SEGV 0'; do
		read -r template s want <<<"$row"
		exec 9<>"$tmp/out.fifo"
		fill
		jq -c --arg cwd "$P" --arg t $'\033[1mbold' \
			'walk(if type == "string" then gsub("@CWD@"; $cwd) | gsub("@COMMAND@"; "rm -rf /etc") | gsub("@OUTPUT@"; $t) else . end)' "$here/tests/hooks/$template.json" >"$tmp/in"
		"$CAISSON" hook <"$tmp/in" >"$tmp/out.fifo" 2>"$tmp/err" &
		pid=$!
		wait_for blocked_in_write $pid
		kill -"$s" $pid
		wait $pid
		rc=$?
		[[ $rc == "$want" && ( $want == 0 || -s $tmp/err ) ]]
		result $? "SIG$s while it answers $template (status $rc)"
		exec 9>&-
	done
fi

# ---- memory, and a stack that is too small ----
jq -nc --arg cwd "$P" \
	'{session_id: "s", transcript_path: "/t", cwd: $cwd, permission_mode: "default", hook_event_name: "PreToolUse", tool_name: "Bash",
	tool_input: {command: ("rm -rf /etc; " + ([range(30)] | map("echo $(echo ") | join("")) + ([range(30)] | map(")") | join("")))}, tool_use_id: "t"}' >"$tmp/in"
# It denies in its own way, or by the exit code with a sentence. What the kernel kills before it starts is
# left to the installed line (hook_line.sh): with more memory than that it never happens again.
started=
denied() {
	case $rc in
	0) started=1 &&
		[[ $(jq -r .hookSpecificOutput.permissionDecision "$tmp/out" 2>/dev/null) == deny ]] ;;
	2) started=1 && [[ -s $tmp/err ]] ;;
	*) [[ -z $started && ! -s $tmp/out ]] ;;
	esac
}
if [[ -n ${SANITIZE-} ]]; then
	skip 'little memory' 'the sanitizer reserves more address space than that'
else
	bad="" seen=""
	for kb in 4000 6000 8000 $(seq 9000 100 13000) 20000 30000 60000 100000; do
		{ (ulimit -v "$kb" && exec "$CAISSON" hook <"$tmp/in" >"$tmp/out" 2>"$tmp/err"); } 2>/dev/null
		rc=$?
		denied || bad+=" $kb:$rc"
		seen+=" $rc"
	done
	echo "# statuses:$seen"
	[[ -z $bad ]]
	result $? "with little memory nothing runs (${bad:-all denied})"
	[[ $seen == *' 2 '* && $seen == *' 0 '* ]]
	result $? 'some of these were too little, and some enough'
	bad="" seen=""
	for kb in 64 96 128 200 400; do
		started=
		for v in 9000 11000 12000 13000 14000; do # too little for a stack of our own
			{ (ulimit -s "$kb" && ulimit -v "$v" &&
				exec "$CAISSON" hook <"$tmp/in" >"$tmp/out" 2>"$tmp/err"); } 2>/dev/null
			rc=$?
			denied || bad+=" $kb/$v:$rc"
			seen+=" $rc"
			grep -q SIGSEGV "$tmp/err" && seen+=overflow
		done
	done
	echo "# statuses:$seen"
	[[ -z $bad ]]
	result $? "with a small stack nothing runs (${bad:-all denied})"
	[[ $seen == *overflow* ]]
	result $? 'one of these was a stack overflow'
fi
over() { [[ ! -e /proc/$stopped ]] || grep -q '^State:.*Z' "/proc/$stopped/status"; }
wait_for over || wait_for over || wait_for over ||
	kill -CONT $stopped # then it denies by itself, and the test fails
wait $stopped 2>/dev/null
rc=$?
[[ $rc == 137 && ! -s $tmp/stopped.out ]]
result $? "a process that was stopped is killed soon after its deadline (status $rc)"
echo "1..$n"
