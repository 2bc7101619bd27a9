#!/bin/bash
# preset:registries: package managers are asked for their hosts in a box. Fake homes have configurations with
# credentials, projects try to add hosts of their own; then the tools of this machine, about which no host is
# assumed. TAP.
# shellcheck disable=SC2016 # scripts are data
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

# ask WHO OPTIONS...: in the project; the answer in $tmp/out
ask() {
	local who=$1
	shift
	(cd "$tmp/$who/project" &&
		as "$who" "$tmp/caisson" presets --json "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
}
host() { want ".hosts | index(\"$2\") != null" "$1: $3: $2"; }
no_host() { want ".hosts | (length > 0 and all(. != \"$2\"))" "$1: $3: not $2"; }
# fake WHO NAME: a program in a directory of the home that boxes show; its text is standard input
fake() {
	mkdir -p "$tmp/$1/home/.local/bin"
	{ echo '#!/bin/sh'; cat; } >"$tmp/$1/home/.local/bin/$2"
	chmod 755 "$tmp/$1/home/.local/bin/$2"
}
own() { [[ $1 == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$tmp/user"; return 0; }
settle() { own "$1"; sleep 1.2; } # files that have just changed are never kept answers' basis

secret=s3cr3tT0ken
people_npm() {
	local who=$1 home=$tmp/$1/home project=$tmp/$1/project kept=$tmp/$1/state/registries/npm
	mkdir -p "$project/bin" "$project/node_modules/.bin"
	git init -q "$project"
	cat >"$home/.npmrc" <<-END
		registry=https://me:$secret@registry.invalid:8443/npm/
		@scope:registry=http://scope.invalid:4873/
		@here:registry=http://127.0.0.1:4873/
		@local:registry=http://localhost:4873/
		//registry.invalid:8443/npm/:_authToken=$secret
		proxy=http://proxy.invalid:3128/
	END
	chmod 600 "$home/.npmrc"
	echo 'registry=https://project.invalid/' >"$project/.npmrc"
	printf '#!/bin/sh\necho "{\\"registry\\":\\"https://planted.invalid\\"}"\n' |
		tee "$project/bin/npm" >"$project/node_modules/.bin/npm"
	chmod 755 "$project/bin/npm" "$project/node_modules/.bin/npm"
	settle "$who"
	ask "$who" preset:registries/npm
	host "$who" registry.invalid:8443 'the registry of ~/.npmrc'
	host "$who" scope.invalid:4873 'a registry of a scope'
	no_host "$who" 127.0.0.1:4873 'this machine, which no box reaches'
	no_host "$who" localhost:4873 'this machine by its name'
	host "$who" nodejs.org 'a built-in host'
	no_host "$who" project.invalid "the project's .npmrc"
	no_host "$who" proxy.invalid:3128 'a proxy is no registry'
	want '.notes == []' "$who: nothing failed"
	[[ $(stat -c %a "$kept") == 600 ]] && ! grep -rqa "$secret" "$tmp/out" "$tmp/err" "$tmp/$who/state"
	result $? "$who: the kept answer is private, and no credential is in it or in the output"

	# kept answers
	sed -i 's/"hosts":\[/&"kept.invalid",/' "$kept"
	chown --reference="$home" "$kept"
	ask "$who" preset:registries/npm
	host "$who" kept.invalid 'the kept answer counts while nothing changed'
	ask "$who" --again preset:registries/npm
	no_host "$who" kept.invalid '--again asks again'
	sed -i 's/"hosts":\[/&"kept.invalid",/' "$kept"
	sed -i 's/registry.invalid/changed.invalid/' "$home/.npmrc"
	settle "$who"
	ask "$who" preset:registries/npm
	host "$who" changed.invalid:8443 'a changed file is asked about again'
	no_host "$who" kept.invalid 'a changed file'
	no_host "$who" registry.invalid:8443 'a changed file'
	echo '{"v":1,' >"$kept"
	ask "$who" preset:registries/npm
	host "$who" changed.invalid:8443 'a damaged answer is asked for again'

	# hosts that somebody else could name
	(cd "$project" &&
		as "$who" env NPM_CONFIG_REGISTRY=https://env.invalid \
		PATH="$project/bin:$project/node_modules/.bin:bin:/usr/bin:/bin" \
		"$tmp/caisson" presets --json --again preset:registries/npm) >"$tmp/out" 2>"$tmp/err"
	host "$who" changed.invalid:8443 'with the variables of a shell'
	no_host "$who" env.invalid 'a variable of the shell'
	no_host "$who" planted.invalid 'a program of the project'
	mv "$home/.npmrc" "$home/npmrc"
	ln -s "$project/.npmrc" "$home/.npmrc"
	own "$who"
	ask "$who" preset:registries/npm
	no_host "$who" project.invalid 'a link into the project'
	want '.notes | any(contains("~/.npmrc"))' "$who: a note about the link"
	ln -sfn "$tmp/$who/before/npmrc" "$home/.npmrc"
	mkdir "$tmp/$who/before"
	own "$who"
	(cd "$tmp/$who/before" && as "$who" "$tmp/caisson" run --profile work --workspace . -- \
		sh -c 'echo registry=https://before.invalid/ >npmrc') >"$tmp/out" 2>"$tmp/err"
	want '.status == "ok"' "$who: a box writes in another workspace"
	ask "$who" preset:registries/npm
	no_host "$who" before.invalid 'a link into a workspace of an earlier box'
	rm "$home/.npmrc"
	ln -s npmrc "$home/.npmrc"
	own "$who"
	ask "$who" preset:registries/npm
	host "$who" changed.invalid:8443 'a link to another file of the home'
}

# A program in the place of npm tells what it can see and do.
people_fake() {
	local who=$1 home=$tmp/$1/home
	mkdir -p "$home/.ssh" "$tmp/$who/project"
	echo key >"$home/.ssh/id_rsa"
	fake "$who" pnpm <<-END
		seen=
		[ -e "$tmp/$who/project" ] && seen=project-\$seen
		[ -e "\$HOME/.ssh" ] && seen=ssh-\$seen
		[ -n "\$(ls -A .)" ] && seen=files-\$seen
		[ "\$AWS_SECRET_ACCESS_KEY\$NODE_OPTIONS" ] && seen=variables-\$seen
		echo x >"\$HOME/.npmrc" && seen=write-\$seen
		(exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && seen=network-\$seen
		[ "\$HOME" = "$home" ] || seen=home-\$seen
		echo "{\"registry\":\"https://\${seen}nothing.invalid/\"}"
	END
	own "$who"
	(cd "$tmp/$who/project" &&
		as "$who" env PATH="$home/.local/bin:/usr/bin:/bin" AWS_SECRET_ACCESS_KEY=x NODE_OPTIONS=--x \
		"$tmp/caisson" presets --json --again preset:registries/pnpm) >"$tmp/out" 2>"$tmp/err"
	host "$who" nothing.invalid 'the box of a tool shows nothing but its configuration'
	local name
	for name in failing:'echo secret-$0; exit 3' flooding:'yes | head -c 3000000' garbled:'echo {' \
		killed:'kill -9 $$'; do
		fake "$who" pnpm <<<"${name#*:}"
		own "$who"
		(cd "$tmp/$who/project" && as "$who" env PATH="$home/.local/bin:/usr/bin:/bin" \
			"$tmp/caisson" presets --json preset:registries/pnpm) >"$tmp/out" 2>"$tmp/err"
		want '(.notes | length == 1 and (.[0] | contains("pnpm "))) and (.hosts | index("nodejs.org") != null)' \
			"$who: ${name%%:*}: built-in hosts and a note"
		want '.notes[0] | contains("secret-") | not' \
			"$who: ${name%%:*}: no output of the tool is quoted"
	done
	rm "$home/.local/bin/pnpm"
}

# The box of a run has the settings that name registries it reaches.
people_box() {
	local who=$1 home=$tmp/$1/home
	mkdir -p "$tmp/$who/work" "$home/.config/pip" "$home/.cargo"
	rm -f "$home/.npmrc"
	printf 'registry=https://me:%s@registry.invalid/npm/\n//registry.invalid/npm/:_authToken=%s\nscript-shell=/bin/x\n' $secret $secret >"$home/.npmrc"
	printf '[global]\nindex-url = https://pip.invalid/simple\nproxy = http://proxy.invalid\n' \
		>"$home/.config/pip/pip.conf"
	printf '[net]\nretry = 1\n[source.crates-io]\nreplace-with = "m"\n[source.m]\nregistry = "sparse+https://cargo.invalid/"\n' >"$home/.cargo/config.toml"
	git init -q "$tmp/$who/work"
	own "$who"
	local show='cd; for f in .npmrc .config/pip/pip.conf .cargo/config.toml; do [ -e $f ] && cat $f; done; true'
	(cd "$tmp/$who/work" &&
		as "$who" "$tmp/caisson" run --profile work --network preset:registries/npm,cargo.invalid -- \
		sh -c "$show") >"$tmp/out" 2>"$tmp/err"
	want '.stdout == "registry=https://registry.invalid/npm/\n[source.crates-io]\nreplace-with = \"m\"\n[source.m]\nregistry = \"sparse+https://cargo.invalid/\"\n"' \
		"$who: settings in the box: registries that it reaches, and no credential"
	(cd "$tmp/$who/work" &&
		as "$who" "$tmp/caisson" run --profile work -- sh -c "$show") >"$tmp/out" 2>"$tmp/err"
	want '.status == "ok" and .stdout == ""' "$who: a box without hosts has no settings"
	fake "$who" pnpm <<<'exit 3'
	own "$who"
	(cd "$tmp/$who/work" && as "$who" env PATH="$home/.local/bin:/usr/bin:/bin" \
		"$tmp/caisson" run --profile work --network preset:registries/pnpm -- false) >"$tmp/out" \
		2>"$tmp/err"
	want '.hints | any(.id == "registries" and (.message | contains("pnpm ")))' \
		"$who: a run that fails says that a tool could not be asked"
	rm "$home/.local/bin/pnpm" "$home/.npmrc" "$home/.cargo/config.toml"
	! grep -rqa "$secret" "$tmp/out" "$tmp/err" "$tmp/$who/state"
	result $? "$who: no credential is recorded"
}

people_files() {
	local who=$1 home=$tmp/$1/home
	mkdir -p "$home/.m2" "$home/.config/uv" "$home/.gradle/init.d"
	cat >"$home/.m2/settings.xml" <<-END
		<settings xmlns="http://namespace.invalid/SETTINGS/1.0.0">
		  <!-- <mirror><url>http://comment.invalid/</url></mirror> -->
		  <servers><server><password>$secret</password></server></servers>
		  <mirrors><mirror><url>https://mirror.invalid/maven</url></mirror><mirror><url>http://0.0.0.0/</url></mirror></mirrors>
		</settings>
	END
	echo 'maven { url "https://gradle.invalid/m2" }' >"$home/.gradle/init.d/a.gradle"
	printf '[[index]]\nurl = "https://me:%s@uv.invalid/simple"\n' "$secret" >"$home/.config/uv/uv.toml"
	settle "$who"
	ask "$who" preset:registries/gradle
	host "$who" mirror.invalid 'the settings of Maven, which Gradle comes with'
	host "$who" gradle.invalid 'an init script of Gradle'
	no_host "$who" comment.invalid 'a comment'
	no_host "$who" namespace.invalid 'a name space'
	no_host "$who" 0.0.0.0 'an address that means nowhere'
	ask "$who" preset:registries/uvx
	host "$who" uv.invalid 'the settings of uv'
	! grep -rqa "$secret" "$tmp/out" "$tmp/err" "$tmp/$who/state"
	result $? "$who: no credential is kept"
	ask "$who" preset:nonsense
	[[ $rc == 1 && ! -s $tmp/out ]] && grep -q 'preset:registries/TOOL' "$tmp/err"
	result $? "$who: an unknown preset is an error that names the known ones"
}

for who in $(people); do
	if as "$who" sh -c 'command -v npm' >/dev/null; then people_npm "$who"; else skip "$who: npm" \
		'npm is not installed'; fi
	people_fake "$who"
	people_box "$who"
	people_files "$who"
done

# The caller's own tools and configuration. Nothing of what they say is known here but its shape.
mkdir "$tmp/empty"
tool() { # NAME PROGRAM MINIMUM-OF-HOSTS
	if ! command -v "$2" >/dev/null; then
		skip "$1 of this machine" "$2 is not installed"
		return
	fi
	(cd "$tmp/empty" &&
		CAISSON_STATE=$tmp/own "$CAISSON" presets --json "preset:registries/$1") >"$tmp/out" \
		2>"$tmp/err" </dev/null
	want ".notes == [] and (.hosts | length >= $3 and all(test(\"^[][a-z0-9_.*:-]+(:[0-9]+)?\$\")))" \
		"$1 of this machine answers with hosts"
	jq -e '.failure == ""' "$tmp/own/registries/$1" >/dev/null
	result $? "$1 of this machine was asked"
}
tool npm npm 1
want '(.hosts | length) > 1' 'npm of this machine names a registry besides the built-in hosts'
tool pip pip 2
tool cargo cargo 3
tool go go 2
tool apt apt-get 0
if command -v apt-get >/dev/null && [[ $(apt-get update --print-uris 2>/dev/null) == *://* ]]; then
	want '(.hosts | length) > 0' 'apt of this machine names a host'
fi
(cd "$tmp/empty" &&
	CAISSON_STATE=$tmp/own "$CAISSON" presets --json preset:registries) >"$tmp/out" 2>"$tmp/err" \
	</dev/null
want '.preset == "preset:registries" and (.hosts | length == (unique | length))' \
	'all tools of this machine together'
done_testing
