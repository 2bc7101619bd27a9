#!/bin/bash
# What a fresh clone says and does before anything is built: the compiler and headers that are missing, the
# sources of the grammars, packages by sets.
# npm, apt-get and dpkg-query are stand-ins; nothing is fetched or installed. TAP.
# shellcheck disable=SC2016 # stand-ins are scripts
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
failure_files=(out)
unset BUILD CC SANITIZE FUZZER MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this

# try STATUS COMMAND...: in the clone, with the stand-ins; what it says is in $tmp/out
try() {
	local want=$1
	shift
	(cd "$tmp/clone" && PATH=$tmp/bin "$@") >"$tmp/out" 2>&1 </dev/null
	rc=$?
	[[ $rc == "$want" ]]
}
said() { grep -qF -- "$1" "$tmp/out"; }
silent() { [[ ! -s $tmp/out ]]; }
stand_in() { # NAME, the script on standard input
	rm -f "$tmp/bin/$1"
	{ echo '#!/bin/bash' && cat; } >"$tmp/bin/$1"
	chmod 755 "$tmp/bin/$1"
}

# The system's programs without compilers, npm and what installs.
mkdir -p "$tmp/bin" "$tmp/clone"
for p in bash sh make awk basename cat cksum cmp cp dirname env find flock grep head id mkdir mktemp mv \
	nproc printf rm script sed sleep sort tail touch tr; do
	path=$(type -P "$p") && ln -s "$path" "$tmp/bin/$p"
done
cp -r "$here/scripts" "$here/Makefile" "$here/package.json" "$here/package-lock.json" "$tmp/clone/"
mkdir -p "$tmp/clone/src/base"
echo 'int nothing;' >"$tmp/clone/src/base/a.c"

# ---- sources of the grammars ----

try 2 make && said 'npm is missing; run scripts/deps'
result $? 'without npm: run scripts/deps'
stand_in npm <<'NPM'
echo "$PWD" >>"$CALLS"
[[ $1 == ci ]] || exit 1
sleep 0.2
for f in tree-sitter/vendor/tree-sitter/lib/src/lib.c tree-sitter-python/src/parser.c tree-sitter-python/src/scanner.c tree-sitter-javascript/src/parser.c tree-sitter-javascript/src/scanner.c; do
	mkdir -p "node_modules/${f%/*}"
	echo "int x_$RANDOM;" >"node_modules/$f"
done
NPM
export CALLS=$tmp/calls
calls() { wc -l <"$CALLS" 2>/dev/null || echo 0; }
leftovers() { find "$tmp/clone" -maxdepth 1 -name 'node_modules.*' | grep .; }
: >"$CALLS"
objects="build/obj/grammar/core.o build/obj/grammar/python_parser.o build/obj/grammar/javascript_parser.o"
stand_in gcc <<<'while (($# > 1)); do [[ $1 == -o ]] && echo "$*" >"$2"; shift; done'
# shellcheck disable=SC2086 # words
try 0 make -j8 $objects && [[ $(calls) == 1 ]]
result $? 'make -j8 fetches once'
! leftovers && ! grep -q '/clone$' "$CALLS"
result $? 'npm works in a directory of its own, of which nothing is left'
try 0 make grammars && silent && [[ $(calls) == 1 ]]
result $? 'nothing is fetched when all is there'
before=$(stat -c %y "$tmp/clone/build/obj/grammar/core.o")
# shellcheck disable=SC2086
try 0 make $objects && [[ $(stat -c %y "$tmp/clone/build/obj/grammar/core.o") == "$before" ]]
result $? 'and nothing is compiled again'
for damage in 'rm node_modules/tree-sitter-python/src/scanner.c' \
	': >node_modules/tree-sitter/vendor/tree-sitter/lib/src/lib.c' 'rm node_modules/.caisson' \
	'echo >>package-lock.json'; do
	: >"$CALLS"
	(cd "$tmp/clone" && eval "$damage")
	# shellcheck disable=SC2086
	try 0 make $objects && said 'fetching it again' && [[ $(calls) == 1 &&
		-s $tmp/clone/node_modules/tree-sitter-python/src/scanner.c ]] &&
		try 0 scripts/grammars --check
	result $? "a tree after '$damage' is fetched again"
done
stand_in npm <<<'mkdir node_modules; echo no network; exit 1'
rm "$tmp/clone/node_modules/tree-sitter-python/src/parser.c"
try 2 make grammars && said 'no network' && said 'npm ci failed' && ! leftovers &&
	! try 0 scripts/grammars --check
result $? 'npm that fails: its words, a sentence, and nothing half-done'

# ---- the compiler ----

stand_in npm <<'NPM'
for f in tree-sitter/vendor/tree-sitter/lib/src/lib.c tree-sitter-python/src/parser.c; do mkdir -p "node_modules/${f%/*}" && echo "int x;" >"node_modules/$f"; done
NPM
rm -rf "$tmp/clone/build" "$tmp/bin/gcc"
try 2 make && said "cannot build: there is no compiler 'gcc'" && said scripts/deps &&
	[[ ! -e $tmp/clone/build/flags ]]
result $? 'without gcc: run scripts/deps'
stand_in gcc <<<'grep ^missing | grep "sodium\|zstd"; exit 0'
try 2 make && said 'cannot build: headers are missing: sodium.h zstd.h' && said scripts/deps
result $? 'without headers: their names'
try 1 scripts/can-build 'no-such-compiler --target=x' &&
	said "there is no compiler 'no-such-compiler --target=x'"
result $? 'a compiler of several words'

# ---- packages ----

try 0 scripts/deps && said 'not a Debian system' && said libfyaml-dev
result $? 'elsewhere than on Debian: the names, and no failure'
stand_in dpkg-query <<'DPKG'
for p; do [[ $p == -* || $p == *status* || " $LACKS " == *" $p "* ]] || echo "$p installed"; done
DPKG
stand_in apt-get <<'APT'
echo "apt-get $*" >>"$CALLS"
echo "progress of $1"
[[ -z ${BROKEN-} ]]
APT
stand_in id <<<'echo ${AS:-0}'
export LACKS='' BROKEN='' AS=0
for sets in '' build 'build test' 'build test lint clang bench fresh vm'; do
	: >"$CALLS"
	# shellcheck disable=SC2086
	try 0 scripts/deps $sets && silent && [[ ! -s $CALLS ]]
	result $? "nothing is missing: silent ($sets)"
done
LACKS='xxd cppcheck clang'
try 0 scripts/deps build && silent
result $? 'the set build has neither xxd nor cppcheck nor clang'
: >"$CALLS"
try 0 scripts/deps build test && grep -q 'install .* xxd$' "$CALLS" && ! grep -q cppcheck "$CALLS" &&
	! said 'progress of'
result $? 'the set test has xxd; in a pipe apt is quiet'
: >"$CALLS"
BROKEN=1
try 1 scripts/deps test && said 'progress of update' && said 'packages still missing are: xxd'
result $? 'apt-get that fails: its words, and what is missing'
BROKEN=
if [[ -x $tmp/bin/script ]]; then
	try 0 script -qec 'scripts/deps test' /dev/null && said 'progress of update'
	result $? 'on a terminal apt is seen'
fi
: >"$CALLS"
AS=1000
try 1 scripts/deps test && said 'run this as root: apt-get install xxd' && [[ ! -s $CALLS ]]
result $? 'neither root nor sudo: what root has to run'
stand_in sudo <<<'echo "sudo $*" >>"$CALLS"; "$@"'
try 0 scripts/deps test && grep -q '^sudo apt-get update$' "$CALLS" &&
	grep -q '^sudo env .*apt-get .*install .* xxd$' "$CALLS"
result $? 'sudo is used'
try 0 scripts/check-fresh && [[ $(<"$tmp/out") == 'SKIP check-fresh: needs root' ]] &&
	FRESH_REQUIRED=1 try 1 scripts/check-fresh
result $? 'check-fresh cannot be done: one line with the reason; a failure where it is required'
try 64 scripts/deps tests && said "unknown set 'tests' (use build, test,"
result $? 'an unknown set is a usage error'
echo "1..$n"
