#include "framework/deepspeed/batch.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>

/* 0: not given. The data-parallel ranks are world / others, which need not be whole. */
struct triple {
	int64_t train, micro, steps;
	int64_t world, others;
};

static bool given(const struct settings *settings, enum field_id id, int64_t *value)
{
	const struct setting *setting = &settings->items[id];

	*value = 0;
	if (setting_unresolved(settings, id) || setting->invalid)
		return false;
	if (setting_given(setting))
		*value = setting->integer;
	return true;
}

/* a // (world / others), for whole a of 0 or more. */
static int64_t per_rank(const struct triple *t, int64_t a)
{
	return multiply(a, t->others) / t->world;
}

/* False when the two that are needed are not there. */
static bool complete(struct triple *t)
{
	if (t->train && t->micro && t->steps)
		return true;
	if (t->train && t->micro)
		t->steps = per_rank(t, t->train / t->micro);
	else if (t->train && t->steps)
		t->micro = per_rank(t, t->train) / t->steps;
	else if (t->train)
		t->steps = 1, t->micro = per_rank(t, t->train);
	else
		return false; /* train_batch_size follows, whatever it is */
	return true;
}

static const char *ranks_text(struct plan *plan, const struct triple *t,
			      const struct batch_words *words)
{
	if (t->world % t->others)
		return arena_printf(plan->arena, "%.15g", (double)t->world / (double)t->others);
	return arena_printf(plan->arena, "%" PRId64 "%s", t->world / t->others,
			    words->ranks_as_float ? ".0" : "");
}

static void blame(struct job *job, struct plan *plan)
{
	static const enum field_id fields[] = { FIELD_GLOBAL_BATCH_SIZE, FIELD_MICRO_BATCH_SIZE,
						FIELD_GRADIENT_ACCUMULATION };
	size_t i;

	plan->error->rule = "batch-triple";
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (setting_given(settings_of(&job->settings, fields[i])))
			plan_blame(plan, settings_of(&job->settings, fields[i]));
}

static void check(struct plan *plan, const struct triple *t, const struct batch_words *words)
{
	const char *type = "AssertionError";

	if (t->train < 1)
		plan_raise(plan, type, words->where,
			   "Train batch size: %" PRId64 " has to be greater than 0", t->train);
	else if (t->micro < 1)
		plan_raise(plan, type, words->where,
			   "Micro batch size per gpu: %" PRId64 " has to be greater than 0",
			   t->micro);
	else if (t->steps < 1)
		plan_raise(plan, type, words->where,
			   "Gradient accumulation steps: %" PRId64 " has to be greater than 0",
			   t->steps);
	else if (multiply(t->train, t->others) != multiply(multiply(t->micro, t->steps), t->world))
		plan_raise(plan, type, words->where,
			   "Check batch related parameters. train_batch_size is not equal to "
			   "micro_batch_per_gpu * gradient_acc_step * world_size%s%" PRId64
			   " != %" PRId64 " * %" PRId64 " * %s",
			   words->separator, t->train, t->micro, t->steps,
			   ranks_text(plan, t, words));
}

bool batch_triple_holds(struct job *job, struct plan *plan, int64_t world, int64_t others,
			const struct batch_words *words)
{
	const struct settings *settings = &job->settings;
	struct triple t = { .world = world, .others = others };

	if (!given(settings, FIELD_GLOBAL_BATCH_SIZE, &t.train) ||
	    !given(settings, FIELD_MICRO_BATCH_SIZE, &t.micro) ||
	    !given(settings, FIELD_GRADIENT_ACCUMULATION, &t.steps))
		return true;
	if (t.train < 0 || t.micro < 0 || t.steps < 0 || !complete(&t))
		return true;
	check(plan, &t, words);
	if (plan->error)
		blame(job, plan);
	return !plan->error;
}
