#include "base/text.h"
#include "wings/transformers/data_parallel.h"
#include "wings/deepspeed/keys.h"
#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "wings/megatron/keys.h"
#include "input/node.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/flags.h"
#include "wings/transformers/liger.h"
#include "wings/transformers/preference.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * open-instruct (allenai/open-instruct@e6c3044a): the YAML of its scripts, whose keys are flags of
 * a Trainer and more; and specs of Beaker, which hold the launch line as one text.
 */

static const struct key_row rows[] = {
	{ "max_seq_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "use_lora", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "packing", FIELD_PACKING, KEY_VALUE, NULL },
	{ "max_train_steps", FIELD_STEPS, KEY_POSITIVE, NULL },
	{ "deepspeed_stage", FIELD_ZERO_STAGE, KEY_VALUE, NULL },
	{ "sync_each_batch", FIELD_REDUCE_EACH, KEY_VALUE, NULL },
};

/* Of the launch line, beside what a Trainer has. */
static const struct key_row flag_rows[] = {
	{ "--num_machines", FIELD_LAUNCH_NODES, KEY_POSITIVE, NULL },
	{ "--num_processes", FIELD_LAUNCH_PROCESSES, KEY_POSITIVE, NULL },
	{ "--mixed_precision", FIELD_PARAM_DTYPE, KEY_VALUE, "no=|bf16=bfloat16|fp16=float16" },
	{ "--deepspeed_stage", FIELD_ZERO_STAGE, KEY_VALUE, NULL },
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* The first task of a Beaker spec, or NULL. */
static const struct node *task_of(const struct node *root)
{
	const struct node *tasks = node_member(root, "tasks");
	const struct node *first = tasks && tasks->kind == NODE_LIST ? tasks->first : NULL;

	return first && (node_find(first, "image.beaker") || node_member(first, "arguments"))
		       ? first
		       : NULL;
}

static int open_instruct_detect(const struct document *document)
{
	static const char *const mixers[] = { "dataset_mixer", "dataset_mixer_list",
					      "dataset_mix_dir", "dataset_mixer_eval_list",
					      "use_slow_tokenizer" };
	const struct node *root = document->root;
	size_t i;

	if (task_of(root) && node_member(root, "version"))
		return 82;
	/* a mixer with these is one of huggingface/alignment-handbook, a script of TRL's trainers
	 */
	if (node_member(root, "dataset_splits") || node_member(root, "use_peft"))
		return 0;
	for (i = 0; i < sizeof(mixers) / sizeof(mixers[0]); i++)
		if (node_member(root, mixers[i]) && node_member(root, "model_name_or_path"))
			return 74;
	return 0;
}

/* ---- Beaker ---- */

/* No flag of these takes two words: what follows the first is the script. */
static struct node *first_words(struct arena *arena, const struct node *flags)
{
	struct node *map = node_container(arena, NODE_MAP, flags->span), *copy;
	const struct node *child;

	for (child = flags->first; child; child = child->next) {
		copy = node_copy(arena,
				 child->kind == NODE_LIST && child->first ? child->first : child);
		copy->key = child->key;
		copy->key_span = child->key_span;
		node_append(map, copy);
	}
	return map;
}

/* The words of `arguments:`, one text or a list of them, split at blanks. */
static struct node *arguments_of(struct arena *arena, const struct node *arguments)
{
	VEC(struct flag_word) words = { 0 };
	const struct node *item = arguments;

	if (arguments->kind == NODE_LIST)
		item = arguments->first;
	for (; item; item = arguments->kind == NODE_LIST ? item->next : NULL) {
		const char *at = item->kind == NODE_SCALAR ? item->text : "";
		for (at += strspn(at, " \t\n"); *at; at += strspn(at, " \t\n")) {
			size_t length = strcspn(at, " \t\n");
			struct flag_word word = { .text = arena_strndup(arena, at, length),
						  .span = item->span };
			if (strchr(word.text, '$'))
				word.unresolved = word.text;
			vec_push(arena, &words, word);
			at += length;
		}
	}
	return first_words(arena, flags_map(arena, words.items, words.count));
}

/* The flags by the Trainer's names for them, but the model. */
static const struct node *without_dashes(struct arena *arena, const struct node *flags)
{
	struct node *map = node_container(arena, NODE_MAP, flags->span), *copy;
	const struct node *child;
	char *c;

	for (child = flags->first; child; child = child->next) {
		char *key = arena_strdup(arena, child->key + strspn(child->key, "-"));
		for (c = key; *c; c++)
			if (*c == '-')
				*c = '_';
		if (!strcmp(key, "model_name_or_path"))
			continue;
		copy = node_copy(arena, child);
		copy->key = key;
		copy->key_span = child->key_span;
		node_append(map, copy);
	}
	return map;
}

/* What the script's flags say, spelt as flags: the file has no such keys. */
static void settle_flags(struct document *document, struct decoder *decoder,
			 const struct node *flags)
{
	struct decoder apart = *decoder;
	int id;

	apart.settings = arena_new(decoder->arena, struct settings);
	settings_init(apart.settings);
	trainer_flags_put(&apart, document, without_dashes(decoder->arena, flags));
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		struct setting *setting = &apart.settings->items[id];
		if (!setting_given(setting) && !setting->invalid)
			continue;
		setting->spelling = arena_join(decoder->arena, "--", setting->spelling, "");
		decoder->settings->items[id] = *setting;
	}
}

/* The word of a task's arguments that names a program of Python's, or "". */
static const char *script_of(struct arena *arena, const struct node *arguments)
{
	const struct node *item = arguments->kind == NODE_LIST ? arguments->first : arguments;

	for (; item; item = arguments->kind == NODE_LIST ? item->next : NULL) {
		const char *text = item->kind == NODE_SCALAR ? item->text : "";
		const char *end = strstr(text, ".py"), *at = end;
		while (at && at > text && !strchr(" \t\n", at[-1]))
			at--;
		if (at)
			return arena_strndup(arena, at, (size_t)(end - at));
	}
	return "";
}

/* Processes of accelerate launch over the replicas of the task. */
static void settle_axes(struct document *document, struct decoder *decoder)
{
	static const enum field_id fields[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD };
	const struct setting *processes = settings_of(decoder->settings, FIELD_LAUNCH_PROCESSES);
	const struct setting *degree;
	size_t i;

	if (!setting_known(processes) || document->overrides->world)
		return;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		degree = settings_of(decoder->settings, fields[i]);
		if (setting_known(degree) && degree->integer == -1)
			keys_derive(decoder, fields[i], processes->integer, processes,
				    "all processes");
	}
}

/*
 * dpo_tune_cache.py and dpo.py compute what the reference says before the first step, by the model
 * that is then trained, and hold none (dpo_utils.py, build_reference_logprobs_cache); SimPO's loss
 * wants none. Files of keys alone are those of dpo_tune_cache.py where they have its.
 */
static void put_objective(struct decoder *decoder, const char *script, const struct node *said)
{
	static const char *const keys[] = { "dpo_beta", "dpo_loss_type", "loss_type", "beta" };
	const char *objective = preference_of_script(script), *loss = "";
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct node *key = node_member(said, keys[i]);
		if (key && !*script)
			objective = "dpo";
		if (key && key->kind == NODE_SCALAR && strstr(key->key, "loss_type"))
			loss = key->text;
	}
	if (!objective)
		return;
	if (!strcmp(objective, "dpo") && !strcmp(loss, "simpo"))
		objective = loss;
	settings_put_text(decoder->settings, FIELD_OBJECTIVE, objective, ORIGIN_DERIVED);
	if (strcmp(objective, "dpo") != 0)
		return;
	settings_put_text(decoder->settings, FIELD_REFERENCE_HELD, "none", ORIGIN_DEFAULT)->note =
		"open-instruct's cache";
	settings_put_bool(decoder->settings, FIELD_REFERENCE_PRECOMPUTED, true, ORIGIN_DEFAULT)
		->note = "open-instruct's cache";
}

static void settle_task(struct document *document, struct decoder *decoder, const struct node *task)
{
	const struct node *arguments = node_member(task, "arguments"), *map, *file;
	const struct node *count = node_find(task, "resources.gpuCount");
	const struct node *replicas = node_member(task, "replicas");

	if (count)
		field_put(decoder, FIELD_LAUNCH_GPUS_REQUESTED, count);
	if (replicas)
		field_put(decoder, FIELD_LAUNCH_NODES, replicas);
	map = arguments ? arguments_of(decoder->arena, arguments) : NULL;
	if (!map)
		return;
	keys_put(decoder, map, ROWS(flag_rows));
	keys_optimizer(decoder, map);
	settle_flags(document, decoder, map);
	hf_model_put(decoder, document, node_member(map, "--model_name_or_path"));
	file = node_member(map, "--deepspeed_config_file");
	if (!file)
		file = node_member(map, "--deepspeed");
	if (file && file->kind == NODE_SCALAR)
		data_parallel_deepspeed(document, decoder, file);
	else
		data_parallel_repeats(decoder, "no DeepSpeed file: DistributedDataParallel");
	settle_axes(document, decoder);
	put_objective(decoder, script_of(decoder->arena, arguments),
		      without_dashes(decoder->arena, map));
}

static void open_instruct_settle(struct document *document, moment_t when,
				 struct settings *settings, struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root, *task = task_of(root);

	(void)when;
	if (task) {
		settle_task(document, &decoder, task);
		return;
	}
	keys_unquote(document->arena, root, ROWS(rows));
	keys_put(&decoder, root, ROWS(rows));
	keys_optimizer(&decoder, root);
	training_arguments_put(&decoder, root);
	hf_model_put(&decoder, document, node_member(root, "model_name_or_path"));
	liger_settle(&decoder, root, "use_liger_kernel", LIGER_FUSED);
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (setting_known(settings_of(settings, FIELD_ZERO_STAGE)))
		deepspeed_put_axes(&decoder, -1);
	else
		training_arguments_engine(document, &decoder, root);
	put_objective(&decoder, "", root);
}

static void open_instruct_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary->converts = true;
	vocabulary_rows(vocabulary, "", ROWS(rows));
	training_arguments_vocabulary(vocabulary, "");
}

const struct dialect dialect_open_instruct = {
	.name = "open-instruct",
	.summary = "open-instruct's YAML and its specs for Beaker",
	.signs = "'tasks' with 'arguments', or 'model_name_or_path' and 'dataset_mixer'",
	.framework = "open-instruct",
	.as_of = "e6c3044a",
	.detect = open_instruct_detect,
	.vocabulary = open_instruct_vocabulary,
	.settle = open_instruct_settle,
};
