"""Boxes in the background.

    background.py CAISSON DIRECTORY --who NAME --points N --daemons N

Started by background.sh, once for each person. CAISSON is a copy of the program that nobody else runs, so all processes of this test are those of this
program and those that it started in boxes, which have a word of the test in their arguments.
"""
import argparse
import fcntl
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("caisson")
parser.add_argument("directory")
parser.add_argument("--who", default="user")
parser.add_argument("--points", type=int, default=20)
parser.add_argument("--daemons", type=int, default=10)
options = parser.parse_args()
CAISSON = os.path.realpath(options.caisson)
TOP = os.path.realpath(options.directory) + "/background"
STATE = os.environ["CAISSON_STATE"] = TOP + "/state"
shutil.rmtree(TOP, ignore_errors=True)
os.makedirs(TOP + "/p")
os.chdir(TOP + "/p")
subprocess.run(["git", "init", "-q"], check=True)
WORD = "86%d" % random.Random().getrandbits(30)  # seconds that no other test sleeps
STAYS = "(sleep %s; :) & " % WORD
MESSAGE = struct.Struct("8sIIQQ32s40s72s152s")
HELLO, WELCOME, RETIRE, HOLD, HELD, REFUSED, USAGE, END, SHARE, JOIN, JOINED, PUBLISH, UNPUBLISH, PORTS, PORT = range(1, 16)


def result(good, what, why=""):
    print("%sok - %s: %s" % ("" if good else "not ", options.who, what), flush=True)
    if not good and why:
        print("#   " + str(why).replace("\n", "\n#   "), flush=True)


def caisson(*args, timeout=30):
    done = subprocess.run([CAISSON, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def report(*args):
    code, out, err = caisson("run", "--profile", "work", *args)
    try:
        return json.loads(out)
    except ValueError:
        return {"status": "none", "code": code, "stderr": err, "background": [], "hints": []}


def boxes(*args):
    return json.loads(caisson("ps", "--json", *args)[1])["boxes"]


def processes():
    """pid to name of every process of this test: the program, or the word in its arguments."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            exe = os.readlink("/proc/%s/exe" % pid)
        except OSError:
            exe = ""
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                args = f.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if exe.startswith(CAISSON) or (WORD in args and not args.startswith(sys.executable)):
            found[int(pid)] = args
    return found


def until(test, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if test():
            return True
        time.sleep(0.02)
    return bool(test())


def keeper():
    return [pid for pid, args in processes().items() if args.startswith("keeper")]


def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(5)
    here = os.getcwd()
    os.chdir(STATE + "/keeper")
    try:
        s.connect("socket")
    finally:
        os.chdir(here)
    return s


def message(kind, protocol=3, active=0, **fields):
    text = {k: v.encode() for k, v in fields.items()}
    return MESSAGE.pack(b"caisson", protocol, kind, 0, active, text.get("program", b"0.1.0"), text.get("id", b""), text.get("session", b""), text.get("text", b""))


def answer(s):
    try:
        got = s.recv(4096)
    except (ConnectionError, socket.timeout) as e:
        return repr(e)
    return MESSAGE.unpack(got)[2] if len(got) == MESSAGE.size else None if not got else "odd"


def owner(path):
    try:
        return os.stat(path).st_uid
    except OSError:
        return None


def groups():
    """Control groups of this user's launchers that are dead, made since the start. Groups of other tests have other names."""
    found = subprocess.run(["find", "/sys/fs/cgroup", "-type", "d", "-name", "caisson-*"], capture_output=True, text=True).stdout.split()
    found = [g for g in found if re.fullmatch("caisson-[0-9]+-[0-9a-f]{16}", os.path.basename(g))]
    return sorted(g for g in found if g not in BEFORE and owner(g) == os.getuid() and not os.path.exists("/proc/" + os.path.basename(g).split("-")[1]))


def nothing_left(what):
    gone = until(lambda: not processes())
    result(gone, what + ": no process is left", processes())
    result(sorted(os.listdir(".")) == [".git"], what + ": no file is left in the workspace", os.listdir("."))
    left = until(lambda: not groups())
    result(left, what + ": no control group is left", groups())


BEFORE = ()
BEFORE = set(groups())

# ---- what stays ----
start = time.monotonic()
r = report("--background", "-c", STAYS + "echo early; exit 3")
result(r["status"] == "exit_nonzero" and r["exit_code"] == 3 and r["stdout"] == "early\n", "the report is about the program", r)
result(time.monotonic() - start < 5, "it does not wait for what is left")
kept = r.get("background", [])
result(len(kept) == 1 and not kept[0]["running"] and any(WORD in p for p in kept[0]["processes"]), "and names what is left", r)
BOX = kept[0]["id"] if kept else "none"
evil = report("--background", "-c", "exec -a \"$(printf 'evil\\033[31m\\342\\200\\256x')\" sleep %s & sleep 0.2" % WORD)
names = evil["background"][0]["processes"] if evil.get("background") else [""]
result("evil" in names[0] and "\033" not in names[0] and "\u202e" not in names[0], "names of processes are shown like output", evil)
caisson("stop", evil["background"][0]["id"])
result([b["id"] for b in boxes()] == [BOX] and boxes()[0]["of"] == r["id"], "ps lists it", boxes())
result(any(WORD in args for args in processes().values()), "it lives")
code, out, err = caisson("result", BOX)
result(code == 75 and json.loads(out)["status"] == "running", "result: it still runs", out + err)
code, out, err = caisson("wait", "--timeout", "100ms", BOX)
result(code == 75, "wait: it still runs", out + err)
code, out, err = caisson("stop", "--json", BOX[:8], "none")
told = json.loads(out or "{}")
result(code == 1 and not boxes() and "none" in err, "stop ends it", err)
result([told["v"], [b["id"] for b in told["boxes"]], told["boxes"][0]["state"], told["errors"][0]["id"]] == [1, [BOX], "ended", "none"], "stop --json: what ended and what failed", told)
result(told["boxes"] == [b for b in boxes("--all") if b["id"] == BOX], "stop --json: a box is as ps --json has it", told)
code, out, err = caisson("result", BOX)
ended = json.loads(out or "{}")
result(code == 143 and ended.get("status") == "unknown" and ended.get("stdout") == "early\n", "result has its report", out + err)
rows = [json.loads(line) for line in caisson("audit", "query", "--json")[1].splitlines()]
result(sorted(w["kind"] for w in rows if w.get("id") == BOX) == ["begin", "end"], "the record has its beginning and its end", rows)
result(sorted(w["kind"] for w in rows if w.get("id") == r["id"]) == ["begin", "end"], "and those of the run that left it")

r = report("--background", "-c", "sleep 0.01 & echo x")
result(r["status"] == "ok" and "background" not in r, "a process that ends with the program does not stay", r)
r = report("-c", STAYS + "echo x")
result(r["status"] == "ok" and "background" not in r and not until(lambda: any("sleep " + WORD in a for a in processes().values()), 0.3),
       "without --background nothing stays", r)
r = report("--background", "-c", "(sleep 0.5; echo late; sleep 0.2) & echo early")
code, out, err = caisson("wait", r["background"][0]["id"] if r.get("background") else "none")
result(code == 0 and json.loads(out)["stdout"] == "early\nlate\n", "what ends by itself is over, with its output", out + err)
result("late" in caisson("logs", json.loads(out)["id"])[1] if out else False, "logs has it as well")

r = report("--background-after", "300ms", "-c", "echo a; sleep 1; echo b; exit 4")
result(r["status"] == "running" and r["exit_code"] == 0 and r["stdout"] == "a\n" and r["background"][0]["id"] == r["id"], "a slow program goes on", r)
code, out, err = caisson("logs", "-f", r["id"])
result(out == "b\n", "logs -f follows it to its end", out + err)
code, out, err = caisson("wait", r["id"])
result(code == 4 and json.loads(out)["status"] == "exit_nonzero" and json.loads(out)["stdout"] == "a\nb\n", "and wait has its result", out + err)
r = report("--background-after", "100ms", "-c", "sleep 0.3")
result(r["status"] == "ok" and "background" not in r, "sleep alone does not go on", r)
code, out, err = caisson("run", "--background", "-c", "true")
result(code == 64 and "work" in err, "untrusted code may not stay", err)
fake = "AKIA" + "Z3QX7RT5WPLN2KBV"
r = report("--background", "-c", "(sleep 0.5; printf 'key \\033[31m%s%s\\n' AKIA Z3QX7RT5WPLN2KBV; sleep 0.1) & :")
caisson("wait", r["background"][0]["id"])
code, out, err = caisson("logs", r["background"][0]["id"])
raw = subprocess.run(["grep", "-r", fake, STATE + "/background"], capture_output=True, text=True).stdout
result(not raw, "no file has the secret", raw)
result(out.startswith("key ") and fake not in out and "\033" not in out, "logs shows no secret and no escape sequence", out)

# ---- contained commands of an agent ----
def hook(event, **fields):
    event = {"session_id": "s-1", "transcript_path": "/tmp/t", "cwd": os.getcwd(), "hook_event_name": event, "permission_mode": "default", **fields}
    done = subprocess.run([CAISSON, "hook", "--client", "claude-code"], input=json.dumps(event), capture_output=True, text=True)
    return json.loads(done.stdout or "{}")


def contained(command, session="s-1"):
    """Runs the command as the client would after its event: in the box if it was contained, else not at all."""
    answer_ = hook("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id="t1", session_id=session)
    rewritten = answer_.get("hookSpecificOutput", {}).get("updatedInput", {}).get("command", "echo none: '%s'" % json.dumps(answer_).replace("'", ""))
    return subprocess.run(["bash", "-c", rewritten], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)


with open("Makefile", "w") as f:
    f.write("all:\n\t@echo >/tmp/left; (sleep %s; :) & echo made\n" % WORD)
os.makedirs(os.environ["HOME"] + "/.config/caisson", exist_ok=True)
with open(os.environ["HOME"] + "/.config/caisson/config.yaml", "w") as f:
    f.write("sandbox: {background: kill}\n")
done = contained("make")
result(done.stdout == "made\n" and not boxes(), "sandbox.background: kill ends what a contained command leaves", done)
os.remove(os.environ["HOME"] + "/.config/caisson/config.yaml")
done = contained("make")
result(done.stdout == "made\n" and "in the background as " in done.stderr and [b["session"] for b in boxes()] == ["s-1"], "by default it stays, and the agent is told", done)
hook("SessionEnd", session_id="s-2", reason="exit")
result(len(boxes()) == 1, "the end of another session changes nothing")
hook("SessionEnd", reason="exit")
result(until(lambda: not boxes()), "the end of its session ends it", boxes())
kept = glob.glob(STATE + "/tmp/*/files/*")
result(not kept, "and removes the /tmp of the project, which that box had", kept)
# A client that is killed sends no event. Its helpers have names like its own, and end with one command.
os.makedirs(TOP + "/bin")
with open(TOP + "/bin/codex", "w") as f:
    f.write("#!/bin/bash\n\"$0-helper\" \"$@\"\nsleep 0.2\necho ready\nread -r _\n")
with open(TOP + "/bin/codex-helper", "w") as f:
    f.write("#!/bin/bash\nbash -c \"$1\"; :\n")
for name in ("codex", "codex-helper"):
    os.chmod(TOP + "/bin/" + name, 0o755)
answer_ = hook("PreToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t2")
client = subprocess.Popen([TOP + "/bin/codex", answer_["hookSpecificOutput"]["updatedInput"]["command"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
client.stdout.readline(), client.stdout.readline()
mine = boxes()
result(len(mine) == 1, "a box of a client's helper stays while the client lives", mine)
client.kill()
client.wait()
result(until(lambda: not boxes()), "a client that is killed ends its boxes", boxes())
report_ = json.loads(caisson("result", mine[0]["id"])[1] or "{}") if mine else {}
result("client has ended" in str(report_.get("error")), "and the report says so", report_)
os.remove("Makefile")

r = report("--background", "--network", "example.org", "-c", "(sleep %s; :) & :" % WORD)
time.sleep(0.2)
seen = os.getuid() != 0 or any(a.startswith("relay") for a in processes().values())  # others cannot look at a relay's program
result(len(boxes()) == 1 and seen, "the relay of a box stays with it", r)
caisson("stop", "--all")
result(not any(a.startswith("relay") for a in processes().values()), "and ends with it")

# ---- one loopback for the boxes of a project ----
SERVER = "/usr/bin/python3 -m http.server --bind 127.0.0.1 %d >/dev/null 2>&1 & for i in $(seq 100); do curl -so /dev/null localhost:%d && break; sleep 0.05; done; echo up"
GET = "curl -sS localhost:%d/page"
with open("page", "w") as f:
    f.write("first")
r = report("--background", "-c", SERVER % (3000, 3000))
result(r["stdout"] == "up\n" and r.get("background") and r["background"][0]["ports"] == [3000], "a server stays, and the report has its port", r)
one = r["background"][0]["id"] if r.get("background") else "none"
result(boxes()[0]["ports"] == [3000], "so has ps", boxes())
r = report("-c", GET % 3000)
result(r["stdout"] == "first", "the next command reaches it", r)
with open("page", "w") as f:
    f.write("second")
r = report("-c", GET % 3000)
result(r["stdout"] == "second", "it serves what was edited meanwhile", r)
r = report("-c", "ip link set lo down; cat /proc/self/uid_map; id -u; curl -s localhost:3000/page; unshare -n true; /usr/bin/python3 -c 'import os; os.setns(os.open(\"/proc/self/ns/net\", 0))'")
result(r["stdout"].endswith("second") and r["stderr"].count("ermitted") >= 2, "a box has no power over the network that it shares", r)
r = report("--network", "example.org", "-c", GET % 3000)
result(r["exit_code"] == 7, "a box that reaches more has a network of its own", r)
r = report("--network", "loopback", "-c", GET % 3000)
result(r["exit_code"] == 7, "and so has one with another network", r)
os.makedirs(TOP + "/other-project", exist_ok=True)
subprocess.run(["git", "init", "-q", TOP + "/other-project"], check=True)
os.chdir(TOP + "/other-project")
r = report("-c", GET % 3000)
result(r["exit_code"] == 7, "another project does not reach it", r)
code, out, err = caisson("check", "curl localhost:3000/page")
result(code == 0, "and a command there is not about it", out + err)
r = report("--background", "-c", SERVER % (3000, 3000))
result(r["stdout"] == "up\n" and len(boxes()) == 2, "two projects have the same port at once", r)
if r.get("background"):
    caisson("stop", r["background"][0]["id"])
os.chdir(TOP + "/p")
shutil.rmtree(TOP + "/other-project")
r = report("-c", "/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 3000))'")
result("in use" in r["stderr"], "its port is taken for the other boxes", r)
for command, verdict, why in (("curl -s localhost:3000/page", 3, "box-port"), ("curl -s http://127.0.0.1:3000/page | head -1", 3, "box-port"), ("curl -s localhost:3001/", 0, ""),
                              ("curl -s http://[::1]:3000/page", 3, "box-port"), ("echo localhost:3000", 0, ""),
                              ("curl -s localhost:3000/page && docker ps", 0, ""),
                              ("kill $(lsof -ti:3000)", 2, "box-process"), ("lsof -ti:3000 | xargs kill", 2, "box-process"), ("lsof -ti tcp:3000 | xargs -r kill -9", 2, "box-process"),
                              ("lsof -t -i:3000 -sTCP:LISTEN | xargs kill", 2, "box-process"), ("fuser -k 3000/tcp", 2, "box-process"), ("lsof -ti:3001 | xargs kill", 0, ""),
                              ("lsof -i :3000", 0, ""), ("fuser -k 8080/tcp", 0, ""), ("kill 3000", 1, "system-change"), ("kill $(lsof -ti:3000) 1", 2, "system-state"),
                              ("pkill -f http.server", 0, ""), ("kill $(cat server.pid)", 1, "system-change")):
    code, out, err = caisson("check", command)
    result(code == verdict and why in out, "check: %s" % command, out + err)
r = report("--background", "-c", SERVER % (3001, 3001))
two = r["background"][0]["id"] if r.get("background") else "none"
r = report("-c", GET % 3000 + "; " + GET % 3001)
result(r["stdout"] == "secondsecond", "a second server joins it", r)
caisson("stop", one)
r = report("-c", GET % 3001 + "; " + GET % 3000)
result(r["stdout"] == "second" and r["exit_code"] == 7, "the network stays with the last of them", r)
os.kill(keeper()[0], signal.SIGSTOP)
held = keeper()[0]
caisson("stop", two)
os.kill(held, signal.SIGCONT)
r = report("-c", GET % 3001)
result(r["exit_code"] == 7 and until(lambda: not boxes()), "and ends with it", r)
os.remove("page")

# ---- ports of the host ----
def serve_host():
    """A server on a free port of the host's loopback, which says hello."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer_all():
        while True:
            try:
                s, _ = listener.accept()
            except OSError:
                return
            s.recv(100)
            s.sendall(b"HTTP/1.0 200 OK\r\n\r\nhost")
            s.close()
    threading.Thread(target=answer_all, daemon=True).start()
    return listener, listener.getsockname()[1]


POLICY = os.environ["HOME"] + "/.config/caisson/config.yaml"
database, port = serve_host()
closed, unlisted = serve_host()
# On a machine with many connections.
resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]), resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
crowd = socket.create_server(("127.0.0.1", 0), backlog=2000)
crowded = [socket.create_connection(crowd.getsockname()) for _ in range(1100)]
r = report("-c", GET % port)
for s in (crowd, *crowded):
    s.close()
hint = [h["text"] if "text" in h else h["message"] for h in r["hints"] if h["id"] == "loopback"]
result(r["exit_code"] == 7 and len(hint) == 1 and "host_ports: [%d]" % port in hint[0], "a port of the host is not reached, and the hint says what lists it", r)
with open(POLICY, "w") as f:
    f.write("sandbox: {network: {host_ports: [%d]}}\n" % port)
r = report("-c", GET % port)
result(r["stdout"] == "host" and r["network"]["connections"][0]["host"] == "localhost", "a listed one is", r)
r = report("-c", GET % unlisted)
result(r["exit_code"] == 7, "and no other one", r)
r = report("--network", "loopback", "-c", GET % port)
result(r["exit_code"] == 7, "nor by a box with another network", r)
code, out, err = caisson("run", "-c", "exec 3<>/dev/tcp/127.0.0.1/%d && echo reached" % port)
result("reached" not in out, "nor by untrusted code", out + err)
r = report("--background", "-c", SERVER % (3000, 3000))
r = report("-c", GET % port + "; curl -so /dev/null -w %{http_code} localhost:3000/")
result(r["stdout"] == "host200", "boxes that share a network share it", r)
caisson("stop", "--all")
with open(".caisson.yaml", "w") as f:
    f.write("sandbox: {network: {host_ports: [%d]}}\n" % unlisted)
code, out, err = caisson("run", "--profile", "work", "-c", GET % unlisted)
result('"stdout":"host' not in out, "a project lists none", out + err)
os.remove(".caisson.yaml")
os.remove(POLICY)
database.close()
closed.close()

# ---- published ports ----
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def get(port, address="127.0.0.1", path="/page"):
    """What the host's own curl gets, or the exit code."""
    done = subprocess.run(["curl", "-sS", "--max-time", "5", "http://%s:%d%s" % (address, port, path)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else done.returncode


def listed():
    return {(p["port"], p["published"], p["listening"]) for p in json.loads(caisson("ports", "--json")[1])["ports"]}


def relays():
    """Relays that nobody waits for, as root alone can see their program."""
    return [pid for pid, args in processes().items() if args.startswith("relay")]


agents = {k: os.environ.pop(k) for k in ("CLAUDECODE", "AI_AGENT") if k in os.environ}
shop, spare, other = free_port(), free_port(), free_port()
with open("page", "w") as f:
    f.write("shop" * 500000)
code, out, err = caisson("ports", "publish", str(shop))
result(code == 1 and "no box of this project" in err, "without a box there is nothing to publish", err)
r = report("--background", "-c", SERVER % (shop, shop))
result(listed() == {(shop, False, True)} and get(shop) == 7, "a port of a box is not published by itself", listed())
code, out, err = caisson("ports", "publish", str(shop))
result(code == 0 and "http://127.0.0.1:%d" % shop in out, "a person publishes it", out + err)
result(get(shop) == "shop" * 500000, "and a program of the host gets its pages")
result(listed() == {(shop, True, True)}, "it is listed", listed())
result(get(shop, "127.0.0.2") == 7 and get(shop, "[::1]") == 7, "at 127.0.0.1 alone")
row = [w for w in json.loads(caisson("doctor", "--json")[1])["rows"] if w["id"] == "keeper"]
result("published on 127.0.0.1: %d" % shop in row[0]["by"], "doctor shows it", row)
if os.getuid() == 0:
    with open("/proc/%d/status" % relays()[0]) as f:
        status = {name: value.strip() for name, _, value in (line.partition(":") for line in f)}
    result(status["CapEff"].strip("0") == "" and status["NoNewPrivs"] == "1" and status["Seccomp"] == "2" and not status["Uid"].startswith("0\t"),
           "its process has no powers", status)
    result(os.readlink("/proc/%d/ns/net" % relays()[0]) != os.readlink("/proc/self/ns/net"), "and not the network of the host")
code, out, err = caisson("ports", "publish", str(shop))
result(code == 0 and "already" in out, "once is enough", out + err)
busy, taken = serve_host()
for port, why in ((taken, "in use"), (80, "from 1024 on"), (5432, "PostgreSQL"), (70000, "expected a port")):
    code, out, err = caisson("ports", "publish", str(port))
    result(code == 1 and why in err, "port %s is not published: %s" % (port if port != taken else "of a server", why), out + err)
with open(POLICY, "w") as f:
    f.write("sandbox: {network: {host_ports: [%d]}}\n" % spare)
code, out, err = caisson("ports", "publish", str(spare))
result(code == 1 and "host_ports" in err, "nor is one that stands for a service of the host", out + err)
os.remove(POLICY)
code, out, err = caisson("ports", "publish", str(shop + 1 if shop < 65535 else shop - 1), "x")
result(code == 1, "one wrong word does not publish", out + err)
caisson("ports", "unpublish", str(shop + 1 if shop < 65535 else shop - 1))
agent = subprocess.run([CAISSON, "ports", "publish", str(spare)], env={**os.environ, "CLAUDECODE": "1"}, capture_output=True, text=True)
result(agent.returncode == 1 and "agent" in agent.stderr, "an agent does not publish", agent)

# A box of another project with the same port gets nothing of it, and the port is not published twice.
os.makedirs(TOP + "/impostor")
subprocess.run(["git", "init", "-q", TOP + "/impostor"], check=True)
os.chdir(TOP + "/impostor")
with open("page", "w") as f:
    f.write("impostor")
r = report("--background", "-c", SERVER % (shop, shop) + "; " + GET % shop)
result(r["stdout"] == "up\nimpostor" and get(shop).startswith("shop"), "a box of another project does not impersonate it", r)
code, out, err = caisson("ports", "publish", str(shop))
result(code == 1 and "published for another project" in err and get(shop).startswith("shop"), "and its port is published once", out + err)
code, out, err = caisson("ports", "publish", str(spare))
result(code == 0 and {(shop, True, True), (spare, True, False)} <= listed(), "two projects publish at once", listed())
result(get(spare) in (7, 52, 56), "nobody listens: the connection breaks", get(spare))
caisson("stop", [b for b in boxes() if b["project"].endswith("impostor")][0]["id"])
result(until(lambda: get(spare) == 7) and listed() == {(shop, True, True)}, "it ends with the project's last box, and no other does", listed())
os.chdir(TOP + "/p")
shutil.rmtree(TOP + "/impostor")
r = report("-c", "ls /proc/1/root /proc/1/ns/net >/dev/null; /usr/bin/python3 -c 'import os\nfor p in filter(str.isdigit, os.listdir(\"/proc\")):\n  try: os.setns(os.open(\"/proc/%s/ns/net\" % p, 0)); print(\"joined\")\n  except OSError: pass'")
result("joined" not in r["stdout"], "a box enters no namespace of its siblings", r)

# Floods and half-open connections
resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]), resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
half = []
for _ in range(1300):
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(("127.0.0.1", shop))
    half.append(s)
time.sleep(0.3)
result(len(boxes()) == 1 and (shop, True, True) in listed(), "a flood of connections ends nothing")
for s in half[:650]:
    s.close()
for s in half[650:]:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
result(until(lambda: str(get(shop)).startswith("shop"), 20), "afterwards it serves as before", get(shop))
silent = socket.create_connection(("127.0.0.1", shop))
shut = socket.create_connection(("127.0.0.1", shop))
shut.shutdown(socket.SHUT_WR)
result(str(get(shop)).startswith("shop"), "half-open connections hold nobody up")

# What ends it
caisson("ports", "publish", str(spare))
code, out, err = caisson("ports", "unpublish", str(spare))
result(code == 0 and get(spare) == 7 and str(get(shop)).startswith("shop"), "a port is unpublished", out + err)
code, out, err = caisson("ports", "unpublish", str(spare))
result(code == 1 and "not published" in err, "once", out + err)
if os.getuid() == 0:
    os.kill(relays()[0], signal.SIGKILL)
    result(until(lambda: listed() == {(shop, False, True)}) and get(shop) == 7, "a relay that is killed is not listed any more", listed())
    code, out, err = caisson("ports", "publish", str(shop))
    result(code == 0 and str(get(shop)).startswith("shop"), "and another may follow", out + err)
os.kill(keeper()[0], signal.SIGKILL)
result(until(lambda: get(shop) == 7 and not boxes()), "it ends with the keeper", boxes())
silent.close()
shut.close()
for kind, fields, nfds, want in ((PORTS, {}, 0, REFUSED), (UNPUBLISH, {"active": 1}, 0, REFUSED), (PUBLISH, {"active": 3000, "text": "x"}, 1, REFUSED),
                                 (PUBLISH, {"active": 3000, "text": "x"}, 0, None), (PUBLISH, {"active": 70000, "text": "x"}, 1, None), (PORTS, {}, 1, None)):
    until(lambda: not keeper())
    report("--background", "-c", STAYS + ":") if not boxes() else None
    s = connect()
    s.send(message(HELLO))
    answer(s)
    mine, theirs = socket.socketpair()
    s.sendmsg([message(kind, **fields)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", theirs.fileno()))] if nfds else [])
    got = answer(s)
    result(got == want, "message %d with %d descriptors: %s" % (kind, nfds, want), got)
    for x in (s, mine, theirs):
        x.close()
caisson("stop", "--all")

# By the policy
with open(POLICY, "w") as f:
    f.write("sandbox: {network: {publish: [%d, %d]}}\n" % (shop, taken))
r = report("--background", "-c", SERVER % (shop, shop))
texts = [h["message"] for h in r["hints"] if h["id"] == "background"]
result(r.get("background") and r["background"][0].get("published") == [shop] and any("http://127.0.0.1:%d" % shop in t for t in texts), "the policy publishes a port, and the report says so", r)
result(any("port %d is not published" % taken in t and "in use" in t for t in texts), "and why another one is not", texts)
result(str(get(shop)).startswith("shop"), "it is there at once")
r = report("--background", "-c", STAYS + ":")
result("published" not in r["background"][0] and str(get(shop)).startswith("shop"), "it is shown once", r)
caisson("stop", "--all")
result(until(lambda: get(shop) == 7), "it ends with the boxes")
with open(POLICY, "w") as f:
    f.write("sandbox: {network: {publish: [80]}}\n")
code, out, err = caisson("config", "verify")
result(code != 0 and "1024" in out + err, "a port below 1024 is a mistake in the policy", out + err)
os.remove(POLICY)
with open(".caisson.yaml", "w") as f:
    f.write("sandbox: {network: {publish: [%d]}}\n" % shop)
r = report("--background", "-c", SERVER % (shop, shop))
result(get(shop) == 7 and not r.get("background", [{}])[0].get("published"), "a project that nobody trusts publishes none", r)
os.remove(".caisson.yaml")
caisson("stop", "--all")
os.environ.update(agents)
busy.close()
os.remove("page")

# ---- a day of an agent, by the events of its client ----
with open("serve.py", "w") as f:
    f.write("import http.server, os, sys\nclass H(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n"
            "        self.wfile.write(open('page', 'rb').read())\n    def log_message(self, *a): pass\nhttp.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), H).serve_forever()\n")
with open("Makefile", "w") as f:
    f.write("dev:\n\t@/usr/bin/python3 serve.py 4000 & for i in $$(seq 100); do curl -so /dev/null localhost:4000 && break; sleep 0.05; done; echo ready\n"
            "test:\n\t@curl -sS localhost:4000 | grep -q version && echo passed\n")
with open("page", "w") as f:
    f.write("version 1")
done = contained("make dev")
result(done.stdout == "ready\n" and len(boxes()) == 1, "day: a development server goes to the background", done)
done = contained("curl -sS http://localhost:4000/")
result(done.stdout == "version 1", "day: curl, which is allowed, reaches it", done)
done = contained("make test")
result(done.stdout == "passed\n", "day: tests run against it", done)
with open("page", "w") as f:
    f.write("version 2")
done = contained("curl -sS http://localhost:4000/")
result(done.stdout == "version 2", "day: it serves what was edited", done)
done = contained("make test", "s-9")
result(done.stdout == "passed\n", "day: so does another session of the project", done)
hook("SessionEnd", session_id="s-9", reason="exit")
result(len(boxes()) == 1, "day: whose end does not end it")
# A server that the client itself keeps in its background is not left behind: its box ends with it, and is reached all the same.
with open("Makefile", "a") as f:
    f.write("fore:\n\t@exec /usr/bin/python3 serve.py 4001\n")


def in_background(command, session, **fields):
    answer_ = hook("PreToolUse", tool_name="Bash", tool_input={"command": command, **fields}, tool_use_id="t3", session_id=session)
    return subprocess.Popen(["bash", "-c", "exec " + answer_["hookSpecificOutput"]["updatedInput"]["command"]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


task = in_background("make fore", "s-1", run_in_background=True)
done = contained("for i in $(seq 100); do curl -so /dev/null localhost:4001 && break; sleep 0.05; done; make test && curl -sS localhost:4001")
result(done.stdout == "passed\nversion 2", "day: a server in the client's own background joins it", done)
result(len(boxes()) == 2, "day: ps lists it", boxes())
code, out, err = caisson("logs", boxes()[0]["id"])
result(code == 1 and "belongs to a call" in err, "day: logs says who has its output", out + err)
task.terminate()
result(task.wait(10) != 0 and until(lambda: len(boxes()) == 1), "day: it ends with its call", boxes())
caisson("stop", "--session", "s-1")
task = in_background("make fore", "s-4")
result(until(lambda: len(boxes()) == 1), "day: a server of a call that takes long is found by its port", boxes())
done = contained("curl -sS http://localhost:4001/")
result(done.stdout == "version 2", "day: and reached from the next call", done)
os.makedirs(TOP + "/second")
subprocess.run(["git", "init", "-q", TOP + "/second"], check=True)
os.chdir(TOP + "/second")
done = contained("make -s -f /dev/null; curl -sS http://localhost:4001/", "s-5")
result("version" not in done.stdout, "day: not from another project", done)
os.chdir(TOP + "/p")
shutil.rmtree(TOP + "/second")
code, out, err = caisson("stop", boxes()[0]["id"]) if boxes() else (1, "", "no box")
result(code == 0 and task.wait(10) != 0 and not boxes(), "day: stop ends it as well", out + err)
task = in_background("make fore", "s-4", run_in_background=True)
until(lambda: boxes())
hook("SessionEnd", session_id="s-4", reason="exit")
result(until(lambda: task.poll() is not None) and not boxes(), "day: so does the end of its session", boxes())
task = in_background("make fore", "s-4", run_in_background=True)
until(lambda: boxes())
os.kill(task.pid, signal.SIGKILL)
result(until(lambda: not boxes()) and [b["state"] for b in boxes("--all")][:1] == ["lost"], "day: a launcher that is killed takes it along", boxes("--all")[:1])
done = contained("make -s -f /dev/null; sleep 0.7; echo quiet")
result(done.stdout == "quiet\n" and not keeper(), "day: a call that takes long and serves nothing starts no keeper", keeper())
# Bytes that are still on their way when a box that lends its network ends, and a box that still uses that network.
received, accepted = [], []
sink = socket.create_server(("127.0.0.1", 0))


def take_slowly(s):
    time.sleep(1)
    n = 0
    try:
        while chunk := s.recv(65536):
            n += len(chunk)
        s.sendall(b"thanks")
    except OSError as e:
        n = n if n == 3000000 else repr(e)  # nobody is left for the thanks
    received.append(n)
    s.close()


def accept_all():
    while True:
        try:
            s, peer = sink.accept()
            accepted.append(peer)
            threading.Thread(target=take_slowly, args=(s,), daemon=True).start()
        except OSError:
            return


threading.Thread(target=accept_all, daemon=True).start()
with open(POLICY, "w") as f:
    f.write("sandbox: {network: {host_ports: [%d]}}\n" % sink.getsockname()[1])
with open("send.py", "w") as f:
    f.write("import socket, sys, time\ntime.sleep(float(sys.argv[1]))\ns = socket.create_connection(('127.0.0.1', %d))\ns.sendall(b'x' * 3000000)\n" % sink.getsockname()[1]
            + "time.sleep(float(sys.argv[2]))\nif float(sys.argv[2]):\n    s.shutdown(socket.SHUT_WR)\n    print(s.recv(9).decode())\n")
with open("Makefile", "a") as f:
    f.write("send:\n\t@/usr/bin/python3 send.py 0.5 0\nsends:\n\t@/usr/bin/python3 send.py 0 2.5\n")


def lend_and_end():
    """One box lends its network and ends while another one uses it: what went wrong, or nothing."""
    received.clear()
    accepted.clear()
    task = in_background("make send", "s-4", run_in_background=True)
    until(lambda: boxes())
    other = subprocess.Popen([CAISSON, "run", "--profile", "work", "--plain", "-c", "make sends"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    code, gone, runs = task.wait(20), until(lambda: not boxes()), other.poll() is None
    said, errors = other.communicate(timeout=30)
    until(lambda: len(received) == 2)
    good = code == 0 and gone and runs and said == "thanks\n" and other.returncode == 0 and received == [3000000, 3000000]
    return "" if good else str((code, task.stdout.read(), gone, runs, said, errors, other.returncode, received, accepted, boxes("--all")[:2]))


# On a busy machine a first try may fail: its reason is printed, and the next one decides.
wrong = [lend_and_end()]
while wrong[-1] and len(wrong) < 3:
    print("#   a failed try: " + wrong[-1].replace("\n", "\\n"), flush=True)
    caisson("stop", "--all")
    wrong.append(lend_and_end())
result(not wrong[-1], "day: a box that lends its network ends while another one uses it, and no byte on the way is lost", wrong)
sink.close()
# The last box of a network ends while its server still reads.
slow, taken = socket.create_server(("127.0.0.1", 0)), []


def read_slowly():
    s, n = slow.accept()[0], 0
    try:
        while chunk := s.recv(65536):
            n += len(chunk)
            time.sleep(0.02)
    except OSError as e:
        n = (n, repr(e))
    taken.append(n)
    s.close()


threading.Thread(target=read_slowly, daemon=True).start()
with open(POLICY, "w") as f:
    f.write("sandbox: {network: {host_ports: [%d]}}\n" % slow.getsockname()[1])
with open("send.py", "w") as f:
    f.write("import socket, time\ntime.sleep(0.5)\nsocket.create_connection(('127.0.0.1', %d)).sendall(b'x' * 3000000)\n" % slow.getsockname()[1])
task = in_background("make send", "s-4", run_in_background=True)
until(lambda: boxes())
result(task.wait(20) == 0 and until(lambda: taken) and taken == [3000000], "day: nor for a slow server and no other box", taken)
result(until(lambda: not relays()), "day: the relay ends after that", relays())
slow.close()
os.remove(POLICY)
os.remove("send.py")
done = contained("make dev")
code, out, err = caisson("check", "caisson stop %s" % boxes()[0]["id"])
result(code == 0, "day: the agent may stop it", out + err)
code, out, err = caisson("stop", "--session", "s-1")
result(code == 0 and not boxes(), "day: stop ends it", out + err)
done = contained("curl -sS http://localhost:4000/")
result("version" not in done.stdout, "day: then nobody answers", done)

# ---- the same day by MCP ----
class Mcp:
    """A client of `caisson mcp --profile work` in the current directory."""

    def __init__(self, *args, cwd=None):
        self.p = subprocess.Popen([CAISSON, "mcp", "--profile", "work", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=cwd)
        self.id, self.seen = 0, {}

    def ask(self, tool, **arguments):
        self.id += 1
        self.p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}) + "\n")
        self.p.stdin.flush()
        return self.id

    def answer(self, id_):
        while id_ not in self.seen:
            line = self.p.stdout.readline()
            if not line:
                return {}
            m = json.loads(line)
            self.seen[m.get("id")] = m.get("result", m)
        return self.seen.pop(id_)

    def tool(self, tool, **arguments):
        r = self.answer(self.ask(tool, **arguments))
        return r.get("structuredContent") or {"error": r}

    def run(self, command, **more):
        return self.tool("run", command=command, **more)

    def tools(self):
        self.p.stdin.write('{"jsonrpc": "2.0", "id": "l", "method": "tools/list"}\n')
        self.p.stdin.flush()
        return [t["name"] for t in self.answer("l")["tools"]]

    def close(self):
        self.p.stdin.close()
        return self.p.wait(20)


with open("page", "w") as f:
    f.write("version 1")
with open("Makefile", "a") as f:
    f.write("logs:\n\t@(for i in 1 2 3; do echo line $$i; sleep 0.2; done; exec sleep %s) & echo started\n" % WORD)
m = Mcp()
result(m.tools() == ["run", "verify_tests", "check", "result", "background"], "mcp: a project's server has a tool for the background", m.tools())
r = m.run("make dev")
kept = r.get("background", [])
result(r.get("stdout") == "ready\n" and len(kept) == 1 and kept[0]["ports"] == [4000], "mcp: a development server goes to the background", r)
BOX = kept[0]["id"] if kept else "none"
r = m.run("curl -sS http://localhost:4000/")
result(r.get("stdout") == "version 1", "mcp: curl reaches it", r)
r = m.run("make test")
result(r.get("stdout") == "passed\n", "mcp: tests run against it", r)
r = m.run("echo version 2 >page")
r = m.run("curl -sS http://localhost:4000/")
result(r.get("stdout") == "version 2\n", "mcp: it serves what was edited", r)
listed_ = m.tool("background", action="list").get("boxes", [])
result([(b["id"], b["state"], b["ports"]) for b in listed_] == [(BOX, "running", [4000])] and listed_[0]["command"] == "make dev", "mcp: it is listed", listed_)
result([(b["id"], b["session"]) for b in boxes()] == [(BOX, listed_[0]["session"] if listed_ else "")], "mcp: by ps as well, with a session", boxes())
database, port = serve_host()
with open(POLICY, "w") as f:
    f.write("sandbox: {network: {host_ports: [%d]}}\n" % port)
d = Mcp()
r = d.run(GET % port)
result(r.get("stdout") == "host", "mcp: a database on a listed port of the host is reached", r)
d.close()
os.remove(POLICY)
database.close()
n = Mcp()
r = n.run("make test")
result(r.get("stdout") == "passed\n", "mcp: another session of the project reaches the server", r)
result(n.tool("background", action="list") == {"boxes": []}, "mcp: and lists only its own boxes")
for action in ("stop", "logs", "wait"):
    r = n.tool("background", action=action, id=BOX)
    result("no such box" in str(r) and len(boxes()) == 1, "mcp: it has no %s of another's" % action, r)
r = n.run("make logs")
other_box = r["background"][0]["id"] if r.get("background") else "none"
until(lambda: "line 3" in str(n.tool("background", action="logs", id=other_box)))
r = n.tool("background", action="logs", id=other_box)
result(r.get("log", "").endswith("line 3\n") and len(n.tool("background", action="logs", id=other_box, bytes=7).get("log", "")) == 7, "mcp: the output is read", r)
result(n.close() == 0 and until(lambda: [b["id"] for b in boxes()] == [BOX]), "mcp: the end of a session ends its boxes and no others", boxes())
os.makedirs(TOP + "/second")
subprocess.run(["git", "init", "-q", TOP + "/second"], check=True)
n = Mcp(cwd=TOP + "/second")
r = n.run("curl -sS http://localhost:4000/")
result(r.get("exit_code") == 7, "mcp: another project does not reach the server", r)
r = n.run("/usr/bin/python3 -m http.server --bind 127.0.0.1 4000 >/dev/null 2>&1 & for i in $(seq 100); do curl -so /dev/null localhost:4000 && break; sleep 0.05; done")
result(len(r.get("background", [])) == 1 and len(boxes()) == 2, "mcp: two projects serve one port at once", r)
n.p.kill()
n.p.wait()
result(until(lambda: [b["id"] for b in boxes()] == [BOX]), "mcp: a server that is killed takes its boxes along", boxes())
shutil.rmtree(TOP + "/second")
client = subprocess.Popen([sys.executable, "-c", """
import json, subprocess, sys
p = subprocess.Popen([sys.argv[1], "mcp", "--profile", "work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "make logs"}}}) + "\\n")
p.stdin.flush()
p.stdout.readline()
print("ready", flush=True)
sys.stdin.read()
""", CAISSON], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
client.stdout.readline()
result(len(boxes()) == 2, "mcp: a box of a client that is about to die", boxes())
client.kill()
client.wait()
result(until(lambda: len(boxes()) == 1), "mcp: a client that is killed is noticed", boxes())
r = m.run("echo begun; sleep 0.6; echo done", background_after_sec=0.2)
result(r.get("status") == "running" and r.get("stdout") == "begun\n", "mcp: a slow program goes on if the call says so", r)
w = m.tool("background", action="wait", id=r.get("id", "none"), timeout_sec=0.1)
result(w.get("boxes", [{}])[0].get("state") == "running" and "report" not in w, "mcp: wait is over before it ends", w)
w = m.tool("background", action="wait", id=r.get("id", "none"))
result(w.get("report", {}).get("status") == "ok" and w["report"]["stdout"] == "begun\ndone\n", "mcp: then it has the report", w)
w = m.tool("background", action="stop", id=BOX)
result(w.get("boxes", [{}])[0].get("state") == "ended" and w.get("report", {}).get("id") == BOX and not boxes(), "mcp: stop ends the server", w)
r = m.run("curl -sS http://localhost:4000/")
result(r.get("exit_code") == 7, "mcp: then nobody answers", r)
call = m.ask("run", command="make fore")
result(until(lambda: len(boxes()) == 1), "mcp: a server of a call that goes on is found by its port", boxes())
r = m.run("curl -sS http://localhost:4001/")
result(r.get("stdout") == "version 2\n", "mcp: and reached by another call", r)
w = m.tool("background", action="logs", id=boxes()[0]["id"] if boxes() else "none")
result("belongs to a call" in str(w), "mcp: logs says who has its output", w)
fore = [b["id"] for b in boxes()]
m.tool("background", action="stop", id=fore[0] if fore else "none")
result(not boxes() and m.answer(call).get("structuredContent", {}).get("status") == "unknown", "mcp: stop ends it", boxes())
for arguments in ({"action": "stop"}, {"action": "logs", "id": "../x"}, {"action": "burn"}, {}, {"action": "logs", "id": BOX, "bytes": 10000000}):
    r = m.tool("background", **arguments)
    result(r.get("error", {}).get("isError") is True, "mcp: background with %s" % arguments, r)
m.close()
for args, policy in (((), "kill"), (("--profile", "exec"), "keep"), (("--backend", "bwrap"), "keep")):
    with open(POLICY, "w") as f:
        f.write("sandbox: {background: %s}\n" % policy)
    n = Mcp(*args)
    r = n.run(STAYS + "echo x", background_after_sec=1)
    result("background" not in n.tools() and "unknown argument" in str(r), "mcp: no background with %s %s" % (policy, " ".join(args)), r)
    r = n.run(STAYS + "echo x") if args[:1] != ("--backend",) else {}
    result("background" not in r and not boxes(), "mcp: and nothing stays", r)
    n.close()
os.remove(POLICY)
nothing = until(lambda: not boxes())
result(nothing, "mcp: nothing is left", boxes())
for name in ("serve.py", "Makefile", "page"):
    os.remove(name)

# An allowed pkill runs outside, and finds the processes of boxes by their names. A pid of a box means another process outside: a person is asked.
r = report("--background", "-c", STAYS + "echo $!")
code, out, err = caisson("check", "kill %s" % r["stdout"].strip())
result(code not in (0, 3) and "ask" in out, "a pid that a box printed ends no process of the host without a question", out + err)
subprocess.run(["pkill", "-f", "sleep " + WORD])
result(until(lambda: not boxes()), "pkill reaches the processes of a box", boxes())

# A planter that waits: found when its box ends, and until then the project counts as unvetted.
r = report("--background", "-c", "(sleep 0.2; mkdir x; cd x; mkdir objects refs hooks; echo 'ref: refs/heads/m' >HEAD; printf '[core]\\nfsmonitor=evil\\n' >config; sleep %s) & :" % WORD)
until(lambda: os.path.exists("x/config"))
code, out, err = caisson("check", "git status")
result(code == 3 and "unvetted-workspace" in out, "git is contained while a box lives in the workspace", out + err)
later = report("-c", "true")
result(any("planted" in c["what"] for c in later["changes"]) and not os.path.exists("x/config"), "a later command finds what it planted", later)
caisson("stop", "--all")
shutil.rmtree("x", ignore_errors=True)
r = report("--background", "-c", "(sleep 0.2; mkdir y; cd y; mkdir objects refs; echo 'ref: refs/heads/m' >HEAD; touch config; sleep %s) & :" % WORD)
until(lambda: os.path.exists("y/config"))
caisson("stop", "--all")
code, out, err = caisson("result", r["background"][0]["id"])
result(any("planted" in c["what"] for c in json.loads(out)["changes"]) and not os.path.exists("y/HEAD"), "and so does its end", out + err)
shutil.rmtree("y", ignore_errors=True)

# ---- the limits go on ----
r = report("--background", "--memory", "64M", "--accept", "watched", "-c", "(sleep 0.2; exec /usr/bin/python3 -c 'x = bytearray(300 << 20); import time; time.sleep(50)') & :")
code, out, err = caisson("wait", "--timeout", "20", r["background"][0]["id"] if r.get("background") else "none")
result(code == 137 and json.loads(out)["status"] == "oom", "the memory limit holds in the background", out + err)

r = report("--background", "-c", "(exec yes %s) & :" % WORD)
time.sleep(1)
size = sum(os.path.getsize(STATE + "/background/%s/%s" % (r["background"][0]["id"], f)) for f in ("log", "log.old") if os.path.exists(STATE + "/background/%s/%s" % (r["background"][0]["id"], f)))
result(100 < size < 64 << 20 and len(boxes()) == 1, "a flood of output is slowed down", size)
caisson("stop", "--all")

# ---- the keeper ----
until(lambda: not keeper())
result(not keeper() and not os.path.exists(STATE + "/keeper/socket"), "the keeper ends when nobody needs it", keeper())
report("--background", "-c", STAYS + ":")
k = keeper()
result(len(k) == 1, "there is one keeper", k)
with open("/proc/%d/environ" % k[0], "rb") as f:
    variables = f.read().split(b"\0")
result(variables[0].startswith(b"CAISSON_STATE=") and not any(variables[1:]), "it has a clean environment", variables)
fds = sorted(os.readlink("/proc/%d/fd/%s" % (k[0], fd)) for fd in os.listdir("/proc/%d/fd" % k[0]))
result(sum("/dev/null" not in fd and "socket:" not in fd and "net:" not in fd and "/keeper" not in fd for fd in fds) == 0, "and no foreign descriptor", fds)
result(os.getsid(k[0]) not in (os.getsid(0), 0) and os.readlink("/proc/%d/cwd" % k[0]) == "/", "and a session of its own")
result(os.stat(STATE + "/keeper").st_mode & 0o777 == 0o700 and os.stat(STATE + "/keeper/socket").st_mode & 0o777 == 0o600, "only its user reaches it")
code, out, err = caisson("run", "--profile", "work", "--read", STATE + "/keeper", "-c", "ls")
result(code == 64 and "caisson's own files" in err, "it is shown to no box", err)
with open(POLICY, "w") as f:
    f.write("sandbox: {read: ['%s']}\n" % STATE)
code, out, err = caisson("run", "--profile", "work", "-c", "ls -l %s/keeper/socket" % STATE)
result("srw" not in out and '"exit_code":0' not in out, "nor by the policy", out + err)
with open(POLICY, "w") as f:
    f.write("sandbox: {read: ['%s']}\n" % TOP)
code, out, err = caisson("run", "--profile", "work", "-c", "ls %s; ls -l %s/keeper/socket; echo x | timeout 2 /usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(\"%s/keeper/socket\"); print(\"joi\" + \"ned\")'" % (TOP, STATE, STATE))
result("srw" not in out and "joined" not in out, "nor by a directory around it", out + err)
os.remove(POLICY)
half_open = connect()
s = connect()
s.send(message(HELLO))
result(answer(s) == WELCOME, "a process of the user is welcome")
s.close()
inside = subprocess.run(["unshare", "--user", "--map-current-user", sys.executable, "-c", """
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
os.chdir(sys.argv[1])
s.connect("socket")
try:
    s.send(bytes.fromhex(sys.argv[2]))
    print(len(s.recv(4096)))
except ConnectionError:
    print(0)
""", STATE + "/keeper", message(HELLO).hex()], capture_output=True, text=True)
if "unshare" in inside.stderr:
    print("ok - %s: a peer of another user namespace # SKIP no user namespace" % options.who)
else:
    result(inside.stdout == "0\n", "a peer of another user namespace is not", inside)
for what, bytes_ in (("short", b"x"), ("long", message(HELLO) + b"x"), ("wrong magic", b"X" + message(HELLO)[1:]), ("unknown kind", message(99)),
                     ("usage before a greeting", message(USAGE)), ("hold before a greeting", message(HOLD, id="x")), ("empty", b"")):
    s = connect()
    s.send(bytes_)
    result(answer(s) in (None, "ConnectionResetError(104, 'Connection reset by peer')"), "a message that is %s closes the connection" % what)
    s.close()
flood = []
for _ in range(150):
    try:
        flood.append(connect())
    except OSError:
        break
result(len(boxes()) == 1 and keeper() == k, "a flood of connections changes nothing")
for s in flood:
    s.close()
flood, refused = [connect() for _ in range(8)], 0
for s in flood:
    s.settimeout(0.2)
    s.send(message(HELLO))
    answer(s)
for i in range(4000):
    try:
        flood[i % 8].send(message(JOIN, text="k%d" % i))
    except (OSError, socket.timeout):
        refused += 1
start = time.monotonic()
result(len(boxes()) == 1 and keeper() == k and caisson("run", "--profile", "work", "-c", ":")[0] == 0 and time.monotonic() - start < 5,
       "nor does one of questions whose answers nobody reads", refused)
for s in flood:
    s.close()
code, out, err = caisson("doctor", "--json")
row = [w for w in json.loads(out)["rows"] if w["id"] == "keeper"]
result(len(row) == 1 and "1 box" in row[0]["by"], "doctor shows it", row)
limited = subprocess.run(["setpriv", "--no-new-privs", "env", "CAISSON_STATE=" + TOP + "/other", CAISSON, "keeper"], capture_output=True, text=True, timeout=20)
result(limited.returncode == 1 and "no_new_privs" in limited.stdout, "no keeper starts under no_new_privs", limited)

if os.getuid() == 0:  # others get a filter with no_new_privs alone
    filtered = subprocess.run([sys.executable, "-c", """
import ctypes, os, struct, sys
code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))  # allows everything
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(code)))
assert ctypes.CDLL(None).prctl(22, 2, program, 0, 0) == 0
os.execve(sys.argv[1], [sys.argv[1], "keeper"], {"CAISSON_STATE": sys.argv[2]})
""", CAISSON, TOP + "/other"], capture_output=True, text=True, timeout=20)
    result(filtered.returncode == 1 and "seccomp" in filtered.stdout, "nor under a filter of seccomp", filtered)
foreign = subprocess.run(["unshare", "--user", "--map-current-user", "env", "CAISSON_STATE=" + TOP + "/other", CAISSON, "keeper"], capture_output=True, text=True, timeout=20)
if "unshare" in foreign.stderr:
    print("ok - %s: no keeper starts in another user namespace # SKIP no user namespace" % options.who)
else:
    result(foreign.returncode == 1 and "user namespace" in foreign.stdout, "nor in another user namespace", foreign)
if options.who == "user":  # it takes three seconds
    os.kill(k[0], signal.SIGSTOP)
    start = time.monotonic()
    r = report("--background", "-c", STAYS + "echo z")
    result(r["status"] == "ok" and "background" not in r and time.monotonic() - start < 10, "a keeper that does not answer delays nothing for long", r)
    os.kill(k[0], signal.SIGCONT)
    result(half_open.recv(1) == b"", "a connection that says nothing is closed")
half_open.close()
slow = subprocess.Popen([CAISSON, "run", "--profile", "work", "--background", "--plain", "-c", STAYS + "head -c 300000 /dev/zero; echo end >&2"],
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
time.sleep(0.5)
result(len(slow.stdout.read()) == 300000 and slow.wait() == 0 and len(boxes()) == 2, "a slow reader gets all of the program's output")
caisson("stop", boxes()[0]["id"])

# ---- a newer program ----
s = connect()
s.send(message(HELLO, program="9.9"))
answer(s)
s.send(message(RETIRE))
result(answer(s) is None and not os.path.exists(STATE + "/keeper/socket"), "a newer program replaces it")
s.close()
result(len(boxes()) == 1 and keeper() == k, "its box lives on with it")
report("--background", "-c", STAYS + ":")
result(len(keeper()) == 2 and len(boxes()) == 2, "a new keeper has the next box", keeper())
os.kill(k[0], signal.SIGKILL)
result(until(lambda: len(boxes()) == 1), "the end of a keeper is the end of its boxes, and of no others")
caisson("stop", "--all")
result(not boxes(), "stop --all ends all")
nothing_left("in order")


def old_keeper(protocol, program, heard):
    """A keeper of another program: it holds name and lock, and gives both up when it is told to retire."""
    lock = os.open(STATE + "/keeper/lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.fcntl(lock, 37, struct.pack("hh4xqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    os.chdir(STATE + "/keeper")
    listener.bind("socket")
    os.chdir(TOP + "/p")
    listener.listen(8)

    def serve():
        while RETIRE not in heard:
            s, _ = listener.accept()
            s.settimeout(5)
            heard.append(answer(s))
            s.send(message(WELCOME, protocol=protocol, program=program, active=0))
            heard.append(answer(s))
            if heard[-1] == RETIRE:
                os.unlink(STATE + "/keeper/socket")
                listener.close()
                os.close(lock)
            s.close()
    threading.Thread(target=serve, daemon=True).start()


for protocol, program in ((3, "0.0.9"), (2, "0.0.1"), (99, "9.9.9")):
    until(lambda: not keeper())
    heard = []
    old_keeper(protocol, program, heard)
    r = report("--background", "-c", STAYS + ":")
    result(heard[-1:] == [RETIRE] and bool(r.get("background")) and len(keeper()) == 1, "a keeper of %s, protocol %d, is replaced" % (program, protocol), (heard, r))
    caisson("stop", "--all")

# ---- bounds ----
for i in range(2):
    r = report("--background", "--agent", "a", "-c", STAYS + ":")
s = connect()
s.send(message(HELLO))
answer(s)
mine, other = socket.socketpair()
s.sendmsg([message(HOLD, id="b0", session="s")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", other.fileno()))])
other.close()
result(answer(s) == HELD, "a box that holds its place")
s.close()
mine.settimeout(5)
result(mine.recv(1) == b"", "loses its life line with its connection")
held = []
for i in range(16):
    s = connect()
    s.send(message(HELLO))
    answer(s)
    mine, other = socket.socketpair()
    s.sendmsg([message(HOLD, id="b%d" % i, session="s%d" % (i // 8))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", other.fileno()))])
    other.close()
    held.append((answer(s), s, mine))
result([h[0] for h in held].count(HELD) == 14 and held[-1][0] == REFUSED, "no more than 16 busy boxes", [h[0] for h in held])
r = report("--background", "-c", STAYS + "echo y")
result(r["status"] == "ok" and r["stdout"] == "y\n" and "background" not in r and any(h["id"] == "background" for h in r["hints"]),
       "then nothing stays, and the report says why", r)
for h in held:
    h[1].close()
    h[2].close()
caisson("stop", "--all")

# ---- one after the other, without growth ----
def counts():
    """Mounts of the machine below the test's directory, descriptors of the keeper, processes, control groups."""
    with open("/proc/self/mounts") as f:
        mounts = sum(TOP in line for line in f)
    return mounts, len(os.listdir("/proc/%d/fd" % keeper()[0])), len(processes()), len(groups())


def settled():
    """The counts once they stay the same for a second: a box that was just handed over still starts and ends helpers."""
    now, since = counts(), time.time()
    while time.time() - since < 1:
        time.sleep(0.1)
        again = counts()
        if again != now:
            now, since = again, time.time()
    return now


anchor = report("--background", "-c", STAYS + ":")
first, bad = settled(), 0
for i in range(options.daemons):
    r = report("--background", "-c", "(sleep %s; :) & exit 0" % (WORD if i % 2 else "0.1"))
    if i % 2 and r.get("background"):
        caisson("stop", r["background"][0]["id"])
    bad += not until(lambda: len(boxes()) == 1)
result(not bad, "%d daemons have come and gone" % options.daemons, bad)
result(until(lambda: counts() == first), "mounts, descriptors, processes and control groups are as many as before", (first, counts()))
caisson("stop", "--all")

# ---- killed at any point ----
rng, lost = random.Random(), 0
for i in range(options.points):
    one = subprocess.Popen([CAISSON, "run", "--profile", "work", "--background", "-c", STAYS + "sleep 0.0%d" % rng.randrange(10)],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.random() * 0.12)
    ours = [pid for pid, args in processes().items() if "caisson ps" not in args]
    victims = {0: [one.pid], 1: keeper(), 2: ours, 3: [p for p in ours if p != one.pid]}[i % 4]
    if victims:
        try:
            os.kill(rng.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            pass
    if i % 2:
        one.wait()
        caisson("stop", "--all")
    else:
        one.wait()
    if i % 8 == 7:
        caisson("stop", "--all")
caisson("stop", "--all")
nothing_left("killed at %d points" % options.points)
with open(POLICY, "w") as f:
    f.write("sandbox: {network: {publish: [%d]}}\n" % shop)
open_, served = 0, 0
for i in range(options.points // 4):
    one = subprocess.Popen([CAISSON, "run", "--profile", "work", "--background", "-c", SERVER % (shop, shop)],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.random() * 0.6)
    ours = [pid for pid, args in processes().items() if "caisson ps" not in args]
    victims = {0: relays() or keeper(), 1: keeper(), 2: ours, 3: [one.pid]}[i % 4]
    if victims:
        try:
            os.kill(rng.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            pass
    one.wait()
    served += get(shop, path="/") != 7
    caisson("stop", "--all")
    open_ += not until(lambda: get(shop) == 7)
os.remove(POLICY)
result(not open_, "killed at %d points: no published port is left (%d times it was there)" % (options.points // 4, served), open_)
nothing_left("killed with a published port")
result(not listed(), "and none is listed", listed())
all_ = boxes("--all")
rows = [json.loads(line) for line in caisson("audit", "query", "--limit", "100000", "--json")[1].splitlines()]
ends = {w.get("id") for w in rows if w["kind"] == "end"}
begins = {w.get("id") for w in rows if w["kind"] == "begin"}
result(all(b["id"] in ends for b in all_ if b["id"] in begins), "every box in the background has an end in the record", [b for b in all_ if b["id"] not in ends])
result(caisson("audit", "verify")[0] == 0, "the record is whole")
left = set(os.listdir(STATE)) - {"audit", "background", "blobs", "keeper", "locks", "vetted", "quarantine", "index.sqlite", "caches", "outputs", "roots", "remembered"}
print("# state: %s, %d entries" % (sorted(left), len(os.listdir(STATE + "/background"))))
