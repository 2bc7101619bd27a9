#!/usr/bin/python3 -B
"""The cost of the canary (docs/validators.md) for each runner that has one: `caisson run --task test` on a project of 20 tests, with
it and with `results.canary: false`, in turn. Figures are medians of CPU time (user and system, of all processes) and of elapsed time."""
import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

CAISSON = os.environ["CAISSON"]
RUNS = int(os.environ.get("CANARY_RUNS", "5"))
TESTS = 20

RUNNERS = {
    "pytest": ("/usr/bin/python3 -B -m pytest -q", {
        "test_a.py": "".join("def test_%d(): assert %d + 1 == %d\n" % (i, i, i + 1) for i in range(TESTS))}),
    "node --test": ("node --test", {
        "a.test.js": "const t = require('node:test'), assert = require('node:assert');\n" +
                "".join("t('t%d', () => assert.equal(%d + 1, %d));\n" % (i, i, i + 1) for i in range(TESTS))}),
    "jest": ("node_modules/.bin/jest", {
        "package.json": "{}",
        "a.test.js": "".join("test('t%d', () => expect(%d + 1).toBe(%d));\n" % (i, i, i + 1) for i in range(TESTS))}),
    "go test": ("go test ./...", {
        "go.mod": "module m\n\ngo 1.19\n",
        "a_test.go": "package m\n\nimport \"testing\"\n\n" + "".join(
                "func Test%d(t *testing.T) {\n\tif %d+1 != %d {\n\t\tt.Fatal()\n\t}\n}\n" % (i, i, i + 1) for i in range(TESTS))}),
}


def run(project, command, config):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    out = subprocess.run([CAISSON, "run", "--json", "--profile", "work", "--workspace", project, "--task", "test", "-c",
            "cd '%s' && %s" % (project, command)], stdout=subprocess.PIPE, cwd=project,
            env=dict(os.environ, XDG_CONFIG_HOME=config), check=False).stdout
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
    found = json.loads(out)["validation"]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds, found["result"], found["canary"]


def measure(name, command, files, d):
    project = os.path.join(d, name.split()[0])
    configs = {}
    os.mkdir(project)
    for file, text in files.items():
        with open(os.path.join(project, file), "w") as f:
            f.write(text)
    if name == "jest":
        subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "jest"], cwd=project,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=300)
    for on in (True, False):
        configs[on] = os.path.join(d, "config-%s" % on)
        os.makedirs(os.path.join(configs[on], "caisson"), exist_ok=True)
        with open(os.path.join(configs[on], "caisson", "config.yaml"), "w") as f:
            f.write("results: {canary: %s}\n" % str(on).lower())
        run(project, command, configs[on]) # caches
    figures = {True: [], False: []}
    for _ in range(RUNS):
        for on, rows in figures.items():
            rows.append(run(project, command, configs[on]))
    for on, rows in figures.items():
        if any(r[2] != "pass" or r[3] != ("failed" if on else None) for r in rows):
            raise OSError("the canary was %s in a run that says %s" % (rows[0][3], rows[0][2]))
    cpu, seconds = ({on: statistics.median(r[i] for r in rows) for on, rows in figures.items()} for i in (0, 1))
    print("  %-12s CPU %.2f x (+%.0f ms)   elapsed %.2f x (+%.0f ms)" % (
        name, cpu[True] / cpu[False], 1000 * (cpu[True] - cpu[False]), seconds[True] / seconds[False],
        1000 * (seconds[True] - seconds[False])))


def main():
    print("canary: a run with it beside one without, %d tests (results.canary: false switches it off)" % TESTS)
    with tempfile.TemporaryDirectory() as d:
        os.environ["CAISSON_STATE"] = os.path.join(d, "state")
        for name, (command, files) in RUNNERS.items():
            if name != "jest" and not shutil.which(command.split()[0]):
                print("  %-12s not measured: not installed" % name)
                continue
            try:
                measure(name, command, files, d)
            except (OSError, subprocess.SubprocessError) as e:
                print("  %-12s not measured: %s" % (name, e))


main()
