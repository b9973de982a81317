#!/bin/bash
# Puts parplan on the PATH of later steps: the static program of the release $VERSION below $RELEASES, or of the tarball
# $ARCHIVE, in either case by its checksum; or built from the sources that this action came with.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${RUNNER_TEMP:-/tmp}/parplan
mkdir -p "$home/bin"

stop() { # SENTENCE
	echo "::error::parplan: $1"
	exit 2
}
fetch() { # URL FILE
	curl -fsSL --retry 3 -o "$2" "$1"
}

if [ -n "${VERSION-}" ] && [ -z "${ARCHIVE-}" ]; then
	[[ $VERSION =~ ^v[0-9][0-9A-Za-z.-]*$ ]] || stop 'version is no tag as v0.1.0'
	name=parplan-${VERSION#v}-$(uname -s -m | tr 'A-Z ' 'a-z-').tar.gz
	ARCHIVE=$RELEASES/$VERSION/$name
	if [ -z "${SHA256-}" ]; then
		fetch "$RELEASES/$VERSION/SHA256SUMS" "$home/SHA256SUMS"
		SHA256=$(awk -v name="$name" '$2 == name { print $1 }' "$home/SHA256SUMS")
		[ -n "$SHA256" ] || stop "the release has no $name; leave version out to build parplan here"
	fi
fi
if [ -n "${ARCHIVE-}" ]; then
	[ -n "${SHA256-}" ] || stop 'an archive needs its sha256'
	fetch "$ARCHIVE" "$home/parplan.tar.gz"
	echo "$SHA256  $home/parplan.tar.gz" | sha256sum --check --quiet -
	tar -xzf "$home/parplan.tar.gz" -C "$home" --strip-components=1
else
	root=$(cd "$here/../../.." && pwd)
	make -s -C "$root" setup
	make -s -C "$root" -j"$(nproc)"
	cp "$root/build/release/parplan" "$home/bin/"
fi
"$home/bin/parplan" --version
echo "$home/bin" >>"${GITHUB_PATH:-/dev/null}"
