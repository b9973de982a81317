#include "wings/transformers/arguments.h"

#include "wings/transformers/precision.h"

#include "base/text.h"
#include "wings/transformers/data_parallel.h"
#include "wings/transformers/fsdp.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "input/vocabulary.h"

#include <string.h>

static const struct key_row rows[] = {
	{ "per_device_train_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "gradient_accumulation_steps", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, NULL },
	{ TRAINER_EACH_BATCH, FIELD_REDUCE_EACH, KEY_VALUE, NULL },
	{ "max_steps", FIELD_STEPS, KEY_POSITIVE, NULL },
	{ "max_grad_norm", FIELD_MAX_NORM, KEY_POSITIVE, NULL }, /* trainer.py@000945a9 */
	{ "optim", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "gradient_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
	{ "torch_compile", FIELD_COMPILE, KEY_VALUE, NULL },
	{ "fp16", FIELD_PARAM_DTYPE, KEY_VALUE, "true=float16|false=" },
	{ "bf16", FIELD_PARAM_DTYPE, KEY_VALUE, "true=bfloat16|false=" },
	{ "use_liger_kernel", FIELD_LOSS_KIND, KEY_VALUE, "true=fused|false=" }, /* from v4.45 */
};

static const struct key_choice choices[] = {
	{ "optim", TRAINER_OPTIMIZERS, CHOICE_OPEN },
	{ "lr_scheduler_type", TRAINER_SCHEDULERS, CHOICE_OPEN },
	{ "eval_strategy", "no|steps|epoch", CHOICE_OPEN },
	{ "logging_strategy", "no|steps|epoch", CHOICE_OPEN },
	{ "save_strategy", "no|steps|epoch|best", CHOICE_OPEN },
};

#define WARMUP "transformers 4 raises a ValueError, and 5 takes it for a number of steps"

/* TrainingArguments.__post_init__ (v4.57.6, v5.0.0), and torch's DataLoader. */
static const struct key_kind kinds[] = {
	{ "warmup_ratio", KIND_NUMBER, "0..1", WARMUP },
	{ "warmup_steps", KIND_NUMBER, "0..", "transformers raises a ValueError" },
	{ "per_device_eval_batch_size", KIND_NUMBER, "1..",
	  "torch's DataLoader raises a ValueError" },
};

/*
 * trainer.py@v4.57.6, set_initial_training_values: without max_steps the steps are the epochs'
 * times those of one.
 */
static const struct key_kind epochs_kind = { "num_train_epochs", KIND_NUMBER, "0..",
					     "the Trainer goes through no step" };

static const struct key_kind files[] = {
	{ "fsdp_config", KIND_MAP_OR_FILE, NULL, NULL },
	{ "deepspeed", KIND_MAP_OR_FILE, NULL, NULL },
};

/* Any below one is none to the Trainer (trainer.py@v4.57.6, set_initial_training_values). */
static void judge_steps(struct decoder *decoder, const struct node *root, const char *epochs)
{
	const struct node *steps = node_member(root, "max_steps");
	struct finding *finding;

	if (!decoder->findings || !steps || !field_fits(FIELD_INT, steps) || steps->unresolved ||
	    steps->integer > 0 || steps->integer == -1)
		return;
	finding = finding_add(decoder->findings, &rule_out_of_range, steps->span,
			      "max_steps %.20s is none: the Trainer goes through all epochs",
			      steps->text);
	finding_cap(finding, SEVERITY_WARNING);
	finding_requested(decoder->findings, finding, "%.20s steps", steps->text);
	finding_actual(decoder->findings, finding, "%s %s", epochs,
		       keys_text(root, epochs, "by default"));
	finding_fix(decoder->findings, finding, "give 1 or more steps, or -1 for none");
}

void training_arguments_numbers(struct decoder *decoder, const struct node *map, const char *epochs)
{
	keys_optimizer(decoder, map);
	keys_kinds(decoder, map, kinds, sizeof(kinds) / sizeof(kinds[0]));
	judge_steps(decoder, map, epochs);
}

/*
 * Flags of TrainingArguments of which no setting is made: HfArgumentParser.parse_dict@v4.57.6 hands
 * them on as they are, its command line refuses another word.
 */
#define ANY_WORD "any word is true where a file is read, \"flase\", too; as a flag it is refused"
static const struct key_kind flags[] = {
	{ "do_train", KIND_FLAG, NULL, ANY_WORD },
	{ "do_eval", KIND_FLAG, NULL, ANY_WORD },
	{ "do_predict", KIND_FLAG, NULL, ANY_WORD },
	{ "overwrite_output_dir", KIND_FLAG, NULL, ANY_WORD },
	{ "tf32", KIND_FLAG, NULL, ANY_WORD },
	{ "bf16_full_eval", KIND_FLAG, NULL, ANY_WORD },
	{ "fp16_full_eval", KIND_FLAG, NULL, ANY_WORD },
	{ "load_best_model_at_end", KIND_FLAG, NULL, ANY_WORD },
	{ "group_by_length", KIND_FLAG, NULL, ANY_WORD },
	{ "dataloader_drop_last", KIND_FLAG, NULL, ANY_WORD },
	{ "dataloader_pin_memory", KIND_FLAG, NULL, ANY_WORD },
	{ "dataloader_persistent_workers", KIND_FLAG, NULL, ANY_WORD },
	{ "save_only_model", KIND_FLAG, NULL, ANY_WORD },
	{ "save_on_each_node", KIND_FLAG, NULL, ANY_WORD },
	{ "ignore_data_skip", KIND_FLAG, NULL, ANY_WORD },
	{ "remove_unused_columns", KIND_FLAG, NULL, ANY_WORD },
	{ "ddp_find_unused_parameters", KIND_FLAG, NULL, ANY_WORD },
	{ "full_determinism", KIND_FLAG, NULL, ANY_WORD },
	{ "push_to_hub", KIND_FLAG, NULL, ANY_WORD },
};

static void judge_kinds(struct decoder *decoder, const struct node *root)
{
	if (!node_member(root, "max_steps") || keys_int(root, "max_steps", 1) < 1)
		keys_kinds(decoder, root, &epochs_kind, 1);
	if (node_member(root, "fsdp") && !keys_ask_nothing(node_member(root, "fsdp")))
		keys_kinds(decoder, root, &files[0], 1);
	keys_kinds(decoder, root, &files[1], 1);
	keys_kinds(decoder, root, flags, sizeof(flags) / sizeof(flags[0]));
}

/* TrainingArguments.__post_init__ (v4.57.0). */
static void refuse_two(struct decoder *decoder, const struct node *root)
{
	const struct node *bf16 = node_member(root, "bf16"), *fp16 = node_member(root, "fp16");
	struct finding *finding;

	if (!decoder->findings || !keys_true(root, "fp16") || !keys_true(root, "bf16") ||
	    fp16->unresolved || bf16->unresolved)
		return;
	finding = finding_add(decoder->findings, &rule_two_precisions, fp16->key_span,
			      "fp16 and bf16 are both on");
	finding_relate(decoder->findings, finding, bf16->key_span, "bf16");
	finding_quote(decoder->findings, finding,
		      "ValueError: At most one of fp16 and bf16 can be True, but not both");
	finding->speaker = "transformers";
	finding_fix(decoder->findings, finding, "drop fp16");
}

/* TrainingArguments.__post_init__ (v4.57.0): a mode or a back end turns it on. */
static void put_compile(struct decoder *decoder, const struct node *root)
{
	static const char *const keys[] = { "torch_compile_mode", "torch_compile_backend" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct node *said = node_member(root, keys[i]);
		if (said && said->kind == NODE_SCALAR && said->type == SCALAR_STRING && *said->text)
			settings_put_bool(decoder->settings, FIELD_COMPILE, true, ORIGIN_DERIVED)
				->span = said->span;
	}
}

void training_arguments_put(struct decoder *decoder, const struct node *root)
{
	const size_t count = sizeof(rows) / sizeof(rows[0]);

	keys_unquote(decoder->arena, root, rows, count);
	keys_put(decoder, root, rows, count);
	put_compile(decoder, root);
	refuse_two(decoder, root);
	keys_choose(decoder, root, choices, sizeof(choices) / sizeof(choices[0]));
	training_arguments_numbers(decoder, root, epochs_kind.path);
	judge_kinds(decoder, root);
	keys_misspelt(decoder, root, rows, count, "transformers' parser",
		      "stops at keys that it does not know");
}

/*
 * Arguments by whose beginning one that is read here may be written, with all others that begin
 * alike (v4.57.6 training_args.py). Each has a second spelling with dashes (hf_argparser.py:235),
 * so that a beginning without '_' is one of both, which older versions of Python refuse.
 */
static const char *const spelt[] = {
	"per_device_train_batch_size",
	"per_device_eval_batch_size",
	"gradient_accumulation_steps",
	"gradient_checkpointing",
	"gradient_checkpointing_kwargs",
	"max_grad_norm",
	"max_steps",
	"fsdp_config",
	"fsdp_min_num_params",
	"fsdp_transformer_layer_cls_to_wrap",
	"torch_compile",
	"torch_compile_backend",
	"torch_compile_mode",
	"torch_empty_cache_steps",
};

/* True when `name` begins with `beginning`, in which '-' is '_'. */
static bool begins(const char *name, const char *beginning)
{
	while (*beginning && *name == (*beginning == '-' ? '_' : *beginning))
		name++, beginning++;
	return !*beginning;
}

const char *training_argument_of(const char *flag)
{
	const char *found = NULL;
	size_t i;

	for (i = 0; strpbrk(flag, "_-") && i < sizeof(spelt) / sizeof(spelt[0]); i++) {
		if (!begins(spelt[i], flag))
			continue;
		if (strlen(spelt[i]) == strlen(flag))
			return spelt[i];
		if (found)
			return NULL;
		found = spelt[i];
	}
	return found;
}

void training_arguments_spell(struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->flags.count; i++) {
		struct launch_flag *flag = &launch->flags.items[i];
		const char *whole = training_argument_of(flag->name);
		if (whole)
			flag->name = whole;
	}
}

bool training_arguments_recognise(const struct node *root)
{
	return node_member(root, "per_device_train_batch_size") ||
	       node_member(root, "gradient_accumulation_steps") ||
	       node_member(root, "per_device_eval_batch_size");
}

/* True when `fsdp:`, one text or a list, has that word. */
static bool option_of(const struct node *fsdp, const char *word)
{
	const struct node *item;

	if (fsdp->kind == NODE_SCALAR)
		return strstr(fsdp->text, word) != NULL;
	for (item = fsdp->first; item; item = item->next)
		if (item->kind == NODE_SCALAR && !strcmp(item->text, word))
			return true;
	return false;
}

/* Present, and neither false nor empty. */
static const struct node *said(const struct node *root, const char *key)
{
	const struct node *node = node_member(root, key);

	if (!node)
		return NULL;
	if (node->kind != NODE_SCALAR)
		return node->first ? node : NULL;
	if (node->type == SCALAR_NULL || !*node->text ||
	    (node->type == SCALAR_BOOL && !node->boolean))
		return NULL;
	return node;
}

void training_arguments_fsdp(const struct document *document, struct decoder *decoder,
			     const struct node *root)
{
	settings_put_text(decoder->settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT);
	trainer_fsdp_version(decoder, root, fsdp_reading_of(document));
}

static void put_fsdp(const struct document *document, struct decoder *decoder,
		     const struct node *root, const struct node *fsdp)
{
	training_arguments_fsdp(document, decoder, root);
	trainer_fsdp_words(decoder, root, fsdp_reading_of(document));
	if (option_of(fsdp, "offload"))
		settings_put_bool(decoder->settings, FIELD_CPU_OFFLOAD, true, ORIGIN_DERIVED)
			->span = fsdp->span;
	if (!trainer_fsdp_strategy(decoder, root, fsdp_reading_of(document), ACCELERATE_REPLICAS))
		data_parallel_shards(decoder, "the Trainer's FSDP shares what is left");
}

/*
 * From v4.46.2 on the Trainer calls accelerate's no_sync itself, and looks for the key from v5.2.0
 * on (trainer.py, _inner_training_loop; v5.2.0 _run_epoch). axolotl's own pins are of
 * transformers: 02ce520b7 and 145ffc9be.
 */
static const struct {
	const char *framework;
	int since[2], before[2];
} unread[] = {
	{ "transformers", { 4, 46 }, { 5, 2 } },
	{ "axolotl", { 0, 5 }, { 0, 15 } },
};

bool training_arguments_read_each(const struct document *document)
{
	size_t i;

	for (i = 0; document && i < sizeof(unread) / sizeof(unread[0]); i++)
		if (trainer_pinned_from(document, unread[i].framework, unread[i].since[0],
					unread[i].since[1]) &&
		    trainer_pinned_below(document, unread[i].framework, unread[i].before[0],
					 unread[i].before[1]))
			return false;
	return true;
}

void training_arguments_each_batch(const struct document *document, struct decoder *decoder,
				   const struct node *root)
{
	const struct node *key = node_find(root, TRAINER_EACH_BATCH);

	if (!key || !setting_bool(decoder->settings, FIELD_REDUCE_EACH, false) ||
	    training_arguments_read_each(document))
		return;
	setting_forget(decoder->settings, FIELD_REDUCE_EACH);
	if (decoder->findings)
		finding_fix(decoder->findings,
			    finding_add(decoder->findings, &rule_unread_key, key->key_span,
					"nothing reads sync_each_batch: the Trainer of this "
					"version reduces gradients after the last pass of a "
					"step, whatever it says"),
			    "transformers 5.2 reads it");
}

/* Nobody but the arguments asks for FSDP then. */
static bool is_torchrun(const struct launch *launch)
{
	return launch && launch->launcher && !strcmp(launch->launcher, "torchrun");
}

void training_arguments_engine(struct document *document, struct decoder *decoder,
			       const struct node *root)
{
	const struct node *deepspeed = said(root, "deepspeed"), *fsdp = said(root, "fsdp");

	training_arguments_each_batch(document, decoder, root);
	if (deepspeed || fsdp)
		document->sharing_open = NULL;
	if (deepspeed && fsdp)
		trainer_fsdp_beside(decoder, fsdp, deepspeed);
	if (deepspeed) {
		data_parallel_deepspeed(document, decoder, deepspeed);
	} else if (fsdp) {
		put_fsdp(document, decoder, root, fsdp);
	} else if (!data_parallel_started(document, decoder)) {
		if (said(root, "fsdp_config") && !node_member(root, "fsdp") && !document->open_why)
			trainer_fsdp_missing(decoder, node_member(root, "fsdp_config"),
					     is_torchrun(document->launch));
		data_parallel_by_launcher(document, decoder,
					  "the Trainer's DistributedDataParallel");
	}
}

enum field_id training_arguments_field_of(const char *leaf)
{
	return keys_field_of(rows, sizeof(rows) / sizeof(*rows), leaf);
}

void training_arguments_vocabulary(struct vocabulary *vocabulary, const char *prefix)
{
	vocabulary_guarded(vocabulary, prefix, rows, sizeof(rows) / sizeof(*rows));
	vocabulary_choices(vocabulary, prefix, choices, sizeof(choices) / sizeof(*choices));
	if (!training_arguments_read_each(vocabulary->document))
		vocabulary_drop(vocabulary, FIELD_REDUCE_EACH);
}
