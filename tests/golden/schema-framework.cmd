parplan schema --framework nothing@1
