#!/bin/sh
# Bounds: what is small costs little, what is too large is refused in words; memory that fails is no mistake of the
# file. Times are not judged here (tests/bench/growth shows them).
# shellcheck disable=SC2034,SC2154,SC3045

mkdir "$work/memory" && cd "$work/memory" || exit 2
# A sanitizer's shadow alone is terabytes, and all is many times slower: there only the end counts.
memory=262144 seconds=10
case $BUILD in *asan* | *torture*) memory=unlimited seconds=600 ;; esac
bounded() { # SENTENCE COMMAND...: in 256 MiB and no more than 10 s of the processor
	sentence=$1
	shift
	(ulimit -v $memory && ulimit -t $seconds && timeout 600 parplan "$@") >"$work/out" 2>&1 </dev/null
	status=$?
	if [ $status -le 1 ]; then pass; else fail "$sentence: exit status $status"; fi
}
repeat() { # COUNT FORMAT: so many lines, "@" their numbers; & and what else means something to sed behind a backslash
	seq 0 $(($1 - 1)) | sed "s/.*/$(printf %s "$2" | sed 's/@/\&/g')/"
}
printf 'extends: [a.yaml, a.yaml, a.yaml, a.yaml, a.yaml, a.yaml]\nwork_group: x\nmodules: {a: {framework: megatron}}\n' >a.yaml
bounded 'a parent of itself' check a.yaml
says 'builds on this file' 'a parent of itself'
for i in 0 1 2 3 4 5 6 7 8 9; do
	n=p$(((i + 1) % 10)).yaml m=q$((i + 1)).yaml
	printf 'defaults: [%s, %s, %s, %s]\npolicy: {model_name: a/b, megatron_cfg: {enabled: true}}\ncluster: {num_nodes: 1, gpus_per_node: 8}\n' "$n" "$n" "$n" "$n" >p$i.yaml
	sed "s/p[0-9]*.yaml/$m/g" p$i.yaml >q$i.yaml
done
bounded 'parents in a circle' check p0.yaml
bounded 'parents that double' check q0.yaml
says 'too many files' 'parents that double'
printf 'defaults: [v, v, v, v, v, v, v, v]\nactor_rollout_ref: {actor: {strategy: fsdp}}\ntrainer: {nnodes: 1}\ndata: {}\nalgorithm: {}\n' >v.yaml
bounded 'defaults of themselves' check v.yaml

toml='[job]
dump_folder = "x"
[parallelism]
tensor_parallel_degree = 1
[training]
local_batch_size = 1
seq_len = 2048'
{ echo "$toml"; repeat 20000 'unknown_key_@ = 1'; } >keys.toml
{ echo "$toml"; repeat 20000 '[t@]\na = 1'; } >tables.toml
{ printf 'parplan: 1\nparallelism: {dp_shard: 8}\n'; repeat 100000 '# parplan: ignore=hsdp-collapsed\n'; } >comments.yaml
{ cat "$root/testdata/ci/hsdp.yaml"; echo x:; repeat 20000 ' - \&a@ 1'; echo y:; repeat 20000 ' - *a@'; } >anchors.yaml
{ cat "$root/testdata/ci/hsdp.yaml"; repeat 40000 'k@: 1'; } >keys.yaml
{ cat "$root/testdata/ci/hsdp.yaml"; repeat 60000 'k@: 1'; } >many.yaml
repeat 50000 'node1:100:200 [0] NCCL INFO comm 0x7f@ rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 1b000 commId 0xab@ - Init COMPLETE' >nccl.log
for file in keys.toml tables.toml comments.yaml anchors.yaml keys.yaml many.yaml; do
	bounded "$file" check $file
done
says 'more than 50000 values' many.yaml
p check comments.yaml
says 'more than 1000' 'comments'
bounded nccl.log observe nccl.log
head -c 5000000 /dev/zero | tr '\0' '#' >large.yaml
bounded large.yaml check large.yaml
says 'larger than 4.00 MiB' large.yaml
cat >pipeline.yaml <<'END'
parplan: 1
framework: {torchtitan: v0.2.0, torch: 2.9.0}
cluster: {gpu: h100-sxm, nodes: 128, gpus_per_node: 8}
model: {preset: llama3-8b, layers: 1024}
parallelism: {pp: 1024, pipeline: {schedule: 1F1B, microbatch_size: 1}}
training: {local_batch_size: 4096, seq_len: 128}
END
bounded 'a pipeline of 4 million passes' check pipeline.yaml
p sim pipeline.yaml
exits 2 'a pipeline of 4 million passes'
says 'not forecast' 'a pipeline of 4 million passes'

# Memory that fails once, at the first allocation, the second, and so on.
cat >fail.c <<'END'
#include <stddef.h>
#include <stdlib.h>
extern void *__libc_malloc(size_t);
static long left = -1;
void *malloc(size_t size)
{
	if (left < 0) {
		const char *at = getenv("FAIL_AT");
		left = at ? atol(at) : 0;
	}
	return left && !--left ? NULL : __libc_malloc(size);
}
END
printf '%s\nlr = 3e-4\nx = 1.5\n' "$toml" >number.toml
if [ "$BUILD" = build/release ] && ${CC:-cc} -shared -fPIC -o fail.so fail.c 2>/dev/null; then
	p check number.toml
	cp "$work/out" "$work/whole"
	n=0
	while [ $n -lt 150 ]; do
		n=$((n + 1))
		FAIL_AT=$n LD_PRELOAD=./fail.so parplan check number.toml >"$work/out" 2>&1
		status=$?
		if [ $status = 2 ] && grep -q 'out of memory' "$work/out"; then
			pass
		elif cmp -s "$work/out" "$work/whole"; then
			pass
		else
			fail "allocation $n fails: exit status $status"
		fi
	done
fi
