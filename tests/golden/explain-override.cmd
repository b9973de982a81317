parplan explain plans/hsdp-2x8.yaml tp world --set parallelism.tp=2 --world 32
