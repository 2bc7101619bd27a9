"""Attempts to get around a network by name, from inside the box: net_attempts.py NAME. The box may reach NAME at port 8443, whose server is at
11.1.1.1. Prints one line for each attempt: its name, then what happened; "REACHED" is what no attempt may say."""
import errno
import os
import socket
import struct
import sys
import threading

NAME = sys.argv[1]
DIRECT = "11.1.1.1"
SO_BINDTODEVICE, IP_FREEBIND, IP_TRANSPARENT, MPTCP = 25, 15, 19, 262
named = socket.getaddrinfo(NAME, 8443, socket.AF_INET, socket.SOCK_STREAM)[0][4][0]


def tcp(address, port, family=socket.AF_INET, prepare=None, protocol=0):
    s = socket.socket(family, socket.SOCK_STREAM, protocol)
    s.settimeout(5)
    if prepare:
        prepare(s)
    s.connect((address, port))
    return s


def reached(s):
    """A connection that carries an answer of a server outside."""
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    return "REACHED" if b"served" in s.recv(1000) else "ended"


def bound(device):
    """Around the routes of the box: nobody answers on the link, and loopback drops the packets."""
    def prepare(s):
        s.setsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, device)
        s.settimeout(0.3)

    try:
        return reached(tcp(DIRECT, 80, prepare=prepare))
    except socket.timeout:
        return "lost"


def udp(address, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1)
    s.connect((address, port))
    s.send(b"x" * 40)
    return "REACHED" if s.recv(1000) else "ended"


def free_bind():
    """Takes the name's address in the box; another program still reaches the real one, and not this."""
    s = socket.socket()
    s.setsockopt(socket.SOL_IP, IP_FREEBIND, 1)
    s.bind((named, 8443))
    s.listen(5)
    s.settimeout(0.5)
    got = []

    def wait():
        try:
            s.accept()
            got.append(1)
        except OSError:
            pass

    thread = threading.Thread(target=wait)
    thread.start()
    tcp(named, 8443).close()
    thread.join()
    return "REACHED" if got else "nobody came"


def query(name):
    head = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0)
    labels = b"".join(bytes([len(x)]) + x.encode() for x in name.split("."))
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(3)
    s.sendto(head + labels + b"\0\0\x10\0\1", ("198.18.0.1", 53))  # TXT
    answer = s.recv(2000)
    return answer[3] & 15, struct.unpack(">H", answer[6:8])[0]


def tunnel():
    """Data in names: below a name that is not listed, and below a domain that is."""
    for i in range(40):
        for domain in ("example.net", "wild.example.org", "good.example.org"):
            code, answers = query(f"{os.urandom(20).hex()}.{i}.{domain}")
            if answers:
                return "REACHED"
    return "no answers"


ATTEMPTS = {
    "direct address": lambda: reached(tcp(DIRECT, 80)),
    "direct address, TLS port": lambda: reached(tcp(DIRECT, 8443)),
    "direct address, IPv6": lambda: reached(tcp("2600:1::1", 80, socket.AF_INET6)),
    "another port of the name": lambda: reached(tcp(named, 8444)),
    "web port of the name": lambda: reached(tcp(named, 80)),
    "an address without a name": lambda: reached(tcp("198.19.255.200", 8443)),
    "the relay's own address": lambda: reached(tcp("198.18.0.1", 8443)),
    "the relay's own address, IPv6": lambda: reached(tcp("fd00:ca15::1", 8443, socket.AF_INET6)),
    "bound to the link": lambda: bound(b"eth0\0"),
    "bound to loopback": lambda: bound(b"lo\0"),
    "MPTCP": lambda: reached(tcp(DIRECT, 80, protocol=MPTCP)),
    "raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP) and "REACHED",
    "packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) and "REACHED",
    "ICMP socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) and "REACHED",
    "transparent bind": lambda: socket.socket().setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1) or "REACHED",
    "UDP to a host": lambda: udp(DIRECT, 53),
    "UDP to the name": lambda: udp(named, 53),
    "UDP to the relay": lambda: udp("198.18.0.1", 123),
    "plain text to a TLS port": lambda: reached(tcp(named, 8443)),
    "free bind": free_bind,
    "data in name queries": tunnel,
}
for name, attempt in ATTEMPTS.items():
    try:
        end = attempt()
    except socket.timeout:
        end = "TIMEOUT"
    except OSError as e:
        end = errno.errorcode.get(e.errno, str(e))
    print(f"{name}: {end}", flush=True)
