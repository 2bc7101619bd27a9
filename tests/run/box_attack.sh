#!/bin/bash
# Attacks on the box that are not one system call: what the caller hands over, what an image or a workspace is
# made to look like, what keeps the box from ending. Each with a benign twin; whatever must not be touched is
# a canary in a temporary directory. TAP.
# shellcheck disable=SC2016 # programs are data for the box
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

# python WHO TEXT OPTIONS...: runs it in a box
python() {
	local who=$1 text=$2
	shift 2
	box "$who" "$@" -- "$PYTHON" -c "$text"
}
# says 'TEXT' 'what it means': the program printed just that
says() { [[ $(field .stdout) == "$1" ]]; result $? "$2"; }

# ---- standard input ----

# with_input WHO WHAT OPTIONS...: standard input is a file, directory or, for "terminal", a new one; what
# appears on it is in $tmp/screen
terminal='
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1); os.execvp(sys.argv[2], sys.argv[2:])
os.write(fd, b"typed\n")
seen = b""
while True:
    try: got = os.read(fd, 4096)
    except OSError: break
    if not got: break
    seen += got
os.waitpid(pid, 0); sys.stdout.buffer.write(seen)
'
input_tests() {
	local who=$1
	(cd "$tmp/$who" && as "$who" "$tmp/caisson" run --stdin -- "$PYTHON" -c 'import os, stat
try: os.stat("..", dir_fd=0); print("outside")
except OSError: print("inside")' </usr) >"$tmp/out" 2>"$tmp/err"
	[[ $(field .stdout) != outside ]]
	result $? "$who: a directory as standard input is no way out: no path starts at it"
	echo content >"$tmp/input"
	(cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run --stdin -- /bin/cat <"$tmp/input") >"$tmp/out" 2>"$tmp/err"
	want '.stdout == "content\n"' "$who: twin: a file is"
	: >"$tmp/$who/both"
	chmod 666 "$tmp/$who/both"
	(cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run --stdin -- /bin/sh -c 'echo x >&0' <>"$tmp/$who/both") \
		>"$tmp/out" 2>"$tmp/err"
	[[ ! -s $tmp/$who/both ]]
	result $? "$who: a standard input that the caller could write cannot be written by the program"
	(cd "$tmp/$who" &&
		as "$who" "$PYTHON" -c "$terminal" "$tmp/$who/report" "$tmp/caisson" run --stdin --timeout 5 \
		-- /bin/sh -c 'read x; echo "got $x"; echo escaped >&0') >"$tmp/screen" 2>"$tmp/err"
	cp "$tmp/$who/report" "$tmp/out"
	! grep -q escaped "$tmp/screen"
	result $? "$who: nothing is written to a terminal that is read from"
	want '.stdout == "got typed\n"' "$who: twin: it can be read"
}

# ---- pid 1, leases ----

first='
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class P(ctypes.Structure): _fields_ = [("p", ctypes.c_int)]
mask = ctypes.c_ulong(1)
two = (ctypes.c_ulong * 2)(1, 1)
def tried(pid, user):
    return [libc.sched_setscheduler(pid, 0, ctypes.byref(P(0))), libc.sched_setaffinity(pid, 8, ctypes.byref(mask)), libc.setpriority(0, pid, 19), libc.prlimit(pid, 7, two, None) if pid else 0] + ([libc.setpriority(2, os.getuid(), 19)] if user else [])
'
pid1_tests() {
	local who=$1
	python "$who" "$first"'print(tried(1, True))'
	says "[-1, -1, -1, -1, -1]" "$who: pid 1 cannot be slowed down or limited"
	python "$who" "$first"'print(tried(0, False))'
	says "[0, 0, 0, 0]" "$who: twin: a program can do so to itself"
}

lease='
import fcntl, sys
f = open(sys.argv[1])
for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK):
    try: fcntl.fcntl(f, fcntl.F_SETLEASE, kind); print("leased")
    except OSError: print("refused")
fcntl.flock(f, fcntl.LOCK_SH); print("locked")
'
lease_tests() {
	local who=$1 w=$tmp/$1/leases
	as "$who" mkdir "$w"
	as "$who" touch "$w/file"
	box "$who" --workspace "$w:ro" -- "$PYTHON" -c "$lease" "$w/file"
	says $'refused\nrefused\nlocked' \
		"$who: a file of the workspace cannot be leased; twin: it can be locked"
}

# ---- the old root, while it is taken away ----

window='
import os, time
here = os.stat("/"); seen = set(); until = time.monotonic() + 0.03
while time.monotonic() < until:
    for p in ("/..", "/proc/self/root/..", "/run/.."):
        s = os.stat(p)
        if (s.st_dev, s.st_ino) != (here.st_dev, here.st_ino): seen.add(p)
    seen.update(line.split()[4] for line in open("/proc/self/mountinfo") if line.split()[4].startswith(("/run", "/old", "/sys", "/root", "/boot")))
print(sorted(seen), open("/proc/self/mountinfo").read().split()[4])
'
window_tests() {
	local who=$1 all=
	for ((i = 0; i < 8; i++)); do
		python "$who" "$window"
		all+=$(field .stdout)
	done
	[[ $all == "[] /[] /[] /[] /[] /[] /[] /[] /" ]]
	result $? "$who: nothing of the host's mounts is seen while the old root goes; twin: the own ones are"
	box "$who" --agent canary -- /bin/sh -c \
		'tr "\0" " " </proc/1/cmdline; echo; tr "\0" " " </proc/self/cmdline'
	[[ $(field .stdout) == "init "*$'\n'"/bin/sh -c "* && $(field .stdout) != *canary* ]]
	result $? "$who: the arguments of caisson are not seen inside; twin: the own ones are"
}

# ---- a hostile image ----

# The workspace lies below a name that is a link in the image: making the directories above it must not follow
# that link on the host.
far=$(mktemp -d /var/tmp/caisson-test-XXXXXX)
trap 'tidy; rm -rf "$far"' EXIT
chmod 755 "$far"
image_tests() {
	local who=$1 i=$tmp/$1/image v=$tmp/$1/victim w=$far/$1/ws
	mkdir -p "$w"
	[[ $(id -u) == 0 && $who == user ]] && chown -R "$ORDINARY:$ORDINARY" "$far/$who"
	as "$who" mkdir -p "$i/usr" "$v/tmp"
	as "$who" chmod 777 "$v" "$v/tmp"
	as "$who" ln -s "$v" "$i/var"
	box "$who" --root "$i" --workspace "$w" -- /bin/true
	want '.status == "setup_error"' "$who: an image whose directories are links is refused"
	[[ -z $(find "$v/tmp" -mindepth 1) ]]
	result $? "$who: and nothing is made where they lead"
	as "$who" rm "$i/var"
	as "$who" mkdir -p "$i$w"
	for d in bin lib lib64; do [[ -e /usr/$d ]] && as "$who" ln -s "usr/$d" "$i/$d"; done
	box "$who" --root "$i" --workspace "$w" --read /usr -- /bin/sh -c 'cd / && pwd'
	says / "$who: twin: one with directories is not"
	box "$who" --root "$i" --workspace "$w" --read /usr -- /bin/sh -c \
		'echo /e* /o* /var/*; cut -d" " -f5 /proc/self/mountinfo | grep -c "^/etc\|^/opt\|^/var/tmp$"; : >/tmp/x && echo wrote'
	says "/e* /o* /var/tmp"$'\n0\nwrote' \
		"$who: nothing of the system's own root is in another one, nor mounted; twin: its scratch is"
}

# ---- paths in each other ----

nested_tests() {
	local who=$1 w=$tmp/$1/nest
	as "$who" mkdir -p "$w/closed/below" "$w/open" "$w/.git/hooks"
	box "$who" --workspace "$w" --write "$w/.git" -c 'touch open/y'
	[[ $rc == 64 && ! -e $w/open/y ]] &&
		grep -q -- "--write '$w/.git' contains keys or settings" "$tmp/err"
	result $? "$who: --write opens no protected part of the workspace"
	box "$who" --workspace "$w" --read "$w/closed" -c '
		for f in closed/x closed/below/x .git/hooks/x open/x; do touch $f 2>/dev/null && echo "wrote $f"; done; mv closed moved 2>/dev/null && echo moved; true'
	says 'wrote open/x' \
		"$who: a part of the workspace that is to be read only is not written or moved; twin: the rest is"
	box "$who" --workspace "$w:ro" --write "$w" -c 'touch x 2>/dev/null && echo wrote; true'
	says '' "$who: a read-only workspace stays so"
}

# ---- repositories out of reach ----

repository() { # WHO PATH
	as "$1" git init -q "$2"
	as "$1" sh -c 'printf "#!/bin/sh\n" >"$1/.git/hooks/pre-commit"' sh "$2"
}
git_tests() {
	local who=$1 w=$tmp/$1/project v=$tmp/$1/outside
	as "$who" mkdir -p "$w/a/b/c/d/e/f" "$w/vendor/lib" "$w/vendor/old" "$v"
	repository "$who" "$w"
	repository "$who" "$w/a/b/c/d/e/f"
	repository "$who" "$w/vendor/lib"
	repository "$who" "$w/vendor/old"
	as "$who" git init -q --bare "$w/vendor/bare"
	as "$who" git -C "$w/vendor/old" config core.fsmonitor true
	sleep 0.1
	box "$who" --workspace "$w" -c '
		printf "[core]\n\tfsmonitor = x\n" >>vendor/lib/.git/config
		printf "[core]\n\tfsmonitor = x\n" >>vendor/bare/config
		echo evil >>a/b/c/d/e/f/.git/hooks/pre-commit
		rm -r .git/refs/heads .git/objects/info; ln -s '"$v"' .git/refs/heads; ln -s '"$v"' .git/objects/info; ln -s '"$v"'/x .git/info/sparse-checkout'
	want '([.changes[].path] | sort) == [".git/info/sparse-checkout", ".git/objects/info", ".git/refs/heads", "vendor/bare/config", "vendor/lib/.git/config"] and (.stderr | test("f/.git/hooks/pre-commit: Read-only file system"))' \
		"$who: changed settings of repositories in vendor, and links below .git, are quarantined; hooks far below are read-only"
	[[ $(as "$who" git -C "$w/vendor/old" config core.fsmonitor) == true && ! -L $w/.git/refs/heads ]]
	result $? "$who: twin: what was there before stays"
	as "$who" mkdir -p "$w/.git/refs/heads"
	box "$who" --workspace "$w" -c \
		'for d in . vendor/old; do git -C $d -c user.name=a -c user.email=b commit -q --allow-empty -m x && git -C $d rev-parse -q --verify HEAD >/dev/null && echo committed; done'
	says $'committed\ncommitted' "$who: twin: git works"
	want '[.changes[] | select(.moved_to)] == []' "$who: twin: and nothing is moved for it"
}

# ---- memory that no process has, without a cgroup ----

tables='
import mmap, ctypes
libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p
size = 1 << 30
for i in range(200):
    p = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, ctypes.c_long(0))
    libc.madvise(ctypes.c_void_p(p), ctypes.c_size_t(size), 15)
    for at in range(0, size, 2 << 20): ctypes.c_char.from_address(p + at).value
print("survived")
'
memory_tests() {
	local who=$1
	python "$who" "$tables" --memory 100 --timeout 20
	want '.status == "oom"' "$who: page tables count as memory"
	python "$who" 'import ctypes; l = ctypes.CDLL(None); print([l.semget(0, 32000, 0o600) for i in range(200)][-1] < 0)' --memory 100
	want '.status == "oom" or .stdout == "True\n"' "$who: so do semaphores, or there are none"
	python "$who" 'x = bytearray(40 << 20); print(len(x))' --memory 100
	says 41943040 "$who: twin: what is allowed can be had"
}

# ---- what is the whole machine's ----

machine_tests() {
	local who=$1
	python "$who" 'import ctypes, os; l = ctypes.CDLL(None); c = ctypes.c_ulong(0); print(l.syscall({"x86_64": 206, "aarch64": 0}[os.uname().machine], 64, ctypes.byref(c)))'
	says -1 "$who: the machine's asynchronous requests cannot be used up"
	box "$who" -- /bin/bash -c \
		'ulimit -Hr; ulimit -He; chrt -f 1 true 2>/dev/null || echo refused; nice -n 5 nice'
	says $'0\n0\nrefused\n'$(($(nice) < 14 ? $(nice) + 5 : 19)) \
		"$who: no priority above others; twin: one below can be had"
	(cd "$tmp/$who" &&
		as "$who" bash -c 'ulimit -f 8; exec "$@" 2>/dev/null | cat' bash "$tmp/caisson" run -- \
		/usr/bin/seq 1 100000) >"$tmp/out" 2>"$tmp/err"
	want '.is_error and (.status == "output_limit" or .error != null)' \
		"$who: a caller that may write only small files still gets a report"
}

# ---- a launcher that is stopped ----

# stopped WHO SECONDS SLEEP OPTIONS...: starts a box, stops its launcher for so long, and notes whether
# anything runs in the box then
stopped() {
	local who=$1 seconds=$2 asleep=$3 pid
	shift 3
	(cd "$tmp/$who" &&
		become "$who" "$tmp/caisson" run "$@" -- /bin/sleep "$asleep") >"$tmp/stopped-$who" \
		2>/dev/null </dev/null &
	pid=$!
	sleep 0.4
	kill -STOP "$pid"
	sleep "$seconds"
	pgrep -f "^/bin/sleep $asleep\$" >"$tmp/left-$who"
	kill -CONT "$pid"
	wait "$pid"
}
stop_tests() {
	local who mark=$((1000 + RANDOM))
	for who in $(people); do stopped "$who" 2.4 "$mark.1$([[ $who == root ]] && echo 1)" --timeout 1 & \
		done
	wait
	for who in $(people); do
		cp "$tmp/stopped-$who" "$tmp/out"
		[[ ! -s $tmp/left-$who ]]
		result $? "$who: a box whose launcher is stopped ends all the same"
		want '.status == "timeout"' "$who: and its status says why"
	done
	for who in $(people); do stopped "$who" 0.3 "1.2$mark$([[ $who == root ]] && echo 1)" --timeout 10 & \
		done
	wait
	for who in $(people); do
		cp "$tmp/stopped-$who" "$tmp/out"
		[[ -s $tmp/left-$who && $(field .status) == ok ]]
		result $? "$who: twin: one that has time left goes on"
	done
}

stop_tests
for who in $(people); do
	input_tests "$who"
	pid1_tests "$who"
	lease_tests "$who"
	window_tests "$who"
	image_tests "$who"
	nested_tests "$who"
	git_tests "$who"
	memory_tests "$who"
	machine_tests "$who"
done
done_testing
