# What verl refuses of a command that is whole, for which no plan ends: parts without a size of micro-batches, and two switches for
# dynamic batches that are not alike. Who has a size, or none to have, is left alone, and so is a config that others complete.
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
check() {
	what=$1
	shift
	echo "python3 -m verl.trainer.main_ppo data.train_batch_size=1024 trainer.nnodes=1 actor_rollout_ref.actor.strategy=fsdp2 $*" >"$d/run.sh"
	parplan check --format json "$d/run.sh" | jq -r --arg what "$what" '.files[0].findings | map(select(.rule == "arguments-refused") |
		"\(.severity): \(.message)\n   \(.quote)\n   \(.fix.description)") | "\($what): \(if length == 0 then "-" else .[] end)"'
}
actor=actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1
rollout=actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=1
grpo=algorithm.adv_estimator=grpo
check 'no sizes' $grpo
check 'of the actor alone' $grpo $actor
check 'of both' $grpo $actor $rollout
check 'and of a reference' $grpo $actor $rollout actor_rollout_ref.actor.use_kl_loss=True
check 'by the deprecated keys' $grpo actor_rollout_ref.actor.ppo_micro_batch_size=8 actor_rollout_ref.rollout.log_prob_micro_batch_size=8
check 'gae, whose critic has none' $actor $rollout
check 'gae, whose critic has one' $actor $rollout critic.ppo_micro_batch_size_per_gpu=1
check 'gae without a critic' $actor $rollout critic.enable=False
check 'dynamic batches' actor_rollout_ref.actor.use_dynamic_bsz=True
check 'dynamic batches that are not known' 'actor_rollout_ref.actor.use_dynamic_bsz=$DYNAMIC'
check 'dynamic, but for log probabilities' actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=False
check 'dynamic for both' actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True
check 'dynamic for log probabilities alone' $grpo $actor $rollout actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True
check 'a config of its own' --config-name=mine
echo '{actor_rollout_ref: {actor: {strategy: fsdp, ppo_mini_batch_size: 64}}, trainer: {nnodes: 1, n_gpus_per_node: 8}}' >"$d/part.yaml"
parplan check "$d/part.yaml" | grep -c arguments-refused
check 'again no sizes' $grpo | head -n 1
parplan sim --set cluster.gpu=h200-sxm --set model.preset=llama3-8b --set training.micro_batch_size=1 --format json "$d/run.sh" |
	jq -r '"and a forecast is made: \(.step_time_s // .step.total // (.memory.classes | length))"'
