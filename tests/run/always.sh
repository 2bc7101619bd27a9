#!/bin/bash
# A session of an agent with sandbox.always: everything runs in the box, works as outside, and says why where
# it cannot. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

event() { # PHASE COMMAND
	jq -cn --arg phase "$1" --arg c "$2" --arg cwd "$work" --arg id "call-$calls" \
		'{session_id: "always", hook_event_name: $phase, tool_name: "Bash", tool_use_id: $id,
		cwd: $cwd, tool_input: {command: $c}} + if $phase == "PreToolUse" then {} else {tool_response: {stdout: "", stderr: "", interrupted: false}} end'
}
hook() { (cd "$work" && become "$who" "$tmp/caisson" hook --client claude-code) >"$tmp/out" 2>"$tmp/err"; }
# agent COMMAND: as a client does it. Sets rc, what was printed ($tmp/shown), where it ran (box, outside,
# asked), and what the model is told ($tmp/out).
agent() {
	local new
	calls=$((calls + 1)) where=outside
	event PreToolUse "$1" | hook
	new=$(field '.hookSpecificOutput.updatedInput.command // empty')
	[[ -z $new ]] || where=box
	if [[ -s $tmp/out && $(field '.hookSpecificOutput.permissionDecision // "allow"') != allow ]]; then
		where=asked
		return
	fi
	(cd "$work" && become "$who" bash -c "${new:-$1}") >"$tmp/shown" 2>&1 </dev/null
	rc=$?
	event PostToolUse "$1" | hook
}
# step WHERE STATUS OUTPUT COMMAND
step() {
	agent "$4"
	[[ $where == "$1" && ($1 == asked || ($rc == "$2" && $(cat "$tmp/shown") == "$3")) ]]
	result $? "$who: $1: $4"
	[[ $where != asked || $1 == asked ]] ||
		field .hookSpecificOutput.permissionDecisionReason | sed "s/^/#   /"
}

for who in $(people); do
	home=$tmp/$who/home work=$tmp/$who/work calls=0
	mkdir -p "$work" "$home/.config/caisson" "$home/notes"
	echo 'sandbox: {always: true}
excluded_commands: [hostname]' >"$home/.config/caisson/config.yaml"
	echo note >"$home/notes/a.txt"
	printf '[user]\n\tname = A Person\n\temail = person@example.org\n' >"$home/.gitconfig"
	git -C "$work" init -q -b main
	[[ $who == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$tmp/$who"
	step outside 0 '' 'echo one > a.txt' # no program starts
	step box 0 one 'cat a.txt'
	step box 0 box 'cat /etc/hostname 2>/dev/null || uname -n'
	step box 0 'main first' \
		'git add -A && git commit -qm first && echo $(git branch --show-current) $(git log --format=%s)'
	step box 0 '' 'git switch -qc topic && echo two >> a.txt && git stash -q && git stash pop -q'
	step box 3 '' 'ls > /dev/null; exit 3'
	step box 0 2 'grep -c . a.txt'
	step box 0 kept 'echo kept > /tmp/t.txt; cat /tmp/t.txt'
	step box 0 kept 'cat /tmp/t.txt'
	[[ $(git -c safe.directory='*' -C "$work" log --format=%s topic) == first &&
		$(cat "$work/a.txt") == $'one\ntwo' ]]
	result $? "$who: the project has what was done"
	agent 'cat ~/notes/a.txt'
	[[ $where == box && $rc == 1 ]] &&
		want '.hookSpecificOutput.additionalContext | contains("notes/a.txt'"'"' exists outside of the box")' "$who: what lies outside is not seen, and the model hears why"
	agent 'hostname'
	[[ $where == outside && $(cat "$tmp/shown") != box ]]
	result $? "$who: an excluded command runs outside"
	step asked - - 'git push'
	jq -cn --arg cwd "$work" \
		'{session_id: "always", hook_event_name: "SessionStart", source: "startup", cwd: $cwd}' | hook
	want '.hookSpecificOutput.additionalContext | contains("Every shell command runs in the box")' \
		"$who: the guidance says so"
	echo 'sandbox: {always: false}' >"$home/.config/caisson/config.yaml"
	agent 'cat a.txt'
	[[ $where == outside && $rc == 0 ]]
	result $? "$who: without it reading needs no box"
done
done_testing
