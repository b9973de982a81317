LC_ALL=C.UTF-8 parplan draw plans/moe-etp-qwen3-30b.yaml --figure shards --parameter experts.w1
