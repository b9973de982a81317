#include "framework/conversion.h"

#include "input/settings/hf_model.h"

#include <inttypes.h>
#include <string.h>

/* Overrides of a recipe's config, as `tune run RECIPE --config CONFIG KEY=VALUE...` takes them
 * (pytorch/torchtune@bd2a0fc7 recipes/full_finetune_distributed.py). */

static const enum field_id elsewhere[] = { FIELD_STEPS, FIELD_OPTIMIZER_IMPLEMENTATION,
					   FIELD_DETERMINISTIC, FIELD_COUNT };

static const struct target_row rows[] = {
	{ FIELD_SEQ_LEN, "tokenizer.max_seq_len", NULL },
	{ FIELD_PACKING, "dataset.packed", NULL },
	{ FIELD_PARAM_DTYPE, "dtype", "bfloat16=bf16|float16=fp16|float32=fp32" },
	{ FIELD_AC_MODE, "enable_activation_checkpointing", "full=true|none=false" },
	{ FIELD_RESHARD_AFTER_FORWARD, "fsdp_reshard_after_forward",
	  "always=true|never=false|default=true" },
	{ FIELD_CPU_OFFLOAD, "fsdp_cpu_offload", NULL },
	{ FIELD_COMPILE, "compile", NULL },
	{ FIELD_OPTIMIZER_IN_BACKWARD, "optimizer_in_bwd", NULL },
	{ FIELD_MAX_NORM, "clip_grad_norm", NULL },
	{ FIELD_FLOAT8_ENABLED, "enable_fp8_training", NULL },
	{ FIELD_FLOAT8_RECIPE, "fp8_recipe_name", NULL },
};

static void put_text(struct conversion *conversion, const char *key, const char *text,
		     enum field_id id, struct buf *out)
{
	buf_printf(out, "%s=%s", key, text);
	conversion_origin(conversion, id, out);
}

static void put_int(struct conversion *conversion, const char *key, int64_t value, enum field_id id,
		    struct buf *out)
{
	put_text(conversion, key, arena_printf(conversion->arena, "%" PRId64, value), id, out);
}

static void put_degrees(struct conversion *conversion, struct buf *out)
{
	static const struct {
		enum field_id field;
		const char *key;
	} degrees[] = {
		{ FIELD_TP, "tensor_parallel_dim" },
		{ FIELD_CP, "context_parallel_dim" },
		{ FIELD_DP_SHARD, "data_parallel_shard_dim" },
		{ FIELD_DP_REPLICATE, "data_parallel_replicate_dim" },
	};
	size_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++) {
		int64_t degree = conversion_degree(conversion, degrees[i].field);
		if (degree < 0 && degrees[i].field != FIELD_DP_SHARD)
			conversion_lost(conversion, degrees[i].field,
					"%s is what is left of the world: give --world N",
					degrees[i].key);
		else if (degree != 1 || degrees[i].field == FIELD_DP_SHARD ||
			 setting_given(&conversion->said.items[degrees[i].field]))
			put_int(conversion, degrees[i].key, degree, degrees[i].field, out);
	}
	conversion_no_pipeline(conversion, "torchtune");
	if (conversion_degree(conversion, FIELD_EP) > 1)
		conversion_lost(conversion, FIELD_EP, "torchtune has no expert parallelism");
	conversion->taken[FIELD_ETP] = true;
}

/* tp asks for a plan: which layers it cuts. */
static void put_plan(struct conversion *conversion, struct buf *out)
{
	static const char key[] = "tensor_parallel_plan._component_";
	const struct setting *plan = conversion_take(conversion, FIELD_TP_PLAN);
	const struct model *model = conversion->job->model;
	const bool named = plan && strchr(plan->text, '.');
	const char *word = named ? conversion_word(conversion, plan) : NULL;

	if (word)
		put_text(conversion, key, word, FIELD_TP_PLAN, out);
	else if (named)
		return;
	else if (conversion->job->intended->degrees.tp < 2)
		return;
	else if (model && (!strcmp(model->family, "llama2") || !strcmp(model->family, "llama3") ||
			   !strcmp(model->family, "llama") || !strcmp(model->family, "qwen2")))
		put_text(conversion, key, "torchtune.models.llama3.base_llama_tp_plan", FIELD_COUNT,
			 out);
	else
		conversion_lost(conversion, FIELD_TP,
				"tensor parallel needs %s, which only the model's family knows",
				key);
}

static const char *builder_of(struct arena *arena, const char *preset)
{
	return hf_model_id(arena, preset, "torchtune.models.");
}

static bool has_builder(struct arena *arena, const char *preset)
{
	return builder_of(arena, preset) != NULL;
}

static void put_model(struct conversion *conversion, struct buf *out)
{
	const char *preset = conversion_preset(conversion, has_builder);
	const char *builder = preset ? builder_of(conversion->arena, preset) : NULL;

	if (builder)
		put_text(conversion, "model._component_", builder,
			 conversion_model_from(conversion), out);
	else if (conversion->job->model)
		conversion_lost(conversion, FIELD_MODEL_PRESET, "torchtune has no builder for %s",
				model_called(conversion->job->model));
}

static void write(struct conversion *conversion, struct buf *out)
{
	struct batch batch;

	conversion_head(conversion, "Overrides for torchtune's full_finetune_distributed", out);
	put_model(conversion, out);
	put_degrees(conversion, out);
	put_plan(conversion, out);
	batch = conversion_batch(conversion);
	if (batch.micro > 0)
		put_int(conversion, "batch_size", batch.micro, batch.micro_from, out);
	if (batch.accumulated > 0)
		put_int(conversion, "gradient_accumulation_steps", batch.accumulated,
			setting_known(&conversion->said.items[FIELD_GRADIENT_ACCUMULATION])
				? FIELD_GRADIENT_ACCUMULATION
				: batch.step_from,
			out);
	else if (batch.step > 0)
		conversion_lost(conversion, FIELD_GLOBAL_BATCH_SIZE,
				"accumulation follows from the world: give --world N");
	conversion_rows(conversion, rows, sizeof(rows) / sizeof(rows[0]), put_text, out);
}

const struct target target_torchtune = {
	.name = "torchtune",
	.summary = "overrides KEY=VALUE for tune run",
	.where = "the recipe's config",
	.elsewhere = elsewhere,
	.write = write,
};
