#!/bin/bash
# The gate in a real file system: links, hard links, patterns, roots, temporary files. Everything is below one
# directory made here. TAP.
# shellcheck source=tests/judge.sh
. "$(dirname "$0")/../judge.sh"
project=$HOME/project
dir=$project
mkdir -p "$project/src" "$project/sub" "$HOME/other" "$HOME/.ssh"
git init -q "$project"
echo keep >"$HOME/other/canary"
echo key >"$HOME/.ssh/id_rsa"
ln -s "$HOME/other" "$project/out"
ln -s "$HOME/other/canary" "$project/src/link.txt"
ln -s /nowhere/at/all "$project/dangling"
ln -s circle "$project/circle"
ln -s ../sub "$project/src/inside"
ln "$HOME/other/canary" "$project/hard"
ln -s "$HOME/.ssh/id_rsa" "$project/notes.txt"
echo x >"$project/src/a.c"

judge allow - 'echo x > src/new.c'
judge allow - 'rm -rf sub'
judge allow - 'rm -f out'                          # the link itself
judge deny outside-delete 'rm -rf out/canary'
judge deny outside-delete 'rm -rf out/*'
judge deny outside-delete 'find out/ -type f -delete'
judge deny outside-overwrite 'echo x > src/link.txt'
judge deny outside-overwrite 'cp src/a.c src/link.txt'
judge deny outside-overwrite 'tee src/*.txt < src/a.c'
judge allow - 'echo x > src/inside/x'
judge ask outside-write 'echo x > out/new'
judge contain opaque-path 'echo x > circle'
judge ask link-write 'echo x > hard'
judge allow - 'rm hard'
judge ask secret-read 'cat notes.txt'
judge ask secret-read 'cat n*.txt'
judge allow - 'cat src/a.c'
# patterns that find hidden names
judge ask protected-write 'shopt -s dotglob; echo x | tee */config'
judge ask protected-write 'shopt -s dotglob; for d in *; do echo x > $d/config; done'
judge ask protected-write 'GLOBIGNORE=x; echo x | tee */config'
judge ask protected-write 'shopt -s dotglob; rm -rf ?git/hooks'
judge ask protected-write 'shopt -s dotglob; echo x | tee [^a-z]git/config'
judge ask protected-write "bash -O dotglob -c 'echo x | tee */config'"
judge ask protected-write 'shopt -s nocaseglob; echo x | tee .GI*/CONF*'
judge ask protected-write 'shopt -s nocaseglob; echo x | tee .[F-H]I[T]/CONF*'
judge ask protected-write 'shopt -s nocaseglob; for d in .GI*/CONF*; do echo x > $d; done'
judge ask protected-write 'shopt -s dotglob nocaseglob; echo x | tee [!a]*/[A-D]ONF??'
judge allow - 'shopt -s nocaseglob; rm -f *.O SRC/*.O'
judge ask protected-write 'shopt -s nocaseglob; echo x | tee .G*/config'
judge ask protected-write 'mkdir a; echo x | tee a/../.g*/config'
judge ask protected-write 'mkdir a && cd a && cp ../src/a.c ../.g*/hooks/'
judge ask project-delete 'mkdir a; rm -rf a/../.g*'
judge ask protected-write 'mkdir a; for f in a/../.gi*/config; do echo x > $f; done'
judge contain opaque-path 'for f in .g*/config; do echo x > "$f"; done'
judge ask protected-write "python3 -c 'import glob; [open(f, \"w\") for f in glob.glob(\".gi*/config\")]'"
# listings of directories have hidden names in them
judge ask protected-write "python3 -c 'import os; [open(n + \"/config\", \"w\") for n in os.listdir(\".\")]'"
judge ask protected-write \
	"python3 -c 'import os; [os.rename(\"a\", n + \"/hooks/pre-commit\") for n in os.listdir(\".\")]'"
judge ask protected-write \
	"python3 -c 'from pathlib import Path; [(n / \"config\").write_text(\"x\") for n in Path(\".\").iterdir()]'"
judge ask protected-write \
	"node -e 'const fs = require(\"fs\"); for (const n of fs.readdirSync(\".\")) fs.writeFileSync(n + \"/config\", \"x\")'"
judge allow - "python3 -c 'import os; [open(n + \".bak\", \"w\") for n in os.listdir(\".\")]'"
judge allow - "python3 -c 'import os; [open(\"src/\" + n + \"/config\", \"w\") for n in os.listdir(\"src\")]'"
judge allow - "node -e 'const fs = require(\"fs\"); for (const n of fs.readdirSync(\"src\")) fs.writeFileSync(\"src/\" + n + \"/x\", \"x\")'"
judge allow - 'shopt -s dotglob; rm -f src/*.o'
judge allow - 'mkdir a; rm -rf a/../b*'
judge allow - 'ls .g*'
judge allow - "mkdir -p /tmp/fresh.$$; cp src/a.c /tmp/fresh.$$/; rm -rf /tmp/fresh.$$/*"
judge deny outside-delete "rm -rf $HOME/other"
judge deny outside-delete 'rm -rf ../other'
judge deny outside-delete 'rm -rf src/../../other'
judge deny outside-delete 'rm -rf src/inside/../../other'
judge deny outside-delete "rm -rf /proc/self/root$HOME/other"
judge deny outside-delete 'rm -rf /proc/self/cwd/../other'
judge allow - 'rm -rf /proc/self/cwd/sub'
judge contain opaque-path 'cd -P src/inside && cd .. && rm -rf ../other'
judge allow - 'cd src/inside && cd .. && rm -rf ../sub'
judge deny outside-delete 'cd ..; rm -rf other'
judge allow - 'cd src && rm -f a.c'
judge ask project-delete 'rm -rf .'
judge ask project-delete "rm -rf $project"
judge ask project-delete 'rm -rf .git'
judge ask protected-write 'echo x > .git/hooks/pre-commit'
judge allow - 'rm -f .git/index.lock'
judge deny outside-delete 'rm -rf ~'
judge allow - 'echo x 2>/dev/null >&2'
judge deny device-write 'echo x >/dev/nullo'
judge deny caisson-files "echo x > $HOME/.config/caisson/config.yaml"
judge deny caisson-files "rm -rf $HOME/.config"
judge deny caisson-files "rm -rf $HOME/.local/state/caisson"
judge deny caisson-files 'echo x > .caisson.yaml'
judge deny caisson-files "cp /bin/true $CAISSON"

# a project that is a worktree, one below another directory, and none at all
dir=$project/src judge allow - 'echo x > ../README'
dir=$HOME judge ask outside-write 'echo x > new'
dir=$HOME judge deny outside-delete 'rm -rf other'
dir=/ judge deny outside-delete 'rm -rf home'
git -C "$project" -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m first
git -C "$project" worktree add -q "$HOME/tree" 2>/dev/null
dir=$HOME/tree judge allow - 'echo x > new'
dir=$HOME/tree judge deny outside-overwrite "echo x > $project/src/a.c"

# a directory that looks like a repository
mkdir -p "$project/planted/objects" "$project/planted/refs"
judge allow - 'cd planted && git status'
echo 'ref: refs/heads/main' >"$project/planted/HEAD"
judge contain git-planted 'cd planted && git status'
judge contain git-planted 'git -C planted log'
mkdir "$project/split" && echo 'ref: refs/heads/x' >"$project/split/HEAD" &&
	echo ../planted >"$project/split/commondir"
judge contain git-planted 'git -C split log'
judge allow - 'git status'

# temporary files: one's own, and another's
mine=$(mktemp /tmp/caisson-test.XXXXXX)
judge allow - "echo x > $mine"
judge allow - "rm -f $mine"
rm -f "$mine"
if [[ $(id -u) == 0 ]]; then
	theirs=$(mktemp /tmp/caisson-test.XXXXXX)
	chown 65534 "$theirs"
	judge ask shared-temp "echo x > $theirs"
	judge ask shared-temp "rm -f $theirs"
	rm -f "$theirs"
else
	n=$((n + 1)) && echo "ok $n - another's file # SKIP only root can make one"
fi
# modules of Python's own: whichever lies in the directory is loaded in its place, also by those that import
# it
mkdir -p "$project/py/pkg"
touch "$project/py/app.py" "$project/py/pkg/__init__.py" "$project/py/lib.so"
dir=$project/py
judge allow - 'python3 -c "import json, shutil; print(1)"'
judge contain executes-file 'echo x > enum.py; python3 -c "import json"'
judge contain executes-file "python3 -c \"open('re.py', 'w').write(''); import json\""
for file in enum.py types.pyc zlib.cpython-311-x86_64-linux-gnu.so; do
	touch "$project/py/$file"
	judge contain executes-file 'python3 -c "import json, shutil; print(1)"'
	rm -f "$project/py/$file"
done
mkdir "$project/py/re"
judge allow - 'python3 -c "import json"'
touch "$project/py/re/__init__.py"
judge contain executes-file 'python3 -c "import json"'
dir=$project

[[ $(cat "$HOME/other/canary") == keep ]]
result $? 'nothing was touched'
echo "1..$n"
