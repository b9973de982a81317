#include "search/bound_memory.h"

#include "sim/memory.h"

#include <math.h>
#include <string.h>

/* What rounding may take off. */
#define ROUNDING 1e-6

double bound_of_stage(const struct layout_bounds *layout, const double each[KINDS], double count)
{
	const int64_t *blocks = layout->reference->blocks;

	if (!blocks[DENSE] || !blocks[EXPERTS])
		return count * each[blocks[EXPERTS] > 0];
	return fmax(count * fmin(each[DENSE], each[EXPERTS]),
		    count * each[EXPERTS] -
			    (double)blocks[DENSE] * fmax(each[EXPERTS] - each[DENSE], 0));
}

bool bound_shares_dense(const struct layout_bounds *layout)
{
	return layout->work.dp * layout->work.cp > layout->candidate.at[AXIS_REPLICATE];
}

/* Elements per rank of what tensor, pipeline and expert parallelism alone cut. */
static double spread(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const double pp = (double)work->pp;

	return layout->reference->dense / (double)work->tp / pp +
	       layout->reference->routed / (double)(work->ep * work->tp) /
		       pp; /* etp is tp at most */
}

/* Ranks of cp alone share parameters in TorchTitan; others may cut the optimizer's state there. */
static bool shares_surely(const struct layout_bounds *layout)
{
	return layout->work.dp > layout->candidate.at[AXIS_REPLICATE] ||
	       (layout->site->does[HABIT_TRAINER] && bound_shares_dense(layout));
}

/* Whether it is known who shares parameters, and so what is kept of them in which type. */
static bool is_sure(const struct layout_bounds *layout)
{
	return layout->work.zero != ZERO_PARAMETERS || layout->work.deepspeed ||
	       shares_surely(layout);
}

/* Bytes of an element; the least of all ways where that is not known. */
static double width_of(const struct layout_bounds *layout, enum held held)
{
	const struct workload *work = &layout->work;
	double width = layout->states->held[held];
	int zero;

	if (is_sure(layout))
		return width;
	for (zero = ZERO_NONE; zero < ZERO_PARAMETERS; zero++)
		width = fmin(width, layout->reference->states[zero][1][work->pp > 1].held[held]);
	return width;
}

/* Bytes per rank of what is kept of each element, cut as far as that may be cut. */
static double kept_bytes(const struct layout_bounds *layout, enum held held)
{
	const struct workload *work = &layout->work;
	const double world = (double)work->world, width = width_of(layout, held);
	const double dense = layout->reference->dense, routed = layout->reference->routed;
	const double parameters = dense + routed;
	const double copies = held == HELD_OPTIMIZER && !is_sure(layout)
				      ? 1
				      : (double)layout->candidate.at[AXIS_REPLICATE];

	if (layout->site->knows_sharing && work->zero != ZERO_OPTIMIZER) /* experts may have one */
		return width * (copies * dense + (work->ep > 1 ? 1 : copies) * routed) / world;
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

/* Gradients of all of a rank's stages wait for a later microbatch. */
static double waiting(const struct layout_bounds *layout)
{
	int i;

	for (i = 0; i < layout->count; i++)
		if (!layout->ranks[i].flights || !layout->ranks[i].flights->waits)
			return 0;
	return layout->count ? layout->waits : 0;
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
	       (layout->lets_go ? fmax(passing, gradients) : passing + gradients);
}

/* What passes of a rank leave behind, and what is there beside while one runs. */
struct traces {
	double forward[2], input[2], begins[2], loss;
};

static struct traces traces_of(const struct layout_bounds *layout, const struct pipeline_rank *rank,
			       const struct activations *sizes)
{
	struct traces traces = { .loss = sizes->head + sizes->loss };
	double added[KINDS], begins[KINDS];
	int i;

	for (i = 0; i < KINDS; i++) {
		added[i] = fmax(sizes->again[i] - sizes->kept[i], 0);
		begins[i] = sizes->again[i] + sizes->working[i];
	}
	for (i = 0; i < 2; i++) {
		const double count = (double)rank->blocks[i];
		traces.forward[i] = sizes->input + bound_of_stage(layout, sizes->kept, count);
		traces.input[i] = bound_of_stage(layout, added, count);
		traces.begins[i] = bound_of_stage(layout, begins, count > 0 ? 1 : 0);
	}
	return traces;
}

static double moment_bytes(const struct layout_bounds *layout, const struct pipeline_rank *rank,
			   const struct traces *traces, const struct moment *moment)
{
	const double *kept = layout->kept;
	const double graded = layout->waits > 0 ? layout->waits : kept[HELD_GRADIENT];
	const bool stays = layout->waits <= 0 && !layout->lets_go;
	const double states = kept[HELD_PARAMETER] + kept[HELD_OPTIMIZER] + layout->gathered +
			      (stays || moment->waits ? graded : 0);
	double bytes = rank->share * states + (moment->loss ? traces->loss : 0);
	int i;

	for (i = 0; i < 2; i++)
		bytes += (double)moment->forwards[i] * traces->forward[i] +
			 (double)moment->inputs[i] * traces->input[i] +
			 (double)moment->left[i] * rank->stage[i] * layout->passed +
			 (moment->begins[i] ? traces->begins[i] : 0);
	return bytes;
}

static double rank_bytes(const struct layout_bounds *layout, const struct pipeline_rank *rank,
			 const struct activations *sizes)
{
	const struct flights *flights = rank->flights;
	const struct traces traces = traces_of(layout, rank, sizes);
	double bytes = 0;
	int i;

	for (i = 0; flights && i < flights->count; i++)
		bytes = fmax(bytes, moment_bytes(layout, rank, &traces, &flights->moments[i]));
	return bytes;
}

void bound_memory(const struct layout_bounds *layout, const struct activations *sizes,
		  struct bound *bound)
{
	const struct reference *reference = layout->reference;
	double kept = average_bytes(layout, sizes);
	int i;

	for (i = 0; i < layout->count; i++)
		kept = fmax(kept, rank_bytes(layout, &layout->ranks[i], sizes));
	kept *= 1 - ROUNDING;
	bound->need = layout->bounds->borne.memory * (kept + reference->context);
	bound->memory = bound->need + layout->bounds->borne.memory * reference->slack * kept;
}

double bound_share(const struct layout_bounds *layout, int64_t count)
{
	const struct reference *reference = layout->reference;
	const int64_t *blocks = reference->blocks;
	const double pp = (double)layout->work.pp;
	double routed;

	if (!blocks[EXPERTS])
		return (double)count * pp / (double)blocks[DENSE] * reference->inside /
		       reference->dense;
	if (count <= blocks[DENSE])
		return 0;
	routed = reference->routed / (double)layout->work.ep;
	return (double)(count - blocks[DENSE]) * pp / (double)blocks[EXPERTS] * routed /
	       (reference->dense + routed);
}

void bound_memory_begin(struct layout_bounds *layout, const char *reshard)
{
	const struct workload *work = &layout->work;
	int held;

	layout->states =
		&layout->reference->states[work->zero][work->data[DENSE].ranks > 1][work->pp > 1];
	layout->lets_go = layout->states->gradients_let_go || !is_sure(layout);
	for (held = 0; held < HELDS; held++)
		layout->kept[held] = kept_bytes(layout, (enum held)held);
	if (layout->states->updates_at_once)
		layout->kept[HELD_GRADIENT] = 0;
	if (work->zero != ZERO_PARAMETERS || work->deepspeed || !shares_surely(layout))
		return;
	*(strcmp(reshard, "never") ? &layout->passed : &layout->gathered) =
		layout->states->gathered * spread(layout);
	if (work->pp > 1)
		layout->waits = layout->states->unreduced * spread(layout);
}
