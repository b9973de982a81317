parplan check plans; parplan plan plans/; parplan check
