#!/bin/bash
# Runs parplan as action.yml was told: annotations on stdout, a summary of the job, SARIF and Markdown into
# files. $BASE: report what is new since it; else all that $FILES have.
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
[ -z "${FAIL_ON-}" ] || command+=(--fail-on "$FAIL_ON")

# report FORMAT: once more, in another form; what fails has failed above.
report() {
	"${command[@]}" --format "$1" --fail-on never "${options[@]}" || [ $? -lt 2 ]
}

status=0
"${command[@]}" --format github "${options[@]}" || status=$?
[ "$status" -lt 2 ] || exit "$status"
[ -z "${SARIF-}" ] || report sarif >"$SARIF"
[ -z "${COMMENT-}" ] || report markdown >"$COMMENT"
if [ -n "${GITHUB_STEP_SUMMARY-}" ] && [ -n "${BASE-}" ]; then
	report markdown >>"$GITHUB_STEP_SUMMARY"
fi
echo "status=$status" >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$status"
