#include "base/text.h"
#include "input/axis.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/launch/form.h"
#include "input/settings/uncounted.h"
#include "wings/megatron/keys.h"
#include "input/shell/shell.h"
#include "plan/plan.h"

#include <stdint.h>
#include <string.h>

/*
 * Scripts that start Megatron-LM (NVIDIA/Megatron-LM@d98e8a64 examples) or Megatron-DeepSpeed
 * (deepspeedai/Megatron-DeepSpeed@f4157bea): the degrees are flags of the program, the ranks are
 * the launcher's. Where no command holds the flags, the variable does that holds them.
 */

struct words {
	VEC(struct flag_word) list;
};

bool megatron_is_trainer(const char *program)
{
	const char *slash = program ? strrchr(program, '/') : NULL;

	return program && text_starts(slash ? slash + 1 : program, "pretrain_") &&
	       text_ends(program, ".py");
}

/* Degrees first: one of these on a command makes it Megatron's. Forks spell flags with '_'. */
static bool is_degree(const char *text)
{
	return (megatron_is_degree(text) &&
		(!strchr(text, '_') || !strcmp(text, "--tensor_model_parallel_size") ||
		 !strcmp(text, "--pipeline_model_parallel_size"))) ||
	       !strcmp(text, "--model-parallel-size") /* before the rename in 2021 */;
}

/* Flags that no other framework takes, for scripts that leave the degrees to another. */
static bool is_sign(const char *text)
{
	return is_degree(text) || text_starts(text, "--num-layers-per-virtual-pipeline-stage") ||
	       text_starts(text, "--activations-checkpoint-method") ||
	       text_starts(text, "--use-mcore-models");
}

/* The flag without what is attached to it: "--tensor-model-parallel-size=8". */
static bool has_flag(struct arena *arena, const char *text, bool (*is)(const char *text))
{
	return text_starts(text, "--") && is(arena_strndup(arena, text, strcspn(text, "=")));
}

/* Front ends of their own, whose flags have the same names: `megatron sft` is ms-swift's. */
static bool is_front_end(const struct shell_command *command)
{
	static const char *const starts[] = { "swift.", "verl.", "nemo_rl.", "primus" };
	size_t i, k;

	for (i = 0; i < command->words.count; i++) {
		const char *word = command->words.items[i].text, *slash = strrchr(word, '/');
		if (text_starts(word, "--tensor"))
			break;
		word = slash ? slash + 1 : word;
		if (!strcmp(word, "megatron") || !strcmp(word, "swift"))
			return true;
		for (k = 0; k < sizeof(starts) / sizeof(starts[0]); k++)
			if (text_starts(word, starts[k]))
				return true;
	}
	return false;
}

/* A degree, be its value known or not. */
static bool holds_degrees(struct arena *arena, const struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->arguments.count; i++)
		if (has_flag(arena, launch->arguments.items[i].text, is_degree))
			return true;
	return false;
}

/* Megatron's own program: all degrees may be left at one, or stand in a variable. */
static bool is_plain(const struct launch *launch)
{
	static const char programs[] = "pretrain_gpt.py|pretrain_bert.py|pretrain_t5.py|"
				       "pretrain_mamba.py|pretrain_hybrid.py|pretrain_vlm.py";
	const char *slash = launch->program ? strrchr(launch->program, '/') : NULL;

	return launch->program && launch->launched && launch->arguments.count &&
	       words_have(programs, slash ? slash + 1 : launch->program);
}

static bool fixes_degrees(const struct document *document);

/* The command that starts Megatron: the last that is sure to run, else the last. */
static struct launch *find_launch(const struct document *document)
{
	const struct shell_script *script = document->shell;
	struct launch *found = NULL;
	bool undecided = true, plain = script && !fixes_degrees(document);
	size_t i;

	for (i = 0; script && i < script->commands.count; i++) {
		const struct shell_command *command = &script->commands.items[i];
		struct launch *launch = launch_of_command(document->arena, script, command);
		if (!launch || is_front_end(command) ||
		    (!holds_degrees(document->arena, launch) && !(plain && is_plain(launch))) ||
		    (found && command->undecided && !undecided))
			continue;
		found = launch;
		undecided = command->undecided;
	}
	return found;
}

/* A variable's word may hold several: options="--bf16 --lr 1e-4". */
static void split_word(const struct shell_script *script, struct words *words,
		       const struct shell_word *word)
{
	struct shell_parts parts = { .word = word };
	struct shell_word part;

	while (shell_next_part(script, &parts, &part)) {
		const struct flag_word flag = { part.text, part.span, part.unresolved };
		if (part.text[0])
			vec_push(script->arena, &words->list, flag);
	}
}

/* The words of all variables that hold one of those flags. */
static struct words in_variables(const struct document *document, bool (*is)(const char *text))
{
	const struct shell_script *script = document->shell;
	struct words all = { 0 };
	size_t i, k;

	for (i = 0; script && i < script->variables.count; i++) {
		const struct shell_variable *variable = &script->variables.items[i];
		struct words words = { 0 };
		bool found = false;
		for (k = 0; k < variable->words.count; k++)
			split_word(script, &words, &variable->words.items[k]);
		for (k = 0; k < words.list.count && !found; k++)
			found = has_flag(document->arena, words.list.items[k].text, is);
		for (k = 0; found && k < words.list.count; k++)
			vec_push(document->arena, &all.list, words.list.items[k]);
	}
	return all;
}

static struct words of_launch(struct arena *arena, const struct launch *launch)
{
	struct words words = { 0 };
	size_t i;

	for (i = 0; i < launch->arguments.count; i++) {
		const struct launch_word *word = &launch->arguments.items[i];
		const struct flag_word flag = { word->text, word->span, word->unresolved };
		vec_push(arena, &words.list, flag);
	}
	return words;
}

/* True when a variable's flags give a degree a value. */
static bool fixes_degrees(const struct document *document)
{
	const struct words words = in_variables(document, is_degree);
	const struct node *flag = flags_map(document->arena, words.list.items, words.list.count);

	for (flag = flag->first; flag; flag = flag->next)
		if (is_degree(flag->key) && !flag->unresolved)
			return true;
	return false;
}

static bool starts_front_end(const struct shell_script *script)
{
	size_t i;

	for (i = 0; i < script->commands.count; i++)
		if (is_front_end(&script->commands.items[i]))
			return true;
	return false;
}

static int megatron_sh_detect(const struct document *document)
{
	if (!document->shell || starts_front_end(document->shell))
		return 0;
	if (find_launch(document))
		return 85;
	if (fixes_degrees(document))
		return 60;
	/* what a launch starts without a known degree is the launcher's affair */
	return !launch_of_script(document->arena, document->shell, NULL) &&
			       in_variables(document, is_sign).list.count
		       ? 50
		       : 0;
}

static void megatron_sh_compose(struct document *document, struct findings *findings)
{
	struct launch *launch = find_launch(document);

	(void)findings;
	document->facts = launch;
	if (!launch)
		launch = launch_of_script(document->arena, document->shell, NULL);
	launch_take(document, launch);
}

/* Settings laid over the script by --set, under the flags' names. */
static void lay_over(const struct document *document, struct node *map)
{
	const struct node *child;
	struct node *copy;

	for (child = document->root ? document->root->first : NULL; child; child = child->next) {
		copy = node_copy(document->arena, child);
		node_append(map, copy);
	}
}

static int64_t number_in(const struct shell_word *word)
{
	int64_t value;

	return word && !word->unresolved && text_to_int(word->text, &value) && value > 0 ? value
											 : 0;
}

/* NUM_GPUS, by which the examples of Megatron-DeepSpeed say what their hosts file holds. */
static const struct shell_word *said_ranks(const struct document *document)
{
	const struct shell_script *script = document->shell;
	size_t i;

	for (i = 0; i < script->variables.count; i++)
		if (!strcmp(script->variables.items[i].name, "NUM_GPUS") &&
		    script->variables.items[i].words.count == 1)
			return &script->variables.items[i].words.items[0];
	return NULL;
}

/*
 * Sizes that are placeholders, -1, because the checkpoint brings them along
 * (--use-checkpoint-args, evaluations); and Megatron-DeepSpeed's numbers of experts, one for each
 * group of layers, which are no one number.
 */
static void drop_placeholders(struct node *map)
{
	static const char *const sizes[] = { "num_layers",
					     "hidden_size",
					     "num_attention_heads",
					     "seq_length",
					     "max_position_embeddings",
					     "ffn_hidden_size",
					     "encoder_seq_length" };
	struct node *child, *next;
	size_t i;

	for (child = map->first; child; child = next) {
		bool drop = child->kind == NODE_LIST && megatron_names(child->key, "num_experts");
		next = child->next;
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			drop = drop || (child->kind == NODE_SCALAR && child->type == SCALAR_INT &&
					child->integer < 0 && megatron_names(child->key, sizes[i]));
		if (drop)
			node_remove(child);
	}
}

/*
 * slime (THUDM/slime@624b824a slime/utils/arguments.py): Ray makes the ranks that train, as many as
 * the actor has nodes and devices.
 */
static bool settle_actor(struct decoder *decoder, const struct node *map)
{
	const struct node *nodes = megatron_argument(map, "actor_num_nodes");
	const struct node *devices = megatron_argument(map, "actor_num_gpus_per_node");

	if (!nodes && !devices)
		return false;
	if (nodes)
		field_put(decoder, FIELD_CLUSTER_NODES, nodes);
	else
		keys_default(decoder, FIELD_CLUSTER_NODES, 1, "slime's default");
	if (devices)
		field_put(decoder, FIELD_CLUSTER_GPUS_PER_NODE, devices);
	else
		keys_default(decoder, FIELD_CLUSTER_GPUS_PER_NODE, 8, "slime's default");
	return true;
}

/* Ranks where the launcher does not say: of #SBATCH, or as the script has them. */
static void settle_world(struct document *document, struct decoder *decoder)
{
	const struct shell_word *nodes = shell_sbatch(document->shell, "nodes");
	const struct shell_word *tasks = shell_sbatch(document->shell, "ntasks-per-node");
	const struct shell_word *ranks = said_ranks(document);
	const struct launch *launch = document->launch;
	struct setting *setting;

	if (document->overrides->world || (launch && launch->world))
		return;
	if (number_in(nodes) && number_in(tasks) && !(launch && launch->launched)) {
		setting = keys_derive(decoder, FIELD_WORLD, number_in(nodes) * number_in(tasks),
				      NULL, "nodes x ntasks-per-node of #SBATCH");
		setting->span = nodes->span;
	} else if (number_in(ranks) && launch && launch->launcher &&
		   !strcmp(launch->launcher, "deepspeed")) {
		setting = keys_derive(decoder, FIELD_WORLD, number_in(ranks), NULL,
				      "NUM_GPUS of the script");
		setting->span = ranks->span;
	}
}

/* What tp, pp and cp leave of the ranks; 0 when one of them is open or they do not divide them. */
static int64_t left_of(const struct settings *settings, int64_t world)
{
	static const enum field_id taken[] = { FIELD_TP, FIELD_PP, FIELD_CP };
	int64_t gathering;
	size_t i;

	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		const int64_t degree = setting_int(settings, taken[i], 1);
		if (setting_unresolved(settings, taken[i]) || degree < 1 || world % degree)
			return 0;
		world /= degree;
	}
	gathering = plan_gathering_ranks(settings, FIELD_WEIGHT_SHARDS,
					 setting_int(settings, FIELD_TP, 1));
	return world % gathering ? 0 : world / gathering;
}

/* Where the script fixes the ranks, data parallel is a number. */
static void derive_dp(struct document *document, struct decoder *decoder)
{
	struct settings *settings = decoder->settings;
	int64_t world = setting_int(settings, FIELD_WORLD, 0);

	if (!world && document->launch)
		world = document->launch->world;
	if (document->overrides->world || world < 1 || left_of(settings, world) < 1 ||
	    setting_int(settings, FIELD_DP_REPLICATE, 1) != -1)
		return;
	keys_derive(decoder, FIELD_DP_REPLICATE, left_of(settings, world), NULL,
		    "what tp, cp and pp leave of the world");
}

/* The degrees are another script's affair. */
static void leave_open(struct settings *settings)
{
	int i;

	for (i = AXIS_CP; i < AXIS_SP; i++)
		axis_leave_open(settings, axes[i],
				"the flags of a command that another script starts",
				settings->items[axes[i]].span);
}

/* Forks spell the flags with '_', and have more of them. */
static bool is_fork(const struct node *map)
{
	const struct node *flag;

	for (flag = map->first; flag; flag = flag->next)
		if (megatron_is_degree(flag->key) && strchr(flag->key, '_'))
			return true;
	return false;
}

/* Without a degree among the flags, one may be in a variable that nobody knows. */
static void leave_to_words(struct decoder *decoder, const struct node *map,
			   const struct words *words)
{
	const struct node *flag;
	size_t i;
	int k;

	for (flag = map->first; flag; flag = flag->next)
		if (megatron_is_degree(flag->key))
			return;
	for (i = 0; i < words->list.count; i++)
		if (words->list.items[i].unresolved && words->list.items[i].text[0] == '$')
			break;
	for (k = AXIS_CP; i < words->list.count && k < AXIS_SP; k++)
		axis_leave_open(decoder->settings, axes[k], words->list.items[i].unresolved,
				words->list.items[i].span);
}

/* Somebody named a version of Megatron-LM itself: a commit with a date of its own may be a fork's.
 */
static bool is_pinned(const struct document *document)
{
	size_t i;

	for (i = 0; i < document->pins.count; i++)
		if (!strcmp(document->pins.items[i].framework, "megatron"))
			return !strchr(document->pins.items[i].version, '=');
	return false;
}

/* A word that may hold any flags, or NULL. */
static const struct flag_word *open_word(const struct words *words)
{
	size_t i;

	for (i = 0; i < words->list.count; i++)
		if (words->list.items[i].unresolved && words->list.items[i].text[0] == '$' &&
		    (!i || words->list.items[i - 1].text[0] != '-'))
			return &words->list.items[i];
	return NULL;
}

const struct node *megatron_all_flags(const struct document *document, struct arena *arena)
{
	const struct launch *launch = document->facts;
	struct words words;
	struct node *map;

	if (strcmp(document->dialect->name, "megatron-sh") != 0 || !launch || !is_plain(launch))
		return NULL;
	words = of_launch(arena, launch);
	map = flags_map(arena, words.list.items, words.list.count);
	if (open_word(&words) || is_fork(map))
		return NULL;
	lay_over(document, map);
	return map;
}

/*
 * What no flag says: DeepSpeed's file has the last word on it, and a program that is not Megatron's
 * may set what it likes.
 */
static void settle_precision(struct decoder *decoder, const struct node *map,
			     const struct launch *launch, const struct words *words)
{
	const struct node *file = megatron_argument(map, "deepspeed_config");
	const struct flag_word *word = open_word(words);

	if (file)
		megatron_precision(decoder, "DeepSpeed's file", file->span);
	else if (launch && megatron_is_trainer(launch->program))
		megatron_precision(decoder, word ? word->unresolved : NULL,
				   word ? word->span : launch->program_span);
}

/* Which layers are computed again, a word that may be any further flag may say. */
static void leave_layers_open(struct settings *settings, const struct words *words)
{
	static const enum field_id fields[] = { FIELD_AC_METHOD, FIELD_AC_LAYERS };
	const struct flag_word *word = open_word(words);
	size_t i;

	if (!word || strcmp(setting_text(settings, FIELD_AC_MODE, ""), "full") != 0)
		return;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!setting_given(settings_of(settings, fields[i])))
			axis_leave_open(settings, fields[i], word->unresolved, word->span);
}

/*
 * Experts under tp train with sequence parallelism alone. Where no flag here says it, a word that
 * may be any further flag may do so, or whoever starts what this script only has in variables.
 */
static void leave_sequence_open(struct settings *settings, const struct node *map,
				const struct launch *launch, const struct words *words)
{
	const struct flag_word *word = open_word(words);
	const struct setting *experts = settings_of(settings, FIELD_MODEL_MOE_EXPERTS);

	if ((launch && !word) || !setting_given(experts) ||
	    megatron_argument(map, "sequence_parallel"))
		return;
	axis_leave_open(settings, FIELD_SEQUENCE_PARALLEL,
			word ? word->unresolved
			     : "the flags of a command that another script starts",
			word ? word->span : experts->span);
}

/* A stack of blocks as GPT's, but for masks and heads. */
static void settle_program(struct decoder *decoder, const struct launch *launch)
{
	if (launch && launch_runs(launch, "pretrain_bert"))
		uncounted_add(decoder, launch->program_span,
			      "pretrain_bert.py: attention looks both ways, and BERT has heads of "
			      "its own");
}

static void settle_deepspeed(struct decoder *decoder, const struct node *map)
{
	const struct node *stage = megatron_argument(map, "zero_stage");

	if (!megatron_argument(map, "deepspeed"))
		return;
	settings_put_text(decoder->settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT)->note =
		"Megatron-DeepSpeed";
	if (stage)
		field_put(decoder, FIELD_ZERO_STAGE, stage);
	if (setting_int(decoder->settings, FIELD_ZERO_STAGE, 0) < 3)
		return;
	keys_default(decoder, FIELD_DP_SHARD, -1, "ZeRO-3: what tp and pp leave of the world");
	keys_default(decoder, FIELD_DP_REPLICATE, 1, "ZeRO-3");
}

static void megatron_sh_settle(struct document *document, moment_t when, struct settings *settings,
			       struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct launch *launch = document->facts;
	struct words words =
		launch ? of_launch(document->arena, launch) : in_variables(document, is_degree);
	struct node *map = flags_map(document->arena, words.list.items, words.list.count);
	bool silent;

	(void)when;
	if (settle_actor(&decoder, map) && launch)
		launch_forget(document->launch);
	launch_settle(document->launch, document->arena, settings);
	settle_world(document, &decoder);
	silent = !map->first;
	lay_over(document, map);
	if (silent) { /* whatever options give beside it */
		leave_open(settings);
		return;
	}
	drop_placeholders(map);
	if (!is_fork(map)) {
		if (launch && is_plain(launch) && is_pinned(document) &&
		    !megatron_argument(map, "deepspeed"))
			megatron_refuse(&decoder, map, launch->program);
		if (!launch || is_plain(launch))
			megatron_judge_words(&decoder, map);
		megatron_misspelt(&decoder, map);
		megatron_contradictions(&decoder, map, !launch || open_word(&words));
	}
	leave_to_words(&decoder, map, &words);
	megatron_settle(&decoder, map, &megatron_itself);
	settle_precision(&decoder, map, launch, &words);
	settle_program(&decoder, launch);
	leave_layers_open(settings, &words);
	leave_sequence_open(settings, map, launch, &words);
	settle_deepspeed(&decoder, map);
	derive_dp(document, &decoder);
}

const struct dialect dialect_megatron_sh = {
	.name = "megatron-sh",
	.summary = "scripts that start Megatron-LM or Megatron-DeepSpeed with their flags",
	.signs = "a command or variable with --tensor-model-parallel-size",
	.framework = "megatron",
	.as_of = "d98e8a64",
	.detect = megatron_sh_detect,
	.compose = megatron_sh_compose,
	.settle = megatron_sh_settle,
};
