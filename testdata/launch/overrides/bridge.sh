torchrun --nproc_per_node 8 scripts/training/run_recipe.py --recipe llama3_8b_pretrain_config model.tensor_model_parallel_size=2 model.pipeline_model_parallel_size=2
