"""Servers for tests/run/network_box.sh, in a network namespace that the test made: net_server.py DIRECTORY. Prints "ready" when they listen.

- HTTP on port 80 and HTTPS on 443 and 8443 of every address below; the answer says which address was reached, and its Host; files below
  DIRECTORY/www are served as they are
- port 9700 of 11.1.1.1 reads until EOF and writes the number of bytes down in DIRECTORY/taken
- a name server on 10.9.9.9:53, which answers nothing and writes each name down in DIRECTORY/queries
"""
import http.server
import os
import socket
import ssl
import sys
import threading

ADDRESSES = ("11.1.1.1", "11.1.1.2", "10.9.9.9", "2600:1::1")
folder = sys.argv[1]


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"served {self.connection.getsockname()[0]} {self.headers['Host']}\n".encode()
        file = os.path.join(folder, "www", self.path.split("?")[0].lstrip("/"))
        found = os.path.isfile(file)
        if found:
            with open(file, "rb") as content:
                body = content.read()
        self.send_response(404 if self.path.startswith("/repo.git") and not found else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        pass


def serve(address, port, tls):
    kind = type("Family", (Server,), {"address_family": socket.AF_INET6 if ":" in address
            else socket.AF_INET})
    server = kind((address, port), Answer)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def take(listener):
    while True:
        peer = listener.accept()[0]
        n = 0
        try:
            while data := peer.recv(65536):
                n += len(data)
        except ConnectionError:
            n = "reset"
        with open(os.path.join(folder, "taken"), "a", buffering=1) as out:
            print(n, file=out)
        peer.close()


def question(packet):
    labels, at = [], 12
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1"))
        at += 1 + packet[at]
    return ".".join(labels)


tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem"))
for address in ADDRESSES:
    serve(address, 80, None)
    serve(address, 443, tls)
    serve(address, 8443, tls)
threading.Thread(target=take, args=(socket.create_server(("11.1.1.1", 9700)),), daemon=True).start()
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("10.9.9.9", 53))
print("ready", flush=True)
with open(os.path.join(folder, "queries"), "a", buffering=1) as out:
    while True:
        packet, who = names.recvfrom(2048)
        print(question(packet), file=out)
        names.sendto(packet[:2] + b"\x81\x83" + packet[4:6] + bytes(6) + packet[12:], who)
