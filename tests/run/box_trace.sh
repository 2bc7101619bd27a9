#!/bin/bash
# Tools that trace other programs, with sandbox.ptrace: they work inside the box, reach nothing outside of it
# and not its first process, and open no other call.
# Sanitizers work without it. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

mkdir "$tmp/tools"
cp "$BUILD/box/probe" "$tmp/tools/probe"
cat >"$tmp/tools/leak.c" <<'C'
#include <stdlib.h>
int main(int argc, char **argv)
{
	char *volatile p = malloc(10);
	p[argc > 1 ? 10 : 0] = **argv;
	p = NULL;
	return 0;
}
C
gcc -g -fsanitize=address "$tmp/tools/leak.c" -o "$tmp/tools/leak" &&
	gcc -g -fsanitize=thread "$tmp/tools/leak.c" -o "$tmp/tools/race" || echo "# no sanitizers here"
"$tmp/tools/race" 2>/dev/null ||
	rm -f "$tmp/tools/race" # some kernels place memory where its library does not expect it

for who in $(people); do
	home=$tmp/$who/home
	as "$who" mkdir -p "$home/.config/caisson" "$home/p"
	as "$who" git -C "$home/p" init -q
	policy() { as "$who" bash -c "printf '%s\n' \"\$1\" >$home/.config/caisson/config.yaml" - "$1"; }
	work() { (cd "$home/p" &&
		as "$who" "$tmp/caisson" run --profile work --read "$tmp/tools" -c "$1") >"$tmp/out" \
		2>"$tmp/err" </dev/null; }

	work 'strace -o trace true'
	want '.exit_code != 0 and ([.hints[] | select(.id == "ptrace")] | length == 1)' \
		"$who: without a policy strace is refused, and a hint says so"
	if [[ -x $tmp/tools/leak && -x $tmp/tools/race ]]; then
		work "$tmp/tools/leak && $tmp/tools/race && $tmp/tools/leak x"
		want '.exit_code == 1 and (.stderr | contains("heap-buffer-overflow")) and (.stderr | contains("ptrace") | not)' "$who: sanitizers work without tracing"
	fi
	work "$tmp/tools/probe attacks"
	cp "$tmp/out" "$tmp/before"

	policy 'sandbox: {ptrace: true}'
	work 'strace -f -o trace sh -c "ls /; true" >/dev/null && grep -c execve trace'
	want '.exit_code == 0 and (.stdout | tonumber) >= 2' "$who: strace follows programs"
	if [[ -x $tmp/tools/leak ]]; then
		work "$tmp/tools/leak"
		want '.exit_code != 0 and (.stderr | contains("detected memory leaks"))' \
			"$who: the search for leaks works"
	fi
	if command -v gdb >/dev/null; then
		work 'gdb -batch -ex run -ex "info proc" --args /bin/true 2>&1 | tail -3'
		want '.stdout | contains("exited normally")' "$who: gdb runs a program"
	fi
	work 'strace -p 1; echo $?; cat /proc/1/mem /proc/1/environ /proc/1/maps; ls /proc/1/fd'
	want '.stdout == "1\n" and (.stderr | contains("ptrace(PTRACE_SEIZE, 1): Operation not permitted"))' \
		"$who: the first process of the box cannot be traced or read"
	work "$tmp/tools/probe attacks"
	diff <(jq -r .stdout "$tmp/before") <(jq -r .stdout "$tmp/out") | sed -n 's/^[<>] //p' >"$tmp/err"
	[[ $(cut -d' ' -f1 <"$tmp/err" | sort -u |
		tr '\n' ' ') == 'process-vm-child process-vm-write ptrace-child ' ]]
	result $? "$who: of all attacks only those on the box's own programs differ"
	jq -r .stdout "$tmp/out" | grep -q '^ptrace-call refused'
	result $? "$who: a tracer cannot make a refused call by changing that of another"
	(cd "$home/p" &&
		as "$who" "$tmp/caisson" run --read "$tmp/tools" -c "$tmp/tools/probe attacks") >"$tmp/out" \
		2>"$tmp/err" </dev/null
	jq -r .stdout "$tmp/out" | grep -q '^ptrace-child refused'
	result $? "$who: untrusted code may not trace"
	policy ''
	as "$who" bash -c "echo 'sandbox: {ptrace: true}' >$home/p/.caisson.yaml"
	work 'strace true'
	want '.exit_code != 0' "$who: a project that is not trusted cannot permit it"
	as "$who" rm "$home/p/.caisson.yaml"
done
done_testing
