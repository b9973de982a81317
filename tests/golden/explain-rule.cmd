parplan explain hsdp-collapsed
