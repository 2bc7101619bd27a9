# shellcheck shell=bash
# A day with a development server, by one client: it goes to the background, is asked, tested, edited and asked
# again; a second one in the client's own background; a database of the host; the end of the session ends all.
# Sourced after lib.sh and day.sh by the script of each client, which sets BACKGROUND as day.sh says.
# shellcheck disable=SC2016,SC2154 # commands are data; the variables are lib.sh's and the client's

# A server of the host that says hello, at a free port. Sets DATABASE.
start_database() {
	/usr/bin/python3 -c 'import socket, sys
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    c.sendall(b"rows of the database\n")
    c.close()' >"$RUN/database" 2>/dev/null &
	database=$!
	for _ in $(seq 100); do [[ -s $RUN/database ]] && break; sleep 0.05; done
	DATABASE=$(cat "$RUN/database")
}

server_files() {
	cat >"$P/serve.py" <<'PY'
import http.server
import sys


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        with open("page", "rb") as f:
            self.wfile.write(f.read())

    def log_message(self, *args):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
PY
	echo 'version 1' >"$P/page"
	printf '#!/bin/bash\nfor i in $(seq 200); do curl -sSf "localhost:$1" 2>/dev/null && exit; sleep 0.1; done; exit 1\n' >"$P/ask.sh"
	printf '#!/bin/bash\n/usr/bin/python3 serve.py 4100 >/dev/null 2>&1 &\n./ask.sh 4100 >/dev/null && echo ready\n' >"$P/dev.sh"
	printf '#!/bin/bash\nexec /usr/bin/python3 serve.py 4101\n' >"$P/fore.sh"
	printf '#!/bin/bash\n./ask.sh 4100 | grep -q version && echo 1 passed\n' >"$P/test.sh"
	printf '#!/bin/bash\nexec 3<>/dev/tcp/127.0.0.1/%s && cat <&3\n' "$DATABASE" >"$P/db.sh"
	chmod +x "$P"/*.sh
	printf 'sandbox: {network: {host_ports: [%s]}}\n' "$DATABASE" >>"$H/.config/caisson/config.yaml"
}

boxes_left() {
	env -i PATH="$PATH" HOME="$H" XDG_STATE_HOME="$H/.local/state" "$CAISSON" ps --json | jq '.boxes | length'
}

server_day() {
	new_session server
	start_database
	server_files
	set_up
	result $? "$CLIENT: caisson init"
	steps=() calls=0
	shell dev ./dev.sh
	shell curl 'curl -sS http://localhost:4100/'
	shell test ./test.sh
	shell edit 'echo version 2 > page'
	shell again 'curl -sS http://localhost:4100/'
	shell database ./db.sh
	if [[ -n $BACKGROUND ]]; then
		add fore "$(call_of ./fore.sh "$BACKGROUND")"
		shell second './ask.sh 4101'
	fi
	shell port 'kill $(lsof -ti:4100)'
	shell still './ask.sh 4100'
	session "$(steps_json)"
	kill "$database" 2>/dev/null
	says "${at[dev]}" ready "$CLIENT: a development server goes to the background"
	says "${at[curl]}" 'version 1' "$CLIENT: curl reaches it in the next call"
	says "${at[test]}" '1 passed' "$CLIENT: tests run against it"
	says "${at[again]}" 'version 2' "$CLIENT: it serves what was edited"
	says "${at[database]}" 'rows of the database' "$CLIENT: a listed port of the host is reached"
	if [[ -n $BACKGROUND ]]; then
		says "${at[second]}" 'version 2' "$CLIENT: a server in the client's own background is reached"
	fi
	says "${at[port]}" 'caisson stop' "$CLIENT: a kill by its port is told how a box ends"
	says "${at[still]}" 'version 2' "$CLIENT: and it still runs"
	for _ in $(seq 100); do [[ $(boxes_left) == 0 ]] && break; sleep 0.1; done
	[[ $(boxes_left) == 0 ]]
	result $? "$CLIENT: the end of the client ends its boxes"
	finish
}
