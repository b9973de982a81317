d=$(mktemp -d) && printf 'model: [llama3-8b, nobody]\ngpus: [8, 16]\n' >$d/sweep && o="--fix pp=1 --fix cp=1 --fix tp=1 --top 2 --gpu h100-sxm --seq-len 8192 --global-batch 64 --framework torchtitan@v0.2.2 --sweep $d/sweep"
for f in text json jsonl; do parplan search $o --format $f >$d/$f; done
for n in 1 3 20; do
	for i in $(seq $n); do parplan search $o --shard $i/$n --format jsonl -o $d/$n-$i || echo "part $i: $?"; done
	for f in text json jsonl; do
		parplan search $o --merge $d/$n-* --format $f | cmp - $d/$f && echo "of $n parts the same $f"
	done
done
SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=3 parplan search $o --shard auto --format jsonl | cmp - $d/3-3 && echo 'the same under Slurm'
# Regions go round through all searches: parts of four such small ones have about as much each.
for i in $(seq 3); do sed -n 's/.*"part":\[[0-9]*,3,\([0-9]*\),.*/\1/p' $d/3-$i | awk '{ n += $1 } END { print n, "layouts" }'; done
t() { parplan search $o --merge "$@" 2>&1 | sed "s|$d|DIR|g;s/this is [0-9a-z.-]*$/this is THIS/"; }
t $d/3-1 $d/3-3
t $d/3-1 $d/3-2 $d/3-2
t $d/3-1 $d/20-2
t $d/3-1 $d/3-2 $d/3-3 --top 3
sed '1,2s/"parplan":"[^"]*"/"parplan":"v0.0.1"/' $d/3-2 >$d/old && t $d/3-1 $d/old
sed 1d $d/3-2 >$d/headless && t $d/3-1 $d/headless
sed '$d' $d/1-1 >$d/short && t $d/short
sed 1q $d/1-1 >$d/shorter && t $d/shorter
cat $d/1-1 $d/3-1 >$d/long && t $d/long
printf 'model: [llama3-8b, nobody]\ngpus: [8, 32]\n' >$d/sweep && t $d/1-1
parplan search --fix pp=1 --merge plans/fsdp-8.yaml $d/3-1 2>&1 | sed "s|$d|DIR|"
parplan search --fix pp=1 --merge plans/fsdp-8.yaml 2>&1
parplan search $o --merge --shard 1/2 --format jsonl $d/1-1
parplan search $o --shard 1/2
parplan search $o --shard 1/2 --format jsonl --write $d/best
rm -r $d
