#!/bin/bash
# The command line's contract: exit codes, messages, JSON, batch, explain, manual pages. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"

before=()
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"
err_line() { [[ $(wc -l <"$tmp/err") == 1 && ! -s $tmp/out ]] &&
	grep -q -- "$1" "$tmp/err"; result $? "one line on stderr, nothing on stdout: $1"; }
once() { [[ ! -s $tmp/err &&
	$(grep -Ec -- "$1" "$tmp/out") == 1 ]]; result $? "once in the output, and nothing on stderr: $1"; }

run 0 'allow' check 'git status'
out '^allow$'
run 3 'contain' check '$X'
out 'opaque-command'
run 1 'ask' check 'rm -rf "$X"'
out 'opaque-path'
run 3 'contain' check './x'
run 0 'the empty command' check ''
run 0 'only a comment' check '# x'
run 0 'after --' check -- 'ls -l'
run 0 'option with =' check --cwd=/tmp ls
run 0 'help' --help
out 'usage: caisson'
run 0 'version' --version
out '^caisson [0-9]'
run 0 'help of check' check --help
for o in --json --explain --config --cwd --shell --batch; do out "$o"; done
run 0 'help check' help check
run 64 'no command' check
err_line 'no command given'
run 64 'nothing' ''
run 64 'no subcommand'
out 'Start here:'
run 64 'unknown subcommand' frobnicate
err_line "unknown command 'frobnicate'"
run 64 'unknown option' check --frob ls
err_line "unknown option '--frob'"
run 64 'unknown short option' check -x ls
err_line "unknown option '-x'"
run 64 'option without its value' check --config
err_line 'needs a value'
run 64 'a flag with a value' check --json=1 ls
err_line 'takes no value'
run 64 'unknown shell' check --shell fish ls
err_line '--shell must be'
run 64 'two commands' check git status
err_line 'quotes'
run 64 'batch with a command' check --batch ls
err_line 'give none'

# ---- policy ----
printf 'default: allow\ntools:\n  bash:\n    deny: [git push]\n    ask:\n      - npm publish\n' >"$tmp/p.yaml"
run 2 'a deny rule' check --config "$tmp/p.yaml" 'git push origin'
out 'configured-deny'
run 1 'an ask rule' check --config "$tmp/p.yaml" 'npm publish'
run 0 'no rule' check --config "$tmp/p.yaml" 'git log'
run 2 'a rule in JSON' check --json --config "$tmp/p.yaml" 'git push origin'
json '.reasons[0].rule | test("p.yaml:[0-9]+$")'
json '.policy | startswith("sha256:")'
printf 'default: allow\ntools: [\n' >"$tmp/bad.yaml"
run 2 'a policy that does not load' check --config "$tmp/bad.yaml" ls
once 'bad\.yaml:[0-9]+:[0-9]+'
run 2 'the same in JSON' check --json --config "$tmp/bad.yaml" ls
json '.verdict == "deny" and .reasons[0].id == "policy-error" and (.reasons[0].message | test("bad\\.yaml:[0-9]+:[0-9]+"))'
[[ $(wc -l <"$tmp/err") == 1 ]] && grep -Eq 'bad\.yaml:[0-9]+:[0-9]+' "$tmp/err"
result $? 'and as one line on stderr'
run 2 'explained beside JSON' check --json --explain --config "$tmp/bad.yaml" ls
[[ $(grep -Ec 'bad\.yaml:[0-9]+:[0-9]+' "$tmp/err") == 1 ]]
result $? 'once on stderr'
run 2 'a policy that is not there' check --config "$tmp/none.yaml" ls
once 'none\.yaml'

# ---- JSON ----
run 3 'JSON' check --json --cwd /w 'echo a > "$X"; ls *.c'
json '.verdict == "contain" and .complete == true'
json '.writes == [{"path": null, "op": ">", "at": .writes[0].at}]'
json '[.commands[] | select(.argv[0] == "ls")][0].argv[1] == {"rest": true, "glob": "*.c"}'
json '.commands[0].via == ["direct"]'
json '.texts[0].from == "request"'
run 0 'invalid UTF-8 is repaired' check --json $'echo \xff\xfe'
/usr/bin/python3 -c 'import json, sys; json.loads(open(sys.argv[1], "rb").read().decode("utf-8"))' "$tmp/out"
result $? 'the answer is UTF-8'
json '.commands[0].argv[1] == "\ufffd\ufffd"'
run 0 'via is outermost first' check --json "nice sh -c 'echo \$(ls)'"
json '[.commands[] | select(.argv[0] == "ls")][0].via | index("sh-c") < index("subst")'

schema=$here/docs/schema/check-answer.schema.json
cat >"$tmp/lines" <<'LINES'
{"id": 1, "command": "git status"}
{"id": "two", "command": "sh -c 'rm -rf \"$X\"' > out; cat < in | python3 -c 'print(1)'", "cwd": "/w", "shell": "sh"}
this is not JSON
{"id": 4}
{"id": 5, "command": 5}
{"id": 6, "command": "ls", "shell": "fish"}
{"id": [7, {"a": null}], "command": "curl http://localhost/$X; ./x; rm *.o; $Y"}
{"id": 8, "id": 9, "command": "ls"}

{"command": "echo \u0000 \u00e9"}
{"id": 11, "command": "", "agent": "x"}
[]
LINES
"$CAISSON" check --batch <"$tmp/lines" >"$tmp/out" 2>"$tmp/err"
[[ $? == 0 && $(wc -l <"$tmp/out") == $(wc -l <"$tmp/lines") ]]
result $? 'batch: one line for each line, status 0'
/usr/bin/python3 "$here/tests/run/schema.py" "$schema" "$tmp/out" >"$tmp/err" 2>&1
result $? 'batch: every answer fits the schema'
[[ $(jq -c '[.id, .verdict]' "$tmp/out" |
	paste -sd' ') == \
	'[1,"allow"] ["two","ask"] [null,null] [4,null] [5,null] [6,null] [[7,{"a":null}],"ask"] [null,null] [null,null] [null,"ask"] [11,"allow"] [null,null]' ]]
result $? 'batch: ids and verdicts'
[[ $(jq -c 'select(.error) | .error | type' "$tmp/out" | sort -u) == '"string"' ]]
result $? 'batch: a bad line has an error and the next is read'
"$CAISSON" check --batch --config "$tmp/p.yaml" <<<'{"id":1,"command":"git push"}' >"$tmp/out" 2>"$tmp/err"
json '.verdict == "deny"'
"$CAISSON" check --batch --config "$tmp/bad.yaml" <<<'{"id":1,"command":"ls"}' >"$tmp/out" 2>"$tmp/err"
[[ $? == 2 ]] && jq -e '.verdict == "deny" and .id == 1' "$tmp/out" >/dev/null
result $? 'batch: a policy that does not load denies every line'
coproc B { "$CAISSON" check --batch; }
pid=$B_PID # bash forgets it as soon as the process has ended
printf '{"id":1,"command":"ls"}\n' >&"${B[1]}"
read -r -t 10 first <&"${B[0]}" && [[ $first == '{"id":1,'* ]]
result $? 'batch: an answer comes before the next line is sent'
exec {B[1]}>&-
wait "$pid"
"$CAISSON" check --batch --shell zsh --cwd /w <<<'{"id":1,"command":"echo > f"}' >"$tmp/out" 2>"$tmp/err"
json '.writes[0].path == "/w/f"'

# ---- standard input, size, bad bytes ----
printf 'echo a\0b; $X' | "$CAISSON" check - >"$tmp/out" 2>"$tmp/err"
[[ ${PIPESTATUS[1]} == 1 ]]
result $? 'a NUL on standard input'
judged() { # WHAT: any verdict but allow, in time, within memory
	(ulimit -v 4000000 2>/dev/null; timeout 60 "$CAISSON" check - <"$tmp/in" >"$tmp/out" 2>"$tmp/err")
	local got=$?
	[[ $got == 1 || $got == 2 || $got == 3 ]]
	result $? "$1 (status $got)"
}
rep() { /usr/bin/python3 -c 'import sys; sys.stdout.write(sys.argv[1] * int(sys.argv[2]))' "$1" "$2"; }
[[ -n ${SANITIZE:-} ]] && ulimit() { :; } # the sanitizer reserves more address space than that
rep 'echo hello; ' 900000 >"$tmp/in"; judged '10 MB'
for t in '(' '$(' '{ ' '`echo \`' '${x:-' '[[ ( ' '$((' 'if ' 'case x in x) ' '"$(' '<(' 'a=(' 'f() ' '! ( ' \
	'while ' '{a,' 'for x in a; do '; do
	rep "$t" 100000 >"$tmp/in"; judged "100,000 levels of $t"
done
head -c 300000 /dev/urandom >"$tmp/in"
timeout 60 "$CAISSON" check - <"$tmp/in" >"$tmp/out" 2>"$tmp/err"
[[ $? -le 3 ]]
result $? 'random bytes get a verdict'

# ---- the derivation ----
printf 'tools:\n  bash:\n    deny: [npm publish]\n    ask: [git]\n    allow: [curl]\n    redirects: [{mode: write, glob: "/opt/**", decision: allow}]\ndefault: ask\n' >"$tmp/steps.yaml"
"$CAISSON" check --batch --config "$tmp/steps.yaml" >"$tmp/out" 2>"$tmp/err" <<'LINES'
{"id": 1, "command": "cat README.md"}
{"id": 2, "command": "curl https://x.example; npm publish; git status; ls"}
{"id": 3, "command": "echo x > /opt/x"}
{"id": 4, "command": "cat > f <<EOF\nx\nEOF"}
LINES
/usr/bin/python3 "$here/tests/run/schema.py" "$schema" "$tmp/out" >"$tmp/err" 2>&1
result $? 'answers with advice and steps fit the schema'
[[ $(jq -r 'select(.id == 1) | .advice[] | .id + " " + .alternative' "$tmp/out") == 'file-route Read' ]]
result $? 'advice names the tool'
[[ $(jq -r 'select(.id == 4) | .advice[] | .alternative' "$tmp/out") == Write ]]
result $? '... and for a file that is written, the one that writes'
[[ $(jq -r 'select(.id == 2) | .steps[].what' "$tmp/out" | sort | uniq -c |
	tr -s ' \n' ' ') == ' 1 allow 1 ask 1 default 1 deny 1 lifted ' ]]
result $? 'steps: one of each tier'
[[ $(jq 'select(.id == 2) | .steps[] | select(.what == "deny") | .rule | endswith("steps.yaml:3")' \
	"$tmp/out") == true ]]
result $? 'steps say where the rule stands'
[[ $(jq -r 'select(.id == 3) | .steps[] | select(.what == "scoped allow") | .subject' "$tmp/out") == \
	'> /opt/x' ]]
result $? 'a redirect rule that allows is a step'

# ---- explain ----
mkdir -p "$tmp/w" && ln -sf /etc/caisson-test "$tmp/w/link"
run 2 'explain: where files lie' check --explain --cwd "$tmp/w" 'echo x > link; cat a'
out '/link -> /etc/caisson-test   system   (>)$'
out '^reasons$'
[[ $(tail -n 1 "$tmp/out") == 'verdict: deny' ]]
result $? 'explain: the verdict comes last'
run 2 'explain: the line inside a piece of code' check --explain --cwd /w \
	$'python3 - <<E\nimport os\nos.remove("/etc/x")\nE'
out '^   text 1: python'
out '^     2 | os.remove("/etc/x")$'
out "^        python: .*   read completely$"
run 3 'explain: code that is not known' check --explain --cwd /w \
	$'python3 -c "exec(input())"; perl -e "foo("; jq .x f'
out "^        python: .*   known in full only when it runs$"
out '^        jq: .x   only computes$'
run 1 'explain' check --explain --cwd /w $'cd a &&\n\tsh -c \'rm -rf "$X"\' > log'
out '^     1 | cd a &&$'
out '^     2 |         sh -c'
out '\^~~~~ 1$'
out '^commands$'
out '^deletes$'
out '^writes$'
out '/w/a/log'
out '^   text 1: '
out '^verdict: ask$'
out 'opaque-path'
grep -q $'\033' "$tmp/out"
[[ $? == 1 ]]
result $? 'no colour without a terminal'
script -qec "'$CAISSON' check --explain ls" /dev/null </dev/null >"$tmp/out" 2>"$tmp/err"
grep -q $'\033\[' "$tmp/out"
result $? 'colour at a terminal'
NO_COLOR=1 script -qec "'$CAISSON' check --explain ls" /dev/null </dev/null >"$tmp/out" 2>"$tmp/err"
grep -q $'\033\[' "$tmp/out"
[[ $? == 1 ]]
result $? 'no colour with NO_COLOR'
COLUMNS=40 "$CAISSON" check --explain "echo $(rep 'abcdefgh ' 30)" >"$tmp/out" 2>"$tmp/err"
awk '/^ *[0-9]+ \| / && length > 40 { bad = 1 } END { exit bad }' "$tmp/out"
result $? 'lines of the command keep to the width'
run 0 'explain and JSON together' check --json --explain ls
json '.verdict == "allow"'
run 1 'control characters' check $'$\'\\033[31m\'x\033[2J; $X\033[2J'
grep -q $'\033' "$tmp/out"
[[ $? == 1 ]]
result $? 'control characters of the command do not reach the terminal'

# ---- a reader that goes away ----
rep 'echo hello; ' 50000 >"$tmp/in"
"$CAISSON" check --json - <"$tmp/in" 2>"$tmp/err" | head -c 10 >"$tmp/out"
[[ ! -s $tmp/err ]]
result $? 'EPIPE is quiet'
"$CAISSON" check ls >/dev/full 2>"$tmp/err"
[[ $? == 70 && -s $tmp/err ]]
result $? 'a full disk is not: status 70'

# ---- documents ----
"$CAISSON" help --man | cmp -s - "$here/man/caisson.1"
result $? 'man/caisson.1 is what the tables say'
"$CAISSON" help --man check | cmp -s - "$here/man/caisson-check.1"
result $? 'man/caisson-check.1 is what the tables say'
BUILD=${BUILD:-build} CAISSON=$CAISSON "$here/scripts/demo" >"$tmp/out" 2>"$tmp/err"
[[ $? == 0 && ! -s $tmp/err ]]
result $? 'the demo runs'
for v in allow ask contain; do out "^$v"; done
if grep -q 'no box can be made here' "$tmp/out"; then
	n=$((n + 1))
	echo "ok $n - the demo runs scripts in boxes # SKIP no box can be made here"
else
	out '^  | *4 the$'
	out '^  | I am box on box'
	for s in 'ok, exit code 0,' 'denied, exit code 126' 'timeout, exit code 124'; do out "^  => $s"; done
fi
echo "1..$n"
