# A config that --fix or --vary keep out has no place among what was searched; it is compared with the best there.
search() { parplan search plans/hsdp-2x8.yaml --top 1 "$@"; }
yours() { search "$@" | sed -n '/^Yours/,/^  the best/p'; }
yours --fix tp=2
yours --fix cp=2,4 --vary mode=full,none --objective cost
yours --fix tp=4 --objective tokens-per-gpu | tail -n +2
search --fix tp=2 --format json | grep -o '"current":{[^[]*.[^]]*]'
echo "== it has one where its own values are among them"
yours --fix tp=1,2 --fix cp=1 --fix pp=1 --fix dp_replicate=2 --vary mode=selective,full --fix micro_batch_size=1,2
