# Ranks that a script shares over follow from its nodes, which its words change: they are said as well.
d=$(mktemp -d)
echo 'python -m verl.trainer.main_ppo data.train_batch_size=256 actor_rollout_ref.model.path=m actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 trainer.n_gpus_per_node=8 trainer.nnodes=2' >$d/run.sh
parplan search -q --gpu h200 --gpus 64 --set model.preset=llama3-8b --set training.seq_len=2048 --fix dp_replicate=4 --top 1 --write $d/best $d/run.sh | sed -n '/1~/p'
cat $d/best/*.args
rm -r $d
