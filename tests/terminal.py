"""Runs a program on a pseudo-terminal and answers its question: terminal.py ANSWER PROGRAM ARG...
A question is a text that ends in ": " at the end of what was printed, with "Type " before it. What the program printed is printed."""
import os
import pty
import re
import select
import sys

answer, argv = sys.argv[1], sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(argv[0], argv)
seen, asked = b"", 0
while select.select([fd], [], [], 20)[0]:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
    if len(re.findall(rb"\nType [^\n]*: ", seen)) > asked:
        asked += 1
        os.write(fd, answer.encode() + b"\n")
sys.stdout.buffer.write(seen.replace(b"\r", b""))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
