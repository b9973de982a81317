# Turns the preset files into one C table of (path, text), sorted as given.
BEGIN {
	print "#include \"base/preset.h\"\n"
	print "#pragma GCC diagnostic ignored \"-Woverlength-strings\""
	print "const struct preset presets[] = {"
}
FNR == 1 {
	if (open) print "\t  },"
	name = FILENAME
	sub(/^.*src\/presets\//, "", name)
	sub(/^testdata\//, "", name)
	printf "\t{ \"%s\",\n", name
	open = 1
}
{
	gsub(/\\/, "&&")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\t  \"%s\\n\"\n", $0
}
END {
	if (open) print "\t  },"
	print "\t{ 0, 0 }\n};"
}
