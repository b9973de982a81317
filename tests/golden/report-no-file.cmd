parplan report plans/hsdp-2x8.yaml no-such.yaml -o -
