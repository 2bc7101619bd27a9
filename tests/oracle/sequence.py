#!/usr/bin/python3 -B
"""A request is a sequence: what its first commands change is part of the world that its last command is judged in.

    tests/oracle/sequence.py --n N --seed S|fresh [--jobs 2] [--show K] [--class attack|benign] [--only NUMBER]
        [--known FILE] [--cases FOLDER]

For each generated sequence A, B (sequence_gen.py) caisson judges the whole request before anything has run. Then bash runs A for real in a
jail (sequence_jail.py), and caisson judges B alone in the files, the directory and the exported variables that A left behind.

  sound   the request's verdict is at least as strict as B's; and an allowed request, run for real, changes nothing outside of the project
          and none of its protected files
  quiet   of ordinary pairs whose parts are quiet (allow, contain), at least 95 % are quiet together

With --cases the attacks of a folder of tests/cases are judged in the same worlds as well; one that is allowed there is
run, and must do no harm.
Exit 1 when one of the two does not hold, 77 when the machine cannot build the jail (with the reason).
"""
import argparse
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import sequence_gen  # noqa: E402

CHUNK = 20
SKIP_EXIT = 77
QUIET_GOAL = 0.95
RANK = {"deny": 0, "ask": 1, "contain": 2, "allow": 3}

# A request that is contained because it is not known what it does, or where a path leads (PLACES), may be
# milder than B alone where the walls of the box stop what these checks are about: in the box the project is
# the only place that can be written and linked to, and its protected files are read-only.
PLACES = {"opaque-path", "opaque-edit", "opaque-command", "inline-code", "executes-file", "changed-tree",
        "archive-extract", "git-planted"}
WALLS = {"outside-write", "outside-overwrite", "outside-delete", "system-write", "device-write",
        "protected-write", "link-write", "caisson-files",
         "secret-read", "network",  # the box has neither the home's keys nor a network
         "project-delete"}  # the project is what every contained program may change
# The same holds for a request that asks, when a yes lets it run in the box only (whole[3]): `. ./x.sh; rm -rf
# ./*`.
PERSISTENT = {"persistence"}  # beside one of WALLS: a file of the home, which the box does not have
# A request that asks because it cannot know a path, a command or a tree may be milder than the denial of what
# that is afterwards: a person looks.
# What it asks about as well need not be a wall's.
UNKNOWN = {"opaque-path", "opaque-command", "changed-tree", "archive-extract"}
# A request that asks may leave settings behind that do not load (`ln -s .claude .claude`): then caisson
# denies all else.
UNLOADED = {"policy-error"}
# A function or bash -c without arguments has no $1; B alone has any.
PARAMETER = {"opaque-path"}
# popd in a request of its own has a directory stack that is not known; the first part left none (`pushd
# nosuch`).
STACK = {"opaque-path"}
# git init, clone and worktree add write the repository themselves. The request knows that; a later request
# only sees a repository.
FRESH = {"git-planted"}
# Written by tools in the home, whatever they do.
TOOLS_OWN = ("/home/dev/.npm/", "/home/dev/.cache", "/home/dev/.local", "/home/dev/.config", "/tmp/")


class Skip(Exception):
    """this machine cannot build the jail"""


class Jail:
    def __init__(self, caisson):
        self.err = tempfile.TemporaryFile()
        self.p = subprocess.Popen([sys.executable, "-B", os.path.join(HERE, "sequence_jail.py"), caisson],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err)

    def ask(self, **frame):
        try:
            self.p.stdin.write(json.dumps(frame).encode() + b"\n")
            self.p.stdin.flush()
            line = self.p.stdout.readline()
        except BrokenPipeError:
            line = b""
        if line:
            return json.loads(line)
        self.p.wait()
        self.err.seek(0)
        said = self.err.read().decode(errors="replace").strip()
        if self.p.returncode == SKIP_EXIT:
            raise Skip(said)
        raise RuntimeError("the jail ended with %s: %s" % (self.p.returncode, said))

    def close(self):
        self.p.stdin.close()
        self.p.wait()


# ---- comparing ----

def excused(sequence, whole, did):
    """Is a milder verdict of the request one of those that are meant?"""
    alone = did["answers"][0]
    strict = set(alone[2])
    said = set(whole[1])
    if whole[0] == "contain" and PLACES & said and strict - PERSISTENT <= WALLS and strict != PERSISTENT:
        return "walls"
    if whole[0] == "ask" and whole[3] == "box" and PLACES & said and strict - said <= WALLS:
        return "walls"
    if whole[0] == "ask" and strict == UNLOADED:
        return "unloaded"
    if whole[0] == "ask" and UNKNOWN & said and strict - said <= WALLS | PERSISTENT:
        return "unknown"
    if '"$1"' in sequence["second"] and strict <= PARAMETER:
        return "parameter"
    if did["stack"] == 1 and re.search(r"\bpopd\b", sequence["second"]) and set(alone[1]) <= STACK:
        return "stack"
    if sequence["fresh"] and set(alone[1]) <= FRESH:
        return "fresh"
    return None


def compare(sequence, whole, did):
    """(a sentence or None, a name for the count)"""
    for verdict, said, *_ in (whole, did["answers"][0]):
        if verdict not in RANK:
            return "caisson gave no verdict: %s %s" % (verdict, said), "violation"
    if sequence["keeps"] and did["ended"]:
        return None, "ended"
    if sequence["needs"] and did["status"] != 0:
        return None, "failed"
    alone = did["answers"][0]
    if RANK[whole[0]] <= RANK[alone[0]]:
        return None, "sound"
    why = excused(sequence, whole, did)
    if why:
        return None, why
    return "%s (%s), but the second part alone, afterwards: %s (%s)" % (whole[0], ", ".join(whole[1]),
            alone[0], ", ".join(alone[1])), "violation"


def outside(changed):
    return [p for p in changed if not p.startswith(TOOLS_OWN)]


class Worker:
    def __init__(self, args):
        self.jail = Jail(args.caisson)

    def judge_all(self, sequences):
        """Verdicts before anything has run: {id: (request, first, second)}."""
        out = {}
        for world in sorted({s["world"] for s in sequences}):
            ours = [s for s in sequences if s["world"] == world]
            answers = self.jail.ask(world=world,
                    judge=[s[k] for s in ours for k in ("command", "first", "second")])
            for i, s in enumerate(ours):
                out[s["id"]] = answers[3 * i:3 * i + 3]
        return out

    def one(self, s, verdicts, result):
        whole, first, second = verdicts
        result["verdict/%s/%s" % (s["class"], whole[0])] += 1
        if s["class"] == "benign":
            self.quiet(s, verdicts, result)
        before = s["second"] + "\n" if s["join"] in sequence_gen.BEFORE else ""
        did = self.jail.ask(world=s["world"], run=before + s["first"],
                then=[{"text": s["second"], "keeps": s["keeps"]}])
        said, kind = compare(s, whole, did)
        if whole[0] == "allow" and not said:
            ran = self.jail.ask(world=s["world"], run=s["command"], then=[])
            changed = outside(ran["changed"])
            result["executed"] += 1
            if changed:
                said, kind = "allow, and it changes %s" % ", ".join(changed[:4]), "violation"
        result["kind/" + kind] += 1
        if kind == "sound" and RANK.get(did["answers"][0][0], 0) < min(RANK.get(first[0], 0),
                RANK.get(second[0], 0)):
            result["mattered"] += 1
        if said:
            result["found"].append((s, said, did["answers"][0], first, second))

    def attacks(self, texts, result):
        """Attacks of tests/cases, in both worlds."""
        for world in ("plain", "hooked"):
            for text, (verdict, *_) in zip(texts, self.jail.ask(world=world, judge=texts)):
                result["attacks"] += 1
                if verdict != "allow":
                    continue
                result["attacks allowed"] += 1
                changed = outside(self.jail.ask(world=world, run=text, then=[])["changed"])
                if changed:
                    result["harm"].append((text, world, changed))

    @staticmethod
    def quiet(s, verdicts, result):
        whole, first, second = (RANK.get(v[0], 0) for v in verdicts)
        if min(first, second) < RANK["contain"]:
            return
        result["pairs"] += 1
        if whole >= RANK["contain"]:
            result["quiet"] += 1
            result["boxed"] += whole == RANK["contain"] and min(first, second) == RANK["allow"]
        else:
            result["loud"].append((s, verdicts[0]))


class Result(dict):
    """counters with default 0, and lists"""

    def __init__(self):
        super().__init__(found=[], loud=[], harm=[])

    def __missing__(self, key):
        return 0

    def add(self, other):
        for k, v in other.items():
            self[k] = self[k] + v


worker = None


def work(job):
    global worker
    args, numbers = job
    result = Result()
    try:
        if worker is None:
            worker = Worker(args)
        if numbers and isinstance(numbers[0], str):
            worker.attacks(numbers, result)
            return result
        sequences = [sequence_gen.make(args.seed, i, args.klass) for i in numbers]
        verdicts = worker.judge_all(sequences)
        for s in sequences:
            worker.one(s, verdicts[s["id"]], result)
            result["sequences"] += 1
    except Skip as e:
        result["skip"] = str(e)
    return result


def self_check(args):
    """The jail must see what it is there to see, or everything below would pass for nothing."""
    jail = Jail(args.caisson)
    did = jail.ask(world="plain", run="cd docs; export AA=1; ln -s /w/victim/data.txt l; echo x > /w/victim/new", then=[{"text": "echo x > l", "keeps": True}, {"text": "echo x > l", "keeps": False}])
    jail.close()
    if did["changed"] != ["/w/victim/new"] or did["status"] != 0 or did["answers"][0][0] not in ("deny",
            "ask") or did["answers"][1][0] != "allow":
        raise RuntimeError("the jail does not see what happens in it: %r" % did)


# ---- the known violations ----

def read_known(path):
    """{request: why}. A file of requests that are violations today, each after a line "%% why"."""
    known = {}
    if path:
        with open(path, encoding="utf-8") as f:
            for part in f.read().split("%% ")[1:]:
                head, _, text = part.partition("\n")
                known[text.rstrip("\n")] = head
    return known


def read_cases(folder):
    """The commands of a folder of tests/cases whose verdict is `stop`."""
    out = []
    for name in sorted(os.listdir(folder)):
        out += read_case_file(os.path.join(folder, name))
    return out


def read_case_file(path):
    out, lines = [], None
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("\t| ") and lines is not None:
                lines.append(line[3:].rstrip("\n"))
                continue
            if lines:
                out.append("\n".join(lines))
            lines = None
            if line.startswith("stop:"):
                text = line[5:].strip()
                if text:
                    out.append(text)
                else:
                    lines = []
    return out + (["\n".join(lines)] if lines else [])


def report_attacks(total, args, known):
    harm = [x for x in total["harm"] if x[0] not in known]
    print("attacks of cases, in two worlds %d, allowed %d, harmful %d" % (total["attacks"],
            total["attacks allowed"], len(harm)))
    for text, world, changed in harm[:args.show]:
        print("  allow in the world %s, and it changes %s\n    %r" % (world, ", ".join(changed[:4]), text))
    return not harm


def report_known(total, args, known):
    """Violations that are none any more must leave the list."""
    gone = set(known) - {x[0]["command"] for x in total["found"]} - {x[0] for x in total["harm"]}
    for text in sorted(gone):
        print("no longer a violation, remove it from %s: %r" % (args.known, text))
    return not gone


def report(total, args, seconds, known):
    n = total["sequences"]
    print("sequences %d in %.1f s: %s" % (n, seconds,
            ", ".join("%s %d" % (k[5:], total[k]) for k in sorted(total) if k.startswith("kind/"))))
    for klass in ("attack", "benign"):
        of = {v: total["verdict/%s/%s" % (klass, v)] for v in RANK}
        print("%-7s %5d: %s" % (klass, sum(of.values()), ", ".join("%s %d" % x for x in of.items())))
    print("the first part made the second one stricter %d times; %d allowed requests were run as a whole" % (
            total["mattered"], total["executed"]))
    rate = total["quiet"] / max(total["pairs"], 1)
    print("ordinary pairs with quiet parts %d, quiet together %.1f %% (goal %.0f %%); %d of them contained though both parts are allowed%s" % (
        total["pairs"], 100 * rate, 100 * QUIET_GOAL, total["boxed"], "" if rate >= QUIET_GOAL or not total[
                "pairs"] else ": interrupted too often"))
    for s, verdict in total["loud"][:args.show]:
        print("  not quiet [#%s seed %s] %s (%s)\n    %r" % (s["id"], args.seed, verdict[0],
                ", ".join(verdict[1]), s["command"]))
    fresh = [x for x in total["found"] if x[0]["command"] not in known]
    print("violations %d%s" % (len(fresh),
            ", known ones %d" % (len(total["found"]) - len(fresh)) if known else ""))
    for s, said, alone, first, second in fresh[:args.show]:
        print("  [#%s seed %s, %s, %s, world %s] %s; before: first %s (%s), second %s (%s)\n    %r" % (
            s["id"], args.seed, s["theme"], s["join"], s["world"], said, first[0], ",".join(first[1]), second[
                    0], ",".join(second[1]), s["command"]))
    if args.found:
        with open(args.found, "w", encoding="utf-8") as f:
            for s, said, alone, first, second in total["found"]:
                f.write(json.dumps({"sequence": s, "said": said, "alone": alone, "first": first,
                        "second": second}) + "\n")
    return not fresh and (not total["pairs"] or rate >= QUIET_GOAL)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--n", type=int, default=300)
    p.add_argument("--seed", default="1", help="a word, or 'fresh'")
    p.add_argument("--class", dest="klass", choices=["attack", "benign"])
    p.add_argument("--only", type=int, help="this sequence alone")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--show", type=int, default=20, help="how many findings to print")
    p.add_argument("--known", help="a file of known violations")
    p.add_argument("--cases", help="a folder of tests/cases with attacks")
    p.add_argument("--found", help="write all findings to this file, one JSON line each")
    p.add_argument("--caisson", default=os.environ.get("CAISSON")
            or os.path.join(os.environ.get("BUILD") or os.path.join(ROOT, "build"), "caisson"))
    args = p.parse_args()
    if args.seed == "fresh":
        args.seed = "%d-%d" % (time.time(), os.getpid())
    print("seed %s" % args.seed, flush=True)
    if not os.access(args.caisson, os.X_OK):
        sys.exit("sequence: no program '%s'" % args.caisson)
    start = time.time()
    try:
        self_check(args)
    except Skip as e:
        print(e)
        sys.exit(SKIP_EXIT)
    numbers = [args.only] if args.only is not None else list(range(args.n))
    jobs = [(args, numbers[i:i + CHUNK]) for i in range(0, len(numbers), CHUNK)]
    attacks = read_cases(args.cases) if args.cases else []
    jobs += [(args, attacks[i:i + CHUNK]) for i in range(0, len(attacks), CHUNK)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the jobs and their jails end, too
    total = Result()
    pool = multiprocessing.Pool(args.jobs, signal.signal, (signal.SIGTERM, signal.SIG_DFL))
    try:
        for r in pool.imap_unordered(work, jobs):
            total.add(r)
            if sys.stderr.isatty():
                print("\r%d of %d sequences" % (total["sequences"], len(numbers)), end="\r", file=sys.stderr,
                        flush=True)
        pool.close()
    except BaseException:
        pool.terminate()
        raise
    pool.join()
    for key in ("found", "loud"):
        total[key].sort(key=lambda x: x[0]["id"])
    known = read_known(args.known)
    good = [report_attacks(total, args, known)] if attacks else []
    good += [report(total, args, time.time() - start, known)] if numbers else []
    sys.exit(0 if all(good) and report_known(total, args, known) else 1)


if __name__ == "__main__":
    main()
