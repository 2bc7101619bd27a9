#!/bin/bash
# Boxes in virtual machines: statuses, walls, changes of the workspace, kills. TAP; minutes, since qemu works here
# without KVM. Needs qemu-system-x86; the kernel and a small root (busybox) are Debian's packages, downloaded once
# to $BUILD/vm-box, or CAISSON_VM names a directory with a kernel.
# shellcheck disable=SC2016,SC2154 # programs are data for the box; words of lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
repo=$(realpath "$(dirname "$0")/../..")
kept=${BUILD:-$repo/build}/vm-box
if ! command -v qemu-system-x86_64 >/dev/null; then
	skip 'qemu' 'qemu-system-x86_64 is missing (the Debian package qemu-system-x86)'
	done_testing
	exit
fi
mkdir -p "$kept"
if [[ -z ${CAISSON_VM:-} ]]; then
	CAISSON_VM=$kept/kernel
	[[ -s $CAISSON_VM/vmlinuz ]] || "$repo/scripts/vm-kernel" "$CAISSON_VM" >"$tmp/kernel.log" 2>&1 || {
		skip 'qemu' "no kernel can be had: $(tail -n 1 "$tmp/kernel.log")"
		done_testing
		exit
	}
fi
if [[ ! -x $kept/root/bin/busybox ]]; then
	(mkdir -p "$tmp/deb" "$kept/root/bin" "$kept/root/etc" "$kept/root/usr" && cd "$tmp/deb" && apt-get -q download busybox-static &&
		dpkg-deb -x ./*.deb . && cp "$(find . -name busybox -type f -perm /111 | head -n 1)" "$kept/root/bin/") >"$tmp/root.log" 2>&1 || {
		skip 'qemu' "no root can be had: $(tail -n 1 "$tmp/root.log")"
		done_testing
		exit
	}
	for name in sh cat echo sleep kill dd ls mkdir rm mv yes head id touch hostname stat ln chmod grep wc; do ln -sf busybox "$kept/root/bin/$name"; done
fi
cp -r "$kept/root" "$tmp/image" # readable for everybody
passed+=(CAISSON_VM="$CAISSON_VM" CAISSON_VM_ACCEL="${CAISSON_VM_ACCEL:-tcg}")
with=(--backend qemu --root "$tmp/image" --memory 96M)
nothing_left() {
	for _ in $(seq 50); do
		[[ -z $(ls "$tmp/$1/state/boxes" 2>/dev/null) ]] && ! pgrep -f "qemu-system.*$tmp/$1/" >/dev/null && return 0
		sleep 0.1
	done
	return 1
}

# The same attacks on the same workspace in two kinds of box: workspace_after WHO BACKEND prints what is left.
attacks='echo x >.git/hooks/pre-commit; mv .git away; mkdir -p .claude && echo "{}" >.claude/settings.json; echo x >lib/.git/hooks/post-commit
echo "[alias]" >>lib/.git/config; mv lib lib2; rm -rf .vscode; echo y >>.bashrc; ln -sf /etc/passwd .mcp.json; ln -s ../.git/hooks sub/h; echo z >sub/h/post-merge
mkdir -p planted/.git/hooks planted/.git/objects planted/.git/refs; echo "ref: x" >planted/.git/HEAD; echo evil >planted/.git/hooks/pre-commit
mkdir -p sub/.claude; echo "{}" >sub/.claude/settings.json; echo obj >.git/objects/o; rm -rf .git; chmod 777 .git; rm -r sub/deep; echo f >sub/deep; exit 0'
workspace_after() {
	local ws=$tmp/$1/attacked git
	rm -rf "$ws"
	for git in "$ws/.git" "$ws/lib/.git"; do
		mkdir -p "$git/hooks" "$git/objects" "$git/refs"
		echo 'ref: refs/heads/main' >"$git/HEAD"
		printf '[core]\n\tbare = false\n' >"$git/config"
	done
	mkdir -p "$ws/sub/deep" "$ws/.vscode"
	echo x | tee "$ws/.bashrc" "$ws/.vscode/settings.json" "$ws/sub/deep/file" >"$ws/file"
	[[ $1 == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$ws"
	box "$1" --backend "$2" "${with[@]:2}" --workspace "$ws:rw" -- /bin/sh -c "$attacks"
	[[ $(field .status) == ok ]] || field '.status, .error'
	(cd "$ws" && find . -printf '%p %y %m %U %l\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

for who in $(people); do
	at="$who: qemu"
	ws=$tmp/$who/ws
	mkdir -p "$ws/.git/hooks" "$ws/.git/objects" "$ws/.git/refs" "$ws/sub/deep" "$ws/dir"
	echo 'ref: refs/heads/main' >"$ws/.git/HEAD"
	printf '[core]\n\tbare = false\n' >"$ws/.git/config"
	echo secret >"$ws/sub/file"
	echo old >"$ws/dir/old"
	touch "$ws/gone" "$ws/stays"
	[[ $who == user && $(id -u) == 0 ]] && chown -R "$ORDINARY:$ORDINARY" "$ws"

	box "$who" "${with[@]}" -- /bin/sh -c 'echo out; echo err >&2; hostname; id -u; ls /sys /proc/1/root/caisson.task; for p in / /bin /etc /dev /proc /sys /run; do touch $p/x 2>/dev/null && echo "BREACH $p"; done; mount -t tmpfs none /tmp 2>/dev/null && echo BREACH mount; grep -c : /proc/net/dev; exit 137'
	want '.status == "exit_nonzero" and .exit_code == 137 and .backend == "qemu" and (.stdout | startswith("out\nbox\n")) and (.stdout | test("BREACH") | not) and (.stderr | startswith("err\n"))' "$at: streams, exit 137, no way to write ($(field .error) $(field .stdout | tr '\n' ' '))"
	want '.limits.memory_mb.enforced_by == "cgroup2" and .limits.network.enforced_by == "namespace"' "$at: the kernel of the machine enforces the limits"
	(cd "$tmp/$who" && as "$who" "$tmp/caisson" image import "$tmp/image" --name small) >/dev/null 2>"$tmp/err"
	box "$who" --backend qemu --memory 96M --image small -- /bin/sh -c 'touch /bin/x 2>/dev/null && echo BREACH; cat /etc/hostname; exit 3'
	want '.status == "exit_nonzero" and .exit_code == 3 and .stdout == "box\n" and .image.name == "small"' "$at: an image is the root ($(field .error) $(cat "$tmp/err"))"
	box "$who" "${with[@]}" -- /bin/sh -c 'kill -9 $$'
	want '.status == "signal" and .signal == 9' "$at: SIGKILL is a signal"
	box "$who" "${with[@]}" --timeout 1 --workspace "$ws:rw" -- /bin/sh -c 'echo kept >before; trap "" TERM; while :; do :; done'
	want '.status == "timeout"' "$at: the time limit ($(field .status) $(field .error))"
	[[ $(cat "$ws/before" 2>/dev/null) == kept ]]
	result $? "$at: files written before it stay"
	box "$who" "${with[@]}" --memory 32M -- /bin/sh -c 'dd if=/dev/zero of=/dev/null bs=200M count=1; sleep 1; echo alive'
	want '.status == "oom"' "$at: the memory limit ($(field .status))"
	box "$who" "${with[@]}" --output 64K -- /bin/yes
	want '.status == "output_limit"' "$at: the output limit ($(field .status))"
	box "$who" "${with[@]}" -- /nonexistent/program
	want '.status == "setup_error" and (.error | test("cannot run ./nonexistent/program"))' "$at: a program that is not there ($(field .error))"
	(cd "$tmp/$who" && head -c 300000 /dev/zero | tr '\0' x | as "$who" "$tmp/caisson" run --accept watched --head 10 "${with[@]}" --stdin -- /bin/wc -c) >"$tmp/out" 2>"$tmp/err"
	want '.stdout == "300000\n"' "$at: standard input ($(field .stdout))"

	box "$who" "${with[@]}" --workspace "$ws:rw" -- /bin/sh -c 'cat sub/file; echo new >sub/deep/new; echo more >>sub/file; rm gone; rm -r dir; mkdir dir; echo y >dir/young; ln -s sub/file link; chmod 755 stays
echo x >.git/hooks/pre-commit; echo "[core]" >>.git/config; mv .git away; mkdir -p .claude && echo "{}" >.claude/settings.json; exit 0'
	want '.status == "ok" and .stdout == "secret\n"' "$at: a workspace travels ($(field .error) $(field .stderr | tr '\n' ' '))"
	[[ $(cat "$ws/sub/deep/new") == new && $(tail -n 1 "$ws/sub/file") == more && ! -e $ws/gone && ! -e $ws/dir/old && $(cat "$ws/dir/young") == y && $(readlink "$ws/link") == sub/file && -x $ws/stays ]]
	result $? "$at: its changes come back: new, changed, removed, replaced, linked"
	[[ $(stat -c %u "$ws/sub/deep/new") == $(stat -c %u "$ws") ]]
	result $? "$at: a new file belongs to the caller"
	[[ -d $ws/.git/objects && ! -e $ws/.git/hooks/pre-commit && ! -e $ws/away && ! -e $ws/.claude/settings.json ]] && ! grep -q '^\[core\]$' <(tail -n 1 "$ws/.git/config")
	result $? "$at: protected names stay as they are ($(find "$ws" -mindepth 1 -maxdepth 1 -printf "%f "))"
	workspace_after "$who" native >"$tmp/native.tree"
	workspace_after "$who" qemu >"$tmp/qemu.tree"
	grep -q '^./lib/.git/HEAD f' "$tmp/native.tree" && diff "$tmp/native.tree" "$tmp/qemu.tree" >"$tmp/differences"
	result $? "$at: attacks leave what they leave in a native box ($(grep '^[<>]' "$tmp/differences" | tr '\n' ' '))"
	box "$who" "${with[@]}" --workspace "$ws:ro" -- /bin/sh -c 'touch x; rm -f stays; exit 0'
	[[ ! -e $ws/x && -e $ws/stays ]]
	result $? "$at: a read-only workspace stays as it is"

	box "$who" --backend qemu --memory 96M -c 'echo never'
	want '.status == "setup_error" and (.error | test("--root")) and .stdout == ""' "$at: without a root it refuses"
	box "$who" "${with[@]}" --network example.org -- /bin/sh -c 'echo never'
	want '.status == "setup_error" and (.error | test("no network")) and .stdout == ""' "$at: a network by name is refused"

	# kill -9 of the launcher, and of qemu, at random moments
	for ((i = 0; i < ${KILLS:-3}; i++)); do
		(cd "$tmp/$who" && become "$who" "$tmp/caisson" run "${with[@]}" --workspace "$ws:rw" -- /bin/sh -c 'sleep 20; touch late') >/dev/null 2>&1 &
		sleep "$((RANDOM % 15)).$((RANDOM % 10))"
		kill -9 $! 2>/dev/null
		wait $! 2>/dev/null
	done
	lies=() statuses=
	for ((i = 0; i < ${ENGINE_KILLS:-3}; i++)); do
		(cd "$tmp/$who" && become "$who" "$tmp/caisson" run "${with[@]}" --workspace "$ws:rw" -- \
			/bin/sh -c 'sleep 60; touch late') >"$tmp/out" 2>"$tmp/err" </dev/null &
		launcher=$!
		for _ in $(seq 200); do
			machine=$(pgrep -P "$launcher" -f qemu-system) && break
			sleep 0.02
		done
		sleep "$((RANDOM % 15)).$((RANDOM % 10))"
		kill -9 "$machine"
		wait $launcher
		[[ $(field .status) == @(unknown|setup_error) && $(field '.error // ""') ]] || lies+=("$(field .status)")
		statuses+="$(field '"\(.status): \(.error)"')"$'\n'
	done
	[[ ${#lies[@]} == 0 && $i -gt 0 ]]
	result $? "$at: reports of $i killed machines ($(sort <<<"$statuses" | uniq -c | xargs)) ${lies[*]}"
	box "$who" "${with[@]}" -- /bin/sh -c 'echo after'
	want '.stdout == "after\n"' "$at: a run after them ($(field .error))"
	nothing_left "$who"
	result $? "$at: nothing of them is left"
	[[ ! -e $ws/late && -z $(find "$ws" -name '.caisson-new-*' -o -maxdepth 1 -name '.mcp.json') ]]
	result $? "$at: nor in their workspace"
done
done_testing
