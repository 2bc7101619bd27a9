#!/bin/bash
# Paths that a policy shows in boxes of the work profile (sandbox.read, sandbox.write), and who may name them.
# TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

for who in $(people); do
	home=$tmp/$who/home config=$home/.config/caisson
	as "$who" mkdir -p "$config" "$home/p/sub" "$home/b/sub" "$home/repo/.git" "$home/out" "$home/.ssh" \
		"$home/.aws" "$home/.local/bin"
	as "$who" git -C "$home/p" init -q
	as "$who" bash -c \
		'cd; echo of-b >b/sub/file; echo key >.ssh/id_rsa; echo single >single; ln -s ../b p/way; ln -s b by-link'
	policy() { as "$who" bash -c "printf '%s\n' \"\$1\" >$config/config.yaml" - "$1"; }
	work() { # TEXT [OPTIONS...]
		local text=$1
		shift
		(cd "$home/p" &&
			as "$who" "$tmp/caisson" run --profile work "$@" -c "$text") >"$tmp/out" \
			2>"$tmp/err" </dev/null
		rc=$?
	}
	refused() { # POLICY WORDS WHAT
		policy "$1"
		work true
		[[ $rc == 64 ]] && grep -q -- "$2" "$tmp/out" "$tmp/err"
		result $? "$who: refused: $3"
		(cd "$home/p" && as "$who" "$tmp/caisson" config verify) >"$tmp/out" 2>&1
		grep -q "warning: $config/config.yaml:1: no contained command runs: .*$2" "$tmp/out"
		result $? "$who: ... which config verify says beforehand"
	}

	work 'cat ../b/sub/file'
	want '.exit_code == 1' "$who: without a policy a sibling is not there"
	policy 'sandbox: {read: [../b, ~/single], write: [~/out]}'
	work 'cat ../b/sub/file ~/single; echo x >~/out/made; touch ../b/new ~/single; ls -A ~'
	want '.stdout | contains("of-b\nsingle\n")' \
		"$who: sandbox.read shows a directory and a file, from the project and from the home"
	want '.stdout | contains(".ssh") | not' "$who: and nothing beside them"
	[[ -e $home/out/made && ! -e $home/b/new ]]
	result $? "$who: sandbox.write can be written, sandbox.read cannot"
	work 'touch ~/out/again' --read "$home/out"
	[[ ! -e $home/out/again ]]
	result $? "$who: an option holds before the policy"
	box "$who" -c 'ls ~/b ~/out; ls '"$home/b"
	want '.stdout == ""' "$who: untrusted code has none of them"
	policy 'sandbox: {read: [../missing, ~other/x, by-link/x], write: [~/gone]}'
	work 'exit 3'
	want '.exit_code == 3 and ([.hints[] | select(.id == "paths")][0].message | contains("../missing") and contains("gone"))' \
		"$who: a path that does not exist is left out, and a hint says so"
	work 'true'
	want '.exit_code == 0 and .hints == []' "$who: but not when all went well"
	(cd "$home/p" && as "$who" "$tmp/caisson" config verify) >"$tmp/out" 2>&1
	! grep -q warning "$tmp/out"
	result $? "$who: ... and config verify does not mind"
	policy 'sandbox: {read: [~/by-link]}'
	work 'cat ~/b/sub/file'
	want '.stdout == "of-b\n"' "$who: a link of the person is followed"

	refused 'sandbox: {read: [~/.ssh]}' 'keys' 'keys to be read'
	refused 'sandbox: {read: [~/.ssh/id_rsa]}' 'keys' 'a key'
	refused 'sandbox: {read: [~/.aws]}' 'keys' 'tokens'
	refused 'sandbox: {read: [/etc]}' 'keys' 'all of /etc'
	refused 'sandbox: {read: ["~"]}' 'home' 'the home'
	refused 'sandbox: {read: ["/"]}' 'home' 'the root'
	refused 'sandbox: {read: [/proc/1]}' '/proc' 'processes of the host'
	refused 'sandbox: {read: [~/.config/caisson]}' 'own files' "caisson's own files"
	refused "sandbox: {read: [$tmp/$who]}" 'home' 'a directory above the home'
	refused 'sandbox: {write: [~/.config]}' 'own files' 'settings to be written'
	refused 'sandbox: {write: [~/.local/bin]}' 'keys' 'programs of the home to be written'
	refused 'sandbox: {write: [/usr/local]}' 'system' 'a place of the system to be written'
	refused 'sandbox: {write: [~/repo]}' 'repository' 'a repository to be written'
	refused 'sandbox: {read: [way]}' 'leaves the project' 'a link out of the project'

	# siblings that the project's manifests name
	policy ''
	manifest() { # FILE TEXT WANTED
		as "$who" bash -c 'cd ~/p; printf "%s\n" "$2" >"$1"' - "$1" "$2"
		work "echo \"error: Cannot find module 'b'\" >&2; exit 1"
		want "[.hints[] | select(.id == \"missing\")] | $3" "$who: $1: $2"
		as "$who" rm "$home/p/$1"
	}
	names='.[0].message | contains("--read '"$home"'/b'"'"'")' none='length == 0'
	manifest package.json '{"dependencies": {"b": "file:../b"}}' "$names"
	if [[ $who == user ]]; then
		manifest package.json '{"workspaces": ["packages/*", "../b/*"]}' "$names"
		manifest Cargo.toml 'b = { path = "../b" }' "$names"
		manifest go.mod 'replace example.org/b => ../b' "$names"
		manifest requirements.txt '-e ../b' "$names"
		manifest settings.gradle.kts 'includeBuild("../b")' "$names"
		manifest CMakeLists.txt 'add_subdirectory(../b ${X})' "$names"
		manifest pom.xml '<module>../b</module>' "$names"
	fi
	manifest Cargo.toml 'b = { path = "../missing" } c = { path = "sub/../sub" } # ..../b x../b' "$none"
	manifest Cargo.toml \
		'b = { path = "../.ssh" } c = { path = "../../home" } d = { path = "../.config/caisson" }' \
		"$none"
	as "$who" bash -c 'echo "{\"b\": \"file:../b\"}" >~/p/package.json; ln -s ~/b/sub/file ~/p/go.mod'
	work 'echo "1 test failed" >&2; exit 1'
	want '[.hints[] | select(.id == "missing")] | length == 0' "$who: other failures have no such hint"
	if command -v node >/dev/null; then
		as "$who" bash -c \
			'cd ~/p; mkdir node_modules; ln -s ../../b node_modules/b; echo "module.exports = 1" >~/b/index.js'
		work 'node -e "require(\"b\")"'
		want "[.hints[] | select(.id == \"missing\")] | $names" \
			"$who: node names a module, and its manifest the directory"
		work 'node -e "require(\"b\")"' --read "$home/b"
		want '.exit_code == 0' "$who: the hint is right"
	fi

	as "$who" bash -c "printf 'sandbox: {read: [../b], write: [~/out]}\n' >$home/p/.caisson.yaml"
	work 'cat ../b/sub/file; touch ~/out/by-project; ls ~/out'
	want '.exit_code != 0 and .stdout == ""' "$who: a project that is not trusted shows itself nothing"
	as "$who" bash -c \
		'printf "[{\"path\":\"%s\",\"sha256\":\"%s\",\"when\":\"now\"}]" "$1" "$2" >"$3"; chmod 600 "$3"' - "$home/p/.caisson.yaml" \
		"$(sha256sum <"$home/p/.caisson.yaml" | cut -d' ' -f1)" "$tmp/$who/state/trust.json"
	work 'cat ../b/sub/file'
	want '.stdout == "of-b\n"' "$who: one that is trusted does"
	as "$who" rm -f "$home/p/.caisson.yaml"
done
done_testing
