#!/usr/bin/python3
"""Compares our parser's tree with real bash's own (bash_tree.c, our_tree.c), over generated programs and the scripts of this machine.

    tree.py [--n N] [--seed S] [--scripts N] [--show K] [--caisson FILE]     TAP

1. generated programs: what bash reads and we read, we read the same way; less than 2 % of what bash reads we refuse or read with doubt
2. scripts found below /etc and /usr that bash accepts: the same tree
3. of these, less than 1 % is reported incomplete for a reason of grammar by caisson check --batch
Exit 77 with a reason when bash's headers (package bash-builtins) are missing.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen  # noqa: E402
import oracle  # noqa: E402

HEADERS = "/usr/include/bash"
PLACES = ["/etc", "/usr/bin", "/usr/sbin", "/usr/share", "/usr/lib"]
SCRIPT_MAX = 200000
LENIENT = "bash refuses it, we do not"  # nothing runs then, whatever we found
REFUSED = "we refuse it"
UNSURE = "we are not sure"  # a verdict that is not allow: sound, and counted
GRAMMAR = ("syntax", "bound")  # in the id of a reason; what the parser itself doubts is counted by our_tree


def compile_trees(lib):
    """bash_tree.so and our_tree below the build directory."""
    out = oracle.build_dir()
    os.makedirs(out, exist_ok=True)
    if not os.path.isdir(HEADERS):
        print("1..0 # SKIP bash's headers are not installed (package bash-builtins)")
        sys.exit(0)
    # the sanitizer build is clang's, and its objects want clang's run-time library
    cc = (os.environ.get("CC") or ("clang" if os.environ.get("SANITIZE") else "cc")).split()
    # -w: bash's own headers are not clean under -Wall
    subprocess.run(cc + ["-std=gnu11", "-O1", "-w", "-shared", "-fPIC", "-DHAVE_CONFIG_H", "-DSHELL",
            "-I" + HEADERS, "-I" + HEADERS + "/include",
                         "-I" + HEADERS + "/builtins", os.path.join(oracle.HERE,
                                 "bash_tree.c"), "-o", os.path.join(out, "bash_tree.so")], check=True)
    flags = ["-fsanitize=address,undefined"] if os.environ.get("SANITIZE") else []
    subprocess.run(cc + ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror",
            "-I" + os.path.join(oracle.ROOT, "src")] + flags +
                   [os.path.join(oracle.HERE, "our_tree.c"), lib, "-o",
                           os.path.join(out, "our_tree")], check=True)
    return out


def split(output):
    """{file: [lines]}"""
    trees, at = {}, None
    for line in output.split(b"\n"):
        if line.startswith(b"== "):
            at = trees.setdefault(line[3:], [])
        elif at is not None and line:
            at.append(line)
    return trees


def trees(out, files):
    """(ours, bash's), both in our canonical form"""
    mine, theirs = {}, {}
    loop = 'enable -f %s/bash_tree.so tree; for f; do echo "== $f"; (tree "$f" 2>/dev/null); echo; done' % out
    for i in range(0, len(files), 400):
        part = files[i:i + 400]
        r = subprocess.run([os.path.join(out, "our_tree"), "parse"] + part, stdout=subprocess.PIPE,
                check=True)
        mine.update(split(r.stdout))
        b = subprocess.run(["bash", "--norc", "-c", loop, "bash"] + part, stdout=subprocess.PIPE,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        c = subprocess.run([os.path.join(out, "our_tree"), "canon"], input=b.stdout, stdout=subprocess.PIPE,
                check=True)
        theirs.update(split(c.stdout))
    return mine, theirs


def compare(out, files):
    """(accepted by bash, [(file, what)])"""
    mine, theirs = trees(out, files)
    good, differences = [], []
    for f in files:
        key = f.encode("utf-8", "surrogateescape")
        ours, real = mine.get(key, []), theirs.get(key, [])
        end = ours[-1] if ours else b"!! nothing"
        if not real or real[-1] != b"!! end":
            # bash refuses it somewhere: what it read before that must be ours as well, and we must not be
            # content
            if end == b"!! end":
                differences.append((f, LENIENT))
            continue
        good.append(f)
        if b"\1" in b"".join(real):
            continue  # from $'\1': marked as above
        if end == b"!! end unsure":
            differences.append((f, UNSURE))
        elif end != b"!! end":
            differences.append((f, REFUSED + ": %s" % end.decode(errors="replace")))
        elif ours[:-1] != real[:-1]:
            k = next((i for i, (a, b) in enumerate(zip(ours, real)) if a != b), min(len(ours), len(real)) - 1)
            differences.append((f, "ours %s\n#     bash %s" % (excerpt(ours[k], real[k]),
                    excerpt(real[k], ours[k]))))
    return good, differences


def excerpt(a, b):
    """where a begins to differ from b"""
    k = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
    return "..." + a[max(0, k - 60):k + 80].decode(errors="replace")


def scripts(limit):
    """Files that say they are for bash or sh."""
    found = []
    for place in PLACES:
        for base, dirs, names in os.walk(place):
            dirs.sort()
            for name in sorted(names):
                path = os.path.join(base, name)
                try:
                    if os.path.islink(path) or not os.path.isfile(path) or not 0 < os.path.getsize(
                            path) < SCRIPT_MAX:
                        continue
                    with open(path, "rb") as f:
                        head = f.readline(80)
                except OSError:
                    continue
                words = head[2:].split() if head.startswith(b"#!") else []
                shell = os.path.basename(words[0]) if words else b""
                if shell == b"env" and len(words) > 1:
                    shell = words[1]
                if shell in (b"sh", b"bash",
                        b"dash") or (not words and (name.endswith((".sh", ".bash")) or "bash-completion/completions" in base)):
                    found.append(path)
    return found[:limit] if limit else found


def refused_for_grammar(caisson, files):
    """(files asked about, how many answers are incomplete, [(file, why)] for a reason of grammar)"""
    programs = []
    for f in files:
        with open(f, "rb") as h:
            text = h.read()
        try:
            programs.append((f, {"command": text.decode(), "shell": "bash"}))
        except UnicodeDecodeError:
            pass  # JSON cannot carry it
    bad, incomplete, ask = [], 0, oracle.Caisson(caisson, timeout=120)
    for i in range(0, len(programs), 50):
        part = programs[i:i + 50]
        for (f, p), a in zip(part, ask.ask([p for _, p in part])):
            if isinstance(a, str):
                bad.append((f, a))
            elif not a.get("complete"):
                incomplete += 1
                for r in a.get("reasons", []):
                    if any(g in r.get("id", "") for g in GRAMMAR):
                        bad.append((f, "%s: %s at %s" % (r["id"], r.get("message"), json.dumps(r.get("at")))))
                        break
    return len(programs), incomplete, bad


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--n", type=int, default=500)
    p.add_argument("--seed", default="1")
    p.add_argument("--scripts", type=int, default=0)
    p.add_argument("--show", type=int, default=10)
    p.add_argument("--lib", default=os.path.join(os.path.dirname(oracle.build_dir()), "libcaisson.a"))
    p.add_argument("--caisson", default=os.environ.get("CAISSON")
            or os.path.join(os.path.dirname(oracle.build_dir()), "caisson"))
    a = p.parse_args()
    out = compile_trees(a.lib)
    print("1..3")
    bad = 0

    def result(n, good, name, notes):
        for f, what in notes[:a.show]:
            print("# %s\n#     %s" % (f, what))
        print("%sok %d - %s" % ("" if good else "not ", n, name))
        return not good

    with tempfile.TemporaryDirectory() as d:
        files = []
        for i in range(a.n):
            text = gen.make(a.seed, i, "bash", None)["command"]
            if "\x01" in text or "\x7f" in text or text.endswith("\\"):
                continue  # bash marks these two bytes in its words with one of its own; and ends every text with a newline
            files.append(os.path.join(d, "p%d" % i))
            with open(files[-1], "wb") as f:
                f.write(text.encode("utf-8", "surrogateescape"))
        good, different = compare(out, files)
        count = {k: sum(w.startswith(k) for _, w in different) for k in (UNSURE, REFUSED, LENIENT)}
        different = [x for x in different if not x[1].startswith(tuple(count))]
        shown = [(repr(open(f, errors="replace").read()), w) for f, w in different]
        bad += result(1, not different and count[UNSURE] + count[REFUSED] < len(good) / 50,
                "%d generated programs, %d valid: %d read otherwise, %d refused, "
                      "%d read with doubt; %d refused by bash alone" % (len(files), len(good), len(different),
                              count[REFUSED], count[UNSURE], count[LENIENT]), shown)
    found = scripts(a.scripts)
    good, different = compare(out, found)
    doubts = [x for x in different if x[1] == UNSURE]
    different = [x for x in different if not x[1].startswith((LENIENT, UNSURE))]
    few = "" if len(good) >= min(500, a.scripts
            or 500) or different else " # SKIP only %d scripts on this machine, 500 are wanted (the package bash-completion has many)" % len(good)
    bad += result(2, not different, "%d scripts of this machine, %d valid: %d differ%s" % (len(found),
            len(good), len(different), few), different)
    if os.access(a.caisson, os.X_OK):
        n, incomplete, refused = refused_for_grammar(a.caisson, good)
        refused += doubts
        print("# for any reason (opaque commands, sourced files, paths that are not known ...): %d of %d" % (
                incomplete, n))
        bad += result(3, n > 0 and len(refused) < n / 100,
                "%d of %d valid scripts are incomplete for a reason of grammar" % (len(refused), n), refused)
    else:
        bad += result(3, False, "caisson is not built", [])
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
