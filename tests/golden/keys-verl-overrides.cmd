# Overrides that hydra refuses: without '+', what no version of verl composes, or not the release that is pinned.
cd "$(mktemp -d)" || exit
with() {
	printf '%s\n' "python3 -m ${program:-verl.trainer.main_ppo} actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8 trainer.nnodes=1 $1" >run.sh
	printf '%s -> ' "$1${2:+ $2}"
	parplan check ${2:+--framework verl@$2} --format json run.sh | jq -r '[.files[].findings[] | select(.rule | endswith("-key")) | .severity + ": " + .message + (if .quote then " [" + .quote + "]" else "" end) + (if .fix then " (" + .fix.description + ")" else "" end)] | if . == [] then "nothing" else join("; ") end'
}
a=actor_rollout_ref.actor
with $a.fsdp_config.param_ofload=True
with +$a.fsdp_config.param_ofload=True
with $a.fsdp_config.param_offload=True
with $a.param_offload=True
with actor_rollout_ref.actr.strategy=fsdp2
with actor_rollout_ref.model.override_config.attn_implementation=sdpa
with +actor_rollout_ref.model.override_config.attn_implementation=sdpa
with $a.router_replay.mode=R3
with $a.router_replay.mode=R3 v0.6.1
with +$a.router_replay.mode=R3 v0.6.1
with $a.router_replay.mode=R3 v0.9.0
with $a.fsdp_config.grad_offload=False v0.3.0.post1
with $a.mine=1 v0.9.0
with "--config-name=mine $a.mine=1" v0.9.0
with 'hydra.run.dir=o data.custom_cls.path=mine.py reward_model.reward_manager=dapo'
with global_profiler.global_tool_config.nsys.worker_nsight_options.cuda-memory-usage=true
program=recipe.mine.main with data.mine_own=1 v0.9.0
with "'$a.ppo_micro_batch_sise_per_gpu=4'"
parplan check run.sh | sed -n '/error/,/^$/p'
