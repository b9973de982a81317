parplan calibrate --output /dev/null plans/fsdp-8.yaml
