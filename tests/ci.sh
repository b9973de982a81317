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
says() { [ "$1" != -- ] || shift; if grep -qF -- "$1" "$work/out"; then pass; else fail "$2: does not say '$1'"; fi; }
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

# The policy is the base's, the facts are the pull request's, and each change of either is told.
begin policy
git checkout -q main
printf 'rules: {degrees-product: error}\nframework: [torchtitan@v0.2.0, torch@2.9]\n' >.parplan.yaml
commit settled
git checkout -q -B pr
sed -i 's/dp_replicate: 2/dp_replicate: 1/' train/hsdp.yaml
# silences SETTINGS: what a pull request tries in its own settings, a nearer file and one that is not committed
silences() {
	git checkout -q main -- .parplan.yaml && git rm -qf --ignore-unmatch train/.parplan.yaml
	for place in .parplan.yaml train/.parplan.yaml; do
		printf '%s\n' "$1" >$place
		commit "$1"
		ci --base main
		exits 1 "'$1' in $place"
		says "train/hsdp.yaml:9:13: error:" "'$1' in $place"
		says "$place:1:" "'$1' in $place"
		says "what main says counts until this is merged" "'$1' in $place"
	done
	git checkout -q main -- .parplan.yaml && git rm -qf train/.parplan.yaml
	commit 'as before'
	printf '%s\n' "$1" >.parplan.yaml
	ci --base main
	exits 1 "'$1', not committed"
	git checkout -q .parplan.yaml
}
silences 'fail-on: never'
silences 'exclude: ["*"]'
silences 'ignore: [degrees-product]'
silences 'rules: {degrees-product: off}'
git rm -q .parplan.yaml
commit 'no settings'
ci --base main
exits 1 'settings that are deleted'
says 'rules.degrees-product: error -> none; what main says counts until this is merged' 'settings that are deleted'
git checkout -q main -- .parplan.yaml
parplan check --write-baseline known.json -q train/hsdp.yaml >/dev/null
printf 'baseline: known.json\n' >>.parplan.yaml
commit 'a baseline of its own'
ci --base main
exits 1 'a baseline that the pull request brings'
says 'baseline: none -> known.json' 'a baseline that the pull request brings'
ci --base main --format json
[ "$(jq '[.files[].findings[] | select(.rule == "settings-change")] | length' "$work/out")" = 1 ] ||
	fail 'the change of the settings is not in the JSON'
# What main says by now counts, not what it said when the branch began.
git checkout -q main && printf 'fail-on: never\n' >>.parplan.yaml && commit 'main moves'
git checkout -q pr
ci --base main
exits 0 'what the base says now'
git checkout -q main && printf 'exclude: [train]\n' >.parplan.yaml && commit 'main excludes'
git checkout -q pr
ci --base main
says '1 changed file is excluded by the settings of main' 'a file that the base excludes'
cd train || exit 2
ci --base main
says '1 changed file is excluded by the settings of main' 'from a folder within, what the base excludes'
cd "$repo" || exit 2
# A file that is in no commit is the workflow's.
echo 'fail-on: never' >"$work/mine.yaml"
ci --base main --config "$work/mine.yaml"
exits 0 'settings of the workflow'

begin facts
git checkout -q main
printf 'cluster: {gpus_per_node: 8}\nstrict: true\n' >.parplan.yaml
sed -i '/^cluster/d' train/hsdp.yaml
commit settled
git checkout -q -B pr
echo '# touched' >>train/hsdp.yaml
commit touched
ci --base main
printf 'cluster: {gpus_per_node: 4}\nworld: {"train/": 16}\nstrict: false\n' >.parplan.yaml
commit facts
ci --base main
says '.parplan.yaml:1:26: note: cluster.gpus_per_node: 8 -> 4, for the configs as they are now' 'a fact that changes'
says 'world.train/: none -> 16, for the configs as they are now' 'a fact that is new'
says 'strict: true -> false; what main says counts until this is merged' 'a policy beside facts'
says '16' 'a world of the settings'

# What a config expects is what it expected before.
begin expectations
sed -i 's/dp_replicate: 2/dp_replicate: 1/; s/dp_shard: 8$/dp_shard: 16/; s/data_parallel: hsdp/data_parallel: fsdp/; /groups:/d' train/hsdp.yaml
commit 'another plan'
ci --base main
exits 1 'expectations that go with the change'
says 'expect.data_parallel: hsdp -> fsdp; what main says counts until this is merged' 'expectations that go with the change'
says '[expect-data-parallel]' 'expectations that go with the change'
git checkout -q main -- train/hsdp.yaml
sed -i '/^expect/,$d' train/hsdp.yaml
commit 'nothing expected'
ci --base main
exits 0 'expectations that are met, and deleted'

# A comment that silences is told.
begin comments
sed -i 's/dp_replicate: 2/dp_replicate: 1/; s/dp_shard: 8$/dp_shard: 8 # parplan: ignore=degrees-product/' train/hsdp.yaml
commit silenced
ci --base main
says 'a comment silences degrees-product, which none did before' 'a comment that silences'

# What is judged in part fails where the base is strict.
begin strict
git checkout -q main && echo 'strict: true' >.parplan.yaml && commit strict && git checkout -q -B pr
cp "$root/testdata/project/train.toml" train/new.toml && commit part
ci --base main
exits 1 'a config that is judged in part'
says 'partly judged' 'a config that is judged in part'
says 'which is an' 'a config that is judged in part'
says 'data parallel     fsdp' 'a config without a world'
for format in text markdown; do
	ci --base main --format $format
	[ "$(tr '\n' ' ' <"$work/out" | grep -o 'rules need the *world' | wc -l)" = 2 ] ||
		fail "$format does not say of the run and of the file how much was judged"
done
ci --base main --format sarif
says '"judged":"partly"' 'a config that is judged in part, as sarif'
for format in github gcc gitlab junit rdjson; do
	ci --base main --format $format
	exits 1 "a config that is judged in part, as $format"
	says 'rules need the world size' "a config that is judged in part, as $format"
done
git checkout -q main && echo 'world: {"train/*.toml": 64}' >>.parplan.yaml && commit world && git checkout -q pr
git merge -q main 2>/dev/null
ci --base main --format json
[ "$(jq -r .summary.judged.status "$work/out")" = judged ] || fail 'a world of the settings leaves rules open'

# What starts no training is no config, strict or not.
begin nothing
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: "1"}\n' >map.yaml && commit map
ci --base main --strict
exits 0 'a ConfigMap'
says '1 changed file is no config' 'a ConfigMap'
ci --base main --strict map.yaml
exits 1 'a ConfigMap that is named'

# Names are data, and odd files are passed over.
begin odd
head -c 20000000 /dev/zero | tr '\0' ' ' >tokenizer.json
git init -q sub.yaml && git -C sub.yaml commit -q --allow-empty -m sub
cp train/mistake.yaml "$(printf 'train/a\377.yaml')"
cp train/mistake.yaml ./--fail-on=never.yaml
sed -i 's/dp_replicate: 2/dp_replicate: 1/' train/hsdp.yaml
git add -A 2>/dev/null && git commit -qm odd
ci --base main
exits 1 'odd files'
says 'Not read, for their size: tokenizer.json' 'a large file'
says '1 changed file is no config' 'another repository'
says 'train/hsdp.yaml:9:13: error:' 'odd files'
says -- '--fail-on=never.yaml (added)' 'a file named as an option'
ci --base main --end-of-options ./*.yaml train
exits 1 'names behind --end-of-options'
git diff -z --name-only main | parplan ci --base main --changed - >"$work/out" 2>&1
status=$?
exits 1 'odd files, listed with NUL'
says 'train/hsdp.yaml:9:13: error:' 'odd files, listed with NUL'
git diff --name-only main | parplan ci --base main --changed - >"$work/out" 2>&1
status=$?
exits 1 'odd files, listed as git quotes them'
says 'Not read, for their size: tokenizer.json' 'odd files, listed as git quotes them'
rm -rf sub.yaml && git checkout -q main && echo 'exclude: ["*"]' >.parplan.yaml && commit excluding && git checkout -q pr
ci --base main
says '0 configs changed' 'exclude: ["*"] with a name that is no UTF-8'
# What was a config and is too large for one is no way past the gate.
begin large
head -c 20000000 /dev/zero | tr '\0' '#' >>train/hsdp.yaml && commit large
ci --base main
exits 1 'a config that becomes too large'
says '[too-large]' 'a config that becomes too large'

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
