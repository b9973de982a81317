#include "base/text.h"
#include "wings/transformers/data_parallel.h"
#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/keys.h"
#include "input/launch/form.h"
#include "wings/megatron/keys.h"
#include "wings/ms_swift/devices.h"
#include "input/settings/open_axis.h"
#include "input/settings/uncounted.h"
#include "input/shell/shell.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/liger.h"
#include "wings/transformers/preference.h"
#include "wings/transformers/precision.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * ms-swift (modelscope/ms-swift@3602360a): flags of `megatron sft` and `swift sft` in scripts, and
 * the same in YAML or JSON. `megatron` trains with Megatron Core, `swift` with transformers'
 * Trainer; torchrun starts NPROC_PER_NODE processes on each of NNODES machines.
 */

/* What the programs can do; a training counts more than what only serves or converts. */
enum { TRAINING = 4 };

static const struct {
	const char *name;
	int weight;
} tasks[] = {
	{ "sft", TRAINING }, { "pt", TRAINING }, { "rlhf", TRAINING }, { "export", 2 },
	{ "sample", 1 },     { "infer", 1 },	 { "deploy", 1 },      { "rollout", 1 },
	{ "eval", 1 },	     { "app", 1 },	 { "merge-lora", 1 },
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int weight_of_task(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		if (!strcmp(tasks[i].name, name))
			return tasks[i].weight;
	return 0;
}

/* "swift/cli/sft.py", "swift/cli/_megatron/sft.py", "swift.cli.sft" as "sft". */
static const char *task_of_path(struct arena *arena, const char *path)
{
	const char *at = strstr(path, "swift/cli/"), *name;

	if (!at)
		at = strstr(path, "swift.cli.");
	if (!at)
		return "";
	at += strlen("swift/cli/");
	at += text_starts(at, "_megatron") ? strlen("_megatron/") : 0;
	name = base_of(at);
	return arena_strndup(arena, name, strcspn(name, "."));
}

/* How much a command looks like ms-swift's training, and whether Megatron does it; 0: not at all.
 */
static int weigh(struct arena *arena, const struct shell_command *command, bool *megatron)
{
	bool flags = false;
	size_t i;

	for (i = 0; i < command->words.count; i++) {
		const char *word = command->words.items[i].text, *name = base_of(word);
		const char *next =
			i + 1 < command->words.count ? command->words.items[i + 1].text : "";
		int weight = weight_of_task(task_of_path(arena, word));

		*megatron = !strcmp(name, "megatron") || strstr(word, "_megatron");
		if (weight)
			return weight;
		if (!flags && (!strcmp(name, "swift") || !strcmp(name, "megatron")))
			return weight_of_task(next);
		flags = flags || text_starts(word, "--");
	}
	return 0;
}

static const struct shell_command *find_command(const struct document *document, bool *megatron)
{
	const struct shell_script *script = document->shell;
	const struct shell_command *found = NULL;
	int most = 0;
	size_t i;

	for (i = 0; script && i < script->commands.count; i++) {
		const struct shell_command *command = &script->commands.items[i];
		bool by_megatron = false;
		int weight = 2 * weigh(document->arena, command, &by_megatron);
		if (!weight || weight + !command->undecided < most)
			continue;
		most = weight + !command->undecided;
		found = command;
		*megatron = by_megatron;
	}
	return found;
}

static int ms_swift_detect(const struct document *document)
{
	static const char *const signs[] = { "tuner_type", "train_type", "split_dataset_ratio",
					     "train.tuner_type" };
	bool megatron;
	size_t i;

	if (document->shell)
		return find_command(document, &megatron) ? 85 : 0;
	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (node_find(document->root, signs[i]))
			return 84;
	return 0;
}

static bool is_config(const char *path)
{
	return text_ends(path, ".yaml") || text_ends(path, ".yml") || text_ends(path, ".json");
}

/* `megatron sft x.yaml`, `swift sft --config x.yaml`: what lies beside goes below the flags. */
static void load_config(struct document *document, const struct shell_command *command,
			struct findings *findings)
{
	struct node *root = NULL;
	size_t i;

	for (i = 1; i < command->words.count && !root; i++) {
		const struct shell_word *word = &command->words.items[i];
		const char *before = command->words.items[i - 1].text;
		if (!word->unresolved && is_config(word->text) &&
		    (weight_of_task(before) || !strcmp(before, "--config")))
			root = document_load(document, NULL, word->text, findings);
	}
	if (root)
		node_merge(document->arena, document->root, root);
}

/* Flags become keys of the tree, as written, but for those that --set gave. */
static void put_flags(struct document *document, const struct launch *launch)
{
	VEC(struct flag_word) words = { 0 };
	struct node *map, *child, *next;
	size_t i;

	for (i = 0; i < launch->arguments.count; i++) {
		const struct launch_word *argument = &launch->arguments.items[i];
		struct flag_word word = { argument->text, argument->span, argument->unresolved };
		vec_push(document->arena, &words, word);
	}
	map = flags_map(document->arena, words.items, words.count);
	for (child = map->first; child; child = next) {
		const struct node *old;
		next = child->next;
		if (!text_starts(child->key, "--"))
			continue;
		old = megatron_argument(document->root, child->key + 2);
		if (old && old->origin == NODE_FROM_SET)
			continue;
		child->next = NULL;
		node_append(document->root, child);
	}
}

static void ms_swift_compose(struct document *document, struct findings *findings)
{
	bool megatron = false;
	const struct shell_command *command = find_command(document, &megatron);
	struct launch *launch;
	struct node *mark;

	if (!command)
		return;
	launch = launch_of_command(document->arena, document->shell, command);
	launch_by_variables(launch, document->shell, command);
	launch_take(document, launch);
	put_flags(document, launch);
	load_config(document, command, findings);
	mark = node_scalar(document->arena, SCALAR_BOOL, megatron ? "true" : "false",
			   document->root->span);
	mark->boolean = megatron;
	document->facts = mark;
	if (!megatron && weigh(document->arena, command, &megatron) < TRAINING)
		document->no_job = "swift serves, generates or converts here, and trains nothing";
}

/* "--tensor-model-parallel-size" as "tensor_model_parallel_size": both spellings are read. */
static const char *plain(struct arena *arena, const char *key)
{
	char *name = arena_strdup(arena, key + strspn(key, "-")), *c;

	for (c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static void add_keys(struct arena *arena, struct node *map, const struct node *from)
{
	const struct node *child;

	for (child = from && from->kind == NODE_MAP ? from->first : NULL; child;
	     child = child->next) {
		struct node *copy = node_copy(arena, child);
		copy->key = plain(arena, child->key);
		node_append(map, copy);
		copy->parent = child->parent;
	}
}

/* The arguments: the file's keys and, for Ray, those of the group that trains. */
static struct node *arguments_of(struct arena *arena, const struct node *root)
{
	struct node *map = node_container(arena, NODE_MAP, root->span);

	add_keys(arena, map, root);
	add_keys(arena, map, node_member(root, "train"));
	return map;
}

/* Keys that only the programs of Megatron take, in a file that does not name its program. */
static bool is_megatron(const struct document *document, const struct node *map)
{
	const struct node *mark = document->facts, *child;

	if (mark)
		return mark->boolean;
	if (megatron_argument(map, "micro_batch_size") || megatron_argument(map, "train_iters"))
		return true;
	for (child = map->first; child; child = child->next)
		if (megatron_is_degree(child->key))
			return true;
	return false;
}

/* "list(range(0, 4))" has 4 ranks; 0 when it is written in another way. */
static int64_t ranks_of(const struct node *ranks)
{
	static const char range[] = "list(range(";
	const char *at = ranks->kind == NODE_SCALAR ? ranks->text : "";
	const struct node *item;
	int64_t first, end, count = 0;

	for (item = ranks->kind == NODE_LIST ? ranks->first : NULL; item; item = item->next)
		count++;
	if (count || (ranks->kind == NODE_SCALAR && ranks->type == SCALAR_INT))
		return count ? count : ranks->integer;
	if (!text_starts(at, range))
		return 0;
	at += strlen(range);
	if (!text_digits(&at, 6, &first) || *at != ',')
		return 0;
	at += 1 + strspn(at + 1, " ");
	return text_digits(&at, 6, &end) && *at == ')' ? end - first : 0;
}

/* The group of devices that does everything but what others are named for. */
static void settle_groups(struct decoder *decoder, const struct node *root)
{
	const struct node *ranks = node_find(root, "device_groups.default.ranks");
	int64_t count = ranks ? ranks_of(ranks) : 0;
	struct setting *world;

	if (count < 1)
		return;
	world = settings_put_int(decoder->settings, decoder->arena, FIELD_LAUNCH_PROCESSES, count,
				 ORIGIN_GIVEN);
	world->span = ranks->span;
	world->key_span = ranks->key_span;
	world->spelling = node_path(decoder->arena, ranks);
	world->note = "the ranks of Ray's group";
}

/* Group sizes of Ray: the ranks that train, and those that generate. */
static void settle_ray(struct decoder *decoder, const struct node *root)
{
	const struct node *devices = node_find(root, "train.gpus");
	const struct node *rollout = node_find(root, "rollout.vllm_tensor_parallel_size");

	if (rollout)
		field_put(decoder, FIELD_ROLLOUT_TP, rollout);
	if (!devices)
		return;
	field_put(decoder, FIELD_CLUSTER_GPUS_PER_NODE, devices);
	keys_default(decoder, FIELD_CLUSTER_NODES, 1, "one group of Ray's");
}

/* Variables that the file itself sets: ENV.NPROC_PER_NODE. */
static void settle_environment(struct decoder *decoder, const struct node *root)
{
	const struct node *env = node_member(root, "ENV");
	const struct node *processes = node_member(env, "NPROC_PER_NODE");
	const struct node *nodes = node_member(env, "NNODES");

	if (processes)
		field_put(decoder, FIELD_LAUNCH_PER_NODE, processes);
	if (processes && nodes)
		field_put(decoder, FIELD_LAUNCH_NODES, nodes);
}

/* Kernels of attention, and how long sequences are, with either trainer. */
static const struct key_row shape_rows[] = {
	{ "max_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "attn_impl", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "sft_type", FIELD_TUNER, KEY_VALUE, NULL }, /* older names of the same */
	{ "train_type", FIELD_TUNER, KEY_VALUE, NULL },
	{ "tuner_type", FIELD_TUNER, KEY_VALUE, NULL },
	{ "experts_impl", FIELD_EXPERTS_BY, KEY_VALUE,
	  "eager=loop|grouped_mm=grouped|batched_mm=grouped" },
	{ "attention_backend", FIELD_KERNELS, KEY_VALUE, "fused=cudnn" },
};

#define TUNERS                                                                                     \
	"lora|full|longlora|adalora|llamapro|adapter|vera|boft|fourierft|reft|bone|ia3|lora_llm|"  \
	"dummy"

/* swift/arguments/base_args, rlhf_args.py, and tuner_plugin/mapping.py, which plug-ins add to. */
static const struct key_choice choices[] = {
	{ "sft_type", TUNERS, CHOICE_OPEN },
	{ "train_type", TUNERS, CHOICE_OPEN },
	{ "tuner_type", TUNERS, CHOICE_OPEN },
	{ "rlhf_type", "dpo|orpo|simpo|kto|cpo|rm|ppo|grpo|gkd", CHOICE_OPEN },
	{ "task_type", "causal_lm|seq_cls|embedding|reranker|generative_reranker", CHOICE_OPEN },
	{ "torch_dtype", "bfloat16|float16|float32", CHOICE_OPEN },
	{ "quant_method", "bnb|hqq|eetq|quanto|fp8|awq|gptq|gptq_v2", CHOICE_OPEN },
	{ "padding_side", "left|right", CHOICE_CLOSED },
	{ "truncation_strategy", "delete|left|right|split", CHOICE_OPEN },
	{ "attn_impl",
	  "eager|sdpa|flash_attn|flash_attention_2|flash_attention_3|flash_attention_4|"
	  "flex_attention",
	  CHOICE_OPEN },
	{ "vllm_mode", "server|colocate", CHOICE_CLOSED },
	{ "tuner_backend", "peft|unsloth|swift", CHOICE_OPEN },
};

/* What wins over max_length under Megatron (megatron_base_args.py:39), and where packs are made
 * (cli sft: only `if args.packing`). */
static const struct key_row packing_row = { "packing_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL };

/* Ranks that share a sequence, by Ulysses as far as the heads of keys go and a ring beyond
 * (swift/sequence_parallel/sequence_parallel.py); ZeRO works over all of them. */
static const struct key_row sequence_row = { "sequence_parallel_size", FIELD_SP, KEY_POSITIVE,
					     NULL };

/* `none` is a word of its own there, and no word is `selective`. */
/* modelscope/ms-swift@3602360a swift/arguments/{sft,tuner}_args.py. */
static const struct uncounted_row uncounted[] = {
	{ "use_galore", "the optimizer keeps projections of gradients" },
	{ "freeze_parameters", "those parameters are not trained" },
	{ "freeze_parameters_regex", "those parameters are not trained" },
	{ "freeze_parameters_ratio", "a share of the parameters is not trained" },
};

static const struct key_row recompute_row = { "recompute_granularity", FIELD_AC_MODE, KEY_VALUE,
					      "none=none|full=full|selective=selective" };

/* swift/megatron/arguments/megatron_args.py: Megatron-LM itself has neither unless asked. */
static void settle_defaults(struct decoder *decoder, const struct node *map)
{
	static const char note[] = "ms-swift's default";
	const struct node *mode = megatron_argument(map, recompute_row.path),
			  *optimizer = megatron_argument(map, "optimizer");

	if (!mode)
		settings_put_text(decoder->settings, FIELD_AC_MODE, "selective", ORIGIN_DEFAULT)
			->note = note;
	else
		keys_put_node(decoder, &recompute_row, mode);
	if (!megatron_argument(map, "use_distributed_optimizer") &&
	    !(optimizer && optimizer->kind == NODE_SCALAR && strstr(optimizer->text, "muon")))
		settings_put_bool(decoder->settings, FIELD_OPTIMIZER_DISTRIBUTED, true,
				  ORIGIN_DEFAULT)
			->note = note;
}

static void settle_megatron(struct document *document, struct decoder *decoder,
			    const struct node *map)
{
	static const struct megatron_habits habits = { .whose = "ms-swift",
						       .etp = 1,
						       .grouped = true };

	megatron_settle(decoder, map, &habits);
	settings_put_text(decoder->settings, FIELD_ENGINE, "megatron", ORIGIN_DEFAULT)->note =
		"ms-swift's megatron";
	if (!megatron_argument(map, "micro_batch_size"))
		keys_default(decoder, FIELD_MICRO_BATCH_SIZE, 1, "ms-swift's default");
	if (!megatron_argument(map, "global_batch_size"))
		keys_default(decoder, FIELD_GLOBAL_BATCH_SIZE, 16, "ms-swift's default");
	settle_defaults(decoder, map);
	hf_model_put(decoder, document, megatron_argument(map, "model"));
}

/* gradient_checkpointing is true there (swift/trainers/arguments.py); FSDP2 does its own, by fsdp's
 * activation_checkpointing (swift/arguments/sft_args.py, swift/config/fsdp2.json). */
static void settle_checkpointing(struct decoder *decoder, const struct node *map)
{
	if (!megatron_argument(map, "gradient_checkpointing"))
		settings_put_text(decoder->settings, FIELD_AC_MODE, "full", ORIGIN_DEFAULT)->note =
			"ms-swift's default";
}

/* True when a file of accelerate's says who shares the model, not the arguments. */
static bool told_elsewhere(const struct document *document, const struct node *map)
{
	const struct launch *launch = document->launch;

	return launch && launch->launcher && !strcmp(launch->launcher, "accelerate") &&
	       !node_member(map, "deepspeed") && !node_member(map, "fsdp");
}

/* What `rlhf` trains for, or NULL: --rlhf_type, else DPO (swift/arguments/rlhf_args.py). */
static const struct node *type_of(struct document *document, const struct node *map)
{
	const struct node *said = megatron_argument(map, "rlhf_type");
	bool megatron;
	const struct shell_command *command = find_command(document, &megatron);
	size_t i;

	for (i = 0; !said && command && i < command->words.count; i++) {
		const struct shell_word *word = &command->words.items[i];
		if (!strcmp(word->text, "rlhf") ||
		    !strcmp(task_of_path(document->arena, word->text), "rlhf"))
			said = node_scalar(document->arena, SCALAR_STRING, "dpo", word->span);
	}
	return said && said->kind == NODE_SCALAR ? said : NULL;
}

/*
 * Frozen models are loaded in the type of the trained one, and cut as it is (swift/pipelines/train/
 * rlhf.py; rlhf_trainers/utils.py, prepare_fsdp); with Megatron every data-parallel rank has its
 * part of one whole (megatron/trainers/rlhf_mixin.py, prepare_model).
 */
static void settle_objective(struct document *document, struct decoder *decoder,
			     const struct node *map)
{
	const struct node *type = type_of(document, map);
	const char *computed = setting_text(decoder->settings, FIELD_PARAM_DTYPE, "bfloat16");
	const bool megatron =
		!strcmp(setting_text(decoder->settings, FIELD_ENGINE, ""), "megatron");
	const struct node *other = megatron_argument(map, "ref_model");
	const struct node *model = megatron_argument(map, "model");
	struct preference preference = { .asked = type, .loaded = computed };

	if (!type)
		return;
	if (other && model && (other->kind != NODE_SCALAR || strcmp(other->text, model->text) != 0))
		preference.other = true;
	preference.objective = type->text;
	preference.cached = keys_true(map, "precompute_ref_log_probs");
	preference_put(decoder, &preference);
	if (megatron && words_have("dpo|kto", type->text) && !preference.other) {
		settings_put_text(decoder->settings, FIELD_REFERENCE_HELD, "whole", ORIGIN_DERIVED)
			->note = "ms-swift's ref_models";
		settings_put_text(decoder->settings, FIELD_REFERENCE_DTYPE, computed,
				  ORIGIN_DERIVED);
	}
}

static void ms_swift_settle(struct document *document, moment_t when, struct settings *settings,
			    struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *map = arguments_of(document->arena, document->root);

	(void)when;
	settle_environment(&decoder, document->root);
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	settle_ray(&decoder, document->root);
	settle_groups(&decoder, document->root);
	keys_unquote(document->arena, map, shape_rows, sizeof(shape_rows) / sizeof(*shape_rows));
	keys_put(&decoder, map, shape_rows, sizeof(shape_rows) / sizeof(*shape_rows));
	keys_choose(&decoder, map, choices, sizeof(choices) / sizeof(*choices));
	if (is_megatron(document, map) || keys_true(map, "packing"))
		keys_put(&decoder, map, &packing_row, 1);
	if (is_megatron(document, map)) {
		settle_megatron(document, &decoder, map);
	} else {
		training_arguments_put(&decoder, map);
		uncounted_put(&decoder, map, NULL, uncounted,
			      sizeof(uncounted) / sizeof(uncounted[0]));
		settle_checkpointing(&decoder, map);
		if (*keys_text(map, "deepspeed", ""))
			keys_put(&decoder, map, &sequence_row, 1);
		if (settings_of(settings, FIELD_TUNER)->origin == ORIGIN_UNSET)
			settings_put_text(settings, FIELD_TUNER, "lora", ORIGIN_DEFAULT)->note =
				"ms-swift's default"; /* swift/arguments/base_args/base_args.py */
		if (!told_elsewhere(document, map))
			training_arguments_engine(document, &decoder, map);
		if (!document->no_job)
			ms_swift_devices(document, &decoder, map);
		if (!strcmp(keys_text(map, "fsdp", ""), "fsdp2"))
			settings_put_text(settings, FIELD_FSDP_VERSION, "2", ORIGIN_DEFAULT)->note =
				"fsdp2 of ms-swift";
		/* swift/arguments/base_args/model_args.py, _init_mixed_precision, says bf16 where
		 * the model is loaded so; pipelines/train/tuner.py leaves it as it is */
		if (!told_elsewhere(document, map))
			trainer_stores_bf16(&decoder, "the type that ms-swift loads models in");
		hf_model_put(&decoder, document, megatron_argument(map, "model"));
		liger_settle(&decoder, map, "use_liger_kernel",
			     *keys_text(map, "rlhf_type", "") ? LIGER_UNKNOWN : LIGER_FUSED);
	}
	settle_objective(document, &decoder, map);
	open_axis_fill(document, &decoder);
}

static void ms_swift_vocabulary(struct vocabulary *vocabulary)
{
	static const char *const maps[] = { "", "train" };
	size_t i;

	vocabulary->converts = true;
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		training_arguments_vocabulary(vocabulary, maps[i]);
		megatron_vocabulary(vocabulary, maps[i], "");
		vocabulary_rows(vocabulary, maps[i], &recompute_row, 1);
	}
	/* megatron_base_args.py: seq_length = packing_length or max_length */
	vocabulary_drop(vocabulary, FIELD_SEQ_LEN);
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		vocabulary_rows(vocabulary, maps[i], shape_rows, 1); /* max_length */
}

const struct dialect dialect_ms_swift = {
	.name = "ms-swift",
	.summary = "ms-swift's flags and YAML, trained by Megatron or by transformers' Trainer",
	.signs = "'tuner_type', 'train_type' or 'split_dataset_ratio'; megatron sft, swift sft",
	.framework = "ms-swift",
	.as_of = "3602360a",
	.command = COMMAND_FLAGS,
	.detect = ms_swift_detect,
	.compose = ms_swift_compose,
	.vocabulary = ms_swift_vocabulary,
	.settle = ms_swift_settle,
};
