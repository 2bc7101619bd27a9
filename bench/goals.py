#!/usr/bin/python3 -B
"""What judging must not cost more than, measured beside `bash -c :` in one run: medians over interleaved starts. Prints a table with goal and value.
Fails only when something does not run: a missed goal is printed, since a machine's times are its own.

  start    whole process: the default policy, and a user's policy of about 500 lines, in a git project with a fresh home
  code     whole process: the first inline code of a process against the same command without any
  inside   by the library (bench/inside.c): a command of 100 bytes, the gate alone, 100 regular expressions more, 200 bytes of inline code
  library  by the public library (examples/judge.c): 10,000 judgements, and how much memory grew
  effects  whole process: a script of 100 lines with 300 file effects / bash -n of it; and one of 1,000 lines, per line
  inline   inline code from 1 KB to 1 MB, by the library (bench/inline.c): linear; and code made to hurt: bounded
  hostile  policies and patterns made to hurt: refused or bounded
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import inlinecode
import policy

CAISSON = os.path.realpath(os.environ.get("CAISSON", "build/caisson"))
INSIDE = os.path.join(os.path.realpath(os.environ.get("BUILD", "build")), "bench/inside")
JUDGE = os.path.join(os.path.realpath(os.environ.get("BUILD", "build")), "examples/judge")
RUNS = int(os.environ.get("RUNS", "200"))
HOSTILE_RUNS = 7
EFFECTS = 10.0
EFFECTS_GROWTH = 1.5  # caches cost something, a square would cost 10
VERDICTS = {0: "allow", 1: "ask", 2: "deny", 3: "contain", -9: "stopped", -24: "stopped"}
BASH = ["/bin/bash", "-c", ":"]


class Bench:
    def __init__(self):
        self.missed, self.broken = [], []

    def row(self, what, value, goal=None, note=""):
        text = f"  {what:<52}{value:>8.3f}"
        if goal is not None:
            text += f"   goal {goal:<5}" + ("met" if value <= goal else "MISSED")
            if value > goal:
                self.missed.append(f"{what}: {value:.3f}, goal {goal}")
        print(text + (f"   {note}" if note else ""), flush=True)

    def fail(self, what):
        self.broken.append(what)
        print(f"  {what}: did not run", flush=True)


def interleaved(commands, runs):
    """{name: (argv, env)} -> {name: (median seconds, exit code)}, all started in turn."""
    times, codes = {name: [] for name in commands}, {}
    for turn in range(runs + 3):
        for name, (argv, env) in commands.items():
            seconds, codes[name] = policy.once(argv, env)
            if turn >= 3:
                times[name].append(seconds)
    return {name: (statistics.median(times[name]), codes[name]) for name in commands}


def home(folder, name, text=None):
    """A fresh home, with this policy; returns an environment for it."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.join(path, ".config/caisson"), mode=0o700)
    if text is not None:
        with open(os.path.join(path, ".config/caisson/config.yaml"), "w", encoding="utf-8") as f:
            f.write(text)
    return {"HOME": path, "PATH": "/usr/bin:/bin", "LC_ALL": "C"}


def whole_process(bench, folder):
    empty, long = home(folder, "empty"), home(folder, "long", policy.policy())
    check = [CAISSON, "check", "git status"]
    got = interleaved({"bash": (BASH, empty), "default": (check, empty), "long": (check, long),
            "usage": ([CAISSON, "--version"], empty)}, RUNS)
    base = got["bash"][0]
    print("start: caisson check 'git status' / bash -c :")
    for name, what, goal in (("default", "the default policy", 1.0),
            ("long", f"a user's policy of {policy.policy().count(chr(10))} lines", 1.6)):
        if got[name][1] == 0:
            bench.row(what, got[name][0] / base, goal)
        else:
            bench.fail(f"{what} (exit {got[name][1]})")
    bench.row("caisson --version, for comparison", got["usage"][0] / base)


def inline_code(bench, folder):
    env = home(folder, "code")
    pairs = {"python": ("python3 --version", "python3 -c 'print(1 + 2)'"),
            "javascript": ("node --version", "node -e 'console.log(1 + 2)'")}
    commands = {}
    for name, (plain, code) in pairs.items():
        commands[name + " plain"] = ([CAISSON, "check", plain], env)
        commands[name + " code"] = ([CAISSON, "check", code], env)
    got = interleaved(commands, RUNS)
    print("\ncode: caisson check with a first piece of inline code / the same program without")
    for name in pairs:
        if got[name + " code"][1] == 0:
            bench.row(name, got[name + " code"][0] / got[name + " plain"][0], 1.3)
        else:
            bench.fail(f"{name} (exit {got[name + ' code'][1]})")


def inside(bench, folder, project):
    env = home(folder, "inside")
    checks = [line for line in policy.policy().split("\n") if line.startswith("      - test:")]
    path = os.path.join(folder, "regexes.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("tools:\n  bash:\n    checks:\n" + "\n".join(checks) + "\n")
    for name in ("src/base", "include", "build", "docs"):
        os.makedirs(os.path.join(project, name), exist_ok=True)
    run = subprocess.run([INSIDE, project, path, str(RUNS)], capture_output=True, text=True, env=env,
            check=False)
    value = {line.split()[0]: float(line.split()[1]) for line in run.stdout.splitlines()}
    print("\ninside: a command of 100 bytes with paths, by the library / bash -c :")
    if run.returncode != 0 or "judge" not in value:
        bench.fail("inside: " + (run.stderr.strip() or f"exit {run.returncode}"))
        return
    bench.row("judged, the world looked at", value["judge"], 0.05)
    bench.row("... of this the gate, one round", value["gate"], 0.05)
    bench.row("... the reader", value["reader"])
    bench.row("... the first look at the world", value["world"])
    for name in ("python", "javascript"):
        bench.row(f"200 bytes of {name}, judged", value[name], 0.12)
    bench.row(f"added by {len(checks)} regular expressions", value["regexes"] - value["judge"], 0.05)


def library(bench, folder, project):
    """examples/judge: the policies are looked at again for each judgement, as a program that stays would."""
    env, command = home(folder, "library"), "grep -rn 'main(' src/base include > build/list.txt && cp build/list.txt docs/"
    base = statistics.median(interleaved({"bash": (BASH, env)}, 1)["bash"][0] for _ in range(RUNS))
    time.sleep(1.1)  # the home is new: stamps of files that changed within a second do not count
    run = subprocess.run([JUDGE, "-n", "10000", command], capture_output=True, text=True, env=env,
            check=False, cwd=project)
    print("\nlibrary: 10,000 judgements in one process / bash -c :")
    words = run.stdout.split()
    if run.returncode not in (0, 3) or len(words) < 5:
        bench.fail("library: " + (run.stderr.strip() or f"exit {run.returncode}"))
        return
    bench.row("one judgement, policies looked at again", float(words[0]) * 1e-6 / base, 0.05,
            f"{words[4]} KiB more memory")


def effects_script(lines):
    """Three effects on each line, and at the end commands that must be judged in the world that these make."""
    body = "".join(f"mkdir -p build/d{i} && echo x > build/d{i}/a.txt && cp build/d{i}/a.txt build/d{i}/b.txt\n" for i in range(lines - 2))
    return body + "cd build/d1 && ls\ngit status\n"


def effects(bench, folder):
    env = home(folder, "effects")
    commands = {}
    for lines in (100, 1_000):
        path = os.path.join(folder, f"effects{lines}.sh")
        with open(path, "w", encoding="utf-8") as f:
            f.write(effects_script(lines))
        commands[f"bash {lines}"] = (["/bin/bash", "-n", path], env)
        commands[f"check {lines}"] = ([CAISSON, "check", effects_script(lines)], env)
    got = interleaved(commands, max(RUNS // 4, 10))
    print("\neffects: a script with three file effects on each line / bash -n of it")
    if any(got[f"check {lines}"][1] not in (0, 3) for lines in (100, 1_000)):
        bench.fail(f"effects (exits {got['check 100'][1]}, {got['check 1000'][1]})")
        return
    bench.row("100 lines, 300 effects", got["check 100"][0] / got["bash 100"][0], EFFECTS,
            VERDICTS[got["check 100"][1]])
    bench.row("1,000 lines, per line / 100 lines, per line", got["check 1000"][0] / 10 / got["check 100"][0],
            EFFECTS_GROWTH)


def bomb(levels):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]" for i in range(1, levels)]
    return "\n".join(lines) + "\n"


def regex(pattern):
    return "tools:\n  bash:\n    checks:\n      - test: '" + pattern + "'\n"


HOSTILE = [
    # what, policy, command
    ("100,000 lists in one another", "import: " + "[" * 100_000 + "\n", "ls"),
    ("100,000 maps in one another", "{a: " * 100_000 + "\n", "ls"),
    ("2,000 levels of indentation", "".join(" " * i + "a:\n" for i in range(2_000)), "ls"),
    ("a bomb of aliases, 9^9", bomb(9), "ls"),
    ("a bomb of aliases in a list of rules",
            bomb(9).replace("a0:", "default: allow\na0:", 1) + "tools: {bash: {deny: *a8}}\n", "ls"),
    ("10 MB of rules", "tools:\n  bash:\n    deny:\n" + "      - frob\n" * 800_000, "ls"),
    ("3.9 MB of rules", "tools:\n  bash:\n    deny:\n" + "      - frob\n" * 320_000, "ls"),
    ("1 MB of one key", "a" * 1_000_000 + ": x\n", "ls"),
    ("1 MB of one value", "meta:\n  title: " + "a" * 1_000_000 + "\n", "ls"),
    ("50,000 keys that nobody knows", "".join(f"k{i}: x\n" for i in range(50_000)), "ls"),
    ("one key 50,000 times", "default: ask\n" * 50_000, "ls"),
    ("5,000 regular expressions", "tools:\n  bash:\n    checks:\n"
            + "".join(f"      - test: '(a|b)+x{i}'\n" for i in range(5_000)), "ls"),
    ("a pattern of 1 MB", regex("a" * 1_000_000), "ls"),
    ("(a{1000}){1000}", regex("(a{1000}){1000}"), "ls " + "a" * 5_000),
    ("(a+)+$, 5 KB", regex("(a+)+$"), "ls " + "a" * 5_000 + "!"),
    ("(a|aa)+$, 5 KB", regex("(a|aa)+$"), "ls " + "a" * 5_000 + "!"),
    ("(.*a){20}b, 5 KB", regex("(.*a){20}b"), "ls " + "a" * 5_000),
    ("(?=(a+))+\\1x, 5 KB", regex("(?:(?=(a+))a)+\\1x"), "ls " + "a" * 5_000),
    ("100 such patterns, 5 KB", "tools:\n  bash:\n    checks:\n"
            + "".join(f"      - test: '(a+)+[{i}x]$'\n" for i in range(10)) * 10, "ls " + "a" * 5_000 + "!"),
]


def hostile(bench, folder):
    print("\nhostile: policies made to hurt / bash -c :")
    for i, (what, text, command) in enumerate(HOSTILE):
        env = home(folder, f"hostile{i}", text)
        got = interleaved({"bash": (BASH, env), "check": ([CAISSON, "check", command], env)}, HOSTILE_RUNS)
        seconds, code = got["check"]
        said = subprocess.run([CAISSON, "check", command], capture_output=True, text=True, env=env,
                check=False).stdout
        bench.row(what, seconds / got["bash"][0],
                note="refused" if "policy-error" in said else VERDICTS.get(code, f"exit {code}"))
        if code not in (0, 1, 2, 3):
            bench.fail(f"{what} (exit {code})")


def main():
    bench = Bench()
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, "project")
        os.makedirs(os.path.join(project, ".git/objects"))
        os.makedirs(os.path.join(project, ".git/refs"))
        with open(os.path.join(project, ".git/HEAD"), "w", encoding="utf-8") as f:
            f.write("ref: refs/heads/main\n")
        os.chdir(project)
        whole_process(bench, folder)
        inline_code(bench, folder)
        inside(bench, folder, project)
        library(bench, folder, project)
        effects(bench, folder)
        inlinecode.rows(bench, folder)
        hostile(bench, folder)
        os.chdir("/")
    print("\n" + (f"missed: {len(bench.missed)}\n  " + "\n  ".join(bench.missed) if bench.missed
            else "all goals met"))
    return 1 if bench.broken else 0


if __name__ == "__main__":
    sys.exit(main())
