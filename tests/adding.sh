#!/bin/sh
# Follows docs/adding-a-rule.md to the letter in a copy of the tree: writes the files it shows, builds, and
# runs the tests it names.
set -u
page=docs/adding-a-rule.md
copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT

# What is built already need not be built again: times are kept.
git ls-files -z | xargs -0 cp -a --parents -t "$copy" 2>/dev/null
mkdir -p "$copy/build" && cp -a "$BUILD" "$copy/build/"
awk -v to="$copy/" '
/^```[a-z]+ [a-z]+\// { file = to $2; next }
/^```/ { file = ""; next }
file != "" { print >file }' "$page"

cd "$copy" || exit 2
version=$(parplan --version | sed 's/^parplan //')
if make VERSION="$version" "$BUILD/parplan" >build.log 2>&1 && UPDATE=1 tests/run "$BUILD" rules >rules.log 2>&1 &&
	"$BUILD/parplan" explain odd-world | grep -q 'Use an even number of ranks' && grep -q odd-world docs/rules.md; then
	echo "1 passed, 0 failed"
else
	tail -n 20 build.log rules.log
	echo "following $page fails; again: tests/run $BUILD adding"
	echo "0 passed, 1 failed"
fi
