#include "base/text.h"
#include "wings/transformers/data_parallel.h"
#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/settings/uncounted.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "wings/megatron/keys.h"
#include "input/node.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/liger.h"
#include "wings/transformers/preference.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * LLaMA-Factory's YAML (hiyouga/LLaMA-Factory@ff6d4d12): flat keys of HfArgumentParser, whose
 * engine is DeepSpeed, FSDP or DDP as with any Trainer; or Megatron's keys (mcore_adapter,
 * Megatron-Bridge); or the schema of its v1, where dist_config lays out the ranks
 * (src/llamafactory/v1/accelerator/interface.py).
 */

static const struct key_row rows[] = {
	{ "cutoff_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "finetuning_type", FIELD_TUNER, KEY_VALUE, NULL },
	{ "packing", FIELD_PACKING, KEY_VALUE, NULL },
	{ "neat_packing", FIELD_PACKING, KEY_VALUE, "true=true|false=" }, /* data_args.py */
	{ "flash_attn", FIELD_KERNELS, KEY_VALUE,
	  "auto=|disabled=eager|sdpa=sdpa|fa2=flash_attention_2|fa3=flash_attention_3|true=|"
	  "false=" },
	{ "disable_gradient_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=none|false=full" },
	/* v0.9.0 on (model/model_utils/liger_kernel.py) */
	{ "enable_liger_kernel", FIELD_LOSS_KIND, KEY_VALUE, "true=fused|false=" },
	/* model/model_utils/checkpointing.py, UnslothGradientCheckpointing */
	{ "use_unsloth_gc", FIELD_AC_OFFLOAD, KEY_VALUE, NULL },
	{ "ray_num_workers", FIELD_LAUNCH_PROCESSES, KEY_POSITIVE, NULL },
	{ "fp8", FIELD_FLOAT8_ENABLED, KEY_VALUE, NULL },
	{ "fp8_enable_fsdp_float8_all_gather", FIELD_FLOAT8_FSDP_ALL_GATHER, KEY_VALUE, NULL },
};

/* hparams/finetuning_args.py, model_args.py, extras/constants.py; optim and lr_scheduler_type are
 * the Trainer's. */
static const struct key_choice choices[] = {
	{ "stage", "pt|sft|rm|ppo|dpo|kto", CHOICE_CLOSED },
	{ "finetuning_type", "lora|oft|freeze|full", CHOICE_CLOSED },
	{ "pref_loss", "sigmoid|hinge|ipo|kto_pair|orpo|simpo", CHOICE_CLOSED },
	{ "reward_model_type", "lora|full|api|oft", CHOICE_CLOSED },
	{ "flash_attn", "auto|disabled|sdpa|fa2|fa3|true|false",
	  CHOICE_OPEN }, /* false: up to 0.6 */
	{ "quantization_method", "bnb|bitsandbytes|gptq|awq|aqlm|quanto|eetq|hqq|mxfp4|fp8",
	  CHOICE_OPEN },
	{ "rope_scaling", "linear|dynamic|yarn|llama3", CHOICE_OPEN },
	{ "mix_strategy", "concat|interleave_under|interleave_over|interleave_once", CHOICE_OPEN },
};

/* v1: micro_batch_size is one rank's, global_batch_size all ranks'. */
static const struct key_row v1_rows[] = {
	{ "micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "global_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "enable_activation_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
	{ "peft_config.name", FIELD_TUNER, KEY_VALUE, NULL },
	{ "cp_size", FIELD_CP, KEY_VALUE, NULL },
	{ "cp_mode", FIELD_CP_METHOD, KEY_VALUE, NULL },
	{ "dist_config.cp_size", FIELD_CP, KEY_VALUE, NULL },
	{ "dist_config.cp_mode", FIELD_CP_METHOD, KEY_VALUE, NULL },
	{ "dist_config.ep_size", FIELD_EP, KEY_VALUE, NULL },
	{ "dist_config.mp_replicate_size", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
	{ "dist_config.offload_params", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	{ "dist_config.reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE,
	  "true=always|false=never" },
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* hiyouga/LLaMA-Factory@ff6d4d12 src/llamafactory/hparams/{finetuning,model}_args.py. */
static const struct uncounted_row uncounted[] = {
	{ "use_galore", "the optimizer keeps projections of gradients" },
	{ "use_apollo", "the optimizer keeps projections of gradients" },
	{ "use_badam", "blocks take turns in being trained" },
	{ "shift_attn", "attention is within groups of tokens" },
	{ "mixture_of_depths", "tokens leave out blocks" },
};

/* Whose class of arguments has a key. */
enum {
	COMMON = 1,
	PLAIN = 2,
	ADAPTER = 4,
	BRIDGE = 8,
	V1 = 16,
	V0 = COMMON | PLAIN | ADAPTER | BRIDGE
};

static const struct {
	const char *name;
	int whose;
} keys[] = {
#define KEY(name, whose) { name, whose },
#include "wings/llama_factory/keys.def"
#undef KEY
};

enum { KEYS = sizeof(keys) / sizeof(*keys) };

static const struct refusal refusal = {
	"LLaMA-Factory", "ValueError: Some keys are not used by the HfArgumentParser: ['", "']",
	NULL
};

/* The keys of any of these classes into names[KEYS]; how many. */
static size_t names_of(int whose, const char **names)
{
	size_t i, count = 0;

	for (i = 0; i < KEYS; i++)
		if (keys[i].whose & whose)
			names[count++] = keys[i].name;
	return count;
}

static int llama_factory_detect(const struct document *document)
{
	static const char *const strong[] = { "finetuning_type", "cutoff_len", "dist_config" };
	static const char *const models[] = { "model_name_or_path", "model" };
	const struct node *root = document->root;
	size_t i, k;

	for (k = 0; k < sizeof(models) / sizeof(models[0]); k++)
		for (i = 0; i < sizeof(strong) / sizeof(strong[0]); i++)
			if (node_member(root, models[k]) && node_member(root, strong[i]))
				return 72;
	return node_member(root, "model_name_or_path") && node_member(root, "template") ? 64 : 0;
}

static bool has_megatron(const struct node *root)
{
	const struct node *child;

	for (child = root->first; child; child = child->next)
		if (child->key && megatron_is_degree(child->key))
			return true;
	return false;
}

/* Whether v1 reads the file: it names the model, and how to spread it, by keys of its own. */
static bool is_v1(const struct node *root)
{
	return node_member(root, "dist_config") ||
	       (node_member(root, "model") && !node_member(root, "model_name_or_path"));
}

/* Whether Megatron-Bridge is asked for by name, or by a key that its arguments alone have: which of
 * the two reads a file the environment says (hparams/parser.py, USE_MEGATRON_BRIDGE). */
static bool asks_bridge(const struct node *root)
{
	const struct node *child;
	size_t i;

	for (child = root->first; child; child = child->next)
		for (i = 0; child->key && i < KEYS; i++)
			if (keys[i].whose == BRIDGE && !strcmp(keys[i].name, child->key))
				return true;
	return keys_true(root, "use_megatron_bridge");
}

/* The classes that read a file: with a degree of Megatron's one of two that have it. */
static int readers_of(const struct node *root)
{
	if (is_v1(root))
		return V1;
	if (!has_megatron(root))
		return COMMON | PLAIN;
	return asks_bridge(root) ? COMMON | PLAIN | BRIDGE : COMMON | ADAPTER;
}

/*
 * argparse takes the start of a flag for it; HfArgumentParser takes '-' for '_', and "no_" before
 * one that is true.
 */
static bool is_flag(struct arena *arena, const char *flag, const char *const *names, size_t count)
{
	char *key = arena_strdup(arena, flag), *c;
	size_t i;

	for (c = key; *c; c++)
		if (*c == '-')
			*c = '_';
	for (i = 0; i < count; i++)
		if (text_starts(names[i], key) ||
		    (text_starts(key, "no_") && !strcmp(names[i], key + strlen("no_"))))
			return true;
	return false;
}

static bool has_file(const struct node *root)
{
	const struct node *child = root->first;

	while (child && child->origin != NODE_FROM_FILE)
		child = child->next;
	return child != NULL;
}

/* Flags in place of a file (hparams/parser.py, _parse_args). */
static void refuse_flags(struct decoder *decoder, const struct document *document)
{
	static const struct refusal refused = {
		"LLaMA-Factory",
		"ValueError: Some specified arguments are not used by the HfArgumentParser: ['--",
		"'", NULL
	};
	struct arena *arena = decoder->arena;
	struct node *flags = node_container(arena, NODE_MAP, document->root->span), *copy;
	const struct node *child;
	const char *names[KEYS];
	const size_t count = names_of(V0 | V1, names);

	for (child = document->root->first; child; child = child->next) {
		if (child->origin != NODE_FROM_FLAG || is_flag(arena, child->key, names, count))
			continue;
		copy = arena_alloc(arena, sizeof(*copy));
		*copy = *child;
		copy->next = NULL;
		node_put(arena, flags, child->key, copy);
	}
	keys_refused(decoder, flags, names, count, &refused);
}

/* Keys that no reader takes; without a degree, what starts it may still ask for Megatron. */
static void refuse_unknown(struct decoder *decoder, const struct document *document)
{
	const int readers = readers_of(document->root);
	const char *names[KEYS];
	const size_t count = names_of(readers & PLAIN ? V0 : readers, names);

	if (document->shell && !has_file(document->root))
		refuse_flags(decoder, document);
	else
		keys_refused(decoder, document->root, names, count, &refusal);
}

/* mp_shard_size counts the ranks of context parallelism, too; without it all of the world. */
static void settle_v1(struct document *document, struct decoder *decoder, const struct node *root)
{
	const struct node *file = node_find(root, "dist_config.config_file");
	int64_t shard = keys_int(root, "dist_config.mp_shard_size", 0), cp;

	keys_unquote(decoder->arena, root, ROWS(v1_rows));
	keys_put(decoder, root, ROWS(v1_rows));
	if (!*setting_text(decoder->settings, FIELD_CP_METHOD, ""))
		settings_put_text(decoder->settings, FIELD_CP_METHOD, "ulysses", ORIGIN_DEFAULT)
			->note = "LLaMA-Factory's default"; /* v1/config/training_args.py */
	if (!strcmp(keys_text(root, "dist_config.name", ""), "deepspeed") && file &&
	    file->kind == NODE_SCALAR) {
		data_parallel_deepspeed(document, decoder, file);
		return;
	}
	settings_put_text(decoder->settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT);
	settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "2", ORIGIN_DEFAULT)->note =
		"dist_config: fully_shard";
	cp = setting_int(decoder->settings, FIELD_CP, 1);
	if (shard > 0 && cp > 0 && shard % cp == 0) {
		field_put(decoder, FIELD_DP_SHARD, node_find(root, "dist_config.mp_shard_size"));
		if (cp > 1)
			keys_derive(decoder, FIELD_DP_SHARD, shard / cp,
				    settings_of(decoder->settings, FIELD_DP_SHARD),
				    "mp_shard_size without the ranks of cp");
	}
	if (shard > 0 && !document->overrides->world)
		keys_derive(decoder, FIELD_WORLD,
			    shard * setting_int(decoder->settings, FIELD_DP_REPLICATE, 1),
			    settings_of(decoder->settings, FIELD_DP_SHARD),
			    "mp_replicate_size * mp_shard_size");
	data_parallel_shards(decoder, "LLaMA-Factory's v1 shares over all ranks");
}

/* Ray starts ray_num_workers ranks, all of them data parallel. */
static void settle_ray(struct document *document, struct decoder *decoder)
{
	static const enum field_id fields[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD };
	const struct setting *workers = settings_of(decoder->settings, FIELD_LAUNCH_PROCESSES);
	const struct setting *degree;
	size_t i;

	if (!setting_given(workers) || !setting_known(workers) || document->overrides->world)
		return;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		degree = settings_of(decoder->settings, fields[i]);
		if (setting_known(degree) && degree->integer == -1)
			keys_derive(decoder, fields[i], workers->integer, workers,
				    "the ranks that Ray starts");
	}
}

/*
 * Recomputation is on unless disable_gradient_checkpointing takes it away (model_utils/
 * checkpointing.py, prepare_model_for_training); the Trainer's own key can but turn it on again.
 */
static void settle_arguments(struct decoder *decoder, const struct node *root)
{
	struct setting *mode = settings_of(decoder->settings, FIELD_AC_MODE), asked;
	const struct setting *length = settings_of(decoder->settings, FIELD_SEQ_LEN);
	const bool asks = keys_true(root, "gradient_checkpointing");

	training_arguments_put(decoder, root);
	asked = *mode;
	setting_forget(decoder->settings, FIELD_AC_MODE);
	keys_unquote(decoder->arena, root, ROWS(rows));
	keys_put(decoder, root, ROWS(rows));
	if (asks)
		*mode = asked;
	/* data/processor/pretrain.py cuts all texts, end to end, into blocks */
	if (!strcmp(keys_text(root, "stage", ""), "pt") && setting_known(length))
		keys_default(decoder, FIELD_PAD_TO_MULTIPLE, length->integer,
			     "blocks of the stage pt");
	uncounted_put(decoder, root, NULL, ROWS(uncounted));
}

/* Of its stages pt and sft alone do without logits (train/sft/workflow.py, model/patcher.py). */
static void settle_liger(struct decoder *decoder, const struct node *root)
{
	const bool labels = words_have("pt|sft", keys_text(root, "stage", "sft"));

	liger_settle(decoder, root, "use_liger_kernel", LIGER_FUSED);
	liger_settle(decoder, root, "enable_liger_kernel", labels ? LIGER_FUSED : LIGER_LAYERS);
}

/*
 * `stage`; its DPO has losses that hold answers against none (hparams/finetuning_args.py,
 * use_ref_model; train/dpo and train/kto). The reference is loaded in the type that is computed
 * with (model/patcher.py), and FSDP2 cuts it as the trained one (fsdp2_prepare_model). Logits are
 * made fp32 and taken all at once; a model of rewards makes them, too, for nobody (train/rm). What
 * Megatron's trainers do is not read.
 */
static void settle_objective(struct decoder *decoder, const struct node *root)
{
	const struct node *stage = node_member(root, "stage");
	const char *loss = keys_text(root, "pref_loss", "sigmoid");
	const char *model = keys_text(root, "model_name_or_path", "");
	struct preference preference = { .objective = keys_text(root, "stage", "sft"),
					 .asked = stage,
					 .whole = true };

	if (words_have("pt|sft", preference.objective))
		return;
	if (!strcmp(preference.objective, "dpo") && words_have("orpo|simpo|ipo", loss))
		preference.objective = loss;
	if (setting_known(settings_of(decoder->settings, FIELD_PARAM_DTYPE)))
		preference.loaded = setting_text(decoder->settings, FIELD_PARAM_DTYPE, NULL);
	if (strcmp(keys_text(root, "ref_model", model), model) != 0 ||
	    node_member(root, "ref_model_quantization_bit"))
		preference.other = true;
	preference_put(decoder, &preference);
}

/* peft@00336949 takes a rank from 1 on (tuners/lora/layer.py, update_layer). */
static void judge_rank(struct decoder *decoder, const struct node *root)
{
	static const struct key_kind rank = { "lora_rank", KIND_NUMBER, "1..",
					      "peft raises a ValueError" };

	if (!strcmp(keys_text(root, "finetuning_type", "lora"), "lora"))
		keys_kinds(decoder, root, &rank, 1);
}

/* do_train: whatever Python takes for true, and what nobody at hand knows. */
static bool may_train(const struct node *root)
{
	const struct node *said = node_member(root, "do_train");

	return said && (said->unresolved || !keys_ask_nothing(said));
}

/*
 * What `llamafactory-cli export`, `chat` and `api` read, or `train` where it only predicts: no
 * do_train, which a training must say (hparams/parser.py hands it to the Trainer, false unless
 * given; train/sft/workflow.py).
 */
static void llama_factory_compose(struct document *document, struct findings *findings)
{
	const struct node *root = document->root;

	(void)findings;
	if (is_v1(root) || may_train(root))
		return;
	if (node_member(root, "export_dir"))
		document->no_job = "a config of LLaMA-Factory with export_dir and without "
				   "do_train only exports";
	else if (node_member(root, "infer_backend"))
		document->no_job = "a config of LLaMA-Factory with infer_backend and without "
				   "do_train only answers";
	else if (keys_true(root, "do_predict") || keys_true(root, "do_eval"))
		document->no_job = "a config of LLaMA-Factory that predicts or evaluates without "
				   "do_train trains nothing";
}

static void llama_factory_settle(struct document *document, moment_t when,
				 struct settings *settings, struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	(void)when;
	settle_arguments(&decoder, root);
	hf_model_put(&decoder, document,
		     node_member(root, is_v1(root) ? "model" : "model_name_or_path"));
	settle_liger(&decoder, root);
	refuse_unknown(&decoder, document);
	if (!is_v1(root)) {
		keys_choose(&decoder, root, ROWS(choices));
		judge_rank(&decoder, root);
	}
	if (node_member(root, "model_name_or_path") && !node_member(root, "finetuning_type"))
		settings_put_text(settings, FIELD_TUNER, "lora", ORIGIN_DEFAULT)->note =
			"LLaMA-Factory's default";
	if (!has_megatron(root) && !setting_known(settings_of(settings, FIELD_AC_MODE)))
		settings_put_text(settings, FIELD_AC_MODE, "full", ORIGIN_DEFAULT)->note =
			"LLaMA-Factory's default";
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (is_v1(root)) {
		settle_v1(document, &decoder, root);
	} else if (has_megatron(root)) {
		megatron_settle(&decoder, root, &megatron_itself);
		settings_put_text(settings, FIELD_ENGINE, "megatron", ORIGIN_DEFAULT);
	} else {
		training_arguments_engine(document, &decoder, root);
		settle_ray(document, &decoder);
	}
	settle_objective(&decoder, root);
}

static void llama_factory_vocabulary(struct vocabulary *vocabulary)
{
	const int readers = vocabulary->document ? readers_of(vocabulary->document->root) : V0 | V1;
	const char *names[KEYS];

	vocabulary->converts = true;
	if (readers & COMMON) {
		vocabulary_rows(vocabulary, "", ROWS(rows));
		training_arguments_vocabulary(vocabulary, "");
		vocabulary_choices(vocabulary, "", ROWS(choices));
	}
	if (readers & V1)
		vocabulary_rows(vocabulary, "", ROWS(v1_rows));
	megatron_vocabulary_among(vocabulary, "", names,
				  names_of(readers & (ADAPTER | BRIDGE), names));
	vocabulary_refused(vocabulary, "", names, names_of(readers, names), &refusal);
}

const struct dialect dialect_llama_factory = {
	.name = "llama-factory",
	.summary = "LLaMA-Factory's YAML: a Trainer's engine, Megatron's keys, or v1's dist_config",
	.signs = "'finetuning_type', 'cutoff_len', 'template' or 'dist_config'",
	.framework = "llama-factory",
	.as_of = "ff6d4d12",
	.command = COMMAND_WORDS,
	.detect = llama_factory_detect,
	.compose = llama_factory_compose,
	.vocabulary = llama_factory_vocabulary,
	.settle = llama_factory_settle,
};
