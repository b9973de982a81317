parplan observe --gpu h100-sxm --gpus-per-node 2 --format json testdata/evidence/jobs/fsdp-4/inspector
