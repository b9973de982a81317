parplan diff --format markdown plans/incidents/hsdp-collapse.yaml --framework torchtitan@b19456a98..40a0873b3
