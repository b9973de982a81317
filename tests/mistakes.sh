#!/bin/sh
# Every mistake of src/rules/known/mistakes.c stands in testdata/mistakes/ as somebody could have made it, and
# what check says of it is what would have helped:
#   tp: 16            # want: degrees-product   the rule, on the line of its finding
#   # want-elsewhere: tasks-per-node            the finding is not in the file
#   # say: 2 * 3 = 6                            words of one such finding: its message, facts, quote or fix
#   # severity: error                           the highest severity among them
#   # run: --world 16                           options to run it with
# ID-words.yaml and .toml are checked; ID-words.cmd is a shell line that prints the JSON of a check, in the root.
set -u
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

fail() {
	failed=$((failed + 1))
	echo "$1"
}

check() { # FILE
	options=$(sed -n 's/^# run: //p' "$1" | tr '\n' ' ')
	# shellcheck disable=SC2086
	case $1 in
	*.cmd) grep -v '^#' "$1" >"$work/run" && sh "$work/run" ;;
	*) parplan check --format json "$1" $options ;;
	esac >"$work/json" 2>"$work/err"
	[ $? -lt 2 ] && [ ! -s "$work/err" ]
}

# "LINE RULE" of each finding; line 0 where it is not in the file itself.
found() { # FILE
	jq -r --arg file "$1" '.files[].findings[] |
		"\(if .path == $file and .span then .span.line else 0 end) \(.rule)"' "$work/json" | sort -u
}

wanted() { # FILE
	awk '{ sub(/\r$/, "") }
	match($0, /# want: /) {
		n = split(substr($0, RSTART + RLENGTH), name, /[ ,]+/)
		for (i = 1; i <= n; i++) print FNR, name[i]
	}
	sub(/^# want-elsewhere: /, "") { print 0, $0 }' "$1" | sort -u
}

# What the findings of the wanted rules say, one line each.
said() {
	jq -r --rawfile want "$work/want" '($want | split("\n") | map(split(" ")[1]) | map(select(.))) as $rules |
		.files[].findings[] | select(.rule as $rule | $rules | index($rule)) |
		[.message, .requested, .actual, .consequence, .quote, .fix.description] |
		map(select(.) | gsub("\n"; " ")) | join(" | ")' "$work/json"
}

severity() {
	jq -r --rawfile want "$work/want" '($want | split("\n") | map(split(" ")[1]) | map(select(.))) as $rules |
		[.files[].findings[] | select(.rule as $rule | $rules | index($rule)) | .severity] |
		if index("error") then "error" elif index("warning") then "warning" else "note" end' "$work/json"
}

one() { # FILE
	check "$1" || { fail "$1: $(cat "$work/err"); again: $BUILD/parplan check $1"; return; }
	wanted "$1" >"$work/want"
	found "$1" >"$work/got"
	[ -s "$work/want" ] || { fail "$1 announces nothing"; return; }
	if [ -n "$(comm -23 "$work/want" "$work/got")" ]; then
		fail "$1: not found: $(comm -23 "$work/want" "$work/got" | tr '\n' ' '); again: $BUILD/parplan check $1 $options"
		return
	fi
	said >"$work/said"
	sed -n 's/^# say: //p' "$1" >"$work/say"
	[ -s "$work/say" ] || { fail "$1 wants no words"; return; }
	while IFS= read -r words; do
		grep -qF -- "$words" "$work/said" && continue
		fail "$1: nobody says '$words', but: $(head -c 600 "$work/said"); again: $BUILD/parplan check $1 $options"
		return
	done <"$work/say"
	if [ "$(sed -n 's/^# severity: //p' "$1")" != "$(severity)" ]; then
		fail "$1: the severity is $(severity)"
		return
	fi
	passed=$((passed + 1))
}

parplan rules --format json | jq -r '.known[] | select(.id | test("^[A-H][0-9]")) | "\(.id) \(.rules | join(" "))"' >"$work/known"

# Each row has a file that shows its rules, all of them; a row out of reach has none.
while read -r id rules; do
	files=$(ls testdata/mistakes/"$id".* testdata/mistakes/"$id"-* 2>/dev/null)
	if [ -z "$rules" ]; then
		[ -z "$files" ] || fail "$id is out of reach, yet there is $files"
		continue
	fi
	[ -n "$files" ] || { fail "$id: no file in testdata/mistakes"; continue; }
	# shellcheck disable=SC2086
	for file in $files; do
		wanted "$file"
	done | awk '{ print $2 }' | sort -u | tr '\n' ' ' >"$work/shown"
	# shellcheck disable=SC2086
	listed=$(printf '%s\n' $rules | sort -u | tr '\n' ' ')
	[ "$(cat "$work/shown")" = "$listed" ] ||
		fail "$id: listed are $listed, shown are $(cat "$work/shown")"
done <"$work/known"

for file in testdata/mistakes/*; do
	id=${file#testdata/mistakes/} id=${id%%[.-]*}
	grep -q "^$id " "$work/known" || fail "$file: no mistake $id is known"
	one "$file"
done

echo "$passed passed, $failed failed"
