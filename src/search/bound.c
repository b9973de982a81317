#include "search/bound.h"

#include "base/text.h"
#include "search/candidate.h"
#include "sim/memory.h"
#include "sim/risk.h"

#include <math.h>
#include <string.h>

/* What rounding to picoseconds may take off. */
#define ROUNDING 1e-6
#define GIB	 1073741824.0

void bounds_prepare(struct bounds *bounds, struct space *space, const struct aim *aim)
{
	bounds->microbatches = microbatches_new(space->arena);
	bounds->sites = references_make(space, aim);
}

/* ---- the workload of a layout, without groups ---- */

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
	return setting_bool(&site->job.settings, FIELD_SEQUENCE_PARALLEL, reference->sequences);
}

static void put_workload(struct layout_bounds *layout, const struct space *space)
{
	const struct reference *reference = layout->reference;
	const int64_t *at = layout->candidate.at;
	struct workload *work = &layout->work;

	*work = reference->work;
	work->pp = at[AXIS_PP];
	work->tp = at[AXIS_TP];
	work->cp = at[AXIS_CP];
	work->ep = at[AXIS_EP];
	work->etp = at[AXIS_ETP] ? at[AXIS_ETP] : 1;
	work->dp = candidate_dp(space, &layout->candidate);
	work->sequence_parallel = cuts_sequence(reference, space, &layout->candidate);
	work->overlap_tp = work->overlap_tp || reference->overlaps;
	work->tensor = work->tp > 1 ? neighbours(work->tp) : alone();
	work->context = work->pipeline = alone();
	work->expert = work->ep > 1 ? neighbours(work->ep) : alone();
	work->data[DENSE] = neighbours(work->dp * work->cp / at[AXIS_REPLICATE]);
	work->data[EXPERTS] = work->copies[DENSE] = work->copies[EXPERTS] = alone();
	if (!layout->site->derived_dp)
		work->zero = work->dp * work->cp > at[AXIS_REPLICATE] ? ZERO_PARAMETERS : ZERO_NONE;
	if (work->deepspeed) /* of whose stages the last keeps the least */
		work->zero = ZERO_PARAMETERS;
}

/* ---- time ---- */

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
static void put_filling(struct layout_bounds *layout, const struct choice *schedule)
{
	const int64_t pp = layout->work.pp;
	const int64_t less = setting_int(&layout->site->job.settings, FIELD_PP_FIRST_STAGE_LESS, 1);
	int64_t blocks;

	layout->back =
		schedule->count ? reference_goes_back(schedule->name) : layout->reference->returns;
	if (pp < 2)
		return;
	blocks = stage_blocks(layout->reference, layout->site, pp * layout->per_rank);
	layout->filling = fmax((double)blocks * (double)(pp - 1) / 2 - (double)less, 0);
}

static double time_bound(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const struct microbatch *microbatch = layout->microbatch;
	const double filling =
		work->pp < 2 ? 0
			     : layout->filling *
				       (microbatch->there + (layout->back ? microbatch->back : 0));

	return (1 - ROUNDING) *
	       ((double)work->microbatches * microbatch->pass / (double)work->pp + filling);
}

/* ---- memory ---- */

/* Elements per rank of what tensor, pipeline and expert parallelism alone cut. */
static double spread(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const double pp = (double)work->pp;

	return layout->reference->dense / (double)work->tp / pp +
	       layout->reference->routed / (double)(work->ep * work->tp) /
		       pp; /* etp is tp at most */
}

/* Bytes per rank of what is kept of each element, cut as far as that may be cut. */
static double kept_bytes(const struct layout_bounds *layout, enum held held)
{
	const struct workload *work = &layout->work;
	const double world = (double)work->world, width = layout->states->held[held];
	const double parameters = layout->reference->dense + layout->reference->routed;

	if (!layout->site->derived_dp)
		return width * parameters * (double)layout->candidate.at[AXIS_REPLICATE] / world;
	if (held == HELD_OPTIMIZER || work->deepspeed || work->zero == ZERO_PARAMETERS ||
	    work->zero == ZERO_GRADIENTS)
		return width * parameters / world;
	return width * fmin(spread(layout), parameters);
}

/* Bytes that all blocks keep of one microbatch. */
static double blocks_kept(const struct layout_bounds *layout, const struct activations *sizes)
{
	double bytes = 0;
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		bytes += (double)layout->reference->blocks[kind] * sizes->kept[kind];
	return bytes;
}

/*
 * Beside what blocks keep when all of a rank's have gone forward: on one rank the loss, or what the
 * last block makes again; on each of several the latter.
 */
static double beside(const struct layout_bounds *layout, const struct activations *sizes)
{
	const int kind = layout->reference->blocks[EXPERTS] > 0 ? EXPERTS : DENSE;
	const double again = fmax(sizes->again[kind] - sizes->kept[kind], 0);

	return layout->work.pp > 1 ? 0 : fmax(again, sizes->loss);
}

/*
 * Gradients that a pipeline does not reduce before its last microbatch: with several stages all of
 * a rank's are there when it has come to a second round of microbatches.
 */
static double waiting(const struct layout_bounds *layout)
{
	return layout->work.microbatches < layout->waits_from ? 0 : layout->waits;
}

/*
 * The average rank, all of whose blocks have gone forward for one microbatch when none of their
 * gradients is there, where those come and go with the step.
 */
static double average_bytes(const struct layout_bounds *layout, const struct activations *sizes)
{
	const double gradients =
		fmax(layout->kept[HELD_GRADIENT], layout->gathered + waiting(layout));
	const double passing = blocks_kept(layout, sizes) / (double)layout->work.pp +
			       beside(layout, sizes) + layout->gathered;

	return layout->kept[HELD_PARAMETER] + layout->kept[HELD_OPTIMIZER] +
	       (layout->states->gradients_let_go ? fmax(passing, gradients) : passing + gradients);
}

/*
 * The first rank of a pipeline, with what its stages keep of microbatches in flight: at the first
 * backward pass, or at a later one, when its gradients wait, with one less.
 */
static double first_bytes(const struct layout_bounds *layout, const struct activations *sizes)
{
	const int64_t batches = layout->work.microbatches;
	const double all = (double)(batches * layout->per_rank);
	double flights = layout->flights < all ? layout->flights : all, states;

	if (layout->first <= 0)
		return 0;
	states = layout->kept[HELD_PARAMETER] + layout->kept[HELD_OPTIMIZER] + layout->gathered;
	if (waiting(layout) > 0 && batches > layout->work.pp) {
		states += waiting(layout);
		flights -= 1;
	}
	return layout->of_first * states + flights * layout->first * blocks_kept(layout, sizes);
}

static double memory_bound(const struct layout_bounds *layout, const struct activations *sizes)
{
	const double kept = fmax(average_bytes(layout, sizes), first_bytes(layout, sizes));
	const struct reference *reference = layout->reference;

	return (1 - ROUNDING) * ((1 + reference->slack) * kept + reference->context);
}

/* Under schedules that go forward as far as they can before they go back. */
static void put_flights(struct layout_bounds *layout, const char *schedule)
{
	const int64_t pp = layout->work.pp, per_rank = layout->per_rank;
	const bool looped =
		!*schedule || !strcmp(schedule, "1F1B") || !strcmp(schedule, "Interleaved1F1B");

	layout->flights = 1;
	if (pp < 2 || (!looped && strcmp(schedule, "InterleavedZeroBubble") != 0))
		return;
	layout->flights =
		(double)(per_rank > 1 ? (per_rank - 1) * pp + (looped ? 2 : 1) * (pp - 1) + 1 : pp);
}

/* What the first rank of a pipeline has, where its stages are as long as others. */
static void put_first(struct layout_bounds *layout)
{
	const struct reference *reference = layout->reference;
	const double layers = (double)(reference->blocks[DENSE] + reference->blocks[EXPERTS]);
	const int64_t less = setting_int(&layout->site->job.settings, FIELD_PP_FIRST_STAGE_LESS, 1);
	const int64_t stages = layout->work.pp * layout->per_rank;
	const int64_t each = (int64_t)layers / stages - less;

	if (each < 1 || reference->blocks[EXPERTS] || layout->work.pp < 2)
		return;
	layout->first = (double)each / layers;
	layout->of_first = layout->first * (double)stages * reference->inside /
			   (reference->dense + reference->routed);
}

static void put_kept(struct layout_bounds *layout, const char *reshard)
{
	const struct workload *work = &layout->work;
	int held;

	layout->states =
		&layout->reference->states[work->zero][work->data[DENSE].ranks > 1][work->pp > 1];
	for (held = 0; held < HELDS; held++)
		layout->kept[held] = kept_bytes(layout, (enum held)held);
	if (work->zero != ZERO_PARAMETERS)
		return;
	if (!strcmp(reshard, "never"))
		layout->gathered = layout->states->gathered * spread(layout);
	layout->waits_from = layout->per_rank > 1 ? 2 * work->pp : 2;
	if (work->pp > 1)
		layout->waits = layout->states->unreduced * spread(layout);
}

/* ---- layouts ---- */

void bounds_begin(struct layout_bounds *layout, const struct bounds *bounds,
		  const struct space *space, const struct candidate *candidate)
{
	const int64_t *at = candidate->at;
	const struct reference *reference = bounds->sites ? &bounds->sites[at[AXIS_SITE]] : NULL;
	const struct choice *schedule = &space->schedule.list.items[at[AXIS_SCHEDULE]];

	*layout = (struct layout_bounds) { .bounds = bounds, .candidate = *candidate };
	if (!reference || !reference->known)
		return;
	layout->reference = reference;
	layout->site = space->sites.items[at[AXIS_SITE]];
	layout->capacity = GIB * profile_get(&reference->profile, FIGURE_MEMORY);
	layout->per_rank = at[AXIS_VIRTUAL] > 0 ? at[AXIS_VIRTUAL] : 1;
	put_workload(layout, space);
	put_filling(layout, schedule);
	put_flights(layout, layout->work.pp > 1 ? schedule->name : "");
	put_first(layout);
	put_kept(layout, space->reshard.list.items[at[AXIS_RESHARD]].name);
}

/* Goes on to one of the layout's candidates. */
static void put_leaf(struct layout_bounds *layout, int64_t micro, int64_t recompute)
{
	const struct way *way = &layout->reference->ways[recompute];
	struct workload *work = &layout->work;

	layout->candidate.at[AXIS_MICRO] = micro;
	layout->candidate.at[AXIS_RECOMPUTE] = recompute;
	work->micro = micro;
	work->microbatches = layout->site->batch / (work->dp * micro);
	work->recompute = way->recompute;
	work->recompute_every = way->every;
	work->recompute_said = way->said;
	work->recompute_partly = way->partly;
	layout->microbatch =
		microbatch_of(layout->bounds->microbatches, &layout->reference->profile, work,
			      layout->reference->blocks, &layout->candidate);
}

double bounds_time_at(struct layout_bounds *layout, int64_t micro, int64_t recompute)
{
	if (!layout->reference)
		return 0;
	put_leaf(layout, micro, recompute);
	return time_bound(layout);
}

struct bound bounds_at(struct layout_bounds *layout, int64_t micro, int64_t recompute)
{
	const struct reference *reference = layout->reference;
	struct bound bound = { .time = bounds_time_at(layout, micro, recompute) };

	if (!reference)
		return bound;
	bound.memory = memory_bound(layout, &layout->microbatch->activations);
	bound.capacity = layout->capacity;
	bound.risk = risk_of_peak(&reference->profile, bound.memory, bound.capacity) /
		     memory_ways(&layout->work);
	return bound;
}

struct bound bound_of(const struct bounds *bounds, const struct space *space,
		      const struct candidate *candidate)
{
	struct layout_bounds layout;

	bounds_begin(&layout, bounds, space, candidate);
	return bounds_at(&layout, candidate->at[AXIS_MICRO], candidate->at[AXIS_RECOMPUTE]);
}
