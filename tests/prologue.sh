# The first lines of the scripts in tests/run, which write TAP. Sourced; it sets
#   here            the root of the tree
#   CAISSON, BUILD  the program, and the directory of what was built, unless the environment has them
#   tmp             a directory of the script's own, removed when the script ends
#   result          writes one result
#   leave_client    makes the environment that of a person at a terminal
# A script may set before: `apart`, to run in a process that no client started (tests/apart.py); `tmp_template`, where
# mktemp makes the directory.
# shellcheck shell=bash
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ -z ${apart:-} || ${TEST_APART:-} ]] || TEST_APART=1 exec /usr/bin/python3 "$here/tests/apart.py" bash "$0"
CAISSON=${CAISSON:-$here/build/caisson}
BUILD=${BUILD:-$here/build}
# scripts change their directory
[[ $CAISSON == /* ]] || CAISSON=$PWD/$CAISSON
[[ $BUILD == /* ]] || BUILD=$PWD/$BUILD
tmp=$(mktemp -d ${tmp_template:+"$tmp_template"}) && tmp=$(cd "$tmp" && pwd -P) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
failure_files=(out err) # files in $tmp that a failure shows

result() { # STATUS WHAT [GOT]
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		local file
		[[ -z ${3-} ]] || echo "#   got $3"
		for file in "${failure_files[@]}"; do head -c 3000 "$tmp/$file" 2>/dev/null | sed 's/^/#   /'; done
		echo
	fi
}

# Unsets what agent clients set for their commands, and where a person keeps policies, settings and state.
leave_client() {
	unset CLAUDECODE CLAUDE_CODE_ENTRYPOINT CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_CI \
		CODEX_THREAD_ID GEMINI_CLI QWEN_CODE CURSOR_AGENT OPENCODE COPILOT_CLI AUGMENT_AGENT \
		GOOSE_TERMINAL CLINE_ACTIVE AI_AGENT AGENT CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME \
		XDG_CONFIG_HOME XDG_STATE_HOME CAISSON_STATE
}
