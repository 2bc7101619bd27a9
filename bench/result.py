#!/usr/bin/python3 -B
"""`caisson normalise` and `caisson redact` beside `sed -E` with two regular expressions that do a small part of it: colours away, Unix times marked.
The same 64 MB logs for all; figures are ratios of CPU time to sed's. The goal is 0.2 for an ordinary log.
Then beside strip-ansi, where npm can fetch it: sequences of every kind between two words, what each of them leaves."""
import json
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
            subprocess.run(argv, stdin=i, stdout=subprocess.DEVNULL, check=True,
                    env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


STRIP = """import strip from 'strip-ansi';
let text = '';
for await (const piece of process.stdin) text += piece;
console.log(JSON.stringify(JSON.parse(text).map(t => strip(t))));
"""


def sequences():
    """All kinds of sequences, but those that move or erase within the line: strip-ansi does not follow them."""
    for start in ("\x1b[", "\x9b"):
        for parameters in ("", "0", "1;31", "38;5;12", "38;2;1;2;3", "?25", ">0;276;0", "4:3", "1 ", "!"):
            for final in range(0x40, 0x7F):
                if chr(final) not in "CDGJKPX`":
                    yield start + parameters + chr(final)
    for final in range(0x30, 0x7F):
        if chr(final) not in "[]PX^_k":
            yield "\x1b" + chr(final)
    for middle in "()*+#% ":
        for final in "0AB8@G":
            yield "\x1b" + middle + final
    for start in ("\x1b]", "\x9d", "\x1bP", "\x90", "\x1b_", "\x1b^", "\x1bX", "\x1bk"):
        for text in ("0;a title", "8;;https://x.example/", "52;c;YWJj", "q#0;2;0;0;0~~@@", ""):
            for end in ("\x07", "\x1b\\", "\x9c"):
                yield start + text + end
    yield from ("\x1b]R", "\x1b]P0a1b2c3")


def beside_strip_ansi(d):
    subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", d,
            "strip-ansi"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=120)
    with open(os.path.join(d, "strip.mjs"), "w") as f:
        f.write(STRIP)
    cases = ["before" + s + "after" for s in sequences()]
    theirs = json.loads(subprocess.run(["node", os.path.join(d, "strip.mjs")],
            input=json.dumps(cases).encode(), stdout=subprocess.PIPE, check=True).stdout)
    whole = more = 0
    for case, their in zip(cases, theirs):
        # a move to another line is a newline; it is not text
        our = subprocess.run([CAISSON, "normalise"], input=case.encode(), stdout=subprocess.PIPE,
                check=True).stdout.decode().replace("\n", "")
        if not (our.startswith("before") and our.endswith("after")) or len(our) > len(their) or "\x1b" in our:
            print("  WORSE than strip-ansi: %r gives %r, strip-ansi %r" % (case, our, their))
        whole += our == "beforeafter"
        more += len(our) < len(their)
    print("  beside strip-ansi: %d sequences, nothing but the words left of %d, more removed than strip-ansi does in %d" % (len(cases), whole, more))


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
        try:
            beside_strip_ansi(d)
        except (OSError, subprocess.SubprocessError) as e:
            print("  beside strip-ansi: not measured: %s" % e)


main()
