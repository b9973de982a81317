# verl from v0.8.0 on, whose workers are engines: what each makes of a mini-batch, and what they refuse.
d=$(mktemp -d)
actor=actor_rollout_ref.actor rollout=actor_rollout_ref.rollout ref=actor_rollout_ref.ref.log_prob_micro_batch_size
ppo="python3 -m verl.trainer.main_ppo trainer.nnodes=1 trainer.n_gpus_per_node=8 data.train_batch_size=512
 data.max_prompt_length=1024 data.max_response_length=1024 actor_rollout_ref.model.path=Qwen/Qwen3-8B
 actor_rollout_ref.model.use_remove_padding=True $rollout.name=vllm $rollout.n=5 $rollout.log_prob_micro_batch_size_per_gpu=4"
micro=$actor.ppo_micro_batch_size_per_gpu=4
say() {
	echo "== $1"
	shift
	echo $ppo "$@" >$d/run.sh
	(cd $d && parplan check --format gcc $version run.sh)
	(cd $d && parplan plan --format json $version run.sh | jq -c '[.declared | to_entries[] | select(.value) | "\(.key) \(.value)"]')
}
version=
say 'the mini-batch is cut over the ranks' $micro $actor.ppo_mini_batch_size=128
say 'not 505 answers, however long micro-batches are' $actor.use_dynamic_bsz=True $actor.ppo_mini_batch_size=101
say 'but two ranks of Ulysses have the same' $micro $actor.ppo_mini_batch_size=100 $actor.fsdp_config.ulysses_sequence_parallel_size=2
say 'micro-batches have one key of two' $micro $actor.ppo_mini_batch_size=128 $actor.ppo_micro_batch_size=8
say 'the reference, too, where there is one' $micro $actor.ppo_mini_batch_size=128 $actor.use_kl_loss=True $ref=4 ${ref}_per_gpu=4
say 'as here is none' $micro $actor.ppo_mini_batch_size=128 $ref=4 ${ref}_per_gpu=4
say 'apart: four updates between two hand-overs' $micro $actor.ppo_mini_batch_size=256 trainer.v1.trainer_mode=separate_async
say 'on machines of its own' $micro $actor.ppo_mini_batch_size=128 trainer.v1.trainer_mode=separate_async
say 'over a network' $micro $actor.ppo_mini_batch_size=128 trainer.v1.trainer_mode=separate_async $rollout.nnodes=1
say 'as here' $micro $actor.ppo_mini_batch_size=128 trainer.v1.trainer_mode=separate_async $rollout.nnodes=1 $rollout.checkpoint_engine.backend=nccl
say "TorchTitan's engine" model_engine=torchtitan $micro $actor.ppo_mini_batch_size=128 $actor.torchtitan.data_parallel_shard_size=4 $actor.torchtitan.tensor_parallel_size=2
say 'shares over one rank unless told otherwise' model_engine=torchtitan $micro $actor.ppo_mini_batch_size=128 $actor.torchtitan.tensor_parallel_size=2
say "VeOmni's is not modelled" model_engine=veomni $micro $actor.ppo_mini_batch_size=128
say "FSDP's by the name of the group" model_engine=dp $micro $actor.ppo_mini_batch_size=128
say 'Megatron-FSDP shares everything' model_engine=megatron $micro $actor.ppo_mini_batch_size=128 $actor.megatron.use_megatron_fsdp=True
say 'unless it is told' model_engine=megatron $micro $actor.ppo_mini_batch_size=128 $actor.megatron.use_megatron_fsdp=True +$actor.megatron.override_ddp_config.data_parallel_sharding_strategy=optim
say 'words of later releases' $micro $actor.ppo_mini_batch_size=128 algorithm.adv_estimator=gdpo $actor.loss_agg_mode=token-sum
version='--framework verl@v0.7.1'
say 'older workers cut by floor' $micro $actor.ppo_mini_batch_size=101
say "and read the actor's key of Ulysses alone" $micro $actor.ppo_mini_batch_size=128 $actor.fsdp_config.ulysses_sequence_parallel_size=2
rm -r $d
