#include "wings/deepspeed/batch.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>

/* One of the three numbers: as given, or computed from the others. */
struct part {
	int64_t value;
	bool there;
	bool computed;
};

/* The data-parallel ranks are world / others, which need not be whole. */
struct triple {
	struct part train, micro, steps;
	int64_t world, others;
};

static bool given(const struct settings *settings, enum field_id id, struct part *part)
{
	const struct setting *setting = &settings->items[id];

	*part = (struct part) { 0 };
	if (setting_unresolved(settings, id) || setting->invalid)
		return false;
	part->there = setting_given(setting);
	part->value = part->there ? setting->integer : 0;
	return true;
}

/* a // b as Python has it: towards minus infinity. */
static int64_t floored(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* a // (world / others) */
static int64_t per_rank(const struct triple *t, int64_t a)
{
	return floored(a < 0 ? -multiply(-a, t->others) : multiply(a, t->others), t->world);
}

static struct part computed(int64_t value)
{
	const struct part part = { value, true, true };

	return part;
}

/* False when the two that are needed are not there. */
static bool complete(struct triple *t)
{
	if (t->train.there && t->micro.there && t->steps.there)
		return true;
	if (t->train.there && t->micro.there)
		t->steps = computed(per_rank(t, floored(t->train.value, t->micro.value)));
	else if (t->train.there && t->steps.there)
		t->micro = computed(floored(per_rank(t, t->train.value), t->steps.value));
	else if (t->train.there)
		t->steps = (struct part) { 1, true, false },
		t->micro = computed(per_rank(t, t->train.value));
	else
		return false; /* train_batch_size follows, whatever it is */
	return true;
}

/* What Python's // says of a divisor of zero; the second division's left side may be a float. */
static bool divides_by_zero(struct plan *plan, const struct triple *t,
			    const struct batch_words *words)
{
	bool second = t->train.there && t->steps.there && !t->micro.there && !t->steps.value;

	if (!second && !(t->train.there && t->micro.there && !t->steps.there && !t->micro.value))
		return false;
	plan_raise(plan, "ZeroDivisionError", words->where, "%s",
		   second && words->ranks_as_float ? "float floor division by zero"
						   : "integer division or modulo by zero");
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

static const char *part_text(struct plan *plan, const struct part *part,
			     const struct batch_words *words)
{
	return arena_printf(plan->arena, "%" PRId64 "%s", part->value,
			    part->computed && words->numbers_as_float ? ".0" : "");
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

#define TELL(id, ...) exception_tell(plan->arena, &exceptions_deepspeed.rows[id], __VA_ARGS__)

/* The framework's own function says it. */
static void raise_words(struct plan *plan, const struct batch_words *words, struct told told)
{
	told.where = words->where;
	exception_raise_told(plan, told);
}

static void check(struct plan *plan, const struct triple *t, const struct batch_words *words)
{
	const char *train = part_text(plan, &t->train, words);
	const char *micro = part_text(plan, &t->micro, words);
	const char *steps = part_text(plan, &t->steps, words);

	if (t->train.value < 1)
		raise_words(plan, words, TELL(TRAIN_BELOW_ONE, VALUE(train)));
	else if (t->micro.value < 1)
		raise_words(plan, words, TELL(MICRO_BELOW_ONE, VALUE(micro)));
	else if (t->steps.value < 1)
		raise_words(plan, words, TELL(STEPS_BELOW_ONE, VALUE(steps)));
	else if (multiply(t->train.value, t->others) !=
		 multiply(multiply(t->micro.value, t->steps.value), t->world))
		raise_words(plan, words,
			    TELL(UNEQUAL,
				 VALUE(arena_printf(plan->arena, "%s%s", words->separator, train)),
				 VALUE(micro), VALUE(steps), VALUE(ranks_text(plan, t, words))));
}

/* Without train_batch_size it is the product, which no factor below one may enter. */
static void check_factors(struct plan *plan, struct triple *t, const struct batch_words *words)
{
	if (!t->micro.there)
		return;
	if (!t->steps.there)
		t->steps = (struct part) { 1, true, false };
	if (t->micro.value > 0 && t->steps.value > 0)
		return;
	t->train = computed(floored(t->micro.value * t->steps.value * t->world, t->others));
	check(plan, t, words);
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
	if (!divides_by_zero(plan, &t, words)) {
		if (complete(&t))
			check(plan, &t, words);
		else
			check_factors(plan, &t, words);
	}
	if (plan->error)
		blame(job, plan);
	return !plan->error;
}
