#include "base/text.h"
#include "wings/transformers/data_parallel.h"
#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/torchtune/components.h"
#include "wings/torchtune/recipe.h"
#include "wings/torchtune/shipped.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * torchtune's recipes (pytorch/torchtune@bd2a0fc7): OmegaConf's YAML, components under _component_.
 * Which recipe runs is said on the command line only, and in the header that every config has:
 * "tune run full_finetune_single_device --config ...". Nobody notices a key that is not read.
 */

static const struct key_row rows[] = {
	{ "batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "training.batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "gradient_accumulation_steps", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, NULL },
	{ "tokenizer.max_seq_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "dataset.packed", FIELD_PACKING, KEY_VALUE, NULL },
	{ "dtype", FIELD_PARAM_DTYPE, KEY_VALUE, "bf16=bfloat16|fp16=float16|fp32=float32" },
	{ "enable_activation_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
	{ "training.enable_activation_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none" },
	/* training/_activation_offloading.py */
	{ "enable_activation_offloading", FIELD_AC_OFFLOAD, KEY_VALUE, NULL },
	{ "training.enable_activation_offloading", FIELD_AC_OFFLOAD, KEY_VALUE, NULL },
	{ "fsdp_cpu_offload", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	/* true is not for the root (torchtune/training/_distributed.py:711) */
	{ "fsdp_reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE,
	  "true=default|false=never" },
	{ "optimizer_in_bwd", FIELD_OPTIMIZER_IN_BACKWARD, KEY_VALUE, NULL },
	{ "enable_fp8_training", FIELD_FLOAT8_ENABLED, KEY_VALUE, NULL },
	{ "fp8_recipe_name", FIELD_FLOAT8_RECIPE, KEY_VALUE, NULL },
};

static const struct key_row mesh_rows[] = {
	{ "context_parallel_dim", FIELD_CP, KEY_VALUE, NULL },
	{ "data_parallel_shard_dim", FIELD_DP_SHARD, KEY_VALUE, NULL },
	{ "data_parallel_replicate_dim", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
};

static const struct key_row tensor_rows[] = {
	{ "tensor_parallel_dim", FIELD_TP, KEY_VALUE, NULL },
	{ "tensor_parallel_plan._component_", FIELD_TP_PLAN, KEY_VALUE, NULL },
};

static const struct key_row mode_rows[] = {
	{ "ac_mode", FIELD_AC_MODE, KEY_VALUE, "full=full|selective=selective" },
	{ "ac_option", FIELD_AC_OPTION, KEY_VALUE, NULL }, /* training/activations.py */
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* pytorch/torchtune@bd2a0fc7 recipes/qat_distributed.py, recipes/full_finetune_distributed.py; the
 * last of recipes for quantization-aware training alone. */
static const struct uncounted_row uncounted[] = {
	{ "custom_sharded_layers", "those layers are gathered by themselves" },
	{ "compile.optimizer_step", "the optimizer's step is compiled" },
	{ "quantizer", "weights and what goes into them are quantized as they are used" },
};

/* A component of torchtune's somewhere at the top, or one level below: training.checkpointer. */
static bool has_component(const struct node *map, int depth)
{
	const struct node *child, *component;

	if (!map || map->kind != NODE_MAP)
		return false;
	for (child = map->first; child; child = child->next) {
		component = node_member(child, "_component_");
		if (component && component->kind == NODE_SCALAR &&
		    text_starts(component->text, "torchtune."))
			return true;
		if (depth && has_component(child, depth - 1))
			return true;
	}
	return false;
}

static int torchtune_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (node_find(root, "model._component_") || node_find(root, "checkpointer._component_"))
		return 76;
	return has_component(root, 1) ? 70 : 0;
}

static bool on_one_device(const struct document *document)
{
	const struct launch *launch = document->launch;

	if (document->shell)
		return launch && launch->program && strstr(launch->program, "single_device");
	return (torchtune_header_says(document, "single_device") ||
		torchtune_header_says(document, "single device")) &&
	       !torchtune_header_says(document, "nproc");
}

/* `compile: true`, or a map that says what of it. */
static void put_compile(struct decoder *decoder, const struct node *root)
{
	const struct node *compile = node_member(root, "compile");
	const struct node *model = node_member(compile, "model");

	if (compile && compile->kind == NODE_MAP)
		compile = model;
	if (compile && compile->kind == NODE_SCALAR)
		field_put(decoder, FIELD_COMPILE, compile);
}

/*
 * The loss is a class: one projects chunks of tokens itself (modules/loss/cross_entropy_loss.py,
 * from 2025-04), one is handed chunks of logits and is what nothing here says, one is PyTorch's.
 */
static void put_loss(struct decoder *decoder, const struct node *root)
{
	const struct node *class = node_find(root, "loss._component_");
	const struct node *chunks = node_find(root, "loss.num_output_chunks");
	const char *kind;

	if (!class || class->kind != NODE_SCALAR)
		return;
	kind = text_ends(class->text, ".LinearCrossEntropyLoss") ? "chunked"
	       : text_ends(class->text, "nn.CrossEntropyLoss")	 ? "whole"
								 : NULL;
	if (kind)
		settings_put_text(decoder->settings, FIELD_LOSS_KIND, kind, ORIGIN_DERIVED)->span =
			class->span;
	if (chunks)
		field_put(decoder, FIELD_LOSS_CHUNKS, chunks);
}

/* Clipping by 'inf' only logs the norm. */
static void put_norm(struct decoder *decoder, const struct node *root)
{
	const struct node *norm = node_member(root, "clip_grad_norm");

	if (norm && norm->kind == NODE_SCALAR && norm->type != SCALAR_STRING)
		field_put(decoder, FIELD_MAX_NORM, norm);
}

/* The number of ranks as the file has it; --world and the launch line win. */
static void put_world(struct document *document, struct decoder *decoder, int64_t ranks,
		      const char *note)
{
	if (document->overrides->world || (document->launch && document->launch->world))
		return;
	settings_put_int(decoder->settings, decoder->arena, FIELD_WORLD, ranks, ORIGIN_DERIVED)
		->note = note;
}

/* The asynchronous GRPO recipe: only some of its processes train. */
static void put_workers(struct document *document, struct decoder *decoder,
			const struct node *workers)
{
	put_world(document, decoder, workers->integer, "orchestration.num_training_workers");
	settings_of(decoder->settings, FIELD_WORLD)->span = workers->span;
	if (!document->overrides->world)
		field_put(decoder, FIELD_DP_SHARD, workers);
}

/* Which ranks train: those workers, one, or all. */
static void put_ranks(struct document *document, struct decoder *decoder)
{
	const struct node *workers =
		node_find(document->root, "orchestration.num_training_workers");

	if (workers && field_fits(FIELD_INT, workers) && workers->integer > 0)
		put_workers(document, decoder, workers);
	if (on_one_device(document) && !document->overrides->world) {
		put_world(document, decoder, 1, "a recipe for one device");
		keys_default(decoder, FIELD_DP_SHARD, 1, "a recipe for one device");
	} else {
		data_parallel_shards(decoder, "torchtune shares what is left");
	}
}

/* Recipes that evaluate, generate and quantize have no optimizer (recipes/configs). */
static const char *other_task(const struct node *root)
{
	if (node_member(root, "optimizer") || node_find(root, "training.optimizer") ||
	    node_member(root, "loss"))
		return NULL;
	if (node_member(root, "tasks"))
		return "a recipe of torchtune with tasks and no optimizer only evaluates";
	if (node_member(root, "max_new_tokens"))
		return "a recipe of torchtune without an optimizer only generates";
	return node_member(root, "quantizer") && !node_member(root, "batch_size")
		       ? "a recipe of torchtune without an optimizer only quantizes"
		       : NULL;
}

static void torchtune_compose(struct document *document, struct findings *findings)
{
	interpolate_omegaconf(document, document->root, NULL, findings);
	document->no_job = other_task(document->root);
}

static void put_rows(struct decoder *decoder, const struct node *root, const struct key_row *table,
		     size_t count)
{
	keys_unquote(decoder->arena, root, table, count);
	keys_put(decoder, root, table, count);
	keys_optimizer(decoder, node_member(root, "optimizer"));
	keys_misspelt(decoder, root, table, count, "torchtune", "silently takes its default");
}

static void find_unread(struct decoder *decoder, const struct node *root,
			const struct key_row *table, size_t count, const char *recipe)
{
	const struct node *node;
	struct finding *finding;
	size_t i;

	for (i = 0; decoder->findings && i < count; i++) {
		node = node_find(root, table[i].path);
		if (!node)
			continue;
		finding = finding_add(decoder->findings, &rule_unread_key, node->key_span,
				      "nothing reads %s: the recipe %s has no such key",
				      table[i].path, recipe);
		finding_fix(decoder->findings, finding, "remove it, or run a recipe that reads it");
	}
}

/* What is read; of the recipe that does not read it, what changes nothing. */
static void put_if_read(struct decoder *decoder, const struct node *root,
			const struct key_row *table, size_t count, const char *recipe)
{
	if (recipe)
		find_unread(decoder, root, table, count, recipe);
	else
		put_rows(decoder, root, table, count);
}

/* One way turns the other off (recipes/full_finetune_distributed.py:656-670). */
static void put_recomputation(struct decoder *decoder, const struct node *root, int reads)
{
	const char *mode = keys_text(root, "ac_mode", "");

	if ((reads & RECIPE_MODES) && keys_true(root, "enable_activation_checkpointing") &&
	    words_have("full|selective", mode))
		settings_put_text(decoder->settings, FIELD_AC_MODE, "none", ORIGIN_DERIVED)->note =
			"neither way, for ac_mode and enable_activation_checkpointing are both on";
}

/* The model, or the recipe where no file is at hand. */
static void put_tuner(const struct document *document, struct decoder *decoder)
{
	const struct launch *launch = document->launch;
	const char *tuner = torchtune_tuner(document->root);

	if (tuner)
		keys_put_word(decoder, FIELD_TUNER, document->root, "model._component_", tuner);
	else if (launch && launch->program && strstr(launch->program, "lora_"))
		settings_put_text(decoder->settings, FIELD_TUNER, "lora", ORIGIN_GIVEN)->span =
			launch->program_span;
}

/*
 * DPO's reference is built and cut as the trained model is, in the type of all (recipes/
 * full_dpo_distributed.py, _setup_reference_model), whose log-probabilities are taken of all logits
 * at once (rlhf/sequence_processing.py); with adapters it is the model without them. Of other
 * recipes with more models than one it is not known what they take.
 */
static const char *objective_of(const char *recipe)
{
	static const struct {
		const char *part, *objective;
	} objectives[] = { { "_dpo_", "dpo" },
			   { "ppo_", "ppo" },
			   { "grpo_", "grpo" },
			   { "distillation", "distillation" } };
	size_t i;

	for (i = 0; i < sizeof(objectives) / sizeof(*objectives); i++)
		if (strstr(recipe, objectives[i].part))
			return objectives[i].objective;
	return NULL;
}

static void put_derived(struct decoder *decoder, enum field_id id, const char *word,
			const char *recipe)
{
	settings_put_text(decoder->settings, id, word, ORIGIN_DERIVED)->note = recipe;
}

static void put_objective(struct decoder *decoder, const char *recipe)
{
	const struct settings *settings = decoder->settings;
	const char *type = setting_text(settings, FIELD_PARAM_DTYPE, "");
	const char *objective = objective_of(recipe);
	const bool adapts = *setting_text(settings, FIELD_TUNER, "") != '\0';

	if (objective)
		put_derived(decoder, FIELD_OBJECTIVE, objective, recipe);
	if (!objective || strcmp(objective, "dpo") != 0)
		return;
	put_derived(decoder, FIELD_LOSS_KIND, "whole", recipe);
	put_derived(decoder, FIELD_REFERENCE_HELD, adapts ? "none" : "blocks", recipe);
	if (*type)
		put_derived(decoder, FIELD_REFERENCE_DTYPE, type, recipe);
}

static void torchtune_settle(struct document *document, moment_t when, struct settings *settings,
			     struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;
	const char *recipe = NULL;
	const int reads = torchtune_recipe(document, root, &recipe);

	(void)when;
	put_rows(&decoder, root, ROWS(rows));
	put_if_read(&decoder, root, ROWS(mesh_rows), reads & RECIPE_MESH ? NULL : recipe);
	/* that for LoRA reads the degree of tp to refuse it */
	put_if_read(&decoder, root, ROWS(tensor_rows), reads & RECIPE_MESH ? NULL : recipe);
	put_if_read(&decoder, root, ROWS(mode_rows), reads & RECIPE_MODES ? NULL : recipe);
	torchtune_components(&decoder, document);
	put_recomputation(&decoder, root, reads);
	hf_model_put(&decoder, document, node_find(root, "model._component_"));
	keys_put_class(&decoder, root, "optimizer._component_", FIELD_OPTIMIZER_NAME);
	put_compile(&decoder, root);
	put_norm(&decoder, root);
	put_loss(&decoder, root);
	settings_put_text(settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT);
	settings_put_text(settings, FIELD_FSDP_VERSION, "2", ORIGIN_DEFAULT)->note =
		"torchtune's shard_model";
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (!setting_given(settings_of(settings, FIELD_TP)) && document->launch &&
	    torchtune_shipped_tensor(document->launch) > 1) {
		keys_default(&decoder, FIELD_TP, torchtune_shipped_tensor(document->launch),
			     "the config that torchtune ships");
		settings_put_text(settings, FIELD_TP_PLAN, "shipped", ORIGIN_DEFAULT)->note =
			"the config that torchtune ships";
	}
	put_tuner(document, &decoder);
	put_objective(&decoder, recipe ? recipe : "");
	put_ranks(document, &decoder);
	uncounted_put(&decoder, root, NULL, uncounted,
		      sizeof(uncounted) / sizeof(uncounted[0]) -
			      !(recipe && text_starts(recipe, "qat_")));
}

static enum field_id torchtune_field_of(const char *leaf)
{
	static const struct {
		const struct key_row *rows;
		size_t count;
	} tables[] = {
		{ ROWS(rows) }, { ROWS(mesh_rows) }, { ROWS(tensor_rows) }, { ROWS(mode_rows) }
	};
	enum field_id field = FIELD_COUNT;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(*tables) && field == FIELD_COUNT; i++)
		field = keys_field_of(tables[i].rows, tables[i].count, leaf);
	return field;
}

static void torchtune_vocabulary(struct vocabulary *vocabulary)
{
	const struct document *document = vocabulary->document;
	const int reads = document ? torchtune_recipe(document, document->root, NULL) : ~0;

	vocabulary->converts = true;
	vocabulary_guarded(vocabulary, "", ROWS(rows));
	if (reads & RECIPE_MESH)
		vocabulary_guarded(vocabulary, "", ROWS(mesh_rows));
	if (reads & RECIPE_TENSOR)
		vocabulary_guarded(vocabulary, "", ROWS(tensor_rows));
	if (reads & RECIPE_MODES)
		vocabulary_guarded(vocabulary, "", ROWS(mode_rows));
}

const struct dialect dialect_torchtune = {
	.name = "torchtune",
	.summary = "torchtune's recipe configs",
	.signs = "'model' or 'checkpointer' with a '_component_'",
	.framework = "torchtune",
	.as_of = "bd2a0fc7",
	.command = COMMAND_WORDS,
	.detect = torchtune_detect,
	.compose = torchtune_compose,
	.field_of = torchtune_field_of,
	.vocabulary = torchtune_vocabulary,
	.settle = torchtune_settle,
};
