"""Inline code by its size, read by the library (bench/inline.c): ordinary code from 1 KB to 1 MB, per byte, and hostile code against ordinary
code of the same size."""
import os
import subprocess

INLINE = os.path.join(os.path.realpath(os.environ.get("BUILD", "build")), "bench/inline")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = {1_000: 201, 10_000: 51, 30_000: 15, 100_000: 9, 1_000_000: 3}
HOSTILE_ROUNDS = {30_000: 3, 1_000_000: 1}
GROWTH = 1.5    # the most that a byte may cost at 100 KB and 1 MB, against one at 10 KB: caches cost something, a square would cost 10 and 100
HOSTILE = 10.0  # the most that hostile code may cost, against ordinary code of its size

PYTHON = '''def total{i}(rows, key="n"):
    """Sum of one column."""
    result = 0
    for r in rows:
        if r.get(key) is not None:
            result += r.get(key, 0)
    return result

TABLE_{i} = [
    {{"n": {i}, "name": "item {i}", "tags": ["a", "b", 'c']}},
    {{"n": {i}1, "name": "other {i}", "tags": []}},
]

class Thing{i}:
    def __init__(self, name, size=3):
        self.name = name
        self.size = size

    def describe(self):
        return f"{{self.name}}: {{self.size}} of {{total{i}(TABLE_{i})}}"

print(json.dumps({{"total": total{i}(TABLE_{i}), "names": [d["name"].upper() for d in TABLE_{i}]}}))
with open("list.txt") as f:
    for line in f:
        print(line.strip(), Thing{i}("x").describe())
'''
JAVASCRIPT = '''const data{i} = [1, 2, 3].map(i => ({{n: i, name: `item ${{i}}`}}));
const total{i} = rows => rows.reduce((a, r) => a + r.n, 0);
function describe{i}(row, options = {{}}) {{
  if (!row || row.n < 0) {{
    return null;
  }}
  return {{...row, label: row.name + " of " + total{i}(data{i})}};
}}
for (const d of data{i}) {{
  if (d.n > 1) console.log(d.name.toUpperCase(), JSON.stringify(describe{i}(d)));
}}
console.log(total{i}(data{i}), require("fs").readFileSync("list.txt", "utf8").length);
'''
ORDINARY = {"python": ("import json, sys\n", PYTHON), "javascript": ("", JAVASCRIPT)}

# Before, what is repeated, after. {i} counts.
HOSTILE_TEXTS = [
    ("python", '"', "", '"', ""), ("python", "(", "", "(", ""), ("python", "[", "", "[", ""), ("python", "{",
            "", "{{", ""), ("python", "f'{", "", "f'{{", ""), ("python", '"""a', "", '"""a', ""),
    ("python", "backquotes", "", "`", ""), ("python", "backslashes", "", "\\", ""), ("python",
            "lines that go on", "x = 1 + ", "\\\n", "2\n"), ("python", "indentation, in and out", "", "if x:\n  a\n b\n", ""),
    ("python", "errors", "", "a b c\n", ""), ("python", "an error at the end", "", "x = 1\n",
            "x x x"), ("python", "calls in calls", "", "f(" * 40 + "1" + ")" * 40 + "\n", ""),
    ("python", "f(f(f( 99 deep", "", "f(" * 99 + ")" * 99 + "\n", ""), ("python", "x.a.a.a", "x = y", ".a",
            "\n"), ("python", "a = a + a", "a = 'x'\n", "a = a + a\n", ""),
    ("python", "a = b, b = a", "", "a = b + '{i}'\nb = a + '{i}'\n", ""), ("python", "one text longer each",
            "a0 = 'x'\n", "b{i} = a0 + 'x'\n", ""), ("python", "a list of numbers", "x = [", "1,", "]\n"),
    ("python", "os.system", "import os\n", "os.system('ls')\n", ""), ("python", "not not not", "x = ", "not ",
            "1\n"),
    ("javascript", '"', "", '"', ""), ("javascript", "(", "", "(", ""), ("javascript", "[", "", "[",
            ""), ("javascript", "{", "", "{{", ""), ("javascript", "`${", "", "`${{", ""),
    ("javascript", "backquotes", "", "`", ""), ("javascript", "backslashes", "", "\\", ""), ("javascript",
            "/[", "", "/[", ""), ("javascript", "errors", "", "a b c\n", ""), ("javascript", "let let", "", "let ", ""),
    ("javascript", "({a,", "", "({{a,", ""), ("javascript", "an error at the end", "", "x = 1\n",
            "x x x"), ("javascript", "calls in calls", "", "f(" * 40 + "1" + ")" * 40 + "\n", ""), ("javascript", "x.a.a.a", "x = y", ".a", "\n"),
    ("javascript", "a = a + a", "let a = 'x'\n", "a = a + a\n", ""), ("javascript", "a = b, b = a",
            "let a, b\n", "a = b + '{i}'\nb = a + '{i}'\n", ""), ("javascript", "a => a =>", "x = ", "a => ", "1\n"),
    ("javascript", "a list of numbers", "x = [", "1,", "]\n"), ("javascript", "an array of names, called",
            "x = [f, g, h]\n", "x[{i}]()\n", ""), ("javascript", "!!!!", "x = ", "!", "1\n"),
]


def text(size, before, unit, after):
    parts, n, i = [before], len(before) + len(after), 0
    while n < size:
        parts.append(unit.format(i=i))
        n += len(parts[-1])
        i += 1
    return "".join(parts) + after


def read(folder, lang, code, rounds):
    """Seconds, arena bytes, whether it parsed, whether it was read completely."""
    path = os.path.join(folder, "inline.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write(code)
    out = subprocess.run([INLINE, lang, path, str(rounds)], capture_output=True, text=True,
            check=True).stdout.split()
    return float(out[0]), int(out[1]), out[2], out[3]


def rows(bench, folder):
    ordinary = {}
    print("\ninline: ordinary code by its size, time per byte / that at 10 KB")
    for lang, (before, unit) in ORDINARY.items():
        for size in (*SIZES, 30_000):
            ordinary[lang, size] = read(folder, lang, text(size, before, unit, ""), ROUNDS[size])
        base = ordinary[lang, 10_000][0] / 10_000
        for size in SIZES:
            seconds, used, parsed, how = ordinary[lang, size]
            bench.row(f"{lang}, {size // 1000} KB", seconds / size / base, GROWTH if size > 10_000 else None,
                    f"{how}, {used / 2**20:.0f} MB")
            if how != "complete":
                bench.fail(f"{lang}, {size // 1000} KB: {parsed}, {how}")
    print("\nhostile code / ordinary code of its size: 30 KB, and 1 MB")
    for lang, what, before, unit, after in HOSTILE_TEXTS:
        for size in HOSTILE_ROUNDS:
            seconds, used, parsed, how = read(folder, lang, text(size, before, unit, after),
                    HOSTILE_ROUNDS[size])
            bench.row(f"{lang}: {what}" + (", 1 MB" if size > 30_000 else ""),
                    seconds / ordinary[lang, size][0], HOSTILE, f"{parsed}, {how}, {used / 2**20:.0f} MB")
            if how == "full":
                bench.fail(f"{lang}: {what}: the arena is full")
