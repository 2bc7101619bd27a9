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
box 'branches, a merge and a stash' 'git checkout -q -b topic && echo x >a && git add a && git commit -qm topic && git checkout -q main && git merge -q topic && echo y >>a && git stash -q && git stash pop -q'
host 'they are there' '[[ $(git log -1 --format=%s) == topic && -z $(git stash list) ]] && git fsck'
host 'clean' 'git reset -q --hard && git clean -qfd'

# ---- a linked worktree ----
git worktree add -q "$HOME/linked" -b linked
cd "$HOME/linked" || exit 1
echo x >b
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
