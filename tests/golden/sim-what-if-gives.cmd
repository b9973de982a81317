parplan sim --gpu h200 plans/torchtitan-llama3-8b.toml --world 16 | sed -n 4,8p; parplan sim --gpu h2oo plans/hsdp-2x8.yaml
