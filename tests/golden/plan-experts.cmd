parplan plan plans/moe-ep-deepseek-16b.yaml
