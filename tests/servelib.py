"""A caissond of a test's own: started on a free port with a state directory below the test's. And its TAP lines."""
import atexit
import http.client
import json
import os
import re
import signal
import subprocess
import sys

told = []  # what ok() has told


def ok(what, good, seen=None):
    told.append(what)
    print("%s %d - %s" % ("ok" if good else "not ok", len(told), what))
    if not good:
        print("#   " + repr(seen)[:1500])
    sys.stdout.flush()


def plan():
    print("1..%d" % len(told))


class Daemon:
    def __init__(self, tmp, *options, program=None):
        self.tmp = tmp
        self.program = program or os.environ["BUILD"] + "/caissond"
        for name in ("home", "project"):
            os.makedirs(tmp + "/" + name, exist_ok=True)
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": tmp + "/home", "CAISSON_STATE": tmp + "/state",
                    "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        self.options = options
        self.p = None

    def start(self):
        self.err = open(self.tmp + "/daemon.err", "ab")
        # "watched" has no effect where a cgroup enforces the memory limit
        self.p = subprocess.Popen([self.program, "--listen", "127.0.0.1:0", "--accept", "watched", *self.options],
                                  stdout=subprocess.PIPE, stderr=self.err, env=self.env, cwd=self.tmp + "/project")
        line = self.p.stdout.readline().decode()
        atexit.register(self.end)
        self.port = int(re.search(r":(\d+)$", line.strip()).group(1))
        return self

    def end(self):
        """Also when a test ends with an error: no server is left behind."""
        if self.p.poll() is None:
            self.p.kill()
            self.p.wait()

    def stop(self, sig=signal.SIGTERM):
        self.p.send_signal(sig)
        code = self.p.wait(60)
        self.p.stdout.close()
        self.err.close()
        return code

    def command(self, *args):
        return subprocess.run([self.program, *args], env=self.env, cwd=self.tmp + "/project", capture_output=True,
                              text=True)

    def caisson(self, *args):
        return subprocess.run([os.environ["CAISSON"], *args], env=self.env, cwd=self.tmp + "/project",
                              capture_output=True, text=True)

    def token(self, name, *options):
        return self.command("token", "add", name, *options).stdout.strip()

    def call(self, method, path, body=None, token=None, headers=None, timeout=60):
        """The status, the answer (parsed if it is JSON) and the headers."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        h = dict(headers or {})
        if token:
            h["Authorization"] = "Bearer " + token
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None:
            h.setdefault("Content-Type", "application/json")
        try:
            c.request(method, path, body, h)
            r = c.getresponse()
            text = r.read()
        finally:
            c.close()
        if r.getheader("Content-Type") == "application/json":
            return r.status, json.loads(text), r
        return r.status, text.decode(), r

    def events(self, body, token=None, path="/v1/run"):
        """A stream: yields (event, data)."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        h = {"Accept": "text/event-stream", "Content-Type": "application/json"}
        if token:
            h["Authorization"] = "Bearer " + token
        c.request("POST", path, json.dumps(body), h)
        r = c.getresponse()
        name = None
        try:
            for line in r:
                line = line.decode().rstrip("\n")
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    yield name, json.loads(line[6:])
        finally:
            r.close()
            c.close()
