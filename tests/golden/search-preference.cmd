# A batch of preferences counts pairs, whoever says it: the option, the head of the table, and the config beside it.
d=$(mktemp -d); printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_checkpointing: true\nbf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\nrl: dpo\n' >$d/c.yaml
parplan search --world 8 --set cluster.gpu=h100-sxm --set model.preset=llama3-8b --global-batch 16 --top 1 $d/c.yaml 2>&1 | grep -o 'a step of.*\|Yours.*'
rm -r $d
