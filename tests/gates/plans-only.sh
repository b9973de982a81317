#!/bin/sh
# What a step costs follows from a plan: no file of src/sim reads degrees or what shapes groups, stages and
# units. sim/memory_fix.c names such fields where it says what to vary: { FIELD_NAME, "VALUE" }.
fields='TP|PP|CP|EP|ETP|DP|DP_TYPE|DP_REPLICATE|DP_SHARD|SP|ZERO_STAGE|OPTIMIZER_DISTRIBUTED|OPTIMIZER_INSTANCES|FSDP_VERSION|PP_VIRTUAL_STAGES|PP_LAYERS_PER_STAGE|PP_FIRST_STAGE_LESS|PP_LAST_STAGE_LESS|RESHARD_AFTER_FORWARD'
find src/sim -name '*.[ch]' | sort | while read -r file; do
	awk -v file="$file" -v fields="FIELD_($fields)" '
	{ line = $0 }
	# Comments and texts for users may speak of degrees.
	{ gsub(/"([^"\\]|\\.)*"/, "\"\"", line); sub(/\/\/.*/, "", line) }
	comment && !sub(/.*\*\//, "", line) { next }
	{ comment = 0; gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line) }
	sub(/\/\*.*/, "", line) { comment = 1 }
	# The two forms of a variation: the field alone, or one of two by a condition.
	file == "src/sim/memory_fix.c" {
		gsub("[{] *" fields ", *\"\" *[}]", "", line)
		gsub("[?] *" fields " *: *" fields ", *\"\" *[}]", "", line)
	}
	match(line, "(^|[^A-Za-z0-9_])(" fields "|degrees|intended)([^A-Za-z0-9_]|$)") {
		print file ":" FNR ": " $0
	}' "$file"
done
