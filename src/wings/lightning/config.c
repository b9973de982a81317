#include "base/number.h"
#include "base/text.h"
#include "wings/deepspeed/keys.h"
#include "wings/lightning/precision.h"
#include "wings/lightning/trainer.h"
#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/vocabulary.h"

#include <string.h>
#include <strings.h>

/*
 * LightningCLI's YAML (Lightning-AI/pytorch-lightning@7f0c3436 src/lightning/pytorch/cli.py): the
 * arguments of Trainer under `trainer`, a strategy by its name or as class_path and init_args.
 */

static const struct key_row rows[] = {
	{ "trainer.num_nodes", FIELD_CLUSTER_NODES, KEY_VALUE, NULL },
	{ "trainer.max_steps", FIELD_STEPS, KEY_POSITIVE, NULL },
	{ "trainer.accumulate_grad_batches", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, NULL },
	{ "trainer.precision", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "bf16-true=bfloat16|bf16-mixed=bfloat16|bf16=bfloat16|16-true=float16|16-mixed=float16|"
	  "16=float16|32-true=float32|32=float32|64-true=|64=|transformer-engine=|"
	  "transformer-engine-float16=" },
};

/* pytorch/loops/training_epoch_loop.py; -1 is without end. */
const struct key_kind lightning_steps = {
	"trainer.max_steps", KIND_NUMBER, "-1..",
	"Lightning raises a MisconfigurationException: `max_steps` must be a non-negative integer "
	"or -1 (infinite steps)"
};

/* pytorch/trainer/trainer.py, strategies/{fsdp,deepspeed,ddp}.py; offload_parameters is counted
 * beside offload_optimizer at stage 3. */
static const struct uncounted_row uncounted[] = {
	{ "deterministic", "kernels are those that give the same twice" },
	{ "detect_anomaly", "each gradient is looked at" },
	{ "strategy.init_args.mixed_precision",
	  "types of parameters and gradients are said one by one" },
	{ "strategy.init_args.ddp_comm_hook", "gradients are reduced in a way of their own" },
	{ "strategy.init_args.partition_activations", "checkpoints are cut over tp" },
	{ "strategy.init_args.cpu_checkpointing", "checkpoints wait in host memory" },
	{ "strategy.init_args.offload_parameters", "parameters wait in host memory" },
};

/* Keys of Trainer that other frameworks' trainers have not. */
static int signs_of(const struct node *trainer)
{
	static const char *const names[] = { "accelerator",
					     "strategy",
					     "devices",
					     "max_epochs",
					     "precision",
					     "accumulate_grad_batches",
					     "log_every_n_steps",
					     "gradient_clip_val",
					     "enable_checkpointing",
					     "callbacks",
					     "num_sanity_val_steps",
					     "check_val_every_n_epoch",
					     "enable_progress_bar",
					     "num_nodes" };
	int found = 0;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		found += node_member(trainer, names[i]) != NULL;
	return found;
}

static int lightning_detect(const struct document *document)
{
	const struct node *root = document->root, *trainer = node_member(root, "trainer");

	if (!trainer || trainer->kind != NODE_MAP || node_member(root, "exp_manager") ||
	    node_member(root, "actor_rollout_ref") || node_member(root, "defaults"))
		return 0;
	if (node_find(trainer, "strategy.class_path"))
		return 80;
	if (signs_of(trainer) < 2)
		return 0;
	return node_member(root, "seed_everything") || node_find(root, "model.class_path") ||
			       node_find(root, "data.class_path")
		       ? 70
		       : 30;
}

/* Devices of each node: a number, a list, "0,1"; 0 where only the machine knows. */
static int64_t devices_of(const struct node *node)
{
	const struct node *item;
	const char *at;
	int64_t count = 0;

	if (!node)
		return 0;
	if (node->kind == NODE_LIST) {
		for (item = node->first; item; item = item->next)
			count++;
		return count;
	}
	if (node->kind == NODE_SCALAR && node->type == SCALAR_STRING && strchr(node->text, ',')) {
		for (at = node->text; *at; at++)
			count += *at == ',' && at[1];
		return count + 1;
	}
	return field_fits(FIELD_INT, node) && node->integer > 0 ? node->integer : 0;
}

static void put_devices(struct decoder *decoder, const struct node *trainer)
{
	const struct node *node = node_member(trainer, "devices");
	int64_t devices = devices_of(node);
	struct setting *setting;

	if (!devices)
		return;
	if (node->kind == NODE_SCALAR && node->type == SCALAR_INT) {
		field_put(decoder, FIELD_CLUSTER_GPUS_PER_NODE, node);
	} else {
		setting = keys_derive(decoder, FIELD_CLUSTER_GPUS_PER_NODE, devices, NULL,
				      "the devices that trainer.devices lists");
		setting->span = node->span;
		setting->key_span = node->key_span;
	}
	if (!setting_known(settings_of(decoder->settings, FIELD_CLUSTER_NODES)))
		keys_default(decoder, FIELD_CLUSTER_NODES, 1, "Trainer's default");
}

static void repeats(struct decoder *decoder, const char *note)
{
	keys_default(decoder, FIELD_DP_SHARD, 1, note);
	keys_default(decoder, FIELD_DP_REPLICATE, -1, note);
}

static void engine(struct decoder *decoder, const char *name)
{
	settings_put_text(decoder->settings, FIELD_ENGINE, name, ORIGIN_DEFAULT);
}

/* A degree as given, or the count that stands for "auto". */
static void put_auto(struct decoder *decoder, enum field_id id, const struct node *node,
		     enum field_id instead, const char *note)
{
	const struct setting *count = settings_of(decoder->settings, instead);

	if (node && (node->kind != NODE_SCALAR || strcmp(node->text, "auto") != 0))
		field_put(decoder, id, node);
	else if (setting_known(count))
		keys_derive(decoder, id, count->integer, count, note);
}

/* What a policy that is no list of classes wraps hangs on the modules it is asked about. */
static void put_recomputation(struct decoder *decoder, const struct node *arguments)
{
	static const char *const keys[] = { "activation_checkpointing",
					    "activation_checkpointing_policy" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct node *policy = node_member(arguments, keys[i]);
		struct setting *mode = settings_of(decoder->settings, FIELD_AC_MODE);

		keys_put_word(decoder, FIELD_AC_MODE, arguments, keys[i], "full");
		if (!policy || policy->kind != NODE_MAP)
			continue;
		mode->invalid = true;
		mode->unresolved = "what a policy wraps depends on the modules";
	}
}

/* Where a setting that another key decides about stands. */
static void place(struct setting *setting, const struct node *said, const char *note)
{
	setting->span = said->span;
	setting->key_span = said->key_span;
	setting->note = note;
}

/* What frees nothing after the forward pass: SHARD_GRAD_OP, and its hybrid. */
static void put_reshard(struct decoder *decoder, const struct node *mode)
{
	const char *name = mode && mode->kind == NODE_SCALAR ? mode->text : "";

	if (strcasecmp(name, "SHARD_GRAD_OP") == 0 || strcasecmp(name, "_HYBRID_SHARD_ZERO2") == 0)
		place(settings_put_text(decoder->settings, FIELD_RESHARD_AFTER_FORWARD, "never",
					ORIGIN_DERIVED),
		      mode, "sharding_strategy");
}

static void offload_all(struct decoder *decoder, const struct node *said, const char *note)
{
	place(settings_put_bool(decoder->settings, FIELD_CPU_OFFLOAD, true, ORIGIN_DERIVED), said,
	      note);
}

/* All but the degrees: what is kept, and where (fabric/strategies/fsdp.py). */
static void put_fsdp_memory(struct decoder *decoder, const struct node *arguments)
{
	put_recomputation(decoder, arguments);
	put_reshard(decoder, node_member(arguments, "sharding_strategy"));
	if (node_member(arguments, "cpu_offload"))
		field_put(decoder, FIELD_CPU_OFFLOAD, node_member(arguments, "cpu_offload"));
}

/* FSDPStrategy: over all ranks, or a (replicate, shard) mesh. */
static void settle_fsdp(struct document *document, struct decoder *decoder,
			const struct node *arguments)
{
	const struct node *mode = node_member(arguments, "sharding_strategy");
	const struct node *mesh = node_member(arguments, "device_mesh");

	(void)document;
	engine(decoder, "fsdp");
	keys_default(decoder, FIELD_DP_SHARD, -1, "FSDPStrategy shards over all ranks");
	settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "1", ORIGIN_DEFAULT)->note =
		"Lightning's FSDPStrategy";
	put_fsdp_memory(decoder, arguments);
	if (mode)
		field_put(decoder, FIELD_SHARDING_MODE, mode);
	if (mode && mode->kind == NODE_SCALAR && !strcmp(mode->text, "NO_SHARD")) {
		repeats(decoder, "NO_SHARD");
		return;
	}
	if (mesh && mesh->kind == NODE_LIST && mesh->first && mesh->first->next) {
		field_put(decoder, FIELD_DP_REPLICATE, mesh->first);
		field_put(decoder, FIELD_DP_SHARD, mesh->first->next);
	} else if (mode && mode->kind == NODE_SCALAR && strstr(mode->text, "HYBRID")) {
		put_auto(decoder, FIELD_DP_REPLICATE, NULL, FIELD_CLUSTER_NODES,
			 "HYBRID_SHARD repeats over nodes");
		put_auto(decoder, FIELD_DP_SHARD, NULL, FIELD_CLUSTER_GPUS_PER_NODE,
			 "HYBRID_SHARD shards inside a node");
	}
}

/* ModelParallelStrategy: "auto" are the nodes for dp and the devices of one for tp. */
static void settle_model_parallel(struct document *document, struct decoder *decoder,
				  const struct node *arguments)
{
	(void)document;
	engine(decoder, "lightning");
	put_auto(decoder, FIELD_DP_SHARD, node_member(arguments, "data_parallel_size"),
		 FIELD_CLUSTER_NODES, "data_parallel_size auto: the nodes");
	put_auto(decoder, FIELD_TP, node_member(arguments, "tensor_parallel_size"),
		 FIELD_CLUSTER_GPUS_PER_NODE, "tensor_parallel_size auto: a node's devices");
}

/*
 * What waits in host memory, as offload_optimizer and offload_param of DeepSpeed's own config would
 * say it (pytorch/strategies/deepspeed.py, _create_default_config).
 */
static void put_offload(struct decoder *decoder, const struct node *said, bool parameters)
{
	place(keys_derive(decoder, FIELD_OPTIMIZER_OFFLOAD, 1, NULL, ""), said,
	      "DeepSpeedStrategy");
	if (parameters && setting_int(decoder->settings, FIELD_ZERO_STAGE, 0) == 3)
		offload_all(decoder, said, "DeepSpeedStrategy");
}

/* DeepSpeedStrategy: a config of its own, as a map or a file, or stage 2 (its default). */
static void settle_deepspeed(struct document *document, struct decoder *decoder,
			     const struct node *arguments)
{
	const struct node *config = node_member(arguments, "config");
	const struct node *stage = node_member(arguments, "stage");

	if (config && config->kind == NODE_SCALAR && config->type == SCALAR_STRING) {
		field_put(decoder, FIELD_ZERO_CONFIG, config);
		config = document_load(document, NULL, config->text, decoder->findings);
		engine(decoder, "deepspeed");
		if (!config) { /* nor its types */
			setting_forget(decoder->settings, FIELD_PARAM_DTYPE);
			return;
		}
	}
	if (config && config->kind == NODE_MAP) {
		deepspeed_put(decoder, config);
		return;
	}
	engine(decoder, "deepspeed");
	if (stage)
		field_put(decoder, FIELD_ZERO_STAGE, stage);
	else
		keys_default(decoder, FIELD_ZERO_STAGE, 2, "DeepSpeedStrategy's default");
	if (keys_true(arguments, "offload_optimizer"))
		put_offload(decoder, node_member(arguments, "offload_optimizer"),
			    keys_true(arguments, "offload_parameters"));
	deepspeed_put_axes(decoder, -1);
}

static void settle_ddp(struct document *document, struct decoder *decoder,
		       const struct node *arguments)
{
	(void)document;
	(void)arguments;
	repeats(decoder, "DDPStrategy repeats parameters");
}

/* Strategies by the end of their class or the start of their registered name. */
static const struct {
	const char *class, *name;
	int64_t stage; /* that the name says; -1: none */
	void (*settle)(struct document *document, struct decoder *decoder,
		       const struct node *arguments);
} strategies[] = {
	{ "FSDPStrategy", "fsdp", -1, settle_fsdp },
	{ "ModelParallelStrategy", "model_parallel", -1, settle_model_parallel },
	{ "DeepSpeedStrategy", "deepspeed_stage_1", 1, settle_deepspeed },
	{ "DeepSpeedStrategy", "deepspeed_stage_2", 2, settle_deepspeed },
	{ "DeepSpeedStrategy", "deepspeed_stage_3", 3, settle_deepspeed },
	{ "DeepSpeedStrategy", "deepspeed", -1, settle_deepspeed },
	{ "DDPStrategy", "ddp", -1, settle_ddp },
	{ "DDPStrategy", "auto", -1, settle_ddp },
};

/* A registered name that ends in a stage, or in _offload or _offload_nvme. */
static void put_named_stage(struct decoder *decoder, const struct node *strategy, int64_t stage)
{
	const char *name = strategy->text;

	keys_default(decoder, FIELD_ZERO_STAGE, stage, name);
	engine(decoder, "deepspeed");
	if (strstr(name, "_offload"))
		put_offload(decoder, strategy, true);
	deepspeed_put_axes(decoder, -1);
}

static void put_strategy(struct document *document, struct decoder *decoder,
			 const struct node *strategy)
{
	const char *name = keys_text(strategy, "class_path", NULL);
	const struct node *arguments = node_member(strategy, "init_args");
	size_t i;

	if (!strategy || (strategy->kind == NODE_SCALAR && strategy->type != SCALAR_STRING))
		name = "auto";
	else if (strategy->kind == NODE_SCALAR)
		name = strategy->text;
	for (i = 0; name && i < sizeof(strategies) / sizeof(*strategies); i++) {
		if (!text_ends(name, strategies[i].class) && !text_starts(name, strategies[i].name))
			continue;
		if (strategies[i].stage >= 0 && text_starts(name, strategies[i].name) &&
		    name == strategy->text)
			put_named_stage(decoder, strategy, strategies[i].stage);
		else
			strategies[i].settle(document, decoder, arguments);
		if (!strcmp(name, "fsdp_cpu_offload"))
			offload_all(decoder, strategy, name);
		return;
	}
}

/* What is open is what the devices and the other degrees leave. */
static void close_axes(struct document *document, struct decoder *decoder)
{
	static const enum field_id fields[] = { FIELD_DP_SHARD, FIELD_DP_REPLICATE };
	struct settings *settings = decoder->settings;
	const struct setting *devices = settings_of(settings, FIELD_CLUSTER_GPUS_PER_NODE);
	int64_t world = multiply(setting_int(settings, FIELD_CLUSTER_NODES, 0),
				 setting_int(settings, FIELD_CLUSTER_GPUS_PER_NODE, 0));
	size_t i;

	if (world < 1 || document->overrides->world)
		return;
	for (i = 0; i < 2; i++) {
		int64_t others = multiply(setting_int(settings, FIELD_TP, 1),
					  setting_int(settings, fields[1 - i], 1));
		if (setting_int(settings, fields[i], 0) == -1 && others > 0 && world % others == 0)
			keys_derive(decoder, fields[i], world / others, devices,
				    "devices x num_nodes");
	}
}

/* Unless a plugin may say otherwise (trainer/connectors/accelerator_connector.py). */
static void put_precision(struct decoder *decoder, const struct node *trainer)
{
	if (node_member(trainer, "precision") || node_member(trainer, "plugins") ||
	    node_find(trainer, "strategy.init_args.precision_plugin"))
		return;
	settings_put_text(decoder->settings, FIELD_PARAM_DTYPE, "float32", ORIGIN_DEFAULT)->note =
		"Trainer's default, 32-true";
}

static void lightning_settle(struct document *document, moment_t when, struct settings *settings,
			     struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *trainer = node_member(document->root, "trainer");

	(void)when;
	keys_put(&decoder, document->root, rows, sizeof(rows) / sizeof(*rows));
	keys_optimizer(&decoder, node_find(document->root, "optimizer.init_args"));
	keys_kinds(&decoder, document->root, &lightning_steps, 1);
	put_precision(&decoder, trainer);
	put_devices(&decoder, trainer);
	put_strategy(document, &decoder, node_member(trainer, "strategy"));
	if (strcmp(setting_text(settings, FIELD_ENGINE, ""), "deepspeed") != 0)
		lightning_put_stored(&decoder, trainer); /* DeepSpeed's optimizer has fp32 */
	keys_put_class(&decoder, document->root, "optimizer.class_path", FIELD_OPTIMIZER_NAME);
	uncounted_put(&decoder, trainer, NULL, uncounted,
		      sizeof(uncounted) / sizeof(uncounted[0]) -
			      setting_bool(settings, FIELD_CPU_OFFLOAD, false));
	close_axes(document, &decoder);
}

/* What the class of the file's strategy takes as numbers. */
static void lightning_vocabulary(struct vocabulary *vocabulary)
{
	static const struct key_row model_parallel[] = {
		{ "data_parallel_size", FIELD_DP_SHARD, KEY_VALUE, "auto=" },
		{ "tensor_parallel_size", FIELD_TP, KEY_VALUE, "auto=" },
	};
	static const struct key_row deepspeed[] = {
		{ "stage", FIELD_ZERO_STAGE, KEY_VALUE, NULL },
	};
	static const char arguments[] = "trainer.strategy.init_args";
	const struct node *root = vocabulary->document ? vocabulary->document->root : NULL;
	const char *class = keys_text(root, "trainer.strategy.class_path", "");

	vocabulary_rows(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	if (text_ends(class, "ModelParallelStrategy"))
		vocabulary_rows(vocabulary, arguments, model_parallel, 2);
	else if (text_ends(class, "DeepSpeedStrategy") &&
		 !node_find(root, "trainer.strategy.init_args.config"))
		vocabulary_rows(vocabulary, arguments, deepspeed, 1);
}

const struct dialect dialect_lightning = {
	.name = "lightning",
	.summary = "LightningCLI's YAML: a strategy, devices and num_nodes under trainer",
	.signs = "'trainer' with a strategy, 'seed_everything' or class_path",
	.framework = "lightning",
	.as_of = "7f0c3436",
	.command = COMMAND_FLAGS,
	.detect = lightning_detect,
	.vocabulary = lightning_vocabulary,
	.settle = lightning_settle,
};
