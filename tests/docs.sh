#!/bin/sh
# Documents that quote the program are run again. Every fenced block of README.md and docs/*.md that starts
# with "$ parplan ..." is replayed from the repository root, each "$ " line a shell command, and must print
# exactly what the document shows. UPDATE=1 rewrites the blocks.
set -u
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Copies a document, with the output of every quoted command made anew.
replay() {
	awk '
	function run(command,   line, pipe) {
		print "$ " command
		pipe = "(" command ") 2>&1 </dev/null"
		while ((pipe | getline line) > 0) print line
		close(pipe)
	}
	/^```/ { fenced = !fenced; quoting = 0; first = fenced; print; next }
	fenced && first { quoting = /^\$ parplan /; first = 0 }
	!quoting { print; next }
	/^\$ / { run(substr($0, 3)) }
	' "$1"
}

for document in README.md docs/*.md; do
	grep -q '^\$ parplan ' "$document" 2>/dev/null || continue
	replay "$document" >"$work/new"
	[ -z "$UPDATE" ] || cmp -s "$work/new" "$document" || cp "$work/new" "$document"
	if diff -u --label "$document" --label "what it prints now" "$document" "$work/new" >"$work/diff"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		head -n 60 "$work/diff"
		echo "$document no longer shows what parplan prints; rewrite it: make golden"
	fi
done
# The index leads to every page.
for document in docs/*.md; do
	page=${document#docs/}
	[ "$page" = README.md ] || grep -q "($page)" docs/README.md && passed=$((passed + 1)) && continue
	failed=$((failed + 1))
	echo "docs/README.md does not lead to $page"
done
[ $((passed + failed)) = 0 ] || echo "$passed passed, $failed failed"
