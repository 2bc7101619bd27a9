"""Types a text and the tab key into an interactive shell: tab.py SETUP TEXT WANT SHELL ARG...
Succeeds as soon as the terminal shows WANT behind the text that was typed; prints the terminal otherwise."""
import os
import pty
import re
import select
import sys
import time

PATIENCE_S = 20
READY = "caisson-is-ready"

setup, text, want, argv = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1="", PS2="")
    os.execvp(argv[0], argv)
seen = ""


def plain():
    """The text on the terminal: a backspace takes back what it passes over, which shells then write again."""
    shown = []
    for c in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]", "", seen):
        if c == "\b":
            del shown[-1:]
        elif c >= " " or c == "\n":
            shown.append(c)
    return "".join(shown)


def wait_for(wanted):
    """True if the terminal showed the text in time."""
    global seen
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if wanted in plain():
            return True
        if select.select([fd], [], [], 0.2)[0]:
            try:
                seen += os.read(fd, 65536).decode("utf-8", "replace")
            except OSError:
                break
    return wanted in plain()


# The words of the marker are apart where it is typed, and together where it is printed.
os.write(fd, f"{setup}; echo {READY[:7]}''{READY[7:]}\n".encode())
good = wait_for(READY)
seen = ""
os.write(fd, (text + "\t").encode())
good = good and wait_for(want)
os.kill(pid, 9)
os.waitpid(pid, 0)
if not good:
    print(plain())
sys.exit(not good)
