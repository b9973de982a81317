# Turns presets of numbers into a C table: with figures.def those of costs, fabrics, generations and gpus, with fields.def
# those of models. Their YAML has one form, and a line of another stops the build:
#   key: word | key: "text" | key: ["text", "text"]
#   section:
#     key: 8.0 | key: {value: 8.0, basis: assumed, source: "text"}
BEGIN {
	WORD = "[A-Za-z0-9][A-Za-z0-9._-]*"
	TEXT = "\"[^\"\\\\]*\""
	WHOLE = "(0|[1-9][0-9]*)"
	NUMBER = WHOLE "([.][0-9]+)?"
}
function fail(where, what) {
	print where ": " what >"/dev/stderr"
	failed = 1
	exit 1
}
function refuse(what) {
	fail(FILENAME ":" FNR, what ": " $0)
}
function expect(value, form) {
	if (value !~ "^" form "$") refuse("not understood")
	return value
}
# Cuts `lead` and what has the form behind it off the front of `rest`; what that is, or "".
function take(lead, form,  taken) {
	if (!match(rest, "^" lead form)) return ""
	taken = substr(rest, length(lead) + 1, RLENGTH - length(lead))
	rest = substr(rest, RLENGTH + 1)
	return taken
}
function number(value,  basis, source) {
	rest = value
	if (sub(/^[{]/, "", rest)) {
		value = take("value: ", NUMBER)
		basis = take(", basis: ", "(datasheet|measured|fitted|assumed)")
		source = take(", source: ", TEXT)
		expect(rest, "[}]")
	}
	return "{ " expect(value, NUMBER) ", BASIS_" toupper(basis == "" ? "datasheet" : basis) ", " (source == "" ? 0 : source) " }"
}
function setting(sort, value) {
	if (sort == "INT") return expect(value, WHOLE) ", 0"
	if (sort == "BOOL") return expect(value, "(true|false)") ", 0"
	if (sort != "TEXT") refuse("no number and no word belongs here")
	return "0, \"" expect(value, WORD) "\""
}
function names(value) {
	expect(value, "\\[" TEXT "(, " TEXT ")*\\]")
	return "(const char *const[]) { " substr(value, 2, length(value) - 2) ", 0 }"
}
function refer(to) {
	if (!(to in referred)) referred[to] = FILENAME ":" FNR
	return to
}
function put(key, value) {
	if (seen[path, key]++) refuse("twice in one file")
	if (key == "like") like[path] = refer(folder "/" value)
	if (key == "generation") refer("generations/" value)
	if (key == "names") head[key] = names(value)
	else if (key == "source") head[key] = models ? 0 : expect(value, TEXT)
	else if (key ~ /^(like|generation|family)$/) head[key] = "\"" expect(value, WORD) "\""
	else if (!(under key in id)) refuse("no key of " definitions)
	else rows[count++] = id[under key] ", " (models ? setting(type[under key], value) : number(value))
}
function has(key) {
	return key in head ? head[key] : 0
}
function end_row(  i) {
	if (path == "") return
	printf "\t{ "
	if (!models) printf "\"%s\", ", folder
	printf "\"%s\", %s, ", name, has("like")
	if (models) printf "%s, ", has("family")
	else printf "%s, %s, %s, ", has("generation"), has("source"), has("names")
	printf count ? "(const struct preset_" kind "[]) {\n" : "0"
	for (i = 0; i < count; i++) printf "\t\t{ %s },\n", rows[i]
	printf count ? "\t  }, %d },\n" : ", %d },\n", count
}
FILENAME ~ /[.]def$/ {
	definitions = FILENAME
	if (split($0, part, /[(", ]+/) < 4 || part[1] !~ /^(FIGURE|FIELD)$/) next
	id[part[3]] = part[1] "_" part[2]
	type[part[3]] = part[4]
	models = part[1] == "FIELD"
	subject = models ? "model" : "profile"
	kind = models ? "setting" : "number"
	under = models ? "model." : ""
	next
}
FNR == 1 {
	if (path == "") {
		printf "#include \"%s_preset.h\"\n\n", models ? "plan/model" : "cost/profile"
		printf "const struct preset_%s preset_%ss[] = {\n", subject, subject
	}
	end_row()
	count = split("", head)
	path = FILENAME
	sub(/^.*src\/presets\//, "", path)
	sub(/[.]yaml$/, "", path)
	folder = name = path
	sub(/\/.*/, "", folder)
	sub(/.*\//, "", name)
	known[path] = 1
	section = ""
}
/^ *(#|$)/ { next }
section == "ids" && /^  - [^ ]+$/ { next } # input/settings/hf_model.c reads them
{
	sub(/ +#[^"]*$/, "")
	if (!match($0, /^(  )?[a-z][a-z0-9_]*:( |$)/)) refuse("not understood")
	key = value = $0
	sub(/:.*/, "", key)
	sub(/^ *[^ ]*: */, "", value)
	if (sub(/^  /, "", key)) put(section "." key, value)
	else if (value == "") section = key
	else {
		section = ""
		put(key, value)
	}
}
END {
	if (failed) exit 1
	end_row()
	print "\t{ 0 }\n};"
	for (to in referred) {
		if (!(to in known)) fail(referred[to], "no preset " to)
		depth = 0
		for (step = to; step in like; step = like[step])
			if (depth++ > 9) fail(referred[to], to " is like itself")
	}
}
