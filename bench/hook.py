#!/usr/bin/python3 -B
"""A whole `caisson hook` call (JSON on standard input, verdict, record, answer) beside `bash -c :`; the line that `caisson init` writes, in a shell as
clients run it, beside `sh -c 'bash -c :'`; and the call beside cc-safety-net where that is installed
(CC_SAFETY_NET names its script, else it is looked for on PATH; npm has it). Medians over interleaved starts; ratios only. A missed goal is
printed, since a machine's times are its own; only a call that does not answer as it should fails.

The first row is the start of the program and nothing else. In a virtual machine it can be half of `bash -c :` or more:
the C library asks the processor about 40 times what it is (CPUID), and each answer may come from the host. perf shows
that as intel_check_word() and its neighbours. No build of ours changes it, and bash and sh pay the same.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CAISSON = os.path.realpath(os.environ.get("CAISSON", "build/caisson"))
RUNS = int(os.environ.get("RUNS", "200"))
PAUSED = int(os.environ.get("PAUSED", "40"))
BASH = ["/bin/bash", "-c", ":"]


def once(argv, env, stdin):
    files = [(os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0)] + [
            (os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=files)
    _, status = os.waitpid(pid, 0)
    return time.perf_counter() - start, os.waitstatus_to_exitcode(status)


def medians(rows, runs, pause=0.0):
    """[(name, argv, env, stdin)] -> {name: seconds}"""
    times = {row[0]: [] for row in rows}
    for turn in range(runs + 3):
        for name, argv, env, stdin in rows:
            if pause:
                time.sleep(pause)
            seconds, code = once(argv, env, stdin)
            if code != 0:
                sys.exit(f"hook: '{name}' ended with {code}")
            if turn >= 3:
                times[name].append(seconds)
    return {name: statistics.median(t) for name, t in times.items()}


def show(what, value, goal, at_least=False):
    met = value >= goal if at_least else value <= goal
    print(f"  {what:<60}{value:>8.3f}   goal {'>= ' if at_least else ''}{goal:<5}{'met' if met else 'MISSED'}", flush=True)


def setting(folder, name, policy):
    home = os.path.join(folder, name)
    os.makedirs(os.path.join(home, ".config/caisson"), mode=0o700)
    if policy:
        with open(os.path.join(home, ".config/caisson/config.yaml"), "w", encoding="utf-8") as f:
            f.write(policy)
    return {"HOME": home, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
            "CAISSON_STATE": os.path.join(home, "state")}


def asked(folder, project, name, command, **more):
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"session_id": "bench", "transcript_path": folder + "/log.jsonl", "cwd": project,
                "permission_mode": "default", "hook_event_name": "PreToolUse",
                   "tool_name": "Bash", "tool_input": {"command": command,
                           "description": "bench"}, "tool_use_id": "toolu_bench", **more}, f)
    return path


def installed(program, folder, client, file):
    """The line before a tool, as `caisson init` writes it for this client into FILE below the home."""
    env = setting(folder, "init-" + client, None)
    subprocess.run([program, "init", "--client", client], check=True, env=env, stdout=subprocess.DEVNULL)
    with open(os.path.join(env["HOME"], file), encoding="utf-8") as f:
        return ["/bin/sh", "-c", json.load(f)["hooks"]["PreToolUse"][0]["hooks"][0]["command"]]


def other_guard():
    script = os.environ.get("CC_SAFETY_NET") or shutil.which("cc-safety-net")
    node = shutil.which("node")
    return [os.path.realpath(node), os.path.realpath(script), "hook",
            "--claude-code"] if script and node else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, "project")
        subprocess.run(["git", "init", "-q", project], check=True)
        plain, synced = setting(folder, "plain", "audit: {sync: none}\n"), setting(folder, "synced",
                "audit: {sync: always}\n")
        calls = {name: asked(folder, project, name, command) for name,
                command in (("allow", "git status"), ("deny", "rm -rf /etc"), ("contain", "make test"))}
        hook = [CAISSON, "hook"]
        rows = [("bash", BASH, plain, "/dev/null"), ("start", [CAISSON, "--version"], plain, "/dev/null")]
        rows += [(name, hook, plain, path) for name,
                path in calls.items()] + [("synced", hook, synced, calls["allow"])]
        print("hook: a whole call of caisson hook / bash -c : (medians)")
        tight = medians(rows, RUNS)
        print(f"  {'caisson --version':<60}{tight['start'] / tight['bash']:>8.3f}")
        show("git status, allowed and recorded", tight["allow"] / tight["bash"], 1.15)
        show("rm -rf /etc, denied and recorded", tight["deny"] / tight["bash"], 1.15)
        show("make test, recorded, and a ticket for the box", tight["contain"] / tight["bash"], 1.15)
        show("git status, waiting for the disk", tight["synced"] / tight["bash"], 1.5)
        # A state of its own: the rows above leave hundreds of tickets, and no session has so many at a time.
        fresh = setting(folder, "fresh", "audit: {sync: none}\n")
        shell = [("shell", ["/bin/sh", "-c", "bash -c :"], fresh, "/dev/null"),
                 ("line", installed(CAISSON, folder, "claude-code", ".claude/settings.json"), fresh,
                         calls["allow"]),
                 ("codex", installed(CAISSON, folder, "codex", ".codex/hooks.json"), fresh,
                         asked(folder, project, "codex", "git status", model="none"))]
        lines = medians(shell, RUNS)
        show("git status, the installed line / sh -c 'bash -c :'", lines["line"] / lines["shell"], 0.85)
        show("... with timeout around it (Codex, Gemini, Qwen, Copilot)", lines["codex"] / lines["shell"],
                1.5)
        paused = medians([rows[0], rows[2]], PAUSED, 0.03)
        show("git status, with pauses of 30 ms", paused["allow"] / paused["bash"], 1.15)
        guard = other_guard()
        if not guard:
            print("  cc-safety-net is not installed here: npm install cc-safety-net, and CC_SAFETY_NET=its script")
            return
        both = medians([("caisson", hook, plain, calls["deny"]), ("other", guard, plain, calls["deny"])],
                max(RUNS // 10, 10))
        show("rm -rf /etc: cc-safety-net / caisson hook", both["other"] / both["caisson"], 60, True)


if __name__ == "__main__":
    main()
