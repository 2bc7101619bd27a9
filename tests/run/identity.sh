#!/bin/bash
# Which directory a command runs in: a box opens the project that was judged and no other, whatever was
# renamed, linked, deleted or made a repository in the meantime.
# Each attack has a benign twin. TAP.
# shellcheck disable=SC2016 # what a shell in a box runs is data
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

# fresh WHO NAME: an empty home of its own, $H, with an empty ~/.ssh and a key in it
fresh() {
	who=$1
	H=$tmp/$who/$2
	run_as mkdir -p "$H/.ssh"
	run_as sh -c 'echo SECRETKEY >"$0/.ssh/id_test"' "$H"
	run_as git init -q "$H/p"
	run_as mkdir -p "$H/p/a" "$H/p/src"
	run_as sh -c 'printf "all:\n\t@echo made\n" >"$0/p/Makefile"' "$H"
}
# run_as COMMAND...: in the home of this part of the test
run_as() { (become "$who" env HOME="${H:-$tmp/$who/home}" CAISSON_STATE="${H:-$tmp/$who}/state" \
	SHELL=/bin/bash ${PROJECT_DIR:+CLAUDE_PROJECT_DIR="$PROJECT_DIR"} "$@"); }
# at DIRECTORY COMMAND...
at() { local dir=$1; shift; run_as sh -c 'cd "$0" && exec "$@"' "$dir" "$@"; }
caisson_at() { local dir=$1; shift; at "$dir" "$tmp/caisson" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; \
	rc=$?; }
# work DIRECTORY TEXT: plain `caisson run --profile work`
work() { caisson_at "$1" run --profile work --plain -c "$2"; }
# hook SESSION COMMAND CWD [EVENT]: the answer of the hook of Claude Code, in $tmp/out; FROM: where the client
# was started
hook() {
	jq -nc --arg s "$1" --arg c "$2" --arg d "$3" --arg e "${4:-PreToolUse}" \
		'{session_id: $s, hook_event_name: $e, cwd: $d} +
		(if $e == "SessionStart" then {source: "startup"} else {tool_name: "Bash", tool_input: {command: $c}, tool_use_id: "t1"} end)' |
		at "${FROM:-.}" "$tmp/caisson" hook --client claude-code >"$tmp/out" 2>"$tmp/err"
}
decision() { [[ -s $tmp/out ]] ||
	echo pass; jq -r '.hookSpecificOutput.permissionDecision // "pass"' "$tmp/out" 2>/dev/null ||
	echo "error"; }
reason() { jq -r '.hookSpecificOutput.permissionDecisionReason // ""' "$tmp/out" 2>/dev/null; }
ticket() { jq -r '.hookSpecificOutput.updatedInput.command // ""' "$tmp/out" 2>/dev/null |
	grep -o 'ticket [0-9a-f]*' | cut -d' ' -f2; }
contained() { [[ -n $(ticket) ]]; result $? "$1 (contained)"; }
asked() { [[ $(decision) == "${2:-ask}" &&
	-z $(ticket) ]]; result $? "$1 (${2:-ask}: $(reason | cut -c1-160))"; }
said() { grep -q -- "$1" "$tmp/out" "$tmp/err"; result $? "$2"; }
hidden() { ! grep -q -- "$1" "$tmp/out" "$tmp/err"; result $? "$2"; }
refused() { [[ $rc != 0 ]]; result $? "$1 (status $rc: $(tail -1 "$tmp/err" | cut -c1-160))"; }
untouched() { [[ ! -e $1 ]]; result $? "$2"; }

# ---- a ticket means the directory that was judged ----
tickets() {
	fresh "$1" tickets
	hook s1 'make; pwd -P; cat id_test; echo evil >authorized_keys' "$H/p/a"
	contained "$who: a command in a subdirectory"
	T=$(ticket)
	work "$H/p" "rmdir a; ln -s '$H/.ssh' a"
	caisson_at "$H/p" run --ticket "$T"
	refused "$who: a link in place of the directory: the ticket is refused"
	said 'moved or replaced' "$who: ... and says why"
	hidden SECRETKEY "$who: ... nothing was read"
	untouched "$H/.ssh/authorized_keys" "$who: ... nothing was written"

	work "$H/p" 'rm a; mkdir a b; echo of-b >b/name'
	hook s1 'make; cat name' "$H/p/a"
	T=$(ticket)
	work "$H/p" 'mv a c; mv b a'
	caisson_at "$H/p" run --ticket "$T"
	refused "$who: another directory of the project in its place"
	hidden of-b "$who: ... it did not run there"

	hook s1 'make -C ..; cat name' "$H/p/a"
	T=$(ticket)
	caisson_at "$H/p" run --ticket "$T"
	[[ $rc == 0 ]] && grep -q of-b "$tmp/out" && grep -q made "$tmp/out"
	result $? "$who: twin: a ticket whose directory is untouched runs there"

	hook s1 'make; cat ../.ssh/id_test; echo evil >x' "$H/p"
	T=$(ticket)
	run_as mv "$H/p" "$H/q"
	run_as ln -s "$H/.ssh" "$H/p"
	caisson_at "$H" run --ticket "$T"
	refused "$who: a link in place of the project"
	hidden SECRETKEY "$who: ... nothing was read"
	untouched "$H/.ssh/x" "$who: ... nothing was written"
	run_as rm "$H/p"
	run_as mv "$H/q" "$H/p"
	hook s1 make "$H/p/src"
	contained "$who: twin: the project is back in its place"
}

# ---- links that lead out of a project ----
links() {
	fresh "$1" links
	run_as mkdir -p "$H/other"
	work "$H/p" "ln -s '$H/.ssh' keys; ln -s '$H/other' side; ln -s src inner"
	hook l1 'make; cat id_test; echo evil >authorized_keys' "$H/p/keys"
	asked "$who: a directory that is a link to ~/.ssh is no project" "$(decision | grep -E 'ask|deny')"
	hook l1 ./x.sh "$H/p/side"
	asked "$who: ... nor one to another directory"
	hook l1 "echo evil >'$H/other/Makefile'" "$H/p/side"
	asked "$who: ... nor may it be written outside of a box"
	hook l0 ./x.sh "$H/p/side"
	asked "$who: ... also as the first event of a session"
	hook l1 make "$H/p/inner"
	contained "$who: twin: a link inside the project"
	at "$H/p/keys" "$tmp/caisson" run --profile work --plain -c 'cat id_test' >"$tmp/out" 2>"$tmp/err"
	rc=$?
	refused "$who: caisson run where a link led"
	hidden SECRETKEY "$who: ... nothing was read"
	run_as mkdir "$H/other/x"
	caisson_at "$H" run --workspace "$H/p/side/x" --plain -c 'echo evil >y'
	refused "$who: --workspace through a link that leaves a project"
	untouched "$H/other/x/y" "$who: ... nothing was written"
	caisson_at "$H" run --workspace "$H/p" --cwd "$H/p/side" --plain -c pwd
	refused "$who: --cwd through such a link"
	caisson_at "$H/p" run --workspace "$H/p" --cwd inner --plain -c 'pwd -P'
	said "$H/p/src" "$who: twin: --cwd through a link inside"

	run_as mkdir -p "$H/data/code"
	run_as git init -q "$H/data/code/proj"
	run_as mkdir "$H/data/code/proj/src"
	run_as ln -s "$H/data/code" "$H/repos"
	hook l2 ./x.sh "$H/repos/proj/src"
	contained "$who: twin: a project reached by a person's own link"
	caisson_at "$H/repos/proj/src" run --ticket "$(ticket)"
	said 'x.sh' "$who: ... and its ticket runs"
	caisson_at "$H" run --workspace "$H/repos/proj" --plain -c 'echo in >here; pwd -P'
	[[ $rc == 0 && -e $H/data/code/proj/here ]]
	result $? "$who: twin: --workspace through a person's own link"
}

# ---- links in workspaces that are no repositories, and in what --write gave ----
# led TEXT PATTERN FILE: the run was refused because of a link, and names the way that is left; nothing
# happened
led() { [[ $rc == 64 && ! -e $H/other/planted ]] && grep -q "through the link.*$2" "$tmp/err" &&
	! grep -q SECRETKEY "$tmp/out"; result $? \
	"$who: $1 (status $rc: $(tail -1 "$tmp/err" | cut -c1-200))"; }
plain_links() {
	fresh "$1" plain
	local other
	run_as mkdir -p "$H/repos/sub" "$H/other/deep" "$H/out"
	other=$H/other
	run_as sh -c 'echo SECRETKEY >"$0/key"; echo "echo SECRETKEY" >"$0/script.sh"; printf "all:\n\t@echo made\n" >"$0/Makefile"' "$other"
	work "$H/repos" \
		"ln -s '$other' a; ln -s sub in; ln -s '$other/key' in.csv; ln -s '$other/script.sh' x.sh; echo own >sub/own.csv"
	[[ -L $H/repos/a ]]
	result $? "$who: a box makes links in a workspace that is no repository"
	work "$H/repos/a" 'cat key; echo evil >planted'
	led "a link there makes no other directory the project" "$other"
	work "$H/repos/a/deep" 'cat ../key; echo evil >../planted'
	led "... nor what lies below it" "$other/deep"
	caisson_at "$H" run --workspace "$H/repos/a/deep" --plain -c 'echo evil >../planted'
	led "... nor the workspace" "$other/deep"
	caisson_at "$H" run --write "$H/repos/a" --plain -c "echo evil >'$other/planted'"
	led "... nor a path to be written" "$other"
	caisson_at "$H/repos" run --read in.csv --plain -c "cat '$other/key'"
	led "... nor one to be read" "$other/key"
	caisson_at "$H/repos" run --file x.sh --plain
	led "... nor the script" "$other/script.sh"
	caisson_at "$H/repos" run --root a --plain -c true
	led "... nor the root" "$other"
	caisson_at "$H/repos" run --report a/planted -c true
	[[ $rc != 0 && ! -e $other/planted ]]
	result $? "$who: ... nor the report's place (status $rc: $(tail -1 "$tmp/err" | cut -c1-160))"
	caisson_at "$H" run --workspace "$H/repos" --cwd "$H/repos/a" --plain -c 'cat key'
	refused "$who: ... nor the working directory"
	hook w1 make "$H/repos/a"
	asked "$who: a new session there is asked"
	PROJECT_DIR=$H/repos/a hook w2 make "$H/repos/a"
	asked "$who: ... also if the client calls the link its project"
	FROM=$H/repos/a hook w5 make "$other"
	asked "$who: ... also if the shell alone knows of the link"
	FROM=$H/repos hook w6 make "$other"
	contained "$who: twin: a session that begins elsewhere than the shell stands"
	hook w3 make "$H/repos"
	contained "$who: twin: a new session in the workspace itself"
	work "$H/repos/in" 'pwd -P; echo fine >here'
	[[ $rc == 0 && -e $H/repos/sub/here ]]
	result $? "$who: twin: a link that stays inside"
	caisson_at "$H/repos" run --read in/own.csv --plain -c "cat '$H/repos/sub/own.csv'"
	said own "$who: twin: --read through a link that stays inside"
	caisson_at "$H/repos" run --read "$other/key" --plain -c "cat '$other/key'"
	said SECRETKEY "$who: twin: --read of the path itself"
	caisson_at "$H/repos" run --file "$other/script.sh" --plain
	said SECRETKEY "$who: twin: --file of the path itself"
	caisson_at "$H/repos" run --report "$other/report" -c true
	[[ $rc == 0 && -s $other/report ]]
	result $? "$who: twin: --report of the path itself"

	caisson_at "$H" run --write "$H/out" --plain -c "ln -s '$other' '$H/out/a'"
	work "$H/out/a" 'cat key; echo evil >planted'
	led "a link in what --write gave" "$other"

	work "$H/p" "ln -s '$other' side; ln -s '$other/key' in.csv"
	work "$H/p/side" 'cat key; echo evil >planted'
	led "a link in a repository, where the caller stands" "$other"
	caisson_at "$H/p" run --read in.csv --plain -c "cat '$other/key'"
	led "--read through a link in a repository" "$other/key"

	run_as ln -s "$other" "$H/mine"
	run_as ln -s "$other/key" "$H/mine.csv"
	caisson_at "$H" run --read "$H/mine.csv" --plain -c "cat '$other/key'"
	said SECRETKEY "$who: twin: --read through a person's own link"
	work "$H/mine" 'pwd -P; echo fine >here'
	[[ $rc == 0 && -e $other/here ]]
	result $? "$who: twin: a person's own link leads to a project"
	hook w4 make "$H/mine/deep"
	contained "$who: twin: ... also in a session"
	work "$H/repos" true
	[[ $(grep -c "$H/repos\$" "$H/state/roots") == 1 ]]
	result $? "$who: a workspace is noted once"
}

# ---- places that are never a workspace ----
places() {
	fresh "$1" places
	local dir
	# tests/unit/test_identity.c has more
	for dir in .ssh .ssh/sub .config/gcloud .local .claude p/.git; do
		run_as mkdir -p "$H/$dir"
		caisson_at "$H" run --workspace "$H/$dir" --plain -c 'echo evil >x'
		[[ $rc == 64 && ! -e $H/$dir/x ]] && grep -q 'no box may write' "$tmp/err"
		result $? "$who: --workspace ~/$dir"
		caisson_at "$H" run --write "$H/$dir" --plain -c "echo evil >'$H/$dir/x'"
		[[ $rc == 64 && ! -e $H/$dir/x ]] && grep -q 'no box may write' "$tmp/err"
		result $? "$who: --write ~/$dir"
	done
	for dir in "$H" "$(dirname "$H")" /; do
		caisson_at "$H/p" run --workspace "$dir" --plain -c true
		[[ $rc == 64 ]]
		result $? "$who: --workspace of the home or above it"
		caisson_at "$H/p" run --write "$dir" --plain -c true
		[[ $rc == 64 ]]
		result $? "$who: --write of the home or above it"
	done
	run_as sh -c 'echo x >"$0/.netrc"' "$H"
	caisson_at "$H/p" run --write "$H/.netrc" --plain -c true
	[[ $rc == 64 ]]
	result $? "$who: --write of a file with credentials"
	hook p1 make "$H/.ssh"
	asked "$who: a session that begins in ~/.ssh has no project there" "$(decision | grep -E 'ask|deny')"
	run_as mkdir -p "$H/.cache/x" "$H/.cargo/registry" "$H/p/.claude/worktrees/w" "$H/p/out"
	for dir in .cargo/registry p/.claude/worktrees/w; do
		caisson_at "$H" run --workspace "$H/$dir" --plain -c 'echo fine >x'
		[[ $rc == 0 && -e $H/$dir/x ]]
		result $? "$who: twin: --workspace ~/$dir"
	done
	caisson_at "$H" run --write "$H/p/out" --plain -c "echo fine >'$H/p/out/y'"
	[[ $rc == 0 && -e $H/p/out/y ]]
	result $? "$who: twin: --write of a directory of a project"
}

# ---- a session keeps its project ----
sessions() {
	fresh "$1" sessions
	run_as git init -q "$H/mono"
	run_as git init -q "$H/mono/sub"
	run_as mkdir "$H/mono/sub/src" "$H/mono/secret"
	run_as sh -c 'echo sibling >"$0/mono/secret/key"; printf "all:\n\t@rm -f ../.git/HEAD; cat ../../secret/key; echo evil >../../secret/Makefile\n" >"$0/mono/sub/src/Makefile"' "$H"
	hook m1 '' "$H/mono/sub/src" SessionStart
	hook m1 make "$H/mono/sub/src"
	contained "$who: a session in a nested repository"
	caisson_at "$H/mono/sub/src" run --ticket "$(ticket)"
	hidden sibling "$who: ... the box does not see its neighbours"
	[[ ! -e $H/mono/sub/.git/HEAD ]]
	result $? "$who: ... it removed HEAD"
	hook m1 make "$H/mono/sub/src"
	contained "$who: ... the next command is contained"
	caisson_at "$H/mono/sub/src" run --ticket "$(ticket)"
	hidden sibling "$who: ... and sees no more than before"
	untouched "$H/mono/secret/Makefile" "$who: ... nor writes more"
	hook m2 make "$H/mono/sub/src"
	caisson_at "$H/mono/sub/src" run --ticket "$(ticket)"
	hidden sibling "$who: nor does another session that begins there now"

	hook p1 make "$H/p"
	contained "$who: a session"
	work "$H/p" 'git init -q src; mkdir -p src/deep'
	hook p1 'touch ../here; ./x.sh' "$H/p/src"
	contained "$who: a new repository inside does not become its project"
	caisson_at "$H/p/src" run --ticket "$(ticket)"
	[[ -e $H/p/here ]]
	result $? "$who: ... the box opens the whole project still"
	hook p1 'cd deep && ./x.sh' "$H/p/src"
	contained "$who: twin: a session moves between directories"
	run_as mkdir "$H/other"
	hook p1 ./x.sh "$H/other"
	asked "$who: a directory elsewhere is no project of this session"
	hook p1 "echo evil >'$H/other/Makefile'" "$H/other"
	asked "$who: ... and is not written without a person"
	hook p3 ./x.sh "$H/other"
	contained "$who: twin: another session begins there"
	at "$H/p" git -c user.name=x -c user.email=x@y commit -q --allow-empty -m one
	at "$H/p" git worktree add -q "$H/tree"
	hook p1 ./x.sh "$H/tree"
	contained "$who: twin: a linked worktree of the project"
	caisson_at "$H/tree" run --ticket "$(ticket)"
	said 'x.sh' "$who: ... and its ticket runs"
	run_as sh -c 'mkdir "$0/fake" && echo "gitdir: $0/p/.git/worktrees/none" >"$0/fake/.git"' "$H"
	hook p1 ./x.sh "$H/fake"
	asked "$who: a directory that only claims to be one"

	run_as mv "$H/p" "$H/gone"
	run_as cp -r "$H/gone" "$H/p"
	hook p1 ./x.sh "$H/p"
	asked "$who: a copy in place of the project"
	[[ $(reason) == *project-changed* ]]
	result $? "$who: ... with its own reason"
	hook p4 ./x.sh "$H/p"
	contained "$who: twin: a new session takes it as it is"
	file=$(run_as sh -c 'grep -l "\"session\":\"p1\"" "$0"/state/sessions/*.json' "$H")
	run_as sh -c 'jq -c ".boot = \"before\"" "$0" >"$0.new" && mv "$0.new" "$0" && chmod 600 "$0"' "$file"
	hook p1 ./x.sh "$H/p"
	asked "$who: after a reboot the path does not count at once"
	hook p1 '' "$H/p" SessionStart
	hook p1 ./x.sh "$H/p"
	contained "$who: twin: a session that is resumed after a reboot"
	[[ $(stat -c %a "$file") == 600 && $(basename "$file") =~ ^[0-9a-f]{64}\.json$ ]]
	result $? "$who: the session's file is private, and its name says nothing"
	run_as sh -c 'echo {} >"$0"' "$file"
	hook p1 true "$H/p"
	[[ -s $tmp/err && ! -s $tmp/out ]]
	result $? "$who: a file that cannot be relied on refuses"
	hook '../../x' ./x.sh "$H/p"
	contained "$who: an id that looks like a path is only hashed"
}

# ---- without a session: roots that were seen before ----
roots() {
	fresh "$1" roots
	run_as git init -q "$H/mono"
	run_as git init -q "$H/mono/sub"
	run_as mkdir "$H/mono/sub/src" "$H/mono/secret"
	run_as sh -c 'echo sibling >"$0/mono/secret/key"' "$H"
	work "$H/mono/sub/src" 'rm ../.git/HEAD && echo removed'
	said removed "$who: HEAD can be removed in a box"
	work "$H/mono/sub/src" 'cat ../../secret/key; echo evil >../../secret/Makefile; echo fine >../x'
	hidden sibling "$who: ... the next box does not open the repository around"
	untouched "$H/mono/secret/Makefile" "$who: ... nor can it be written"
	[[ -e $H/mono/sub/x ]]
	result $? "$who: ... the root is the same as before"
	work "$H/mono/sub/src" 'rm -rf ../.git'
	work "$H/mono/sub/src" 'cat ../../secret/key'
	hidden sibling "$who: ... also without any .git"
	caisson_at "$H" run --workspace "$H/p" --plain -c 'rm .git/HEAD'
	run_as git init -q "$H"
	work "$H/p/src" "cat '$H/.ssh/id_test'; echo fine >../x"
	[[ -e $H/p/x ]] && ! grep -q SECRET "$tmp/out"
	result $? "$who: a root that was seen as --workspace"
	work "$H/mono" 'cat sub/src/../x secret/key'
	[[ $rc == 0 ]] && grep -q sibling "$tmp/out"
	result $? "$who: twin: the repository around has all of its own"
	[[ $(wc -l <"$H/state/roots") == 3 && $(stat -c %a "$H/state/roots") == 600 ]]
	result $? "$who: each root is noted once"
}

# ---- the MCP server keeps the project it was started in ----
# call FILE-DESCRIPTORS...: one call of the tool run; its answer in $tmp/out
call() {
	jq -nc --arg c "$1" \
		'{jsonrpc: "2.0", id: 2, method: "tools/call", params: {name: "run", arguments: {command: $c}}}' >&"${MCP[1]}"
	IFS= read -r -t 60 -u "${MCP[0]}" line
	printf '%s\n' "$line" >"$tmp/out"
}
server() {
	local pid
	fresh "$1" server
	run_as git init -q "$H/mono"
	run_as git init -q "$H/mono/sub"
	run_as mkdir "$H/mono/sub/src" "$H/mono/secret"
	run_as sh -c 'echo sibling >"$0/mono/secret/key"; printf "all:\n\t@mv ../.git/HEAD ../.git/H; cat ../../secret/key; echo fine >../x\n" >"$0/mono/sub/src/Makefile"' "$H"
	coproc MCP { at "$H/mono/sub/src" "$tmp/caisson" mcp --profile work 2>/dev/null; }
	pid=$MCP_PID
	echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' >&"${MCP[1]}"
	read -r -t 60 -u "${MCP[0]}" line
	call make
	call make
	hidden sibling "$who: MCP: a program that renames HEAD does not widen the next box"
	[[ -e $H/mono/sub/x && ! -e $H/mono/sub/.git/HEAD ]]
	result $? "$who: MCP: twin: both calls ran in the project"
	run_as mv "$H/mono/sub" "$H/mono/old"
	run_as cp -r "$H/mono/old" "$H/mono/sub"
	call 'echo here; ./x.sh'
	! grep -q '"status":"ok"' "$tmp/out" && ! grep -q '\\"stdout\\":\\"here' "$tmp/out"
	result $? "$who: MCP: another directory in place of the project is refused"
	eval "exec ${MCP[1]}>&-"
	wait "$pid"
}

# ---- rules of a project hold for what lies inside it ----
policies() {
	fresh "$1" policies
	run_as sh -c 'printf "tools:\n  bash:\n    deny:\n      - echo deploy\nprotected_paths: [src/release.key, vault]\n" >"$0/p/.caisson.yaml"; echo k >"$0/p/src/release.key"' "$H"
	work "$H/p/src" 'echo x >release.key; git init -q .'
	[[ -e $H/p/src/.git/HEAD && $(<"$H/p/src/release.key") == k ]]
	result $? "$who: a protected path, and a repository made beside it"
	work "$H/p/src" 'echo changed >release.key; echo fine >other'
	[[ $(<"$H/p/src/release.key") == k && -e $H/p/src/other ]]
	result $? "$who: ... is protected in the new repository as well"
	caisson_at "$H" run --workspace "$H/p/src" --plain -c 'echo changed >release.key'
	[[ $(<"$H/p/src/release.key") == k ]]
	result $? "$who: ... also as a workspace of its own"
	hook '' 'echo deploy' "$H/p/src"
	asked "$who: a rule of the project around denies" deny
	caisson_at "$H/p/src" check 'echo deploy'
	[[ $rc != 0 ]] && grep -q configured-deny "$tmp/out"
	result $? "$who: ... for check as well"
	caisson_at "$H/p/src" run --gate --profile work --plain -c 'echo deploy'
	[[ $rc == 126 ]]
	result $? "$who: ... and for run --gate"
	run_as sh -c 'printf "tools:\n  bash:\n    allow:\n      - echo deploy\n" >"$0/p/src/.caisson.yaml"' \
		"$H"
	hook '' 'echo deploy' "$H/p/src"
	asked "$who: ... which the inner one cannot allow" deny
	hook '' 'echo hello' "$H/p/src"
	[[ $(decision) == pass ]]
	result $? "$who: twin: what no rule speaks of"
	run_as mkdir -p "$H/p/vault/in"
	run_as git init -q "$H/p/vault/in"
	work "$H/p/vault/in" 'echo x >y; cat .git/HEAD'
	[[ ! -e $H/p/vault/in/y && $rc == 0 ]]
	result $? "$who: a repository inside a protected directory is read-only"
	caisson_at "$H/p/src" config show
	said '^around:' "$who: config show has the project around"
}

# chosen SESSION COMMAND CWD DIRECTORY: the hook of Codex for a call that names its directory
chosen() {
	jq -nc --arg s "$1" --arg c "$2" --arg d "$3" --arg w "$4" \
		'{session_id: $s, hook_event_name: "PreToolUse", cwd: $d,
		tool_name: "Bash", tool_use_id: "t1", tool_input: {command: $c, workdir: $w}}' |
		at . "$tmp/caisson" hook --client codex >"$tmp/out" 2>"$tmp/err"
}
pinned() { jq -r '.roots[].path' "$H"/state/sessions/*.json 2>/dev/null | tr '\n' ' '; }

# ---- the directory that a call names is the model's choice: it never chooses the project, not even in the
# first event of a session ----
choices() {
	fresh "$1" choices
	run_as git init -q "$H/other"
	run_as mkdir -p "$H/plain"
	chosen c1 'echo x >planted' "$H/p" "$H/other"
	said outside-write "$who: a first call that writes into another project is denied"
	[[ $(pinned) == "$H/p " ]]
	result $? "$who: ... the session has the project of its own directory ($(pinned))"
	chosen c1 'echo x >planted' "$H/p" "$H/p/src"
	[[ $(decision) == pass ]]
	result $? "$who: twin: a directory of the project"
	run_as rm -rf "$H/state/sessions"
	chosen c2 'echo x >planted' "$H/p" "$H/p/src"
	[[ $(decision) == pass && $(pinned) == "$H/p " ]]
	result $? "$who: twin: a first call that names a directory of the project"
	run_as rm -rf "$H/state/sessions"
	chosen c3 'echo x >planted' "$H/plain" "$H/other"
	said outside-write "$who: a session outside any project, whose first call names one, is denied"
	[[ $(pinned) != *other* ]]
	result $? "$who: ... does not get that project ($(pinned))"
}

# Mounts, and so tickets, are another matter for root; the rest is decided before.
for person in $(people); do
	tickets "$person"
	sessions "$person"
	roots "$person"
	plain_links "$person"
done
links "$person"
places "$person"
choices "$person"
policies "$person"
server "$person"
done_testing
