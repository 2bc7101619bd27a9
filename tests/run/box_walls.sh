#!/bin/bash
# The walls of the box: tests/box/probe tries every way out that it knows, inside, as root and as an ordinary
# user; ordinary work beside it must be done. What lies outside is a canary that is looked at afterwards. TAP.
# shellcheck disable=SC2016 # programs are data for the box
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

tools=$tmp/tools
mkdir "$tools"
cp "$BUILD/box/probe" "$tools/probe"
cp "$BUILD/box/probe" "$tools/set-id"
chmod 755 "$tools" "$tools/probe"
chmod 6755 "$tools/set-id"
echo outside >"$tmp/canary"
chmod 666 "$tmp/canary"

# answer WHO OPTIONS...: what the probe says in a box with the tools
answer() {
	local who=$1
	shift
	box "$who" --read "$tools" "$@"
	field .stdout
}
# try WHO WHAT PATTERN OPTIONS...: it says something like PATTERN
try() {
	local who=$1 what=$2 pattern=$3 said
	shift 3
	said=$(answer "$who" "$@")
	# shellcheck disable=SC2053 # a pattern
	[[ $said == $pattern ]]
	result $? "$who: $what: $said"
}

# Without a cgroup there is no memory that only a cgroup would count: memory files and System V segments.
hidden=
look_for_cgroup() {
	box "$1" -- /bin/true
	hidden=
	[[ $(field .limits.memory_mb.enforced_by) == cgroup* ]] || hidden=1
}

# every WHO WHERE OPTIONS...: all attacks at once, each a result of its own
every() {
	local who=$1 where=$2 name said
	shift 2
	box "$who" --read "$tools" "$@" -- "$tools/probe" attacks
	field .stdout >"$tmp/attacks"
	while read -r name; do
		said=$(sed -n "s/^$name //p" "$tmp/attacks")
		[[ $said == refused* || $said == absent* ]]
		result $? "$who: $where: $name: $said"
	done < <("$tools/probe" list | sed -n 's/^attack \([^ ]*\)$/\1/p')
	box "$who" --read "$tools" "$@" -- "$tools/probe" benign
	field .stdout >"$tmp/attacks"
	while read -r name; do
		said=$(sed -n "s/^$name //p" "$tmp/attacks")
		[[ $said == "done" ||
			($hidden && $said == "refused ENOSYS"* && $name =~ ^(memfd-exec|ipc)$) ]]
		result $? "$who: $where: twin: $name: $said"
	done < <("$tools/probe" list | sed -n 's/^benign \([^ ]*\)$/\1/p')
}

# A host that listens, on TCP and by an abstract name; says its port. Ends when its input does.
listener='
import socket, sys
a = socket.socket(socket.AF_UNIX); a.bind("\0" + sys.argv[1]); a.listen()
t = socket.socket(); t.bind(("127.0.0.1", 0)); t.listen()
print(t.getsockname()[1], flush=True)
sys.stdin.read()
'
# The caller has a key in the ring of its session, which is a new one and goes when it ends.
with_key='
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
add_key, keyctl = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
if libc.syscall(keyctl, 1, None) < 0 or libc.syscall(add_key, b"user", b"caisson-test-key", b"secret", 6, -3) < 0: sys.exit(77)
os.execvp(sys.argv[1], sys.argv[1:])
'

outside() {
	local who=$1 ws=$2 name=caisson-test-$$-$1 port said
	# ---- 9: descriptors ----
	said=$( (cd "$tmp/$who" &&
		as "$who" "$tmp/caisson" run --read "$tools" -- "$tools/probe" fds 7<"$tmp/canary" \
		19</dev/null 200<"$tmp/canary") 2>"$tmp/err" | jq -r .stdout)
	[[ $said == absent* ]]
	result $? "$who: descriptors of the caller: $said"
	said=$("$tools/probe" fds 7<"$tmp/canary")
	[[ $said == "leak descriptor"* ]]
	result $? "$who: and outside of the box: $said"
	# ---- 10: set-ID files ----
	try "$who" "a set-user-ID program gives nothing" 'absent*' -- "$tools/set-id" effective
	if [[ $who == user && ,$(findmnt -n -o OPTIONS -T "$tools"), == *,nosuid,* ]]; then
		skip "$who: and outside of the box it does" \
			"${tools%/*} is on a file system that is mounted nosuid"
	elif [[ $who == user && $(id -u) == 0 ]]; then
		said=$(as user "$tools/set-id" effective)
		[[ $said == leak* ]]
		result $? "$who: and outside of the box it does: $said"
	fi
	box "$who" --read "$tools" --workspace "$ws:rw" --env TMPDIR="$ws" -c \
		'cp /bin/true .; chmod 4755 true; chmod 2755 true; chmod 755 true; install -m 4755 true t2; mkdir -m 755 d; ls'
	[[ -x $ws/true && -d $ws/d && -z $(find "$ws" -type f -perm /6000) ]]
	result $? "$who: no set-ID file in the workspace, and ordinary modes work"
	# ---- 14: the host's sockets ----
	mkfifo "$tmp/hold-$who"
	: >"$tmp/port"
	$PYTHON -c "$listener" "$name" <"$tmp/hold-$who" >"$tmp/port" &
	exec 9>"$tmp/hold-$who"
	while ! read -r port <"$tmp/port"; do sleep 0.05; done
	[[ $("$tools/probe" abstract-socket "$name") == "done" &&
		$("$tools/probe" connect-tcp 127.0.0.1 "$port") == "done" ]]
	result $? "$who: a host listens"
	try "$who" "its abstract name" 'refused*' -- "$tools/probe" abstract-socket "$name"
	try "$who" "its port" 'refused*' -- "$tools/probe" connect-tcp 127.0.0.1 "$port"
	exec 9>&-
	wait
	# ---- files ----
	try "$who" "a secret of the system" 'refused*' -- "$tools/probe" read /etc/shadow
	try "$who" "a file outside" 'refused*' -- "$tools/probe" read "$tmp/canary"
	# /tmp is the box's own, so a name there can be written: it is another file.
	answer "$who" --workspace "$ws:rw" -- "$tools/probe" write "$tmp/canary" >/dev/null
	try "$who" "writing what may be read" 'refused*' -- "$tools/probe" write "$tools/new"
	ln -sf "$tmp/canary" "$ws/link"
	answer "$who" --workspace "$ws:rw" -- "$tools/probe" write "$ws/link" >/dev/null
	[[ $(<"$tmp/canary") == outside && ! -e $tools/new && -L $ws/link ]]
	result $? "$who: what lies outside is as it was, also through a link in the workspace"
	try "$who" "twin: reading in the workspace" 'leak *bytes' --workspace "$ws:ro" -- "$tools/probe" \
		read "$ws/true"
	try "$who" "twin: writing in the workspace" 'done' --workspace "$ws:rw" -- "$tools/probe" write \
		"$ws/new"
	try "$who" "writing in a workspace that may only be read" 'refused*' --workspace "$ws:ro" -- \
		"$tools/probe" write "$ws/new2"
}

between() {
	local who=$1 ws=$2 said
	# ---- 17: cores ----
	box "$who" --workspace "$ws:rw" -c 'ulimit -c unlimited; ulimit -c; kill -ABRT $$'
	want '.status == "signal" and .signal == 6' \
		"$who: a program that aborts says so ($(field .status) $(field .signal))"
	[[ -z $(find "$ws" -name 'core*') ]]
	result $? "$who: and leaves no core"
	# ---- 18: between runs ----
	try "$who" "shared memory is left" "$([[ $hidden ]] && echo "refused ENOSYS" || echo "done")" -- \
		"$tools/probe" sysv-leave x
	try "$who" "and the next run does not see it" 'absent*' -- "$tools/probe" sysv
	try "$who" "files are left" 'here*' -c 'touch /tmp/left ~/left /dev/shm/left && echo here'
	try "$who" "and the next run does not see them" 'none*' -c \
		'ls -d /tmp/left ~/left /dev/shm/left 2>/dev/null || echo none'
	if said=$( (cd "$tmp/$who" &&
		as "$who" $PYTHON -c "$with_key" "$tmp/caisson" run --read "$tools" -- "$tools/probe" \
		keyring) 2>"$tmp/err" | jq -r .stdout) && [[ -n $said ]]; then
		[[ $said == refused* ]]
		result $? "$who: a key of the caller's session: $said"
	else
		skip "$who: a key of the caller's session" "no keys on this machine"
	fi
}

# ---- 11: the caller's terminal ----
terminal() {
	local who=$1 said
	if ! command -v script >/dev/null; then
		skip "$who: the caller's terminal" "no 'script' here"
		return
	fi
	said=$(cd "$tmp/$who" &&
		as "$who" script -qec \
		"$tmp/caisson run --plain --stdin --read $tools -- $tools/probe tiocsti-high" /dev/null \
		</dev/null 2>&1)
	[[ $said == *"refused EPERM"* ]]
	result $? "$who: typing into the caller's terminal: ${said//$'\r'/}"
	said=$(cd "$tmp/$who" &&
		as "$who" script -qec \
		"$tmp/caisson run --plain --stdin -c 'if : >/dev/tty; then echo has; else echo has none; fi'" /dev/null </dev/null 2>&1)
	[[ $said == *"has none"* ]]
	result $? "$who: no controlling terminal in the box"
}

walls() {
	local who=$1 ws=$tmp/$1/ws
	mkdir -p "$ws"
	[[ $who == user && $(id -u) == 0 ]] && chown "$ORDINARY:$ORDINARY" "$ws"
	look_for_cgroup "$who"
	every "$who" box
	every "$who" workspace --workspace "$ws:rw" --env TMPDIR="$ws"
	[[ -z $(ls -A "$ws") ]]
	result $? "$who: the attacks left nothing in the workspace"
	outside "$who" "$ws"
	between "$who" "$ws"
	terminal "$who"
}

for who in $(people); do walls "$who"; done
done_testing
