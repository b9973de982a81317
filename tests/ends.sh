#!/bin/sh
# Every end of a job that `why` knows has a log with all its texts, testdata/ends/NAME.log, and is found in it;
# docs/why.md lists it.
set -u
passed=0 failed=0
verdict() { # STATUS COMPLAINT
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$2"
	fi
}

ends=$(sed -n 's/^END("\([^"]*\)".*/\1/p' src/evidence/log/ends/*.def)
for name in $ends; do
	log=testdata/ends/$name.log
	COLUMNS=1000 parplan why "$log" 2>&1 | grep -q "\[$name\]"
	verdict $? "$name is not found in $log; again: parplan why $log"
	grep -q "\`$name\`" docs/why.md
	verdict $? "docs/why.md does not list $name"
done
for log in testdata/ends/*.log; do
	name=${log##*/}
	echo "$ends" | grep -qx "${name%.log}"
	verdict $? "$log is of no end"
done
echo "$passed passed, $failed failed"
