# Words of the scripts that judge commands in real directories: a home in $tmp without settings of the machine's, and
# `judge`. A script sets `dir`, the directory of the commands. TAP.
# shellcheck shell=bash disable=SC2034,SC2154 # dir is the script's
# shellcheck source=tests/prologue.sh
. "$(dirname "${BASH_SOURCE[0]}")/prologue.sh"
failure_files=(said)
export HOME=$tmp/home GIT_CONFIG_NOSYSTEM=1
unset XDG_CONFIG_HOME XDG_STATE_HOME CAISSON_STATE TMPDIR GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
mkdir -p "$HOME"

# judge VERDICT ID COMMAND: in $dir, the verdict, and a reason of that id ("-": none at all)
judge() {
	local reason=1
	"$CAISSON" check --cwd "$dir" -- "$3" >"$tmp/said" 2>&1
	if [[ $2 == - ]]; then grep -q '(ask)\|(deny)\|(contain)' "$tmp/said" || reason=0; else grep -q "^  $2 (" "$tmp/said" && reason=0; fi
	[[ $(head -1 "$tmp/said") == "$1"* && $reason == 0 ]]
	result $? "${dir##*/}: $1 $2: $3"
}
