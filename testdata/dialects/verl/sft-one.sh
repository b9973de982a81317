# One rank trains, and no engine generates: verl's default tp of 2 is of no concern.
ENTRYPOINT=${ENTRYPOINT:-"-m verl.trainer.sft_trainer"}
NUM_GPUS=${NUM_GPUS:-1}
torchrun --standalone --nnodes=1 --nproc_per_node=${NUM_GPUS} ${ENTRYPOINT} \
    data.train_batch_size=256 \
    model.path=Qwen/Qwen3-0.6B \
    engine=fsdp \
    engine.fsdp_size=${NUM_GPUS}
