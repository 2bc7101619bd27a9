#!/bin/bash
# Hints of runs that failed because of the box: which there are, for whom, and what they never say. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
disk=$(mktemp -d /var/tmp/caisson-test-XXXXXX) && chmod 755 "$disk" || exit 1 # files of /tmp that a command names are shown

path=/usr/local/bin:/usr/bin:/bin
mine() { become "$who" env HOME="$home" PATH="$path" "$@"; }

# hint ID 'PART OF ITS TEXT' COMMAND: the command fails and its report has the hint. An empty text: it has none of that id.
hint() {
	local id=$1 part=$2
	shift 2
	(cd "${place:-$work}" && mine "$tmp/caisson" run --profile work "${options[@]}" -c "$1") >"$tmp/out" 2>"$tmp/err" </dev/null
	if [[ ! -s $tmp/out ]]; then
		result 1 "$who: $id: $1: no report: $(<"$tmp/err")"
	elif [[ -n $part ]]; then
		jq -e --arg id "$id" --arg part "$part" 'any(.hints[]; .id == $id and (.message | contains($part)))' "$tmp/out" >/dev/null
		result $? "$who: $id: $1"
	else
		jq -e --arg id "$id" '.is_error and all(.hints[]; .id != $id)' "$tmp/out" >/dev/null
		result $? "$who: no $id: $1"
	fi
}

for who in $(people); do
	home=$disk/$who/home work=$disk/$who/src/app options=()
	mkdir -p "$work" "$disk/$who/src/lib/inner" "$home/data" "$home/.ssh" "$home/.config" "$tmp/$who/state"
	echo x >"$disk/$who/src/lib/Cargo.toml"
	echo x >"$home/data/set one.csv"
	echo x >"$home/.ssh/id_rsa"
	echo x >"$home/data/.env"
	echo x >"$disk/$who/src/lib/server.key"
	git -C "$work" init -q
	[[ $who == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$tmp/$who" "$disk/$who"
	lib=$disk/$who/src/lib

	# paths that exist outside, as real tools name them
	hint missing "'--read $lib' shows it" 'cat ../lib/Cargo.toml'
	hint missing "'--read $lib'" 'cd ../lib && make'
	hint missing "'--read $lib'" "python3 -c 'open(\"$lib/inner\")'"
	hint missing "'$home/data/set one.csv' exists outside" 'ls ~/data/"set one.csv"'
	want '.hints[0].message | contains("--read \"'"$home/data/set one.csv"'\"")' "$who: ... as one word"
	hint missing "'$home/data'" 'cat ~/data/. 2>&1'
	hint missing "'--read $lib'" "printf 'error: failed to read \`$lib/Cargo.toml\`\n\nCaused by:\n  No such file or directory (os error 2)\n' >&2; exit 101"
	hint missing '' 'cat ../lib/missing.toml'
	hint missing '' 'cat missing.txt'
	hint missing '' 'echo "/usr/bin/env: No such file or directory" >&2; exit 1'
	options=(--read "$lib")
	hint missing '' 'cat ../lib/other.toml'
	options=()

	# the exec profile shows no file of the working directory, and needs -c for shell text
	exec_hint() { # ID PART ARGUMENT...
		local id=$1 part=$2
		shift 2
		(cd "$work" && mine "$tmp/caisson" run "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
		jq -e --arg id "$id" --arg part "$part" 'if $part == "" then all(.hints[]; .id != $id) else
			any(.hints[]; .id == $id and (.message | contains($part))) end' "$tmp/out" >/dev/null
		result $? "$who: exec: $id: $*"
	}
	echo 'print(1)' >"$work/here.py"
	exec_hint files "'here.py'" python3 here.py
	exec_hint files "'./here.py'" ./here.py
	exec_hint files "'here.py'" -c 'cat here.py'
	exec_hint files '' --workspace . -c 'cat here.py nothere.py'
	exec_hint files '' -c 'cat nothere.py'
	exec_hint files '' -c 'cat ../lib/Cargo.toml'
	exec_hint shell-text "-c 'TEXT'" 'echo hi'
	exec_hint shell-text '' nosuchprogram

	# scripts that the kernel does not execute, and twins that it does
	as "$who" bash -c 'cd "$1" && printf "echo plain\n" >plain.sh && printf "#!/bin/sh\r\necho crlf\r\n" >crlf.sh &&
		printf "\xEF\xBB\xBF#!/bin/sh\n" >mark.sh && printf "#! /usr/bin/nosuch -x\n" >none.sh &&
		printf "#!/bin/sh\necho fine\n" >fine.sh && mkdir -p lib.d && chmod +x ./*.sh && cp fine.sh locked.sh && chmod 644 locked.sh &&
		ln -s /etc/passwd link.sh && printf "#!/bin/sh\n" >"it'"'"'s.sh"' - "$work"
	exec_hint script "has no '#!' line" --workspace . -- ./plain.sh
	exec_hint script 'Windows line ending' --workspace . -- ./crlf.sh
	exec_hint script 'byte order mark' --workspace . -- ./mark.sh
	exec_hint script "'/usr/bin/nosuch'" --workspace . -- ./none.sh
	exec_hint script 'chmod +x' --workspace . -- ./locked.sh
	exec_hint script "write './fine.sh'" --workspace . fine.sh
	exec_hint script 'is a directory' --workspace . -- ./lib.d
	for name in ./fine.sh ./nothere ./link.sh "./it's.sh" nosuchprogram; do
		exec_hint script '' --workspace . -- "$name"
	done
	exec_hint script '' -- ./plain.sh
	(cd "$work" && rm ./*.sh && rmdir lib.d)

	# a directory as a whole, where one file is not enough
	(mine bash -c 'mkdir -p ~/pkg ~/tool/shims ~/tool/libexec; echo "{}" >~/pkg/package.json; echo "echo ran" >~/tool/libexec/t
		printf "#!/bin/sh\nexec sh \"\$(dirname \"\$0\")/../libexec/t\"\n" >~/tool/shims/t; chmod +x ~/tool/shims/t')
	hint missing "'--read $home/pkg'" 'cat ~/pkg/package.json'
	options=(--read "$home/tool/shims")
	hint missing "'--read $home/tool'" "$home/tool/shims/t"
	options=(--read "$home/tool")
	hint missing '' "$home/tool/shims/t; exit 1"
	options=()
	(mine bash -c '/usr/bin/python3 -m venv --without-pip ~/venv; mkdir -p ~/own/bin; echo "echo ran" >~/own/bin/t')
	hint missing "'--read $home/venv' shows it" "$home/venv/bin/python -c 'print(6 * 7)'"
	hint missing "'--read $home/own/bin/t' shows it" "sh $home/own/bin/t"
	options=(--read "$home/venv")
	hint missing '' "$home/venv/bin/python -c 'print(6 * 7)' | grep 42 && exit 1"
	want '.stdout == "42\n"' "$who: ... and then it runs"
	options=()
	(mine bash -c "echo 'V = 1' >'$lib/lib_mod.py'")
	hint missing "'--read $lib'" "printf 'import sys\nsys.path.insert(0, \"../lib\")\nimport lib_mod\n' >two.py; python3 two.py"
	hint missing '' "printf 'import sys\nsys.path.insert(0, \"../lib\")\nimport other_mod\n' >other.py; python3 other.py"
	options=(--read "$lib")
	hint missing '' 'python3 two.py; exit 1'
	options=()

	# a package of the project's manifest, and a program that exists nowhere
	as "$who" bash -c 'printf "[dependencies]\nlib = { path = \"../lib\" }\n" >"$1/Cargo.toml"' - "$work"
	hint missing "'--read $lib'" 'echo "error: package lib could not be resolved: not found in the workspace" >&2; exit 101'
	hint missing '' 'nosuchcargo build'
	hint missing '' 'echo "sh: 1: nosuchcargo: not found" >&2; exit 127'
	rm "$work/Cargo.toml"

	# links of the project that lead out of it, as of a worktree to the dependencies of another one
	(mine bash -c 'mkdir -p ~/modules/dep "$1/linked" && ln -s ~/modules "$1/node_modules" && ln -s ~/pkg "$1/assets" && ln -s ~/.ssh "$1/linked/vendor"' - "$work")
	module="echo \"Error: Cannot find module 'dep'\" >&2; exit 1"
	hint missing "'$home/modules' exists outside" "$module"
	hint missing "'--read $home/pkg'" 'cat assets/package.json'
	hint missing '' 'echo "Error: unknown option" >&2; exit 1'
	options=(--read "$home/modules")
	hint missing '' "$module"
	options=()
	rm -r "$work/node_modules" "$work/assets"
	place=$work/linked hint missing '' "ls vendor/id_rsa; $module"
	rm -r "$work/linked"

	# what no hint says, although it exists: keys, secrets by name, caisson's own files, the kernel's, whatever a program prints
	say() { printf 'printf "%%s: No such file or directory\\n" %s >&2; exit 1' "$*"; }
	hint missing '' "$(say "$home/.ssh/id_rsa" "$home/.ssh" "$home" "$home/data/.env" "$lib/server.key")"
	hint missing '' "$(say "$tmp/$who/state" "$tmp/$who/state/roots" "$home/.config/caisson/config.yaml")"
	hint missing '' "$(say /proc/1/environ /etc/shadow /sys/kernel /dev/mem "$home/../home/.ssh/id_rsa" "$home/x/../.ssh/id_rsa")"
	hint missing '' "ln -sfn '$home/.ssh' link; $(say "$work/link/id_rsa" "link/id_rsa")"
	hint missing '' "$(say /home /home/x /root/.bashrc /net/example.org/x)"
	as "$who" touch "$home/it's" "$home/a\$b"
	hint missing '' "$(say "\"$home/it's\"" "'$home/a\$b'")"
	for i in 1 2 3 4 5 6; do as "$who" mkdir -p "$home/many/$i"; done
	hint missing "'$home/many/1'" "$(say "$home"/many/{1,2,3,4,5,6})"
	want '[.hints[] | select(.id == "missing")][0].message | contains("many/3") and (contains("many/4") | not)' "$who: ... and names three at most"
	hint missing "'$home/data' exists" "$(printf 'echo "%s/data\033]0;x\007: No such file or directory" >&2; exit 1' "$home")"

	# programs: only those that exist outside
	(mine bash -c 'mkdir -p ~/.ssh/bin; printf "#!/bin/sh\n" >~/.ssh/bin/mytool; chmod +x ~/.ssh/bin/mytool')
	hint not-found '' './nope'
	hint not-found '' 'bash gen2.sh'
	hint not-found '' 'nosuchprog'
	path=$path:$home/.ssh/bin
	hint not-found 'the box shows only' 'mytool'
	hint path '' 'nosuchprog'
	path=/usr/local/bin:/usr/bin:/bin
	hint network '' 'echo "ERROR: Could not find a version that satisfies the requirement x (from versions: none)" >&2; exit 1 # pip download --no-index x'
	hint network 'denied' 'echo "ERROR: Could not find a version that satisfies the requirement x (from versions: none)" >&2; exit 1'

	# other walls
	options=(--network good.example.org)
	hint credentials 'which the box does not have' "echo \"fatal: could not read Username for 'https://good.example.org': terminal prompts disabled\" >&2; exit 128"
	options=()
	hint credentials '' "echo \"fatal: could not read Username for 'https://good.example.org': terminal prompts disabled\" >&2; exit 128"
	hint loopback "belong to the box" 'curl -sS http://127.0.0.1:1/'
	hint loopback '' 'echo "10.0.0.1: Connection refused" >&2; exit 1'
	hint cache '--network preset:registries' 'echo "npm ERR! code ENOTCACHED" >&2; exit 1'
	hint cache '--network preset:registries' 'echo "npm ERR! code ENOTCACHED"; exit 1' # 2>&1 is common
	hint ptrace 'trace' 'strace -o /dev/null true'
	hint perf 'performance counters' 'echo "No permission to enable task-clock event." >&2; exit 255'
	hint memory '--memory sets another' 'echo MemoryError >&2; exit 1'
	hint pids '--pids sets another' 'echo "fork: retry: Resource temporarily unavailable" >&2; exit 1'
	hint scratch '--scratch sets another' 'echo "No space left on device" >&2; exit 1'
	(cd "$work" && mine "$tmp/caisson" run --profile work -c 'echo ENOTCACHED; cat ../lib/Cargo.toml; true') >"$tmp/out" 2>"$tmp/err"
	want '.status == "ok" and .hints == []' "$who: a run that ends well has no hints"

	# agents shorten what programs print, and the status is that of another command
	masked() { # ID OR NONE, COMMAND
		(cd "$work" && mine "$tmp/caisson" run --profile work -c "$2") >"$tmp/out" 2>"$tmp/err"
		want ".status == \"ok\" and ([.hints[].id] | . == [$1])" "$who: hidden by another status: [$1]: $2"
	}
	masked '"missing"' 'cat ../lib/Cargo.toml 2>&1 | tail -1'
	masked '"missing"' 'cat ../lib/Cargo.toml || true'
	masked '"missing"' 'cat ../lib/Cargo.toml; echo "exit $?"'
	masked '"ptrace"' 'strace -o /dev/null true 2>&1 | head -5'
	masked '"cache"' 'echo ENOTCACHED 2>&1 | tee log; rm log'
	masked '' 'echo "connect ECONNREFUSED 127.0.0.1:1, MemoryError" | tail -1'
	masked '' 'cat ../lib/Cargo.toml; ls . | sort'

	# files that end with the box: said also when all went well
	dropped() { # WANTED COMMAND
		(cd "$work" && mine "$tmp/caisson" run --profile work "${options[@]}" -c "$2") >"$tmp/out" 2>"$tmp/err"
		want ".status == \"ok\" and ([.hints[] | select(.id == \"dropped\")] | $1)" "$who: dropped: $2"
	}
	dropped '.[0].message | contains("lost with the box: '"'~/foo'"'; write to the project")' 'echo x >~/foo'
	dropped '.[0].message | contains("/var/tmp/q")' 'echo x >/var/tmp/q'
	dropped '.[0].message | contains("'"'~/d'"'")' 'mkdir ~/d; touch ~/d/x'
	dropped 'length == 0' "touch ~/.hidden ~/\$'a\\nb' ~/'a\"b' x /tmp/x; rm x; ln -s /etc/passwd ~/l; mkfifo ~/f; touch ~/f2; rm ~/f2; cat ~/data/x || true"
	dropped '.[0].message | [scan("~/file")] | length == 3' 'cd; for i in {1..200}; do echo x >file$i; done'
	as "$who" mkdir -p "$home/src/b" "$home/src/app" && as "$who" git -C "$home/src/app" init -q
	outer=$work work=$home/src/app options=(--read "$home/src/b")
	dropped '.[0].message | contains("lost with the box: '"'~/src/sib.txt'"'; write")' "python3 -c 'open(\"../sib.txt\", \"w\")'"
	dropped 'length == 0' 'touch in-the-project; ls ..'
	work=$outer options=()

	# behind a client: no options of a command line, and a word about what the client itself ended
	event() { # PHASE ID COMMAND
		jq -cn --arg phase "$1" --arg id "$2" --arg c "$3" --arg cwd "$work" '{session_id: "hints", hook_event_name: $phase, tool_name: "Bash", tool_use_id: $id,
			cwd: $cwd, tool_input: {command: $c}} + if $phase == "PreToolUse" then {} else {tool_response: {stdout: "", stderr: "", interrupted: false}} end'
	}
	hook() { (cd "$work" && mine "$tmp/caisson" hook --client claude-code) >"$tmp/out" 2>"$tmp/err"; }
	echo 'print(open("../lib/Cargo.toml").read())' >"$work/read.py"
	event PreToolUse one 'python3 read.py' | hook
	(cd "$work" && mine bash -c "$(field .hookSpecificOutput.updatedInput.command)") >"$tmp/shown" 2>&1
	event PostToolUse one x | hook
	want '.hookSpecificOutput.additionalContext | contains("sandbox: {read: ['"$lib"']}") and (contains("--read") | not)' "$who: a client's model hears of the policy"
	for tests in 2 1; do # a test is gone in the next session
		printf '%s\n' "print('1..$tests')" "for i in range($tests): print('ok', i + 1)" >"$work/tap.py"
		event PreToolUse "tap$tests" 'python3 tap.py' | sed "s/\"hints\"/\"hints$tests\"/" | hook
		(cd "$work" && mine bash -c "$(field .hookSpecificOutput.updatedInput.command)") >"$tmp/shown" 2>&1
		event PostToolUse "tap$tests" x | sed "s/\"hints\"/\"hints$tests\"/" | hook
	done
	want '.hookSpecificOutput.additionalContext | contains("may prove less than it seems: 1 test")' "$who: a client's model hears that tests are gone"
	grep -q '"suspicions":"fewer-tests"' "$tmp/$who/state"/audit/*.jsonl
	result $? "$who: ... and the record has it"
	# slow.py, started as a client does
	slow() { # ID LINE OF ITS OUTPUT
		printf '%s\n' 'import sys, time' "print('''$2''', file=sys.stderr, flush=True)" 'open("begun", "w")' 'time.sleep(60)' >"$work/slow.py"
		rm -f "$work/begun"
		event PreToolUse "$1" 'python3 slow.py' | hook
		command=$(field .hookSpecificOutput.updatedInput.command)
		(cd "$work" && mine bash -c "exec $command") >"$tmp/shown" 2>&1 &
		pid=$!
		for _ in {1..100}; do [[ -e $work/begun ]] && break; sleep 0.05; done
	}
	slow two 'curl: (6) Could not resolve host: example.org'
	kill -TERM $pid
	wait $pid
	status=$?
	[[ $status == 143 ]] && grep -q 'the client ended the command after' "$tmp/shown" && grep -q "the program wanted 'example.org'" "$tmp/shown"
	result $? "$who: what a client ends at its time-out says why at once ($status)"
	event PostToolUse three x | hook
	want '.hookSpecificOutput.additionalContext | contains("the command that was interrupted ran in a box") and contains("example.org") and (contains("--timeout") | not)' \
		"$who: ... and at the next event, if the client sent none about it"
	event PostToolUse four x | hook
	[[ ! -s $tmp/out ]] || want '.hookSpecificOutput.additionalContext // "" | contains("ended before") | not' "$who: ... once"
	# SIGKILL, or a client that waits no longer: hints that the run left before
	find "$tmp/$who/state/reports" -type f -delete # of calls without an event
	left() { # waits for the hints: for the call and for the session
		for _ in {1..100}; do [[ $(find "$tmp/$who/state/reports" -type f | wc -l) == 2 ]] && break; sleep 0.05; done
	}
	slow five "npm error code ENOTCACHED"
	left
	event PostToolUse five x | hook
	want '.hookSpecificOutput.additionalContext | contains("this goes on in a box: ") and contains("offline")' "$who: a client that waits no longer tells the hint"
	event PostToolUse six x | hook
	[[ ! -s $tmp/out ]]
	result $? "$who: ... and no other call does while it runs"
	kill -KILL $pid
	wait $pid 2>/dev/null
	event PostToolUse seven x | hook
	want '.hookSpecificOutput.additionalContext | contains("the command that was interrupted ran in a box: ") and contains("offline")' "$who: SIGKILL: the next event tells it"
	event PostToolUse eight x | hook
	[[ ! -s $tmp/out ]]
	result $? "$who: ... once"
	slow nine "cat: $lib/Cargo.toml: No such file or directory"
	left
	kill -KILL $pid
	wait $pid 2>/dev/null
	event PostToolUse nine x | hook
	want '.hookSpecificOutput.additionalContext | contains("this ran in a box until it was killed: ") and contains("sandbox: {read: ['"$lib"']}")' "$who: SIGKILL: the event of the call tells the hint"
	event PostToolUse ten x | hook
	[[ ! -s $tmp/out ]]
	result $? "$who: ... once"
	mkdir -p "$home/.config/caisson"
	echo 'sandbox: {network: {allow: [good.example.org]}}' >"$home/.config/caisson/config.yaml"
	event PreToolUse silent 'python3 silent.py' | hook
	printf '%s\n' 'import socket, time' 'try: socket.getaddrinfo("bad.example.org", 80)' 'except OSError: pass' 'time.sleep(60)' >"$work/silent.py"
	command=$(field .hookSpecificOutput.updatedInput.command)
	(cd "$work" && mine bash -c "exec $command") >"$tmp/shown" 2>&1 &
	pid=$!
	left
	kill -KILL $pid
	wait $pid 2>/dev/null
	event PostToolUse silent x | hook
	want '.hookSpecificOutput.additionalContext | contains("until it was killed: ") and contains("bad.example.org")' "$who: SIGKILL: a refused host is told, although the program was silent"
	rm "$home/.config/caisson/config.yaml"
	printf '%s\n' 'import time' 'print("ENOTCACHED", flush=True)' 'time.sleep(1.6)' >"$work/slow.py"
	event PreToolUse eleven 'python3 slow.py' | hook
	(cd "$work" && mine bash -c "$(field .hookSpecificOutput.updatedInput.command)") >"$tmp/shown" 2>&1
	event PostToolUse eleven x | hook
	[[ ! -s $tmp/out && -z $(find "$tmp/$who/state/reports" -type f) ]]
	result $? "$who: a run that ends well takes them back"
done
done_testing
