"""Reads a FIFO and listens on a socket in each directory, and writes down what it hears. For tests/run/box_sealed.sh: HEARD DIRECTORY..."""
import os
import select
import socket
import sys

heard, directories = sys.argv[1], sys.argv[2:]
poll = select.poll()
sources = {}
for d in directories:
    fifo = os.open(d + "/fifo", os.O_RDWR | os.O_NONBLOCK)
    listener = socket.socket(socket.AF_UNIX)
    os.chdir(d)  # a path of a socket is short
    listener.bind("socket")
    listener.listen(8)
    sources[fifo] = sources[listener.fileno()] = (d, listener)
    poll.register(fifo, select.POLLIN)
    poll.register(listener, select.POLLIN)
with open(heard, "w") as out:
    while True:
        for fd, _ in poll.poll():
            d, listener = sources[fd]
            if fd == listener.fileno():
                listener.accept()
            else:
                os.read(fd, 100)
            print("socket" if fd == listener.fileno() else "fifo", d, file=out, flush=True)
