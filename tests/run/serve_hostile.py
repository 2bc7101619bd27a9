"""Callers that attack caissond. Started by serve_hostile.sh: serve_hostile.py TOP DIR. SLOW=1 waits for deadlines. TAP."""
import base64
import json
import os
import re
import socket
import sys
import threading
import time

top, tmp = sys.argv[1:3]
sys.path.insert(0, top + "/tests")
from servelib import Daemon, ok, plan  # noqa: E402

d = Daemon(tmp, "--timeout", "10", "--memory", "256M", "--output", "4M", "--parallel", "2", "--queue", "16", "--pool", "2")
mine, yours, all_scopes = d.token("mine", "--scopes", "run"), d.token("yours", "--scopes", "run"), d.token("all", "--scopes", "all")
d.start()
AUTH = "Authorization: Bearer %s\r\n" % mine
JSON = "Content-Type: application/json\r\n"
TRUE = '{"command":"true"}'
SLACK = 5 if os.environ.get("SANITIZE") else 1  # a sanitizer keeps freed memory for a while


def answers(got):
    """Complete answers among these bytes."""
    n = 0
    while True:
        m = re.match(rb"HTTP/1\.1 .*?\r\nContent-Length: (\d+)(?:\r\n.*?)??\r\n\r\n", got, re.S | re.I)
        if not m or len(got) < m.end() + int(m.group(1)):
            return n
        n, got = n + 1, got[m.end() + int(m.group(1)):]


def raw(text, seconds=5, want=1):
    """What the server answers to these bytes: as many answers, or what comes in the time."""
    s = socket.create_connection(("127.0.0.1", d.port))
    s.settimeout(seconds)
    got = b""
    try:
        s.sendall(text if isinstance(text, bytes) else text.encode())
        while answers(got) < want:
            piece = s.recv(65536)
            if not piece:
                break
            got += piece
    except OSError:
        pass
    s.close()
    return got


def statuses(got):
    return [int(x) for x in re.findall(rb"HTTP/1\.1 (\d+)", got)]


def rss():
    return int(re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % d.p.pid).read()).group(1))


def alive():
    return d.call("GET", "/healthz")[0] == 200


# ---- headers
post = "POST /v1/run HTTP/1.1\r\nHost: localhost\r\n" + AUTH + JSON
INNER = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
for what, text, want in [
        ("two lengths", post + "Content-Length: 18\r\nContent-Length: 0\r\n\r\n" + TRUE, 400),
        ("a length and chunks", post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n12\r\n" + TRUE + "\r\n0\r\n\r\n", 400),
        ("two codings", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n12\r\n" + TRUE + "\r\n0\r\n\r\n", 400),
        ("two hosts", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400),
        ("two tokens", post + "Authorization: Bearer x\r\nContent-Length: 18\r\n\r\n" + TRUE, 400),
        ("a host behind an address", "GET /healthz HTTP/1.1\r\nHost: [::1].evil.example\r\n\r\n", 421),
        ("a host with a user", "GET /healthz HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n", 421),
        ("an empty host", "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n", 421),
        ("HTTP/1.0 without a host", "GET /healthz HTTP/1.0\r\n\r\n", 421),
        ("another site without an origin", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n", 403),
        ("the origin null", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n", 403),
        ("a body for a path without one", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16000000\r\n\r\n", 413),
        ("chunks for a path without a body", "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", 413),
        ("a body without a token", "POST /v1/run HTTP/1.1\r\nHost: localhost\r\n" + JSON + "Content-Length: 16000000\r\n\r\n", 401),
        ("a token that begins like one", post.replace(mine, mine[:-1]) + "Content-Length: 18\r\n\r\n" + TRUE, 401),
        ("a token with more", post.replace(mine, mine + "0") + "Content-Length: 18\r\n\r\n" + TRUE, 401),
        ("a hash for a token", post.replace(mine, json.load(open(tmp + "/state/serve/tokens.json"))[0]["hash"]) +
         "Content-Length: 18\r\n\r\n" + TRUE, 401),
        ("a path with dots", "GET /v1/results/../audit HTTP/1.1\r\nHost: localhost\r\n" + AUTH + "\r\n", 404),
        ("a path with coded dots", "GET /v1/results/%2e%2e%2faudit HTTP/1.1\r\nHost: localhost\r\n" + AUTH + "\r\n", 404)]:
    got = statuses(raw(text, 1))
    ok("%s: %d" % (what, want), got[:1] == [want] or (want == 400 and not got), got)
got = statuses(raw(post + "Content-Length: 18\r\n\r\n" + TRUE + INNER, 5, 2))
ok("a second request on the connection is one of its own", got == [200, 200], got)
got = raw(post + "Transfer-Encoding: chunked\r\n\r\n" + "12\r\n" + TRUE + "\r\n0\r\n\r\n", 2)
ok("chunks", statuses(got) == [200] and b'"status":"ok"' in got, got[:300])
for what, size in [("a chunk that says more than there is", "7fffffffffffffff"), ("a wrong size of a chunk", "zz"),
                   ("a negative size", "-1"), ("a size that overflows", "1" + "0" * 16)]:
    got = statuses(raw(post + "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\n" + TRUE, 0.5))
    ok(what, 200 not in got and alive(), got)

# ---- bodies
before = rss()
big = (post + "Transfer-Encoding: chunked\r\n\r\n").encode() + b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
s = socket.create_connection(("127.0.0.1", d.port))
s.settimeout(10)
try:
    s.sendall(big)
    for _ in range(40):
        s.sendall(b"100000\r\n" + b"x" * 0x100000 + b"\r\n")
    s.sendall(b"0\r\n\r\n")
    got = s.recv(100)
except OSError as e:
    got = repr(e).encode()
s.close()
ok("chunks without end: refused", b" 413 " in got, got)
ok("and they keep no memory", rss() - before < 20000 * SLACK, (before, rss()))
socks = []
for i in range(20):
    s = socket.create_connection(("127.0.0.1", d.port))
    s.settimeout(5)
    try:
        s.sendall((post + "Content-Length: %d\r\n\r\n" % (16 << 20)).encode() + b" " * (15 << 20))
    except OSError:
        pass
    socks.append(s)
ok("many unfinished bodies: bounded together", rss() < 500000 * SLACK, rss())
status, answer, r = d.call("POST", "/v1/run", {"command": "true"}, mine)
ok("and a small request says busy, or runs", status in (200, 429), answer)
[s.close() for s in socks]
time.sleep(0.3)
status, answer, r = d.call("POST", "/v1/run", {"command": "true"}, mine)
ok("when they are gone there is room", status == 200, answer)
for what, body in [("NUL in a command", {"command": "echo a\0b"}), ("a lone surrogate", '{"command":"echo \\ud800"}'),
                   ("invalid UTF-8", b'{"command":"echo \xff\xfe"}'), ("a huge number", {"command": "true", "timeout_sec": 1e308}),
                   ("a negative number", {"command": "true", "memory_mb": -1}), ("a number of the wrong kind", {"command": "true", "cpus": "x"}),
                   ("a limit of nothing", {"command": "true", "pids": 0}), ("an argument of the operator", {"command": "true", "workspace": "/"}),
                   ("the backend", {"command": "true", "backend": "docker"}), ("the policy", {"command": "true", "config": "/dev/null"}),
                   ("many arguments", {"argv": ["x"] * 5000}), ("NUL in an argument", {"argv": ["echo", "a\0b"]}),
                   ("an empty program", {"argv": [""]}), ("no program", {"argv": []}),
                   ("many values", '{"args":[' + ",".join(["1"] * 30000) + "]}")]:
    status, answer, r = d.call("POST", "/v1/run", body, mine)
    good = status == 400 or (status == 200 and answer.get("status") in ("ok", "denied", "needs_approval", "exit_nonzero", "setup_error"))
    ok("body: " + what, good and alive(), (status, answer))
report = d.call("POST", "/v1/run", {"command": "true", "memory_mb": 99999, "timeout_sec": 9999, "cpus": 64}, mine)[1]
ok("no limit is raised", report.get("error") or (report["limits"]["memory_mb"]["value"] <= 256 and
   report["limits"]["timeout_sec"]["value"] <= 10 and report["limits"]["cpus"]["value"] <= 2), report)

# ---- names of files
for what, files in [("above", ["../x"]), ("above, later", ["a/../../x"]), ("dots inside", ["a/../b"]), ("absolute", ["/tmp/x"]), ("itself", ["."]),
                    ("empty", [""]), ("a directory", ["a/"]), ("two slashes", ["a//b"]), ("NUL", ["a\0b"]), ("long", ["a" * 5000]),
                    ("a long part", ["a" * 300]), ("a newline", ["a\nb"]), ("a file as a directory", ["a", "a/b"]), ("twice", ["a", "a"]),
                    ("deep", ["d/" * 1500 + "x"]), ("the stand-ins of the box", [".ssh/config"])]:
    status, answer, r = d.call("POST", "/v1/run", {"command": "find ~ -type f | wc -l; ls / /tmp", "files": [
        {"name": n, "content": "x"} for n in files]}, mine)
    good = status == 400 or (status == 200 and (answer["status"] == "setup_error" or "x\n" not in answer["stdout"]))
    ok("file: " + what, good and alive(), (status, answer.get("message"), answer.get("stdout"), answer.get("error")))

# ---- files that come out
MAKE = ("import os; os.symlink('/etc/passwd', 'link.txt'); os.symlink('/', 'dir'); os.mkfifo('fifo.txt'); os.mkdir('sub');"
        "os.symlink('../..', 'sub/up'); open('good.txt', 'w').write('fine'); os.link('good.txt', 'hard.txt');"
        "os.truncate(os.open('sparse.txt', os.O_CREAT | os.O_RDWR), 1 << 40); open(b'bad\\xff.txt', 'w').write('x');"
        "open('new\\nline.txt', 'w').write('y'); os.symlink('loop.txt', 'loop.txt'); open('secret.txt', 'w').write('z'); os.chmod('secret.txt', 0)")
status, answer, r = d.call("POST", "/v1/run", {"code": MAKE, "lang": "python", "outputs": ["**"]}, mine)
names = {o["name"] for o in answer.get("outputs", [])}
ok("outputs: regular files of the box alone", {"good.txt", "hard.txt"} <= names and not names & {
    "link.txt", "fifo.txt", "loop.txt", "sparse.txt"} and not any(n.startswith(("dir/", "sub/up")) for n in names) and
   answer["status"] == "ok", (answer.get("status"), names, answer.get("stderr")))
ok("outputs: what was left out is counted", answer.get("outputs_left", 0) >= 1 and answer.get("outputs_complete") is False, answer.get("outputs_left"))
for what, pattern in [("absolute", "/etc/passwd"), ("above", "../*"), ("above, later", "a/../../etc/passwd"), ("none", ""), ("stars", "*" * 250)]:
    begun = time.time()
    status, answer, r = d.call("POST", "/v1/run", {"command": "touch " + "a" * 200, "outputs": [pattern]}, mine)
    ok("outputs: %s" % what, (status == 400 or not [o for o in answer["outputs"] if "passwd" in o["name"]]) and time.time() - begun < 8, answer)
status, answer, r = d.call("POST", "/v1/run", {"code": "import os\nfor i in range(3000): open('f%d' % i, 'w')\nos.makedirs('d/' * 60)",
                                               "lang": "python", "outputs": ["**"]}, mine)
ok("outputs: many files", len(answer.get("outputs", [])) == 64 and not answer["outputs_complete"], answer.get("status"))
status, answer, r = d.call("POST", "/v1/run", {"code": "open('a', 'wb').write(b'\\xff' * (7 << 20)); open('b', 'wb').write(b'\\xff' * (7 << 20))",
                                               "lang": "python", "outputs": ["*"]}, mine)
ok("outputs: many bytes", len(answer.get("outputs", [])) == 1 and len(base64.b64decode(answer["outputs"][0]["content"])) == 7 << 20, answer.get("status"))

# ---- other callers
stream = d.events({"command": "echo secret-of-mine; sleep 6"}, mine)
run = next(stream)[1]["id"]
next(stream)
for path in ["/v1/results/" + run, "/v1/results/%s?stream=stdout" % run, "/v1/results/%s%%00" % run, "/v1/results/" + run[:8], "/v1/results/*",
             "/v1/results/%25", "/v1/results/..", "/v1/results/%s?stream=../../x" % run]:
    status, answer, r = d.call("GET", path, token=yours)
    ok("results of others: %s" % path.replace(run, "ID"), status in (400, 404) and "secret-of-mine" not in str(answer), (status, answer))
for path in ["/v1/runs/" + run, "/v1/runs/" + run.upper(), "/v1/runs/" + run[:31], "/v1/runs/%00", "/v1/runs/" + run + "%00", "/v1/runs/*"]:
    status, answer, r = d.call("DELETE", path, token=yours)
    ok("cancel of others: %s" % path.replace(run, "ID"), status == 404, (status, answer))
ok("the run goes on", [x["id"] for x in d.call("GET", "/v1/runs", token=mine)[1]["runs"]] == [run])
stream.close()
status, answer, r = d.call("GET", "/v1/results/" + run + "?stream=..%2F..%2Fx", token=mine)
ok("a wrong stream", status == 400, (status, answer))
for query in ["limit=0", "limit=1001", "limit=-1", "limit=1e9", "since=%00", "grep=" + "a" * 3000, "id=" + "%ff" * 100, "grep=(((((((((("]:
    status, answer, r = d.call("GET", "/v1/audit?" + query, token=all_scopes)
    ok("audit: %s" % query[:20], status in (200, 400, 414) and alive(), (status, str(answer)[:200]))


# ---- one caller does not starve another
def flood(results):
    results.append(d.call("POST", "/v1/run", {"command": "sleep 0.2"}, mine)[0])


results = []
threads = [threading.Thread(target=flood, args=(results,)) for _ in range(40)]
[t.start() for t in threads]
time.sleep(0.4)
begun = time.time()
status, answer, r = d.call("POST", "/v1/run", {"command": "true"}, yours)
took = time.time() - begun
[t.join() for t in threads]
ok("a caller whose queue is full leaves room for others", status == 200 and 429 in results, (status, results))
ok("and others come first", took < 3, took)

# ---- connections
socks = []
for _ in range(1100):
    try:
        s = socket.create_connection(("127.0.0.1", d.port), 2)
        s.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
        socks.append(s)
    except OSError:
        break
got = [d.call("GET", "/healthz", timeout=5)[0] for _ in range(3)]
ok("%d unfinished requests leave room for others" % len(socks), got == [200] * 3, got)
[s.close() for s in socks]
stream = socket.create_connection(("127.0.0.1", d.port))
stream.sendall((post + "Accept: text/event-stream\r\nContent-Length: 17\r\n\r\n" + '{"command":"yes"}').encode())
time.sleep(1)
before = rss()
time.sleep(1)
ok("a stream that nobody reads takes no memory", rss() - before < 20000, (before, rss()))
ok("nor the server's time", alive())
run = d.call("GET", "/v1/runs", token=mine)[1]["runs"][0]["id"]
ok("it can be cancelled", d.call("DELETE", "/v1/runs/" + run, token=mine)[0] == 202)


def ends_in_time(run):
    until = time.time() + 4  # a worker that does not end by itself is killed after 5 seconds, without an end in the record
    while d.call("GET", "/v1/runs", token=mine)[1]["runs"] and time.time() < until:
        time.sleep(0.05)
    return [x["kind"] for x in d.call("GET", "/v1/audit?id=" + run, token=all_scopes)[1]["rows"]] == ["begin", "end"]


ok("and the record has its end", ends_in_time(run))
stream.close()
stream = socket.create_connection(("127.0.0.1", d.port))
stream.sendall((post + "Accept: text/event-stream\r\nContent-Length: 17\r\n\r\n" + '{"command":"yes"}').encode())
time.sleep(1)
run = d.call("GET", "/v1/runs", token=mine)[1]["runs"][0]["id"]
stream.close()
ok("a caller that goes away without reading: the record has the end", ends_in_time(run))
if os.environ.get("SLOW"):
    slow = socket.create_connection(("127.0.0.1", d.port))
    body = socket.create_connection(("127.0.0.1", d.port))
    slow.sendall(b"GET /healthz HTTP/1.1\r\n")
    body.sendall((post + "Content-Length: 1000\r\n\r\n").encode())
    begun, ends = time.time(), {}
    while len(ends) < 2 and time.time() - begun < 50:
        for s in (slow, body):
            if s in ends:
                continue
            try:
                s.sendall(b"X: y\r\n" if s is slow else b" ")
                s.settimeout(0.01)
                if s.recv(100) == b"":
                    ends[s] = time.time() - begun
            except socket.timeout:
                pass
            except OSError:
                ends[s] = time.time() - begun
        time.sleep(0.5)
    ok("a request that trickles in is ended", len(ends) == 2 and all(20 < e < 45 for e in ends.values()), list(ends.values()))
ok("the server is still there, with as many workers as before", alive() and d.call("POST", "/v1/run", {"command": "echo x"}, mine)[1]["stdout"] == "x\n")
ok("it ends", d.stop() == 0)
errors = open(tmp + "/daemon.err").read()
ok("no token in what it printed", mine not in errors and yours not in errors, errors)
plan()
