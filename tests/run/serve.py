"""Talks to caissond over HTTP. Started by serve.sh: serve.py TOP DIR. TAP."""
import base64
import http.client
import json
import os
import re
import signal
import socket
import sys
import threading
import time

top, tmp = sys.argv[1:3]
sys.path.insert(0, top + "/tests")
from servelib import Daemon, ok, plan  # noqa: E402


def leftovers(d):
    """Processes and cgroups of this daemon's tree."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            env = open("/proc/%s/environ" % pid, "rb").read()
            state = re.search(r"^State:\s+(\S)", open("/proc/%s/status" % pid).read(), re.M).group(1)
        except OSError:
            continue
        if ("CAISSON_STATE=" + d.tmp + "/state").encode() in env and state != "Z":
            found.append(pid)
    return found


d = Daemon(tmp, "--timeout", "10", "--memory", "256M", "--output", "4M")
everything = d.token("all", "--scopes", "all")
runner = d.token("runner", "--scopes", "run")
other = d.token("other", "--scopes", "run")
checker = d.token("checker", "--scopes", "check")
slow = d.token("slow", "--scopes", "run", "--per-minute", "3")
ok("token add prints a token", re.fullmatch(r"csn_[0-9a-f]{48}", everything), everything)
stored = open(tmp + "/state/serve/tokens.json").read()
ok("only hashes are stored", everything not in stored and everything[4:] not in stored, stored)
ok("the file of tokens is private", os.stat(tmp + "/state/serve/tokens.json").st_mode & 0o777 == 0o600)
ok("a name is used once", d.command("token", "add", "all").returncode == 64)
ok("token list", d.command("token", "list").stdout.startswith('all\t["check","run","read","admin"]'))
ok("man/caissond.8 is what the tables say", d.command("--man").stdout == open(top + "/man/caissond.8").read())
ok("--open needs loopback", d.command("--open", "run", "--listen", "0.0.0.0:0").returncode == 64)
d.start()

# ---- headers
status, answer, r = d.call("GET", "/healthz")
ok("healthz needs no token", status == 200 and answer["status"] == "ok", answer)
ok("answers are not cached or guessed", r.getheader("Cache-Control") == "no-store" and
   r.getheader("X-Content-Type-Options") == "nosniff")
for what, want, args in [
        ("no token", 401, {}), ("a wrong token", 401, {"token": "csn_" + "0" * 48}),
        ("a token that may not run", 403, {"token": checker}),
        ("another host", 421, {"token": runner, "headers": {"Host": "evil.example"}}),
        ("another host with our address in it", 421, {"token": runner, "headers": {"Host": "127.0.0.1.evil.example"}}),
        ("a web page", 403, {"token": runner, "headers": {"Origin": "http://evil.example"}}),
        ("a form", 415, {"token": runner, "headers": {"Content-Type": "text/plain"}}),
        ("a known name", 200, {"token": runner, "headers": {"Host": "localhost:1"}})]:
    status, answer, r = d.call("POST", "/v1/run", {"command": "true"}, **args)
    ok("%s: %d" % (what, want), status == want, (status, answer))
for method, path, want in [("GET", "/v1/run", 405), ("GET", "/v2/run", 404), ("POST", "/v1/run/", 404),
                           ("GET", "/v1/results/a/b", 404), ("GET", "/", 404), ("PUT", "/v1/run", 405)]:
    status, answer, r = d.call(method, path, token=everything)
    ok("%s %s: %d" % (method, path, want), status == want and answer["error"], (status, answer))
ok("the quota of a token", [d.call("POST", "/v1/run", {"command": "true"}, slow)[0] for _ in range(4)] ==
   [200, 200, 200, 429])

# ---- bodies
for what, body, want in [("no JSON", "{", 400), ("a list", "[]", 400), ("an unknown argument", {"comand": "x"}, 400),
                         ("nothing to run", {}, 400), ("both", {"command": "a", "code": "b", "lang": "python"}, 400),
                         ("a key twice", '{"command":"a","command":"b"}', 400),
                         ("deep", '{"command":' + "[" * 1000 + "]" * 1000 + "}", 400),
                         ("a wrong language", {"code": "x", "lang": "cobol"}, 400),
                         ("a file above", {"command": "true", "files": [{"name": "../x", "content": ""}]}, 400),
                         ("an absolute file", {"command": "true", "files": [{"name": "/etc/x", "content": ""}]}, 400)]:
    status, answer, r = d.call("POST", "/v1/run", body, everything)
    ok("body: %s" % what, status == want and answer["message"], (status, answer))
c = http.client.HTTPConnection("127.0.0.1", d.port, timeout=20)
c.putrequest("POST", "/v1/run")
for name, value in [("Authorization", "Bearer " + everything), ("Content-Type", "application/json"),
                    ("Content-Length", str(17 << 20))]:
    c.putheader(name, value)
c.endheaders()
ok("a body that is too large is refused by its headers", c.getresponse().status == 413)
c.close()

# ---- runs
ENDS = [("ok", {"command": "echo hi"}, "ok", 0), ("exit", {"command": "exit 3"}, "exit_nonzero", 3),
        ("signal", {"command": "kill -SEGV $$"}, "signal", None),
        ("timeout", {"command": "sleep 9", "timeout_sec": 0.3}, "timeout", None),
        ("oom", {"code": "x = bytearray(1 << 30)", "lang": "python", "memory_mb": 64}, "oom", None),
        ("flood", {"command": "yes"}, "output_limit", None),
        ("denied", {"command": "rm -rf /"}, "denied", None)]
for what, body, want, code in ENDS:
    status, answer, r = d.call("POST", "/v1/run", body, everything)
    ok("run: %s" % what, status == 200 and answer["status"] == want and (code is None or answer["exit_code"] == code),
       answer)
status, answer, r = d.call("POST", "/v1/run", {"command": "cat; id -u; ls /home"}, runner)
first = answer
ok("the header names the run", r.getheader("Caisson-Run") == answer["id"], r.getheaders())
status, answer, r = d.call("POST", "/v1/run", {"command": "cat", "stdin": "a\u00e4\0b"}, runner)
ok("standard input", answer["stdout"].startswith("a\u00e4"), answer)
files = [{"name": "pkg/m.py", "content": "x = 41\n"},
         {"name": "d.bin", "content": base64.b64encode(bytes(range(256))).decode(), "encoding": "base64"}]
status, answer, r = d.call("POST", "/v1/run", {"lang": "python", "files": files, "args": ["a b", "--c"], "code":
                           "import sys; from pkg import m; print(m.x + 1, sum(open('d.bin', 'rb').read()), sys.argv[1:]);"
                           "open('d.bin', 'w').write('mine')"}, runner)
ok("files and arguments", answer["stdout"] == "42 32640 ['a b', '--c']\n", answer)
status, answer, r = d.call("POST", "/v1/run", {"argv": ["/bin/echo", "-n", "a  b"]}, runner)
ok("a program with its arguments", answer["stdout"] == "a  b", answer)
status, answer, r = d.call("POST", "/v1/run", {"argv": ["true"], "command": "x"}, runner)
ok("argv stands alone", status == 400, answer)
one = json.loads(d.caisson("run", "--json", "--gate", "--timeout", "10", "--memory", "256M", "--accept", "watched", "--output", "4M", "--agent",
                           "all", "-c", "echo hi").stdout)
two = d.call("POST", "/v1/run", {"command": "echo hi"}, everything)[1]
for key in ("id", "duration_ms", "cpu_ms", "peak_memory_mb"):
    one.pop(key), two.pop(key)
ok("a report is that of caisson run", one == two, (one, two))
status, answer, r = d.call("POST", "/v1/check", {"command": "rm -rf /"}, checker)
ok("check", status == 200 and answer["verdict"] == "deny" and answer["reasons"], answer)

# ---- results and the record
status, answer, r = d.call("POST", "/v1/run", {"command": "seq 100000"}, runner)
long = answer["id"]
path = "/v1/results/%s?stream=stdout&line=50000&lines=2" % long
ok("results: its own", d.call("GET", path, token=runner)[1].get("text") == "50000\n50001\n", d.call("GET", path, token=runner))
ok("results: not those of others", d.call("GET", path, token=other)[0] == 404)
ok("results: with the scope read", d.call("GET", path, token=everything)[0] == 200)
ok("results: no id", d.call("GET", "/v1/results/zz", token=everything)[0] == 400)
status, answer, r = d.call("GET", "/v1/audit?id=" + long, token=everything)
ok("audit: begin and end", [(x["kind"], x["client"], x["agent_id"]) for x in answer["rows"]] ==
   [("begin", "http", "runner"), ("end", "http", "runner")], answer)
ok("audit: a wrong filter", d.call("GET", "/v1/audit?status=nonsense", token=everything)[0] == 400)
ok("audit: not for runners", d.call("GET", "/v1/audit", token=runner)[0] == 403)
status, text, r = d.call("GET", "/metrics", token=everything)
ok("metrics", re.search(r"^caissond_runs_total \d+$", text, re.M) and "caisson_runs" in text, text[-600:])

# ---- streams
events = list(d.events({"command": "echo one; echo two >&2; sleep 0.1; printf 'th\\303\\244'"}, runner))
names = [e[0] for e in events]
ok("a stream begins and ends", names[0] == "started" and names[-1] == "report", names)
ok("a stream has the output", "".join(e[1]["text"] for e in events if e[0] == "stdout") == "one\nth\u00e4" and
   "".join(e[1]["text"] for e in events if e[0] == "stderr") == "two\n", events)
events = list(d.events({"command": "rm -rf /"}, runner))
ok("a refusal has no events", not events, events)
events = list(d.events({"command": "yes | head -c 3000000"}, runner))
ok("a long stream is whole", sum(len(e[1]["text"]) for e in events if e[0] == "stdout") == 3000000,
   [e[0] for e in events][-3:])
stream = d.events({"command": "echo go; sleep 8"}, runner)
run = next(stream)[1]["id"]
next(stream)
ok("runs: its own", [x["id"] for x in d.call("GET", "/v1/runs", token=runner)[1]["runs"]] == [run])
ok("runs: not those of others", d.call("GET", "/v1/runs", token=other)[1]["runs"] == [])
ok("others cannot cancel", d.call("DELETE", "/v1/runs/" + run, token=other)[0] == 404)
begun = time.time()
ok("cancel", d.call("DELETE", "/v1/runs/" + run, token=runner)[0] == 202)
last = list(stream)[-1]
ok("a cancelled run has a report", last[0] == "report" and time.time() - begun < 4, last)
stream = d.events({"command": "sleep 8"}, runner)
run = next(stream)[1]["id"]
stream.close()
begun = time.time()
while d.call("GET", "/v1/runs", token=runner)[1]["runs"] and time.time() - begun < 5:
    time.sleep(0.05)
rows = d.call("GET", "/v1/audit?id=" + run, token=everything)[1]["rows"]
ok("a caller that goes away ends its run, and the record says so", [x["kind"] for x in rows] == ["begin", "end"] and
   time.time() - begun < 4, rows)

# ---- the APIs of others
status, answer, r = d.call("GET", "/api/v2/runtimes")
ok("Piston: runtimes", any(x["language"] == "python" and re.match(r"3\.", x["version"]) for x in answer), answer)
piston = {"language": "python3", "version": "*", "files": [{"content": "print(input())\nraise SystemExit(4)"}], "stdin": "in"}
status, answer, r = d.call("POST", "/api/v2/execute", piston, runner)
ok("Piston: execute", answer["run"]["stdout"] == "in\n" and answer["run"]["code"] == 4 and
   answer["run"]["status"] == "RE" and answer["language"] == "python", answer)
piston = {"language": "bash", "version": "5", "files": [{"content": "sleep 5"}], "run_timeout": 200}
status, answer, r = d.call("POST", "/api/v2/execute", piston, runner)
ok("Piston: timeout", answer["run"]["status"] == "TO" and answer["run"]["signal"] == "SIGKILL" and
   answer["run"]["code"] is None, answer)
status, answer, r = d.call("POST", "/api/v2/execute", {"language": "cobol", "version": "*", "files": [{"content": ""}]}, runner)
ok("Piston: an unknown language", status == 400 and "message" in answer, answer)
fusion = {"language": "python", "code": "print(open('a.txt').read())", "run_timeout": 5,
          "files": {"a.txt": base64.b64encode(b"data").decode(), "none": None}}
status, answer, r = d.call("POST", "/run_code", fusion, runner)
ok("SandboxFusion: run_code", answer["status"] == "Success" and answer["run_result"]["stdout"] == "data\n" and
   answer["run_result"]["status"] == "Finished" and answer["run_result"]["return_code"] == 0, answer)
status, answer, r = d.call("POST", "/run_code", {"language": "python", "code": "while 1: pass", "run_timeout": 0.3}, runner)
ok("SandboxFusion: timeout", answer["status"] == "Failed" and answer["run_result"]["status"] == "TimeLimitExceeded", answer)

# ---- the description
status, answer, r = d.call("GET", "/openapi.json")
paths = {(m.upper(), p) for p, v in answer["paths"].items() for m in v}
ok("openapi lists the routes", ("POST", "/v1/run") in paths and ("GET", "/v1/results/{id}") in paths and
   answer["openapi"] == "3.1.0", paths)
wrong = [(m, p) for m, p in paths if d.call(m, p.replace("{id}", "0" * 32), {} if m == "POST" else None, everything)[0]
         in (404, 405) and "{id}" not in p]
ok("each path of openapi is there", not wrong, wrong)
import_ok = set(answer["paths"]["/v1/run"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"])
ok("openapi knows the arguments", {"command", "code", "lang", "stdin", "files", "args", "timeout_sec"} <= import_ok)

# ---- hostile connections
for what, data in [("half a request", b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\n"), ("nonsense", b"\0\xff" * 500),
                   ("no host", b"GET /healthz HTTP/1.1\r\n\r\n"), ("long headers", b"GET / HTTP/1.1\r\nX: " + b"a" * 100000),
                   ("a length of its own", b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                    runner.encode() + b"\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n")]:
    s = socket.create_connection(("127.0.0.1", d.port))
    s.sendall(data)
    s.settimeout(0.3)
    try:
        got = s.recv(200)
    except OSError:
        got = b""
    s.close()
    ok("hostile: %s" % what, b" 200 " not in got and d.call("GET", "/healthz")[0] == 200, got)
d.command("token", "remove", "other")
ok("a removed token is not valid", d.call("POST", "/v1/run", {"command": "true"}, other)[0] == 401)

# ---- the end
stream = d.events({"command": "sleep 1; echo done"}, runner)
run = next(stream)[1]["id"]
threading.Timer(0.1, lambda: d.p.send_signal(signal.SIGTERM)).start()
last = list(stream)[-1]
ok("a run ends before the server does", last[0] == "report" and last[1]["stdout"] == "done\n", last)
ok("the server ends with 0", d.p.wait(30) == 0)
ok("nothing is left", not leftovers(d), leftovers(d))
d = Daemon(tmp, "--grace", "200ms").start()
stream = d.events({"command": "sleep 20"}, runner)
run = next(stream)[1]["id"]
d.p.send_signal(signal.SIGTERM)
last = list(stream)[-1]
ok("a run that takes too long is ended with a report", last[0] == "report", last)
d.p.wait(30)
ok("and named", run in open(tmp + "/daemon.err").read())
d = Daemon(tmp, "--parallel", "1", "--queue", "1", "--pool", "1").start()
stream = d.events({"command": "sleep 5"}, runner)
next(stream)
threading.Thread(target=lambda: d.call("POST", "/v1/run", {"command": "true"}, runner), daemon=True).start()
while d.call("GET", "/healthz")[1]["waiting"] == 0:
    time.sleep(0.02)
status, answer, r = d.call("POST", "/v1/run", {"command": "true"}, runner)
ok("a full queue: 429 with Retry-After", status == 429 and r.getheader("Retry-After") == "1", (status, answer))
stream.close()
d.stop()
ok("nothing is left", not leftovers(d), leftovers(d))
open(tmp + "/policy.yaml", "w").write("tools:\n  bash:\n    deny: [echo forbidden]\n")
os.makedirs(tmp + "/shown", exist_ok=True)
open(tmp + "/shown/file", "w").write("shown\n")
d = Daemon(tmp, "--open", "run", "--config", tmp + "/policy.yaml").start()
status, answer, r = d.call("POST", "/v1/run", {"command": "echo forbidden"})
ok("--config: the policy counts", answer["status"] == "denied" and "forbidden" in str(answer["reasons"]), answer)
d.stop()
d = Daemon(tmp, "--open", "run", "--env", "NAME=value", "--read", tmp + "/shown", "--no-gate").start()
status, answer, r = d.call("POST", "/v1/run", {"command": "echo $NAME; cat %s/shown/file" % tmp})
ok("--env and --read count", answer["stdout"] == "value\nshown\n", answer)
d.stop()
d = Daemon(tmp, "--open", "run,check").start()
ok("callers without a token", d.call("POST", "/v1/run", {"command": "echo x"})[1]["stdout"] == "x\n" and
   d.call("GET", "/v1/audit")[0] == 403)
pid = d.events({"command": "sleep 30"})
run = next(pid)[1]["id"]
d.stop(signal.SIGKILL)
begun = time.time()
while leftovers(d) and time.time() - begun < 10:
    time.sleep(0.05)
rows = [json.loads(x) for x in d.caisson("audit", "query", "--json").stdout.splitlines()]
ok("a killed server leaves no run without its end", [x["kind"] for x in rows if x["id"] == run] == ["begin", "end"], rows[-2:])
ok("and nothing else", not leftovers(d), leftovers(d))
plan()
