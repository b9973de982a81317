#include "wings/deepspeed/keys.h"

#include "base/text.h"

#include "input/axis.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/settings/uncounted.h"
#include "input/vocabulary.h"

#include <string.h>

#define AUTO "auto="

static const struct key_row rows[] = {
	{ "train_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, AUTO },
	{ "train_micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, AUTO },
	{ "gradient_accumulation_steps", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, AUTO },
	{ "sequence_parallel_size", FIELD_SP, KEY_VALUE, AUTO },
	{ "tensor_parallel.autotp_size", FIELD_TP, KEY_POSITIVE, AUTO },
	{ "zero_optimization.stage", FIELD_ZERO_STAGE, KEY_VALUE, AUTO },
	{ "zero_optimization.overlap_comm", FIELD_OVERLAP_GRAD_REDUCE, KEY_VALUE, AUTO },
	{ "zero_optimization.round_robin_gradients", FIELD_ZERO_ROUND_ROBIN, KEY_VALUE, AUTO },
	{ "zero_optimization.leaf_module.classes", FIELD_LEAF_MODULES, KEY_VALUE, NULL },
	{ "expert_parallel.autoep_size", FIELD_EP, KEY_POSITIVE, AUTO },
	{ "optimizer.type", FIELD_OPTIMIZER_NAME, KEY_VALUE, AUTO },
	{ "zero_optimization.offload_optimizer.device", FIELD_OPTIMIZER_OFFLOAD, KEY_VALUE,
	  "cpu=1|nvme=1|none=|auto=" },
	{ "bf16.bf16_master_weights_and_grads", FIELD_OPTIMIZER_MASTER_DTYPE, KEY_VALUE,
	  "true=bfloat16|false=" },
};

/* `"zero_optimization": true`, the form before stages: stage 1. */
static void put_old_stage(struct decoder *decoder, const struct node *config)
{
	const struct node *zero = node_member(config, "zero_optimization");
	struct setting *stage;

	if (!zero || zero->kind != NODE_SCALAR || zero->type != SCALAR_BOOL)
		return;
	stage = keys_derive(decoder, FIELD_ZERO_STAGE, zero->boolean, NULL,
			    "zero_optimization given as true or false");
	stage->span = zero->span;
	stage->key_span = zero->key_span;
}

/* A block with `enabled: true`; "auto" is neither. */
static void put_type(struct decoder *decoder, const struct node *config, const char *path,
		     const char *type)
{
	const struct node *enabled = node_find(config, path);
	struct setting *setting;

	if (!keys_true(config, path))
		return;
	setting = settings_put_text(decoder->settings, FIELD_PARAM_DTYPE, type, ORIGIN_DERIVED);
	setting->span = enabled->span;
	setting->key_span = enabled->key_span;
	setting->note = path;
}

static bool offloads(const struct node *config, const char *path)
{
	const char *device = keys_text(config, path, "none");

	return !strcmp(device, "cpu") || !strcmp(device, "nvme");
}

/* Parameters and what the optimizer keeps of them, both; parameters move at stage 3 only. */
static void put_offload(struct decoder *decoder, const struct node *config)
{
	const struct node *device = node_find(config, "zero_optimization.offload_param.device");
	struct setting *setting;

	if (setting_int(decoder->settings, FIELD_ZERO_STAGE, 0) < 3 ||
	    !offloads(config, "zero_optimization.offload_param.device") ||
	    !offloads(config, "zero_optimization.offload_optimizer.device"))
		return;
	setting = settings_put_bool(decoder->settings, FIELD_CPU_OFFLOAD, true, ORIGIN_DERIVED);
	setting->span = device->span;
	setting->key_span = device->key_span;
	setting->note = "offload_param and offload_optimizer";
}

/* ZeRO++'s second partition: what a forward leaves is cut over fewer ranks (arXiv:2306.10209). */
static void put_secondary(struct decoder *decoder, const struct node *config)
{
	static const char path[] = "zero_optimization.zero_hpz_partition_size";
	int64_t ranks = keys_int(config, path, 1);
	struct setting *setting;

	if (ranks < 2 || setting_int(decoder->settings, FIELD_ZERO_STAGE, 0) < 3)
		return;
	setting = field_put(decoder, FIELD_RESHARD_AFTER_FORWARD, node_find(config, path));
	if (setting)
		setting->note = "ZeRO++'s second partition";
}

/* What nothing here counts of a step or of what a rank keeps; the last where the optimizer's state
 * stays on the device (deepspeedai/DeepSpeed@edaa7221 deepspeed/runtime/{zero/config,constants}.py,
 * runtime/activation_checkpointing/config.py, compile/config.py). */
static const struct uncounted_row uncounted[] = {
	{ "zero_optimization.zero_quantized_weights", "parameters are gathered in 8 bits" },
	{ "zero_optimization.zero_quantized_gradients", "gradients are reduced in 4 bits" },
	{ "zero_optimization.zenflow", "gradients wait in host memory, and updates overlap" },
	{ "activation_checkpointing.cpu_checkpointing", "checkpoints wait in host memory" },
	{ "activation_checkpointing.partition_activations", "checkpoints are cut over tp" },
	{ "compile.deepcompile", "gathers are scheduled by the compiler" },
	{ "sparse_attention", "attention sees some of the tokens" },
	{ "progressive_layer_drop.enabled", "layers are left out" },
	{ "compression_training", "weights are quantized or pruned" },
	{ "hybrid_engine.enabled", "the engine generates, too" },
	{ "zero_optimization.offload_param.device", "parameters come from host memory" },
};

/* Of more ranks than one, which is as without. */
static const struct uncounted_row second_copy = {
	"zero_optimization.zero_hpz_partition_size",
	"a second copy of parameters is kept, and gathered from, within nodes"
};

static void put_uncounted(struct decoder *decoder, const struct node *config)
{
	const size_t all = sizeof(uncounted) / sizeof(uncounted[0]);
	const bool both = setting_bool(decoder->settings, FIELD_CPU_OFFLOAD, false);

	if (keys_int(config, second_copy.path, 1) > 1)
		uncounted_put(decoder, config, NULL, &second_copy, 1);
	uncounted_put(decoder, config, NULL, uncounted, all - both);
}

/* Who holds the parameters hangs on a stage that nobody knows. */
static void leave_axes_open(struct settings *settings, const struct setting *stage)
{
	static const enum field_id degrees[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD };
	size_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++) {
		struct setting *axis = settings_of(settings, degrees[i]);
		if (setting_given(axis))
			continue;
		axis->unresolved = stage->unresolved;
		axis->invalid = true;
		axis->span = stage->span;
		axis->spelling = "the ZeRO stage";
	}
}

void deepspeed_put_axes(struct decoder *decoder, int64_t group)
{
	struct settings *settings = decoder->settings;
	const struct setting *stage = settings_of(settings, FIELD_ZERO_STAGE);

	if (stage->unresolved)
		leave_axes_open(settings, stage);
	if (stage->invalid || setting_given(settings_of(settings, FIELD_DP_SHARD)) ||
	    setting_given(settings_of(settings, FIELD_DP_REPLICATE)))
		return;
	if (!setting_known(stage) || stage->integer < 3) {
		stage = setting_known(stage) ? stage : NULL;
		keys_derive(decoder, FIELD_DP_SHARD, 1, stage, "below ZeRO-3 parameters are whole");
		keys_derive(decoder, FIELD_DP_REPLICATE, -1, stage,
			    "below ZeRO-3 parameters are repeated");
		return;
	}
	keys_derive(decoder, FIELD_DP_REPLICATE, group > 0 ? -1 : 1, stage,
		    group > 0 ? "MiCS repeats its groups" : "ZeRO-3 repeats nothing");
	keys_derive(decoder, FIELD_DP_SHARD, group > 0 ? group : -1, stage,
		    group > 0 ? "mics_shard_size" : "ZeRO-3 shares parameters over all");
}

/* MiCS: the degree stands where its ranks are given. */
static void put_groups(struct decoder *decoder, const struct node *config)
{
	static const char path[] = "zero_optimization.mics_shard_size";
	const int64_t ranks = keys_int(config, path, -1);
	const bool given = setting_given(settings_of(decoder->settings, FIELD_DP_SHARD));

	deepspeed_put_axes(decoder, ranks);
	if (ranks > 0 && !given && setting_int(decoder->settings, FIELD_DP_SHARD, 1) == ranks)
		field_put(decoder, FIELD_DP_SHARD, node_find(config, path));
}

/* Lists of values to try (autotuning/autotuner.py); without the autotuner they are an error. */
static void leave_to_autotuner(const struct node *config)
{
	struct node *node;
	size_t i;

	for (i = 0; keys_true(config, "autotuning.enabled") && i < sizeof(rows) / sizeof(*rows);
	     i++) {
		node = node_find(config, rows[i].path);
		if (node && node->kind == NODE_LIST)
			node->unresolved = "the autotuner tries each value of the list";
	}
}

/*
 * Its own in any case, and the classes of torch.optim, which the engine takes by their names
 * (deepspeed@edaa7221 runtime/config.py, DEEPSPEED_OPTIMIZERS; runtime/engine.py,
 * _configure_basic_optimizer).
 */
void deepspeed_choose(struct decoder *decoder, const struct node *config)
{
	static const char own[] = "adagrad|adam|adamw|lamb|onebitadam|zerooneadam|onebitlamb|"
				  "muadam|muadamw|musgd|lion|muon";
	static const struct key_choice type = {
		"optimizer.type",
		"Adam|AdamW|Adagrad|Lamb|OneBitAdam|ZeroOneAdam|OneBitLamb|MuAdam|MuAdamW|MuSGD|"
		"Lion|Muon|Adadelta|Adafactor|Adamax|ASGD|LBFGS|NAdam|RAdam|RMSprop|Rprop|SGD|"
		"SparseAdam|auto",
		CHOICE_OPEN
	};

	if (!words_have(own, text_lower(decoder->arena, keys_text(config, type.path, ""))))
		keys_choose(decoder, config, &type, 1);
}

void deepspeed_put(struct decoder *decoder, const struct node *config)
{
	leave_to_autotuner(config);
	keys_put(decoder, config, rows, sizeof(rows) / sizeof(*rows));
	keys_optimizer(decoder, node_find(config, "optimizer.params"));
	put_old_stage(decoder, config);
	put_type(decoder, config, "fp16.enabled", "float16");
	put_type(decoder, config, "bf16.enabled", "bfloat16");
	put_type(decoder, config, "bfloat16.enabled", "bfloat16");
	put_offload(decoder, config);
	put_secondary(decoder, config);
	put_uncounted(decoder, config);
	settings_put_text(decoder->settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT)->note =
		"DeepSpeed's engine";
	put_groups(decoder, config);
}

/* "auto", or an expression that nothing resolves. */
static const struct node *left_to_others(const struct node *config)
{
	static const char *const paths[] = { "fp16.enabled",
					     "bf16.enabled",
					     "bfloat16.enabled",
					     "train_batch_size",
					     "train_micro_batch_size_per_gpu",
					     "gradient_accumulation_steps" };
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct node *node = node_find(config, paths[i]);
		if (node && (!strcmp(keys_text(config, paths[i], ""), "auto") ||
			     (i < 3 && node->unresolved)))
			return node;
	}
	return NULL;
}

/* deepspeed@v0.18.2 runtime/precision_config.py: `enabled` of both is false; engine.py,
 * _configure_distributed_model, then leaves the model as it is. */
void deepspeed_precision(struct decoder *decoder, const struct node *config, const char *whose)
{
	const struct setting *type = settings_of(decoder->settings, FIELD_PARAM_DTYPE);
	const struct node *open = left_to_others(config);

	if (setting_known(type) || type->unresolved || keys_true(config, "amp.enabled") ||
	    keys_true(config, "torch_autocast.enabled"))
		return;
	if (open)
		axis_leave_open(decoder->settings, FIELD_PARAM_DTYPE,
				"\"auto\", which transformers fills in", open->span);
	else
		settings_put_text(decoder->settings, FIELD_PARAM_DTYPE, "float32", ORIGIN_DEFAULT)
			->note = whose;
}

/* Fields and aliases of DeepSpeedZeroConfig, and those that versions before it had. */
static const char *const zero_keys[] = {
	"stage",
	"contiguous_gradients",
	"reduce_scatter",
	"reduce_bucket_size",
	"use_multi_rank_bucket_allreduce",
	"allgather_partitions",
	"allgather_bucket_size",
	"overlap_comm",
	"load_from_fp32_weights",
	"elastic_checkpoint",
	"offload_param",
	"offload_optimizer",
	"zenflow",
	"sub_group_size",
	"cpu_offload_param",
	"cpu_offload_params",
	"cpu_offload_use_pin_memory",
	"cpu_offload",
	"prefetch_bucket_size",
	"stage3_prefetch_bucket_size",
	"param_persistence_threshold",
	"stage3_param_persistence_threshold",
	"model_persistence_threshold",
	"stage3_model_persistence_threshold",
	"max_live_parameters",
	"stage3_max_live_parameters",
	"max_reuse_distance",
	"stage3_max_reuse_distance",
	"gather_16bit_weights_on_model_save",
	"stage3_gather_16bit_weights_on_model_save",
	"stage3_gather_fp16_weights_on_model_save",
	"gather_fp16_weights_on_model_save",
	"module_granularity_threshold",
	"stage3_module_granularity_threshold",
	"use_all_reduce_for_fetch_params",
	"stage3_use_all_reduce_for_fetch_params",
	"allgather_sequential",
	"stage3_allgather_sequential",
	"partition_stream_chunk_size",
	"stage3_partition_stream_chunk_size",
	"ignore_unused_parameters",
	"legacy_stage1",
	"round_robin_gradients",
	"zero_hpz_partition_size",
	"zero_quantized_weights",
	"zero_quantized_nontrainable_weights",
	"zero_quantized_gradients",
	"zeropp_loco_param",
	"mics_shard_size",
	"mics_hierarchical_params_gather",
	"memory_efficient_linear",
	"pipeline_loading_checkpoint",
	"override_module_apply",
	"log_trace_cache_warnings",
	"enable_sanity_checks",
	"save_muon_momentum_buffer_in_memory",
	"leaf_module",
};

static const struct refusal refusal = {
	"deepspeed",
	"pydantic_core._pydantic_core.ValidationError: 1 validation error for "
	"DeepSpeedZeroConfig ",
	" Extra inputs are not permitted",
	"stage3_param_persitance_threshold|comm_overlap|stage3_prefetch_buckets_size",
};

void deepspeed_check_keys(struct decoder *decoder, const struct node *config)
{
	const struct node *zero = node_member(config, "zero_optimization");

	keys_refused(decoder, zero, zero_keys, sizeof(zero_keys) / sizeof(*zero_keys), &refusal);
	keys_misspelt(decoder, config, rows, sizeof(rows) / sizeof(*rows), "DeepSpeed",
		      "ignores what it does not know at the top");
}

void deepspeed_vocabulary(struct vocabulary *vocabulary, const char *prefix)
{
	const char *zero =
		arena_join(vocabulary->arena, prefix, *prefix ? "." : "", "zero_optimization");

	vocabulary_guarded(vocabulary, prefix, rows, sizeof(rows) / sizeof(*rows));
	vocabulary_refused(vocabulary, zero, zero_keys, sizeof(zero_keys) / sizeof(*zero_keys),
			   &refusal);
}

enum field_id deepspeed_field_of(const char *leaf)
{
	return keys_field_of(rows, sizeof(rows) / sizeof(*rows), leaf);
}
