#!/bin/bash
# Images: importing real archives and hostile ones, names, digests, removal, kills, and boxes whose root is an image, as root and as
# an ordinary user. BACKENDS lists who makes the boxes (native bwrap); scripts/check-backends calls this script for the others. TAP.
# shellcheck disable=SC2016,SC2154 # programs are data for the box; words of lib.sh
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
BACKENDS=${BACKENDS:-native bwrap}
[[ -z ${DOCKER_HOST:-} ]] || passed+=(DOCKER_HOST="$DOCKER_HOST")
[[ -z ${CONTAINER_HOST:-} ]] || passed+=(CONTAINER_HOST="$CONTAINER_HOST")
[[ -z ${CAISSON_VM:-} ]] || passed+=(CAISSON_VM="$CAISSON_VM" CAISSON_VM_ACCEL="${CAISSON_VM_ACCEL:-tcg}")
busybox=$(command -v busybox)
if [[ -z $busybox ]] || ldd "$busybox" >/dev/null 2>&1; then
	skip 'images' 'no static busybox (the Debian package busybox-static)'
	done_testing
	exit
fi
# hosts_of WHO: an ordinary user has engines of its own, or none
hosts_of() {
	[[ $1 != user || $(id -u) != 0 ]] || passed+=(DOCKER_HOST="${USER_DOCKER_HOST:-unix:///nonexistent}" CONTAINER_HOST="${USER_CONTAINER_HOST:-unix:///nonexistent}")
}
# A person's shell: without the variables and, if possible, the ancestors of an agent client (src/client/person.h).
image() { # WHO WORDS...
	local who=$1
	shift
	(cd "$tmp/$who" && as "$who" "$tmp/caisson" image "$@") >"$tmp/out" 2>"$tmp/err"
}
image_names() { find "$tmp/$1/state/images" -mindepth 1 -maxdepth 1 -name "${2:-sha256-*}" 2>/dev/null | wc -l; }

root=$tmp/rootfs
mkdir -p "$root"/{bin,etc,usr/share/deep,dev,tmp,home,proc,var}
cp "$busybox" "$root/bin/busybox"
for name in sh cat echo sleep ls id touch stat head grep readlink hostname; do ln -s busybox "$root/bin/$name"; done
ln -s /bin/busybox "$root/usr/share/absolute"
ln -s ../../bin/busybox "$root/usr/share/relative"
ln "$root/bin/busybox" "$root/usr/share/hard"
echo 'one' >"$root/etc/marker"
echo 'not in the image' >"$root/tmp/left-out"
chmod 4755 "$root/bin/busybox"
chmod 600 "$root/etc/marker"
chmod 700 "$root/usr/share/deep"
[[ $(id -u) != 0 ]] || mknod "$root/dev/null" c 1 3 2>/dev/null
tar -C "$root" -cf "$tmp/small.tar" .
tar -C "$root" --format=pax -cf "$tmp/pax.tar" .

# Hostile archives: NAME.tar, made by Python's tarfile; words.txt has a word of the message that must refuse each.
mkdir "$tmp/bad"
"$PYTHON" - "$tmp/bad" <<'PY'
import io, os, sys, tarfile
words = {}
def make(name, word, *entries, raw=None):
    with tarfile.open(f"{sys.argv[1]}/{name}.tar", "w") as t:
        for path, kind, more in entries:
            i = tarfile.TarInfo(path)
            i.type = kind
            data = b""
            if kind == tarfile.REGTYPE:
                data = more if isinstance(more, bytes) else b"evil"
                i.size = len(data)
            elif more:
                i.linkname = more
            i.mode = 0o755
            t.addfile(i, io.BytesIO(data))
    words[name] = word
F, D, S, H = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
ok = ("etc/x", F, None)
make("absolute", "absolute", ok, ("/etc/planted", F, None))
make("parent", "'..'", ok, ("../planted", F, None))
make("parent-inside", "'..'", ok, ("a/../../planted", F, None))
make("through-link", "through a link", ("out", S, "/tmp"), ("out/planted", F, None))
make("through-relative", "through a link", ("a", D, None), ("a/l", S, "../etc"), ("a/l/planted", F, None))
make("through-dir", "through a link", ("out", S, "/tmp"), ("out/dir", D, None))
make("link-over-dir", "something else", ("a/b", F, None), ("a", S, "/tmp"))
make("dir-over-file", "through a link or a file", ("a", F, None), ("a/b", F, None))
make("link-out", "out of the image", ok, ("a/l", S, "../../etc/passwd"))
make("link-out-absolute", "out of the image", ok, ("l", S, "/a/../../etc"))
make("link-empty", "target", ok, ("l", S, ""))
make("hard-out", "'..'", ok, ("h", H, "../etc/passwd"))
make("hard-absolute", "absolute", ok, ("h", H, "/etc/passwd"))
make("hard-link", "not a file in the image", ("l", S, "/etc/passwd"), ("h", H, "l"))
make("hard-through", "not a file in the image", ("l", S, "/etc"), ("h", H, "l/passwd"))
make("hard-missing", "not a file in the image", ok, ("h", H, "nothing"))
make("hard-dir", "not a file in the image", ("d", D, None), ("h", H, "d"))
make("char-device", "device", ok, ("etc/mem", tarfile.CHRTYPE, None))
make("block-device", "device", ok, ("disk", tarfile.BLKTYPE, None))
make("fifo", "device", ok, ("etc/pipe", tarfile.FIFOTYPE, None))
make("unknown-type", "unknown type", ok, ("v", b"V", None))
make("empty", "empty")
make("only-own", "empty", ("tmp/x", F, None), ("dev/y", D, None))
make("too-deep", "too deep", ("/".join("d" * 120), D, None))
make("long-name", "too long", ("n" * 300, F, None))
good = open(f"{sys.argv[1]}/../small.tar", "rb").read()
def write(name, word, data):
    open(f"{sys.argv[1]}/{name}.tar", "wb").write(data)
    words[name] = word
write("cut", "incomplete", good[:700000])
write("no-end", "incomplete", good[:512])
write("twice", "after its end", good + good)
write("damaged", "damaged", good[:100] + b"8" + good[101:])
write("text", "not a tar", b"hello world\n" * 100)
write("nothing", "incomplete", b"")
def header(name, size, kind=b"0"):
    h = bytearray(512)
    h[0:len(name)] = name
    h[100:108] = b"0000644\0"
    h[124:136] = size
    h[156:157] = kind
    h[257:265] = b"ustar\00000"
    h[148:156] = b"        "
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h)
huge = b"\x80" + (1 << 60).to_bytes(11, "big")
write("huge", "bytes", header(b"big", huge) + b"\0" * 1024)
write("huger", "number", header(b"big", b"\x80" + b"\xff" * 11) + b"\0" * 1024)
write("negative", "number", header(b"big", b"\xff" * 12) + b"\0" * 1024)
write("no-number", "number", header(b"big", b"zzzzzzzzzzz\0") + b"\0" * 1024)
write("big-pax", "more than", header(b"x", b"00004000000\0", b"x") + b"\0" * 4096)
def pax(text):
    body = text + b"\0" * (-len(text) % 512)
    return header(b"x", b"%011o\0" % len(text), b"x") + body + header(b"etc/x", b"00000000000\0") + b"\0" * 1024
write("pax-bad", "extended header", pax(b"99 path=etc/y\n"))
write("pax-absolute", "absolute", pax(b"18 path=/etc/evil\n"))
write("pax-nul", "NUL", pax(b"16 path=a\0/../b\n"))
write("pax-sparse", "sparse", pax(b"22 GNU.sparse.major=1\n"))
open(f"{sys.argv[1]}/words.txt", "w").write("".join(f"{n}\t{w}\n" for n, w in words.items()))
PY

imports() { # WHO
	local who=$1 digest other name word bad=0 out
	mkdir -p "$tmp/$who/place" "$tmp/$who/ws"
	[[ $who == user && $(id -u) == 0 ]] && chown "$ORDINARY:$ORDINARY" "$tmp/$who/place" "$tmp/$who/ws"
	image "$who" import "$tmp/small.tar"
	digest=$(cat "$tmp/out")
	[[ $digest =~ ^sha256:[0-9a-f]{64}$ ]]
	result $? "$who: an archive becomes an image ($(cat "$tmp/err"))"
	if ! [[ $digest =~ ^sha256: ]]; then return 1; fi
	image "$who" import --name again "$tmp/pax.tar" && other=$(cat "$tmp/out")
	[[ $other == "$digest" && $(image_names "$who") == 1 ]]
	result $? "$who: the same content in another format is the same image"
	if [[ $who == root || $(id -u) != 0 ]]; then
		image "$who" import "$root" --name folder && other=$(cat "$tmp/out")
		[[ $other == "$digest" ]]
		result $? "$who: so is the directory ($(cat "$tmp/err"))"
	fi
	as "$who" "$tmp/caisson" image import - --name piped <"$tmp/small.tar" >"$tmp/out" 2>&1
	[[ $(cat "$tmp/out") == "$digest" ]]
	result $? "$who: standard input"
	image "$who" list --json
	want '.images | length == 1 and (.[0].names | index("small") != null and index("piped") != null) and .[0].digest == "'"$digest"'"' "$who: the list has its names"
	out=$tmp/$who/state/images/sha256-${digest#sha256:}/root
	[[ -z $(find "$out" -perm /7222 ! -type l) && -z $(find "$out" ! -perm -444) && ! -e $out/tmp && ! -e $out/dev && -L $out/usr/share/absolute ]] &&
		cmp -s "$out/usr/share/hard" "$busybox" && [[ $(stat -c %a "$out/bin/busybox" "$out/etc/marker" "$out/usr/share/deep" | tr '\n' ' ') == '555 444 555 ' ]]
	result $? "$who: the store is read-only, without set-user-ID bits and without /tmp and /dev"
	while IFS=$'\t' read -r name word; do
		image "$who" import "$tmp/bad/$name.tar" --name hostile </dev/null
		case $? in 1) ;; *) echo "# $name: exit status, $(cat "$tmp/err")"; bad=1 ;; esac
		grep -qF -- "$word" "$tmp/err" || { echo "# $name: $(cat "$tmp/err")"; bad=1; }
	done <"$tmp/bad/words.txt"
	result $bad "$who: $(wc -l <"$tmp/bad/words.txt") hostile or damaged archives are refused, each for its reason"
	[[ $(image_names "$who") == 1 && $(image_names "$who" 'new-*') == 0 && $(image_names "$who" 'gone-*') == 0 && ! -e $tmp/$who/state/images/names/hostile && ! -e /tmp/planted && ! -e /etc/planted && ! -e $tmp/planted ]]
	result $? "$who: and leave nothing behind"
}

names() { # WHO
	local who=$1 digest small
	small=$(cat "$tmp/$who/state/images/names/small")
	mkdir -p "$tmp/two/bin" && cp "$busybox" "$tmp/two/bin/sh"
	tar -C "$tmp/two" -cf "$tmp/two.tar" .
	image "$who" import "$tmp/two.tar" --name small
	digest=$(cat "$tmp/out")
	[[ $digest != "$small" && $(image_names "$who") == 2 ]] && grep -q "another image" "$tmp/err"
	result $? "$who: a name moves to another image, and the command says so"
	image "$who" remove small && [[ $(image_names "$who") == 1 ]]
	result $? "$who: an image goes with its last name"
	image "$who" remove again && [[ $(image_names "$who") == 1 ]]
	result $? "$who: it stays while it has others ($(cat "$tmp/err"))"
	! image "$who" remove nothing && grep -q "there is no image 'nothing'" "$tmp/err"
	result $? "$who: a name that does not exist"
	local word bad=0
	for word in ../x .x -x 'a/b' '' none sha256 "$(printf 'a%.0s' {1..65})"; do
		image "$who" import "$tmp/two.tar" "--name=$word" && bad=1
	done
	result $bad "$who: names that are no names"
	image "$who" import "$tmp/small.tar"
	bad=0
	for word in 'import' 'import a b' 'build x' 'import --debian x' 'list x' 'remove' 'list --name x' 'frobnicate' ''; do
		# shellcheck disable=SC2086
		image "$who" $word
		[[ $? == 64 ]] || { echo "# $word"; bad=1; }
	done
	result $bad "$who: wrong uses"
	gzip -c "$tmp/small.tar" >"$tmp/small.tar.gz"
	! image "$who" import "$tmp/small.tar.gz" --name z && grep -q 'zcat' "$tmp/err"
	result $? "$who: a compressed archive is named as such"
	bad=0
	for word in / "$tmp/$who/home" "$tmp/$who" "$tmp/$who/state"; do
		image "$who" import "$word" --name whole && bad=1
	done
	result $bad "$who: the machine, the home and caisson's own files are no images"
	mkdir -p "$tmp/$who/special" && mkfifo "$tmp/$who/special/pipe"
	! image "$who" import "$tmp/$who/special" && grep -q 'device, a pipe' "$tmp/err"
	result $? "$who: a directory with a pipe"
}

boxes() { # WHO BACKEND
	local who=$1 backend=$2 with=(--backend "$2" --image folder) at="$1: $2" digest
	digest=$(cat "$tmp/$who/state/images/names/piped")
	with=(--backend "$backend" --image piped)
	[[ $backend == qemu ]] && with+=(--memory 96M)
	box "$who" "${with[@]}" -- /bin/sh -c 'cat /etc/marker; readlink /usr/share/absolute; ls /usr/bin 2>&1; for p in / /bin /etc /usr/share; do touch $p/x 2>/dev/null && echo BREACH $p; done; touch /tmp/x /home/box/x && echo fine'
	want '.status == "ok" and (.stdout | startswith("one\n/bin/busybox\n") and endswith("fine\n") and (contains("BREACH") | not)) and (.stdout | contains("No such file")) and .image.digest == "'"$digest"'" and .image.name == "piped" and .backend == "'"$backend"'"' "$at: the image is the root, read-only ($(field .error)$(field .stdout | tr '\n' ' '))"
	box "$who" "${with[@]}" --cwd /etc -- /bin/sh -c 'ls -d /*/images /*/*/images /*/*/*/images 2>/dev/null; cat /proc/mounts | grep -c sha256-; exit 0'
	want '.status == "ok" and (.stdout | test("images") | not)' "$at: the store is not visible ($(field .stdout | tr '\n' ' '))"
	[[ $backend == qemu ]] && return
	rm -f "$tmp/$who/ws"/*
	box "$who" "${with[@]}" --workspace "$tmp/$who/ws" -- /bin/sh -c 'echo written >file'
	[[ $(cat "$tmp/$who/ws/file") == written ]]
	result $? "$at: with a workspace"
	(box "$who" "${with[@]}" --timeout 60 --workspace "$tmp/$who/ws" -- /bin/sh -c 'echo x >runs; while [ ! -e stop ]; do sleep 0.1; done; cat /etc/marker'; cp "$tmp/out" "$tmp/$who/slow") &
	for _ in $(seq 300); do [[ -e $tmp/$who/ws/runs ]] && break; sleep 0.1; done
	(cd "$tmp/$who" && as "$who" "$tmp/caisson" image remove "$digest") >/dev/null 2>"$tmp/$who/removed.err"
	echo "$?" >"$tmp/$who/removed"
	touch "$tmp/$who/ws/stop"
	wait
	[[ $(cat "$tmp/$who/removed") == 1 ]] && grep -q 'a box uses the image' "$tmp/$who/removed.err" && [[ $(jq -r .stdout "$tmp/$who/slow") == one ]]
	result $? "$at: an image in use cannot be removed ($(cat "$tmp/$who/removed.err"))"
}

choosing() { # WHO
	local who=$1 digest
	digest=$(cat "$tmp/$who/state/images/names/piped")
	box "$who" --image "${digest:0:20}" -- /bin/sh -c 'echo ok'
	want '.status == "ok" and .image.digest == "'"$digest"'"' "$who: an image by the digits of its digest"
	box "$who" --image nothing -- /bin/sh -c 'echo ok'
	[[ $rc == 64 ]] && grep -q "there is no image 'nothing'" "$tmp/err"
	result $? "$who: an image that does not exist"
	box "$who" --image piped --root "$root" -- /bin/sh -c 'echo ok'
	[[ $rc == 64 ]] && grep -q 'either --root or --image' "$tmp/err"
	result $? "$who: an image and a root"
	echo 'sandbox: {image: piped}' >"$tmp/policy.yaml"
	box "$who" --config "$tmp/policy.yaml" -- /bin/cat /etc/marker
	want '.stdout == "one\n" and .image.name == "piped"' "$who: the policy's image ($(field .error)$(cat "$tmp/err"))"
	box "$who" --config "$tmp/policy.yaml" --image none -- /bin/sh -c 'ls /usr/bin/env'
	want '.stdout == "/usr/bin/env\n" and .image == null' "$who: none of it on the command line"
	printf -- '---\nname: x\nsandbox_image: none\n---\n' >"$tmp/$who/skill.md"
	box "$who" --config "$tmp/policy.yaml" --skill "$tmp/$who/skill.md" -- /bin/sh -c 'ls /usr/bin/env'
	[[ $rc == 64 ]] && grep -q 'invalid name of an image' "$tmp/err"
	result $? "$who: a skill cannot take the policy's image away"
	echo 'sandbox: {image: gone}' >"$tmp/policy.yaml"
	box "$who" --config "$tmp/policy.yaml" -- /bin/sh -c 'echo ran'
	[[ $rc == 64 ]] && grep -q "sandbox.image: there is no image 'gone'" "$tmp/err"
	result $? "$who: nothing runs if the policy's image is missing"
	printf -- '---\nname: x\nimage: piped\n---\n' >"$tmp/$who/skill.md"
	box "$who" --config "$tmp/policy.yaml" --skill "$tmp/$who/skill.md" -- /bin/cat /etc/marker
	want '.stdout == "one\n"' "$who: a skill's image comes before the policy's"
	printf -- '---\nname: x\nimage: ../piped\n---\n' >"$tmp/$who/skill.md"
	box "$who" --config "$tmp/policy.yaml" --skill "$tmp/$who/skill.md" -- /bin/cat /etc/marker
	[[ $rc == 64 ]] && grep -q 'invalid name of an image' "$tmp/err"
	result $? "$who: a skill's image is a name"
	box "$who" --image piped --profile work --workspace "$tmp/$who/place" -- /bin/sh -c 'cat /etc/marker; ls -d /usr/bin 2>/dev/null; echo x >new'
	want '.status == "ok" and .stdout == "one\n"' "$who: the work profile ($(field .error)$(field .stderr))"
}

# A box in the background holds its image by itself: its launcher has ended.
background() { # WHO
	local who=$1 rc
	box "$who" --image piped --profile work --workspace "$tmp/$who/place" --background -- /bin/sh -c '(sleep 60 >/dev/null 2>&1 &); echo left'
	want '.stdout == "left\n" and (.background | length == 1)' "$who: a box in the background has an image ($(field .error))"
	image "$who" remove "$(cat "$tmp/$who/state/images/names/piped")"
	rc=$?
	grep -q 'a box uses the image' "$tmp/err" && [[ $rc == 1 ]]
	result $? "$who: and keeps it from being removed"
	as "$who" "$tmp/caisson" stop --all >/dev/null 2>&1
}

# Imports at once, and imports that are killed: complete images, one directory for each content, nothing else.
races() { # WHO
	local who=$1 i pids=() small
	small=$(cat "$tmp/$who/state/images/names/piped")
	image "$who" remove "$small"
	for i in 1 2 3 4; do
		(cd "$tmp/$who" && as "$who" "$tmp/caisson" image import "$tmp/small.tar" --name "race$i" >/dev/null 2>&1) &
		pids+=($!)
	done
	wait "${pids[@]}"
	[[ $(image_names "$who") == 1 && $(image_names "$who" 'new-*') == 0 && $(sort -u "$tmp/$who"/state/images/names/race? | wc -l) == 1 && $(ls "$tmp/$who"/state/images/names/race? | wc -l) == 4 ]]
	result $? "$who: four imports of one archive at once"
	image "$who" remove "$small"
	for i in 1 2 3 4 5 6 7 8; do
		(cd "$tmp/$who" && become "$who" "$tmp/caisson" image import "$tmp/small.tar" --name "kill$i" >/dev/null 2>&1) &
		sleep "0.0$i"
		kill -KILL $! 2>/dev/null
		wait $! 2>/dev/null
	done
	image "$who" list --json
	want '[.images[] | select(.entries < 20)] == []' "$who: a killed import leaves a complete image or none"
	image "$who" import "$tmp/two.tar" --name two
	[[ $(image_names "$who" 'new-*') == 0 ]]
	result $? "$who: the next one removes what is left"
	image "$who" import "$tmp/small.tar" --name piped
}

"$CAISSON" help --man image | cmp -s - "$here/man/caisson-image.1"
result $? 'man/caisson-image.1 is what the tables say'
for who in $(people); do
	hosts_of "$who"
	imports "$who" || continue
	if [[ $BACKENDS == 'native bwrap' ]]; then
		names "$who"
		image "$who" import "$tmp/small.tar" --name piped
		choosing "$who"
		background "$who"
		races "$who"
	fi
	for backend in $BACKENDS; do
		if [[ $backend == bwrap ]] && ! command -v bwrap >/dev/null; then
			skip "$who: bwrap" 'bwrap is missing (the Debian package bubblewrap)'
			continue
		fi
		if [[ $backend != native && ${SANITIZE:-} ]]; then
			skip "$who: $backend" "the sanitizers' program is not static, and an image has no loader for it"
			continue
		fi
		boxes "$who" "$backend"
	done
done
done_testing
