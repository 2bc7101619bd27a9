"""What the lints share: finding sources, and C text without comments and the insides of literals (line numbers stay right)."""
import os
import re
import sys

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def strip_c(text):
    def blank(m):
        t = m.group(0)
        if t[0] in "\"'":
            return t[0] + t[0]
        return " " + "\n" * t.count("\n")

    return _TOKEN.sub(blank, text)


def sources(root, *tops):
    """(path relative to root, text) of every .c and .h below the given folders."""
    for top in tops:
        for folder, dirs, names in os.walk(os.path.join(root, top)):
            dirs.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8", errors="replace") as f:
                        yield os.path.relpath(path, root), f.read()


def folder_of(path):
    """The layer a file of src/ belongs to: its folder; the build-time tools in src/*/gen are a layer of their own."""
    parts = path.split(os.sep)
    if len(parts) > 3 and parts[2] == "gen":
        return "gen"
    return parts[1]


def calls(text, names):
    """(line number, name) of each call of one of the names; a member or a longer name is not one."""
    pattern = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(names))
    for number, line in enumerate(text.split("\n"), 1):
        for m in pattern.finditer(line):
            yield number, m.group(1)


def main(check):
    """Runs check(root), which yields findings; 1 when there are any."""
    found = list(check(sys.argv[1] if len(sys.argv) > 1 else "."))
    for finding in found:
        print(finding)
    sys.exit(1 if found else 0)
