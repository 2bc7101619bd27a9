#!/bin/bash
# The relay with real servers, in network namespaces of this script's own:
#
#   world   net_world.py: servers with public and private addresses, a name server
#   here    this script after unshare; the relay's own connections go out from here
#   behind  made by relay_run: a namespace whose only way out is the relay
#
# FULL=1 sends a gigabyte each way.
# shellcheck disable=SC2016
set -u
script=$(realpath "$0")
if [[ ${1:-} != inside ]]; then
	map=()
	[[ $(id -u) == 0 ]] || map=(--map-root-user)
	if ! why=$(unshare "${map[@]}" --net --mount --pid --fork true 2>&1); then
		echo "1..0 # SKIP no network namespace on this host: $why"
		exit 0
	fi
	exec unshare "${map[@]}" --net --mount --pid --fork --kill-child --mount-proc bash "$script" inside
fi
# shellcheck source=tests/prologue.sh
. "$(dirname "$script")/../prologue.sh"
RUN=$(realpath "$BUILD/box/relay_run" 2>/dev/null)
[[ -x $RUN ]] || { echo "Bail out! $BUILD/box/relay_run is missing: make build/box/relay_run" && exit 1; }
PYTHON=/usr/bin/python3
export LC_ALL=C
chmod 755 "$tmp"
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY

# ---- the world ----
mkfifo "$tmp/stop"
unshare --net bash -c 'ip link set lo up; echo $$ >"$0/world.pid"; read -r _ <"$0/linked"; exec "$1" "$2"' \
	"$tmp" "$PYTHON" \
	"$here/tests/box/net_world.py" <"$tmp/stop" >"$tmp/world.out" 2>"$tmp/world.err" &
mkfifo "$tmp/linked"
exec 8>"$tmp/stop"
while [[ ! -s $tmp/world.pid ]]; do sleep 0.01; done
world=$(<"$tmp/world.pid")
ip link set lo up
ip link add name w0 type veth peer name w1 netns "$world"
ip address add 10.99.0.1/24 dev w0
ip address add 50.1.0.9/24 dev w0
ip address add 50.1.0.10/24 dev w0 # the kernel would not choose it as a source
ip -6 address add 2600:1::9/64 dev w0 nodad
ip -6 route add local 2600:2::/64 dev lo
ip link set w0 up
nsenter -t "$world" -n bash -c \
	'ip address add 10.99.0.2/24 dev w1; ip address add 50.1.0.1/24 dev w1; ip -6 address add 2600:1::1/64 dev w1 nodad; ip link set w1 up'
echo >"$tmp/linked"
for ((i = 0; i < 500; i++)); do
	grep -q ready "$tmp/world.out" && break
	sleep 0.02
done
printf 'nameserver 10.99.0.2\nsearch corp.test\noptions ndots:3\n' >"$tmp/resolv.outside"
echo 'nameserver 198.18.0.1' >"$tmp/resolv.inside"
mount --bind "$tmp/resolv.outside" /etc/resolv.conf
export RELAY_RESOLV=$tmp/resolv.inside

# A refused client may try the name's second address, so that a refusal counts once or twice.
# behind RULES... -- COMMAND...: the output in $tmp/out, the exit status in $rc, the report in $tmp/report
who=()
[[ $(awk '{ print $3 }' /proc/self/uid_map) == 1 ]] ||
	who=(-u 61234) # nobody else exists in a user namespace of one
behind() {
	timeout 60 "$RUN" "${who[@]}" -p "$tmp/relay.pid" -r "$tmp/report" "$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
}
failure_files=(out err report)
reported() { grep -qE "^$1\$" "$tmp/report"; }
# sends TEXT... to HOST PORT and prints what comes back; "reset" or "refused" if the connection ends so
cat >"$tmp/talk.py" <<'END'
import errno, socket, sys, time
host, port, *parts = sys.argv[1:]
try:
    s = socket.create_connection((host, int(port)), timeout=20)
    for part in parts:
        if part == "EOF":
            s.shutdown(socket.SHUT_WR)
        elif part == "WAIT":
            time.sleep(0.15)
        elif part == "READ": # until nothing more comes for a while
            data = s.recv(65536)
            s.settimeout(0.3)
            try:
                while data:
                    sys.stdout.write(data.decode("latin-1"))
                    data = s.recv(65536)
            except TimeoutError:
                s.settimeout(20)
        else:
            s.sendall(part.encode().decode("unicode_escape").encode("latin-1"))
    while data := s.recv(65536):
        sys.stdout.write(data.decode("latin-1"))
except ConnectionResetError:
    print("reset")
except ConnectionRefusedError:
    print("refused")
except socket.gaierror:
    print("no such name")
except OSError as e: # after a reset the socket is not connected any more
    print("reset" if e.errno in (errno.ENOTCONN, errno.EPIPE) else f"error {e}")
END
talk() { local rules=(); while [[ $1 != -- ]]; do rules+=("$1"); shift; done; shift; behind "${rules[@]}" -- \
	"$PYTHON" "$tmp/talk.py" "$@"; }

# ---- names ----
behind allowed.test:7 -- getent ahostsv4 allowed.test
grep -q '^198\.19\.' "$tmp/out"
result $? 'a listed name has an address of the relay'
talk allowed.test:7 -- other.test 7
grep -q 'no such name' "$tmp/out" && reported 'other.test 0 not-listed 1 0 0 0'
result $? 'another name does not exist, and the report says so'

behind allowed.test:7 -- "$PYTHON" -c '
import socket
for i in range(300):
    try: socket.getaddrinfo("n%d.test" % i, 7)
    except socket.gaierror: pass
s = socket.create_connection(("allowed.test", 7)); s.sendall(b"x"); print(s.recv(1))'
reported 'allowed 1 refused 4[0-9][0-9]' && reported 'allowed.test 7 ok 1 1 1 [0-9]+' &&
	[[ $(wc -l <"$tmp/report") == 129 ]]
result $? 'a flood of other names hides no connection'
behind allowed.test:7 -- "$PYTHON" -c '
import os, random, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setblocking(False)
one = socket.create_connection(("allowed.test", 7))
for i in range(20000):
    query = os.urandom(random.randrange(1, 600)) if i % 2 else b"\0\1\1\0\0\1\0\0\0\0\0\0\x20" + os.urandom(32) + b"\0\0\1\0\1"
    try: s.sendto(query, ("198.18.0.1", 53))
    except BlockingIOError: pass
    if i % 1000 == 0: one.sendall(b"x"); assert one.recv(1) == b"x"
print(socket.gethostbyname("allowed.test"))'
grep -q '^198\.19\.' "$tmp/out" && reported 'allowed.test 7 ok 1 20 20 [0-9]+'
result $? 'a flood of queries, half of them nonsense, stops nothing'
"$RUN" "${who[@]}" -p "$tmp/relay.pid" allowed.test -- sleep 100 &
launcher=$!
while ! kill -0 "$(cat "$tmp/relay.pid" 2>/dev/null || echo x)" 2>/dev/null ||
	[[ $(ps -o ppid= -p "$(<"$tmp/relay.pid")") -ne $launcher ]]; do sleep 0.02; done
relay=$(<"$tmp/relay.pid")
kill -KILL "$launcher"
wait "$launcher" 2>/dev/null
for ((i = 0; i < 250; i++)); do kill -0 "$relay" 2>/dev/null || break; sleep 0.02; done
! kill -0 "$relay" 2>/dev/null
result $? 'the relay dies with a launcher that is killed'

# ---- plain connections ----
talk allowed.test:7 -- allowed.test 7 'hello\n' EOF
[[ $(<"$tmp/out") == hello ]] && reported 'allowed.test 7 ok 1 6 6 [0-9]+'
result $? 'bytes pass both ways, and the report counts them'
talk '*.wild.test:7' -- a.b.wild.test 7 'deep\n' EOF
[[ $(<"$tmp/out") == deep ]] && reported 'a.b.wild.test 7 ok 1 5 5 [0-9]+'
result $? 'a name below a wildcard'
talk '*.wild.test:7' -- wild.test 7
grep -q 'no such name' "$tmp/out"
result $? 'a wildcard does not cover the domain itself'
talk allowed.test:7 four.test:9002 -- allowed.test 9002
[[ $(<"$tmp/out") == reset ]] && reported 'allowed.test 9002 port [12] 0 0 0'
result $? 'a port of another host is refused'
talk allowed.test:7 -- allowed.test 9002
[[ $(<"$tmp/out") == refused ]]
result $? 'a port that no rule has'
talk allowed.test:9002 -- allowed.test 9002 WAIT EOF
grep -q '^220 speaks first' "$tmp/out"
result $? 'a server that speaks first'
talk six.test:7 -- six.test 7 'six\n' EOF
[[ $(<"$tmp/out") == six ]]
result $? 'a host with IPv6 only'
behind four.test:7 -- "$PYTHON" -c '
import socket
for family in socket.AF_INET, socket.AF_INET6:
    at = socket.getaddrinfo("four.test", 7, family, socket.SOCK_STREAM)[0][4]
    s = socket.create_connection(at[:2]); s.sendall(b"x%d" % family); print(family == socket.AF_INET6, s.recv(10))'
grep -q "True b'x10'" "$tmp/out" && grep -q "False b'x2'" "$tmp/out" && reported 'four.test 7 ok 2 5 5 [0-9]+'
result $? 'a program reaches a name by IPv4 and by IPv6'
talk dead6.test:7 refusing.test:7 -- dead6.test 7 'alive\n' EOF
[[ $(<"$tmp/out") == alive ]]
result $? 'an IPv6 address that does not answer costs one attempt'
talk refusing.test:7 -- refusing.test 7 'alive\n' EOF
[[ $(<"$tmp/out") == alive ]]
result $? 'nor does an address that nobody has'

# ---- addresses ----
for host in private loop mapped own second own6 any6 zero alias chain; do
	talk "$host.test:7" -- "$host.test" 7 'x\n' EOF
	[[ $(<"$tmp/out") == reset ]] && reported "$host.test 7 private-address [12] 0 0 [0-9]+"
	result $? "rebinding: $host.test leads to an address that is not public"
done
talk ring.test:7 -- ring.test 7 'x\n' EOF
[[ $(<"$tmp/out") == reset ]] && reported 'ring.test 7 unresolved [12] 0 0 [0-9]+'
result $? 'aliases that lead in a circle do not resolve'
talk mixed.test:7 -- mixed.test 7 'public\n' EOF
[[ $(<"$tmp/out") == public ]] && reported 'mixed.test 7 ok 1 7 7 [0-9]+'
result $? 'a name with a private and a public address goes to the public one'
talk private.test:7 10.99.0.2:7 -- private.test 7 'listed\n' EOF
[[ $(<"$tmp/out") == listed ]]
result $? 'unless a rule lists the private one'
talk +private.test:7 -- private.test 7 'on site\n' EOF
[[ $(<"$tmp/out") == 'on site' ]]
result $? "or the person's own settings name the host"
for host in loop own second own6 any6 zero; do
	talk "+$host.test:7" -- "$host.test" 7 'x\n' EOF
	[[ $(<"$tmp/out") == reset ]] && reported "$host.test 7 private-address [12] 0 0 [0-9]+"
	result $? "which never leads to this machine: $host.test"
done
talk +private.test:8 private.test:7 -- private.test 7 'x\n' EOF
[[ $(<"$tmp/out") == reset ]]
result $? 'nor to another port'
talk 10.99.0.0/24:7 -- 10.99.0.2 7 'direct\n' EOF
[[ $(<"$tmp/out") == direct ]] && reported '10.99.0.2 7 ok 1 7 7 [0-9]+'
result $? 'a listed address'
talk allowed.test:7 -- 50.1.0.1 7
grep -q 'error.*unreachable' "$tmp/out"
result $? 'the address of a listed name is unreachable at once'
talk allowed.test:7 -- 198.19.77.77 7
[[ $(<"$tmp/out") == reset ]] && reported '198.19.77.77 7 not-listed [12] 0 0 0'
result $? 'an address that stands for no name'
talk allowed.test:9999 -- allowed.test 9999
[[ $(<"$tmp/out") == reset ]] && reported 'allowed.test 9999 unreachable [12] 0 0 [0-9]+'
result $? 'a port on which nobody listens'
talk nowhere.test:7 -- nowhere.test 7
[[ $(<"$tmp/out") == reset ]] && reported 'nowhere.test 7 unresolved [12] 0 0 [0-9]+'
result $? 'a listed name that does not exist'
talk found.test:7 -- found.test 7
[[ $(<"$tmp/out") == reset ]] && reported 'found.test 7 unresolved [12] 0 0 [0-9]+'
result $? "nor does it with a domain of this machine's search list"
talk short:7 -- short 7 'one label\n' EOF
[[ $(<"$tmp/out") == 'one label' ]]
result $? 'a name of one label'

# ---- TLS ----
fetch() { behind "$1" -- curl -sk --max-time 10 "${@:3}" "$2"; }
fetch allowed.test https://allowed.test/
[[ $(<"$tmp/out") == sni=allowed.test ]] && reported 'allowed.test 443 ok 1 .*'
result $? 'TLS with the right name'
behind allowed.test -- curl -sk --max-time 10 --connect-to other.test:443:allowed.test:443 https://other.test/
[[ $rc == 35 ]] && reported 'allowed.test 443 other-sni [12] 0 0 0'
result $? 'TLS with another name is refused'
talk allowed.test -- allowed.test 443 'GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n'
[[ $(<"$tmp/out") == reset ]] && reported 'allowed.test 443 bad-tls [12] 0 0 0'
result $? 'port 443 speaks TLS only'
talk allowed.test -- allowed.test 443 EOF
[[ ! -s $tmp/out ]] && reported 'allowed 0 refused 0'
result $? 'a client that only looks whether the port is open'
cat >"$tmp/split.py" <<'END'
import socket, ssl, sys, time
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
tls = context.wrap_bio(incoming, outgoing, server_hostname=sys.argv[1])
s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
def step(call):
    while True:
        try:
            return call()
        except ssl.SSLWantReadError:
            data = outgoing.read()
            for i in range(0, len(data), 31):
                s.sendall(data[i:i + 31]); time.sleep(0.002)
            incoming.write(s.recv(65536))
step(tls.do_handshake)
tls.write(b"GET / HTTP/1.0\r\n\r\n"); s.sendall(outgoing.read())
print(step(lambda: tls.read(1000)).decode().split("\r\n")[-1], end="")
END
behind allowed.test -- "$PYTHON" "$tmp/split.py" allowed.test 443
[[ $(<"$tmp/out") == sni=allowed.test ]]
result $? 'a ClientHello in many segments'
behind allowed.test:8444 -- "$PYTHON" "$tmp/split.py" allowed.test 8444
[[ $(<"$tmp/out") == sni=allowed.test ]] && reported 'allowed.test 8444 ok 1 .*'
result $? 'a server that asks for a second ClientHello'
fetch allowed.test:8444 https://allowed.test:8444/ --tls-max 1.2
[[ $(<"$tmp/out") == sni=allowed.test ]]
result $? '... and one that does not, with the same curves'
cat >"$tmp/again.py" <<'END'
import socket, ssl, sys
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
tls = context.wrap_bio(incoming, outgoing, server_hostname="allowed.test")
s = socket.create_connection(("allowed.test", 8444))
def hello():
    try: tls.do_handshake()
    except ssl.SSLWantReadError: return outgoing.read()
first = hello()
if sys.argv[1] == "wait":
    s.sendall(first); incoming.write(s.recv(65536)); second = hello()
else:
    second, first = first, first + b"\x14\3\3\0\1\1"
s.sendall((b"" if sys.argv[1] == "wait" else first) + second.replace(b"allowed.test", b"another.test"))
try:
    if sys.argv[1] == "end":
        try: s.shutdown(socket.SHUT_WR)
        except OSError: raise ConnectionResetError # the relay was faster
    while s.recv(65536): pass
    print("end")
except ConnectionResetError:
    print("reset")
END
for how in wait at-once end; do
	behind allowed.test:8444 -- "$PYTHON" "$tmp/again.py" $how
	[[ $(<"$tmp/out") == reset ]] && reported 'allowed.test 8444 other-sni 1 .*'
	result $? "another name in the second ClientHello is refused ($how)"
done

# ---- HTTP ----
fetch allowed.test http://allowed.test/a
[[ $(<"$tmp/out") == 'host=allowed.test path=/a number=1 body=-' ]] && reported 'allowed.test 80 ok 1 .*'
result $? 'HTTP with the right host'
fetch allowed.test http://allowed.test/a -H 'Host: other.test'
[[ $rc == 56 ]] && reported 'allowed.test 80 other-host [12] 0 0 0'
result $? 'HTTP with another host is refused'
behind allowed.test -- curl -s --max-time 10 http://allowed.test/a http://allowed.test/b
grep -q 'path=/b number=2' "$tmp/out" && reported 'allowed.test 80 ok 1 .*'
result $? 'two requests over one connection'
request() { printf 'GET %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' "$1" "$2"; }
talk allowed.test -- allowed.test 80 "$(request /a allowed.test)" WAIT READ "$(request /b other.test)" WAIT \
	READ
grep -q 'path=/a number=1' "$tmp/out" && ! grep -q 'path=/b' "$tmp/out" && grep -q '^reset' "$tmp/out" &&
	reported 'allowed.test 80 other-host 1 0 0 0'
result $? 'the second request has another host: refused'
talk allowed.test -- allowed.test 80 \
	"$(request /a allowed.test)$(request /b allowed.test)$(request /c other.test)" WAIT READ
! grep -q 'path=/c' "$tmp/out" && reported 'allowed.test 80 other-host 1 0 0 0'
result $? 'pipelined requests, the last with another host: refused'
head -c 3000000 /dev/urandom >"$tmp/body"
sum=$(sha256sum <"$tmp/body")
fetch allowed.test http://allowed.test/up --data-binary "@$tmp/body" -H 'Expect:'
grep -q "body=${sum:0:16}" "$tmp/out"
result $? 'a body of 3 MB passes unchanged'
behind allowed.test -- bash -c \
	'curl -s -T - -H "Transfer-Encoding: chunked" http://allowed.test/chunked <"$0"' "$tmp/body"
grep -q "body=${sum:0:16}" "$tmp/out"
result $? 'a chunked body'
talk allowed.test -- allowed.test 80 \
	'POST /a HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 5\r\n\r\nhello'"$(request /b other.test)" \
	WAIT READ
! grep -q 'path=/b' "$tmp/out" && reported 'allowed.test 80 other-host 1 0 0 0'
result $? 'a request behind a body is checked as well'
talk allowed.test -- allowed.test 80 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
[[ $(<"$tmp/out") == reset ]] && reported 'allowed.test 80 bad-http [12] 0 0 0'
result $? 'HTTP/2 without TLS is refused'
talk allowed.test -- allowed.test 80 'SSH-2.0-OpenSSH_9.2\r\n' WAIT READ
[[ $(<"$tmp/out") == reset ]]
result $? 'port 80 speaks HTTP only'
upgrade='GET /upgrade HTTP/1.1\r\nHost: allowed.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
talk allowed.test -- allowed.test 80 "$upgrade" READ '\x01\x02 any bytes\x00' WAIT EOF
grep -q '101 Switching' "$tmp/out" && grep -qa 'any bytes' "$tmp/out"
result $? 'a websocket: any bytes pass behind the answer 101'
talk allowed.test -- allowed.test 80 "${upgrade/upgrade/no}" READ "$(request /b other.test)" WAIT READ
! grep -q 'path=/b' "$tmp/out" && reported 'allowed.test 80 other-host 1 0 0 0'
result $? 'an upgrade that the server does not make changes nothing'
talk allowed.test:8080 -- allowed.test 8080 'GET / HT' WAIT 'TP/1.1\r\nHost: oth' WAIT 'er.test\r\n\r\n' \
	WAIT READ
! grep -q 'path=' "$tmp/out" && reported 'allowed.test 8080 other-host 1 0 0 0'
result $? 'another port: HTTP in pieces, with another host'
talk allowed.test:8080 -- allowed.test 8080 'GET /a HT' WAIT 'TP/1.1\r\nHost: allowed.test:80' WAIT \
	'80\r\nConnection: close\r\n\r\n'
grep -q 'path=/a number=1' "$tmp/out"
result $? 'another port: HTTP in pieces, with the right host'
behind allowed.test:8443 -- curl -sk --max-time 10 --connect-to other.test:8443:allowed.test:8443 \
	https://other.test:8443/
[[ $rc == 35 ]] && reported 'allowed.test 8443 other-sni 1 0 0 [0-9]+'
result $? 'another port: TLS with another name'
fetch allowed.test:8443 https://allowed.test:8443/
[[ $(<"$tmp/out") == sni=allowed.test ]]
result $? 'another port: TLS with the right name'

for bytes in 'GET http://other.test/\r\n\r\n' 'GET\t HTTPS://other.test/\n\r\n\r\n' \
	'GET / HTTP/1.1\rHost: other.test\r\r' '\r\nGET / HTTP/1.1\n\n' \
	'GET /\x01 HTTP/1.1\r\nHost: other.test\r\n\r\n' 'GET /\r HTTP/1.1\r\nHost: other.test\r\n\r\n' \
	'SET x y\r\n' 'EHLO x\r\n'; do
	talk allowed.test:7 -- allowed.test 7 "$bytes" WAIT READ
	! grep -q GET "$tmp/out" && reported 'allowed.test 7 bad-http 1 0 0 [0-9]+'
	result $? "another port: HTTP in an odd form is HTTP: $bytes"
done

for bytes in 'GET\x0b/\x0bHTTP/1.1' 'GET\x1c/\xa0HTTP/1.1' 'GET /' 'GET x ' '\xa0GET / HTTP/1.1'; do
	talk allowed.test:8080 -- allowed.test 8080 "$bytes"'\r\nHost: other.test\r\n\r\n' WAIT READ
	! grep -q 'host=' "$tmp/out" && reported 'allowed.test 8080 bad-http 1 0 0 [0-9]+'
	result $? "another port: a request that Python's server accepts: $bytes"
done
talk allowed.test:9002 -- allowed.test 9002 WAIT READ 'EHLO x\r\n' EOF
grep -q '^EHLO x' "$tmp/out" && reported 'allowed.test 9002 ok 1 .*'
result $? 'words without a version are not HTTP behind a server that spoke first'
talk allowed.test:9002 -- allowed.test 9002 WAIT READ 'PRI * HTTP/2.0\r\n\r\n' WAIT READ
! grep -q PRI "$tmp/out" && reported 'allowed.test 9002 bad-http 1 0 0 [0-9]+'
result $? 'with a version they are'

# ---- the host's own proxy ----
via() { # VARIABLE=VALUE... -- behind's arguments
	local set=()
	while [[ $1 != -- ]]; do set+=("$1"); shift; done
	shift
	(export "${set[@]}" && behind "$@" && exit "$rc")
	rc=$?
}
# The client must not see the variables.
plain=(env -u https_proxy -u http_proxy -u all_proxy -u no_proxy curl -sk --max-time 10)
via https_proxy=http://10.99.0.2:3128 -- allowed.test -- "${plain[@]}" https://allowed.test/
[[ $(<"$tmp/out") == sni=allowed.test ]] && reported 'allowed.test 443 ok 1 .*'
result $? 'a proxy: TLS by CONNECT'
via https_proxy=http://proxyhost.test:3128 -- private.test -- "${plain[@]}" --connect-to \
	allowed.test:443:private.test:443 https://private.test/
[[ $(<"$tmp/out") == sni=private.test ]]
result $? 'a proxy by name, which resolves the target itself'
via https_proxy=http://pat:s%3Acret@10.99.0.2:3128 -- locked.test -- "${plain[@]}" https://locked.test/
[[ $(<"$tmp/out") == sni=locked.test ]]
result $? 'a proxy that wants a password'
via https_proxy=http://pat:wrong@10.99.0.2:3128 -- locked.test -- "${plain[@]}" https://locked.test/
[[ $rc != 0 ]] && reported 'locked.test 443 proxy [12] 0 0 [0-9]+'
result $? 'a proxy that gets a wrong one refuses'
via http_proxy=http://pat:s%3Acret@10.99.0.2:3128 -- locked.test -- "${plain[@]}" 'http://locked.test/a?b=c'
[[ $(<"$tmp/out") == 'proxied http://locked.test/a?b=c' ]]
result $? 'a proxy: plain HTTP in absolute form'
via http_proxy=http://pat:s%3Acret@10.99.0.2:3128 -- locked.test -- "${plain[@]}" -X OPTIONS \
	--request-target '*' http://locked.test/
[[ $(<"$tmp/out") == 'proxied http://locked.test' ]]
result $? 'a proxy: OPTIONS * asks the host, not the proxy'
via http_proxy=http://pat:s%3Acret@10.99.0.2:3128 -- locked.test -- "${plain[@]}" -X TRACE -H \
	'Max-Forwards: 0' http://locked.test/
[[ $rc == 56 ]] && reported 'locked.test 80 bad-http [12] 0 0 0'
result $? 'a proxy: no TRACE, whose answer would have the password'
via http_proxy=http://10.99.0.2:3128 -- allowed.test -- "${plain[@]}" -H 'Host: other.test' \
	http://allowed.test/
[[ $rc == 56 ]] && reported 'allowed.test 80 other-host [12] 0 0 0'
result $? 'a proxy changes no check'
via https_proxy=http://10.99.0.2:1 no_proxy=.other.test,allowed.test -- allowed.test -- "${plain[@]}" \
	https://allowed.test/
[[ $(<"$tmp/out") == sni=allowed.test ]]
result $? 'no_proxy'
via https_proxy=http://10.99.0.2:1 -- allowed.test -- "${plain[@]}" https://allowed.test/
[[ $rc != 0 ]] && reported 'allowed.test 443 proxy [12] 0 0 [0-9]+'
result $? 'a proxy that is not there'
via https_proxy=https://10.99.0.2:3128 -- allowed.test -- "${plain[@]}" https://allowed.test/
[[ $rc != 0 ]] && reported 'allowed.test 443 proxy [12] 0 0 0'
result $? 'a proxy that the relay cannot speak to: never around it'
via all_proxy=socks5h://10.99.0.2:1080 -- allowed.test -- "${plain[@]}" https://allowed.test/
[[ $(<"$tmp/out") == sni=allowed.test ]]
result $? 'a SOCKS5 proxy'

# ---- other protocols ----
for bytes in '\x16' '\x16binary' 'a' 'PING' 'PING\r\n' '\x00\x01' 'get x\n' '*1\r\n$4\r\nPING\r\n' \
	'set x http://y/\r\n' 'a \x00\x01' '\x80\x01\x02'; do
	talk allowed.test:7 -- allowed.test 7 "$bytes" WAIT READ EOF
	[[ $(sed 's/reset//' "$tmp/out" | wc -c) -gt 0 ]] && reported 'allowed.test 7 ok 1 .*'
	result $? "another protocol that starts with $bytes: the server sees it at once"
done
talk allowed.test:7 -- allowed.test 7 '\x16' WAIT '\x03\x01\x00\x05hello' WAIT READ
reported 'allowed.test 7 bad-tls 1 0 0 [0-9]+'
result $? 'TLS in pieces on another port is read as TLS'

for bytes in '\x80\x2e\x01\x03\x03' '\x15\x03\x01\x00\x02\x01\x5a' '\x16\x01\x01\x00\x05\x01'; do
	talk allowed.test:8443 -- allowed.test 8443 "$bytes" WAIT READ
	[[ $(<"$tmp/out") == reset ]] && reported 'allowed.test 8443 bad-tls [12] 0 0 [0-9]+'
	result $? "TLS in an odd form on another port: $bytes"
done

# ---- ends of connections ----
behind allowed.test:9000 -- "$PYTHON" -c '
import socket, hashlib
s = socket.create_connection(("allowed.test", 9000)); data = b"x" * 1000000
s.sendall(data); s.shutdown(socket.SHUT_WR); got = s.recv(1000).decode()
print(got == "1000000 " + hashlib.sha256(data).hexdigest() + "\n", s.recv(10))'
[[ $(<"$tmp/out") == "True b''" ]]
result $? 'half-close: the server answers after EOF'
behind allowed.test:9001 -- "$PYTHON" -c '
import socket, time
s = socket.create_connection(("allowed.test", 9001)); s.sendall(b"30000000\n"); n = 0
time.sleep(0.5)
while data := s.recv(100000): n += len(data)
s.sendall(b"still open"); print(n)'
[[ $(<"$tmp/out") == 30000000 ]]
result $? 'half-close: the client may write after EOF of the server'
talk allowed.test:9003 -- allowed.test 9003
[[ $(<"$tmp/out") == $'last words\nreset' ]]
result $? 'a server that resets: its last bytes, then a reset'
behind allowed.test:9001 -- "$PYTHON" -c '
import socket, struct, time
for i in range(20):
    s = socket.create_connection(("allowed.test", 9001)); s.sendall(b"100000000\n"); s.recv(1000)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)); s.close()
s = socket.create_connection(("allowed.test", 9001)); s.sendall(b"10\n"); print(len(s.recv(100)))'
[[ $(<"$tmp/out") == 10 ]]
result $? 'clients that break off'
behind allowed.test:9001 -- "$PYTHON" -c '
import socket, time, os
slow = socket.create_connection(("allowed.test", 9001)); slow.sendall(b"200000000\n"); time.sleep(1)
pid = open("'"$tmp"'/relay.pid").read().strip()
rss = [int(l.split()[1]) for l in open("/proc/%s/status" % pid) if l.startswith("VmRSS")][0]
fast = socket.create_connection(("allowed.test", 9001)); fast.sendall(b"5000000\n"); n = 0
while data := fast.recv(1 << 20): n += len(data)
m = 0
while data := slow.recv(1 << 20): m += len(data)
print(n, m, rss < 40000)'
[[ $(<"$tmp/out") == '5000000 200000000 True' ]]
result $? 'a slow reader stops nobody else and costs no memory'

behind allowed.test:9001 -- "$PYTHON" -c '
import os, socket, sys, time
all = [socket.create_connection(("allowed.test", 9001)) for i in range(60)]
for s in all: s.sendall(b"300000000\n")
for s in all: # quick at first, so that its buffers grow
    n = 0
    while n < 10000000: n += len(s.recv(1 << 20))
time.sleep(1)
open(sys.argv[1] + "/full", "w").close()
while not os.path.exists(sys.argv[1] + "/measured"): time.sleep(0.02)' "$tmp" &
while [[ ! -e $tmp/full ]] && kill -0 $! 2>/dev/null; do sleep 0.05; done
held=$(ss -tnmH dport = :9001 | sed -n 's/.*skmem:(r\([0-9]*\).*/\1/p' |
	awk '{ n += $1 } END { printf "%d", n / 1000000 }')
: >"$tmp/measured"
wait $!
[[ $held -gt 0 && $held -lt 250 ]]
result $? "60 slow readers: $held MB wait outside of the box"

# ---- the end of the box ----
# last_end: bytes and end of the last connection to port 9006, as its server saw them
last_end() { exec 3<>/dev/tcp/50.1.0.1/9007 && read -r seen <&3; exec 3>&-; }
lost=0
for i in {1..10}; do
	behind allowed.test:9006 -- bash -c 'echo hello >/dev/tcp/allowed.test/9006'
	last_end
	[[ $seen == '6 eof' ]] && reported 'allowed.test 9006 ok 1 0 6 [0-9]+' || lost=$((lost + 1))
done
[[ $lost == 0 ]]
result $? 'a program that ends right after its last bytes: the server gets them'
behind allowed.test:9006 -- bash -c 'head -c 12000000 /dev/zero >/dev/tcp/allowed.test/9006'
last_end
[[ $seen == '12000000 eof' ]] && reported 'allowed.test 9006 ok 1 0 12000000 [0-9]+'
result $? 'so does a slow server'
behind allowed.test:9006 -- bash -c 'head -c 12000000 /dev/zero >/dev/tcp/allowed.test/9006; kill -KILL $$'
last_end
[[ $seen == *' reset' ]]
result $? 'a program that is killed: the server sees a reset'
if [[ -n ${FULL:-} ]]; then
	behind silent.test:7 -- bash -c 'echo x >/dev/tcp/silent.test/7'
	reported 'silent.test 7 unresolved 1 0 0 [0-9]+'
	result $? 'a host that is not found in time: the report says so'
fi
behind allowed.test:7+9006 -- "$PYTHON" -c '
import os, signal, socket
s = socket.create_connection(("allowed.test", 9006)); s.sendall(b"half")
e = socket.create_connection(("allowed.test", 7)); e.sendall(b"x"); e.recv(1)
os.kill(int(open("'"$tmp"'/relay.pid").read()), signal.SIGKILL)'
last_end
[[ $seen == *' reset' ]]
result $? 'a relay that dies: the server sees a reset'

# ---- many ----
behind allowed.test:7+9004 -- "$PYTHON" -c '
import socket, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
all = [socket.create_connection(("allowed.test", 7)) for i in range(1000)]
for i, s in enumerate(all): s.sendall(b"%06d" % i)
print(sum(s.recv(6) == b"%06d" % i for i, s in enumerate(all)))'
[[ $(<"$tmp/out") == 1000 ]] && reported 'allowed.test 7 ok 1000 6000 6000 [0-9]+'
result $? '1,000 connections at once'
(ulimit -n 150; behind allowed.test:7 -- "$PYTHON" -c '
import socket
all = [socket.create_connection(("allowed.test", 7)) for i in range(25)]
for i, s in enumerate(all): s.sendall(b"%06d" % i)
print(sum(s.recv(6) == b"%06d" % i for i, s in enumerate(all)))')
[[ $(<"$tmp/out") == 25 ]]
result $? '25 connections with 150 descriptors'
behind allowed.test:9004 -- "$PYTHON" -c '
import socket, resource, time
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
all = [socket.create_connection(("allowed.test", 9004)) for i in range(1100)]
for s in all: s.setblocking(False)
def is_reset(s):
    try: s.recv(1)
    except BlockingIOError: return False
    except ConnectionResetError: return True
over, quiet = set(), 0
while quiet < 5: # until no more are refused for half a second
    before = len(over); over |= {i for i, s in enumerate(all) if i not in over and is_reset(s)}
    quiet = quiet + 1 if len(over) == before and over else 0; time.sleep(0.1)
print(len(over))
for s in all: s.close()
for i in range(100):
    s = socket.create_connection(("allowed.test", 9004)); s.settimeout(0.3)
    try: s.recv(1)
    except TimeoutError: print("again"); break
    except ConnectionResetError: time.sleep(0.1)'
[[ $(<"$tmp/out") == $'76\nagain' ]] && reported 'allowed.test 9004 limit [0-9]+ 0 0 0'
result $? 'connections beyond 1,024 are refused, and room comes back'
behind allowed.test:7 -- "$PYTHON" -c '
import socket
n = 0
for i in range(1500):
    s = socket.create_connection(("allowed.test", 7)); s.sendall(b"x"); n += len(s.recv(1)); s.close()
pid = open("'"$tmp"'/relay.pid").read().strip()
import os
print(n, len(os.listdir("/proc/%s/fd" % pid)) < 100)'
[[ $(<"$tmp/out") == '1500 True' ]]
result $? '1,500 connections one after the other leave no descriptors'

# ---- much ----
size=$((${FULL:+1024} + 0)); [[ $size == 0 ]] && size=256
size=$((size * 1048576))
behind allowed.test:9000+9001 -- "$PYTHON" -c '
import socket, hashlib, sys
size = int(sys.argv[1]); block = bytes(range(256)) * 4096; h = hashlib.sha256()
s = socket.create_connection(("allowed.test", 9000))
for i in range(size // len(block)): s.sendall(block); h.update(block)
s.shutdown(socket.SHUT_WR); print(s.recv(1000).decode() == "%d %s\n" % (size, h.hexdigest()))
s = socket.create_connection(("allowed.test", 9001)); s.sendall(b"%d\n" % size); g = hashlib.sha256()
while data := s.recv(1 << 20): g.update(data)
print(g.hexdigest() == h.hexdigest())' "$size"
[[ $(<"$tmp/out") == $'True\nTrue' ]] && reported "allowed.test 9000 ok 1 [0-9]+ $size [0-9]+"
result $? "$((size >> 20)) MB each way, with digests"

# ---- the relay's own end ----
behind allowed.test:7 -- "$PYTHON" -c '
import os, signal, socket, time
s = socket.create_connection(("allowed.test", 7)); s.sendall(b"x"); print(s.recv(1))
os.kill(int(open("'"$tmp"'/relay.pid").read()), signal.SIGKILL); s.settimeout(5)
try: print(s.recv(1))
except OSError as e: print(type(e).__name__)
try:
    for i in range(500): socket.create_connection(("198.19.0.1", 7), timeout=5); time.sleep(0.01) # while it ends
    print("connected")
except OSError as e: print(type(e).__name__)'
[[ $(<"$tmp/out") == "b'x'"$'\n'*$'\nConnectionRefusedError' ]] && [[ $rc == 0 ]]
result $? 'a killed relay: connections end, new ones fail at once'
behind allowed.test:7 -- bash -c \
	'kill -STOP $PPID; cat /proc/$(<"'"$tmp"'/relay.pid")/status; kill -CONT $PPID' 2>/dev/null
grep -q '^NoNewPrivs:.1' "$tmp/out" && grep -q '^Seccomp:.2' "$tmp/out" &&
	grep -q '^CapEff:.0000000000000000' "$tmp/out" &&
	{ [[ ${#who[@]} == 0 ]] || grep -q '^Uid:.61234.61234.61234' "$tmp/out"; }
result $? 'the relay has no capabilities, a filter, and the user it was told'
TOKEN=hush-hush behind allowed.test:7 -- bash -c \
	'tr "\0" "\n" </proc/$PPID/environ | grep TOKEN; tr -d "\0" <"/proc/$(<"$0/relay.pid")/environ" && echo readable' "$tmp"
if grep -q readable "$tmp/out"; then
	[[ $(<"$tmp/out") == $'TOKEN=hush-hush\nreadable' ]]
	result $? 'the relay has no environment'
fi
[[ ! -e /proc/$(<"$tmp/relay.pid") ]]
result $? 'the relay ends with its launcher'

exec 8>&-
echo "1..$n"
