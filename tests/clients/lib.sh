# shellcheck shell=bash disable=SC2034 # what is set here is used by those that source it
# Driving agent clients as they are, against a model on loopback that does what a script says (model.mjs). Sourced by the tests here.
#
# Every session has a directory of its own with a throw-away home, a project, and a policy; the client starts with an empty environment and
# settings made by `caisson init`. The model is on 127.0.0.1 and the keys are words: nothing leaves the machine (but opencode gets a package of its own).
#
# A client's script sets CLIENT, TOOLS (what it calls its shell, a JSON list) and KEYS (a jq filter from a command to the tool's input), and
# defines `prepare` (settings beside the hooks) and `start` (the client, with "$PROMPT").
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
CAISSON=$(readlink -f "${CAISSON:-$root/build/caisson}")
CACHE=${CAISSON_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/caisson-clients}
PROMPT='do what was agreed'
# shellcheck disable=SC2034 # used by those that source this
PACKED='AKIAIOSFODNN7EXAMPLE' # the key of the vendor's own documentation
tmp=$(mktemp -d)
model=
n=0
trap 'stop_model; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"

# Node of a version that all clients take: the machine's own, or the one from npm.
NODE=$CACHE/node/node_modules/node/bin/node
[[ -x $NODE ]] || NODE=$(command -v node || true)

result() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		{ [[ -n ${RUN:-} ]] && jq -r '.[] | "result (error: \(.error)): \(.text[0:200])"' "$RUN/model/results.json" 2>/dev/null; head -c 1500 "${RUN:-$tmp}/err" 2>/dev/null; } | sed 's/^/#   /'
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

# A fresh home and project, with a policy that denies and asks about two harmless commands, and files for the calls.
new_session() { # NAME
	RUN=$tmp/$1
	ENVIRONMENT=()
	H=$RUN/home P=$RUN/project
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
	# shellcheck disable=SC2016
	printf '#!/bin/bash\ncat build.log\n' >"$P/leak.sh"
	chmod +x "$P"/*.sh
}

# Settings by `caisson init`, as a person would; what a client needs besides is its own script's.
set_up() {
	env -i PATH="$PATH" HOME="$H" XDG_CONFIG_HOME="$H/.config" "${ENVIRONMENT[@]}" "$CAISSON" init --client "$CLIENT" "$@" >"$RUN/init" 2>&1 || { echo "# $(cat "$RUN/init")"; return 1; }
}

# The calls as a script for the model: commands, one an argument.
script_of() {
	local c
	for c in "$@"; do jq -nc --arg c "$c" --argjson tools "$TOOLS" "{tool: \$tools, input: (\$c | $KEYS)}"; done | jq -sc .
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
	(cd "$P" && exec env -i PATH="$(dirname "$NODE"):/usr/local/bin:/usr/bin:/bin" HOME="$H" TMPDIR="$RUN/tmp" LANG=C.UTF-8 TERM=dumb SHELL=/bin/bash USER=tester NO_COLOR=1 CI=1 \
		XDG_CONFIG_HOME="$H/.config" XDG_DATA_HOME="$H/.local/share" XDG_CACHE_HOME="$H/.cache" XDG_STATE_HOME="$H/.local/state" \
		DO_NOT_TRACK=1 DISABLE_TELEMETRY=1 "${ENVIRONMENT[@]}" timeout -k 5 "${SESSION_TIMEOUT:-120}" "$@" </dev/null >"$RUN/out" 2>"$RUN/err")
}

# One session from script to results.
session() { # SCRIPT
	start_model "$1" || { echo "# the model did not start"; return 1; }
	prepare
	start
	CODE=$?
	stop_model
	[[ -s $RUN/model/results.json ]] || echo '[]' >"$RUN/model/results.json"
	[[ -n ${KEEP:-} ]] && { rm -rf "${KEEP:?}/$CLIENT-$(basename "$RUN")"; mkdir -p "$KEEP"; cp -r "$RUN" "$KEEP/$CLIENT-$(basename "$RUN")"; }
	return 0
}
text() { jq -r ".[$1].text // \"\"" "$RUN/model/results.json"; }
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
