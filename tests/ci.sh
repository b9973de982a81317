#!/bin/sh
# `parplan ci` in temporary git repositories: what is new, what was there, what moved, and every way in
# which there is nothing to compare with. tests/ci/*.out are its outputs, commits written as COMMIT and
# forecasts as FORECAST; UPDATE=1 rewrites them.
export COLUMNS=120
# shellcheck source=tests/ci/repositories
. tests/ci/repositories

# A repository with a branch main, and a branch pr that is checked out.
begin() { # NAME
	repo=$work/$1
	mkdir -p "$repo/train" && cd "$repo" && git init -q -b main || exit 2
	cp "$root/testdata/ci/hsdp.yaml" train/hsdp.yaml
	cp "$root/testdata/ci/mistake.yaml" train/mistake.yaml
	cp "$root/testdata/ci/five.yaml" train/five.yaml
	printf 'greeting: hello\n' >values.yaml
	printf 'a: {{ .Values.greeting }\n' >chart.yaml
	git add . && git commit -qm base && git checkout -qb pr
}
commit() { git add -A && git commit -qm "$1"; }

# Runs it; what it prints lies in $work/out, with the commit taken out.
ci() {
	parplan ci "$@" >"$work/out" 2>&1 </dev/null
	status=$?
	# shellcheck disable=SC2016
	sed -E 's/\([0-9a-f]{12}\)/(COMMIT)/; s/`[0-9a-f]{12}`/`COMMIT`/
		s/^(  (memory per GPU|step time) +).*/\1FORECAST/; s/^(\| (memory per GPU|step time) \|).*/\1 FORECAST |/' \
		"$work/out" >"$work/out.$$" &&
		mv "$work/out.$$" "$work/out"
}
exits() { if [ "$status" = "$1" ]; then pass; else fail "$2: exit status $status, not $1"; fi; }
says() { if grep -qF -- "$1" "$work/out"; then pass; else fail "$2: does not say '$1'"; fi; }
silent() { if grep -qF -- "$1" "$work/out"; then fail "$2: says '$1'"; else pass; fi; }
golden() { # NAME
	[ -z "$UPDATE" ] || cmp -s "$work/out" "$root/tests/ci/$1.out" || cp "$work/out" "$root/tests/ci/$1.out"
	if diff -u "$root/tests/ci/$1.out" "$work/out" >"$work/diff"; then
		pass
	else
		cat "$work/diff"
		fail "$1: another output than tests/ci/$1.out"
	fi
}

# What a config had before, wherever it stands now, is not new.
begin moved
{ echo '# a comment above'; cat train/mistake.yaml; } >train/new && mv train/new train/mistake.yaml
commit moved
ci --base main
exits 0 'a comment above two mistakes'
says '2 findings as before' 'a comment above two mistakes'
golden moved

# A good change.
begin good
sed -i 's/local_batch_size: 2/local_batch_size: 4/' train/hsdp.yaml
echo '# more' >>values.yaml
commit good
ci --base main
exits 0 'a larger batch'
says 'global batch      32 -> 64' 'a larger batch'
says '1 changed file is no config' 'a file of values'
golden good
parplan ci --base main | grep -qE 'step time +[0-9.]+ m?s \([0-9.]+ to [0-9.]+\) -> [0-9.]+ m?s' || fail 'no step time before and after'
parplan ci --base main | grep -qE 'memory per GPU +[0-9.]+ GiB' || fail 'no memory'
ci --base main --format markdown
golden good-markdown

# A bad one.
begin bad
sed -i 's/dp_replicate: 2/dp_replicate: 1/' train/hsdp.yaml
commit bad
ci --base main
exits 1 'a degree that does not fit'
says 'train/hsdp.yaml:9:13: error:' 'a degree that does not fit'
golden bad
ci --base main --format markdown
exits 1 'a degree that does not fit, as Markdown'
golden bad-markdown
ci --base main --fail-on never
exits 0 'nothing is to fail'
ci --base main train/five.yaml
exits 0 'another file alone'
says '0 configs changed' 'another file alone'
ci --base main train
exits 1 'a folder'
cd train || exit 2
ci --base main
says 'hsdp.yaml:9:13: error:' 'from a folder within'
silent 'train/hsdp.yaml' 'from a folder within'
cd "$repo" || exit 2
echo 'rules: {degrees-product: warning}' >.parplan.yaml
ci --base main
exits 0 'a level of the project'
echo 'exclude: [train]' >.parplan.yaml
ci --base main
says '0 configs changed' 'an excluded folder'
rm .parplan.yaml
parplan check --write-baseline base.json -q train/hsdp.yaml >/dev/null
ci --base main --baseline base.json
exits 0 'a finding in the baseline'
says '1 in the baseline' 'a finding in the baseline'
rm base.json

# Texts of HEAD count, not what lies about; with --changed those on disk do.
git show main:train/hsdp.yaml >train/hsdp.yaml
ci --base main
exits 1 'an uncommitted repair'
echo train/hsdp.yaml | parplan ci --base main --changed - >"$work/out" 2>&1
status=$?
exits 0 'an uncommitted repair, listed'
echo train/nowhere.yaml | parplan ci --base main --changed - >"$work/out" 2>&1
status=$?
exits 2 'a file that is nowhere'
says 'neither here nor at main' 'a file that is nowhere'

# Files come, go and move.
begin files
git mv train/five.yaml train/renamed.yaml
git rm -q train/mistake.yaml
cp "$root/testdata/ci/ddp.yaml" train/added.yaml
printf 'b: {{ .x }\n' >>chart.yaml
printf 'c: {{ .x }\n' >chart-of-ours.yaml
commit files
ci --base main
exits 0 'files that come and go'
says 'train/renamed.yaml (renamed from train/five.yaml' 'a renamed file'
says 'train/mistake.yaml (deleted' 'a deleted file'
says 'train/added.yaml (added)' 'an added file'
says 'Not read, for their syntax: chart-of-ours.yaml' 'an added file that is not well-formed'
golden files
ci --base main chart-of-ours.yaml
exits 1 'a file that is named and not well-formed'
ci --base main --format json
if command -v python3 >/dev/null; then
	valid=pass
	python3 -B "$root/tests/schemas/validate.py" "$root/docs/schemas/ci.json" <"$work/out" >"$work/why" || valid=fail
	$valid "docs/schemas/ci.json does not fit: $(cat "$work/why")"
	jq -c '.files[] | select(.diff) | .diff' "$work/out" | while read -r diff; do
		echo "$diff" | python3 -B "$root/tests/schemas/validate.py" "$root/docs/schemas/diff.json" || echo misfit
	done >"$work/why"
	if [ -s "$work/why" ]; then fail "docs/schemas/diff.json does not fit: $(cat "$work/why")"; else pass; fi
fi

# What spoils a config that was one is found; so is a checkpoint that is lost.
begin spoilt
echo 'a: [' >>train/hsdp.yaml
commit spoilt
ci --base main
exits 1 'a config that is no longer YAML'
says '[syntax-error]' 'a config that is no longer YAML'
git checkout -q main -- train/hsdp.yaml
sed -i 's/dp_replicate: 2/dp_replicate: 4/; s/nodes: 2/nodes: 4/; s/hsdp$/hsdp/' train/hsdp.yaml
commit grown
ci --base main
says 'ranks             16 -> 32' 'more nodes'
says 'A checkpoint written before this change fails: model reshards' 'more nodes'
says 'dataloader' 'more nodes'

# Settings of the project, where the pull request changes them: each side is judged under its own.
begin settings
git checkout -q main
sed -i 's/^framework.*//' train/hsdp.yaml
echo 'framework: [torchtitan@v0.2.0, torch@2.9]' >.parplan.yaml
commit pinned
git checkout -q -B pr
echo 'framework: [torchtitan@v0.1.0, torch@2.9]' >.parplan.yaml
echo '# touched' >>train/hsdp.yaml
commit settings
ci --base main
says 'torchtitan  v0.2.0 -> v0.1.0' 'another pin of the project'
says '.parplan.yaml (changed)' 'another pin of the project'
echo 'frameworc: []' >>.parplan.yaml
commit typo
ci --base main
exits 1 'a mistake in the settings'
says '.parplan.yaml:2:1: error: unknown key frameworc' 'a mistake in the settings'

# Nothing to compare with.
ci
exits 2 'no base'
says '--base is needed' 'no base'
ci --base nowhere
exits 2 'an unknown base'
says "there is no commit 'nowhere' here: fetch it first" 'an unknown base'
ci --base --help-me
exits 2 'a base that is an option'
git clone -q --depth 1 --branch pr "file://$work/settings" "$work/shallow" 2>/dev/null
cd "$work/shallow" || exit 2
ci --base main
exits 2 'a shallow clone'
says 'fetch-depth: 0' 'a shallow clone without the base'
git fetch -q --depth 1 origin main:refs/remotes/origin/main 2>/dev/null
ci --base origin/main
exits 2 'a shallow clone with the base alone'
says 'HEAD has no commit in common' 'a shallow clone with the base alone'
says 'git fetch --unshallow' 'a shallow clone with the base alone'
git fetch -q --unshallow origin 2>/dev/null
git fetch -q origin main:refs/remotes/origin/main 2>/dev/null
ci --base origin/main
exits 1 'a clone with its history'
ci --base main
says 'did you mean origin/main' 'a branch of the remote alone'
mkdir "$work/plain" && cd "$work/plain" || exit 2
GIT_CEILING_DIRECTORIES="$work" ci --base main
exits 2 'no repository'
says 'no git repository' 'no repository'
cd "$work/moved" || exit 2
ln -s "$BIN" "$work/parplan"
PATH=$work parplan ci --base main >"$work/out" 2>&1
status=$?
exits 2 'no git'
says 'git cannot be run' 'no git'

echo "$passed passed, $failed failed"
