#!/bin/bash
# What docs/inline-code.md and docs/knowledge.md show is what happens: the rows of their verdicts blocks come
# out as they say.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
verdicts=(allow ask deny contain)

mkdir "$tmp/work"
cd "$tmp/work" || exit 1
while read -r want command; do
	n=$((n + 1))
	"$CAISSON" check "$command" >"$tmp/out" 2>&1
	got=$?
	if [[ ${verdicts[got]-} == "$want" ]]; then echo "ok $n - $command: $want"; else
		echo "not ok $n - $command: $want"
		sed 's/^/#   /' "$tmp/out"
	fi
done < <(awk '$0 == "```verdicts" { on = 1; next } /^```/ { on = 0 } on && NF' "$here/docs/inline-code.md" \
	"$here/docs/knowledge.md")
if ((n < 15)); then echo "not ok $((++n)) - the page has rows"; else echo "ok $((++n)) - the page has rows"; \
	fi
via=$("$CAISSON" check --json "python3 -c \"import subprocess; subprocess.run(['ls', '-l'])\"" |
	jq -c '[.commands[].via]')
if [[ $via == '[["direct"],["direct","code:python"]]' ]]; then echo \
	"ok $((++n)) - code is named once on the way to what it starts"; else echo \
	"not ok $((++n)) - code is named once: $via"; fi
echo "1..$n"
