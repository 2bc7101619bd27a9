"""Tickets against a boxed program that exchanges directories: no byte outside the project is read or written.

    box_race.py CAISSON DIRECTORY --who NAME --tickets N

Started by box_race.sh, once for each person. In every scenario a program in a box exchanges the session's directory, one above it or the
project itself with links that lead to secrets of the person, by renameat2(RENAME_EXCHANGE) and by rename, while hooks issue tickets and
tickets are used. Refusals are fine. Each scenario has a twin without the program, where everything has to run.
"""
import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("caisson")
parser.add_argument("directory")
parser.add_argument("--who", default="user")
parser.add_argument("--tickets", type=int, default=100)
options = parser.parse_args()

HOME = os.environ["HOME"] = os.path.realpath(options.directory) + "/racer"
shutil.rmtree(HOME, ignore_errors=True)
os.makedirs(HOME)
os.environ["CAISSON_STATE"] = HOME + "/.local/state/caisson"
SECRET = "canary of the person %s" % random.Random().getrandbits(64)
COMMAND = "make; pwd -P; cat id_secret key 2>/dev/null; cat data; echo evil >written; echo evil >>key; mkdir -p made; echo evil >made/x; true"
FLIP = r"""
import ctypes, os, random, sys, time
libc, number = ctypes.CDLL(None, use_errno=True), {"x86_64": 316, "aarch64": 276}[os.uname().machine]
a, b = (os.fsencode(name) for name in sys.argv[1:3])
flips, until = 0, time.time() + 100
print("started", flush=True)
open("ready", "w").close()
while time.time() < until and not os.path.exists("stop"):
    if random.random() < 0.8:
        flips += libc.syscall(number, -100, a, -100, b, 2) == 0
    else:  # the same without the flag: three names in turn
        try:
            os.rename(a, a + b".t"); os.rename(b, a); os.rename(a + b".t", b); flips += 1
        except OSError:
            pass
    time.sleep(random.choice([0, 0.001, 0.004, 0.012]))
print("flips", flips)
"""
# Exchanges a directory with a link, and makes either again when it is gone: a run quarantines and tidies.
FLIP_MADE = r"""
import ctypes, os, shutil, sys, time
libc, number = ctypes.CDLL(None, use_errno=True), {"x86_64": 316, "aarch64": 276}[os.uname().machine]
a, b, target, inner = sys.argv[1:5]
flips, until = 0, time.time() + 100
open("ready", "w").close()
while time.time() < until and not os.path.exists("stop"):
    try:
        if not os.path.islink(a) and not os.path.islink(b):
            shutil.rmtree(b, ignore_errors=True)
            os.symlink(target, b)
        os.makedirs((b if os.path.islink(a) else a) + inner, exist_ok=True)
    except OSError:
        pass
    for _ in range(100):
        flips += libc.syscall(number, -100, os.fsencode(a), -100, os.fsencode(b), 2) == 0
print("flips", flips)
"""
count = 0


def ok(good, what, seen=None):
    print("%s - %s: %s" % ("ok" if good else "not ok", options.who, what))
    if not good:
        print("#   " + repr(seen)[:1500])
    sys.stdout.flush()


def call(words, cwd=None, text=None):
    try:
        done = subprocess.run([options.caisson, *words], cwd=cwd, input=text,
                stdin=None if text is not None else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    except OSError as e:  # the directory is away at the moment
        return 255, str(e)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def hook(session, command, cwd):
    """What the client is told; the ticket, if there is one."""
    global count
    count += 1
    event = {"session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}, "cwd": cwd, "tool_use_id": "t%d" % count}
    status, answer = call(["hook", "--client", "claude-code"], cwd="/", text=json.dumps(event).encode())
    found = re.search(r"--ticket ([0-9a-f]+)", answer)
    return found and found.group(1), answer


def outside():
    """Everything of the person's that no program may touch."""
    seen = {}
    for top in (".ssh", "other"):
        for at, _, files in os.walk(os.path.join(HOME, top)):
            seen[at] = None
            for name in files:
                with open(os.path.join(at, name), "rb") as f:
                    seen[os.path.join(at, name)] = hashlib.sha256(f.read()).hexdigest()
    return seen


def person():
    for name in [".ssh", ".ssh/b", "other", "other/b"]:
        os.makedirs(os.path.join(HOME, name))
        for file in ("id_secret", "key", "data"):
            with open(os.path.join(HOME, name, file), "w") as f:
                f.write(SECRET + "\n")
        with open(os.path.join(HOME, name, "s.sh"), "w") as f:
            f.write("echo '%s'\n" % SECRET)
    os.chmod(HOME + "/.ssh", 0o700)
    subprocess.run(["git", "init", "-q", HOME + "/other"], check=True)


class Scene:
    """A project, and names in it that a boxed program exchanges."""

    def __init__(self, name, project, cwd, pair, target, workspace=None, repository=True):
        self.name = name
        self.top = "%s/%s" % (HOME, name)
        self.project, self.cwd = os.path.join(self.top, project), os.path.join(self.top, cwd)
        self.pair, self.target = [os.path.join(self.top, p) for p in pair], os.path.join(HOME, target)
        self.workspace = os.path.join(self.top, workspace or project)
        os.makedirs(self.cwd)
        for at in {self.project, self.cwd}:
            for file, content in (("data", "inside\n"), ("Makefile", "all:\n\t@echo made\n"),
                    ("s.sh", "echo inside\n")):
                with open(os.path.join(at, file), "w") as f:
                    f.write(content)
        if repository:
            subprocess.run(["git", "init", "-q", self.project], check=True)
        os.symlink(self.target, self.pair[1])
        self.flipper = None

    def start(self):
        words = [options.caisson, "run", "--workspace", self.workspace, "--cwd", self.workspace, "--timeout",
                "110", "--lang", "python", "-c", FLIP, "--", *self.pair]
        self.flipper = subprocess.Popen(words, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
        until = time.monotonic() + 20
        while not os.path.exists(self.workspace
                + "/ready") and time.monotonic() < until and self.flipper.poll() is None:
            time.sleep(0.01)

    def stop(self):
        with open(self.workspace + "/stop", "w"):
            pass
        said = self.flipper.communicate(timeout=60)[0].decode("utf-8", "replace")
        os.unlink(self.workspace + "/stop")
        os.unlink(self.workspace + "/ready")
        self.straighten()
        found = re.search(r"flips (\d+)", said)
        return int(found.group(1)) if found else -1, said

    def straighten(self):
        """Gives the two names back to what they were made for."""
        for name in (self.pair[0], self.pair[0] + ".t"):
            if os.path.islink(name):
                os.rename(name, name + ".link")
                real = next(n for n in (self.pair[0] + ".t", self.pair[1]) if os.path.isdir(n)
                        and not os.path.islink(n))
                os.rename(real, self.pair[0])
                os.rename(name + ".link", self.pair[1])

    def use(self, session):
        """A hook and the run of its ticket."""
        ticket, answer = hook(session, COMMAND, self.cwd)
        if not ticket:
            return "refused", answer
        time.sleep(random.random() * 0.02)  # as a client would take
        status, said = call(["run", "--ticket", ticket], cwd="/")
        return "ran" if status == 0 and "inside" in said else "refused", answer + said


def race(scene, tickets, must_flip=True, new_sessions=True):
    """A new session that starts in a link has its target for a project, so new ones are left out where the link stands for the project."""
    before = outside()
    scene.use(scene.name)
    twins = [scene.use(scene.name) for _ in range(5)]
    ok(all(kind == "ran" for kind, _ in twins),
            "%s: twin: tickets run while nobody exchanges names" % scene.name, twins)
    scene.start()
    seen = []
    for k in range(tickets):
        session = "%s-%d" % (scene.name, k) if new_sessions and k % 2 else scene.name
        seen.append(scene.use(session))
    flips, said = scene.stop()
    leaks = [text for _, text in seen if SECRET in text]
    ok(not leaks, "%s: %d tickets, %d ran, %d flips: none reads a secret (%d did)" % (scene.name, tickets,
            sum(k == "ran" for k, _ in seen), flips, len(leaks)), leaks[:2])
    after = outside()
    ok(before == after, "%s: and none writes outside the project" % scene.name,
            sorted(set(before.items()) ^ set(after.items()))[:6])
    if must_flip:
        ok(flips >= 10, "%s: and the names were exchanged all the time (%d times)" % (scene.name, flips),
                said)
    again = scene.use(scene.name)
    ok(again[0] == "ran", "%s: twin: afterwards tickets run again" % scene.name, again)
    restore(before)


def restore(before):
    """So that the next scene is judged by itself."""
    if outside() != before:
        shutil.rmtree(HOME + "/.ssh")
        shutil.rmtree(HOME + "/other")
        person()


def commands(scene, times):
    """The same race for commands that name directories and files themselves."""
    before = outside()
    inner = os.path.join(scene.cwd, "b")
    os.makedirs(inner, exist_ok=True)
    with open(inner + "/data", "w") as f:
        f.write("inside\n")
    look = "pwd -P; cat id_secret key data; echo evil >written; echo evil >>key"
    ways = {
        "run --profile work in the directory": lambda: call(["run", "--profile", "work", "-c", look],
                cwd=scene.cwd),
        "run --workspace DIRECTORY": lambda: call(["run", "--workspace", scene.cwd, "-c", look], cwd="/"),
        "run --workspace DIRECTORY/b": lambda: call(["run", "--workspace", inner, "-c", look], cwd="/"),
        "run --cwd DIRECTORY": lambda: call(
                ["run", "--workspace", scene.project, "--cwd", scene.cwd, "-c", look], cwd="/"),
        "run --gate --file DIRECTORY/s.sh": lambda: call(
                ["run", "--gate", "--workspace", scene.project, "--file", scene.cwd + "/s.sh"], cwd="/"),
        "run --report DIRECTORY/r.json": lambda: call(
                ["run", "--workspace", scene.project, "--report", scene.cwd + "/r.json", "-c",
                        "sleep 0.01"], cwd="/"),
    }
    for name, way in ways.items():
        status, said = way()
        ok(status in (0, 1) and SECRET not in said, "%s: twin: %s works" % (scene.name, name), (status, said))
    scene.start()
    seen = {name: [way()[1] for _ in range(times)] for name, way in ways.items()}
    flips, said = scene.stop()
    for name, texts in seen.items():
        leaks = [text for text in texts if SECRET in text]
        ok(not leaks, "%s: %s never shows a secret (%d of %d did)" % (scene.name, name, len(leaks), times),
                leaks[:2])
    after = outside()
    ok(before == after, "%s: and nothing outside is written (%d flips)" % (scene.name, flips),
            sorted(set(before.items()) ^ set(after.items()))[:6])
    restore(before)


def link_before(scene):
    """The link is there before the hook: nothing is contained with the link's target as its project."""
    before = outside()
    scene.use(scene.name)
    status, said = call(["run", "--profile", "work", "--workspace", scene.project, "-c",
            "mv a a2; ln -s '%s' a" % scene.target], cwd="/")
    ok(status == 0 and os.path.islink(scene.cwd),
            "%s: a boxed program leaves a link in place of the directory" % scene.name, said)
    seen = [scene.use(session) for session in (scene.name, "new")]
    ok(not any(SECRET in text for _, text in seen) and outside() == before,
            "%s: a ticket for it shows and writes nothing of its target" % scene.name, seen)
    restore(before)


def links_named():
    """Scripts and reports that are named through links: out of the workspace never, inside and above it as always."""
    top = HOME + "/named-by"
    p = top + "/p"
    os.makedirs(p + "/src")
    for at, text in ((p + "/src", "inside"), (top, "above")):
        with open(at + "/s.sh", "w") as f:
            f.write("echo %s\n" % text)
    for name, target in (("out", HOME + "/.ssh"), ("in", "src"), ("s.sh", HOME + "/.ssh/s.sh")):
        os.symlink(target, "%s/%s" % (p, name))
    before = outside()
    for words in ([], ["--gate"]):
        run = lambda *more: call(["run", *words, "--workspace", p, *more], cwd=p)  # noqa: B023,E731
        what = " ".join(["run", *words])
        for name in ("out/s.sh", p + "/out/s.sh", "s.sh", "src/../out/s.sh"):
            status, said = run("--file", name)
            ok(status == 64 and SECRET not in said and "is a link out of" in said,
                    "%s --file %s: a link out of the workspace is not followed" % (what,
                            name.replace(HOME, "~")), (status, said))
        for name, text in (("in/s.sh", "inside"), ("../s.sh", "above"), (top + "/s.sh", "above"),
                ("src/../../s.sh", "above")):
            status, said = run("--file", name)
            ok(status == 0 and text in said, "%s --file %s: twin: it runs" % (what, name.replace(HOME, "~")),
                    (status, said))
    status, said = call(["run", "--workspace", p, "--report", "out/r.json", "-c", "true"], cwd=p)
    ok(status not in (0, 1) and outside() == before,
            "run --report out/r.json: a link out of the workspace is not followed", (status, said))
    for name in ("in/r.json", "../r.json", top + "/r2.json"):
        status, said = call(["run", "--workspace", p, "--report", name, "-c", "true"], cwd=p)
        ok(status == 0 and os.path.exists(os.path.join(p, name)),
                "run --report %s: twin: it is written" % name.replace(HOME, "~"), (status, said))


def engine(times):
    """bwrap mounts by paths: a box of the same project exchanges directories on the way of what it mounts."""
    doctor = json.loads(call(["doctor", "--json"])[1])
    if any(b["name"] == "bwrap" and b["state"] == "no" for b in doctor["backends"]):
        print("ok - %s: engine # SKIP no bwrap" % options.who)
        return
    p, shared = HOME + "/engine/p", tempfile.mkdtemp(prefix="caisson-race-", dir="/tmp")
    for at in (HOME + "/engine/.claude", p):
        os.makedirs(at)
    subprocess.run(["git", "init", "-q", p], check=True)
    for at, text in ((HOME + "/engine/.claude/key", SECRET), (shared + "/f", "inside\n")):
        with open(at, "w") as f:
            f.write(text)
    before = outside()
    look = "cat a/.claude/key b/.claude/key ../.claude/key a/p/ready; echo evil >>a/.claude/key; cat %s/f" % shared
    run = lambda: call(["run", "--profile", "work", "--backend", "bwrap", "-c", look], cwd=p)[1]  # noqa: E731
    said = run()
    ok("inside" in said, "engine: twin: a machine's file is seen", said)
    for what, words in (("a directory with protected names", ["a", "b", "..", "/.claude"]),
            ("a directory of /tmp", [shared, shared + "-l", "../../oldroot%s/.ssh" % HOME, ""])):
        flipper = subprocess.Popen([options.caisson, "run", "--profile", "work", "--timeout", "110", "--lang", "python",
                "-c", FLIP_MADE, "--", *words], cwd=p, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        until = time.monotonic() + 20
        while not os.path.exists(p + "/ready") and time.monotonic() < until:
            time.sleep(0.01)
        seen = [run() for _ in range(times)]
        with open(p + "/stop", "w"):
            pass
        flips = re.search(r"flips (\d+)", flipper.communicate(timeout=60)[0].decode("utf-8", "replace"))
        leaks = [text for text in seen if SECRET in text]
        ok(not leaks and flips, "engine: %s is exchanged: no secret is seen (%d of %d were)" % (what, len(leaks), times), leaks[:2])
        with open(HOME + "/engine/.claude/key") as f:
            ok(f.read() == SECRET and outside() == before and os.listdir(HOME + "/engine/.claude") == ["key"],
                    "engine: nor is anything written outside", sorted(set(before.items()) ^ set(outside().items()))[:6])
        for name in ("ready", "stop"):
            os.unlink("%s/%s" % (p, name))
    shutil.rmtree(shared)


def main():
    person()
    engine(max(6, options.tickets * 3 // 10))
    links_named()
    n = options.tickets
    link_before(Scene("before", "p", "p/a", ["p/a", "p/l"], ".ssh"))
    link_before(Scene("before2", "p", "p/a", ["p/a", "p/l"], "other"))
    race(Scene("cwd", "p", "p/a", ["p/a", "p/l"], ".ssh"), n * 3 // 10)
    race(Scene("above", "p", "p/a/b", ["p/a", "p/l"], "other"), n * 3 // 10)
    race(Scene("root", "outer/p", "outer/p", ["outer/p", "outer/l"], ".ssh", workspace="outer",
            repository=False), n * 2 // 10)
    deep = "o/1/2/3/4/5"
    race(Scene("deep", deep + "/p", deep + "/p", [deep + "/p", deep + "/l"], "other", workspace="o"),
            n - n * 3 // 10 * 2 - n * 2 // 10, must_flip=False, new_sessions=False)
    commands(Scene("named", "p", "p/a", ["p/a", "p/l"], ".ssh"), max(2, n // 12))


main()
