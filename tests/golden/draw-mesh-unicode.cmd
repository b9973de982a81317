LC_ALL=C.UTF-8 parplan draw plans/hsdp-2x8.yaml --color always
