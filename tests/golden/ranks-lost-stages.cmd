parplan ranks plans/pp-interleaved-405b.yaml --lost node3; parplan ranks plans/moe-ep-deepseek-16b.yaml --lost node1; parplan ranks plans/fault-tolerant.yaml --lost 0
