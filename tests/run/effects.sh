#!/bin/bash
# Requests judged as sequences, in real repositories: what an earlier command brings counts for the later
# ones, and nothing more. TAP.
# shellcheck source=tests/judge.sh
. "$(dirname "$0")/../judge.sh"
dir=$HOME/p

git init -q -b main "$dir"
cd "$dir" || exit 1
git config user.name A
git config user.email a@example.com
mkdir src sub
echo a >README.md
echo b >src/a.c
echo c >sub/x
git add -A
git commit -qm first
git checkout -q -b ordinary
echo d >>src/a.c
git commit -qam second
git checkout -q main
git checkout -q -b evil
ln -s ../victim notes
ln -s /etc conf
mkdir sub/objects sub/refs
touch sub/HEAD sub/config sub/objects/k sub/refs/k
git add -A
git commit -qm third
git checkout -q main
git init -q --bare "$HOME/bare"
mkdir -p plant/objects plant/refs
touch plant/HEAD plant/config
git init -q nested

git init -q --separate-git-dir=gdir linked
ln -s . here
ln -s ../lib src/vendored
mkdir lib

# ---- git directories of another name ----
judge ask protected-write 'printf x >> gdir/config'
judge ask protected-write 'cp x gdir/hooks/post-checkout'
judge ask protected-write 'cp config gdir/'
judge ask protected-write 'mv gdir k; printf x >> k/config; mv k gdir; git -C linked status'
judge ask protected-write 'sed -i s/a/b/ plant/config'
judge ask protected-write 'cp -r .git k; printf x > k/config'
judge allow - 'printf x >> src/config'
judge allow - 'mkdir -p src/hooks && touch src/hooks/useState.ts'
judge allow - 'cat gdir/config'
judge allow - 'git -C linked status'

# ---- links by way of links ----
judge contain changed-tree 'ln -s ../victim here/o; rm -rf o/dir'
judge contain changed-tree 'ln -s ../../victim lib/o; rm -rf src/vendored/o/dir'
judge allow - 'ln -s ../victim here/o; rm -rf p/dir'
judge ask protected-write "python3 -c \"import os; os.symlink('.git','o')\"; cd o; echo x > config"
judge contain changed-tree "python3 -c \"import os; os.symlink('.git','o')\"; cp README.md o"
judge allow - "python3 -c \"import os; os.symlink('src','o')\"; cat o/a.c; ls o"

# ---- git in more than one directory ----
judge ask outside-write 'cd src/../..; git commit -qm x'
judge ask outside-write 'git -C src status; cd ..; git commit -qm x'
judge allow - 'cd ..; git status'
judge allow - 'cd src; git add a.c; git commit -qm x'
judge contain git-planted 'git worktree add -q plant ordinary; git -C plant status'
judge allow - 'git worktree add -q wt ordinary; git -C wt status'

# ---- git's own changes: only the names that they touch ----
judge allow - 'git checkout ordinary && cat README.md && echo x > out.txt'
judge allow - 'git checkout ordinary && cd sub && git status'
judge allow - 'git checkout ordinary && mkdir -p src/new && touch src/new/a && git add -A && git commit -m x'
judge allow - 'git merge ordinary && sed -i s/a/b/ README.md'
judge allow - 'git checkout evil && cat README.md'
judge allow - 'git checkout evil -- README.md && echo x >> notes'
judge allow - 'git checkout -b x ordinary && cp README.md src/'
judge contain changed-tree 'git checkout evil && echo x >> notes'
judge contain changed-tree 'git checkout evil && cat notes/x'
judge contain changed-tree 'git checkout evil && cat conf/hostname'
judge contain changed-tree 'git merge evil && tee notes < README.md'
judge contain changed-tree 'git checkout evil -- notes; echo x >> notes'
judge ask changed-tree 'git checkout "$B" && echo x >> notes'
judge contain changed-tree 'git checkout nosuch; echo x >> notes'
judge contain git-planted 'git checkout evil && cd sub && git status'
judge contain git-planted 'git merge evil && git -C sub log'
judge contain git-planted 'git checkout evil && cd "$D" && git status'

# ---- copies of what lies on the disk ----
judge contain git-planted 'git -C plant status'
judge contain git-planted 'git -C plant/refs status'
judge contain git-planted 'cd plant; git status'
judge contain git-planted 'cp -r plant src/new && git -C src/new status'
judge contain git-planted 'cp -r plant/* src && cd src && git status'
judge contain git-planted 'mv plant src/ && git -C src/plant status'
judge contain git-planted 'cp plant/HEAD sub && mkdir sub/objects sub/refs && git -C sub status'
judge contain git-planted 'rsync -a plant/ src/ && git -C src status'
judge contain git-planted 'ln -s plant l && git -C l status'
judge allow - 'cp -r src src2 && git -C src2 status'
judge allow - 'git -C src status; cp -r plant/* src'
judge allow - 'cp -r plant nested/ && git -C nested status'
judge contain git-planted 'rm -rf nested && mv plant nested && git -C nested status'
judge allow - 'git -C nested status && git -C sub status'

# ---- a directory that may be one of two ----
judge allow - 'cd sub; git commit -m x'
judge allow - '(cd sub; git add .; git commit -m x)'
judge contain git-planted 'cd plant; git commit -m x'
printf '#!/bin/sh\necho hook\n' >nested/.git/hooks/pre-commit
chmod +x nested/.git/hooks/pre-commit
judge contain git-hook 'cd nested; git commit -m x'
judge contain git-hook 'f() { git commit -m x; }; f; cd nested && f'

# ---- git in a directory that is not known, modules in one that code changes to ----
judge contain git-planted 'find . -name HEAD -execdir git status \;'
judge contain git-planted 'for d in */; do (cd $d; git status); done'
judge contain git-planted "python3 -c 'import os; os.chdir(\"plant\"); os.system(\"git status\")'"
judge contain git-planted \
	"node -e 'process.chdir(\"plant\"); require(\"child_process\").execSync(\"git status\")'"
judge contain git-planted \
	"python3 -c 'import shutil, subprocess; shutil.copytree(\".git\", \"q\"); subprocess.run([\"git\", \"status\"], cwd=\"q\")'"
judge contain git-planted 'cd plant; cd "$(git rev-parse --show-toplevel)" && git status'
judge allow - 'cd "$(git rev-parse --show-toplevel)" && git status'
git config core.fsmonitor ./monitor
judge contain git-hook 'cd "$(git rev-parse --show-toplevel)" && git status'
git config --unset core.fsmonitor
judge allow - "python3 -c 'import os; os.chdir(\"src\"); import json'"
echo 'print(1)' >src/json.py
judge contain executes-file "python3 -c 'import os; os.chdir(\"src\"); import json'"

# ---- files whose names are options ----
judge allow - 'sort *'
judge allow - 'git diff *'
judge allow - 'git checkout ordinary; sort *'
mkdir dashed
touch dashed/-o.envrc dashed/a.txt
judge contain option-name 'cd dashed; sort *'
judge contain option-name 'cd dashed; for f in *; do sort "$f"; done'
judge contain option-name 'cp dashed/* .; sort *'
judge contain option-name 'cp -r dashed/. .; sort *'
judge contain option-name 'cp -r dashed copied; cd copied; sort *'
judge contain option-name 'mv dashed/-* .; sort *'
judge allow - 'cd dashed; sort *.txt'
judge allow - 'cd dashed; sort -- *'
judge allow - 'cd dashed; wc -l *'
judge allow - 'cd dashed; grep a *'
judge allow - 'sort dashed/*'
git checkout -q -b options
touch -- -o.envrc
git add -- -o.envrc
git commit -qm options
git checkout -q main
judge contain option-name 'git checkout options; sort *'
judge allow - 'sort *'
# ---- a link on the disk that the request moves or copies leads where it led ----
mkdir -p src/deep
ln -s .git/hooks src/deep/l
ln -s "$dir/.git/hooks" src/deep/abs
for c in 'mv src/deep/l lnk' 'cp -P src/deep/l lnk' 'cp -a src/deep/l lnk' 'cp -d src/deep/l lnk' \
	'rsync -l src/deep/l lnk' \
	'git mv src/deep/l lnk' 'find src/deep -type l -exec cp -P {} lnk \;' 'mv src/deep/* lnk' \
	'rm -f lnk; mv src/deep/l lnk' \
	"python3 -c 'import os; os.rename(\"src/deep/l\", \"lnk\")'" \
	"python3 -c 'import shutil; shutil.move(\"src/deep/l\", \"lnk\")'" \
	"node -e 'require(\"fs\").renameSync(\"src/deep/l\", \"lnk\")'"; do
	judge contain changed-tree "$c; echo x > lnk/pre-commit"
done
judge contain changed-tree 'mv src/deep zz; echo x > zz/abs/pre-commit'
judge contain changed-tree 'cp -r src zz; echo x > zz/deep/abs/pre-commit'
judge contain changed-tree 'mv src/deep/* .; echo x > l/pre-commit'
judge contain changed-tree 'cp -r src/deep/. .; echo x > l/pre-commit'
judge contain changed-tree 'rsync -a src/deep/ .; echo x > abs/pre-commit'
judge contain changed-tree "trap 'echo x > l/config' EXIT; mv src/deep/abs l"
judge contain changed-tree \
	"python3 -c 'import os; os.rename(\"src/deep/l\", \"lnk\"); open(\"lnk/pre-commit\", \"w\")'"
judge contain changed-tree \
	"python3 -c 'import shutil; shutil.copytree(\"src\", \"zz\", symlinks=True)'; echo x > zz/deep/abs/pre-commit"
judge contain changed-tree \
	"node -e 'require(\"fs\").cpSync(\"src\", \"zz\", {recursive: true})'; echo x > zz/deep/abs/pre-commit"
judge allow - 'cp -r src zz; echo x > zz/main.c'
judge allow - 'mv src/*.c lib/; echo x > lib/a.c'
judge allow - 'cp README.md r2; echo x >> r2'
judge allow - 'git mv README.md r2; sed -i s/a/b/ r2'
judge allow - 'echo x > lnk/pre-commit; mv src/deep/l lnk'

# ---- files whose names are hosts ----
mkdir hosts
touch hosts/there:x hosts/.there:x
judge ask network 'cd hosts; rsync -a * d'
judge ask network 'cd hosts; rsync -a .t* d'
judge allow - 'cd hosts; rsync -a *.md d'
judge ask network 'mv hosts/* .; rsync -a * d'
judge allow - 'rsync -a * d'

# ---- many effects ----
# CPU time per line of 1,000 lines / of 100 lines, least of three: a square would be 10.
cat >"$tmp/growth.py" <<'PYTHON'
import resource, subprocess, sys


def cpu(lines):
    text = "".join(f"mkdir -p b/d{i} && echo x > b/d{i}/a && cp b/d{i}/a b/d{i}/b && cat b/d{i}/b\n"
            for i in range(lines))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.argv[1], "check", text], stdout=subprocess.DEVNULL, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


short, long = (min(cpu(lines) for _ in range(3)) for lines in (100, 1000))
print(f"{long / 10 / max(short, 0.004):.2f}")
sys.exit(long / 10 > 4 * max(short, 0.004))
PYTHON
grown=$(python3 -B "$tmp/growth.py" "$CAISSON")
result $? "3,000 effects cost per line what 300 cost ($grown times)"

echo "1..$n"
