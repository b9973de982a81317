parplan diff plans/mistake-degrees.yaml plans/fsdp-tp-8x8.yaml
