parplan check
