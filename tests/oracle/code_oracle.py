"""The parts of the oracle for inline code: real python3 and node in the jail of jail.c, and the comparison of what they did with what was announced."""
import base64
import os
import posixpath
import shlex
import subprocess
import tempfile

import oracle

PYTHON = "/.host/usr/bin/python3"
NODE = "/.host/usr/bin/node"
SEPARATOR = "%% "
UNTOLD = ("/etc/localtime", "/proc/", "/dev/")  # reads that need not be announced


def hook(name):
    with open(os.path.join(oracle.HERE, name), encoding="utf-8") as f:
        return f.read()


class Jail(oracle.Jail):
    """The same jail with more time and memory; runs code in place of shell text."""

    def __init__(self):
        super().__init__()
        self.python = "exec %s -I -B -c %s " % (PYTHON, shlex.quote(hook("code_hook.py")))
        url = "data:text/javascript;base64," + base64.b64encode(hook("code_hook.mjs").encode()).decode()
        self.node = "exec %s --no-warnings --import '%s' " % (NODE, url)

    def start(self):
        self.err = tempfile.TemporaryFile()
        self.p = subprocess.Popen([os.path.join(self.dir, "jail"), "--stub", os.path.join(self.dir, "stub"),
                "--wall", "4000", "--linger", "300", "--memory", "0"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err)

    def code(self, program):
        """What the program did: the jail's answer, the hook's records apart in "did"."""
        quoted = shlex.quote(program["code"])
        if program["lang"] == "python":
            text = self.python + quoted
        else:
            text = self.node + ("--input-type=module " if program.get("module") else "") + "-e " + quoted
        r = self.run(text)
        r["did"] = [c["argv"] for c in r["ran"] if c["path"] == "@audit"]
        r["ran"] = [c for c in r["ran"] if c["path"] != "@audit"]
        return r


def command(program):
    """The command line that is judged."""
    code, form = program["code"], program.get("form", "-c")
    if program["lang"] == "python":
        if form == "here":
            return "python3 - <<'END_OF_CODE'\n%s\nEND_OF_CODE" % code
        return "python3 %s %s" % (form, shlex.quote(code))
    return "node %s-e %s" % ("--input-type=module " if program.get("module") else "", shlex.quote(code))


def is_shell(argv):
    return len(argv) >= 3 and posixpath.basename(argv[0]) in ("sh", "bash", "dash") and argv[1] == "-c"


def shell_texts(did):
    """What went to a shell: its commands leave records of their own."""
    return {d[1] for d in did if d[0] == "shell"} | {d[4] for d in did if d[0] == "run" and is_shell(d[2:])}


def covers_host(answer, host):
    return any(n.get("host") is None or host in n["host"] for n in answer.get("network", []))


def covers_call(answer, name):
    return any(c["name"].split(".")[-1] == name for code in answer.get("code", [])
            for c in code.get("calls", []))


def covers_import(answer, name):
    top = name.split(".")[0]
    return any(i.split(".")[0] == top for code in answer.get("code", []) for i in code.get("imports", []))


def covers_any(entries, path, **more):
    return any(oracle.covers_path(dict(e, **more), oracle.normal(path), made=True) for e in entries)


def missing(answer, record):
    """One record of a hook: what the answer should have said and does not, or None."""
    kind, words = record[0], record[1:]
    if kind == "write" and not words[0].startswith("/dev/pty") and not covers_any(answer.get("writes", []),
            words[0]):
        return "wrote %s" % words[0]
    if kind == "delete" and not covers_any(answer.get("deletes", []) + answer.get("writes", []), words[0]):
        return "deleted %s" % words[0]
    # what is moved may be copied; <string> is the program itself, looked for by a traceback
    if kind == "read" and not words[0].startswith(UNTOLD) and not words[0].endswith(
            "<string>") and not covers_any(answer.get("reads", []) + answer.get("writes", []) + answer.get("deletes", []), words[0]):
        return "read %s" % words[0]
    # the program that is started, then its argv, whose first word may say something else
    if kind == "run" and not is_shell(words[1:]) and not any(oracle.covers_words(c["argv"], argv)
            for c in answer.get("commands", []) for argv in (words[1:], words[:1] + words[2:])):
        return "started %r as %r" % (words[1:], words[0])
    if kind == "network" and not covers_host(answer, words[0]):
        return "reached %s" % words[0]
    if kind == "listen" and not answer.get("network"):
        return "listens at %s" % words[0]
    if kind == "call" and not covers_call(answer, words[0]):
        return "called %s" % words[0]
    if kind == "import" and not covers_import(answer, words[0]):
        return "imported %s" % words[0]
    if kind == "escape":
        return "left the language: %s" % words[0]
    return None


def harmless(did):
    """Did the program change, start or reach nothing?"""
    return not (did["ran"] or did["made"] or did["changed"] or did["gone"] or did["mode"]
            or any(d[0] != "read" for d in did["did"]))


def unsound(answer, did):
    """What happened that an allowing answer did not announce: a list of sentences."""
    if answer["verdict"] != "allow":
        return []
    texts = shell_texts(did["did"])
    ran = [r for r in did["ran"] if not (is_shell(r["argv"]) and r["argv"][2] in texts)]
    out = oracle.unsound(answer, dict(did, ran=ran))
    for p in did["mode"]:
        if not covers_any(answer.get("writes", []) + answer.get("deletes", []), p):
            out.append("changed the mode of %s" % p)
    for record in did["did"]:
        said = missing(answer, record)
        if said and said not in out:
            out.append(said)
    return out


def read_corpus(path):
    """Many programs in one file: before each a line "%% NAME [module] [verdict=V]"."""
    lang = "python" if path.endswith(".py.txt") else "javascript"
    with open(path, encoding="utf-8", newline="\n") as f:
        parts = ("\n" + f.read()).split("\n" + SEPARATOR)[1:]
    out = []
    for part in parts:
        head, _, code = part.partition("\n")
        words = head.split()
        p = {"lang": lang, "class": "corpus", "shell": "bash", "code": code.rstrip("\n"),
                "module": "module" in words[1:], "id": "%s:%s" % (os.path.basename(path), words[0])}
        p["verdict"] = next((w[8:] for w in words[1:] if w.startswith("verdict=")), None)
        p["command"] = command(p)
        out.append(p)
    return out
