#include "search/bound.h"

#include "framework/wing.h"
#include "base/text.h"
#include "search/candidate.h"
#include "sim/risk.h"
#include "sim/memory.h"
#include "sim/overhead.h"

#include <math.h>
#include <string.h>

/* What rounding to picoseconds may take off. */
#define ROUNDING 1e-6
#define GIB	 1073741824.0

/* ---- workloads that stand for their site ---- */

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

/* Schedules whose ranks have nothing to do after their last backward pass. */
static bool goes_back(const char *schedule)
{
	return !*schedule || !strcmp(schedule, "1F1B") || !strcmp(schedule, "Interleaved1F1B");
}

/* What a layout's numbers depend on that is no number of the site's alone. */
static void take_constants(struct reference *reference, const struct site *site)
{
	const struct overhead overhead = overhead_of(&reference->profile, &reference->work);
	struct workload work = reference->work;
	int zero, data, pp;

	reference->slack = overhead.slack;
	reference->context = overhead.context;
	reference->even = cuts_evenly(&site->job);
	reference->returns = goes_back(setting_text(&site->job.settings, FIELD_PP_SCHEDULE, ""));
	for (zero = ZERO_NONE; zero <= ZERO_PARAMETERS; zero++)
		for (data = 0; data < 2; data++)
			for (pp = 0; pp < 2; pp++) {
				work.zero = (enum zero)zero;
				work.data[DENSE].ranks = 1 + data;
				work.pp = 1 + pp;
				reference->states[zero][data][pp] = states_of(&work);
			}
}

static bool take_workload(struct reference *reference, const struct space *space,
			  const struct aim *aim, uint64_t number)
{
	const struct candidate candidate = space_candidate(space, number);
	const struct site *site = space->sites.items[candidate.at[AXIS_SITE]];
	struct said said = { .arena = space->arena };
	struct job *job = arena_new(space->arena, struct job);
	struct forecast forecast;

	candidate_settings(space, &candidate, &said);
	job_vary(job, space->arena, &site->job, said.list.items, said.list.count, 0);
	if (job->applied->error || forecast_read(&forecast, job, job->applied, aim->numbers))
		return false;
	reference->known = true;
	reference->profile = forecast.profile;
	reference->work = forecast.work;
	count_elements(reference);
	take_constants(reference, site);
	return true;
}

void bounds_prepare(struct bounds *bounds, const struct space *space, const struct aim *aim)
{
	const uint64_t count = space_count(space);
	struct reference *sites;
	int attempts = 0;
	size_t i;

	bounds->microbatches = microbatches_new(space->arena);
	bounds->sites = sites =
		arena_array(space->arena, space->sites.count, sizeof(*bounds->sites));
	for (i = 0; i < space->layouts.count; i++) {
		struct reference *reference = &sites[space->layouts.items[i].at[AXIS_SITE]];
		const uint64_t first = space->first.items[i];
		if (reference->known || first == space->first.items[i + 1] || first == count ||
		    attempts == ATTEMPTS)
			continue;
		attempts = take_workload(reference, space, aim, first) ? 0 : attempts + 1;
	}
}

/* ---- the workload of a candidate, without groups ---- */

static void put_recompute(struct workload *work, const struct space *space,
			  const struct candidate *candidate)
{
	const struct choice *choice = &space->recompute.list.items[candidate->at[AXIS_RECOMPUTE]];
	const char *mode = choice->said[0].value;

	work->recompute_every = 1;
	if (!choice->count)
		return;
	work->recompute_said = true;
	work->recompute_partly =
		!strcmp(mode, "selective") && workload_does(work, HABIT_RECOMPUTES_MODULES);
	if (!strcmp(mode, "full"))
		work->recompute = RECOMPUTE_FULL;
	else if (strcmp(mode, "selective") != 0)
		work->recompute = RECOMPUTE_NONE;
	else if (work->megatron)
		work->recompute = RECOMPUTE_ATTENTION;
	else if (choice->count > 1 && text_to_int(choice->said[1].value, &work->recompute_every))
		work->recompute = RECOMPUTE_LAYERS;
	else
		work->recompute = RECOMPUTE_OPERATORS;
}

static struct group alone(void)
{
	return (struct group) { .name = "", .ranks = 1 };
}

/* Ranks of tensor parallelism are next to each other: no other place for them is nearer. */
static struct group neighbours(int64_t ranks)
{
	return (struct group) { .name = "tp", .layout = layout_axis(ranks, 1), .ranks = ranks };
}

static bool cuts_sequence(const struct reference *reference, const struct space *space,
			  const struct candidate *candidate)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	const struct choice *choice = &space->sequence.list.items[candidate->at[AXIS_SEQUENCE]];

	if (candidate->at[AXIS_TP] < 2)
		return false;
	if (choice->count)
		return !strcmp(choice->said[0].value, "true");
	return setting_bool(&site->job.settings, FIELD_SEQUENCE_PARALLEL,
			    workload_does(&reference->work, HABIT_SEQUENCE_PARALLEL));
}

static struct workload workload_like(const struct reference *reference, const struct space *space,
				     const struct candidate *candidate)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	const int64_t *at = candidate->at;
	struct workload work = reference->work;

	work.pp = at[AXIS_PP];
	work.tp = at[AXIS_TP];
	work.cp = at[AXIS_CP];
	work.ep = at[AXIS_EP];
	work.etp = at[AXIS_ETP] ? at[AXIS_ETP] : 1;
	work.dp = candidate_dp(space, candidate);
	work.micro = at[AXIS_MICRO];
	work.microbatches = site->batch / (work.dp * work.micro);
	work.sequence_parallel = cuts_sequence(reference, space, candidate);
	work.overlap_tp = work.overlap_tp || workload_does(&work, HABIT_OVERLAPS);
	work.tensor = work.tp > 1 ? neighbours(work.tp) : alone();
	work.context = work.pipeline = alone();
	work.expert = work.ep > 1 ? neighbours(work.ep) : alone();
	work.data[DENSE] = neighbours(work.dp * work.cp / at[AXIS_REPLICATE]);
	work.data[EXPERTS] = work.copies[DENSE] = work.copies[EXPERTS] = alone();
	if (!site->derived_dp)
		work.zero = work.dp * work.cp > at[AXIS_REPLICATE] ? ZERO_PARAMETERS : ZERO_NONE;
	if (work.deepspeed) /* of whose stages the last keeps the least */
		work.zero = ZERO_PARAMETERS;
	put_recompute(&work, space, candidate);
	return work;
}

/* ---- the bounds ---- */

/* Blocks that every stage but the first and the last has, where layers are dealt out evenly. */
static int64_t stage_blocks(const struct reference *reference, const struct site *site,
			    int64_t stages)
{
	const struct settings *settings = &site->job.settings;
	const int64_t layers = reference->work.model->layers;
	const int64_t ends = setting_int(settings, FIELD_PP_FIRST_STAGE_LESS, 1) +
			     setting_int(settings, FIELD_PP_LAST_STAGE_LESS, 1);

	if (!reference->even)
		return 0;
	return (layers + (site->open[FIELD_PP_LAYERS_PER_STAGE] ? ends : 0)) / stages;
}

/*
 * A pipeline's rank begins when its first microbatch has come through all stages before it, and
 * where backward passes are whole, what it did last goes back through them: on average half of
 * what that takes the last one.
 */
static double fill(const struct reference *reference, const struct space *space,
		   const struct candidate *candidate, const struct microbatch *microbatch)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	const struct choice *choice = &space->schedule.list.items[candidate->at[AXIS_SCHEDULE]];
	const int64_t pp = candidate->at[AXIS_PP], per_rank = candidate->at[AXIS_VIRTUAL];
	const bool back = choice->count ? goes_back(choice->name) : reference->returns;
	const int64_t less = setting_int(&site->job.settings, FIELD_PP_FIRST_STAGE_LESS, 1);
	int64_t blocks;

	if (pp < 2)
		return 0;
	blocks = stage_blocks(reference, site, pp * (per_rank > 1 ? per_rank : 1));
	return fmax((double)blocks * (double)(pp - 1) / 2 - (double)less, 0) *
	       (microbatch->there + (back ? microbatch->back : 0));
}

static double time_bound(const struct workload *work, const struct microbatch *microbatch,
			 double filling)
{
	return (1 - ROUNDING) *
	       ((double)work->microbatches * microbatch->pass / (double)work->pp + filling);
}

/* ---- memory ---- */

/* A layout's numbers for a bound of memory. */
struct keeping {
	const struct reference *reference;
	const struct workload *work;
	const struct site *site;
	const struct candidate *candidate;
	const struct states *states;
	const struct activations *activations;
	bool gathered;	  /* parameters stay gathered through a step's passes */
	int64_t flights;  /* passes forward of stages that the first rank has made before the first
			     backward one */
	int64_t per_rank; /* stages */
};

/* Elements per rank of what tensor, pipeline and expert parallelism alone cut. */
static double spread(const struct keeping *k)
{
	const struct workload *work = k->work;
	const double pp = (double)work->pp;

	return k->reference->dense / (double)work->tp / pp +
	       k->reference->routed / (double)(work->ep * work->tp) / pp; /* etp is tp at most */
}

/* Bytes per rank of what is kept so wide of each element, cut as far as that may be cut. */
static double kept_bytes(const struct keeping *k, double width, bool by_optimizer)
{
	const struct workload *work = k->work;
	const double world = (double)work->world;
	const double parameters = k->reference->dense + k->reference->routed;

	if (!k->site->derived_dp)
		return width * parameters * (double)k->candidate->at[AXIS_REPLICATE] / world;
	if (by_optimizer || work->deepspeed || work->zero == ZERO_PARAMETERS ||
	    work->zero == ZERO_GRADIENTS)
		return width * parameters / world;
	return width * fmin(spread(k), parameters);
}

/* Bytes that all blocks keep of one microbatch. */
static double blocks_kept(const struct keeping *k)
{
	double bytes = 0;
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		bytes += (double)k->reference->blocks[kind] * k->activations->kept[kind];
	return bytes;
}

/*
 * Beside what blocks keep when all of a rank's have gone forward: on one rank the loss, or what the
 * last block makes again; on each of several the latter.
 */
static double beside(const struct keeping *k)
{
	const int kind = k->reference->blocks[EXPERTS] > 0 ? EXPERTS : DENSE;
	const double again = fmax(k->activations->again[kind] - k->activations->kept[kind], 0);

	return k->work->pp > 1 ? 0 : fmax(again, k->activations->loss);
}

/*
 * Gradients that a pipeline does not reduce before its last microbatch: with several stages all of
 * a rank's are there when it has come to a second round of microbatches.
 */
static double waiting(const struct keeping *k)
{
	const int64_t enough = k->per_rank > 1 ? 2 * k->work->pp : 2;

	if (k->work->pp < 2 || k->work->microbatches < enough || k->work->zero != ZERO_PARAMETERS)
		return 0;
	return k->states->unreduced * spread(k);
}

/*
 * The average rank, all of whose blocks have gone forward for one microbatch when none of their
 * gradients is there, where those come and go with the step.
 */
static double average_bytes(const struct keeping *k)
{
	const double gathered = k->gathered ? k->states->gathered * spread(k) : 0;
	const double gradients =
		fmax(kept_bytes(k, k->states->held[HELD_GRADIENT], false), gathered + waiting(k));
	const double passing = blocks_kept(k) / (double)k->work->pp + beside(k) + gathered;

	return kept_bytes(k, k->states->held[HELD_PARAMETER], false) +
	       kept_bytes(k, k->states->held[HELD_OPTIMIZER], true) +
	       (k->states->gradients_let_go ? fmax(passing, gradients) : passing + gradients);
}

/*
 * The first rank of a pipeline, with what its stages keep of microbatches in flight: at the first
 * backward pass, or at a later one, when its gradients wait, with one less.
 */
static double first_bytes(const struct keeping *k)
{
	const struct settings *settings = &k->site->job.settings;
	const struct reference *reference = k->reference;
	const double layers = (double)(reference->blocks[DENSE] + reference->blocks[EXPERTS]);
	const int64_t less = setting_int(settings, FIELD_PP_FIRST_STAGE_LESS, 1);
	const int64_t stages = k->work->pp * k->per_rank;
	const int64_t each = (int64_t)layers / stages - less;
	const double share = (double)each / layers;
	double flights = (double)k->flights, held, states;

	if (each < 1 || reference->blocks[EXPERTS] || k->work->pp < 2)
		return 0;
	held = share * (double)stages * reference->inside /
	       (reference->dense + reference->routed); /* of an average rank's elements */
	states = kept_bytes(k, k->states->held[HELD_PARAMETER], false) +
		 kept_bytes(k, k->states->held[HELD_OPTIMIZER], true);
	if (k->gathered)
		states += k->states->gathered * spread(k);
	if (waiting(k) > 0 && k->work->microbatches > k->work->pp) {
		states += waiting(k);
		flights -= 1;
	}
	return held * states + flights * share * blocks_kept(k);
}

static double memory_bound(const struct keeping *k)
{
	const double kept = fmax(average_bytes(k), first_bytes(k));

	return (1 - ROUNDING) * ((1 + k->reference->slack) * kept + k->reference->context);
}

/* Of the first rank, under schedules that go forward as far as they can before they go back. */
static int64_t flights_of(const struct workload *work, const char *schedule, int64_t per_rank)
{
	const int64_t all = work->microbatches * per_rank;
	const bool looped =
		!*schedule || !strcmp(schedule, "1F1B") || !strcmp(schedule, "Interleaved1F1B");
	int64_t most;

	if (work->pp < 2 || (!looped && strcmp(schedule, "InterleavedZeroBubble") != 0))
		return 1;
	most = per_rank > 1 ? (per_rank - 1) * work->pp + (looped ? 2 : 1) * (work->pp - 1) + 1
			    : work->pp;
	return most < all ? most : all;
}

static const struct states *states_like(const struct reference *reference,
					const struct workload *work)
{
	return &reference->states[work->zero][work->data[DENSE].ranks > 1][work->pp > 1];
}

static struct keeping keeping_of(const struct reference *reference, const struct workload *work,
				 const struct space *space, const struct candidate *candidate,
				 const struct microbatch *microbatch)
{
	const char *schedule =
		work->pp > 1 ? space->schedule.list.items[candidate->at[AXIS_SCHEDULE]].name : "";
	const char *reshard = space->reshard.list.items[candidate->at[AXIS_RESHARD]].name;
	const int64_t per_rank = candidate->at[AXIS_VIRTUAL] > 0 ? candidate->at[AXIS_VIRTUAL] : 1;

	return (struct keeping) { .reference = reference,
				  .work = work,
				  .site = space->sites.items[candidate->at[AXIS_SITE]],
				  .candidate = candidate,
				  .states = states_like(reference, work),
				  .activations = &microbatch->activations,
				  .gathered = !strcmp(reshard, "never") &&
					      work->zero == ZERO_PARAMETERS,
				  .flights = flights_of(work, schedule, per_rank),
				  .per_rank = per_rank };
}

struct bound bound_of(const struct bounds *bounds, const struct space *space,
		      const struct candidate *candidate)
{
	const struct reference *reference =
		bounds->sites ? &bounds->sites[candidate->at[AXIS_SITE]] : NULL;
	const struct microbatch *microbatch;
	struct workload work;
	struct keeping keeping;
	struct bound bound;

	if (!reference || !reference->known)
		return (struct bound) { 0 };
	work = workload_like(reference, space, candidate);
	microbatch = microbatch_of(bounds->microbatches, &reference->profile, &work,
				   reference->blocks, candidate);
	keeping = keeping_of(reference, &work, space, candidate, microbatch);
	bound.time = time_bound(&work, microbatch, fill(reference, space, candidate, microbatch));
	bound.memory = memory_bound(&keeping);
	bound.capacity = GIB * profile_get(&reference->profile, FIGURE_MEMORY);
	bound.risk = risk_of_peak(&reference->profile, bound.memory, bound.capacity) /
		     memory_ways(&work);
	return bound;
}
