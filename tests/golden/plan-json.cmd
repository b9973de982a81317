parplan plan --format json --param 'layers.31.attention.wq' --rank 0,9 plans/hsdp-2x8.yaml | jq .
