"""Runs a program that is nobody's child: apart.py PROGRAM ARG...
Commands that need a person refuse below an agent client, and these tests may be started by one. The program keeps the streams; its exit
status is ours; a signal that ends us ends it."""
import os
import signal
import sys

reader, writer = os.pipe()
if os.fork() == 0:
    if os.fork() != 0:
        os._exit(0)
    os.close(reader)
    pid = os.fork()
    if pid == 0:
        os.close(writer)
        os.setpgid(0, 0)
        os.execvp(sys.argv[1], sys.argv[1:])
    os.write(writer, b"%d\n" % pid)
    os.write(writer, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)
os.wait()
os.close(writer)
lines = os.fdopen(reader)
pid = int(lines.readline())


def end(number, frame):
    os.killpg(pid, signal.SIGKILL)
    os._exit(128 + number)


for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, end)
status = int(lines.readline() or "1")
sys.exit(status if status >= 0 else 128 - status)
