#!/bin/bash
# libcaisson: exported names, the examples, the same answers as caisson check, policies that change, memory,
# and what make install puts where. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
failure_files=(out)

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# Names: the header's, and no others.
declared=$(grep -o '\bcaisson_[a-z_]*(' "$here/include/caisson.h" | tr -d '(' | sort -u)
nm -D --defined-only "$BUILD/lib/libcaisson.so.0" | awk '{ print $3 }' | sort >"$tmp/out"
[[ $(<"$tmp/out") == "$declared" ]]
result $? 'the shared library exports what the header declares'
nm -g --defined-only "$BUILD/lib/libcaisson.a" | awk 'NF == 3 { print $3 }' | sort >"$tmp/out"
[[ $(grep -v '^__asan\|^__odr' "$tmp/out") == "$declared" ]]
result $? 'the static library exports what the header declares'

# The same answers as caisson check.
export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config CAISSON_STATE=$tmp/state
mkdir -p "$HOME/.config/caisson" "$tmp/work"
git init -q "$tmp/work"
cd "$tmp/work" || exit 1
codes=()
while IFS= read -r command; do
	"$CAISSON" check --json "$command" >"$tmp/json" 2>/dev/null
	want=$?
	codes[want]=1
	for program in judge judge-shared; do
		"$BUILD/examples/$program" "$command" >"$tmp/out" 2>&1
		got=$?
		[[ $got == "$want" ]] &&
			diff <(jq -r '.verdict, (.reasons[] | "  \(.id): \(.message)")' "$tmp/json") \
			"$tmp/out" >/dev/null
		result $? "$program: $command"
	done
done <<'COMMANDS'
ls -la
git push --force
rm -rf /
echo x > /etc/passwd
python3 -c 'import os; os.system("rm -rf ~")'
make
curl http://localhost/x | sh
COMMANDS
((${#codes[@]} >= 3))
result $? 'at least three verdicts were seen'
"$BUILD/examples/judge" >"$tmp/out" 2>&1
[[ $? == 64 ]]
result $? 'judge: usage'

# Memory: the first judgements fill caches, the others add nothing.
"$BUILD/examples/judge" -n 10000 'grep -rn main src > build/list.txt && rm -f build/old.txt' >"$tmp/out" 2>&1
grown=$(sed -n 's/.*judgement, \(-\{0,1\}[0-9]*\) KiB more after 10000$/\1/p' "$tmp/out")
if [[ -n ${SANITIZE-} ]]; then
	skip 'memory does not grow in 10,000 judgements' 'the sanitizer keeps freed memory for a while'
else
	[[ -n $grown ]] && ((grown <= 128))
	result $? "memory does not grow in 10,000 judgements ($(head -n 1 "$tmp/out"))"
fi

# Python. An answer outlives the policies it was made by, and a rule that is added later is seen.
cat >"$tmp/session.py" <<'PYTHON'
import os, sys
sys.argv = ["judge.py"]
exec(open(os.environ["EXAMPLE"]).read())
path = os.path.join(os.environ["XDG_CONFIG_HOME"], "caisson/config.yaml")
with Caisson() as c:
    print(c.judge("echo one")[0])
    with open(path, "w") as f:
        f.write('tools:\n  bash:\n    deny: ["echo one"]\n')
    verdict, answer = c.judge("echo one")
    print(verdict, answer["reasons"][0]["rule"] == path + ":3")
    for text in ("tools: [", None):
        if text:
            with open(path, "w") as f:
                f.write(text)
        else:
            os.remove(path)
        verdict, answer = c.judge("echo one")
        print(verdict, [r["id"] for r in answer["reasons"]])
    error, held = Error(), ctypes.c_void_p()
    c.lib.caisson_answer_explanation.restype = ctypes.c_char_p
    c.lib.caisson_answer_explanation.argtypes = [ctypes.c_void_p]
    with open(path, "w") as f:
        f.write('tools:\n  bash:\n    deny: ["echo two"]\n')
    c.lib.caisson_judge(c.self, b"echo two", 8, ctypes.byref(held), ctypes.byref(error))
    os.remove(path)
    print(c.judge("echo two")[0])
    print(b"config.yaml:3" in c.lib.caisson_answer_explanation(held))
    c.lib.caisson_answer_free(held)
    print(c.lib.caisson_set_shell(c.self, b"fish", ctypes.byref(error)), error.text.decode())
PYTHON
# Every file that decides changes between two judgements: with the same size, with its old time of
# modification, within one tick of the clock for files, and through a mapping, which changes no time at all.
cat >"$tmp/changes.py" <<'PYTHON'
import mmap, os, sys, time
sys.argv = ["judge.py"]
exec(open(os.environ["EXAMPLE"]).read())
work, home, state = os.getcwd(), os.environ["HOME"], os.environ["CAISSON_STATE"]


def write(path, text, keep_times=False):
    """Keeping times, only the time of the inode's change tells that the file was written."""
    old = os.stat(path) if keep_times else None
    with open(path, "r+" if os.path.exists(path) else "w") as f:
        f.write(text)
        f.truncate()
    if old:
        os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))


PLAIN, RUNS = "[core]\n\tpager = morepage\n", "[core]\n\tpager = ./inhere\n"
assert len(PLAIN) == len(RUNS)
os.makedirs(work + "/sub/in", exist_ok=True)
os.makedirs(work + "/.git/hooks", exist_ok=True)
os.makedirs(state + "/vetted", mode=0o700, exist_ok=True)
os.chmod(state, 0o700)
repository, own, mapped = work + "/.git/config", home + "/.gitconfig", home + "/mapped"
head = open(repository).read()
write(own, PLAIN)
write(repository, head + PLAIN)
write(state + "/roots", "")
os.chmod(state + "/roots", 0o600)
if os.path.exists(work + "/.git/hooks/commit-msg"):
    os.remove(work + "/.git/hooks/commit-msg")
write(mapped, PLAIN)
write(own, PLAIN + "[include]\n\tpath = ~/mapped\n")
with open(mapped, "r+b") as f:
    pages = mmap.mmap(f.fileno(), 0)
pages[0:1] = b"["  # a dirty page: further writes change no time stamp
time.sleep(1.2)


def status(c, command="git log", directory=None):
    c.lib.caisson_set_directory.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    c.check(c.lib.caisson_set_directory(c.self, os.fsencode(directory) if directory else None, None))
    verdict, answer = c.judge(command)
    return " ".join([verdict] + [r["id"] for r in answer["reasons"]])


def show(what, *verdicts):
    print(what + ": " + " | ".join(verdicts))


with Caisson() as c:
    for _ in range(3):
        first = status(c)
    seen = [first]
    for text in (RUNS, PLAIN, RUNS, PLAIN):
        write(repository, head + text, True)
        seen.append(status(c))
    show("the repository's settings", *seen)
    wrong = 0
    for i in range(201):  # many in one tick of the clock for files
        write(repository, head + (PLAIN, RUNS)[i % 2])
        wrong += status(c) != seen[i % 2]
    show("the same, at once", str(wrong))
    seen = [status(c)]
    for text in (RUNS, PLAIN):
        write(own, text + "[include]\n\tpath = ~/mapped\n", True)
        seen.append(status(c))
    show("the person's settings", *seen)
    seen = [status(c)]
    for text in (RUNS, PLAIN):
        pages[:] = text.encode()
        seen.append(status(c))
    show("a file that is mapped", *seen)
    seen = [status(c, "git commit -m x")]
    write(work + "/.git/hooks/commit-msg", "#!/bin/sh\n./x\n")
    seen.append(status(c, "git commit -m x"))
    os.chmod(work + "/.git/hooks/commit-msg", 0o755)
    seen.append(status(c, "git commit -m x"))
    os.remove(work + "/.git/hooks/commit-msg")
    seen.append(status(c, "git commit -m x"))
    show("a hook", *seen)
    seen = [status(c, "echo x > ../y", work + "/sub")]
    at = os.stat(work + "/sub")
    write(state + "/roots", f"{at.st_dev} {at.st_ino} {int(time.time())} {work}/sub\n", True)
    seen.append(status(c, "echo x > ../y", work + "/sub"))
    show("a remembered root", *seen)
    write(state + "/roots", "")
    seen = [status(c)]
    os.symlink("0", state + "/vetted/0000000000000000.unvetted")
    seen.append(status(c))
    os.remove(state + "/vetted/0000000000000000.unvetted")
    seen.append(status(c))
    show("a workspace to be searched", *seen)
    seen = [status(c, "echo x > sub/in/y")]
    os.rename(work + "/sub/in", work + "/sub/was")
    os.symlink("/usr/share", work + "/sub/in")
    seen.append(status(c, "echo x > sub/in/y"))
    show("a directory that becomes a link", *seen)
    # names that were missing while their directories rested: the stamps of the directories prove it
    time.sleep(1.2)
    wrong, late = 0, work + "/sub/was/late"
    for i in range(40):
        seen = [status(c, "echo x > sub/was/late") for _ in range(3)]
        os.symlink("/usr/share/x", late)
        seen.append(status(c, "echo x > sub/was/late"))
        os.remove(late)
        wrong += seen != ["allow"] * 3 + ["deny system-write"]
        if i < 3:
            time.sleep(1.2)  # else within one tick of the clock for files
    show("a name that was missing", str(wrong))
    # directories, proved in the same way: the last one and the one above it become links and directories again
    wrong, above = 0, work + "/sub/was/above"
    os.makedirs(above + "/last")
    time.sleep(1.2)
    for i in range(40):
        seen = [status(c, "echo x > sub/was/above/last/y") for _ in range(3)]
        name = (above, above + "/last")[i % 2]
        os.rename(name, work + "/sub/aside")
        os.symlink("/usr/share", name)
        seen.append(status(c, "echo x > sub/was/above/last/y"))
        os.remove(name)
        os.rename(work + "/sub/aside", name)
        wrong += seen != ["allow"] * 3 + ["deny system-write"]
        if i < 4:
            time.sleep(1.2)
    show("a directory that was replaced", str(wrong))
    # a file, proved in the same way: without HEAD this is no repository
    wrong = 0
    for i in range(40):
        seen = [status(c, "echo x > ../y", work + "/sub") for _ in range(3)]
        os.rename(work + "/.git/HEAD", work + "/aside")
        seen.append(status(c, "echo x > ../y", work + "/sub"))
        os.rename(work + "/aside", work + "/.git/HEAD")
        wrong += seen != ["allow"] * 3 + ["ask outside-write"]
        if i < 3:
            time.sleep(1.2)
    show("a file that goes and comes", str(wrong))
    seen = [status(c), status(c)]
    write(work + "/.caisson.yaml", "tools: {bash: {deny: [git]}}\n")
    seen.append(status(c))
    os.remove(work + "/.caisson.yaml")
    seen.append(status(c))
    show("a policy that was missing", *seen)
PYTHON
if [[ -n ${SANITIZE-} ]]; then
	skip 'the Python example' 'a sanitizer must be loaded first'
else
	export LIBCAISSON=$BUILD/lib/libcaisson.so.0
	python3 -B "$here/examples/judge.py" 'ls' 'rm -rf /' >"$tmp/out" 2>&1
	[[ $(head -n 2 "$tmp/out") == $'allow\ndeny' ]] && grep -q '^  outside-delete: ' "$tmp/out"
	result $? 'the Python example'
	EXAMPLE=$here/examples/judge.py python3 -B "$tmp/session.py" >"$tmp/out" 2>&1
	diff - "$tmp/out" >"$tmp/diff" <<'WANT'
allow
deny True
deny ['policy-error']
allow []
allow
True
-1 the shell is one of bash, sh, zsh, powershell
WANT
	result $? 'policies that come, break and go between judgements'
	EXAMPLE=$here/examples/judge.py python3 -B "$tmp/changes.py" >"$tmp/out" 2>&1
	diff - "$tmp/out" >"$tmp/diff" <<'WANT'
the repository's settings: allow | contain git-hook | allow | contain git-hook | allow
the same, at once: 0
the person's settings: allow | contain git-hook | allow
a file that is mapped: allow | contain git-hook | allow
a hook: allow | allow | contain git-hook | allow
a remembered root: allow | ask outside-write
a workspace to be searched: allow | contain unvetted-workspace | allow
a directory that becomes a link: allow | deny system-write
a name that was missing: 0
a directory that was replaced: 0
a file that goes and comes: 0
a policy that was missing: allow | allow | deny configured-deny | allow
WANT
	result $? 'files that change between judgements'
fi

# What is installed compiles by what pkg-config says.
if [[ -n ${SANITIZE-} ]]; then
	skip 'make install' 'it installs the build without sanitizers'
elif ! command -v pkg-config >/dev/null; then
	skip 'make install' 'pkg-config is not installed'
else
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$here" --no-print-directory install \
		BUILD="${BUILD#"$here"/}" PREFIX="$tmp/usr" >"$tmp/out" 2>&1 &&
		export PKG_CONFIG_PATH=$tmp/usr/lib/pkgconfig &&
		read -ra dynamic < <(pkg-config --cflags --libs caisson) &&
		gcc "$tmp/usr/share/doc/caisson/examples/judge.c" "${dynamic[@]}" -o "$tmp/judge" \
		>>"$tmp/out" 2>&1 &&
		LD_LIBRARY_PATH=$tmp/usr/lib "$tmp/judge" ls >>"$tmp/out" 2>&1
	result $? 'make install: the example compiles and runs with the shared library'
	read -ra static < <(pkg-config --static --libs-only-l caisson)
	gcc -I"$tmp/usr/include" "$here/examples/judge.c" "$tmp/usr/lib/libcaisson.a" "${static[@]:1}" -o \
		"$tmp/judge" >"$tmp/out" 2>&1 &&
		"$tmp/judge" ls >>"$tmp/out" 2>&1
	result $? '... and with the static one'
	[[ -s $tmp/usr/share/bash-completion/completions/caisson && -s $tmp/usr/share/zsh/vendor-completions/_caisson &&
		-s $tmp/usr/share/fish/vendor_completions.d/caisson.fish ]]
	result $? '... completions are installed'
	[[ -s $tmp/usr/bin/.debug/caisson.debug ]] && readelf -S "$tmp/usr/bin/caisson" >"$tmp/out" 2>&1 &&
		grep -q gnu_debuglink "$tmp/out" && ! grep -q debug_info "$tmp/out" &&
		! readelf -S "$tmp/usr/bin/caissond" | grep -q debug_info
	result $? '... the programs are stripped, and their symbols are beside them'
	mkdir -p "$tmp/claude/.claude"
	HOME=$tmp/claude "$tmp/usr/bin/caisson" init --client claude-code >/dev/null 2>&1
	HOME=$tmp/claude "$here/scripts/uninstall" "$tmp/usr" >"$tmp/out" 2>&1
	[[ $? == 1 && -x $tmp/usr/bin/caisson ]] && grep -q 'caisson init --remove' "$tmp/out"
	result $? 'a program that hooks still run is not uninstalled'
	HOME=$tmp/claude "$tmp/usr/bin/caisson" init --remove >/dev/null 2>&1
	HOME=$tmp/claude env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$here" --no-print-directory uninstall PREFIX="$tmp/usr" >"$tmp/out" 2>&1 &&
		[[ -z $(find "$tmp/usr" ! -type d) ]]
	result $? 'make uninstall leaves nothing of what make install made'
fi
echo "1..$n"
