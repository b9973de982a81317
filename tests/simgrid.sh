#!/bin/sh
# Collectives against SimGrid, a simulator of networks that knows nothing of parplan: testdata/simgrid/times.tsv
# holds what it says when the algorithms run message by message (tests/simgrid/), on the links of our presets at
# their full rates. Where SimGrid is installed it is asked again; UPDATE=1 takes its answers.
set -u
command -v jq >/dev/null || exit 0
table=testdata/simgrid/times.tsv
hop=0.6 net_hop=7 # us
passed=0 failed=0
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# Full rates, and no time but that of bytes and hops: what a simulation of links can know.
cat >"$dir/exact.yaml" <<PROFILE
link: {share: 1, start: 0, hop: $hop, ramp: 0, copy: 1.0e+9, exchange: 0}
net: {hop: $net_hop, ramp: 0}
fabric: {efficiency: 1, latency: 0}
PROFILE

# simulate OP RANKS NODES BYTES LINK NIC
simulate() {
	awk -v ranks="$2" -v nodes="$3" -v link="$5" -v nic="$6" -v hop=$hop -v net_hop=$net_hop \
		-f tests/simgrid/platform.awk >"$dir/platform.xml"
	"$dir/collectives" --cfg=network/model:CM02 --cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0 \
		--cfg=surf/precision:1e-12 --log=root.thres:error "$dir/platform.xml" "$1" "$2" "$3" "$4"
}

# forecast OP RANKS NODES BYTES GPU
forecast() {
	op=$1
	[ "$op" != pairwise ] || op=all_to_all
	"$BIN" coll --format json --op "$op" --ranks "$2" --nodes "$3" --bytes "$4" --gpu "$5" --algo Ring --proto Simple \
		--profile "$dir/exact.yaml" | jq '.results[0].time_us'
}

# count STATUS MESSAGE
count() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$2"
	fi
}

# Within 1 % where all hops are alike; 5 % where they are not (a ring that passes whole parts waits for the network
# every step, NCCL's passes slices and does so once a round) and where a pipeline fills (broadcast). Pairwise steps
# take longer than NCCL's exchange, which posts all at once: SimGrid's time of them is a bound.
near() {
	awk -v op="$1" -v ranks="$2" -v nodes="$3" -v simulated="$4" -v ours="$5" 'BEGIN {
		off = ours / simulated - 1
		if (op == "pairwise")
			exit !(ours > 0 && off < .01)
		alike = nodes == 1 || nodes == ranks || op == "all_to_all" || op == "send_recv"
		most = alike && op != "broadcast" ? .01 : .05
		exit !(off > -most && off < most)
	}'
}

same() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > 0 && a / b - 1 < 1e-4 && b / a - 1 < 1e-4) }'
}

simgrid=no
if pkg-config --exists simgrid 2>/dev/null; then
	# shellcheck disable=SC2046
	if cc -std=c11 -O1 $(pkg-config --cflags simgrid) -o "$dir/collectives" tests/simgrid/collectives.c -lsimgrid; then
		simgrid=yes
	else
		failed=$((failed + 1))
	fi
fi

tab=$(printf '\t')
while IFS=$tab read -r op ranks nodes bytes gpu link nic us; do
	case $op in '' | '#'*)
		printf '%s\n' "$op" >>"$dir/new"
		continue
		;;
	esac
	what="$op of $bytes bytes over $ranks ranks on $nodes nodes, $gpu"
	if [ $simgrid = yes ]; then
		again=$(simulate "$op" "$ranks" "$nodes" "$bytes" "$link" "$nic")
		[ -z "$UPDATE" ] || us=$again
		same "$us" "$again"
		count $? "$what: SimGrid says $again us, $table $us"
	fi
	printf '%s\t' "$op" "$ranks" "$nodes" "$bytes" "$gpu" "$link" "$nic" >>"$dir/new"
	printf '%s\n' "$us" >>"$dir/new"
	ours=$(forecast "$op" "$ranks" "$nodes" "$bytes" "$gpu")
	near "$op" "$ranks" "$nodes" "$us" "${ours:-0}"
	count $? "$what: $ours us, SimGrid says $us"
done <$table
if [ -n "$UPDATE" ] && [ $simgrid = yes ]; then
	cp "$dir/new" $table
fi
echo "$passed passed, $failed failed"
