parplan help hsdp-colapsed; parplan help nothing
