#!/bin/bash
# The table of what clients do (tests/clients/matrix) is whole, and docs/clients.md has the same. TAP; no
# client is needed.
set -u
here=$(cd "$(dirname "$0")/../clients" && pwd)
root=$(cd "$here/../.." && pwd)
n=0
result() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

difference=$(diff <("$here/matrix-table") \
	<(sed -n '/<!-- tests\/clients\/matrix-table -->/,/<!-- end -->/p' "$root/docs/clients.md" |
	sed '1,2d;$d' | sed '$d'))
result $? 'docs/clients.md has the table as it is (tests/clients/matrix-table --write)'
[[ -z $difference ]] || sed 's/^/# /' <<<"$difference"

# Every row has as many cells as there are columns, each with a known outcome; every note is there and used.
wrong=$(awk '
	BEGIN { split("runs boxed denied asked kept cleaned shown guarded shortened", w, " "); for (i in w) known[w[i]] = 1 }
	$1 == "columns" { columns = NF - 1 }
	$1 == "row" {
		split($0, part, / *\| */)
		n = split(part[3], cell, " ")
		if (n != columns) print $2 ": " n " cells"
		if ($2 in seen) print $2 ": twice"
		seen[$2] = 1
		for (i = 1; i <= n; i++) {
			text = cell[i]
			if (text ~ /^skip:/) { used[substr(text, 6)] = 1; continue }
			if (text ~ /:/) { used[substr(text, index(text, ":") + 1)] = 1; sub(/:.*/, "", text) }
			sub(/!$/, "", text)
			if (!(text in known)) print $2 ": unknown outcome " text
		}
	}
	$1 == "note" { said[$2] = 1 }
	END {
		for (i in used) if (!(i in said)) print "note " i " is missing"
		for (i in said) if (!(i in used)) print "note " i " is not used"
	}' "$here/matrix")
[[ -z $wrong ]]
result $? "the table is whole${wrong:+: ${wrong//$'\n'/, }}"

# Every client of the table has a script that compares its cells.
for client in $(awk '$1 == "columns" { $1 = ""; print }' "$here/matrix"); do
	grep -q '^all_rows day faults modes' "$here/$client.sh"
	result $? "$client: its script looks at every row"
done
echo "1..$n"
