# Numbers the rows of fields.def and writes who uses which of them, so that a new row makes few objects again:
#   awk -v build=build/release -f fields.awk fields.def SOURCE...
# BUILD/gen/system/field_ids.h   enum field_id. Compilers leave it out of the dependencies that they write (-MMD), for
#                                nearly every source includes it and few use a row.
# BUILD/gen/field/ID             the number of a row; written when it changes
# stdout                         make's rules: an object depends on the rows that its source names
function stop(what) {
	print FILENAME ":" FNR ": " what >"/dev/stderr"
	failed = 1
	exit 1
}

function keep(file, text,   old) {
	getline old <file
	close(file)
	if (old "" != text "")
		print text >file
	close(file)
}

FNR == 1 { definitions = FILENAME ~ /\.def$/ }

definitions && /^FIELDS_FROM\([0-9]+\)/ {
	split($0, part, /[()]/)
	if (part[2] < count)
		stop("the rows before have " count " numbers: let this section and those behind it begin later")
	count = part[2] + 0
}
definitions && /^FIELD\(/ {
	split($0, part, /[(,]/)
	number[part[2]] = count++
	row[++rows] = part[2]
}
definitions { next }

FNR == 1 {
	object = FILENAME
	sub(/^(src|tests)/, build, object)
	sub(/\.c$/, ".o", object)
	print object ": " build "/gen/field/COUNT"
}
/FIELD_##/ && object != whole {
	whole = object
	print object ": src/input/fields.def"
}
/FIELD_[A-Z]/ {
	text = $0
	while (match(text, /FIELD_[A-Z0-9_]+/)) {
		id = substr(text, RSTART + 6, RLENGTH - 6)
		text = substr(text, RSTART + RLENGTH)
		if (id in number && !((object, id) in used)) {
			used[object, id] = 1
			print object ": " build "/gen/field/" id
		}
	}
}

END {
	if (failed)
		exit 1
	header = build "/gen/system/field_ids.h"
	print "#ifndef FIELD_IDS_H\n#define FIELD_IDS_H\n\nenum field_id {" >header
	for (i = 1; i <= rows; i++) {
		print "\tFIELD_" row[i] " = " number[row[i]] "," >header
		keep(build "/gen/field/" row[i], number[row[i]])
	}
	print "\tFIELD_COUNT = " count "\n};\n\n#endif" >header
	keep(build "/gen/field/COUNT", count)
}
