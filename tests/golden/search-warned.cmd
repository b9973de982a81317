# What check would warn of anew is not proposed; what it warns of already is.
o='--top 1 --fix pp=2 --fix cp=1 --fix tp=2 --set training.compile=true plans/hsdp-2x8.yaml'
parplan search $o | grep -e '1~' -e rule
parplan search $o --set expect={} --set parallelism.pp=2 --set parallelism.pipeline.schedule=ZBVZeroBubble --set parallelism.tp=2 --set parallelism.dp_shard=2 | grep -e '1~' -e rule
