cd /; parplan check
