#include "sim/workload/experts.h"

#include "input/node.h"

#include <math.h>
#include <string.h>

/* The version of the library that has the models, where the job pins it; or NULL. */
static const struct version *models_of(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const struct version *version = &job->versions.list.items[i];
		const struct wing *wing = wing_find(version->framework);
		if (wing && !wing->on && wing_does(wing, HABIT_HF_TRAINER, NULL))
			return version;
	}
	return NULL;
}

static bool loops_by_habit(const struct workload *work, const struct job *job)
{
	const struct version *models = models_of(job);

	return models ? wing_does(wing_find(models->framework), HABIT_MODELS_LOOP, models)
		      : workload_does(work, HABIT_LOOPS_EXPERTS);
}

/* The engine knows some families itself, in its pinned version or in that of the job's date. */
static bool engine_gathers_whole(const struct workload *work, const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, work->framework);
	const struct version *pinned = versions_find(&job->versions, engine);
	const struct version dated = { .label = "", .when = work->when };

	return work->model->traits->fetched_whole &&
	       !wing_does(wing_find(engine), HABIT_EXPERTS_APART, pinned ? pinned : &dated);
}

static enum expert_fetch fetch_of(const struct workload *work, const struct job *job)
{
	const struct setting *leaves = &job->settings.items[FIELD_LEAF_MODULES];
	bool whole;

	if (!work->deepspeed || work->zero != ZERO_PARAMETERS || work->packs_experts)
		return FETCH_BLOCK;
	if (setting_given(leaves) && leaves->node)
		whole = leaves->node->kind == NODE_LIST ? leaves->node->first != NULL
							: *leaves->node->text;
	else
		whole = job_does(job, HABIT_EXPERTS_WHOLE) || engine_gathers_whole(work, job);
	return whole ? FETCH_LEAF : FETCH_WEIGHT;
}

void workload_experts(struct workload *work, const struct job *job)
{
	const char *said = setting_text(&job->settings, FIELD_EXPERTS_BY, "");
	const bool habit = loops_by_habit(work, job);

	work->old_models = habit;
	work->loops_experts = work->model->experts > 0 && !work->megatron &&
			      !work->model->traits->batched_experts &&
			      (*said ? !strcmp(said, "loop") : habit);
	/* one parameter for all experts: GPT-OSS, and since transformers 5 all */
	work->packs_experts = work->model->traits->fused_experts ||
			      (!habit && workload_does(work, HABIT_TRANSFORMERS_MODELS));
	work->fetch = work->loops_experts ? fetch_of(work, job) : FETCH_BLOCK;
}

double workload_hits(const struct workload *work)
{
	const double experts = (double)work->model->experts, ep = (double)work->ep;
	const double missed = 1 - (double)work->model->topk / experts;

	return experts / ep * (1 - pow(missed, ep * (double)workload_tokens(work)));
}

/*
 * ZeRO-3 gathers weights ahead until they are as many elements as its bucket has, which
 * transformers fills in as nine tenths of the hidden size squared (transformers@v4.57.6
 * integrations/deepspeed.py, trainer_config_finalize; deepspeedai/DeepSpeed@38327e07
 * runtime/zero/partitioned_param_coordinator.py, fetch_sub_module). Weights of experts are above
 * the threshold below which they would stay whole, ten times the hidden size.
 */
struct apart workload_apart(const struct workload *work, double elements)
{
	const struct model *model = work->model;
	const double weights = (model->gated_mlp ? 3 : 2) * workload_hits(work);
	const double width = (double)model->expert_ffn / (double)work->etp;
	const double all = weights * width * (double)model->hidden;

	if (work->fetch != FETCH_WEIGHT || elements < all)
		return (struct apart) { 0 };
	return (struct apart) { all,
				ceil(weights / ceil(9 * (double)model->hidden / (10 * width))) };
}
