#include "evidence/slow/slow.h"

#include "base/text.h"
#include "evidence/slow/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *slow_kind_name(enum slow_kind kind)
{
	static const char *const names[] = { "within", "slower", "insufficient" };

	return names[kind];
}

const char *slow_basis_name(enum slow_basis basis)
{
	static const char *const names[SLOW_BASES] = { "shown", "fits", "unknown", "excluded" };

	return names[basis];
}

/* In the order in which they are laid over the forecast: what runs, then how fast. */
static const struct slow_row *const rows[] = {
	&slow_row_layout,  &slow_row_batch,   &slow_row_recomputation, &slow_row_device,
	&slow_row_launch,  &slow_row_links,   &slow_row_network,       &slow_row_straggler,
	&slow_row_overlap, &slow_row_loading, &slow_row_memory,
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

/* ---- what was measured ---- */

/* Logs before traces, whose marks hold what profiling costs; then the most values. */
static bool is_better(const struct observed *observed, const struct step_deviation *row,
		      const struct step_deviation *than)
{
	const struct capture *capture = observed->capture;
	const struct evidence_source *source = witness_source(capture, row->witness);
	const struct evidence_source *other;

	if (!than)
		return true;
	other = witness_source(capture, than->witness);
	if ((source && source->line) != (other && other->line))
		return source && source->line;
	return row->samples > than->samples;
}

static const struct step_deviation *row_of(const struct observed *observed,
					   const struct measured *measured,
					   enum seen_quantity quantity)
{
	const struct step_deviation *best = NULL;
	size_t i;

	for (i = 0; i < measured->steps.count; i++)
		if (measured->steps.items[i].quantity == quantity &&
		    is_better(observed, &measured->steps.items[i], best))
			best = &measured->steps.items[i];
	return best;
}

/* Whether all that was timed is the first step, which holds compilation and the first calls. */
static bool is_first_alone(const struct capture *capture, enum seen_quantity quantity)
{
	size_t i;

	for (i = 0; i < capture->measures.count; i++)
		if (capture->measures.items[i].quantity == quantity &&
		    (capture->measures.items[i].step > 1 || capture->measures.items[i].step < 0))
			return false;
	return true;
}

/* Seconds of a step, or of the tokens in one. */
static void measure(struct slow *slow, const struct observed *observed,
		    const struct measured *measured, const struct forecast *forecast)
{
	const struct step_deviation *row = row_of(observed, measured, SEEN_STEP_SECONDS);
	const struct step_deviation *speed = row_of(observed, measured, SEEN_TOKENS_PER_SECOND);
	const bool by_speed = !row && speed && forecast;

	if (by_speed)
		row = speed;
	if (!row) {
		slow->missing = "the evidence does not tell how long a step takes: a log of steps "
				"or a profiler trace of some would";
		return;
	}
	slow->measured =
		by_speed ? forecast->tokens * forecast->step.total / row->measured : row->measured;
	slow->source = row->source;
	slow->samples = row->samples;
	slow->witness = row->witness;
	if (is_first_alone(observed->capture, row->quantity))
		slow->missing = "only the first step was timed, which holds compilation and what "
				"is made once";
}

/* ---- causes ---- */

/* Seconds that a change adds to a step of the base; NaN: nobody knows its amount. */
static double seconds_of(const struct study *study, const struct slow_cause *cause)
{
	if (cause->other)
		return cause->other->step.total - study->base.step.total;
	if (!cause->change.apply || !(cause->change.amount > 0))
		return (double)NAN;
	return study_step(study, &cause->change) - study->base.step.total;
}

/* What was shown holds for all that is judged after it. */
static void lay_over(struct study *study, const struct slow_cause *cause)
{
	struct forecast then;

	if (cause->other) {
		study->base = *cause->other;
	} else if (cause->change.apply && cause->change.amount > 0) {
		study_forecast(study, &cause->change, &then);
		study->base = then;
	} else if (cause->seconds > 0) {
		study->added += cause->seconds;
	}
}

static void judge(struct study *study, const struct slow_row *row, struct slow *slow)
{
	struct slow_cause cause = { .name = row->name,
				    .title = row->title,
				    .next = row->next,
				    .basis = SLOW_UNKNOWN,
				    .seconds = (double)NAN,
				    .witness = { -1, 0 } };

	if (!row->judge(study, &cause))
		return;
	if (!(cause.seconds > 0) && cause.basis != SLOW_EXCLUDED)
		cause.seconds = seconds_of(study, &cause);
	if (cause.basis == SLOW_SHOWN)
		lay_over(study, &cause);
	if (cause.basis == SLOW_EXCLUDED)
		cause.seconds = (double)NAN;
	vec_push(study->arena, &slow->causes, cause);
}

static const struct slow_row *row_named(const char *name)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (!strcmp(rows[i]->name, name))
			return rows[i];
	return NULL;
}

/* How much of what is not known would be all that is left, if anything is. */
static void need(const struct study *study, struct slow_cause *cause, double left)
{
	const struct slow_row *row = row_named(cause->name);
	double amount;

	if (!row || !row->need || cause->basis == SLOW_EXCLUDED || isfinite(cause->seconds))
		return;
	amount = study_solve(study, cause->change, row->most, study->base.step.total + left);
	cause->need = isfinite(amount) ? row->need(study->arena, amount)
				       : "no amount of it would be all that is left";
	if (isfinite(amount) && cause->basis == SLOW_UNKNOWN)
		cause->change.amount = amount;
}

/* ---- in their order ---- */

/* Seconds first, then what nobody knows the seconds of but could be all; the rest behind. */
static double rank_of(const struct slow_cause *cause)
{
	if (isfinite(cause->seconds))
		return cause->seconds;
	return cause->change.amount > 0 ? -1 : -2;
}

static int by_plausibility(const void *left, const void *right)
{
	const struct slow_cause *a = left, *b = right;
	const double x = rank_of(a), y = rank_of(b);

	if (a->basis != b->basis)
		return a->basis < b->basis ? -1 : 1;
	if (x < y || x > y)
		return x < y ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* What one more piece of evidence would tell. */
static const char *next_of(const struct study *study, const struct slow *slow)
{
	const char *names = NULL;
	size_t i;

	for (i = 0; i < slow->causes.count; i++) {
		const struct slow_cause *cause = &slow->causes.items[i];
		const struct slow_row *row = row_named(cause->name);
		if (cause->basis == SLOW_UNKNOWN && row && row->traced)
			names = names ? arena_join(study->arena, names, ", ", cause->name)
				      : cause->name;
	}
	return names ? arena_join(study->arena,
				  "torch.profiler's traces of two ranks of one group over two "
				  "steps would tell of: ",
				  names, "")
		     : NULL;
}

static void find_causes(struct study *study, struct slow *slow)
{
	double left;
	size_t i;

	for (i = 0; i < ROWS; i++)
		judge(study, rows[i], slow);
	slow->explained = study->base.step.total + study->added;
	left = slow->measured - slow->explained;
	slow->next = next_of(study, slow);
	if (slow->kind == SLOW_SLOWER && slow->measured > (1 + study->half) * slow->explained)
		for (i = 0; i < slow->causes.count; i++)
			need(study, &slow->causes.items[i], left);
	if (slow->causes.count)
		qsort(slow->causes.items, slow->causes.count, sizeof(*slow->causes.items),
		      by_plausibility);
}

struct slow slow_of(struct arena *arena, const struct job *job, const struct observed *observed,
		    const struct yardstick *yardstick, const struct measured *measured)
{
	const struct forecast *forecast = yardstick->forecast;
	struct slow slow = { .kind = SLOW_INSUFFICIENT, .witness = { -1, 0 } };
	struct study study = { .arena = arena,
			       .job = job,
			       .observed = observed,
			       .yardstick = yardstick,
			       .measured = measured };

	measure(&slow, observed, measured, forecast);
	if (!forecast) {
		slow.missing = yardstick->missing;
		return slow;
	}
	slow.expected = forecast->step.total;
	slow.low = forecast->low;
	slow.high = forecast->high;
	study.base = *forecast;
	study.half = forecast->high / forecast->step.total - 1;
	study.seconds = slow.measured;
	if (!slow.missing)
		slow.kind = slow.measured > slow.high ? SLOW_SLOWER : SLOW_WITHIN;
	if (slow.measured > 0)
		find_causes(&study, &slow);
	return slow;
}
