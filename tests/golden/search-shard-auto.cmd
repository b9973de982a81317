# What the environment says of a part; what it does not.
o='--fix pp=1 --fix cp=1 --fix tp=1 --format jsonl plans/hsdp-2x8.yaml'
part() { parplan search --shard "$@" $o 2>&1 | sed 's/.*"part":\[\([0-9]*,[0-9]*\).*/part \1/;/^part/q'; }
SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4 part auto | head -n 1
SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4 part auto
SLURM_ARRAY_TASK_ID=6 part auto
JOB_COMPLETION_INDEX=3 part auto/4 | head -n 1
JOB_COMPLETION_INDEX=4 part auto/4
part auto
part 1/3 --time-limit 0.000001
