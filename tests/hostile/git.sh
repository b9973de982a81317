#!/bin/sh
# Nothing of a checkout configures git: a script that a commit, a clone or an environment could smuggle in leaves
# the file $work/ran.
# shellcheck disable=SC2034,SC2154,SC3045

printf '#!/bin/sh\necho ran >>%s/ran\nexit 1\n' "$work" >"$work/evil"
chmod +x "$work/evil"
mkdir -p "$work/git/configs" && cd "$work/git" || exit 2
git init -q -b main .
cp "$root/testdata/ci/hsdp.yaml" configs/a.yaml
git add . && git commit -qm base
git checkout -qb pr
sed -i 's/local_batch_size: 2/local_batch_size: 4/' configs/a.yaml

# A bare repository among the files, whose promisor remote is a command.
mkdir -p configs/objects configs/refs/remotes/origin
echo 'ref: refs/heads/main' >configs/HEAD
touch configs/objects/.keep
echo 0123456789012345678901234567890123456789 >configs/refs/remotes/origin/main
promisor="
[extensions]
	partialClone = evil
[remote \"evil\"]
	url = \"ext::$work/evil\"
	promisor = true
[protocol]
	allow = always
[protocol \"ext\"]
	allow = always"
printf '[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = ..%s\n' "$promisor" >configs/config
git add -f . && git commit -qm change
git clone -q "$work/git" "$work/clone" 2>/dev/null
cd "$work/clone/configs" || exit 2
git -C "$work/clone" branch -q main origin/main
p ci --base origin/main
not_run 'a bare repository in the current folder'
exits 0 'a bare repository in the current folder'
says '1 config changed' 'a bare repository in the current folder'
p ci --base 0123456789012345678901234567890123456789
not_run 'a commit that only a remote may have'
exits 2 'a commit that only a remote may have'
p ci --base main
not_run 'a bare repository in the current folder, its own base'
cd "$work/clone/configs/objects" || exit 2
p ci --base origin/main
not_run 'a folder of a bare repository'
exits 0 'a folder of a bare repository'

# The same keys and those that name programs, in the repository's own file.
cd "$work/clone" || exit 2
for key in core.fsmonitor core.hooksPath diff.external core.pager core.sshCommand core.editor core.askPass \
	core.gitProxy core.alternateRefsCommand credential.helper gpg.program diff.evil.command diff.evil.textconv \
	filter.evil.smudge filter.evil.clean filter.evil.process interactive.diffFilter \
	uploadpack.packObjectsHook sequence.editor trace2.eventTarget; do
	git config "$key" "$work/evil"
done
git config filter.evil.required true
for alias in diff-tree cat-file rev-parse merge-base; do git config "alias.$alias" "!$work/evil"; done
mkdir hooks && cp "$work/evil" hooks/post-checkout && cp "$work/evil" hooks/reference-transaction
git config core.hooksPath "$PWD/hooks"
echo '*.yaml diff=evil filter=evil' >.gitattributes
printf '%s\n' "$promisor" >>.git/config
p ci --base origin/main
not_run 'keys of the repository'
says '1 config changed' 'keys of the repository'
for base in 0123456789012345678901234567890123456789 main:configs/b.yaml 'HEAD^{/evil}' ':/evil' \
	'--upload-pack=evil' 'HEAD..main' '' ' '; do
	p ci --base "$base"
	not_run "a base '$base' that nobody has"
	exits 2 "a base '$base' that nobody has"
done
# A blob that is not there is asked of no remote.
blob=$(GIT_NO_LAZY_FETCH=1 git rev-parse HEAD:configs/a.yaml)
rm -f ".git/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-)"
printf '%s\n' "$promisor" >.git/config
git --git-dir=.git config core.repositoryformatversion 1
p ci --base origin/main
not_run 'a blob that only a remote has'
exits 2 'a blob that only a remote has'
says 'partial clone' 'a blob that only a remote has'

# What the environment says of git does not count; nor does a program of that name in the current folder.
cd "$work/git" || exit 2
git config --unset-all core.hooksPath
cp "$work/evil" git
for variable in GIT_EXTERNAL_DIFF GIT_SSH_COMMAND GIT_PAGER GIT_ASKPASS GIT_EDITOR GIT_PROXY_COMMAND; do
	export "$variable=$work/evil"
done
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0="$work/evil" \
	GIT_CONFIG_PARAMETERS="'diff.external=$work/evil'" GIT_DIR="$work/git/configs" GIT_TRACE="$work/ran" \
	GIT_EXEC_PATH="$work" PATH=".:$PATH:" parplan ci --base main >"$work/out" 2>&1
status=$?
not_run 'variables of git'
exits 0 'variables of git'
for variable in GIT_EXTERNAL_DIFF GIT_SSH_COMMAND GIT_PAGER GIT_ASKPASS GIT_EDITOR GIT_PROXY_COMMAND; do
	unset "$variable"
done

# Worktrees and submodules, whose .git is a file, are found like any other.
git -C "$work/git" worktree add -q "$work/tree" pr~0 --detach 2>/dev/null
cd "$work/tree/configs" || exit 2
p ci --base main
exits 0 'a worktree'
says '1 config changed' 'a worktree'
# A .git that is nothing is said, and what lies above it is not taken.
mkdir -p "$work/tree/configs/deep/.git" && cd "$work/tree/configs/deep" || exit 2
p ci --base main
exits 2 'a .git that is empty'
says 'no git repository' 'a .git that is empty'
