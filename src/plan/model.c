#include "plan/model.h"

#include "base/text.h"
#include "input/field.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const char own_sizes[] = "inline";

const char *model_called(const struct model *model)
{
	return strcmp(model->name, own_sizes) != 0 ? model->name : "the model";
}

const struct rule_id rule_incomplete_model = {
	.name = "incomplete-model",
	.code = "C111",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the model's sizes are missing, out of range or contradict each other",
	.explanation =
		"A model that is given by its sizes needs layers, hidden, heads, vocab and the "
		"width "
		"of its feed-forward network (ffn; with experts also moe.topk and moe.expert_ffn). "
		"Nothing is guessed: a parameter count from guessed sizes would be wrong.",
	.remedy = "Give the missing size, or name a preset and override what differs.",
	.source = "plan/model.h",
};

enum { SIZE_MOST = 1 << 28, LAYERS_MOST = 10000 };

/* Every size of a model: its setting, where it goes, and what is allowed. */
struct size {
	enum field_id field;
	size_t offset; /* of an int64_t in struct model */
	int64_t least, most;
};

#define SIZE(field, member, least, most)                                                           \
	{                                                                                          \
		FIELD_MODEL_##field, offsetof(struct model, member), least, most                   \
	}

static const struct size sizes[] = {
	SIZE(LAYERS, layers, 1, LAYERS_MOST),
	SIZE(HIDDEN, hidden, 1, SIZE_MOST),
	SIZE(HEADS, heads, 1, SIZE_MOST),
	SIZE(KV_HEADS, kv_heads, 1, SIZE_MOST),
	SIZE(HEAD_DIM, head_dim, 1, SIZE_MOST),
	SIZE(FFN, ffn, 1, SIZE_MOST),
	SIZE(VOCAB, vocab, 1, SIZE_MOST),
	SIZE(LEARNED_POS_EMB, learned_positions, 0, SIZE_MOST),
	SIZE(MTP, mtp, 0, LAYERS_MOST),
	SIZE(WINDOW, window, 0, SIZE_MOST),
	SIZE(MOE_EXPERTS, experts, 0, SIZE_MOST),
	SIZE(MOE_TOPK, topk, 1, SIZE_MOST),
	SIZE(MOE_EXPERT_FFN, expert_ffn, 1, SIZE_MOST),
	SIZE(MOE_SHARED_FFN, shared_ffn, 0, SIZE_MOST),
	SIZE(MOE_DENSE_LAYERS, dense_layers, 0, LAYERS_MOST),
	SIZE(MOE_INTERLEAVE, interleave, 1, LAYERS_MOST),
	SIZE(MLA_Q_LORA, q_lora, 0, SIZE_MOST),
	SIZE(MLA_KV_LORA, kv_lora, 0, SIZE_MOST),
	SIZE(MLA_QK_NOPE, qk_nope, 1, SIZE_MOST),
	SIZE(MLA_QK_ROPE, qk_rope, 1, SIZE_MOST),
	SIZE(MLA_V_DIM, v_dim, 1, SIZE_MOST),
};

enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

/* What a model is built from while it is built. */
struct draft {
	struct arena *arena;
	struct settings *settings;
	struct findings *findings;
	struct model *model;
};

static int64_t *slot(struct model *model, const struct size *size)
{
	return (int64_t *)(void *)((char *)model + size->offset);
}

static bool known(const struct draft *draft, enum field_id id)
{
	return setting_known(settings_of(draft->settings, id));
}

/* The first model setting somebody wrote, or NULL: there is no model. */
static const struct setting *model_given(struct settings *settings)
{
	int id;

	for (id = FIELD_MODEL_PRESET; id <= FIELD_MODEL_ATTENTION; id++)
		if (settings_of(settings, (enum field_id)id)->origin != ORIGIN_UNSET)
			return settings_of(settings, (enum field_id)id);
	return NULL;
}

const char *model_preset_near(struct arena *arena, const char *name)
{
	const char *const *names = model_presets(arena);
	const char *lower = text_lower(arena, name), *near;
	size_t count = 0;

	while (names[count])
		count++;
	near = text_nearest(lower, names, count);
	return near && text_same_digits(near, lower) ? near : NULL; /* 9b is no misspelt 1b */
}

static void unknown_preset(struct draft *draft, const struct setting *preset)
{
	const char *near = model_preset_near(draft->arena, preset->text);
	struct finding *finding = finding_add(draft->findings, &rule_unknown_model, preset->span,
					      "no model is called '%s'", preset->text);

	if (!near)
		return;
	finding_fix(draft->findings, finding, "did you mean '%s'?", near);
	if (span_known(preset->span))
		finding_edit(draft->findings, finding, preset->span, "%s", near);
}

/* The family: of the preset, or of the arch, or what the sizes look like. */
static const struct family *family_of(struct draft *draft)
{
	const struct setting *preset = settings_of(draft->settings, FIELD_MODEL_PRESET);
	const char *arch;

	if (setting_known(preset)) {
		const struct family *family = model_preset_apply(
			draft->arena, draft->settings, text_lower(draft->arena, preset->text));
		if (!family)
			unknown_preset(draft, preset);
		return family;
	}
	arch = known(draft, FIELD_MODEL_MLA_KV_LORA) ? "deepseek" : "llama";
	if (!known(draft, FIELD_MODEL_ARCH))
		settings_put_text(draft->settings, FIELD_MODEL_ARCH, arch, ORIGIN_DEFAULT)->note =
			"model without arch";
	return family_find(setting_text(draft->settings, FIELD_MODEL_ARCH, arch));
}

/* Fills a size nobody gave with one that follows from others. */
static void derive(struct draft *draft, enum field_id id, int64_t value, enum field_id from)
{
	struct setting *setting = settings_of(draft->settings, id);

	if (setting->origin != ORIGIN_UNSET)
		return;
	setting = settings_put_int(draft->settings, draft->arena, id, value, ORIGIN_DERIVED);
	setting->note = field_of(from)->key;
	setting_from(setting, settings_of(draft->settings, from));
}

static void fallback(struct draft *draft, enum field_id id, int64_t value, const char *whose)
{
	if (settings_of(draft->settings, id)->origin == ORIGIN_UNSET)
		settings_put_int(draft->settings, draft->arena, id, value, ORIGIN_DEFAULT)->note =
			whose;
}

/* DeepSeek-V2 and V3 agree on the sizes of their heads (arXiv:2405.04434, arXiv:2412.19437). */
static void derive_latent(struct draft *draft)
{
	fallback(draft, FIELD_MODEL_MLA_Q_LORA, 0, "no query compression");
	fallback(draft, FIELD_MODEL_MLA_KV_LORA, 512, "DeepSeek-V3");
	fallback(draft, FIELD_MODEL_MLA_QK_NOPE, 128, "DeepSeek-V3");
	fallback(draft, FIELD_MODEL_MLA_QK_ROPE, 64, "DeepSeek-V3");
	fallback(draft, FIELD_MODEL_MLA_V_DIM, 128, "DeepSeek-V3");
}

static void derive_sizes(struct draft *draft, const struct family *family)
{
	const int64_t heads = setting_int(draft->settings, FIELD_MODEL_HEADS, 0);
	const int64_t hidden = setting_int(draft->settings, FIELD_MODEL_HIDDEN, 0);

	if (!strcmp(family->name, "deepseek") || known(draft, FIELD_MODEL_MLA_KV_LORA))
		derive_latent(draft);
	if (known(draft, FIELD_MODEL_HEADS))
		derive(draft, FIELD_MODEL_KV_HEADS, heads, FIELD_MODEL_HEADS);
	if (heads > 0 && known(draft, FIELD_MODEL_HIDDEN) && hidden % heads == 0)
		derive(draft, FIELD_MODEL_HEAD_DIM, hidden / heads, FIELD_MODEL_HIDDEN);
	if (family->linear_bias && known(draft, FIELD_MODEL_HIDDEN) && hidden < SIZE_MOST)
		derive(draft, FIELD_MODEL_FFN, 4 * hidden, FIELD_MODEL_HIDDEN);
	if (setting_int(draft->settings, FIELD_MODEL_MOE_EXPERTS, 0) > 0) {
		fallback(draft, FIELD_MODEL_MOE_SHARED_FFN, 0, "no shared expert");
		fallback(draft, FIELD_MODEL_MOE_DENSE_LAYERS, 0, "experts in every layer");
		fallback(draft, FIELD_MODEL_MOE_INTERLEAVE, 1, "experts in every layer");
	}
}

/* Takes over one size; false after a finding, or when it was reported where it was read. */
static bool take(struct draft *draft, const struct size *size)
{
	const struct setting *setting = settings_of(draft->settings, size->field);

	if (setting->origin == ORIGIN_UNSET)
		return true;
	if (setting->invalid)
		return false;
	*slot(draft->model, size) = setting->integer;
	if (setting->integer >= size->least && setting->integer <= size->most)
		return true;
	finding_add(draft->findings, &rule_incomplete_model, setting->span,
		    "%s is %" PRId64 "; it must be between %" PRId64 " and %" PRId64,
		    setting->spelling, setting->integer, size->least, size->most);
	return false;
}

static bool take_all(struct draft *draft)
{
	bool good = true;
	size_t i;

	for (i = 0; i < SIZES; i++)
		good = take(draft, &sizes[i]) && good;
	return good;
}

/* Counts the blocks that have the window; false after a finding. */
static bool take_windows(struct draft *draft)
{
	const struct setting *blocks = settings_of(draft->settings, FIELD_MODEL_WINDOW_BLOCKS);
	const char *turns = setting_known(blocks) ? blocks->text : "w";
	const size_t count = strlen(turns);
	struct model *m = draft->model;
	int64_t i;

	if (!count || strspn(turns, "wf") < count) {
		finding_add(draft->findings, &rule_incomplete_model, blocks->span,
			    "%s is '%s'; it must be a word of w (a block that has the window) "
			    "and f (one that sees all tokens), as in wwwwwf",
			    blocks->spelling, turns);
		return false;
	}
	for (i = 0; m->window > 0 && i < m->layers; i++)
		m->windowed += turns[(size_t)i % count] == 'w';
	return true;
}

static bool any_dense_layer(const struct model *model)
{
	return !model->experts || model->dense_layers > 0 || model->interleave > 1;
}

/* True when somebody gives the model to us, not to a framework: then all of it must be there. What
 * a framework's own file leaves out, its tokenizer or checkpoint says. */
static bool is_ours(const struct draft *draft)
{
	int id;

	for (id = FIELD_MODEL_PRESET; id <= FIELD_MODEL_ATTENTION; id++) {
		const struct setting *setting = settings_of(draft->settings, (enum field_id)id);
		if (setting_given(setting) && !strcmp(setting->spelling, field_of(id)->key))
			return true;
	}
	return false;
}

/* Reports all sizes the shapes cannot do without in one finding. */
static bool complete(struct draft *draft)
{
	const struct model *m = draft->model;
	const struct {
		bool missing;
		enum field_id field;
	} needs[] = {
		{ !m->layers, FIELD_MODEL_LAYERS },
		{ !m->hidden, FIELD_MODEL_HIDDEN },
		{ !m->heads, FIELD_MODEL_HEADS },
		{ m->heads && m->hidden && !m->head_dim && !m->kv_lora, FIELD_MODEL_HEAD_DIM },
		{ any_dense_layer(m) && !m->ffn, FIELD_MODEL_FFN },
		{ !m->vocab, FIELD_MODEL_VOCAB },
		{ m->experts && !m->topk, FIELD_MODEL_MOE_TOPK },
		{ m->experts && !m->expert_ffn, FIELD_MODEL_MOE_EXPERT_FFN },
	};
	const char *list = NULL;
	size_t i;

	for (i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (needs[i].missing)
			list = arena_printf(draft->arena, "%s%s%s", list ? list : "",
					    list ? ", " : "", field_of(needs[i].field)->key);
	if (list && is_ours(draft))
		finding_add(draft->findings, &rule_incomplete_model, m->span,
			    "the model is not complete: %s missing", list);
	return !list;
}

const char *model_wants(struct arena *arena, const struct settings *settings)
{
	const bool experts = setting_int(settings, FIELD_MODEL_MOE_EXPERTS, 0) > 0;
	const enum field_id needs[] = { FIELD_MODEL_LAYERS,
					FIELD_MODEL_HIDDEN,
					FIELD_MODEL_HEADS,
					FIELD_MODEL_VOCAB,
					experts ? FIELD_MODEL_MOE_TOPK : FIELD_MODEL_FFN,
					experts ? FIELD_MODEL_MOE_EXPERT_FFN : FIELD_MODEL_FFN };
	const size_t count = sizeof(needs) / sizeof(*needs) - !experts;
	const char *list = NULL;
	size_t i, given = 0;

	for (i = 0; i < count; i++)
		if (setting_known(&settings->items[needs[i]]))
			given++;
		else
			list = arena_join(arena, list ? list : "", list ? ", " : "",
					  field_of(needs[i])->key);
	return given ? list : NULL;
}

static bool consistent(struct draft *draft)
{
	const struct model *m = draft->model;
	const struct setting *topk = settings_of(draft->settings, FIELD_MODEL_MOE_TOPK);

	if (!m->experts || m->topk <= m->experts)
		return true;
	finding_add(draft->findings, &rule_incomplete_model, topk->span,
		    "%s=%" PRId64 " experts per token, but there are only %" PRId64, topk->spelling,
		    m->topk, m->experts);
	return false;
}

static void take_traits(struct draft *draft, const struct family *family)
{
	struct model *m = draft->model;
	const struct settings *settings = draft->settings;

	m->traits = family;
	m->family = family->name;
	m->name = text_lower(draft->arena, setting_text(settings, FIELD_MODEL_PRESET, own_sizes));
	m->tied_embeddings = setting_bool(settings, FIELD_MODEL_TIED_EMBEDDINGS, false);
	m->gated_mlp = setting_bool(settings, FIELD_MODEL_GATED_MLP, family->gated_mlp);
	m->qk_norm = family->qk_norm;
	m->biases = family->attention_bias;
	m->attention = setting_text(settings, FIELD_MODEL_ATTENTION, NULL);
}

/* The generations before 2026 differ in experts alone. */
static bool is_early(const struct model *model)
{
	return model->naming == NAMING_TITAN || model->naming == NAMING_TITAN_V01;
}

static bool same_names(const struct model *a, const struct model *b)
{
	return a->naming == b->naming || (!a->experts && is_early(a) && is_early(b));
}

/* True when both have the same parameters: everything from which the table is made. */
static bool same_network(const struct model *a, const struct model *b)
{
	const size_t from = offsetof(struct model, layers), to = offsetof(struct model, mtp);

	return a->traits == b->traits && same_names(a, b) && a->mtp == b->mtp &&
	       !memcmp((const char *)a + from, (const char *)b + from, to - from);
}

/* The parameter table; false when there are too many parameters. */
static bool fill_table(struct arena *arena, struct model *model, const struct model *like)
{
	if (!like || !same_network(model, like))
		return model_parameters(arena, model, model->naming);
	model->parameters.items = like->parameters.items;
	model->parameters.count = model->parameters.capacity = like->parameters.count;
	model->total = like->total;
	model->active = like->active;
	return true;
}

struct model *model_new(struct arena *arena, struct settings *settings, enum naming naming,
			struct findings *findings)
{
	return model_new_like(arena, settings, naming, NULL, findings);
}

struct model *model_new_like(struct arena *arena, struct settings *settings, enum naming naming,
			     const struct model *like, struct findings *findings)
{
	struct draft draft = { .arena = arena, .settings = settings, .findings = findings };
	const struct setting *given = model_given(settings);
	const struct family *family;

	if (!given || given->invalid)
		return NULL;
	draft.model = arena_new(arena, struct model);
	draft.model->span = given->span;
	draft.model->naming = naming;
	family = family_of(&draft);
	if (!family)
		return NULL;
	derive_sizes(&draft, family);
	take_traits(&draft, family);
	if (!take_all(&draft) || !take_windows(&draft) || !complete(&draft) || !consistent(&draft))
		return NULL;
	if (fill_table(arena, draft.model, like))
		return draft.model;
	finding_add(findings, &rule_incomplete_model, given->span,
		    "the model would have more than 4e18 parameters");
	return NULL;
}
