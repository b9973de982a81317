#!/bin/sh
# The hook parplan-from-source: builds parplan in this checkout when that has not been done, then is parplan.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$root/build/release/parplan
if [ ! -x "$program" ]; then
	make -s -C "$root" >&2 || {
		echo "parplan could not be built in $root; make -C $root setup installs what it needs" >&2
		exit 2
	}
fi
exec "$program" "$@"
