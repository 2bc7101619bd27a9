"""The worlds of the sequence oracle: a project with an ordinary history, and branches, patches, archives and a stash that plant things.

Each world is a script that bash runs with -e in /w, as an ordinary user whose home is /home/dev. The project is /w/p; nothing else in /w and
the home belongs to it. Everything hostile aims at /w/victim and makes /w/victim/pwned when its code runs.

    branch evil-bare    sub/ is a bare repository whose configuration runs a program
    branch evil-link    notes and out are links to the victim
    branch evil-husky   .husky, .claude, .envrc, .mcp.json and .vscode
    branch evil-make    the Makefile, package.json, scripts and a .gitattributes
    branch evil-module  a submodule whose path is a link
    branch evil-asset   a link below assets, which main has renamed to media
    branch evil-clash   data, a directory that main has changed, is a link
    branch evil-mid     only the commits before the last one have the link mid; main had the link lost before the tag gone
    branch evil-dir     docs, a directory of main, is a link to the victim
    branch evil-key     k is a link to a private key
    branch feature      ordinary work
    here, src/vendored  ordinary links of the project to itself
    patches/NAME.patch, patches/NAME.mbox, vendor/NAME.tar, vendor/NAME.zip, vendor/NAME.bundle, vendor/NAME.fi  the same plants (bare, link, husky, hook) and `ok`
    stash               the link `notes`
    .git/hooks/*.sample from git's template: git init in the project would make them again, and git never runs them
    origin/main         main and evil-link; `git checkout -` goes to evil-link
"""

PAYLOAD = "touch /w/victim/pwned"

COMMON = r"""
mkdir -p victim victim/dir outside p /home/dev/.ssh
echo precious > victim/data.txt
echo precious > victim/dir/inner.txt
echo other > outside/file.txt
echo key > /home/dev/.ssh/id_rsa
echo '# mine' > /home/dev/.bashrc
printf '[user]\n\tname = dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[protocol "file"]\n\tallow = always\n' > /home/dev/.gitconfig
cd p
git init -q
mkdir -p src docs lib scripts bin build/out data
printf '# project\n' > README.md
printf 'one\ntwo\nthree\n' > docs/guide.md
printf 'print("app")\n' > src/app.py
printf 'exports.add = (a, b) => a + b;\n' > src/util.js
printf '#!/bin/sh\necho testing\n' > scripts/test.sh
printf '#!/bin/sh\necho setup\n' > scripts/setup.sh
printf 'export APP_MODE=test\n' > scripts/env.sh
printf 'console.log("lint");\n' > scripts/lint.js
chmod 755 scripts/*.sh
printf '{"name": "p", "version": "1.0.0", "scripts": {"test": "node src/util.js", "build": "node src/util.js"}}\n' > package.json
printf 'all:\n\t@echo all\ntest:\n\t@sh scripts/test.sh\n' > Makefile
printf 'build/\nout.log\n' > .gitignore
printf 'a,b\n1,2\n' > data/table.csv
printf 'lib\n' > lib/lib.txt
echo built > build/out/app.txt
mkdir assets && echo a > assets/a.txt && echo b > assets/b.txt && echo c > assets/c.txt
ln -s ../lib src/vendored
ln -s . here
git add . && git commit -qm 'first'
git tag v0
ln -s ../victim/data.txt lost && git add lost && git commit -qm 'a link' && git rm -q lost && git commit -qm 'no link' && git tag gone
git mv assets media && echo four >> docs/guide.md && git commit -qam 'second' && git tag v1

plant() { # KIND: into this directory
	case $1 in
	bare)
		mkdir -p sub/objects sub/refs && echo 'ref: refs/heads/main' > sub/HEAD && echo x > sub/objects/keep && echo x > sub/refs/keep
		printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch /w/victim/pwned; false"\n' > sub/config ;;
	link) ln -s ../victim/data.txt notes && ln -s ../victim out && ln -s /w/victim abs ;;
	husky)
		mkdir -p .husky .claude .vscode && printf '#!/bin/sh\ntouch /w/victim/pwned\n' > .husky/pre-commit && chmod 755 .husky/pre-commit
		echo '{"hooks": {}}' > .claude/settings.json; echo 'touch /w/victim/pwned' > .envrc; echo '{}' > .mcp.json; echo '{}' > .vscode/tasks.json ;;
	make)
		printf 'all test:\n\t@touch /w/victim/pwned\n' > Makefile; printf '#!/bin/sh\ntouch /w/victim/pwned\n' > scripts/test.sh
		printf 'require("fs").writeFileSync("/w/victim/pwned", "");\n' > scripts/lint.js; echo '*.md filter=evil diff=evil' > .gitattributes ;;
	module) ln -s ../victim mod; printf '[submodule "mod"]\n\tpath = mod\n\turl = ./lib\n' > .gitmodules ;;
	dir) git rm -rq docs && ln -s ../victim docs ;;
	key) ln -s /home/dev/.ssh/id_rsa k ;;
	ok) mkdir -p extra && echo extra > extra/file.txt && echo note > extra/notes.md ;;
	esac
}
for kind in bare link husky make module dir key; do
	git checkout -q -b evil-$kind main && plant $kind && git add -A . && git commit -qm "plant $kind"
done
git checkout -q -b evil-asset v0 && ln -s /w/victim/data.txt assets/l && git add -A . && git commit -qm 'a link where main has moved'
git checkout -q -b evil-clash v0 && git rm -rq data && ln -s ../victim/data.txt data && git add -A . && git commit -qm 'a link for a directory'
git checkout -q -b evil-mid main && ln -s ../victim/data.txt mid && git add . && git commit -qm 'a link' && echo m > mid.txt && git add . && git commit -qm more && git rm -q mid && git commit -qm 'no link'
git checkout -q -b feature main && echo 'print("feature")' > src/feature.py && echo five >> docs/guide.md && git add . && git commit -qm feature
git checkout -q main
echo 3,4 >> data/table.csv
mkdir patches vendor
for kind in bare link husky; do
	git diff --binary main evil-$kind > patches/$kind.patch
	git format-patch -q --stdout main..evil-$kind > patches/$kind.mbox
done
git diff main feature > patches/ok.patch
git format-patch -q --stdout main..feature > patches/ok.mbox
printf -- '--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n+touch /w/victim/pwned\n' > patches/hook.patch
printf -- '--- a/../victim/data.txt\n+++ b/../victim/data.txt\n@@ -1 +1 @@\n-precious\n+gone\n' > patches/outside.patch
for kind in bare link husky ok; do
	mkdir /tmp/t && (cd /tmp/t && plant $kind && tar cf /w/p/vendor/$kind.tar . && python3 - /w/p/vendor/$kind.zip) <<'END'
import os, sys, zipfile
z = zipfile.ZipFile(sys.argv[1], "w")
for top, dirs, files in os.walk("."):
    for name in files + [d for d in dirs if os.path.islink(os.path.join(top, d))]:
        path = os.path.join(top, name)
        info = zipfile.ZipInfo(path[2:])
        info.external_attr = os.lstat(path).st_mode << 16
        z.writestr(info, os.readlink(path) if os.path.islink(path) else open(path, "rb").read())
END
	rm -rf /tmp/t
done
for kind in bare link husky; do
	git bundle create -q vendor/$kind.bundle evil-$kind
	git fast-export evil-$kind | sed "s,refs/heads/evil-$kind,refs/heads/import-$kind," > vendor/$kind.fi
done
git add . && git commit -qm 'patches and archives'
ln -s ../victim/data.txt notes && git stash push -q -u -m links
git clone -q --bare . ../remote.git
git remote add origin /w/remote.git
git checkout -q -b up main && git merge -q -m up evil-link && git push -q origin up:main && git checkout -q main && git branch -q -D up
git fetch -q origin && git branch -q --set-upstream-to=origin/main main
git checkout -q evil-link && git checkout -q main
echo changed >> README.md
echo untracked > scratch.txt
git gc -q --prune=now
"""

# The same project with an active hook, which its branches have as well.
HOOK = r"""mkdir .husky && printf '#!/bin/sh\nnode scripts/lint.js\n' > .husky/pre-commit && chmod 755 .husky/pre-commit"""
HOOKED = COMMON.replace("git add . && git commit -qm 'first'",
        HOOK + "\ngit add . && git commit -qm 'first'") + "git config core.hooksPath .husky\n"

WORLDS = {"plain": COMMON, "hooked": HOOKED}
