d=$(mktemp -d) && cp plans/fsdp-8.yaml "$d/a b;\$(id)
\"'é.yaml" && cp plans/fsdp-8.yaml $d/b.yaml && printf 'world: 8\ntp: [1, 3]\n../x:\n  - {dp_shard: 8, reshard_after_forward: never}\n' >$d/sweep && cd $d || exit
parplan search --fix pp=1 --fix cp=1 --top 2 --sweep sweep --write best --end-of-options a*.yaml b.yaml; echo $?
find best | sort
parplan check -q --strict best/*/*; echo $?
parplan search --top 2 --sweep sweep --write best b.yaml
parplan search --fix tp=1 --fix pp=1 --fix cp=1 --top 1 --write three --format json --end-of-options a*.yaml b.yaml 2>&1 | tr ',' '\n' | grep folder
mkdir new && ln -s nowhere new/2_tp-2 && printf 'tp: [1, 2]\n' >sweep && parplan search --sweep sweep --write new b.yaml; ls new
parplan search --sweep sweep --write sweep b.yaml
cd / && rm -r $d
