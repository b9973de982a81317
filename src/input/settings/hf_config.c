#include "input/settings/hf_model.h"

#include "base/buf.h"
#include "base/text.h"
#include "input/keys.h"
#include "input/settings/rope_base.h"

#include <string.h>

/*
 * config.json of a model as transformers writes it (huggingface/transformers
 * src/transformers/models/NAME/configuration_NAME.py). One row per model_type; values that are
 * equal to the defaults of its class may be absent from a file.
 */
struct kind {
	const char *type; /* model_type */
	const char *arch; /* model.arch */
	bool tied;	  /* tie_word_embeddings where the file is silent */
	bool all_experts; /* intermediate_size is that of an expert; no layer is dense */
	bool positions;	  /* n_positions rows of a learned table */
	bool asks;	  /* there is no window without use_sliding_window */
	int64_t head_dim; /* where the file is silent, or 0 */
	int64_t window;	  /* likewise: sliding_window */
	int64_t turns;	  /* likewise: of so many layers one sees all tokens; 0: none */
};

/* Layers that a list of them has at most. */
enum { LAYERS = 1000 };

static const struct kind kinds[] = {
	{ .type = "llama", .arch = "llama" },
	{ .type = "mistral", .arch = "llama", .window = 4096 },
	{ .type = "mixtral", .arch = "llama", .all_experts = true },
	{ .type = "phi3", .arch = "phi3" },
	{ .type = "granite", .arch = "llama" },
	{ .type = "smollm3", .arch = "llama", .tied = true, .asks = true },
	{ .type = "gemma", .arch = "gemma", .tied = true, .head_dim = 256 },
	{ .type = "gemma2",
	  .arch = "gemma2",
	  .tied = true,
	  .head_dim = 256,
	  .window = 4096,
	  .turns = 2 },
	{ .type = "gemma3_text",
	  .arch = "gemma3",
	  .tied = true,
	  .head_dim = 256,
	  .window = 4096,
	  .turns = 6 },
	{ .type = "qwen2", .arch = "qwen2", .asks = true },
	{ .type = "qwen2_moe", .arch = "qwen2_moe", .asks = true },
	{ .type = "qwen3", .arch = "qwen3", .head_dim = 128, .asks = true },
	{ .type = "qwen3_moe", .arch = "qwen3", .asks = true },
	{ .type = "glm", .arch = "glm", .head_dim = 128 },
	{ .type = "glm4", .arch = "glm4", .head_dim = 128 },
	{ .type = "glm4_moe", .arch = "glm4_moe" },
	{ .type = "olmo2", .arch = "olmo2" },
	{ .type = "deepseek_v2", .arch = "deepseek" },
	{ .type = "deepseek_v3", .arch = "deepseek" },
	{ .type = "kimi_k2", .arch = "deepseek" },
	{ .type = "gpt_oss",
	  .arch = "gpt_oss",
	  .all_experts = true,
	  .head_dim = 64,
	  .window = 128,
	  .turns = 2 },
	{ .type = "gpt2", .arch = "gpt2", .tied = true, .positions = true },
	{ .type = "gpt_neox", .arch = "gpt_neox" },
	{ .type = "starcoder2", .arch = "gpt", .tied = true },
	{ .type = "falcon", .arch = "falcon7", .tied = true },
	{ .type = "phi", .arch = "phi" },
	{ .type = "cohere", .arch = "cohere", .tied = true },
	{ .type = "cohere2", .arch = "cohere", .tied = true, .window = 4096, .turns = 4 },
	{ .type = "internlm2", .arch = "llama" },
	{ .type = "baichuan", .arch = "llama" },
	{ .type = "olmoe", .arch = "olmoe", .all_experts = true },
	{ .type = "mpt", .arch = "mpt", .tied = true },
};

static const struct key_row rows[] = {
	{ "num_hidden_layers", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "n_layer", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "n_layers", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "hidden_size", FIELD_MODEL_HIDDEN, KEY_VALUE, NULL },
	{ "n_embd", FIELD_MODEL_HIDDEN, KEY_VALUE, NULL },
	{ "d_model", FIELD_MODEL_HIDDEN, KEY_VALUE, NULL },
	{ "num_attention_heads", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "n_head", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "n_heads", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "num_key_value_heads", FIELD_MODEL_KV_HEADS, KEY_VALUE, NULL },
	{ "head_dim", FIELD_MODEL_HEAD_DIM, KEY_VALUE, NULL },
	{ "intermediate_size", FIELD_MODEL_FFN, KEY_VALUE, NULL },
	{ "ffn_hidden_size", FIELD_MODEL_FFN, KEY_VALUE, NULL },
	{ "n_inner", FIELD_MODEL_FFN, KEY_VALUE, NULL },
	{ "vocab_size", FIELD_MODEL_VOCAB, KEY_VALUE, NULL },
	{ "tie_word_embeddings", FIELD_MODEL_TIED_EMBEDDINGS, KEY_VALUE, NULL },
	{ "num_local_experts", FIELD_MODEL_MOE_EXPERTS, KEY_VALUE, NULL },
	{ "num_experts", FIELD_MODEL_MOE_EXPERTS, KEY_VALUE, NULL },
	{ "n_routed_experts", FIELD_MODEL_MOE_EXPERTS, KEY_VALUE, NULL },
	{ "num_experts_per_tok", FIELD_MODEL_MOE_TOPK, KEY_VALUE, NULL },
	{ "moe_intermediate_size", FIELD_MODEL_MOE_EXPERT_FFN, KEY_VALUE, NULL },
	{ "shared_expert_intermediate_size", FIELD_MODEL_MOE_SHARED_FFN, KEY_VALUE, NULL },
	{ "first_k_dense_replace", FIELD_MODEL_MOE_DENSE_LAYERS, KEY_VALUE, NULL },
	{ "decoder_sparse_step", FIELD_MODEL_MOE_INTERLEAVE, KEY_VALUE, NULL },
	{ "q_lora_rank", FIELD_MODEL_MLA_Q_LORA, KEY_VALUE, NULL },
	{ "kv_lora_rank", FIELD_MODEL_MLA_KV_LORA, KEY_VALUE, NULL },
	{ "qk_nope_head_dim", FIELD_MODEL_MLA_QK_NOPE, KEY_VALUE, NULL },
	{ "qk_rope_head_dim", FIELD_MODEL_MLA_QK_ROPE, KEY_VALUE, NULL },
	{ "v_head_dim", FIELD_MODEL_MLA_V_DIM, KEY_VALUE, NULL },
};

static const struct kind *kind_of(const char *type)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].type, type))
			return &kinds[i];
	return NULL;
}

/* Models whose feed-forward network is four times as wide as they are, where they do not say. */
static bool is_fourfold(const struct kind *kind)
{
	return words_have("gpt|gpt2|gpt_neox|mpt|falcon7", kind->arch);
}

/* The size without which there is no model; nothing is put of one that is silent on it. */
static const char *lacking(const struct node *root, const struct kind *kind)
{
	static const char *const needs[][3] = { { "num_hidden_layers", "n_layer", "n_layers" },
						{ "hidden_size", "n_embd", "d_model" },
						{ "num_attention_heads", "n_head", "n_heads" },
						{ "vocab_size", "vocab_size", "vocab_size" },
						{ "intermediate_size", "ffn_hidden_size",
						  "moe_intermediate_size" } };
	const size_t count = sizeof(needs) / sizeof(needs[0]) - is_fourfold(kind);
	size_t i;

	for (i = 0; i < count; i++)
		if (keys_int(root, needs[i][0], 0) < 1 && keys_int(root, needs[i][1], 0) < 1 &&
		    keys_int(root, needs[i][2], 0) < 1)
			return needs[i][0];
	return NULL;
}

static void put_text(struct decoder *decoder, enum field_id id, const char *text,
		     const struct node *from)
{
	struct setting *setting = settings_put_text(decoder->settings, id, text, ORIGIN_DERIVED);

	setting->span = from->span;
	setting->key_span = from->key_span;
	setting->spelling = "model_type";
	setting->note = "config.json";
}

static bool unset(struct decoder *decoder, enum field_id id)
{
	return settings_of(decoder->settings, id)->origin == ORIGIN_UNSET;
}

static const struct setting *known(struct decoder *decoder, enum field_id id)
{
	const struct setting *setting = settings_of(decoder->settings, id);

	return setting_known(setting) ? setting : NULL;
}

/* Experts: those of Mixtral are the whole feed-forward network; shared ones are counted. */
static void settle_experts(struct decoder *decoder, const struct node *root,
			   const struct kind *kind)
{
	const struct setting *width = known(decoder, FIELD_MODEL_MOE_EXPERT_FFN);
	const int64_t shared = keys_int(root, "n_shared_experts", 0);

	if (kind->all_experts && known(decoder, FIELD_MODEL_FFN)) {
		width = known(decoder, FIELD_MODEL_FFN);
		keys_derive(decoder, FIELD_MODEL_MOE_EXPERT_FFN, width->integer, width,
			    "intermediate_size of each expert");
	} else if (shared > 0 && shared < 64 && width && width->integer < 1 << 24) {
		keys_derive(decoder, FIELD_MODEL_MOE_SHARED_FFN, shared * width->integer, width,
			    "n_shared_experts x moe_intermediate_size");
	}
}

/* Falcon: one norm and one key/value head until new_decoder_architecture. */
static void settle_falcon(struct decoder *decoder, const struct node *root)
{
	const struct node *new = node_member(root, "new_decoder_architecture");

	if (keys_true(root, "new_decoder_architecture")) {
		put_text(decoder, FIELD_MODEL_ARCH, "falcon", new);
		if (node_member(root, "num_kv_heads"))
			field_put(decoder, FIELD_MODEL_KV_HEADS, node_member(root, "num_kv_heads"));
	} else if (keys_true(root, "multi_query")) {
		keys_default(decoder, FIELD_MODEL_KV_HEADS, 1, "multi_query of config.json");
	}
}

static void settle_defaults(struct decoder *decoder, const struct node *root,
			    const struct kind *kind)
{
	const struct setting *hidden = known(decoder, FIELD_MODEL_HIDDEN);

	if (unset(decoder, FIELD_MODEL_TIED_EMBEDDINGS) && kind->tied)
		settings_put_bool(decoder->settings, FIELD_MODEL_TIED_EMBEDDINGS, true,
				  ORIGIN_DEFAULT)
			->note = "transformers' default";
	if (unset(decoder, FIELD_MODEL_HEAD_DIM) && kind->head_dim)
		keys_default(decoder, FIELD_MODEL_HEAD_DIM, kind->head_dim,
			     "transformers' default");
	if (kind->positions && node_member(root, "n_positions"))
		field_put(decoder, FIELD_MODEL_LEARNED_POS_EMB, node_member(root, "n_positions"));
	else if (kind->positions)
		keys_default(decoder, FIELD_MODEL_LEARNED_POS_EMB, 1024, "transformers' default");
	if (unset(decoder, FIELD_MODEL_FFN) && hidden && hidden->integer < 1 << 24 &&
	    is_fourfold(kind))
		keys_derive(decoder, FIELD_MODEL_FFN, 4 * hidden->integer, hidden,
			    "four times the hidden size");
}

/* GLM-4.5: norms of queries and keys, and biases, are there where the file says so. */
static const char *arch_of_glm(const struct node *root)
{
	if (keys_true(root, "use_qk_norm"))
		return keys_true(root, "attention_bias") ? "glm4_moe" : "qwen3";
	return keys_true(root, "attention_bias") ? "glm4_moe_air" : "llama";
}

/* As layer_types says, or what stands for it: the last of so many layers, or the first ones, see
 * all. */
static const char *turns_of(struct decoder *decoder, const struct node *root,
			    const struct kind *kind)
{
	const struct node *types = node_member(root, "layer_types"), *type;
	const int64_t last = keys_int(root, "sliding_window_pattern", kind->turns);
	const int64_t first = kind->asks ? keys_int(root, "max_window_layers", 0) : 0;
	const char *turns;
	struct buf buf;

	buf_init(&buf);
	for (type = types ? types->first : NULL; type; type = type->next)
		buf_char(&buf, type->kind == NODE_SCALAR && !strcmp(type->text, "full_attention")
				       ? 'f'
				       : 'w');
	if (!buf.length && last > 0 && last < LAYERS) {
		buf_repeat(&buf, 'w', (size_t)last - 1);
		buf_char(&buf, 'f');
	} else if (!buf.length && first > 0 && first < LAYERS) {
		buf_repeat(&buf, 'f', (size_t)first);
		buf_repeat(&buf, 'w', LAYERS - (size_t)first);
	}
	turns = arena_strdup(decoder->arena, buf.length ? buf.data : "w");
	buf_release(&buf);
	return turns;
}

/* The window of attention, and the layers that have it (configuration_NAME.py of 4.57.6, run). */
static void settle_window(struct decoder *decoder, const struct node *root, const struct kind *kind)
{
	const struct node *given = node_member(root, "sliding_window");
	const bool none = kind->asks && !keys_true(root, "use_sliding_window");

	if (none || (given ? !field_fits(FIELD_INT, given) : !kind->window))
		return;
	if (given)
		field_put(decoder, FIELD_MODEL_WINDOW, given);
	else
		keys_default(decoder, FIELD_MODEL_WINDOW, kind->window, "transformers' default");
	settings_put_text(decoder->settings, FIELD_MODEL_WINDOW_BLOCKS,
			  turns_of(decoder, root, kind), ORIGIN_DERIVED)
		->note = "config.json";
}

const char *hf_config_put(struct decoder *decoder, const struct node *root)
{
	const struct node *text = node_member(root, "text_config"), *type;
	const struct kind *kind;

	if (text && text->kind == NODE_MAP)
		root = text;
	type = node_member(root, "model_type");
	if (!type || type->kind != NODE_SCALAR || type->type != SCALAR_STRING)
		return "its config.json has no model_type";
	kind = kind_of(type->text);
	if (!kind)
		return arena_printf(decoder->arena, "its model_type '%s' is not modelled",
				    type->text);
	if (lacking(root, kind))
		return arena_printf(decoder->arena, "its config.json has no %s",
				    lacking(root, kind));
	put_text(decoder, FIELD_MODEL_ARCH, kind->arch, type);
	keys_put(decoder, root, rows, sizeof(rows) / sizeof(rows[0]));
	if (!strcmp(kind->type, "glm4_moe"))
		put_text(decoder, FIELD_MODEL_ARCH, arch_of_glm(root), type);
	if (!strcmp(kind->type, "falcon"))
		settle_falcon(decoder, root);
	rope_base_put(decoder, node_member(root, "rope_theta"));
	settle_experts(decoder, root, kind);
	settle_defaults(decoder, root, kind);
	settle_window(decoder, root, kind);
	return NULL;
}
