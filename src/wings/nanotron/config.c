#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/vocabulary.h"
#include "wings/nanotron/keys.h"

/*
 * nanotron's YAML (huggingface/nanotron@2411b022 src/nanotron/config): dataclasses that dacite
 * fills, strictly; dp, pp and tp have no defaults.
 */

static const struct key_row rows[] = {
	{ "parallelism.dp", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
	{ "parallelism.pp", FIELD_PP, KEY_VALUE, NULL },
	{ "parallelism.tp", FIELD_TP, KEY_VALUE, NULL },
	{ "parallelism.context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
	{ "parallelism.expert_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "parallelism.expert_tensor_parallel_size", FIELD_ETP, KEY_VALUE, NULL },
	{ "parallelism.pp_engine", FIELD_PP_SCHEDULE, KEY_VALUE, "1f1b=1F1B|afab=GPipe" },
	{ "parallelism.tp_mode", FIELD_SEQUENCE_PARALLEL, KEY_VALUE,
	  "REDUCE_SCATTER=true|ALL_REDUCE=false" },
	{ "parallelism.recompute_layer", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
	{ "optimizer.optimizer_factory.name", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "optimizer.zero_stage", FIELD_ZERO_STAGE, KEY_VALUE, NULL },
	{ "tokens.micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "tokens.batch_accumulation_per_replica", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, NULL },
	{ "tokens.sequence_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "tokens.train_steps", FIELD_STEPS, KEY_VALUE, NULL },
	{ "model.dtype", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "float=float32|half=float16|double=|float64=|float8=|fp8=" },
	{ "model.model_config.num_hidden_layers", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "model.model_config.hidden_size", FIELD_MODEL_HIDDEN, KEY_VALUE, NULL },
	{ "model.model_config.num_attention_heads", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "model.model_config.num_key_value_heads", FIELD_MODEL_KV_HEADS, KEY_VALUE, NULL },
	{ "model.model_config.intermediate_size", FIELD_MODEL_FFN, KEY_VALUE, NULL },
	{ "model.model_config.vocab_size", FIELD_MODEL_VOCAB, KEY_POSITIVE, NULL },
	{ "model.model_config._attn_implementation", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "model.model_config.tie_word_embeddings", FIELD_MODEL_TIED_EMBEDDINGS, KEY_VALUE, NULL },
	{ "checkpoints.resume_checkpoint_path", FIELD_CHECKPOINT_INITIAL_LOAD_PATH, KEY_VALUE,
	  NULL },
};

/* huggingface/nanotron@2411b022 src/nanotron/config, parallel/tensor_parallel/functional.py,
 * models/qwen.py, helpers.py; the first two with tp alone, the
 * first where norms are cut, too. */
static const struct uncounted_row uncounted[] = {
	{ "parallelism.tp_recompute_allgather=false", "inputs that tp gathers are kept" },
	{ "parallelism.tp_linear_async_communication", "collectives of tp overlap with products" },
	{ "optimizer.accumulate_grad_in_fp32", "gradients are added up in fp32 beside their own" },
	{ "model.model_config.sliding_window_size", "attention sees a window of tokens" },
};

static int nanotron_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (node_find(root, "parallelism.dp") || node_find(root, "parallelism.tp_mode"))
		return node_member(root, "tokens") || node_member(root, "general") ? 90 : 0;
	return node_member(root, "parallelism") && node_member(root, "tokens") ? 85 : 0;
}

static void nanotron_settle(struct document *document, moment_t when, struct settings *settings,
			    struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const char *mode = keys_text(document->root, "parallelism.tp_mode", "");
	const size_t alone = keys_int(document->root, "parallelism.tp", 1) < 2	 ? 2
			     : words_have("REDUCE_SCATTER|reduce_scatter", mode) ? 0
										 : 1;

	(void)when;
	keys_put(&decoder, document->root, rows, sizeof(rows) / sizeof(*rows));
	keys_optimizer(&decoder, node_member(document->root, "optimizer"));
	keys_optimizer(&decoder, node_find(document->root, "optimizer.optimizer_factory"));
	keys_optimizer(&decoder, node_find(document->root, "optimizer.learning_rate_scheduler"));
	if (keys_true(document->root, "model.model_config.is_llama_config"))
		setting_forget(settings, FIELD_KERNELS); /* models/llama.py does not look at it */
	uncounted_put(&decoder, document->root, NULL, uncounted + alone,
		      sizeof(uncounted) / sizeof(uncounted[0]) - alone);
	keys_default(&decoder, FIELD_DP_SHARD, 1, "nanotron keeps parameters whole");
	settings_put_text(settings, FIELD_ENGINE, "nanotron", ORIGIN_DEFAULT);
	nanotron_refuse(&decoder, document->root);
}

static enum field_id nanotron_field_of(const char *leaf)
{
	return keys_field_of(rows, sizeof(rows) / sizeof(*rows), leaf);
}

static void nanotron_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary_rows(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	nanotron_offer(vocabulary);
}

const struct dialect dialect_nanotron = {
	.name = "nanotron",
	.summary = "nanotron's YAML: dp, pp, tp under parallelism",
	.signs = "'parallelism' and 'tokens'",
	.framework = "nanotron",
	.as_of = "2411b022",
	.detect = nanotron_detect,
	.field_of = nanotron_field_of,
	.vocabulary = nanotron_vocabulary,
	.settle = nanotron_settle,
};
