#!/bin/bash
# A box that reaches hosts by name: what is allowed works, what is not fails at once, and no way around the
# relay is found. The upstream hosts are servers in a network and mount namespace that this script makes for
# itself, with its own /etc/hosts and name server; nothing leaves it.
if [[ -z ${NETWORK_APART:-} ]]; then
	export NETWORK_APART=1
	if [[ $(id -u) == 0 ]]; then exec unshare --net --mount bash "$0"; fi
	PEOPLE=root exec unshare --user --map-root-user --net --mount bash "$0"
fi
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

# ---- servers and names ----

mkfifo "$tmp/linked"
# shellcheck disable=SC2016
unshare --net bash -c 'echo $$ >"$0/server.pid"; read -r _ <"$0/linked"; exec "$@"' "$tmp" "$PYTHON" \
	"$here/tests/box/net_server.py" "$tmp" \
	>"$tmp/server" 2>"$tmp/server.err" &
server=$!
while [[ ! -s $tmp/server.pid ]]; do sleep 0.01; done
ip link set lo up
ip link add name w0 type veth peer name w1 netns "$server"
for address in 11.1.1.9/24 10.9.9.1/24; do ip address add "$address" dev w0; done
ip -6 address add 2600:1::9/64 dev w0 nodad
ip link set w0 up
# shellcheck disable=SC2016
nsenter -t "$server" -n bash -c \
	'for address in 11.1.1.1/24 11.1.1.2/24 10.9.9.9/24; do ip address add "$address" dev w1; done
	ip -6 address add 2600:1::1/64 dev w1 nodad; ip link set w1 up; ip link set lo up'
cat >"$tmp/hosts" <<END
127.0.0.1 localhost
11.1.1.1 good.example.org a.wild.example.org deep.b.wild.example.org
11.1.1.2 other.example.org
10.9.9.9 private.example.org
2600:1::1 six.example.org
END
echo 'nameserver 10.9.9.9' >"$tmp/resolv.conf"
if [[ ! -e /etc/hosts ]]; then # a minimal system has none
	mkdir "$tmp/etc" "$tmp/etc-work" && : >"$tmp/etc/hosts" && chmod 755 "$tmp/etc" &&
		chmod 644 "$tmp/etc/hosts" && mount -t overlay \
		-o "lowerdir=/etc,upperdir=$tmp/etc,workdir=$tmp/etc-work" none /etc || exit 1
fi
mount --bind "$tmp/hosts" /etc/hosts && mount --bind "$tmp/resolv.conf" "$(realpath /etc/resolv.conf)" ||
	exit 1
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout "$tmp/key.pem" -out "$tmp/cert.pem" \
	-addext 'subjectAltName=DNS:*.example.org,DNS:*.wild.example.org,DNS:deep.b.wild.example.org' \
	2>/dev/null
mkdir "$tmp/www"
git init -q "$tmp/made" &&
	git -C "$tmp/made" -c user.name=t -c user.email=t@t commit -q --allow-empty -m 'first commit'
git clone -q --bare "$tmp/made" "$tmp/www/repo.git" && git -C "$tmp/www/repo.git" update-server-info
echo >"$tmp/linked"
finish() {
	kill "$server" "${sleeper:-$server}" 2>/dev/null
	wait 2>/dev/null
	tidy
}
trap finish EXIT
for _ in {1..100}; do [[ -s $tmp/server ]] && break; sleep 0.1; done
cp "$here/tests/box/net_attempts.py" "$tmp/"
chmod 644 "$tmp/cert.pem" "$tmp/net_attempts.py"

# a root of its own, with bash and its libraries
mkdir -p "$tmp/tree/etc" "$tmp/tree/bin"
cp /bin/bash "$tmp/tree/bin/"
ldd /bin/bash | grep -o '/[^ ]*' | while read -r lib; do mkdir -p "$tmp/tree$(dirname "$lib")" &&
	cp -L "$lib" "$tmp/tree$lib"; done

GET=(curl -sS --max-time 20 --cacert "$tmp/cert.pem")
# fetch WHO RULES CURL-ARGUMENT...
fetch() {
	local who=$1 rules=$2
	shift 2
	box "$who" --network "$rules" --read "$tmp/cert.pem" -- "${GET[@]}" "$@"
}
# reason HOST WORD: the report has a refusal with this reason
reason() { jq -e --arg h "$1" --arg r "$2" \
	'.network.connections | any(.host == $h and .allowed == false and .reason == $r)' "$tmp/out" \
	>/dev/null; }

# start_one COMMAND...: a box in the background, with $sleeper its launcher and $relay its relay
start_one() {
	(cd "$tmp/$who" &&
		become "$who" "$tmp/caisson" run --network good.example.org -- "$@") >"$tmp/out" 2>/dev/null &
	sleeper=$!
	relay=
	for _ in {1..100}; do
		relay=$(pgrep -P "$sleeper" -f '^relay') && break
		sleep 0.05
	done
	sleep 0.2
}

for who in $(people); do
	# ---- allowed ----
	fetch "$who" good.example.org https://good.example.org/
	want '.exit_code == 0 and .stdout == "served 11.1.1.1 good.example.org\n"' \
		"$who: HTTPS to a listed name"
	want '.network.mode == "names" and .network.allowed == 1 and .network.relay_ended == false and (.network.connections[0] |
		.host == "good.example.org" and .port == 443 and .allowed and .bytes_in > 0 and .bytes_out > 0 and .reason == null)' "$who: the report has the connection"
	want '.limits.network == {"value": "names", "enforced_by": "namespace"} and .hints == []' \
		"$who: the report says who walls it"
	fetch "$who" good.example.org http://good.example.org/ http://good.example.org/again
	want '.exit_code == 0 and (.stdout | split("\n") | length) == 3' "$who: plain HTTP, two requests"
	fetch "$who" '*.wild.example.org:8443,other.example.org' https://a.wild.example.org:8443/ \
		https://deep.b.wild.example.org:8443/ https://other.example.org/
	want '.exit_code == 0 and (.stdout | contains("served 11.1.1.2 other.example.org")) and .network.allowed == 3' "$who: a wildcard with a port, and several rules"
	box "$who" --network good.example.org --network other.example.org:80 -- "${GET[@]}" \
		http://good.example.org/ http://other.example.org/
	want '.exit_code == 0 and .network.allowed == 2' "$who: --network twice lists the hosts of both"
	box "$who" --gate --network good.example.org -c 'curl -sS http://good.example.org/'
	want '.exit_code == 0 and (.stdout | startswith("served 11.1.1.1"))' \
		"$who: the gate does not ask about reading from a host that a person listed"
	fetch "$who" six.example.org -6 https://six.example.org/
	want '.exit_code == 0 and (.stdout | startswith("served 2600:1::1"))' "$who: IPv6"
	fetch "$who" private.example.org,10.9.9.9 https://private.example.org/
	want '.exit_code == 0 and (.stdout | startswith("served 10.9.9.9"))' \
		"$who: a private address that is listed"
	fetch "$who" 11.1.1.1:80 http://11.1.1.1/
	want '.exit_code == 0 and (.stdout | startswith("served 11.1.1.1"))' "$who: a listed address"
	# shellcheck disable=SC2016
	box "$who" --network good.example.org:8443 -- "$PYTHON" -c \
		'import http.server, threading, urllib.request as u
s = http.server.HTTPServer(("0.0.0.0", 8443), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=s.handle_request).start()
print(u.urlopen("http://127.0.0.1:8443/").status)'
	want '.stdout == "200\n"' "$who: a server in the box binds the port of a rule on every address"

	box "$who" --network good.example.org --read "$tmp/cert.pem" --env GIT_SSL_CAINFO="$tmp/cert.pem" -- \
		bash -c 'cd /tmp && git clone -q https://good.example.org/repo.git && git -C repo log --format=%s'
	want '.stdout == "first commit\n"' "$who: git clone over HTTPS"

	for file in regular link none; do
		rm -f "$tmp/tree/etc/resolv.conf"
		[[ $file == regular ]] && : >"$tmp/tree/etc/resolv.conf"
		[[ $file == link ]] &&
			ln -s ../run/systemd/resolve/stub-resolv.conf "$tmp/tree/etc/resolv.conf"
		box "$who" --root "$tmp/tree" --network good.example.org:80 -- /bin/bash -c \
			'exec 3<>/dev/tcp/good.example.org/80 && printf "GET / HTTP/1.1\r\nHost: good.example.org\r\nConnection: close\r\n\r\n" >&3 &&
			while read -r line; do echo "$line"; done <&3'
		if [[ $file == none ]]; then want \
			'.status == "setup_error" and (.error | contains("has no file /etc/resolv.conf"))' \
			"$who: --root without /etc/resolv.conf is refused"
		else want '.exit_code == 0 and (.stdout | contains("served 11.1.1.1"))' \
			"$who: --root, /etc/resolv.conf is a $file file"; fi
	done

	# ---- refused ----
	fetch "$who" good.example.org https://other.example.org/
	want '.exit_code == 6 and .duration_ms < 3000 and (.hints[0] | .id == "network" and (.message | contains("--network other.example.org")))' "$who: another name does not resolve, at once, and the hint says the rule"
	reason other.example.org not-listed; result $? "$who: the report says why"
	want '.network.left_out == 0 and .network.refused == 1' \
		"$who: ... once, although it is looked up twice (A, AAAA), and no row is left out"
	# shellcheck disable=SC2016
	box "$who" --network good.example.org -- bash -c \
		'for i in {1..130}; do getent ahostsv4 n$i.example.net; done; exec 3<>/dev/tcp/good.example.org/80'
	want '.network | (.connections | length) == 128 and .left_out > 0 and .left_out + ([.connections[].count] | add) == .allowed + .refused' "$who: the report counts what its rows leave out"
	# shellcheck disable=SC2016
	box "$who" --network good.example.org -- bash -c \
		'getent hosts "$(hostname)" && getent ahosts "$(hostname)"'
	want '.exit_code == 0 and .network.refused == 0' "$who: the name of the box is no query"
	fetch "$who" good.example.org https://good.example.org:8443/
	want '.exit_code == 7 and .duration_ms < 3000' "$who: another port of the name"
	want '.hints[0].message | contains("--network good.example.org:8443") and (contains("caisson allow") | not)' "$who: ... and the hint says the rule, not a policy that does not count here"
	fetch "$who" good.example.org http://11.1.1.2/
	want '.exit_code == 7 and .duration_ms < 3000 and (.hints[0].message | contains("--network 11.1.1.2"))' "$who: an address that is not listed, with its hint"
	mkdir -p "$tmp/$who/project/.git" &&
		echo 'sandbox: {network: {allow: [good.example.org]}}' >"$tmp/$who/project/.caisson.yaml"
	(cd "$tmp/$who/project" &&
		as "$who" "$tmp/caisson" run --profile work --network good.example.org,other.example.org -- \
		curl -sS https://other.example.org/) >"$tmp/out" 2>"$tmp/err"
	want '.exit_code == 6 and any(.hints[]; .id == "network" and (.message | contains("project") and (contains("--network") | not)))' "$who: a host that the project's policy takes away, and the hint says so"
	rm -rf "$tmp/$who/project"
	fetch "$who" good.example.org --resolve good.example.org:443:11.1.1.1 https://good.example.org/
	want '.exit_code == 7 and .duration_ms < 3000' "$who: the name at its real address"
	fetch "$who" good.example.org --connect-to other.example.org:443:good.example.org:443 \
		https://other.example.org/
	want '.exit_code != 0 and .network.allowed == 0' "$who: TLS for another name"
	reason good.example.org other-sni; result $? "$who: ... and the report says why"
	fetch "$who" good.example.org -H 'Host: other.example.org' http://good.example.org/
	want '.exit_code != 0 and .network.allowed == 0' "$who: HTTP for another host"
	fetch "$who" private.example.org https://private.example.org/
	want '.exit_code != 0 and .network.allowed == 0' "$who: a name that resolves to a private address"
	reason private.example.org private-address; result $? "$who: ... and the report says why"
	fetch "$who" good.example.org https://nowhere.good.example.org/
	want '.exit_code == 6' "$who: a name below a listed one"
	fetch "$who" loopback http://good.example.org/
	want '.exit_code == 6 and .network == {"mode": "loopback", "allowed": null, "refused": null, "connections": [], "left_out": null, "relay_ended": false} and
		(.hints[0].message | contains("'"'good.example.org'"'"))' "$who: loopback reaches no host, and the hint names it"

	# ---- ways around ----
	: >"$tmp/queries"
	box "$who" --network 'good.example.org:8443,*.wild.example.org:8443' --read "$tmp/net_attempts.py" \
		-- "$PYTHON" "$tmp/net_attempts.py" good.example.org
	field .stdout >"$tmp/attempts"
	[[ $(grep -c ': ' "$tmp/attempts") == 37 ]] && ! grep -q 'REACHED\|TIMEOUT' "$tmp/attempts"
	result $? "$who: none of 37 ways around the relay leads anywhere, and none waits"
	[[ ! -s $tmp/queries ]]; result $? "$who: no name query of the box reaches a name server"
	# shellcheck disable=SC2016
	box "$who" --network good.example.org:80 -- bash -c \
		'exec 3<>/dev/tcp/11.1.1.1/80 && echo REACHED; exec 3<>/dev/tcp/other.example.org/80 && echo REACHED
		exec 3<>/dev/tcp/good.example.org/80 && printf "GET / HTTP/1.1\r\nHost: good.example.org\r\nConnection: close\r\n\r\n" >&3 && cat <&3'
	want '(.stdout | contains("REACHED") | not) and (.stdout | contains("served 11.1.1.1"))' \
		"$who: /dev/tcp of bash reaches what is listed, and nothing else"
	# another box, while the first one is there
	start_one sleep 20
	# shellcheck disable=SC2016
	box "$who" --network loopback -- bash -c \
		'for a in 198.19.0.1 198.18.0.1 198.18.0.2 fd00:ca15:0:1::1; do exec 3<>/dev/tcp/$a/443 && echo REACHED; done; :'
	want '(.stdout | contains("REACHED") | not)' "$who: another box does not reach the relay"
	# shellcheck disable=SC2016
	box "$who" --network other.example.org -- bash -c \
		'getent ahosts good.example.org; getent ahosts other.example.org | head -1'
	want '(.stdout | contains("198.19.") or contains("fd00:")) and (.stdout | split("\n") | length) == 2' "$who: nor a box with another list"
	kill "$sleeper"
	wait "$sleeper" 2>/dev/null

	# ---- ends ----
	box "$who" --network good.example.org -- bash -c 'exit 7'
	want '.exit_code == 7 and .network.allowed == 0 and .network.refused == 0' \
		"$who: a program that uses no network"
	: >"$tmp/taken"
	for size in 1 2 3; do
		box "$who" --network good.example.org:9700 -- bash -c \
			"head -c ${size}00000 /dev/zero >/dev/tcp/good.example.org/9700"
		want ".status == \"ok\" and .network.connections[0].bytes_out == ${size}00000" \
			"$who: the last bytes of a program that ends at once count"
	done
	for _ in {1..50}; do [[ $(wc -l <"$tmp/taken") -ge 3 ]] && break; sleep 0.1; done
	[[ $(sort "$tmp/taken" |
		tr '\n' ' ') == '100000 200000 300000 ' ]]; result $? "$who: ... and reach the server"
	box "$who" --network good.example.org --timeout 1 -- sleep 30
	want '.status == "timeout"' "$who: the time limit"
	start_one bash -c 'sleep 1; exec 3<>/dev/tcp/good.example.org/443'
	kill -KILL "$relay"
	wait "$sleeper"
	want '.exit_code == 1 and .network.relay_ended and (.hints[0].message | contains("the relay of the box ended early"))' "$who: the relay is killed: the run goes on, and the report says so"
	start_one sleep 30
	kill -KILL "$sleeper"
	wait "$sleeper" 2>/dev/null
	for _ in {1..50}; do kill -0 "$relay" 2>/dev/null || break; sleep 0.1; done
	! kill -0 "$relay" 2>/dev/null; result $? "$who: the relay dies with its launcher"

	# ---- options ----
	for bad in '*' '*.org' 'good.example.org,' 'good.example.org,host' 127.0.0.1:5432 198.19.0.1 \
		preset:nothing good.example.org:0; do
		box "$who" --network "$bad" -- true
		[[ $rc == 64 || $rc == 125 ]] &&
			[[ -s $tmp/err ]]; result $? "$who: --network '$bad' is refused with a sentence"
	done
	for bad in loopback host deny; do
		box "$who" --network good.example.org --network "$bad" -- true
		[[ $rc == 64 ]] &&
			grep -q "'$bad' cannot be combined" "$tmp/err"; result $? \
			"$who: --network with a host and --network $bad exclude each other"
	done
done

# ---- where the kernel refuses a second network namespace ----

cat >"$tmp/one" <<'END'
echo 1 >/proc/sys/user/max_net_namespaces || exit 99
"$1" run --network good.example.org -- true >"$2.names" 2>"$2.err"
for _ in {1..50}; do "$1" run -- true >"$2.plain" 2>/dev/null && break; sleep 0.1; done # the kernel counts a namespace for a while
"$1" doctor --json >"$2.doctor"
:
END
if as root unshare --user --map-root-user bash "$tmp/one" "$tmp/caisson" "$tmp/refused" 2>/dev/null; then
	jq -e '.status == "ok"' "$tmp/refused.plain" >/dev/null &&
		jq -e '.status == "setup_error" and (.error | contains("network namespace of the relay"))' \
		"$tmp/refused.names" >/dev/null
	result $? 'a run with hosts is refused with the reason, one without is not'
	jq -e '[.. | objects | select(.id? == "network-names")] | length == 1 and (.[0].state == "no")' \
		"$tmp/refused.doctor" >/dev/null
	result $? 'doctor says so'
else
	skip 'a run with hosts is refused where there is no second network namespace' \
		'the number of namespaces cannot be set here'
fi
done_testing
