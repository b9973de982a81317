parplan observe
