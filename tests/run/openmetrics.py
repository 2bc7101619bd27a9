#!/usr/bin/python3
"""Reads OpenMetrics text on standard input by the format's rules and prints the samples as JSON: {"name{label=\"value\"}": number}. With --classic it
is the older Prometheus text format. Ends with 1 and a line on standard error at the first rule that is broken."""
import json, re, sys

classic = "--classic" in sys.argv
text = sys.stdin.buffer.read().decode("utf-8")
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(r"^(%s)(?:\{(.*)\})? (\S+)$" % NAME)
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)')
SUFFIXES = {"counter": ["_total"], "gauge": [""], "info": ["_info"],
        "histogram": ["_bucket", "_count", "_sum"]}
if classic:
    SUFFIXES = {"counter": [""], "gauge": [""], "histogram": ["_bucket", "_count", "_sum"]}


def bad(n, why):
    sys.exit("line %d: %s" % (n, why))


def number(n, s):
    if not re.fullmatch(r"[+-]?(\d+(\.\d+)?([eE][+-]?\d+)?|Inf)", s):
        bad(n, "not a number: " + s)
    return float(s)


if not text.endswith("# EOF\n") or text.count("# EOF") != 1:
    bad(text.count("\n"), "the text does not end with # EOF")
families, samples, current, done = {}, {}, None, set()
buckets = {}
for n, line in enumerate(text.split("\n")[:-2], 1):
    m = re.match(r"^# (TYPE|UNIT|HELP) (%s) (.*)$" % NAME, line)
    if m:
        what, name, rest = m.groups()
        if name != current:
            if name in done:
                bad(n, "family %s comes twice" % name)
            if current:
                done.add(current)
            current = name
            families[name] = {"samples": 0}
        if what in families[name]:
            bad(n, "%s of %s comes twice" % (what, name))
        if families[name]["samples"]:
            bad(n, "%s behind samples" % what)
        if what == "TYPE" and rest not in SUFFIXES:
            bad(n, "unknown type " + rest)
        if what == "UNIT" and (classic or not name.endswith("_" + rest)):
            bad(n, "unit %s is not the end of %s" % (rest, name))
        if what == "HELP" and re.search(r"\\(?![\\n\"])", rest):
            bad(n, "an escape in HELP")
        families[name][what] = rest
        continue
    m = SAMPLE.match(line)
    if not m:
        bad(n, "neither a sample nor a comment: " + line)
    name, labels, value = m.groups()
    f = families.get(current or "")
    if not f or "TYPE" not in f:
        bad(n, "a sample without a type")
    suffix = name[len(current):] if name.startswith(current) else None
    if suffix not in SUFFIXES[f["TYPE"]]:
        bad(n, "%s does not belong to %s" % (name, current))
    seen, at = {}, 0
    for l in LABEL.finditer(labels or ""):
        if l.start() != at:
            break
        at = l.end()
        if l.group(1) in seen:
            bad(n, "label %s comes twice" % l.group(1))
        seen[l.group(1)] = l.group(2)
    if at != len(labels or "") or (labels or "").endswith(","):
        bad(n, "labels cannot be read: " + labels)
    v = number(n, value)
    key = name + ("{%s}" % labels if labels else "")
    if key in samples:
        bad(n, "sample %s comes twice" % key)
    if f["TYPE"] in ("counter", "histogram") and v < 0:
        bad(n, "a counter is negative")
    if suffix == "_bucket":
        if not re.fullmatch(r"\d+\.\d+|\+Inf", seen.get("le", "")):
            bad(n, "le is not written as a float")
        b = buckets.setdefault(current, [])
        if b and (number(n, seen["le"]) <= b[-1][0] or v < b[-1][1]):
            bad(n, "buckets are not in order, or not cumulative")
        b.append((number(n, seen["le"]), v))
    samples[key] = v
    f["samples"] += 1
for name, b in buckets.items():
    if b[-1][0] != float("inf") or b[-1][1] != samples.get(name + "_count") or name + "_sum" not in samples:
        bad(0, "histogram %s is not complete" % name)
for name, f in families.items():
    if "HELP" not in f or "TYPE" not in f:
        bad(0, "%s has no HELP or no TYPE" % name)
print(json.dumps({"samples": samples, "families": sorted(families)}))
