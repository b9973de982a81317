parplan draw plans/fsdp-8.yaml --figure shards --parameter layers.0.attention.wqx.weight
