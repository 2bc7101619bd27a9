"""A Python that waits in its box, through caissond --preload: the same results as without, nothing shared. TAP."""
import glob
import os
import re
import sys
import time

top, tmp = sys.argv[1:3]
sys.path.insert(0, top + "/tests")
from servelib import Daemon, ok, plan  # noqa: E402

plain = Daemon(tmp + "/plain", "--open", "run", "--pool", "2", "--memory", "256M", "--output", "1M").start()
ahead = Daemon(tmp + "/ahead", "--open", "run", "--pool", "2", "--memory", "256M", "--output", "1M", "--preload",
               "json,random").start()


def run(d, code, **more):
    return d.call("POST", "/v1/run", {"code": code, "lang": "python", **more})[1]


def waiting():
    """Pythons that wait, by the loader in their command line."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            text = open(path, "rb").read()
            if text.startswith(b"python3\0-c\0") and text.endswith(b"\0json,random\0"):
                found.append(path.split("/")[2])
        except OSError:
            pass
    return found


USED = "import sys; print('random' in sys.modules)"
ok("code runs in the Python that waits", run(ahead, USED)["stdout"] == "True\n")
ok("and not without the option", run(plain, USED)["stdout"] == "False\n")
until = time.time() + 20
while len(waiting()) < 2 and time.time() < until:
    time.sleep(0.05)
status = [open("/proc/%s/status" % pid).read() for pid in waiting()]
ok("those that wait are inside of all walls", status and all(
    re.search(r"^Seccomp:\s+2$", s, re.M) and re.search(r"^NoNewPrivs:\s+1$", s, re.M) and
    re.search(r"^CapEff:\s+0+$", s, re.M) and re.search(r"^NSpid:\s+\d+\s+2$", s, re.M) for s in status), status)
ok("in namespaces of their own", len({os.readlink("/proc/%s/ns/%s" % (pid, kind)) for pid in waiting()
                                      for kind in ("pid", "net", "mnt", "user", "ipc")} |
                                     {os.readlink("/proc/self/ns/%s" % kind)
                                      for kind in ("pid", "net", "mnt", "user", "ipc")}) == 5 * (len(waiting()) + 1))
ok("with the streams, and the socket that brings the code", all(
    len(os.listdir("/proc/%s/fd" % pid)) == 4 for pid in waiting()), [os.listdir("/proc/%s/fd" % p) for p in waiting()])

# ---- the same as without
CODES = [
    "pass", "print(1)", "1/0", "def f():\n  raise ValueError('x')\nf()", "x = (", "  x = 1", "import sys; sys.exit(5)",
    "import sys; sys.exit('bye')", "raise KeyboardInterrupt", "import os; os.kill(os.getpid(), 11)", "import os; os._exit(9)",
    "print(sorted(globals()), __name__, __doc__)", "import sys; print(sys.argv, sys.path, sys.flags, sys.orig_argv)",
    "print(input())", "import sys; print(repr(sys.stdin.read()))", "import os; print(os.fstat(0).st_mode & 0o170000)",
    "import os; print(sorted(os.listdir('/proc/self/fd')), os.getpid(), os.getppid(), os.getcwd(), sorted(os.environ.items()))",
    "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('t'))).start(); print('m')",
    "import atexit; atexit.register(print, 'at'); raise SystemExit(3)", "print('\u00e4'); import sys; sys.stderr.write('\u00f6')",
    "# -*- coding: latin-1 -*-\nprint('\u00e4')", "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n1/0",
    "import signal; print(signal.getsignal(2), signal.getsignal(13))", "class A:\n  def __del__(self): print('del')\na = A()",
    "class A:\n  def __del__(self): print('del')\na = A(); a.me = a; del a", "import sys; m = sys.modules['__main__']; print(vars(m) is globals())",
    "import pickle\nclass A: pass\nprint(pickle.loads(pickle.dumps(A())).__class__)", "import warnings; warnings.warn('w')",
    "import resource as r; print([r.getrlimit(getattr(r, n)) for n in sorted(dir(r)) if n.startswith('RLIMIT')])",
    "import subprocess; print(subprocess.run(['cat', '/proc/self/status'], capture_output=True).stdout.count(b'Seccomp:\\t2'))",
    "import multiprocessing as m\ndef f(q): q.put(1)\nq = m.Queue(); p = m.Process(target=f, args=(q,)); p.start(); print(q.get())",
    "open('/etc/x', 'w')", "import socket; socket.create_connection(('127.0.0.1', 1), 1)", "import os; os.unshare", "print(chr(0xd800))",
    "import sys; sys.settrace(None); del sys.last_type", "import builtins; builtins.SystemExit = None; 1/0",
]
for code in CODES:
    for more in ({}, {"stdin": "hello\n", "args": ["a", "b c", ""]}):
        x, y = run(plain, code, **more), run(ahead, code, **more)
        for report in (x, y):
            for key in ("id", "duration_ms", "cpu_ms", "peak_memory_mb"):
                report.pop(key)
        ok("the same: %r %s" % (code[:60], "with input" if more else ""), x == y, {k: (x[k], y[k]) for k in x if x[k] != y.get(k)})

# ---- ends and limits
for what, code, more, want in [
        ("timeout", "while 1: pass", {"timeout_sec": 0.5}, "timeout"), ("flood", "while 1: print('x' * 1000)", {}, "output_limit"),
        ("oom", "x = bytearray(1 << 30)", {}, "oom"), ("oom with a limit of its own", "x = bytearray(100 << 20)", {"memory_mb": 80}, "oom"),
        ("a small limit", "print(1)", {"memory_mb": 40}, "ok"), ("fewer CPUs", "print(1)", {"cpus": 1}, "ok"),
        ("fewer processes", "import os\nfor i in range(20): os.fork() or os._exit(0)", {"pids": 3}, "exit_nonzero"),
        ("denied", "import shutil; shutil.rmtree('/')", {}, "denied")]:
    report = run(ahead, code, **more)
    ok("end: " + what, report["status"] == want, report)
report = run(ahead, USED, cpus=1)
ok("a run with other CPUs has a Python of its own", report["stdout"] == "False\n" and
   report["limits"]["cpus"]["value"] == 1, report)
report = run(ahead, USED, memory_mb=128)
ok("a run with less memory may have one that waited", report["stdout"] == "True\n" and
   report["limits"]["memory_mb"]["value"] == 128, report)

# ---- files
report = run(ahead, "import mine; print(mine.x, open('d/t').read())",
             files=[{"name": "mine.py", "content": "x = 5"}, {"name": "d/t", "content": "text"}])
ok("files are there", report["stdout"] == "5 text\n", report)
report = run(ahead, "import json; print(json.x)", files=[{"name": "json.py", "content": "x = 6"}])
ok("a file in the place of an imported module counts", report["stdout"] == "6\n", report)
report = run(ahead, "import json, sys; print(json.x, sys.argv)", files=[{"name": "json/__init__.py", "content": "x = 7"}], args=["a"])
ok("and so does a package", report["stdout"] == "7 ['-c', 'a']\n", report)
report = run(ahead, "open('out.txt', 'w').write('made')", outputs=["*.txt"])
ok("files come out", report.get("outputs") == [{"name": "out.txt", "encoding": "utf8", "content": "made"}], report)

# ---- nothing is shared
SEEDS = "import random; print(hash('a'), random.random(), id(object()))"
seen = [run(ahead, SEEDS)["stdout"].split() for _ in range(8)]
ok("hash seed, random numbers and addresses are each run's own", all(len(s) == 3 for s in seen) and
   all(len({s[i] for s in seen}) == 8 for i in range(3)), seen)
ok("no run sees another's", [run(ahead, "import json; print(hasattr(json, 'mark')); json.mark = 1; open('f', 'x'); open('/tmp/f', 'x')")["stdout"]
                             for _ in range(4)] == ["False\n"] * 4)
events = list(ahead.events({"code": "import time\nfor i in range(3): print(i, flush=True); time.sleep(.05)", "lang": "python"}))
ok("a stream", "".join(e[1]["text"] for e in events if e[0] == "stdout") == "0\n1\n2\n" and events[-1][1]["status"] == "ok", events)
status, answer, r = ahead.call("POST", "/api/v2/execute", {"language": "py", "version": "*", "files": [{"content": USED}]})
ok("Piston's clients get it", answer["run"]["stdout"] == "True\n", answer)
status, answer, r = ahead.call("POST", "/v1/run", {"command": "echo '\"lang\": \"python\"'"})
ok("a body that seems to ask for Python", answer["stdout"] == '"lang": "python"\n', answer)
report = run(ahead, "pass # " + "x" * 200000)
ok("long code", report["status"] == "ok", report)

# ---- the option
for what, value in [("a module that is missing", "json,no_such_module"), ("a module that prints", "this"), ("no list", "json;x"), ("a module that ends", "antigravity,__main__.x")]:
    got = ahead.command("--listen", "127.0.0.1:0", "--preload", value)
    ok("refused: " + what, got.returncode == 64 and "preload" in got.stderr, (got.returncode, got.stderr[-300:]))
ok("both servers end", [plain.stop(), ahead.stop()] == [0, 0])
until = time.time() + 10
while waiting() and time.time() < until:
    time.sleep(0.05)
ok("nothing waits any more", not waiting(), waiting())
plan()
