#!/bin/bash
# The system call filter and Landlock by themselves, without the rest of a box: the probe's attacks with and
# without them, and ordinary programs, which must say the same behind them as in front. Everything is below
# one directory made here. TAP.
#
# Attacks only ever run in fresh namespaces (a user namespace, so that even root has no power over the
# machine).
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
umask 022
probe=$BUILD/box/probe
filtered=$BUILD/box/filtered
export RUSTUP_HOME=${RUSTUP_HOME:-${HOME:-/}/.rustup}
export HOME=$tmp TMPDIR=$tmp TMPPREFIX=$tmp/zsh LC_ALL=C.UTF-8
export ASAN_OPTIONS=detect_leaks=0
cd "$tmp" || exit 1

result() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		[[ -f $tmp/said ]] && head -n 20 "$tmp/said" | sed 's/^/#   /'
	fi
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# ---- attacks ----

fresh=(unshare --user --map-root-user --mount --pid --ipc --uts --net --fork --mount-proc)

# What both walls together refuse and what works or leaks in front of them, which shows that the probe itself
# works.
attacks='tiocsti tiocsti-high tiocsetd io_uring keyctl add-key request-key userfaultfd perf ptrace-init ptrace-child ptrace-call process-vm process-vm-child
process-vm-write pidfd-getfd kcmp name-to-handle personality modify-ldt huge-pages i386 userns-clone userns-clone-high userns-clone3 userns-unshare
unshare-user unshare-mnt unshare-pid unshare-net unshare-ipc unshare-uts unshare-cgroup unshare-time unshare-all clone-mnt clone-pid setns setns-pidfd
setuid setgid setuid-open setuid-openat2 setuid-mknod socket-inet socket-inet-high socket-inet6 socket-udp socket-icmp netlink netlink-netfilter
packet mount mount-proc mount-bind remount propagate chroot fsopen open-tree mount-setattr umount write-root'
# These fail for other reasons as well on some machines or for some users, so only the refusal is asked for.
refused='tioclinux tioclinux-high bpf open-by-handle syslog set-mm x32 userns-unshare-high vsock alg netlink-audit netlink-uevent remount-super move-mount pivot
mknod mknod-block cgroup-write'

answer_of() { # NAME FILE
	sed -n "s/^$1 //p" "$2" | head -n 1
}

if ! "${fresh[@]}" true 2>"$tmp/said"; then
	skip "attacks" "no user namespaces here: $(head -c 100 "$tmp/said")"
else
	"${fresh[@]}" "$probe" attacks >"$tmp/open" 2>&1
	"${fresh[@]}" "$filtered" --landlock "$tmp" -- "$probe" attacks >"$tmp/walled" 2>&1
	for name in $attacks; do
		before=$(answer_of "$name" "$tmp/open") after=$(answer_of "$name" "$tmp/walled")
		# An ordinary user cannot write to the system's directories anyway.
		[[ ($before == "done" || $before == leak* ||
			($name == write-root && $before == refused*)) && $after == refused* ]]
		result $? "$name: $before, then $after"
	done
	for name in $refused; do
		after=$(answer_of "$name" "$tmp/walled")
		[[ $after == refused* ]]
		result $? "$name: $after"
	done
	# With network, internet sockets and routes are there, and nothing else.
	"${fresh[@]}" "$filtered" --network "$probe" attacks >"$tmp/networked" 2>&1
	for name in socket-inet socket-inet6 socket-udp netlink; do
		[[ $(answer_of "$name" "$tmp/networked") == "done" ]]
		result $? "with network, $name: $(answer_of "$name" "$tmp/networked")"
	done
	for name in netlink-netfilter netlink-uevent packet vsock alg io_uring keyctl userns-clone mount \
		tiocsti-high setuid; do
		[[ $(answer_of "$name" "$tmp/networked") == refused* ]]
		result $? "with network, $name: $(answer_of "$name" "$tmp/networked")"
	done
fi
for name in x32 i386; do
	"$filtered" "$probe" $name >"$tmp/said"
	[[ $(uname -m) != x86_64 || $(<"$tmp/said") == "refused SIGSYS" ||
		$(<"$tmp/said") == "refused SIGSEGV" ]]
	result $? "$name ends the process"
done
"$filtered" --landlock "$tmp" -- "$probe" benign >"$tmp/said" 2>&1
result $? "all benign twins are done"
while read -r name answer; do
	[[ $answer == "done" ]]
	result $? "$name is done"
done <"$tmp/said"

# ---- ordinary programs ----

# same NAME PROGRAM ARG...: says and ends as it does without the walls, and well. $needs: others that must be
# here.
needs=
same() {
	local name=$1 want got before after p
	shift
	for p in "$1" $needs; do
		if ! command -v "$p" >/dev/null 2>&1; then
			skip "$name" "no $p here"
			return
		fi
	done
	rm -rf "$tmp/work"
	mkdir "$tmp/work"
	want=$(cd "$tmp/work" && "$@" 2>&1 </dev/null)
	before=$?
	if [[ $before != 0 ]]; then
		skip "$name" "it ends with $before without the walls as well"
		return
	fi
	rm -rf "$tmp/work"
	mkdir "$tmp/work"
	got=$(cd "$tmp/work" && "$filtered" --landlock "$tmp" -- "$@" 2>&1 </dev/null)
	after=$?
	printf 'without (%d): %s\nbehind (%d): %s\n' "$before" "$want" "$after" "$got" >"$tmp/said"
	[[ $after == 0 && $want == "$got" ]]
	result $? "$name"
}

python=/usr/bin/python3
same "bash: jobs, pipes, process substitution, here-documents" bash -c \
	'sleep 0.01 & wait; echo a | tr a b | cat; cat <(echo c) - <<<d; exec 5<>f; echo e >&5; cat f; ulimit -n; umask; [[ -t 0 ]]; echo $((1+1))'
same "dash" dash -c 'for i in 1 2 3; do (echo $i); done | sort -r; trap "echo bye" EXIT; kill -0 $$'
same "zsh" zsh -fc 'print -l *(N) a; echo =(echo x) | wc -l'
same "coreutils" sh -c \
	'mkdir -p a/b; cp /etc/hostname a/; cp -a a c; mv c/b d; ln -s a l; ln a/hostname h; chmod 755 a; chmod 1777 d; touch -d @1 h; stat -c %Y h; mkfifo p; ls a; du -s a >/dev/null; df . >/dev/null; rm -r a; timeout 5 true; nice -n 1 true; nohup true; date >/dev/null; shuf -i 1-1; install -m 644 h i; dd if=/dev/zero of=z bs=1k count=4 2>/dev/null; truncate -s 1M z; sync z; split -n 2 z; wc -c xaa; id -u; nproc >/dev/null; stdbuf -o0 echo x; mktemp -u XXXX >/dev/null; tail -n 1 h >/dev/null; sort -S 1M --parallel=4 h >/dev/null'
same "findutils, grep, sed, awk, xargs" sh -c \
	'seq 100 >a; seq 100 | xargs -P 4 -n 10 echo | sort; grep -c 1 a; sed -i s/1/x/ a; awk "END { print NR }" a; find . -type f | sort; find . -name a -exec cat {} + | md5sum'
same "tar, gzip, xz" sh -c \
	'mkdir d; seq 1000 >d/a; chmod 755 d/a; tar czf x.tgz d; tar xpzf x.tgz -C . ; tar cJf x.txz d; tar tf x.txz; gzip -k d/a; xz -T2 -k d/a; ls d'
same "perl" perl -e \
	'my $p = fork; if (!$p) { exit 3 } waitpid $p, 0; print $? >> 8, "\n"; open my $f, "-|", "echo hi"; print <$f>; use Socket; socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die; local $SIG{ALRM} = sub { print "alarm\n" }; alarm 1; select undef, undef, undef, 2; print -t STDIN ? 1 : 0, "\n"'
same "python: threads, subprocess, multiprocessing" $python -c '
import threading, subprocess, multiprocessing, concurrent.futures, os, tempfile, sys
def f(x): return x * x
if __name__ == "__main__":
    t = threading.Thread(target=print, args=("thread",)); t.start(); t.join()
    print(subprocess.run(["sh", "-c", "echo child; exit 4"], capture_output=True).returncode)
    multiprocessing.set_start_method("fork")
    with multiprocessing.Pool(2) as p: print(p.map(f, range(4)))
    with concurrent.futures.ThreadPoolExecutor(4) as e: print(list(e.map(f, range(4))))
    q = multiprocessing.Queue(); q.put(1); print(q.get())
    with tempfile.NamedTemporaryFile() as t: t.write(b"x"); t.flush(); print(os.path.getsize(t.name))
    print(os.sched_getaffinity(0) != set(), os.cpu_count() > 0)
'
same "python: asyncio, sockets, signals, mmap, pty" $python -c '
import asyncio, signal, mmap, socket, select, os, pty, fcntl, shutil, time, resource, selectors
async def main():
    p = await asyncio.create_subprocess_exec("echo", "async", stdout=asyncio.subprocess.PIPE)
    print((await p.communicate())[0])
    s = await asyncio.start_unix_server(lambda r, w: w.write(b"x"), "sock")
    print(await asyncio.to_thread(f := (lambda: 5))); s.close()
    await asyncio.wait_for(asyncio.sleep(0.01), 1)
asyncio.run(main())
a, b = socket.socketpair(); a.send(b"hi"); print(b.recv(2))
m = mmap.mmap(-1, 4096); m[0:2] = b"ok"; print(m[0:2])
signal.signal(signal.SIGUSR1, lambda *x: print("signal")); os.kill(os.getpid(), signal.SIGUSR1)
print(pty.spawn(["true"])); print(os.memfd_create("x") > 0, os.getxattr and 1)
fd = os.open("l", os.O_CREAT | os.O_RDWR); fcntl.flock(fd, fcntl.LOCK_EX); print(resource.getrlimit(resource.RLIMIT_CORE) and 1)
open("a", "w").write("x" * 100000); shutil.copy("a", "b"); os.sendfile(fd, os.open("a", os.O_RDONLY), 0, 10); print(os.stat("l").st_size)
os.chmod("a", 0o755); os.rename("a", "c"); os.mkfifo("ff"); os.utime("c", (1, 1)); print(sorted(os.listdir(".")))
'
same "python: sqlite, ssl, zlib, random, dbm" $python -c '
import sqlite3, ssl, zlib, secrets, hashlib, ctypes, json, uuid
c = sqlite3.connect("d.db"); c.execute("pragma journal_mode=wal"); c.execute("create table t(x)"); c.executemany("insert into t values (?)", [(i,) for i in range(1000)]); c.commit()
print(c.execute("select sum(x) from t").fetchone()); print(len(secrets.token_bytes(8)), hashlib.sha256(b"").hexdigest()[:8]); ssl.create_default_context()
print(ctypes.CDLL(None).getpid() > 0, len(str(uuid.uuid4())))
'
same "python: venv and unittest" $python -c '
import subprocess, sys
open("test_a.py", "w").write("import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(1, 1)\n")
print(subprocess.run([sys.executable, "-m", "unittest", "-q"], capture_output=True).returncode)
subprocess.run([sys.executable, "-m", "compileall", "-q", "."], check=True)
'
needs=pytest same "pytest" sh -c \
	'echo "def test_a(tmp_path): assert tmp_path.exists()" >test_a.py; pytest -q -p no:cacheprovider >out 2>&1 && echo passed'
same "node: files, crypto, workers, children" node -e '
const fs = require("fs"), crypto = require("crypto"), cp = require("child_process"), { Worker } = require("worker_threads"), os = require("os"), zlib = require("zlib"), net = require("net");
fs.writeFileSync("a", "x"); fs.renameSync("a", "b"); fs.cpSync("b", "c"); fs.mkdirSync("d/e", { recursive: true }); fs.rmSync("d", { recursive: true });
console.log(crypto.createHash("sha1").update("x").digest("hex"), crypto.randomBytes(4).length, cp.execSync("echo child").toString(), os.cpus().length > 0, zlib.gzipSync("x").length > 0);
const out = [];
const say = (...x) => { out.push(x.join(" ")); if (out.length == 5) console.log(out.sort().join("\n")); };
new Worker("require(\"worker_threads\").parentPort.postMessage(1)", { eval: true }).on("message", (m) => say("worker", m));
fs.promises.readFile("b").then((x) => say("promise", x.length));
cp.fork("-e", ["process.send(1)"], { execArgv: [] , stdio: "ignore" }).on("exit", () => say("fork"));
const s = net.createServer((c) => c.end("hi")).listen("sock", () => net.connect("sock").on("data", (d) => { say("net", d); s.close(); }));
const w = fs.watch(".", () => {}); setTimeout(() => { w.close(); say("watch"); }, 20);
'
needs="make" same "gcc, make, ar, a program with threads" sh -c \
	'printf "%s\n" "#include <pthread.h>" "#include <stdio.h>" "static void *f(void *p) { return p; }" "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); puts(\"ran\"); }" >a.c
printf "a: a.o\n\t\$(CC) -o a a.o -lpthread\na.o: a.c\n\t\$(CC) -O2 -pipe -c a.c\n" >Makefile; make -s -j2 CC=gcc && ./a && ar rc l.a a.o && strip a && objdump -f a | grep -c elf64; gcc -flto -O2 a.c -o b && ./b'
needs="clang" same "clang" sh -c 'echo "int main(void) { return 0; }" >a.c; clang -g a.c -o a && ./a'
needs="cmake ninja" same "cmake and ninja" sh -c \
	'printf "project(x C)\nadd_executable(x x.c)\n" >CMakeLists.txt; echo "cmake_minimum_required(VERSION 3.10)" | cat - CMakeLists.txt >t && mv t CMakeLists.txt; echo "int main(void) { return 0; }" >x.c; cmake -G Ninja -B b . >log 2>&1 && ninja -C b >log2 2>&1 && b/x && echo built'
needs="git" same "git" sh -c \
	'git init -q r && cd r && git config user.email a@b && git config user.name x && seq 1000 >a && git add a && git commit -qm one && git checkout -qb two && echo x >>a && git commit -qam two && git checkout -q - && git merge -q two && git gc -q && git log --format=%s && git clone -q . ../s && git -C ../s status -s && git stash list && git worktree add -q ../w && git fsck 2>/dev/null && git archive HEAD | tar t && git diff HEAD~1 --stat'
same "sqlite3" sqlite3 x.db \
	'create table t(a); insert into t values (1); select * from t; pragma journal_mode=wal; vacuum;'
needs=java same "java" sh -c \
	'echo "public class A { public static void main(String[] a) throws Exception { Thread t = new Thread(() -> System.out.println(1)); t.start(); t.join(); System.out.println(new ProcessBuilder(\"true\").start().waitFor()); System.out.println(java.nio.file.Files.list(java.nio.file.Path.of(\".\")).count()); } }" >A.java; java -XX:-UsePerfData A.java'
needs=rustc same "rust" sh -c \
	'echo "fn main() { std::thread::spawn(|| println!(\"t\")).join().unwrap(); println!(\"{:?}\", std::process::Command::new(\"true\").status().unwrap().code()); }" >a.rs; rustc a.rs >log 2>&1 && ./a'
needs=go same "go" sh -c \
	'printf "package main\nimport \"fmt\"\nfunc main() { c := make(chan int); go func() { c <- 1 }(); fmt.Println(<-c) }\n" >a.go; GOCACHE=$PWD/c go run a.go'
same "script and stty on a terminal" script -qec 'stty size >/dev/null; tty >/dev/null && echo terminal' \
	/dev/null
needs=rsync same "rsync" sh -c 'mkdir a; seq 5 >a/x; rsync -a a/ b/; cat b/x'
needs="patch" same "patch, diff" sh -c \
	'mkdir a; seq 5 >a/x; seq 6 >y; diff -u a/x y >p; patch -s a/x p && cmp a/x y && echo same'
needs="jq curl openssl ssh-keygen" same "jq, curl of a file, openssl, ssh-keygen" sh -c \
	'echo "{}" | jq -c .; echo x >f; curl -s "file://$PWD/f"; openssl rand 4 | wc -c; ssh-keygen -q -t ed25519 -N "" -f k && ls k'

# A program that needs what is refused is told so, and lives on.
"$filtered" $python -c 'import socket
try: socket.socket()
except OSError as e: print(e.strerror)' >"$tmp/said" 2>&1
[[ $(<"$tmp/said") == "Address family not supported by protocol" ]]
result $? "a refused socket is an ordinary error"
touch "$tmp/file"
"$filtered" chmod u+s "$tmp/file" >"$tmp/said" 2>&1
[[ $? == 1 && $(stat -c %a "$tmp/file") == 644 ]]
result $? "chmod u+s is refused"
echo "1..$n"
