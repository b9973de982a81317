parplan rules
