#include "wings/torchtitan/parallelize.h"

#include "base/number.h"
#include "framework/wing.h"
#include "wings/torchtitan/exceptions.h"
#include "wings/torchtitan/experts.h"
#include "wings/torchtitan/rope.h"

#include <string.h>

/*
 * What TorchTitan itself refuses, apart from degrees and meshes, in the order in which the code
 * comes to it. Sources: torchtitan models/{llama3,llama4,deepseek_v3,qwen3,gpt_oss}/model/args.py
 * and infra/parallelize.py, train.py, distributed/{tensor_parallel,dual_pipe_v}.py at f7084fc78
 * (v0.1.0), 29624e37f (v0.2.0), 81af8833d (v0.2.1), 73a0e6979 (v0.2.2); trainer.py and
 * models/common/decoder.py at b5bcd76c6.
 */

struct check {
	struct job *job;
	struct plan *plan;
	const struct titan *titan;
};

static int trait(const struct check *c, enum trait trait)
{
	return c->titan->traits[trait];
}

static bool is_family(const struct check *c, const char *name)
{
	return !strcmp(c->titan->family, name);
}

static void blame(const struct check *c, enum field_id first, enum field_id second)
{
	plan_blame(c->plan, settings_of(&c->job->settings, first));
	plan_blame(c->plan, settings_of(&c->job->settings, second));
}

/* The attention kernel of the flavour; since 2026 flex unless something else is asked for. */
static const char *attention(const struct check *c)
{
	const char *fixed = c->job->model ? c->job->model->attention : NULL;

	if (fixed)
		return fixed;
	return trait(c, TRAIT_FLEX_DEFAULT) ? "flex" : "sdpa";
}

/* The class that dispatches tokens (config_utils.py). */
static const char *dispatcher(const struct check *c)
{
	return strcmp(setting_text(&c->job->settings, FIELD_EXPERT_DISPATCHER, "standard"),
		      "deepep")
		       ? "AllToAllTokenDispatcher.Config"
		       : "DeepEPTokenDispatcher.Config";
}

static void check_cuda_graphs(const struct check *c)
{
	const char *graphs = setting_text(&c->job->settings, FIELD_CUDA_GRAPH, "true");
	const bool routed = c->job->model && c->job->model->experts > 1;

	if (!trait(c, TRAIT_CUDA_GRAPHS) || !strcmp(graphs, "false"))
		return;
	if (c->titan->degrees.pp > 1) {
		exception_raise(c->plan, TITAN(CUDA_GRAPHS));
		blame(c, FIELD_PP, FIELD_CUDA_GRAPH);
	} else if (c->titan->degrees.ep > 1 && routed && job_waits_for_host(c->job)) {
		exception_raise(c->plan, TITAN(CUDA_GRAPHS_EXPERTS), VALUE(dispatcher(c)));
		blame(c, FIELD_EP, FIELD_CUDA_GRAPH);
	}
}

static void check_tokens(const struct check *c)
{
	const struct degrees *d = &c->titan->degrees;
	const int64_t tokens = setting_int(&c->job->settings, FIELD_TOKENS_PER_MICROBATCH, 0);
	int64_t parts = d->cp > 1 ? 2 * d->cp : 1;

	if (setting_bool(&c->job->settings, FIELD_SEQUENCE_PARALLEL, true))
		parts *= d->tp;
	if (trait(c, TRAIT_SEQ_LEN) != SEQ_LEN_TOKENS || tokens % parts == 0)
		return;
	exception_raise(c->plan, TITAN(TOKENS), VALUE(tokens), VALUE(parts));
	blame(c, FIELD_TOKENS_PER_MICROBATCH, d->tp > 1 ? FIELD_TP : FIELD_CP);
}

static void raise_cp(const struct check *c, const struct exception *row)
{
	exception_raise(c->plan, row);
	blame(c, FIELD_CP, FIELD_MODEL_PRESET);
}

/* v0.1.0, update_from_config of the Llamas. */
static void check_flex_attention(const struct check *c)
{
	const char *mode = setting_text(&c->job->settings, FIELD_AC_MODE, "none");

	if (trait(c, TRAIT_CP_ATTENTION) != CP_ATTENTION_NOT_FLEX ||
	    strcmp(attention(c), "flex") != 0 ||
	    !(is_family(c, "llama3") || is_family(c, "llama4")))
		return;
	if (!strcmp(mode, "selective")) {
		exception_raise(c->plan, TITAN(FLEX_AC));
		blame(c, FIELD_AC_MODE, FIELD_MODEL_PRESET);
	} else if (c->titan->degrees.cp > 1) {
		raise_cp(c, TITAN(FLEX_CP));
	}
}

/* After v0.1.0 the model's arguments refuse context parallel, each in its words. */
static void check_cp_of_model(const struct check *c)
{
	const int refused = trait(c, TRAIT_CP_ATTENTION);
	const char *kernel = attention(c);

	if (c->titan->degrees.cp <= 1 || refused == CP_ATTENTION_NOT_FLEX)
		return;
	if (refused == CP_ATTENTION_FLEX_ONLY && strcmp(kernel, "flex") != 0)
		raise_cp(c, TITAN(CP_NEEDS_FLEX));
	if (refused == CP_ATTENTION_BY_MODEL && is_family(c, "gpt_oss"))
		raise_cp(c, TITAN(CP_GPT_OSS));
	if (refused == CP_ATTENTION_FLEX_ONLY || !strcmp(kernel, "sdpa") ||
	    trait(c, TRAIT_PYTHON_CONFIG))
		return;
	if (refused == CP_ATTENTION_SDPA_ONLY && is_family(c, "deepseek_v3"))
		raise_cp(c, TITAN(CP_DEEPSEEK));
	else if (refused != CP_ATTENTION_BY_MODEL)
		raise_cp(c, TITAN(CP_FLEX));
}

static void check_tied(const struct check *c)
{
	if (!c->job->model || !c->job->model->tied_embeddings || c->titan->degrees.pp <= 1 ||
	    trait(c, TRAIT_UNITS) < UNITS_TIED_BUT_LLAMA3)
		return;
	exception_raise(c->plan, TITAN(TIED));
	blame(c, FIELD_PP, FIELD_MODEL_TIED_EMBEDDINGS);
}

static void check_varlen_pipeline(const struct check *c)
{
	if (!trait(c, TRAIT_VARLEN_PP_REFUSED) || c->titan->degrees.pp <= 1 ||
	    strcmp(attention(c), "varlen") != 0)
		return;
	exception_raise(c->plan, TITAN(PP_VARLEN));
	blame(c, FIELD_PP, FIELD_MODEL_PRESET);
}

/* 28483d0eb, for an afternoon: deepseek_v3's attention is asked for key/value heads, which it
 * lacks.
 */
static void check_heads_asked(const struct check *c)
{
	const struct model *model = c->job->model;

	if (!model || !model->kv_lora || c->titan->degrees.tp <= 1 ||
	    trait(c, TRAIT_HEADS_CHECKED) != HEADS_CHECKED_KV_ASKED)
		return;
	exception_raise(c->plan, TITAN(NO_KV_HEADS));
	blame(c, FIELD_TP, FIELD_MODEL_PRESET);
}

static void check_heads(const struct check *c)
{
	const int64_t tp = c->titan->degrees.tp;
	const struct model *model = c->job->model;
	const bool heads = model && model->heads % tp == 0;

	if (!model || tp <= 1 || !trait(c, TRAIT_HEADS_CHECKED) ||
	    (model->kv_lora && trait(c, TRAIT_HEADS_CHECKED) == HEADS_CHECKED_KV) ||
	    (heads && (model->kv_lora || model->kv_heads % tp == 0)))
		return;
	exception_raise(c->plan, heads ? TITAN(KV_HEADS) : TITAN(HEADS), VALUE(tp),
			VALUE(heads ? model->kv_heads : model->heads));
	blame(c, FIELD_TP, heads ? FIELD_MODEL_KV_HEADS : FIELD_MODEL_HEADS);
}

/* torchtitan@253a12a2a (#4258): experts must divide over ep. */
static void check_experts(const struct check *c)
{
	const struct model *model = c->job->model;
	const int64_t ep = c->titan->degrees.ep;

	if (!model || !model->experts || ep <= 1 || model->experts % ep == 0 ||
	    trait(c, TRAIT_EP) != EP_SPARSE_CHECKED)
		return;
	exception_raise(c->plan, TITAN(EXPERTS),
			VALUE(model->interleave > 1 ? model->interleave - 1 : model->dense_layers),
			VALUE(model->experts), VALUE(ep));
	blame(c, FIELD_EP, FIELD_MODEL_MOE_EXPERTS);
}

/* Converters got longer names in 5b5d46856; an old one is looked up and not found. */
static void check_converters(const struct check *c)
{
	static const char *const old[] = { "float8", "mx" };
	size_t i;

	if (!trait(c, TRAIT_CONVERTER_NAMES) || trait(c, TRAIT_PYTHON_CONFIG))
		return;
	for (i = 0; i < sizeof(old) / sizeof(*old); i++)
		if (setting_lists(&c->job->settings, FIELD_CONVERTERS, old[i])) {
			exception_raise(c->plan, TITAN(CONVERTER), VALUE(old[i]));
			blame(c, FIELD_CONVERTERS, FIELD_CONVERTERS);
		}
}

/* The asserts in front of the product: a batch of nothing, and a division by it. */
static void check_batch_positive(const struct check *c, int64_t global, int64_t local, int64_t dp)
{
	if (global < 0)
		global = multiply(local, dp);
	if (global > 0 && local)
		return;
	if (global > 0)
		exception_raise(c->plan, TITAN(BATCH_OF_NOTHING));
	else
		exception_raise(c->plan, TITAN(BATCH_BELOW_ONE));
	blame(c, local < 1 ? FIELD_LOCAL_BATCH_SIZE : FIELD_GLOBAL_BATCH_SIZE,
	      FIELD_LOCAL_BATCH_SIZE);
}

/* trainer.py since batches are counted in tokens (73aed7f6c). */
static void check_tokens_per_step(const struct check *c)
{
	const struct settings *settings = &c->job->settings;
	const struct degrees *d = &c->titan->degrees;
	const int64_t step = setting_int(settings, FIELD_TOKENS_PER_STEP, -1);
	const int64_t parts = d->pp > 1 ? setting_int(settings, FIELD_PP_MICROBATCHES, 1) : 1;
	const int64_t each = setting_int(settings, FIELD_TOKENS_PER_MICROBATCH, 0);
	const int64_t unit =
		multiply(multiply(each, parts), multiply(d->dp_replicate, d->dp_shard));

	if (!trait(c, TRAIT_TOKENS) || step < 0 || unit < 1 || step % unit == 0)
		return;
	exception_raise(c->plan, TITAN(TOKENS_PER_STEP), VALUE(step), VALUE(unit));
	blame(c, FIELD_TOKENS_PER_STEP, FIELD_TOKENS_PER_MICROBATCH);
}

/* train.py since gradient accumulation (8570415c3). */
static void check_batch(const struct check *c)
{
	const struct setting *global = settings_of(&c->job->settings, FIELD_GLOBAL_BATCH_SIZE);
	const int64_t local = setting_int(&c->job->settings, FIELD_LOCAL_BATCH_SIZE, 0);
	const struct degrees *d = &c->titan->degrees;
	const int64_t dp = multiply(d->dp_replicate, d->dp_shard), whole = multiply(local, dp);

	if (!trait(c, TRAIT_BATCH_CHECKED) || trait(c, TRAIT_TOKENS) || dp < 1 ||
	    !setting_known(settings_of(&c->job->settings, FIELD_LOCAL_BATCH_SIZE)))
		return;
	if (local < 1 || (setting_known(global) && !global->integer)) {
		check_batch_positive(c, setting_known(global) ? global->integer : -1, local, dp);
		return;
	}
	if (!setting_known(global) || global->integer < 0 || global->integer % whole == 0)
		return;
	exception_raise(c->plan, TITAN(BATCH), VALUE(global->integer), VALUE(local), VALUE(dp));
	blame(c, FIELD_GLOBAL_BATCH_SIZE, FIELD_LOCAL_BATCH_SIZE);
}

/* The model's own words come after those of the decoder (models/llama4/model.py). */
static void check_rope(const struct check *c)
{
	const int64_t length = setting_int(&c->job->settings, FIELD_SEQ_LEN, 0);
	const int64_t reach = rope_reach(c->job->model, c->titan);

	if (!trait(c, TRAIT_ROPE) || !reach || length <= reach)
		return;
	exception_raise(c->plan, titan_told(TITAN_ROPE_MODEL, c->titan->when), VALUE(length),
			VALUE(reach));
	blame(c, FIELD_SEQ_LEN, FIELD_MODEL_PRESET);
}

static void check_cp_llama4(const struct check *c)
{
	if (trait(c, TRAIT_PYTHON_CONFIG) && c->titan->degrees.cp > 1 && is_family(c, "llama4"))
		raise_cp(c, TITAN(CP_LLAMA4));
}

/* pipelining_fn is None for qwen3 up to 6b081f404 and gpt_oss up to 8e5554449. */
static void check_pipelining(const struct check *c)
{
	const int have = trait(c, TRAIT_PIPELINES);

	if (c->titan->degrees.pp <= 1 ||
	    !((is_family(c, "qwen3") && have < FAMILIES_ALL_BUT_GPT_OSS) ||
	      (is_family(c, "gpt_oss") && have < FAMILIES_ALL)))
		return;
	exception_raise(c->plan, TITAN(NO_PIPELINE), VALUE(c->titan->family));
	blame(c, FIELD_PP, FIELD_MODEL_PRESET);
}

static bool model_compiled(const struct check *c)
{
	const struct setting *components = settings_of(&c->job->settings, FIELD_COMPILE_COMPONENTS);

	return setting_bool(&c->job->settings, FIELD_COMPILE, false) &&
	       (!setting_known(components) ||
		setting_lists(&c->job->settings, FIELD_COMPILE_COMPONENTS, "model"));
}

/* The config itself refuses it, whatever the degrees are (config/configs.py, 5ab3a0fd1). */
static void check_async_tp_config(const struct check *c)
{
	if (!trait(c, TRAIT_ASYNC_TP_CONFIG) || model_compiled(c) ||
	    !setting_bool(&c->job->settings, FIELD_ASYNC_TP, false))
		return;
	exception_raise(c->plan, TITAN(ASYNC_TP_CONFIG));
	blame(c, FIELD_ASYNC_TP, FIELD_COMPILE);
}

void titan_validate_model(struct job *job, struct plan *plan, const struct titan *titan)
{
	static void (*const checks[])(const struct check *) = {
		check_async_tp_config, check_cuda_graphs, check_tokens,
		check_flex_attention,  check_cp_of_model, check_tied,
		check_varlen_pipeline, check_heads_asked, check_heads,
		check_experts,	       check_rope,	  check_cp_llama4,
		check_pipelining,
	};
	const struct check c = { .job = job, .plan = plan, .titan = titan };
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(*checks) && !plan->error; i++)
		checks[i](&c);
}

/* Every parallelize function since 6f6a89727; the factor 2, from 6204cdff9, counts even without cp.
 */
static void check_seq_len(const struct check *c)
{
	static const char line[] = "\n        ";
	const struct degrees *d = &c->titan->degrees;
	const int64_t length = setting_int(&c->job->settings, FIELD_SEQ_LEN, 0);
	const bool twice = trait(c, TRAIT_SEQ_LEN) == SEQ_LEN_DIVISOR;

	if ((trait(c, TRAIT_SEQ_LEN) != SEQ_LEN_PRODUCT && !twice) ||
	    length % (d->tp * (twice ? 2 : 1) * d->cp) == 0)
		return;
	exception_raise(c->plan, TITAN(SEQ_LEN), VALUE(line), VALUE(length), VALUE(line),
			VALUE(d->tp), VALUE(twice ? "2 * " : ""), VALUE(d->cp), VALUE(line));
	blame(c, FIELD_SEQ_LEN, d->tp > 1 ? FIELD_TP : FIELD_CP);
}

/* v0.2.2: SDPA only, for the families whose parallelize function says so first. */
static void check_cp_sdpa_only(const struct check *c)
{
	if (trait(c, TRAIT_CP_ATTENTION) != CP_ATTENTION_BY_MODEL ||
	    trait(c, TRAIT_PYTHON_CONFIG) || c->titan->degrees.cp <= 1 ||
	    !strcmp(attention(c), "sdpa") ||
	    !(is_family(c, "deepseek_v3") || is_family(c, "qwen3")))
		return;
	exception_raise(c->plan, TITAN(CP_SDPA_ONLY), VALUE(attention(c)));
	blame(c, FIELD_CP, FIELD_MODEL_PRESET);
}

static void check_async_tp(const struct check *c)
{
	const bool own_words = is_family(c, "qwen3") || is_family(c, "gpt_oss");

	if (trait(c, TRAIT_ASYNC_TP_CONFIG) || c->titan->degrees.tp <= 1 || model_compiled(c) ||
	    !setting_bool(&c->job->settings, FIELD_ASYNC_TP, false))
		return;
	exception_raise(c->plan, own_words ? TITAN(ASYNC_TP_OWN_WORDS)
					   : titan_told(TITAN_ASYNC_TP, c->titan->when));
	blame(c, FIELD_ASYNC_TP, FIELD_COMPILE);
}

static void check_expert_mesh(const struct check *c)
{
	experts_check_mesh(c->job, c->plan, c->titan);
}

/* Reached only while the converter was still called "float8". */
static void check_float8_tp(const struct check *c)
{
	const char *recipe = setting_text(&c->job->settings, FIELD_FLOAT8_RECIPE, "tensorwise");

	if (!is_family(c, "deepseek_v3") || c->titan->degrees.tp <= 1 ||
	    trait(c, TRAIT_CONVERTER_NAMES) || !strncmp(recipe, "rowwise", 7) ||
	    !setting_lists(&c->job->settings, FIELD_CONVERTERS, "float8"))
		return;
	exception_raise(c->plan, TITAN(FLOAT8_TP));
	blame(c, FIELD_CONVERTERS, FIELD_TP);
}

static void check_deepseek_compile(const struct check *c)
{
	if (!is_family(c, "deepseek_v3") || trait(c, TRAIT_DEEPSEEK_COMPILES) ||
	    !setting_bool(&c->job->settings, FIELD_COMPILE, false))
		return;
	exception_raise(c->plan, TITAN(DEEPSEEK_COMPILE));
	blame(c, FIELD_COMPILE, FIELD_MODEL_PRESET);
}

/* d64eabcce to 98efb19e1: every parallelize function but llama3's. */
static void check_full_dtensor(const struct check *c)
{
	if (!c->titan->named_dims || c->titan->spmd_types || titan_names_dims(c->titan))
		return;
	exception_raise(c->plan, TITAN(FULL_DTENSOR));
	blame(c, FIELD_SPMD_BACKEND, FIELD_MODEL_PRESET);
}

/* Up to 5dd944e62: full_dtensor.py, validate_config; context_parallel/api.py, apply_cp_to_forward.
 */
static void check_cp_by_backend(const struct check *c)
{
	const bool named = titan_names_dims(c->titan);
	const char *kernel = attention(c);

	if (c->titan->degrees.cp <= 1 || trait(c, TRAIT_CP_ATTENTION) != CP_ATTENTION_NOT_VARLEN ||
	    !strcmp(kernel, "flex") || (!named && strcmp(kernel, "varlen") != 0))
		return;
	if (named)
		exception_raise(c->plan, TITAN(CP_NAMED),
				VALUE(c->titan->spmd_types ? "spmd_types" : "full_dtensor"));
	else
		exception_raise(c->plan, TITAN(CP_VARIABLE));
	blame(c, FIELD_CP, FIELD_SPMD_BACKEND);
}

static void check_deepep(const struct check *c)
{
	const char *name = setting_text(&c->job->settings, FIELD_EXPERT_DISPATCHER, "standard");

	if (strcmp(name, "deepep") != 0 || trait(c, TRAIT_EP) != EP_SPARSE_ETP ||
	    trait(c, TRAIT_PYTHON_CONFIG) ||
	    !(is_family(c, "llama4") || is_family(c, "deepseek_v3")))
		return;
	if (c->titan->degrees.ep <= 1)
		exception_raise(c->plan, TITAN(DEEPEP_EP));
	else if (c->titan->degrees.etp > 1)
		exception_raise(c->plan, TITAN(DEEPEP_ETP));
	else
		return;
	blame(c, FIELD_EXPERT_DISPATCHER, c->titan->degrees.ep <= 1 ? FIELD_EP : FIELD_ETP);
}

static void check_dual_pipe(const struct check *c)
{
	const char *schedule = setting_text(&c->job->settings, FIELD_PP_SCHEDULE, "");
	const char *mode = setting_text(&c->job->settings, FIELD_AC_MODE, "none");

	if (c->titan->degrees.pp <= 1 || c->titan->degrees.ep <= 1 || !c->titan->moe ||
	    strcmp(schedule, "DualPipeV") != 0 || !strcmp(mode, "none") ||
	    !setting_bool(&c->job->settings, FIELD_EXPERT_OVERLAP, false))
		return;
	exception_raise(c->plan, TITAN(DUAL_PIPE_AC));
	blame(c, FIELD_AC_MODE, FIELD_PP_SCHEDULE);
}

/* v0.2.2: the Llamas have context parallel for SDPA and FlexAttention. */
static void check_cp_varlen(const struct check *c)
{
	if (trait(c, TRAIT_CP_ATTENTION) != CP_ATTENTION_BY_MODEL || c->titan->degrees.cp <= 1 ||
	    strcmp(attention(c), "varlen") != 0)
		return;
	exception_raise(c->plan, TITAN(CP_VARLEN));
	blame(c, FIELD_CP, FIELD_MODEL_PRESET);
}

/* torchtitan#2446: until context parallelism was told by attention module (261819688). */
static void check_cp_tp(const struct check *c)
{
	const int refused = trait(c, TRAIT_CP_TP_REFUSED);
	const char *name = is_family(c, "deepseek_v3")			       ? "DeepSeek-V3"
			   : is_family(c, "gpt_oss")			       ? "gpt-oss"
			   : is_family(c, "qwen3") && refused == CP_TP_REFUSED ? "Qwen3"
									       : NULL;

	if (!refused || !name || c->titan->degrees.cp <= 1 || c->titan->degrees.tp <= 1)
		return;
	exception_raise(c->plan, TITAN(CP_TP), VALUE(name));
	blame(c, FIELD_CP, FIELD_TP);
}

static void check_checkpointing(const struct check *c)
{
	const char *mode = setting_text(&c->job->settings, FIELD_AC_MODE, "none");
	const char *option = setting_text(&c->job->settings, FIELD_AC_OPTION, "op");

	if (strcmp(mode, "selective") != 0 || trait(c, TRAIT_PYTHON_CONFIG) ||
	    !strcmp(option, "op") || (*option && !option[strspn(option, "0123456789")]))
		return;
	exception_raise(c->plan, TITAN(AC_OPTION), VALUE(option));
	blame(c, FIELD_AC_OPTION, FIELD_AC_MODE);
}

void titan_validate_parallelize(struct job *job, struct plan *plan, const struct titan *titan)
{
	static void (*const checks[])(const struct check *) = {
		check_seq_len,		check_full_dtensor,
		check_cp_sdpa_only,	check_async_tp,
		check_float8_tp,	check_expert_mesh,
		check_deepep,		check_dual_pipe,
		check_cp_varlen,	check_cp_tp,
		check_checkpointing,	check_cp_by_backend,
		check_deepseek_compile,
	};
	const struct check c = { .job = job, .plan = plan, .titan = titan };
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(*checks) && !plan->error; i++)
		checks[i](&c);
}

static bool between(const struct check *c, const char *since, const char *until)
{
	return timeline_within(&timeline_torchtitan, c->titan->when, since, until);
}

/*
 * torchtitan@f504a14a6 optimizer.py, build_optimizers; @01f4e5022 for experts; later in trainer.py,
 * until such optimizers left (@632f67f12).
 */
static void check_early_steps(const struct check *c)
{
	const struct degrees *d = &c->titan->degrees;

	if (!setting_bool(&c->job->settings, FIELD_OPTIMIZER_IN_BACKWARD, false))
		return;
	if (d->ep > 1 && between(c, "01f4e5022", "632f67f12")) {
		exception_raise(c->plan, TITAN(STEPS_EARLY_EP));
		blame(c, FIELD_OPTIMIZER_IN_BACKWARD, FIELD_EP);
	} else if (d->pp > 1 && between(c, "f504a14a6", "632f67f12")) {
		exception_raise(c->plan, titan_told(TITAN_STEPS_EARLY_PP, c->titan->when));
		blame(c, FIELD_OPTIMIZER_IN_BACKWARD, FIELD_PP);
	}
}

void titan_validate_trainer(struct job *job, struct plan *plan, const struct titan *titan)
{
	const struct check c = { .job = job, .plan = plan, .titan = titan };

	if (plan->error)
		return;
	check_converters(&c);
	if (!plan->error)
		check_tokens_per_step(&c);
	if (!plan->error)
		check_batch(&c);
	titan_validate_schedule(job, plan, titan);
	if (!plan->error)
		check_early_steps(&c);
	plan_postpone(plan);
}
