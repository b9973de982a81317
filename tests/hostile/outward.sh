#!/bin/sh
# What is shown is harmless: no control characters or turned text, no commands to a runner, no secrets.
# shellcheck disable=SC2034,SC2154,SC3045

esc=$(printf '\033') bel=$(printf '\007')
mkdir -p "$work/shown" && cd "$work/shown" || exit 2
clean() { # SENTENCE
	# shellcheck disable=SC2016
	if LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]' "$work/out"; then
		fail "$1: control characters"
	elif [ "${2-}" != commands ] && grep -qE '^[[:blank:]]*::' "$work/out"; then
		fail "$1: a workflow command"
	elif grep -qE '##\[|##vso\[' "$work/out"; then
		fail "$1: a workflow command within a line"
	elif [ "${1#report}" = "$1" ] && grep -qE '^[[:blank:]]?\\u003a:' "$work/out"; then # HTML has no lines
		fail "$1: a name makes a line of its own"
	else
		pass
	fi
}
git init -q -b main .
cp "$root/testdata/ci/hsdp.yaml" base.yaml
git add . && git commit -qm base && git checkout -qb pr
{
	cat base.yaml
	printf '"\\e[2Jkey": 1\n"\\a\\u202Ebidi\\u2066\\u009b": 2\n"\\n::stop-commands::tok\\n##[add-mask]x ##vso[task.x]": 3\n'
} >keys.yaml
sed 's/^\( *dp_shard:\).*/\1 "\\e[31mRED\\a\\n::stop-commands::tok\\n  ::set-output name=a::0\\n##[group]x\\u202E"/' base.yaml >values.yaml
cp keys.yaml "$(printf 'a\n::error::INJ.yaml')"
cp values.yaml "${esc}]0;title${bel}.yaml"
git add . && git commit -qm change
for file in *.yaml; do
	for command in check plan sim ranks 'draw --figure groups' 'draw --figure groups --format svg' \
		'draw --figure groups --format dot' 'report -o -' init 'convert --to parplan' guard 'diff base.yaml' \
		'check --format json' 'check --format sarif' 'check --format junit' 'check --format markdown' \
		'check --color always' 'plan --format json' 'explain parallelism.dp_shard' 'why'; do
		case $command in
		diff*) set -- "$file" ;;
		explain*) set -- && command='explain' && set -- "$file" parallelism.dp_shard ;;
		*) set -- "$file" ;;
		esac
		# shellcheck disable=SC2086
		p $command "$@"
		if [ "$command" = 'check --color always' ]; then
			sed -i "s/$esc\[[0-9;]*m//g" "$work/out"
		fi
		clean "$command '$file'"
	done
	p check --format github "$file"
	clean "check --format github '$file'" commands
	p check -o "$work/file" "$file"
	cp "$work/file" "$work/out"
	clean "check -o '$file'"
done
for format in text markdown json sarif; do
	p ci --base main --format $format
	clean "ci --format $format"
done
p ci --base main --format github
clean 'ci --format github' commands
if grep -q '^::error::INJ' "$work/out"; then fail 'ci --format github: a command in a name'; else pass; fi
p check "$(printf '\033[2Jnowhere\n::error::x.yaml')"
clean 'a file that is not there'
p check --set "$(printf 'a\033[2J\n::error::x')" base.yaml
clean 'an option'
printf 'rank 0: %s[2J%s ##[x] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB %s]8;;\n' "$esc" "$bel" "$esc" >job.log
p why job.log
clean 'a log'

# Secrets, in whatever is printed of a line that holds one.
n=1
for secret in ghs_SECRETTOKEN1234 ghp_0123456789abcdefghijABCDEFGHIJ012345 github_pat_11ABCDEFG0123456789_abcdef \
	glpat-abcdefghij0123456789 hf_abcdefghijklmnopqrstuvwxyzABCDEFGH xoxb-1234567890-abcdefgh AKIAIOSFODNN7EXAMPLE \
	sk-abcdefghijklmnop0123456789 eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123; do
	# shellcheck disable=SC2086
	{ cat base.yaml; echo "note_$n: [$secret"; } >secret.yaml
	for format in text markdown json github sarif junit; do
		p check --format $format secret.yaml
		silent "${secret#????}" "a secret in $format"
	done
	sed "s/^\( *dp_shard:\).*/\1 $secret/" base.yaml >secret.yaml
	for command in check plan sim guard 'report -o -' 'diff base.yaml'; do
		# shellcheck disable=SC2086
		p $command secret.yaml
		silent "${secret#????}" "a secret in $command"
	done
	n=$((n + 1))
done
for line in 'WANDB_API_KEY: 0123456789abcdef0123' '"password": "hunter2222"' 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG1' \
	'url: https://me:pass0word1@example.org/x' 'extraheader: AUTHORIZATION: basic eC1hY2Nlc3M6Z2hz'; do
	printf 'parplan: 1\n%s [\n{\n' "$line" >secret.yaml
	p check secret.yaml
	for word in 0123456789abcdef hunter2222 wJalrXUtnFEMI pass0word1 eC1hY2Nlc3; do
		silent $word "$line"
	done
done
p plan --format json base.yaml
silent '***' 'a config without secrets'
