# shellcheck shell=bash
# The same questions to every client, in one session, and the hooks that do not work in two more. Sourced after lib.sh by the clients whose
# answers do not differ in shape. Each client's script says what it cannot do: `cannot` has words between blanks (ask, contain, replace, status: exit codes).
# shellcheck disable=SC2016,SC2154 # commands are data; the variables are the client's script's
cannot_do() { [[ " $cannot " == *" $1 "* ]]; }

ask_everything() {
	local namespace
	namespace=$(readlink /proc/self/ns/pid)
	new_session main
	set_up
	result $? 'caisson init'
	session "$(script_of 'echo plain > made && cat made' 'touch denied; echo after' 'touch asked' './where.sh 7' 'cat build.log' './leak.sh' './big.sh' 'echo oops >&2; exit 3' 'rm -rf ../outside' 'caisson init --remove')"
	[[ $(count) == 10 ]]
	result $? "ten calls, ten results ($(count))"
	says 0 'plain' 'allow: it ran'
	[[ ! -e $P/denied && $(count) -gt 1 ]]
	result $? 'deny: it did not run'
	says 1 "${REASON:-touch denied}" 'and the model is told'
	[[ ! -e $P/asked && $(count) -gt 2 ]]
	result $? 'ask: with nobody there it did not run'
	if cannot_do contain; then
		says_not 3 'ns pid:' 'contain: it cannot be rewritten here, so it did not run'
		says_not 5 'build ok' 'nor did another'
	else
		says 3 'ns pid:' 'contain: it ran'
		[[ $(text 3) == *'ns pid:'* && $(text 3) != *"$namespace"* ]]
		result $? 'in another process namespace'
		says 3 'net no' 'without the network'
		if cannot_do status; then
			skip 'and its exit code is what it was' 'this client does not show the model exit codes'
		else
			says 3 '(code|Code|exit|Exit)[^0-9]*7|"exit":7' 'and its exit code is what it was'
		fi
		grep -q '"status":"exit_nonzero","exit_code":7' "$H"/.local/state/caisson/audit/*.jsonl
		result $? 'as the record has it'
		says 5 'build ok' 'output of a contained command is given back'
		[[ $(text 6 | wc -c) -lt 120000 ]] && text 6 | grep -Eq '199999|aved to: /'
		result $? "large output is shortened; its end, or where it is, is there ($(text 6 | wc -c) bytes)"
	fi
	says_not 5 "$PACKED" 'contained: without the key in it'
	if cannot_do replace; then
		skip 'allowed: without the key in it' 'this client does not let anybody replace an output'
	else
		says 4 'build ok' 'allowed: output is given back'
		says_not 4 "$PACKED" 'without the key in it'
	fi
	says 7 'oops' 'a command that fails says so'
	[[ -e $RUN/outside/canary && $(count) -gt 8 ]]
	result $? 'what would delete outside of the project did not run'
	[[ -n $(find "$H" "$P" -name "$(basename "$SETTINGS")" -exec grep -l "$CAISSON" {} + 2>/dev/null) && $(count) -gt 9 ]]
	result $? 'the hooks cannot be taken out from inside'
}

# What a client does when the hook does not: `open` lets the tool run (nobody can change that), `closed` does not.
broken_hooks() { # MISSING CRASH
	local kind want
	for kind in missing crash; do
		want=$1
		[[ $kind == crash ]] && want=$2
		new_session "$kind"
		set_up
		mkdir "$RUN/bin"
		if [[ $kind == crash ]]; then
			printf '#!/bin/sh\nkill -SEGV $$\n' >"$RUN/bin/caisson"
			chmod +x "$RUN/bin/caisson"
		fi
		sed -i "s|$CAISSON|$RUN/bin/caisson|" "$H/$SETTINGS"
		session "$(script_of 'touch ran')"
		if [[ $want == closed ]]; then
			[[ ! -e $P/ran && $(count) -ge 1 ]]
			result $? "the hook: $kind; nothing runs"
		else
			[[ -e $P/ran ]]
			result $? "the hook: $kind; this client runs the tool, as docs/clients.md says"
		fi
	done
}
