parplan schedule --name megatron-interleaved --pp 2 --microbatches 5 --group 3; parplan schedule --name megatron-interleaved --pp 4 --microbatches 3 --format json
