#!/bin/bash
# Real installs in boxes that reach registries by name: the tools and registries of this machine, about which no host is assumed.
# `make check-installs`; a tool without a registry that answers is skipped by its name. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

# work WHO NETWORK COMMAND...: in an empty project of its own, with caches of its own; the report in $tmp/out
work() {
	local who=$1 network=$2
	shift 2
	rm -rf "${tmp:?}/$who/project" "$tmp/$who/state/caches"
	mkdir -p "$tmp/$who/project"
	echo '{"name":"project","version":"1.0.0","private":true}' >"$tmp/$who/project/package.json"
	[[ $who == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$tmp/user"
	(cd "$tmp/$who/project" && as "$who" "$tmp/caisson" run --profile work --workspace . --network "$network" -- "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
}
reached() {
	want '.status == "ok" and .network.mode == "names" and .network.allowed > 0 and (.network.connections | any(.allowed and .bytes_in > 0))' "$1"
}
# The hint names the host that the tool wanted; without a relay nothing was carried.
refused() {
	want '.status == "exit_nonzero" and (.hints | any(.id == "network")) and ((.network.allowed // 0) == 0)' "$1 fails ($(field .duration_ms) ms)"
}

has_npm() { command -v npm >/dev/null && (cd "$tmp" && timeout 30 npm view is-number version --fetch-retries=0) >/dev/null 2>&1; }
has_apt() { command -v apt-get >/dev/null && (cd "$tmp" && mkdir -p apt && cd apt && timeout 30 apt-get download hello) >/dev/null 2>&1; }

npm_ok='' apt_ok=''
has_npm && npm_ok=1
has_apt && apt_ok=1
for who in $(people); do
	if [[ $npm_ok ]]; then
		work "$who" preset:registries/npm npm install --no-audit --no-fund --dangerously-allow-all-scripts --foreground-scripts esbuild
		reached "$who: npm installs a package with an install script"
		(cd "$tmp/$who/project" && ./node_modules/.bin/esbuild --version) >"$tmp/out" 2>"$tmp/err"
		result $? "$who: which works"
		work "$who" preset:registries/npm npx --yes cowsay hello
		reached "$who: npx runs a package that is not installed"
		want '.stdout | contains("hello")' "$who: which prints"
		work "$who" preset:registries/npm sh -c 'npm view is-number version && ! node -e "fetch(\"https://other.invalid\").then(() => process.exit(0), () => process.exit(1))"'
		reached "$who: another host is not reached by the side"
		want '.network.connections | any(.host == "other.invalid" and .reason == "not-listed")' "$who: and is in the report"
		for network in deny loopback; do
			work "$who" $network npm install --no-audit --no-fund is-number
			refused "$who: npm install with --network $network"
			work "$who" $network npx --yes cowsay hello
			refused "$who: npx with --network $network"
		done
	else
		skip "$who: npm" 'npm is not installed, or its registry does not answer'
	fi
	if [[ $apt_ok ]]; then
		work "$who" preset:registries/apt apt-get download hello
		reached "$who: apt-get downloads a package"
		compgen -G "$tmp/$who/project/hello_*.deb" >/dev/null
		result $? "$who: which is there"
		work "$who" deny apt-get download hello
		refused "$who: apt-get with --network deny"
	else
		skip "$who: apt-get" 'apt-get is not installed, has no lists, or its registry does not answer'
	fi
done
done_testing
