#!/bin/bash
# What the gate knows of repositories: hooks, configured programs, and names that a checkout or merge changes. Real git, one directory. TAP.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
CAISSON=${CAISSON:-$here/build/caisson}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
export HOME=$tmp/home
unset XDG_CONFIG_HOME XDG_STATE_HOME CAISSON_STATE TMPDIR GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
export GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"

result() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		sed 's/^/#   /' "$tmp/said"
	fi
}

# judge VERDICT ID COMMAND: in $dir, the verdict, and a reason of that id ("-": none at all)
judge() {
	"$CAISSON" check --cwd "$dir" -- "$3" >"$tmp/said" 2>&1
	local verdict reason=1
	verdict=$(head -1 "$tmp/said")
	if [[ $2 == - ]]; then [[ $(grep -c '(ask)\|(deny)\|(contain)' "$tmp/said") == 0 ]] && reason=0; else grep -q "^  $2 (" "$tmp/said" && reason=0; fi
	[[ $verdict == "$1"* && $reason == 0 ]]
	result $? "${dir##*/}: $1 $2: $3"
}

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
judge allow - 'cd "$X" && git status'
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
printf '[include]\n\tpath = ../more\n' >>"$dir/.git/config"
printf '[merge "x"]\n\tdriver = ./tools/diff %%A %%B\n' >"$dir/more"
judge contain git-hook 'git merge main'
judge allow - 'git log'
printf '[core]\n\tpager = a\\\n\tb\n' >"$dir/more"
judge contain git-hook 'git log'
says 'does not understand'

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
git -C "$dir" config tag.gpgsign true
judge allow - 'git tag'
judge allow - 'git tag v1'

echo "1..$n"
