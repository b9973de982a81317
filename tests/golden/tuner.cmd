# What says that not all weights are trained, by framework: no forecast is made of that job, and none out of memory is told.
tuner() { COLUMNS=200 parplan explain "$@" training.tuner | sed -n '/ = /{s,([^)]*),,;p;}' | sed "s,^,$1: ,"; }
cd testdata/dialects
tuner axolotl/zero3.yaml --set adapter=qlora
tuner llama-factory/full-zero3.yaml
tuner llama-factory/full-zero3.yaml --set finetuning_type=lora
tuner llama-factory/v1.yaml --set 'peft_config={name: lora, r: 8}'
tuner llm-foundry/mpt-7b.yaml --set 'model.peft_config={r: 8}'
tuner ms-swift/moe.sh
tuner ms-swift/trainer.sh
tuner nemo/recipe.yaml --set model.peft.peft_scheme=lora
tuner nemo-automodel/hsdp.yaml --set 'peft={dim: 8}'
tuner nemo-bridge/override.yaml --set peft=lora
tuner nemo-rl/grpo-base.yaml --set policy.dtensor_cfg.lora_cfg.enabled=true
tuner open-instruct/sft.yaml --set use_lora=true
tuner oumi/zero3.yaml --set training.use_peft=true
tuner prime-rl/sft.toml --set 'model.lora={rank: 8}'
tuner torchtune/tp.yaml --set model._component_=torchtune.models.llama3.qlora_llama3_8b
tuner trl/fsdp.yaml --set use_peft=true
for rank in 0 8; do tuner verl/hsdp.yaml --set actor_rollout_ref.model.lora_rank=$rank; done
tuner areal/grpo.yaml --set actor.use_lora=true
cd ../launch
tuner commands/litgpt.sh
tuner commands/swift.sh
tuner openrlhf/sft.sh --set lora_rank=8
cd ../dialects
for command in sim search 'check --strict'; do
	parplan $command --world 16 --set cluster.gpu=h100-sxm ms-swift/moe.sh
	echo $?
done
parplan sim --world 16 --gpu h100-sxm ms-swift/moe.sh --set training.seq_len=4096 --set training.tuner=full | sed -n '/^Step/,/time/p'
