#!/bin/sh
# `make install` into a folder of its own: all that belongs there is there and of good form, and
# `make uninstall` leaves nothing behind.
set -u
passed=0 failed=0
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
share=$root/usr/share

expect() { # SENTENCE COMMAND...
	sentence=$1
	shift
	if "$@" >"$root.out" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		head -n 20 "$root.out"
		echo "install: $sentence; again: $*"
	fi
	rm -f "$root.out"
}

# completes WORD WORD...: bash offers the first word after the others.
completes() {
	# shellcheck disable=SC2016
	bash -c '. "$1"; want=$2; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _parplan
		[ "${COMPREPLY[*]}" = "$want" ]' - "$share/bash-completion/completions/parplan" "$@"
}

# A checker that is not on this machine has no opinion.
judge() { ! command -v "$1" >/dev/null || "$@"; }

# The version is given: this run must not make the program anew while other suites use it.
version=$(parplan --version | sed 's/^parplan //')
expect "make install fails" make install DESTDIR="$root" PREFIX=/usr VERSION="$version"
[ "$failed" = 0 ] || {
	echo "0 passed, 1 failed"
	exit 1
}
expect "the installed program does not run" "$root/usr/bin/parplan" --version
for page in man1/parplan.1 man5/parplan.5 man7/parplan-rules.7; do
	expect "$page has faults" judge mandoc -T lint -W error "$share/man/$page"
done
expect "the bash completion has faults" bash -n "$share/bash-completion/completions/parplan"
expect "the zsh completion has faults" judge zsh -n "$share/zsh/site-functions/_parplan"
expect "the fish completion has faults" judge fish --no-execute "$share/fish/vendor_completions.d/parplan.fish"
expect "the examples are missing" test -f "$share/doc/parplan/plans/hsdp-2x8.yaml"
expect "bash does not complete commands" completes check parplan chec
expect "bash does not complete options" completes --world parplan check --wor
expect "bash does not complete rules" completes hsdp-collapsed parplan explain hsdp-coll
expect "make uninstall fails" make uninstall DESTDIR="$root" PREFIX=/usr VERSION="$version"
expect "uninstall leaves files behind" test -z "$(find "$root" -type f)"
echo "$passed passed, $failed failed"
