LC_ALL=C.UTF-8 parplan draw plans/moe-ep-deepseek-16b.yaml --figure groups
