#!/bin/sh
# Nothing outside the repository is read, or shown: neither by names in configs and scripts nor by links.
# shellcheck disable=SC2034,SC2154,SC3045

secret=ghs_SECRETTOKEN1234
mkdir -p "$work/beyond/plain" "$work/in/c" && cd "$work/in" || exit 2
git init -q -b main .
printf '[http]\n\textraheader = AUTHORIZATION: basic c2VjcmV0%s\n' $secret >"$work/beyond/secret.ini"
printf 'TP=4\nAWS_SECRET_ACCESS_KEY=TOPSECRETKEY123\n' >"$work/beyond/secret.sh"
printf 'TOPSECRETKEY123: [\n' >"$work/beyond/secret.yaml"
cp "$work/beyond/secret.ini" .git/stolen.ini
ln -s "$work/beyond" c/link
ln -s ../../beyond/secret.ini c/secret.yaml
ln -s /proc/self/environ c/environ.yaml
ln -s ../.git/stolen.ini c/stolen.toml
ln -s /dev/ptmx c/ptmx.yaml
ln -s "$work/beyond" linked
export GH_TOKEN=$secret

leaks() { # SENTENCE
	silent "$secret" "$1"
	silent TOPSECRETKEY123 "$1"
	silent AUTHORIZATION "$1"
	[ "$status" != 124 ] || fail "$1: it waits"
}

# Parents, in every dialect that has them.
for parent in /proc/self/environ ../../beyond/secret.ini link/secret.ini secret.yaml environ.yaml ../.git/stolen.ini \
	../.git/config /dev/ptmx ptmx.yaml /dev/stdin - ../linked/secret.ini "$work/beyond/secret.yaml" "/proc/self/cwd/c/secret.yaml"; do
	printf 'extends: [%s]\nwork_group: x\nmodules: {a: {framework: megatron}}\n' "$parent" >c/a.yaml
	p check c/a.yaml
	leaks "extends $parent"
	says 'a.yaml' "extends $parent"
	printf 'defaults: %s\npolicy: {model_name: a/b, megatron_cfg: {enabled: true}}\ncluster: {num_nodes: 1, gpus_per_node: 8}\n' "$parent" >c/a.yaml
	p check --format markdown c/a.yaml
	leaks "defaults $parent"
	printf 'defaults: [%s]\nactor_rollout_ref: {actor: {strategy: fsdp}}\ntrainer: {nnodes: 1}\ndata: {}\nalgorithm: {}\n' "${parent%.yaml}" >c/a.yaml
	p check c/a.yaml
	leaks "hydra defaults $parent"
	# shellcheck disable=SC2016
	printf '#!/bin/bash\nsource %s\ntorchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size $TP --pipeline-model-parallel-size $AWS_SECRET_ACCESS_KEY --num-layers 8\n' "$parent" >c/a.sh
	p check c/a.sh
	leaks "source $parent"
	printf '#!/bin/bash\naccelerate launch --config_file %s fit.py\n' "$parent" >c/a.sh
	p check c/a.sh
	leaks "a launch line with $parent"
	printf '#!/bin/bash\ntorchrun --nproc_per_node 8 fit.py --model_name_or_path %s\n' "$parent" >c/a.sh
	p check c/a.sh
	leaks "a model at $parent"
	printf 'parplan: 1\nparallelism: {}\ncluster: {hosts: %s}\n' "$parent" >c/a.yaml
	p check c/a.yaml
	leaks "hosts in $parent"
	printf 'parplan: 1\nparallelism: {dp_shard: 8}\ncluster: {nodes: 1, gpus_per_node: 8}\ncheckpoint: {resume: %s}\n' "$parent" >c/a.yaml
	p check c/a.yaml
	leaks "a checkpoint in $parent"
done
printf '#!/bin/bash\nsource ../../beyond/secret.sh\ntorchrun pretrain_gpt.py --tensor-model-parallel-size 2\n' >c/a.sh
p check c/a.sh
says 'outside-repository' 'a script outside'
p check --allow-outside c/a.sh
silent 'outside-repository' 'a script outside, allowed'

# Links that stand for configs, and those that stand beside them.
for link in secret.yaml environ.yaml stolen.toml ptmx.yaml link/secret.yaml; do
	for command in check plan sim ranks; do
		p $command "c/$link"
		leaks "$command $link"
		exits 2 "$command $link"
	done
	says 'leads out of its repository' "a link $link"
done
p check --allow-outside c/link/secret.yaml
exits 1 'a link, allowed'
cp "$root/plans/hsdp-2x8.yaml" c/a.yaml
for beside in requirements.txt pyproject.toml uv.lock .parplan.yaml; do
	for to in "$work/beyond/secret.yaml" /dev/ptmx /proc/self/environ; do
		ln -sf "$to" "c/$beside"
		p check c/a.yaml
		leaks "$beside at $to"
	done
	rm "c/$beside"
done
for to in ../beyond/secret.yaml /dev/ptmx c/secret.yaml; do
	echo "baseline: $to" >.parplan.yaml
	p check c/a.yaml
	exits 2 "a baseline at $to"
	leaks "a baseline at $to"
done
rm .parplan.yaml

# Without a repository: the folder of the file.
cp c/a.yaml "$work/beyond/plain/a.yaml"
cd "$work/beyond" || exit 2
printf 'extends: [../secret.ini]\nwork_group: x\nmodules: {a: {framework: megatron}}\n' >plain/b.yaml
p check plain/b.yaml
leaks 'a parent outside the folder'
says 'outside-repository' 'a parent outside the folder'

# What the user names may lie anywhere; pipes are read.
p check "$work/beyond/plain/a.yaml"
exits 0 'a file outside'
for name in - /dev/stdin /proc/self/fd/0; do
	parplan check $name <plain/a.yaml >"$work/out" 2>&1
	status=$?
	exits 0 "a config from $name"
	# shellcheck disable=SC2002 # a pipe it must be
	cat plain/a.yaml | parplan check $name >"$work/out" 2>&1
	status=$?
	exits 0 "a config from a pipe at $name"
done
mkfifo pipe && { cat plain/a.yaml >pipe & }
p check pipe
exits 0 'a named pipe'
cd "$work/in" && ln -s a.yaml c/b.yaml && ln -s "$work/in" "$work/other" || exit 2
p check c/b.yaml
exits 0 'a link within'
p check "$work/other/c/b.yaml"
exits 0 'a link within, by a link to the repository'

# Variables come from --env alone.
# shellcheck disable=SC2016
printf 'work_group: ${GH_TOKEN}\nmodules: {a: {framework: "${GH_TOKEN}"}}\nextends: ["${GH_TOKEN}.yaml"]\n' >c/a.yaml
p check c/a.yaml
leaks 'a variable of the environment'
unset GH_TOKEN
