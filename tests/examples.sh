#!/bin/sh
# Every example that `parplan COMMAND --help` and the manual show does its job: exit status 0 or 1, never 2. The
# config that the manual shows is clean.
set -u
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

# fenced PAGE: the lines of literal blocks.
fenced() { awk '/^```/ { inside = !inside; next } inside' "$1"; }

# run_examples: of standard input, one a line.
run_examples() {
	while read -r example; do
		# In a folder of its own, for an example may write a file; with a branch main to compare with, for
		# commands that ask git.
		rm -rf "$work/here"
		mkdir "$work/here"
		case $example in
		*--base*)
			cp -r "$work/kept/plans" "$work/here/"
			(cd "$work/here" && git init -q -b main && git add . && git commit -qm main)
			;;
		*) ln -s ../kept/plans ../kept/testdata "$work/here/" ;;
		esac
		(cd "$work/here" && timeout $((LIMIT / 10)) sh -c "$example") >"$work/out" 2>&1 </dev/null
		status=$?
		if [ "$status" -lt 2 ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			head -n 10 "$work/out"
			echo "exit status $status; again: $example"
		fi
	done
}

# One copy for all of them, which none may change.
mkdir "$work/kept" && cp -r plans testdata "$work/kept/" || exit 2
: >"$work/copied"

for command in $(parplan --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	parplan "$command" --help | sed -n '/^Examples:/,$s/^ *\(parplan .*\)/\1/p' >"$work/examples"
	run_examples <"$work/examples"
done
for page in docs/man/*.scd; do
	fenced "$page" | grep '^parplan [a-z]' >"$work/examples"
	run_examples <"$work/examples"
done
fenced docs/man/parplan.5.scd | sed '/^#/,$d' >"$work/config.yaml"
echo "parplan check --fail-on warning $work/config.yaml | grep 'no findings'" >"$work/examples"
run_examples <"$work/examples"
changed=$(find "$work/kept" -newer "$work/copied")
if [ -n "$changed" ]; then
	failed=$((failed + 1))
	echo "an example wrote into plans or testdata: $changed"
fi
[ $((passed + failed)) = 0 ] || echo "$passed passed, $failed failed"
