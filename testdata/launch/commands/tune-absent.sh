tune run --nproc_per_node 8 full_finetune_distributed --config mine/absent.yaml
