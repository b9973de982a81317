parplan explain --keys
