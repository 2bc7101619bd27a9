# shellcheck shell=bash
# A day with a development server, by one client: it goes to the background, is asked, tested, edited and asked
# again; a second one in the client's own background; a database of the host; meanwhile another session of the
# project and one of another project, each a client of its own; it is stopped; the end of the session ends all.
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
	printf '#!/bin/bash\ntouch holding; for i in $(seq 60); do [ -e release ] && exit; sleep 0.1; done\n' >"$P/hold.sh"
	chmod +x "$P"/*.sh
	grep -q host_ports "$H/.config/caisson/config.yaml" || printf 'sandbox: {network: {host_ports: [%s]}}\n' "$DATABASE" >>"$H/.config/caisson/config.yaml"
}

boxes_left() {
	env -i PATH="$PATH" HOME="$H" XDG_STATE_HOME="$H/.local/state" "$CAISSON" ps --json | jq '.boxes | length'
}

# Another client with the same home, in a project, while the first session goes on. Its results stay below $RUN/NAME.
other_session() { # NAME PROJECT COMMAND...
	local first=$RUN name=$1
	(
		RUN=$first/$1 P=$2 model=
		shift 2
		mkdir -p "$RUN/model" "$RUN/tmp"
		session "$(script_of "$@")"
	)
	cp "$first/$name/model/results.json" "$first/model/results-$name.json"
}

# In another project with the same port.
second_project() {
	local P=$RUN/second-project
	mkdir -p "$P"
	git -c init.defaultBranch=main init -q "$P"
	server_files
	echo 'other project' >"$P/page"
	other_session other "$P" 'curl -sS http://localhost:4100/' ./dev.sh 'curl -sS http://localhost:4100/'
}

# A client without a shell of its own has another way.
[[ $(type -t stop_server) ]] || stop_server() {
	shell ps 'caisson ps'
	add stop "$(call_of 'caisson stop %ID%' | jq -c '. + {take: "([0-9a-f]{8}) [^\n]*dev.sh"}')"
}

says_in() { # NAME INDEX PATTERN WHAT
	RESULTS=results-$1.json says "${@:2}"
}

server_day() {
	new_session server
	mkdir "$RUN/path"
	ln -s "$CAISSON" "$RUN/path/caisson"
	FIRST_IN_PATH=$RUN/path:
	echo "PATH=$RUN/path:\$PATH" >"$H/.profile" # for a client with a login shell
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
	# each shorter than a call of any client may be, and none like the one before
	for i in {1..12}; do shell "hold$i" "./hold.sh $i"; done
	stop_server
	shell gone 'curl -sS http://localhost:4100/'
	session "$(steps_json)" &
	main=$!
	for _ in $(seq 900); do [[ -e $P/holding ]] && break; sleep 0.1; done
	other_session twin "$P" './ask.sh 4100' ./test.sh
	second_project
	touch "$P/release"
	wait "$main"
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
	says_in twin 0 'version 2' "$CLIENT: another session of the project reaches it"
	says_in twin 1 '1 passed' "$CLIENT: and runs tests against it"
	! RESULTS=results-other.json text 0 | grep -q version && [[ -n $(RESULTS=results-other.json text 0) ]]
	result $? "$CLIENT: a session of another project does not"
	says_in other 1 ready "$CLIENT: and has a server of its own at the same port"
	says_in other 2 'other project' "$CLIENT: which it reaches"
	[[ $(text "${at[gone]}") == *onnect* && $(text "${at[gone]}") != *version* ]]
	result $? "$CLIENT: caisson stop ends it, and then nobody answers"
	for _ in $(seq 100); do [[ $(boxes_left) == 0 ]] && break; sleep 0.1; done
	[[ $(boxes_left) == 0 ]]
	result $? "$CLIENT: the end of the client ends its boxes"
	finish
}
