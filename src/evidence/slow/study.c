#include "evidence/slow/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Halvings of the logarithm of an amount: 1/500 of it is left. */
enum { HALVINGS = 12 };

static void apply(const struct study *study, const struct slow_change *change,
		  struct forecast *then)
{
	*then = study->base;
	if (change->apply)
		change->apply(study->arena, then, change);
}

double study_step(const struct study *study, const struct slow_change *change)
{
	struct forecast then;
	struct arena scratch;
	double seconds;

	apply(study, change, &then);
	arena_init(&scratch);
	seconds = step_run(&scratch, &then.profile, &then.work).step.total;
	arena_release(&scratch);
	return seconds;
}

void study_forecast(const struct study *study, const struct slow_change *change,
		    struct forecast *then)
{
	apply(study, change, then);
	forecast_run(then, study->arena);
}

double study_solve(const struct study *study, struct slow_change change, double most,
		   double seconds)
{
	double low = 0, high = log(most);
	int i;

	change.amount = most;
	if (study_step(study, &change) < seconds)
		return (double)NAN;
	for (i = 0; i < HALVINGS; i++) {
		change.amount = exp((low + high) / 2);
		if (study_step(study, &change) < seconds)
			low = (low + high) / 2;
		else
			high = (low + high) / 2;
	}
	return exp(high);
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

const struct seen_measure *study_value(const struct study *study, enum seen_quantity quantity,
				       double share, double *value)
{
	const struct capture *capture = study->observed->capture;
	const struct seen_measure *first = NULL;
	VEC(double) values = { 0 };
	size_t i;

	for (i = 0; i < capture->measures.count; i++) {
		const struct seen_measure *measure = &capture->measures.items[i];
		if (measure->quantity != quantity)
			continue;
		first = first ? first : measure;
		vec_push(study->arena, &values, measure->value);
	}
	if (!first)
		return NULL;
	qsort(values.items, values.count, sizeof(*values.items), by_value);
	*value = values.items[(size_t)(share * (double)(values.count - 1))];
	return first;
}

void change_hosts(struct arena *arena, struct forecast *then, const struct slow_change *change)
{
	static const enum figure_id hosts[] = { FIGURE_HOST_EAGER, FIGURE_HOST_COMPILED,
						FIGURE_HOST_MEGATRON, FIGURE_HOST_ENGINE };

	(void)arena;
	then->profile.numbers[hosts[then->work.software]].value *= change->amount;
}

double study_computing(const struct study *study)
{
	const struct slow_change at_once = { .apply = change_hosts, .amount = 0 };
	struct forecast then;
	struct arena scratch;
	struct step step;

	apply(study, &at_once, &then);
	arena_init(&scratch);
	step = step_run(&scratch, &then.profile, &then.work).step;
	arena_release(&scratch);
	return step.compute + step.optimizer;
}
