"""Fails the Nth allocation along run, hook and mcp. After each, nothing may remain: no process, cgroup, mount,
descriptor or file, and no verdict is milder. Started by unwind.sh: unwind.py CAISSON DIR SECONDS WHO (SECONDS 0:
every N). Prints results without numbers."""
import ctypes
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time

CAISSON, TMP, SECONDS, WHO = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
HOME, STATE, WS, LOG = TMP + "/home", TMP + "/state", TMP + "/ws", TMP + "/log"
ENV = {"PATH": "/usr/bin:/bin", "HOME": HOME, "CAISSON_STATE": STATE, "LC_ALL": "C.UTF-8",
        "SHELL": "/bin/bash",
       "ASAN_OPTIONS": "detect_leaks=0"}  # memory goes with the process; the rest would not
TIMEOUT = 60
ORPHANS_SECONDS = 5
PR_SET_CHILD_SUBREAPER = 36
EXIT_BLOCK = 2
CLAUDE = ["hook", "--client", "claude-code"]
SESSION = "0f1e2d3c-0000-4000-8000-00000000000a"
# A ticket that nobody has taken yet, and the mark of a workspace whose search after a run was left.
MAY_REMAIN = {"tickets/#", "vetted/#.unvetted"}


def result(good, what, notes=()):
    print("%s - %s: %s" % ("ok" if good else "not ok", WHO, what))
    for note in list(notes)[:20]:
        print("#   " + str(note)[:600])
    sys.stdout.flush()


# ---- what is there ----

def tree(top, skip=()):
    """Names, types and modes below a directory."""
    found = set()
    for folder, dirs, files in os.walk(top):
        dirs[:] = [d for d in dirs if d not in skip]
        for name in dirs + files:
            path = os.path.join(folder, name)
            try:
                st = os.lstat(path)
            except FileNotFoundError:
                continue
            found.add((os.path.relpath(path, top), oct(st.st_mode)))
    return found


def shapes(names):
    """Names with numbers and digests left out."""
    return {(re.sub(r"\b[0-9a-f]{2,}\b|[0-9]+", "#", name), mode) for name, mode in names}


def groups():
    out = subprocess.run(["find", "/sys/fs/cgroup", "-maxdepth", "8", "-name", "caisson-*", "-type", "d"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = [re.search(r".*/caisson-(\d+)-[^/]*$", line) for line in out.splitlines()]
    return {(int(m.group(1)), m.group(0)) for m in found if m}


def mounts():
    with open("/proc/self/mountinfo") as f:
        return sorted(line for line in f if TMP in line)


def children():
    """Children that are left, after those that end by themselves have ended."""
    until = time.time() + ORPHANS_SECONDS
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return []
        if pid:
            continue
        if time.time() > until:
            break
        time.sleep(0.002)
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as f:
                stat = f.read()
        except OSError:
            continue
        if stat.rsplit(")", 1)[1].split()[1] == str(os.getpid()):
            left.append(stat[:60])
            os.kill(int(pid), signal.SIGKILL)
    return left


# ---- one call of the program ----

class Call:
    """What the program said, and what it left. `fail` is (counter, N, all) or None."""

    def __init__(self, argv, stdin, fail, talk=None):
        env = dict(ENV, TORTURE_LOG=LOG)
        if fail:
            env["TORTURE_" + fail[0].upper()] = str(fail[1])
            if fail[2]:
                env["TORTURE_ALL"] = "1"
        if os.path.exists(LOG):
            os.unlink(LOG)
        self.problems = []
        pipe = subprocess.PIPE
        p = subprocess.Popen([CAISSON, *argv], stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=WS,
                bufsize=0)
        self.pid = p.pid
        try:
            if talk:
                talk(self, p)
            self.out, self.err = (s.decode("utf-8", "replace") for s in p.communicate(stdin, timeout=TIMEOUT))
        except subprocess.TimeoutExpired:
            p.kill()
            self.out, self.err = (s.decode("utf-8", "replace") for s in p.communicate())
            self.problems.append("it hangs")
        self.code = p.returncode
        self.left = children()
        self.counts, self.fds = {}, []
        if os.path.exists(LOG):
            with open(LOG) as f:
                m = re.match(r"arena=(\d+) malloc=(\d+) fds=(.*)", f.read())
            self.counts = {"arena": int(m.group(1)), "malloc": int(m.group(2))}
            self.fds = sorted(re.sub(r"\d+", "#", fd) for fd in m.group(3).split(";") if fd)


class Scenario:
    """Options, input, and check(call, failed) -> a problem or None."""

    def __init__(self, name, argv, stdin=b"", check=None, before=None, talk=None):
        self.name, self.argv, self.stdin = name, argv, stdin
        self.check, self.before, self.talk = check, before, talk

    def call(self, fail):
        for name in ("made", "f"):
            if os.path.exists(WS + "/" + name):
                os.unlink(WS + "/" + name)
        argv = self.before() if self.before else self.argv
        return Call(argv, self.stdin, fail, self.talk)

    def judge(self, c, failed):
        found = c.problems[:]
        if c.code < 0:
            found.append(f"ended by signal {-c.code}")
        if c.left:
            found.append(f"processes remain: {c.left}")
        more = list(c.fds)
        for fd in self.fds:
            if fd in more:
                more.remove(fd)
        if more:
            found.append(f"descriptors remain: {more}")
        if tree(WS, [".git"]) - self.workspace - {("made", "0o100644")}:
            found.append(f"files remain in the workspace: {tree(WS, ['.git']) - self.workspace}")
        if shapes(tree(WS + "/.git")) != self.repository:
            found.append(f"the repository differs: {shapes(tree(WS + '/.git')) ^ self.repository}")
        more = {name for name, _ in shapes(tree(STATE)) - self.state} - (MAY_REMAIN if failed else set())
        if more:
            found.append(f"files remain in the state: {more}")
        if shapes(tree(STATE)) - self.state:
            shutil.rmtree(STATE)
            self.call(None)
        said = self.check(c, failed) if self.check else None
        if said:
            found.append(said)
        return [f"{f} (code {c.code}; {c.err.strip()[-300:]})" for f in found]

    def baseline(self):
        self.workspace, self.repository = tree(WS, [".git"]), shapes(tree(WS + "/.git"))
        for _ in range(2):
            c = self.call(None)
        self.fds, self.state, self.counts = c.fds, shapes(tree(STATE)), c.counts
        start = time.time()
        problems = self.judge(self.call(None), False)
        return problems, time.time() - start

    def numbers(self, counter, seconds, each):
        n = self.counts[counter]
        few = max(4, int(seconds / each)) if seconds else n
        return sorted({1 + i * n // few for i in range(min(few, n))})

    def run(self, seconds):
        groups_before, mounts_before = groups(), mounts()
        problems, each = self.baseline()
        result(not problems, f"{self.name}: nothing fails ({self.counts})", problems)
        pids, tried = {}, 0
        for counter, share, every in (("arena", 0.7, False), ("malloc", 0.15, False), ("arena", 0.15, True)):
            found = []
            if every and self.name.startswith("hook") and os.environ.get("SANITIZE"):
                result(True, f"{self.name}: all allocations fail # SKIP the handler that answers after an abort is"
                             " off under the sanitizers")
                continue
            for n in self.numbers(counter, seconds * share, each):
                c = self.call((counter, n, every))
                pids[c.pid] = n
                tried += 1
                found += [f"{counter} {n}: {p}" for p in self.judge(c, True)]
            kind = f"the Nth allocation ({counter}) fails{', and all after it' if every else ''}"
            result(not found, f"{self.name}: {kind}, {tried} calls so far", found)
        left, until = True, time.time() + ORPHANS_SECONDS
        while left and time.time() < until:
            more = groups() - groups_before
            left = [(pid, path) for pid, path in more if pid in pids or not os.path.exists(f"/proc/{pid}")]
            time.sleep(0.05 if left else 0)
        result(not left, f"{self.name}: no cgroup remains",
                [f"{pids.get(pid)}: {path}" for pid, path in left])
        more = set(mounts()) - set(mounts_before)
        result(not more, f"{self.name}: no mount remains", more)


# ---- the scenarios ----

def report_of(c):
    try:
        return json.loads(c.out)
    except ValueError:
        return None


def check_run(c, failed):
    r = report_of(c)
    if not failed and (c.code or not r or r["stdout"] != "hello\n"):
        return "the run failed"
    if c.code == 0 and (not r or r["status"] != "ok"):
        return f"ends with 0 without a good report: {c.out[:300]}"
    if c.code and not c.err.strip() and not r:
        return "fails without a word"


def check_plain(c, failed):
    if not failed and (c.code or c.out != "hello\n"):
        return f"the run failed: {c.out[:300]}"
    if c.code and not c.err.strip():
        return "fails without a word"


def hook(event, command, **more):
    return json.dumps({"session_id": SESSION, "transcript_path": HOME + "/log.jsonl", "cwd": WS,
                       "permission_mode": "default", "hook_event_name": event, "tool_name": "Bash",
                       "tool_input": {"command": command}, "tool_use_id": "toolu_1", **more}).encode()


def decision(c):
    out = (report_of(c) or {}).get("hookSpecificOutput", {})
    return "block" if c.code == EXIT_BLOCK else out.get("permissionDecision", "none")


def check_deny(c, failed):
    if decision(c) not in ("deny", "block"):
        return f"not denied: {c.out[:300]}"


def check_contain(c, failed):
    got = decision(c)
    if got == "allow":
        return None if " run --ticket " in c.out else f"allowed outside: {c.out[:300]}"
    if got not in ("deny", "block", "ask") or not failed:
        return f"{got}: {c.out[:300]}"


def check_secret(c, failed):
    return "the secret is shown" if "ghp_" in c.out else None


def ticket():
    """A ticket that a hook leaves; the call that uses it up."""
    out = subprocess.run([CAISSON, *CLAUDE], input=hook("PreToolUse", "make hello"), env=ENV, cwd=WS,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    return ["run", "--ticket", re.search(r"--ticket ([0-9a-f]{32})", out).group(1)]


REQUESTS = [
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                 "clientInfo": {"name": "tester", "version": "1"}}},
    {"method": "notifications/initialized", "params": {}},
    {"id": 2, "method": "tools/list"},
    {"id": 3, "method": "tools/call", "params": {"name": "check", "arguments": {"command": "rm -rf /etc"}}},
    {"id": 4, "method": "tools/call", "params": {"name": "run", "arguments": {
        "command": "echo hello > made; echo hello"}}},
    {"id": 5, "method": "ping"},
]


def talk(c, p):
    """Each request after the answer to the last. c.answers: by id."""
    c.answers, rest = {}, b""
    for request in REQUESTS:
        try:
            os.write(p.stdin.fileno(), json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n")
        except BrokenPipeError:
            return
        until = time.time() + 10
        while "id" in request and request["id"] not in c.answers and time.time() < until:
            ready, _, _ = select.select([p.stdout], [], [], until - time.time())
            piece = os.read(p.stdout.fileno(), 65536) if ready else b""
            if not piece:
                break
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                try:
                    answer = json.loads(line)
                except ValueError:
                    c.problems.append(f"broken answer: {line[:200]}")
                    continue
                if answer.get("id") is None and "id" in request and "error" in answer:
                    answer["id"] = request["id"]  # it could not be read
                c.answers[answer.get("id")] = answer


def check_mcp(c, failed):
    missing = [r["id"] for r in REQUESTS if "id" in r and r["id"] not in c.answers]
    if missing and not (failed and c.code and c.err.strip()):
        return f"no answer to {missing}"
    if missing:
        return None
    if "error" in c.answers[3] or c.answers[3]["result"].get("isError"):
        return None if failed else f"the check failed: {c.answers[3]}"
    if c.answers[3]["result"]["structuredContent"]["verdict"] != "deny":
        return f"not denied: {c.answers[3]}"
    if not failed and c.answers[4]["result"]["structuredContent"]["stdout"] != "hello\n":
        return f"the run failed: {c.answers[4]}"


ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
for folder in (HOME, STATE, WS):
    os.makedirs(folder, mode=0o700)
with open(WS + "/Makefile", "w") as f:
    f.write("hello:\n\t@echo hello\n")
for command in (["init", "-q"], ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
    subprocess.run(["git", *command], cwd=WS, env=ENV, check=True)

SCENARIOS = [
    Scenario("run", ["run", "--gate", "--profile", "work", "-c", "echo x > made; echo hello"],
            check=check_run),
    Scenario("run with hosts", ["run", "--network", "a.example.org,10.1.2.3:5432", "--profile", "work", "-c",
            "echo x > made; echo hello"],
             check=check_run),
    Scenario("run with a ticket", None, check=check_plain, before=ticket),
    Scenario("hook that denies", CLAUDE, hook("PreToolUse", "rm -rf /etc"), check_deny),
    Scenario("hook that contains", CLAUDE, hook("PreToolUse", "make hello"), check_contain),
    Scenario("hook after a tool", CLAUDE, hook("PostToolUse", "cat a", tool_response={
        "stdout": "token: ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3", "stderr": ""}), check_secret),
    Scenario("mcp", ["mcp"], check=check_mcp, talk=talk),
]
only = os.environ.get("ONLY")
for scenario in SCENARIOS:
    if not only or scenario.name == only:
        scenario.run(SECONDS / len(SCENARIOS))
