parplan plan --param 'attention\.w[qk]' --rank 0,15 plans/hsdp-2x8.yaml
