parplan draw plans/hsdp-2x8.yaml --figure pareto --set parallelism.pp=1 --set parallelism.tp=1
