"""Load on a caissond: load.py TOP DIR RUNS PARALLEL KILLS. TAP.

Many runs with known ends at once: each answer must have its own status and output, every run must be in the record
once, and memory, processes and cgroups must not grow. Then the server is killed at random points: every run whose id a
caller has seen must have an end in the record."""
import collections
import http.client
import json
import os
import random
import re
import sys
import threading
import time

top, tmp = sys.argv[1:3]
RUNS, PARALLEL, KILLS = map(int, sys.argv[3:6])
sys.path.insert(0, top + "/tests")
from servelib import Daemon  # noqa: E402

count = 0
seed = os.environ.get("SEED") or "%x" % random.getrandbits(40)
dice = random.Random(seed)
print("# seed " + seed)


def ok(what, good, seen=None):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if good else "not ok", count, what))
    if not good:
        print("#   " + repr(seen)[:1500])
    sys.stdout.flush()


# weight, name, body, status, exit code; %d is a number of the run's own, which has to come back
ENDS = [
    (60, "ok", {"command": "echo %d"}, "ok", 0),
    (10, "exit", {"command": "echo %d; exit 7"}, "exit_nonzero", 7),
    (8, "signal", {"command": "echo %d; kill -SEGV $$"}, "signal", None),
    (4, "timeout", {"command": "echo %d; sleep 60", "timeout_sec": 1}, "timeout", None),
    (3, "oom", {"command": "echo %d; x=$(head -c 100000000 /dev/zero | tr '\\0' a); x=$x$x$x", "memory_mb": 64}, "oom", None),
    (3, "flood", {"command": "echo %d; yes"}, "output_limit", None),
    (6, "python", {"code": "print(%d)", "lang": "python"}, "ok", 0),
    (4, "stdin", {"command": "cat", "stdin": "%d\n"}, "ok", 0),
    (2, "denied", {"command": "rm -rf / # %d"}, "denied", None),
]
LINES = [e for e in ENDS for _ in range(e[0])]


def body_of(end, number):
    return {k: v.replace("%d", str(number)) if isinstance(v, str) else v for k, v in end[2].items()}


def memory_of(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % pid).read()).group(1))


def ours(d):
    """Living processes of this daemon: those with its state directory in their environment."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += ("CAISSON_STATE=" + d.tmp + "/state").encode() in open("/proc/%s/environ" % pid, "rb").read()
        except OSError:
            pass
    return found


def groups():
    """Cgroups of boxes whose launcher (the number in their name) is gone: those of others that live do not count."""
    return {x for _, dirs, _ in os.walk("/sys/fs/cgroup") for x in dirs
            if re.match(r"caisson-\d+-", x) and not os.path.exists("/proc/" + x.split("-")[1])}


def stale(before, seconds=10):
    """Groups that stay: an undertaker may still be at work."""
    until = time.time() + seconds
    while groups() - before and time.time() < until:
        time.sleep(0.2)
    return groups() - before


def wait_for_none(d, seconds=30):
    until = time.time() + seconds
    while ours(d) and time.time() < until:
        time.sleep(0.1)
    return ours(d)


# ---- load

before = groups()
d = Daemon(tmp, "--open", "run,check", "--parallel", "24", "--queue", str(PARALLEL + 8), "--output", "2M", "--timeout", "60",
           "--preload", "json").start()
wrong, ids, ends, sizes = [], [], collections.Counter(), []
work = iter([(i, dice.choice(LINES)) for i in range(RUNS)])
lock = threading.Lock()


def caller():
    c = http.client.HTTPConnection("127.0.0.1", d.port, timeout=300)
    while True:
        with lock:
            number, end = next(work, (None, None))
        if end is None:
            break
        try:
            c.request("POST", "/v1/run", json.dumps(body_of(end, number)), {"Content-Type": "application/json"})
            r = c.getresponse()
            got = json.loads(r.read())
        except (OSError, http.client.HTTPException, ValueError) as e:
            with lock:
                wrong.append((end[1], number, repr(e)))
            c.close()
            continue
        mine = end[1] == "denied" or got.get("stdout", "").startswith("%d\n" % number)
        with lock:
            ends[end[1]] += 1
            if got.get("status") != end[3] or not mine or (end[4] is not None and got.get("exit_code") != end[4]):
                wrong.append((end[1], number, {k: got.get(k) for k in ("status", "exit_code", "signal", "stdout", "error", "message")}))
            if end[1] != "denied":
                ids.append(got.get("id"))
            if number % max(1, RUNS // 10) == 0:
                sizes.append(memory_of(d.p.pid))
    c.close()


begun = time.time()
threads = [threading.Thread(target=caller) for _ in range(PARALLEL)]
[t.start() for t in threads]
[t.join() for t in threads]
took = time.time() - begun
print("# %d runs, %d at once, %.1f s, %.0f a second; ends %s; memory of the server in kB %s" %
      (RUNS, PARALLEL, took, RUNS / took, dict(ends), sizes))
ok("no wrong status among %d runs" % RUNS, not wrong, (len(wrong), wrong[:5]))
ok("no run is lost", sum(ends.values()) == RUNS, sum(ends.values()))
ok("no id twice", len(set(ids)) == len(ids))
half = len(sizes) // 2
ok("the server's memory is flat", not half or max(sizes[half:]) < 1.2 * max(sizes[:half]) + 2000, sizes)
ok("the server ends", d.stop() == 0)
ok("no process is left", not wait_for_none(d), ours(d))
ok("no cgroup is left", not stale(before), stale(before, 0))
rows = collections.defaultdict(list)
for line in d.caisson("audit", "query", "--json").stdout.splitlines():
    row = json.loads(line)
    rows[row["id"]].append(row["kind"])
ok("every run is in the record, with its end", all(rows[i] == ["begin", "end"] for i in ids), [i for i in ids if rows[i] != ["begin", "end"]][:5])
ok("the record holds together", d.caisson("audit", "verify").returncode == 0)

# ---- kills

seen = []


def streamer(d, end, number):
    """Notes the id as soon as the server tells it."""
    try:
        for name, data in d.events(body_of(end, number)):
            if name == "started":
                seen.append(data["id"])
    except (OSError, http.client.HTTPException, ValueError):
        pass


for point in range(KILLS):
    d = Daemon(tmp, "--open", "run,check", "--timeout", "20", "--output", "2M", *dice.choice([[], ["--preload", "json"]])).start()
    threads = [threading.Thread(target=streamer, args=(d, dice.choice(LINES), n), daemon=True) for n in range(12)]
    [t.start() for t in threads]
    time.sleep(dice.random() * 0.6)
    d.p.kill()
    d.p.wait()
    d.p.stdout.close()
    d.err.close()
    [t.join(30) for t in threads]
left = wait_for_none(d) if KILLS else 0
rows = collections.defaultdict(list)
for line in d.caisson("audit", "query", "--json").stdout.splitlines():
    row = json.loads(line)
    rows[row["id"]].append((row["kind"], row.get("status")))
bad = {i: rows[i] for i in seen if [k for k, _ in rows[i]] != ["begin", "end"] or not rows[i][1][1]}
open_ends = [i for i, r in rows.items() if [k for k, _ in r] == ["begin"]]
ok("%d kills, %d runs seen: each has its end in the record" % (KILLS, len(seen)), not bad, bad)
ok("and no other run lacks its end", not open_ends, open_ends[:5])
ok("no process is left after the kills", not left, left)
ok("no cgroup is left after the kills", not stale(before), stale(before, 0))
ok("the record still holds together", d.caisson("audit", "verify").returncode == 0)
print("1..%d" % count)
