#include "wings/megatron/megatron.h"

#include "input/field.h"
#include "wings/megatron/keys.h"

#include <string.h>

/*
 * What is raised when the model is built (megatron/core/transformer/transformer_config.py
 * __post_init__) and in its first forward pass, at d98e8a64.
 */

/* NVIDIA/Megatron-LM@2e193aebe2: --recompute-num-layers has no default since then; @08abeedbfe:
 * layers that predict more tokens want it to be 1. */
enum { RECOMPUTE_COUNTS = 20230905, RECOMPUTE_ONE_BY_ONE = 20250811 };

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

/* The first word of a list that is none of those, or NULL. */
static const char *stranger(const struct node *list, const char *words)
{
	const struct node *word;

	for (word = list->first; word; word = word->next)
		if (word->kind == NODE_SCALAR && !word->unresolved &&
		    !words_have(words, word->text))
			return word->text;
	return NULL;
}

static bool names(const struct node *list, const char *module)
{
	const struct node *word;

	for (word = list->first; word; word = word->next)
		if (word->kind == NODE_SCALAR && !strcmp(word->text, module))
			return true;
	return false;
}

/* Layers that predict more tokens are units of their own, in their first forward pass. */
static void check_predictions(struct megatron *m)
{
	const struct settings *settings = &m->job->settings;

	if (m->plan->error || m->plan->later || !m->own_file ||
	    !megatron_since(m, RECOMPUTE_ONE_BY_ONE) ||
	    strcmp(setting_text(settings, FIELD_AC_MODE, ""), "full") != 0 ||
	    strcmp(setting_text(settings, FIELD_AC_METHOD, ""), "uniform") != 0 ||
	    setting_int(settings, FIELD_AC_LAYERS, 1) < 2 ||
	    setting_int(settings, FIELD_MODEL_MTP, 0) < 1)
		return;
	megatron_raise(m, MEGATRON(RECOMPUTE_PREDICTIONS));
	megatron_blame(m, FIELD_AC_LAYERS);
	megatron_blame(m, FIELD_MODEL_MTP);
	plan_postpone(m->plan);
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

/* ---- flags that no setting has: of scripts that hand over no others ---- */

/* fp8 of the recipe that is the default: delayed scaling (since 3db741160b). */
static bool delays_scaling(const struct node *flags)
{
	const struct node *format = megatron_argument(flags, "fp8_format");
	const struct node *recipe = megatron_argument(flags, "fp8_recipe");

	return format && format->kind == NODE_SCALAR && !format->unresolved &&
	       words_have("e4m3|hybrid", format->text) &&
	       (!recipe || (recipe->kind == NODE_SCALAR && !recipe->unresolved &&
			    !strcmp(recipe->text, "delayed")));
}

/* Shared experts are computed again, and while others exchange. */
static bool overlaps_shared(const struct megatron *m, const struct node *modules,
			    const struct node *flags)
{
	return names(modules, "shared_experts") && known(m, FIELD_MODEL_MOE_SHARED_FFN) &&
	       megatron_is_on(flags, "moe_shared_expert_overlap");
}

/* What modules that are computed again do not go with. */
static void check_companions(struct megatron *m)
{
	enum { FP8_REFUSED = 20250428, SHARED_REFUSED = 20250819 };
	const struct setting *said = &m->job->settings.items[FIELD_AC_MODULES];
	const struct node *flags;
	bool act;

	if (!setting_known(said) || !said->node ||
	    strcmp(setting_text(&m->job->settings, FIELD_AC_MODE, ""), "selective") != 0)
		return;
	flags = megatron_all_flags(&m->job->document, m->job->arena);
	act = names(said->node, "moe_act");
	if (flags && act && !megatron_argument(flags, "moe_grouped_gemm"))
		megatron_raise(m, MEGATRON(RECOMPUTE_ACT));
	else if (megatron_since(m, SHARED_REFUSED) && overlaps_shared(m, said->node, flags))
		megatron_raise(m, MEGATRON(RECOMPUTE_SHARED));
	else if (megatron_since(m, FP8_REFUSED) && delays_scaling(flags) &&
		 (act || names(said->node, "layernorm")))
		megatron_raise(m, megatron_told(MEGATRON_RECOMPUTE_FP8, m->when));
	else
		return;
	megatron_blame(m, FIELD_AC_MODULES);
	if (delays_scaling(flags))
		megatron_blame(m, FIELD_MATMUL_DTYPE);
}

/* By their number, by the layers of each, or maybe by a layout. */
static bool has_virtual_stages(const struct megatron *m)
{
	static const enum field_id fields[] = { FIELD_PP_VIRTUAL_STAGES, FIELD_PP_LAYERS_PER_STAGE,
						FIELD_PP_LAYER_SPLIT };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!is_absent(m, fields[i]))
			return true;
	return false;
}

/* The first that is asked of the exchange of experts that overlaps, or NULL; who is to blame. */
static const struct exception *refused_exchange(const struct megatron *m, const struct node *flags,
						enum field_id *blamed)
{
	enum { VIRTUAL_TAKEN = 20250826, MOE_REFUSED = 20260320 };
	const struct settings *s = &m->job->settings;
	const struct setting *modules = &s->items[FIELD_AC_MODULES];

	*blamed = FIELD_PP;
	if (m->degrees.pp > 1 && (!megatron_since(m, VIRTUAL_TAKEN) || !has_virtual_stages(m)))
		return megatron_told(MEGATRON_EXCHANGE_PP, m->when);
	*blamed = FIELD_EP;
	if (m->degrees.ep == 1)
		return MEGATRON(EXCHANGE_EP);
	*blamed = FIELD_EXPERT_DISPATCHER;
	if (!strcmp(setting_text(s, FIELD_EXPERT_DISPATCHER, ""), "allgather"))
		return MEGATRON(EXCHANGE_DISPATCHER);
	*blamed = FIELD_AC_MODE;
	if (!strcmp(setting_text(s, FIELD_AC_MODE, ""), "full"))
		return MEGATRON(EXCHANGE_FULL);
	*blamed = FIELD_AC_MODULES;
	if (megatron_since(m, MOE_REFUSED) && setting_known(modules) && modules->node &&
	    names(modules->node, "moe"))
		return MEGATRON(EXCHANGE_MOE);
	return megatron_is_on(flags, "moe_shared_expert_overlap") ? MEGATRON(EXCHANGE_SHARED)
								  : NULL;
}

static void check_exchange(struct megatron *m)
{
	enum { OVERLAPS = 20250801 };
	const struct exception *row;
	const struct node *flags;
	enum field_id blamed;

	if (!megatron_since(m, OVERLAPS) ||
	    !setting_bool(&m->job->settings, FIELD_EXPERT_OVERLAP, false))
		return;
	flags = megatron_all_flags(&m->job->document, m->job->arena);
	if (!flags)
		return;
	row = refused_exchange(m, flags, &blamed);
	if (!row)
		return;
	megatron_raise(m, row);
	megatron_blame(m, FIELD_EXPERT_OVERLAP);
	megatron_blame(m, blamed);
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

/* core/transformer/moe/moe_layer.py, forward in training: "parallelismare" is its own. */
static void check_moe(struct megatron *m)
{
	if (m->job->document.no_job || m->plan->error || m->plan->later || m->degrees.tp < 2 ||
	    number(m, FIELD_MODEL_MOE_EXPERTS) < 1 || !m->own_file ||
	    m->job->settings.items[FIELD_SEQUENCE_PARALLEL].invalid ||
	    setting_bool(&m->job->settings, FIELD_SEQUENCE_PARALLEL, false))
		return;
	megatron_raise(m, MEGATRON(MOE_SEQUENCE));
	megatron_blame(m, FIELD_TP);
	megatron_blame(m, FIELD_SEQUENCE_PARALLEL);
	plan_postpone(m->plan);
}

/* The first that is raised of recomputation and of what goes with it. */
static void check_recomputation(struct megatron *m)
{
	static void (*const checks[])(struct megatron *) = { check_recompute, check_modules,
							     check_companions, check_exchange };
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]) && !m->plan->error; i++)
		if (i < 2 ? m->front != FRONT_OTHER && m->own_file : m->front == FRONT_ARGUMENTS)
			checks[i](m);
}

void megatron_validate_config(struct megatron *m)
{
	check_selective(m);
	if (!m->plan->error)
		check_heads(m);
	check_recomputation(m);
	if (!m->plan->error)
		megatron_validate_placed(m);
	if (!m->plan->error)
		check_uneven(m);
	if (!m->plan->error && m->front != FRONT_OTHER)
		megatron_validate_split(m);
	check_late(m);
	if (m->front == FRONT_ARGUMENTS)
		check_moe(m);
	if (m->front != FRONT_OTHER)
		check_predictions(m);
}
