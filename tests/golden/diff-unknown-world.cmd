printf "parplan: 1\nmodel: llama3-8b\nparallelism: {dp_replicate: 2}\n" | parplan diff - plans/fsdp-8.yaml
