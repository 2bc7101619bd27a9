#!/usr/bin/python3 -B
"""The jail of the sequence oracle: real bash and real tools in a project of their own, and caisson beside them.

    sequence_jail.py CAISSON < frames > answers

Theory of operation. Three kinds of processes:
  - The outer process makes the namespaces (mount, pid, net, ipc, uts; also user when it is not root), starts the keeper and waits.
  - The keeper is pid 1 of the new pid namespace. It builds a root of tmpfs with the machine's /usr read-only, pivots into it, builds the
    worlds of sequence_world.py once, and then serves frames: it restores a world, runs a program in it, asks caisson.
  - The program and whatever it starts: an ordinary user, no capabilities, limits, no network. Only /w, /tmp and the home are writable.
The keeper dies with the outer process, and the namespaces, mounts and files go with it.

A frame is one line of JSON with `world` and
  - `judge`: a list of commands. The answer is one [verdict, ids, ids that ask or deny, approval] for each, judged in the
    untouched world.
  - `run`, `then`: `run` is executed by bash; each of `then` ({"text", "keeps"}) is judged afterwards. `keeps` says
    that the directory, the directory stack, the variables and the functions of `run` still hold.
Exit 77 with one line on stderr when this machine does not let us build the jail.
"""
import ctypes
import hashlib
import json
import os
import re
import resource
import shlex
import signal
import stat
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sequence_world  # noqa: E402

SKIP_EXIT = 77
JAIL_UID = 64723
HOME = "/home/dev"
PROJECT = "/w/p"
PROTECTED = (".git/hooks", ".git/info/attributes", ".husky", ".claude", ".vscode", ".envrc", ".mcp.json")  # the most that programs obey, by the names that the worlds use
WALL_S = 5.0
BUILD_S = 120  # for making a world, also on a busy machine
LINGER_S = 0.4
STATE_MAX = 1 << 20
ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": HOME, "USER": "dev", "LOGNAME": "dev", "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "dumb", "PWD": PROJECT}
NOT_CARRIED = {"_", "SHLVL", "PWD", "OLDPWD"}  # the shell sets these by itself
# Names that bash gives variables of its own, beside those in NOT_CARRIED.
SHELLS_OWN = re.compile(r"BASH|COMP_|DIRSTACK|E?UID|EPOCH|FUNCN|GROUPS|HIST|HOSTN|HOSTT|LINENO|MACHT|OPT|OSTYPE|PIPEST|PPID|PS4|S?RANDOM|SECONDS|SHELLO|__")
# The state that a later command of the same shell would see. Builtins only, but for env: PATH may lead anywhere.
TRAILER = """
__status=$?; { printf '%s\\0' "$__status"; builtin pwd; printf '\\0'
builtin dirs -l -p; printf '\\0'; declare -f; printf '\\0'; /usr/bin/env -0; printf '\\0'
builtin mapfile -t __names < <(builtin compgen -v); for __name in "${__names[@]}"; do
[[ ${!__name@a} == *[xaAn]* ]] || printf '%s=%s\\0' "$__name" "${!__name-}"; done; } >&9 2>/dev/null
"""

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
LOCKED = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME | os.ST_RELATIME
CLONE = {"mount": 0x20000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
MNT_DETACH = 2
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38
libc = ctypes.CDLL(None, use_errno=True)


def skip(why):
    sys.stderr.write("SKIP jail: %s\n" % why)
    sys.stderr.flush()
    os._exit(SKIP_EXIT)


def check(result, what):
    if result != 0:
        skip("%s: %s" % (what, os.strerror(ctypes.get_errno())))


def mount(source, target, kind, flags, options=None):
    check(libc.mount(source.encode(), target.encode(), kind and kind.encode(), ctypes.c_ulong(flags), options and options.encode()), "cannot mount '%s'" % target)


def bind(source, target, read_only=True):
    """A mount's own flags are locked in a user namespace: they must be given again."""
    mount(source, target, None, MS_BIND | MS_REC)
    if read_only:
        mount("none", target, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | (os.statvfs(target).f_flag & LOCKED))


# ---- building the jail (keeper) ----

def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def enter_root(program, uid):
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    held = os.open(program, os.O_PATH)  # the tmpfs hides it when it lies below /tmp
    mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=256m,mode=0755")
    os.chdir("/tmp")
    for name in ("usr", "etc", "dev", "proc", "w", "tmp", "home", "template", "etc/alternatives"):
        os.mkdir(name)
    bind("/usr", "usr")
    for name in ("bin", "sbin", "lib", "lib64", "lib32", "libx32"):
        if os.path.islink("/" + name):
            os.symlink(os.readlink("/" + name), name)
        elif os.path.isdir("/" + name):
            os.mkdir(name)
            bind("/" + name, name)
    if os.path.isdir("/etc/alternatives"):
        bind("/etc/alternatives", "etc/alternatives")
    write("caisson", "")
    bind("/proc/self/fd/%d" % held, "caisson")
    os.close(held)
    write("etc/passwd", "dev:x:%d:%d::%s:/bin/bash\n" % (uid, uid, HOME))
    write("etc/group", "dev:x:%d:\n" % uid)
    for name in ("null", "zero", "urandom"):
        write("dev/" + name, "")
        bind("/dev/" + name, "dev/" + name, read_only=False)
    for name, to in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink("/proc/self/fd" + to, "dev/" + name)
    mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for name in ("w", "tmp", "home", "template"):
        mount("tmpfs", name, "tmpfs", MS_NOSUID | MS_NODEV, "size=128m,mode=0755")
    for name in ("w", "tmp", "home/dev", "template"):
        os.makedirs(name, exist_ok=True)
        os.chown(name, uid, uid)
    check(libc.syscall(SYS_PIVOT_ROOT[os.uname().machine], b".", b"."), "cannot pivot into the new root")
    check(libc.umount2(b".", MNT_DETACH), "cannot leave the old root")
    os.chdir("/")
    mount("none", "/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


# ---- running a program (keeper) ----

def limit(what, n):
    hard = resource.getrlimit(what)[1]
    n = n if hard == resource.RLIM_INFINITY else min(n, hard)
    resource.setrlimit(what, (n, n))


def drop_rights(uid):
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(SYS_CAPSET[os.uname().machine], header, none):
        os._exit(124)


class Keeper:
    def __init__(self, uid):
        self.uid = uid
        self.at = None  # the world that /w and the home hold, untouched
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})

    def spawn(self, argv, cwd="/", stdin=-1, stdout=-1, state=-1, limits=False, env=None):
        pid = os.fork()
        if pid:
            return pid
        try:
            null = os.open("/dev/null", os.O_RDWR)
            os.setsid()
            os.dup2(stdin if stdin >= 0 else null, 0)
            os.dup2(stdout if stdout >= 0 else null, 1)
            os.dup2(null, 2)
            if state >= 0:
                os.dup2(state, 9)
            if limits:
                limit(resource.RLIMIT_CPU, 4)
                limit(resource.RLIMIT_FSIZE, 16 << 20)
                limit(resource.RLIMIT_NPROC, 300)
            limit(resource.RLIMIT_CORE, 0)
            drop_rights(self.uid)
            os.umask(0o022)
            os.chdir(cwd)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.execve(argv[0], argv, env or ENV)
        finally:
            os._exit(124)

    def wait_all(self, main, wall=WALL_S):
        """Reaps everything; what outlives the program gets a moment. Returns the program's status, None when it was killed."""
        end, status = time.monotonic() + wall, None
        while True:
            try:
                pid, s = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return status
            if pid == main:
                status = os.waitstatus_to_exitcode(s)
                end = min(end, time.monotonic() + LINGER_S)
            if pid:
                continue
            left = end - time.monotonic()
            if left <= 0:
                os.kill(-1, signal.SIGKILL)
                end = time.monotonic() + WALL_S
                continue
            signal.sigtimedwait({signal.SIGCHLD}, left)

    def tool(self, *argv):
        """Runs a tool with the keeper's own rights: a program may have left directories that it cannot enter itself."""
        pid = os.posix_spawn(argv[0], argv, ENV)
        if self.wait_all(pid) != 0:
            raise RuntimeError("failed: %s" % " ".join(argv))

    def build(self, world):
        self.empty()
        log = os.memfd_create("log")
        env = dict(ENV, GIT_AUTHOR_DATE="2024-01-01T00:00:00Z", GIT_COMMITTER_DATE="2024-01-01T00:00:00Z")
        status = self.wait_all(self.spawn(["/bin/bash", "-exc", "exec 2>&1\n" + sequence_world.WORLDS[world]], "/w", stdout=log, env=env), BUILD_S)
        if status != 0:
            raise RuntimeError("the world '%s' cannot be built: %s" % (world, os.pread(log, 1 << 16, 0).decode(errors="replace")[-600:]))
        os.close(log)
        self.tool("/bin/cp", "-a", "/w", "/home", "/template/")
        os.mkdir("/template/" + world)
        self.tool("/bin/mv", "/template/w", "/template/home", "/template/" + world)

    def empty(self):
        old = [os.path.join(top, name) for top in ("/w", HOME, "/tmp") for name in os.listdir(top)]
        if old:
            self.tool("/bin/rm", "-rf", *old)

    def restore(self, world):
        if not os.path.isdir("/template/" + world):
            self.at = None
            self.build(world)
        if self.at != world:
            self.empty()
            self.tool("/bin/cp", "-a", "/template/%s/w" % world, "/template/%s/home" % world, "/")
        self.at = world

    def judge(self, commands, cwd=PROJECT):
        """[[verdict, ids]] of caisson for these commands, in the files as they are now."""
        if not commands:
            return []
        lines = "".join(json.dumps({"id": i, "command": c, "cwd": cwd}) + "\n" for i, c in enumerate(commands)).encode()
        asked, said = os.memfd_create("asked"), os.memfd_create("said")
        os.write(asked, lines)
        os.lseek(asked, 0, os.SEEK_SET)
        main = self.spawn(["/caisson", "check", "--batch"], PROJECT if os.path.isdir(PROJECT) else "/", asked, said)
        status = self.wait_all(main)
        out = os.pread(said, os.fstat(said).st_size, 0)
        os.close(asked)
        os.close(said)
        answers = [json.loads(line) for line in out.split(b"\n") if line.strip()]
        if len(answers) != len(commands):
            if len(commands) > 1:
                return [self.judge([c], cwd)[0] for c in commands]
            return [["crash", ["status %s" % status], [], None]]
        return [answer_of(a) for a in answers]

    def run(self, frame):
        self.restore(frame["world"])
        before = digest()
        self.at = None
        reading, writing = os.pipe()
        main = self.spawn(["/bin/bash", "-c", frame["run"] + TRAILER], PROJECT, state=writing, limits=True)
        os.close(writing)
        status = self.wait_all(main)
        state = read_state(reading)
        os.close(reading)
        after = digest()
        answers = self.judge([self.prefix(state if t["keeps"] else None) + t["text"] for t in frame["then"]])
        changed = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
        return {"status": state["status"] if state else status, "ended": state is None, "changed": changed, "answers": answers,
                "stack": len(state["stack"]) if state else 0}

    @staticmethod
    def prefix(state):
        """A text that brings a fresh shell into this state."""
        if not state:
            return ""
        way = state["stack"][:0:-1] + [state["cwd"]]  # the directory stack from its bottom to its top
        out = "" if way == [PROJECT] else "cd %s || exit; " % shlex.quote(way[0])
        out += "".join("pushd %s || exit; " % shlex.quote(place) for place in way[1:])
        for name, value in (("PWD", state["cwd"]), ("OLDPWD", way[-2] if way[1:] else PROJECT)):
            if state["env"].get(name, value) != value:  # what `cd` and `pushd` above would not make them
                out += "%s=%s; " % (name, shlex.quote(state["env"][name]))
        for name, value in sorted(state["env"].items()):
            if name not in NOT_CARRIED and ENV.get(name) != value and name.isidentifier():
                out += "export %s=%s; " % (name, shlex.quote(value))
        for name, value in sorted(state["own"].items()):
            if name not in NOT_CARRIED and not SHELLS_OWN.match(name) and not (name == "IFS" and value == " \t\n"):
                out += "%s=%s; " % (name, shlex.quote(value))
        return out + (state["functions"] + "\n" if state["functions"] else "")


def answer_of(a):
    """[verdict, ids of all reasons, ids of those that ask or deny, where it runs when a person approves it]"""
    reasons = a.get("reasons", [])
    if a.get("error"):
        return ["error", [str(a["error"])], [], None]
    stops = {r["id"] for r in reasons if r["grade"] in ("ask", "deny")}
    return [a["verdict"], sorted({r["id"] for r in reasons}), sorted(stops), a.get("approval")]


def read_state(fd):
    """The last state that was written: a program may run the trailer more than once (set -e in a trap, a fork). None: it never came so far."""
    data = b""
    while len(data) < STATE_MAX:
        part = os.read(fd, 65536)
        if not part:
            break
        data += part
    parts = data.decode("utf-8", "surrogateescape").split("\0")
    if len(parts) < 5 or not parts[0].isdigit():
        return None
    end = parts.index("", 4) if "" in parts[4:] else len(parts)
    env, own = (dict(v.split("=", 1) for v in some if "=" in v) for some in (parts[4:end], parts[end:]))
    return {"status": int(parts[0]), "cwd": parts[1].rstrip("\n"), "stack": parts[2].splitlines(),
            "functions": parts[3].strip(), "env": env, "own": own}


def digest():
    """{path: what it is} of everything outside of the project, and of what is protected in it."""
    seen = {}
    todo = ["/w", HOME, "/tmp"] + [os.path.join(PROJECT, name) for name in PROTECTED]
    while todo:
        at = todo.pop()
        try:
            mode = os.lstat(at).st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            if not at.startswith(PROJECT):  # an empty directory is obeyed by nobody
                seen[at] = "directory"
            todo += [os.path.join(at, name) for name in os.listdir(at) if os.path.join(at, name) != PROJECT]
        elif stat.S_ISLNK(mode):
            seen[at] = os.readlink(at)
        elif stat.S_ISREG(mode):
            with open(at, "rb") as f:
                seen[at] = "%o %s" % (mode, hashlib.sha256(f.read()).hexdigest())
    return seen


def serve(program, uid):
    enter_root(program, uid)
    keeper = Keeper(uid)
    for line in sys.stdin.buffer:
        frame = json.loads(line)
        if "judge" in frame:
            keeper.restore(frame["world"])
            answer = keeper.judge(frame["judge"])
        else:
            answer = keeper.run(frame)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def main():
    program = os.path.realpath(sys.argv[1])
    root = os.geteuid() == 0
    uid, outer_uid, outer_gid = (JAIL_UID + os.getpid() % 1000 if root else 0), os.getuid(), os.getgid()
    flags = sum(bit for name, bit in CLONE.items() if name != "user" or not root)
    if os.uname().machine not in SYS_CAPSET:
        skip("the system calls of this machine are not known")
    check(libc.unshare(flags), "this machine does not let us make namespaces")
    if not root:
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", "0 %d 1" % outer_uid)
        write("/proc/self/gid_map", "0 %d 1" % outer_gid)
    pid = os.fork()
    if pid == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        status = 70
        try:
            serve(program, uid)
            status = 0
        except Exception as e:  # the outer process hands the text on
            sys.stderr.write("jail: %s: %s\n" % (type(e).__name__, e))
        finally:
            sys.stderr.flush()
            os._exit(status)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


if __name__ == "__main__":
    main()
