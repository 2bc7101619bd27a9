"""Kills launchers while bwrap still makes their boxes.

    outlive.py TIMES COMMAND...

COMMAND becomes a launcher of bwrap. The child of bwrap is stopped while it mounts, the launcher is killed, and the child goes on half a second later.
Prints how often that worked (it may take several tries), and how many of these children are still there after five seconds.
"""
import os
import select
import signal
import subprocess
import sys
import time


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def is_bwrap(pid):
    try:
        return os.readlink("/proc/%d/exe" % pid).endswith("/bwrap")
    except OSError:
        return False


def outlives():
    launcher = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end, found = time.monotonic() + 10, None
    while not found and launcher.poll() is None and time.monotonic() < end:
        found = next((c for b in children(launcher.pid) if is_bwrap(b) for c in children(b)), None)
    if found:
        pidfd = os.pidfd_open(found)
        signal.pidfd_send_signal(pidfd, signal.SIGSTOP)
    good = bool(found) and is_bwrap(found)
    launcher.kill()
    launcher.wait()
    if good:
        time.sleep(0.5)
    if found:
        signal.pidfd_send_signal(pidfd, signal.SIGCONT)
        held.append(pidfd)
    return good


held, done = [], 0
for _ in range(20):
    if done < int(sys.argv[1]):
        done += outlives()
end = time.monotonic() + 5
gone = sum(bool(select.select([fd], [], [], max(0, end - time.monotonic()))[0]) for fd in held)
print(done, len(held) - gone)
