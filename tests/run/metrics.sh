#!/bin/bash
# caisson metrics and stats: the text is what the format wants, the numbers are those of the rows, counters do
# not go down. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON_STATE=$tmp/state HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config LC_ALL=C.UTF-8
unset NO_COLOR
mkdir -p "$tmp/work" "$tmp/home" && cd "$tmp/work" || exit 1
before=()
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

reads() { # WHAT [--classic]: the text in out becomes the JSON of its samples
	/usr/bin/python3 "$here/tests/run/openmetrics.py" ${2:-} <"$tmp/out" >"$tmp/parsed" 2>"$tmp/err"
	result $? "$1"
	mv "$tmp/parsed" "$tmp/out"
}
sample() { [[ -s $tmp/out ]] &&
	jq -e --arg k "$1" --argjson v "$2" '.samples[$k] == $v' "$tmp/out" >/dev/null; result $? \
	"$1 is $2"; }
day() { date -u -d "$1 days ago" +%F; }
rows() { /usr/bin/python3 "$here/tests/run/rows.py" "$CAISSON_STATE" >/dev/null; }
row() { # DAYS_AGO FIELDS: at the end of the day, for a record's time never goes back, and what caisson itself writes here is of now
	printf '{"ts":"%sT23:59:59.000000Z",%s}\n' "$(day "$1")" "$2"
}

run 3 'no record' metrics
err 'no record yet'
run 3 'no record' stats
umask 077
{
	row 95 '"kind":"verdict","command":"old","verdict":"deny","reasons":["secret-read"]'
	row 2 '"kind":"verdict","agent_id":"a1","client":"claude","command":"cat .env","verdict":"deny","reasons":["secret-read","network"]'
	row 2 '"kind":"verdict","agent_id":"a1","client":"claude","command":"cat .env","verdict":"deny","reasons":["secret-read"]'
	row 2 '"kind":"verdict","agent_id":"a1","client":"claude","command":"make x","verdict":"contain"'
	row 2 '"kind":"begin","agent_id":"a1","client":"claude","command":"make x"'
	row 2 '"kind":"end","agent_id":"a1","command":"make x","status":"ok","exit_code":0,"duration_ms":1500,"cpu_ms":700,"peak_memory_mb":20,"validation":{"outcome":"valid","result":"pass","task":"test","format":"tap"}'
	row 1 '"kind":"begin","agent_id":"a\u001b[31m","command":"ls","verdict":"allow"'
	row 1 '"kind":"end","command":"ls","status":"timeout","exit_code":124,"duration_ms":700000,"cpu_ms":null,"peak_memory_mb":null'
	row 1 '"kind":"begin","command":"ls","verdict":"allow"'
	row 0 '"kind":"verdict","command":"x\u001b[2J","verdict":"ask","reasons":["we\"ird|\\n rule"]'
} | rows
run 0 'metrics' metrics
cp "$tmp/out" "$tmp/first"
reads 'OpenMetrics, by the rules'
sample 'caisson_decisions_total{verdict="deny",rule="secret-read"}' 3
sample 'caisson_decisions_total{verdict="contain",rule="none"}' 1
sample 'caisson_decisions_total{verdict="allow",rule="none"}' 2
sample 'caisson_decisions_total{verdict="ask",rule="we__ird___n_rule"}' 1
sample 'caisson_reasons_total{rule="network"}' 1
sample 'caisson_requests_total{client="claude"}' 3
sample 'caisson_runs_total{status="ok"}' 1
sample 'caisson_runs_total{status="timeout"}' 1
sample 'caisson_runs_started_total' 3
sample 'caisson_run_duration_seconds_bucket{le="1.0"}' 0
sample 'caisson_run_duration_seconds_bucket{le="2.5"}' 1
sample 'caisson_run_duration_seconds_bucket{le="600.0"}' 1
sample 'caisson_run_duration_seconds_bucket{le="+Inf"}' 2
sample 'caisson_run_duration_seconds_sum' 701.5
sample 'caisson_run_peak_memory_bytes_bucket{le="33554432.0"}' 1
sample 'caisson_run_peak_memory_bytes_count' 1
sample 'caisson_run_peak_memory_bytes_sum' 20971520
sample 'caisson_run_cpu_seconds_total' 0.7
sample 'caisson_validations_total{task="test",outcome="valid"}' 1
sample 'caisson_validation_results_total{task="test",result="pass"}' 1
sample 'caisson_record_rows_total{kind="end"}' 2
! grep -q 'a1\|make' "$tmp/first"
result $? 'no label names an agent or a command'
for f in $(jq -r '.families[]' "$tmp/out"); do grep -q "\`$f\`" "$here/docs/metrics.md" ||
	{ echo "# $f is not in docs/metrics.md"; false; } || break; done
result $? 'docs/metrics.md lists all families'
run 0 'again' metrics
cmp -s "$tmp/out" "$tmp/first"
result $? 'the same text'
run 0 'days are dropped' audit prune
run 0 'and stay counted' metrics
reads 'by the rules'
sample 'caisson_decisions_total{verdict="deny",rule="secret-read"}' 3
sample 'caisson_record_rows_total{kind="tombstone"}' 1
run 0 'from nothing' metrics --anew
reads 'by the rules'
sample 'caisson_decisions_total{verdict="deny",rule="secret-read"}' 2
row 0 '"kind":"verdict","command":"y","verdict":"deny","reasons":["secret-read"]' | rows
run 0 'a row more' metrics
reads 'by the rules'
sample 'caisson_decisions_total{verdict="deny",rule="secret-read"}' 3
for ((i = 0; i < 400; i++)); do row 0 \
	"\"kind\":\"verdict\",\"command\":\"y\",\"verdict\":\"deny\",\"reasons\":[\"r$i\"]"; done | rows
run 0 'many rules' metrics
reads 'by the rules'
[[ $(jq '[.samples | keys[] | select(startswith("caisson_reasons_total"))] | length' "$tmp/out") -le 257 ]]
result $? 'the number of labels is bounded'
jq -e '[.samples | to_entries[] | select(.key | startswith("caisson_decisions_total")).value] | add == 407' \
	"$tmp/out" >/dev/null
result $? 'and nothing is lost'
for o in --prometheus "--textfile $tmp/x.prom"; do
	# shellcheck disable=SC2086 # words
	run 64 "--json with $o" metrics --json $o
done
"$CAISSON" metrics >"$tmp/out" 2>/dev/null
reads 'the numbers, as text'
mv "$tmp/out" "$tmp/as_text"
run 0 'the same numbers as JSON' metrics --json
json '.v == 1 and all(.families[]; has("name") and has("type") and has("help") and has("samples"))'
jq -S --slurpfile text "$tmp/as_text" '
	def key($f; $suffix; $s): $f.name + $suffix + if $s.labels then
		"{" + ([$s.labels | to_entries[] | "\(.key)=\"\(.value)\""] | join(",")) + "}" else "" end;
	{counter: "_total", info: "_info", gauge: ""} as $suffixes
	| [.families[] | . as $f | .samples[] | . as $s | if $f.type == "histogram" then
		($f.name | {"\(.)_count": $s.count, "\(.)_sum": $s.sum, "\(.)_bucket{le=\"+Inf\"}": $s.count}),
		($s.buckets[] | {count, le: (.le | tostring)} | {"\($f.name) \(.le | tonumber)": .count})
		else {(key($f; $suffixes[$f.type]; $s)): $s.value} end] | add
	== ($text[0].samples | with_entries(if .key | test("le=\"[0-9]") then
		.key |= (capture("^(?<n>[a-z_]+)_bucket.le=\"(?<le>[^\"]*)") | "\(.n) \(.le | tonumber)") else . end))
	' "$tmp/out" >"$tmp/same"
[[ $(<"$tmp/same") == true ]]
result $? 'every sample of the text, and no other'
run 0 'to a file' metrics --textfile "$tmp/caisson.prom"
[[ $(stat -c %a "$tmp/caisson.prom") == 644 &&
	$(find "$tmp" -maxdepth 1 -name 'caisson.prom*' | wc -l) == 1 && ! -s $tmp/out ]]
result $? 'that others can read, and nothing else is left'
cp "$tmp/caisson.prom" "$tmp/out"
reads 'the older format, by its rules' --classic
sample 'caisson_runs_started_total' 3
run 70 'a file that cannot be written' metrics --textfile "$tmp/none/x.prom"
err 'none/x.prom'
rm -rf "$CAISSON_STATE/audit"
row 0 '"kind":"verdict","command":"y","verdict":"deny"' | rows
run 0 'another record' metrics
reads 'by the rules'
sample 'caisson_record_rows_total{kind="verdict"}' 1
echo '{"v":1,"seq":' >"$CAISSON_STATE/metrics.json"
run 0 'a damaged file of counts' metrics
reads 'is counted anew'
sample 'caisson_record_rows_total{kind="verdict"}' 1

# ---- stats ----
rm -rf "$CAISSON_STATE"
{
	row 40 '"kind":"verdict","command":"old","verdict":"deny","reasons":["secret-read"]'
	for i in 1 2 3; do row 2 \
		'"kind":"verdict","agent_id":"a1","command":"cat .env\u001b[2J","verdict":"deny","reasons":["secret-read"]'; done
	row 1 '"kind":"begin","agent_id":"a2","command":"ls","verdict":"allow"'
	row 1 '"kind":"end","agent_id":"a2","command":"ls","verdict":"allow","status":"ok","exit_code":0,"duration_ms":30,"cpu_ms":1,"peak_memory_mb":3,"validation":{"outcome":"valid","result":"pass","task":"test"}'
} | rows
run 0 'stats' stats
out ': 5 rows, 4 requests judged (75 % denied), 1 run, 1 result$'
out '^validated (100 % passed)$'
out '^  secret-read  *3  ████'
out '^  time  *█  half at most 50 ms, 95 % at most 50 ms'
out '^  memory  *█  half at most 4 MB'
out "^2 days, $(day 2) to $(day 1)"
out '^  deny  *3  █[.]$'
! grep -q $'\x1b' "$tmp/out"
result $? 'no control character reaches the terminal'
LC_ALL=C "$CAISSON" stats >"$tmp/out" 2>"$tmp/err"
! LC_ALL=C grep -q '[^ -~]' "$tmp/out" && grep -q '####' "$tmp/out"
result $? 'bars in ASCII'
for columns in 40 80; do
	COLUMNS=$columns "$CAISSON" stats >"$tmp/out" 2>"$tmp/err"
	[[ $(LC_ALL=C.UTF-8 wc -L <"$tmp/out") -le $columns && $(wc -l <"$tmp/out") -le 36 ]]
	result $? "the page fits into $columns columns"
done
run 0 'all of it' stats --since 90d --json
json '.verdicts.deny == 4 and .judged == 5 and .deny_rate_percent == 80 and (.days | length) == 3 and .runs == [{"name": "ok", "count": 1}]'
json '.denied_by_rule == [{"name": "secret-read", "count": 4}] and .agents[0] == {"name": "a1", "count": 3}'
json '[.duration_ms[].count] | add == 1'
run 0 'one agent' stats --agent a2 --json
json '.judged == 1 and .verdicts.deny == 0'
run 0 'a time without rows' stats --since 2999-01-01
out '^no rows$'
run 64 'not a time' stats --since soon
run 64 'not a number' stats --top x
"$CAISSON" check 'caisson metrics --textfile ~/.bashrc' >/dev/null
[[ $? == 2 ]]
result $? 'an agent may not write files by it'
"$CAISSON" check 'caisson stats' >/dev/null
result $? 'and may look'
for c in metrics stats; do
	"$CAISSON" help --man "$c" | cmp -s - "$here/man/caisson-$c.1"
	result $? "man/caisson-$c.1 is what the tables say"
done
echo "1..$n"
