#!/bin/bash
# What docs/result.md and docs/validators.md show is what happens. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
mkdir -p "$tmp/home" "$tmp/work"
chmod 700 "$tmp/home"
export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config CAISSON_STATE=$tmp/home/state
unset CLAUDECODE
if ! "$CAISSON" run -- /bin/true >/dev/null 2>"$tmp/err"; then
	echo "1..0 # SKIP no box on this host: $(head -c 300 "$tmp/err" | tr '\n' ' ')"
	exit 0
fi
/usr/bin/python3 -B "$here/tests/run/examples.py" "$CAISSON" "$tmp/work" "$here/docs/result.md" \
	"$here/docs/validators.md"
