#include "plan/model.h"

#include <inttypes.h>

/*
 * The parameter table: every weight by its fully qualified name, in the order in which the
 * modules are built (torchtitan@73a0e6979d models/ * /model/model.py; names of 2026:
 * b5bcd76c66 models/common/{attention,decoder,moe}.py).
 */
struct table {
	struct arena *arena;
	struct model *model;
	enum naming naming;
	const char *prefix; /* "layers.3.", or "" */
	int layer;
	size_t behind; /* parameters since the first block that is like this one */
};

const char *model_layer_name(struct arena *arena, int64_t layer)
{
	char digits[24], *at = &digits[sizeof(digits) - 1];

	for (*at = '\0'; layer > 9; layer /= 10)
		*--at = (char)('0' + layer % 10);
	*--at = (char)('0' + layer);
	return arena_join(arena, "layers.", at, "");
}

int64_t parameter_volume(const struct parameter *parameter)
{
	int64_t volume = 1;
	int i;

	for (i = 0; i < parameter->dims; i++)
		volume *= parameter->shape[i];
	return volume;
}

static struct parameter *put(struct table *t, const char *name, const char *kind, int dims,
			     int64_t a, int64_t b, int64_t c)
{
	struct parameter parameter = { .dims = dims, .shape = { a, b, c }, .layer = t->layer };

	parameter.like = t->model->parameters.count - t->behind;
	parameter.fqn = arena_join(t->arena, t->prefix, name, kind);
	vec_push(t->arena, &t->model->parameters, parameter);
	return &t->model->parameters.items[t->model->parameters.count - 1];
}

/* nn.Linear: weight [out, in], bias [out]. */
static void linear(struct table *t, const char *name, int64_t out, int64_t in, bool bias)
{
	put(t, name, ".weight", 2, out, in, 0);
	if (bias)
		put(t, name, ".bias", 1, out, 0, 0);
}

static void norm(struct table *t, const char *name, int64_t size)
{
	put(t, name, ".weight", 1, size, 0, 0);
	if (t->model->traits->linear_bias || t->model->traits->norm_bias)
		put(t, name, ".bias", 1, size, 0, 0);
}

static bool head(const struct table *t)
{
	return t->naming == NAMING_TITAN_HEAD;
}

static void projections(struct table *t, bool bias)
{
	const struct model *m = t->model;
	int64_t q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim;
	const char *at = head(t) ? "attention.qkv_linear." : "attention.";

	if (head(t) && m->traits->fused_qkv) {
		linear(t, "attention.qkv_linear.wqkv", q + 2 * kv, m->hidden, bias);
		return;
	}
	linear(t, arena_join(t->arena, at, "wq", ""), q, m->hidden, bias);
	linear(t, arena_join(t->arena, at, "wk", ""), kv, m->hidden, bias);
	linear(t, arena_join(t->arena, at, "wv", ""), kv, m->hidden, bias);
}

static void grouped_query_attention(struct table *t)
{
	const struct model *m = t->model;
	const bool wide = m->traits->wide_qk_norm;
	bool bias = m->biases || m->traits->linear_bias;

	if (m->qk_norm || wide) {
		norm(t, "attention.q_norm", m->head_dim * (wide ? m->heads : 1));
		norm(t, "attention.k_norm", m->head_dim * (wide ? m->kv_heads : 1));
	}
	projections(t, bias || m->traits->qkv_bias);
	linear(t, "attention.wo", m->hidden, m->heads * m->head_dim, bias);
	if (m->biases)
		put(t, "attention.sinks", "", 1, m->heads, 0, 0);
}

/* Multi-head latent attention: arXiv:2405.04434, 2.1. */
static void latent_attention(struct table *t)
{
	const struct model *m = t->model;
	int64_t q = m->heads * (m->qk_nope + m->qk_rope);

	if (m->q_lora) {
		linear(t, "attention.wq_a", m->q_lora, m->hidden, false);
		norm(t, "attention.q_norm", m->q_lora);
		linear(t, "attention.wq_b", q, m->q_lora, false);
	} else {
		linear(t, "attention.wq", q, m->hidden, false);
	}
	linear(t, "attention.wkv_a", m->kv_lora + m->qk_rope, m->hidden, false);
	norm(t, "attention.kv_norm", m->kv_lora);
	linear(t, "attention.wkv_b", m->heads * (m->qk_nope + m->v_dim), m->kv_lora, false);
	linear(t, "attention.wo", m->hidden, m->heads * m->v_dim, false);
}

static void feed_forward(struct table *t, const char *at, int64_t ffn, bool bias)
{
	const struct model *m = t->model;

	linear(t, arena_join(t->arena, at, ".w1", ""), ffn, m->hidden, bias);
	linear(t, arena_join(t->arena, at, ".w2", ""), m->hidden, ffn, bias);
	if (m->gated_mlp)
		linear(t, arena_join(t->arena, at, ".w3", ""), ffn, m->hidden, bias);
}

static void expert(struct table *t, const char *name, int dims, int64_t b, int64_t c)
{
	const char *at = head(t) ? "moe.routed_experts.inner_experts." : "moe.experts.";

	put(t, arena_join(t->arena, at, name, ""), "", dims, t->model->experts, b, c)->expert =
		true;
}

/* w1, w3 [E, ffn, dim], w2 [E, dim, ffn]; the other way round before 2025-07. */
static void grouped_experts(struct table *t)
{
	const struct model *m = t->model;
	bool turned = t->naming == NAMING_TITAN_V01;
	int64_t a = turned ? m->hidden : m->expert_ffn, b = turned ? m->expert_ffn : m->hidden;

	expert(t, head(t) ? "w1_EFD" : "w1", 3, a, b);
	expert(t, head(t) ? "w2_EDF" : "w2", 3, b, a);
	if (m->gated_mlp)
		expert(t, head(t) ? "w3_EFD" : "w3", 3, a, b);
}

static void fused_experts(struct table *t)
{
	const struct model *m = t->model;

	expert(t, head(t) ? "mlp1_weight_EGD" : "mlp1_weight", 3, 2 * m->expert_ffn, m->hidden);
	expert(t, head(t) ? "mlp1_bias_EG" : "mlp1_bias", 2, 2 * m->expert_ffn, 0);
	expert(t, head(t) ? "mlp2_weight_EDF" : "mlp2_weight", 3, m->hidden, m->expert_ffn);
	expert(t, head(t) ? "mlp2_bias_ED" : "mlp2_bias", 2, m->hidden, 0);
}

static void mixture(struct table *t)
{
	const struct model *m = t->model;

	if (m->traits->fused_experts)
		fused_experts(t);
	else
		grouped_experts(t);
	linear(t, "moe.router.gate", m->experts, m->hidden, m->biases);
	if (m->shared_ffn)
		feed_forward(t, "moe.shared_experts", m->shared_ffn, false);
	if (m->shared_ffn && m->traits->shared_gate)
		linear(t, "moe.shared_gate", 1, m->hidden, false);
}

static void block(struct table *t)
{
	const struct model *m = t->model;

	if (m->kv_lora)
		latent_attention(t);
	else
		grouped_query_attention(t);
	if (model_layer_has_experts(m, t->layer < 0 ? m->layers - 1 : t->layer))
		mixture(t);
	else
		feed_forward(t, "feed_forward", m->ffn, m->traits->linear_bias);
	norm(t, "attention_norm", m->hidden);
	if (!m->traits->one_norm)
		norm(t, "ffn_norm", m->hidden);
	if (m->traits->sandwich) {
		norm(t, "post_attention_norm", m->hidden);
		norm(t, "post_ffn_norm", m->hidden);
	}
}

/* One more block and what joins it to the trunk: arXiv:2412.19437, 2.2. */
static void multi_token_prediction(struct table *t)
{
	int64_t hidden = t->model->hidden;

	norm(t, "enorm", hidden);
	norm(t, "hnorm", hidden);
	linear(t, "eh_proj", hidden, 2 * hidden, false);
	block(t);
	norm(t, "norm", hidden);
}

static void blocks(struct table *t)
{
	const struct model *m = t->model;
	size_t first[2] = { 0 }; /* parameters before the first block without experts, and with */
	int64_t i;

	for (i = 0; i < m->layers; i++) {
		const bool experts = model_layer_has_experts(m, i);
		if (!first[experts])
			first[experts] = m->parameters.count;
		t->behind = m->parameters.count - first[experts];
		t->layer = (int)i;
		t->prefix = arena_join(t->arena, model_layer_name(t->arena, i), ".", "");
		block(t);
	}
	t->layer = -1;
	t->behind = 0;
	for (i = 0; i < m->mtp; i++) {
		t->prefix = arena_printf(t->arena, "mtp.%" PRId64 ".", i);
		multi_token_prediction(t);
	}
	t->prefix = "";
}

/* Adds everything up; false when it leaves 63 bits. */
static bool count(struct model *model)
{
	int64_t routed = 0;
	double size = 0;
	size_t i;
	int d;

	model->total = 0;
	for (i = 0; i < model->parameters.count; i++) {
		const struct parameter *parameter = &model->parameters.items[i];
		double volume = 1;
		for (d = 0; d < parameter->dims; d++)
			volume *= (double)parameter->shape[d];
		size += volume;
		if (size > 4e18)
			return false;
		model->total += parameter_volume(parameter);
		routed += parameter->expert ? parameter_volume(parameter) : 0;
	}
	model->active = model->total - routed;
	if (model->experts)
		model->active += routed / model->experts * model->topk;
	return true;
}

bool model_parameters(struct arena *arena, struct model *model, enum naming naming)
{
	struct table t = { .arena = arena, .model = model, .naming = naming, .prefix = "", -1 };
	const char *const output =
		naming == NAMING_TITAN_LM_HEAD || head(&t) ? "lm_head" : "output";

	model->parameters.count = 0;
	put(&t, "tok_embeddings", ".weight", 2, model->vocab, model->hidden, 0);
	if (model->learned_positions)
		put(&t, "pos_embeddings", ".weight", 2, model->learned_positions, model->hidden, 0);
	blocks(&t);
	norm(&t, "norm", model->hidden);
	if (!model->tied_embeddings)
		linear(&t, output, model->vocab, model->hidden, model->traits->output_bias);
	else if (model->traits->output_bias) /* the weights are tied, the bias is its own */
		put(&t, output, ".bias", 1, model->vocab, 0, 0);
	return count(model);
}

/* Leading layers are dense; then every `interleave`-th has experts, the last of each such run. */
bool model_layer_has_experts(const struct model *model, int64_t layer)
{
	if (!model->experts || layer < model->dense_layers)
		return false;
	return model->interleave <= 1 || (layer + 1) % model->interleave == 0;
}
