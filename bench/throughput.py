#!/usr/bin/python3 -B
"""Time per KB of text through `caisson check -`, for ordinary and hostile text from 1 KB to 1 MB, as a ratio to the value at 10 KB: flat is linear.
The start of the process is part of every figure, so the value at 1 KB is above 1. Also the verdict and the peak memory at 1 MB."""
import os
import resource
import statistics
import tempfile
import time

CAISSON = os.environ["CAISSON"]
SECONDS = 20  # of CPU for one run; what needs more is not linear, and says so
SIZES = (1_000, 10_000, 100_000, 1_000_000)
RUNS = {1_000: 31, 10_000: 31, 100_000: 15, 1_000_000: 5}
VERDICTS = {0: "allow", 1: "ask", 2: "deny", 3: "contain", -24: "stopped: more than %d s of CPU" % SECONDS}

ORDINARY = """set -e
for f in src/*.c tests/*.c; do
	if [ -f "$f" ] && grep -q 'main(' "$f"; then echo "checking $f"; wc -l < "$f" >> sizes.txt; fi
done
name=$(git rev-parse --short HEAD)
case $name in a*) echo "first ${name#a}";; *) echo "other ${name:-none}" ;; esac
build() { local out=$1; shift; mkdir -p "$out" && cp -r "$@" "$out"/; }
build dist README.md LICENSE "$HOME/notes" 2>/dev/null || true # keep going
cat <<END | sort -u > list.txt
one $name
two $((1 + 2))
END
"""

PYTHON = """import json, sys
def total(rows, key="n"):
    return sum(r.get(key, 0) for r in rows if r)
data = [{"n": i, "name": f"item {i}"} for i in range(10)]
print(json.dumps({"total": total(data), "names": [d["name"].upper() for d in data]}))
with open("list.txt") as f:
    for line in f: print(line.strip())
"""
JAVASCRIPT = """{ const data = [1, 2, 3].map(i => ({n: i, name: `item ${i}`}));
const total = rows => rows.reduce((a, r) => a + r.n, 0);
for (const d of data) { if (d.n > 1) console.log(d.name.toUpperCase(), JSON.stringify(d)); }
console.log(total(data), require("fs").readFileSync("list.txt", "utf8").length); }
"""

# name, text before, text that is repeated; whole: only whole repetitions, so that the text stays valid; text
# after
TEXTS = [
    ("ordinary", "", ORDINARY, True),
    ("one line", "", "echo hello; ", True),
    ("assignments", "", "a=$a$b b=${a%x}\n", True),
    ("functions", "", "f() { g \"$1\"; }; f x\n", True),
    ("branches", "", "if a; then x=1; else x=2; fi\n", True),
    ("loops", "", "for i in a b c; do echo $i; done\n", True),
    ("nested sh -c", "", "sh -c 'echo $(a) `b`'; ", True),
    ("((((", "", "(", False),
    ("$($($(", "", "$(", False),
    ("{{{{", "", "{", False),
    ("{ { {", "", "{ ", False),
    ("[[ ( (", "[[ ", "( ", False),
    ("{a,b}{a,b}", "echo ", "{a,b}", True),
    ("{a,{a,", "echo ", "{a,", False),
    ("{1..9}", "echo ", "{1..9} ", True),
    ("backticks", "", "`", False),
    ("`\\`", "", "`\\", False),
    ("${${", "", "${", False),
    ("${x:-", "", "${x:-", False),
    ("$((", "", "$((", False),
    ("\"$(", "", "\"$(", False),
    ("here-docs", "", "cat <<E\nx $(y)\nE\n", True),
    ("<<E pile", "cat ", "<<E ", False),
    ("if if if", "", "if ", False),
    ("case", "", "case x in x) ", False),
    ("pipes", "", "a|", False),
    ("words", "echo ", "a ", False),
    ("one word", "echo ", "a", False),
    ("$x$x$x", "echo ", "$x", False),
    ("a=a=a=", "", "a=", False),
    ("globs", "echo ", "*", False),
    ("quotes", "echo ", "'", False),
    ("newlines", "", "\n", False),
    ("python", "python3 -c '", PYTHON, True, "'"),
    ("python ((((", "python3 -c '", "(", False, "'"),
    ("python f(f(", "python3 -c '", "f(", True, "1'"),
    ("python a+a+", "python3 -c 'x = 1", " + x", True, "'"),
    ("python a = a+", "python3 -c 'a = \"\"", "\na += \"x\"", True, "'"),
    ("python def", "python3 -c '", "def f(x): return f(x)\nf(f)\n", True, "'"),
    ("python quotes", "python3 -c '", '"', False, "'"),
    ("python errors", "python3 -c '", "a b c\n", True, "'"),
    ("python \\ lines", "python3 -c 'x = 1 + ", "\\\n", True, "2'"),
    ("python data", "python3 -c 'x = [", "1, ", True, "]'"),
    ("javascript", "node -e '", JAVASCRIPT, True, "'"),
    ("js ((((", "node -e '", "(", False, "'"),
    ("js a+a+", "node -e 'x = 1", " + x", True, "'"),
    ("js =>=>", "node -e '", "a => ", True, "1'"),
    ("js quotes", "node -e '", '"', False, "'"),
    ("js errors", "node -e '", "a b c\n", True, "'"),
    ("js /[", "node -e '", "/[", False, "'"),
    ("js data", "node -e 'x = [", "1, ", True, "]'"),
    ("js `${`${", "node -e '", "`${", False, "'"),
]


def text(size, before, unit, whole, after=""):
    count = (size - len(before) - len(after)) // len(unit) + (0 if whole else 1)
    s = before + unit * count
    return (s if whole else s[:size - len(after)]) + after


def once(path):
    start = time.perf_counter()
    null = os.open("/dev/null", os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_OPEN, 0, path, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
    pid = os.posix_spawn(CAISSON, [CAISSON, "check", "-"], os.environ, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    end = time.perf_counter()
    os.close(null)
    return end - start, os.waitstatus_to_exitcode(status), usage.ru_maxrss


def main():
    resource.setrlimit(resource.RLIMIT_CPU,
            (SECONDS, SECONDS + 1))  # for the runs; this process itself uses little
    print("throughput: time per KB through 'caisson check -', as a ratio to that at 10 KB (the start of the process is in it)")
    print("  %-14s" % "text", *("%8s" % x for x in ("1K", "10K", "100K", "1M")), "  verdict, peak MB at 1 MB")
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "in")
        for name, *parts in TEXTS:
            per, code, peak = [], 0, 0
            for size in SIZES:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text(size, *parts))
                runs = [once(path)]
                runs += [once(path) for _ in range(RUNS[size] - 1 if runs[0][0] < 2 else 0)]
                per.append(statistics.median(r[0] for r in runs) / size)
                code, peak = runs[-1][1], max(r[2] for r in runs)
            print("  %-14s" % name, *("%8.2f" % (p / per[1]) for p in per),
                    "  %s, %d" % (VERDICTS.get(code, code), peak // 1024), flush=True)


main()
