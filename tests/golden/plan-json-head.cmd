parplan plan --format json --framework torchtitan@HEAD --framework torch@2.12 --param '^norm' plans/hsdp-2x8.yaml | jq -c '[.views, .data_parallel.mesh, .parameters, .error]'
