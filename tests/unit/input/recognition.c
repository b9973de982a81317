#include "input/recognition.h"

#include "reading.h"

/* What a file is taken for, "" for nothing known. The files have neutral names. */
static const char *taken_for(struct reading *reading, const char *text, const char *dialect)
{
	struct overrides overrides = { .text = text, .dialect = dialect };
	struct document document;

	arena_init(&reading->arena);
	buf_init(&reading->out);
	findings_init(&reading->findings, &reading->arena);
	assert_null(document_read(&document, &reading->arena, "config", &overrides,
				  &reading->findings));
	reading->root = document.root;
	return document.dialect ? document.dialect->name : "";
}

struct recognised {
	const char *dialect, *text;
};

/* What stands in few words for a whole file, and what is nearly that. */
static const struct recognised cases[] = {
	{ "parplan", "parplan: 1\n" },
	{ "torchtitan", "[parallelism]\ntensor_parallel_degree = 2\n[training]\nsteps = 1\n" },
	{ "", "[parallelism]\nsize = 2\n" },
	{ "k8s", "apiVersion: v1\nkind: Pod\n" },
	{ "", "kind: Pod\nspec: {}\n" },
	{ "", "apiVersion: v1\n" },
	{ "megatron", "MODEL_ARGS:\n  --tensor-model-parallel-size: 2\n" },
	{ "megatron", "model_parallel: {tensor_model_parallel_size: 2}\nlanguage_model: {}\n" },
	{ "", "MODEL_ARGS: none\n" },
	{ "", "MODEL_ARGS:\n" },
	{ "megatron", "MODEL_ARGS:\nTEST_TYPE: regular\n" },
	{ "", "language_model: {num_layers: 2}\n" },
	{ "accelerate", "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n" },
	{ "", "num_processes: 8\n" },
	{ "primus", "work_group: a\nworkspace: b\nexp_name: c\nmodules:\n  pre_trainer:\n"
		    "    framework: megatron\n    config: pre_trainer.yaml\n" },
	{ "nanotron", "parallelism: {dp: 2, tp: 2, pp: 1}\ntokens: {sequence_length: 8}\n" },
	{ "picotron", "{\"distributed\": {\"tp_size\": 2, \"dp_size\": 1}, \"environment\": {}, "
		      "\"model\": {}, \"training\": {}}\n" },
	{ "nemo-rl", "policy: {train_global_batch_size: 8, dtensor_cfg: {enabled: true}}\n"
		     "cluster: {num_nodes: 1, gpus_per_node: 8}\n" },
	{ "", "cluster: {num_nodes: 1}\n" },
	{ "nemo-automodel", "distributed: {strategy: fsdp2, tp_size: 2}\n"
			    "step_scheduler: {global_batch_size: 8}\n" },
	{ "verl", "actor_rollout_ref: {actor: {strategy: fsdp}}\ntrainer: {nnodes: 1}\n" },
	{ "verl", "defaults: [ppo_trainer, _self_]\nreward_model: {enable: false}\n" },
	{ "", "defaults: [trainer, _self_]\nreward_model: {enable: false}\n" },
	{ "nemo", "trainer: {devices: 8, num_nodes: 1}\nexp_manager: {}\nmodel: {}\n" },
	{ "", "trainer: {devices: 8}\n" },
	{ "lightning", "seed_everything: 1\ntrainer: {devices: 8, num_nodes: 2, "
		       "strategy: {class_path: lightning.pytorch.strategies.FSDPStrategy}}\n"
		       "model: {class_path: mine.Model}\n" },
	{ "", "model_name_or_path: org/model\n" },
	{ "trl", "model_name_or_path: org/model\ngradient_accumulation_steps: 2\n" },
	{ "trl", "model_name_or_path: org/model\nper_device_eval_batch_size: 2\n" },
	{ "trl", "model_name_or_path: org/model\ndataset_name: org/data\n"
		 "per_device_train_batch_size: 1\nlearning_rate: 1e-5\n" },
	{ "axolotl",
	  "base_model: org/model\nmicro_batch_size: 1\ntokenizer_type: AutoTokenizer\n" },
	{ "", "base_model: org/model\n" },
	{ "deepspeed", "{\"zero_optimization\": {\"stage\": 3}, \"train_batch_size\": 8}\n" },
	{ "gpt-neox", "{\n  \"pipe_parallel_size\": 1,\n  \"model_parallel_size\": 2,\n"
		      "  \"zero_optimization\": {\"stage\": 1},\n"
		      "  \"train_micro_batch_size_per_gpu\": 4,\n}\n" },
	{ "gpt-neox", "{\n  # parallel\n  \"pipe_parallel_size\": 1,\n"
		      "  \"model_parallel_size\": 2,\n  'hidden-size': 64,\n}\n" },
	{ "k8s", "{{- $id := .Release.Name }}\napiVersion: batch/v1\nkind: Job\n" },
	{ "gpt-neox", "pipe-parallel-size: 0\nmodel-parallel-size: 2\n" },
	{ "llm-foundry", "max_seq_len: 2048\nfsdp_config: {sharding_strategy: FULL_SHARD}\n"
			 "train_loader: {}\n" },
	{ "llm-foundry", "name: run\nparameters:\n  max_seq_len: 2048\n"
			 "  device_train_microbatch_size: auto\n" },
	{ "torchtune", "model: {_component_: torchtune.models.llama3.llama3_8b}\n" },
	{ "", "model: {component: torchtune.models.llama3.llama3_8b}\n" },
	{ "litgpt", "devices: 8\nnum_nodes: 2\ntrain: {micro_batch_size: 1}\n" },
	{ "", "devices: 8\nnum_nodes: 2\n" },
	{ "nemo-rl", "eval: {seed: 42}\ngeneration: {vllm_cfg: {tensor_parallel_size: 1}}\n"
		     "cluster: {gpus_per_node: 8, num_nodes: 1}\n" },
	{ "nemo", "trainer: {devices: 1, num_nodes: 1, precision: bf16}\n"
		  "model: {tensor_model_parallel_size: 1}\nprune: {hidden_size: 2048}\n" },
	{ "nemo", "inference: {greedy: false}\ntrainer: {devices: 1, num_nodes: 1}\n"
		  "tensor_model_parallel_size: -1\ngpt_model_file: a.nemo\n" },
	{ "litgpt", "model: {n_layer: 16, n_embd: 4096}\ndevices: auto\n"
		    "train: {micro_batch_size: 4, lr_warmup_steps: 20}\n" },
	{ "nemo-bridge",
	  "model: {seq_length: 4096}\ntrain: {train_iters: 20, micro_batch_size: 1}\n"
	  "ddp: {data_parallel_sharding_strategy: optim_grads_params}\n" },
	{ "llama-factory", "finetuning_type: lora\ncutoff_len: 2048\ntemplate: llama3\n"
			   "model_name_or_path: org/model\n" },
	{ "ms-swift", "model: org/model\ntuner_type: lora\nsplit_dataset_ratio: 0.01\n" },
	{ "oumi", "model: {model_name: org/model}\ntraining: {max_steps: 1}\ndata: {}\n" },
	{ "areal", "experiment_name: a\ntrial_name: b\ncluster: {n_nodes: 1}\n"
		   "actor: {backend: \"fsdp:d4\"}\n" },
	{ "prime-rl", "model: {name: org/model}\ndeployment: {num_train_gpus: 2}\n" },
	{ "prime-rl", "orchestrator: {batch_size: 8}\ntrainer: {model: {ep: 1}}\n" },
	{ "", "model: {name: org/model}\n" },
	{ "megatron-sh", "#!/bin/bash\ntorchrun --nproc_per_node 8 pretrain_gpt.py "
			 "--tensor-model-parallel-size 2 --num-layers 4\n" },
	{ "verl-sh", "#!/bin/bash\npython3 -m verl.trainer.main_ppo "
		     "actor_rollout_ref.actor.strategy=fsdp trainer.nnodes=1\n" },
	{ "launch-sh", "#!/bin/bash\n#SBATCH --nodes=2\nsrun torchrun train.py\n" },
	{ "launch-sh", "#!/bin/bash\ncd /data\ntar xf data.tar\n" },
	{ "", "services:\n  web:\n    image: nginx\n" },
	{ "", "name: CI\non: push\njobs: {}\n" },
};

static void by_the_content_alone(void **state)
{
	struct reading reading;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		const char *name = taken_for(&reading, cases[i].text, NULL);
		if (strcmp(name, cases[i].dialect) != 0 &&
		    (!*cases[i].dialect || dialect_find(cases[i].dialect)))
			fail_msg("taken for '%s', is '%s':\n%s", name, cases[i].dialect,
				 cases[i].text);
		reading_end(&reading);
	}
}

/* No two dialects are in doubt about any of them. */
static void without_doubt(void **state)
{
	struct reading reading;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		taken_for(&reading, cases[i].text, NULL);
		for (k = 0; k < reading.findings.list.count; k++)
			if (reading.findings.list.items[k]->rule == &rule_several_dialects)
				fail_msg("%s", reading.findings.list.items[k]->message);
		reading_end(&reading);
	}
}

/* --dialect has the last word, whatever the content. */
static void as_it_is_told(void **state)
{
	struct reading reading;

	(void)state;
	assert_string_equal(taken_for(&reading, "seed: 1\n", "litgpt"), "litgpt");
	reading_end(&reading);
	assert_string_equal(taken_for(&reading, "apiVersion: v1\nkind: Pod\n", "axolotl"),
			    "axolotl");
	reading_end(&reading);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_content_alone),
		cmocka_unit_test(without_doubt),
		cmocka_unit_test(as_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
