parplan search --fix nothing=3 plans/hsdp-2x8.yaml
# What the table of layouts calls otherwise, and what has an option of its own.
for other in mb=1 recompute=full gpus=8; do parplan search --fix $other plans/hsdp-2x8.yaml; done
