#include "framework/conversion.h"

#include "base/number.h"

#include <inttypes.h>
#include <string.h>

/* The file of `accelerate launch --config_file` (huggingface/accelerate@16cb6eb8
 * src/accelerate/commands/config/config_args.py, parallelism_config.py). */

static const enum field_id elsewhere[] = { FIELD_MODEL_PRESET,
					   FIELD_SEQ_LEN,
					   FIELD_PACKING,
					   FIELD_LOCAL_BATCH_SIZE,
					   FIELD_MICRO_BATCH_SIZE,
					   FIELD_GLOBAL_BATCH_SIZE,
					   FIELD_GRADIENT_ACCUMULATION,
					   FIELD_STEPS,
					   FIELD_MAX_NORM,
					   FIELD_COMPILE,
					   FIELD_OPTIMIZER_NAME,
					   FIELD_OPTIMIZER_IMPLEMENTATION,
					   FIELD_LOSS_KIND,
					   FIELD_LOSS_CHUNKS,
					   FIELD_LOSS_TOKENS,
					   FIELD_OBJECTIVE,
					   FIELD_REFERENCE_HELD,
					   FIELD_REFERENCE_DTYPE,
					   FIELD_REFERENCE_PRECOMPUTED,
					   FIELD_EXPERTS_BY,
					   FIELD_DETERMINISTIC,
					   FIELD_COUNT };

static const struct target_row fsdp_rows[] = {
	{ FIELD_RESHARD_AFTER_FORWARD, "  fsdp_reshard_after_forward",
	  "always=true|never=false|default=true" },
	{ FIELD_AC_MODE, "  fsdp_activation_checkpointing", "full=true|none=false" },
	{ FIELD_CPU_OFFLOAD, "  fsdp_offload_params", NULL },
};

static const struct target_row deepspeed_rows[] = {
	{ FIELD_ZERO_STAGE, "  zero_stage", NULL },
	{ FIELD_GRADIENT_ACCUMULATION, "  gradient_accumulation_steps", NULL },
	{ FIELD_MAX_NORM, "  gradient_clipping", NULL },
	{ FIELD_OPTIMIZER_OFFLOAD, "  offload_optimizer_device", "1=cpu|0=none" },
};

static const struct target_row precision_row = { FIELD_PARAM_DTYPE, "mixed_precision",
						 "bfloat16=bf16|float16=fp16|float32='no'" };
static const struct target_row rotate_row = { FIELD_CP_ROTATE,
					      "  parallelism_config_cp_comm_strategy", NULL };

static void put(struct conversion *conversion, const char *key, const char *value, enum field_id id,
		struct buf *out)
{
	buf_printf(out, "%s: %s", key, value);
	conversion_origin(conversion, id, out);
}

static void put_int(struct conversion *conversion, const char *key, int64_t value, enum field_id id,
		    struct buf *out)
{
	put(conversion, key, arena_printf(conversion->arena, "%" PRId64, value), id, out);
}

static bool is_deepspeed(const struct conversion *conversion)
{
	return !strcmp(setting_text(&conversion->said, FIELD_ENGINE, ""), "deepspeed") &&
	       setting_known(&conversion->said.items[FIELD_ZERO_STAGE]);
}

/* The mesh, where it is more than all processes along one axis. */
static void put_mesh(struct conversion *conversion, struct buf *out)
{
	static const struct {
		enum field_id field;
		const char *key;
	} axes[] = {
		{ FIELD_DP_REPLICATE, "  parallelism_config_dp_replicate_size" },
		{ FIELD_DP_SHARD, "  parallelism_config_dp_shard_size" },
		{ FIELD_TP, "  parallelism_config_tp_size" },
		{ FIELD_CP, "  parallelism_config_cp_size" },
	};
	size_t i;

	buf_text(out, "parallelism_config:\n");
	for (i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		int64_t degree = conversion_degree(conversion, axes[i].field);
		if (degree > 0)
			put_int(conversion, axes[i].key, degree, axes[i].field, out);
		else if (degree)
			conversion_lost(conversion, axes[i].field,
					"%s is what is left of the world: give --world N",
					axes[i].key + 2);
	}
	if (conversion->job->intended->degrees.cp > 1)
		conversion_rows(conversion, &rotate_row, 1, put, out);
}

static void lose_others(struct conversion *conversion)
{
	conversion_no_pipeline(conversion, "accelerate's FSDP");
	if (conversion_degree(conversion, FIELD_EP) > 1)
		conversion_lost(conversion, FIELD_EP,
				"accelerate's FSDP has no expert parallelism");
	conversion->taken[FIELD_ETP] = true;
}

/* parallelism_config.py:338 */
static void check_replicas(struct conversion *conversion)
{
	const struct degrees *d = &conversion->job->intended->degrees;

	conversion->refused = (d->dp_replicate > 1 || d->dp_replicate < 0) && d->dp_shard == 1 &&
			      (d->tp > 1 || d->cp > 1);
	if (conversion->refused)
		conversion_lost(conversion, FIELD_DP_REPLICATE,
				"accelerate takes no replicas beside tp or cp without shards: "
				"make dp_shard_size what dp_replicate_size is, and that 1");
}

static void put_processes(struct conversion *conversion, struct buf *out)
{
	const struct settings *said = &conversion->said;
	const enum field_id nodes = setting_known(&said->items[FIELD_CLUSTER_NODES])
					    ? FIELD_CLUSTER_NODES
					    : FIELD_LAUNCH_NODES;

	put_int(conversion, "num_machines", setting_int(said, nodes, 1),
		setting_known(&said->items[nodes]) ? nodes : FIELD_COUNT, out);
	if (conversion->job->world)
		put_int(conversion, "num_processes", conversion->job->world,
			setting_known(&said->items[FIELD_WORLD]) ? FIELD_WORLD
			: setting_known(&said->items[FIELD_LAUNCH_PROCESSES])
				? FIELD_LAUNCH_PROCESSES
				: nodes,
			out);
}

/* Names behind each other with commas (accelerate's commands/launch.py), which no name has. */
static void put_leaves(struct conversion *conversion, struct buf *out)
{
	const struct setting *leaves = conversion_take(conversion, FIELD_LEAF_MODULES);
	struct setting names;
	const struct node *node;
	const char *value;

	if (!leaves || !leaves->node)
		return;
	names = *leaves;
	names.text = "";
	for (node = leaves->node->first; node; node = node->next)
		names.text = arena_join(conversion->arena, names.text, *names.text ? "," : "",
					node->text ? node->text : "?");
	value = conversion_word(conversion, &names);
	if (value && !*value)
		conversion_lost(conversion, FIELD_LEAF_MODULES,
				"accelerate has no word for no leaf modules at all");
	else if (value)
		put(conversion, "  deepspeed_moe_layer_cls_names", value, FIELD_LEAF_MODULES, out);
}

/* True when there is more than replicas, or more than shards, over all processes. */
static bool has_mesh(const struct degrees *d)
{
	return d->tp > 1 || d->cp > 1 ||
	       (d->dp_replicate && d->dp_replicate != 1 && d->dp_shard != 1);
}

static void put_fsdp(struct conversion *conversion, struct buf *out)
{
	put(conversion, "distributed_type", "FSDP", FIELD_COUNT, out);
	buf_text(out, "fsdp_config:\n");
	put(conversion, "  fsdp_version", "2", FIELD_COUNT, out);
	put(conversion, "  fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP", FIELD_COUNT, out);
	conversion_rows(conversion, fsdp_rows, sizeof(fsdp_rows) / sizeof(fsdp_rows[0]), put, out);
}

static void write(struct conversion *conversion, struct buf *out)
{
	const struct degrees *degrees = &conversion->job->intended->degrees;

	conversion_head(conversion, "A config of accelerate launch", out);
	put(conversion, "compute_environment", "LOCAL_MACHINE", FIELD_COUNT, out);
	if (is_deepspeed(conversion)) {
		put(conversion, "distributed_type", "DEEPSPEED", FIELD_COUNT, out);
		buf_text(out, "deepspeed_config:\n");
		conversion_rows(conversion, deepspeed_rows,
				sizeof(deepspeed_rows) / sizeof(deepspeed_rows[0]), put, out);
		put_leaves(conversion, out);
	} else if (degrees->dp_shard == 1 && !has_mesh(degrees)) {
		put(conversion, "distributed_type", "MULTI_GPU", FIELD_COUNT, out);
	} else {
		put_fsdp(conversion, out);
	}
	if (has_mesh(degrees))
		put_mesh(conversion, out);
	else
		conversion->taken[FIELD_DP_REPLICATE] = conversion->taken[FIELD_DP_SHARD] = true;
	lose_others(conversion);
	check_replicas(conversion);
	conversion_rows(conversion, &precision_row, 1, put, out);
	put_processes(conversion, out);
}

const struct target target_accelerate = {
	.name = "accelerate",
	.summary = "a YAML file for accelerate launch",
	.where = "the training script",
	.elsewhere = elsewhere,
	.file = "converted.yaml",
	.write = write,
};
