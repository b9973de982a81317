#include "base/number.h"
#include "base/text.h"
#include "framework/placing_stages.h"
#include "wings/torchtitan/pipeline.h"
#include "wings/torchtitan/parallelize.h"
#include "wings/torchtitan/exceptions.h"
#include "wings/torchtitan/raise.h"
#include "wings/torchtitan/resume.h"
#include "wings/torchtitan/titan.h"

#include <string.h>

/* pytorch/torchtitan, every version of its timeline. */

static const struct version *version_of(const struct job *job)
{
	return versions_find(&job->versions, "torchtitan");
}

static int claims(const struct job *job)
{
	return version_of(job) ? 50 : 0;
}

/* Sequences that are so many tokens, where they are a whole number of them. */
static void count_sequences(struct job *job, enum field_id field, enum field_id from,
			    int64_t tokens)
{
	struct settings *settings = &job->settings;
	const int64_t length = setting_int(settings, FIELD_SEQ_LEN, 0);
	struct setting *setting = settings_of(settings, field);

	if (setting->origin == ORIGIN_DERIVED)
		setting_forget(settings, field);
	if (setting_given(setting) || setting_unresolved(settings, field) || tokens < 1 ||
	    length < 1 || tokens % length)
		return;
	setting = settings_put_int(settings, job->arena, field, tokens / length, ORIGIN_DERIVED);
	setting->note = "tokens over those of a sequence";
	setting_from(setting, settings_of(settings, from));
	setting_from(setting, settings_of(settings, FIELD_SEQ_LEN));
}

/*
 * Batches are given in tokens (73aed7f6c): of a model's forward pass, of which a pipeline has
 * several, and of a step (trainer.py).
 */
static void count_batches(struct job *job)
{
	const struct settings *settings = &job->settings;
	const int64_t passes = setting_int(settings, FIELD_PP, 1) > 1
				       ? setting_int(settings, FIELD_PP_MICROBATCHES, 1)
				       : 1;

	count_sequences(job, FIELD_LOCAL_BATCH_SIZE, FIELD_TOKENS_PER_MICROBATCH,
			multiply(setting_int(settings, FIELD_TOKENS_PER_MICROBATCH, 0), passes));
	count_sequences(job, FIELD_GLOBAL_BATCH_SIZE, FIELD_TOKENS_PER_STEP,
			setting_int(settings, FIELD_TOKENS_PER_STEP, -1));
}

/* Before there was a key for it (aeb3a4baf), tensor parallel cut the experts, too. */
static void defaults(struct job *job)
{
	const struct setting *tp = settings_of(&job->settings, FIELD_TP);
	int traits[TRAIT_COUNT];
	struct setting *etp;

	titan_traits(version_of(job)->when, traits);
	if (traits[TRAIT_TOKENS])
		count_batches(job);
	if (traits[TRAIT_EP] != EP_BORROWED || !setting_known(tp) ||
	    setting_given(settings_of(&job->settings, FIELD_ETP)))
		return;
	etp = settings_put_int(&job->settings, job->arena, FIELD_ETP, tp->integer, ORIGIN_DERIVED);
	etp->note = "this version cuts experts by tp";
	setting_from(etp, tp);
}

static enum naming naming(const struct job *job)
{
	moment_t when = version_of(job)->when;
	int traits[TRAIT_COUNT];

	titan_traits(when, traits);
	switch ((enum titan_names)traits[TRAIT_NAMES]) {
	case NAMES_TRANSPOSED:
		return NAMING_TITAN_V01;
	case NAMES_OUTPUT:
		break;
	case NAMES_LM_HEAD:
		return NAMING_TITAN_LM_HEAD;
	case NAMES_HEAD:
		return NAMING_TITAN_HEAD;
	}
	return NAMING_TITAN;
}

/* The torch a TorchTitan commit runs on: the pinned one, else that day's nightly. */
static struct torch_release torch_of(struct job *job, moment_t when)
{
	const struct version *torch = versions_find(&job->versions, "torch");
	struct torch_release release;

	if (torch && torch_parse(job->arena, torch->label, &release))
		return release;
	return torch_of_date(job->arena, (int)(when / 100));
}

static void start(struct job *job, struct titan *titan)
{
	const char *spmd = setting_text(&job->settings, FIELD_SPMD_BACKEND, NULL);

	memset(titan, 0, sizeof(*titan));
	titan->when = version_of(job)->when;
	titan_traits(titan->when, titan->traits);
	titan->family = job->model ? job->model->family : "";
	titan->moe = job->model ? job->model->experts > 0 : true;
	if (titan->traits[TRAIT_SPMD_TYPES] != FAMILIES_UNKNOWN)
		titan->spmd_types = spmd ? !strcmp(spmd, "spmd_types")
					 : titan->traits[TRAIT_SPMD] == SPMD_TYPES;
	titan->named_dims =
		titan->spmd_types || (titan->traits[TRAIT_FULL_DTENSOR] != FAMILIES_UNKNOWN &&
				      spmd && !strcmp(spmd, "full_dtensor"));
	titan->ft_mesh = titan->traits[TRAIT_FT_MESH] == FT_MANAGED_MESH &&
			 setting_bool(&job->settings, FIELD_FT_ENABLED, false);
	torch_world_init(&titan->torch, job->arena, torch_of(job, titan->when), job->world);
}

static void refuse_cp(struct job *job, struct plan *plan, const struct titan *titan)
{
	if (!titan->traits[TRAIT_CP_NEEDS_SPMD_TYPES] || titan->spmd_types ||
	    titan->degrees.cp <= 1)
		return;
	exception_raise(plan, TITAN(CP_BACKEND),
			VALUE(setting_text(&job->settings, FIELD_SPMD_BACKEND, "partial_dtensor")));
	titan_blame(job, plan, FIELD_CP);
	titan_blame(job, plan, FIELD_SPMD_BACKEND);
}

/* Experiments wrap and shard in their own way; their degrees and meshes are core's. */
static bool is_experiment(const struct job *job, struct plan *plan)
{
	const char *name = setting_text(&job->settings, FIELD_EXPERIMENT, NULL);

	if (!name)
		return false;
	plan->unmodelled = true;
	plan->unmodelled_why =
		arena_printf(plan->arena,
			     "the code of '%s' is not modelled: its degrees and meshes are judged, "
			     "nothing is claimed about its shards, units and stages",
			     text_on_line(plan->arena, name));
	return true;
}

static void apply(struct job *job, struct plan *plan)
{
	struct titan titan;

	start(job, &titan);
	if (titan.ft_mesh)
		plan->requested = STRATEGY_HSDP_FT;
	titan_validate_dims(job, plan, &titan);
	if (plan->error || !job->world)
		return;
	titan_build_mesh(job, plan, &titan);
	if (is_experiment(job, plan))
		return;
	if (!plan->error)
		refuse_cp(job, plan, &titan);
	titan_validate_model(job, plan, &titan);
	titan_pipeline_split(job, plan, &titan);
	titan_validate_parallelize(job, plan, &titan);
	if (!plan->error)
		titan_data_parallel(job, plan, &titan);
	titan_parallelize(job, plan, &titan);
	titan_validate_trainer(job, plan, &titan);
}

/* Stages, units and placements as this version makes them, on groups of another plan. */
static void complete(struct job *job, struct plan *plan)
{
	struct titan titan;

	if (plan->stages.count)
		return;
	start(job, &titan);
	titan.degrees = plan->degrees;
	titan_pipeline_split(job, plan, &titan);
	plan->error = NULL;
	place_stages(job, plan);
	titan_parallelize(job, plan, &titan);
}

const struct framework framework_torchtitan = {
	.name = "torchtitan",
	.summary = "TorchTitan, by commit",
	.claims = claims,
	.views_heads = true,
	.defaults = defaults,
	.naming = naming,
	.saves = titan_saves,
	.apply = apply,
	.complete = complete,
	.fitting_layers = titan_fitting_layers,
	.resume = titan_resume,
};
