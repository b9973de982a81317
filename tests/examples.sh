#!/bin/sh
# Every example that `parplan COMMAND --help` shows does its job: exit status 0 or 1, never 2.
set -u
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
root=$PWD

for command in $(parplan --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	parplan "$command" --help | sed -n '/^Examples:/,$s/^ *\(parplan .*\)/\1/p' >"$work/examples"
	while read -r example; do
		# In a copy, for an example may write a file.
		rm -rf "$work/here" && mkdir "$work/here" && cp -r "$root/plans" "$root/testdata" "$work/here/" 2>/dev/null
		(cd "$work/here" && timeout 60 sh -c "$example") >"$work/out" 2>&1 </dev/null
		status=$?
		if [ "$status" -lt 2 ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			head -n 10 "$work/out"
			echo "exit status $status; again: $example"
		fi
	done <"$work/examples"
done
[ $((passed + failed)) = 0 ] || echo "$passed passed, $failed failed"
