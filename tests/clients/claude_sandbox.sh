#!/bin/bash
# Claude Code with its own sandbox on: contained commands run in the box, outside of that sandbox, and the box
# opens no more. TAP.
# needs: claude-code
# shellcheck disable=SC2016 # commands are data
. "$(dirname "$0")/lib.sh"
CLIENT=claude-code TOOLS='["Bash"]' KEYS='{command: .}'
need_client claude-code claude
for tool in bwrap socat; do command -v "$tool" >/dev/null ||
	skip_all "Claude Code's sandbox needs $tool"; done

prepare() { :; }
start() {
	ENVIRONMENT=(ANTHROPIC_BASE_URL="http://127.0.0.1:$PORT" ANTHROPIC_API_KEY=not-a-key \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1 \
		PATH="$(dirname "$NODE"):$PATH")
	(P=$P${FROM:-}; clean "$PROGRAM" -p "$PROMPT" --output-format stream-json --verbose --allowedTools \
		Bash)
}
settings() { # FILTER: of jq, for the settings that init wrote
	jq --arg p "$P" --arg c "$CAISSON" "$1" "${2:-$H/.claude/settings.json}" >"$RUN/s" &&
		mv "$RUN/s" "${2:-$H/.claude/settings.json}"
}
# A project whose tests say where they run and what they can write.
tested_project() { # NAME [OPTION...]
	new_session "$1"
	(cd "$P" && set_up "${@:2}") || return 1
	mkdir -p "$P/pkg" "$P/secrets"
	for f in fixed hidden secrets/a .env.local; do echo "content of $f" >"$P/$f"; done
	cat >"$P/Makefile" <<'MAKE'
test:
	@./where.sh
	@for f in made sub/made pkg/made fixed .git/made .git/config .vscode/made; do \
		if ( : >>$$f ) 2>/dev/null; then echo "wrote $$f."; else echo "closed $$f."; fi; done
	@cat hidden secrets/a .env.local 2>&1 | sed 's/^/read /'
	@echo tested
MAKE
}
boxed() { # INDEX WHAT
	local namespace
	namespace=$(readlink /proc/self/ns/pid)
	[[ $(text "$1") == *'ns pid:'* && $(text "$1") != *"$namespace"* && $(text "$1") == *'net no'* &&
		$(text "$1") == *tested* ]]
	result $? "$2: make test runs in the box"
}

tested_project on
result $? 'caisson init'
jq -e --arg c "$CAISSON run --ticket:*" '.sandbox.excludedCommands == [$c]' "$H/.claude/settings.json" \
	>/dev/null
result $? 'init wrote the exclusion that lets a ticket leave the sandbox'
settings '.sandbox += {enabled: true, filesystem: {denyRead: ["\($p)/hidden"], denyWrite: ["\($p)/fixed"]}} | .permissions.deny = ["Read(./.env.*)", "Read(./secrets/**)"]'
session "$(script_of 'make test' 'grep -c NoNewPrivs:.1 /proc/self/status' 'cd sub && make -C .. test' 'pwd')"
if [[ $(text 1) != 1 ]]; then
	skip_all "Claude Code does not start its sandbox here: $(text 1 | head -n 1)"
fi
boxed 0 'sandbox on'
grep -qs '"kind":"end".*"status":"ok"' "$H"/.local/state/caisson/audit/*.jsonl
result $? 'as the record has it'
says 0 'wrote made\.' 'the project can be written'
says_not 0 'wrote (fixed|\.vscode)' 'what the settings deny to write, and what every box protects, cannot'
says_not 0 'content of' 'what the settings deny to read cannot be read'
[[ $(cat "$P/fixed") == "content of fixed" ]]
result $? 'it is what it was'
says 1 '^1$' 'what is not contained stays in its sandbox'
boxed 2 'a command with a cd'
says 3 '/project$' 'whose directory does not hold for the next one, as docs/clients.md says'

tested_project off
session "$(script_of 'make test' 'cd sub && make -C .. test' 'pwd')"
boxed 0 'sandbox off'
says 0 'wrote fixed\.' 'sandbox off: the project can be written'
boxed 1 'sandbox off, with a cd'
says 2 '/project/sub$' 'sandbox off: whose directory holds for the next one'

# Its sandbox opens the directory it was started in, not the whole repository.
tested_project part
settings '.sandbox.enabled = true'
FROM=/pkg session "$(script_of 'make -C .. test')"
boxed 0 'started below the top of the repository'
says 0 'wrote pkg/made\.' 'that directory can be written'
says_not 0 'wrote (made|sub|fixed|\.git)' 'the rest of the repository cannot'

# All of it in the settings of the project.
tested_project project --project
settings '.sandbox.enabled = true | .sandbox.filesystem.denyRead = ["./hidden"]' "$P/.claude/settings.json"
session "$(script_of 'make test')"
boxed 0 'settings of the project'
says_not 0 'content of hidden' 'settings of the project: what they hide is hidden'
finish
