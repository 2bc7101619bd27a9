#!/usr/bin/python3
"""What a fresh box costs, beside what a user would pick instead; all in one run, taking turns in an order that changes, so that noise falls on everybody alike.

Prints ratios of medians with the goal beside them, and asserts nothing. Every run is recorded, without waiting for the disk but in the row that says so. RUNS (default 300) is the number of turns, PAUSED (60) that with a pause
of 30 ms before each start, as an agent has between its commands.
"""
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CAISSON = os.environ["CAISSON"]
RUNS = int(os.environ.get("RUNS", "300"))
PAUSED = int(os.environ.get("PAUSED", "60"))
KILLS = int(os.environ.get("KILLS", "100"))
BWRAP = "bwrap --unshare-all --new-session --die-with-parent --ro-bind / / --tmpfs /tmp --proc /proc --dev /dev".split()
NULL = os.open("/dev/null", os.O_RDWR)
STREAMS = [(os.POSIX_SPAWN_DUP2, NULL, fd) for fd in (0, 1, 2)]


class Command(list):
    """A command line with the environment it runs in."""

    def __init__(self, argv, env=None):
        super().__init__(argv)
        self.env = env or dict(os.environ)


def home(folder, name, policy):
    """A home with this policy and a record of its own."""
    place = os.path.join(folder, name)
    os.makedirs(os.path.join(place, ".config", "caisson"), mode=0o700)
    with open(os.path.join(place, ".config", "caisson", "config.yaml"), "w", encoding="utf-8") as file:
        file.write(policy)
    return {**os.environ, "HOME": place, "CAISSON_STATE": os.path.join(place, "state")}


def once(argv):
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, argv.env, file_actions=STREAMS)
    status = os.waitpid(pid, 0)[1]
    return time.perf_counter() - start, os.waitstatus_to_exitcode(status)


def turns(commands, n, pause):
    times = {name: [] for name in commands}
    rows = list(commands.items())
    order = random.Random(1)
    for _ in range(n):
        order.shuffle(rows)  # else each would always find the caches and the disk as the same other left them
        for name, argv in rows:
            if pause:
                time.sleep(pause)
            took, code = once(argv)
            if code != 0:
                sys.exit(f"bench: {name}: '{' '.join(argv)}' ended with {code}")
            times[name].append(took)
    return times


def table(title, times, base, goals):
    print(title)
    for name, got in times.items():
        if name == base:
            continue
        ratio = statistics.median(got) / statistics.median(times[base])
        got.sort()
        p99 = got[min(len(got) - 1, int(len(got) * 0.99))] / statistics.median(times[base])
        print(f"  {name:<34} {ratio:6.2f}   p99 {p99:6.2f}{goals.get(name, '')}")


def path(name):
    return shutil.which(name)


def crun(folder, true):
    """A bundle whose root is the host's, read-only; None with the reason where it does not run."""
    if not path("crun"):
        return print("  crun: not installed, not measured")
    bundle = os.path.join(folder, "bundle")
    os.makedirs(bundle)
    subprocess.run([path("crun"), "spec", "-b", bundle], check=True, stdout=NULL)
    with open(os.path.join(bundle, "config.json"), encoding="utf-8") as file:
        spec = json.load(file)
    spec["root"] = {"path": "/", "readonly": True}
    spec["process"].update(terminal=False, args=[true])
    spec["mounts"] = [mount for mount in spec["mounts"] if mount["type"] != "cgroup"]
    with open(os.path.join(bundle, "config.json"), "w", encoding="utf-8") as file:
        json.dump(spec, file)
    argv = [path("crun"), "--cgroup-manager=disabled", "run", "-b", bundle, f"caisson-bench-{os.getpid()}"]
    tried = subprocess.run(argv, stdin=NULL, capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        return print(f"  crun: not measured, it does not run here: {tried.stderr.strip() or tried.returncode}")
    return Command(argv)


def boxes(folder, plain, synced):
    true = path("true")
    commands = {"posix_spawn": Command([true]), "caisson run": Command([CAISSON, "run", "--", true], plain),
            "caisson run, on the disk": Command([CAISSON, "run", "--", true], synced)}
    if path("bwrap"):
        commands["bwrap"] = Command([path("bwrap"), *BWRAP[1:], true])
    else:
        print("  bwrap: not installed, not measured")
    if path("nsjail"):
        commands["nsjail"] = Command([path("nsjail"), "-Mo", "-Q", "--chroot", "/", "--", true])
    else:
        print("  nsjail: not installed, not measured")
    bundle = crun(folder, true)
    if bundle:
        commands["crun"] = bundle
    print(f"  docker: {'needs an image' if path('docker') else 'not installed'}, not measured")
    for title, n, pause in (("tight", RUNS, 0), ("30 ms pauses", PAUSED, 0.03)):
        times = turns(commands, n, pause)
        table(f"  /bin/true, {title}, as a multiple of posix_spawn", times, "posix_spawn", {})
        if "bwrap" in times:
            ratio = statistics.median(times["caisson run"]) / statistics.median(times["bwrap"])
            low = min(times["caisson run"]) / min(times["bwrap"])
            print(f"  caisson run / bwrap, {title:<13} {ratio:6.2f}   of the fastest {low:5.2f}   goal 0.70")


def python(plain):
    exe = "/usr/bin/python3"
    if not os.path.exists(exe):
        return print("  python3: not installed, not measured")
    commands = {"plain": Command([exe, "-c", "pass"]),
            "caisson run": Command([CAISSON, "run", "--", exe, "-c", "pass"], plain)}
    times = turns(commands, max(RUNS // 3, 1), 0)
    table("  python3 -c pass, tight, as a multiple of plain", times, "plain", {"caisson run": "   goal 1.40"})


def named(plain):
    """A box that may reach a host, which it does not use: what the relay and its namespace cost."""
    true = path("true")
    commands = {"caisson run": Command([CAISSON, "run", "--", true], plain),
            "with hosts": Command([CAISSON, "run", "--network", "host.example.org", "--", true], plain)}
    table("  a box with hosts, as a multiple of one without", turns(commands, max(RUNS // 3, 1), 0),
            "caisson run", {"with hosts": "   goal 1.50"})


def background(folder, plain):
    """A run that may leave something in the background and does not; a run that joins the network of a box there."""
    places = {name: os.path.join(folder, "background", name) for name in ("own", "shared")}
    for place in places.values():
        os.makedirs(place)
        subprocess.run(["git", "init", "-q", place], check=True)
    work = [CAISSON, "run", "--profile", "work", "--workspace"]
    commands = {"ends": Command([*work, places["own"], "--", path("true")], plain),
            "may stay": Command([*work, places["own"], "--background", "--", path("true")], plain)}
    table("  a run that may leave processes and leaves none, as a multiple of one that may not",
            turns(commands, max(RUNS // 3, 1), 0), "ends", {"may stay": "   goal 1.03"})
    kept = subprocess.run([*work, places["shared"], "--background", "-c", "(sleep 3600; :) & :"], stdin=NULL,
            stdout=subprocess.PIPE, stderr=NULL, env=plain, check=False)
    if b'"background":[' not in kept.stdout:
        return print("  joining a network: nothing stays in the background here, not measured")
    commands = {"own network": Command([*work, places["own"], "--", path("true")], plain),
            "joined network": Command([*work, places["shared"], "--", path("true")], plain)}
    table("  a run in the network of a box in the background, as a multiple of one in its own",
            turns(commands, max(RUNS // 3, 1), 0), "own network", {"joined network": "   goal 1.20"})
    subprocess.run([CAISSON, "stop", "--all"], stdin=NULL, stdout=NULL, stderr=NULL, env=plain, check=False)


def overshoot(plain):
    """How long after the time limit everything is over, the whole process included; less what a run that ends at once takes."""
    over = []
    quick = statistics.median(once(Command([CAISSON, "run", "--", path("true")], plain))[0]
            for _ in range(20))
    argv = [CAISSON, "run", "--timeout", "0.1", "-c", "trap '' TERM; while :; do :; done"]
    for _ in range(KILLS):
        start = time.perf_counter()
        subprocess.run(argv, stdin=NULL, stdout=NULL, stderr=NULL, env=plain, check=False)
        over.append((time.perf_counter() - start - 0.1 - quick) * 1000)
    over.sort()
    print(f"  time limit: over it by {statistics.median(over):.1f} ms (median), {over[int(len(over) * 0.99) - 1]:.1f} ms (p99)   goal p99 20 ms")


def large(folder, plain):
    """The same contained command in a workspace of 200,000 entries and in an empty one, with the pauses that an agent makes."""
    places = {name: os.path.join(folder, "ws", name) for name in ("empty", "200,000 entries")}
    for place in places.values():
        os.makedirs(place)
        subprocess.run(["git", "init", "-q", place], check=True)
    for i in range(2000):
        inner = os.path.join(places["200,000 entries"], f"d{i // 50}", f"s{i}")
        os.makedirs(inner)
        for k in range(99):
            os.close(os.open(os.path.join(inner, f"f{k}"), os.O_CREAT | os.O_WRONLY))
    commands = {name: Command([CAISSON, "run", "--profile", "work", "--workspace", place, "--", path("true")],
            plain) for name, place in places.items()}
    for command in commands.values():
        once(command)  # the first one searches all of it
    times = turns(commands, PAUSED, 0.3)
    table("  contained /bin/true, 300 ms pauses, as a multiple of an empty workspace", times, "empty",
            {"200,000 entries": "   goal 1.30"})


print("box: caisson run, everything on, beside others (medians)")
os.chdir(tempfile.gettempdir())
with tempfile.TemporaryDirectory() as scratch:
    unsynced = home(scratch, "plain", "audit: {sync: none}\n")
    boxes(scratch, unsynced, home(scratch, "synced", "audit: {sync: begin}\n"))
    python(unsynced)
    named(unsynced)
    background(scratch, unsynced)
    overshoot(unsynced)
    large(scratch, unsynced)
