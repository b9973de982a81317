parplan diff plans/incidents/hsdp-collapse.yaml --framework torchtitan@b19456a98..cb633e332
