#include "base/number.h"
#include "base/text.h"
#include "wings/transformers/data_parallel.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/launch/form.h"
#include "input/node.h"
#include "wings/accelerate/total.h"
#include "wings/accelerate/trainer.h"
#include "wings/accelerate/uncounted.h"
#include "wings/accelerate/words.h"
#include "input/vocabulary.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/precision.h"

#include <string.h>
#include <strings.h>

/*
 * The file of `accelerate launch --config_file` (huggingface/accelerate@16cb6eb8,
 * commands/config/config_args.py, commands/launch.py:894-960): who starts how many processes, and
 * which plug-in shares the model among them. Model, batch and sequence are the script's affair.
 * Keys of the maps below may lack the prefix that is the map's name: launch.py adds it.
 */

static const struct key_row rows[] = {
	{ "num_machines", FIELD_LAUNCH_NODES, KEY_POSITIVE, NULL },
	{ "machine_rank", FIELD_LAUNCH_NODE_RANK, KEY_VALUE, NULL },
	{ "num_processes", FIELD_LAUNCH_PROCESSES, KEY_POSITIVE, NULL },
	{ "mixed_precision", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "no=|false=|bf16=bfloat16|fp16=float16|fp8=bfloat16" },
};

static const struct key_row fsdp_rows[] = {
	{ "fsdp_version", FIELD_FSDP_VERSION, KEY_VALUE, NULL },
	{ "fsdp_offload_params", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	{ "fsdp_activation_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
};

/* Of FSDP2 alone: rule strategy-ignored has what version 1 makes of it. */
static const struct key_row reshard_row = { "fsdp_reshard_after_forward",
					    FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE,
					    ACCELERATE_SWITCH("always", "never") };

static const struct key_row parallel_rows[] = {
	{ "parallelism_config_dp_replicate_size", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
	{ "parallelism_config_dp_shard_size", FIELD_DP_SHARD, KEY_VALUE, NULL },
	{ "parallelism_config_tp_size", FIELD_TP, KEY_VALUE, NULL },
	{ "parallelism_config_cp_size", FIELD_CP, KEY_VALUE, NULL },
	{ "parallelism_config_sp_size", FIELD_SP, KEY_VALUE, NULL },
	{ "parallelism_config_cp_comm_strategy", FIELD_CP_ROTATE, KEY_VALUE, NULL },
};

static const struct key_row megatron_rows[] = {
	{ "megatron_lm_tp_degree", FIELD_TP, KEY_VALUE, NULL },
	{ "megatron_lm_pp_degree", FIELD_PP, KEY_VALUE, NULL },
	{ "megatron_lm_num_micro_batches", FIELD_PP_MICROBATCHES, KEY_VALUE, NULL },
	{ "megatron_lm_sequence_parallelism", FIELD_SEQUENCE_PARALLEL, KEY_VALUE, NULL },
	{ "megatron_lm_use_distributed_optimizer", FIELD_OPTIMIZER_DISTRIBUTED, KEY_VALUE, NULL },
	{ "megatron_lm_recompute_activations", FIELD_AC_MODE, KEY_VALUE,
	  "true=selective|false=none" },
	{ "megatron_lm_context_parallel_size", FIELD_CP, KEY_POSITIVE, NULL },
	{ "megatron_lm_expert_model_parallel_size", FIELD_EP, KEY_POSITIVE, NULL },
	{ "megatron_lm_optimizer_cpu_offload", FIELD_OPTIMIZER_OFFLOAD, KEY_VALUE,
	  "true=1|false=0" },
};

static const struct key_row deepspeed_rows[] = {
	{ "zero_stage", FIELD_ZERO_STAGE, KEY_VALUE, NULL },
	{ "gradient_accumulation_steps", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, "auto=" },
	{ "gradient_clipping", FIELD_MAX_NORM, KEY_POSITIVE, "auto=" }, /* zero/stage3.py: > 0 */
	{ "deepspeed_config_file", FIELD_ZERO_CONFIG, KEY_VALUE, NULL },
	{ "deepspeed_moe_layer_cls_names", FIELD_LEAF_MODULES, KEY_VALUE, NULL },
	{ "offload_optimizer_device", FIELD_OPTIMIZER_OFFLOAD, KEY_VALUE, "cpu=1|nvme=1|none=" },
};

/* A map of the file, the prefix its keys may lack, and the table of those that say something. */
struct section {
	const char *name, *prefix;
	const struct key_row *rows;
	size_t count;
};

enum { FSDP, PARALLELISM, MEGATRON, DEEPSPEED, SECTIONS };

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

static const struct section sections[SECTIONS] = {
	[FSDP] = { "fsdp_config", "fsdp_", ROWS(fsdp_rows) },
	[PARALLELISM] = { "parallelism_config", "parallelism_config_", ROWS(parallel_rows) },
	[MEGATRON] = { "megatron_lm_config", "megatron_lm_", ROWS(megatron_rows) },
	[DEEPSPEED] = { "deepspeed_config", "", ROWS(deepspeed_rows) },
};

/* Fields of ClusterConfig and SageMakerConfig (commands/config/config_args.py), and older names. */
static const char *const known[] = {
	"additional_args",
	"base_job_name",
	"command",
	"command_file",
	"commands",
	"compute_environment",
	"debug",
	"deepspeed_config",
	"distributed_type",
	"downcast_bf16",
	"dynamo_backend",
	"dynamo_config",
	"ec2_instance_type",
	"enable_cpu_affinity",
	"fp16",
	"fp8_config",
	"fsdp_config",
	"gpu_ids",
	"iam_role_name",
	"image_uri",
	"ipex_config",
	"machine_rank",
	"main_process_ip",
	"main_process_port",
	"main_training_function",
	"megatron_lm_config",
	"mixed_precision",
	"mpirun_config",
	"num_machines",
	"num_processes",
	"parallelism_config",
	"profile",
	"py_version",
	"pytorch_version",
	"rdzv_backend",
	"region",
	"sagemaker_inputs_file",
	"sagemaker_metrics_file",
	"same_network",
	"tp_config",
	"tpu_cluster",
	"tpu_env",
	"tpu_name",
	"tpu_use_cluster",
	"tpu_use_sudo",
	"tpu_vm",
	"tpu_zone",
	"transformers_version",
	"use_cpu",
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static bool is_known(const char *key)
{
	size_t i;

	for (i = 0; i < KNOWN; i++)
		if (!strcmp(known[i], key))
			return true;
	return false;
}

/* What the functions below work on. */
struct reading {
	struct document *document;
	struct decoder decoder;
	const struct node *root;
	const char *type;  /* distributed_type */
	int64_t processes; /* on all machines together; 0: nobody says */
};

static int accelerate_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (node_member(root, "distributed_type"))
		return 90;
	return node_member(root, "compute_environment") ? 88 : 0;
}

/* The map with the prefix put before the keys that lack it; NULL when it is not there or empty. */
static const struct node *section_of(const struct reading *reading, const struct section *section)
{
	struct node *map = node_member(reading->root, section->name), *child;

	if (!map || map->kind != NODE_MAP || !map->first)
		return NULL;
	for (child = map->first; child; child = child->next)
		if (!text_starts(child->key, section->prefix))
			child->key =
				arena_join(reading->decoder.arena, section->prefix, child->key, "");
	return map;
}

/* Reads a section; NULL when there is none. */
static const struct node *settle_section(struct reading *reading, int which)
{
	const struct section *section = &sections[which];
	const struct node *map = section_of(reading, section);

	if (!map)
		return NULL;
	keys_unquote(reading->decoder.arena, map, section->rows, section->count);
	keys_put(&reading->decoder, map, section->rows, section->count);
	keys_misspelt(&reading->decoder, map, section->rows, section->count, "accelerate",
		      "silently takes its default");
	return map;
}

/* Keys at the top that from_yaml_file refuses; a section that a later version may know is less. */
static void check_keys(struct reading *reading)
{
	struct findings *findings = reading->decoder.findings;
	const struct node *child;
	struct finding *finding;
	const char *near;
	struct told told;

	for (child = findings ? reading->root->first : NULL; child; child = child->next) {
		if (is_known(child->key) || child->origin != NODE_FROM_FILE)
			continue;
		finding = finding_add(findings, &rule_unknown_key, child->key_span,
				      "accelerate knows no key '%.60s' in this file", child->key);
		told = exception_tell(findings->arena, ACCELERATE_UNKNOWN_KEYS,
				      VALUE(reading->document->source->path),
				      VALUE(arena_join(findings->arena, "['", child->key, "']")));
		finding_quote(findings, finding, "%s: %s", told.type, told.message);
		finding->speaker = "accelerate 16cb6eb8";
		near = text_nearest(child->key, known, KNOWN);
		if (near) {
			finding_fix(findings, finding, "did you mean %s?", near);
			finding_edit(findings, finding, child->key_span, "%s", near);
		} else {
			finding_fix(findings, finding,
				    "settings of training belong to the script's own config, not "
				    "to the launcher's");
		}
		if (text_ends(child->key, "_config") ||
		    (child->kind == NODE_SCALAR && child->type == SCALAR_NULL))
			finding_cap(finding, SEVERITY_WARNING);
	}
}

/* What launches it wins over the file, and --world over both. */
static int64_t processes_of(const struct reading *reading)
{
	const struct document *document = reading->document;
	const struct setting *said = settings_of(reading->decoder.settings, FIELD_LAUNCH_PROCESSES);

	if (document->overrides->world)
		return document->overrides->world;
	if (document->launch && document->launch->world)
		return document->launch->world;
	return setting_known(said) ? said->integer : 0;
}

/* `share` of the processes, when their number is known, else what is left of the world. */
static void put_rest(struct reading *reading, enum field_id id, int64_t share, const char *note)
{
	const struct setting *total =
		settings_of(reading->decoder.settings, FIELD_LAUNCH_PROCESSES);

	if (setting_given(settings_of(reading->decoder.settings, id)))
		return;
	if (reading->processes > 0 && share > 0 && reading->processes % share == 0)
		keys_derive(&reading->decoder, id, reading->processes / share,
			    setting_known(total) ? total : NULL, note);
	else
		keys_default(&reading->decoder, id, -1, note);
}

static void put_one(struct reading *reading, enum field_id id, const char *note)
{
	if (!setting_given(settings_of(reading->decoder.settings, id)))
		keys_default(&reading->decoder, id, 1, note);
}

/* ---- FSDP ---- */

/* "1" to "5" are members of torch's enum ShardingStrategy. */
static const char *strategy_word(const struct node *map)
{
	static const char *const words[] = { "FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD",
					     "HYBRID_SHARD", "HYBRID_SHARD_ZERO2" };
	const char *text = keys_text(map, "fsdp_sharding_strategy", NULL);
	int64_t number;

	if (!text) /* whatever fsdp_reshard_after_forward says (utils/launch.py:313) */
		return "FULL_SHARD";
	if (text_to_int(text, &number) && number >= 1 && number <= 5)
		return words[number - 1];
	return text;
}

static void settle_strategy(struct reading *reading, const struct node *map)
{
	const char *word = strategy_word(map), *note = "FSDP's sharding strategy";
	const struct node *said = node_member(map, "fsdp_sharding_strategy");
	int64_t machines = setting_int(reading->decoder.settings, FIELD_LAUNCH_NODES, 1);

	if (said)
		field_put(&reading->decoder, FIELD_SHARDING_MODE, said);
	if (!strcmp(word, "SHARD_GRAD_OP"))
		settings_put_text(reading->decoder.settings, FIELD_RESHARD_AFTER_FORWARD, "never",
				  ORIGIN_DERIVED)
			->note = "SHARD_GRAD_OP";
	if (!strcmp(word, "NO_SHARD")) {
		put_one(reading, FIELD_DP_SHARD, note);
		put_rest(reading, FIELD_DP_REPLICATE, 1, note);
	} else if (text_starts(word, "HYBRID_SHARD")) {
		put_rest(reading, FIELD_DP_SHARD, machines, "HYBRID_SHARD: within a machine");
		keys_derive(&reading->decoder, FIELD_DP_REPLICATE, machines,
			    settings_of(reading->decoder.settings, FIELD_LAUNCH_NODES),
			    "HYBRID_SHARD: one replica on each machine");
	} else {
		put_one(reading, FIELD_DP_REPLICATE, note);
		put_rest(reading, FIELD_DP_SHARD, 1, note);
	}
}

/* At any other word FSDP2 stops: the plan says so. */
static void put_reshard(struct reading *reading, const struct node *reshard)
{
	if (reshard->kind == NODE_SCALAR && reshard->type == SCALAR_STRING &&
	    !reshard->unresolved && !accelerate_is_switch(reshard->text))
		settings_put_text(reading->decoder.settings, FIELD_RESHARD_AFTER_FORWARD, "default",
				  ORIGIN_GIVEN)
			->span = reshard->span;
	else
		keys_put_node(&reading->decoder, &reshard_row, reshard);
}

static void settle_fsdp(struct reading *reading, bool parallel)
{
	const struct node *map = settle_section(reading, FSDP);
	const struct node *reshard = node_member(map, reshard_row.path);
	struct settings *settings = reading->decoder.settings;

	settings_put_text(settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT);
	if (!setting_given(settings_of(settings, FIELD_FSDP_VERSION)))
		settings_put_text(settings, FIELD_FSDP_VERSION, "1", ORIGIN_DEFAULT)->note =
			"accelerate's default";
	if (reshard && !strcmp(setting_text(settings, FIELD_FSDP_VERSION, "1"), "2"))
		put_reshard(reading, reshard);
	if (parallel)
		return;
	if (!strcmp(setting_text(settings, FIELD_FSDP_VERSION, "1"), "1")) {
		settle_strategy(reading, map);
		return;
	}
	put_one(reading, FIELD_DP_REPLICATE, "FSDP2 over all processes");
	put_rest(reading, FIELD_DP_SHARD, 1, "FSDP2 over all processes");
}

/* ---- the others ---- */

static void settle_deepspeed(struct reading *reading, bool parallel)
{
	const struct node *file =
		node_find(reading->root, "deepspeed_config.deepspeed_config_file");
	struct settings *settings = reading->decoder.settings;
	const struct node *map;
	int64_t stage;

	if (file && file->kind == NODE_SCALAR && file->type != SCALAR_NULL)
		data_parallel_deepspeed(reading->document, &reading->decoder, file);
	map = settle_section(reading, DEEPSPEED);
	settings_put_text(settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT);
	if (!file && !setting_known(settings_of(settings, FIELD_ZERO_STAGE)))
		keys_default(&reading->decoder, FIELD_ZERO_STAGE, 2, "accelerate's default");
	stage = setting_int(settings, FIELD_ZERO_STAGE, -1);
	if (!file)
		accelerate_offload(&reading->decoder, map, stage);
	if (parallel || stage < 0)
		return;
	put_rest(reading, stage > 2 ? FIELD_DP_SHARD : FIELD_DP_REPLICATE, 1,
		 stage > 2 ? "ZeRO-3 shares parameters" : "ZeRO below 3 repeats parameters");
	put_one(reading, stage > 2 ? FIELD_DP_REPLICATE : FIELD_DP_SHARD, "ZeRO");
}

static void settle_megatron(struct reading *reading)
{
	struct settings *settings = reading->decoder.settings;

	accelerate_megatron(&reading->decoder, settle_section(reading, MEGATRON));
	settings_put_text(settings, FIELD_ENGINE, "megatron", ORIGIN_DEFAULT);
	put_one(reading, FIELD_DP_SHARD, "Megatron's dp repeats parameters");
	put_rest(reading, FIELD_DP_REPLICATE,
		 multiply(multiply(setting_int(settings, FIELD_TP, 1),
				   setting_int(settings, FIELD_PP, 1)),
			  setting_int(settings, FIELD_CP, 1)),
		 "what tp, cp and pp leave");
}

/* Unquoted NO is the boolean false, none of accelerate's types; all that it changes is this. */
static void check_boolean(struct reading *reading, const struct node *type)
{
	struct findings *findings = reading->decoder.findings;
	const struct node *count = node_member(reading->root, "num_processes");
	struct finding *finding;

	if (!findings || !type || type->type != SCALAR_BOOL || type->quoted)
		return;
	finding = finding_add(findings, &rule_wrong_type, type->span,
			      "distributed_type %s without quotes is the boolean false, which is "
			      "none of accelerate's types",
			      type->text);
	finding_cap(finding, count ? SEVERITY_NOTE : SEVERITY_WARNING);
	if (!count) {
		finding_quote(
			findings, finding,
			"ValueError: You need to manually pass in `--num_processes` using this "
			"config yaml.");
		finding->speaker = "accelerate 16cb6eb8";
	}
	finding_fix(findings, finding, "write 'NO' in quotes");
	finding_edit(findings, finding, type->span, "'NO'");
}

/* distributed_type NO: one process, whatever num_processes says. */
static void settle_single(struct reading *reading)
{
	const struct node *type = node_member(reading->root, "distributed_type");
	struct setting *processes;

	if (!node_member(reading->root, "ec2_instance_type"))
		check_boolean(reading, type);
	if (!reading->document->overrides->world &&
	    !(reading->document->launch && reading->document->launch->world)) {
		processes = keys_derive(&reading->decoder, FIELD_LAUNCH_PROCESSES, 1, NULL,
					"distributed_type NO starts one process");
		if (type)
			processes->span = type->span;
	}
	reading->processes = processes_of(reading);
	put_one(reading, FIELD_DP_SHARD, "one process");
	put_rest(reading, FIELD_DP_REPLICATE, 1, "one process");
}

/* All ones: accelerate makes dp_replicate of all processes (parallelism_config.py:362). */
static bool settle_parallelism(struct reading *reading)
{
	static const enum field_id sizes[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_TP,
					       FIELD_CP, FIELD_SP };
	const struct node *map = settle_section(reading, PARALLELISM);
	struct settings *settings = reading->decoder.settings;
	int64_t product = 1;
	size_t i;

	if (!map)
		return false;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		product *= setting_int(settings, sizes[i], 1) > 1 ? 2 : 1;
	put_one(reading, FIELD_DP_SHARD, "accelerate's default");
	put_one(reading, FIELD_DP_REPLICATE, "accelerate's default");
	return product > 1;
}

static void settle_plugin(struct reading *reading)
{
	bool parallel = settle_parallelism(reading);

	if (!strcmp(reading->type, "FSDP")) {
		settle_fsdp(reading, parallel);
	} else if (!strcmp(reading->type, "DEEPSPEED")) {
		settle_deepspeed(reading, parallel);
	} else if (!strcmp(reading->type, "MEGATRON_LM")) {
		settle_megatron(reading);
	} else if (!parallel) {
		put_one(reading, FIELD_DP_SHARD, "DistributedDataParallel");
		put_rest(reading, FIELD_DP_REPLICATE, 1, "DistributedDataParallel");
	}
}

static void settle_sharing(struct reading *reading)
{
	reading->type = keys_text(reading->root, "distributed_type", "NO");
	reading->processes = processes_of(reading);
	if (reading->document->open_why && !node_member(reading->root, "distributed_type"))
		return;
	if (!strcasecmp(reading->type, "NO") || !strcasecmp(reading->type, "false"))
		settle_single(reading);
	else
		settle_plugin(reading);
}

/*
 * The Trainer's flags stand beside the plug-in: they come first, for DeepSpeed's file is compared
 * with them, and win. FSDP checkpoints activations though the Trainer does not, or the other way
 * round.
 */
static void settle_trainer(struct reading *reading)
{
	struct settings *settings = reading->decoder.settings, *told;
	const struct setting *mode = settings_of(settings, FIELD_AC_MODE);
	const struct node *flags;

	flags = accelerate_put_trainer(&reading->decoder, reading->document);
	told = arena_new(reading->decoder.arena, struct settings);
	*told = *settings;
	settle_sharing(reading);
	if (setting_given(mode) && strcmp(setting_text(settings, FIELD_AC_MODE, "none"), "none"))
		told->items[FIELD_AC_MODE] = *mode;
	accelerate_keep_trainer(settings, told);
	trainer_precision(reading->document, &reading->decoder, flags, NULL);
}

static void accelerate_settle(struct document *document, moment_t when, struct settings *settings,
			      struct findings *findings)
{
	struct reading reading = {
		document, { document->arena, settings, findings }, document->root, NULL, 0
	};

	(void)when;
	check_keys(&reading);
	keys_unquote(document->arena, reading.root, ROWS(rows));
	keys_put(&reading.decoder, reading.root, ROWS(rows));
	accelerate_choose(&reading.decoder, reading.root);
	accelerate_compute(&reading.decoder, reading.root);
	settings_put_text(settings, FIELD_LAUNCH_LAUNCHER, "accelerate", ORIGIN_DERIVED)->note =
		"the file of accelerate launch";
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (accelerate_starts_trainer(document)) {
		settle_trainer(&reading);
		return;
	}
	settle_sharing(&reading);
	launch_put_model(&reading.decoder, document);
	accelerate_leave_precision(&reading.decoder, reading.root);
}

static enum field_id accelerate_field_of(const char *leaf)
{
	const char *prefix = sections[PARALLELISM].prefix;
	size_t i;

	for (i = 0; i < sizeof(parallel_rows) / sizeof(*parallel_rows); i++)
		if (!strcmp(parallel_rows[i].path + strlen(prefix), leaf))
			return parallel_rows[i].field;
	return FIELD_COUNT;
}

/* Keys of a map with the prefix that they may lack, and without. */
static void add_section(struct vocabulary *vocabulary, const struct section *section)
{
	struct key_row row;
	size_t i;

	vocabulary_guarded(vocabulary, section->name, section->rows, section->count);
	for (i = 0; *section->prefix && i < section->count; i++) {
		row = section->rows[i];
		row.path += strlen(section->prefix);
		vocabulary_guarded(vocabulary, section->name, &row, 1);
	}
}

static void accelerate_vocabulary(struct vocabulary *vocabulary)
{
	size_t i;

	vocabulary->converts = true;
	vocabulary_rows(vocabulary, "", ROWS(rows));
	vocabulary_names(vocabulary, "", ROWS(known));
	vocabulary_close(vocabulary, "");
	for (i = 0; i < SECTIONS; i++)
		add_section(vocabulary, &sections[i]);
	if (vocabulary->document && accelerate_starts_trainer(vocabulary->document))
		training_arguments_vocabulary(vocabulary, "");
	if (vocabulary->document &&
	    keys_int(vocabulary->document->root, "fsdp_config.fsdp_version", 1) == 2)
		vocabulary_rows(vocabulary, "fsdp_config", &reshard_row, 1);
}

/* What the file has no key for is the script's to be told. */
static const char *accelerate_words_of(struct arena *arena, const char *path, const char *value,
				       moment_t when)
{
	(void)when;
	if (strchr(path, '.') || is_known(path) || !strcmp(value, "null"))
		return NULL;
	return arena_printf(arena, "--%s %s", path, value);
}

const struct dialect dialect_accelerate = {
	.name = "accelerate",
	.summary = "the config file of accelerate launch",
	.signs = "'distributed_type' or 'compute_environment'",
	.framework = "accelerate",
	.as_of = "16cb6eb8",
	.detect = accelerate_detect,
	.field_of = accelerate_field_of,
	.words_of = accelerate_words_of,
	.vocabulary = accelerate_vocabulary,
	.settle = accelerate_settle,
};
