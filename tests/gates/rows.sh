#!/bin/sh
# What the tables say of themselves: names unique and kebab-case, texts there and short enough to print.
parplan --help | sed -n 's/^  \([^ ]*\) *\(.*\)/\1|\2/p' | awk -F '|' '
$1 !~ /^[a-z][a-z-]*$/ { print "command " $1 ": name is not kebab-case" }
$2 == "" || length($2) > 64 { print "command " $1 ": summary is empty or over 64 columns" }
seen[$1]++ { print "command " $1 ": named twice" }'
for command in $(parplan --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	parplan "$command" --help | awk -v c="$command" '
	length($0) > 80 && !/^  parplan / { print c " --help: " length($0) " columns: " $0 }'
done
parplan rules >/dev/null 2>&1 || exit 0
parplan rules --format json | jq -r '.rules[] | [.name, .code, .summary, .severity, .evidence, .source] | map(. // "") | join("|")' |
	awk -F '|' '
$1 !~ /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/ { print "rule " $1 ": name is not kebab-case" }
$2 == "" || $3 == "" || $4 == "" { print "rule " $1 ": code, summary or severity is missing" }
name[$1]++ { print "rule " $1 ": named twice" }
code[$2]++ { print "rule " $1 ": code " $2 " is taken" }'
parplan rules --format json | jq -r '[.rules[].name] as $names | .known[] |
	(if .rules == [] and .remark == "" then "known \(.id): no rule and no reason" else empty end),
	(.id as $id | .rules[] | select(IN($names[]) | not) | "known \($id): there is no rule \(.)")'
parplan rules --format json | jq -r '.known[].id' | sort | uniq -d | sed 's/.*/known &: listed twice/'
exit 0
