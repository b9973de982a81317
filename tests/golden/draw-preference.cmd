# Passes of a reference model, which have no backward ones, look like no other pass.
printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_checkpointing: true\nbf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\nrl: dpo\n' | parplan draw pipeline --dialect axolotl --world 8 --set cluster.gpu=h100-sxm -
