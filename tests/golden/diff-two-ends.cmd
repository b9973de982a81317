parplan diff plans/incidents/renamed-keys.toml plans/torchtitan-llama3-8b.toml --world 16 --framework torchtitan@b19456a98..v0.2.0
