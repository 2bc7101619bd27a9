#!/usr/bin/python3 -B
"""The world outside for tests of the relay: one process in a network namespace of its own, with the addresses that net_relay.sh gives it.
It prints "ready" and then serves until its standard input ends.

  53/udp  names of the zone below, and whatever ends in .wild.test
  443, 8443, 8444  TLS, any name (net_world.py makes the certificate); answers HTTP with the SNI
  80, 8080   http.server with keep-alive: answers with Host, path and the number of the request on its connection
  7       echo      9000  counts and digests until EOF, then answers       9001  reads "N\\n", sends N bytes and closes
  9002    speaks first       9003  sends a line and resets       9004  accepts and stays quiet       9005  answers slowly
  9006    reads slowly       9007  says how the last connection to 9006 ended: bytes, "eof" or "reset"
  3128    HTTP proxy: CONNECT and absolute form, with user "pat" and password "s:cret" if the name asked for is locked.test
  1080    SOCKS5 proxy
"""
import asyncio
import hashlib
import http.server
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading

PUBLIC4, PUBLIC6, PRIVATE4, OWN4 = "50.1.0.1", "2600:1::1", "10.99.0.2", "50.1.0.9"
ZONE = {
    "allowed.test": [PUBLIC4, PUBLIC6], "other.test": [PUBLIC4], "locked.test": [PUBLIC4], "four.test": [
            PUBLIC4], "six.test": [PUBLIC6],
    "dead6.test": ["2600:1::dead", PUBLIC4], "refusing.test": ["50.1.0.2",
            PUBLIC4], "private.test": [PRIVATE4], "loop.test": ["127.0.0.1"],
    "mapped.test": ["::ffff:10.99.0.2"], "mixed.test": [PRIVATE4,
            PUBLIC4], "own.test": [OWN4], "own6.test": ["2600:1::9"], "second.test": ["50.1.0.10"], "any6.test": ["2600:2::7"], "zero.test": ["0.0.0.0"],
    "proxyhost.test": [PRIVATE4], "found.test.corp.test": [PUBLIC4], "short": [PUBLIC4],
}
ALIASES = {"alias.test": "private.test", "chain.test": "alias.test", "ring.test": "ring2.test", "ring2.test": "ring.test"}
SILENT = "silent.test"
BLOCK = bytes(range(256)) * 1024
queries = []
ended = asyncio.Queue()


# ---- names ----

def answer(query):
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode("latin-1"))
        at += 1 + query[at]
    kind = struct.unpack(">H", query[at + 1:at + 3])[0]
    name = ".".join(labels).lower()
    queries.append(name)
    if name == SILENT:
        return None
    rows = b""
    count = 0
    owner = b"\xc0\x0c"
    while name in ALIASES and count < 8:
        name = ALIASES[name]
        target = b"".join(bytes([len(x)]) + x.encode() for x in name.split(".")) + b"\0"
        rows += owner + struct.pack(">HHIH", 5, 1, 60, len(target)) + target
        owner = target
        count += 1
    addresses = ZONE.get(name, [PUBLIC4] if name.endswith(".wild.test") else None)
    for text in addresses or []:
        six = ":" in text
        if kind == (28 if six else 1):
            data = socket.inet_pton(socket.AF_INET6 if six else socket.AF_INET, text)
            rows += owner + struct.pack(">HHIH", kind, 1, 60, len(data)) + data
            count += 1
    flags = 0x8180 | (0 if addresses is not None else 3)
    return query[:2] + struct.pack(">HHHHH", flags, 1, count, 0, 0) + query[12:at + 5] + rows


class Names(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        reply = answer(data)
        if reply:
            self.transport.sendto(reply, addr)


# ---- servers ----

class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.number = 0

    def reply(self):
        self.number += 1
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        if self.headers.get("Upgrade") == "websocket" and self.path == "/upgrade":
            self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            while True:
                data = self.connection.recv(65536)
                if not data:
                    break
                self.connection.sendall(data)
            self.close_connection = True
            return
        text = f"host={self.headers.get('Host')} path={self.path} number={self.number} body={hashlib.sha256(body).hexdigest()[:16] if body else '-'}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = reply

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    request_queue_size = 2048


async def echo(reader, writer):
    while data := await reader.read(1 << 18):
        writer.write(data)
        await writer.drain()
    writer.close()


async def digest(reader, writer):
    h, n = hashlib.sha256(), 0
    while data := await reader.read(1 << 20):
        h.update(data)
        n += len(data)
    writer.write(f"{n} {h.hexdigest()}\n".encode())
    await writer.drain()
    writer.close()


async def source(reader, writer):
    left = int(await reader.readline())
    while left:
        n = min(left, len(BLOCK))
        writer.write(BLOCK[:n])
        await writer.drain()
        left -= n
    writer.close()


async def banner(reader, writer):
    writer.write(b"220 speaks first\r\n")
    await echo(reader, writer)


async def resets(reader, writer):
    writer.write(b"last words\n")
    await writer.drain()
    await asyncio.sleep(0.1)
    s = writer.get_extra_info("socket")
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def quiet(reader, writer):
    await reader.read()
    writer.close()


async def slow(reader, writer):
    line = await reader.readline()
    await asyncio.sleep(1)
    writer.write(line)
    writer.close()


async def sink(reader, writer):
    n = 0
    try:
        while data := await reader.read(1 << 18):
            n += len(data)
            await asyncio.sleep(0.02)
        ended.put_nowait(f"{n} eof\n")
    except ConnectionError:
        ended.put_nowait(f"{n} reset\n")
    writer.close()


async def last_end(reader, writer):
    try:
        writer.write((await asyncio.wait_for(ended.get(), 5)).encode())
    except asyncio.TimeoutError:
        writer.write(b"none\n")
    writer.close()


async def tls(reader, writer):
    name = getattr(writer.get_extra_info("ssl_object"), "asked", None)
    while (line := await reader.readline()).strip():
        pass
    text = f"sni={name}\n".encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(text), text))
    await writer.drain()
    writer.close()


# ---- proxies ----

async def tunnel(reader, writer, host, port):
    try:
        address = ZONE[host][0] if host in ZONE else host
        far_reader, far_writer = await asyncio.open_connection(address, port)
    except (OSError, KeyError):
        return False

    async def copy(a, b):
        while data := await a.read(65536):
            b.write(data)
            await b.drain()
        b.write_eof()

    async def both():
        await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer), return_exceptions=True)
        writer.close()
        far_writer.close()
    return both()


async def http_proxy(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    words = head.split(b"\r\n")[0].decode().split()
    target = words[1]
    allowed = "locked.test" not in target or b"Proxy-Authorization: Basic cGF0OnM6Y3JldA==\r\n" in head
    if not allowed:
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
    elif words[0] == "CONNECT":
        host, port = target.rsplit(":", 1)
        both = await tunnel(reader, writer, host.strip("[]"), int(port))
        if both:
            writer.write(b"HTTP/1.1 200 Connection established\r\nX-Proxy: " + b"y" * 2000 + b"\r\n\r\n")
            await both
            return
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
    else:
        text = f"proxied {target}\n".encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))
    await writer.drain()
    writer.close()


async def socks_proxy(reader, writer):
    n = (await reader.readexactly(2))[1]
    await reader.readexactly(n)
    writer.write(b"\5\0")
    kind = (await reader.readexactly(4))[3]
    if kind == 3:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    else:
        host = socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6,
                await reader.readexactly(4 if kind == 1 else 16))
    port = struct.unpack(">H", await reader.readexactly(2))[0]
    both = await tunnel(reader, writer, host, port)
    writer.write(b"\5" + (b"\0" if both else b"\4") + b"\0\1\0\0\0\0\0\0")
    await writer.drain()
    if both:
        await both
    writer.close()


# ---- all ----

def certificate(folder):
    """Two contexts; with the second a server asks for a second ClientHello, since clients guess another curve."""
    key, cert = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                    "-subj", "/CN=allowed.test", "-addext", "subjectAltName=DNS:allowed.test,DNS:other.test,DNS:*.wild.test"], check=True, capture_output=True)
    contexts = [ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)]

    def note(sock, name, _):
        sock.asked = name
    for context in contexts:
        context.load_cert_chain(cert, key)
        context.sni_callback = note
    contexts[1].set_ecdh_curve("prime256v1")
    return contexts


async def main():
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Names, local_addr=(PRIVATE4, 53))
    with tempfile.TemporaryDirectory() as folder:
        contexts = certificate(folder)
    options = {"backlog": 2048, "limit": 1 << 20}
    for port, handler in ((7, echo), (9000, digest), (9001, source), (9002, banner), (9003, resets),
            (9004, quiet), (9005, slow), (9006, sink), (9007, last_end), (3128, http_proxy), (1080,
                    socks_proxy)):
        await asyncio.start_server(handler, ["0.0.0.0", "::"], port, **options)
    for port, context in (443, contexts[0]), (8443, contexts[0]), (8444, contexts[1]):
        await asyncio.start_server(tls, ["0.0.0.0", "::"], port, ssl=context, **options)
    for port in 80, 8080:
        threading.Thread(target=Server(("::", port), Web).serve_forever, daemon=True).start()
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
