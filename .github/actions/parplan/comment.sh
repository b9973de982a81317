#!/bin/bash
# Keeps one comment of the pull request $PULL_REQUEST up to date with what `parplan ci` says of it: the comment of
# $COMMENTER that begins with the marker, or a new one. A pull request that touches no config ($CHANGED is 0) gets no
# new one. Where the token may not write, as in a pull request from a fork, that is said and fails nothing.
# shellcheck source=.github/actions/parplan/command.sh
. "$(dirname "$0")/command.sh"
marker='<!-- parplan ci -->'
comments=repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments

[[ ${PULL_REQUEST-} =~ ^[0-9]+$ ]] || {
	echo "::notice::parplan: this is no pull request, so there is no comment"
	exit 0
}
export marker who="${COMMENTER:-github-actions[bot]}"
mine=$(gh api --paginate "$comments" \
	--jq '.[] | select(.user.login == env.who and (.body | startswith(env.marker))) | .id' | awk 'NR == 1') || mine=
[ -n "$mine" ] || [ "${CHANGED-}" != 0 ] || exit 0
# A comment has 65,536 characters at most.
body=$(write markdown | jq -Rs '{body: (if length > 65000 then .[:65000] + "\n\n... the rest is in the summary of the job" else . end)}')
if [ -n "$mine" ]; then
	sent=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$mine")
else
	sent=(--method POST "$comments")
fi
gh api --silent "${sent[@]}" --input - <<<"$body" ||
	echo "::notice::parplan: the comment could not be written: the token lacks pull-requests: write, or this is a fork"
