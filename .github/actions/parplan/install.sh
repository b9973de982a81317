#!/bin/bash
# Puts parplan on the PATH of later steps: from $ARCHIVE, a tarball of the static program with the checksum
# $SHA256, or built from the sources that this action came with.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${RUNNER_TEMP:-/tmp}/parplan
mkdir -p "$home/bin"

if [ -n "${ARCHIVE-}" ]; then
	[ -n "${SHA256-}" ] || { echo "::error::parplan: an archive needs its sha256"; exit 2; }
	curl -fsSL --retry 3 -o "$home/parplan.tar.gz" "$ARCHIVE"
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
