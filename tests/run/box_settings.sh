#!/bin/bash
# Settings of tools in /etc: the work profile has those that everybody on the machine can read, and no others.
# The test has an /etc of its own, in a mount namespace. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

if [[ -z ${IN_NAMESPACE:-} ]]; then
	if [[ $(id -u) != 0 ]] || ! unshare -m true 2>/dev/null; then
		skip 'settings of /etc' 'only root can give the test an /etc of its own'
		done_testing
		exit
	fi
	tidy
	IN_NAMESPACE=1 exec unshare -m "$0"
fi

cp -a /etc "$tmp/etc"
rm -rf "$tmp"/etc/{maven,xml,gnucobol,npmrc,pip.conf,gitconfig,magic}
mkdir -p "$tmp"/etc/{maven,xml/private,java-99-openjdk,python3.99,ssl/private}
echo java-settings >"$tmp/etc/java-99-openjdk/net.properties"
echo tls-secret >"$tmp/etc/ssl/private/k.key"
echo maven-settings >"$tmp/etc/maven/settings.xml"
echo xml-secret >"$tmp/etc/xml/private/key"
chmod 750 "$tmp/etc/xml"
printf '[user]\n\tname = From System\n' >"$tmp/etc/gitconfig"
echo '//r.invalid/:_authToken=npm-secret' >"$tmp/etc/npmrc"
chmod 640 "$tmp/etc/npmrc"
ln -s "$tmp/canary" "$tmp/etc/magic"
echo magic-text >"$tmp/canary"
head -c 100000 /dev/zero >"$tmp/etc/pip.conf"
mkfifo "$tmp/etc/gnucobol"
mount --bind "$tmp/etc" /etc

for who in $(people); do
	mkdir -p "$tmp/$who/p"
	[[ $who == root ]] || chown "$ORDINARY:$ORDINARY" "$tmp/$who/p"
	(cd "$tmp/$who/p" && as "$who" git init -q)
	look='cat /etc/java-99-openjdk/net.properties; ls -d /etc/python3.99; cat /etc/ssl/private/k.key /etc/shadow; cat /etc/maven/settings.xml; git config --system user.name; ls /etc; cat /etc/npmrc /etc/xml/private/key; echo x >/etc/gitconfig'
	(cd "$tmp/$who/p" &&
		as "$who" "$tmp/caisson" run --profile work -c "$look") >"$tmp/out" 2>"$tmp/err" </dev/null
	want '.stdout | contains("maven-settings")' "$who: a directory that everybody can read is there"
	want '.stdout | contains("java-settings\n/etc/python3.99\n")' \
		"$who: so is one whose name has a version"
	want '.stdout | contains("From System")' "$who: so is a file, and git uses it"
	want '.stdout | contains("magic")' "$who: a link is followed as it is for everybody"
	want '.stdout | contains("secret") or contains("npmrc") or contains("xml\n") | not' \
		"$who: names that only some can read are not"
	want '.stdout | contains("gnucobol") or contains("pip.conf") | not' \
		"$who: neither are a FIFO and a file that is too long"
	[[ $(</etc/gitconfig) == *'From System'* ]]
	result $? "$who: nothing there can be changed"
	box "$who" -c 'ls /etc'
	want '.stdout | contains("maven") or contains("gitconfig") | not' \
		"$who: untrusted code has none of them"
done
done_testing
