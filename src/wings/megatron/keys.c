#include "wings/megatron/keys.h"

#include "base/text.h"
#include "input/axis.h"
#include "input/keys.h"
#include "input/settings/padded_vocab.h"
#include "input/settings/rope_base.h"
#include "input/vocabulary.h"

#include <string.h>

/* A later row wins. */
static const struct key_row rows[] = {
#include "wings/megatron/arguments.def"
};

/* Names from c1e0689d92 to cfd2e21607, 2021-08-19 to 2022-04-28. */
static const struct key_row old_rows[] = {
	{ "activations_checkpoint_method", FIELD_AC_METHOD, KEY_VALUE, NULL },
	{ "activations_checkpoint_method", FIELD_AC_MODE, KEY_VALUE, "uniform=full|block=full" },
	{ "activations_checkpoint_num_layers", FIELD_AC_LAYERS, KEY_VALUE, NULL },
};

/* Megatron-DeepSpeed's own, which win (megatron/model/gpt_model.py:446 at 4efb479d). */
static const struct key_row deepspeed_rows[] = {
	{ "checkpoint_activations", FIELD_AC_MODE, KEY_VALUE, "true=full|false=" },
	{ "checkpoint_num_layers", FIELD_AC_LAYERS, KEY_VALUE, NULL },
};

/* The model, where it is a decoder alone. */
static const struct key_row model_rows[] = {
	{ "num_layers", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "hidden_size", FIELD_MODEL_HIDDEN, KEY_VALUE, NULL },
	{ "num_attention_heads", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "kv_channels", FIELD_MODEL_HEAD_DIM, KEY_VALUE, NULL },
	{ "ffn_hidden_size", FIELD_MODEL_FFN, KEY_VALUE, NULL },
	{ "swiglu", FIELD_MODEL_GATED_MLP, KEY_VALUE, NULL },
	{ "untie_embeddings_and_output_weights", FIELD_MODEL_TIED_EMBEDDINGS, KEY_NOT, NULL },
	{ "mtp_num_layers", FIELD_MODEL_MTP, KEY_VALUE, NULL },
	{ "moe_ffn_hidden_size", FIELD_MODEL_MOE_EXPERT_FFN, KEY_VALUE, NULL },
	{ "moe_router_topk", FIELD_MODEL_MOE_TOPK, KEY_VALUE, NULL },
	{ "moe_shared_expert_intermediate_size", FIELD_MODEL_MOE_SHARED_FFN, KEY_VALUE, NULL },
	{ "num_experts", FIELD_MODEL_MOE_EXPERTS, KEY_VALUE, NULL },
	{ "num_moe_experts", FIELD_MODEL_MOE_EXPERTS, KEY_VALUE, NULL },
	{ "hidden_dropout", FIELD_MODEL_HIDDEN_DROPOUT, KEY_VALUE, NULL },
	{ "attention_dropout", FIELD_MODEL_ATTENTION_DROPOUT, KEY_VALUE, NULL },
};

static const struct key_row latent_rows[] = {
	{ "q_lora_rank", FIELD_MODEL_MLA_Q_LORA, KEY_VALUE, NULL },
	{ "kv_lora_rank", FIELD_MODEL_MLA_KV_LORA, KEY_VALUE, NULL },
	{ "qk_head_dim", FIELD_MODEL_MLA_QK_NOPE, KEY_VALUE, NULL },
	{ "qk_pos_emb_head_dim", FIELD_MODEL_MLA_QK_ROPE, KEY_VALUE, NULL },
	{ "v_head_dim", FIELD_MODEL_MLA_V_DIM, KEY_VALUE, NULL },
};

const struct megatron_habits megatron_itself = { .whose = "Megatron-LM", .positions = true };

/* ---- arguments by name ---- */

bool megatron_names(const char *key, const char *name)
{
	key += strspn(key, "-");
	while (*key && (*key == *name || (*key == '-' && *name == '_')))
		key++, name++;
	return !*key && !*name;
}

const struct node *megatron_argument(const struct node *map, const char *name)
{
	const struct node *child, *last = NULL;

	for (child = map ? map->first : NULL; child; child = child->next)
		if (child->key && megatron_names(child->key, name))
			last = child;
	return last;
}

bool megatron_is_degree(const char *key)
{
	static const char *const degrees[] = {
		"tensor_model_parallel_size", "pipeline_model_parallel_size",
		"context_parallel_size", "expert_model_parallel_size", "expert_tensor_parallel_size"
	};
	size_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
		if (megatron_names(key, degrees[i]))
			return true;
	return false;
}

static bool is_true(const struct node *map, const char *name)
{
	const struct node *node = megatron_argument(map, name);

	return node && node->kind == NODE_SCALAR && node->type == SCALAR_BOOL && node->boolean;
}

bool megatron_is_on(const struct node *map, const char *name)
{
	return is_true(map, name) && !megatron_argument(map, name)->unresolved;
}

static bool is_false(const struct node *map, const char *name)
{
	const struct node *node = megatron_argument(map, name);

	return node && node->kind == NODE_SCALAR && node->type == SCALAR_BOOL && !node->boolean;
}

/* The word given for an argument, or `otherwise`. */
static const char *word_of(const struct node *map, const char *name, const char *otherwise)
{
	const struct node *node = megatron_argument(map, name);

	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL ? node->text
									      : otherwise;
}

/* A number given for an argument, or `otherwise`. */
static int64_t number_of(const struct node *map, const char *name, int64_t otherwise)
{
	const struct node *node = megatron_argument(map, name);

	return node && field_fits(FIELD_INT, node) ? node->integer : otherwise;
}

static void put_rows(struct decoder *decoder, const struct node *map, const struct key_row *table,
		     size_t count)
{
	const struct node *node;
	size_t i;

	for (i = 0; i < count; i++) {
		node = table[i].sense == KEY_KNOWN ? NULL : megatron_argument(map, table[i].path);
		if (!node || node->kind == NODE_MAP)
			continue;
		if (node->kind == NODE_LIST && field_of(table[i].field)->type == FIELD_TEXT)
			node = node->first;
		if (node)
			keys_put_node(decoder, &table[i], node);
	}
}

/* ---- what follows ---- */

void megatron_put_number(struct decoder *decoder, enum field_id id, int64_t value,
			 const struct node *node, const char *note)
{
	struct setting *setting = keys_derive(decoder, id, value, NULL, note);

	setting->span = node->span;
	setting->key_span = node->key_span;
	setting->spelling = node_path(decoder->arena, node);
}

/* Without a word of its own etp is tp, or what the framework says. */
static void settle_etp(struct decoder *decoder, const struct megatron_habits *habits)
{
	struct setting *tp = settings_of(decoder->settings, FIELD_TP);
	struct setting *etp = settings_of(decoder->settings, FIELD_ETP);

	if (setting_given(etp))
		return;
	if (habits->etp)
		keys_default(decoder, FIELD_ETP, habits->etp, habits->whose);
	else if (tp->unresolved)
		etp->unresolved = tp->unresolved, etp->invalid = true;
	else if (setting_known(tp))
		keys_derive(decoder, FIELD_ETP, tp->integer, tp, "etp is tp unless it is given");
}

/* ZeRO's stage of a sharding strategy of Megatron-FSDP. */
static int64_t stage_of(const char *strategy)
{
	static const char *const stages[] = { "no_shard", "optim", "optim_grads",
					      "optim_grads_params" };
	int64_t stage;

	for (stage = 3; stage > 0; stage--)
		if (!strcmp(stages[stage], strategy))
			break;
	return stage;
}

/* Data parallel is what the other axes leave of the world. */
static void infer_dp(struct decoder *decoder, bool sharded, const char *note)
{
	keys_default(decoder, FIELD_DP_SHARD, sharded ? -1 : 1, note);
	keys_default(decoder, FIELD_DP_REPLICATE, sharded ? 1 : -1, note);
}

static void settle_fsdp(struct decoder *decoder, const struct node *map, const struct node *use)
{
	const struct node *given = megatron_argument(map, "data_parallel_sharding_strategy");
	const char *strategy = word_of(map, "data_parallel_sharding_strategy", "no_shard");
	const struct node *instances =
		megatron_argument(map, "num_distributed_optimizer_instances");
	const int64_t stage = stage_of(strategy);
	struct setting *mode =
		settings_put_text(decoder->settings, FIELD_SHARDING_MODE, strategy, ORIGIN_DEFAULT);

	mode->note = "Megatron-FSDP";
	if (given)
		field_put(decoder, FIELD_SHARDING_MODE, given);
	megatron_put_number(decoder, FIELD_ZERO_STAGE, stage, given ? given : use, "Megatron-FSDP");
	infer_dp(decoder, stage == 3,
		 stage == 3 ? "Megatron-FSDP shards over what tp, cp and pp leave of the world"
			    : "what tp, cp and pp leave of the world");
	if (stage == 3 && instances && field_fits(FIELD_INT, instances) && instances->integer > 1)
		megatron_put_number(decoder, FIELD_DP_REPLICATE, instances->integer, instances,
				    "instances of the optimizer");
}

static void settle_dp(struct decoder *decoder, const struct node *map)
{
	const struct node *use = megatron_argument(map, "use_megatron_fsdp");

	if (!use)
		use = megatron_argument(map, "use_custom_fsdp");
	if (is_true(map, "use_torch_fsdp2")) {
		settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "2", ORIGIN_DEFAULT)
			->note = "--use-torch-fsdp2";
		infer_dp(decoder, true, "fully_shard over what tp and cp leave of the world");
	} else if (use && !is_false(map, use->key)) {
		settle_fsdp(decoder, map, use);
	} else {
		infer_dp(decoder, false, "what tp, cp and pp leave of the world");
	}
}

/* A switch by which embedding or output count as a layer. */
static void settle_counted(struct decoder *decoder, const struct node *map, const char *name,
			   enum field_id id)
{
	if (is_true(map, name))
		megatron_put_number(decoder, id, 1, megatron_argument(map, name),
				    "counts as a layer");
}

/* Ends of the model that count as layers. */
static void settle_pipeline(struct decoder *decoder, const struct node *map)
{
	settle_counted(decoder, map, "account_for_embedding_in_pipeline_split",
		       FIELD_PP_FIRST_STAGE_LESS);
	settle_counted(decoder, map, "account_for_loss_in_pipeline_split",
		       FIELD_PP_LAST_STAGE_LESS);
}

/* training/arguments.py@d98e8a64: a number of layers is as good as cpu_offloading. */
static void settle_offloading(struct decoder *decoder, const struct node *map)
{
	const struct node *layers = megatron_argument(map, "cpu_offloading_num_layers");

	if (layers && field_fits(FIELD_INT, layers) && layers->integer > 0)
		settings_put_bool(decoder->settings, FIELD_AC_OFFLOAD, true, ORIGIN_DERIVED)->span =
			layers->span;
}

/*
 * A precision-aware optimizer keeps of each bf16 parameter the 16 bits that it lacks to fp32
 * (store_param_remainders of core/optimizer/optimizer_config.py: on since 2025-02, f2ece182).
 */
static void settle_optimizer(struct decoder *decoder, const struct node *map)
{
	static const char aware[] = "use_precision_aware_optimizer";
	const struct node *share = megatron_argument(map, "optimizer_offload_fraction");
	const char *stored = setting_text(decoder->settings, FIELD_PARAM_DTYPE, "");
	struct setting *master;

	if (share && is_true(map, "optimizer_cpu_offload"))
		field_put(decoder, FIELD_OPTIMIZER_OFFLOAD, share);
	if (!is_true(map, aware) || is_false(map, "store_param_remainders") ||
	    strcmp(stored, "bfloat16") != 0 ||
	    !strcmp(word_of(map, "main_params_dtype", ""), "fp16"))
		return;
	master = settings_put_text(decoder->settings, FIELD_OPTIMIZER_MASTER_DTYPE, "remainder",
				   ORIGIN_DERIVED);
	master->span = megatron_argument(map, aware)->span;
	master->note = "a precision-aware optimizer";
}

/* mxfp8 is a recipe of fp8. */
static void settle_recipe(struct decoder *decoder, const struct node *map)
{
	struct setting *matmul = settings_of(decoder->settings, FIELD_MATMUL_DTYPE);
	const struct node *recipe = megatron_argument(map, "fp8_recipe");

	if (recipe && setting_known(matmul) && !strcmp(word_of(map, "fp8_recipe", ""), "mxfp8"))
		field_put(decoder, FIELD_MATMUL_DTYPE, recipe);
}

/* ---- the model ---- */

/* Other networks than a stack of equal decoder blocks have no parameter table here. */
static bool is_decoder(const struct node *map)
{
	static const char *const others[] = { "is_hybrid_model",
					      "hybrid_layer_pattern",
					      "hybrid_override_pattern",
					      "encoder_num_layers",
					      "decoder_num_layers",
					      "retro_add_retriever",
					      "heterogeneous_layers_config_path",
					      "moe_latent_size",
					      "experimental_attention_variant" };
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (megatron_argument(map, others[i]))
			return false;
	return true;
}

/* int((4 * hidden * 2 / 3) / 64) * 64 with a gate, else 4 * hidden. */
static void settle_ffn(struct decoder *decoder, const struct node *map)
{
	struct setting *hidden = settings_of(decoder->settings, FIELD_MODEL_HIDDEN);
	const struct setting *ffn = settings_of(decoder->settings, FIELD_MODEL_FFN);
	const bool gated =
		is_true(map, "swiglu") || !strcmp(word_of(map, "activation_func", ""), "swiglu");

	if (ffn->origin == ORIGIN_UNSET && setting_known(hidden) && hidden->integer > 0 &&
	    hidden->integer < 1 << 24)
		keys_derive(decoder, FIELD_MODEL_FFN,
			    gated ? hidden->integer * 8 / 3 / 64 * 64 : 4 * hidden->integer, hidden,
			    "Megatron-LM's feed-forward size");
	if (setting_known(hidden) &&
	    !setting_known(settings_of(decoder->settings, FIELD_MODEL_GATED_MLP)))
		settings_put_bool(decoder->settings, FIELD_MODEL_GATED_MLP, gated, ORIGIN_DEFAULT)
			->note = gated ? "swiglu" : "no swiglu";
}

/* Leading dense layers of a pattern "([0]*3+[1]*58)", or -1. */
static int64_t dense_layers(const char *pattern)
{
	const char *at = pattern + strspn(pattern, "( ");
	int64_t zeros;

	if (!text_starts(at, "[0]*"))
		return -1;
	at += strlen("[0]*");
	if (!text_digits(&at, 4, &zeros) || !text_starts(at, "+[1]*"))
		return -1;
	at += strlen("+[1]*");
	at += strspn(at, "0123456789");
	return at[strspn(at, ") ")] ? -1 : zeros;
}

static void settle_experts(struct decoder *decoder, const struct node *map)
{
	const struct node *frequency = megatron_argument(map, "moe_layer_freq");
	const struct setting *experts = settings_of(decoder->settings, FIELD_MODEL_MOE_EXPERTS);
	struct setting *ffn = settings_of(decoder->settings, FIELD_MODEL_FFN);
	int64_t dense;

	if (!setting_known(experts) || experts->integer < 1)
		return;
	if (settings_of(decoder->settings, FIELD_MODEL_MOE_TOPK)->origin == ORIGIN_UNSET)
		keys_default(decoder, FIELD_MODEL_MOE_TOPK, 2, "Megatron-LM");
	if (settings_of(decoder->settings, FIELD_MODEL_MOE_EXPERT_FFN)->origin == ORIGIN_UNSET &&
	    setting_known(ffn))
		keys_derive(decoder, FIELD_MODEL_MOE_EXPERT_FFN, ffn->integer, ffn,
			    "an expert is as wide as ffn_hidden_size");
	if (!frequency || frequency->kind != NODE_SCALAR)
		return;
	dense = dense_layers(frequency->text);
	if (dense >= 0)
		megatron_put_number(decoder, FIELD_MODEL_MOE_DENSE_LAYERS, dense, frequency,
				    "leading zeros");
	else if (field_fits(FIELD_INT, frequency))
		field_put(decoder, FIELD_MODEL_MOE_INTERLEAVE, frequency);
}

static void settle_heads(struct decoder *decoder, const struct node *map,
			 const struct megatron_habits *habits)
{
	const struct node *groups = megatron_argument(map, "num_query_groups");
	const bool grouped = habits->grouped ? !is_false(map, "group_query_attention")
					     : is_true(map, "group_query_attention");

	if (groups && grouped)
		field_put(decoder, FIELD_MODEL_KV_HEADS, groups);
	else if (is_true(map, "group_query_attention"))
		megatron_put_number(decoder, FIELD_MODEL_KV_HEADS, 1,
				    megatron_argument(map, "group_query_attention"),
				    "num_query_groups");
	if (is_true(map, "multi_latent_attention"))
		put_rows(decoder, map, latent_rows, sizeof(latent_rows) / sizeof(latent_rows[0]));
}

/* GPT-2's vocabulary, or the one that is named, padded to whole parts of every tp rank. */
static void settle_vocab(struct decoder *decoder, const struct node *map)
{
	const struct node *padded = megatron_argument(map, "padded_vocab_size");
	const struct node *named = megatron_argument(map, "vocab_size");
	const struct node *tokenizer = megatron_argument(map, "tokenizer_type");
	int64_t size = number_of(map, "vocab_size", 0);

	if (padded) {
		field_put(decoder, FIELD_MODEL_VOCAB, padded);
		return;
	}
	if (!size && tokenizer && !strcmp(word_of(map, "tokenizer_type", ""), "GPT2BPETokenizer")) {
		size = 50257;
		named = tokenizer;
	}
	padded_vocab_put(decoder, size, number_of(map, "make_vocab_size_divisible_by", 128), named,
			 "padded for tp");
}

static void settle_model(struct decoder *decoder, const struct node *map,
			 const struct megatron_habits *habits)
{
	const char *kind = word_of(map, "position_embedding_type",
				   habits->positions ? "learned_absolute" : "rope");
	const struct node *positions = megatron_argument(map, "max_position_embeddings");

	megatron_settle_window(decoder, map, is_decoder(map));
	if (!is_decoder(map))
		return;
	put_rows(decoder, map, model_rows, sizeof(model_rows) / sizeof(model_rows[0]));
	if (habits->positions && megatron_argument(map, "num_layers"))
		megatron_settle_itself(decoder, map);
	rope_base_put(decoder, megatron_argument(map, "rotary_base"));
	settle_heads(decoder, map, habits);
	settle_ffn(decoder, map);
	settle_experts(decoder, map);
	settle_vocab(decoder, map);
	if (positions && !strcmp(kind, "learned_absolute") &&
	    !is_true(map, "use_rotary_position_embeddings") &&
	    !is_true(map, "no_position_embedding"))
		field_put(decoder, FIELD_MODEL_LEARNED_POS_EMB, positions);
}

/* Names of degrees and batches that are a letter or two off. */
static void report_near(struct decoder *decoder, const struct node *map,
			const struct megatron_habits *habits)
{
	static const char *const names[] = {
		"tensor_model_parallel_size",  "pipeline_model_parallel_size",
		"context_parallel_size",       "expert_model_parallel_size",
		"expert_tensor_parallel_size", "micro_batch_size",
		"global_batch_size",	       "seq_length",
		"eval_micro_batch_size",       "eval_global_batch_size",
	};

	keys_near(decoder, map, names, sizeof(names) / sizeof(names[0]), habits->whose,
		  "has no argument of that name");
}

/* A method alone had units of one layer. */
static void settle_old_recompute(struct decoder *decoder, const struct node *map)
{
	put_rows(decoder, map, old_rows, sizeof(old_rows) / sizeof(old_rows[0]));
	if (setting_known(settings_of(decoder->settings, FIELD_AC_METHOD)) &&
	    !setting_known(settings_of(decoder->settings, FIELD_AC_LAYERS)))
		keys_default(decoder, FIELD_AC_LAYERS, 1, "Megatron-LM's default of 2021");
}

/* NVIDIA/Megatron-LM@d98e8a64 megatron/training/arguments.py, args.params_dtype: torch.float. */
void megatron_precision(struct decoder *decoder, const char *open, struct span span)
{
	const struct setting *type = settings_of(decoder->settings, FIELD_PARAM_DTYPE);

	if (setting_known(type) || type->unresolved)
		return;
	if (open)
		axis_leave_open(decoder->settings, FIELD_PARAM_DTYPE, open, span);
	else
		settings_put_text(decoder->settings, FIELD_PARAM_DTYPE, "float32", ORIGIN_DEFAULT)
			->note = "Megatron-LM without bf16 and fp16";
}

void megatron_settle(struct decoder *decoder, const struct node *map,
		     const struct megatron_habits *habits)
{
	report_near(decoder, map, habits);
	settle_old_recompute(decoder, map);
	put_rows(decoder, map, rows, sizeof(rows) / sizeof(rows[0]));
	put_rows(decoder, map, deepspeed_rows, sizeof(deepspeed_rows) / sizeof(*deepspeed_rows));
	megatron_settle_implied(decoder, map);
	settle_etp(decoder, habits);
	settle_dp(decoder, map);
	settle_pipeline(decoder, map);
	settle_recipe(decoder, map);
	settle_offloading(decoder, map);
	settle_optimizer(decoder, map);
	settle_model(decoder, map, habits);
}

static const struct {
	const struct key_row *rows;
	size_t count;
} tables[] = {
	{ rows, sizeof(rows) / sizeof(*rows) },
	{ model_rows, sizeof(model_rows) / sizeof(*model_rows) },
	{ latent_rows, sizeof(latent_rows) / sizeof(*latent_rows) },
};

enum { TABLES = sizeof(tables) / sizeof(*tables) };

static void add_row(struct vocabulary *vocabulary, const char *prefix, const struct key_row *row)
{
	vocabulary_guarded(vocabulary, prefix, row, 1);
	vocabulary->keys.items[vocabulary->keys.count - 1].trees = true;
}

/* Flags that stand back behind those of the other tables; from `gone` on the parser lacks them. */
static void add_others(struct vocabulary *vocabulary, const char *prefix,
		       const struct key_row *table, size_t count, const char *gone)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct key_row row = table[i];
		row.path = megatron_dashed(vocabulary->arena, row.path);
		add_row(vocabulary, prefix, &row);
		vocabulary->keys.items[vocabulary->keys.count - 1].gone = gone;
	}
}

void megatron_vocabulary_among(struct vocabulary *vocabulary, const char *prefix,
			       const char *const *names, size_t count)
{
	size_t t, i;

	for (t = 0; t < TABLES; t++)
		for (i = 0; i < tables[t].count; i++)
			if (!names || text_among(tables[t].rows[i].path, names, count))
				add_row(vocabulary, prefix, &tables[t].rows[i]);
}

void megatron_vocabulary(struct vocabulary *vocabulary, const char *prefix, const char *dashes)
{
	size_t t, i;

	if (!*dashes) {
		megatron_vocabulary_among(vocabulary, prefix, NULL, 0);
		return;
	}
	add_others(vocabulary, prefix, old_rows, sizeof(old_rows) / sizeof(*old_rows),
		   "2022-04-28");
	add_others(vocabulary, prefix, deepspeed_rows,
		   sizeof(deepspeed_rows) / sizeof(*deepspeed_rows), NULL);
	for (t = 0; t < TABLES; t++)
		for (i = 0; i < tables[t].count; i++) {
			struct key_row row = tables[t].rows[i];
			row.path = megatron_flag(vocabulary->arena, row.path);
			if (row.path)
				add_row(vocabulary, prefix, &row);
		}
}

enum field_id megatron_field_of(const char *leaf)
{
	enum field_id field = keys_field_of(rows, sizeof(rows) / sizeof(*rows), leaf);

	return field != FIELD_COUNT
		       ? field
		       : keys_field_of(model_rows, sizeof(model_rows) / sizeof(*model_rows), leaf);
}
