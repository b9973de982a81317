parplan reshard plans/hsdp-2x8.yaml plans/mistake-degrees.yaml
