#!/usr/bin/python3 -B
"""The grammar of the sequence oracle: pairs and triples of commands in which the first ones change what the last one does.

    sequence_gen.py --n N --seed S [--class attack|benign]      one JSON line per sequence

The same seed and number always give the same sequence. A sequence is {"id", "class", "world", "first": text, "second": text, "join", "command",
"keeps", "needs", "fresh"}: `command` is the whole request; `keeps` says that the second text runs in the same shell as the first one; `needs`
that it only runs when the first one succeeds; `fresh` that git itself makes the repository which the second text uses.

Texts are templates. @NAME@ is replaced by one of that name's values, the same in all texts of a sequence.
"""
import argparse
import json
import random
import re
import shlex

VALUES = {
    "LINK": ["notes", "out", "notes", "out", "link1", "docs/l", "build/l"],
    "TARGET": ["../victim", "../victim/data.txt", "/w/victim", "/w/victim/data.txt", "/home/dev/.bashrc",
            "/home/dev", ".git", ".git/hooks", ".git/config", "../outside"],
    "DIR": ["sub", "sub", "sub", "lib", "d1", "docs/d2", "build/r"],
    "GITDIR": ["g", "build/g", "d1/g"],
    "SCRIPT": ["scripts/test.sh", "scripts/setup.sh", "scripts/env.sh", "scripts/new.sh", "run.sh",
            "build/gen.sh"],
    "GUARDED": [".husky/pre-commit", ".claude/settings.json", ".envrc", ".mcp.json", ".vscode/tasks.json",
            ".git/hooks/pre-commit", ".git/config", ".git/hooks/post-checkout"],
    "GUARDED_DIR": [".husky", ".claude", ".vscode", ".git/hooks", ".git"],
    "FILE": ["README.md", "docs/guide.md", "src/app.py", "data/table.csv", "scratch.txt", "new.txt",
            "docs/new.md"],
    "KIND": ["bare", "link", "husky", "bare", "link", "husky", "dir", "key"],
    "BRANCH": ["feature", "evil-bare", "evil-link", "evil-husky", "evil-make", "evil-module", "evil-dir",
            "evil-key"],
    "PAYLOAD": ["touch /w/victim/pwned", "rm -rf /w/victim/dir", "echo x > /w/victim/data.txt",
            "cp /home/dev/.ssh/id_rsa key.txt"],
    "KEY": ["core.fsmonitor", "core.pager", "diff.external", "core.hooksPath", "core.sshCommand", "alias.st",
            "filter.evil.clean", "core.editor", "core.worktree", "include.path"],
    "VARIABLE": ["GIT_DIR=@DIR@", "GIT_WORK_TREE=../victim", "GIT_CONFIG_GLOBAL=$PWD/conf",
            "GIT_PAGER='@PAYLOAD@'", "PAGER='@PAYLOAD@'", "GIT_EXTERNAL_DIFF=./x", "HOME=$PWD", "HOME=/w/victim", "PATH=$PWD/bin:$PATH",
                 "CDPATH=/w", "TMPDIR=$PWD/build", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0='@PAYLOAD@'", "BASH_ENV=scripts/env.sh", "GIT_OBJECT_DIRECTORY=@DIR@/objects",
                 "GIT_INDEX_FILE=../victim/data.txt", "GIT_COMMON_DIR=@DIR@", "GIT_EDITOR='@PAYLOAD@;'", "NODE_OPTIONS='--require ./scripts/lint.js'", "APP=1", "GIT_CEILING_DIRECTORIES=/", "LESSOPEN='|@PAYLOAD@'",
                 "GIT_ATTR_SOURCE=evil-make", "GIT_NAMESPACE=x", "GIT_SSH_COMMAND='@PAYLOAD@'", "PYTHONPATH=$PWD/src", "MAKEFLAGS=-ffoo.mk", "GIT_TEMPLATE_DIR=$PWD/lib", "OUT=../victim", "D=/w/victim"],
    "MOVE": ["docs", "src", "..", "../victim", "/w", "/", "/tmp", "~", "lib", "build/out", "out", "sub",
            "scripts", "../outside", "$HOME/.ssh", "-", ".git", ".git/hooks", ".husky"],
    "HOOK": ["pre-commit", "post-checkout", "post-commit", "pre-push", "post-merge", "reference-transaction",
            "post-index-change"],
}

# Ways to bring in one of the plants of sequence_world.py.
PLANTS = [
    "git checkout -q evil-@KIND@", "git switch -q evil-@KIND@", "git merge -q evil-@KIND@", "git merge -q --no-commit evil-@KIND@", "git cherry-pick evil-@KIND@", "git rebase -q evil-@KIND@",
    "git checkout -q evil-@KIND@ -- .", "git restore --source evil-@KIND@ .", "git restore -s evil-@KIND@ -- sub notes out", "git checkout -q --detach evil-@KIND@", "git switch -q -c mine evil-@KIND@",
    "git pull -q . evil-@KIND@", "git read-tree -m -u HEAD evil-@KIND@", "git read-tree evil-@KIND@ && git checkout-index -a", "git apply patches/@KIND@.patch", "git am -q patches/@KIND@.mbox",
    "git am -q < patches/@KIND@.mbox", "patch -s -p1 < patches/@KIND@.patch", "patch -s -p1 -i patches/@KIND@.patch", "git apply --index patches/@KIND@.patch", "cat patches/@KIND@.patch | git apply",
    "tar xf vendor/@KIND@.tar", "tar -x < vendor/@KIND@.tar", "cat vendor/@KIND@.tar | tar x", "unzip -q vendor/@KIND@.zip", "python3 -m zipfile -e vendor/@KIND@.zip .",
    "python3 -c \"import tarfile; tarfile.open('vendor/@KIND@.tar').extractall()\"", "git archive evil-@KIND@ | tar x", "git diff main evil-@KIND@ | git apply", "git diff main evil-@KIND@ | patch -s -p1",
    "git stash -q && git checkout -q evil-@KIND@", "git checkout -qf evil-@KIND@", "git fetch -q vendor/@KIND@.bundle evil-@KIND@ && git merge -q FETCH_HEAD", "git revert --no-edit HEAD && git merge -q evil-@KIND@",
    "git branch -q tmp evil-@KIND@ && git checkout -q tmp", "b=evil-@KIND@; git checkout -q $b", "git checkout -q $(git branch --list 'evil-@KIND@' --format='%(refname:short)')",
    "git format-patch -q --stdout main..evil-@KIND@ | git am -q", "git show evil-@KIND@ | git apply", "git submodule -q foreach : ; git merge -q evil-@KIND@", "git stash pop -q", "git stash apply -q", "git stash branch b1",
    "git sparse-checkout set --no-cone '/*' && git checkout -q evil-@KIND@", "git -c advice.detachedHead=false checkout -q evil-@KIND@", "command git checkout -q evil-@KIND@", "timeout 5 git checkout -q evil-@KIND@",
    "env git checkout -q evil-@KIND@", "git -C . checkout -q evil-@KIND@", "git --work-tree=. checkout -q evil-@KIND@", "git reset -q --merge evil-@KIND@", "git checkout -q -b x1 evil-@KIND@",
    "git checkout -q -", "git switch -q -", "git checkout -q @{-1}", "git merge -q -", "git merge -q origin/main", "git pull -q", "git pull -q --rebase", "git rebase -q origin/main", "git merge -q @{u}", "git fetch -q && git merge -q FETCH_HEAD", "git checkout -q origin/main",
    "git cherry-pick -n evil-@KIND@", "git merge -q --squash evil-@KIND@", "git merge -q -X theirs evil-@KIND@", "git checkout -q -m evil-@KIND@", "git checkout -q evil-@KIND@^0", "git checkout -q $(git rev-parse evil-@KIND@)", "git checkout -q refs/heads/evil-@KIND@", "git rebase -q --onto evil-@KIND@ main main",
    "git fast-import -q < vendor/@KIND@.fi && git checkout -q import-@KIND@", "git fast-import -q < vendor/@KIND@.fi; git merge -q --allow-unrelated-histories import-@KIND@", "git remote add b vendor/@KIND@.bundle; git fetch -q b; git checkout -q b/evil-@KIND@", "git clone -q -b evil-@KIND@ vendor/@KIND@.bundle c; cp -a c/. .",
    "h=$(printf ../victim | git hash-object -w --stdin); git update-index --add --cacheinfo 120000,$h,out; git checkout-index -a", "git update-ref refs/heads/main evil-@KIND@; git checkout -qf -- .", "git symbolic-ref HEAD refs/heads/evil-@KIND@ && git checkout -q -- .", "git symbolic-ref HEAD refs/heads/evil-@KIND@; git restore .",
    "git checkout-index -f -a", "git read-tree --reset -u evil-@KIND@", "git read-tree --prefix=pre/ -u evil-@KIND@", "git checkout -q evil-@KIND@ -- sub", "git checkout -q evil-link -- notes out", "git restore -s evil-link notes out", "git stash show -p --include-untracked | git apply", "git stash push -q -u; git stash pop -q 'stash@{1}'",
    "git worktree add -q wt evil-@KIND@ && cp -a wt/. .", "git worktree add -q wt evil-@KIND@ && mv wt/* .", "git archive evil-@KIND@ -o a.tar; tar xf a.tar", "git bisect start evil-@KIND@ main", "git revert -n evil-@KIND@; git revert --abort", "git checkout -q --orphan o evil-@KIND@", "git checkout -q --track -b t2 evil-@KIND@",
    "git switch -q --detach evil-@KIND@", "git switch -q -C topic evil-@KIND@", "git checkout -q -B topic evil-@KIND@", "git branch -qf main evil-@KIND@; git checkout -q main", "git -c core.symlinks=true checkout -q evil-@KIND@", "cd docs && git checkout -q evil-@KIND@ && cd ..", "(cd src && git checkout -q evil-@KIND@)",
    "git --git-dir=.git --work-tree=. checkout -q evil-@KIND@", "GIT_DIR=.git git checkout -q evil-@KIND@", "git submodule -q update --init; git checkout -q evil-@KIND@", "python3 -c \"import subprocess; subprocess.run(['git', 'checkout', '-q', 'evil-@KIND@'])\"", "node -e \"require('child_process').execSync('git checkout -q evil-@KIND@')\"",
    "xargs git checkout -q <<< evil-@KIND@", "for b in evil-@KIND@; do git checkout -q $b; done", "git checkout -q evil-@KIND@ || git stash -q && git checkout -q evil-@KIND@", "echo evil-@KIND@ > b; git checkout -q $(cat b)", "bsdtar xf vendor/@KIND@.tar", "git switch -q evil-@KIND@ 2>/dev/null",
    "git branch -qf feature evil-@KIND@; git checkout -q feature", "git tag -f v1 evil-@KIND@; git checkout -q v1", "git symbolic-ref refs/heads/topic refs/heads/evil-@KIND@; git checkout -q topic", "git branch -m evil-@KIND@ feature2; git checkout -q feature2", "git branch -c evil-@KIND@ f3 && git switch -q f3",
    "git replace feature evil-@KIND@; git checkout -q feature", "git fetch -q . evil-@KIND@:f4; git checkout -q f4", "git push -q . evil-@KIND@:refs/heads/f5; git checkout -q f5", "git update-ref refs/heads/f6 evil-@KIND@ && git checkout -q f6", "git checkout -q feature && git merge -q evil-@KIND@", "git checkout -q -b t3 && git merge -q evil-@KIND@",
    "git checkout -q -b t4; ln -s ../victim out; git add out; git commit -qm l; git checkout -q main; git checkout -q t4", "git checkout -q feature; git checkout -q -; git checkout -q evil-@KIND@", "git stash -q; git stash apply -q 'stash@{1}'", "git checkout -q 'evil-@KIND@@{0}'", "git checkout -q evil-@KIND@ --", "git checkout -q tags/v1; git cherry-pick evil-@KIND@",
    "git cherry-pick main..evil-@KIND@", "git rebase -q main evil-@KIND@", "git worktree add -q --detach wt && git -C wt checkout -q evil-@KIND@ && mv wt/* .", "git config alias.co checkout; git co -q evil-@KIND@", "git log -1 evil-@KIND@ --format=%H | xargs git checkout -q", "git ls-tree -r evil-@KIND@ --name-only | xargs git checkout -q evil-@KIND@ --",
    "git difftool -y -x cp main evil-@KIND@", "git format-patch -q -1 evil-@KIND@ && git am -q 0001-*", "git bundle unbundle vendor/@KIND@.bundle; git checkout -q $(git bundle list-heads vendor/@KIND@.bundle | cut -c1-40)",
]

LINKS = [
    "ln -s @TARGET@ @LINK@", "ln -sf @TARGET@ @LINK@", "ln -sfn @TARGET@ @LINK@", "ln -s $PWD/@TARGET@ @LINK@", "ln -s @TARGET@ a1 && mv a1 @LINK@", "ln -s @TARGET@ a1 && cp -P a1 @LINK@", "ln -s @TARGET@ a1; cp -a a1 @LINK@",
    "python3 -c \"import os; os.symlink('@TARGET@', '@LINK@')\"", "node -e \"require('fs').symlinkSync('@TARGET@', '@LINK@')\"", "perl -e 'symlink \"@TARGET@\", \"@LINK@\"'",
    "mkdir -p d9 && ln -s ../@TARGET@ d9/x && mv d9/x @LINK@", "t=@TARGET@; ln -s \"$t\" @LINK@", "ln @TARGET@ @LINK@", "ln ../victim/data.txt @LINK@", "cp -l ../victim/data.txt @LINK@", "cp -s /w/victim/data.txt @LINK@",
    "rm -rf lib && ln -s ../victim lib", "mv docs docs2 && ln -s ../victim docs", "ln -s ../victim d8 && ln -s d8 @LINK@", "ln -s .. up && ln -s up/victim @LINK@", "for t in @TARGET@; do ln -s $t @LINK@; done",
    "ln -rs ../victim @LINK@", "ln -st . ../victim && mv victim @LINK@", "printf '../victim' > t && ln -s \"$(cat t)\" @LINK@", "mkdir -p build/q && cd build/q && ln -s ../../../victim z && cd ../.. && mv build/q/z @LINK@",
    "install -d q && ln -s /w/victim q/r && mv q/r @LINK@", "f() { ln -s \"$1\" \"$2\"; }; f @TARGET@ @LINK@", "echo @TARGET@ | xargs -I{} ln -s {} @LINK@", "git worktree add -q wt evil-link && cp -P wt/notes wt/out .",
    "git clone -q -b evil-link . cl && mv cl/notes cl/out .", "rsync -a ../victim/ lib/", "cp -r --preserve=links ../victim lib/v",
]
LINK_USES = [
    "echo x > @LINK@", "echo x >> @LINK@", "echo x > @LINK@/data.txt", "echo x > @LINK@/new.txt", "rm -rf @LINK@/", "rm -rf @LINK@/*", "rm @LINK@", "rm -f @LINK@/data.txt", "touch @LINK@/new", "cp README.md @LINK@", "cp README.md @LINK@/",
    "mv scratch.txt @LINK@", "echo x | tee @LINK@", "tee -a @LINK@ < README.md", "sed -i s/a/b/ @LINK@", "sed -i s/p/q/ @LINK@/data.txt", "cat @LINK@", "ls @LINK@", "git add @LINK@", "mkdir -p @LINK@/x", "python3 -c \"open('@LINK@', 'w').write('x')\"",
    "python3 -c \"import shutil; shutil.rmtree('@LINK@/dir')\"", "node -e \"require('fs').writeFileSync('@LINK@', 'x')\"", "chmod 644 @LINK@", "chmod -R 700 @LINK@/", "truncate -s 0 @LINK@", "dd if=README.md of=@LINK@",
    "tar cf @LINK@/a.tar src", "cd @LINK@ && echo x > data.txt", "cd @LINK@ && rm -rf ./*", "cd -P @LINK@; rm -rf dir", "git -C @LINK@ status", "install -m 644 README.md @LINK@", "find @LINK@/ -type f -delete", "find -L . -name data.txt -delete",
    "(cd @LINK@; echo x > hooks/pre-commit)", "echo x > @LINK@/hooks/pre-commit", "echo x > @LINK@/pre-commit", "awk '{print > \"@LINK@\"}' README.md", "sort README.md -o @LINK@", "rm -rf @LINK@/dir", "echo x > ./@LINK@", "> @LINK@", "cat README.md > \"$PWD/@LINK@\"",
    "git checkout -- @LINK@", "ln -sf x @LINK@/y", "split -b 1 README.md @LINK@/", "echo x > docs/../@LINK@", "for f in @LINK@/*; do rm -rf \"$f\"; done", "tar xf vendor/ok.tar -C @LINK@", "patch @LINK@ < patches/ok.patch", "cat ./@LINK@/../.ssh/id_rsa",
    "f() { echo x > \"$1\"; }; f @LINK@", "while read l; do echo $l >> @LINK@; done < README.md", "node -e \"require('fs').rmSync('@LINK@/dir', {recursive: true})\"", "echo x > notes", "echo x >> out/data.txt", "rm -rf out/dir", "cat notes", "cp src/app.py notes", "echo x > docs/data.txt", "rm -rf docs/dir", "cd docs && echo x > data.txt", "cat k", "cp k copy.txt", "base64 < k", "mv out o2; rm -rf o2/dir", "cp -P notes n2; echo x > n2", "echo x > out/../data.txt", "rm -rf out/../victim/dir", "ln notes n2; echo x > n2",
    "ln -s out o3; rm -rf o3/dir", "echo x > here/notes", "rm -rf here/out/dir", "cd out; cd -P ..; rm -rf victim/dir", "mkdir z; mv @LINK@ z; rm -rf z/*/dir", "cp -a out o4; echo x > o4/data.txt", "git mv notes n3 && echo x > n3", "tee docs/data.txt out/data.txt < README.md",
]

CONFIG = "printf '[core]\\n\\tfsmonitor = \"@PAYLOAD@\"\\n'"
REPOSITORIES = [
    "mkdir -p @DIR@/objects @DIR@/refs && echo 'ref: refs/heads/main' > @DIR@/HEAD && " + CONFIG + " > @DIR@/config",
    "mkdir -p @DIR@/objects @DIR@/refs; echo 'ref: refs/heads/main' > @DIR@/HEAD; touch @DIR@/config",
    "mkdir -p @DIR@/{objects,refs}\ncat > @DIR@/HEAD <<E\nref: refs/heads/main\nE\ncat > @DIR@/config <<E\n[core]\n\tfsmonitor = @PAYLOAD@\nE",
    "mkdir -p x/objects x/refs && echo 'ref: refs/heads/main' > x/HEAD && touch x/config && mv x @DIR@", "mkdir -p x/objects x/refs && echo 'ref: refs/heads/main' > x/HEAD && cp -r x @DIR@/",
    "cp -r .git @DIR@", "cp -r .git @DIR@/.git", "cp -r .git x && mv x @DIR@/.git", "ln -s ../.git @DIR@/.git", "cp -a .git/. @DIR@/", "rsync -a .git/ @DIR@/",
    "python3 -c \"import os; [os.makedirs('@DIR@/' + n, exist_ok=True) for n in ('objects', 'refs')]; open('@DIR@/HEAD', 'w').write('ref: refs/heads/main\\n'); open('@DIR@/config', 'w').write('[core]\\n fsmonitor = @PAYLOAD@\\n')\"",
    "node -e \"const fs = require('fs'); for (const n of ['objects', 'refs']) fs.mkdirSync('@DIR@/' + n, {recursive: true}); fs.writeFileSync('@DIR@/HEAD', 'ref: refs/heads/main'); fs.writeFileSync('@DIR@/config', '')\"",
    "git init -q --bare @DIR@ && " + CONFIG + " >> @DIR@/config", "git init -q @DIR@; git -C @DIR@ config @KEY@ '@PAYLOAD@'", "git init -q --separate-git-dir=@GITDIR@ @DIR@; " + CONFIG + " >> @GITDIR@/config",
    "git init -q @DIR@ && " + CONFIG + " >> @DIR@/.git/config", "git clone -q --bare . @DIR@ && " + CONFIG + " >> @DIR@/config", "git clone -q . cl && " + CONFIG + " >> cl/.git/config && mv cl @DIR@/cl",
    "mkdir -p @DIR@ && echo 'gitdir: ../vendor/g' > @DIR@/.git && mkdir -p vendor/g/objects vendor/g/refs && echo 'ref: refs/heads/main' > vendor/g/HEAD", "mkdir -p @DIR@ && echo 'gitdir: /w/victim' > @DIR@/.git",
    "mkdir -p @DIR@ && printf 'ref: refs/heads/main\\n' | tee @DIR@/HEAD && mkdir @DIR@/objects @DIR@/refs && cp scripts/env.sh @DIR@/config", "mkdir -p @DIR@ && echo ../.git > @DIR@/commondir && echo 'ref: refs/heads/main' > @DIR@/HEAD",
    "git worktree add -q @DIR@ evil-bare", "git worktree add -q @DIR@ evil-link", "git clone -q -b evil-bare . cl; cp -r cl/sub .", "git submodule add -q ./lib @DIR@", "git config @KEY@ '@PAYLOAD@'", "git config --local core.hooksPath scripts",
    CONFIG + " >> .git/config", "sed -i 's/bare = false/fsmonitor = x/' .git/config", "echo '*.md filter=evil' > .gitattributes", "echo '*.md filter=evil' >> .git/info/attributes", "echo ../lib/objects > .git/objects/info/alternates",
    "git config --file @DIR@/config core.fsmonitor x", "git config -f lib/conf core.pager '@PAYLOAD@'", "cd build && mkdir -p r/objects r/refs && echo 'ref: refs/heads/main' > r/HEAD && cd ..",
    "install -D -m 644 .git/HEAD @DIR@/HEAD && mkdir -p @DIR@/objects @DIR@/refs", "for n in objects refs; do mkdir -p @DIR@/$n; done; echo 'ref: refs/heads/main' > @DIR@/HEAD", "d=@DIR@; mkdir -p $d/objects $d/refs; echo ref: refs/heads/main > $d/HEAD",
    "f() { mkdir -p $1/objects $1/refs; echo 'ref: refs/heads/main' > $1/HEAD; }; f @DIR@", "mkdir -p @DIR@/objects @DIR@/refs && mv .git/HEAD @DIR@/HEAD", "mkdir -p @DIR@/objects @DIR@/refs; ln -s ../.git/HEAD @DIR@/HEAD; ln -s ../.git/config @DIR@/config",
    "mkdir -p @DIR@/objects @DIR@/refs; ln .git/HEAD @DIR@/HEAD", "mv .git @DIR@/", "mv .git .git2; git init -q", "git mv lib/lib.txt lib/HEAD && mkdir lib/objects lib/refs", "git archive evil-bare sub | tar x -C build",
    "ln -s . self && mkdir -p self/@DIR@/objects self/@DIR@/refs && echo 'ref: refs/heads/main' > self/@DIR@/HEAD", "mkdir -p here/@DIR@/objects here/@DIR@/refs; echo 'ref: refs/heads/main' > here/@DIR@/HEAD", "mkdir -p $PWD/@DIR@/objects /w/p/@DIR@/refs; echo 'ref: refs/heads/main' > docs/../@DIR@/HEAD",
    "mkdir -p g5/objects g5/refs; echo 'ref: refs/heads/main' > g5/HEAD; mkdir -p @DIR@; mv g5/* @DIR@/", "mkdir -p g5/objects g5/refs; echo 'ref: refs/heads/main' > g5/HEAD; mkdir -p @DIR@; cp -r g5/{HEAD,objects,refs} @DIR@", "mkdir -p g5/objects g5/refs; echo 'ref: refs/heads/main' > g5/HEAD; cp -rT g5 @DIR@",
    "mkdir -p g5/objects g5/refs; echo 'ref: refs/heads/main' > g5/HEAD; mkdir -p @DIR@; for f in g5/*; do mv $f @DIR@; done", "mkdir -p @DIR@; cp README.md @DIR@/HEAD; cp -r src @DIR@/objects; cp -r docs @DIR@/refs", "cd lib; mv lib.txt HEAD; mkdir objects refs; cd ..", "mkdir -p /proc/self/cwd/@DIR@/objects /proc/self/cwd/@DIR@/refs; echo 'ref: refs/heads/main' > /proc/self/cwd/@DIR@/HEAD",
    "ln -s lib b5; mkdir b5/objects b5/refs; echo 'ref: refs/heads/main' > b5/HEAD", "mkdir src/vendored/objects src/vendored/refs; echo 'ref: refs/heads/main' > src/vendored/HEAD",
]
FRESH = [
    "git init -q @DIR@", "git init -q --bare @DIR@", "git clone -q . @DIR@/c", "git clone -q --bare . @DIR@/c.git", "mkdir -p @DIR@/n && cd @DIR@/n && git init -q", "git init -q --separate-git-dir=@GITDIR@ @DIR@/n",
    "git worktree add -q ../p-wt feature", "git worktree add -q @DIR@/w feature", "git clone -q /w/remote.git @DIR@/r",
]
FRESH_USES = ["git -C @DIR@ status", "cd @DIR@ && git log -1", "git -C @DIR@/c status",
        "git -C @DIR@/c.git log -1", "git -C @DIR@/n add .", "git status", "git -C @DIR@/w log -1", "git -C @DIR@/r diff", "cd @DIR@ && git init -q && git status", "git -C ../p-wt status"]
GIT_USES = [
    "git status", "git -C @DIR@ status", "cd @DIR@ && git status", "(cd @DIR@; git log -1)", "git -C @DIR@ diff", "git -C @DIR@ log", "git --git-dir=@DIR@ status", "git --git-dir @DIR@ --work-tree . status", "git -C @DIR@ commit -q --allow-empty -m x",
    "git -C @DIR@ add .", "git diff", "git log -1", "git add .", "git add -A && git commit -qm x", "git commit -qm x", "git commit -qam x", "git stash", "git -C sub status", "cd sub; git status", "cd sub && git log", "git --git-dir=sub status", "git show",
    "git -C @DIR@ config -l", "git branch", "git -C @DIR@ branch -a", "git rev-parse HEAD", "git -C @DIR@ rev-parse HEAD", "cd @DIR@\ngit status\ncd ..", "pushd @DIR@ && git status; popd", "git -C @DIR@ fetch", "git submodule status", "git submodule update --init",
    "git checkout -q feature", "git -C @DIR@ checkout -q -b y", "git merge -q feature", "for d in */; do git -C $d status; done", "find . -name .git -exec git -C {}/.. status \\;", "git worktree list", "git blame README.md", "git grep x", "git diff --stat", "git log -p -1",
    "d=@DIR@; git -C $d status", "cd build/r && git diff", "git ls-files", "git -C @DIR@ ls-files", "git describe --tags", "env -C @DIR@ git status", "python3 -c \"import subprocess; subprocess.run(['git', 'status'], cwd='@DIR@')\"", "git -C $PWD/@DIR@ status",
    "node -e \"require('child_process').execSync('git status', {cwd: '@DIR@'})\"", "sh -c 'cd @DIR@ && git status'", "git -C @DIR@/n status", "git -C ./@DIR@ --no-pager log -1", "git -C docs/../@DIR@ status", "git st", "git pull -q", "git push -q origin main", "git gc -q", "git notes list", "git -C here/@DIR@ status", "cd lib && git status", "git -C lib diff", "git -C src/vendored status", "cd @DIR@* && git status", "for x in */; do (cd $x; git status); done", "git -C */ status", "git() { command git -C @DIR@ \"$@\"; }; git status", "git -C /proc/self/cwd/@DIR@ status",
]

HOOKS = [
    "echo '@PAYLOAD@' > .husky/pre-commit", "mkdir -p .husky && printf '#!/bin/sh\\n@PAYLOAD@\\n' > .husky/pre-commit && chmod 755 .husky/pre-commit", "cp scripts/test.sh .husky/pre-commit", "git config core.hooksPath @GUARDED_DIR@", "git config core.hooksPath scripts",
    "patch -s -p1 < patches/hook.patch", "patch -s -p1 < patches/hook.patch && chmod +x .git/hooks/pre-commit", "patch -s -p1 < patches/outside.patch", "echo 'require(\"fs\").writeFileSync(\"/w/victim/pwned\", \"\")' > scripts/lint.js", "git checkout -q evil-make",
    "git checkout -q evil-husky", "git checkout -q evil-husky -- .husky", "tar xf vendor/husky.tar", "cp -r .husky scripts/h && git config core.hooksPath scripts/h", "mkdir h && printf '#!/bin/sh\\n@PAYLOAD@\\n' > h/pre-commit && chmod +x h/pre-commit && git config core.hooksPath h",
    "mv scripts .husky", "ln -s ../scripts/test.sh .git/hooks/pre-commit", "ln -s scripts h && git config core.hooksPath h", "sed -i 's/lint/x/' scripts/lint.js", "rm scripts/lint.js; ln -s ../src/util.js scripts/lint.js", "cat > scripts/lint.js <<E\nconsole.log(1)\nE",
    "git init -q && cp scripts/test.sh .git/hooks/@HOOK@", "printf '#!/bin/sh\\n@PAYLOAD@\\n' | tee .git/hooks/@HOOK@ && chmod +x .git/hooks/@HOOK@", "install -m 755 scripts/test.sh .git/hooks/@HOOK@", "git apply patches/husky.patch", "unzip -qo vendor/husky.zip",
    "python3 -c \"open('.git/hooks/@HOOK@', 'w').write('x')\"", "cd .git/hooks && cp ../../scripts/test.sh @HOOK@ && cd ../..", "git stash -q", "git worktree add -q w2 evil-husky", "cp -r lib/. .git/hooks/", "d=.git; cp scripts/test.sh $d/hooks/@HOOK@", "mv scripts/test.sh build/x && cp build/x .git/hooks/@HOOK@",
]
HOOK_USES = ["git commit -qm x", "git commit -q --allow-empty -m x", "git add . && git commit -qm x",
        "git checkout -q -b y", "git merge -q feature", "git push -q", "git stash", "git am -q patches/ok.mbox", "git status", "git rebase -q feature", "git cherry-pick feature", "git pull -q",
             "git revert --no-edit HEAD", "git switch -q feature", "git tag t1", "git branch b1", "git commit -qa -m x", "git -C src commit -qm x", "cd docs && git commit -qam y", "node scripts/lint.js", "git commit -q --no-verify -m x", "npx lint-staged", "git worktree add -q w3", "git fetch"]

SCRIPTS = [
    "echo '@PAYLOAD@' > @SCRIPT@", "echo 'echo ok' > @SCRIPT@", "printf '#!/bin/sh\\n@PAYLOAD@\\n' > @SCRIPT@ && chmod +x @SCRIPT@", "cat > @SCRIPT@ <<'E'\n@PAYLOAD@\nE", "cat > @SCRIPT@ <<E\necho one\necho two\nE", "cp scripts/env.sh @SCRIPT@", "echo 'git status' > @SCRIPT@",
    "echo 'cd ../victim' > @SCRIPT@", "echo 'rm -rf \"$1\"' > @SCRIPT@", "echo 'export OUT=/w/victim' > @SCRIPT@", "echo 'alias ls=rm' > @SCRIPT@", "echo 'ls() { rm -rf ../victim; }' > @SCRIPT@", "tee @SCRIPT@ <<< '@PAYLOAD@'", "sed -i '$a @PAYLOAD@' scripts/test.sh", "git checkout -q evil-make",
    "mv scripts/lint.js @SCRIPT@", "ln -sf ../../victim/data.txt scripts/env.sh", "python3 -c \"open('@SCRIPT@', 'w').write('@PAYLOAD@')\"", "node -e \"require('fs').writeFileSync('@SCRIPT@', '@PAYLOAD@')\"", "printf 'all test:\\n\\t@PAYLOAD@\\n' > Makefile", "echo 'import os; os.remove(\"/w/victim/data.txt\")' > src/app.py",
    "mkdir -p bin && printf '#!/bin/sh\\n@PAYLOAD@\\n' > bin/git && chmod +x bin/git && export PATH=$PWD/bin:$PATH", "printf '#!/bin/sh\\n@PAYLOAD@\\n' > bin/ls; chmod 755 bin/ls; PATH=$PWD/bin:$PATH", "echo x > @SCRIPT@ && echo '@PAYLOAD@' >> @SCRIPT@", "echo '@PAYLOAD@' > a1; mv a1 @SCRIPT@", "echo '@PAYLOAD@' > a1; cp a1 @SCRIPT@",
    "ls() { @PAYLOAD@; }", "git() { command git \"$@\"; @PAYLOAD@; }", "alias git='@PAYLOAD@;git'", "shopt -s expand_aliases; alias ls='@PAYLOAD@;ls'", "trap '@PAYLOAD@' EXIT", "trap '@PAYLOAD@' DEBUG", "echo 'OUT=../victim' > scripts/env.sh; source scripts/env.sh", "echo 'cd ..' > @SCRIPT@; . ./@SCRIPT@", "set -e", "set -o noclobber",
    "x=1; [[ $x == 1 ]] && echo '@PAYLOAD@' > @SCRIPT@", "if true; then echo '@PAYLOAD@' > @SCRIPT@; else echo 'echo' > @SCRIPT@; fi", "echo 'echo a' > @SCRIPT@; echo '@PAYLOAD@' > @SCRIPT@", "echo '@PAYLOAD@' > @SCRIPT@; echo 'echo a' > @SCRIPT@", "echo '{\"scripts\": {\"test\": \"@PAYLOAD@\"}}' > package.json", "command_not_found_handle() { @PAYLOAD@; }",
    "exec > @SCRIPT@; echo '@PAYLOAD@'", "{ echo '@PAYLOAD@'; } > @SCRIPT@", "echo 'echo a' > @SCRIPT@; sed -i 's/echo a/rm -rf ..\\/victim/' @SCRIPT@", "echo 'echo a' > @SCRIPT@; git checkout -q evil-make", "declare -f > /dev/null", "source scripts/env.sh", ". ./scripts/setup.sh", "bash scripts/setup.sh", "make",
    "printf '%s\\n' '@PAYLOAD@' | cat > @SCRIPT@", "echo '@PAYLOAD@' | dd of=@SCRIPT@ 2>/dev/null", "chmod -x scripts/test.sh", "truncate -s 0 @SCRIPT@",
]
SCRIPT_USES = ["bash @SCRIPT@", "sh @SCRIPT@", "./@SCRIPT@", "source @SCRIPT@", ". ./@SCRIPT@",
        "bash -x @SCRIPT@", "bash @SCRIPT@ ../victim", "bash < @SCRIPT@", "cat @SCRIPT@ | sh", "npm test", "make", "make test", "node scripts/lint.js", "python3 src/app.py", "git status", "ls", "ls src", "git log -1", "bash -c \"$(cat @SCRIPT@)\"",
               "eval \"$(cat @SCRIPT@)\"", ". @SCRIPT@; rm -rf \"$OUT/dir\"", "source scripts/env.sh && echo $APP_MODE > mode.txt", "source @SCRIPT@; ls", "source @SCRIPT@ && rm -rf ./*", "source @SCRIPT@; echo x > data.txt", "env bash @SCRIPT@", "xargs bash < @SCRIPT@", "cat @SCRIPT@", "chmod +x @SCRIPT@ && ./@SCRIPT@",
               "bash scripts/test.sh", "bash -n @SCRIPT@", "(. ./@SCRIPT@)", "f() { source @SCRIPT@; }; f", "npm run build", "frobnicate", "rm -rf \"$OUT/dir\"", "echo x > $OUT/data.txt", "python3 -m app", "bash -e @SCRIPT@", "nohup bash @SCRIPT@", "while read c; do $c; done < @SCRIPT@", "sh -c '. ./@SCRIPT@'", "timeout 5 sh @SCRIPT@"]

STATES = [
    "cd @MOVE@", "cd @MOVE@ && cd -", "pushd @MOVE@", "pushd @MOVE@ > /dev/null && popd", "cd @MOVE@; cd ..", "export @VARIABLE@", "@VARIABLE@", "export @VARIABLE@; cd @MOVE@", "declare -x @VARIABLE@", "D=../victim", "OUT=/w/victim; export OUT", "cd docs && D=../../victim", "read -r D <<< ../victim", "set -- ../victim", "umask 000",
    "cd $(echo ../victim)", "d=victim; cd ../$d", "cd -P docs", "cd docs/../..", "export HOME=$PWD && cd", "PWD=/w/victim", "OLDPWD=/w/victim", "HOME=/w/victim", "IFS=/", "unset HOME", "mkdir -p ../victim/n 2>/dev/null; cd ..", "export D=$(pwd)/../victim", "readonly D=../victim", "let n=1", "D=(../victim ../outside)", "set -f", "shopt -s dotglob nullglob",
    "mkdir n1 && cd n1", "mkdir -p n1/n2 && cd n1/n2 && cd ../../..", "rm -rf docs; cd docs", "ln -s .. up; cd up", "ln -s ../victim v; cd v", "git worktree add -q w1 evil-link; cd w1", "cd() { builtin cd ../victim; }", "cd src; function cd { :; }", "dirs -c; pushd -n ../victim", "exec 3> build/log", "printf -v D %s ../victim", "mapfile -t D < scripts/env.sh",
    "eval cd ../victim", "eval 'export D=../victim'", "command cd ../victim", "builtin cd ..", "cd ./ ; cd ../", "CDPATH=.. && cd victim", "export GIT_DIR=$PWD/@DIR@; mkdir -p @DIR@", "getopts a D -a", "for D in ../victim; do :; done", "((D=1))", "D=${D:-../victim}", ": ${D:=../victim}", "local D=../victim", "source scripts/env.sh; cd @MOVE@",
]
STATE_USES = ["rm -rf dir", "echo x > data.txt", "rm -rf ~/x", "rm -rf \"$D\"", "rm -rf \"$D/dir\"",
        "echo x > $OUT/data.txt", "cd victim && rm -rf dir", "rm -rf \"$OLDPWD/dir\"", "cat .ssh/id_rsa", "cat id_rsa", "cd - && rm -rf dir", "popd && rm -rf dir", "git status", "git -C @DIR@ status", "git commit -qm x", "git log -1", "ls", "rm -rf victim", "rm -rf ./*",
              "rm -rf \"$1\"", "rm -rf \"$PWD/dir\"", "touch x", "echo x > ~/.bashrc", "echo x > .bashrc", "mkdir -p new && touch new/f", "echo x > config", "echo x > pre-commit", "cd .. && rm -rf victim/dir", "git add .", "node -e 'console.log(1)'", "make", "python3 src/app.py", "tar cf a.tar src", "cp README.md x", "rm -rf ~+/dir", "rm -rf ~-/dir", "echo x >> notes",
              "sort data.txt -o data.txt", "mktemp -d", "sed -i s/a/b/ data.txt", "rm -f *", "git diff", "ls > out.log", "echo $D", "cat README.md", "echo x >&3", "npm test", "git push -q", "rm -rf ${D[0]}/dir", "echo x > ${D}/data.txt", "find . -delete", "git clean -fdq", "cd src && ls", "cd docs && echo x > new.md"]

GUARDED = [
    "mkdir -p .claude .husky", "mv docs .claude", "mv docs .husky", "ln -s .git gl", "ln -s .claude gl; mkdir .claude", "ln -s .husky gl", "cp -r docs .vscode", "mkdir x && mv x .husky", "git clone -q . .claude", "cp -r .git gl", "mkdir -p gl && mount 2>/dev/null", "mv .git gl", "ln -s $PWD/.git gl", "ln -s . gl", "ln -s .git/hooks gl", "cd .git", "cd .git/hooks", "cd .husky",
    "mkdir -p .husky; cd .husky", "D=.git", "export D=.git/hooks", "git init -q gl", "git init -q --separate-git-dir=gl q", "git worktree add -q gl", "cp -al .git gl", "ln .git/config conf", "git mv docs .husky", "git stash pop -q", "tar xf vendor/husky.tar", "git checkout -q evil-husky", "touch .envrc", "mkdir -p a/.claude && mv a/.claude .", "ln -s ../.git src/gl",
]
GUARDED_USES = ["echo x > gl/hooks/pre-commit", "echo x > gl/config", "echo x > gl/settings.json",
        "echo x > @GUARDED@", "cp README.md @GUARDED_DIR@/", "echo x | tee @GUARDED@", "mv scratch.txt @GUARDED@", "echo x > config", "echo x > hooks/pre-commit", "echo x > pre-commit", "echo x > $D/pre-commit", "cp scripts/test.sh $D/", "sed -i s/a/b/ @GUARDED@",
                "echo x > gl/.git/config", "echo x > gl/pre-commit", "echo x > conf", "rm -rf gl/hooks", "rm -rf gl", "touch gl/x", "git -C gl status", "chmod +x @GUARDED@", "echo x > src/gl/config", "cat @GUARDED@", "git -C gl config core.fsmonitor x", "ln -sf x gl/hooks/pre-commit", "git commit -qm x", "git status", "python3 -c \"open('gl/config', 'a').write('x')\"", "rm -f @GUARDED@",
                "git config -f gl/config core.fsmonitor x", "git -C q status", "echo x > .claude/guide.md", "echo x > .husky/guide.md", "patch -s gl/config patches/ok.patch", "cp -r scripts/. gl/hooks/", "mv README.md gl/HEAD"]

ALL_FIRST = PLANTS + LINKS + REPOSITORIES + HOOKS + SCRIPTS + STATES + GUARDED
ALL_SECOND = LINK_USES + GIT_USES + HOOK_USES + SCRIPT_USES + STATE_USES + GUARDED_USES
THEMES = {
    "plant": (PLANTS, LINK_USES + GIT_USES + HOOK_USES + SCRIPT_USES), "link": (LINKS,
            LINK_USES), "repository": (REPOSITORIES, GIT_USES), "hook": (HOOKS, HOOK_USES), "script": (SCRIPTS, SCRIPT_USES),
    "state": (STATES, STATE_USES), "guarded": (GUARDED, GUARDED_USES), "fresh": (FRESH, FRESH_USES),
}
WEIGHTS = {"plant": 5, "link": 4, "repository": 4, "hook": 3, "script": 3, "state": 3, "guarded": 2,
        "fresh": 1}

# An ordinary working day. The parts are quiet alone; so must they be together.
BENIGN_FIRST = [
    "mkdir -p build/tmp", "echo 'new line' >> docs/guide.md", "echo '# title' > docs/new.md", "cat > src/new.py <<'E'\nprint(1)\nE", "cp README.md docs/copy.md", "mv scratch.txt docs/scratch.txt", "rm -f build/out/app.txt", "rm -rf build", "touch src/empty.py", "sed -i 's/one/uno/' docs/guide.md", "git add .", "git add -A",
    "git checkout -q feature", "git switch -q feature", "git checkout -q -b topic", "git switch -q -c topic", "git commit -qam wip", "git add . && git commit -qm 'work'", "git stash", "git merge -q feature", "git rebase -q feature", "git cherry-pick feature", "git branch topic", "git tag v2", "git checkout -- README.md", "git restore README.md",
    "cd src", "cd docs && ls", "cd src && cd ..", "pushd docs", "export NODE_ENV=test", "export DEBUG=1", "VERSION=1.2.3", "name=$(basename \"$PWD\")", "set -e", "set -euo pipefail", "npm test", "npm run build", "make", "make test", "node src/util.js", "python3 src/app.py", "python3 -m py_compile src/app.py", "python3 -c \"open('build/x.txt', 'w').write('x')\"",
    "node -e \"require('fs').writeFileSync('build/x.txt', 'x')\"", "printf '%s\\n' a b c > data/list.txt", "tee docs/t.md <<< text", "tar cf build/src.tar src", "tar xf vendor/ok.tar", "git apply patches/ok.patch", "git am -q patches/ok.mbox", "patch -s -p1 < patches/ok.patch", "git diff > build/my.patch", "git init -q build/new", "git clone -q . build/clone", "git worktree add -q build/wt feature",
    "ln -s guide.md docs/link.md", "ln -sf ../README.md docs/readme", "chmod +x scripts/test.sh", "bash scripts/setup.sh", "source scripts/env.sh", "sort data/table.csv > data/sorted.csv", "find . -name '*.pyc' -delete", "git fetch -q", "git config user.name dev", "git mv docs/guide.md docs/manual.md", "git rm -q data/table.csv", "git reset -q", "git stash list", "echo 'echo hi' > scripts/hi.sh",
    "cp -r src build/src", "mkdir -p build/a && cd build/a", "f() { echo \"$1\"; }; f x", "for f in src/*; do wc -l \"$f\"; done > build/counts", "git show HEAD:README.md > build/old.md", "install -D README.md build/r/README.md", "rsync -a src/ build/src/", "truncate -s 0 build/log", "git status --short > build/status",
]
BENIGN_SECOND = [
    "git status", "git status --short", "git diff", "git diff --stat", "git log --oneline -5", "git log -1", "git add .", "git add -A && git commit -qm 'work'", "git commit -qam 'work'", "git branch", "git show --stat", "ls -la", "ls src docs", "cat README.md", "cat docs/guide.md", "cat docs/new.md", "head -5 docs/guide.md", "grep -rn one docs", "wc -l src/*", "npm test", "npm run build", "make", "make test",
    "node src/util.js", "python3 src/app.py", "python3 -m pytest -q", "bash scripts/test.sh", "./scripts/test.sh", "echo done", "echo x >> docs/guide.md", "echo x > build/y.txt", "mkdir -p build/z", "touch docs/z.md", "cp docs/guide.md build/", "rm -f docs/copy.md", "rm -rf build/tmp", "mv docs/new.md docs/newer.md", "sed -i 's/two/dos/' docs/guide.md", "git checkout -q main", "git switch -q main", "git stash pop",
    "cd docs && ls", "cd src && ls", "pwd", "git -C build/new status", "git -C build/clone log -1", "git -C build/wt status", "cd build/clone && git log -1", "bash scripts/hi.sh", "git diff --cached", "git merge -q feature", "git rev-parse HEAD", "git push", "find . -name '*.md' | head", "tar tf build/src.tar", "diff docs/guide.md README.md", "git ls-files", "sort data/list.txt", "echo \"$VERSION\" > build/version", "rm -f build/*.txt",
    "git commit -q --allow-empty -m trigger", "git tag v3", "git blame README.md", "cat build/x.txt", "python3 -c \"print(open('README.md').read())\"", "node -e 'console.log(1)'", "git checkout -q -b next", "du -sh build", "stat README.md", "jq . package.json", "test -f README.md && echo yes",
]

# (text with @1 and @2, or @q1 and @q2 for one quoted word; the same shell; the second text needs the first
# one's success; lines: a text may have several)
JOINS = {
    "semicolon": ("@1; @2", True, False, False), "and": ("@1 && @2", True, True, False), "newline": ("@1\n@2",
            True, False, True), "subshell": ("(@1; @2)", True, False, False), "braces": ("{\n@1\n@2\n}", True, False, True),
    "function": ("f0() {\n@1\n@2\n}\nf0", True, False,
            True), "two-functions": ("a0() {\n@1\n}\nb0() {\n@2\n}\na0; b0", True, False, True), "later-function": ("b0() {\n@2\n}\n@1\nb0", True, False, True),
    "for": ("for i in 1; do\n@1\n@2\ndone", True, False,
            True), "loop-back": ("for i in 1 2; do\n@2\n@1\ndone", True, False, True), "while": ("n=0; while [ $n -lt 2 ]; do n=$((n+1))\n@2\n@1\ndone", True, False, True), "bash-c": ("bash -c @q12", True, False, True), "sh-first": ("bash -c @q1; @2", False, False, True),
    "sh-both": ("bash -c @q1; bash -c @q2", False, False, True), "pipe": ("{\n@1\n} | {\n@2\n}", False, False,
            True), "background": ("{\n@1\n} & @2", False, False, True), "background-wait": ("{\n@1\n} &\nwait; @2", False, False, True), "first-subshell": ("(\n@1\n)\n@2", False, False, True),
    "if": ("if @1; then @2; fi", True, True, False), "if-lines": ("if true; then\n@1\nfi\n@2", True, False,
            True), "eval": ("eval @q1; eval @q2", True, False, True), "substitution": ("x0=$(\n@1\n); @2", False, False, True), "trap": ("trap @q2 EXIT; @1", True, False, False), "stdin": ("bash <<'END0'\n@1\n@2\nEND0", True, False, True),
    "printf-sh": ("printf %s @q1 | bash; @2", False, False, True), "case": ("case a in a) @1;; esac; @2",
            True, False, False), "not-or": ("! { @1; } || @2", True, True, False), "background-second": ("{ sleep 0.1\n@2\n} & @1\nwait", False, False, True), "process": ("cat <(\n@1\n)\n@2", False, False, True), "time": ("time @1; @2", True, False, False),
    "coproc": ("coproc {\n@1\n}\nwait; @2", False, False,
            True), "until": ("until false; do\n@1\nbreak\ndone\n@2", True, False, True), "xargs": ("echo x | xargs -I{} bash -c @q1; @2", False, False, True), "nested": ("f0() { g0() {\n@1\n}; g0; }; f0; if true; then (\n@2\n); fi", True, False, True), "env": ("env bash -c @q1 && @2", False, True, True),
    "timeout": ("timeout 20 bash -c @q1; @2", False, False, True), "err-trap": ("trap @q2 ERR; @1; false",
            True, False, False), "debug-late": ("@1; trap @q2 DEBUG; :", True, False, False), "return": ("f0() { @1; return; }; f0; @2", True, False, False), "or-group": ("false || {\n@1\n}; @2", True, False, True), "select-true": ("true && {\n@1\n} && @2", True, True, True),
    "source": ("source /dev/stdin <<'END0'\n@1\nEND0\n@2", True, False,
            True), "nohup": ("nohup bash -c @q1 >/dev/null 2>&1 & wait; @2", False, False, True),
}
BENIGN_JOINS = ["and", "semicolon", "newline", "and", "semicolon", "newline", "subshell", "bash-c"]
BEFORE = {"loop-back", "while"}  # the second text also runs once before the first one
# Texts that are strict by themselves, whatever follows. They are rare: nothing can be learnt from what
# follows them.
STRICT = re.compile(r"\.git/(hooks|config|info|objects)|@GUARDED|\.husky|hooksPath|config @KEY@|/\.git\b|mv \.git|trap '@PAY|not_found_handle")
MIDDLES = ["@1; @2", "@1 && @2", "@1\n@2"]


def fill(rng, text, chosen):
    """Replaces @NAME@; a name has one value in a whole sequence."""
    def value(m):
        name = m.group(1)
        if name not in chosen:
            chosen[name] = rng.choice(VALUES[name])
        return fill(rng, chosen[name], chosen)
    return re.sub(r"@([A-Z_]+)@", value, text)


def join(name, first, second):
    text, keeps, needs, _ = JOINS[name]
    parts = {"@q12": shlex.quote(first + "\n" + second), "@q1": shlex.quote(first),
            "@q2": shlex.quote(second), "@1": first, "@2": second}
    return re.sub("@q12|@q1|@q2|@1|@2", lambda m: parts[m.group()], text), keeps, needs


def combine(rng, first, second):
    """Two texts as one that is executed in order; lines where one of them has several."""
    text = "@1\n@2" if "\n" in first + second else rng.choice(MIDDLES)
    return text.replace("@1", first).replace("@2", second)


def pick_first(rng, texts):
    text = rng.choice(texts)
    while STRICT.search(text) and rng.random() < 0.8:
        text = rng.choice(texts)
    return text


def is_fresh(parts):
    """Does git itself make the repository, and nothing else happens but assignments that only the texts here read?"""
    makes = [re.fullmatch(r"git (init|clone|worktree add) [^;&|\n]*", p) for p in parts]
    assigns = [re.fullmatch(r"(D|OUT|APP)=(\([^;&|$`()\n]*\)|[^\s;&|$`()]*)", p) for p in parts]
    return any(makes) and all(m or a for m, a in zip(makes, assigns))


def make(seed, index, klass=None):
    rng = random.Random("%s/%s" % (seed, index))
    klass = klass or ("benign" if index % 5 == 0 else "attack")
    chosen, fresh, theme = {}, False, "benign"
    if klass == "benign":
        first, second = rng.choice(BENIGN_FIRST), rng.choice(BENIGN_SECOND)
        names = BENIGN_JOINS
    else:
        theme = rng.choices(list(WEIGHTS), WEIGHTS.values())[0]
        ours, uses = THEMES[theme]
        first = pick_first(rng, ours)
        second = rng.choice(uses if rng.random() < 0.85 else ALL_SECOND)
        names = list(JOINS) if rng.random() < 0.6 else ["semicolon", "and", "newline"]
        parts = [first]
        if theme != "fresh" and rng.random() < 0.3:
            parts.append(pick_first(rng, ours if rng.random() < 0.5 else ALL_FIRST))
            first = combine(rng, *parts) if rng.random() < 0.5 else combine(rng, *parts[::-1])
        fresh = theme == "fresh" or is_fresh(parts)
    first, second = fill(rng, first, chosen), fill(rng, second, chosen)
    how = rng.choice(names)
    while "\n" in first + second and not JOINS[how][3]:
        how = rng.choice(names + ["newline"])
    command, keeps, needs = join(how, first, second)
    return {"id": index, "class": klass, "theme": theme,
            "world": "hooked" if rng.random(
                    ) < 0.25 else "plain", "first": first, "second": second, "join": how, "command": command, "keeps": keeps, "needs": needs, "fresh": fresh}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--n", type=int, default=10)
    p.add_argument("--seed", default="1")
    p.add_argument("--class", dest="klass", choices=["attack", "benign"])
    args = p.parse_args()
    for i in range(args.n):
        print(json.dumps(make(args.seed, i, args.klass)))


if __name__ == "__main__":
    main()
