#!/bin/bash
# Sockets of the person in boxes of the work profile: only those that their own policy lists
# (sandbox.sockets), with a real ssh-agent, gpg-agent where there is one, and a server in the place of
# Docker's. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

cat >"$tmp/server.py" <<'P'
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
if os.fork() == 0:
    os.setsid()
    while True:
        c, _ = s.accept()
        c.sendall(b"of-docker\n")
        c.close()
P
listen='import socket; s = socket.socket(socket.AF_UNIX); s.connect("/var/run/docker.sock"); print(s.recv(99).decode(), end="")'
servers=()
trap 'kill "${servers[@]}" 2>/dev/null; tidy' EXIT
for who in $(people); do
	home=$tmp/$who/home
	as "$who" mkdir -p -m 700 "$home/.config/caisson" "$home/p" "$home/.ssh" "$home/s"
	as "$who" git -C "$home/p" init -q
	ssh-keygen -q -t ed25519 -N '' -C of-the-agent -f "$tmp/key-$who"
	eval "$(as "$who" ssh-agent -s -a "$home/s/agent")" >/dev/null
	servers+=("$SSH_AGENT_PID")
	SSH_AUTH_SOCK=$home/s/agent ssh-add -q "$tmp/key-$who"
	cp "$tmp/key-$who" "$home/.ssh/id_ed25519"
	as "$who" python3 "$tmp/server.py" "$home/s/docker"
	while read -r pid; do servers+=("$pid"); done < <(pgrep -f "^python3 $tmp/server.py $home/s/docker")
	unset SSH_AUTH_SOCK SSH_AGENT_PID
	policy() { as "$who" bash -c "printf '%s\n' \"\$1\" >$home/.config/caisson/config.yaml" - "$1"; }
	work() { # TEXT [NAME=VALUE...]
		local text=$1
		shift
		(cd "$home/p" &&
			as "$who" env SSH_AUTH_SOCK="$home/s/agent" DOCKER_HOST="unix://$home/s/docker" "$@" \
			"$tmp/caisson" run --profile work -c "$text") >"$tmp/out" 2>"$tmp/err" </dev/null
	}

	work "ssh-add -l; python3 -c '$listen'; echo \"\${SSH_AUTH_SOCK-none}\"; ls $home/s"
	want '.stdout == "none\n" or (.stdout | contains("of-the-agent") or contains("of-docker") | not)' \
		"$who: without a policy there are none"
	policy 'sandbox: {sockets: [ssh-agent]}'
	if [[ $who == root ]]; then # ssh-agent answers its own user alone
		work 'ssh-add -l'
		want '.exit_code != 0 and ([.hints[] | select(.id == "paths")][0].message | contains("ssh-agent"))' "$who: the boxes of root are another user to the agent of ssh, and a hint says so"
	else
		work "ssh-add -l; python3 -c '$listen'; ls ~/.ssh $home/s"
		want '(.stdout | contains("of-the-agent")) and (.stdout | contains("of-docker") or contains("id_ed25519") | not)' "$who: the agent of ssh, without its keys, and no other"
		work 'ssh-add -L >k.pub; ssh-keygen -Y sign -f k.pub -n file <<<text'
		want '.stdout | contains("BEGIN SSH SIGNATURE")' "$who: it signs"
	fi
	(cd "$home/p" &&
		as "$who" env SSH_AUTH_SOCK="$home/s/agent" "$tmp/caisson" run -c \
		'ls /caisson/ssh-agent; echo "${SSH_AUTH_SOCK-none}"') >"$tmp/out" 2>"$tmp/err" </dev/null
	want '.stdout == "none\n"' "$who: untrusted code has none"
	policy 'sandbox: {sockets: [docker]}'
	work "python3 -c '$listen'; echo \"\${SSH_AUTH_SOCK-none}\""
	want '.stdout == "of-docker\nnone\n"' "$who: Docker's"
	(cd "$home/p" && as "$who" "$tmp/caisson" config verify) >"$tmp/out" 2>&1
	grep -q "'docker': programs in boxes can become root" "$tmp/out"
	result $? "$who: config verify warns"
	as "$who" bash -c "cd $home; echo x >s/file; ln -s ~/.ssh/id_ed25519 s/link"
	for to in "$home/s/file" "$home/s/link" "$home/s/nothing" relative "$home/.ssh"; do
		policy 'sandbox: {sockets: [ssh-agent, docker]}'
		work 'ls /caisson/ssh-agent /var/run; exit 1' SSH_AUTH_SOCK="$to" DOCKER_HOST="unix://$to"
		want '.stdout == "" and ([.hints[] | select(.id == "paths")][0].message | contains("ssh-agent") and contains("docker"))' "$who: only sockets count: ${to##*/}"
	done
	policy ''
	as "$who" bash -c "echo 'sandbox: {sockets: [ssh-agent, docker]}' >$home/p/.caisson.yaml"
	work "ssh-add -l; python3 -c '$listen'"
	want '.stdout | contains("of-the-agent") or contains("of-docker") | not' \
		"$who: a project gives itself none"
	as "$who" rm "$home/p/.caisson.yaml"

	if command -v gpg gpg-agent >/dev/null; then
		as "$who" bash -c \
			'mkdir -p -m 700 ~/.gnupg; gpg -q --batch --pinentry-mode loopback --passphrase "" --quick-generate-key box@example.org ed25519 sign never 2>/dev/null'
		policy 'sandbox: {sockets: [gpg-agent]}'
		work 'echo text | gpg -q --batch --clearsign; ls -A ~/.gnupg; ls ~/.gnupg/private-keys-v1.d'
		want '(.stdout | contains("BEGIN PGP SIGNATURE")) and (.stdout | contains("private-keys") | not)' "$who: gpg signs, without its keys"
		as "$who" gpgconf --kill gpg-agent
	else
		skip "$who: gpg signs" 'there is no gpg here'
	fi
done
done_testing
