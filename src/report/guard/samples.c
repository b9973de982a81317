#include "report/guard/guard.h"

/* Candidates of one kind in one stage: the first one whose cuts divide, or else the first. */
struct pick {
	const struct sharded *first, *even;
};

struct stage_picks {
	struct pick column, row, any, last, ends, expert;
};

static bool is_cut(const struct mesh_dim *dim)
{
	return dim->placement.kind == PLACE_SHARD || dim->placement.kind == PLACE_STRIDED_SHARD;
}

/* Cuts are made from the right, as plan_box does. */
static bool divides(const struct sharded *s)
{
	int64_t left[PARAMETER_DIMS];
	int i;

	for (i = 0; i < s->parameter->dims; i++)
		left[i] = s->parameter->shape[i];
	for (i = s->dims - 1; i >= 0; i--) {
		const struct mesh_dim *dim = &s->dim[i];
		if (!is_cut(dim))
			continue;
		if (left[dim->placement.dim] % layout_size(dim->layout))
			return false;
		left[dim->placement.dim] /= layout_size(dim->layout);
	}
	return true;
}

static bool is_data_parallel(const struct plan *plan, const struct layout *layout)
{
	return layout == &plan->dense.shard || layout == &plan->dense.replicate ||
	       layout == &plan->expert.shard || layout == &plan->expert.replicate;
}

/* The dim that tensor parallelism cuts, or -1. */
static int model_cut(const struct plan *plan, const struct sharded *s)
{
	int i;

	for (i = 0; i < s->dims; i++)
		if (is_cut(&s->dim[i]) && !is_data_parallel(plan, s->dim[i].layout))
			return s->dim[i].placement.dim;
	return -1;
}

static void offer(struct pick *pick, const struct sharded *s)
{
	if (!pick->first)
		pick->first = s;
	if (!pick->even && divides(s))
		pick->even = s;
}

static const struct sharded *chosen(const struct pick *pick)
{
	return pick->even ? pick->even : pick->first;
}

static int first_layer(const struct plan *plan, int stage)
{
	int layer = -1;
	size_t i;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *s = &plan->parameters.items[i];
		if (s->stage == stage && s->parameter->layer >= 0 &&
		    (layer < 0 || s->parameter->layer < layer))
			layer = s->parameter->layer;
	}
	return layer;
}

static void offer_to_kinds(struct stage_picks *picks, const struct plan *plan,
			   const struct sharded *s, int layer)
{
	int cut = model_cut(plan, s);

	if (s->parameter->expert) {
		offer(&picks->expert, s);
	} else if (s->parameter->dims != 2) {
		return;
	} else if (s->parameter->layer < 0) {
		offer(&picks->ends, s);
	} else if (s->parameter->layer == layer) {
		offer(cut == 0 ? &picks->column : cut == 1 ? &picks->row : &picks->any, s);
		if (cut < 0)
			picks->last.first = s;
	}
}

static void put(const struct job *job, struct guard_samples *samples, const struct sharded *s,
		const char *kind)
{
	struct guard_sample sample = { .sharded = s, .kind = kind };

	if (!s)
		return;
	sample.even = divides(s);
	vec_push(job->arena, &samples->list, sample);
}

/* Without tensor parallelism no matrix is cut by columns or rows: two of them do. */
static void put_stage(const struct job *job, struct guard_samples *samples,
		      const struct stage_picks *picks)
{
	const struct sharded *column = chosen(&picks->column), *row = chosen(&picks->row);

	if (!column && !row) {
		put(job, samples, chosen(&picks->any), "matrix");
		if (picks->last.first != chosen(&picks->any))
			put(job, samples, picks->last.first, "matrix");
	}
	put(job, samples, column, "column");
	put(job, samples, row, "row");
	put(job, samples, chosen(&picks->ends), "embedding or output");
	put(job, samples, chosen(&picks->expert), "expert");
}

struct guard_samples guard_samples(const struct job *job)
{
	const struct plan *plan = job->applied;
	struct guard_samples samples = { { 0 } };
	int stages = plan->stages.count ? (int)plan->stages.count : 1, stage;
	size_t i;

	for (stage = 0; plan_places(plan) && stage < stages; stage++) {
		struct stage_picks picks = { .column = { NULL, NULL } };
		int layer = first_layer(plan, stage);

		for (i = 0; i < plan->parameters.count; i++)
			if (plan->parameters.items[i].stage == stage &&
			    !plan->parameters.items[i].copy)
				offer_to_kinds(&picks, plan, &plan->parameters.items[i], layer);
		put_stage(job, &samples, &picks);
	}
	return samples;
}
