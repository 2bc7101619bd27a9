#!/bin/bash
# caisson suggest: what it suggests loads, and lets through exactly what it says; what must not be suggested
# is not. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON_STATE=$tmp/state HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config
mkdir -p "$tmp/work" "$XDG_CONFIG_HOME/caisson" && cd "$tmp/work" || exit 1
before=()
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

ask() { # TIMES COMMAND: refused by the gate, and so in the record
	local i
	for ((i = 0; i < $1; i++)); do "$CAISSON" run --gate -c "$2" >/dev/null 2>&1; done
}
verdict() { # STATUS COMMAND [CONFIG]
	"$CAISSON" check ${3:+--config "$3"} "$2" >/dev/null 2>&1
	local got=$?
	[[ $got == "$1" ]]
	result $? "${3:+with the rules }$2: $got"
}

run 3 'no record' suggest
cat >"$XDG_CONFIG_HOME/caisson/config.yaml" <<'YAML'
tools:
  bash:
    ask: [touch]
    allow:
      - git fetch
      - never used
YAML
for c in 'curl https://example.org/a.json' 'git clone https://example.org/a.git' 'pip search a' \
	'npm install a/left-pad' 'git reset --hard' 'cat ~/.ssh/id_rsa' 'sudo ls' 'touch x'; do verdict 1 \
	"$c"; done
ask 3 'curl https://example.org/a.json'
ask 2 'cd . && git clone https://example.org/a.git'
ask 1 'pip search a'
ask 1 'pip search b'
ask 1 'pip search --pre c'
for i in 1 2 3; do ask 1 "npm install a/left-pad-$i"; done
ask 3 'git reset --hard'
for i in 1 2 3; do ask 1 "aws iam list-$i"; done
ask 4 'cat ~/.ssh/id_rsa'
ask 2 'sudo ls'
ask 2 'touch x'
ask 1 'curl https://example.org/once'
ask 2 'rm -rf /'
ask 2 'git fetch'
for c in 'git push origin a' 'git push origin b' 'git push up c'; do ask 1 "$c"; done \
	# its options do far more: no rule for what starts like it
ask 2 'curl "https://example.org/a b"; curl https://example.org/$X'
run 0 'suggest' suggest
cp "$tmp/out" "$tmp/suggested.yaml"
out "^      - 'pip search' # asked about 3 times, in several forms: "
out "^      - '^curl https:.*a.*json\$' # asked about 3 times: network\$"
out "^      - '^git clone https:.*' # asked about 2 times"
out '^#      4  cat ~/.ssh/id_rsa  \[.*secret-read.*\] a person should decide each time$'
out '^#      2  touch x  \[configured-ask\] your own policy asks about it$'
out '^#      1  curl https://example.org/once .*too rarely'
out "^#   allow never used  ($XDG_CONFIG_HOME/caisson/config.yaml:6)\$"
no '^#   allow git fetch'
no "^      - 'git push"
no "^      - .*\\(sudo\\|rm -rf\\|ssh\\|touch\\|npm\\|aws\\|reset\\)"
out 'checks matched none of these requests; --json lists them'
run 0 'it loads' config verify "$tmp/suggested.yaml"
for c in 'curl https://example.org/a.json' 'cd . && git clone https://example.org/a.git' 'pip search a' \
	'pip search d'; do verdict 0 "$c" "$tmp/suggested.yaml"; done
for c in 'curl https://example.org/axjson' 'curl https://example.org/a.json -o x' \
	'git clone https://example.org/b.git' 'npm install a/left-pad-1' 'git reset --hard' \
	'cat ~/.ssh/id_rsa' 'sudo ls'; do verdict 1 "$c" "$tmp/suggested.yaml"; done
for c in 'git push --force origin main' 'git push origin :main' 'git push up d'; do verdict 1 "$c" \
	"$tmp/suggested.yaml"; done
verdict 2 'rm -rf /' "$tmp/suggested.yaml"
run 0 'for programs' suggest --json
json '.rules | length == 3'
json '.removed == 8 and .asked >= 15 and (.rules[] | select(.words == "pip search") | .kind == "allow" and .count == 3 and .commands == 3)'
json '[.left[].command] | index("touch x") != null'
json '.dead_rules == [{"kind": "allow", "rule": "never used", "at": (.dead_rules[0].at)}]'
json '.silent_checks | index("fork-bomb") != null and index("secret-read") == null'
run 0 'once is enough' suggest --least 1 --json
json '[.rules[].words] | index("curl https://example.org/once") != null'
# what was taken is not suggested again
cat "$tmp/suggested.yaml" >"$XDG_CONFIG_HOME/caisson/config.yaml"
run 0 'after they were taken' suggest --json
json '[.rules[].words] == ["git fetch"]' # a rule that was overwritten; nothing else
run 1 'and the record agrees' audit replay-all --json
json '.table.ask.allow >= 8 and .table.deny.deny == 2'
run 0 'of the future: nothing' suggest --since 2999-01-01
out '^# No rule to suggest.$'
run 0 'which loads as well' config verify "$tmp/suggested.yaml"
run 64 'not a number' suggest --least 0
run 64 'not a time' suggest --since soon
echo 'tools: [' >"$tmp/bad.yaml"
run 2 'a policy that does not load' suggest --config "$tmp/bad.yaml"
run 2 'a policy that is no file' suggest --config "$tmp"
mv "$CAISSON_STATE/blobs" "$tmp/blobs" # as after a copy of the rows alone
run 0 'a record without blobs' suggest --json
json '.requests > 0 and .judged == 0 and .rules == []'
run 0 'and all of it again' audit replay-all --json
json '.missing > 0 and .judged == 0'
mv "$tmp/blobs" "$CAISSON_STATE/blobs"
"$CAISSON" help --man suggest | cmp -s - "$here/man/caisson-suggest.1"
result $? 'man/caisson-suggest.1 is what the tables say'
echo "1..$n"
