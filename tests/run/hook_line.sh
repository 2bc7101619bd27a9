#!/bin/bash
# The line that `caisson init` writes for each client, run by the shells that clients use: a program that is
# missing, killed, crashing or slow blocks with a sentence before a tool, and never after one; what the
# program itself answers stays as it is. TAP.
# shellcheck disable=SC2016 # programs are data
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
failure_files=(line out err)

skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
leave_client
export HOME=$tmp/home CAISSON_STATE=$tmp/state
odd="$tmp/it's \"a\" \$place" # quoted in the line, and escaped in JSON
mkdir -p "$HOME" "$tmp/project/.git" "$odd"
cp "$CAISSON" "$odd/caisson"
cd "$tmp/project" || exit 1
declare -A file=([claude-code]=.claude/settings.json [codex]=.codex/hooks.json \
	[gemini]=.gemini/settings.json [qwen]=.qwen/settings.json [copilot]=.copilot/hooks/caisson.json
	[cursor]=.cursor/hooks.json [windsurf]=.codeium/windsurf/hooks.json)
# What precedes a tool; everything else comes after one, or is about none.
declare -A before=([claude-code]=PreToolUse [codex]=PreToolUse [gemini]=BeforeTool [qwen]=PreToolUse \
	[copilot]=preToolUse [cursor]='beforeShellExecution beforeMCPExecution beforeReadFile'
	[windsurf]='pre_run_command pre_read_code pre_write_code pre_mcp_tool_use')
clients=(claude-code codex gemini qwen copilot cursor windsurf)
shells=()
for s in 'dash -c' 'bash -c' 'zsh -c' 'busybox sh -c' 'mksh -c' 'ksh -c'; do
	if command -v "${s%% *}" >/dev/null; then shells+=("$s"); else skip "the line in ${s% -c}" \
		'it is not installed'; fi
done

line() { jq -r --arg e "$2" '.hooks[$e][0] | (.hooks[0].command // .command // .bash)' "$HOME/${file[$1]}"; \
	} # CLIENT EVENT
# The program as it is, under the name that the line has.
# A new file each time: an ordinary user cannot write to one of mode 0.
program() { rm -f "$odd/caisson" && printf '#!/bin/sh\n%s\n' "$1" >"$odd/caisson" &&
	chmod 755 "$odd/caisson"; }
run_line() { # SHELL LINE; one word of SHELL is an option
	# shellcheck disable=SC2086
	$1 "$2" <"$tmp/in" >"$tmp/out" 2>"$tmp/err"
	rc=$?
}
sentence='^caisson: the hook failed with status [0-9]*, so nothing runs. A person should run: caisson doctor --client'
echo '{}' >"$tmp/in"

for c in "${clients[@]}"; do
	"$odd/caisson" init --client "$c" >"$tmp/out" 2>&1
	bad=""
	for e in $(jq -r '.hooks | keys[]' "$HOME/${file[$c]}"); do
		case " ${before[$c]} " in
		*" $e "*) [[ $(line "$c" "$e") == "trap '"*"exit 2' EXIT; "*' hook --client '* ]] ||
			bad+=" $e" ;;
		*) [[ $(line "$c" "$e") == *' hook --client '*' || exit 0' ]] || bad+=" $e" ;;
		esac
	done
	for e in ${before[$c]}; do [[ $(line "$c" "$e") == "trap '"*"exit 2' EXIT; "*' hook --client '* ]] \
		|| bad+=" $e"; done
	[[ -z $bad ]]
	result $? "$c: what precedes a tool blocks, and nothing else ($bad)"
done
[[ $(line codex PreToolUse) == */timeout' -k 1 25 '* && $(line codex PostToolUse) != *timeout* ]]
result $? 'codex: its own limit runs the tool, so the program has another around it'
jq -e '[.hooks | to_entries[] | select(.value[0].hooks[0].onFailure == "block") | .key] == ["PreToolUse"]' \
	"$HOME/.claude/settings.json" >/dev/null
result $? 'claude-code: only what precedes a tool has onFailure'

# ---- what the program does, and what the line makes of it ----
for shell in "${shells[@]}"; do
	for c in "${clients[@]}"; do
		pre=$(line "$c" "${before[$c]%% *}")
		post=$(jq -r --arg b " ${before[$c]} " \
			'.hooks | to_entries[] | .key as $k | select($b | contains(" \($k) ") | not) | .value[0] | (.hooks[0].command // .command // .bash)' "$HOME/${file[$c]}" | head -n 1)
		[[ -n $post || $c == cursor || $c == windsurf ]] ||
			result 1 "$c: there is an event after a tool"
		printf '%s\n' "$pre" >"$tmp/line"
		bad=""
		for p in 'exit 1' 'exit 3' 'exit 127' 'exit 255' 'kill -SEGV $$' 'kill -ABRT $$' \
			'kill -KILL $$' 'kill -TERM $$' 'echo "{}"; kill -SEGV $$' missing unreadable \
			interpreter; do
			case $p in
			missing) rm -f "$odd/caisson" ;;
			unreadable) program 'exit 0' && chmod 0 "$odd/caisson" ;;
			interpreter) rm -f "$odd/caisson" &&
				printf '#!/no/such/interpreter\n' >"$odd/caisson" &&
				chmod 755 "$odd/caisson" ;;
			*) program "$p" ;;
			esac
			run_line "$shell" "$pre"
			[[ $rc == 2 && $(grep -c "$sentence $c\$" "$tmp/err") == 1 ]] ||
				{ [[ $p == unreadable && $(id -u) == 0 && $rc == 0 ]] || bad+=" [$p: $rc]"; }
			[[ -n $post ]] && { run_line "$shell" "$post"; [[ $rc == 0 ]] ||
				bad+=" [after, $p: $rc]"; }
		done
		[[ -z $bad ]]
		result $? "$shell: $c: whatever fails blocks before a tool, with a sentence, and passes after one ($bad)"
		program 'echo "caisson: denied: because" >&2; exit 2'
		run_line "$shell" "$pre"
		[[ $rc == 2 && $(cat "$tmp/err") == 'caisson: denied: because' ]]
		result $? "$shell: $c: a denial keeps its own text"
		program 'cat; echo "{\"a\": 1}"'
		run_line "$shell" "$pre"
		[[ $rc == 0 && $(cat "$tmp/out") == $'{}\n{"a": 1}' && ! -s $tmp/err ]]
		result $? "$shell: $c: an answer stays as it is, and the input arrives"
	done
done

# ---- no process left: a shell that cannot fork blocks, too ----
if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
	program 'exit 0'
	chmod 755 "$tmp" "$odd"
	for shell in "${shells[@]}"; do
		if [[ $shell == zsh* ]]; then skip "$shell: no process left" \
			'zsh runs no trap then; no client but Codex uses it'; continue; fi
		# shellcheck disable=SC2086
		(line codex PreToolUse >"$tmp/line" &&
			exec setpriv --reuid 61234 --regid 61234 --clear-groups prlimit --nproc=0 $shell \
			"$(cat "$tmp/line")") <"$tmp/in" >"$tmp/out" 2>"$tmp/err"
		rc=$?
		[[ $rc == 2 && -s $tmp/err ]]
		result $? "$shell: no process left: it blocks, with a text (status $rc)"
	done
else
	skip 'no process left' 'only root can become a user with a limit of its own'
fi

# ---- the plugin for opencode, which is no line ----
if command -v node >/dev/null; then
	cp "$CAISSON" "$odd/caisson" && "$odd/caisson" init --client opencode >"$tmp/out" 2>&1
	cp "$HOME/.config/opencode/plugin/caisson.js" "$tmp/plugin.mjs"
	cat >"$tmp/call.mjs" <<-'JS'
		import { Caisson } from "./plugin.mjs";
		const plugin = await Caisson({ directory: "/" });
		const output = { args: { command: "x" }, output: "as it was" };
		try {
			await plugin["tool.execute." + process.argv[2]]({ sessionID: "s", tool: "bash", callID: "c", args: {} }, output);
			console.log("passed: " + output.output);
		} catch (e) {
			console.log("denied: " + e.message);
		}
	JS
	bad="" failed='^denied: caisson: the hook (did not run|failed).*so nothing runs. A person should run: caisson doctor --client opencode$'
	for p in 'exit 1' 'kill -SEGV $$' 'kill -KILL $$' 'exit 2' missing; do
		if [[ $p == missing ]]; then rm -f "$odd/caisson"; else program "$p"; fi
		node "$tmp/call.mjs" before >"$tmp/out" 2>"$tmp/err"
		grep -Eq "$failed" "$tmp/out" || bad+=" [before, $p]"
		node "$tmp/call.mjs" after >"$tmp/out" 2>"$tmp/err"
		[[ $(cat "$tmp/out") == 'passed: as it was' ]] || bad+=" [after, $p]"
	done
	for p in 'exit 0' 'echo null' 'echo "{}"' 'echo "{"' 'echo "{\"decision\": \"ask\"}"' \
		'echo "caisson: denied: because" >&2; exit 2'; do
		program "$p"
		node "$tmp/call.mjs" before >"$tmp/out" 2>"$tmp/err"
		grep -q '^denied: ' "$tmp/out" || bad+=" [before, $p]"
		[[ $p != *because* || $(cat "$tmp/out") == 'denied: caisson: denied: because' ]] ||
			bad+=" [text, $p]"
		node "$tmp/call.mjs" after >"$tmp/out" 2>"$tmp/err"
		[[ $(cat "$tmp/out") == 'passed: as it was' ]] || bad+=" [after, $p]"
	done
	[[ -z $bad ]]
	result $? "opencode: whatever is no answer denies before a tool, and leaves the output alone after one ($bad)"
else
	skip 'the plugin for opencode' 'there is no node'
fi

# ---- hanging ----
program 'trap "" TERM; exec sleep 60'
started=$SECONDS
sed 's/-k 1 25/-k 1 1/' < <(line codex PreToolUse) >"$tmp/line"
run_line 'sh -c' "$(cat "$tmp/line")"
[[ $rc == 2 && $((SECONDS - started)) -lt 20 ]] && grep -q "$sentence codex\$" "$tmp/err"
result $? "codex: a program that hangs and does not listen is killed, and that blocks (after $((SECONDS - started)) s)"

# ---- the real program, through the line ----
cp "$CAISSON" "$odd/caisson"
jq -nc --arg cwd "$PWD" \
	'{session_id: "s", turn_id: "1", transcript_path: "/t", cwd: $cwd, hook_event_name: "PreToolUse", model: "none", permission_mode: "default", tool_name: "Bash", tool_input: {command: "rm -rf /etc"}, tool_use_id: "t"}' >"$tmp/in"
run_line 'sh -c' "$(line codex PreToolUse)"
[[ $rc == 2 && $(wc -l <"$tmp/err") == 1 ]] && grep -q '^caisson: denied: .*outside-delete' "$tmp/err"
result $? 'the real program: denied in its own words'
if [[ -n ${SANITIZE-} ]]; then
	skip 'with too little memory' 'the sanitizer reserves more address space than that'
else
	bad=""
	for kb in 3000 6000 9000 9600 10000 12000 20000; do # from too little to be started to enough
		(ulimit -v "$kb" &&
			"$odd/caisson" hook --client codex <"$tmp/in" >"$tmp/out" 2>"$tmp/err") 2>/dev/null
		direct=$?
		# shellcheck disable=SC2016
		run_line 'sh -c' "$(line codex PreToolUse | sed "s/[^ ]*timeout -k 1 25 /ulimit -v $kb; /")"
		[[ $rc == 2 && -s $tmp/err ]] || bad+=" $kb:$direct/$rc"
	done
	[[ -z $bad ]]
	result $? "with too little memory it is denied, by the program or by the line ($bad)"
fi
echo "1..$n"
