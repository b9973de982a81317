parplan search --gpus 32,64 --fix pp=1 --fix cp=1 --top 4 --objective tokens-per-gpu plans/hsdp-2x8.yaml
