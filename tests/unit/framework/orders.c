#include "framework/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "dealt.h"

/* The order in which each framework lays its axes over the ranks, against ranks dealt out. */

struct axis {
	const char *name; /* NULL: no more */
	int size;
};

struct group {
	const char *mesh, *token;
};

static const struct order {
	const char *name, *text;
	struct axis axes[DEALT_AXES]; /* innermost first */
	struct group groups[DEALT_AXES];
} orders[] = {
	/* accelerate@16cb6eb8 src/accelerate/parallelism_config.py */
	{ "accelerate.yaml",
	  "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n"
	  "fsdp_config: {fsdp_version: 2}\nnum_machines: 3\nnum_processes: 24\n"
	  "parallelism_config:\n  parallelism_config_dp_replicate_size: 2\n"
	  "  parallelism_config_dp_shard_size: 3\n  parallelism_config_cp_size: 2\n"
	  "  parallelism_config_tp_size: 2\n",
	  { { "tp", 2 }, { "cp", 2 }, { "shard", 3 }, { "replicate", 2 } },
	  { { "tp", "tp" },
	    { "cp", "cp" },
	    { "dp_shard", "shard" },
	    { "dp_replicate", "replicate" },
	    { "dp_shard_cp", "shard-cp" } } },
	/* axolotl@067b021c src/axolotl/utils/distributed.py */
	{ "axolotl.yaml",
	  "base_model: NousResearch/Meta-Llama-3-8B\nmicro_batch_size: 1\nsequence_len: 8192\n"
	  "datasets: [{path: x, type: completion}]\ndp_replicate_size: 2\ndp_shard_size: 3\n"
	  "context_parallel_size: 2\ntensor_parallel_size: 2\nfsdp_version: 2\n"
	  "fsdp_config: {reshard_after_forward: true}\n",
	  { { "tp", 2 }, { "cp", 2 }, { "shard", 3 }, { "replicate", 2 } },
	  { { "tp", "tp" },
	    { "cp", "cp" },
	    { "dp_shard", "shard" },
	    { "dp_replicate", "replicate" },
	    { "dp_shard_cp", "shard-cp" } } },
	/* torchtune@bd2a0fc7 torchtune/training/_distributed.py */
	{ "torchtune.yaml",
	  "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\n"
	  "checkpointer: {_component_: torchtune.training.FullModelHFCheckpointer}\n"
	  "tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer}\n"
	  "batch_size: 1\ndata_parallel_replicate_dim: 2\ndata_parallel_shard_dim: 3\n"
	  "context_parallel_dim: 2\ntensor_parallel_dim: 2\n"
	  "tensor_parallel_plan: {_component_: torchtune.models.llama3.base_llama_tp_plan}\n",
	  { { "tp", 2 }, { "cp", 2 }, { "shard", 3 }, { "replicate", 2 } },
	  { { "tp", "tp" },
	    { "cp", "cp" },
	    { "dp_shard", "shard" },
	    { "dp_replicate", "replicate" },
	    { "dp_shard_cp", "shard-cp" } } },
	/* NeMo-Automodel@36044ad3 nemo_automodel/components/distributed/mesh_utils.py */
	{ "automodel.yaml",
	  "step_scheduler: {global_batch_size: 64, local_batch_size: 1}\n"
	  "model: {pretrained_model_name_or_path: meta-llama/Llama-3.1-8B}\n"
	  "distributed: {strategy: fsdp2, dp_size: 6, dp_replicate_size: 2, tp_size: 2, "
	  "cp_size: 2, pp_size: 2, pipeline: {pp_schedule: 1f1b}}\n",
	  { { "tp", 2 }, { "cp", 2 }, { "shard", 3 }, { "replicate", 2 }, { "pp", 2 } },
	  { { "tp", "tp" },
	    { "cp", "cp" },
	    { "dp_shard", "shard" },
	    { "dp_replicate", "replicate" },
	    { "pp", "pp" },
	    { "dp_shard_cp", "shard-cp" } } },
	/* DeepSpeed@edaa7221 deepspeed/runtime/pipe/topology.py */
	{ "deepspeed.json",
	  "{\"train_micro_batch_size_per_gpu\": 1, \"gradient_accumulation_steps\": 1,\n"
	  " \"zero_optimization\": {\"stage\": 2}, \"tensor_parallel\": {\"autotp_size\": 2}}\n",
	  { { "tp", 2 }, { "dp", 12 } },
	  { { "tp", "tp" }, { "dp_replicate", "dp" } } },
	/* gpt-neox@ea7aefd8: DeepSpeed's PipeModelDataParallelTopology */
	{ "neox.yaml",
	  "{\"pipe_parallel_size\": 3, \"model_parallel_size\": 2, \"num_layers\": 12,\n"
	  " \"hidden_size\": 768, \"num_attention_heads\": 12, \"seq_length\": 2048,\n"
	  " \"train_micro_batch_size_per_gpu\": 4}\n",
	  { { "tp", 2 }, { "dp", 4 }, { "pp", 3 } },
	  { { "tp", "tp" }, { "dp_replicate", "dp" }, { "pp", "pp" } } },
	/* nanotron@2411b022 src/nanotron/parallel/context.py */
	{ "nanotron.yaml",
	  "parallelism: {pp: 2, dp: 3, tp: 4, context_parallel_size: 2}\n"
	  "tokens: {micro_batch_size: 1, batch_accumulation_per_replica: 4, "
	  "sequence_length: 4096, train_steps: 10}\n",
	  { { "tp", 4 }, { "cp", 2 }, { "dp", 3 }, { "pp", 2 } },
	  { { "tp", "tp" }, { "cp", "cp" }, { "dp_replicate", "dp" }, { "pp", "pp" } } },
	/* picotron picotron/process_group_manager.py: dp, pp, cp, tp */
	{ "picotron.json",
	  "{\"distributed\": {\"tp_size\": 2, \"cp_size\": 2, \"pp_size\": 3, \"dp_size\": 4},\n"
	  " \"environment\": {\"OMP_NUM_THREADS\": \"1\"}, \"model\": {\"name\": \"x\"},\n"
	  " \"training\": {\"seq_length\": 1024, \"micro_batch_size\": 4}}\n",
	  { { "tp", 2 }, { "cp", 2 }, { "pp", 3 }, { "dp", 4 } },
	  { { "tp", "tp" }, { "cp", "cp" }, { "pp", "pp" }, { "dp_replicate", "dp" } } },
	/* composer@64051888 composer/core/state.py */
	{ "composer.yaml",
	  "max_seq_len: 2048\nmodel: {name: mpt_causal_lm, d_model: 768, n_layers: 12, "
	  "n_heads: 12}\nglobal_train_batch_size: 240\ndevice_train_microbatch_size: 1\n"
	  "train_loader: {name: text}\n"
	  "fsdp_config: {data_parallel_replicate_degree: 2, data_parallel_shard_degree: -1}\n"
	  "tp_config: {tensor_parallel_degree: 2}\n",
	  { { "tp", 2 }, { "shard", 6 }, { "replicate", 2 } },
	  { { "tp", "tp" }, { "dp_shard", "shard" }, { "dp_replicate", "replicate" } } },
	/* lightning@7f0c3436 src/lightning/fabric/strategies/model_parallel.py */
	{ "lightning.yaml",
	  "seed_everything: 1\ntrainer:\n  devices: 8\n  num_nodes: 3\n  strategy: {class_path: "
	  "lightning.pytorch.strategies.ModelParallelStrategy, init_args: "
	  "{data_parallel_size: 12, tensor_parallel_size: 2}}\nmodel: {class_path: a.B}\n",
	  { { "tp", 2 }, { "dp", 12 } },
	  { { "tp", "tp" }, { "dp_shard", "dp" } } },
	/* verl@b178a3cd verl/workers/engine/fsdp/utils.py, and Ulysses' grid beside it */
	{ "verl.yaml",
	  "actor_rollout_ref:\n  actor: {strategy: fsdp2, ppo_mini_batch_size: 24, "
	  "ppo_micro_batch_size_per_gpu: 1, fsdp_config: {fsdp_size: 8}}\n"
	  "  rollout: {n: 1, tensor_model_parallel_size: 2}\n"
	  "  model: {path: Qwen/Qwen2.5-7B}\ndata: {train_batch_size: 24}\n"
	  "trainer: {nnodes: 3, n_gpus_per_node: 8}\n",
	  { { "fsdp", 8 }, { "ddp", 3 } },
	  { { "fsdp", "fsdp" }, { "ddp", "ddp" } } },
};

static void check_order(const struct order *order)
{
	struct overrides overrides = { .text = order->text };
	struct dealt dealt = { 0 };
	struct findings findings;
	struct arena arena;
	struct job job;

	for (; dealt.axes < DEALT_AXES && order->axes[dealt.axes].name; dealt.axes++)
		dealt_take(&dealt, dealt.axes, order->axes[dealt.axes].name,
			   order->axes[dealt.axes].size);
	dealt_ranks(&dealt);
	arena_init(&arena);
	findings_init(&findings, &arena);
	overrides.world = dealt.ranks;
	assert_null(job_read(&job, &arena, order->name, &overrides, &findings));
	assert_int_equal(findings_count(&findings, SEVERITY_ERROR), 0);
	assert_null(job.applied->error);
	for (size_t i = 0; i < DEALT_AXES && order->groups[i].mesh; i++)
		dealt_compare(job.applied, order->groups[i].mesh, &dealt, order->groups[i].token);
	arena_release(&arena);
}

static void axes_lie_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		check_order(&orders[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(axes_lie_in_order) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
