#!/bin/bash
# Read by run.sh and comment.sh: $command, what parplan is asked, from the inputs $BASE, $FILES, $STRICT and $OPTIONS.
# It takes a format and other options behind it.
set -euo pipefail
shopt -s globstar nullglob
read -ra options <<<"${OPTIONS-}"
# Patterns are expanded here, on purpose.
# shellcheck disable=SC2206
files=(${FILES-})
# A name that begins with a dash is no option, nor stdin: whoever opens a pull request chooses names.
for at in "${!files[@]}"; do
	case ${files[at]} in -*) files[at]=./${files[at]} ;; esac
done

if [ -n "${BASE-}" ]; then
	command=(parplan ci --base "$BASE")
elif [ ${#files[@]} -gt 0 ]; then
	command=(parplan check)
else
	echo "::error::parplan: give base (of a pull request), or files that there are"
	exit 2
fi
command+=("${files[@]}")
[ "${STRICT-}" != true ] || command+=(--strict)

# write FORMAT: what is found, in that form, wherever it fails.
write() {
	"${command[@]}" --format "$1" "${options[@]}" --fail-on never || [ $? -lt 2 ]
}
