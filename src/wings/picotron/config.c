#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/vocabulary.h"

/* picotron's JSON (huggingface/picotron, template/base_config.json), read by train.py. */

static const struct key_row rows[] = {
	{ "distributed.tp_size", FIELD_TP, KEY_VALUE, NULL },
	{ "distributed.cp_size", FIELD_CP, KEY_VALUE, NULL },
	{ "distributed.pp_size", FIELD_PP, KEY_VALUE, NULL },
	{ "distributed.dp_size", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
	{ "distributed.pp_engine", FIELD_PP_SCHEDULE, KEY_VALUE, "1f1b=1F1B|afab=GPipe" },
	{ "distributed.backend", FIELD_BACKEND, KEY_VALUE, NULL },
	{ "training.micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "training.gradient_accumulation_steps", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, NULL },
	{ "training.seq_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "training.total_train_steps", FIELD_STEPS, KEY_VALUE, NULL },
	{ "model.dtype", FIELD_PARAM_DTYPE, KEY_VALUE, NULL },
	{ "model.num_hidden_layers", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "model.num_attention_heads", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "model.num_key_value_heads", FIELD_MODEL_KV_HEADS, KEY_VALUE, NULL },
};

static int picotron_detect(const struct document *document)
{
	const struct node *root = document->root;

	return node_find(root, "distributed.tp_size") &&
			       (node_member(root, "environment") || node_member(root, "training"))
		       ? 85
		       : 0;
}

static void picotron_settle(struct document *document, moment_t when, struct settings *settings,
			    struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const size_t count = sizeof(rows) / sizeof(*rows);

	(void)when;
	keys_put(&decoder, document->root, rows, count);
	keys_optimizer(&decoder, node_member(document->root, "training"));
	keys_default(&decoder, FIELD_DP_SHARD, 1, "picotron keeps parameters whole");
	keys_misspelt(&decoder, document->root, rows, count, "picotron",
		      "reads its own key all the same, and stops with a KeyError without it");
}

static void picotron_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
}

const struct dialect dialect_picotron = {
	.name = "picotron",
	.summary = "picotron's JSON: dp, pp, cp, tp under distributed",
	.signs = "'distributed' with tp_size, and 'environment'",
	.framework = "picotron",
	.as_of = "12e81c32",
	.detect = picotron_detect,
	.vocabulary = picotron_vocabulary,
	.settle = picotron_settle,
};
