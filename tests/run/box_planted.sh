#!/bin/bash
# Planted repositories: after any boxed program, running git in any directory of the workspace on the host
# executes nothing that the program brought. Attacks with their benign twins, as root and as an ordinary user.
# What an attack plants would write a canary. TAP.
# shellcheck disable=SC2016 # programs are data for the box
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

evil='evil() { git -C "$1" config core.fsmonitor "touch $CANARY;false"; };'
own='own() { git init -q "$1" && git -C "$1" config core.fsmonitor "touch $OWN;false" && mkdir -p "$1/.git/hooks" && echo "touch $OWN" >"$1/.git/hooks/post-commit" && chmod +x "$1/.git/hooks/post-commit"; };'
deep=a/b/c/d/e/f/g/h/i/j/k/l/m/n

# fresh WHO SCRIPT: a new workspace, made on the host by the script
fresh() {
	ws=$tmp/$1/ws
	[[ -d $ws ]] && chmod -R u+rwX "$ws"
	rm -rf "$ws" "$tmp/$1/canary" "$tmp/$1/own" "$tmp/$1/state/vetted"
	as "$1" mkdir "$ws"
	(cd "$ws" && as "$1" env OWN="$tmp/$1/own" bash -c "$own $2") >"$tmp/err" 2>&1 ||
		result 1 "$1: making a workspace: $2"
}
# inside WHO SCRIPT: in a box that may write the workspace
inside() { box "$1" --workspace "$ws:rw" --cwd "$ws" -c "export CANARY=$tmp/$1/canary; $evil $2"; }
# git_everywhere WHO: git on the host in every directory, with every directory opened; with $inner also inside
# .git
git_everywhere() {
	local outer=(-not -path '*/.git/*')
	[[ ${inner:-} ]] && outer=()
	rm -f "$tmp/$1/canary"
	(cd "$ws" && chmod -R u+rwX . &&
		find "${where:-.}" -type d "${outer[@]}" -print0 |
		as "$1" xargs -0 -n1 sh -c 'cd "$0" 2>/dev/null || exit 0; git status' >/dev/null 2>&1)
	[[ ! -e $tmp/$1/canary ]]
}
# attack WHO NAME SETUP SCRIPT...: each script is a run of its own; git is tried after the last one only
attack() {
	local who=$1 name=$2 setup=$3
	shift 3
	fresh "$who" "$setup"
	for script in "$@"; do
		inside "$who" "$script"
		want '.status != "setup_error"' "$who: $name: the box could be made"
	done
	modes=$(cd "$ws" && stat -c %a . p sub 2>/dev/null | tr '\n' ' ')
	git_everywhere "$who"
	result $? "$who: $name: git on the host runs nothing of it"
}
# host WHO SCRIPT WHAT: what the host sees afterwards
host() {
	(cd "$ws" && as "$1" env OWN="$tmp/$1/own" bash -c "$2") >>"$tmp/err" 2>&1
	result $? "$1: $3"
}
quiet() { want '(.changes // []) == []' "$1: nothing is reported: $2"; }
told() { want '[(.changes // [])[].path] | index("'"$2"'") != null' "$1: the report names $2"; }

attacks() {
	local who=$1
	attack "$who" 'A: a repository 14 directories deep' '' "mkdir -p $deep; git init -q $deep; evil $deep"
	told "$who" "$deep/.git/config"
	attack "$who" 'B: then its parent is renamed' '' "mkdir -p $deep; git init -q $deep; evil $deep" \
		"mv $deep lib; rm -rf a"
	attack "$who" 'C: below a directory that cannot be listed' '' \
		'mkdir p; git init -q p/repo; evil p/repo; ln -s p/repo lib; chmod 311 p'
	[[ $modes == *311* ]]
	result $? "$who: C: the mode is as the program left it: $modes"
	attack "$who" 'D: then it is opened and renamed' '' \
		'mkdir p; git init -q p/repo; evil p/repo; chmod 311 p' 'chmod 755 p; mv p/repo real'
	attack "$who" 'D: not searchable either' '' \
		'mkdir -p p/q; git init -q p/q/repo; evil p/q/repo; chmod 000 p/q; chmod 400 p' \
		'chmod 755 p; chmod 755 p/q; mv p/q/repo real'
	attack "$who" 'E: the workspace cannot be listed' '' 'git init -q sub; evil sub; chmod 311 .' 'true'
	told_none=$(field '(.changes // []) | length')
	[[ $told_none == 0 ]]
	result $? "$who: E: a later run works and has nothing to report"
	attack "$who" 'G: the workspace becomes a repository itself' \
		'git init -q . && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x' \
		'mv .git/HEAD .git/H; mkdir objects refs; echo "ref: refs/heads/m" >HEAD; printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch $CANARY;false\n" >config; chmod 311 .' true
	attack "$who" 'H: a read-only git directory' '' \
		'git init -q sub; evil sub; echo x >sub/.git/hooks/post-commit; chmod 555 sub/.git/hooks sub/.git sub'
	want '[.changes[] | select(.moved_to)] | length == 2' "$who: H: both parts are moved"
	[[ $modes == *555* ]]
	result $? "$who: H: the mode is as the program left it: $modes"
	attack "$who" 'I: names that run by themselves, in a read-only workspace' '' \
		'echo x >.zshenv; echo x >.vimrc; mkdir .codex; chmod 555 .'
	want '[.changes[] | select(.moved_to) | .path] | sort == [".codex", ".vimrc", ".zshenv"]' \
		"$who: I: they are moved"
	host "$who" '[ -z "$(ls -A)" ]' 'I: no placeholder stays'
	where=zsub
	attack "$who" 'L: more repositories than can be pinned' 'own zsub' \
		'for i in $(seq 300); do mkdir -p r$i/.git/objects r$i/.git/refs; echo ref: refs/heads/x >r$i/.git/HEAD; done' 'evil zsub; echo "touch $CANARY" >zsub/.git/hooks/post-index-change; chmod +x zsub/.git/hooks/*; git -C zsub config core.fsmonitor "touch $CANARY;false"'
	attack "$who" 'M: more names than can be pinned' 'own zsub' \
		'for i in $(seq 1200); do mkdir -p a$i/.claude; done' \
		'evil zsub; echo "touch $CANARY" >zsub/.git/hooks/post-index-change; chmod +x zsub/.git/hooks/*'
	where='' inner=yes
	attack "$who" 'a repository inside .git' 'git init -q .' \
		'git init -q --bare .git/objects/zz; git -C .git/objects/zz config core.bare false; git -C .git/objects/zz config core.worktree .; evil .git/objects/zz'
	inner=
	attack "$who" 'a working tree of the own repository, with files that its settings name' \
		'own . && git config core.fsmonitor ./mon && git config core.hooksPath .hk' \
		'mkdir w w/.hk; echo "gitdir: ../.git" >w/.git; printf "#!/bin/sh\ntouch $CANARY\n" >w/mon; cp w/mon w/.hk/post-index-change; chmod +x w/mon w/.hk/*'
	attack "$who" 'a script that the own settings name' \
		'own . && git config core.fsmonitor ./mon && printf "#!/bin/sh\ntouch $OWN\n" >mon && chmod +x mon' 'printf "#!/bin/sh\ntouch $CANARY\n" >mon; rm -f mon; printf "#!/bin/sh\ntouch $CANARY\n" >mon; chmod +x mon'
	attack "$who" 'a script that a hook links to' \
		'own . && git config --unset core.fsmonitor && echo true >hook && chmod +x hook && ln -s ../../hook .git/hooks/post-index-change' 'echo "touch $CANARY" >hook; rm -f hook; echo "touch $CANARY" >hook; chmod +x hook'
	host "$who" 'grep -qx true hook' 'and it is as it was'
	attack "$who" 'made a repository in two runs' '' \
		'mkdir -p d/objects; printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch $CANARY;false\n" >d/config; echo ref: refs/heads/x >d/HEAD' 'mkdir d/refs'
	attack "$who" 'deeper than paths are long' '' \
		'git init -q r; evil r; perl -e '"'"'$x = "x" x 100; for (1 .. 60) { mkdir("y"); rename("r", "y/$x"); rename("y", "r") }'"'" \
		'perl -e '"'"'$x = "x" x 100; for (1 .. 60) { rename("r/$x", "z") or die; rmdir("r"); rename("z", "r") }'"'"'; ls -A r'
}

# Files in the workspace that git runs because settings name them, wherever the settings are.
script='printf "#!/bin/sh\ntouch $CANARY\n"'
named() {
	local who=$1 put='mkdir -p tools/hooks; '$script' >tools/fsm; chmod +x tools/fsm; cp tools/fsm tools/hooks/post-index-change'
	local mine='mkdir -p tools/hooks && printf "#!/bin/sh\ntouch $OWN\n" >tools/fsm && cp tools/fsm tools/hooks/post-index-change && chmod +x tools/fsm tools/hooks/* && '
	local main='rm -rf ../main && git init -q ../main && git -C ../main -c user.name=x -c user.email=x@y commit -q --allow-empty -m x && '
	local repo='git init -q . && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x'
	attack "$who" 'hooks of a linked worktree' \
		"$main git -C ../main config core.hooksPath tools/hooks && git -C ../main worktree add -q --force ../ws && $mine true" "$put"
	host "$who" 'rm -f $OWN; git add tools && [ -e $OWN ]' 'and the own hooks still run'
	attack "$who" 'a program of a linked worktree' \
		"$main git -C ../main config core.fsmonitor ./tools/fsm && git -C ../main worktree add -q --force ../ws && $mine true" "$put"
	attack "$who" 'a program whose setting has quotes' \
		"git init -q . && git config core.fsmonitor 'sh \"tools/fsm\" ' && $mine true" "$put"
	attack "$who" 'a program that an included file names' \
		"git init -q . && git config include.path ../.more && printf '[core]\n\tfsmonitor = sh tools/fsm\n' >.more && $mine true" "$put"
	attack "$who" 'a program of a repository that is not pinned' \
		"mkdir -p vendor/lib && git init -q vendor/lib && cd vendor/lib && git config core.fsmonitor ./tools/fsm && $mine true" "cd vendor/lib; $put"
	told "$who" vendor/lib/tools/fsm
	host "$who" 'git -C vendor/lib config core.fsmonitor' 'the settings stay'
	attack "$who" 'hooks in a part of a repository' \
		"git init -q .. && git -C .. config core.hooksPath ws/tools/hooks && $mine true" "$put"
	attack "$who" 'a program of an own worktree in the workspace' \
		"$repo && git config core.fsmonitor ./tools/fsm && git worktree add -q --detach x && cd x && $mine true" "cd x; $put"
	attack "$who" 'a program of a worktree, made in a second run' \
		"$repo && git config core.fsmonitor ./tools/fsm && $mine true" \
		'git worktree add -q --detach wt; mkdir w2; echo "gitdir: ../.git" >w2/.git' \
		"cd wt; $put; cd ../w2; $put"
	attack "$who" 'hooks that a setting with ~ names' \
		"git init -q . && git config core.hooksPath '~/../ws/tools/hooks' && $mine true" "$put"
	host "$who" 'git add tools && [ -e $OWN ]' 'and those are as they were'
	as "$who" git config --global core.hooksPath tools/hooks
	attack "$who" "hooks that a person's own settings name" 'git init -q .' \
		"$put; git init -q new; cd new; $put"
	told "$who" new/tools/hooks
	as "$who" git config --global --unset core.hooksPath
	as "$who" git config --global core.fsmonitor ./tools/fsm
	attack "$who" "a program that a person's own settings name" 'git init -q .' \
		"$put; git init -q new; cd new; $put"
	as "$who" git config --global --unset core.fsmonitor
	rm -rf "$tmp/$who/.git" "$tmp/$who/main"
}

# forge FROM TO: a path in the index of the repository here is replaced by another of the same length
forge='forge() { python3 -I - "$@" <<-"PY"
	import hashlib, sys
	old, new = (x.encode() for x in sys.argv[1:3])
	d = open(".git/index", "rb").read()[:-20]
	i = d.find(b"TREE")
	d = (d[:i] if i > 0 else d).replace(old, new)
	open(".git/index", "wb").write(d + hashlib.sha1(d).digest())
	PY
};'
index_paths() {
	local who=$1 v repo='git init -q . && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x && echo private >../secret'
	fresh "$who" "$repo"
	inside "$who" "$forge mkdir aa; echo old >aa/kkkkkk; git add aa; forge aa/kkkkkk ../secret; rm -r aa"
	told "$who" .git/index
	host "$who" '! git diff | grep -q private' 'an index leads git out of the working tree nowhere'
	fresh "$who" "$repo"
	inside "$who" "$forge mkdir aa; echo old >aa/kkkk; git add aa; forge aa/kkkk aa/.GiT; rm -r aa"
	told "$who" .git/index
	for v in 2 3 4; do
		fresh "$who" "$repo"
		inside "$who" "git config --get x; mkdir -p a/b; seq 300 | while read -r i; do echo \$i >a/b/file\$i; done; echo x >long\$(printf %0200d 7); git add -N a/b/file1; git add .; git update-index --index-version $v; git update-index --skip-worktree a/b/file2; git write-tree >/dev/null"
		quiet "$who" "an index of version $v"
		host "$who" '[ "$(git ls-files | wc -l)" = 301 ]' 'and it is as it was'
	done
	fresh "$who" "$repo"
	inside "$who" 'echo x >x; echo y >y; git add x; git update-index --split-index; git add y; git update-index --untracked-cache --force-untracked-cache; git status'
	quiet "$who" 'a split index'
	host "$who" '[ "$(git ls-files | wc -l)" = 2 ]' 'and it is as it was'
	fresh "$who" 'git init -q --object-format=sha256 . && echo private >../secret'
	inside "$who" 'echo x >x; git add x'
	quiet "$who" 'an index with long object names'
	# a .git file, and a working tree, that a link turns elsewhere
	fresh "$who" "$repo && mkdir -p ../q"
	inside "$who" "git init -q r; mkdir wt w2; ln -s $tmp/$who/q lnk; echo 'gitdir: ../lnk/../ws/r/.git' >wt/.git; git init -q sub; git -C sub config core.worktree ../../lnk"
	told "$who" wt/.git
	told "$who" sub/.git/config
}

# Boxes at once in a workspace and in a part of it: what the inner one plants is not the outer one's "there
# before".
nested() {
	local who=$1
	fresh "$who" 'git init -q . && mkdir -p sub && own mine'
	inside "$who" true
	(cd "$ws" && as "$who" "$tmp/caisson" run --workspace "$ws/sub:rw" --cwd "$ws/sub" -c \
		"git init -q x; git -C x config core.fsmonitor 'touch $tmp/$who/canary;false'; cp x/.git/config keep; sleep 1") >/dev/null 2>&1 </dev/null &
	sleep 0.5
	inside "$who" 'sleep 1; cp sub/keep sub/x/.git/config'
	wait
	git_everywhere "$who"
	result $? "$who: boxes in a workspace and in a part of it: git on the host runs nothing of it"
	host "$who" 'rm -f $OWN; git -C mine status && [ -e $OWN ]' 'and own repositories still work'
}

# What git takes for a repository, or writes through, although it looks like a part of another.
disguised() {
	local who=$1 repo='git init -q . && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x'
	attack "$who" 'a worktree without commondir' "$repo" \
		'g=.git/worktrees/evil; mkdir -p $g/objects $g/refs/heads wt; echo "ref: refs/heads/m" >$g/HEAD; cp -r .git/objects/. $g/objects/
		printf "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch $CANARY;false\n" >$g/config; echo "gitdir: ../.git/worktrees/evil" >wt/.git'
	told "$who" .git/worktrees/evil/config
	fresh "$who" "$repo && echo rc >../rc"
	inside "$who" 'rm .git/logs/HEAD; ln -s refs/../../../../rc .git/logs/HEAD'
	host "$who" 'git -c user.name=x -c user.email=x@y commit -q --allow-empty -m y; grep -qx rc ../rc && [ "$(wc -l <../rc)" = 1 ]' 'a link called HEAD in logs leads git nowhere'
	fresh "$who" "$repo && git branch -q other"
	inside "$who" 'rm .git/HEAD; ln -s refs/heads/other .git/HEAD'
	quiet "$who" 'HEAD as a link to a branch'
	host "$who" '[ "$(git symbolic-ref HEAD)" = refs/heads/other ]' 'and it works'
	fresh "$who" ''
	inside "$who" 'git init -q sub; git -C sub config core.repositoryformatversion 1; git -C sub config extensions.partialClone o; git -C sub config remote.o.promisor true; git -C sub config remote.o.url git://127.0.0.1:1/x'
	told "$who" sub/.git/config
	fresh "$who" "$repo"
	box "$who" --profile work --workspace "$ws" -c \
		"ln -s $tmp/$who/state/caches/0123/cache/x lib; mkdir -p .git/objects/ab; ln -s $tmp/$who/state/caches/0123/cache/x .git/objects/ab/lib; ln -s nowhere dangling"
	host "$who" '! [ -L lib ] && ! [ -L .git/objects/ab/lib ] && [ -L dangling ]' \
		'no link leads to a cache that may be made later'
}

twins() {
	local who=$1
	fresh "$who" "mkdir -p $deep/o/p/q/r/s/t && own $deep/o/p/q/r/s/t && own mine && mkdir node_modules && own node_modules/dep && mkdir -p ro/x && echo y >ro/x/y && chmod 555 ro/x ro && mkdir -p shut && chmod 311 shut"
	inside "$who" "echo x >a/x; cd mine && echo y >y && git add y && git -c user.name=x -c user.email=x@y -c core.fsmonitor= commit -qm y --no-verify; cd ../node_modules/dep; echo z >z; git add z"
	quiet "$who" 'own repositories with hooks and settings'
	host "$who" "cd $deep/o/p/q/r/s/t && git status && [ -e \$OWN ]" \
		'the settings of a deep repository still work'
	host "$who" 'cd mine && rm $OWN && git -c user.name=x -c user.email=x@y -c core.fsmonitor= commit -q --allow-empty -m z && [ -e $OWN ] && git log | grep -q y' 'and hooks do'
	host "$who" '[ "$(stat -c %a ro ro/x shut | tr "\n" " ")" = "555 555 311 " ] && [ "$(cat ro/x/y)" = y ]' 'modes of own directories are kept'
	fresh "$who" 'git init -q ../src$$ && cd ../src$$ && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m s && mv ../src$$ ../ws/src'
	inside "$who" 'set -e; git init -q new; git clone -q src copy; git clone -q --bare src /tmp/b; cd copy; git config user.name x; git config user.email x@y; git worktree add -q ../tree; git -c protocol.file.allow=always submodule --quiet add ../src lib; git commit -qm sub; git -C lib status; cd ../tree; git commit -q --allow-empty -m t'
	want '.exit_code == 0' "$who: init, clone, worktree and submodule work in the box"
	quiet "$who" 'init, clone, worktree and submodule'
	host "$who" 'git -C new status && git -C copy log | grep -q s && git -C tree log | grep -q t && git -C copy/lib log | grep -q s && [ -z "$(git -C copy status --porcelain)" ]' 'and on the host'
}

# What a program keeps outside the workspace, in the caches of the work profile, and a link to it.
cached() {
	local who=$1 kept
	fresh "$who" ''
	box "$who" --profile work --workspace "$ws" -c \
		"git init -q --bare ~/.cache/b; printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = \"touch $tmp/$who/canary;false\"\n' >~/.cache/b/config"
	kept=$(echo "$tmp/$who"/state/caches/*/cache/b)
	[[ -e $kept/HEAD ]]
	result $? "$who: a repository in a cache"
	box "$who" --profile work --workspace "$ws" -c \
		"ln -s $kept x; ln -s ${kept%/*} y; ln -s y/b z; mkdir d; ln -s /usr/lib u; ln -s d e; ln -s $kept/HEAD f"
	want '[.changes[] | select(.moved_to) | .path] - ["z"] | sort == ["x", "y"]' \
		"$who: links to it are moved"
	host "$who" '! [ -L x ] && ! [ -L y ] && ! [ -e z ]' 'none leads there any more'
	host "$who" '[ -L u ] && [ -L e ] && [ -L f ]' 'twin: other links stay'
}

# vetted WHO [TRIES]: waits until nothing in the workspace is unvetted
vetted() {
	local i
	for ((i = 0; i < ${2:-3000}; i++)); do
		compgen -G "$tmp/$1/state/vetted/*.unvetted" >/dev/null || return 0
		sleep 0.02
	done
	return 1
}

# A workspace that is too large to be searched while the caller waits: a vetter does it.
large() {
	local who=$1 mark
	fresh "$who" 'mkdir -p many/deep/er && own many/deep/er && own mine && cd many && seq 6000 | xargs touch'
	inside "$who" 'git init -q p; evil p; mkdir -p many/deep/q; git init -q many/deep/q; evil many/deep/q; echo x >mine/x; echo y >many/deep/er/y'
	vetted "$who"
	result $? "$who: a large workspace is vetted after the answer"
	git_everywhere "$who"
	result $? "$who: and nothing of the program runs"
	host "$who" 'rm -f $OWN; git -C many/deep/er status && [ -e $OWN ] && [ -e mine/.git/hooks/post-commit ]' 'own repositories stay'
	inside "$who" 'echo "touch $CANARY" >many/deep/er/.git/hooks/post-index-change; git -C many/deep/er config core.fsmonitor "touch $CANARY"'
	want '.exit_code == 0 and ([.changes[].path] | index("many/deep/er/.git/config") != null)' \
		"$who: the index protects what the look before a run does not reach"
	told "$who" many/deep/q/.git/config
	vetted "$who"
	result $? "$who: vetted again"
	inside "$who" true
	quiet "$who" 'a run that changed nothing'
	vetted "$who"
	for i in 1 2 3 4 5 6; do
		(cd "$ws" && as "$who" "$tmp/caisson" run --workspace "$ws:rw" --cwd "$ws" -c \
			"git init -q r$i; git -C r$i config core.fsmonitor \"touch $tmp/$who/canary;false\"; sleep 0.0$i") >/dev/null 2>&1 </dev/null &
	done
	wait
	vetted "$who"
	result $? "$who: vetted after six boxes at once"
	git_everywhere "$who"
	result $? "$who: and nothing of any of them runs"
	host "$who" 'rm -f $OWN; git -C many/deep/er status && [ -e $OWN ]' 'own repositories still work'
	# a vetter that was killed leaves its mark; what was made since then is judged by the next run
	mark=$(find "$tmp/$who/state/vetted" -name '*.index' | head -1)
	as "$who" ln -s "$(date +%s).0" "${mark%.index}.unvetted"
	sleep 0.01
	(cd "$ws" && as "$who" env CANARY="$tmp/$who/canary" bash -c "$evil git init -q late; evil late")
	inside "$who" true
	vetted "$who" && git_everywhere "$who"
	result $? "$who: the next run judges when nobody did"
}

# unvetted WHO [TEXT]: as if the vetter had been killed; TEXT follows the time in its mark
unvetted() {
	local name
	name=$(printf '%s %s %s' "$(stat -c '%d' "$ws")" "$(stat -c '%i' "$ws")" "$ws" | sha256sum |
		cut -c1-32)
	as "$1" mkdir -p "$tmp/$1/state/vetted"
	as "$1" chmod 700 "$tmp/$1/state" "$tmp/$1/state/vetted"
	as "$1" ln -s "$(date +%s).0${2-}" "$tmp/$1/state/vetted/$name.unvetted"
}
# judged WHO COMMAND: verdict and ids
judged() { (cd "$ws" && as "$1" "$tmp/caisson" check --json "$2" 2>&1) |
	jq -r '.verdict + " " + ([.reasons[].id] | unique | join(","))'; }
# asked WHO COMMAND: the answer of a hook. A session keeps the project that it began with
asked() {
	(cd "$ws" && jq -nc --arg c "$2" --arg d "$ws" --arg s "${session:-s}" \
		'{session_id: $s, hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: "t", tool_input: {command: $c}, cwd: $d}' |
		as "$1" "$tmp/caisson" hook --client claude-code) >"$tmp/out" 2>"$tmp/err"
}

# waits WHO: a hook for git answers after the search, unboxed. It waits for a second; a busy machine may need
# longer, so three tries.
waits() {
	local who=$1 try
	for try in 1 2 3; do
		((try == 1)) || unvetted "$who" " $ws"
		asked "$who" 'git status'
		[[ $(cat "$tmp/out" "$tmp/err") != *@(ticket|unvetted|caisson)* ]] &&
			! compgen -G "$tmp/$who/state/vetted/*.unvetted" >/dev/null && return
		vetted "$who"
	done
	return 1
}

# git is contained where a search is not over; the hook has it finished.
gate() {
	local who=$1
	fresh "$who" 'git init -q .'
	[[ $(judged "$who" 'git status') == 'allow ' ]]
	result $? "$who: git in a vetted workspace"
	unvetted "$who" " $ws"
	[[ $(judged "$who" 'git status') == 'contain unvetted-workspace' &&
		$(judged "$who" 'cd x && gh pr list') == *unvetted-workspace* ]]
	result $? "$who: git in one that is not vetted is contained: $(judged "$who" 'git status')"
	[[ $(judged "$who" 'ls -l') == 'allow ' ]]
	result $? "$who: other commands are not"
	(cd "$ws" && as "$who" env CANARY="$tmp/$who/canary" bash -c "$evil git init -q late; evil late")
	asked "$who" 'ls'
	compgen -G "$tmp/$who/state/vetted/*.unvetted" >/dev/null
	result $? "$who: a hook for another command does not vet"
	waits "$who"
	result $? "$who: a hook for git waits until the workspace is vetted"
	git_everywhere "$who"
	result $? "$who: and nothing planted is left"
	inside "$who" true
	told "$who" late/.git/config
}

# there WHO DIRECTORY COMMAND: the verdict for it in another directory
there() { (ws=$2 && judged "$1" "$3"); }
# contained WHO DIRECTORY COMMAND; free WHO DIRECTORY COMMAND, at the latest when a search of before has ended
contained() {
	local got
	got=$(there "$@")
	[[ $got == @(contain|ask)*unvetted-workspace* ]]
	result $? "$1: contained: $3: $got"
}
free() {
	local got
	for _ in $(seq 10); do
		got=$(there "$@")
		[[ $got == *unvetted-workspace* ]] || break
		sleep 0.5
	done
	[[ $got == 'allow ' ]]
	result $? "$1: allowed: $3: $got"
}
# The directories above an unvetted workspace, those below it, and commands that go there from elsewhere.
around() {
	local who=$1 else=$tmp/$1/else
	fresh "$who" 'git init -q . && mkdir -p d/in && git init -q d/in'
	rm -rf "$else"
	as "$who" git init -q "$else"
	as "$who" mkdir "$else/sub" "$tmp/$who/wsx"
	as "$who" ln -s "$ws/d" "$else/link"
	free "$who" "$else" "git -C $ws status"
	unvetted "$who" " $ws"
	contained "$who" "$ws" 'git status'
	contained "$who" "$ws/d/in" 'git status'
	contained "$who" "$tmp/$who" 'git status'
	contained "$who" "$else" "git -C $ws/d/in status"
	contained "$who" "$else" "git -C ../ws -C d status"
	contained "$who" "$else" "cd $ws/d/in && git status"
	contained "$who" "$else" "pushd ../ws; gh pr list"
	contained "$who" "$else" 'cd link && git status'
	contained "$who" "$else" 'git -C link/in log'
	contained "$who" "$else" 'cd "$(cat sub/name)" && git status'
	contained "$who" "$else" 'git -C "$(cat sub/name)" status'
	contained "$who" "$else" 'ls | xargs -I{} git -C {} status'
	contained "$who" "$else" "git --git-dir=$ws/.git status"
	contained "$who" "$else" "git --work-tree $ws status"
	contained "$who" "$else" "GIT_WORK_TREE=$ws git status"
	contained "$who" "$else" "export GIT_WORK_TREE=$ws; git status"
	contained "$who" "$else" "env -C $ws git status"
	contained "$who" "$else" "find $ws -execdir git status ';'"
	contained "$who" "$else" "CDPATH=$tmp/$who; cd ws; git status"
	contained "$who" "$else" \
		"python3 -c 'import subprocess; subprocess.run([\"git\", \"status\"], cwd=\"$ws\")'"
	contained "$who" "$else" \
		"python3 -c 'import os, subprocess; os.chdir(\"$ws\"); subprocess.run([\"git\", \"status\"])'"
	free "$who" "$else" 'git status'
	free "$who" "$else" 'cd sub && timeout 5 git log | head'
	free "$who" "$else" "git -C $else/sub --no-pager log -n 3"
	free "$who" "$else" 'for f in *; do git log "$f"; done'
	free "$who" "$else" "git -C $tmp/$who/wsx status"
	free "$who" "$else" "ls -l $ws"
	# a workspace that is gone or another one
	as "$who" mv "$ws" "$ws.old"
	free "$who" "$else" "git -C $ws status"
	free "$who" "$tmp/$who" 'git status'
	as "$who" mv "$ws.old" "$ws"
	contained "$who" "$else" "git -C $ws status"
	# the hook waits for a second, and the search goes on after that; one that gives up on a busy machine is started by
	# the next hook
	for _ in 1 2 3; do
		(ws=$ws/d/in session=in && asked "$who" 'git status')
		vetted "$who" 1000 && break
	done
	vetted "$who" 1
	result $? "$who: a hook below it has it vetted"
	# a mark that does not say where
	unvetted "$who" ''
	contained "$who" "$else" 'git status'
	(session=around && asked "$who" 'git status')
	vetted "$who"
	free "$who" "$else" 'git status'
	rm -rf "$tmp/$who/state/vetted" "$else" "$tmp/$who/wsx"
}

# While a box runs git is contained where it may write, and the hook does not wait for its end.
running() {
	local who=$1 else=$tmp/$1/else i session=running
	fresh "$who" 'git init -q .'
	rm -rf "$else"
	as "$who" git init -q "$else"
	(cd "$ws" && as "$who" "$tmp/caisson" run --workspace "$ws:rw" --cwd "$ws" -c \
		"$evil CANARY=$tmp/$who/canary; git init -q sub; evil sub; touch begun; while [ ! -e over ]; do sleep 0.05; done") >/dev/null 2>&1 </dev/null &
	for ((i = 0; i < 500; i++)); do [[ -e $ws/begun ]] && break || sleep 0.02; done
	contained "$who" "$ws" 'git status'
	free "$who" "$else" 'git status'
	asked "$who" 'git status'
	[[ $(cat "$tmp/out") == *'run --ticket'* ]]
	result $? "$who: a hook contains git while a box runs in the workspace"
	(ws=$else session=else && asked "$who" 'git status')
	[[ $(cat "$tmp/out" "$tmp/err") != *@(ticket|unvetted|caisson)* ]]
	result $? "$who: and not in another project"
	as "$who" touch "$ws/over"
	wait
	vetted "$who" && asked "$who" 'git status' &&
		[[ $(cat "$tmp/out" "$tmp/err") != *@(ticket|unvetted|caisson)* ]]
	result $? "$who: after the box git is as before"
	free "$who" "$ws" 'git status'
	git_everywhere "$who"
	result $? "$who: and runs nothing of it"
	rm -rf "$else"
}

for who in $(people); do
	gate "$who"
	around "$who"
	running "$who"
	large "$who"
	attacks "$who"
	named "$who"
	disguised "$who"
	nested "$who"
	index_paths "$who"
	cached "$who"
	twins "$who"
done
done_testing
