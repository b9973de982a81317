#include "wings/megatron/megatron.h"

#include "input/field.h"

#include <string.h>

/*
 * What is raised when the model is built (megatron/core/transformer/transformer_config.py
 * __post_init__) and in its first forward pass, at d98e8a64.
 */

/* NVIDIA/Megatron-LM@2e193aebe2: --recompute-num-layers has no default since then. */
enum { RECOMPUTE_COUNTS = 20230905 };

static bool known(const struct megatron *m, enum field_id field)
{
	return setting_known(&m->job->settings.items[field]);
}

static int64_t number(const struct megatron *m, enum field_id field)
{
	return setting_int(&m->job->settings, field, 0);
}

static void check_heads(struct megatron *m)
{
	const int64_t heads = number(m, FIELD_MODEL_HEADS), tp = m->degrees.tp;
	const int64_t groups = setting_int(&m->job->settings, FIELD_MODEL_KV_HEADS, heads);

	if (heads < 1 || groups < 1)
		return;
	if (heads % tp)
		megatron_raise_of_model(m, exception_tell(m->plan->arena, MEGATRON(HEADS),
							  VALUE(heads), VALUE(tp)));
	else if (groups % tp && tp % groups && !known(m, FIELD_MODEL_MLA_KV_LORA))
		megatron_raise_of_model(m, exception_tell(m->plan->arena, MEGATRON(GROUPS),
							  VALUE(groups), VALUE(tp)));
	megatron_blame(m, FIELD_TP);
	megatron_blame(m, FIELD_MODEL_HEADS);
	megatron_blame(m, FIELD_MODEL_KV_HEADS);
}

/* One of the outer stages: its layers leave the rest, its virtual stages divide them. */
static void take_outer(struct megatron *m, enum field_id field, const char *which, int64_t *layers,
		       int64_t *stages)
{
	const int64_t own = number(m, field);

	if (!known(m, field))
		return;
	if (own <= 0)
		megatron_raise(m, MEGATRON(ENDS_EMPTY), VALUE(which));
	else if (own % m->virtual_stages)
		megatron_raise(m, MEGATRON(ENDS_VIRTUAL), VALUE(which), VALUE(own),
			       VALUE(m->virtual_stages));
	*layers -= own;
	*stages -= 1;
}

static void check_uneven(struct megatron *m)
{
	int64_t layers = m->layers, stages = m->degrees.pp;

	if (!m->layers ||
	    (!known(m, FIELD_PP_FIRST_STAGE_LAYERS) && !known(m, FIELD_PP_LAST_STAGE_LAYERS)))
		return;
	take_outer(m, FIELD_PP_FIRST_STAGE_LAYERS, "first", &layers, &stages);
	take_outer(m, FIELD_PP_LAST_STAGE_LAYERS, "last", &layers, &stages);
	if ((layers != 0) != (stages != 0))
		megatron_raise(m, MEGATRON(MIDDLE_NONE), VALUE(layers), VALUE(stages));
	else if (stages && layers % stages)
		megatron_raise(m, MEGATRON(MIDDLE), VALUE(layers), VALUE(stages));
	else if (stages && layers / stages % m->virtual_stages)
		megatron_raise(m, MEGATRON(MIDDLE_VIRTUAL), VALUE(layers / stages),
			       VALUE(m->virtual_stages));
	megatron_blame(m, FIELD_PP_FIRST_STAGE_LAYERS);
	megatron_blame(m, FIELD_PP_LAST_STAGE_LAYERS);
	megatron_blame(m, FIELD_PP);
	megatron_blame(m, FIELD_PP_VIRTUAL_STAGES);
	megatron_blame(m, FIELD_PP_LAYERS_PER_STAGE);
}

/* Neither given nor an expression that nothing resolves. */
static bool is_absent(const struct megatron *m, enum field_id field)
{
	return !known(m, field) && !setting_unresolved(&m->job->settings, field);
}

/* Which layers are computed again: full wants it said, selective takes no word of it. */
static void check_recompute(struct megatron *m)
{
	const char *mode = setting_text(&m->job->settings, FIELD_AC_MODE, "");
	const bool full = !strcmp(mode, "full"), selective = !strcmp(mode, "selective"),
		   counts = megatron_since(m, RECOMPUTE_COUNTS);

	if (full && is_absent(m, FIELD_AC_METHOD))
		megatron_raise(m, megatron_told(MEGATRON_RECOMPUTE_METHOD, m->when));
	else if (full && counts && m->layers && is_absent(m, FIELD_AC_LAYERS))
		megatron_raise(m, MEGATRON(RECOMPUTE_LAYERS), VALUE(m->layers / m->degrees.pp));
	else if (selective && counts && known(m, FIELD_AC_LAYERS))
		megatron_raise(m, MEGATRON(RECOMPUTE_SELECTIVE));
	else
		return;
	megatron_blame(m, FIELD_AC_MODE);
	megatron_blame(m, FIELD_AC_METHOD);
	megatron_blame(m, FIELD_AC_LAYERS);
}

/* The first word of a list, or the one word, that is none of those; or NULL. */
static const char *stranger(const struct node *list, const char *words)
{
	const struct node *word = list->kind == NODE_LIST ? list->first : list;

	for (; word; word = list->kind == NODE_LIST ? word->next : NULL)
		if (word->kind == NODE_SCALAR && !word->unresolved &&
		    !words_have(words, word->text))
			return word->text;
	return NULL;
}

static bool names(const struct node *list, const char *module)
{
	const struct node *word = list->kind == NODE_LIST ? list->first : list;

	for (; word; word = list->kind == NODE_LIST ? word->next : NULL)
		if (word->kind == NODE_SCALAR && !strcmp(word->text, module))
			return true;
	return false;
}

/* Which modules selective recomputation may name. */
static void check_modules(struct megatron *m)
{
	const struct setting *said = &m->job->settings.items[FIELD_AC_MODULES];
	const char *other;

	if (!setting_known(said) || !said->node ||
	    strcmp(setting_text(&m->job->settings, FIELD_AC_MODE, ""), "selective") != 0)
		return;
	other = stranger(said->node, "core_attn|moe_act|layernorm|mla_up_proj|mlp|moe|"
				     "shared_experts|gdn_norm_out|gdp_in_proj|gdp_qkv|mhc");
	if (other)
		megatron_raise(m, MEGATRON(RECOMPUTE_MODULE), VALUE(other));
	else if (m->front == FRONT_ARGUMENTS && names(said->node, "mla_up_proj") &&
		 is_absent(m, FIELD_MODEL_MLA_KV_LORA))
		megatron_raise(m, MEGATRON(RECOMPUTE_LATENT));
	else
		return;
	megatron_blame(m, FIELD_AC_MODULES);
}

/* validate_args in training/arguments.py, before a TransformerConfig is made. */
static void check_selective(struct megatron *m)
{
	if (m->front != FRONT_ARGUMENTS || !m->own_file || !known(m, FIELD_AC_METHOD) ||
	    strcmp(setting_text(&m->job->settings, FIELD_AC_MODE, ""), "selective") != 0)
		return;
	megatron_raise(m, MEGATRON(RECOMPUTE_BOTH));
	megatron_blame(m, FIELD_AC_MODE);
	megatron_blame(m, FIELD_AC_METHOD);
}

/* core/tensor_parallel/mappings.py: the sequence of a cp rank is cut once more by tp. */
static void check_late(struct megatron *m)
{
	const int64_t length = number(m, FIELD_SEQ_LEN), cp = m->degrees.cp;

	if (m->plan->error || length < 1 || m->degrees.tp < 2 ||
	    !setting_bool(&m->job->settings, FIELD_SEQUENCE_PARALLEL, false) || length % cp ||
	    length / cp % m->degrees.tp == 0)
		return;
	megatron_raise(m, MEGATRON(TOKENS_TP));
	megatron_blame(m, FIELD_SEQ_LEN);
	megatron_blame(m, FIELD_TP);
	plan_postpone(m->plan);
}

/* core/transformer/moe/moe_layer.py, forward: "parallelismare" is its own. */
static void check_moe(struct megatron *m)
{
	if (m->plan->error || m->plan->later || m->degrees.tp < 2 ||
	    number(m, FIELD_MODEL_MOE_EXPERTS) < 1 || !m->own_file ||
	    m->job->settings.items[FIELD_SEQUENCE_PARALLEL].invalid ||
	    setting_bool(&m->job->settings, FIELD_SEQUENCE_PARALLEL, false))
		return;
	megatron_raise(m, MEGATRON(MOE_SEQUENCE));
	megatron_blame(m, FIELD_TP);
	megatron_blame(m, FIELD_SEQUENCE_PARALLEL);
	plan_postpone(m->plan);
}

void megatron_validate_config(struct megatron *m)
{
	check_selective(m);
	if (!m->plan->error)
		check_heads(m);
	if (!m->plan->error && m->front != FRONT_OTHER && m->own_file)
		check_recompute(m);
	if (!m->plan->error && m->front != FRONT_OTHER && m->own_file)
		check_modules(m);
	if (!m->plan->error)
		check_uneven(m);
	if (!m->plan->error && m->front != FRONT_OTHER)
		megatron_validate_split(m);
	check_late(m);
	if (m->front == FRONT_ARGUMENTS)
		check_moe(m);
}
