# shellcheck shell=bash disable=SC2034 # what is set here is used by those that source it
# Driving agent clients as they are, against a model on loopback that does what a script says (model.mjs).
# Sourced by the tests here.
#
# Every session has a directory of its own with a throw-away home, a project, and a policy; the client starts
# with an empty environment and settings made by `caisson init`. The model is on 127.0.0.1 and the keys are
# words: nothing leaves the machine (but opencode gets a package of its own).
#
# A client's script sets CLIENT, TOOLS (what it calls its shell, a JSON list) and KEYS (a jq filter from a
# command to the tool's input), and defines `prepare` (settings beside the hooks) and `start` (the client,
# with "$PROMPT").
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
CAISSON=$(readlink -f "${CAISSON:-$root/build/caisson}")
CACHE=${CAISSON_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/caisson-clients}
PROMPT='do what was agreed'
# shellcheck disable=SC2034 # used by those that source this
PACKED='AKIAJ7Q2M5X4ZB3NTR6W' # invented; the key of the vendor's documentation counts as a placeholder
tmp=$(mktemp -d)
model=
n=0
trap 'stop_model; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"

# Node of a version that all clients take: the machine's own, or the one from npm.
NODE=$CACHE/node/node_modules/node/bin/node
[[ -x $NODE ]] || NODE=$(command -v node || true)

# What the model was told in this session, once, for those who look for the reason of a failure.
told=
shown_session() {
	[[ -n ${RUN:-} && $RUN != "$told" ]] || return
	told=$RUN
	{ jq -r 'to_entries[] | "call \(.key) (error: \(.value.error)): \(.value.text[0:200] | gsub("\n"; " / "))"' "$RUN/model/results.json" 2>/dev/null; head -c 1500 "$RUN/err" 2>/dev/null; echo; } | sed 's/^/#   /'
}

result() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		shown_session
	fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
finish() { echo "1..$n"; }

# Its program; without it nothing is tested, and the reason is said.
need_client() { # NAME PROGRAM
	PROGRAM=$CACHE/$1/node_modules/.bin/$2
	[[ -x $PROGRAM ]] || skip_all "$1 is not installed: tests/clients/install $1"
	[[ -n $NODE ]] || skip_all 'there is no node to run the model with'
	[[ -x $CAISSON ]] || skip_all "there is no $CAISSON"
}

# A fresh home and project, with a policy that denies and asks about two harmless commands, and files for the
# calls.
new_session() { # NAME
	RUN=$tmp/$1
	ENVIRONMENT=()
	H=$RUN/home P=$RUN/project PROGRAM_HERE=
	mkdir -p "$RUN/model" "$RUN/tmp" "$H/.config/caisson" "$P/sub" "$RUN/outside"
	git -c init.defaultBranch=main init -q "$P"
	cat >"$H/.config/caisson/config.yaml" <<'YAML'
tools:
  bash:
    deny:
      - touch denied
    ask:
      - touch asked
YAML
	chmod 700 "$H/.config/caisson"
	chmod 600 "$H/.config/caisson/config.yaml"
	echo canary >"$RUN/outside/canary"
	printf 'build ok\nkey %s\nend\n' "$PACKED" >"$P/build.log"
	# Says where it runs: its process namespace, and whether it reaches the model.
	cat >"$P/where.sh" <<'SH'
#!/bin/bash
echo "ns $(readlink /proc/self/ns/pid)"
if (exec 3<>"/dev/tcp/127.0.0.1/$(cat port)") 2>/dev/null; then echo "net yes"; else echo "net no"; fi
echo "key ${ANTHROPIC_API_KEY:-none}"
exit "${1:-0}"
SH
	printf '#!/bin/bash\nseq 1 200000\n' >"$P/big.sh"
	printf '#!/bin/bash\ndate +%%s\n' >"$P/now.sh"
	printf '#!/bin/bash\nsleep 1\n./where.sh >late.new\nmv late.new late.txt\n' >"$P/late.sh"
	# shellcheck disable=SC2016
	printf '#!/bin/bash\ncat build.log\n' >"$P/leak.sh"
	chmod +x "$P"/*.sh
}

# A copy of the program with a path of its own, so that something else can be put there: `$RUN/switch KIND`
# does that while a session runs.
own_program() {
	PROGRAM_HERE=$RUN/bin/caisson
	mkdir "$RUN/bin"
	cp --reflink=auto "$CAISSON" "$RUN/bin/real"
	ln "$RUN/bin/real" "$PROGRAM_HERE"
	cp "$H/.config/caisson/config.yaml" "$RUN/policy"
	cat >"$RUN/switch" <<SH
#!/bin/bash
cd "$RUN/bin" || exit
rm -f caisson
cp "$RUN/policy" "$H/.config/caisson/config.yaml"
program() { printf '#!/bin/sh\\n%s\\n' "\$1" >caisson; chmod +x caisson; }
case \$1 in
missing) ;;
crash) program 'kill -SEGV \$\$' ;;
hang) program 'exec sleep 12' ;;
full) program 'exec unshare -rm sh -c "mount -t tmpfs -o size=4k,mode=700 none \\"\\\$0\\" && head -c 4096 /dev/zero >\\"\\\$0/fill\\"; exec \\"\\\$@\\"" $H/.local/state/caisson $RUN/bin/real "\$@"' ;;
broken) ln real caisson; echo 'tools: [broken' >"$H/.config/caisson/config.yaml" ;;
*) ln real caisson ;;
esac
SH
	chmod +x "$RUN/switch"
}

# A hook that hangs is waited for: a limit in the hook's own line becomes 2 s; where there is none, the
# client's becomes 4 s.
shorten_limits() {
	if grep -q 'timeout -k' "$H/$SETTINGS"; then
		sed -i -E 's/timeout -k ([0-9.]+) [0-9.]+/timeout -k \1 2/' "$H/$SETTINGS"
	else
		sed -i -E 's/("timeout": |ms: )[0-9]+000\b/\14000/; s/("timeout(Sec)?": )[0-9]{1,3}\b/\14/' \
			"$H/$SETTINGS"
	fi
}

# Settings by `caisson init`, as a person would; what a client needs besides is its own script's.
set_up() {
	env -i PATH="$PATH" HOME="$H" XDG_CONFIG_HOME="$H/.config" "${ENVIRONMENT[@]}" \
		"${PROGRAM_HERE:-$CAISSON}" init --client "$CLIENT" "$@" >"$RUN/init" 2>&1 ||
		{ echo "# $(cat "$RUN/init")"; return 1; }
}

# The calls as a script for the model: commands, one an argument.
script_of() {
	local c
	for c in "$@"; do jq -nc --arg c "$c" --argjson tools "$TOOLS" \
		"{tool: \$tools, input: (\$c | $KEYS)}"; done | jq -sc .
}

start_model() { # SCRIPT
	printf '%s' "$1" >"$RUN/script"
	"$NODE" "$here/model.mjs" "$RUN/script" "$RUN/model" >"$RUN/model/log" 2>&1 &
	model=$!
	for _ in $(seq 200); do [[ -s $RUN/model/port ]] && break; sleep 0.05; done
	PORT=$(cat "$RUN/model/port") || return 1
	cp "$RUN/model/port" "$P/port"
}
stop_model() {
	[[ -n $model ]] && kill "$model" 2>/dev/null && wait "$model" 2>/dev/null
	model=
}

# The client in its project, with nothing from our environment.
clean() {
	(cd "$P" && exec env -i PATH="${FIRST_IN_PATH:-}$(dirname "$NODE"):/usr/local/bin:/usr/bin:/bin" \
		HOME="$H" TMPDIR="$RUN/tmp" LANG=C.UTF-8 TERM=dumb SHELL=/bin/bash USER=tester NO_COLOR=1 \
		CI=1 \
		XDG_CONFIG_HOME="$H/.config" XDG_DATA_HOME="$H/.local/share" XDG_CACHE_HOME="$H/.cache" \
		XDG_STATE_HOME="$H/.local/state" \
		DO_NOT_TRACK=1 DISABLE_TELEMETRY=1 "${ENVIRONMENT[@]}" timeout -k 5 \
		"${SESSION_TIMEOUT:-120}" "$@" </dev/null >"$RUN/out" 2>"$RUN/err")
}

# One session from script to results.
session() { # SCRIPT
	start_model "$1" || { echo "# the model did not start"; return 1; }
	prepare
	start
	CODE=$?
	stop_model
	[[ -s $RUN/model/results.json ]] || echo '[]' >"$RUN/model/results.json"
	[[ -n ${KEEP:-} ]] &&
		{ rm -rf "${KEEP:?}/$CLIENT-$(basename "$RUN")"; mkdir -p "$KEEP"; cp -r "$RUN" \
		"$KEEP/$CLIENT-$(basename "$RUN")"; }
	return 0
}
text() { jq -r ".[$1].text // \"\"" "$RUN/model/${RESULTS:-results.json}" 2>/dev/null; }
is_error() { jq -e ".[$1].error" "$RUN/model/results.json" >/dev/null; }
count() { jq length "$RUN/model/results.json"; }
says() { # INDEX PATTERN WHAT
	text "$1" | grep -Eq -- "$2"
	result $? "$3"
}
says_not() {
	[[ $(count) -gt $1 ]] && ! text "$1" | grep -Eq -- "$2"
	result $? "$3"
}

# A script of the agent's that a person has allowed, so that it runs outside the box: with no variable of the
# client's, on a pseudo-terminal of its own, by a copy of the program under another name. It is no person all
# the same.
not_a_person() {
	new_session person
	set_up
	sed -i 's/^    deny:/    allow:\n      - .\/person.sh\n    deny:/' "$H/.config/caisson/config.yaml"
	cp "$H/.config/caisson/config.yaml" "$RUN/policy"
	cp --reflink=auto "$CAISSON" "$P/x"
	cp "$root/tests/terminal.py" "$P/terminal.py"
	# shellcheck disable=SC2016 # the script's own variables
	printf '#!/bin/bash\nfor c in "allow npm" "pause --for 1h" trust; do\n\tenv -i PATH="$PATH" HOME="$HOME" /usr/bin/python3 terminal.py yes "$PWD/x" $c\ndone\n' >"$P/person.sh"
	chmod +x "$P/person.sh"
	session "$(script_of ./person.sh)"
	[[ $(text 0 | grep -c "this runs below $CLIENT ") == 3 ]]
	result $? "$CLIENT: an agent with a terminal of its own is not taken for a person"
	cmp -s "$RUN/policy" "$H/.config/caisson/config.yaml" && [[ ! -e $H/.local/state/caisson/pause.json ]]
	result $? "$CLIENT: and changes nothing"
}

# Claude Code's environment: the model on loopback, and no other traffic.
claude_environment() {
	ENVIRONMENT=(ANTHROPIC_BASE_URL="http://127.0.0.1:$PORT" ANTHROPIC_API_KEY=not-a-key \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1)
	if [[ -d $RUN/bin ]]; then ENVIRONMENT+=(PATH="$RUN/bin:/usr/local/bin:/usr/bin:/bin"); fi
}
# ---- the table of cells ----

# The cell of a row for this client.
expected() { # ROW
	awk -v row="$1" -v client="$CLIENT" '
		$1 == "columns" { for (i = 2; i <= NF; i++) if ($i == client) column = i - 1 }
		$1 == "row" && $2 == row { split($0, part, / *\| */); split(part[3], cell, " "); print cell[column] }' "$here/matrix"
}
note() { sed -n "s/^note $1 //p" "$here/matrix"; }
row_outcome() { expected "$1" | sed 's/[!:].*//'; }
observed=" "
# Compares what was seen with the table.
cell() { # ROW OUTCOME
	local want title
	want=$(expected "$1")
	title="$CLIENT: $(sed -n "s/^row $1 [a-z]* *| *\([^|]*[^| ]\) *|.*/\1/p" "$here/matrix")"
	observed+="$1 "
	case $want in
	'') result 1 "$title: row $1 is not in the table" ;;
	skip:*) skip "$title" "$(note "${want#skip:}")" ;;
	*)
		want=$(row_outcome "$1")
		[[ $2 == "$want" ]]
		result $? "$title: $2$([[ $2 == "$want" ]] || echo " instead of $want")"
		;;
	esac
}
cell_skipped() { # ROW REASON
	observed+="$1 "
	skip "$CLIENT: $1" "$2"
}
# The last command before it was an allowed one that looked for the client's sandbox: it cannot gain
# privileges there.
says_sandboxed() { text "$1" | grep -q '^1$'; }
# Every row of these sets has been looked at.
all_rows() { # SET...
	local set row missing=
	for set in "$@"; do
		for row in $(awk -v s="$set" '$1 == "row" && $3 == s { print $2 }' "$here/matrix"); do [[ \
			$observed == *" $row "* ]] || missing+=" $row"; done
	done
	[[ -z $missing ]]
	result $? "$CLIENT: every row of the table is looked at$missing"
}
