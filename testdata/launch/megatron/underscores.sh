torchrun --nproc_per_node 8 finetune.py --tensor_model_parallel_size 2 --pipeline_model_parallel_size 2 --micro_batch_size 1 --global_batch_size 8
