#!/bin/sh
# Stands before ctest on the PATH of a box of a declared test run: asks it for a report, and hands that to the pipe
# that leads out of the box. ctest writes a new file and renames it, so it cannot write to the pipe itself.
REPORT=/caisson/reports/ctest.xml
PATH=$(printf %s "$PATH" | sed 's,/caisson/witness/bin:,,g')
export PATH
case " $* " in
*" -N "* | *" --show-only"* | *" --output-junit "* | *" -S"* | *" -D"* | *" --build-and-test "* | *" --version "* | *" --help"*)
	exec ctest "$@"
	;;
esac
[ -p "$REPORT" ] || exec ctest "$@"
dir=$(mktemp -d) || exec ctest "$@"
ctest --output-junit "$dir/report.xml" "$@"
code=$?
[ ! -e "$dir/report.xml" ] || cat "$dir/report.xml" >"$REPORT"
rm -rf "$dir"
exit "$code"
