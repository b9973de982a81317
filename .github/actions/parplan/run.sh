#!/bin/bash
# Runs parplan as action.yml was told: annotations on stdout, a summary of the job, SARIF, Markdown and a page of HTML
# into files. $BASE: report what is new since it; else all that $FILES have.
# shellcheck source=.github/actions/parplan/command.sh
. "$(dirname "$0")/command.sh"

says() { echo "$1" >>"${GITHUB_OUTPUT:-/dev/null}"; }

# Of the options, those that `parplan report` has, too, each a word or two.
shared=()
take_shared() {
	local at word
	for ((at = 0; at < ${#options[@]}; at++)); do
		word=${options[at]}
		case $word in
		--set=* | --env=* | --dialect=* | --launcher=* | --world=* | --framework=* | --config=* | --no-config | --allow-outside)
			shared+=("$word")
			;;
		--set | --env | --dialect | --launcher | --world | --framework | --config)
			shared+=("$word" "${options[at + 1]-}")
			at=$((at + 1))
			;;
		esac
	done
}

# Into configs: what is judged and still there.
judged() {
	local names
	configs=("${files[@]}")
	[ -n "${BASE-}" ] || return 0
	names=$(mktemp)
	write json | jq -j '.files[] | select(.status != "deleted") | .path + "\u0000"' >"$names"
	mapfile -d '' configs <"$names"
	rm -f "$names"
}

# page CONFIG...: of those. One that cannot be drawn does not stop the job, which has been judged.
page() {
	[ $# -gt 0 ] || return 0
	take_shared
	if parplan report -o "$REPORT" "${shared[@]}" --end-of-options "$@" || [ $? = 1 ]; then
		says report=true
	else
		echo "::warning::parplan: there is no page $REPORT"
	fi
}

status=0
fails=(${FAIL_ON:+--fail-on "$FAIL_ON"})
"${command[@]}" "${fails[@]}" --format github "${options[@]}" || status=$?
[ "$status" -lt 2 ] || exit "$status"
[ -z "${SARIF-}" ] || write sarif >"$SARIF"
[ -z "${MARKDOWN-}" ] || write markdown >"$MARKDOWN"
if [ -n "${GITHUB_STEP_SUMMARY-}" ] && [ -n "${BASE-}" ]; then
	write markdown >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${REPORT-}" ] || [ "${COMMENT-}" = true ]; then
	judged
	says "changed=${#configs[@]}"
	[ -z "${REPORT-}" ] || page "${configs[@]}"
fi
says "status=$status"
exit "$status"
