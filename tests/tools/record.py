"""Runs test runners and checkers on small projects and keeps what they print: record.py DIR [TOOL[/CASE] ...]

A tool has files, a command that builds them, and runs: a name, a command, and what it was made to show:
    +   all is well        -   something failed        (with the numbers that a reader of the project knows)
    0   nothing is shown (no tests, a list, all skipped): no pass, no failure
    !   the output must not be believed: the process was ended, a summary was forged, the exit code is hidden
    x   forged so that the text is the runner's own: text alone cannot tell
    ?   a format that is not claimed: anything but a wrong answer
Each tool becomes a file TOOL.jsonl of rows {case, task, meant, command, exit_code, stdout, stderr}. Paths and host names of this machine are replaced."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import native
import script

TOOLS = {**native.TOOLS, **script.TOOLS}
PROJECT = "/project"
LIMIT = 60000  # bytes of one stream that are kept


def scrub(text, where):
    for a, b in ((where, PROJECT), (os.path.realpath(where), PROJECT), (os.environ.get("TOOLS_NPM", "/nowhere"), PROJECT), (os.path.expanduser("~"), "/home/dev"), (os.uname().nodename, "host")):
        text = text.replace(a, b) if len(a) > 3 else text
    return re.sub(r"0x[0-9a-f]{6,}", "0x55d0c0de", text)


def build(tool, where):
    t = TOOLS[tool]
    base = TOOLS[t["like"]] if "like" in t else t
    for name, text in base["files"].items():
        path = os.path.join(where, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    if base.get("npm") and "TOOLS_NPM" in os.environ:
        os.symlink(os.environ["TOOLS_NPM"] + "/node_modules", where + "/node_modules")
    if base.get("setup"):
        p = subprocess.run(["bash", "-c", base["setup"]], cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if p.returncode:
            raise RuntimeError("%s cannot be built: %s" % (tool, p.stdout.decode(errors="replace")[-2000:]))


def run(where, command):
    env = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "GOFLAGS", "GOPROXY", "RUSTUP_HOME", "CARGO_HOME", "CCACHE_DIR")}
    env.update({"LC_ALL": "C.UTF-8", "TERM": "dumb", "CI": "", "GOFLAGS": "-mod=mod", "GO111MODULE": "on", "NO_UPDATE_NOTIFIER": "1", "PATH": where + "/node_modules/.bin:/usr/bin:" + env["PATH"]})
    p = subprocess.run(["bash", "-c", command], cwd=where, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=180, check=False)
    out, err = (scrub(x.decode("utf-8", "replace"), where) for x in (p.stdout, p.stderr))
    return {"exit_code": p.returncode if p.returncode >= 0 else 128 - p.returncode, "stdout": out[-LIMIT:], "stderr": err[-LIMIT:]}


def record(tool, only, target):
    where, rows = tempfile.mkdtemp(prefix="tools-"), []
    try:
        build(tool, where)
        for case, (command, meant) in TOOLS[tool]["runs"].items():
            if not only or case in only:
                rows.append({"case": case, "task": TOOLS[tool]["task"], "meant": meant, "command": command, **run(where, command)})
    finally:
        shutil.rmtree(where, ignore_errors=True)
    with open(os.path.join(target, tool + ".jsonl"), "w", encoding="utf-8") as f:
        for r in rows:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")
    return len(rows)


def main():
    target, names = sys.argv[1], sys.argv[2:] or sorted(TOOLS)
    os.makedirs(target, exist_ok=True)
    failed = total = 0
    for name in names:
        tool, _, case = name.partition("/")
        try:
            n = record(tool, case and [case], target)
            total += n
            print("%-12s %d outputs" % (tool, n), flush=True)
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as e:
            failed += 1
            print("%-12s skipped: %s" % (tool, str(e)[:1500]), flush=True)
    print("%d outputs of %d tools, %d tools could not be run" % (total, len(names) - failed, failed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
