parplan check -q plans; parplan check testdata/folder; parplan plan plans/
