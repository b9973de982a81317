parplan search --hosts plans/hosts/four-nodes --top 1 --fix pp=1 --fix cp=1 plans/hsdp-2x8.yaml
