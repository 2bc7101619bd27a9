"""The same commands by caisson run and in warm boxes of caissond: what a program sees and how it ends is equal."""
import base64
import json
import os
import subprocess
import sys

here, tmp = sys.argv[1:]
sys.path.insert(0, here + "/tests")
from servelib import Daemon  # noqa: E402

# name, command, options of the run; equal output is part of the answer
ROWS = [
    ("user, groups, limits", "id; umask; ulimit -a; pwd; hostname", {}),
    ("state of a process", "grep -E '^(Cap|NoNew|Seccomp|Cpus_allowed:|Uid|Gid|Groups|Sig[BIC]|NSpid|Umask)' /proc/self/status", {}),
    ("state of pid 1", "sleep 0.2; grep -E '^(Cap|NoNew|Seccomp|Uid|Gid|Groups|State|NSpid)' /proc/1/status", {}),
    ("mounts", "cut -d' ' -f4-6 /proc/self/mountinfo | sort", {}),
    ("descriptors", "ls /proc/self/fd | wc -l; readlink /proc/self/fd/0", {}),
    ("environment", "env | sort", {}),
    ("names in the root", "ls -la / /home /tmp /var/tmp /dev | awk '{print $1, $3, $4, $9, $10, $11}'", {}),
    ("size of the scratch", "df -k / /tmp $HOME | awk '{print $2, $6}'; df -i $HOME | awk '{print $2}'", {}),
    ("network", "cat /proc/net/dev /proc/net/unix | wc -l; ls /sys/class/net 2>&1", {}),
    ("processes", "echo /proc/[0-9]*; cat /proc/self/cgroup | cut -d: -f2 | sort", {}),
    ("files of its own", "echo x > $HOME/a && mkdir -p /tmp/d/e && ls -la $HOME/a /tmp/d | awk '{print $1, $3, $4}'", {}),
    ("nothing else can be written", "for f in /etc/x /usr/x /x /proc/sys/kernel/hostname /var/x; do echo x > $f; done", {}),
    ("no namespaces", "unshare -r true; unshare -n true; mount -t tmpfs x /mnt; chroot / true", {}),
    ("nothing of pid 1", "cat /proc/1/environ; ls /proc/1/fd /proc/1/root; kill -9 1; kill -STOP 1; echo alive", {}),
    ("no sockets", "python3 -c 'import socket; socket.socket()'", {}),
    ("input", "cat; echo end", {"stdin": "one\ntwo\n"}),
    ("no input", "cat; echo end", {}),
    ("exit", "exit 7", {}),
    ("signal", "kill -SEGV $$", {}),
    ("its own SIGKILL", "kill -9 $$", {}),
    ("time", "echo begun; sleep 20", {"timeout_sec": 1}),
    ("memory", "head -c 200m /dev/zero | tail -c 100m", {"memory_mb": 40}),
    ("memory by tmpfs", "head -c 100m /dev/zero > /tmp/x", {"memory_mb": 40}),
    ("processes at once", "/usr/bin/python3 -c 'import os, time\nn = 0\ntry:\n    while n < 20:\n        if not os.fork():\n"
     "            time.sleep(1)\n            os._exit(0)\n        n += 1\nexcept BlockingIOError:\n    pass\nprint(0 < n < 8)'", {"pids": 8}),
    ("CPUs", "nproc", {"cpus": 1}),
    ("half of a CPU", "nproc", {"cpus": 0.5}),
    ("a program that is left", "setsid sleep 30 >/dev/null 2>&1 & echo begun", {}),
    ("a missing program", "/usr/bin/missing-program", {}),
    ("both streams", "echo out; echo err >&2", {}),
    ("scratch", "head -c 300m /dev/zero > /var/tmp/x; echo $?", {}),
]
OPTIONS = {"timeout_sec": "--timeout", "memory_mb": "--memory", "pids": "--pids", "cpus": "--cpus"}
FIELDS = ("status", "exit_code", "signal", "stdout", "stderr", "limits", "peak_memory_by", "network", "error", "is_error", "backend")
count = 0


def ok(name, good, *notes):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if good else "not ok", count, name), flush=True)
    if not good:
        for n in notes:
            print("#   %s" % (n,))


def one_shot(command, options):
    argv = [os.environ["CAISSON"], "run", "--json", "--accept", "watched"]
    for name, option in OPTIONS.items():
        if name in options:
            argv += [option, str(options[name]) + ("M" if name == "memory_mb" else "")]
    argv += ["--stdin"] if "stdin" in options else []
    r = subprocess.run(argv + ["-c", command], env=d.env, cwd=d.tmp + "/project", capture_output=True, text=True,
                       input=options.get("stdin", ""))
    return json.loads(r.stdout)


d = Daemon(tmp, "--open", "run", "--no-gate", "--pool", "4").start()
for name, command, options in ROWS:
    warm = d.call("POST", "/v1/run", dict(options, command=command))[1]
    cold = one_shot(command, options)
    if cold["status"] == "oom":  # the kernel chooses the process that it kills, and a shell may still tell of it
        cold["signal"], cold["stderr"] = warm["signal"], warm["stderr"]
    differs = {f: (cold.get(f), warm.get(f)) for f in FIELDS if cold.get(f) != warm.get(f)}
    ok("as by caisson run: " + name, not differs, differs)
home = d.call("POST", "/v1/run", {"command": "ls -laR $HOME | awk '{print $1, $3, $4, $5, $9}'; cat pkg/a.txt", "files": [
    {"name": "pkg/a.txt", "content": "text\n"}, {"name": "b.txt", "content": ""}]})[1]
ok("files of a request in a warm box", home["status"] == "ok" and home["stdout"].endswith("text\n") and
   "-rw-r--r-- box box 5 a.txt" in home["stdout"] and "drwxr-xr-x box box" in home["stdout"] and not home["hints"], home)
out = d.call("POST", "/v1/run", {"command": "mkdir -p out/deep; echo é > out/deep/a.txt; printf '\\377' > b.bin; ln -s /etc/passwd c.txt;"
                                 " mkfifo d.txt; echo x > e.log; ln e.log f.txt; chmod 0 e.log; head -c 9m /dev/zero > big.txt",
                                 "outputs": ["out/**", "*.bin", "*.txt"]})[1]
closed = [("f.txt", "utf8", "x\n")] if os.geteuid() == 0 else []  # only root reads a file without permissions
ok("files that a run hands out", sorted((f["name"], f["encoding"], f["content"]) for f in out["outputs"]) ==
   [("b.bin", "base64", "/w=="), *closed, ("out/deep/a.txt", "utf8", "é\n")], out)
ok("a file that is too large is counted", out["outputs_left"] == 2 - len(closed) and out["outputs_complete"] is False, out)
none = d.call("POST", "/v1/run", {"command": "echo x > a; sleep 9", "outputs": ["*"], "timeout_sec": 1})[1]
ok("a killed box hands out nothing", none["status"] == "timeout" and none["outputs"] == [] and not none["outputs_complete"], none)
wrong = [d.call("POST", "/v1/run", {"command": ":", "outputs": x})[0] for x in ("*", [1], [""], ["/etc/*"], ["*"] * 17)]
ok("wrong patterns are refused", wrong == [400] * 5, wrong)
first = d.call("POST", "/v1/run", {"command": "touch $HOME/left /tmp/left /dev/shm/left; ls /tmp"})[1]
again = [d.call("POST", "/v1/run", {"command": "ls $HOME /tmp /dev/shm | grep -c left"})[1]["stdout"] for _ in range(6)]
ok("no run sees files of another", first["stdout"] == "left\n" and set(again) == {"0\n"}, first, again)
d.stop()

# ---- the whole list of attacks, in a box of the pool and from a Python that waited
probe = os.environ["BUILD"] + "/box/probe"
if os.path.exists(probe):
    d = Daemon(tmp, "--open", "run", "--no-gate", "--pool", "4", "--preload", "json").start()
    names = {kind: set() for kind in ("attack", "benign")}
    for line in subprocess.run([probe, "list"], capture_output=True, text=True).stdout.splitlines():
        if len(line.split()) == 2:
            names[line.split()[0]].add(line.split()[1])
    names["attack"].discard("exe-self")  # here the probe lies in the home, where a program may write
    files = [{"name": "probe", "encoding": "base64", "content": base64.b64encode(open(probe, "rb").read()).decode()}]
    START = "import os, sys; print('json' in sys.modules, flush=True); os.chmod('probe', 0o755); os.execv('./probe', ['probe', '%s'])"
    for where, make in [("a box of the pool", lambda what: {"command": "chmod 755 probe; exec ./probe " + what}),
                        ("a Python that waited", lambda what: {"code": START % what, "lang": "python"})]:
        for what, kind in (("attacks", "attack"), ("benign", "benign")):
            got = d.call("POST", "/v1/run", dict(make(what), files=files, tail=1000))[1]
            lines = got["stdout"].splitlines()
            waited = lines.pop(0) == "True" if "Python" in where else True
            said = dict(x.split(" ", 1) for x in lines if " " in x)
            cgroup = got["limits"]["memory_mb"]["enforced_by"].startswith("cgroup")
            wrong = {n: said.get(n) for n in names[kind] if not (
                said.get(n, "").startswith(("refused", "absent")) if kind == "attack" else
                said.get(n) == "done" or (not cgroup and n in ("memfd-exec", "ipc")))}
            ok("%s: %d %s" % (where, len(names[kind]), "attacks are refused" if kind == "attack" else "harmless twins work"),
               waited and names[kind] and not wrong, wrong, got["status"], got["stderr"][-300:])
    d.stop()
else:
    ok("the list of attacks # SKIP build/box/probe is not built", True)
print("1..%d" % count)
