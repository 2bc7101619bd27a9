#!/bin/bash
# Which directory a command runs in: a box opens the project that was judged and no other, whatever was renamed, linked, deleted or made a repository in the meantime.
# Each attack has a benign twin. TAP.
# shellcheck disable=SC2016 # what a shell in a box runs is data
set -u
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
run_as() { (become "$who" env HOME="${H:-$tmp/$who/home}" CAISSON_STATE="${H:-$tmp/$who}/state" SHELL=/bin/bash ${PROJECT_DIR:+CLAUDE_PROJECT_DIR="$PROJECT_DIR"} "$@"); }
# at DIRECTORY COMMAND...
at() { local dir=$1; shift; run_as sh -c 'cd "$0" && exec "$@"' "$dir" "$@"; }
caisson_at() { local dir=$1; shift; at "$dir" "$tmp/caisson" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?; }
# work DIRECTORY TEXT: plain `caisson run --profile work`
work() { caisson_at "$1" run --profile work --plain -c "$2"; }
# hook SESSION COMMAND CWD [EVENT]: the answer of the hook of Claude Code, in $tmp/out
hook() {
	jq -nc --arg s "$1" --arg c "$2" --arg d "$3" --arg e "${4:-PreToolUse}" '{session_id: $s, hook_event_name: $e, cwd: $d} +
		(if $e == "SessionStart" then {source: "startup"} else {tool_name: "Bash", tool_input: {command: $c}, tool_use_id: "t1"} end)' |
		run_as "$tmp/caisson" hook --client claude-code >"$tmp/out" 2>"$tmp/err"
}
decision() { jq -r '.hookSpecificOutput.permissionDecision // "pass"' "$tmp/out" 2>/dev/null || echo "error"; }
reason() { jq -r '.hookSpecificOutput.permissionDecisionReason // ""' "$tmp/out" 2>/dev/null; }
ticket() { jq -r '.hookSpecificOutput.updatedInput.command // ""' "$tmp/out" 2>/dev/null | grep -o 'ticket [0-9a-f]*' | cut -d' ' -f2; }
contained() { [[ -n $(ticket) ]]; result $? "$1 (contained)"; }
asked() { [[ $(decision) == "${2:-ask}" && -z $(ticket) ]]; result $? "$1 (${2:-ask}: $(reason | cut -c1-160))"; }
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

	run_as mkdir -p "$H/data/work"
	run_as git init -q "$H/data/work/proj"
	run_as mkdir "$H/data/work/proj/src"
	run_as ln -s "$H/data/work" "$H/work"
	hook l2 ./x.sh "$H/work/proj/src"
	contained "$who: twin: a project reached by a person's own link"
	caisson_at "$H/work/proj/src" run --ticket "$(ticket)"
	said 'x.sh' "$who: ... and its ticket runs"
	caisson_at "$H" run --workspace "$H/work/proj" --plain -c 'echo in >here; pwd -P'
	[[ $rc == 0 && -e $H/data/work/proj/here ]]
	result $? "$who: twin: --workspace through a person's own link"
}

# ---- places that are never a workspace ----
places() {
	fresh "$1" places
	local dir
	for dir in .ssh .ssh/sub .gnupg .aws .config .config/gcloud .kube .docker .local/share/keyrings .local .claude .codex .config/systemd p/.git bin; do
		run_as mkdir -p "$H/$dir"
		caisson_at "$H" run --workspace "$H/$dir" --plain -c 'echo evil >x'
		[[ $rc == 64 && ! -e $H/$dir/x ]] && grep -qE "no box may change|caisson's own files" "$tmp/err"
		result $? "$who: --workspace ~/$dir"
		caisson_at "$H" run --write "$H/$dir" --plain -c "echo evil >'$H/$dir/x'"
		[[ $rc == 64 && ! -e $H/$dir/x ]] && grep -qE "no box may change|caisson's own files" "$tmp/err"
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
	for dir in .cache/x .cargo/registry p/.claude/worktrees/w p/out; do
		caisson_at "$H" run --workspace "$H/$dir" --plain -c 'echo fine >x'
		[[ $rc == 0 && -e $H/$dir/x ]]
		result $? "$who: twin: --workspace ~/$dir"
	done
	caisson_at "$H" run --write "$H/p/out" --plain -c "echo fine >'$H/p/out/y'"
	[[ $rc == 0 && -e $H/p/out/y ]]
	result $? "$who: twin: --write of a directory of a project"
}

for person in $(people); do
	tickets "$person"
	links "$person"
	places "$person"
done
done_testing
