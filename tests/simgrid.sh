#!/bin/sh
# Collectives against SimGrid, a simulator of networks that knows nothing of parplan: testdata/simgrid/times.tsv
# holds what it says when the algorithms run message by message (tests/simgrid/), on the links of our presets at
# their full rates. Where SimGrid is installed it is asked again; UPDATE=1 takes its answers.
set -u
command -v python3 >/dev/null || exit 0
table=testdata/simgrid/times.tsv
hop=0.6 net_hop=7 # us
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# Full rates, and no time but that of bytes and hops: what a simulation of links can know.
cat >"$dir/exact.yaml" <<PROFILE
link: {share: 1, start: 0, hop: $hop, ramp: 0, copy: 1.0e+9, exchange: 0}
net: {hop: $net_hop, ramp: 0, channel: 1.0e+6}
fabric: {efficiency: 1, latency: 0}
PROFILE

collectives=-
if pkg-config --exists simgrid 2>/dev/null; then
	# shellcheck disable=SC2046
	if cc -std=c11 -D_POSIX_C_SOURCE=200809L -O1 $(pkg-config --cflags simgrid) -o "$dir/collectives" tests/simgrid/collectives.c -lsimgrid; then
		collectives=$dir/collectives
	else
		echo "0 passed, 1 failed"
		exit 1
	fi
fi

python3 -B tests/simgrid/compare.py "$table" "$dir" "$collectives" $hop $net_hop
