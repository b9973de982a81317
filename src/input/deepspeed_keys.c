#include "input/deepspeed_keys.h"

#include "input/keys.h"

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
	{ "optimizer.type", FIELD_OPTIMIZER_NAME, KEY_VALUE, AUTO },
};

bool deepspeed_recognises(const struct node *config)
{
	static const char *const names[] = {
		"zero_optimization",
		"train_micro_batch_size_per_gpu",
		"zero_allow_untested_optimizer",
		"zero_force_ds_cpu_optimizer",
		"wall_clock_breakdown",
		"steps_per_print",
		"prescale_gradients",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (node_member(config, names[i]))
			return true;
	return false;
}

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

void deepspeed_put_axes(struct decoder *decoder, int64_t group)
{
	struct settings *settings = decoder->settings;
	const struct setting *stage = settings_of(settings, FIELD_ZERO_STAGE);
	const int64_t shared = group > 0 ? group : -1;

	if (setting_unresolved(settings, FIELD_ZERO_STAGE) ||
	    setting_given(settings_of(settings, FIELD_DP_SHARD)) ||
	    setting_given(settings_of(settings, FIELD_DP_REPLICATE)))
		return;
	if (!setting_known(stage))
		stage = NULL;
	if (stage && stage->integer > 2) {
		keys_derive(decoder, FIELD_DP_REPLICATE, group > 0 ? -1 : 1, stage,
			    group > 0 ? "MiCS repeats its groups" : "ZeRO-3 repeats nothing");
		keys_derive(decoder, FIELD_DP_SHARD, shared, stage,
			    group > 0 ? "mics_shard_size" : "ZeRO-3 shares parameters over all");
		return;
	}
	keys_derive(decoder, FIELD_DP_SHARD, 1, stage, "below ZeRO-3 parameters are whole");
	keys_derive(decoder, FIELD_DP_REPLICATE, -1, stage, "below ZeRO-3 parameters are repeated");
}

void deepspeed_put(struct decoder *decoder, const struct node *config)
{
	keys_put(decoder, config, rows, sizeof(rows) / sizeof(*rows));
	put_old_stage(decoder, config);
	put_type(decoder, config, "fp16.enabled", "float16");
	put_type(decoder, config, "bf16.enabled", "bfloat16");
	put_type(decoder, config, "bfloat16.enabled", "bfloat16");
	put_offload(decoder, config);
	put_secondary(decoder, config);
	settings_put_text(decoder->settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT)->note =
		"DeepSpeed's engine";
	deepspeed_put_axes(decoder, keys_int(config, "zero_optimization.mics_shard_size", -1));
}
