parplan check plans/moe-ep-deepseek-16b.yaml --set parallelism.ep=3
