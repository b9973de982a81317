#!/bin/sh
# Broken and hostile configs: testdata/syntax/* and what tests/syntax/hostile makes. Each is checked
# without hanging and says in its first finding what testdata/syntax/expected holds, one line a file:
#     NAME: exit STATUS [LINE:COLUMN SEVERITY RULE MESSAGE]
# UPDATE=1 rewrites that table. Then the files that cannot be read, and stdouts that cannot be written.
set -u
passed=0 failed=0
table=testdata/syntax/expected
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/hostile"
tests/syntax/hostile "$work/hostile" || exit 2

"$BUILD/judge" syntax testdata/syntax/*.* "$work"/hostile/* >"$work/table"
if [ -n "$UPDATE" ]; then
	cmp -s "$work/table" "$table" || cp "$work/table" "$table"
fi
failed=$(diff "$table" "$work/table" | grep -c '^>')
passed=$(($(wc -l <"$work/table") - failed))
diff -U 0 "$table" "$work/table" | head -n 40

# expect STATUS STDERR COMMAND: a shell line, run in the work folder
expect() {
	(cd "$work" && PATH="$(dirname "$BIN"):$PATH" timeout $((LIMIT / 10)) sh -c "$3" >out 2>err </dev/null)
	status=$?
	if [ "$status" = "$1" ] && { [ -z "$2" ] || grep -qF "$2" "$work/err"; }; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$3: exit status $status, expected $1 and '$2'; got:"
		head -n 5 "$work/err"
	fi
}
echo 'parplan: 1' >"$work/good.yaml"
expect 2 "cannot read 'hostile': Is a directory" 'parplan sim hostile'
expect 2 "cannot read 'none.yaml': No such file or directory" 'parplan check none.yaml'
expect 2 "cannot read 'good.yaml/x': Not a directory" 'parplan check good.yaml/x'
expect 2 "cannot read '': No such file or directory" "parplan check ''"
expect 2 "cannot read '<stdin>': Bad file descriptor" 'parplan check - <&-'
expect 2 'cannot write to stdout: No space left on device' 'parplan check good.yaml >/dev/full'
expect 2 'cannot write to stdout: Bad file descriptor' 'parplan check good.yaml >&-'
expect 0 '' 'parplan check - <good.yaml'
expect 0 '' 'parplan check /dev/stdin <good.yaml'
expect 1 '' 'parplan check - </dev/zero'
expect 1 '' 'printf "parplan: [" | parplan check -'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
