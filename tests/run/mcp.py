"""Talks to `caisson mcp` over pipes. Started by mcp.sh: mcp.py TOP DIR. TAP."""
import json
import os
import queue
import random
import re
import signal
import subprocess
import sys
import threading
import time

top, tmp = sys.argv[1:3]
caisson = os.environ["CAISSON"]
os.makedirs(tmp + "/home", exist_ok=True)
os.makedirs(tmp + "/project/sub", exist_ok=True)
ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": tmp + "/home", "CAISSON_STATE": tmp + "/state", "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
PV = "io.modelcontextprotocol/protocolVersion"
MODERN = {PV: "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}}
LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
count = 0
reports = []


def ok(what, good, seen=None):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if good else "not ok", count, what))
    if not good:
        print("#   " + repr(seen)[:1500])
    sys.stdout.flush()


class Server:
    def __init__(self, *options, cwd=None):
        self.p = subprocess.Popen([caisson, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENV, cwd=cwd or tmp + "/project", bufsize=0)
        self.seen, self.q, self.next = [], queue.Queue(), 1000
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        rest = b""
        while True:
            piece = os.read(self.p.stdout.fileno(), 65536)
            if not piece:
                break
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self.q.put(json.loads(line))
        self.q.put(None)

    def raw(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.p.stdin.fileno(), view):]

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def note(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params=None, id=None):
        """Sends a request and returns its id."""
        if id is None:
            self.next += 1
            id = self.next
        self.send({"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})})
        return id

    def get(self, want, timeout=60):
        """The first message that `want` is true of; others are kept."""
        for i, m in enumerate(self.seen):
            if want(m):
                return self.seen.pop(i)
        until = time.time() + timeout
        while time.time() < until:
            try:
                m = self.q.get(timeout=max(0.01, until - time.time()))
            except queue.Empty:
                break
            if m is None:
                self.q.put(None)
                break
            if want(m):
                return m
            self.seen.append(m)
        return None

    def answer(self, id, timeout=60):
        return self.get(lambda m: isinstance(m, dict) and m.get("id") == id and "method" not in m, timeout)

    def call(self, method, params=None, **more):
        return self.answer(self.ask(method, params, **more))

    def tool(self, name, _meta=None, **arguments):
        r = self.call("tools/call", {"name": name, "arguments": arguments, **({"_meta": _meta} if _meta else {})})
        r = (r or {}).get("result", {})
        if name == "run" and "structuredContent" in r:
            reports.append(r["structuredContent"])
        return r

    def run(self, **arguments):
        return self.tool("run", **arguments).get("structuredContent", {})

    def initialize(self, version="2025-11-25"):
        r = self.call("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}})
        self.note("notifications/initialized")
        return r

    def alive(self):
        return self.call("ping", id="still-there") == {"jsonrpc": "2.0", "id": "still-there", "result": {}}

    def close(self, timeout=20):
        """Ends its input; how long it took to end, or None."""
        start = time.time()
        try:
            self.p.stdin.close()
        except OSError:
            pass
        try:
            self.p.wait(timeout)
        except subprocess.TimeoutExpired:
            self.p.kill()
            return None
        return time.time() - start


def processes(word):
    """How many processes of this machine, in boxes or not, have the word as an argument of their own."""
    n = 0
    for pid in os.listdir("/proc"):
        try:
            n += pid.isdigit() and word.encode() in open("/proc/%s/cmdline" % pid, "rb").read().split(b"\0")
        except OSError:
            pass
    return n


def wait_for(condition, seconds=15):
    until = time.time() + seconds
    while time.time() < until:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())


def unique(base=[0]):
    """A time to sleep that no other process uses."""
    base[0] += 1
    return "%d.%d%02d" % (300 + base[0], os.getpid(), base[0])


# ---- both eras ----

def test_legacy():
    for version in LEGACY + ["1999-01-01", "2026-07-28"]:
        s = Server()
        r = s.initialize(version)["result"]
        ok("initialize with %s" % version, r["protocolVersion"] == (version if version in LEGACY else "2025-11-25") and r["serverInfo"]["name"] == "caisson" and "tools" in r["capabilities"] and "box" in r["instructions"], r)
        ok("... and ping", s.alive())
        r = s.call("tools/list")["result"]
        ok("... and the tools, with nothing of the newer era", [t["name"] for t in r["tools"]] == ["run", "verify_tests", "check", "result"] and set(r) == {"tools"}, r)
        ok("... and a clean end", s.close() is not None and s.p.returncode == 0, s.p.returncode)
    s = Server()
    r = s.tool("run", command="echo hi")
    ok("a run: text and structured content are the same", json.loads(r["content"][0]["text"]) == r["structuredContent"] and r["structuredContent"]["stdout"] == "hi\n" and r["isError"] is False and set(r) == {"content", "structuredContent", "isError"}, r)
    r = s.call("initialize", {"capabilities": {}})
    ok("initialize without a version", r["error"]["code"] == -32602, r)
    s.close()


def test_modern():
    s = Server()
    r = s.call("server/discover", {"_meta": MODERN}, id="probe")["result"]
    ok("server/discover", r["resultType"] == "complete" and r["supportedVersions"] == ["2026-07-28"] + LEGACY and r["serverInfo"]["name"] == "caisson" and "ttlMs" in r and r["cacheScope"] == "private", r)
    r = s.call("tools/list", {"_meta": MODERN})["result"]
    ok("tools/list", r["resultType"] == "complete" and len(r["tools"]) == 4 and "ttlMs" in r and "cacheScope" in r and r["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "caisson", r)
    r = s.tool("run", _meta=MODERN, command="echo hi")
    ok("tools/call", r["resultType"] == "complete" and r["structuredContent"]["status"] == "ok", r)
    r = s.tool("run", _meta=MODERN, frob=1)
    ok("a tool that fails has a resultType as well", r["resultType"] == "complete" and r["isError"] is True, r)
    for version in ["2099-01-01", "2025-06-18", "", 7, None]:
        r = s.call("tools/list", {"_meta": {PV: version}})
        e = r.get("error", {})
        ok("version %r is not spoken" % (version,), e.get("code") == -32022 and e["data"]["supported"][0] == "2026-07-28", r)
    r = s.call("ping", {"_meta": MODERN})
    ok("no ping in this era", r["error"]["code"] == -32601, r)
    r = s.call("initialize", {"_meta": MODERN, "protocolVersion": "2025-06-18"})
    ok("nor initialize", r["error"]["code"] == -32601, r)
    ok("both eras in one stream", s.initialize()["result"]["protocolVersion"] == "2025-11-25" and s.call("tools/list", {"_meta": MODERN})["result"]["resultType"] == "complete")
    s.close()


def test_schemas():
    s = Server()
    tools = {t["name"]: t for t in s.call("tools/list")["result"]["tools"]}
    want = json.load(open(top + "/docs/schema/report.schema.json"))
    want.pop("$schema")
    ok("run answers by the report's schema", tools["run"]["outputSchema"] == want)
    whole = json.load(open(top + "/docs/schema/check-answer.schema.json"))
    want = whole["$defs"].pop("answer")
    del whole["$defs"]["error"]
    ok("check answers by the schema of check", tools["check"]["outputSchema"] == {**want, "$defs": whole["$defs"]})
    ok("all of them are objects", all(t["inputSchema"]["type"] == "object" and t["outputSchema"]["type"] == "object" and t["inputSchema"]["additionalProperties"] is False for t in tools.values()))
    ok("what a call could widen itself by is not there", not {"read", "write", "env", "profile", "config", "root", "backend", "gate", "skill", "agent"} & set(tools["run"]["inputSchema"]["properties"]))
    r = s.tool("check", command="ls")
    ok("check has no id", "id" not in r["structuredContent"] and r["structuredContent"]["verdict"] == "allow" and json.loads(r["content"][0]["text"]) == r["structuredContent"], r)
    s.close()


# ---- tools ----

def test_run():
    s = Server("--accept", "watched")
    r = s.run(code="import sys; print(sys.stdin.read()[::-1])", lang="python", stdin="cba")
    ok("Python with standard input", r.get("stdout") == "abc\n", r)
    r = s.run(command="wc -c", stdin="a\0b" * 300000)
    ok("a long standard input with NUL", r.get("stdout") == "900000\n", r)
    r = s.run(command="sleep 0.1 && cat")
    ok("without one it is empty", r.get("stdout") == "" and r["status"] == "ok", r)
    r = s.run(command="echo $0", lang="sh")
    ok("another shell", r.get("stdout") == "sh\n", r)
    r = s.tool("run", command="exit 7")
    ok("a program that fails is an error of the tool", r["isError"] is True and r["structuredContent"]["status"] == "exit_nonzero" and r["structuredContent"]["exit_code"] == 7, r)
    r = s.tool("run", command="sleep 20", timeout_sec=0.3)
    ok("a time limit", r["isError"] is True and r["structuredContent"]["status"] == "timeout" and r["structuredContent"]["limits"]["timeout_sec"]["value"] == 0.3, r)
    hint = r["structuredContent"]["hints"][0]["message"]
    ok("... whose hint names the argument, and no option", "'timeout_sec'" in hint and "--" not in hint, hint)
    r = s.run(command="true", timeout_sec=86400, memory_mb=1000000, cpus=64, pids=100000)
    values = {k: v["value"] for k, v in r["limits"].items()}
    ok("a call gets no more than the profile", values["timeout_sec"] == 30 and values["memory_mb"] == 1024 and values["cpus"] <= 2 and values["pids"] == 256, values)
    ok("... and hears of it", [h["id"] for h in r["hints"]] == ["limit-capped"] and "'memory_mb'" in r["hints"][0]["message"], r["hints"])
    r2 = s.tool("run", command="true", columns="a,b")
    ok("no error names an option", r2["isError"] and "--" not in r2["content"][0]["text"], r2)
    r = s.run(command="true", timeout_sec=10**9, memory_mb=10**12, cpus=1e300, pids=10**15)
    ok("however much it asks for", {k: v["value"] for k, v in r["limits"].items()} == values and [h["id"] for h in r["hints"]] == ["limit-capped"], r)
    r = s.run(command="true", memory_mb=64, cpus=0.5, pids=20)
    values = {k: v["value"] for k, v in r["limits"].items()}
    ok("but less", values["memory_mb"] == 64 and values["cpus"] == (1 if r["limits"]["cpus"]["enforced_by"] == "affinity" else 0.5) and values["pids"] == 20 and r["hints"] == [], values)
    r = s.run(command="date -d @1700000000 +%s")
    ok("numbers are what the program printed", r["stdout"] == "1700000000\n" and r["sanitized"] == {}, r)
    r = s.run(command="seq 10", head=2, tail=1)
    ok("head and tail", r["stdout"].startswith("1\n2\n") and r["stdout"].endswith("10\n") and "5" not in r["stdout"].split("\n"), r)
    r = s.run(command="cat /proc/self/status | grep NoNewPrivs; ls %s" % tmp)
    ok("nothing of this machine's files is there", r["status"] == "exit_nonzero" and "NoNewPrivs:\t1" in r["stdout"], r)
    for what, arguments in {
        "nothing to run": {}, "two things": {"command": "true", "code": "1", "lang": "python"}, "code without a language": {"code": "1"}, "an unknown language": {"code": "1", "lang": "cobol"},
        "an argument that is not there": {"command": "true", "profile": "work"}, "another": {"command": "true", "write": ["/etc"]}, "a network that is no host": {"command": "true", "network": "*"}, "a command that is no string": {"command": 5},
        "NUL in a command": {"command": "a\0b"}, "a negative limit": {"command": "true", "timeout_sec": -1}, "a limit that is text": {"command": "true", "memory_mb": "1G"},
        "a workspace where there is none": {"command": "true", "workspace": "rw"}, "an unknown mode": {"command": "true", "workspace": "/etc"},
    }.items():
        r = s.tool("run", **arguments)
        ok("wrong: " + what, r.get("isError") is True and "structuredContent" not in r and r["content"][0]["text"], r)
    for wanted, want in {"host": "deny", "loopback": "deny", "a.example.org": "deny", "deny": "deny"}.items():
        r = s.run(command="true", network=wanted)
        ok("a call gets no more network than the server has: " + wanted, r["network"]["mode"] == want and ([h["id"] for h in r["hints"]] == ["limit-capped"]) == (wanted != "deny"), r)
    r = s.run(command=None, code="print(1)", lang="python", stdin=None)
    ok("null is as if it were not given", r.get("stdout") == "1\n", r)
    s.close()
    s = Server("--timeout", "60", "--accept", "watched", "--memory", "256M", "--agent", "someone")
    r = s.run(command="true", timeout_sec=100)
    ok("the server's own limits are the most", r["limits"]["timeout_sec"]["value"] == 60 and r["limits"]["memory_mb"]["value"] == 256, r["limits"])
    s.close()
    s = Server("--network", "a.example.org,*.b.example.org:8443", "--accept", "watched")
    for wanted, mode, capped in ((None, "names", False), ("a.example.org", "names", False), ("x.b.example.org:8443,evil.example.net", "names", True), ("evil.example.net", "loopback", True), ("host", "names", True), ("deny", "deny", False)):
        r = s.run(command="true", **({"network": wanted} if wanted else {}))
        ok(f"a server with hosts, a call that wants {wanted}", r["network"]["mode"] == mode and ([h["id"] for h in r["hints"]] == ["limit-capped"]) == capped, r)
    r = s.run(command="cat /etc/resolv.conf")
    ok("... and asks the relay for names", "nameserver 198.18.0.1" in r["stdout"], r)
    s.close()
    s = Server("--timeout", "168h")
    r = s.run(command="true", timeout_sec=168 * 3600 + 1)
    ok("also where they are the longest that can be", r["limits"]["timeout_sec"]["value"] == 168 * 3600 and [h["id"] for h in r["hints"]] == ["limit-capped"], r)
    s.close()


def test_gate():
    canary = tmp + "/canary"
    os.makedirs(canary, exist_ok=True)
    s = Server("--workspace", tmp + "/project")
    r = s.tool("run", command="rm -rf " + canary)
    ok("denied: an error of the tool, with the reasons", r["isError"] is True and r["structuredContent"]["status"] == "denied" and r["structuredContent"]["reasons"][0]["id"] == "outside-delete", r)
    r = s.tool("run", command='rm -rf "$(head -n 1 names.txt)"')
    ok("asked about: as well", r["isError"] is True and r["structuredContent"]["status"] == "needs_approval" and r["structuredContent"]["reasons"], r)
    r = s.tool("run", code="import shutil; shutil.rmtree(%r)" % canary, lang="python")
    ok("code is judged too", r["isError"] is True and r["structuredContent"]["status"] in ("denied", "needs_approval"), r)
    r = s.tool("run", command="rm -rf x", cwd="../canary")
    ok("the directory counts", r["isError"] is True, r)
    ok("nothing happened", os.path.isdir(canary))
    r = s.tool("check", command="rm -rf " + canary)
    ok("check says the same, and is no error", r["isError"] is False and r["structuredContent"]["verdict"] == "deny" and r["structuredContent"]["reasons"][0]["id"] == "outside-delete", r)
    r = s.tool("check", code="print(1)", lang="python")
    ok("check of code", r["structuredContent"]["verdict"] in ("allow", "contain"), r)
    s.close()
    with open(tmp + "/broken.yaml", "w") as f:
        f.write("deny: {")
    s = Server("--config", tmp + "/broken.yaml")
    r = s.tool("run", command="echo hi")
    ok("a policy that does not load denies", r["isError"] is True and r["structuredContent"]["status"] == "denied" and r["structuredContent"]["reasons"][0]["id"] == "policy-error", r)
    r = s.tool("check", command="echo hi")
    ok("... in check as well", r["structuredContent"]["verdict"] == "deny", r)
    s.close()


def test_skill():
    with open(tmp + "/SKILL.md", "w") as f:
        f.write("---\nsandbox_timeout_sec: 7\nallowed_binaries: [cat]\n---\n")
    s = Server("--skill", tmp + "/SKILL.md")
    r = s.run(command="cat", stdin="x", timeout_sec=20)
    ok("a skill holds for every run", r["stdout"] == "x" and r["limits"]["timeout_sec"]["value"] == 7, r)
    r = s.run(command="cat | wc -l")
    ok("... and its list", r["status"] == "denied" and r["reasons"][0]["id"] == "not-on-list", r)
    r = s.tool("check", command="wc -l")["structuredContent"]
    ok("... in check as well", r["verdict"] == "deny", r)
    s.close()


def test_task():
    s = Server()
    r = s.tool("run", command="echo '{\"a\": 1}'", task="json")
    ok("a task is checked", r["isError"] is False and r["structuredContent"]["validation"]["outcome"] == "valid", r)
    r = s.tool("run", command="echo '{\"a\": '", task="json")
    ok("... and what cannot be true is an error", r["isError"] is True and r["structuredContent"]["validation"]["outcome"] == "invalid", r)
    r = s.tool("run", command="printf 'id,n\\n1,x\\n'", task="data", columns="id:integer,total")
    ok("... with columns", r["isError"] is True and "total" in json.dumps(r["structuredContent"]["validation"]), r)
    s.close()
    s = Server("--task", "json")
    r = s.tool("run", command="true", task="test")
    ok("a server's task is not changed", r["isError"] is True and "json" in r["content"][0]["text"], r)
    s.close()


def test_record():
    s = Server()
    s.initialize()
    id = s.run(command="echo recorded")["id"]
    s.tool("run", _meta={**MODERN, "io.modelcontextprotocol/clientInfo": {"name": "other"}, "claudecode/toolUseId": "toolu_1"}, command="rm -rf " + tmp + "/canary")
    s.tool("check", command="echo unrecorded")
    s.close()
    rows = [json.loads(l) for name in sorted(os.listdir(tmp + "/state/audit")) if name.endswith(".jsonl") for l in open(tmp + "/state/audit/" + name)]
    mine = [r for r in rows if r["id"] == id]
    ok("a run is recorded: who, through what, how it ended", [r["kind"] for r in mine] == ["begin", "end"] and all(r["client"] == "mcp" and r["agent_id"] == "tester" and r["tool"] == "run" for r in mine) and mine[1]["status"] == "ok", mine)
    denied = [r for r in rows if r.get("tool_use_id") == "toolu_1"]
    ok("so is one that was denied", len(denied) == 1 and denied[0]["verdict"] == "deny" and denied[0]["agent_id"] == "other", denied)
    ok("check is not", not [r for r in rows if "unrecorded" in r.get("command", "")])
    cancelled = subprocess.run([caisson, "audit", "verify"], capture_output=True, env=ENV, text=True)
    ok("and the record holds", cancelled.returncode == 0, cancelled)


def test_workspace():
    project = tmp + "/project"
    s = Server("--workspace", project, cwd=tmp)
    r = s.run(command="pwd; echo one > made; cat made")
    ok("the workspace is where it starts, and can be written", r["stdout"] == project + "\none\n" and open(project + "/made").read() == "one\n", r)
    r = s.run(command="pwd", cwd="sub")
    ok("cwd is relative to it", r["stdout"] == project + "/sub\n", r)
    r = s.tool("run", command="pwd", cwd="none")
    ok("... and must be there", r["isError"] is True, r)
    r = s.run(command="echo two > made2", workspace="ro")
    ok("ro: it cannot be written", r["status"] == "exit_nonzero" and not os.path.exists(project + "/made2"), r)
    r = s.run(command="ls %s" % project, workspace="none")
    ok("none: it is not there", r["status"] == "exit_nonzero", r)
    r = s.run(command="echo three > made3", workspace="rw")
    ok("rw: what the server offers", r["status"] == "ok" and os.path.exists(project + "/made3"), r)
    s.close()
    s = Server("--workspace", project + ":ro")
    r = s.run(command="cat made && echo no > made4")
    ok("a server that offers ro", r["stdout"] == "one\n" and r["status"] == "exit_nonzero", r)
    r = s.tool("run", command="true", workspace="rw")
    ok("... gives no rw", r["isError"] is True and "read-only" in r["content"][0]["text"], r)
    s.close()
    subprocess.run(["git", "init", "-q", project], check=True, env=ENV)
    s = Server("--profile", "work", cwd=project + "/sub")
    r = s.run(command="pwd; touch ../made5")
    ok("the work profile: the project", r["stdout"] == project + "/sub\n" and os.path.exists(project + "/made5"), r)
    r = s.run(command="echo four > ../made6", workspace="ro")
    ok("... or read-only", r["status"] == "exit_nonzero" and not os.path.exists(project + "/made6"), r)
    r = s.tool("run", command="true", workspace="none")
    ok("... but never without", r["isError"] is True, r)
    s.close()


def test_result():
    s = Server()
    r = s.run(command="seq -f 'line %.0f äöü' 20000; echo oops >&2")
    whole = "".join("line %d äöü\n" % i for i in range(1, 20001)).encode()
    id, cut = r["id"], r["truncated"]["stdout"]
    ok("a long output is shortened and kept", cut["total_lines"] == 20000 and len(r["stdout"]) < 5000 and open(cut["path"], "rb").read() == whole, cut)
    x = s.tool("result", id=id, stream="stdout")["structuredContent"]
    ok("its beginning", x["text"].encode() == whole[:x["to"]] and x["from"] == 0 and x["line"] == 1 and 16380 < x["to"] <= 16384 and x["next"] == x["to"] and x["total_bytes"] == len(whole) and x["total_lines"] == 20000, x)
    got, at, calls = b"", 0, 0
    while at is not None and calls < 20:
        x = s.tool("result", id=id, stream="stdout", offset=at, bytes=65535)["structuredContent"]
        got, at, calls = got + x["text"].encode(), x["next"], calls + 1
    ok("all of it, piece by piece", got == whole, (len(got), len(whole), calls))
    x = s.tool("result", id=id, stream="stdout", line=15000, lines=2)["structuredContent"]
    ok("lines", x["text"] == "line 15000 äöü\nline 15001 äöü\n" and x["line"] == 15000, x)
    x = s.tool("result", id=id, stream="stdout", line=19999, lines=50)["structuredContent"]
    ok("lines at the end", x["text"] == "line 19999 äöü\nline 20000 äöü\n" and x["next"] is None, x)
    x = s.tool("result", id=id, stream="stdout", offset=8, bytes=1)["structuredContent"]
    ok("a byte of a letter is not shown by itself", "\ufffd" not in x["text"], x)
    x = s.tool("result", id=id, stream="stdout", offset=10 ** 9)["structuredContent"]
    ok("beyond the end there is nothing", x["text"] == "" and x["next"] is None, x)
    for what, arguments in {
        "a stream that was short": {"id": id, "stream": "stderr"}, "no such run": {"id": "0" * 32, "stream": "stdout"}, "a path as the id": {"id": "../" * 10 + "aa", "stream": "stdout"},
        "32 letters of a path": {"id": "../../../../../../../../../../aa", "stream": "stdout"}, "another stream": {"id": id, "stream": "../x"}, "no stream": {"id": id}, "too much": {"id": id, "stream": "stdout", "bytes": 65537},
        "nothing": {"id": id, "stream": "stdout", "bytes": 0}, "offset and line": {"id": id, "stream": "stdout", "offset": 1, "line": 1}, "a path": {"id": id, "stream": "stdout", "path": "/etc/passwd"},
        "a negative offset": {"id": id, "stream": "stdout", "offset": -1},
    }.items():
        r = s.tool("result", **arguments)
        ok("wrong: " + what, r.get("isError") is True and "structuredContent" not in r, r)
    s.close()


# ---- progress, cancellation, many at once, the end ----

def test_progress():
    s = Server()
    r = s.tool("run", _meta={"progressToken": "tok-1"}, command="sleep 2.3")
    seen = [m["params"] for m in s.seen if m.get("method") == "notifications/progress"]
    numbers = [p["progress"] for p in seen]
    ok("progress of a long run, before its answer", len(seen) >= 3 and all(p["progressToken"] == "tok-1" and p["total"] == 30 and "MB" in p["message"] for p in seen) and r["isError"] is False, seen)
    ok("... which increases", numbers == sorted(set(numbers)), numbers)
    s.seen = []
    s.tool("run", command="sleep 1.2")
    ok("none without a token", s.seen == [], s.seen)
    for meta in ({"progressToken": {"a": 1}}, {"progressToken": 1.5}, {"progressToken": None}):
        s.tool("run", _meta=meta, command="sleep 0.7")
    ok("none for what is no token", s.seen == [], s.seen)
    r = s.tool("run", _meta={"progressToken": 0, **MODERN}, command="sleep 0.8")
    ok("a token may be 0", [m["params"]["progressToken"] for m in s.seen] == [0], s.seen)
    s.close()


def test_cancel():
    s = Server()
    for id in ("c1", 77):
        word = unique()
        s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep " + word}, "_meta": {"progressToken": 5}}, id=id)
        ok("a run is there", wait_for(lambda: processes(word) > 0))
        start = time.time()
        s.note("notifications/cancelled", requestId=id, reason="enough")
        ok("cancelled: its box is gone", wait_for(lambda: processes(word) == 0, 5), processes(word))
        took = time.time() - start
        ok("... at once", took < 2, took)
        ok("... and there is no answer, but to the next request", s.alive() and s.answer(id, 1) is None, s.seen)
        s.seen = []
        ok("... whose id may be the same", s.call("tools/call", {"name": "run", "arguments": {"command": "true"}}, id=id)["result"]["isError"] is False)
    for id in ("c1", 78, None, {"a": 1}, "77"):
        s.note("notifications/cancelled", requestId=id)
    s.note("notifications/cancelled")
    ok("what is not running cannot be cancelled", s.alive())
    word = unique()
    s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep " + word}}, id=1)
    s.note("notifications/cancelled", requestId="1")
    time.sleep(0.5)
    ok("1 is not \"1\"", processes(word) > 0)
    s.close()


def test_parallel():
    s = Server()
    slow = s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep 3"}})
    start = time.time()
    s.run(command="echo quick")
    ok("a short run does not wait for a long one", time.time() - start < 2.5, time.time() - start)
    s.answer(slow)
    start = time.time()
    ids = [s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep 2; echo %d" % i}}) for i in range(8)]
    out = [s.answer(i)["result"]["structuredContent"]["stdout"] for i in ids]
    took = time.time() - start
    ok("eight at once", out == ["%d\n" % i for i in range(8)] and took < 9, (took, out))
    word = unique()
    time.sleep(0.5)  # the last of them are gone
    ids = [s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep " + word}}, id="p%d" % i) for i in range(80)]
    busy = [m["id"] for m in (s.get(lambda m: m.get("result", {}).get("isError"), 5) for _ in range(8)) if m]
    ok("72 are taken, the rest fails at once", sorted(busy) == ["p%d" % i for i in range(72, 80)], busy)
    ok("eight of them run", wait_for(lambda: processes(word) >= 8) and not wait_for(lambda: processes(word) > 16, 1), processes(word))
    ok("the server still answers", s.alive())
    for i in range(1, 72):
        s.note("notifications/cancelled", requestId="p%d" % i)
    ok("those that wait can be cancelled", wait_for(lambda: processes(word) <= 2, 5) and s.run(command="echo next")["stdout"] == "next\n", processes(word))
    took = s.close()
    ok("the end of input ends everything", took is not None and took < 5 and wait_for(lambda: processes(word) == 0, 3), (took, processes(word)))
    ok("... without a word more", all(m.get("id") in busy or not str(m.get("id")).startswith("p") for m in s.seen), s.seen)


def test_one_at_a_time():
    s = Server("--parallel", "1")
    start = time.time()
    ids = [s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep 0.7; echo %d" % i}}) for i in range(3)]
    out = [s.answer(i)["result"]["structuredContent"]["stdout"] for i in ids]
    ok("--parallel 1: one after the other, in their order", out == ["0\n", "1\n", "2\n"] and time.time() - start > 2.1, (out, time.time() - start))
    s.close()


def test_end():
    s = Server()
    id = s.ask("tools/call", {"name": "run", "arguments": {"command": "echo last"}})
    took = s.close()
    ok("what is quick is answered after the end of input", s.answer(id, 1)["result"]["structuredContent"]["stdout"] == "last\n" and s.p.returncode == 0, (took, s.seen))
    for sig in (signal.SIGKILL, signal.SIGTERM):
        word = unique()
        s = Server()
        s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep " + word}})
        wait_for(lambda: processes(word) > 0)
        s.p.send_signal(sig)
        ok("a server that dies by signal %d takes its boxes along" % sig, wait_for(lambda: processes(word) == 0, 5), processes(word))
        s.close()
    word = unique()
    s = Server()
    s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep " + word}, "_meta": {"progressToken": 1}})
    wait_for(lambda: processes(word) > 0)
    p = subprocess.Popen([caisson, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENV, cwd=tmp)
    other = unique()
    p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "sleep " + other}}}).encode() + b"\n")
    p.stdin.flush()
    wait_for(lambda: processes(other) > 0)
    p.stdout.close()
    ok("when nobody reads any more it ends, with its boxes", wait_for(lambda: p.poll() is not None, 10) and processes(other) == 0 and p.returncode == 70, p.returncode)
    p.stdin.close()
    ok("... and others go on", processes(word) > 0 and s.alive())
    s.close()


def test_slow_reader():
    p = subprocess.Popen([caisson, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENV, cwd=tmp)
    lines = b"".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/list"}).encode() + b"\n" for i in range(3000))

    def write():
        p.stdin.write(lines)
        p.stdin.close()
    t = threading.Thread(target=write, daemon=True)
    t.start()
    time.sleep(1)
    size = int([l for l in open("/proc/%d/status" % p.pid) if l.startswith("VmRSS")][0].split()[1])
    ok("a client that does not read fills no memory", size < (400000 if os.environ.get("SANITIZE") else 120000), size)
    got = [json.loads(l)["id"] for l in p.stdout]
    p.wait(10)
    ok("... and gets every answer in the end", got == list(range(3000)) and p.returncode == 0, (len(got), p.returncode))


# ---- hostile lines ----

HOSTILE = [
    ("not JSON", b"hello", -32700), ("half a message", b'{"jsonrpc":"2.0","id":1', -32700), ("not UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', -32700),
    ("a key twice", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700), ("a method twice", b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', -32700),
    ("two messages", b'{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}', -32700), ("NUL bytes", b"\0\0\0\0", -32700),
    ("a number that is too large", b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}', -32700), ("a lone surrogate", b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32700),
    ("deep lists", b"[" * 100000, -32600), ("deep objects", b'{"a":' * 50000 + b"1" + b"}" * 50000, -32600), ("very many values", b"[" + b"0," * 30000 + b"0]", -32600),
    ("very many objects", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[' + b"{}," * 100000 + b"{}]}}", -32600),
    ("a line that is too long", b'{"jsonrpc":"2.0","id":1,"method":"' + b"a" * (17 << 20) + b'"}', -32600),
    ("a string", b'"ping"', -32600), ("a number", b"7", -32600), ("null", b"null", -32600), ("an empty object", b"{}", -32600),
    ("no jsonrpc", b'{"id":1,"method":"ping"}', -32600), ("jsonrpc 1.0", b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), ("jsonrpc as a number", b'{"jsonrpc":2.0,"id":1,"method":"ping"}', -32600),
    ("no method", b'{"jsonrpc":"2.0","id":1}', -32600), ("a method that is a number", b'{"jsonrpc":"2.0","id":1,"method":7}', -32600), ("an empty method", b'{"jsonrpc":"2.0","id":1,"method":""}', -32600),
    ("a very long method", b'{"jsonrpc":"2.0","id":1,"method":"' + b"a" * 5000 + b'"}', -32600),
    ("id null", b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), ("id true", b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600), ("id 1.5", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    ("an id that is an object", b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600), ("a very long id", b'{"jsonrpc":"2.0","id":"' + b"i" * 5000 + b'","method":"ping"}', -32600),
    ("params that are a list", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602), ("params that are text", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"run"}', -32602),
    ("a list of messages", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600), ("an empty list", b"[]", -32600),
    ("an unknown method", b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601), ("a notification as a request", b'{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":1}}', -32601),
    ("an unknown tool", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exec","arguments":{}}}', -32602), ("no tool", b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
    ("a tool that is a list", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["run"]}}', -32602),
    ("arguments that are a list", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":["ls"]}}', -32602),
    ("a cursor", b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', -32602),
]


def test_hostile():
    s = Server()
    s.initialize("2025-06-18")
    for what, line, code in HOSTILE:
        s.raw(line + b"\n")
        r = s.get(lambda m: "error" in m) or {}
        ok("%s: error %d" % (what, code), r.get("error", {}).get("code") == code and r.get("jsonrpc") == "2.0" and (code == -32700 and r["id"] is None or code != -32700), r)
    ok("the server is still there", s.alive() and s.run(command="echo well")["stdout"] == "well\n" and s.seen == [], s.seen)
    for line in (b"", b"   ", b"\r", b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"run","arguments":{"command":"true"}}}',
                 b'{"jsonrpc":"2.0","method":"notifications/frob"}', b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":[]}}}'):
        s.raw(line + b"\n")
    ok("blank lines, answers, notifications: no answer", s.alive() and s.seen == [], s.seen)
    s.raw(b'{"jsonrpc":"2.0","id":"r","method":"ping"}\r\n')
    ok("a line may end in CR LF", s.answer("r") == {"jsonrpc": "2.0", "id": "r", "result": {}})
    for piece in (b'{"jsonrpc":"2.0",', b'"id":"slow","met', b'hod":"ping"}', b"\n"):
        s.raw(piece)
        time.sleep(0.05)
    ok("a line may come in pieces", s.answer("slow") == {"jsonrpc": "2.0", "id": "slow", "result": {}})
    word = unique()
    s.ask("tools/call", {"name": "run", "arguments": {"command": "sleep " + word}}, id=9)
    r = s.call("ping", id=9)
    ok("an id that is in use", r["error"]["code"] == -32600, r)
    s.note("notifications/cancelled", requestId=9)
    r = s.run(command="printf '%s' " + "'" + "{\"jsonrpc\":\"2.0\",\"id\":1}\n" * 3 + "'")
    ok("what a program prints is no line of the protocol", r["stdout"].count("\n") == 3 and s.seen == [], s.seen)
    s.raw(b'{"jsonrpc":"2.0","id":"end","method":"ping"}')
    s.close()
    ok("a last line without its end is no message", s.answer("end", 1) is None)


def test_mutations():
    """Lines of real clients with bytes, words and values changed. Whatever they become, each answer is one and well formed, and the server lives."""
    rng = random.Random(int(os.environ.get("SEED", "8")))
    lines = open(top + "/tests/samples/mcp/clients.jsonl", "rb").read().splitlines()
    words = sorted({w for l in lines for w in re.findall(rb'"[^"]*"', l)}) + [b"null", b"-1", b"1e999", b"[]", b"{}", b'""', b"true", b'"\\ud800"', b'"run"', b'"2099-01-01"', b"\xff", b"\0", b'"id":1,']

    def mutate(line):
        for _ in range(rng.randint(1, 4)):
            at, kind = rng.randrange(len(line) + 1), rng.randrange(5)
            if kind == 0:
                line = line[:at] + bytes([rng.randrange(256)]) + line[at + 1:]
            elif kind == 1:
                line = line[:at] + line[at + rng.randint(1, 20):]
            elif kind == 2:
                line = line[:at] + rng.choice(words) + line[at:]
            elif kind == 3:
                found = list(re.finditer(rb'"[^"]*"|\d+', line)) or [None]
                m = rng.choice(found)
                line = line[:m.start()] + rng.choice(words) + line[m.end():] if m else line
            else:
                other = rng.choice(lines)
                line = line[:at] + other[rng.randrange(len(other)):]
        return line.replace(b"\n", b" ")

    s = Server()
    s.initialize("2025-03-26")
    for _ in range(600):
        s.raw(mutate(rng.choice(lines)) + b"\n")
    alive = s.call("ping", id="after-all") is not None
    time.sleep(1)
    s.call("ping", id="after-all-2")
    shapes = [m for x in s.seen for m in (x if isinstance(x, list) else [x])]
    bad = [m for m in shapes if not (m.get("jsonrpc") == "2.0" and ("method" in m and "id" not in m or "id" in m and ("result" in m) != ("error" in m)))]
    ok("600 mutated lines: the server lives, %d answers, each well formed" % len(shapes), alive and not bad and len(shapes) > 200, bad[:3])
    ok("... and nothing ran", not [m for m in shapes if m.get("result", {}).get("structuredContent", {}).get("status") == "ok"])
    ok("... and it ends", s.close() is not None and s.p.returncode == 0, s.p.returncode)


def test_batch():
    s = Server()
    s.initialize("2025-03-26")
    s.send([{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "run", "arguments": {"command": "echo hi"}}},
            {"jsonrpc": "2.0", "method": "notifications/x"}, 7, {"jsonrpc": "2.0", "id": "c", "method": "frob"}, {"jsonrpc": "2.0", "id": "d", "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}])
    r = s.get(lambda m: isinstance(m, list)) or []
    by = {m["id"]: m for m in r}
    ok("a list of messages is answered by a list", set(by) == {"a", "b", "c", "d", None} and by["b"]["result"]["structuredContent"]["stdout"] == "hi\n" and by["c"]["error"]["code"] == -32601 and by["d"]["error"]["code"] == -32600 and by[None]["error"]["code"] == -32600, r)
    s.send([{"jsonrpc": "2.0", "method": "notifications/x"}, {"jsonrpc": "2.0", "method": "notifications/y"}])
    ok("notifications alone are not", s.alive() and s.seen == [], s.seen)
    s.send([{"jsonrpc": "2.0", "id": "w", "method": "tools/call", "params": {"name": "run", "arguments": {"command": "sleep 20"}}}, {"jsonrpc": "2.0", "id": "v", "method": "ping"}])
    s.note("notifications/cancelled", requestId="w")
    r = s.get(lambda m: isinstance(m, list))
    ok("what was cancelled is left out", r == [{"jsonrpc": "2.0", "id": "v", "result": {}}], r)
    s.send([{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in range(65)])
    r = s.get(lambda m: True)
    ok("too many messages", r["error"]["code"] == -32600, r)
    s.close()


def test_usage():
    for options in (["--profile", "x"], ["--workspace", "/none"], ["--network", "host"], ["--timeout", "x"], ["--frob"], ["operand"], ["--skill", "/none"], ["--parallel", "0"], ["--parallel", "9"]):
        p = subprocess.run([caisson, "mcp", *options], input=b"", capture_output=True, env=ENV, cwd=tmp, timeout=30)
        ok("wrong use: " + " ".join(options), p.returncode == 64 and p.stdout == b"" and p.stderr.count(b"\n") == 1, p)
    p = subprocess.run([caisson, "mcp"], input=b"", capture_output=True, env=ENV, cwd=tmp, timeout=30)
    ok("nothing to do", p.returncode == 0 and p.stdout == b"" and p.stderr == b"", p)


for name, test in list(globals().items()):
    if name.startswith("test_") and (len(sys.argv) < 4 or name == sys.argv[3]):
        try:
            test()
        except Exception as e:  # a test that breaks has failed, and the others go on
            import traceback
            ok("%s: %r" % (name, e), False, traceback.format_exc())
if not reports:
    sys.exit(print("1..%d" % count))
with open(tmp + "/reports", "w") as f:
    f.writelines(json.dumps(r) + "\n" for r in reports)
p = subprocess.run(["/usr/bin/python3", "-B", top + "/tests/run/schema.py", top + "/docs/schema/report.schema.json", tmp + "/reports"], capture_output=True, text=True)
ok("all %d reports are as the schema says" % len(reports), p.returncode == 0, p.stdout + p.stderr)
print("1..%d" % count)
