"""Runs through caissond beside posix_spawn, caisson run and docker run, in turns: serve.py. Prints minima and medians.

http   is a whole request on a kept connection
plain  is a whole request to a server that starts a process for each request and walls it off by nothing
synced is the same as http where a row of the record is on the disk before its program starts (audit.sync: begin, as usual)
ahead  is a whole request with Python code, for a box in which a Python waits (--preload)
pool   is the same without the time that an empty request to the server takes: the run in a box that was ready"""
import http.client
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here + "/../tests")
from servelib import Daemon  # noqa: E402

PAUSES = {"http": 0.01, "ahead": 0.04}
RUNS = int(os.environ.get("RUNS", "200"))
TRUE = json.dumps({"argv": ["/bin/true"]})
PASS = json.dumps({"code": "pass", "lang": "python"})
HEAD = {"Content-Type": "application/json"}


def timed(call):
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000


def spawn(*argv):
    os.waitpid(os.posix_spawn(argv[0], argv, {}), 0)


def ask(c, method, path, body=None):
    c.request(method, path, body, HEAD)
    answer = json.loads(c.getresponse().read())
    assert method == "GET" or answer["status"] == "ok", answer


class Plain(http.server.BaseHTTPRequestHandler):
    """A process for each request, as SandboxFusion does it: no box, no verdict, no record."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        argv = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["argv"]
        r = subprocess.run(argv, capture_output=True, timeout=30)
        text = json.dumps({"status": "ok" if r.returncode == 0 else "exit_nonzero", "stdout": r.stdout.decode()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


def rate(d, parallel, n):
    """Runs a second at this many at once."""
    def caller():
        c = http.client.HTTPConnection("127.0.0.1", d.port)
        for _ in range(n // parallel):
            ask(c, "POST", "/v1/run", TRUE)
        c.close()
    threads = [threading.Thread(target=caller) for _ in range(parallel)]
    return n // parallel * parallel / (timed(lambda: ([t.start() for t in threads], [t.join() for t in threads])) / 1000)


def main(tmp):
    with open(tmp + "/policy.yaml", "w") as f:
        f.write("audit: {sync: none}\n")
    d = Daemon(tmp, "--open", "run", "--parallel", "32", "--pool", "16", "--preload", "", "--config", tmp + "/policy.yaml").start()
    careful = Daemon(tmp + "/synced", "--open", "run").start()
    c, synced = (http.client.HTTPConnection("127.0.0.1", x.port) for x in (d, careful))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Plain)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    plain = http.client.HTTPConnection("127.0.0.1", server.server_port)
    rows = {
        "spawn": lambda: spawn("/bin/true"),
        "empty": lambda: ask(c, "GET", "/healthz"),
        "http": lambda: ask(c, "POST", "/v1/run", TRUE),
        "synced": lambda: ask(synced, "POST", "/v1/run", TRUE),
        "plain": lambda: ask(plain, "POST", "/", TRUE),
        "run": lambda: subprocess.run([os.environ["CAISSON"], "run", "--json", "--gate", "--", "/bin/true"], env=d.env,
                                      cwd=d.tmp + "/project", stdout=subprocess.DEVNULL, check=True),
        "python": lambda: spawn("/usr/bin/python3", "-c", "pass"),
        "ahead": lambda: ask(c, "POST", "/v1/run", PASS),
    }
    times = {name: [] for name in rows}
    for _ in range(RUNS):
        for name, call in rows.items():
            times[name].append(timed(call))
            time.sleep(PAUSES.get(name, 0.005))  # the pool fills up, as between the calls of an agent
    least = {name: min(t) for name, t in times.items()}
    print("%-8s %8s %8s %10s" % ("", "min ms", "med ms", "x spawn"))
    for name, t in times.items():
        print("%-8s %8.2f %8.2f %10.2f" % (name, least[name], sorted(t)[len(t) // 2], least[name] / least["spawn"]))
    pool = least["http"] - least["empty"]
    print("pool: %.2f x posix_spawn (goal 1.5); http: %.2f x pool (goal 1.2)" % (pool / least["spawn"], least["http"] / pool))
    print("waiting Python: %.2f x python3 -c pass (goal 0.35)" % ((least["ahead"] - least["empty"]) / least["python"]))
    for parallel in (2, 8, 32):
        print("%d at once: %.0f runs a second (goal 1000)" % (parallel, rate(d, parallel, 2 * RUNS)))
    walls = os.path.join(os.environ["BUILD"], "bench/walls")
    alone = subprocess.run([walls, str(10 * RUNS), "2"], capture_output=True, text=True, check=True).stdout.strip()
    print("the kernel alone: %s a second (fresh namespaces for each /bin/true, 2 at once; bench/walls.c)" % alone)
    if shutil.which("docker") and subprocess.run(["docker", "image", "inspect", "busybox"], capture_output=True).returncode == 0:
        print("docker run: %.0f ms" % min(timed(lambda: subprocess.run(["docker", "run", "--rm", "busybox", "true"])) for _ in range(5)))
    else:
        print("docker run: skipped, there is no docker with the image busybox")
    server.shutdown()
    c.close()
    synced.close()
    d.stop()
    careful.stop()


with tempfile.TemporaryDirectory(prefix="caisson-serve-") as tmp:
    main(os.path.realpath(tmp))
