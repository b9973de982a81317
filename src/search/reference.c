#include "search/reference.h"

#include "base/text.h"
#include "framework/wing.h"
#include "search/candidate.h"
#include "search/dealing.h"
#include "search/site.h"
#include "sim/forecast.h"
#include "sim/overhead.h"
#include "sim/recompute.h"

#include <string.h>

/* Layouts that are tried for one that has a workload. */
enum { ATTEMPTS = 512 };

static void count_elements(struct reference *reference)
{
	const struct model *model = reference->work.model;
	size_t i;
	int64_t layer;

	for (i = 0; i < model->parameters.count; i++) {
		const struct parameter *parameter = &model->parameters.items[i];
		double elements = 1;
		int dim;
		for (dim = 0; dim < parameter->dims; dim++)
			elements *= (double)parameter->shape[dim];
		*(parameter->expert ? &reference->routed : &reference->dense) += elements;
		reference->inside += parameter->layer >= 0 ? elements : 0;
	}
	for (layer = 0; layer < model->layers; layer++)
		reference->blocks[model_layer_has_experts(model, (int)layer)]++;
}

/* A job may say itself which layers its stages have. */
static bool cuts_evenly(const struct job *job)
{
	static const enum field_id fields[] = { FIELD_PP_FIRST_STAGE_LAYERS,
						FIELD_PP_LAST_STAGE_LAYERS, FIELD_PP_STAGES,
						FIELD_PP_SPLIT_POINTS, FIELD_PP_LAYER_SPLIT };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (setting_known(&job->settings.items[fields[i]]))
			return false;
	return true;
}

/* Before TorchTitan counted the ends as layers, other stages than the first may have one more. */
static void take_cut(struct reference *reference, const struct site *site)
{
	reference->even = cuts_evenly(&site->job);
	reference->ordered = !site->does[HABIT_TRAINER] || site->does[HABIT_SPREADS_ENDS];
	reference->ends[0] = candidate_end(site, FIELD_PP_FIRST_STAGE_LESS);
	reference->ends[1] = candidate_end(site, FIELD_PP_LAST_STAGE_LESS);
}

/* What a layout's numbers depend on that is no number of the site's alone. */
static void take_constants(struct reference *reference, const struct site *site)
{
	const struct overhead overhead = overhead_of(&reference->profile, &reference->work);
	struct workload work = reference->work;
	int zero, data, pp;

	reference->sequences = workload_does(&work, HABIT_SEQUENCE_PARALLEL);
	reference->overlaps = workload_does(&work, HABIT_OVERLAPS);
	reference->slack = overhead.slack;
	reference->context = overhead.context;
	take_cut(reference, site);
	for (zero = ZERO_NONE; zero <= ZERO_PARAMETERS; zero++)
		for (data = 0; data < 2; data++)
			for (pp = 0; pp < 2; pp++) {
				work.zero = (enum zero)zero;
				work.data[DENSE].ranks = 1 + data;
				work.pp = 1 + pp;
				reference->states[zero][data][pp] = states_of(&work);
			}
}

/* What a candidate says of a field, or leaves as the site has it. */
static const char *left_as(const struct choice *choice, const struct site *site,
			   enum field_id field)
{
	int i;

	for (i = 0; i < choice->count; i++)
		if (choice->said[i].field == field)
			return choice->said[i].value ? choice->said[i].value : "";
	return setting_text(&site->job.settings, field, "");
}

static void put_recompute(struct workload *work, const struct choice *choice,
			  const struct site *site)
{
	struct recompute_said said = { left_as(choice, site, FIELD_AC_MODE),
				       left_as(choice, site, FIELD_AC_OPTION),
				       left_as(choice, site, FIELD_AC_METHOD), 1,
				       recompute_modules(&site->job.settings) };

	(void)text_to_int(left_as(choice, site, FIELD_AC_LAYERS), &said.layers);
	if (choice->count)
		recompute_put(work, &said);
}

/* What each choice of recomputation makes of the site's workload. */
static void take_ways(struct reference *reference, const struct space *space,
		      const struct site *site)
{
	const size_t count = space->recompute.list.count;
	size_t i;

	reference->ways = arena_array(space->arena, count, sizeof(*reference->ways));
	for (i = 0; i < count; i++) {
		struct workload work = reference->work;
		put_recompute(&work, &space->recompute.list.items[i], site);
		reference->ways[i] = (struct way) { .recompute = work.recompute,
						    .every = work.recompute_every,
						    .first = work.recompute_first,
						    .unit = work.recompute_unit,
						    .modules = work.modules,
						    .said = work.recompute_said,
						    .partly = work.recompute_partly };
	}
}

static bool take_workload(struct reference *reference, struct space *space, const struct aim *aim,
			  uint64_t number)
{
	const struct candidate candidate = space_candidate(space, number);
	struct site *site = space->sites.items[candidate.at[AXIS_SITE]];
	struct said said = { .arena = space->arena };
	struct job *job = arena_new(space->arena, struct job);
	struct forecast forecast;

	candidate_settings(space, &candidate, &said);
	job_vary(job, space->arena, &site->job, said.list.items, said.list.count, 0);
	if (job->applied->error || forecast_read(&forecast, job, job->applied, aim->numbers))
		return false;
	reference->known = true;
	reference->profile = forecast.profile;
	if (!aim->numbers)
		site->profile = &reference->profile;
	reference->work = forecast.work;
	workload_put_narrowest(&reference->work, &reference->profile, job);
	count_elements(reference);
	take_constants(reference, site);
	take_ways(reference, space, site);
	return true;
}

const struct cut_pipeline *reference_pipeline(const struct reference *reference, int64_t pp)
{
	size_t i;

	for (i = 0; i < reference->pipelines.count; i++)
		if (reference->pipelines.items[i].pp == pp)
			return &reference->pipelines.items[i];
	return NULL;
}

/* Frameworks deal their layers out in ways of their own: one layout of each pipeline tells. */
static void prove_dealing(struct reference *reference, const struct space *space, int64_t site)
{
	int64_t pp = 1;
	size_t i;

	for (i = 0; i < space->layouts.count; i++) {
		const struct candidate *layout = &space->layouts.items[i];
		struct candidate candidate;
		struct said said = { 0 };
		struct cut_pipeline cut;
		struct dealing dealing;
		struct arena arena;
		struct job job;
		if (layout->at[AXIS_SITE] != site || layout->at[AXIS_PP] == pp ||
		    space->first.items[i] == space->first.items[i + 1])
			continue;
		arena_init(&arena);
		said.arena = &arena;
		candidate = space_candidate(space, space->first.items[i]);
		candidate_settings(space, &candidate, &said);
		job_vary(&job, &arena, &space->sites.items[site]->job, said.list.items,
			 said.list.count, 0);
		if (!job.applied->error && job.applied->stages.count) {
			pp = layout->at[AXIS_PP];
			cut = (struct cut_pipeline) { pp, (int64_t)job.applied->stages.count,
						      true };
			dealing = dealing_of(reference, pp, cut.stages);
			cut.even = dealing_holds(&dealing, job.applied);
			vec_push(space->arena, &reference->pipelines, cut);
		}
		arena_release(&arena);
	}
}

struct reference *references_make(struct space *space, const struct aim *aim)
{
	const uint64_t count = space_count(space);
	struct reference *sites = arena_array(space->arena, space->sites.count, sizeof(*sites));
	int attempts = 0;
	size_t i;

	for (i = 0; i < space->layouts.count; i++) {
		struct reference *reference = &sites[space->layouts.items[i].at[AXIS_SITE]];
		const uint64_t first = space->first.items[i];
		if (reference->known || first == space->first.items[i + 1] || first == count ||
		    attempts == ATTEMPTS)
			continue;
		attempts = take_workload(reference, space, aim, first) ? 0 : attempts + 1;
	}
	for (i = 0; i < space->sites.count; i++) {
		sites[i].known =
			sites[i].known &&
			!setting_known(&space->sites.items[i]->job.settings.items[FIELD_MESH]);
		if (sites[i].known)
			prove_dealing(&sites[i], space, (int64_t)i);
	}
	return sites;
}
