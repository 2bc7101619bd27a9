#!/bin/bash
# The filters: caisson normalise and caisson redact. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
cd "$tmp" || exit 1

# run STATUS WHAT ARGUMENTS... with standard input from the file `in`
run() {
	local want=$1 what=$2
	shift 2
	timeout 60 "$CAISSON" "$@" <in >out 2>err
	local got=$?
	[[ $got == "$want" ]]
	result $? "$what (status $got)"
}
is() { [[ $(cat out) == "$1" ]]; result $? "prints: ${1@Q}"; }
json() { /usr/bin/python3 -c 'import json, sys; o = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' \
	"$1"; result $? "$1"; }

printf 'a\033[31mred\033[0m\r\n 10%%\r100%%\nat 1700000000\n' >in
run 0 'standard input' normalise
is $'ared\n100%\nat 2023-11-14T22:13:20Z'
run 0 'a file' normalise in
is $'ared\n100%\nat 2023-11-14T22:13:20Z'
run 0 'a dash is standard input, times stay' normalise --keep-timestamps -
is $'ared\n100%\nat 1700000000'
run 0 'as JSON' normalise --json
json 'o == {"text": "ared\n100%\nat 2023-11-14T22:13:20Z\n", "sanitized": {"ansi": 2, "cr": 2, "timestamps": 1}}'
printf 'quote " backslash \\ bad \xff bell \a tab\t\xe2\x80\xae' >in
run 0 'JSON of anything' normalise --json
json 'o["text"] == "quote \" backslash \\ bad \ufffd bell  tab\t\\u{202e}"'
: >in
run 0 'nothing' normalise --json
json 'o == {"text": "", "sanitized": {}}'
run 64 'two files' normalise a b
run 64 'an unknown option' normalise --no-such
run 70 'no such file' normalise none

# a token is put together here so that no text of the tree looks like one
printf 'key AK\033[0mIA%s, pw %s\n' ABCDEFGHIJKLMNOP open-sesame-1 >in
export EXAMPLE_TOKEN=open-sesame-1 EXAMPLE_WORD=ABCDEFGHI
run 0 'redacts tokens and the values of variables' redact
is 'key [redacted:aws-key], pw [redacted:value]'
run 0 'patterns alone' redact --patterns-only
is 'key [redacted:aws-key], pw open-sesame-1'
run 0 'as JSON' redact --json
json 'o["redacted"] == 2 and o["sanitized"] == {"ansi": 1} and "sesame" not in o["text"]'
echo ABCDEFGHI >in
run 0 'a variable that is named' redact --value-of EXAMPLE_WORD
is '[redacted:value]'
run 64 'a variable that is not there' redact --value-of NO_SUCH_VARIABLE

for c in normalise redact; do
	"$CAISSON" help --man $c | cmp -s - "$here/man/caisson-$c.1"
	result $? "man/caisson-$c.1 is what the tables say"
done

# Memory does not grow with the input.
/usr/bin/python3 -c '
import sys
for i in range(2000):
    sys.stdout.buffer.write(b"\x1b[32mok\x1b[0m line %d at 1700000000\r\n" % i * 500 + b"x" * 30000)' >in
for c in normalise redact; do
	/usr/bin/python3 -c '
import os, resource, subprocess, sys
with open("in", "rb") as i, open("out", "wb") as o: subprocess.run(sys.argv[1:], stdin=i, stdout=o, check=True)
kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("# %s of %d MB: %d KB" % (sys.argv[2], os.path.getsize("in") >> 20, kb))
sys.exit(kb > 24 << 10)' "$CAISSON" $c
	result $? "$c of a long text stays small"
done
echo "1..$n"
