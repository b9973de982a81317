parplan explain plans/hsdp-2x8.yaml tpp
