parplan explain hsdp-colapsed
