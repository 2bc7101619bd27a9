#!/bin/bash
# Git in a box of the work profile: commits with hooks, in a repository and in linked worktrees of one. Real git. TAP.
# shellcheck source=tests/judge.sh
. "$(dirname "$0")/../judge.sh"
export CAISSON_STATE=$tmp/state
printf '[user]\n\tname = Nobody\n[include]\n\tpath = me\n' >"$HOME/.gitconfig"
printf '[user]\n\tname = Ada\n\temail = ada@example.com\n' >"$HOME/me"

# box TITLE COMMAND: it runs in a box in $PWD and ends well
box() {
	"$CAISSON" run --profile work -c "$2" >"$tmp/said" 2>&1
	result $? "$1"
}

# host TITLE COMMAND: the same outside
host() {
	bash -c "$2" >"$tmp/said" 2>&1
	result $? "$1"
}

git init -q -b main "$HOME/repo"
cd "$HOME/repo" || exit 1
mkdir .husky scripts
echo checked >.gitignore
printf '#!/bin/sh\nsh scripts/lint.sh && echo checked >checked\n' >.husky/pre-commit
echo 'test "$(git rev-parse --show-toplevel)" = "$PWD"' >scripts/lint.sh
chmod +x .husky/pre-commit
git config core.hooksPath .husky
git add -A
box 'a commit with a hook' 'git commit -m first'
host 'it is there, by the person' '[[ $(git log --format="%an %ae %s") == "Ada ada@example.com first" && -e checked ]]'
# node --test and others give up at a link that leads nowhere
box 'no link in the repository leads nowhere' '[[ -z $(find . -xtype l) && -f .git/config.worktree ]]'
box 'branches, a merge and a stash' 'git checkout -q -b topic && echo x >a && git add a && git commit -qm topic && git checkout -q main && git merge -q topic && echo y >>a && git stash -q && git stash pop -q'
host 'they are there' '[[ $(git log -1 --format=%s) == topic && -z $(git stash list) ]] && git fsck'
host 'clean' 'git reset -q --hard && git clean -qfd'

# ---- a linked worktree ----
git worktree add -q "$HOME/linked" -b linked
cd "$HOME/linked" || exit 1
echo x >b
box 'no link in a linked worktree leads nowhere' '[[ -z $(find . "$HOME/repo/.git" -xtype l) ]]'
box 'a commit in a linked worktree' 'git add -A && git commit -m second && git status && git log --oneline -3'
host 'it is there' '[[ $(git log -1 --format="%an %s") == "Ada second" && -z $(git status --porcelain) ]] && git -C ../repo rev-parse linked && git fsck'
box 'a branch and a switch' 'git switch -q -c other && git switch -q linked && git branch -d other'
cp "$HOME/repo/.git/config" "$tmp/config"
box 'configuration and hooks stay as they are' '
	git config core.fsmonitor x && ! echo x >"$HOME/repo/.git/hooks/post-commit" && echo "[alias] x = !x" >>"$HOME/repo/.git/config" &&
	! mv "$HOME/repo/.git/config" "$HOME/repo/.git/x" && ! mv "$HOME/repo/.git/hooks" "$HOME/repo/.git/x" && ! rm -rf "$HOME/repo/.git/hooks" &&
	! echo /tmp >"$HOME/repo/.git/worktrees/linked/commondir" && echo "[core] fsmonitor = x" >"$HOME/repo/.git/config.worktree" &&
	echo "[core] fsmonitor = x" >"$HOME/repo/.git/worktrees/linked/config.worktree"'
host 'nothing is left of it' 'cmp "$HOME/repo/.git/config" '"$tmp/config"' && [[ ! -e $HOME/repo/.git/config.worktree && ! -e $HOME/repo/.git/worktrees/linked/config.worktree && ! -e $HOME/repo/.git/commondir && ! -e $HOME/repo/.git/hooks/post-commit ]] && git status && git -C ../repo status'
box 'the other working tree is not seen' '! cat "$HOME/repo/scripts/lint.sh" && ! ls "$HOME/repo/.husky"'
echo canary >"$HOME/canary"
box 'a link in the place of a file that git writes' 'ln -sf "$HOME/canary" "$HOME/repo/.git/worktrees/linked/COMMIT_EDITMSG"; ln -sf "$HOME/canary" "$HOME/repo/.git/logs/refs/heads/linked"; true'
host 'is gone before git writes' 'git commit -q --no-verify --allow-empty -m evil; [[ $(cat ~/canary) == canary ]]'
box 'a repository planted in the shared directory' 'mkdir "$HOME/repo/.git/evil" && cd "$HOME/repo/.git/evil" && git init -q --bare . && git config core.fsmonitor "touch /tmp/x"'
host 'is moved away' '[[ ! -e $HOME/repo/.git/evil/HEAD ]]'

git -C "$HOME/repo" remote add origin "$HOME/repo" && git fetch -q
box 'tracking in a linked worktree' 'git branch -u origin/main && git config user.email two@example.com'
host 'is taken over' '[[ $(git rev-parse --abbrev-ref @{upstream}) == origin/main && $(git config user.email) == two@example.com ]] && git -C ../repo config --unset user.email'

# ---- a submodule as the project ----
git init -q -b main "$HOME/lib" && git -C "$HOME/lib" commit -q --allow-empty -m lib
git init -q -b main "$HOME/super" && cd "$HOME/super" && git commit -q --allow-empty -m super && git -c protocol.file.allow=always submodule --quiet add "$HOME/lib" vendor/lib && git commit -qm sub
cd "$HOME/super/vendor/lib" || exit 1
box 'a commit in a submodule' 'echo x >b && git add b && git commit -m third && git checkout -q -b topic --track origin/main && git status && git log --oneline -3'
host 'it is there, with its branch' '[[ $(git log -1 --format="%an %s" main) == "Ada third" && $(git rev-parse --abbrev-ref topic@{upstream}) == origin/main && -z $(git status --porcelain) ]] && git fsck && git -C "$HOME/super" status'
box 'its settings and hooks are protected' 'd=$HOME/super/.git/modules/vendor/lib; ! echo x >$d/hooks/post-commit && git config core.fsmonitor "touch $HOME/super/canary" && git config core.worktree / && ! mv $d/config $d/x && ! mv $d $d.x; git init -q --bare $d/objects/evil; echo "[core] fsmonitor = x" >>$d/objects/evil/config'
host 'nothing is left of it' '[[ ! -e $HOME/super/.git/modules/vendor/lib/hooks/post-commit && ! -e $HOME/super/.git/modules/vendor/lib/objects/evil/HEAD && $(git config core.worktree) == ../../../../vendor/lib ]] && git status && [[ ! -e ~/super/canary ]]'
box 'the repository around it is not seen' '! ls "$HOME/super/.git/HEAD" "$HOME/super/.git/config" && ! touch "$HOME/super/.git/modules/vendor/lib/../x/HEAD"'
cd "$HOME/super" || exit 1
box 'submodules in the project around it' 'git submodule status && git submodule deinit -q -f --all && git submodule init && git -c protocol.file.allow=always submodule update && git -C vendor/lib log --oneline'
host 'their state is taken over' '[[ $(git config submodule.vendor/lib.url) == "$HOME/lib" ]] && git submodule status && git -C vendor/lib status'
mkdir "$HOME/stolen" && cd "$HOME/stolen" || exit 1
echo "gitdir: $HOME/super/.git/modules/vendor/lib" >.git
"$CAISSON" run --profile work -c 'ls "$HOME/super/.git/modules"' >"$tmp/said" 2>&1
[[ $? != 0 ]]
result $? 'a directory that the submodule does not name gets nothing'

# ---- launchers that are killed: settings of the box never reach the host unchecked ----
cd "$HOME/repo" || exit 1
git checkout -q main
evil='git config core.fsmonitor "touch $HOME/repo/canary"; git config user.email killed@example.com; git branch -u origin/main; git remote add evil https://example.com/'
# copies_left: no directory of a single run, nothing but plain copies, and nothing that the box wrote in one
copies_left() {
	find "$CAISSON_STATE/git" -mindepth 1 \( -name '*-*' -o ! -type f ! -type d -o -mindepth 2 -type d \)
	find "$CAISSON_STATE/git" -type f -exec grep -l 'evil\|fsmonitor\|killed' {} +
}
# is_clean: no changed copy, no lock, no placeholder is left, and git obeys nothing of the box
is_clean() {
	[[ -z $(copies_left 2>/dev/null) && ! -e .vscode && ! -e .gitmodules && ! -e .git/config.lock ]] &&
		[[ -z $(git config core.fsmonitor)$(git config remote.evil.url) && ! -e canary ]] &&
		[[ $(git config remote.origin.url) == "$HOME/repo" ]] && git status >/dev/null &&
		[[ ! -e canary && $(git config user.email) =~ ^(ada|killed)@example.com$ ]] &&
		[[ -z $(git status --porcelain --ignored=no -uno) ]]
}
# clean: it becomes so; the undertaker of a killed launcher may still be at work
clean() {
	local i
	for ((i = 0; i < 300; i++)); do
		is_clean && return
		sleep 0.02
	done
	return 1
}
bad=''
for delay in 0.002 0.005 0.008 0.01 0.012 0.015 0.02 0.025 0.03 0.04; do
	git config --unset user.email # what an earlier run left would be in the copies of this one
	"$CAISSON" run --profile work -c "$evil" >/dev/null 2>&1 </dev/null &
	pid=$!
	sleep "$delay"
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	clean || bad+=" $delay"
done
[[ -z $bad ]]
result $? "launchers killed at different times:$bad"
# Starts a box that has made its changes and waits.
start_evil() {
	git config --unset user.email
	rm -f checked
	"$CAISSON" run --profile work -c "$evil; touch checked; sleep 20" >/dev/null 2>&1 </dev/null &
	pid=$!
	for ((i = 0; i < 300; i++)); do
		[[ -e checked ]] && break
		sleep 0.02
	done
}
start_evil
[[ -e checked && -z $(git config core.fsmonitor)$(git config remote.evil.url) && $(git config user.email) == ada@example.com ]]
result $? 'nothing of it is seen while the box runs'
kill -9 "$pid"
wait "$pid" 2>/dev/null
clean && [[ $(git config user.email) == killed@example.com ]]
result $? 'the undertaker of a killed launcher takes over what is safe, and only that'
start_evil
# shellcheck disable=SC2046 # pids
kill -9 $(pgrep -P "$pid") "$pid"
wait "$pid" 2>/dev/null
[[ -n $(copies_left) && -z $(git config core.fsmonitor)$(git config remote.evil.url) ]] && git status >/dev/null && [[ ! -e canary ]]
result $? 'with everything of it killed at once, the copies stay apart'
box 'the next run' true
clean && [[ $(git config user.email) == ada@example.com ]]
result $? 'removes them'

# ---- copies are used again: nothing that a program left in their place is ----
echo secret >"$HOME/outside"
box 'a program replaces its copies by links, pipes and trees' 'd=$(echo /caisson/git/*); for f in "$d"/*; do rm "$f"; ln -s "$HOME/outside" "$f"; done; ln -s / "$d/root"; mkfifo "$d/pipe"; mkdir -p "$d/a/b/c/d"; touch "$d/a/b/x"; chmod 0 "$d/a/b" "$d/a"; chmod 0 "$d"'
[[ -z $(copies_left) && $(cat "$HOME/outside") == secret ]]
result $? 'nothing of it stays'
box 'the next one has the right text' '[[ $(git config remote.origin.url) == "$HOME/repo" && -z $(git config core.fsmonitor) ]] && git config user.email ada@example.com && git log -1'
copy=$(find "$CAISSON_STATE/git" -type f | head -1)
size=$(stat -c %s "$copy")
head -c "$size" /dev/zero | tr '\0' '#' >"$copy"
box 'a text of the same size is seen' '[[ $(git config remote.origin.url) == "$HOME/repo" ]]'
ln "$HOME/outside" "$copy.link" && mv -f "$copy.link" "$copy"
box 'a file with another name is not used' 'git config branch.main.description x && git config user.email ada@example.com && [[ $(git config remote.origin.url) == "$HOME/repo" ]]'
[[ $(cat "$HOME/outside") == secret && $(git config branch.main.description) == x && -z $(copies_left) ]]
result $? 'it is as it was, and settings are taken over'
start_evil
box 'a box beside another one has its own copies' '[[ -z $(git config core.fsmonitor)$(git config remote.evil.url) ]] && git config branch.main.description beside'
kill "$pid"
wait "$pid" 2>/dev/null
clean && [[ $(git config branch.main.description) == beside ]]
result $? 'which are taken over and removed'

# ---- one that the repository does not know ----
cp -r "$HOME/linked" "$HOME/copy"
cd "$HOME/copy" || exit 1
"$CAISSON" run --profile work -c 'ls "$HOME/repo/.git"' >"$tmp/said" 2>&1
[[ $? != 0 ]]
result $? 'a copy of a worktree gets nothing: the repository names another directory'
mkdir "$HOME/forged" && cd "$HOME/forged" || exit 1
echo "gitdir: $HOME/repo/.git/worktrees/none" >.git
"$CAISSON" run --profile work -c 'ls "$HOME/repo/.git"' >"$tmp/said" 2>&1
[[ $? != 0 ]]
result $? 'nor does one that the repository never had'
cd "$HOME/linked" || exit 1
"$CAISSON" run -c 'ls "$HOME/repo/.git"' >"$tmp/said" 2>&1
[[ $? != 0 ]]
result $? 'nor the exec profile'
cd / || exit 1
echo "1..$n"
