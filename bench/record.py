#!/usr/bin/python3 -B
"""What the record adds: the same call with it and without it, taking turns, as a part of `bash -c :`. Without it is `audit: {required: false}` and
a state that is a file. A view that is not known yet is a file more to be written. Medians of the differences between neighbours; ratios only. A
missed goal is printed; only a call that does not answer as it should fails.
"""
import json
import os
import statistics
import sys
import tempfile
import time

CAISSON = os.path.realpath(os.environ.get("CAISSON", "build/caisson"))
RUNS = int(os.environ.get("RUNS", "200"))
BASH = ["/bin/bash", "-c", ":"]


def once(argv, env, stdin):
    files = [(os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0)] + [
            (os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=files)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        sys.exit(f"record: '{' '.join(argv)}' ended with {code}")
    return time.perf_counter() - start


def setting(folder, name, policy, state=None):
    home = os.path.join(folder, name)
    os.makedirs(os.path.join(home, ".config/caisson"), mode=0o700)
    with open(os.path.join(home, ".config/caisson/config.yaml"), "w", encoding="utf-8") as f:
        f.write(policy)
    return {"HOME": home, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
            "CAISSON_STATE": state or os.path.join(home, "state")}


def asked(folder, project, name, command):
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"session_id": "bench", "transcript_path": folder + "/log.jsonl", "cwd": project,
                "permission_mode": "default", "hook_event_name": "PreToolUse",
                   "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "toolu_bench"}, f)
    return path


def added(argv, off, on, inputs, runs):
    """Settings without and with the record, inputs one for each turn -> what it adds, as a part of bash"""
    bash, more = [], []
    for turn in range(runs + 5):
        stdin = inputs[turn % len(inputs)]
        whole, without, took = once(BASH, off, "/dev/null"), once(argv, off, stdin), once(argv, on, stdin)
        if turn >= 5:
            bash.append(whole)
            more.append(took - without)
    return statistics.median(more) / statistics.median(bash)


def show(what, value, goal=None):
    end = f"   goal {goal:<5}{'met' if value <= goal else 'MISSED'}" if goal else ""
    print(f"  {what:<60}{value:>8.3f}{end}", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, "project")
        os.mkdir(project)
        nowhere = os.path.join(folder, "file")
        open(nowhere, "w", encoding="utf-8").close()
        off, none, begin, always = (setting(folder, "off", "audit: {required: false}\n", nowhere),
                setting(folder, "none", "audit: {sync: none}\n"),
                                    setting(folder, "begin", "audit: {sync: begin}\n"), setting(folder,
                                            "always", "audit: {sync: always}\n"))
        hook, run = [CAISSON, "hook"], [CAISSON, "run", "--", "/bin/true"]
        same, new = [asked(folder, project, "same", "git status")], [
                asked(folder, project, f"new{i}", f"cat src/file{i}.c") for i in range(RUNS + 5)]
        print("record: what it adds to a call / bash -c : (medians)")
        show("a hook: git status", added(hook, off, none, same, RUNS), 0.15)
        show("a hook: a file that was not asked about before", added(hook, off, none, new, RUNS), 0.15)
        show("a hook: git status, waiting for the disk", added(hook, off, always, same, RUNS))
        show("caisson run -- /bin/true: two rows", added(run, off, none, ["/dev/null"], max(RUNS // 2, 20)))
        show("caisson run -- /bin/true: two rows, begin on the disk",
                added(run, off, begin, ["/dev/null"], max(RUNS // 2, 20)))


main()
