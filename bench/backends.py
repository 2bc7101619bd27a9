"""The start of a box of each backend beside the engine's own command line. bench/backends calls it, with DIR, which
has `root`, a small root, and with the engines' sockets in the environment.

bwrap has two lines: the usual one, and one that asks for as much as a box, as far as bwrap and a shell can: the same
mounts, hidden names of /proc, and limits of memory and processes. Neither has filters, a check of the mounts, a clock,
bounded output or a record.

Every turn starts all of them in an order that changes, so that noise falls on everybody alike. Prints the ratio of
medians of elapsed time, that of the fastest, and, for engines without a daemon, of the CPU time of all their
processes; the first start of each is not counted. A missed goal is printed, since a machine's times are its own.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import time

CAISSON, DIR = os.environ["CAISSON"], os.environ["DIR"]
TURNS = int(os.environ.get("TURNS", "15"))
ROOT = os.path.join(DIR, "root")
GOAL = 1.1
DAEMONS = ("docker", "podman")
MACHINES = ("qemu",)  # no command line of theirs does the same; measured in every fifth turn
NULL = os.open("/dev/null", os.O_RDWR)
number = 0


def bundle(name):
    """An OCI bundle with the limits of a box, whose root is the small one."""
    place = os.path.join(DIR, "bundle-" + name)
    os.makedirs(place)
    subprocess.run([name, "spec"], cwd=place, check=True, stdout=NULL)
    path = os.path.join(place, "config.json")
    with open(path, encoding="utf-8") as file:
        spec = json.load(file)
    spec["root"] = {"path": ROOT, "readonly": True}
    spec["process"].update(terminal=False, args=["/bin/true"], cwd="/", noNewPrivileges=True)
    spec["linux"].setdefault("resources", {}).update(memory={"limit": 1 << 30}, pids={"limit": 256})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(spec, file)
    return place


def engine_id():
    global number
    number += 1
    return f"caisson-bench-{os.getpid()}-{number}"


def engine_line(name, places):
    """The command line of the engine, as its users write it."""
    if name == "bwrap":
        return ["bwrap", "--unshare-all", "--new-session", "--die-with-parent", "--ro-bind", ROOT, "/", "--tmpfs", "/tmp", "--proc", "/proc", "--dev",
                "/dev", "/bin/true"]
    if name == "gvisor":
        return ["runsc", "--root", os.path.join(DIR, "runsc"), "--platform=ptrace", "--network=none", "run", "-bundle", places[name], engine_id()]
    if name in ("runc", "crun"):
        return [name, "--root", os.path.join(DIR, name), "run", "-b", places[name], engine_id()]
    limits = ["--rm", "--network", "none", "--read-only", "--memory", "1g", "--pids-limit", "256"]
    if name == "docker":
        return ["docker", "run", *limits, "caisson-bench", "/bin/true"]
    return ["podman", "--root", os.path.join(DIR, "podman/root"), "--runroot", os.path.join(DIR, "podman/run"), "--tmpdir", os.path.join(DIR, "podman/tmp"),
            "run", *limits, "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--rootfs", ROOT, "/bin/true"]


# What a box hides of /proc (src/box/plan.c).
HIDDEN_DIRS = ("acpi", "asound", "bus", "fs", "irq", "scsi")
HIDDEN_FILES = ("bootconfig", "cmdline", "config.gz", "diskstats", "interrupts", "iomem", "ioports", "kallsyms", "key-users", "keys", "latency_stats",
                "locks", "modules", "partitions", "sched_debug", "timer_list", "sys/kernel/random/boot_id")
# Enters new groups with both limits and leaves them again, with version 1 or 2 of control groups.
GROUPS = """enter() { if [ -e "$1/tasks" ]; then echo 0 >"$1/tasks"; else echo 0 >"$1/cgroup.procs"; fi; }
for place in $PLACES; do
	group=$place/$0
	mkdir "$group" || exit 99
	[ ! -e "$group/memory.limit_in_bytes" ] || echo 1073741824 >"$group/memory.limit_in_bytes" || exit 99
	[ ! -e "$group/memory.max" ] || echo 1073741824 >"$group/memory.max" || exit 99
	[ ! -e "$group/pids.max" ] || echo 256 >"$group/pids.max" || exit 99
	enter "$group" || exit 99
done
"$@"
code=$?
for place in $PLACES; do enter "$place"; rmdir "$place/$0" 2>/dev/null; done
exit $code"""


def group_places():
    """The directories in which groups with limits of memory and processes can be made."""
    places = set()
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        own = {part: path for _, parts, path in (line.rstrip().split(":", 2) for line in file) for part in parts.split(",")}
    for part in ("memory", "pids"):
        for place in (f"/sys/fs/cgroup/{part}", f"/sys/fs/cgroup/{part}{own.get(part, '/')}", "/sys/fs/cgroup"):
            if os.path.exists(os.path.join(place, "cgroup.procs")) and (place != "/sys/fs/cgroup" or not places):
                places.add(place)
                break
    return " ".join(sorted(places))


def remove_groups():
    """Those that still had a process on its way out when their shell ended."""
    for place in group_places().split():
        for name in os.listdir(place):
            if name.startswith(f"caisson-bench-{os.getpid()}-") and os.path.isdir(os.path.join(place, name)):
                os.rmdir(os.path.join(place, name))


def same_line():
    """bwrap with the mounts and limits of a box."""
    line = ["sh", "-c", GROUPS, engine_id(), *engine_line("bwrap", None)[:-1]]
    for target in ("/tmp", "/home/box", "/dev/shm"):
        line += ["--perms", "0700", "--size", "100000000", "--tmpfs", target]
    for name in (name for name in HIDDEN_DIRS if os.path.exists("/proc/" + name)):
        line += ["--ro-bind", os.path.join(ROOT, "sys"), "/proc/" + name]
    for name in (name for name in HIDDEN_FILES if os.path.exists("/proc/" + name)):
        line += ["--ro-bind", "/dev/null", "/proc/" + name]
    return [*line, "/bin/true"]


def once(argv, env):
    """Elapsed and CPU seconds; the latter of all descendants that were waited for."""
    start = time.perf_counter()
    run = subprocess.Popen(argv, stdin=NULL, stdout=NULL, stderr=subprocess.PIPE, env=env)
    message = run.stderr.read()
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, run.returncode, message.decode(errors="replace").strip()


def measure(names):
    # Podman's own command is no client of the service, which caisson asks.
    plain = {k: v for k, v in os.environ.items() if k != "CONTAINER_HOST"} | {"CONTAINERS_CONF": os.path.join(DIR, "containers.conf")}
    home = os.path.join(DIR, "home")
    os.makedirs(os.path.join(home, ".config/caisson"), mode=0o700)
    with open(os.path.join(home, ".config/caisson/config.yaml"), "w", encoding="utf-8") as file:
        file.write("audit: {sync: none}\n")
    ours = {k: v for k, v in os.environ.items() if not k.startswith("CLAUDE")} | {"HOME": home, "CAISSON_STATE": os.path.join(DIR, "state")}
    subprocess.run([CAISSON, "image", "import", ROOT, "--name", "bench"], env=ours, check=True, stdout=NULL)
    places = {name: bundle({"gvisor": "runsc"}.get(name, name)) for name in names if name in ("runc", "crun", "gvisor")}
    lines = {}
    for name in names:
        if name not in MACHINES:
            lines[name, "engine"] = (lambda name=name: engine_line(name, places)), plain
        lines[name, "caisson"] = (lambda name=name: [CAISSON, "run", "--plain", "--backend", name, "--image", "bench", "--", "/bin/true"]), ours
    if "bwrap" in names:
        lines["bwrap", "same"] = same_line, plain | {"PLACES": group_places()}
    lines["native", "caisson"] = (lambda: [CAISSON, "run", "--plain", "--image", "bench", "--", "/bin/true"]), ours
    got, broken, order = {key: [] for key in lines}, set(), random.Random(1)
    for turn in range(TURNS + 1):
        rows = [key for key in lines if key not in broken and (key[0] not in MACHINES or turn % 5 == 1)]
        order.shuffle(rows)
        for key in rows:
            elapsed, cpu, code, message = once(lines[key][0](), lines[key][1])
            if code != 0:
                print(f"  {key[0]}: not measured, the {'box' if key[1] == 'caisson' else 'engine'} ended with {code}: {message[-200:]}")
                broken |= {(key[0], which) for which in ("engine", "same", "caisson")}
            elif turn:
                got[key].append((elapsed, cpu))
    time.sleep(0.1)
    remove_groups()
    return {key: rows for key, rows in got.items() if key not in broken}


def ratio(ours, theirs, i, how):
    return how(row[i] for row in ours) / how(row[i] for row in theirs)


def main():
    got = measure(sys.argv[1:])
    print(f"  caisson / engine, {TURNS} turns: median of elapsed time, of the fastest, median of CPU time; then caisson / a native box, elapsed")
    for name in sys.argv[1:]:
        if (name, "caisson") not in got:
            continue
        native = ratio(got[name, "caisson"], got["native", "caisson"], 0, statistics.median)
        if name in MACHINES:
            print(f"  {name:8}{'-':>7}{'':24}{'-':>7}{'-':>7}{native:9.0f}")
            continue
        whole, fastest, cpu = (ratio(got[name, "caisson"], got[name, "engine"], i, how) for i, how in ((0, statistics.median), (0, min), (1, statistics.median)))
        print(f"  {name:8}{whole:7.2f}   goal {GOAL} {'met   ' if whole <= GOAL else 'MISSED'}{fastest:7.2f}{'      -' if name in DAEMONS else f'{cpu:7.2f}'}{native:9.0f}")
        if (name, "same") in got:
            whole, fastest, cpu = (ratio(got[name, "caisson"], got[name, "same"], i, how) for i, how in ((0, statistics.median), (0, min), (1, statistics.median)))
            print(f"    same  {whole:7.2f}   bwrap with the same mounts and limits{fastest:7.2f}{cpu:7.2f}")


main()
