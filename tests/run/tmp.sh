#!/bin/bash
# One /tmp for the contained commands of a project: kept between them, limited, cleaned, and never a way out
# of the box.
# As root and as an ordinary user. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
chmod 711 "$tmp"
as=() options=()
boxed() { # COMMAND...: in the project's box, what it prints is in $tmp/out
	(cd "$project" &&
		"${as[@]}" "$CAISSON" run --profile work --plain "${options[@]}" -- "$@") >"$tmp/out" \
		2>"$tmp/err" </dev/null
}
said() { [[ $(cat "$tmp/out") == "$1" ]]; result $? "$who: $2: $(head -c 100 "$tmp/out" | tr '\n' ' ')"; }
hook() { # EVENT SESSION: what the client sends
	jq -nc --arg e "$1" --arg s "$2" --arg d "$project" '{hook_event_name: $e, session_id: $s, cwd: $d}' |
		(cd "$project" && "${as[@]}" "$CAISSON" hook --client claude-code) >"$tmp/out" 2>"$tmp/err"
}
kept() { find "$CAISSON_STATE/tmp/$(printf %s "$project" | sha256sum | cut -c1-16)" 2>/dev/null; }

attack() {
	local old_state=$CAISSON_STATE
	options=()
	boxed sh -c 'echo one >/tmp/caisson-test-a; echo two >/tmp/claude/b; echo $TMPDIR; stat -c %a /tmp'
	said $'/tmp\n1777' "/tmp and /tmp/claude can be written"
	boxed sh -c 'cat /tmp/caisson-test-a /tmp/claude/b'
	said $'one\ntwo' "the next command finds the files"
	[[ $(stat -c %a "$CAISSON_STATE"/tmp/*) == 700 && ! -e /tmp/caisson-test-a ]]
	result $? "$who: outside they are in a directory of the caller's alone"
	(cd "$project" && "${as[@]}" "$CAISSON" run --plain -- ls -A /tmp) >"$tmp/out" 2>"$tmp/err"
	said "" "twin: a box of the exec profile has an empty /tmp"
	(cd "$other" &&
		"${as[@]}" "$CAISSON" run --profile work --plain -- ls -A /tmp) >"$tmp/out" 2>"$tmp/err"
	! grep -q '^a$' "$tmp/out"
	result $? "$who: another project has another /tmp"

	# names that an earlier program made stand in the way of mounts below /tmp
	boxed sh -c 'd=${PWD#/tmp/}; cd /; first=/tmp/${d%%/*}; mv "$first" /tmp/moved; ln -s /etc "$first"; ls -ld "$first" | cut -c1'
	[[ $project != /tmp/* ]] || said l "a program can give the way to the workspace another meaning"
	boxed sh -c 'echo ok >here; cat here; rm here'
	said ok "the next command finds its workspace all the same"
	boxed sh -c 'rm -rf /tmp/claude; ln -s /etc /tmp/claude; chmod 0 /tmp'
	boxed sh -c 'echo x >/tmp/claude/c; cat /tmp/claude/c; stat -c %a /tmp'
	said $'x\n1777' "/tmp/claude is a directory again, and /tmp has its mode"

	# the limit is watched
	options=(--scratch 8M)
	boxed sh -c 'head -c 16M /dev/zero >/tmp/big; sleep 5; echo late'
	[[ $? == 153 ]]; result $? "$who: more than the limit ends the command: $(head -c 200 "$tmp/err")"
	(cd "$project" &&
		"${as[@]}" "$CAISSON" run --profile work --scratch 8M -- sleep 5) >"$tmp/out" 2>"$tmp/err" \
		</dev/null
	jq -e '.status == "output_limit" and .limits.scratch_mb.enforced_by == "watched" and
		any(.hints[]; .id == "scratch") and .duration_ms < 4000' "$tmp/out" >/dev/null
	result $? "$who: the report says so"
	boxed rm /tmp/big
	result $? "$who: a command can remove the files"
	boxed sh -c 'head -c 4M /dev/zero >/tmp/small; sleep 0.4; rm /tmp/small; echo less'
	said less "twin: less than the limit does not"
	options=()
	boxed sh -c 'mkdir -p /tmp/deep; cd /tmp/deep; i=0; while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i+1)); done; sleep 5'
	[[ $? == 153 ]]; result $? "$who: a tree too deep to look at counts as too much"
	boxed rm -rf /tmp/deep

	# cleaning
	canary=$tmp/canary-$n
	mkdir "$canary" && echo keep >"$canary/file" && chmod -R a+rwX "$canary"
	boxed sh -c 'ln -s "$1" /tmp/link; ln -s "$1"/file /tmp/filelink; mkfifo /tmp/fifo; mkdir /tmp/closed /tmp/closed/in
		echo x >/tmp/closed/in/x; chmod 0 /tmp/closed/in /tmp/closed; mkdir "/tmp/new
line"; echo y >"/tmp/new
line/-rf"; git init -q /tmp/repo; mkdir -m 555 /tmp/ro; /usr/bin/python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"/tmp/sock\")"; ls -A /tmp | wc -l' sh "$canary"
	hook SessionStart one
	hook SessionStart two
	hook SessionEnd one
	[[ $(kept) ]]; result $? "$who: the end of one session leaves /tmp to the other"
	(cd "$project" &&
		exec "${as[@]}" "$CAISSON" run --profile work --plain -- sh -c \
		'echo up; until [ -e go ]; do sleep 0.05; done; rm go; cat /tmp/caisson-test-a') >"$tmp/live" 2>&1 \
		</dev/null &
	live=$!
	for _ in {1..100}; do grep -q up "$tmp/live" && break; sleep 0.05; done
	hook SessionEnd two
	touch "$project/go"
	wait $live
	[[ $(cat "$tmp/live") == $'up\none' ]]; result $? \
		"$who: nothing is cleaned under a living box: $(tr '\n' ' ' <"$tmp/live")"
	hook SessionStart two # the client resumes it
	hook SessionEnd two
	[[ ! $(kept) ]]
	result $? "$who: the end of the last session removes everything: $(kept | head -3)"
	[[ $(cat "$canary/file") == keep && -e $project/.git ]]; result $? "$who: cleaning follows no link"
	boxed sh -c 'ls -A /tmp | grep -v claude; echo again >/tmp/again; cat /tmp/again'
	grep -q again "$tmp/out"; result $? "$who: /tmp works again"
	touch -d '8 days ago' "$CAISSON_STATE"/tmp/*/lock
	hook SessionStart three
	[[ ! $(kept) ]]; result $? "$who: a directory that was not used for a week is removed"
	rm -rf "$old_state"
}

# ---- files of the host's /tmp ----

call() { # COMMAND: as a client would: asks the hook, runs what it answers, or the command itself; the verdict is in $verdict
	jq -nc --arg c "$1" --arg s "${session:-files}" --arg d "$project" \
		'{hook_event_name: "PreToolUse", session_id: $s, cwd: $d,
		tool_name: "Bash", tool_input: {command: $c}, tool_use_id: "x"}' |
		(cd "$project" && "${as[@]}" "$CAISSON" hook --client claude-code) >"$tmp/answer" 2>"$tmp/err"
	local run
	run=$(jq -r '.hookSpecificOutput.updatedInput.command // empty' "$tmp/answer")
	own "${between:-:}" # meanwhile
	verdict=$(jq -r '.hookSpecificOutput.permissionDecision // "pass"' "$tmp/answer" 2>/dev/null)
	[[ -s $tmp/answer ]] || verdict=pass
	[[ $verdict != pass || ! $run ]] && [[ $run ]] && verdict=box
	case $verdict in
	box | pass | allow) (cd "$project" &&
		"${as[@]}" bash -c "${run:-$1}") >"$tmp/out" 2>"$tmp/err" </dev/null ;;
	*) : >"$tmp/out" ;;
	esac
}
writes() { # FILE: the client's own tool writes it
	jq -nc --arg f "$1" --arg s "${session:-files}" --arg d "$project" \
		'{hook_event_name: "PreToolUse", session_id: $s, cwd: $d,
		tool_name: "Write", tool_input: {file_path: $f, content: "x"}, tool_use_id: "w"}' |
		(cd "$project" && "${as[@]}" "$CAISSON" hook --client claude-code) >"$tmp/answer" 2>"$tmp/err"
	"${as[@]}" bash -c 'cat >"$1"' sh "$1"
}
went() { [[ $verdict == "$1" ]]; result $? \
	"$who: $2: $verdict $(jq -r '.hookSpecificOutput.permissionDecisionReason // empty' "$tmp/answer" 2>/dev/null | head -c 200)"; }
own() { "${as[@]}" bash -c "$@"; } # as the caller, on the host

files() {
	h=/tmp/caisson-test-$$
	printf 'test:\n\t@cat "$(FILE)"; echo tested\n' >"$project/Makefile"
	# findings: /tmp is two places
	call "cat >$h.py <<'E'
print('repro')
E"
	went pass "writing a script into /tmp is allowed, outside"
	call "/usr/bin/python3 $h.py"
	went box "running it is contained"; said repro "and the box has it"
	call "make -s test FILE=/dev/null >$h.log"
	went box "a contained command writes a log into /tmp"
	[[ ! -e $h.log ]]; result $? "$who: which the host does not have"
	call "cat $h.log"
	went box "reading it runs in the box"; said tested "and finds it"
	"$CAISSON" check --cwd "$project" --json "cat $h.log" >"$tmp/out" 2>/dev/null
	[[ ${as[*]} ]] ||
		{ jq -e '.verdict == "contain" and .reasons[0].id == "box-file"' "$tmp/out" >/dev/null; \
		result $? "$who: for a reason of its own"; }
	call "tail -1 $h.lo*"
	went box "by a pattern"; said tested "too"
	# the shell itself looks names up
	call "make -s test FILE=/dev/null; mkdir $h.dir; echo in >$h.dir/in"
	while IFS='|' read -r command want; do
		call "$command"
		[[ $verdict == box && $(cat "$tmp/out") == "$want" ]]
		result $? "$who: in the box: $command: $verdict $(head -c 100 "$tmp/out" | tr '\n' ' ')"
	done <<-E
		test -f $h.log && echo yes|yes
		[ -s $h.log ] && echo yes|yes
		if [[ -f $h.log ]]; then echo yes; fi|yes
		[ $h.log -nt /etc/hostname ] && echo yes|yes
		for f in $h.lo*; do echo \$f; done|$h.log
		a=($h.lo*); echo \${a[0]}|$h.log
		cd $h.dir && echo *|in
		read -r x <$h.log; echo \$x|tested
	E
	call "[ a = $h.log ]; [ -f $h.nothing ]; echo $h.nothing*"
	went pass "twin: nothing of the box is looked up"
	call "cat $h.nothing"
	went pass "twin: a name that nobody has is the host's"
	call "make -s test FILE=/dev/null | tee $h.out | tail -1"
	call "tail -1 $h.out"
	said tested "tee in the box, tail in the next call"
	call "echo shared >$h.x"
	went pass "echo into /tmp is allowed, outside"
	call "cat $h.x; make -s test FILE=/dev/null"
	said $'shared\ntested' "a contained command finds the file that it names"
	if [[ ! -e /tmp/claude ]]; then # another user's would be shared
		call "make -s test FILE=/dev/null >/tmp/claude/t.log; cat /tmp/claude/t.log"
		said tested "/tmp/claude can be written"
	fi
	own 'mkdir "$1.up" && echo up >"$1.up.file" && ln -s /etc "$1.up.link"' sh "$h"
	call "cat $h.up/../${h#/tmp/}.up.file; make -s test FILE=/dev/null"
	said $'up\ntested' "a name that goes through a directory and up again is found"
	call "make -s test FILE=$h.up/./../${h#/tmp/}.up.file"
	said $'up\ntested' "so is one that only the program understands"
	call "make -s test FILE=$h.up.link/../etc/../${h#/tmp/}.up.file"
	said tested "twin: one that goes through a link is not"
	call "mkdir -p $h.work/sub"
	went pass "a directory is made in /tmp, outside"
	call "cd $h.work/sub && make -s -C $project test FILE=/dev/null >made && ls"
	said made "a contained command can work in it"
	call "cat $h.work/sub/made"
	said tested "and the next one finds what it made"
	# a directory that both have
	call "mkdir $h.both $h.both/sub && echo host >$h.both/f && echo deep >$h.both/sub/x && cp /etc/hostname $h.both/copied"
	call "make -s test FILE=/dev/null >$h.both/g"
	while IFS=@ read -r command want; do
		call "$command"
		[[ $verdict == box && $(tr '\n' ' ' <"$tmp/out") == "$want " ]]
		result $? "$who: both: $command: $verdict $(tr '\n' ' ' <"$tmp/out" | head -c 100) $(head -1 "$tmp/err")"
	done <<-E
		ls $h.both@copied f g sub
		cd $h.both && ls@copied f g sub
		grep -rhx -e host -e tested $h.both | sort -u@host tested
		head -qn1 $h.both/[fg]@host tested
		for f in $h.both/[a-g]*; do basename \$f; done@copied f g
		tar cf a.tar -C /tmp ${h#/tmp/}.both && tar tf a.tar | sed 's/.*both.//' | sort | tail -n 5 && rm a.tar@copied f g sub/ sub/x
		cp -r $h.both own && cat own/f own/g own/sub/x@host tested deep
		find $h.both -type f -name '[fgx]' -printf '%f\n' | sort@f g x
		ls /tmp | grep -c '${h#/tmp/}.both'@1
	E
	rm -rf "$project/own"
	for command in "ls $h.both; echo new >$h.new" "cp Makefile $h.both/" "cat $h.both/f" "cd /tmp && ls" \
		"ls $h.both/sub" \
		"ls /tmp; cat $h.both/f"; do
		call "$command"
		went pass "twin: outside: ${command//$h/}"
	done
	[[ -e $h.both/Makefile ]]; result $? "$who: what is written there is the host's"
	own 'ln -s /etc/passwd "$1.both/link"' sh "$h"
	call "ls $h.both"
	went pass "twin: a directory that the box cannot show as a whole"
	# directories that only the box has
	if [[ ! -e /tmp/claude ]]; then
		call "echo c1 >/tmp/claude/c1"
		went box "a file in /tmp/claude is made in the box"
		call "cat /tmp/claude/c1"; said c1 "where the next command finds it"
	fi
	call "mkdir -p $h.dir/a/b && echo c2 >$h.dir/a/b/c && cat $h.dir/a/b/c"
	went box "so is one in a directory of the box"; said c2 "which exists there"
	# not named, but written by the session
	echo "conf" | writes "$h.conf"
	printf 'FILE = %s\ninclude rest.mk\n' "$h.conf" >"$project/Makefile.own"
	printf 'all:\n\t@cat $(FILE)\n' >"$project/rest.mk"
	call "make -s -f Makefile.own"
	said conf "a file that the client's own tool wrote is there without being named"
	session=other call "make -s -f Makefile.own"
	[[ ! -s $tmp/out ]]; result $? "$who: twin: not for another session"
	# named as a word that only the program understands
	printf 'import sys\nprint(open(sys.argv[-1].split("=")[-1]).read().strip())\n' >"$project/show.py"
	own 'mkdir "$1.own"; echo own | tee "$1.own/data" >"$1.data"' sh "$h"
	while IFS= read -r command; do
		call "$command"
		[[ $verdict == box && $(cat "$tmp/out") == own ]]
		result $? "$who: named as a word: $command: $verdict $(head -c 100 "$tmp/out") $(tail -1 "$tmp/err")"
	done <<-E
		/usr/bin/python3 show.py $h.data
		/usr/bin/python3 show.py --data=$h.own/data
		cd /tmp && /usr/bin/python3 $project/show.py ${h#/tmp/}.own/../${h#/tmp/}.data
		make -s test FILE=$h.data | head -1
		FILE=$h.data make -s -e test | head -1
		D=$h.data bash -c 'make -s test FILE=\$D' | head -1
	E
	printf 'import sys\nopen(sys.argv[-1], "w")\n' >"$project/spoil.py"
	call "/usr/bin/python3 spoil.py $h.data"
	[[ $(cat "$h.data") == own ]]; result $? "$who: it is read-only"
	# writing
	call "make -s test FILE=/dev/null >>$h.x; cat $h.x"
	[[ $(cat "$h.x") == $'shared\ntested' ]]; result $? \
		"$who: a contained command appends to a file that it names"
	boxed sh -c "echo unjudged >>$h.x"
	[[ $(cat "$h.x") == $'shared\ntested' ]]; result $? \
		"$who: one that nobody judged does not: $(head -c 100 "$tmp/err")"
	(cd "$project" &&
		"${as[@]}" "$CAISSON" run --profile work -- sh -c "echo unjudged >>$h.x") >"$tmp/out" \
		2>"$tmp/err" </dev/null
	jq -e --arg f "$h.x" \
		'any(.hints[]; .message | startswith("\u0027" + $f + "\u0027 is a file of the machine"))' \
		"$tmp/out" >/dev/null
	result $? "$who: and the hint says why: $(jq -c .hints "$tmp/out")"
	options=(--gate)
	boxed sh -c "echo judged >>$h.x"
	options=()
	[[ $(cat "$h.x") == $'shared\ntested\njudged' ]]; result $? \
		"$who: twin: one that the gate judged does: $(head -c 100 "$tmp/err")"
	echo "open('$h.conf', 'w')" >"$project/w.py"
	call "/usr/bin/python3 w.py"
	[[ $(cat "$h.conf") == conf ]]; result $? \
		"$who: a file that the command itself does not write is read-only"
	# what is never shown
	own 'echo other >"$1"; ln "$1" "$1.hard"' sh "$h.linked"
	own 'ln -s /etc/passwd "$1"; ln -s "$2" "$1.dir"; mkfifo "$1.fifo"; mkdir "$1.d"; echo in >"$1.d/in"; chmod 777 "$1.d"' sh "$h.link" "$HOME"
	for name in linked link link.dir/.bashrc link.d/in; do
		call "make -s test FILE=$h.$name; cat $h.$name"
		! grep -q 'other\|root:\|^in' "$tmp/out"; result $? \
			"$who: not shown: $name: $(head -1 "$tmp/out")"
	done
	own 'chmod 755 "$1.d"' sh "$h.link"
	call "make -s test FILE=$h.link.d/in; cat $h.link.d/in"
	grep -q '^in' "$tmp/out"; result $? "$who: twin: in a directory of the caller's alone it is shown"
	call "make -s test FILE=$h.link.fifo"
	[[ ! -p $tmp/none ]] && grep -q 'o such file' "$tmp/err"; result $? "$who: no FIFO"
	call "cat /tmp/../etc/hostname >/dev/null; make -s test FILE=/tmp/../etc/shadow"
	! grep -q : "$tmp/out"; result $? "$who: no way out of /tmp"
	own 'echo key >/tmp/krb5cc_caisson_$1; echo key >/tmp/ssh-caisson-$1' sh $$
	for name in krb5cc_caisson_ ssh-caisson-; do
		call "make -s test FILE=/tmp/$name$$"
		! grep -q key "$tmp/out"; result $? "$who: never shown: $name"
	done
	for name in .env id_rsa server.key cert.pfx; do
		own 'echo key >"$1"' sh "$h.own/$name"
		boxed cat "$h.own/$name" "$h.own/data"
		said own "a secret by its name is not shown, the file beside it is: $name"
	done
	call "printf 'all:\n\t@cat \"%s\"\n' '$h new
line' >nl.mk; cat >'$h new
line' <<<odd; make -s -f nl.mk 2>&1; cat '$h new
line'"
	grep -q odd "$tmp/out"; result $? "$who: a name with a newline"
	# a program in the box takes the place of a name before the host has it
	call "make -s test FILE=/dev/null; mkdir $h.late; ln -s /etc $h.late2"
	own 'echo host >"$1.late"; echo host >"$1.late2"' sh "$h"
	call "make -s test FILE=$h.late; cat $h.late2 $h.late"
	[[ $(grep -c host "$tmp/out") == 3 ]]; result $? \
		"$who: the host's file counts, whatever an earlier program left in its place"
	[[ ! $(find "$CAISSON_STATE"/tmp/*/files -perm 1000 2>/dev/null) ]]; result $? \
		"$who: no mount point is left behind"
	# a file is replaced between judging and running, and all the time
	echo secret >"$secret"
	for how in 'ln -s "$2" "$1"' 'ln "$2" "$1"' 'mkdir "$1"' 'mkfifo "$1"'; do
		own 'echo mine >"$1"' sh "$h.swap"
		between="rm -f $h.swap; set -- $h.swap $secret; $how" call \
			"make -s test FILE=$h.swap 2>&1; cat $h.swap"
		! grep -q 'secret\|mine' "$tmp/out"; result $? \
			"$who: replaced after judging: $how: $(head -c 60 "$tmp/out" | tr '\n' ' ')"
		own 'rm -rf "$1"' sh "$h.swap"
	done
	own 'while [ -e "$3" ]; do ln -sf "$2" "$1.new"; mv "$1.new" "$1"; echo mine >"$1.new"; mv "$1.new" "$1"; done' sh "$h.race" "$secret" "$project/w.py" &
	for _ in {1..12}; do boxed sh -c "cat $h.race"; cat "$tmp/out" "$tmp/err"; done >"$tmp/all"
	rm -f "$project/w.py"
	wait
	! grep -q secret "$tmp/all"; result $? \
		"$who: replaced all the time: $(sort "$tmp/all" | uniq -c | tr '\n' ' ')"
	hook SessionEnd files
	hook SessionEnd other
	"${as[@]}" "$CAISSON" audit replay-all --json >"$tmp/out" 2>"$tmp/err"
	jq -e '.judged > 20 and .changes == []' "$tmp/out" >/dev/null &&
		grep -q box-file "$CAISSON_STATE"/audit/*.jsonl
	result $? "$who: the record replays alike, without the files: $(tail -c 300 "$tmp/out")"
	own 'rm -rf "$1"* /tmp/krb5cc_caisson_$2 /tmp/ssh-caisson-$2' sh "$h" $$
}

# ---- a box that exchanges directories of the shared /tmp while another one is made ----

swaps() {
	if [[ $project != /tmp/* ]]; then
		n=$((n + 1)); echo \
			"ok $n - $who: directories that are exchanged # SKIP the project is not below /tmp"
		return
	fi
	own 'cd "$1" && mkdir -p .vscode .husky && echo own | tee .bashrc .vscode/tasks.json >.husky/pre-commit' sh "$project"
	cat >"$project/swap.py" <<-'E'
		import ctypes, os, sys
		project, first = sys.argv[1], "/tmp/" + sys.argv[1].split("/")[2]
		fake = "/tmp/fake" + project[len(first):]
		for name in ".vscode .husky .claude .idea .cursor .git/hooks .github/hooks".split():
		    os.makedirs(fake + "/" + name)
		for name in (".bashrc .bash_profile .zshrc .zprofile .profile .gitconfig .gitmodules .ripgreprc .mcp.json .claude.json "
		             ".git/config .git/config.worktree .git/commondir .vscode/tasks.json .husky/pre-commit").split():
		    open(fake + "/" + name, "w")
		open("swapping", "w")
		libc, live = ctypes.CDLL(None), os.open(".", os.O_RDONLY)
		while os.path.exists(f"/proc/self/fd/{live}/swapping"):
		    for _ in range(200):
		        libc.renameat2(-100, first.encode(), -100, b"/tmp/fake", 2) # RENAME_EXCHANGE
	E
	chmod a+r "$project/swap.py"
	(cd "$project" &&
		exec "${as[@]}" "$CAISSON" run --profile work --plain -- /usr/bin/python3 swap.py \
		"$project") >"$tmp/swap" 2>&1 </dev/null &
	swap=$!
	for _ in {1..100}; do [[ -e $project/swapping ]] && break; sleep 0.05; done
	for _ in {1..40}; do
		boxed sh -c 'for d in . "$1" "/tmp/fake/${1#/tmp/*/}"; do for f in .bashrc .vscode/tasks.json .husky/pre-commit .git/hooks/post-commit; do echo evil >$d/$f; done; done; echo ran' sh "$project"
		cat "$tmp/out" "$tmp/err"
	done >"$tmp/swaps" 2>&1
	rm -f "$project/swapping"
	wait $swap
	! grep -q evil "$project"/{.bashrc,.vscode/tasks.json,.husky/pre-commit} &&
		[[ ! -e $project/.git/hooks/post-commit ]]
	result $? "$who: protected files of a workspace, whatever another box makes of the way to it: $(grep -c ran "$tmp/swaps") of 40 ran"
	boxed sh -c 'echo fine'
	said fine "twin: it works again"
	rm -rf "$project"/{.bashrc,.vscode,.husky,swap.py}
}

start() { # USER DIRECTORY
	who=$1 project=$2/project other=$2/other
	mkdir -p "$project" "$other" "$2/home" "$2/state"
	git init -q "$project"
	git init -q "$other"
	export CAISSON_STATE=$2/state HOME=$2/home
	secret=$2/secret
	[[ ! ${as[*]} ]] || chown -R "$who" "$2"
	chmod 700 "$2/state"
}

start root "$tmp/root"
files
swaps
attack
if [[ $(id -u) == 0 ]] && id nobody >/dev/null 2>&1; then
	# a program where everybody can read it
	away=$(mktemp -d /var/tmp/caisson-tmp.XXXXXX) && chmod 755 "$away" && cp "$CAISSON" "$away/caisson"
	program=$CAISSON CAISSON=$away/caisson
	as=(setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$tmp/user/home" USER=nobody)
	start nobody "$tmp/user"
	files
	swaps
	attack
	as=() options=() CAISSON=$program
	start root "$away"
	boxed sh -c 'echo x >/tmp/caisson-test.away; echo ok >here'
	boxed sh -c 'cat here /tmp/caisson-test.away'
	said $'ok\nx' "a project outside of /tmp"
	TMPDIR=$away boxed sh -c 'echo $TMPDIR; cat /tmp/caisson-test.away'
	said $'/tmp\nx' "and a caller whose TMPDIR is elsewhere"
	# a machine whose /tmp/claude is a link, with directories and files of others; the program may lie in
	# /tmp
	as=(unshare -m sh -c \
		'mount -t tmpfs -o mode=1777 none /tmp && ln -s /etc /tmp/claude && mkdir /tmp/theirs /tmp/open /tmp/own &&
		for f in theirs/f open/f own/f f mine; do echo $f-host >/tmp/$f; done && chown nobody /tmp/theirs /tmp/f && chmod 777 /tmp/open && exec "$@"' sh) CAISSON=$away/caisson
	boxed cat /tmp/claude/os-release /tmp/theirs/f /tmp/open/f /tmp/f /tmp/own/f /tmp/mine
	said $'own/f-host\nmine-host' "neither a link at /tmp/claude nor what others own or can replace"
	boxed stat -c %F /tmp/claude
	said directory "/tmp/claude is the box's own"
	as=() CAISSON=$program
	rm -rf "$away"
fi
echo "1..$n"
