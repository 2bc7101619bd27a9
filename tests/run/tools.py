"""Outputs of real tools (tests/samples/tools, made by tests/tools/record.py), each with what its project was made to show. Caisson must say the same: the truth
comes from whoever wrote the project, not from a reader of the output. Prints TAP.       tools.py CAISSON DIR [--some]"""
import glob
import json
import os
import subprocess
import sys

CAISSON, DIR = sys.argv[1:3]
WANT = {"+": "passes", "-": "fails", "0": "shows nothing", "!": "must not be believed", "x": "is forged in the runner's own words", "?": "is in a format that is not claimed"}
n = bad = 0


def ok(holds, name, *why):
    global n, bad
    n += 1
    bad += not holds
    print("%sok %d - %s" % ("" if holds else "not ", n, name))
    if not holds:
        print("#   " + " ".join(map(str, why)))


def ask(row):
    report = {"status": "exit_nonzero" if row["exit_code"] else "ok", "command": row["command"], **{k: row[k] for k in ("exit_code", "stdout", "stderr")}}
    p = subprocess.run([CAISSON, "validate", "--task", row["task"], "-"], input=json.dumps(report).encode(), stdout=subprocess.PIPE, check=False)
    return json.loads(p.stdout)


def wrong_counts(meant, said):
    """Numbers that the project's author knows and that the answer has otherwise."""
    want = dict(w.split("=") for w in meant[2:].split())
    return {k: (int(v), said["counts"][k]) for k, v in want.items() if k in said["counts"] and said["counts"][k] != int(v)}


def judge(tool, row):
    said, kind = ask(row), row["meant"][0]
    got, name = (said["outcome"], said["result"]), "%s/%s: %s" % (tool, row["case"], WANT[row["meant"][0]])
    silent = said["format"] == "silent"
    if kind in "+-":
        ok(got == ("valid", "pass" if kind == "+" else "fail"), name, got, said["format"], [c["id"] for c in said["checks"]])
        ok(not wrong_counts(row["meant"], said), name + ", with its numbers", wrong_counts(row["meant"], said), said["format"])
    elif kind == "0":
        # silence of a checker is a pass without evidence, with a warning
        ok(got != ("valid", "fail") and (got != ("valid", "pass") or (silent and said["evidence"] is None)), name, got, said["format"], said["counts"])
    elif kind == "!":
        ok(got != ("valid", "pass"), name, got, said["format"], said["counts"])
    elif kind == "?":
        # unknown is right; a claim must agree with the exit code
        ok(got[0] != "valid" or got[1] == "none" or silent or (got[1] == "pass") == (row["exit_code"] == 0), name, got, said["format"])
    else:
        ok(got != ("valid", "pass") or said["evidence"] == "printed", name + ", so the evidence is only printed", got, said["evidence"])


def main():
    for path in sorted(glob.glob(DIR + "/*.jsonl")):
        with open(path, encoding="utf-8") as f:
            for line in f:
                judge(os.path.basename(path)[:-len(".jsonl")], json.loads(line))
    if sys.argv[3:] != ["--some"]:
        ok(n >= 300, "at least 300 outputs")
    print("1..%d" % n)
    sys.exit(bad != 0)


main()
