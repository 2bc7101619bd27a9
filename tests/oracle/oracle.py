"""The parts of the execution oracle: the jail and caisson as functions, and the comparison of what happened with what was announced."""
import fnmatch
import json
import os
import posixpath
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CWD = "/w"
POLICY = os.path.join(HERE, "reader.yaml")
VERDICTS = ("allow", "ask", "deny", "contain")
SKIP_EXIT = 77


class Skip(Exception):
    """this machine cannot build the jail"""


def build_dir():
    return os.path.join(os.environ.get("BUILD") or os.path.join(ROOT, "build"), "oracle")


def compile_jail():
    """Builds jail and stub when they are missing or old; returns their directory."""
    out = build_dir()
    os.makedirs(out, exist_ok=True)
    for name, flags in (("jail", []), ("stub", ["-static"])):
        source, target = os.path.join(HERE, name + ".c"), os.path.join(out, name)
        if os.path.exists(target) and os.path.getmtime(target) > os.path.getmtime(source):
            continue
        cc = (os.environ.get("CC") or "cc").split()
        part = "%s.%d" % (target, os.getpid())
        subprocess.run(cc + ["-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"] + flags
                + [source, "-o", part], check=True)
        os.rename(part, target)
    return out


class Jail:
    def __init__(self):
        self.dir = compile_jail()
        self.p = None

    def start(self):
        # the error stream goes to a file: a full pipe would block the jail
        self.err = tempfile.TemporaryFile()
        self.p = subprocess.Popen([os.path.join(self.dir, "jail"), "--stub", os.path.join(self.dir, "stub"),
                "--wall", "900", "--linger", "300"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err)

    def run(self, text, shell="bash", mode="c"):
        """What the program did, or an exception."""
        if not self.p:
            self.start()
        data = text.encode("utf-8", "surrogateescape")
        try:
            self.p.stdin.write(b"0 %s %s %d\n" % (shell.encode(), mode.encode(), len(data)) + data)
            self.p.stdin.flush()
            line = self.p.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            self.p.wait()
            self.err.seek(0)
            said = self.err.read().decode(errors="replace").strip()
            if self.p.returncode == SKIP_EXIT:
                raise Skip(said)
            raise RuntimeError("the jail ended with %d: %s" % (self.p.returncode, said))
        r = json.loads(line)
        fix = lambda s: s.encode("latin-1").decode("utf-8", "surrogateescape")
        for c in r["ran"]:
            c["path"], c["cwd"], c["argv"] = fix(c["path"]), fix(c["cwd"]), [fix(a) for a in c["argv"]]
        for k in ("made", "changed", "gone", "mode"):
            r[k] = [fix(p) for p in r[k]]
        return r

    def close(self):
        if self.p:
            self.p.stdin.close()
            self.p.wait()
            self.p = None


class Caisson:
    """caisson check --batch. A crash or a hang is pinned to one program by halving the batch."""

    def __init__(self, path, timeout=20):
        self.path = path
        self.timeout = timeout

    def ask(self, programs):
        """One answer per program: a dict, or a string that says what went wrong."""
        if not programs:
            return []
        lines = "".join(json.dumps({"id": i, "command": p["command"], "cwd": CWD, "shell": p["shell"]}) + "\n"
                for i, p in enumerate(programs))
        # one program may take a second; a batch gets that and a little for each
        limit = 2 + self.timeout * len(programs) / 200 if len(programs) > 1 else 3
        try:
            r = subprocess.run([self.path, "check", "--batch", "--config", POLICY], input=lines.encode(),
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit)
            problem = None if r.returncode >= 0 else "killed by signal %d: %s" % (-r.returncode,
                    r.stderr.decode(errors="replace")[-600:])
            out = r.stdout.split(b"\n")
        except subprocess.TimeoutExpired:
            problem, out = "no answer within %d s" % limit, []
        answers = []
        if not problem:
            try:
                answers = [json.loads(l) for l in out if l.strip()]
            except ValueError as e:
                problem = "not JSON: %s" % e
        if not problem and len(answers) != len(programs):
            problem = "%d answers to %d programs (exit %d): %s" % (len(answers), len(programs), r.returncode,
                    r.stderr.decode(errors="replace")[-300:])
        if not problem:
            return answers
        if len(programs) == 1:
            return [problem]
        half = len(programs) // 2
        return self.ask(programs[:half]) + self.ask(programs[half:])


# ---- is the answer one at all? ----

def word_ok(w):
    return w is None or isinstance(w, str) or (isinstance(w, dict)
            and ("rest" in w or "text" in w or "glob" in w))


def malformed(answer, program):
    """What is wrong with the answer's form, or None."""
    if isinstance(answer, str):
        return answer
    if answer.get("verdict") not in VERDICTS:
        return "verdict is %r (%r)" % (answer.get("verdict"), answer.get("error"))
    if not isinstance(answer.get("complete"), bool):
        return "complete is %r" % answer.get("complete")
    if answer["verdict"] == "allow" and not answer["complete"]:
        return "allowed although the facts are not complete"
    if answer["verdict"] != "allow" and not answer.get("reasons"):
        return "%s without a reason" % answer["verdict"]
    for c in answer.get("commands", [None]):
        if not isinstance(c, dict) or not isinstance(c.get("argv"),
                list) or not all(word_ok(w) for w in c["argv"]):
            return "a command of the form %s" % json.dumps(c)
    texts = answer.get("texts", [])
    size = len(program["command"].encode("utf-8", "surrogateescape"))
    for kind in ("commands", "writes", "deletes", "reads", "reasons"):
        for x in answer.get(kind, []):
            for at in x.get("at", []):
                if not (0 <= at["from"] <= at["to"]) or at["text"] >= max(1,
                        len(texts)) or (at["text"] == 0 and at["to"] > size):
                    return "a range outside of its text: %s in %s" % (json.dumps(at), kind)
    return None


# ---- coverage ----

def covers_words(pattern, argv):
    """pattern: words of caisson; argv: exact words. Linear in practice: {"rest"} is tried by positions reachable so far."""
    at = {0}
    for w in pattern:
        if isinstance(w, dict) and ("rest" in w or "glob" in w):
            at = set(range(min(at), len(argv) + 1))
        elif w is None or isinstance(w, dict):
            at = {i + 1 for i in at if i < len(argv)}
        else:
            at = {i + 1 for i in at if i < len(argv) and argv[i] == w}
        if not at:
            return False
    return len(argv) in at


def shapes(ran):
    """The argv as executed; and under the name that was looked up, which exec -a hides."""
    argv = ran["argv"] or [""]
    names = {argv[0], ran["path"], posixpath.basename(ran["path"])}
    return [[n] + argv[1:] for n in names]


def from_wrapper(ran, commands):
    """sh -c TEXT that a listed command (flock -c, script -c, split --filter, awk's system) started by itself."""
    argv = ran["argv"]
    if len(argv) < 3 or posixpath.basename(argv[0]) not in ("sh", "bash", "dash") or argv[1] not in ("-c",
            "-ec"):
        return False
    text = argv[2] if argv[2] != "--" else argv[-1]
    return any(isinstance(w, str) and text in w for c in commands for w in c["argv"][1:])


def normal(path):
    return posixpath.normpath(posixpath.join(CWD, path)).replace("//", "/")


def covers_path(entry, path, made=False):
    p = entry.get("path")
    if isinstance(p, dict):
        entry, p = dict(entry, **p), p.get("text", p.get("path"))
    if p is None and entry.get("glob"):
        p = entry["glob"]
    if p is None:
        return True
    n = normal(p)
    if n == path:
        return True
    if entry.get("below") and path.startswith(n.rstrip("/") + "/"):
        return True
    if made and (n.startswith(path + "/") or posixpath.join(CWD, p).startswith(path + "/")):
        return True  # a directory made on the way (mkdir -p)
    if any(c in n for c in "*?[") or entry.get("glob"):
        # a pattern: `*` does not match a slash; what lies below a match counts with `below`
        parts, have = n.split("/"), path.split("/")
        return (len(have) == len(parts)
                or (len(have) > len(parts)
                        and bool(entry.get(
                                "below")))) and all(fnmatch.fnmatchcase(h, q) for h, q in zip(have, parts))
    return False


def unsound(answer, did):
    """What happened that an allowing answer did not announce: a list of sentences."""
    if answer["verdict"] != "allow":
        return []
    out = []
    commands, writes, deletes = answer.get("commands", []), answer.get("writes", []), answer.get("deletes",
            [])
    for ran in did["ran"]:
        if any(covers_words(c["argv"], argv) for c in commands for argv in shapes(ran)) or from_wrapper(ran,
                commands):
            continue
        out.append("executed %s" % json.dumps(ran["argv"], ensure_ascii=False))
    for p in did["made"] + did["changed"]:
        if not any(covers_path(e, p, made=True) for e in writes) and not (p in did["changed"]
                and any(covers_path(e, p) for e in deletes)):
            out.append("wrote %s" % p)
    for p in did["gone"]:
        if not any(covers_path(dict(e, op=None), p) for e in deletes + writes):
            out.append("deleted %s" % p)
    return out


# ---- counterexamples ----

def read_list(path):
    """Many short programs in one file: before each a line "%% SHELL"."""
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        parts = f.read().split("%% ")[1:]
    out = []
    for i, part in enumerate(parts):
        shell, _, text = part.partition("\n")
        out.append({"shell": shell, "mode": "c", "command": text.rstrip("\n"), "class": "corpus",
                "id": "%s:%d" % (os.path.basename(path), i + 1)})
    return out


def read_case(path):
    """A kept program: a first line "# key=value ... why=the rest", then the text."""
    with open(path, "rb") as f:
        head, _, text = f.read().partition(b"\n")
    head = head.decode()
    if not head.startswith("# shell="):
        raise ValueError("%s: no header line" % path)
    front, _, why = head[2:].partition(" why=")
    case = dict(kv.split("=", 1) for kv in front.split())
    case.update(command=text.decode("utf-8", "surrogateescape"), why=why,
            **{"class": case.get("class", "corpus")})
    case.setdefault("mode", "c")
    return case


def write_case(path, program, why):
    with open(path, "wb") as f:
        f.write(("# shell=%s mode=%s why=%s\n" % (program["shell"], program["mode"],
                why.replace("\n", " ").encode("utf-8", "replace").decode())).encode())
        f.write(program["command"].encode("utf-8", "surrogateescape"))
