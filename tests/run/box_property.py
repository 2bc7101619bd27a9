"""After any boxed program, git in any directory of the workspace on the host executes nothing that the program brought.

    box_property.py CAISSON DIRECTORY --seed S --count N [--first I] [--step K] [--only NUMBER]

Started by box_property.sh, once for each person. Runs sequence I, I+K, I+2K … of tests/box/planting.py: a setup on the host, two boxed
programs, then status, log and diff in every directory, on a terminal so that pagers run as well. Prints a line of TAP for each sequence;
a failure is shrunk and printed as a script.
"""
import argparse
import errno
import glob
import hashlib
import os
import pty
import random
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import planting  # noqa: E402

LATE_S = 6.5  # after this a process that plants five seconds later has done it
SHRINK_TRIES = int(os.environ.get("SHRINK_TRIES", 60))
SHRUNK_MAX = 3
DIRECTORIES_MAX = 450
BOX_TIMEOUT_S = 120
PATH_MAX = 4000
GIT_TIMEOUT_S = 20
SETTLE_S = 20
PLANT_TRIES = 12
REFUSED = (9, 64, 125, 126, 255)  # a workspace that was closed, or that caisson does not take
WORDS = [["status"], ["log"], ["diff"]]

parser = argparse.ArgumentParser()
parser.add_argument("caisson")
parser.add_argument("directory")
parser.add_argument("--seed", default="caisson")
parser.add_argument("--count", type=int, default=30)
parser.add_argument("--first", type=int, default=0)
parser.add_argument("--step", type=int, default=1)
parser.add_argument("--who", default="user")
parser.add_argument("--only", type=int)
parser.add_argument("--full", action="store_true", help="all three commands in every directory")
options = parser.parse_args()

HOME = os.environ["HOME"]
BOX_ENV = dict(os.environ)
ENV = dict(os.environ, PAGER="cat", TERM="dumb", GIT_CONFIG_NOSYSTEM="1", GIT_TERMINAL_PROMPT="0",
        GIT_EDITOR="true", GIT_SSH_VARIANT="ssh")
GIT = shutil.which("git")
with open(HOME + "/.gitconfig", "w") as f:
    f.write("[safe]\n\tdirectory = *\n[user]\n\tname = me\n\temail = me@x\n[init]\n\tdefaultBranch = m\n[advice]\n\tdetachedHead = false\n")


# Settings that a box may make: src/box/git_merge.c has the list, with their values.
TAKEN = re.compile(rb"(branch\..*\.(remote|merge|rebase|description)|remote\..*\.(fetch|prune)|user\.(name|email)|pull\.(rebase|ff)|"
                   rb"submodule\..*\.(active|url|update)|core\.sparsecheckout(cone)?|index\.sparse|extensions\.worktreeconfig|"
                   rb"lfs\.repositoryformatversion)\n", re.S)


def own_settings(path, content):
    """A configuration without those; all of it if git cannot read it."""
    listed = subprocess.run([GIT, "config", "--file", path, "--no-includes", "--list", "-z"],
            capture_output=True, env=ENV, cwd="/")
    return b"\0".join(x for x in listed.stdout.split(b"\0")
            if not TAKEN.match(x)) if listed.returncode == 0 else content


class Terminal:
    """The host's terminal: pagers run only there. Whatever is written to it is thrown away."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        while True:
            try:
                os.read(self.master, 65536)
            except OSError:
                return


terminal = Terminal()
null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)


def git(at, *words):
    """Runs git on the host; False where there is no repository."""
    error = os.memfd_create("error")
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, terminal.slave, 1),
            (os.POSIX_SPAWN_DUP2, error, 2)]
    pid = os.posix_spawn(GIT, ["git", "-C", at, *words], ENV, file_actions=actions)
    handle = os.pidfd_open(pid)
    if not select.select([handle], [], [], GIT_TIMEOUT_S)[0]:
        os.kill(pid, signal.SIGKILL)
    os.close(handle)
    _, status = os.waitpid(pid, 0)
    said = os.pread(error, 4000, 0)
    os.close(error)
    return os.waitstatus_to_exitcode(status) == 0 or b"not a git repository" not in said


def bash(text, cwd="/"):
    return subprocess.run(["/bin/bash", "-c", text], env=ENV, cwd=cwd, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def open_directory(path, modes):
    """Lets the owner look into a directory; `modes` remembers what to restore."""
    try:
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        if mode & 0o700 != 0o700:
            os.chmod(path, mode | 0o700)
            modes.append((path, mode))
    except OSError:
        pass


def walk(top, modes):
    found, todo = [], [top]
    while todo and len(found) < 20000:
        at = todo.pop()
        open_directory(at, modes)
        found.append(at)
        try:
            entries = list(os.scandir(at))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                todo.append(entry.path)
            elif entry.is_symlink() and os.path.isdir(entry.path):
                found.append(entry.path)
            elif entry.name in ("config", "HEAD") and not os.access(entry.path,
                    os.R_OK) and not entry.is_symlink():
                modes.append((entry.path, stat.S_IMODE(entry.stat().st_mode)))
                os.chmod(entry.path, 0o644)
    return found


def remove(top):
    walk(top, [])
    shutil.rmtree(top, ignore_errors=True)


class Trial:
    """One sequence in a workspace of its own."""

    def __init__(self, sequence, steps):
        self.sequence, self.steps = sequence, steps
        self.top = os.path.join(options.directory, "p%d" % sequence.number)
        remove(self.top)
        self.workspace, self.canary = self.top + "/ws", self.top + "/canary"
        os.makedirs(self.workspace)
        os.makedirs(self.canary)
        self.problems, self.statuses = [], []
        self.unvetted_before = self.unvetted()

    def fill(self, text):
        """Names for places; those outside the workspace exist after the first run."""
        state = os.environ["CAISSON_STATE"]
        if "@CACHE@" in text:
            found = glob.glob("%s/caches/*/cache/evil%d" % (state, self.sequence.number))
            text = text.replace("@CACHE@", os.path.dirname(found[0]) if found else "/nothere")
        if "@QUARANTINE@" in text:
            found = [at for at, below, files in os.walk(state + "/quarantine")
                    if "HEAD" in files] or ["/nothere"]
            text = text.replace("@QUARANTINE@",
                    max(found, key=lambda at: os.path.exists(at) and os.stat(at).st_ctime))
        return text.replace("@W@", self.workspace).replace("@C@", self.canary)

    def command(self, program):
        if self.sequence.options:
            return [options.caisson, "run", *self.sequence.options, "-c", program], self.workspace
        return [options.caisson, "run", "--workspace", self.workspace, "--cwd", self.workspace, "--timeout",
                "100", "-c", program], "/"

    def prepare(self):
        made = bash(self.fill(self.sequence.setup))
        if made.returncode != 0:
            self.problems.append("the setup failed: %r" % made.stdout[-500:])
        self.before = {at: self.digest(at) for at in self.sequence.own}

    def digest(self, at):
        """Configuration and hooks of one of the person's repositories; None for what is gone."""
        seen = {}
        for name in ["config", *sorted("hooks/" + h for h in self.names(at + "/.git/hooks"))]:
            try:
                path = "%s/%s/.git/%s" % (self.workspace, at, name)
                with open(path, "rb") as f:
                    content = f.read()
                if name == "config":
                    content = own_settings(path, content)
                seen[name] = hashlib.sha256(content).hexdigest()
            except OSError:
                seen[name] = None
        return seen

    def names(self, at):
        try:
            return os.listdir(os.path.join(self.workspace, at))
        except OSError:
            return []

    def start(self, steps):
        words, cwd = self.command(self.fill(planting.text(steps)))
        return subprocess.Popen(words, cwd=cwd, env=BOX_ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)

    def end(self, process):
        out, err = process.communicate(timeout=BOX_TIMEOUT_S)
        self.statuses.append(process.returncode)
        if process.returncode not in REFUSED and process.returncode != 0:
            self.problems.append("a boxed program ended with %d: %r %r" % (process.returncode, out[-600:],
                    err[-300:]))

    def run(self):
        try:
            first = self.start(self.steps[0])
            if self.sequence.way == "killed":  # the program goes on for a moment; whoever is left looks at the workspace
                time.sleep(0.02 + random.Random(self.sequence.name).random() * 0.1)
                first.kill()
                first.communicate()
                self.statuses.append(-9)
            elif self.sequence.way == "in turn":
                self.end(first)
            second = self.start(self.steps[1])
            if self.sequence.way == "at once":
                self.end(first)
            self.end(second)
        except OSError as e:  # the workspace cannot be entered any more
            self.statuses.append(REFUSED[-1])
            self.problems += [] if e.errno == errno.EACCES else [str(e)]
        self.settle()

    def unvetted(self):
        """Workspaces whose search goes on after the answer."""
        return set(glob.glob(os.environ["CAISSON_STATE"] + "/vetted/*.unvetted"))

    def settle(self):
        """Waits until the workspace is judged, and no process of caisson's is busy with it."""
        until = time.monotonic() + SETTLE_S
        while self.unvetted() - self.unvetted_before and time.monotonic() < until:
            time.sleep(0.01)
        if self.sequence.way != "killed":
            return
        while time.monotonic() < until:
            busy = False
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open("/proc/%s/cmdline" % pid, "rb") as f:
                        busy = busy or (os.fsencode(self.workspace) in f.read() and int(pid) != os.getpid())
                except OSError:
                    pass
            if not busy:
                return
            time.sleep(0.02)
        self.problems.append("processes are still busy with the workspace after %d s" % SETTLE_S)

    def look(self, new_only=False):
        """Git in every directory; then what a person does next in a few repositories. Where neither .git nor HEAD is, git finds the same
        repository as in the directory above: there one of the three commands is enough, unless --full."""
        modes = []
        repositories = []
        chance = random.Random(self.sequence.name)
        found = self.chosen(walk(self.workspace, modes))
        for at in set(found) - self.seen if new_only else found:
            if len(at) >= PATH_MAX:
                continue
            starts = os.path.lexists(at + "/.git") or os.path.lexists(at + "/HEAD")
            words = WORDS if starts or options.full else [chance.choice(WORDS)]
            if git(at, *words[0]):
                for more in words[1:]:
                    git(at, *more)
                if os.path.lexists(at + "/.git"):
                    repositories.append(at)
        self.seen = set(found)
        for at in repositories[:4]:
            git(at, "st")
            git(at, "commit", "-q", "--allow-empty", "-m", "x")
        for path, mode in reversed(modes):
            try:
                os.chmod(path, mode)
            except OSError:
                pass
        for name in sorted(os.listdir(self.canary)):
            if not name.startswith("own-"):
                with open(os.path.join(self.canary, name)) as f:
                    self.problems.append("payload %s ran in %s" % (name, f.readline().strip()))

    def chosen(self, found):
        """All directories; of very many, those beside others of the same make are sampled."""
        if len(found) <= DIRECTORIES_MAX:
            return found
        keep = max(2, len(found) // DIRECTORIES_MAX + 1)
        return [at for k, at in enumerate(found) if k % keep == 0 or ".git" in os.listdir(at)]

    def benign(self):
        """The person's repositories that were left alone are as they were, and their hooks run; harmless new repositories stay."""
        modes = []
        walk(self.workspace, modes)
        for at, number in self.sequence.own.items():
            after, before = self.digest(at), self.before[at]
            touched = at in self.sequence.attacked or any(at.startswith(other) or other == "."
                    for other in self.sequence.attacked)
            if touched:
                changed = [n for n in after if after[n] is not None and after[n] != before.get(n)]
            else:
                changed = [n for n in {**before, **after} if after.get(n) != before.get(n)]
            if changed:
                self.problems.append("the person's %s: changed %s" % (at, ", ".join(changed)))
            if not touched and git(os.path.join(self.workspace, at), "commit", "-q", "--allow-empty", "-m",
                    "mine") and not os.path.exists("%s/own-%d" % (self.canary, number)):
                self.problems.append("the person's hook in %s does not run any more" % at)
        for at in self.sequence.good:
            made, path = os.path.exists("%s/%s.made" % (self.workspace, at)), "%s/%s" % (self.workspace, at)
            if made and bash("git -C '%s' log --format=%%s -1 && git -C '%s' status" % (path,
                    path)).returncode != 0:
                self.problems.append("the harmless repository %s does not work any more" % at)
        for path, mode in reversed(modes):
            try:
                os.chmod(path, mode)
            except OSError:
                pass

    def whole(self):
        self.prepare()
        self.run()
        self.look()
        self.benign()
        return self.problems

    def script(self):
        """The sequence as a script for a person to read and run."""
        top = "/tmp/planted-%d" % self.sequence.number
        fixed = lambda text: text.replace(self.top, top)  # noqa: E731
        lines = ["rm -rf %s; mkdir -p %s/ws %s/canary" % (top, top, top),
                fixed(self.fill(self.sequence.setup)).rstrip()]
        for steps in self.steps:
            if not steps:
                continue
            words, cwd = self.command("@PROGRAM@")
            lines += ["cd %s" % fixed(cwd),
                    fixed("caisson %s" % " ".join(words[1:-1])) + ' "$(cat <<\'PROGRAM\'', fixed(
                            self.fill(planting.text(steps))).rstrip(), "PROGRAM", ')"']
        if self.sequence.way != "in turn":
            lines.append("# the two programs were run so: %s" % self.sequence.way)
        return "\n".join(lines + ["# then git status, log and diff in every directory; ls %s/canary" % top])


def shrink(sequence, steps):
    """Leaves steps out while it still fails."""
    tries = 0
    for run in (1, 0):
        k = len(steps[run]) - 1
        while k >= 0 and tries < SHRINK_TRIES:
            fewer = [list(s) for s in steps]
            del fewer[run][k]
            tries += 1
            trial = Trial(sequence, fewer)
            if any("payload" in p for p in trial.whole()):
                steps = fewer
            k -= 1
    return steps


def report(sequence, problems, shrunk):
    print("not ok - %s: sequence %s: %s" % (options.who, sequence.name, "; ".join(problems)[:400]))
    steps = sequence.steps
    if shrunk and any("payload" in p for p in problems):
        steps = shrink(sequence, steps)
        trial = Trial(sequence, steps)
        again = trial.whole()
        print("#   shrunk: %s; statuses %s" % ("; ".join(again)[:400], trial.statuses))
    for line in Trial(sequence, steps).script().split("\n"):
        print("#   " + line[:2000])
    sys.stdout.flush()


def payloads_run():
    """The detector works: every kind of payload is found when no box and no vetting is in its way. Git runs some only when it writes an
    index, which depends on the times of files: these have a few tries."""
    for kind in sorted(set(planting.Sequence.REACHED)):
        fired = any(payload_runs(kind) for _ in range(PLANT_TRIES))
        print("%s - %s: a payload of the kind %s runs where nothing prevents it" % ("ok" if fired
                else "not ok", options.who, kind))


def payload_runs(kind):
    sequence = planting.Sequence("payload", 0)
    sequence.setup, sequence.own, sequence.good = "cd '@W@'", {}, []
    trial = Trial(sequence, [])
    bash(trial.fill(planting.text([["git init -q r", *getattr(sequence, kind)("r/.git", "r")]])))
    trial.look()
    remove(trial.top)
    return any("payload" in p for p in trial.problems)


def plants_run():
    """And so are the steps that plant, in at least one of a few variants."""
    kinds = [(kind, None) for kind in planting.Sequence.PLANTED]
    kinds += [(kind, lead) for lead in ("include", "husky", "script") for kind in ("attack_lead", "borrow")
            if (kind, lead) != ("borrow", "include")]
    for kind, lead in kinds:
        fired = tries = 0
        for tries in range(1, PLANT_TRIES + 1):
            fired = plant_runs(kind, lead, tries)
            if fired:
                break
        what = "%s%s" % (kind, " (%s)" % lead if lead else "")
        print("%s - %s: what the step %s plants runs where nothing prevents it (variant %d)" % ("ok" if fired
                else "not ok", options.who, what, tries))


def plant_runs(kind, lead, number):
    """One variant of a step, on the host."""
    if lead:
        found = (planting.Sequence("plants-%s" % kind, number * 1000 + k) for k in range(1000))
        sequence = next(s for s in found if s.leads == lead)
    else:
        sequence = planting.Sequence("plants-%s" % kind, number)
        sequence.setup, sequence.own = planting.OWN + "own . 0", {".": 0}
    sequence.good, sequence.repos, sequence.places = [], [], []
    trial = Trial(sequence, [])
    bash(trial.fill(sequence.setup))
    step = sequence.attack_lead() if kind == "attack_lead" else getattr(sequence, kind)(0)
    bash(trial.fill(planting.text([step])))
    trial.look()
    remove(trial.top)
    return any("payload" in p for p in trial.problems)


def main():
    if options.only is None and options.first == 0:
        payloads_run()
        if options.full:
            plants_run()
    numbers = [options.only] if options.only is not None else [options.first + k * options.step
            for k in range(options.count)]
    late, ran, failed = [], 0, 0
    for number in numbers:
        sequence = planting.Sequence(options.seed, number)
        trial = Trial(sequence, sequence.steps)
        problems = trial.whole()
        ran += sum(status in (0, -9) for status in trial.statuses)
        if problems:
            failed += 1
            report(sequence, problems, failed <= SHRUNK_MAX)
        else:
            print("ok - %s: sequence %s: %d steps, %s" % (options.who, sequence.name,
                    sum(map(len, sequence.steps)), "two runs" if trial.statuses == [0,
                            0] else "ended with %s" % trial.statuses))
            sys.stdout.flush()
        if sequence.late and not problems:
            late.append((time.monotonic(), trial))
        else:
            remove(trial.top)
    for since, trial in late:
        time.sleep(max(0, since + LATE_S - time.monotonic()))
        trial.look(new_only=True)
        print("%s - %s: sequence %s: and nothing was planted later %s" % ("not ok" if trial.problems
                else "ok", options.who, trial.sequence.name, "; ".join(trial.problems)))
        remove(trial.top)
    if options.only is None:
        enough = ran >= 1.6 * len(numbers)
        print("%s - %s: %d of %d programs ran to their end (seed %s)" % ("ok" if enough else "not ok",
                options.who, ran, 2 * len(numbers), options.seed))


main()
