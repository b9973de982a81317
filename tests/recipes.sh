#!/bin/sh
# The recipes of docs/ci.md, the GitHub action and the pre-commit hooks, each run in a temporary git repository
# with a good and a bad change. Actions that others host, gh, pip and pre-commit itself are not run: their parts
# here are the commands, the inputs, what GitHub is asked for and the `files:` patterns.
# shellcheck source=tests/ci/repositories
. tests/ci/repositories
unset GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_PATH

expect() { # SENTENCE COMMAND...
	sentence=$1
	shift
	if "$@" >"$work/out" 2>&1; then pass; else fail "$sentence; again: $*"; fi
}
# exits STATUS COMMAND...
exits() {
	want=$1
	shift
	"$@"
	got=$?
	[ "$got" = "$want" ] || {
		echo "exit status $got, not $want"
		return 1
	}
}

# A repository with a remote whose branch main is what pull requests go into, and a branch for each change.
git init -q -b main "$work/origin" && cd "$work/origin" || exit 2
mkdir -p train_configs values
cp "$root/testdata/ci/hsdp.yaml" train_configs/hsdp.yaml
cp "$root/testdata/ci/mistake.yaml" train_configs/known.yaml
echo 'greeting: hello' >values/values.yaml
git add . && git commit -qm base
git checkout -qb good && sed -i 's/local_batch_size: 2/local_batch_size: 1/' train_configs/hsdp.yaml
echo 'greeting: hi' >values/values.yaml && git commit -qam good
git checkout -qb bad main && sed -i 's/dp_replicate: 2/dp_replicate: 1/' train_configs/hsdp.yaml
git commit -qam bad && git checkout -q main
git clone -q "$work/origin" "$work/clone" && cd "$work/clone" || exit 2
export GITHUB_BASE_REF=main CHANGE_TARGET=main PULL_REQUEST=7
CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse origin/main)
export CI_MERGE_REQUEST_DIFF_BASE_SHA
# GitHub's comments of a pull request lie in $work/comments.json; pip has nothing to do.
mkdir "$work/bin" && cp "$root/tests/ci/gh" "$work/bin/" && cp /bin/true "$work/bin/pip"
PATH=$work/bin:$PATH
export COMMENTS="$work/comments.json" GITHUB_REPOSITORY=owner/repository

# ---- the action ----

action=$root/.github/actions/parplan
# act BRANCH NAME=VALUE...: its run.sh with those inputs.
act() {
	git checkout -q "$1" || return 3
	shift
	env GITHUB_OUTPUT="$work/output" GITHUB_STEP_SUMMARY="$work/summary" "$@" "$action/run.sh" >"$work/annotations"
}
knows() { parplan check --format "$1" "$root/testdata/ci/ddp.yaml" >/dev/null 2>&1; }
if knows github && knows sarif; then
	expect "the action stops a good change" exits 0 act good BASE=origin/main
	expect "the action says no status" grep -qx status=0 "$work/output"
	expect "the action writes no summary" grep -q '<!-- parplan ci -->' "$work/summary"
	expect "the action lets a bad change pass" exits 1 act bad BASE=origin/main SARIF="$work/sarif" \
		MARKDOWN="$work/comment" REPORT="$work/page.html" OPTIONS='--world 16 --color never'
	expect "a bad change has no annotation" grep -q '^::error .*file=train_configs/hsdp.yaml' "$work/annotations"
	expect "what is known is annotated" exits 1 grep -q known.yaml "$work/annotations"
	expect "the SARIF is none" jq -e '.runs[0].results[0].ruleId' "$work/sarif"
	expect "the Markdown is none" grep -q 'degrees-product' "$work/comment"
	expect "the page is none" grep -q 'degrees-product' "$work/page.html"
	expect "the page is not uploaded" grep -qx report=true "$work/output"
	expect "the page holds what is not changed" exits 1 grep -q 'train_configs/known.yaml' "$work/page.html"
	expect "the action fails where nothing is to" exits 0 act bad BASE=origin/main FAIL_ON=never
	expect "the action does not take files" exits 1 act good FILES='train_configs/**/*.yaml'
	expect "the action does not hand on options" exits 0 act good FILES='train_configs/hsdp.yaml' OPTIONS='--world 16'
	printf 'parplan: 1\nframework: {torchtitan: v0.2.0}\nmodel: llama3-8b\nparallelism: {tp: 2}\n' >partly.yaml
	expect "the action is strict by itself" exits 0 act good FILES=partly.yaml
	expect "the action is not strict" exits 1 act good FILES=partly.yaml STRICT=true
	rm -f partly.yaml
fi
expect "the action does not ask for a base or files" exits 2 act good
expect "the action takes a base that is not there" exits 2 act good BASE=origin/nowhere

# Names of files are data: none is an option, stdin or the end of options, wherever it lies.
odd() { # NAME...: a bad config beside empty files of those names, in a branch of their own
	git checkout -q -B odd origin/main && git rm -q -r --cached . && rm -rf ./* && cp "$root/testdata/ci/mistake.yaml" bad.yaml || return
	for name in "$@"; do
		mkdir -p "./$(dirname "./$name")" && : >"./$name"
	done
	git add -A && git commit -qm odd
}
# shellcheck disable=SC2016
for name in --write-baseline=z.yaml --fail-on=never.yaml --config=p.yaml --help.yaml -q.yaml -.yaml '--output=/out/x.yaml' \
	'$(touch pwn).yaml' '`touch pwn`.yaml' ';touch pwn;.yaml' --.yaml; do
	odd "$name"
	printf 'fail-on: never\n' >p.yaml
	expect "a file named $name lets a bad change pass" exits 1 act odd FILES='**/*.yaml'
	expect "a file named $name lets a bad change pass, of a pull request" exits 1 act odd FILES='**/*.yaml' BASE=origin/main
	expect "a file named $name is obeyed" [ ! -e z.yaml -a ! -e pwn -a ! -e /out ]
	rm -f p.yaml
done
for name in --help - -- -q --no-config; do
	odd "$name"
	expect "a file named $name lets a bad change pass" exits 1 act odd FILES='*'
done

# A tarball as a release has it, by its checksum alone.
mkdir -p "$work/release/parplan-0/bin" && cp "$BIN" "$work/release/parplan-0/bin/" &&
	tar -czf "$work/parplan.tar.gz" -C "$work/release" parplan-0
sum=$(sha256sum <"$work/parplan.tar.gz")
sum=${sum%% *}
wrong=$(echo "$sum" | tr 0-9a-f 1-9a-f0) # in every digit
install_archive() { # SHA256
	rm -rf "$work/runner" && mkdir "$work/runner" &&
		env RUNNER_TEMP="$work/runner" GITHUB_PATH="$work/path" ARCHIVE="file://$work/parplan.tar.gz" SHA256="$1" "$action/install.sh"
}
# What `make dist` calls it, below a folder that is named as the tag.
tarball=parplan-0-$(uname -s -m | tr 'A-Z ' 'a-z-').tar.gz
sums="$sum  $tarball"
install_release() { # TAG SHA256SUMS
	rm -rf "$work/runner" "$work/releases" && mkdir -p "$work/runner" "$work/releases/v0" &&
		cp "$work/parplan.tar.gz" "$work/releases/v0/$tarball" && echo "$2" >"$work/releases/v0/SHA256SUMS" &&
		env RUNNER_TEMP="$work/runner" GITHUB_PATH="$work/path" RELEASES="file://$work/releases" VERSION="$1" "$action/install.sh"
}
if command -v curl >/dev/null; then
	expect "an archive cannot be installed" install_archive "$sum"
	expect "what was installed is not on the PATH" grep -qx "$work/runner/parplan/bin" "$work/path"
	expect "what was installed does not run" "$work/runner/parplan/bin/parplan" --version
	expect "an archive with another checksum is installed" exits 1 install_archive "$wrong"
	expect "an archive without a checksum is installed" exits 2 install_archive ''
	expect "a release cannot be installed" install_release v0 "$sums"
	expect "a release does not run" "$work/runner/parplan/bin/parplan" --version
	expect "a release with other checksums is installed" exits 1 install_release v0 "$wrong  $tarball"
	expect "a release without this machine's tarball is installed" exits 2 install_release v0 "$sum  parplan-0-plan9.tar.gz"
	expect "a release is any path" exits 2 install_release v0/../v0 "$sums"
fi

# ---- its comment ----

# comment BRANCH NAME=VALUE...: its comment.sh, of pull request 7.
comment() {
	git checkout -q "$1" || return 3
	shift
	env BASE=origin/main PULL_REQUEST=7 "$@" "$action/comment.sh" >"$work/said"
}
# GitHub's comments: whose, and how many have the marker.
holds() { [ "$(jq -r '[.[] | select(.body | startswith("<!-- parplan ci -->")) | .user.login] | join(" ")' "$COMMENTS")" = "$1" ]; }
if command -v jq >/dev/null; then
	stranger='{"id": 1, "user": {"login": "stranger"}, "body": "<!-- parplan ci -->"}'
	echo "[$stranger]" >"$COMMENTS"
	expect "a change without configs is commented on" comment good CHANGED=0
	expect "something is written" holds stranger
	expect "there is no comment" comment bad CHANGED=1
	expect "there is no comment of ours" holds 'stranger github-actions[bot]'
	expect "the comment says nothing" eval "jq -r '.[1].body' '$COMMENTS' | grep -q degrees-product"
	expect "the comment is not written again" comment good CHANGED=0
	expect "there are two comments" holds 'stranger github-actions[bot]'
	expect "the comment stays as it was" eval "! jq -r '.[1].body' '$COMMENTS' | grep -q degrees-product"
	expect "a stranger's comment is written over" eval "[ \"\$(jq -c '.[0]' '$COMMENTS')\" = \"\$(echo '$stranger' | jq -c .)\" ]"
	expect "a token that may not write fails the job" comment bad CHANGED=1 FORBIDDEN=1
	expect "and is not told of" grep -q '^::notice::parplan: the comment could not be written' "$work/said"
	expect "what is no pull request fails" comment bad PULL_REQUEST=
fi

# ---- the recipes' commands ----

# recipe BRANCH NAME: its commands one after the other, as a job runs them; the first that fails ends it.
recipe() {
	git checkout -q "$1" || return 3
	while read -r command; do
		bash -e -o pipefail -c "$command" </dev/null || return
	done <"$work/$2.sh"
}
# Formats that a recipe names and this program lacks.
lacking() {
	grep -o 'format [a-z]*' "$1" | sort -u | while read -r _ format; do
		[ "$format" = markdown ] || knows "$format" || echo "$format"
	done
}
if python3 -c 'import yaml' 2>/dev/null; then
	(cd "$root" && python3 -B tests/ci/recipes.py docs/ci.md "$work") >"$work/out" 2>&1
	if [ -s "$work/out" ]; then fail "the recipes have faults"; else pass; fi
	for name in parplan-pip gitlab-ci Jenkinsfile; do
		expect "docs/ci.md has no commands for $name" grep -q 'parplan ci .*--base' "$work/$name.sh"
		[ -z "$(lacking "$work/$name.sh")" ] || continue
		expect "the recipe $name stops a good change" exits 0 recipe good "$name"
		expect "the recipe $name lets a bad change pass" exits 1 recipe bad "$name"
	done
	expect "GitLab has no Markdown" grep -q '<!-- parplan ci -->' parplan.md
	rm -f parplan.md parplan.xml gl-code-quality-report.json
fi

# ---- pre-commit ----

# hook ID: runs its entry on the staged files that its pattern takes, as pre-commit does.
hook() {
	pattern=$(awk -F '\t' -v id="$1" '$1 == id { print $2 }' "$work/hooks")
	entry=$(awk -F '\t' -v id="$1" '$1 == id { print $3 }' "$work/hooks")
	if [ -n "$pattern" ]; then
		git diff --cached --name-only | grep -P -- "$pattern" >"$work/names" || return 0
		# shellcheck disable=SC2086
		xargs $entry <"$work/names"
	else
		$entry
	fi
}
stage() { # BRANCH: its change, staged on main
	git checkout -q main && git reset -q --hard && git checkout -q "origin/$1" -- .
}
if [ -s "$work/hooks" ]; then
	for id in parplan local-parplan default-parplan default-parplan-system; do
		expect "hook $id: nothing can be staged" stage good
		expect "hook $id stops a good change" exits 0 hook "$id"
		expect "hook $id takes what is no config" grep -qx train_configs/hsdp.yaml "$work/names"
		stage bad
		# xargs says 123 for a command that says 1.
		expect "hook $id lets a bad change pass" exits 123 hook "$id"
	done
	git checkout -q main && git reset -q --hard && mkdir -p -- --output=z/configs &&
		cp "$root/testdata/ci/mistake.yaml" -- --output=z/configs/bad.yaml && git add -A
	expect "a hook takes a name for an option" exits 123 hook default-parplan
	git rm -q -r --cached -- --output=z && rm -r -- ./--output=z
	git reset -q --hard && git checkout -q good
	expect "hook parplan-ci stops a good branch" exits 0 hook parplan-ci
	git checkout -q bad
	expect "hook parplan-ci lets a bad branch pass" exits 1 hook parplan-ci
fi

echo "$passed passed, $failed failed"
