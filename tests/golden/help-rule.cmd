parplan help hsdp-collapsed
