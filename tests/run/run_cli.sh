#!/bin/bash
# `caisson run` from the command line to the report: real runs, exit codes, wrong use. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
# shellcheck source=tests/box/leftovers.sh
. "$(dirname "$0")/../box/leftovers.sh"
chmod 755 "$tmp"
mkdir -p "$tmp/home" "$tmp/ws/sub" "$tmp/proj/.git/hooks"
chmod 700 "$tmp/home"
echo 'ref: refs/heads/main' >"$tmp/proj/.git/HEAD"
export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config CAISSON_STATE=$tmp/home/state
mkdir -p "$XDG_CONFIG_HOME/caisson"
unset CLAUDECODE CAISSON_X
cd "$tmp/ws" || exit 1

# run STATUS WHAT ARG...: output and messages are left in $tmp/out and $tmp/err.
run() {
	local want=$1 what=$2
	shift 2
	"$CAISSON" run "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	local got=$?
	[[ $got == "$want" ]]
	result $? "$what (status $got)"
}
json() { jq -e "$1" "$tmp/out" >/dev/null 2>&1; result $? "report: $1"; }
wrong() { # wrong PATTERN ARG...: 64, one line, nothing on standard output
	local want=$1
	shift
	"$CAISSON" run "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	[[ $? == 64 && $(wc -l <"$tmp/err") == 1 && ! -s $tmp/out ]] && grep -q -- "$want" "$tmp/err"
	result $? "wrong use: $*"
}
if ! "$CAISSON" run -- /bin/true >"$tmp/out" 2>"$tmp/err"; then
	echo "1..0 # SKIP no box on this host: $(head -c 300 "$tmp/err" | tr '\n' ' ')"
	exit 0
fi

# ---- programs, code, scripts ----
run 0 'a program' -- /bin/echo hello world
json '.status == "ok" and .exit_code == 0 and .stdout == "hello world\n" and .stderr == "" and .is_error == false and .v == 1 and (.id | test("^[0-9a-f]{32}$"))'
json '.duration_ms >= 0 and .backend == "native" and .signal == null and .error == null and .limits.network.value == "deny"'
json '[.limits.cpus.value, .limits.memory_mb.value, .limits.timeout_sec.value, .limits.pids.value, .limits.scratch_mb.value] == [2, 1024, 30, 256, 128]'
cp "$tmp/out" "$tmp/all"
run 0 'a program without --' /bin/echo -n x
json '.stdout == "x"'
run 7 'shell text' -c 'echo out; echo err >&2; exit 7'
json '.status == "exit_nonzero" and .exit_code == 7 and .stdout == "out\n" and .stderr == "err\n" and .is_error'
cat "$tmp/out" >>"$tmp/all"
run 0 'shell text with arguments' -c 'echo "$0:$1:$2"' -- 'a b' c
json '.stdout == "bash:a b:c\n"'
run 0 'sh' --shell sh -c 'echo "${BASH_VERSION:-none}"'
json '.stdout == "none\n"'
run 0 'Python' --lang python -c 'import sys; print(6 * 7, sys.argv[1:])' x
json '.stdout == "42 ['"'x'"']\n"'
# Languages whose interpreter is missing end with a message, however they were named.
missing=
for language in ruby php lua r powershell; do
	"$CAISSON" run --lang "$language" -c 1 >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	((got == 125)) && jq -e '.status == "setup_error" and (.error | test("^cannot run .* in the box"))' "$tmp/out" >/dev/null ||
		((got < 125)) || missing+=" $language:$got"
done
[[ -z $missing ]]
result $? "interpreters that are missing:$missing"

# Output that cannot be written is not a success; a program's own failure stays.
for want in '70 echo x' '3 echo x; exit 3' '0 true'; do
	"$CAISSON" run --plain -c "${want#* }" >/dev/full 2>"$tmp/err" </dev/null
	[[ $? == "${want%% *}" ]] && { [[ ${want#* } == true ]] || grep -q "cannot write 'standard output': No space left" "$tmp/err"; }
	result $? "a full disk behind --plain: $want"
done

echo 'import sys, os; print(sys.argv, os.path.basename(__file__), os.getcwd())' >"$tmp/script.py"
run 0 'a script' --file "$tmp/script.py" -- one two
json '.stdout == "['"'/caisson/script.py', 'one', 'two'"'] script.py /home/box\n"'
printf '#!/usr/bin/perl\nprint "perl @ARGV\\n";\n' >"$tmp/tool"
echo 'import sys; print(open(sys.argv[1]).read())' >"$tmp/analyse.py"
echo 1,2 >rows.csv
run 0 'a script with its data, seen at its own path' --file "$tmp/analyse.py" --read rows.csv -- "$PWD/rows.csv"
json '.stdout == "1,2\n\n"'
run 0 'a script by its first line' --file "$tmp/tool" 5
json '.stdout == "perl 5\n"'
printf 'echo "$0"; cat data\n' >"$tmp/ws/in.sh"
echo content >"$tmp/ws/data"
run 0 'a script of the workspace runs where it is' --workspace "$tmp/ws" --file in.sh
json ".stdout == \"$tmp/ws/in.sh\\ncontent\\n\""
run 125 'a program that is not there' -- no-such-program
json '.status == "setup_error" and (.error | test("no-such-program")) and .exit_code == 125 and .duration_ms == null'
[[ $(wc -l <"$tmp/err") == 1 ]]
result $? 'and one line about it'
cat "$tmp/out" >>"$tmp/all"

# ---- how it ends ----
run 0 'success is success' -c true
for code in 124 125 126 137 1 255; do
	run $code "a program that itself ends with $code" -c "exit $code"
	json ".status == \"exit_nonzero\" and .exit_code == $code"
done
run 124 'the time limit' --timeout 300ms -c 'trap "" TERM INT; while :; do :; done'
json '.status == "timeout" and .exit_code == 124 and .duration_ms >= 300 and .duration_ms < 1500 and (.hints[0].id == "timeout")'
cat "$tmp/out" >>"$tmp/all"
run 124 'the CPU time limit' --cpu-time 200ms --timeout 20 -c 'while :; do :; done'
json '.status == "timeout" and .duration_ms < 5000'
memory_hog='x = bytearray(10 ** 10)
for i in range(0, len(x), 4096): x[i] = 1'
if [[ $(jq -r .limits.memory_mb.enforced_by "$tmp/out") != cgroup* ]]; then
	run 125 'a memory limit that nobody enforces is refused' --memory 64M -c true
	json '.status == "setup_error" and (.error | test("--accept watched"))'
	echo 'sandbox: {accept_watched: true}' >"$tmp/policy.yaml"
	run 0 'unless the policy accepts it' --config "$tmp/policy.yaml" --memory 64M -c true
	json '.limits.memory_mb == {value: 64, enforced_by: "watched"}'
fi
run 137 'the memory limit' --accept watched --memory 64M --lang python -c "$memory_hog"
json '.status == "oom" and .exit_code == 137 and (.hints | map(.id) | index("memory") != null)'
cat "$tmp/out" >>"$tmp/all"
run 137 'a program that kills itself is not out of memory' -c 'kill -9 $$'
json '.status == "signal" and .signal == 9'
run 139 'another signal' -c 'kill -SEGV $$'
json '.status == "signal" and .signal == 11'
run 153 'the output limit' --output 4K -c 'yes | head -c 1000000; exit 0'
json '.status == "output_limit" and (.stdout | length) <= 4096 and .truncated.stdout.total_bytes > 4096 and .truncated.stdout.path == null'
cat "$tmp/out" >>"$tmp/all"

# ---- limits, skill, policies ----
run 0 'limits in the report' --accept watched --cpus 0.5 --memory 96M --timeout 2m --pids 17 --scratch 3M --output 1M -c true
json '[.limits.cpus | if .enforced_by == "affinity" then .value / 2 else .value end] + [.limits.memory_mb.value, .limits.timeout_sec.value, .limits.pids.value, .limits.scratch_mb.value, .limits.output_mb.value] == [0.5, 96, 120, 17, 3, 1]'
json '[.limits | .cpus, .memory_mb, .timeout_sec, .pids, .scratch_mb, .output_mb, .network | .enforced_by] | all(type == "string")'
printf -- '---\nname: demo\nsandbox_timeout_sec: 1\n---\n# Demo\n' >"$tmp/SKILL.md"
run 124 'the time limit of a skill' --skill "$tmp/SKILL.md" -c 'sleep 20'
json '.limits.timeout_sec.value == 1'
run 0 'the command line goes before the skill' --skill "$tmp/SKILL.md" --timeout 20 -c 'sleep 1.2'
printf -- '---\nallowed_binaries: [ls, python3]\ntask: json\nnetwork: host\n---\n' >"$tmp/list.md"
run 0 'a program on the list of a skill' --skill "$tmp/list.md" -c 'cd /tmp && ls'
json '.status == "ok" and .limits.network.value == "deny" and .hints[0].id == "limit-capped" and .validation.task == "json"'
run 126 'one that is not: the list turns the gate on' --skill "$tmp/list.md" -c 'ls | wc -l'
json '.status == "denied" and (.reasons | map(.id) == ["not-on-list"]) and (.reasons[0].message | contains("wc"))'
printf -- '---\ntask: data\ncolumns: [id]\nsandbox_ram: 3\nsandbox_timeout_sec: 9999\nmemory: 256\ncpus: 1\n---\n' >"$tmp/more.md"
run 0 'limits and columns of a skill' --accept watched --skill "$tmp/more.md" -c 'printf "a,b\n1,2\n"'
json '.validation.checks[0].id == "column-missing" and .is_error and .limits.memory_mb.value == 256 and .limits.cpus.value == 1 and .limits.timeout_sec.value == 3600'
json '[.hints[].id] | index("limit-capped") != null and index("skill-key") != null'
run 126 'one inside of another text' --skill "$tmp/list.md" --lang python -c 'import os; os.system("uname")'
json '.status == "denied" and (.reasons | map(.id) | contains(["not-on-list"]))'
run 0 'code of a language on the list' --skill "$tmp/list.md" --lang python -c 'print("{}")'
json '.validation.outcome == "valid"'
echo 'tools: {bash: {deny: [ls]}}' >"$tmp/deny.yaml"
run 126 'the policy still counts' --skill "$tmp/list.md" --config "$tmp/deny.yaml" -c ls
sed 's,ls,../ls,' "$tmp/list.md" >"$tmp/bad-list.md"
wrong 'is given twice' --workspace "$tmp" --workspace /usr -- true
wrong 'bad-list.md:2:20: allowed_binaries: expected names of programs' --skill "$tmp/bad-list.md" -c ls
echo 'sandbox: {limits: {timeout: 3, memory: 200M}}' >"$tmp/policy.yaml"
run 0 'limits of a policy' --config "$tmp/policy.yaml" -c true
json '.limits.timeout_sec.value == 3 and .limits.memory_mb.value == 200'
echo 'sandbox: {limits: {timeout: 2, memory: 8G}, network: host-allowed}' >"$tmp/proj/.caisson.yaml"
(cd "$tmp/proj" && "$CAISSON" run --timeout 10 -c true) >"$tmp/out" 2>"$tmp/err"
json '.limits.timeout_sec.value == 2 and .limits.memory_mb.value == 1024 and .hints[0].id == "limit-capped"'
cat "$tmp/out" >>"$tmp/all"
(cd / && "$CAISSON" run --timeout 10 --workspace "$tmp/proj:ro" -c true) >"$tmp/out" 2>"$tmp/err"
json '.limits.timeout_sec.value == 2'
(cd "$tmp/proj" && "$CAISSON" run --network host -c true) >"$tmp/out" 2>"$tmp/err"
[[ $? == 64 ]] && grep -q 'your own policy' "$tmp/err"
result $? 'a project cannot open the network'
rm "$tmp/proj/.caisson.yaml"
echo 'sandbox: {limits: {memory: lots}}' >"$tmp/bad.yaml"
run 126 'a policy that does not load refuses' --config "$tmp/bad.yaml" -c true
json '.status == "denied" and .reasons[0].id == "policy-error" and .stdout == ""'
cat "$tmp/out" >>"$tmp/all"

# ---- what is seen and written ----
run 0 'home and /tmp are empty and writable' -c 'ls -A ~ /tmp; echo x >~/a; echo y >/tmp/b; cat ~/a /tmp/b; pwd'
json '.stdout == "/home/box:\n\n/tmp:\nx\ny\n/home/box\n"'
run 0 'nothing stays between runs' -c 'ls -A ~ /tmp'
json '.stdout == "/home/box:\n\n/tmp:\n"'
run 0 'a workspace is written' --workspace "$tmp/ws" -c 'pwd; echo new >made'
json ".stdout == \"$tmp/ws\\n\""
[[ $(<"$tmp/ws/made") == new ]]
result $? 'and the file is there'
run 1 'a workspace that is only read' --workspace "$tmp/ws:ro" -c 'cat data; echo new >other'
json '.stdout == "content\n" and (.hints | map(.id) | index("read-only") != null)'
[[ ! -e $tmp/ws/other ]]
result $? 'and nothing was made'
cat "$tmp/out" >>"$tmp/all"
echo secret >"$tmp/home/canary"
run 1 'the home of the caller is not seen' -c "cat $tmp/home/canary"
run 0 'unless a file of it is named' --read "$tmp/home/canary" -c "cat $tmp/home/canary"
json '.stdout == "secret\n"'
run 1 'which can only be read' --read "$tmp/home/canary" -c "echo x >$tmp/home/canary"
run 0 'or be written when it is named so' --write "$tmp/home/canary" -c "echo changed >$tmp/home/canary"
[[ $(<"$tmp/home/canary") == changed ]]
result $? 'and then it is'
run 0 'a working directory' --workspace "$tmp/ws" --cwd sub -c pwd
json ".stdout == \"$tmp/ws/sub\\n\""
(cd "$tmp/ws/sub" && "$CAISSON" run --workspace .. -c pwd) >"$tmp/out" 2>"$tmp/err"
json ".stdout == \"$tmp/ws/sub\\n\""

# ---- standard input ----
echo typed | "$CAISSON" run --stdin -- cat >"$tmp/out" 2>"$tmp/err"
json '.stdout == "typed\n"'
"$CAISSON" run --stdin -- wc -l <"$tmp/ws/data" >"$tmp/out" 2>"$tmp/err"
json '.stdout == "1\n"'
echo typed | "$CAISSON" run -- cat >"$tmp/out" 2>"$tmp/err"
json '.stdout == "" and .status == "ok"'

# ---- environment ----
MY_API_TOKEN=hush LD_LIBRARY_PATH=/x TZ=Asia/Tokyo HTTP_PROXY=http://u:p@h SHAPE=round "$CAISSON" run -- env >"$tmp/out" 2>"$tmp/err"
json '(.env_scrubbed | index("MY_API_TOKEN") != null and index("HTTP_PROXY") != null) and (.stdout | test("hush|SHAPE|LD_LIBRARY_PATH|u:p@h") | not) and (.stdout | test("TZ=Asia/Tokyo"))'
json '.stdout | (test("(^|\n)GIT_EDITOR=true\n")) and test("(^|\n)CAISSON=1\n") and test("(^|\n)HOME=/home/box\n") and test("(^|\n)LC_ALL=C.UTF-8\n") and test("(^|\n)TERM=dumb\n")'
cat "$tmp/out" >>"$tmp/all"
run 0 'variables that are given' --env A=1 --env 'B=x y' --env A=2 -c 'echo "$A $B"'
json '.stdout == "2 x y\n"'

# ---- the gate ----
run 126 'what is denied does not run' --gate -c "rm -rf $tmp/home"
json '.status == "denied" and (.reasons | length) > 0 and .duration_ms == null and .backend == null'
[[ -e $tmp/home/canary ]]
result $? 'and did not run'
cat "$tmp/out" >>"$tmp/all"
run 126 'what is asked about does not run' --gate -c 'rm -rf "$X"'
json '.status == "needs_approval" and .reasons[0].id == "opaque-path"'
cat "$tmp/out" >>"$tmp/all"
run 0 'what is allowed runs' --gate -c 'echo fine'
run 0 'what is contained runs' --workspace "$tmp/ws" --gate -- bash in.sh
run 126 'code is judged' --gate --lang python -c "import shutil; shutil.rmtree('$tmp/home')"
run 126 'arguments are judged' --gate -- rm -rf "$tmp/home"
echo "rm -rf $tmp/home" >"$tmp/wipe.sh"
run 126 'a script is judged by its content' --gate --file "$tmp/wipe.sh"

# ---- plain, report, long output ----
"$CAISSON" run --plain -c 'echo out; echo err >&2; exit 3' >"$tmp/out" 2>"$tmp/err"
[[ $? == 3 && $(<"$tmp/out") == out && $(<"$tmp/err") == err ]]
result $? 'plain: output and errors as they are'
"$CAISSON" run --plain --report "$tmp/report.json" -c 'echo out' >"$tmp/out" 2>"$tmp/err"
[[ $? == 0 && $(<"$tmp/out") == out && $(jq -r .stdout "$tmp/report.json") == out && $(stat -c %a "$tmp/report.json") == 600 ]]
result $? 'plain with a report in a file'
run 0 'long output' -c 'head -c 3000000 /dev/zero | tr "\0" x; echo end'
json '(.stdout | length) < 4200 and .truncated.stdout.total_bytes == 3000004 and (.stdout | endswith("end\n")) and (.stdout | test("\n\\.\\.\\. truncated \\(1 more lines\\) \\.\\.\\.\n"))'
path=$(jq -r .truncated.stdout.path "$tmp/out")
[[ $path == "$CAISSON_STATE/outputs/"* && $(stat -c '%s %a' "$path") == '3000004 600' ]]
result $? 'the whole of it is kept'
cat "$tmp/out" >>"$tmp/all"
run 0 'bytes that are not text' -c 'printf "a\377\000b"'
json '.stdout == "a\ufffdb" and .sanitized == {nul: 1, bad_utf8: 1} and .redacted == 0'
run 0 'output is normalised' -c 'printf "\033[31mred\033[0m 10%%\r\033[31mred\033[0m 20%%\n"'
json '.stdout == "red 20%\n" and .sanitized == {ansi: 4, cr: 1}'
MY_API_TOKEN=hush-hush-hush run 0 'secrets of the caller are redacted' --env COPY=hush-hush-hush -c 'echo "$COPY"; echo "http://u:pw12345@h" >&2'
json '.stdout == "[redacted:value]\n" and .stderr == "http://u:[redacted:url-password]@h\n" and .redacted == 2'
run 3 'the end of a failure' -c 'seq 5000; exit 3'
json '(.stdout | startswith("1\n2\n")) and (.stdout | endswith("\n5000\n")) and .truncated.stdout.total_lines == 5000 and (.truncated.stdout.omitted_lines as $n | .stdout | test("truncated \\(\($n) more lines\\)")) and (.stdout | index("truncated")) < 1100'
run 0 'lines that are asked for' --head 2 --tail 1 -c 'seq 5000'
json '.stdout == "1\n2\n... truncated (4997 more lines) ...\n5000\n" and .truncated.stdout.omitted_lines == 4997'
run 0 'a long stream is kept even when it is shown' --head 100000 -c 'seq 10000'
json '(.stdout | length) == 48894 and .truncated.stdout.omitted_bytes == 0 and (.truncated.stdout.path | test("outputs/"))'
run 64 'no number of lines' --head 0 -c :

# ---- the work profile ----
mkdir -p "$HOME/.cargo/bin" "$HOME/.ssh"
printf '#!/bin/sh\necho tool ran\n' >"$HOME/.cargo/bin/mytool"
chmod 755 "$HOME/.cargo/bin/mytool"
echo key >"$HOME/.ssh/id_rsa"
echo token >"$HOME/.cargo/credentials.toml"
work() { (cd "$tmp/proj" && PATH=$HOME/.cargo/bin:$PATH "$CAISSON" run --profile work "$@" >"$tmp/out" 2>"$tmp/err"); }
work -c 'pwd; echo made >file; mytool; echo "$HOME"; echo kept >>~/.cache/c; cat ~/.cache/c'
json ".status == \"ok\" and .stdout == \"$tmp/proj\\ntool ran\\n$HOME\\nkept\\n\""
work -c 'cat ~/.cache/c'
json '.stdout == "kept\n"'
work -c 'cat ~/.ssh/id_rsa ~/.cargo/credentials.toml; ls -A ~/.cargo'
json '.stdout == "bin\ngit\nregistry\n"'
work -c 'echo x >~/.cargo/bin/mytool'
json '.status == "exit_nonzero"'
[[ $(<"$tmp/proj/file") == made ]]
result $? 'the project is written'
[[ ! -e $HOME/.cache ]]
result $? 'the caches are caisson'"'"'s own'
printf '[user]\n\tname = Ada\n\temail = ada@example.com\n[credential]\n\thelper = store\n' >"$HOME/.gitconfig"
git init -q "$tmp/repo"
(cd "$tmp/repo" && "$CAISSON" run --profile work -c 'echo x >f; git add f; git commit -qm one && git log --format="%an %s"; git status --short; cat ~/.gitconfig') >"$tmp/out" 2>"$tmp/err"
json '.stdout | startswith("Ada one\n") and (test("credential|\\?\\?") | not)'
(cd "$HOME" && "$CAISSON" run --profile work -c true) >"$tmp/out" 2>"$tmp/err"
[[ $? == 64 ]] && grep -q 'needs a project' "$tmp/err"
result $? 'no project, no work profile'

# ---- tickets ----
id=0123456789abcdef0123456789abcdef
open='{mode: "none", writable: [], closed: [], hidden: []}'
ticket() { # ticket COMMAND POLICY; $walls are those of a client's own sandbox
	(umask 077 && mkdir -p "$CAISSON_STATE/tickets")
	(umask 077 && jq -nc --arg c "$1" --arg d "$tmp/proj" --arg p "$2" --argjson dev "$(stat -c %d "$tmp/proj")" --argjson ino "$(stat -c %i "$tmp/proj")" --arg boot "$(cat /proc/sys/kernel/random/boot_id)" --argjson now "$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)" '{v: 7, dialect: 0, profile: "work", time_ms: 5000, command: $c,
		project: {path: $d, dev: $dev, ino: $ino}, cwd: {path: "", dev: $dev, ino: $ino}, policy: $p, agent: "a", network: [], tool_use_id: "t", boot: $boot, created_ms: $now, client_sandbox: ('"${walls:-$open}"')}' >"$CAISSON_STATE/tickets/$id")
}
policy=$(cd "$tmp/proj" && "$CAISSON" check --json ls | jq -r .policy)
ticket 'echo "from a ticket"; pwd' "$policy"
run 0 'a ticket' --ticket $id
[[ $(<"$tmp/out") == "from a ticket"$'\n'"$tmp/proj" && ! -e $CAISSON_STATE/tickets/$id ]]
result $? 'its output is passed through, and it is gone'
run 64 'a ticket is good for one run' --ticket $id
grep -q 'used already; nothing ran: call the tool again with the original command' "$tmp/err" && ! grep -q -- '--help' "$tmp/err"
result $? 'and a model is told what to do, without options'
ticket 'touch never' "$policy"
sed -i 's/^{"v":7/{"v":6/' "$CAISSON_STATE/tickets/$id"
run 64 'a ticket of another version' --ticket $id
grep -q 'the ticket is from another version of caisson; run the command again' "$tmp/err" && [[ ! -e $tmp/proj/never ]]
result $? 'is refused, and says why'
mkdir -p "$HOME/.config/caisson" "$HOME/.ssh" && touch "$HOME/.ssh/id_rsa"
printf 'sandbox: {read: [~/.ssh]}\n' >"$HOME/.config/caisson/config.yaml"
ticket 'echo x' "$(cd "$tmp/proj" && "$CAISSON" check --json ls | jq -r .policy)"
run 64 'a path of the policy that no box may have' --ticket $id
grep -q 'until a person corrects the policy' "$tmp/err" && ! grep -q again "$tmp/err"
result $? 'and a model is not told to try again'
rm -r "$HOME/.config/caisson/config.yaml" "$HOME/.ssh"
ticket 'echo x' sha256:other
run 126 'a ticket judged by another policy' --json --ticket $id
json '.status == "denied" and .reasons[0].id == "policy-error"'
cat "$tmp/out" >>"$tmp/all"

# ---- a ticket whose client has a sandbox of its own: the box opens no more ----
mkdir -p "$tmp/proj/part/.git" "$tmp/proj/keep" "$tmp/proj/secret"
echo a >"$tmp/proj/keep/a"
echo b >"$tmp/proj/secret/b"
echo c >"$tmp/proj/word"
# shellcheck disable=SC2016 # for the box
probe='for f in new part/new keep/a keep/new absent/x; do mkdir -p absent 2>/dev/null; if (: >>$f) 2>/dev/null; then echo "wrote $f"; else echo "closed $f"; fi; done
	mv keep moved 2>/dev/null && echo moved; cat secret/b word; ls; pwd'
seen() { grep -qx -- "$1" "$tmp/out"; result $? "$2"; }
unseen() { ! grep -q -- "$1" "$tmp/out" && grep -qx "$tmp/proj" "$tmp/out"; result $? "$2"; }
with_walls() { # WHAT MODE WRITABLE CLOSED HIDDEN
	walls="{mode: \"$2\", writable: [$3], closed: [$4], hidden: [$5]}" ticket "$probe" "$policy"
	"$CAISSON" run --ticket $id >"$tmp/out" 2>"$tmp/err"
}
with_walls all workspace-write '$d' '"\($d)/keep", "\($d)/absent"' '"\($d)/secret", "\($d)/word", "\($d)/nothing"'
seen 'wrote new' 'the client lets the project be written: so does the box'
seen 'closed keep/a' 'what the client closes is closed'
seen 'closed absent/x' 'also what is not there yet'
unseen moved 'and it cannot be moved away'
unseen '^[bc]$' 'what the client hides cannot be read'
seen secret 'but its name is there'
[[ $(cat "$tmp/proj/keep/a" "$tmp/proj/secret/b" "$tmp/proj/word" | tr -d '\n') == abc && ! -e $tmp/proj/absent ]]
result $? 'and all of it is what it was'
rm -f "$tmp/proj/new" "$tmp/proj/part/new"
for mode in read-only unknown; do
	with_walls "$mode" "$mode" '$d' '' ''
	unseen '^wrote' "$mode: nothing can be written"
	seen b "$mode: and all can be read"
done
with_walls part workspace-write '"\($d)/part"' '"\($d)/part/.git"' ''
unseen '^wrote' 'a directory beside the one that can be written'
walls='{mode: "workspace-write", writable: ["\($d)/part"], closed: ["\($d)/part/.git"], hidden: []}' ticket 'cd part; touch in; touch .git/in; touch ../out; ls . .git' "$policy"
sed -i "s|\"cwd\":{[^}]*}|\"cwd\":{\"path\":\"part\",\"dev\":$(stat -c %d "$tmp/proj/part"),\"ino\":$(stat -c %i "$tmp/proj/part")}|; s|cd part; ||" "$CAISSON_STATE/tickets/$id"
"$CAISSON" run --ticket $id >"$tmp/out" 2>"$tmp/err"
[[ -e $tmp/proj/part/in && ! -e $tmp/proj/part/.git/in && ! -e $tmp/proj/out ]]
result $? 'only the part of the project that the client lets be written can be'
walls='{mode: "new", writable: [], closed: [], hidden: []}' ticket ls "$policy"
run 64 'a mode that is not known here' --ticket $id
rm -rf "$tmp/proj/part" "$tmp/proj/keep" "$tmp/proj/secret" "$tmp/proj/word"

# ---- progress ----
/usr/bin/python3 - "$CAISSON" >"$tmp/out" 2>"$tmp/err" <<'PY'
import os, pty, subprocess, sys
def errors_of(seconds):
    ours, theirs = pty.openpty()
    subprocess.run([sys.argv[1], "run", "-c", f"sleep {seconds}"], stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:
        pass
    return text
long, short = errors_of(2.8), errors_of(0.7)
print(long, short)
sys.exit(not (b"caisson: 2 s, " in long and long.endswith(b"\r\x1b[K") and short == b""))
PY
result $? 'a terminal shows progress after two seconds, and it is erased'

# ---- wrong use ----
ln -s "$tmp/ws" "$tmp/link"
mkdir "$tmp/planted"
"$CAISSON" run --plain --workspace "$tmp/planted" -c 'mkdir objects refs; echo "ref: refs/heads/main" >HEAD; echo said' >"$tmp/out" 2>"$tmp/err"
[[ $? == 0 && $(<"$tmp/out") == said ]] && grep -q "in the workspace: 'HEAD': planted repository, moved to " "$tmp/err"
result $? 'without a report what was put right in the workspace is said' "$(<"$tmp/err")"
wrong "unknown option '--frob'" --frob
wrong "unknown option '-x'" -x
wrong 'no program given'
wrong "memory '0'" --memory 0 -c ls
wrong "timeout '-1'" --timeout -1 -c ls
wrong 'does not exist' --workspace "$tmp/none" -c ls
wrong 'symbolic link' --workspace "$tmp/link" -c ls
wrong 'not a directory' --workspace "$tmp/ws/data" -c ls
wrong 'home directory' --workspace "$HOME" -c ls
wrong 'one above it' --workspace "$tmp" -c ls
wrong 'directory of the system' --workspace / -c ls
wrong 'cannot open' --file "$tmp/none.py"
wrong 'not a regular file' --file "$tmp/ws"
wrong 'cannot tell the language' --file "$tmp/ws/data"
wrong 'expected one of' --lang cobol -c x
wrong 'your own policy' --network host -c ls
wrong "invalid host 'allow-list'" --network allow-list -c ls
wrong 'NAME=VALUE' --env X -c ls
wrong 'an agent cannot set it' --agent me --env LD_PRELOAD=x -c ls
wrong 'writable directory' --report "$tmp/none/r.json" -c ls
wrong 'use either' --json --plain -c ls
wrong 'shape the report' --plain --head 3 -c ls
wrong 'does not exist' --read "$tmp/none" -c ls
wrong 'place of the system' --write /etc -c ls
wrong 'expected exec or work' --profile best -c ls
wrong 'cannot open' --skill "$tmp/none.md" -c ls
wrong 'expected one of these: auto native' --backend other -c ls
wrong 'allows only' --ticket $id -c ls
wrong 'hexadecimal' --ticket ../x
wrong 'expected cgroup' --require luck -c ls

# ---- numbers are what the program printed ----
run 0 'a Unix time' -c 'echo at 1700000000; date -d @1700000000 +%s'
json '.stdout == "at 1700000000\n1700000000\n" and .sanitized == {}'
run 0 'as ISO 8601' --iso-times -c 'echo at 1700000000; echo 1700000000 1700000001'
json '.stdout == "at 2023-11-14T22:13:20Z\n1700000000 1700000001\n" and .sanitized == {"timestamps": 1}'
printf -- '---\ntimestamps: iso\n---\n' >"$tmp/iso.md"
run 0 'because a skill says so' --skill "$tmp/iso.md" -c 'echo at 1700000000'
json '.stdout == "at 2023-11-14T22:13:20Z\n"'

# ---- ended from outside ----
for sig in INT TERM; do
	# A shell's background processes ignore SIGINT, so it is set back first.
	env --default-signal=INT "$CAISSON" run --timeout 60 -c 'echo started; sleep 50' >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	sleep 0.5
	kill -"$sig" $pid
	start=$SECONDS
	wait $pid
	rc=$?
	[[ $rc == $((128 + $(kill -l "$sig"))) && $((SECONDS - start)) -lt 10 ]]
	result $? "SIG$sig ends the box (status $rc)"
	json '.status == "unknown" and .stdout == "started\n" and (.error == "interrupted (SIG'"$sig"')")'
done
cat "$tmp/out" >>"$tmp/all"

# On a terminal the output passes through, and one line says how it ended.
# terminal TEXT ARG...: this is all that the terminal shows; times and sizes become #.
terminal() {
	local want=$1 got
	shift
	got=$(timeout 60 /usr/bin/python3 "$here/tests/terminal.py" none "$CAISSON" run "$@" </dev/null | sed -E 's/[0-9]+\.[0-9]+ (s|MB)/# \1/g')
	[[ $got == "$want" ]]
	result $? "on a terminal: run $*: ${got//$'\n'/ | }"
}
terminal $'hi\ncaisson: ok, # s, # MB' -- /bin/echo hi
terminal 'caisson: exit status 3, # s, # MB' -c 'exit 3'
terminal 'caisson: ended by SIGKILL, # s, # MB' -c 'kill -9 $$'
terminal $'caisson: ended at its time limit of 500ms, # s, # MB\ncaisson: the time limit was reached; --timeout sets another' --timeout 500ms -c 'sleep 20'
terminal 'hi' --plain -- /bin/echo hi
terminal $'caisson: ok, # s, # MB\ncaisson: standard input was empty for the program; --stdin passes yours' bash
terminal $'caisson: ok, # s, # MB' bash -c true
terminal $'no newline\ncaisson: ok, # s, # MB' -c 'printf "no newline"'
terminal $'no newline\ncaisson: exit status 1, # s, # MB' -c 'printf "no newline" >&2; exit 1'
terminal "caisson: run: denied: rm deletes the whole file system: '/'" --gate -c 'rm -rf /'
timeout 60 /usr/bin/python3 "$here/tests/terminal.py" none "$CAISSON" run --json -- /bin/true </dev/null | jq -e '.status == "ok"' >/dev/null
result $? 'on a terminal with --json: the report'
"$CAISSON" run --plain --output 1K -c 'yes' >/dev/null 2>"$tmp/err" </dev/null
[[ $? == 153 ]] && grep -q 'ended at its output limit of 1K' "$tmp/err"
result $? '--plain says that a limit was reached'
"$CAISSON" run --plain -c 'exit 3' >/dev/null 2>"$tmp/err" </dev/null
[[ $? == 3 && ! -s $tmp/err ]]
result $? '--plain adds nothing to a program that ended by itself'

/usr/bin/python3 "$here/tests/run/schema.py" "$here/docs/schema/report.schema.json" "$tmp/all" >"$tmp/out" 2>"$tmp/err"
result $? "reports fit the schema ($(wc -l <"$tmp/all"))"
no_groups_left
result $? 'no control group is left'
echo "1..$n"
