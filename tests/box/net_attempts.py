"""Attempts to get around a network by name, from inside the box: net_attempts.py NAME. The box may reach NAME at port 8443, whose server is at
11.1.1.1. Prints one line for each attempt: its name, then what happened; "REACHED" is what no attempt may say."""
import ctypes
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


def packet(data):
    """Sends a packet to the name server; an address in the answer would be one for a malformed query."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(0.3)
    s.sendto(data, ("198.18.0.1", 53))
    try:
        answer = s.recv(2000)
    except socket.timeout:
        return "no answer"
    return "REACHED" if struct.unpack(">H", answer[6:8])[0] else f"code {answer[3] & 15}"


def wire(name):
    return b"".join(bytes([len(x)]) + x for x in name.encode().split(b".")) + b"\0"


def opens(*sockets):
    """Sockets (family, type, protocol) that the kernel makes for the box."""
    made = []
    for one in sockets:
        try:
            socket.socket(*one).close()
            made.append(one)
        except OSError:
            pass
    return f"REACHED {made}" if made else "closed"


def netlink(kind, body):
    """Asks the kernel to change the links of the box: 0 is its yes."""
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    s.settimeout(2)
    s.send(struct.pack("IHHII", 16 + len(body), kind, 0x405, 1, 0) + body)
    code = struct.unpack("i", s.recv(1000)[16:20])[0]
    return f"refused {code}" if code else "REACHED"


def source_route():
    def prepare(s):
        s.setsockopt(socket.IPPROTO_IP, 4, b"\x83\x07\x04" + socket.inet_aton(DIRECT) + b"\0")

    return reached(tcp(named, 8443, prepare=prepare))


def system_call(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    return "REACHED" if getattr(libc, name)(*arguments) == 0 else os.strerror(ctypes.get_errno())


def write(path):
    with open(path, "w") as f:
        f.write("1")
    return "REACHED"


QUERY = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0)
NEW_ADDRESS = struct.pack("BBBBi", 2, 32, 0, 0, 1) + struct.pack("HH4s", 8, 2, socket.inet_aton(named))
NEW_ROUTE = struct.pack("BBBBBBBBI", 2, 0, 0, 0, 254, 3, 253, 1, 0) + struct.pack("HHi", 8, 4, 2)
OTHER_FAMILIES = [(f, t, 0) for f in (15, 21, 29, 30, 31, 38, 40, 41, 42, 43, 44, 45) for t in (1, 2, 3, 5)]
OTHER_PROTOCOLS = [(f, t, p) for f in (2, 10) for t, p in ((1, 132), (5, 132), (6, 33), (2, 136), (2, 115), (3, 255))]
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
    "ICMP socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM,
            socket.IPPROTO_ICMP) and "REACHED",
    "transparent bind": lambda: socket.socket().setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1) or "REACHED",
    "UDP to a host": lambda: udp(DIRECT, 53),
    "UDP to the name": lambda: udp(named, 53),
    "UDP to the relay": lambda: udp("198.18.0.1", 123),
    "plain text to a TLS port": lambda: reached(tcp(named, 8443)),
    "free bind": free_bind,
    "data in name queries": tunnel,
    "IPv4-mapped address": lambda: reached(tcp("::ffff:" + DIRECT, 80, socket.AF_INET6)),
    "NAT64 address": lambda: reached(tcp("64:ff9b::b01:101", 80, socket.AF_INET6)),
    "6to4 address": lambda: reached(tcp("2002:b01:101::1", 80, socket.AF_INET6)),
    "source route": source_route,
    "families that have no namespace": lambda: opens(*OTHER_FAMILIES),
    "other protocols": lambda: opens(*OTHER_PROTOCOLS),
    "the name's address as an own one": lambda: netlink(20, NEW_ADDRESS),
    "a default route": lambda: netlink(24, NEW_ROUTE),
    "another network namespace": lambda: system_call("unshare", 0x40000000),
    "the namespace of the first process": lambda: system_call("setns", os.open("/proc/1/ns/net", os.O_RDONLY), 0),
    "forwarding": lambda: write("/proc/sys/net/ipv4/ip_forward"),
    "query with a loop of pointers": lambda: packet(QUERY + b"\xc0\x0c\0\1\0\1"),
    "query with a pointer behind it": lambda: packet(QUERY + b"\xc0\x10\0\1\0\1"),
    "two questions": lambda: packet(QUERY[:4] + b"\0\2" + QUERY[6:] + (wire(NAME) + b"\0\1\0\1") * 2),
    "a dot inside a label": lambda: packet(QUERY + bytes([len(NAME)]) + NAME.encode() + b"\0\0\1\0\1"),
    "an answer as a query": lambda: packet(QUERY[:2] + b"\x81\x80" + QUERY[4:] + wire(NAME) + b"\0\1\0\1"),
}
for name, attempt in ATTEMPTS.items():
    try:
        end = attempt()
    except socket.timeout:
        end = "TIMEOUT"
    except OSError as e:
        end = errno.errorcode.get(e.errno, str(e))
    print(f"{name}: {end}", flush=True)
