#!/bin/bash
# Protected names in a writable workspace, through caisson run: attacks and their benign twins, as root and as
# an ordinary user. What an attack plants would write a canary when the host's git runs it.
# tests/unit/test_protect.c has many more; here is the way of a user. TAP.
# shellcheck disable=SC2016 # programs are data for the box
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

repo='git init -q . && git config user.name x && git config user.email x@y && echo a >a && git add a && git commit -qm one'

# fresh WHO SCRIPT: a new workspace, made on the host by the script
fresh() {
	ws=$tmp/$1/ws
	rm -rf "$ws" "$tmp/canary"
	as "$1" mkdir "$ws"
	(cd "$ws" && as "$1" bash -c "$2") >"$tmp/err" 2>&1 || result 1 "$1: making a workspace: $2"
}
# inside WHO SCRIPT: in a box that may write the workspace
inside() { box "$1" --workspace "$ws:rw" --cwd "$ws" -c "$2"; }
# host WHO SCRIPT WHAT: what the host sees afterwards
host() {
	(cd "$ws" && as "$1" env canary="$tmp/canary" bash -c "$2") >>"$tmp/err" 2>&1
	result $? "$1: $3"
	[[ ! -e $tmp/canary ]] || result 1 "$1: $3: what was planted ran"
}
quiet() { want '(.changes // []) == []' "$1: nothing is reported: $2"; }

git_attacks() {
	local who=$1
	fresh "$who" "$repo"
	inside "$who" 'echo "touch x" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.fsmonitor "touch x"; echo x >>.git/config; true'
	host "$who" '[ ! -e .git/hooks/pre-commit ] && ! grep -q fsmonitor .git/config && git status' \
		'hooks and config cannot be written'
	inside "$who" 'mv -T .git x; mkdir -p .git/hooks && echo evil >.git/hooks/pre-commit; true'
	host "$who" '[ -e .git/hooks/pre-commit.sample ] && [ ! -e .git/hooks/pre-commit ]' \
		'nor by renaming .git away'
	fresh "$who" "$repo"
	inside "$who" 'perl -e "rename(q(.git), q(x)) and exit 1; rename(q(.git/hooks), q(.git/h)) and exit 1; rename(q(.git/config), q(.git/c)) and exit 1"'
	want '.exit_code == 0' "$who: no rename of a protected name or its parent succeeds"
	inside "$who" 'mkdir -p evil/objects evil/refs; printf "[core]\n\tfsmonitor = touch %s\n" "$PWD/../../canary" >evil/config; rm -rf .git/commondir; echo ../evil >.git/commondir; mv evil .git/commondir; true'
	host "$who" 'git status && [ ! -e .git/commondir ]' 'configuration cannot be moved elsewhere'
	inside "$who" 'ln -sf /etc/hostname .git/COMMIT_EDITMSG; rm -f .git/logs/HEAD; ln -s /etc/hostname .git/logs/HEAD'
	want '[.changes[].path] | index(".git/logs/HEAD") != null' \
		"$who: links that git would write through are reported"
	host "$who" '[ ! -L .git/logs/HEAD ] && [ ! -L .git/COMMIT_EDITMSG ]' 'and are gone'
}

git_twins() {
	local who=$1
	fresh "$who" "$repo"
	inside "$who" 'set -e; [ -z "$(git status --porcelain)" ]; echo b >b; git add b; git commit -qm two; git checkout -q -b side; echo c >>a; git commit -qam three; git checkout -q -
		echo d >>b; git stash -q; git stash pop -q; git commit -qam four; git rebase -q side; git gc -q; git fsck; git submodule status; [ -z "$(git status --porcelain)" ]'
	want '.exit_code == 0' "$who: ordinary work with git"
	quiet "$who" 'git'
	host "$who" '[ "$(git log --format=%s | head -1)" = four ] && [ "$(LC_ALL=C ls -A | tr "\n" " ")" = ".git a b " ]' 'the work is there, and nothing else'
	fresh "$who" ''
	inside "$who" 'git init -q . && echo a >a && git add a && git -c user.name=x -c user.email=x@y commit -qm one'
	want '.exit_code == 0' "$who: a new repository"
	quiet "$who" 'a new repository'
	host "$who" 'git log' 'the new repository stays'
}

planted() {
	local who=$1
	fresh "$who" 'mkdir config hooks && echo x >config/routes.rb && echo y >hooks/useState.js'
	inside "$who" 'git init -q --bare /tmp/b; cp -r /tmp/b/HEAD /tmp/b/objects /tmp/b/refs .; mkdir -p deep/er; cp -r /tmp/b/. deep/er; printf "[core]\n\tfsmonitor = touch %s\n" "$PWD/../../canary" >>deep/er/config'
	want '[.changes[] | select(.what == "planted repository") | .path] | index("HEAD") != null and index("deep/er/HEAD") != null' "$who: a planted repository is reported"
	want '[.changes[].moved_to] | all(startswith("'"$tmp/$who/state/quarantine/"'"))' \
		"$who: and moved to quarantine"
	host "$who" '[ ! -e HEAD ] && [ ! -e deep/er/HEAD ] && [ -e config/routes.rb ] && [ -e hooks/useState.js ] && ! git -C deep/er status' 'it is none any more; a project keeps its config and hooks'
	fresh "$who" ''
	inside "$who" 'mkdir config hooks objects refs && echo x >config/x && echo HEAD >refs/HEAD'
	quiet "$who" 'directories with such names'
	fresh "$who" ''
	inside "$who" 'git init -q e && echo "[core] fsmonitor = touch $PWD/../../canary" >>e/.git/config && echo x >e/.git/hooks/post-checkout'
	want '[.changes[].path] | index("e/.git/config") != null and index("e/.git/hooks") != null' \
		"$who: what could run in a new repository is reported"
	host "$who" 'git -C e status' 'and is gone'
}

settings() {
	local who=$1
	fresh "$who" ''
	inside "$who" 'for f in .bashrc .profile .gitconfig .mcp.json .vscode .claude .idea; do echo x >$f; mkdir -p $f/x; rm -rf $f; mv -T $f y; ln -sf /tmp $f; done; true'
	host "$who" '[ -z "$(ls -A)" ]' 'absent names cannot be made'
	quiet "$who" 'absent names'
	fresh "$who" 'mkdir .claude && echo "{}" >.claude/settings.json && echo "{}" >.mcp.json'
	inside "$who" 'echo x >.claude/settings.json; echo x >.claude/new; echo x >.mcp.json; rm -rf .claude .mcp.json; mv -T .claude c; cat .claude/settings.json .mcp.json'
	want '.stdout == "{}\n{}\n"' "$who: settings can be read"
	host "$who" '[ "$(cat .claude/settings.json .mcp.json)" = $'"'{}\\n{}'"' ] && [ ! -e .claude/new ] && [ ! -e c ]' 'and not changed'
	fresh "$who" 'mkdir ../real && ln -s ../real .vscode'
	inside "$who" 'rm .vscode; mkdir .vscode; echo x >.vscode/tasks.json'
	want '[.changes[] | select(.path == ".vscode") | .moved_to] | length == 1' \
		"$who: a link that was replaced is reported"
	host "$who" '[ "$(readlink .vscode)" = ../real ] && [ -z "$(ls ../real)" ] && rmdir ../real' \
		'and put back'
	inside "$who" 'echo "a: 1" >.caisson.yaml'
	host "$who" '[ ! -e .caisson.yaml ]' 'a policy of the project cannot be made'
	fresh "$who" 'mkdir src && echo x >src/x'
	inside "$who" 'set -e; echo y >src/y; mv src lib; echo A=1 >.env; touch .gitignore .eslintrc README.md; mkdir -p .github/workflows; echo on: push >.github/workflows/ci.yml; ln -s lib/x l; rm lib/x'
	want '.exit_code == 0' "$who: ordinary work"
	quiet "$who" 'ordinary work'
	host "$who" '[ -e lib/y ] && [ -e .env ] && [ -e .github/workflows/ci.yml ]' 'and it is there'
}

# Several boxes share the placeholders; the last one removes them. A launcher that is killed leaves none.
together() {
	local who=$1 i pid left
	fresh "$who" "$repo"
	for i in 1 2 3 4; do
		(cd "$ws" && as "$who" "$tmp/caisson" run --workspace "$ws:rw" --cwd "$ws" -c \
			"sleep 0.$i; echo x >.vscode/x; mkdir .claude/y; echo x >.git/hooks/pre-commit; [ ! -s .git/config.worktree ]") >"$tmp/out.$i" 2>&1 </dev/null &
	done
	wait
	[[ $(jq -s '[.[].exit_code] == [0, 0, 0, 0]' "$tmp"/out.[1-4]) == true ]]
	result $? "$who: four boxes in one workspace"
	host "$who" '[ "$(LC_ALL=C ls -A | tr "\n" " ")" = ".git a " ] && [ ! -e .git/hooks/pre-commit ] && [ ! -e .git/commondir ]' 'nothing is left of them'
	(cd "$ws" && become "$who" "$tmp/caisson" run --workspace "$ws:rw" --cwd "$ws" -c \
		'git init -q --bare planted; mkdir -p .github/hooks; touch ready; sleep 20') >/dev/null 2>&1 \
		</dev/null &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[[ -e $ws/ready ]] && break
		sleep 0.02
	done
	[[ -d $ws/.claude ]]
	result $? "$who: placeholders are there while the box runs"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	for ((i = 0; i < 200; i++)); do
		# shellcheck disable=SC2012
		left=$(cd "$ws" && LC_ALL=C ls -A | tr '\n' ' ')
		[[ $left == ".git .github a planted ready " && ! -e $ws/planted/HEAD &&
			! -e $ws/.github/hooks ]] && break
		sleep 0.02
	done
	[[ $left == ".git .github a planted ready " && ! -e $ws/.git/commondir ]]
	result $? "$who: a launcher that was killed leaves none: $left"
	[[ ! -e $ws/planted/HEAD && ! -e $ws/.github/hooks &&
		$(find "$tmp/$who/state/quarantine" -name '*-HEAD' -newer "$ws/a" | wc -l) -ge 1 ]]
	result $? "$who: and what its box planted is in quarantine all the same"
}

for who in $(people); do
	git_attacks "$who"
	git_twins "$who"
	planted "$who"
	settings "$who"
	together "$who"
done
done_testing
