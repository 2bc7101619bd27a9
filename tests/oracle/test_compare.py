#!/usr/bin/python3
"""The comparison itself, on answers made by hand (TAP): an oracle that cannot fail would prove nothing."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen  # noqa: E402
import oracle  # noqa: E402

REST = {"rest": True}
EVIL = {"path": "/bin/evil", "cwd": "/w", "argv": ["evil", "a", "b"]}


def did(ran=(), made=(), changed=(), gone=()):
    return {"ran": list(ran), "made": list(made), "changed": list(changed), "gone": list(gone)}


def allow(argvs=(), writes=(), deletes=()):
    return {"verdict": "allow", "complete": True, "reasons": [], "commands": [{"argv": a} for a in argvs],
            "writes": list(writes), "deletes": list(deletes), "texts": [{}]}


CASES = [
    ("an exact command is covered", allow([["evil", "a", "b"]]), did([EVIL]), 0),
    ("a missing command is found", allow([["echo", "a"]]), did([EVIL]), 1),
    ("a shorter argv does not cover", allow([["evil", "a"]]), did([EVIL]), 1),
    ("a longer argv does not cover", allow([["evil", "a", "b", "c"]]), did([EVIL]), 1),
    ("null covers exactly one word", allow([["evil", None, "b"]]), did([EVIL]), 0),
    ("null does not cover two words", allow([["evil", None]]), did([EVIL]), 1),
    ("rest covers any number", allow([["evil", REST]]), did([EVIL]), 0),
    ("rest covers none", allow([["evil", "a", "b", REST]]), did([EVIL]), 0),
    ("a word after rest must match", allow([["evil", REST, "c"]]), did([EVIL]), 1),
    ("rest in the middle", allow([["evil", REST, "b"]]), did([EVIL]), 0),
    ("another name does not cover", allow([["canary", "a", "b"]]), did([EVIL]), 1),
    ("exec -a: the name that was looked up covers", allow([["evil", "x"]]),
            did([{"path": "/bin/evil", "cwd": "/w", "argv": ["foo", "x"]}]), 0),
    ("the path as executed covers", allow([["./e", "x"]]),
            did([{"path": "./e", "cwd": "/w", "argv": ["./e", "x"]}]), 0),
    ("not allowed is sound", dict(allow(), verdict="ask", reasons=[{}]), did([EVIL], ["/w/f"]), 0),
    ("a write is covered", allow([], [{"path": "/w/f", "op": ">"}]), did(made=["/w/f"]), 0),
    ("a relative write is joined to the directory", allow([], [{"path": "sub/../f", "op": ">"}]),
            did(made=["/w/f"]), 0),
    ("a missing write is found", allow([], [{"path": "/w/g", "op": ">"}]), did(made=["/w/f"]), 1),
    ("a changed file is a write", allow(), did(changed=["/w/a.txt"]), 1),
    ("an unknown path covers all", allow([], [{"path": None, "op": ">"}]), did(made=["/w/f"]), 0),
    ("a redirection does not cover what is below", allow([], [{"path": "/w/d", "op": ">"}]),
            did(made=["/w/d/f"]), 1),
    ("nor does a copy's target", allow([], [{"path": "/w/d", "op": "cp"}]), did(made=["/w/d/f"]), 1),
    ("unless it says so", allow([], [{"path": "/w/d", "op": "cp", "below": True}]), did(made=["/w/d/f"]), 0),
    ("a pattern covers what it matches", allow([], [{"path": None, "glob": "/w/*.o", "op": "touch"}]),
            did(made=["/w/a.o"]), 0),
    ("and nothing else", allow([], [{"path": None, "glob": "/w/*.o", "op": "touch"}]), did(made=["/w/a.c"]),
            1),
    ("a name that only begins alike does not cover", allow([], [{"path": "/w/d", "op": "cp"}]),
            did(made=["/w/dx"]), 1),
    ("mkdir -p makes the directories on the way", allow([], [{"path": "/w/d/e", "op": "mkdir"}]),
            did(made=["/w/d", "/w/d/e"]), 0),
    ("a pattern covers", allow([], [{"path": "/w/*.txt", "op": "touch"}]), did(changed=["/w/a.txt"]), 0),
    ("a pattern does not cross a slash", allow([], [{"path": "/w/*.txt", "op": "touch"}]),
            did(changed=["/w/sub/c.txt"]), 1),
    ("a deletion is covered", allow([], [], [{"path": "/w/sub", "op": "rm", "below": True}]),
            did(gone=["/w/sub", "/w/sub/c.txt"]), 0),
    ("a missing deletion is found", allow([], [{"path": "/w/x", "op": ">"}]), did(gone=["/w/a.txt"]), 1),
    ("mv: the source may be listed as a write", allow([], [{"path": "/w/a.txt", "op": "mv"}]),
            did(gone=["/w/a.txt"]), 0),
    ("sh -c of a listed wrapper", allow([["flock", "l", "-c", "evil"]]),
            did([{"path": "/bin/sh", "cwd": "/w", "argv": ["sh", "-c", "evil"]}]), 0),
    ("sh -c of nobody", allow([["flock", "l"]]),
            did([{"path": "/bin/sh", "cwd": "/w", "argv": ["sh", "-c", "evil"]}]), 1),
]
P = {"command": "abc", "shell": "bash"}
FORMS = [
    ("a good answer", allow([["x"]]), False),
    ("no verdict", {"complete": True}, True),
    ("a crash", "killed by signal 11", True),
    ("allowed but not complete", dict(allow(), complete=False), True),
    ("asked without a reason", dict(allow(), verdict="ask"), True),
    ("a word that is none", allow([[3]]), True),
    ("a range past the end", dict(allow(), writes=[{"path": "x", "at": [{"text": 0, "from": 1, "to": 4}]}]),
            True),
]


def main():
    n = 0
    results = [(name, len(oracle.unsound(a, d)) == want) for name, a, d, want in CASES]
    results += [("form: " + name, bool(oracle.malformed(a, P)) == want) for name, a, want in FORMS]
    results.append(("the generator is deterministic",
            [gen.make("s", i) for i in range(50)] == [gen.make("s", i) for i in range(50)]))
    results.append(("seeds differ", [gen.make("s", i) for i in range(50)] != [gen.make("r", i)
            for i in range(50)]))
    print("1..%d" % len(results))
    for name, good in results:
        n += 1
        print("%sok %d - %s" % ("" if good else "not ", n, name))
    sys.exit(0 if all(g for _, g in results) else 1)


if __name__ == "__main__":
    main()
