parplan ranks --format json plans/hsdp-on-hosts.yaml --rank 20 --lost gpu-b02 | jq .
