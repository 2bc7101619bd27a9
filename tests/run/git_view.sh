#!/bin/bash
# What the gate knows of repositories: hooks, configured programs, and names that a checkout or merge changes.
# Real git, one directory. TAP.
# shellcheck source=tests/judge.sh
. "$(dirname "$0")/../judge.sh"

# The last judgement says this.
says() {
	grep -q -- "$1" "$tmp/said"
	result $? "it says: $1"
}

# repository NAME: with one commit
repository() {
	dir=$HOME/$1
	git init -q -b main "$dir"
	git -C "$dir" config user.name A
	git -C "$dir" config user.email a@example.com
	echo x >"$dir/README.md"
	git -C "$dir" add -A
	git -C "$dir" commit -qm first
}

hook() {
	mkdir -p "${1%/*}"
	printf '#!/bin/sh\necho hook\n' >"$1"
	chmod "${2:-755}" "$1"
}

# ---- no hooks ----
repository plain
judge allow - 'git commit -m x'
judge allow - 'git status'
judge allow - 'git checkout -b y'
judge allow - 'git merge main'
judge allow - 'git add -A && git commit -m x && git log --oneline -1'
hook "$dir/.git/hooks/pre-commit.sample"
hook "$dir/.git/hooks/pre-push" 644 # git ignores what is not executable
judge allow - 'git commit -m x'
mkdir "$dir/.husky" && cp "$dir/.git/hooks/pre-commit.sample" "$dir/.husky/pre-commit" # nothing points there
judge allow - 'git commit -m x'
judge allow - 'git -C . commit -m x'
judge allow - 'cd nowhere; git commit -m x'

# ---- core.hooksPath in the project ----
repository husky
git -C "$dir" config core.hooksPath .husky
hook "$dir/.husky/pre-commit"
hook "$dir/.husky/commit-msg"
mkdir "$dir/sub"
judge contain git-hook 'git commit -m x'
says 'git commit runs hooks of this repository: .*/husky/.husky/pre-commit'
judge contain git-hook 'git add -A && git commit -m x'
judge contain git-hook 'cd sub && git commit -am x'
judge contain git-hook 'git -C sub commit -m x'
judge contain git-hook 'git merge other'
judge contain git-hook 'git merge --continue'
judge contain git-hook 'git cherry-pick --continue'
judge contain git-hook 'git commit --no-verify --verify -m x'
judge allow - 'git commit --no-verify -m x'
judge allow - 'git commit -n -m x'
judge allow - 'git commit -nm x'
judge allow - 'git merge --no-verify other'
judge allow - 'git cherry-pick main'
judge allow - 'git status'
judge allow - 'git add -A'
judge allow - 'git checkout -b y'
judge allow - 'git stash'
judge allow - 'git log -3'
judge allow - 'git branch y'
judge contain git-hook 'bash -c "git commit -m x"'
judge contain git-hook 'time git commit -m x'
judge contain git-hook 'cd "$X" && git commit -m x'
judge contain git-hook 'cd sub; git commit -m x'
judge contain git-planted 'cd "$X" && git status'
judge contain git-hook 'git --git-dir=../husky/.git --work-tree=. commit -m x'
judge contain git-hook 'GIT_DIR=../husky/.git git commit -m x'
dir=$dir/sub
judge contain git-hook 'git commit -m x'
dir=$HOME
judge ask git-hook 'git -C husky commit -m x'
judge ask git-hook 'cd husky && git commit -m x'
git -C "$HOME/husky" worktree add -q "$HOME/linked" -b linked 2>/dev/null
hook "$HOME/linked/.husky/pre-commit"
dir=$HOME/linked
judge contain git-hook 'git commit -m x'
rm -r "$HOME/linked/.husky"
judge allow - 'git commit -m x'

# ---- the repository's own directory of hooks ----
repository own
hook "$dir/.git/hooks/post-checkout"
hook "$dir/.git/hooks/pre-push"
judge contain git-hook 'git checkout main'
judge contain git-hook 'git switch -c y'
judge contain git-hook 'git worktree add .w'
judge allow - 'git commit -m x'
judge ask git-hook 'git push origin main'
"$CAISSON" check --cwd "$dir" -- 'git push --no-verify origin main' >"$tmp/said" 2>&1
! grep -q git-hook "$tmp/said"
result $? 'git push --no-verify fires no hook'
judge ask git-hook 'git push -v origin main'
git -C "$dir" worktree add -q "$HOME/linked-own" -b linked-own >/dev/null 2>&1
dir=$HOME/linked-own
judge contain git-hook 'git checkout -b z' # hooks are those of the repository
hook "$HOME/own/.git/hooks/reference-transaction"
judge contain git-hook 'git branch y'

# ---- git-lfs's hooks only call git-lfs ----
repository lfs
cat >"$dir/.git/hooks/post-checkout" <<'H'
#!/bin/sh
command -v git-lfs >/dev/null 2>&1 || { echo >&2 "\nThis repository is configured for Git LFS but 'git-lfs' was not found on your path.\n"; exit 2; }
git lfs post-checkout "$@"
H
chmod +x "$dir/.git/hooks/post-checkout"
git -C "$dir" config filter.lfs.clean 'git-lfs clean -- %f'
git -C "$dir" config filter.lfs.process 'git-lfs filter-process'
judge allow - 'git checkout main'
judge allow - 'git add -A'
echo ./x >>"$dir/.git/hooks/post-checkout"
judge contain git-hook 'git checkout main'

# ---- settings ----
repository settings
mkdir "$dir/tools"
touch "$dir/tools/clean.js" "$dir/tools/diff" "$dir/tools/sign"
git -C "$dir" config filter.x.clean 'node tools/clean.js'
judge contain git-hook 'git add -A'
says "git add runs 'node tools/clean.js', a program of this project (filter.x.clean)"
judge contain git-hook 'git status'
judge contain git-hook 'git checkout main'
judge allow - 'git branch y'
git -C "$dir" config --unset filter.x.clean
judge allow - 'git add -A'
git -C "$dir" config diff.external ./tools/diff
judge contain git-hook 'git diff'
judge allow - 'git status'
git -C "$dir" config --unset diff.external
git -C "$dir" config core.fsmonitor tools/diff
judge contain git-hook 'git status'
git -C "$dir" config core.fsmonitor true
judge allow - 'git status'
git -C "$dir" config core.fsmonitor '$HOME/x'
judge contain git-hook 'git status'
git -C "$dir" config --unset core.fsmonitor
git -C "$dir" config core.pager 'less -R'
git -C "$dir" config credential.helper store
git -C "$dir" config merge.union.driver 'true %A'
judge allow - 'git log'
judge allow - 'git merge main'
# programs that show differences, and editors: also of commands that seldom run them
git -C "$dir" config diff.t.textconv ./tools/diff
judge contain git-hook 'git grep --textconv a'
judge contain git-hook 'git grep --textc a'
judge contain git-hook 'git reflog -p'
judge contain git-hook 'git reflog show --patch'
judge contain git-hook 'git stash show -p --textconv'
judge allow - 'git grep -n a'
git -C "$dir" config --unset diff.t.textconv
judge allow - 'git grep --textconv a'
judge allow - 'git reflog -p'
git -C "$dir" config diff.external ./tools/diff
judge contain git-hook 'git stash show -p --ext-diff'
judge contain git-hook 'git format-patch -1 --ext-diff --stdout'
git -C "$dir" config --unset diff.external
judge allow - 'git stash show -p'
judge allow - 'git format-patch -1 --stdout'
git -C "$dir" config core.editor ./tools/diff
judge contain git-hook 'git notes add'
judge contain git-hook 'git notes edit'
judge contain git-hook 'git branch --edit-description'
judge contain git-hook 'git commit'
judge contain git-hook 'git tag -a v1'
judge contain git-hook 'git merge --edit main'
judge ask git-hook 'git rebase -i main'
judge contain git-hook 'git checkout -p'
judge contain git-hook 'git stash -p'
judge allow - 'git branch y'
judge allow - 'git notes list'
judge allow - 'git checkout -b y'
git -C "$dir" config core.editor vim
judge allow - 'git notes add -m x'
judge allow - 'git commit -m x'
git -C "$dir" config --unset core.editor
git -C "$dir" config merge.z.driver './tools/diff %A'
judge contain git-hook 'git merge-tree main main'
git -C "$dir" config --unset merge.z.driver
judge allow - 'git merge-tree main main'
printf '[include]\n\tpath = ../more\n' >>"$dir/.git/config"
printf '[merge "x"]\n\tdriver = ./tools/diff %%A %%B\n' >"$dir/more"
judge contain git-hook 'git merge main'
judge allow - 'git log'
printf '[core]\n\tpager = a\\\n\tb\n' >"$dir/more"
judge contain git-hook 'git log'
says 'cannot parse'

# ---- the person's own ----
repository person
hook "$HOME/hooks/pre-commit"
cat >"$HOME/.gitconfig" <<'C'
[user]
	name = A
	email = a@example.com
[core]
	hooksPath = ~/hooks
	pager = delta --dark
	editor = vim
[credential]
	helper = !/usr/bin/gh auth git-credential
[filter "lfs"]
	clean = git-lfs clean -- %f
	process = git-lfs filter-process
[alias]
	lg = "log --graph \
		--all"
C
judge allow - 'git commit -m x'
judge allow - 'git log'
judge allow - 'git add -A'
printf '[core]\n\thooksPath = .husky\n' >>"$HOME/.gitconfig"
hook "$dir/.husky/pre-commit"
judge contain git-hook 'git commit -m x'
rm "$HOME/.gitconfig"

# ---- signatures ----
repository signed
judge allow - 'git commit -S -m x'
hook "$dir/.git/hooks/pre-commit"
judge ask not-contained 'git commit -S -m x'
says 'no box has the key'
judge contain git-hook 'git commit -m x'
git -C "$dir" config commit.gpgsign true
judge ask not-contained 'git commit -m x'
judge contain git-hook 'git commit --no-gpg-sign -m x'
judge ask not-contained './test.sh && git commit -m x'
judge allow - 'git commit --no-verify -m x'
for value in TRUE 2 Yes; do
	git -C "$dir" config commit.gpgsign "$value"
	judge ask not-contained 'git commit -m x'
done
for value in FALSE 0 off; do
	git -C "$dir" config commit.gpgsign "$value"
	judge contain git-hook 'git commit -m x'
done
git -C "$dir" config commit.gpgsign true
git -C "$dir" config tag.gpgsign true
judge allow - 'git tag'
judge allow - 'git tag v1'

# ---- names that a change of the working tree touches ----
# branch NAME FILE: a branch that changes the file, from main
branch() {
	git -C "$dir" checkout -q -b "$1" main
	mkdir -p "$(dirname "$dir/$2")"
	echo "$1" >"$dir/$2"
	git -C "$dir" add -A -f
	git -C "$dir" commit -qm "$1"
	git -C "$dir" checkout -q main
}
repository tree
branch plain src/a.c
branch hooks .husky/pre-commit
branch agent .claude/settings.json
mkdir -p "$dir/.vscode" "$dir/lib"
for f in a b c d e; do echo x >"$dir/.vscode/$f"; done
git -C "$dir" checkout -q -b many main && git -C "$dir" add -A -f && git -C "$dir" commit -qm many &&
	git -C "$dir" checkout -q main
judge allow - 'git checkout plain'
judge allow - 'git switch plain'
judge allow - 'git checkout -b new plain'
judge allow - 'git checkout -b new'
judge allow - 'git merge plain'
judge allow - 'git merge --no-ff plain -m x'
judge allow - 'git cherry-pick plain'
judge allow - 'git revert plain'
judge ask git-destructive 'git reset --keep plain'
judge allow - 'git checkout plain -- src'
judge allow - 'git restore --source=plain src/a.c'
judge allow - 'git checkout nosuch'
judge allow - 'git checkout README.md'
judge ask protected-write 'git checkout hooks'
says "git checkout changes a file that other programs run or obey: .*/tree/.husky/pre-commit'"
judge ask protected-write 'git switch hooks'
judge ask protected-write 'git switch -c new hooks'
judge ask protected-write 'git checkout -b new hooks'
judge ask protected-write 'git checkout --detach agent'
judge ask protected-write 'git merge hooks'
judge ask protected-write 'git merge plain agent'
judge ask protected-write 'git cherry-pick plain agent'
judge ask protected-write 'git cherry-pick main..agent'
judge ask protected-write 'git revert agent'
judge ask protected-write 'git reset --keep agent'
judge ask protected-write 'git reset --hard agent'
judge ask protected-write 'git read-tree -m -u agent'
judge ask protected-write 'git checkout agent -- .claude/settings.json'
judge ask protected-write 'git checkout agent .claude'
judge ask protected-write 'git checkout agent -- :/'
judge ask protected-write 'git restore -s agent .'
judge allow - 'git checkout agent -- src'
judge ask protected-write 'git restore --source agent --staged .claude' # the index is restored from later
judge ask protected-write 'git read-tree agent; git restore "*"'
judge ask protected-write 'git read-tree agent'
judge allow - 'git read-tree plain'
judge allow - 'git read-tree HEAD'
judge allow - 'git restore --staged README.md'
judge allow - 'git restore --source=agent README.md'
judge ask protected-write 'git checkout many'
says "files that other programs run or obey: .*a', .*b', .*c', \\.\\.\\."
judge ask protected-write 'cd lib && git checkout hooks'
judge ask protected-write 'cd lib; git checkout hooks' # wherever it starts then
judge allow - 'cd lib; git checkout plain'
judge ask protected-write 'mkdir -p made/below && cd made/below && git switch hooks'
judge ask protected-write 'rm README.md; mkdir README.md; git -C README.md merge hooks'
judge allow - 'mkdir made && cd made && git switch plain'
judge ask protected-write 'cd "$(git rev-parse --show-toplevel)" && git merge hooks'
judge ask protected-write 'git checkout plain && git checkout hooks'
judge ask protected-write "git sparse-checkout set --no-cone '/*' && git checkout hooks"
judge ask protected-write 'git gc && git checkout hooks'
judge ask protected-write 'git worktree add -B plain ../other hooks && git checkout plain'
judge ask protected-write 'git unknown-command && git checkout plain'
judge allow - 'git sparse-checkout set src && git checkout plain'
judge allow - 'git remote add up ../up.git && git checkout plain'
judge allow - 'git worktree add sub/other && git checkout plain'
git -C "$dir" checkout -q plain && git -C "$dir" checkout -q main
judge allow - 'git checkout -'
git -C "$dir" checkout -q hooks && git -C "$dir" checkout -q main
judge ask protected-write 'git checkout -'
judge ask protected-write 'git checkout @{-1}'
mkdir -p "$dir/.idea" && echo x >"$dir/.idea/w" && git -C "$dir" stash -qu
judge ask protected-write 'git stash pop'
judge ask protected-write 'git stash apply stash@{0}'
judge ask protected-write 'git stash apply 0'
judge ask protected-write 'git stash && git stash pop' # nothing is changed, so it is the stash of before
judge ask protected-write 'git checkout -b y; git stash pop'
judge ask protected-write 'git stash && git checkout -b y && git stash apply'
echo y >"$dir/README.md" && git -C "$dir" stash -q
judge allow - 'git stash pop'
judge ask protected-write 'git stash pop 1'
judge ask protected-write 'git stash pop; git stash pop'
judge ask protected-write 'for i in 1 2; do git stash pop; done'
judge allow - 'git stash && git stash pop'
judge allow - 'git stash list'
judge allow - 'git stash'
judge allow - 'git stash && npm --version'
git -C "$dir" checkout -q agent && echo changed >"$dir/.claude/settings.json"
judge ask protected-write 'git stash'
judge ask protected-write 'git stash push -m x'
judge allow - 'git stash push -- README.md'
git -C "$dir" checkout -q -- . && rm "$dir/.claude/settings.json"
judge ask protected-write 'git stash' # it comes back
git -C "$dir" checkout -q -- . && git -C "$dir" checkout -q main

judge ask protected-write 'git stash branch new stash@{1}'
judge allow - 'git stash branch new'
judge ask protected-write 'git rebase hooks'
judge ask protected-write 'git rebase --onto agent plain'
judge ask protected-write 'git rebase plain hooks'
judge ask git-rewrite 'git rebase plain'
"$CAISSON" check --cwd "$dir" -- 'git rebase plain' >"$tmp/said" 2>&1
! grep -q protected-write "$tmp/said"
result $? 'git rebase plain touches nothing that is protected'
judge ask protected-write 'git pull . hooks'
judge ask protected-write 'git pull --rebase . agent'
judge ask network 'git pull'
judge ask protected-write 'git bisect start hooks main'
judge allow - 'git bisect start plain main'
judge allow - 'git bisect start'
judge allow - 'git bisect log'
judge ask protected-write 'git merge "$X"' # any commit
judge ask protected-write 'git merge "$X" && cp README.md src/a.c'
says changed-tree

# The names are those of the commits, whatever the repository configures.
canary="$tmp/canary"
git -C "$dir" config core.fsmonitor "touch $canary"
git -C "$dir" config diff.external "touch $canary"
git -C "$dir" config core.pager "touch $canary"
git -C "$dir" config core.sshCommand "touch $canary"
git -C "$dir" config filter.x.smudge "touch $canary"
git -C "$dir" config diff.x.textconv "touch $canary"
git -C "$dir" config trace2.normalTarget "$canary"
echo '* filter=x diff=x' >"$dir/.git/info/attributes"
"$CAISSON" check --cwd "$dir" -- 'git checkout hooks' >"$tmp/said" 2>&1
grep -q protected-write "$tmp/said" && [[ ! -e $canary ]]
result $? 'nothing that is configured runs'
touch "$dir"/* "$dir/.git/index"
"$CAISSON" check --cwd "$dir" -- 'git stash' >"$tmp/said" 2>&1
[[ ! -e $canary ]]
result $? 'nor where files are compared'
rm "$dir/.git/info/attributes"
git -C "$dir" config remote.origin.promisor true
"$CAISSON" check --cwd "$dir" -- 'git checkout hooks' >"$tmp/said" 2>&1
! grep -q protected-write "$tmp/said"
result $? 'a partial clone is not asked about: it might fetch'

# a branch of the remote, and what a request moves itself
git clone -q "$HOME/own" "$HOME/clone" 2>/dev/null
git -C "$HOME/own" checkout -q -b remote && mkdir "$HOME/own/.vscode" && echo x >"$HOME/own/.vscode/x"
git -C "$HOME/own" add -A && git -C "$HOME/own" -c core.hooksPath=/dev/null commit -qm r
dir=$HOME/clone
git -C "$dir" fetch -q
judge ask protected-write 'git checkout remote'
judge ask protected-write 'git merge origin/remote'
judge ask protected-write 'git branch -m x && git merge origin/remote'
judge ask protected-write 'git branch x origin/remote; git merge x' # the name is new
judge ask protected-write 'git stash -q; git merge origin/remote'
judge allow - 'git commit -am x && git checkout HEAD~1'
judge ask protected-write 'git commit -am x && git checkout remote'

# What was known then decides in a replay.
export CAISSON_STATE=$tmp/state
cd "$dir" || exit 1
"$CAISSON" run --gate --profile work -c 'git checkout remote' >"$tmp/said" 2>&1
git -C "$dir" update-ref -d refs/remotes/origin/remote
"$CAISSON" replay \
	"$(cat "$CAISSON_STATE"/audit/*.jsonl | jq -r 'select(.answers.git_trees).id' | tail -n 1)" \
	>"$tmp/said" 2>&1
grep -q '^derived    ask: protected-write (the same)$' "$tmp/said"
result $? 'a replay has the same answers'
unset CAISSON_STATE
cd "$here" || exit 1

# a policy's own protected paths
mkdir -p "$HOME/.config/caisson"
echo 'protected_paths: [deploy/**]' >"$HOME/.config/caisson/config.yaml"
chmod 600 "$HOME/.config/caisson/config.yaml"
repository policy
branch deploy deploy/run.sh
branch other other/run.sh
judge ask protected-write 'git checkout deploy'
judge allow - 'git checkout other'

echo "1..$n"
