parplan plan --format json --framework torchtitan@HEAD --param '^norm' plans/hsdp-2x8.yaml | jq -c '[.views, .data_parallel.mesh, .parameters]'
