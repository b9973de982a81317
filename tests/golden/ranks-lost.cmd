parplan ranks plans/hsdp-on-hosts.yaml --lost gpu-b01; parplan ranks plans/hsdp-on-hosts.yaml --lost gpu-a07,rank:16-17
