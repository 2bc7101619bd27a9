#!/usr/bin/python3 -B
"""`caisson normalise` and `caisson redact` beside `sed -E` with two regular expressions that do a small part of it: colours away, Unix times marked.
The same 64 MB logs for all; figures are ratios of CPU time to sed's. The goal is 0.2 for an ordinary log."""
import os
import resource
import statistics
import subprocess
import tempfile

CAISSON = os.environ["CAISSON"]
RUNS = int(os.environ.get("RESULT_RUNS", "3"))
SIZE = 64 << 20
GOAL = 0.2
SED = ["sed", "-E", r"s/\x1b\[[0-9;]*m//g; s/\b1[6-9][0-9]{8}\b/TIME/g"]
LINES = {
    "ordinary log": [
        b"1700000000 INFO  server: GET /api/v1/items/4711 200 17ms from 10.0.0.7 (cache miss)\n",
        b"2024-03-01T12:00:00Z \x1b[32mok\x1b[0m tests/test_parser.py::test_nested[depth-12] passed in 0.03s\n",
        b"[build] compiling src/result/normalise.c with -O2 -Wall -Wextra into build/obj/normalise.o\n",
        b"worker 3: processed 1200 records, 14 skipped, next run at 1700003600, queue length 88\n",
        b"    at Object.<anonymous> (/srv/app/lib/handlers/session.js:118:23)\n",
    ],
    "colours everywhere": [b"\x1b[1m\x1b[31mE\x1b[0m\x1b[36msrc/a.c\x1b[0m:\x1b[33m12\x1b[0m: \x1b[1mexpected\x1b[0m ';'\n"],
    "CRLF": [b"a line of text that ends as they do elsewhere, and is otherwise ordinary\r\n"],
    "progress bars": [b"\r 10% [#         ]\r 20% [##        ]\r 30% [###       ]\r 40% [####      ]\n"],
    "UTF-8": ["größer, schöner — 日本語のログ行 ✔️ fertig in 3 ms\n".encode()],
    "JSON lines": [b'{"time": 1700000000, "level": "info", "msg": "request done", "id": 1700000001, "path": "/a/b"}\n'],
    "one line": [b"x" * 4096],
}


def cpu(argv, path):
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(path, "rb") as i:
            subprocess.run(argv, stdin=i, stdout=subprocess.DEVNULL, check=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def main():
    print("result: CPU time for 64 MB as a ratio to sed -E with two expressions (goal for an ordinary log: %.2f)" % GOAL)
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "log")
        for name, lines in LINES.items():
            block = b"".join(lines) * 200
            with open(path, "wb") as f:
                for _ in range(SIZE // len(block) + 1):
                    f.write(block)
            sed = cpu(SED, path)
            mine = cpu([CAISSON, "normalise"], path) / sed
            redact = cpu([CAISSON, "redact", "--patterns-only"], path) / sed
            note = "" if name != "ordinary log" else "   reached" if mine <= GOAL else "   MISSED"
            print("  %-20s normalise %.3f   redact %.3f%s" % (name, mine, redact, note))


main()
