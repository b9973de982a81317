parplan check testdata/folder; parplan sim plans/
