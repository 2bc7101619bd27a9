#!/usr/bin/python3 -B
"""Compares builds of the program with each other. `versus.py A B ...` starts them in turn (A B A B ...)
with each of the commands below. It prints the costs of a start as ratios to A: CPU time of the process
and its children, elapsed time (median and minimum of both), and the number of page faults.

    RUNS=300 COMMANDS="version check policy hook line run work may-stay" bench/versus.py /tmp/before build/caisson

Starts in turn see the same load, so the ratios hold on a machine that is not quiet. The name "bash"
stands for `bash -c :`, and for `sh -c 'bash -c :'` beside the line that `caisson init` writes. Copy a build before
you compare it (dd bs=1M): the kernel caches a file in pieces as large as the writes were, and small pieces cost up
to 7 %. A file that was evicted and read again by page faults costs 12 to 15 % more than a copy; the number of page
faults shows it.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import hook
import policy

RUNS = int(os.environ.get("RUNS", "300"))
ARGUMENTS = {
    "version": ["--version"],
    "check": ["check", "git status"],
    "policy": ["check", "--config", "../policy.yaml", "git status"],  # of about 500 lines, as in policy.py
    "hook": ["hook"],
    "line": None,  # the line that `caisson init` writes, in a shell; only of a program whose name is caisson
    "run": ["run", "--", "/bin/true"],
    "work": ["run", "--profile", "work", "--", "/bin/true"],
    "may-stay": ["run", "--profile", "work", "--background", "--", "/bin/true"],
}
COMMANDS = os.environ.get("COMMANDS", " ".join(ARGUMENTS)).split()
WARM = 5


def once(argv, env, stdin):
    files = [(os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0)]
    files += [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=files)
    _, status, used = os.wait4(pid, 0)
    elapsed = time.perf_counter() - start
    return used.ru_utime + used.ru_stime, elapsed, used.ru_minflt, os.waitstatus_to_exitcode(status)


def command_of(program, name, folder):
    if name == "line" and program == "bash":
        return ["/bin/sh", "-c", "bash -c :"]
    if name == "line":
        return hook.installed(program, tempfile.mkdtemp(dir=folder), "claude-code", ".claude/settings.json")
    return hook.BASH if program == "bash" else [program, *ARGUMENTS[name]]


def measure(programs, name, folder, env, stdin):
    rows = {p: [] for p in programs}
    commands = {p: command_of(p, name, folder) for p in programs}
    for turn in range(RUNS + WARM):
        for p in programs:
            got = once(commands[p], env, stdin)
            if got[3] != 0:
                sys.exit(f"versus: {p} {name} ended with {got[3]}")
            if turn >= WARM:
                rows[p].append(got)
    return rows


def show(programs, name, rows):
    columns = ((0, statistics.median), (0, min), (1, statistics.median), (1, min))
    first = rows[programs[0]]
    for p in programs:
        ratios = [f([r[i] for r in rows[p]]) / f([r[i] for r in first]) for i, f in columns]
        faults = statistics.median([r[2] for r in rows[p]])
        print(f"{name:<8} {p:<36}", *(f"{x:8.3f}" for x in ratios), f"{faults:8.0f}", flush=True)


def main():
    programs = [p if p == "bash" else os.path.realpath(p) for p in sys.argv[1:]]
    if len(programs) < 2:
        sys.exit("usage: versus.py A B ...")
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, "project")
        subprocess.run(["git", "init", "-q", project], check=True)
        os.chdir(project)
        env = hook.setting(folder, "home", "audit: {sync: none}\n")
        asked = hook.asked(folder, project, "allow", "git status")
        with open(os.path.join(folder, "policy.yaml"), "w", encoding="utf-8") as f:
            f.write(policy.policy())
        print(f"{'':<45} {'cpu':>8} {'cpu min':>8} {'elapsed':>8} {'el. min':>8} {'faults':>8}")
        for name in COMMANDS:
            stdin = asked if name in ("hook", "line") else "/dev/null"
            show(programs, name, measure(programs, name, folder, env, stdin))
        os.chdir("/")


if __name__ == "__main__":
    main()
