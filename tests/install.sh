#!/bin/sh
# `make install` into a folder of its own: all that belongs there is there and of good form, and
# `make uninstall` leaves nothing behind. Tarballs and the Debian package hold what they should.
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
	expect "groff warns of $page" eval "[ -z \"\$(judge groff -ww -man -Tutf8 '$share/man/$page' 2>&1 >/dev/null)\" ]"
done
expect "the bash completion has faults" bash -n "$share/bash-completion/completions/parplan"
expect "the zsh completion has faults" judge zsh -n "$share/zsh/site-functions/_parplan"
expect "the fish completion has faults" judge fish --no-execute "$share/fish/vendor_completions.d/parplan.fish"
expect "the examples are missing" test -f "$share/doc/parplan/plans/hsdp-2x8.yaml"
for document in LICENSE README.md notices docs/install.md docs/images/mesh-64.svg docs/schemas/check.json; do
	expect "$document is missing" test -f "$share/doc/parplan/$document"
done
expect "something cannot be read by everybody" test -z "$(find "$root/usr" ! -perm -444)"
expect "bash does not complete commands" completes check parplan chec
expect "bash does not complete options" completes --world parplan check --wor
expect "bash does not complete rules" completes hsdp-collapsed parplan explain hsdp-coll
expect "make uninstall fails" make uninstall DESTDIR="$root" PREFIX=/usr VERSION="$version"
expect "uninstall leaves files behind" test -z "$(find "$root" -type f)"

# ---- tarballs ----

release=parplan-${version#v}
dist=build/dist
# made TARGET: the checksums of what it makes.
made() {
	rm -rf $dist && make -s "$1" VERSION="$version" >"$root.log" 2>&1 && sha256sum $dist/*.tar.gz
	cat "$root.log" >&2
}
# as_before TARGET: again, under another mask of modes and in another time zone, with the same bytes.
as_before() {
	made "$1" >"$root.sums" && sleep 1 && [ "$(umask 077 && TZ=Asia/Tokyo made "$1")" = "$(cat "$root.sums")" ]
}
unpack() { rm -rf "$root/unpacked" && mkdir "$root/unpacked" && tar -xzf "$1" -C "$root/unpacked"; }

if git rev-parse HEAD >/dev/null 2>&1; then
	expect "two source tarballs differ" as_before dist-source
	expect "the source tarball cannot be unpacked" unpack "$dist/$release.tar.gz"
	expect "the source tarball does not know its version" \
		eval "make -C '$root/unpacked/$release' -pn help | grep -qx 'VERSION := $version'"
	expect "the source tarball lacks sources" test -f "$root/unpacked/$release/src/cli/main.c"
fi
if static=$(echo 'int main(void) { return 0; }' | ${CC-cc} -static-pie -xc - -o "$root.static" -lyaml -lpcre2-8 -lstdc++ 2>&1); then
	expect "two binary tarballs differ" as_before dist-binary
	expect "the binary tarball cannot be unpacked" unpack "$(echo $dist/"$release"-*.tar.gz)"
	program=$root/unpacked/$release/bin/parplan
	expect "the static program needs libraries" eval "! ldd '$program' | grep -q '=>'"
	for format in svg text; do
		parplan draw --format $format plans/hsdp-2x8.yaml >"$root.figure"
		expect "the static program draws $format otherwise" \
			eval "'$program' draw --format $format plans/hsdp-2x8.yaml | cmp - '$root.figure'"
	done
	expect "the static program does not say why it draws no .dot" \
		eval "'$program' draw --format dot plans/hsdp-2x8.yaml 2>&1 | grep -q 'without Graphviz'"
else
	echo "install: no static program here: $static" | head -n 3
fi

# ---- what is in them ----

materials() { docs/packaging/sbom "${version#v}" 1700000000 "$dist/$release"*.tar.gz; }
if ls "$dist/$release"*.tar.gz >/dev/null 2>&1; then
	expect "the checksums cannot be made" make -s dist-sums VERSION="$version"
	expect "the checksums do not fit" eval "(cd $dist && sha256sum --quiet -c SHA256SUMS)"
	expect "the bill of materials is no SPDX" \
		eval "python3 -B tests/schemas/validate.py tests/schemas/spdx.json <'$dist/$release.spdx.json'"
	expect "a bill without a version passes" \
		eval "! sed 's/\"versionInfo\"/\"version\"/' '$dist/$release.spdx.json' | python3 -B tests/schemas/validate.py tests/schemas/spdx.json"
	materials >"$root.first"
	expect "two bills of materials differ" eval "materials | cmp - '$root.first'"
fi
# Code for x86-64 tells where it may be jumped to: the note of our objects (libraries may lack it).
if [ "$(${CC-cc} -dumpmachine | cut -d- -f1)" = x86_64 ] && [ "$BUILD" = build/release ]; then
	expect "objects are made without control-flow enforcement" \
		eval "readelf -n $BUILD/cli/main.o | grep -q 'IBT, SHSTK'"
fi

# ---- the Debian package ----

while read -r described debian; do
	expect "$described is not $debian for Debian" \
		test "$(docs/packaging/deb --version "$described" 1700000000)" = "$debian"
done <<'TABLE'
v0.1.0 0.1.0
v0.1.0-rc1 0.1.0~rc1
v0.1.0-12-gabc1234 0.1.0+12.gabc1234
v0.1.0-rc2-3-gabc1234-dirty 0.1.0~rc2+3.gabc1234+dirty
5294d88 0~git20231114.5294d88
5294d88-dirty 0~git20231114.5294d88+dirty
TABLE

in_root() { dpkg --root="$root/debian" --force-depends --force-script-chrootless --log="$root.dpkg" "$@"; }
if command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null; then
	expect "make deb fails" make deb VERSION="$version"
	package=$(echo build/deb/*.deb)
	expect "lintian has something to say" eval "[ -z \"\$(judge lintian --allow-root --tag-display-limit 0 '$package')\" ]"
	if [ "$(id -u)" = 0 ]; then
		mkdir -p "$root/debian/var/lib/dpkg/info" "$root/debian/var/lib/dpkg/updates"
		: >"$root/debian/var/lib/dpkg/status"
		expect "the package cannot be installed" in_root -i "$package"
		expect "the packaged program does not run" "$root/debian/usr/bin/parplan" --version
		expect "the package cannot be removed" in_root --purge parplan
		expect "the package leaves files behind" test -z "$(find "$root/debian/usr" -type f 2>/dev/null)"
	fi
fi
rm -f "$root".*
echo "$passed passed, $failed failed"
