parplan ranks plans/hsdp-on-hosts.yaml && parplan ranks plans/hsdp-on-hosts.yaml --rank 20
