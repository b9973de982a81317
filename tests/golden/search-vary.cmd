parplan search --vary seq_len=4096,8192 --fix pp=1 --fix cp=1 --within 2% plans/hsdp-2x8.yaml
