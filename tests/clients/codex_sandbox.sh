#!/bin/bash
# Codex in the modes of its own sandbox: contained commands run in the box, outside of that sandbox, and the
# box opens no more. TAP.
# needs: codex node
# shellcheck disable=SC2016 # commands are data
. "$(dirname "$0")/lib.sh"
CLIENT=codex TOOLS='["exec_command", "shell_command", "shell"]' \
	KEYS='{cmd: ., command: ., yield_time_ms: 8000}'
need_client codex codex

prepare() {
	cat >"$H/.codex/config.toml" <<TOML
model = "gpt-5.1-codex"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$PORT/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."$P"]
trust_level = "trusted"
${MORE:-}
TOML
}
start() {
	ENVIRONMENT=(CODEX_HOME="$H/.codex" SCRIPTED_KEY=not-a-key)
	clean "$PROGRAM" exec --json --skip-git-repo-check -C "$P${FROM:-}" ${MODE:+-s "$MODE"} \
		${EPHEMERAL:+--ephemeral} ${TRUSTED---dangerously-bypass-hook-trust} "$PROMPT"
}

# A project whose tests say where they run and what they can write.
tested_project() { # NAME
	new_session "$1"
	mkdir "$H/.codex"
	(cd "$P" && set_up "${@:2}") || return 1
	mkdir -p "$P/.agents" "$P/pkg"
	cat >"$P/Makefile" <<'MAKE'
test:
	@./where.sh
	@for f in made sub/made pkg/made .git/made .codex/made .aws .agents/made; do \
		if ( : >$$f ) 2>/dev/null; then echo "wrote $$f."; else echo "closed $$f."; fi; done
	@echo tested
MAKE
	git -C "$P" add -A
}
boxed() { # WHAT
	local namespace
	namespace=$(readlink /proc/self/ns/pid)
	[[ $(text 0) == *'ns pid:'* && $(text 0) != *"$namespace"* && $(text 0) == *'net no'* &&
		$(text 0) == *tested* ]]
	result $? "$1: make test runs in the box"
	grep -qs '"kind":"end".*"status":"ok"' "$H"/.local/state/caisson/audit/*.jsonl
	result $? "$1: as the record has it"
}

tested_project default
result $? 'caisson init'
[[ -s $H/.codex/rules/caisson.rules ]]
result $? 'init wrote the rule that lets a ticket leave the sandbox'
MODE=workspace-write session \
	"$(script_of 'make test' 'cat Makefile > copy; cat made copy | wc -c' 'grep -c NoNewPrivs:.1 /proc/self/status')"
boxed 'workspace-write'
says 0 'wrote made\.' 'workspace-write: the project can be written'
says_not 0 'wrote \.(git|codex|agents|aws)' "workspace-write: what Codex keeps closed is closed in the box"
[[ -e $P/made && ! -e $P/.git/made && ! -e $P/.codex/made && ! -e $P/.agents/made ]]
result $? 'workspace-write: so it is on the disk'
says 2 '^1$' 'workspace-write: what is not contained stays in its sandbox'

tested_project config
MODE='' session "$(script_of 'make test')"
[[ $(text 0) == *tested* ]] && boxed 'the mode that nobody has chosen'

tested_project read-only
MODE=read-only session "$(script_of 'make test' 'touch made2; make -s test')"
boxed 'read-only'
says_not 0 'wrote ' 'read-only: nothing can be written'
[[ ! -e $P/made && ! -e $P/sub/made && ! -e $P/.git/made ]]
result $? 'read-only: nothing was'

tested_project full
MODE=danger-full-access session "$(script_of 'make test')"
boxed 'danger-full-access'
says 0 'wrote made\.' 'danger-full-access: the project can be written'

# Codex opens the directory it was started in, not the whole repository.
tested_project part
FROM=/pkg MODE=workspace-write session "$(script_of 'make -C .. test')"
boxed 'started below the top of the repository'
says 0 'wrote pkg/made\.' 'that directory can be written'
says_not 0 'wrote (made|sub|\.git)' 'the rest of the repository cannot'

# The same from the settings of a project, which its person has trusted.
tested_project project --project
[[ -s $P/.codex/rules/caisson.rules ]]
result $? 'init --project writes the rule into the project'
MODE=workspace-write session "$(script_of 'make test')"
boxed 'hooks of the project'

# Without the rule the command stays in Codex's sandbox, where no box can be made.
tested_project unruled
rm "$H/.codex/rules/caisson.rules"
MODE=read-only session "$(script_of 'make test')"
says 0 'own sandbox, where Caisson cannot create a box.*caisson init --client codex' \
	'without the rule: refused, and it says what to do'
says_not 0 'tested' 'without the rule: nothing ran'
tested_project trusted
rm "$H/.codex/rules/caisson.rules"
echo 'sandbox: {client_sandbox: trust}' >>"$H/.config/caisson/config.yaml"
MODE=read-only session "$(script_of 'make test')"
says 0 'tested' "without the rule, and the policy trusts Codex's sandbox: it runs there"
says_not 0 'wrote ' 'and cannot write'

# The model can name the shell that reads a command, and the hook's input does not say so: the transcript
# does. A shell of the agent's own is not started, neither one that the call names by its path nor one in a
# directory of the project that comes first in PATH.
shell_calls() { # JSON of calls' inputs
	jq -c --argjson tools "$TOOLS" '[.[] | {tool: $tools, input: (. + {yield_time_ms: 8000})}]' <<<"$1"
}
own_shells() {
	local s
	mkdir -p "$P/.venv/bin"
	for s in bash sh zsh; do
		printf '#!/usr/bin/python3\nimport os, sys\nopen("%s", "a").write("ran")\nos.execv("/bin/bash", ["bash"] + sys.argv[1:])\n' "$P/.venv/ran" >"$P/.venv/bin/$s"
		chmod +x "$P/.venv/bin/$s"
	done
}
for kind in named in-path; do
	tested_project "shell-$kind"
	own_shells
	if [[ $kind == named ]]; then
		calls=$(jq -nc --arg s "$P/.venv/bin/bash" \
			'[{cmd: "./where.sh", shell: $s}, {cmd: "echo harmless", shell: $s}]')
	else
		FIRST_IN_PATH=$P/.venv/bin:
		calls='[{"cmd": "./where.sh", "shell": "sh"}, {"cmd": "echo harmless", "shell": "/bin/sh"}]'
	fi
	MODE=danger-full-access session "$(shell_calls "$calls")"
	FIRST_IN_PATH=''
	[[ $(text 0) == *denied*shell* && $(text 1) == *denied*shell* && $(count) == 2 && ! -e $P/.venv/ran ]]
	result $? "a shell of the agent's own ($kind) is not started"
done
tested_project shell-own
MODE=workspace-write session \
	"$(shell_calls '[{"cmd": "make test", "shell": "/bin/sh"}, {"cmd": "echo $0", "shell": "sh"}, {"cmd": "pwd", "workdir": "sub", "login": false}]')"
boxed 'a shell of the system that the call names'
says 1 '/sh$' 'what is allowed runs in it'
says 2 '/sub$' 'without one, in a directory that the call names'
tested_project shell-unknown
EPHEMERAL=1 MODE=workspace-write session \
	"$(shell_calls '[{"cmd": "make test"}, {"cmd": "echo $0"}, {"cmd": "touch denied"}]')"
boxed 'a session without a transcript'
says 1 '/(ba|z)?sh$' 'and what is allowed runs'
[[ ! -e $P/denied ]]
result $? 'and what is denied does not'

# Codex skips hooks that nobody has trusted, and doctor says so; both compute the same digest.
trust() { # [HASH]: as Codex notes what a person has trusted in its dialog
	local event label normal
	for event in $(jq -r '.hooks | keys[]' "$H/.codex/hooks.json"); do
		label=$(sed 's/\(.\)\([A-Z]\)/\1_\2/g' <<<"$event" | tr '[:upper:]' '[:lower:]')
		normal=$(jq -jcS --arg e "$event" --arg l "$label" \
			'{event_name: $l, hooks: [.hooks[$e][0].hooks[0] + {async: false} | if $l == "session_end" then .timeout = ([.timeout, 3] | min) else . end]}' "$H/.codex/hooks.json")
		printf '[hooks.state."%s:%s:0:0"]\ntrusted_hash = "sha256:%s"\n' "$H/.codex/hooks.json" \
			"$label" "${1:-$(printf '%s' "$normal" | sha256sum | cut -d' ' -f1)}"
	done
}
doctor() { env -i PATH="$PATH" HOME="$H" CODEX_HOME="$H/.codex" "$CAISSON" doctor --client codex \
	>"$RUN/doctor" 2>&1; }
for kind in untrusted stale trusted; do
	tested_project "hooks-$kind"
	case $kind in stale) MORE=$(trust 0000) ;; trusted) MORE=$(trust) ;; *) MORE='' ;; esac
	MODE=danger-full-access TRUSTED='' session "$(script_of 'touch denied')"
	doctor
	code=$?
	if [[ $kind == trusted ]]; then
		[[ ! -e $P/denied && $code == 0 ]] && grep -q 'is guarded' "$RUN/doctor"
	else
		[[ -e $P/denied && $code == 2 ]] && grep -q 'is not guarded' "$RUN/doctor" &&
			grep -q '/hooks' "$RUN/doctor"
	fi
	result $? "hooks that are $kind: what Codex does, and what doctor says"
done
grep -qs doctor "$H"/.local/state/caisson/audit/*.jsonl
result $((!$?)) 'doctor leaves no rows in the record'

# Nothing is left.
new_session remove
mkdir "$H/.codex"
set_up
set_up --remove
[[ -z $(find "$H/.codex" -mindepth 1) ]]
result $? 'init --remove takes the rule away'
finish
