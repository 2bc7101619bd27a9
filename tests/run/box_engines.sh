#!/bin/bash
# Docker's and Podman's API when it fails: nobody listens, malformed answers, refusals, engines of strangers.
# Each is a setup error with the reason, and leaves nothing. The real engines are in `make check-backends` and
# `make check-engines`; the server here only fails. TAP.
# shellcheck disable=SC2154 # words of lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

cat >"$tmp/server.py" <<'SERVER'
import socket, sys
path, mode = sys.argv[1:]
answers = {
    "closes": b"",
    "garbage": b"\x00\xffSSH-2.0\r\n",
    "cut": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n[]",
    "refuses": b'HTTP/1.1 500 Error\r\n\r\n{"message":"no space left on device"}',
    "odd": b'HTTP/1.1 200 OK\r\n\r\n{"a":',
}
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen()
print("ready", flush=True)
while True:
    peer = server.accept()[0]
    peer.settimeout(5)
    peer.recv(65536)
    try:
        peer.sendall(answers[mode])
    except OSError:
        pass
    peer.close()
SERVER

fails() { # BACKEND MODE PATTERN
	local variable=DOCKER_HOST socket=$tmp/$1-$2.sock server=
	[[ $1 == docker ]] || variable=CONTAINER_HOST
	if [[ $2 != absent ]]; then
		coproc SERVER { exec "$PYTHON" "$tmp/server.py" "$socket" "${2/dead/closes}"; }
		server=$SERVER_PID
		read -r -u "${SERVER[0]}" _
	fi
	if [[ $2 == dead ]]; then
		kill "$server"
		wait "$server" 2>/dev/null
	fi
	passed=("$variable=unix://$socket")
	box "$who" --backend "$1" --workspace "$tmp/$who/ws:rw" -c 'echo never'
	want '.status == "setup_error" and .stdout == "" and .exit_code == 125 and (.error | test("'"$3"'"))' \
		"$who: $1: $2: $(field '.error // .status')"
	[[ -z $(ls -A "$tmp/$who/ws")$(ls "$tmp/$who/state/boxes" 2>/dev/null) ]]
	result $? "$who: $1: $2: nothing is left"
	if [[ $server && $2 != dead ]]; then
		kill "$server"
		wait "$server" 2>/dev/null
	fi
}

who=$(people | cut -d ' ' -f 1)
mkdir -p "$tmp/$who/ws"
for backend in docker podman; do
	fails "$backend" absent "^$backend: cannot connect to .*No such file"
	fails "$backend" dead "^$backend: cannot connect to .*refused"
	fails "$backend" closes "^$backend: the engine closed the connection without an answer"
	fails "$backend" garbage "^$backend: the engine's answer is not HTTP"
	fails "$backend" cut "^$backend: the engine's answer ends early"
	fails "$backend" refuses "^$backend does not list its containers .500.: no space left on device"
	fails "$backend" odd "^$backend does not list its containers .200."
done
passed=()
# The twin: a killed box has a reason as well, and an ordinary end has none.
box "$who" -c 'exit 3'
want '.status == "exit_nonzero" and .error == null' "$who: an ordinary end has no error"
(cd "$tmp/$who" && become "$who" "$tmp/caisson" run -- /bin/sleep 30) >"$tmp/out" 2>"$tmp/err" </dev/null &
launcher=$!
for _ in $(seq 200); do # the child of the launcher whose child is the program
	for init in $(pgrep -P "$launcher"); do
		[[ $(pgrep -P "$init" -x sleep) ]] && break 2
	done
	sleep 0.05
done
kill -KILL "$init"
wait "$launcher"
want '.status == "unknown" and (.error | test("killed from outside"))' "$who: a box that is killed from outside: $(field .error)"

# ---- the profile for macOS: only its text ----
(cd "$tmp/$who" && as "$who" "$tmp/caisson" run --print-seatbelt --workspace "$tmp/$who/ws:rw" -c 'touch ran') \
	>"$tmp/out" 2>"$tmp/err" </dev/null
[[ $? == 0 && ! -e $tmp/$who/ws/ran ]] && grep -qx '(deny default)' "$tmp/out" &&
	grep -qx ";   -D P[0-9]*=$tmp/$who/ws/.git/hooks" "$tmp/out"
result $? "$who: --print-seatbelt prints a profile and runs nothing"
box "$who" --print-seatbelt --network example.org -c 'touch ran'
[[ $rc == 64 && ! -s $tmp/out ]] && grep -q 'no network by name' "$tmp/err"
result $? "$who: --print-seatbelt refuses a network by name"
done_testing
