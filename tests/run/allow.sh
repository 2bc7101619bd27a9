#!/bin/bash
# caisson allow, ask, deny and suggest --apply: who may, what is shown and written, and what it does to
# verdicts. TAP.
apart=1
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
real=$CAISSON
leave_client
export HOME=$tmp/home
user=$HOME/.config/caisson/config.yaml
mkdir -p "$HOME" "$tmp/work/.git" && cd "$tmp/work" || exit 1
touch .git/HEAD
before=()
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

verdict() { # VERDICT COMMAND
	[[ $("$CAISSON" check "$2" 2>"$tmp/err" | tee "$tmp/out" | head -1) == "$1"* ]]
	result $? "$1: $2"
}
policy() { mkdir -p "${user%/*}" && cat >"$user" && cp "$user" "$tmp/kept"; }
unchanged() { cmp -s "$user" "$tmp/kept"; result $? "the policy is what it was: $1"; }

# ---- usage ----
run 64 'no rule' allow
err "no rule given"
run 64 'options stand first' allow npm login --project
err 'put the options before the rules'
run 64 'an unknown option' allow --yes npm
for c in allow ask deny; do
	run 0 "$c --help" $c --help
	"$CAISSON" help --man $c | cmp -s - "$here/man/caisson-$c.1"
	result $? "man/caisson-$c.1 is what the tables say"
done

# ---- who may ----
run 1 'without a terminal' allow 'npm login'
err 'must be run in a terminal, by a person'
yes yes 2>/dev/null | "$CAISSON" allow 'npm login' >"$tmp/out" 2>"$tmp/err"
[[ ${PIPESTATUS[1]} == 1 && ! -e $user ]]
result $? 'a pipe that says yes is no person'
for v in CLAUDECODE GEMINI_CLI CODEX_SANDBOX AGENT; do
	export $v=1
	at_terminal 1 "an agent's terminal ($v)" yes allow 'npm login'
	out "'$v' is set"
	unset $v
done
for p in claude codex gemini qwen copilot opencode cursor windsurf; do
	cp /bin/bash "$tmp/$p"
	CAISSON=$tmp/$p at_terminal 1 "below $p" yes -c '"$0" allow "npm login"; exit $?' "$real"
	out "runs below $p"
done
cp "$CAISSON" "$tmp/x"
CAISSON=$tmp/codex at_terminal 1 'a copy of the program below a client' yes -c \
	'bash -c "\"\$0\" allow npm; exit \$?" "$0"; exit $?' "$tmp/x"
out 'runs below codex'
CAISSON=$(command -v setpriv) at_terminal 1 'in a sandbox' yes --no-new-privs "$real" allow 'npm login'
out 'runs in a sandbox'
if "$CAISSON" run -- /bin/true >/dev/null 2>&1; then
	"$CAISSON" run --plain --read "$tmp/x" -- "$tmp/x" allow npm >"$tmp/out" 2>"$tmp/err" </dev/null
	[[ $? == 1 ]] && grep -q 'allow: this runs in a sandbox' "$tmp/err"
	result $? 'a copy of the program in the box refuses'
else
	n=$((n + 1))
	echo "ok $n - a copy of the program in the box # SKIP no box can be made here"
fi
[[ ! -e $user ]]
result $? 'nothing of this wrote anything'
run 2 'an agent may not run it' check "caisson allow 'npm login'"

# every command is either opened to agents or a person's (knowledge/gate/dangers.yaml)
while read -r c; do
	"$CAISSON" check "caisson $c" >"$tmp/out" 2>"$tmp/err"
	! grep -q 'is not a command of caisson that agents may use' "$tmp/out"
	result $? "it is decided whether agents may use caisson $c"
done < <("$CAISSON" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort -u)

# ---- a first rule ----
verdict ask 'npm login left-pad'
run 0 'a dry run needs no terminal' allow --dry-run 'npm login'
out '^+      - npm login$'
[[ ! -e $user ]]
result $? 'and writes nothing'
at_terminal 1 'the answer is no' no allow 'npm login'
out 'the answer was not yes; nothing was written'
at_terminal 1 'the answer is y' y allow 'npm login'
[[ ! -e $user ]]
result $? 'nothing is written without yes'
at_terminal 0 'the answer is yes' yes allow 'npm login'
out "^+++ $user"
out '^+      - npm login'
out "^'npm login' is asked about now (network, executes-file); with the rule it is allowed, in every project, also with further arguments"
out 'runs OUTSIDE the box, with your rights, your files and your network'
out "config.yaml: 1 rule added"
[[ $(stat -c %a "$user") == 600 && $(stat -c %a "${user%/*}") == 700 ]]
result $? 'for the user alone'
verdict allow 'npm login left-pad'
verdict allow 'cd . && npm login'
verdict deny 'npm login > /etc/passwd'
cp "$user" "$tmp/kept"
at_terminal 0 'the second time' yes allow 'npm login'
out "'npm login' is already in $user:4"
unchanged 'already there'
at_terminal 0 'taken out again' yes allow --remove 'npm login'
out 'without the rule it is asked about'
verdict ask 'npm login left-pad'
at_terminal 1 'there is nothing to take out' yes allow --remove 'npm login'
out "'npm login' is not in tools.bash.allow"
at_terminal 0 'forgotten quotes are one rule' yes allow npm login
grep -qx '      - npm login' "$user"
result $? 'with all its words'

# ---- a file that a person wrote ----
policy <<'YAML'
# mine
default: allow    # as it is
tools:
    bash:
        deny: [npm publish]   # by hand

        # what I looked at
        allow:
            - git fetch   # often
            # more to come
YAML
chmod 644 "$user"
at_terminal 0 'a rule among others' yes allow 'pip search'
sed -i 's/^/ /' "$tmp/kept"
diff "$tmp/kept" <(sed 's/^/ /' "$user") >"$tmp/out"
[[ $(cat "$tmp/out") == '9a10
>              - pip search' ]]
result $? 'is one line more'
[[ $(stat -c %a "$user") == 644 ]]
result $? 'the mode is kept'
at_terminal 0 'a rule into a flow list' yes deny 'npm unpublish'
grep -qx "        deny: \[npm publish, npm unpublish\]   # by hand" "$user"
result $? 'a few letters more'
verdict deny 'npm unpublish x'
at_terminal 0 'a list that was not there' yes ask 'git stash'
verdict ask 'git stash'
at_terminal 0 'a permission rule' yes allow 'Bash(npm run test:*)'
verdict allow 'npm run test -- -x'
at_terminal 0 'two rules, and a tool' yes allow 'curl https://example.org/a' mcp__docs_search
grep -qF "'curl https://example.org/a'" "$user" && "$CAISSON" config verify >"$tmp/out" 2>&1
result $? 'all of it loads'
for c in 'git fetch' 'pip search a' 'curl https://example.org/a'; do verdict allow "$c"; done

at_terminal 0 'words as the shell hands them over' yes allow 'curl https://example.org/q?a=1&b=(2)'
verdict allow "curl 'https://example.org/q?a=1&b=(2)' -s"
at_terminal 1 'a pattern is no word' yes allow 'curl https://example.org/*.c $x'

# ---- what stands against it ----
policy <<'YAML'
tools:
  bash:
    deny: [npm]
    ask: [terraform]
    allowChecks: ['^terraform plan$']
YAML
at_terminal 1 'a deny rule holds' yes allow 'npm login'
out "with this rule 'npm login' would still be denied, because of configured-deny ($user:3[0-9:]*); nothing was written"
unchanged 'a deny rule'
at_terminal 1 'an ask rule holds' yes allow 'terraform apply'
out 'would still be asked about, because of configured-ask'
at_terminal 1 'a scoped allow is above an ask' yes ask 'terraform plan'
out "would still be allowed, because of the rule at $user:5"
for c in 'rm -rf /' 'caisson trust'; do
	at_terminal 1 "nothing lifts it: $c" yes allow "$c"
	out 'would still be'
done
for c in '*' 'npm *' 'FOO=1 npm test' 'FOO=1' 'Bash(npm:*' 'cd x && make' 'a | b' 'a; b' 'npm login;rm' \
	'a&&b' 'a > b' 'a  b' ' x' '' "$(printf 'a\nb')"; do
	at_terminal 1 "no rule: $c" yes allow -- "$c"
	out '^caisson: allow: '
done
unchanged 'none of these'
for c in bash 'sh -c' python3 npx xargs 'npm run' 'Bash(*)' 'Bash(python:*)' 'mcp__*'; do
	printf '{}\n' | policy
	at_terminal 1 "yes is not enough for $c" yes allow "$c"
	out 'This rule allows almost everything: it allows'
	unchanged "$c"
done
at_terminal 0 'the word is everything' everything allow npx
printf 'tools: {bash: [deny]}\n' | policy
at_terminal 1 'a policy that does not load' yes allow 'npm login'
out "$user:1:[0-9]*: "
unchanged 'it is left as it is'
printf 'tools:\n  bash:\n    allow: ~\n' | policy
at_terminal 1 'a layout that is not understood' yes allow 'npm login'
out "$user:3: this layout cannot be changed safely by a program; write it by hand, as an entry of tools.bash.allow: npm login"
unchanged 'that layout'
printf 'sandbox: {always: true}\n' | policy
at_terminal 0 'where everything is boxed' yes allow 'npm login'
out 'An allowed command runs in the box'
rm "$user" && printf 'default: allow\n' >"$tmp/real.yaml" && ln -s "$tmp/real.yaml" "$user"
at_terminal 0 'a link is followed' yes allow 'npm login'
[[ -L $user ]] && grep -q 'npm login' "$tmp/real.yaml"
result $? 'and stays one'
rm "$user"
chmod 777 "${user%/*}"
printf 'default: allow\n' >"$user" && cp "$user" "$tmp/kept"
at_terminal 1 'a directory that others may write' yes allow 'npm login'
unchanged 'where others may write'
chmod 700 "${user%/*}"
rm "$user"

# ---- a project's file ----
at_terminal 0 'a deny of the project' yes deny --project 'npm publish'
verdict deny 'npm publish'
[[ $(cat .caisson.yaml) == $'tools:\n  bash:\n    deny:\n      - npm publish' && ! -e $user ]]
result $? 'in .caisson.yaml'
at_terminal 0 'an allow of the project' yes allow --project 'npm login'
out 'works only for people who trust its file: run caisson trust afterwards'
verdict ask 'npm login'
at_terminal 0 'it is trusted' yes trust
verdict allow 'npm login'
at_terminal 0 'one more' yes deny --project 'npm unpublish'
out 'The file was trusted; its new content is not yet: run caisson trust afterwards'
verdict ask 'npm login'
verdict deny 'npm unpublish'
rm .caisson.yaml && ln -s "$tmp/elsewhere.yaml" .caisson.yaml
at_terminal 1 'a link out of the project' yes deny --project x
[[ ! -e $tmp/elsewhere.yaml ]]
result $? 'is not followed'
rm .caisson.yaml

# ---- a session that is under way ----
hook() {
	printf '{"session_id":"s1","transcript_path":"/tmp/t","cwd":"%s","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"npm login left-pad"},"tool_use_id":"t%s"}' \
		"$tmp/work" "$1" | "$CAISSON" hook --client claude-code >"$tmp/out" 2>"$tmp/err"
}
hook 1
out '"permissionDecision":"ask"'
said=$(jq -r .hookSpecificOutput.permissionDecisionReason "$tmp/out" | grep -o "caisson allow '[^']*'")
[[ $said == "caisson allow 'npm login'" ]]
result $? "the question says how to allow it for good: $said"
eval "at_terminal 0 'a person does what it says' yes ${said#caisson }"
hook 2
! grep -q '"permissionDecision":"\(ask\|deny\)"' "$tmp/out" "$tmp/err"
result $? 'the session sees it at once'

# ---- the record ----
"$CAISSON" audit query --kind person --json >"$tmp/out" 2>"$tmp/err"
jq -se --arg u "$user" \
	'.[0].command == "caisson allow '"'npm login'"'" and .[0].note == "a person added 1 allow rule to \($u)"' "$tmp/out" >/dev/null
result $? 'it is in the record that a person did it'
jq -se '[.[].command] | index("caisson allow --remove '"'npm login'"'") != null and index("caisson deny --project '"'npm publish'"'") != null' "$tmp/out" >/dev/null
result $? 'all of them'
run 0 'the chain holds' audit verify

# ---- suggest --apply ----
printf '# mine\n' | policy
for i in 1 2 3; do "$CAISSON" run --gate -c "pip search a$i" >/dev/null 2>&1; done
for i in 1 2; do "$CAISSON" run --gate -c 'curl https://example.org/a.json' >/dev/null 2>&1; done
run 1 'without a terminal' suggest --apply
err 'must be run in a terminal, by a person'
run 64 'not with --json' suggest --apply --json
at_terminal 1 'no' no suggest --apply
unchanged 'no'
at_terminal 0 'yes' yes suggest --apply
out '^+      - pip search'
out '3 rules added' # with the command of the session above
for c in 'pip search zzz' 'curl https://example.org/a.json'; do verdict allow "$c"; done
verdict ask 'curl https://example.org/b.json'
at_terminal 0 'there is nothing left' yes suggest --apply
out 'No rule to suggest'

# ---- config init ----
run 1 'an existing policy is not replaced' config init
err "config.yaml' exists already, and is not replaced"
rm "$user"
run 0 'the starter, printed only' config init --dry-run
out '#import: \[git, secrets\]'
[[ ! -e $user ]]
result $? 'nothing was written'
CLAUDECODE=1 "$CAISSON" config init >"$tmp/out" 2>"$tmp/err"
[[ $? == 1 && ! -e $user ]]
result $? 'an agent starts no policy'
run 0 'the starter policy' config init
out 'everything in it is a comment until you edit it'
cmp -s "$user" "$here/knowledge/policy/starter.yaml"
result $? 'it is the file of the tree'
run 0 'it verifies' config verify
verdict ask 'pip search zzz'
at_terminal 0 'a rule goes into the starter' yes allow 'pip search'
verdict allow 'pip search zzz'
run 0 'it still verifies' config verify
run 0 'of the project' config init --project
cmp -s .caisson.yaml "$here/knowledge/policy/starter.yaml"
result $? 'the project has one as well'
echo "1..$n"
