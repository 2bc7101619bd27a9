"""The samples judged a second time, by means that share nothing with ours: how the command ended, what its case was made to show (its name), and numbers counted with Python's
own readers of XML, JSON and CSV, or by hand from the lines that name single tests. Prints TAP.       samples.py CAISSON DIR"""
import csv
import glob
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

CAISSON, DIR = sys.argv[1:]
# What the case was made to show: + all is well, - something failed, 0 nothing was shown, so that it must not be valid; by tool and first word of the name.
TRUTH = {
    "cargo-check": {"good": "+", "warn": "+", "bad": "-", "usage": "0"},
    "cargo-test": {"pass": "+", "fail": "-", "bad": "-", "filtered": "0"},
    "ctest": {"pass": "+", "fail": "-", "none": "0"},
    "eslint": {"good": "+", "warn": "+", "bad": "-", "maxwarn": "-", "syn": "-", "nofile": "0", "unmatched": "0"},
    "go": {"pass": "+", "fail": "-", "build": "-", "panic": "-", "none": "0"},
    "go-vet": {"good": "+", "bad": "-", "printf": "-", "text": "-"},
    "jest": {"pass": "+", "fail": "-", "crash": "-", "zero": "0"},
    "mypy": {"good": "+", "bad": "-", "syn": "-", "nope": "0"},
    "prove": {"pass": "+", "fail": "-", "exit3": "-", "noplan": "-", "skipall": "0"},
    "pyright": {"good": "+", "bad": "-", "nofile": "0", "usage": "0"},
    "pytest": {"pass": "+", "deselect": "+", "fail": "-", "colerr": "-", "collectonly": "0", "truncated": "0", "usage": "0", "zero": "0"},
    "tsc": {"good": "+", "bad": "-", "syn": "-", "nofile": "-"},
}
# What the raw output cannot show although the case means it: TAP of a script that ends with 3, or without a plan; pytest without its summary.
UNSHOWN = {"prove/exit3.raw", "prove/noplan.raw", "pytest/pass.qq"}
TASKS = {"mypy": "typecheck", "tsc": "typecheck", "pyright": "typecheck", "cargo-check": "typecheck", "eslint": "lint", "go-vet": "lint"}
n = bad = 0


def ok(holds, name, *why):
    global n, bad
    n += 1
    bad += not holds
    print("%sok %d - %s" % ("" if holds else "not ", n, name))
    if not holds:
        print("#   " + " ".join(map(str, why)))


def ask(task, report, *options):
    p = subprocess.run([CAISSON, "validate", "--task", task, *options, "-"], input=report, stdout=subprocess.PIPE, check=False)
    return json.loads(p.stdout)


def lines(text, pattern):
    return len(re.findall(pattern, text, re.M))


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def count_pytest(out, _err):
    """From the line of each test where it is printed (-v), else from the marks: one letter for each test, in the order of the files."""
    marks = "".join(re.findall(r"^t_\w+\.py (\S+)", out, re.M)) or "".join(re.findall(r"^([.FEsxX]+) +\[", out, re.M))
    if "-rA" in out or re.search(r"^t_\w+\.py::\w+ [A-Z]+", out, re.M):
        words = re.findall(r"^t_\w+\.py::\w+ ([A-Z]+)", out, re.M)
        marks = "".join({"PASSED": ".", "FAILED": "F", "ERROR": "E", "SKIPPED": "s", "XFAIL": "x", "XPASS": "X"}[w] for w in words)
    return {"passed": marks.count("."), "failed": marks.count("F"), "skipped": marks.count("s"), "xfailed": marks.count("x"), "xpassed": marks.count("X"),
            "errors": marks.count("E") or lines(out, r"^ERROR t_")} if marks or "ERROR t_" in out else {}


def count_jest(out, err):
    if out.startswith("{"):
        tests = [t["status"] for f in json.loads(out)["testResults"] for t in f["assertionResults"]]
        return {"total": len(tests), "passed": tests.count("passed"), "failed": tests.count("failed"), "skipped": tests.count("pending")}
    m = re.search(r"^Tests: +(.*)$", err, re.M)
    found = {k: int(v) for v, k in re.findall(r"(\d+) (passed|failed|skipped|todo|total)", m.group(1))} if m else {}
    return found


def count_go(out, _err):
    if out.startswith("{"):
        events = [json.loads(x) for x in out.splitlines()]
        return {k + s: sum(e["Action"] == k and "Test" in e for e in events) for k, s in (("pass", "ed"), ("fail", "ed"))} | {"skipped": sum(e["Action"] == "skip" and "Test" in e for e in events)}
    if "=== RUN" not in out:
        return {}
    return {"passed": lines(out, r"^ *--- PASS"), "failed": lines(out, r"^ *--- FAIL"), "skipped": lines(out, r"^ *--- SKIP")}


def count_cargo(out, _err):
    if '"event"' in out:
        events = [json.loads(x) for x in out.splitlines() if x.startswith("{")]
        tests = [e["event"] for e in events if e["type"] == "test"]
        return {"passed": tests.count("ok"), "failed": tests.count("failed"), "ignored": tests.count("ignored")}
    return {"passed": lines(out, r"^test .* \.\.\. ok$"), "failed": lines(out, r"^test .* \.\.\. FAILED$"), "ignored": lines(out, r"^test .* \.\.\. ignored")} if "\ntest " in out else {}


def count_ctest(out, _err):
    return {"failed": lines(out, r"Test +#\d+: .*\*\*\*(?!Skipped)") - lines(out, r"\*\*\*Not Run \(Disabled\)"), "passed": lines(out, r"Test +#\d+: .* Passed |\*\*\*Skipped")} if "Test  " in out or "Test #" in out else {}


def count_tap(out, _err):
    if "Files=" in out:
        return {"total": int(re.search(r"Tests=(\d+)", out).group(1))}
    kinds = [("todo" if re.search(r"# *TODO", d, re.I) else "skipped" if re.search(r"# *SKIP", d, re.I) else "failed" if x else "passed") for x, d in re.findall(r"^(not )?ok\b(.*)$", out, re.M)]
    return {k: kinds.count(k) for k in ("passed", "failed", "skipped", "todo")}


def count_errors(out, err):
    if out.lstrip().startswith("[{") and "filePath" in out:
        messages = [m["severity"] for f in json.loads(out) for m in f["messages"]]
        return {"errors": messages.count(2), "warnings": messages.count(1)}
    if "generalDiagnostics" in out:
        found = [d["severity"] for d in json.loads(out)["generalDiagnostics"]]
        return {"errors": found.count("error"), "warnings": found.count("warning")}
    if '"reason"' in out:
        found = [json.loads(x) for x in out.splitlines() if x.startswith("{")]
        return {"errors": sum(m["reason"] == "compiler-message" and m["message"]["level"] == "error" and bool(m["message"]["spans"]) for m in found),
                "warnings": sum(m["reason"] == "compiler-message" and m["message"]["level"] == "warning" and bool(m["message"]["spans"]) for m in found)}
    if err.startswith("# ") and "{" not in err:
        return {"findings": lines(err, r"\.go:\d+:\d+: ")}
    if err.startswith("# "):
        return {"findings": err.count('"posn"')}
    return {"errors": lines(plain(out), r"error TS\d+:") or lines(plain(out), r": error: ")}


COUNT = {"pytest": count_pytest, "jest": count_jest, "go": count_go, "cargo-test": count_cargo, "ctest": count_ctest, "prove": count_tap}


def judge(tool, case, out, err, code):
    meant = "0" if tool + "/" + case in UNSHOWN else TRUTH[tool][case.split(".")[0]]
    status = "ok" if code == 0 else "exit_nonzero"
    said = ask(TASKS.get(tool, "test"), json.dumps({"status": status, "exit_code": code, "stdout": out, "stderr": err}).encode())
    want = {"+": ("valid", "pass"), "-": ("valid", "fail")}.get(meant)
    right = (said["outcome"], said["result"]) == want if want else said["outcome"] != "valid" and said["result"] == "none" and said["counts"] == {}
    ok(right, "%s/%s: %s" % (tool, case, {"+": "passes", "-": "fails", "0": "shows nothing"}[meant]), said)
    # the exit code alone tells a failure from a success, but for TAP that nobody reads, and go vet -json, which always ends with 0
    if want and not (tool == "prove" and case.endswith(".raw")) and tool != "go-vet":
        ok((code == 0) == (said["result"] == "pass"), "%s/%s: as its exit code says" % (tool, case), code, said)
    if want:
        counted = COUNT.get(tool, count_errors)(plain(out), plain(err))
        wrong = {k: (v, said["counts"].get(k)) for k, v in counted.items() if said["counts"].get(k, 0) != v}
        ok(not wrong, "%s/%s: %s" % (tool, case, ", ".join("%s %d" % (k, v) for k, v in sorted(counted.items())) or "nothing to count"), wrong)


def judge_junit(path):
    cases = ET.parse(path).getroot().iter("testcase")
    def outcome(case):
        """gtest and ctest write no node for a case that is disabled or was not run."""
        unrun = case.get("status") in ("notrun", "disabled") or case.get("result") == "suppressed"
        return next((k for k in ("failure", "error", "skipped") if case.find(k) is not None), "skipped" if unrun else "passed")
    kinds = [outcome(c) for c in cases]
    said = ask("test", open(path, "rb").read(), "--raw")
    name = os.path.relpath(path, DIR)
    if not kinds:
        ok(said["outcome"] == "invalid", name + ": nothing in it", said)
        return
    both = sum(1 for c in ET.parse(path).getroot().iter("testcase") if c.find("failure") is not None and c.find("error") is not None)
    want = {"total": len(kinds), "passed": kinds.count("passed"), "skipped": kinds.count("skipped")}
    failed = said["counts"].get("failed", 0) + said["counts"].get("errors", 0)
    ok(all(said["counts"][k] == v for k, v in want.items()) and failed in (kinds.count("failure") + kinds.count("error"), kinds.count("failure") + kinds.count("error") + both)
       and (said["result"] == "fail") == any(k in ("failure", "error") for k in kinds), "%s: %s" % (name, want), said)


def rows_of(name, text):
    """(rows, columns) as Python reads them, or None where it is no table that can be used."""
    if name.endswith((".csv", ".tsv")):
        table = [r for r in csv.reader(text.splitlines(), delimiter="\t" if name.endswith("tsv") else ",") if r]
        return (len(table) - 1, len(table[0])) if len(table) > 1 and all(len(r) == len(table[0]) for r in table) else None
    if name.endswith(".jsonl"):
        found = [json.loads(x) for x in text.splitlines()]
        return (len(found), len(found[0]))
    if name.endswith(".json"):
        try:
            v = json.loads(text)
        except ValueError:
            return None
        if isinstance(v, dict):
            return (len(v["data"]), len(v["columns"])) if "columns" in v else (len(next(iter(v.values()))), len(v))
        return (len(v), len(v[0])) if all(x.keys() == v[0].keys() for x in v) else None
    m = re.search(r"\[(\d+) rows x (\d+) columns\]|(\d+) entries[^$]*total (\d+) columns", text)
    if m:
        return tuple(int(x) for x in m.groups() if x)
    m = re.search(r"^\((\d+) rows?\)", text, re.M)
    return (int(m.group(1)), text.splitlines()[0].count("|") + 1) if m else None


def judge_data(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    want, said = rows_of(path, text), ask("data", text.encode(), "--raw", "--exit-code", "0")
    got = (said["counts"].get("rows"), said["counts"].get("columns")) if said["outcome"] == "valid" else None
    ok(got == want, "data/%s: %s" % (os.path.basename(path), "%d rows, %d columns" % want if want else "no table"), said)


def main():
    for meta in sorted(glob.glob(DIR + "/*/*.meta.json")):
        base = meta[:-len(".meta.json")]
        tool, case = os.path.basename(os.path.dirname(base)), os.path.basename(base)
        with open(meta, encoding="utf-8") as m, open(base + ".stdout", encoding="utf-8") as o, open(base + ".stderr", encoding="utf-8") as e:
            judge(tool, case, o.read(), e.read(), json.load(m)["exit_code"])
    for path in sorted(glob.glob(DIR + "/*/*.junit.xml")):
        judge_junit(path)
    for path in sorted(glob.glob(DIR + "/data/*")):
        if not path.endswith(".expect"):
            judge_data(path)
    # streams for the normaliser that are not worth keeping as files
    for name, raw, want in (("one long line", b"x" * 200000 + b"\nEND: error here\n", "x" * 200000 + "\nEND: error here\n"), ("a character cut at the end", b"\xc3\xa9" * 2048 + b"\xc3", "\u00e9" * 2048 + "\ufffd")):
        ok(subprocess.run([CAISSON, "normalise"], input=raw, stdout=subprocess.PIPE, check=True).stdout.decode() == want, "normalise: " + name)
    print("1..%d" % n)
    sys.exit(bad != 0)


main()
