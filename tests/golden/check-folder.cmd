parplan check testdata/folder; parplan plan plans/
