#!/usr/bin/python3
"""Typical commands of real projects, outside and inside the box: make check-world.

    projects/*.txt   one project each: its tools, set-up, rows (commands) and files (README.md has the format)
    DIR/ready/NAME   the project after its set-up, which ran outside and once; made again when its text changes
    DIR/live/NAME    where every command of a project runs, outside and inside: two copies take turns at this path
    DIR/home         the home of both

A row is the same outside and inside if exit status, changed files (names, modes, digests) and normalised output are.
Rows that differ must be listed in docs/run.md, with the reason, and listed rows must differ. Times are taken of pairs,
one outside and one inside in turn: elapsed time and CPU time of everything that was started, the smallest of each. A
busy machine adds much to the first and little to the second.

    run.py [--mode run|hook|always] [--pairs N] [--dir DIR] [--keep] [--list] [PROJECT | PROJECT/ROW ...]

Modes: run, `caisson run --profile work`, every command in the box; hook, a client's hook decides, as for an agent;
always, the same with sandbox.always. Started by root, everything runs as an ordinary user.
"""
import argparse
import difflib
import fcntl
import fnmatch
import hashlib
import json
import os
import pwd
import re
import resource
import shutil
import stat
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
LIMIT = 300          # seconds for one command
SETUP_LIMIT = 900    # seconds for one set-up
LONG = 1.0           # seconds: a long command
GOAL_SHORT, GOAL_LONG = 0.010, 0.03
SHOWN = 12           # lines of a difference
PATH = "/usr/local/bin:/usr/bin:/bin"

NORMAL = [(re.compile(p), r) for p, r in [
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
    (r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?)?", "DATE"),
    (r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Z0-9][a-z0-9]+ +[A-Za-z0-9]+ [0-9: ]+( [A-Z+][A-Z0-9]+)?",
            "DATE"),
    (r"\b\d\d?:\d\d(:\d\d)?([.,]\d+)?( [AP]M)?\b", "TIME"),
    (r"\b\d+m ?\d+(\.\d+)?s\b", "SPAN"),
    (r"\b\d+([.,]\d+)? ?(ns|µs|us|ms|msec|s|sec|secs|seconds?|wallclock secs)\b", "SPAN"),
    (r"\b0x[0-9a-f]{5,}\b", "ADDRESS"),
    (r"==\d+==", "==PID=="),
    (r"(?i)\b(pid|process)([ =:(]+)\d+", r"\1\2PID"),
    (r"(?<!\w)/tmp/[^\s'\":,)]+", "/tmp/NAME"),
    (r"\b(localhost|127\.0\.0\.1|\[::1\])[: ]\d+", r"\1:PORT"),
    (r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,64}\b", "HASH"),
]]


class Fault(Exception):
    """The set-up of a project failed, or its text is wrong."""


# ---- projects ----

class Row:
    def __init__(self, project, name, flags, command):
        self.name = f"{project}/{name}"
        self.command, self.flags = command, flags
        self.once = "once" in flags      # a second run would do something else: one pair of times
        self.sorted = "sorted" in flags  # lines come in any order
        self.asks = "asks" in flags      # a client's hook asks a person
        self.quiet = "status" in flags   # the output differs from run to run: only status and files count
        self.volatile = []


class Project:
    KEYS = ("needs", "volatile", "replace", "setup", "probe", "path")

    def __init__(self, path):
        self.name = os.path.basename(path)[:-4]
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.needs, self.volatile, self.replace, self.setup, self.rows = [], [], [], [], []
        self.probe, self.files, self.path = "", [], []
        head, *parts = re.split(r"^-- (.+) --\n", self.text, flags=re.M)
        self.files = list(zip(parts[::2], parts[1::2]))
        for line in head.splitlines():
            if line.strip() and not line.startswith("#"):
                self.directive(line)

    def directive(self, line):
        key, sep, value = line.partition(": ")
        word, _, name = key.partition(" ")
        if not sep or (word != "row" and word not in self.KEYS):
            raise Fault(f"{self.name}: not a directive: {line}")
        if word == "row":
            m = re.fullmatch(r"([a-z0-9.-]+)(?: \[([a-z ]+)\])?", name)
            if not m:
                raise Fault(f"{self.name}: not a name of a row: {name}")
            self.rows.append(Row(self.name, m[1], (m[2] or "").split(), value))
        elif word == "needs":
            self.needs += value.split()
        elif word == "volatile":
            (self.rows[-1].volatile if name == "row" else self.volatile).extend(value.split())
        elif word == "replace":
            old, _, new = value.partition(" => ")
            self.replace.append((re.compile(old), new))
        elif word == "path":
            self.path.append(value)
        elif word == "setup":
            self.setup.append(value)
        else:
            self.probe = value

    def missing(self):
        return [t for t in self.needs if not shutil.which(t, path=World.path)]

    def digest(self):
        rows = re.sub(r"^(row|volatile|replace|probe)\b.*\n", "", self.text, flags=re.M)
        return hashlib.sha256((rows + World.path).encode()).hexdigest()


# ---- files ----

def snapshot(root, before=None):
    """Path -> (kind, mode, digest or target), with a stamp by which unchanged files need no second look."""
    found = {}
    stack = [""]
    while stack:
        at = stack.pop()
        for e in os.scandir(os.path.join(root, at)):
            path = os.path.join(at, e.name)
            st = e.stat(follow_symlinks=False)
            stamp = (st.st_ino, st.st_mtime_ns, st.st_ctime_ns, st.st_size, st.st_mode)
            old = before.get(path) if before else None
            if old and old[0] == stamp:
                found[path] = old
            elif stat.S_ISDIR(st.st_mode):
                found[path] = (stamp, "directory", st.st_mode & 0o777, "")
            elif stat.S_ISLNK(st.st_mode):
                found[path] = (stamp, "link", 0, os.readlink(e.path))
            elif stat.S_ISREG(st.st_mode):
                with open(e.path, "rb") as f:
                    found[path] = (stamp, "file", st.st_mode & 0o777, hashlib.sha256(f.read()).hexdigest())
            else:
                found[path] = (stamp, "special", st.st_mode, "")
            if stat.S_ISDIR(st.st_mode):
                stack.append(path)
    return found


def changes(before, after, volatile):
    """Path -> what it became; None: it is gone."""
    out = {p: (after[p][1:] if p in after else None) for p in before.keys() | after.keys()
           if before.get(p, (0,))[1:] != after.get(p, (0,))[1:]}
    return {p: v for p, v in out.items() if not any(matches(p, g) for g in volatile)}


def matches(path, glob):
    """A glob stands for a path and everything below it; `*` does not stop at a slash."""
    return fnmatch.fnmatchcase(path, glob) or fnmatch.fnmatchcase(path, glob + "/*")


# ---- one command ----

class World:
    mode, dir, caisson, env, path = "run", "", "", {}, PATH

    @classmethod
    def prepare(cls, options, caisson):
        cls.mode, cls.dir = options.mode, options.dir
        cls.home = os.path.join(cls.dir, "home")
        cls.path = f"{cls.home}/.npm-global/bin:{PATH}"
        for d in ("ready", "live", "home/.config/caisson", "home/.npm-global"):
            os.makedirs(os.path.join(cls.dir, d), exist_ok=True)
        cls.caisson = caisson
        cls.env = {"PATH": cls.path, "HOME": cls.home, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb"}
        with open(f"{cls.home}/.gitconfig", "w", encoding="utf-8") as f:
            f.write("[user]\n\tname = A Person\n\temail = person@example.org\n[init]\n\tdefaultBranch = main\n")
        with open(f"{cls.home}/.config/caisson/config.yaml", "w", encoding="utf-8") as f:
            f.write("sandbox: {always: true}\n" if cls.mode == "always" else "")

    @classmethod
    def enter(cls, project):
        """The PATH of the caller has the project's own entries in front."""
        own = [p.replace("~", cls.home, 1) for p in project.path]
        cls.env["PATH"] = ":".join(own + [cls.path])

    @classmethod
    def live(cls, project):
        return os.path.join(cls.dir, "live", project.name)


class Took(float):
    """Seconds that passed, and seconds of CPU time."""

    def __new__(cls, passed, cpu):
        took = super().__new__(cls, passed)
        took.cpu = cpu
        return took


class Clock:
    def __init__(self):
        self.began, self.used = time.monotonic(), self.cpu()

    @staticmethod
    def cpu():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def took(self):
        return Took(time.monotonic() - self.began, self.cpu() - self.used)


def execute(argv, cwd, limit, text=None, env=None):
    """(status, stdout, stderr, seconds) of one program; what outlives it is ended with its process group."""
    clock = Clock()
    p = subprocess.Popen(argv, cwd=cwd, env=env or World.env,
            stdin=subprocess.PIPE if text else subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = p.communicate(text.encode() if text else None, timeout=limit)
        took = clock.took()
        status = p.returncode
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, 15)
        try:
            out, err = p.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, 9)
            out, err = p.communicate()
        took, status = Took(limit, limit), "timeout"
    return status, out.decode(errors="replace"), err.decode(errors="replace"), took


def outside(command, cwd):
    status, out, err, took = execute(["/bin/bash", "-c", command], cwd, LIMIT)
    return (128 - status if isinstance(status, int) and status < 0 else status), out, err, took


def inside(command, cwd):
    if World.mode == "run":
        return execute([World.caisson, "run", "--profile", "work", "--plain", "-c", command], cwd, LIMIT)
    event = {"session_id": f"world-{os.getpid()}-{os.path.basename(cwd)}", "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
             "tool_use_id": str(time.monotonic_ns()), "cwd": cwd, "tool_input": {"command": command}}
    clock = Clock()
    status, out, err, _ = execute([World.caisson, "hook", "--client", "claude-code"], cwd, 60,
            json.dumps(event))
    answer = json.loads(out).get("hookSpecificOutput", {}) if status == 0 and out.strip() else {}
    if status != 0 or answer.get("permissionDecision", "allow") != "allow":
        return "refused", "", answer.get("permissionDecisionReason", err), clock.took()
    new = answer.get("updatedInput", {}).get("command", command)
    status, out, err, _ = outside(new, cwd)
    return status, out, err, clock.took()


def normal(text, project, row):
    for old, new in project.replace:
        text = old.sub(new, text)
    for old, new in NORMAL:
        text = old.sub(new, text)
    lines = [re.sub(r"\s+", " ", line).rstrip() for line in text.splitlines()]
    return sorted(lines) if row.sorted else lines


# ---- a project ----

class Session:
    """Two copies of a project that take turns at one path, so that nothing but the box differs."""

    def __init__(self, project):
        self.project, self.live = project, World.live(project)
        self.parked = {w: f"{self.live}.{w}" for w in ("outside", "inside")}
        for path in (self.live, *self.parked.values()):
            remove(path)
        ready(project)
        source = os.path.join(World.dir, "ready", project.name)
        self.seen = {}
        for who in self.parked:
            subprocess.run(["cp", "-a", "--reflink=auto", source, self.parked[who]], check=True)
            self.seen[who] = snapshot(self.parked[who])

    def run(self, who, row):
        os.rename(self.parked[who], self.live)
        try:
            return (outside if who == "outside" else inside)(row.command, self.live)
        finally:
            os.rename(self.live, self.parked[who])

    def effect(self, who, row):
        status, out, err, took = self.run(who, row)
        after = snapshot(self.parked[who], self.seen[who])
        made = changes(self.seen[who], after, self.project.volatile + row.volatile)
        self.seen[who] = after
        probe = []
        if self.project.probe:
            os.rename(self.parked[who], self.live)
            _, probed, probed_err, _ = outside(self.project.probe, self.live)
            os.rename(self.live, self.parked[who])
            self.seen[who] = snapshot(self.parked[who], self.seen[who])
            probe = normal(probed + probed_err, self.project, row)
        return {"status": status, "changes": made, "probe": probe, "raw": (out, err), "took": took,
                "stdout": normal(out, self.project, row), "stderr": normal(err, self.project, row)}

    def again(self):
        """After a difference both sides go on from the same files."""
        subprocess.run(["rsync", "-ac", "--delete", self.parked["outside"] + "/",
                self.parked["inside"] + "/"],
                       check=True)
        self.seen = {who: snapshot(self.parked[who], self.seen[who]) for who in self.parked}

    def end(self):
        for path in self.parked.values():
            remove(path)


def remove(path):
    if os.path.lexists(path):
        subprocess.run(["chmod", "-R", "u+rwX", path], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(path)


def ready(project):
    """Writes the files of the project and runs its set-up, outside, unless that was done before."""
    kept = os.path.join(World.dir, "ready", project.name)
    stamp = kept + ".stamp"
    if os.path.isdir(kept) and os.path.exists(stamp) and open(stamp,
            encoding="utf-8").read() == project.digest():
        return
    remove(kept)
    live = World.live(project)
    os.makedirs(live)
    for name, text in project.files:
        path = os.path.join(live, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        if text.startswith("#!"):
            os.chmod(path, 0o755)
    for command in ["git init -q", *project.setup]:
        # certificates and proxies of the caller, for registries
        env = {**os.environ, **World.env}
        status, out, err, _ = execute(["/bin/bash", "-c", command], live, SETUP_LIMIT, env=env)
        if status != 0:
            remove(live)
            raise Fault(f"set-up failed ({status}): {command}\n{(out + err)[-2000:]}")
    os.rename(live, kept)
    with open(stamp, "w", encoding="utf-8") as f:
        f.write(project.digest())


# ---- results ----

def difference(a, b, row):
    """Lines that say in what outside and inside differ; empty: in nothing."""
    lines = []
    if a["status"] != b["status"]:
        lines.append(f"exit status: {a['status']} outside, {b['status']} inside")
    for path in sorted(a["changes"].keys() | b["changes"].keys()):
        x, y = (s["changes"].get(path, "unchanged") for s in (a, b))
        if x != y:
            lines.append(f"file {path}: {brief(x)} outside, {brief(y)} inside")
    for part in ("stdout", "stderr", "probe"):
        if a[part] != b[part] and (part == "probe" or not row.quiet):
            lines += diff(part, a[part], b[part])
    return lines


def brief(change):
    if change is None:
        return "deleted"
    return change if isinstance(change, str) else f"{change[0]} {change[1]:o} {change[2][:12]}"


def diff(part, a, b):
    lines = [x for x in difflib.unified_diff(a, b, "outside", "inside", n=0, lineterm="")
            if not x.startswith("@@")]
    return [f"{part} {x}" for x in lines[2:2 + SHOWN]]


def listed():
    """Rows that the first column of a table in docs/run.md names as different."""
    with open(os.path.join(TREE, "docs", "run.md"), encoding="utf-8") as f:
        part = f.read().partition("<!-- world: rows that differ -->")[2].partition("<!-- end -->")[0]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| ")]
    return set(re.findall(r"`([a-z0-9.-]+/[a-z0-9.-]+)`", " ".join(cells)))


class Results:
    def __init__(self):
        self.n, self.failed, self.skipped, self.different, self.ran, self.times = 0, [], 0, [], set(), []

    def say(self, ok, what, notes=()):
        self.n += 1
        print(f"{'ok' if ok else 'not ok'} {self.n} - {what}", flush=True)
        for note in notes:
            print(f"#   {note}")
        if not ok:
            self.failed.append(what)

    def skip(self, what, why):
        self.n += 1
        self.skipped += 1
        print(f"ok {self.n} - {what} # SKIP {why}", flush=True)

    def overhead(self):
        """The table of times, and what the goals say."""
        if not self.times:
            return
        print(f"#\n# {'row':36} {'outside':>9} {'inside':>9} {'overhead':>9} {'CPU':>12} {'':>9}")
        for name, a, b in self.times:
            print(f"# {name:36} {a * 1000:7.0f}ms {b * 1000:7.0f}ms {(b - a) * 1000:7.1f}ms {(b / a - 1) * 100:6.1f} %"
                  f" {(b.cpu - a.cpu) * 1000:7.1f}ms")
        short = [(b - a, b.cpu - a.cpu) for _, a, b in self.times if a <= LONG]
        long = [(b / a - 1, b.cpu / a.cpu - 1) for _, a, b in self.times if a > LONG]
        self.goal(short, f"{len(short)} commands of up to {LONG:.0f} s", GOAL_SHORT, 1000, "ms")
        self.goal(long, f"{len(long)} commands of more than {LONG:.0f} s", GOAL_LONG, 100, "%")

    @staticmethod
    def goal(rows, what, goal, scale, unit):
        if not rows:
            return
        passed, cpu = (statistics.median(column) for column in zip(*rows))
        said = ", ".join(f"{name} {x * scale:.1f} {unit} ({'met' if x <= goal else 'missed'})"
                         for name, x in (("elapsed", passed), ("CPU", cpu)))
        print(f"# median overhead of {what}: {said}; goal: at most {goal * scale:.0f} {unit}")


def run_row(session, row, options, known, results):
    a, b = session.effect("outside", row), session.effect("inside", row)
    lines = difference(a, b, row)
    if row.asks and World.mode != "run":
        results.say(b["status"] == "refused", f"{row.name}: {row.command} (a person is asked)", lines[:SHOWN])
        results.ran.add(row.name)
        session.again()
        return
    expected = row.name in known
    if expected and World.mode == "hook":
        results.say(True, f"{row.name} (listed)", lines[:SHOWN])
    elif lines:
        results.different.append(row.name)
        results.say(expected, f"{row.name}: {row.command}" + (" (differs, as listed)" if expected else ""),
                    lines[:3] if expected else lines[:3 * SHOWN])
        if not expected:
            tail = "\n".join(b["raw"]).strip().splitlines()[-SHOWN:]
            print("\n".join(f"#   inside | {x}" for x in tail))
    else:
        ended = f" (status {a['status']})" if a["status"] else ""
        results.say(not expected, f"{row.name}: {row.command}{ended}"
                + (" (listed, but does not differ)" if expected else ""))
    results.ran.add(row.name)
    if lines:
        session.again()
    else:
        measure(session, row, options, a["took"], b["took"], results)


def measure(session, row, options, a, b, results):
    if row.once or options.pairs == 0:
        results.times.append((row.name, a, b))
        return
    pairs = options.pairs if max(a, b) < LONG else max(1, options.pairs // 2)
    took = {"outside": [], "inside": []}
    for i in range(pairs):
        for who in (("outside", "inside") if i % 2 == 0 else ("inside", "outside")):
            took[who].append(session.run(who, row)[3])
    session.seen = {who: snapshot(session.parked[who], session.seen[who]) for who in session.parked}
    # the smallest of each: a busy machine only adds
    least = [Took(min(took[who]), min(t.cpu for t in took[who])) for who in ("outside", "inside")]
    results.times.append((row.name, *least))


def run_project(project, rows, options, known, results):
    World.enter(project)
    missing = project.missing()
    if missing:
        for row in rows:
            results.skip(row.name, "missing: " + " ".join(missing))
        return
    try:
        session = Session(project)
    except Fault as e:
        for row in rows:
            results.skip(row.name, str(e).splitlines()[0])
        print("\n".join(f"#   {line}" for line in str(e).splitlines()))
        return
    # rows of a project build on each other, as the commands of a session do
    for row in project.rows:
        if row in rows:
            run_row(session, row, options, known, results)
        else:
            session.run("outside", row) # what later rows build on
            session.again()
    if not options.keep:
        session.end()


def chosen(projects, names):
    if not names:
        return [(p, p.rows) for p in projects]
    out = [(p, [r for r in p.rows if p.name in names or r.name in names]) for p in projects]
    unknown = set(names) - {p.name for p in projects} - {r.name for p in projects for r in p.rows}
    if unknown:
        sys.exit(f"run.py: no such project or row: {' '.join(sorted(unknown))}")
    return [(p, rows) for p, rows in out if rows]


def become_ordinary(options):
    """Root goes on as an ordinary user, who gets a copy of the program; its own place may not be readable."""
    with open(os.environ.get("CAISSON", os.path.join(TREE, "build", "caisson")), "rb") as f:
        program = f.read()
    user = pwd.getpwnam(options.user) if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    try:
        os.mkdir(options.dir, 0o755)
    except FileExistsError:
        pass
    # the name can be guessed, and others may have been there before
    directory = os.open(options.dir, os.O_DIRECTORY | os.O_NOFOLLOW)
    if os.fstat(directory).st_uid not in (os.geteuid(), user.pw_uid):
        sys.exit(f"run.py: {options.dir} belongs to somebody else (--dir names another)")
    if os.geteuid() == 0:
        os.fchown(directory, user.pw_uid, user.pw_gid)
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
    os.close(directory)
    path = os.path.join(options.dir, "caisson")
    with open(path + ".new", "wb") as f:
        f.write(program)
    os.chmod(path + ".new", 0o755)
    os.rename(path + ".new", path)
    return path


def main():
    p = argparse.ArgumentParser(usage="run.py [--mode run|hook|always] [--pairs N] [--dir DIR] [--user NAME] "
                                "[--keep] [--list] [PROJECT | PROJECT/ROW ...]")
    p.add_argument("--mode", choices=("run", "hook", "always"), default="run")
    p.add_argument("--pairs", type=int, default=4)
    p.add_argument("--dir", default="")
    p.add_argument("--user", default="www-data")
    p.add_argument("--keep", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("names", nargs="*")
    options = p.parse_args()
    os.umask(0o022)
    # outside of any repository, where an ordinary user gets to as well
    options.dir = os.path.abspath(options.dir or f"/var/tmp/caisson-world-{os.geteuid()}")
    folder = os.path.join(HERE, "projects")
    projects = [Project(os.path.join(folder, f)) for f in sorted(os.listdir(folder)) if f.endswith(".txt")]
    known = listed()
    if options.list:
        for row in (r for p in projects for r in p.rows):
            print(f"{row.name}\t{'differs' if row.name in known else 'same'}\t{row.command}")
        sys.exit(1 if known - {r.name for p in projects for r in p.rows} else 0)
    World.prepare(options, become_ordinary(options))
    lock = open(os.path.join(options.dir, "lock"), "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"run.py: another run uses {options.dir} (--dir names another)")
    results = Results()
    for project, rows in chosen(projects, options.names):
        run_project(project, rows, options, known, results)
    every = {r.name for p in projects for r in p.rows}
    for name in sorted(known - every):
        results.say(False, f"docs/run.md lists {name}, which is no row")
    print(f"1..{results.n}")
    results.overhead()
    print(f"# {len(every)} rows; {len(results.ran) - len(results.different)} the same, "
          f"{len(results.different)} differ, {results.skipped} skipped")
    for what in results.failed:
        print(f"# failed: {what}")
    sys.exit(1 if results.failed else 0)


if __name__ == "__main__":
    main()
