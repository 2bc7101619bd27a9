#!/usr/bin/python3 -B
"""Finding rows in the record, beside jq over the same files, bash and sha256sum: medians of ratios over interleaved runs, wall time of whole processes.
ROWS rows over 31 days (default 200000; the goals are for 1000000). Prints a table with goal and value; a missed goal does not fail."""
import glob
import os
import statistics
import subprocess
import tempfile
import time

CAISSON = os.path.realpath(os.environ.get("CAISSON", "build/caisson"))
MAKE = os.path.join(os.path.realpath(os.environ.get("BUILD", "build")), "bench/rows")
ROWS = int(os.environ.get("ROWS", "200000"))
RUNS = int(os.environ.get("INDEX_RUNS", "3"))
STARTS = int(os.environ.get("RUNS", "200"))
DAYS = 31
GROWN = 3  # days that are new to the index


def took(argv):
    start = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def row(what, value, goal):
    text = f"  {what:<72}{value:>9.4f}"
    if goal is not None:
        text += f"   goal {goal:<5}" + ("met" if value <= goal else "MISSED")
    print(text, flush=True)


def ratio(ours, theirs, runs=RUNS, before=lambda: None):
    found = []
    for _ in range(runs):
        other = took(theirs)
        before()
        found.append(took(ours) / other)
    return statistics.median(found)


def rows_of(*argv):
    return subprocess.run([CAISSON, "audit", "query", "--json", *argv], stdout=subprocess.PIPE,
            check=True).stdout


def main():
    with tempfile.TemporaryDirectory() as tmp:
        state = os.path.join(tmp, "state")
        os.environ["CAISSON_STATE"] = state
        subprocess.run([MAKE, state, str(ROWS), str(DAYS)], check=True)
        files = sorted(glob.glob(state + "/audit/*.jsonl"))
        day = os.path.basename(files[15])[:10]
        print(f"index: {ROWS} rows, {sum(os.path.getsize(f) for f in files) >> 20} MB, {len(files)} days (whole processes)")

        # what is new, and everything
        new = files[-GROWN:]
        aside = [os.path.join(tmp, os.path.basename(f)) for f in new]

        def older_only():
            for f, a in zip(new, aside):
                os.rename(f, a)
            subprocess.run([CAISSON, "audit", "reindex"], stdout=subprocess.DEVNULL, check=True)
            for f, a in zip(new, aside):
                os.rename(a, f)

        row(f"the index learns {GROWN} new days / jq -c . of them",
                ratio([CAISSON, "audit", "query", "--agent", "nobody"], ["jq", "-c", ".", *new],
                        before=older_only), 3)
        row("the index made from nothing / jq -c . of all",
                ratio([CAISSON, "audit", "reindex"], ["jq", "-c", ".", *files], runs=1), 3)

        # questions
        query = [CAISSON, "audit", "query", "--agent", "agent-07", "--since", day, "--until", day, "--json"]
        program = f'select(.agent_id == "agent-07" and (.ts | startswith("{day}")))'
        want = subprocess.run(["jq", "-c", program, files[15]], stdout=subprocess.PIPE, check=True).stdout
        assert want == rows_of("--agent", "agent-07", "--since", day, "--until",
                day) and want, "not the rows that jq finds"
        row("rows of an agent and a day / jq over all files", ratio(query, ["jq", "-c", program, *files]),
                0.02)
        row("rows of an agent and a day / jq over that day's file",
                ratio(query, ["jq", "-c", program, files[15]],
                        runs=3 * RUNS), 0.02 if ROWS >= 1000000 else None)
        row("rows by a regular expression / grep over all files",
                ratio([CAISSON, "audit", "query", "--grep", "feature/async-77[0-9]", "--json"],
                        ["grep", "-hE", "feature/async-77[0-9]", *files]), None)
        ids = [line.split("\t")[6] for line in subprocess.run(
                [CAISSON, "audit", "query", "--agent", "agent-09", "--limit",
                        str(STARTS)], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
        row("show ID / bash -c :", statistics.median(
                took([CAISSON, "audit", "show", i]) / took(["/bin/bash", "-c", ":"]) for i in ids), 4)
        row("verify / sha256sum", ratio([CAISSON, "audit", "verify"], ["sha256sum", *files]), 1.5)


main()
