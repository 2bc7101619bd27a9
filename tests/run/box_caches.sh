#!/bin/bash
# The person's caches in the work profile: lower layers that no box can change, under a layer of each
# project's own. Attacks, each with its benign twin, and real tools. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
vars=()    # variables of the person
at_once=() # processes of the boxes that run at once

# work WHO PROJECT COMMAND: one run in the work profile.
work() {
	(cd "$tmp/$1/home/$2" &&
		as "$1" env "${vars[@]}" "$tmp/caisson" run --profile work --head 100000 -c "$3") \
		>"$tmp/out" 2>"$tmp/err" </dev/null
}
# The person's caches: names, kinds, modes, owners, contents.
digest() { (cd "$tmp/$1/home" &&
	find .cache .npm .cargo .ccache .ssh -printf '%p %y %m %U %s %T@ %l\n' -type f -exec sha256sum {} + \
	| sort | sha256sum); }
own() { [[ $who == root ]] || chown -R "$ORDINARY:$ORDINARY" "$tmp/$who"; }

populate() {
	local h=$tmp/$who/home p
	mkdir -p "$h"/.cache/{pip,huggingface/hub} "$h"/.npm/_cacache "$h"/.cargo/{registry,bin} \
		"$h"/.ccache "$h"/.ssh "$h"/one "$h"/two
	echo lower | tee "$h"/.cache/pip/wheel "$h"/.cargo/registry/crate "$h"/.npm/_cacache/index \
		"$h"/.cache/huggingface/hub/model "$h"/.ccache/object >/dev/null
	echo secret | tee "$h"/.cargo/credentials.toml "$h"/.cache/huggingface/token \
		"$h"/.ccache/ccache.conf "$h"/.ssh/id_rsa >/dev/null
	echo tool >"$h/.cargo/bin/tool"
	for p in one two; do
		git init -q "$h/$p"
		echo x >"$h/$p/file"
	done
	cp "$here/tests/box/cache_attack.py" "$h/one"
	own
}

layers() {
	local before
	work "$who" one 'mkdir -p ~/.cache/uv ~/.cache/pip && echo earlier | tee ~/.cache/uv/f'
	want '.stdout == "earlier\n" and .caches.overlay == true and .caches.shown >= 5' \
		"$who: the report tells about the caches"
	mkdir "$tmp/$who/home/.cache/uv" && echo lower >"$tmp/$who/home/.cache/uv/g" && own
	before=$(digest "$who")
	work "$who" one \
		'cat ~/.cache/uv/f ~/.cache/uv/g ~/.cache/pip/wheel ~/.cargo/registry/crate ~/.npm/_cacache/index ~/.cache/huggingface/hub/model ~/.ccache/object; mkdir -p ~/.cargo/git/db && mv ~/.cache/pip/wheel ~/.cache/pip/moved && cat ~/.cache/pip/moved'
	want '.stdout == "earlier\n" + "lower\n" * 7' \
		"$who: twin: a box reads its person's caches, and what the project had before there was one"
	work "$who" two 'ls ~/.cache/uv ~/.cache/pip'
	want '.stdout | test("^[^ ]*/pip:\nwheel\n\n[^ ]*/uv:\ng\n$")' \
		"$who: another project does not see what the first has done"
	work "$who" one 'mv ~/.cache/pip/moved ~/.cache/pip/wheel; python3 cache_attack.py ~ "$PWD"'
	want '.stdout == "read\nchange\ndelete\nwrite\nmmap\n"' "$who: attacks fail, their twins work"
	[[ $(digest "$who") == "$before" ]]
	result $? "$who: nothing in the person's caches has changed"
	work "$who" one 'cat ~/.cache/pip/wheel ~/.cargo/registry/new; ls ~/.cargo/registry'
	want '.stdout == "lower\npoison\npoison\nnew\n"' "$who: the project keeps its changes"
	work "$who" two 'cat ~/.cache/pip/wheel ~/.npm/_cacache/index; ls ~/.cargo/registry ~/.cache/pip'
	want '.stdout | contains("poison") or contains("link") or contains("new") | not' \
		"$who: a poisoned cache does not reach another project"
	work "$who" one \
		'rm -rf ~/.cache/* ~/.cargo/registry/* ~/.npm/_cacache; ls -A ~/.cache/pip ~/.cargo/registry'
	[[ $(digest "$who") == "$before" ]] &&
		want '.stdout | contains("wheel") or contains("new") | not' \
		"$who: deleting everything deletes nothing of the person's"
	work "$who" two 'cat ~/.cache/pip/wheel'
	want '.stdout == "lower\n"' "$who: nor of another project"
	! find "$tmp/$who/state/caches" -perm /6000 -type f | grep -q . ||
		[[ $(stat -c %a "$tmp/$who/state") == 700 ]]
	result $? "$who: a set-user-id file of a box is where nobody else gets"
}

# Whatever an upper layer says about other places counts for nothing. No program can write one but through the
# overlay.
planted() {
	local at
	work "$who" one true
	for at in "$tmp/$who"/state/caches/*/layers/0/upper/.cache/pip; do
		"$PYTHON" - "$at" <<-'END'
			import os, sys
			at = sys.argv[1]
			for name, key, value in (("r", "redirect", b"/.ssh"), ("o", "opaque", b"y"), ("c", "redirect", b"/.cargo")):
			    os.mkdir(at + "/" + name)
			    os.setxattr(at + "/" + name, "user.overlay." + key, value)
			for name, value in (("m", b"/.ssh/id_rsa"), ("n", b"/.cargo/credentials.toml")):
			    open(at + "/" + name, "w").truncate(7)
			    os.setxattr(at + "/" + name, "user.overlay.metacopy", b"")
			    os.setxattr(at + "/" + name, "user.overlay.redirect", value)
			os.symlink("/", at + "/root")
		END
	done
	own
	work "$who" one 'cd ~/.cache/pip; cat r/* c/* m n root/etc/shadow; ls r c; true'
	want '.status == "ok" and (.stdout + .stderr | contains("secret") | not)' \
		"$who: a planted redirection leads nowhere"
	rm -rf "$tmp/$who"/state/caches/*/layers
	work "$who" one \
		'cd ~/.cache; echo x >a; mkdir poetry && ln -s /etc pre-commit && mkdir go-build ccache && echo mine | tee go-build/f ccache/f && python3 -c "import os; os.setxattr(\"ccache\", \"user.overlay.opaque\", b\"y\")"'
	mkdir "$tmp/$who"/home/.cache/{pre-commit,go-build,ccache}
	echo lower | tee "$tmp/$who"/home/.cache/{pre-commit,go-build,ccache}/g >/dev/null
	own
	work "$who" one \
		'cat ~/.cache/{pre-commit,go-build,ccache}/*; ls -A ~/.cache/pre-commit; echo x >~/.cache/pre-commit/h'
	want '.stdout == "lower\nmine\nlower\nlower\ng\n" and .caches.overlay' \
		"$who: a former cache is taken over, unless it is a link or holds marks of an overlay"
	rm -rf "$tmp/$who"/home/.cache/{pre-commit,go-build,ccache}
}

parallel() {
	local i
	# shellcheck disable=SC2016 # for the box
	for i in 1 2 3 4; do
		(cd "$tmp/$who/home/one" &&
			as "$who" "$tmp/caisson" run --profile work -c \
			"echo $i >~/.cache/pip/p$i; touch up$i; until [ -e go ]; do sleep 0.02; done; cat ~/.cache/pip/p*") >"$tmp/p$i" 2>&1 </dev/null &
		at_once+=($!)
	done
	for i in 1 2 3 4; do until [[ -e $tmp/$who/home/one/up$i ]] ||
		! kill -0 "${at_once[$((i - 1))]}" 2>/dev/null; do sleep 0.02; done; done
	as "$who" touch "$tmp/$who/home/one/go"
	wait "${at_once[@]}"
	at_once=()
	for i in 1 2 3 4; do
		[[ $(jq -r '.stdout, .caches.overlay' "$tmp/p$i") == "$i"$'\n\n'true ]]
		result $? "$who: box $i of those that run at once has a layer of its own"
	done
	rm -f "$tmp/$who"/home/one/{up?,go}
	work "$who" one 'ls ~/.cache/pip | grep -c "^p[1-4]$"'
	want '.stdout == "1\n"' "$who: a later box has one of them"
	# a killed launcher
	(cd "$tmp/$who/home/one" &&
		become "$who" "$tmp/caisson" run --profile work -c \
		'echo kept >~/.cache/pip/killed; touch up; sleep 30') >/dev/null 2>&1 </dev/null &
	at_once=($!)
	until [[ -e $tmp/$who/home/one/up ]] || ! kill -0 "${at_once[0]}"; do sleep 0.02; done
	kill -9 "${at_once[0]}"
	wait "${at_once[@]}" 2>/dev/null
	at_once=()
	rm -f "$tmp/$who/home/one/up"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		work "$who" one 'cat ~/.cache/pip/killed'
		[[ $(field .stdout) == kept ]] && break
		sleep 0.1
	done
	want '.stdout == "kept\n"' "$who: the layer of a killed launcher is free again"
}

# An overlay cannot be the upper layer of another: a state directory in a container.
refused() {
	local mount="mount -t overlay overlay -o lowerdir=$tmp/below,upperdir=$tmp/above,workdir=$tmp/work $tmp/$who/state"
	[[ $who == root ]] && return # no file of such a file system can be lent to root's boxes
	if [[ $(id -u) != 0 || -z $disk || $disk != "$tmp" ]] || ! unshare -m true 2>/dev/null; then
		skip "$who: no overlay" 'only root can mount one for the state, and only on a disk'
		return
	fi
	rm -rf "$tmp"/{below,above,work} && mkdir "$tmp"/{below,above,work}
	[[ $who == root ]] || chown "$ORDINARY:$ORDINARY" "$tmp/above"
	chmod 700 "$tmp/above"
	mkdir -p "$tmp/$who/home/.cache/ccache" && echo secret >"$tmp/$who/home/.cache/ccache/ccache.conf"
	own
	export -f become as
	export tmp disk ORDINARY who
	unshare -m bash -c \
		"$mount && cd $tmp/$who/home/one && as $who $tmp/caisson run --profile work -c 'mkdir ~/.cache/pip; echo x >~/.cache/pip/f; cat ~/.cache/pip/*; cat ~/.cargo/registry/crate; echo y >~/.cargo/registry/new'" >"$tmp/out" 2>"$tmp/err" </dev/null
	want '.stdout == "x\nlower\n" and (.stderr | contains("Read-only")) and .caches.overlay == false and (.caches.reason | contains("overlay"))' "$who: where the kernel refuses an overlay, the project's own or read-only caches, and the report says so"
}

# Parts of the home that tools look for: each is seen, as a cache or as a toolchain.
parts() {
	local seen='.cache/pypoetry/virtualenvs/p .cache/uv .cache/ms-playwright .cache/puppeteer .cache/Cypress
	.cache/pre-commit .cache/huggingface/hub .cache/torch .cache/go-build .cache/pip .cache/ccache .cache/yarn
	.cache/composer .gradle/caches .gradle/wrapper .nuget/packages .conda/envs/e .conda/pkgs anaconda3/bin
	anaconda3/envs/e/bin .virtualenvs/e .local/share/mise/installs .local/share/pipx/venvs .npm-global/bin
	.npm-global/lib .gem/ruby .composer/cache .composer/vendor .pub-cache/hosted .cabal/packages .cabal/bin
	.stack/pantry .stack/programs .ghcup/bin .ghcup/ghc .julia/packages .julia/artifacts .foundry/bin
	.foundry/cache .terraform.d/plugin-cache .terraform.d/plugins .android/cache .ivy2/cache .sbt/boot
	.bundle/cache .npm/_cacache .m2/repository .cargo/registry go/pkg/mod .rustup/toolchains
	.local/share/uv/python .local/share/pnpm/store .ccache'
	local hidden='.cargo/credentials.toml .m2/settings.xml .gradle/gradle.properties .gem/credentials .composer/auth.json
	.cache/huggingface/token .android/debug.keystore .terraform.d/credentials.tfrc.json .bundle/config .nuget/NuGet
	.ssh/id_rsa .conda/environments.txt .npmrc .pypirc'
	local name home=$tmp/$who/home
	for name in $seen; do mkdir -p "$home/$name" && echo x >"$home/$name/marker"; done
	for name in $hidden; do mkdir -p "$(dirname "$home/$name")" && echo x >"$home/$name"; done
	own
	work "$who" one "cd; for d in ${seen//$'\n'/ }; do [ -e \$d/marker ] || echo hidden \$d; done; ls -d ${hidden//$'\n'/ } 2>/dev/null"
	want '.stdout == ""' "$who: parts of the home that tools need are seen, and the credentials beside them are not"
}

# What boxes write is bounded, and nothing outside of it is ever deleted.
bounds() {
	local key old i
	mkdir -p "$tmp/$who/home/.config/caisson"
	printf 'sandbox:\n  caches: {project: 40M, total: 0}\n' >"$tmp/$who/home/.config/caisson/config.yaml"
	own
	work "$who" two 'head -c 20000000 /dev/zero >~/.cache/pip/some; sleep 0.3; echo done'
	want '.stdout == "done\n"' "$who: twin: a cache below the limit"
	key=$(echo "$tmp/$who"/state/caches/*/layers/0/upper/.cache/pip/some)
	key=${key%/layers/*}
	work "$who" two \
		'for i in 1 2 3 4 5 6 7 8 9 10; do head -c 20000000 /dev/urandom >~/.cache/pip/$i; sleep 0.15; done; echo done'
	want '.status == "output_limit" and .hints[0].id == "caches" and .caches' \
		"$who: a program that fills its caches is ended"
	for i in {1..600}; do [[ -e $key ]] || break; sleep 0.1; done
	[[ -n $key && ! -e $key && -e $tmp/$who/home/.cache/pip/wheel ]]
	result $? "$who: and they are deleted, and nothing of the person's"
	for i in {1..600}; do pgrep -f "^$tmp/caisson run" >/dev/null ||
		break; sleep 0.1; done # it looks at the other projects as well
	# all projects together: the least recently used goes
	work "$who" one \
		'cd ~/.cache; ln -s ~/two outside; mkdir -p closed/x; touch closed/x/y; chmod 0 closed; python3 -c "
import os
for i in range(300):
    os.mkdir(\"d\" * 100); os.chdir(\"d\" * 100)
open(\"end\", \"w\")"; head -c 3000000 /dev/zero >~/.cache/pip/big; ln ~/.cache/pip/big ~/.cache/pip/again'
	old=$(dirname "$(dirname "$(find "$tmp/$who/state/caches" -maxdepth 3 -name outside | head -1)")")
	touch -d '2 days ago' "$old" "$tmp/$who/state/caches/.swept"
	printf 'sandbox:\n  caches: {project: 0, total: 2M}\n' >"$tmp/$who/home/.config/caisson/config.yaml"
	work "$who" two 'echo kept >~/.cache/pip/kept'
	# the sweeper has the lowest priority
	for i in {1..600}; do [[ -e $old ||
		-n $(find "$tmp/$who/state/caches" -maxdepth 1 -name '.old*') ]] || break; sleep 0.1; done
	[[ -n $old && ! -e $old && -z $(find "$tmp/$who/state/caches" -name '.old*') ]]
	result $? "$who: the least recently used project goes when all are too large, however it looks"
	[[ -e $tmp/$who/home/two/file ]]
	result $? "$who: a link in a cache leads no deletion outside"
	work "$who" two 'cat ~/.cache/pip/kept'
	want '.stdout == "kept\n"' "$who: twin: the one in use stays"
	rm "$tmp/$who/home/.config/caisson/config.yaml"
}

# Caches that a variable puts elsewhere, and a home with a mount in it: each cache is an overlay of its own.
elsewhere() {
	local d=$tmp/$who/elsewhere before
	mkdir -p "$d"/{hf/hub,cargo/registry,cc,pip,open} "$tmp/$who/home/mounted"
	echo moved | tee "$d"/{hf/hub,cargo/registry,cc,pip,open}/m >/dev/null
	echo secret | tee "$d"/hf/token "$d"/cargo/credentials.toml "$d"/cc/ccache.conf >/dev/null
	ln -s "$d/pip" "$d/link"
	own
	chmod 777 "$d/open"
	before=$(find "$d" -type f -exec sha256sum {} + | sort)
	vars=(HF_HOME="$d/hf" CARGO_HOME="$d/cargo" CCACHE_DIR="$d/cc" PIP_CACHE_DIR="$d/pip" \
		UV_CACHE_DIR="$d/link" GOCACHE="$d/open" PRE_COMMIT_HOME="$tmp/$who/home/.ssh" \
		TORCH_HOME="$tmp/$who/home")
	work "$who" two \
		'cat ~/.cache/huggingface/hub/m "$CARGO_HOME/registry/m" ~/.cache/pip/m; echo poison | tee ~/.cache/huggingface/hub/m "$CARGO_HOME/registry/m" ~/.cache/pip/new >/dev/null; cat ~/.cache/pip/*'
	want '.stdout == "moved\nmoved\nmoved\nmoved\npoison\n" and .caches.overlay' \
		"$who: twin: caches at another place"
	work "$who" two \
		'cat ~/.cache/huggingface/hub/m "$CARGO_HOME/registry/m"; ls -A ~/.cache/* "$CARGO_HOME"; cat ~/.cache/*/* "$CARGO_HOME"/* "$CARGO_HOME/credentials.toml"'
	want '.stdout | startswith("poison\npoison\n") and (contains("secret") or contains("id_rsa") or contains("ccache.conf") or contains("token") | not)' "$who: secrets beside them, links, the home and what others can write are not seen"
	[[ $before == "$(find "$d" -type f -exec sha256sum {} + | sort)" ]]
	result $? "$who: and none of them has changed"
	vars=()
	if [[ $(id -u) == 0 ]] && unshare -m true 2>/dev/null; then
		export -f become as
		export tmp disk ORDINARY who
		unshare -m bash -c \
			"mount --bind $d $tmp/$who/home/mounted && cd $tmp/$who/home/two && as $who $tmp/caisson run --profile work -c 'cat ~/.cargo/registry/crate ~/.npm/_cacache/index; echo x >~/.cargo/registry/mine; echo y >~/.npm/_cacache/mine'" >"$tmp/out" 2>"$tmp/err" </dev/null
		want '.stdout == "lower\nlower\n" and .stderr == "" and .caches.overlay' \
			"$who: twin: a home with something mounted in it"
		work "$who" two 'cat ~/.cargo/registry/mine ~/.npm/_cacache/mine'
		want '.stdout == "x\ny\n"' "$who: the layer is the same without the mount"
		[[ ! -e $tmp/$who/home/.cargo/registry/mine && ! -e $tmp/$who/home/.npm/_cacache/mine ]]
		result $? "$who: and the person's caches have not changed"
	else
		skip "$who: a home with something mounted in it" 'only root can mount'
	fi
}

# Real tools: a box finds what its person has fetched or compiled outside, and adds to it for itself.
tools() {
	local p=$tmp/$who/home/tools hash before
	mkdir -p "$p/package"
	git init -q "$p"
	echo 'int main(void) { return 0; }' >"$p/a.c"
	echo 'int other;' >"$p/b.c"
	echo '{"name":"from-cache","version":"1.0.0"}' >"$p/package/package.json"
	tar -C "$p" -czf "$p/p.tgz" package && rm -r "$p/package"
	hash=$(openssl dgst -sha512 -binary "$p/p.tgz" | base64 -w0)
	echo '{"name":"t","version":"1.0.0","dependencies":{"from-cache":"1.0.0"}}' >"$p/package.json"
	echo '{"name":"t","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"t","version":"1.0.0","dependencies":{"from-cache":"1.0.0"}},"node_modules/from-cache":{"version":"1.0.0","resolved":"https://registry.invalid/p.tgz","integrity":"sha512-'"$hash"'"}}}' >"$p/package-lock.json"
	own
	if command -v npm >/dev/null && as "$who" npm --version >/dev/null 2>&1; then
		(cd "$p" && as "$who" npm cache add ./p.tgz) >/dev/null 2>&1
		before=$(cd "$tmp/$who/home/.npm" &&
			find _cacache -type f -exec sha256sum {} + | sort | sha256sum)
		work "$who" tools \
			'npm ci --offline --no-audit --no-fund && node -p "require(\"./node_modules/from-cache/package.json\").version"'
		want '.stdout | endswith("1.0.0\n")' \
			"$who: npm ci --offline finds the package that was fetched outside"
		[[ $before == "$(cd "$tmp/$who/home/.npm" && find _cacache -type f -exec sha256sum {} + | sort | sha256sum)" ]]
		result $? "$who: and leaves the person's cache as it was"
	else
		skip "$who: npm ci --offline" 'no npm'
	fi
	if command -v ccache >/dev/null; then
		echo 'remote_storage = http://user:secret@ccache.invalid' \
			>"$tmp/$who/home/.ccache/ccache.conf"
		(cd "$p" && as "$who" env LANG=C.UTF-8 CCACHE_REMOTE_STORAGE= ccache gcc -c a.c -o a.o)
		work "$who" tools \
			'ccache -z >/dev/null; ccache gcc -c a.c -o a.o && ccache gcc -c b.c -o b.o && ccache gcc -c b.c -o b.o && ccache --print-stats'
		want '.stdout | test("direct_cache_hit\t2\n") and test("cache_miss\t1\n")' \
			"$who: ccache finds an object that was compiled outside, and one of its own"
	else
		skip "$who: ccache" 'no ccache'
	fi
}

for who in $(people); do
	populate
	layers
	planted
	parallel
	refused
	elsewhere
	bounds
	parts
done
tools
done_testing
