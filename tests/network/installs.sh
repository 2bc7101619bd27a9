#!/bin/bash
# Real installs through the relay, from the registries that this machine's npm and apt are set to: `make
# check-network`. Each part is skipped, by name, where the tool or its registry cannot be reached from here.
# The same installs in a box without hosts fail soon, and the hint says the host.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

run() { (become "$who" "$tmp/caisson" run --head 1000 --profile work "$@") >"$tmp/out" 2>"$tmp/err" \
	</dev/null; rc=$?; }
host_of() { sed -E 's,^[a-z]+://([^@/]*@)?,,; s,[:/].*,,' <<<"$1"; }

npm_installs() {
	registry=$(as "$who" npm config get registry 2>/dev/null)
	host=$(host_of "${registry:-none}")
	if ! command -v npm >/dev/null; then
		skip 'npm install, npx' 'no npm'
	elif ! as "$who" timeout 60 npm view is-number version >/dev/null 2>&1; then
		skip 'npm install, npx' 'the registry of npm cannot be reached from here'
	else
		rules=preset:registries/npm
		# a package with an install script, which says where it ran and tries another host
		mkdir -p "$tmp/script"
		cat >"$tmp/script/package.json" <<'END'
{"name": "with-script", "version": "1.0.0", "scripts": {"postinstall": "node -e \"const fs=require('fs'),os=require('os');require('dns').lookup('other.example.net',e=>fs.writeFileSync('ran',os.hostname()+' '+(e?e.code:'REACHED')))\""}}
END
		(cd "$tmp/script" && npm pack --silent >/dev/null) &&
			cp "$tmp"/script/with-script-1.0.0.tgz . && chmod 644 with-script-1.0.0.tgz
		run --network "$rules" -- npm install is-number ./with-script-1.0.0.tgz
		want '.status == "ok" and .network.allowed > 0' \
			"$who: npm install of packages, one with an install script"
		[[ -f node_modules/is-number/package.json &&
			$(cat node_modules/with-script/ran 2>/dev/null) == 'box ENOTFOUND' ]]
		result $? "... whose script ran in the box, and reached no other host"
		run --network "$rules" -- npx --yes cowsay@1.6.0 hello
		want '.status == "ok" and (.stdout | contains("hello"))' \
			"$who: npx of a package that is not installed"
		# as an agent client asks for it: no question, and a ticket
		rm -rf node_modules package-lock.json
		jq -n --arg cwd "$PWD" \
			'{session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", cwd: $cwd, tool_input: {command: "npm install is-number"}}' >"$tmp/event"
		as "$who" "$tmp/caisson" hook --client claude-code <"$tmp/event" >"$tmp/out" 2>"$tmp/err"
		want '.hookSpecificOutput.permissionDecision == "allow"' \
			"$who: an agent's npm install needs no question"
		as "$who" bash -c "$(field .hookSpecificOutput.updatedInput.command)" >"$tmp/out" 2>"$tmp/err"
		[[ -f node_modules/is-number/package.json ]]; result $? "$who: ... and installs"
		for mode in deny loopback; do
			run --network $mode -- npm install left-pad
			jq -e --arg h "$host" \
				'.status == "exit_nonzero" and .duration_ms < 20000 and (.hints[0] | .id == "network" and (.message | contains($h)))' "$tmp/out" >/dev/null
			result $? "$who: --network $mode: npm install fails without its minute of retries, and the hint names the registry"
			run --network $mode -- npx --yes json5 --version # nothing has cached it
			jq -e --arg h "$host" \
				'.status == "exit_nonzero" and .duration_ms < 20000 and (.hints[0].message | contains($h))' "$tmp/out" >/dev/null
			result $? "$who: --network $mode: npx, likewise"
		done
	fi
}

apt_installs() {
	APT=(--read /var/lib/apt/lists --read /var/lib/dpkg --read /etc/apt/sources.list.d --read \
		/etc/apt/apt.conf.d --read /etc/apt/trusted.gpg.d --read /usr/share/keyrings)
	[[ -f /etc/apt/sources.list ]] && APT+=(--read /etc/apt/sources.list)
	uri=$(cd "$tmp" &&
		apt-get download --print-uris hello 2>/dev/null | sed -n "s/^'\([^']*\)'.*/\1/p" | head -1)
	host=$(host_of "$uri")
	if [[ -z $uri ]]; then
		skip 'apt-get download' 'apt knows no package hello'
	elif ! (cd "$tmp" && timeout 60 curl -fsSL -o outside.deb "$uri"); then
		skip 'apt-get download' 'the archive of apt cannot be reached from here'
	else
		run --network preset:registries/apt -- apt-get -o Dir::Cache=/tmp download hello
		want '.status == "ok" and .network.allowed > 0' "$who: apt-get download"
		cmp -s hello_*.deb "$tmp/outside.deb"; result $? '... brings what the host would get'
		rm -f hello_*.deb
		run --network deny "${APT[@]}" -- apt-get -o Dir::Cache=/tmp download hello
		jq -e --arg h "$host" \
			'.status == "exit_nonzero" and .duration_ms < 20000 and (.hints | any(.id == "network" and (.message | contains($h))))' "$tmp/out" >/dev/null
		result $? "$who: --network deny: apt-get fails soon, and the hint names the archive"
	fi
}

for who in $(people); do
	mkdir -p "$tmp/$who/project/sub"
	cd "$tmp/$who/project" || exit 1
	echo '{"name": "project", "version": "1.0.0"}' >package.json
	[[ $who == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" .
	npm_installs
	apt_installs
done
done_testing
