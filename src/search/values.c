#include "search/candidate.h"

#include "framework/wing.h"
#include "search/site.h"
#include "input/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The values that an axis has, given those before it. */

static const struct site *site_of(const struct space *space, const struct candidate *candidate)
{
	return space->sites.items[candidate->at[AXIS_SITE]];
}

static const enum field_id fields[AXES] = {
	[AXIS_SITE] = FIELD_COUNT,
	[AXIS_PP] = FIELD_PP,
	[AXIS_TP] = FIELD_TP,
	[AXIS_CP] = FIELD_CP,
	[AXIS_SEQUENCE] = FIELD_COUNT,
	[AXIS_REPLICATE] = FIELD_DP_REPLICATE,
	[AXIS_EP] = FIELD_EP,
	[AXIS_ETP] = FIELD_ETP,
	[AXIS_ZERO] = FIELD_COUNT,
	[AXIS_TENSOR] = FIELD_COUNT,
	[AXIS_SCHEDULE] = FIELD_PP_SCHEDULE,
	[AXIS_VIRTUAL] = FIELD_PP_VIRTUAL_STAGES,
	[AXIS_RESHARD] = FIELD_RESHARD_AFTER_FORWARD,
	[AXIS_MICRO] = FIELD_MICRO_BATCH_SIZE,
	[AXIS_RECOMPUTE] = FIELD_AC_MODE,
};

const char *space_axis_name(enum axis axis)
{
	static const char *const names[AXES] = {
		[AXIS_SITE] = "machines",	   [AXIS_SEQUENCE] = "Ulysses",
		[AXIS_ZERO] = "sharded state",	   [AXIS_TENSOR] = "tensor parallelism",
		[AXIS_MICRO] = "microbatch",	   [AXIS_VIRTUAL] = "virtual stages",
		[AXIS_RECOMPUTE] = "recomputation"
	};

	return names[axis] ? names[axis] : field_of(fields[axis])->key;
}

static bool text_is(const char *text, int64_t value)
{
	char digits[24];

	(void)snprintf(digits, sizeof(digits), "%" PRId64, value);
	return !strcmp(text, digits);
}

const struct restriction *space_restriction(const struct space *space, enum field_id field)
{
	size_t i;

	for (i = 0; i < space->restrictions.list.count; i++)
		if (space->restrictions.list.items[i].field == field)
			return &space->restrictions.list.items[i];
	return NULL;
}

static bool allows_number(const struct space *space, enum field_id field, int64_t value)
{
	const struct restriction *restriction = space_restriction(space, field);
	size_t i;

	for (i = 0; restriction && i < restriction->values.count; i++)
		if (text_is(restriction->values.items[i], value))
			return true;
	return !restriction;
}

static bool allows_word(const struct space *space, enum field_id field, const char *word)
{
	const struct restriction *restriction = space_restriction(space, field);
	size_t i;

	for (i = 0; restriction && i < restriction->values.count; i++)
		if (!strcmp(restriction->values.items[i], word))
			return true;
	return !restriction;
}

const char *choice_says(const struct choice *choice, enum field_id field)
{
	int i;

	for (i = 0; i < choice->count; i++)
		if (choice->said[i].field == field && choice->said[i].value)
			return choice->said[i].value;
	return "";
}

/*
 * Each word of it is allowed, and where only words of options, methods or layers are, it has one:
 * --vary option=2,3 asks for nothing but those two.
 */
static bool allows_choice(const struct space *space, const struct choice *choice)
{
	static const enum field_id details[] = { FIELD_AC_OPTION, FIELD_AC_METHOD,
						 FIELD_AC_LAYERS };
	bool recomputes = false;
	size_t k;
	int i;

	for (i = 0; i < choice->count; i++) {
		recomputes = recomputes || choice->said[i].field == FIELD_AC_MODE;
		if (choice->said[i].value &&
		    !allows_word(space, choice->said[i].field, choice->said[i].value))
			return false;
	}
	for (k = 0; recomputes && k < sizeof(details) / sizeof(details[0]); k++)
		if (space_restriction(space, details[k]) && !*choice_says(choice, details[k]) &&
		    !space_restriction(space, FIELD_AC_MODE))
			return false;
	return true;
}

/* Ranks that the degrees before dp leave. */
static int64_t left(const struct space *space, const struct candidate *candidate, enum axis until)
{
	const struct site *site = site_of(space, candidate);
	int64_t ranks = site->world;
	enum axis axis;

	for (axis = AXIS_PP; axis < until && axis <= AXIS_CP; axis++)
		ranks /= candidate->at[axis];
	return until > AXIS_SEQUENCE && site->ulysses == FIELD_SP
		       ? ranks / candidate->at[AXIS_SEQUENCE]
		       : ranks;
}

int64_t candidate_dp(const struct space *space, const struct candidate *candidate)
{
	return left(space, candidate, AXIS_REPLICATE);
}

int64_t candidate_inside(const struct space *space, const struct candidate *candidate)
{
	return site_of(space, candidate)->ulysses == FIELD_SP ? 1 : candidate->at[AXIS_SEQUENCE];
}

int64_t candidate_each(const struct space *space, const struct candidate *candidate)
{
	const struct site *site = site_of(space, candidate);
	const int64_t dp = candidate_dp(space, candidate);
	const int64_t apart = dp / candidate_inside(space, candidate);

	return apart && site->batch % apart == 0 ? site->batch / apart : 0;
}

/* All divisors of a number, ascending. */
static void divisors_of(int64_t whole, struct arena *arena, struct axis_values *values)
{
	int64_t value;

	for (value = 1; value * value <= whole; value++)
		if (whole % value == 0)
			vec_push(arena, &values->list, value);
	for (value--; value > 0; value--)
		if (whole % value == 0 && value * value != whole)
			vec_push(arena, &values->list, whole / value);
}

/* A layout without a pipeline has no schedule, and one stage to a rank. */
static bool wants_pipeline(const struct space *space)
{
	return space_restriction(space, FIELD_PP_SCHEDULE) ||
	       !allows_number(space, FIELD_PP_VIRTUAL_STAGES, 1);
}

/* What is true of tensor parallelism alone. */
static bool wants_tensor(const struct space *space)
{
	static const enum field_id ways[] = { FIELD_SEQUENCE_PARALLEL, FIELD_ASYNC_TP,
					      FIELD_OVERLAP_TP };
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!allows_word(space, ways[i], "false"))
			return true;
	return false;
}

static bool allows_degree(const struct space *space, enum axis axis, int64_t value)
{
	return allows_number(space, fields[axis], value) &&
	       (axis != AXIS_PP || value > 1 || !wants_pipeline(space)) &&
	       (axis != AXIS_TP || value > 1 || !wants_tensor(space));
}

/* Divisors of `whole` up to `most` that are allowed; what the config has, where it cannot say it.
 */
static void divisors(const struct space *space, const struct candidate *candidate, enum axis axis,
		     int64_t whole, int64_t most, struct arena *arena, struct axis_values *values)
{
	const struct site *site = site_of(space, candidate);
	int64_t own = setting_int(&site->job.settings, fields[axis], 1);
	struct axis_values all = { 0 };
	size_t i;

	if (!site->open[fields[axis]]) {
		if (own < 1)
			own = 1;
		if (whole % own == 0)
			vec_push(arena, &values->list, own);
		return;
	}
	divisors_of(whole, arena, &all);
	for (i = 0; i < all.list.count && all.list.items[i] <= most; i++)
		if (allows_degree(space, axis, all.list.items[i]))
			vec_push(arena, &values->list, all.list.items[i]);
}

/*
 * Ranks of Ulysses, which a training script has to be written for: others than one where the config
 * has them already or the user asks for them.
 */
static void sequences(const struct space *space, const struct candidate *candidate,
		      struct arena *arena, struct axis_values *values)
{
	const struct site *site = site_of(space, candidate);
	const int64_t ranks = left(space, candidate, AXIS_SEQUENCE), own = site_ulysses(site);
	const bool varied = site->open[site->ulysses] &&
			    (setting_given(&site->job.settings.items[site->ulysses]) ||
			     space_restriction(space, site->ulysses));
	struct axis_values all = { 0 };
	size_t i;

	divisors_of(ranks, arena, &all);
	for (i = 0; i < all.list.count && all.list.items[i] <= site->job.model->heads; i++)
		if (varied ? allows_number(space, site->ulysses, all.list.items[i])
			   : all.list.items[i] == own)
			vec_push(arena, &values->list, all.list.items[i]);
}

/* Whether the config can say that so many ranks share the parameters, or says so already. */
static bool can_share(const struct site *site, int64_t ranks)
{
	const int64_t own = setting_int(&site->job.settings, FIELD_DP_SHARD, 0);

	return site->open[FIELD_DP_SHARD] || own < 1 || ranks == own;
}

static void replicas(const struct space *space, const struct candidate *candidate,
		     struct arena *arena, struct axis_values *values)
{
	const struct site *site = site_of(space, candidate);
	const struct settings *settings = &site->job.settings;
	const int64_t dp = candidate_dp(space, candidate);
	struct axis_values all = { 0 };
	size_t i;

	if (site->derived_dp) {
		vec_push(arena, &values->list, site->knows_sharing ? 1 : dp);
		return;
	}
	if (allows_number(space, FIELD_DP, dp) &&
	    (!site->total || site->open[FIELD_DP] || dp == setting_int(settings, FIELD_DP, dp)))
		divisors_of(dp, arena, &all);
	for (i = 0; i < all.list.count; i++) {
		const int64_t value = all.list.items[i];
		if (!allows_number(space, FIELD_DP_REPLICATE, value) ||
		    !allows_number(space, FIELD_DP_SHARD, dp / value) ||
		    !can_share(site, dp / value))
			continue;
		if (value > 1 && !site->open[FIELD_DP_REPLICATE])
			break;
		vec_push(arena, &values->list, value);
	}
}

static void experts(const struct space *space, const struct candidate *candidate,
		    struct arena *arena, struct axis_values *values)
{
	const struct site *site = site_of(space, candidate);
	const int64_t count = setting_int(&site->job.settings, FIELD_MODEL_MOE_EXPERTS, 0);
	const int64_t ranks = site->world / candidate->at[AXIS_PP];
	struct axis_values all = { 0 };
	size_t i;

	if (count < 2 || site->drops_experts) {
		vec_push(arena, &values->list, 1);
		return;
	}
	divisors(space, candidate, AXIS_EP, count, ranks, arena, &all);
	for (i = 0; i < all.list.count; i++)
		if (ranks % all.list.items[i] == 0)
			vec_push(arena, &values->list, all.list.items[i]);
}

/* All of tp, or nothing: frameworks know no other. */
static void expert_tensor(const struct space *space, const struct candidate *candidate,
			  struct arena *arena, struct axis_values *values)
{
	const struct site *site = site_of(space, candidate);
	const int64_t *at = candidate->at, ranks = site->world / at[AXIS_PP];

	if (at[AXIS_EP] < 2 || !site->open[FIELD_ETP]) {
		vec_push(arena, &values->list, 0);
		return;
	}
	if (allows_number(space, FIELD_ETP, 1))
		vec_push(arena, &values->list, 1);
	if (at[AXIS_TP] > 1 && ranks % (at[AXIS_EP] * at[AXIS_TP]) == 0 &&
	    allows_number(space, FIELD_ETP, at[AXIS_TP]))
		vec_push(arena, &values->list, at[AXIS_TP]);
}

/* Layers of each stage. */
static int64_t stage_layers(const struct space *space, const struct candidate *candidate)
{
	const int64_t each = candidate->at[AXIS_VIRTUAL] ? candidate->at[AXIS_VIRTUAL] : 1;

	return site_of(space, candidate)->job.model->layers / (candidate->at[AXIS_PP] * each);
}

/* Whether a choice is one for this layout; `layers`: what a stage has of them. */
static bool is_apt(const struct space *space, const struct choice *choice,
		   const struct candidate *candidate, int64_t layers)
{
	return choice->least_layers <= layers &&
	       (!choice->overlaps ||
		candidate->at[AXIS_TP] <= site_of(space, candidate)->overlapped);
}

/*
 * Without a pipeline the default is no worse than letting go of the root as well; with one it may
 * let go of nothing.
 */
static bool is_of_stages(const struct space *space, const struct choice *choice,
			 const struct candidate *candidate)
{
	const bool alone = candidate->at[AXIS_PP] < 2;
	bool always = false, other = false;
	size_t i;

	for (i = 0; i < space->reshard.list.count; i++) {
		const struct choice *one = &space->reshard.list.items[i];
		always = always || (!strcmp(one->name, "always") && allows_choice(space, one));
		other = other || (!strcmp(one->name, "default") && allows_choice(space, one));
	}
	return !(always && other) || strcmp(choice->name, alone ? "always" : "default") != 0;
}

/* Of choices that mean nothing here (NULL) the first, which is then not said. */
static void words(const struct space *space, const struct candidate *candidate,
		  const struct choices *choices, struct arena *arena, struct axis_values *values)
{
	const int64_t layers = choices == &space->recompute ? stage_layers(space, candidate) : 0;
	size_t i;

	if (!choices) {
		vec_push(arena, &values->list, 0);
		return;
	}
	for (i = 0; i < choices->list.count; i++)
		if (is_apt(space, &choices->list.items[i], candidate, layers) &&
		    (choices != &space->reshard ||
		     is_of_stages(space, &choices->list.items[i], candidate)) &&
		    allows_choice(space, &choices->list.items[i]))
			vec_push(arena, &values->list, (int64_t)i);
}

/* Whether an option gives it, or it is varied: then no layout says another. */
static bool stays(const struct site *site, enum field_id field)
{
	return setting_given(&site->job.settings.items[field]) && !site->open[field];
}

/* Whether the config can ask for so many stages on each rank. */
static bool has_stages(const struct site *site, int64_t pp, int64_t value, int64_t layers)
{
	const int64_t units = layers + candidate_end(site, FIELD_PP_FIRST_STAGE_LESS) +
			      candidate_end(site, FIELD_PP_LAST_STAGE_LESS);

	if (stays(site, FIELD_PP_LAYERS_PER_STAGE))
		return candidate_stage_layers(site, pp, value, value > 1) > 0;
	if (candidate_counts_stages(site) && stays(site, FIELD_PP_VIRTUAL_STAGES) &&
	    value != setting_int(&site->job.settings, FIELD_PP_VIRTUAL_STAGES, value))
		return false;
	if (candidate_counts_stages(site))
		return units % (pp * value) == 0 || candidate_last_layers(site, pp, value) ||
		       (value == 1 && candidate_uneven(site, pp));
	return candidate_stage_layers(site, pp, value, value > 1) != 0;
}

/* The one that is chosen, or the config's own; "" where stages alone make it one or another. */
static const char *schedule_of(const struct space *space, const struct candidate *candidate)
{
	const struct site *site = site_of(space, candidate);
	const char *chosen = space->schedule.list.items[candidate->at[AXIS_SCHEDULE]].name;

	return *chosen || candidate_counts_stages(site)
		       ? chosen
		       : setting_text(&site->job.settings, FIELD_PP_SCHEDULE, "");
}

/* Whether the config can be told how many stages a rank has, and does not cut the layers itself. */
static bool can_stage(const struct site *site, int64_t pp)
{
	return (site->open[FIELD_PP_LAYERS_PER_STAGE] || site->open[FIELD_PP_VIRTUAL_STAGES] ||
		site->open[FIELD_PP_SCHEDULE]) &&
	       (!setting_given(&site->job.settings.items[FIELD_PP_LAYER_SPLIT]) ||
		candidate_leaves_split(site, pp));
}

/* Schedules and their stages are nothing without a pipeline: one value, that says nothing. */
static void stages(const struct space *space, const struct candidate *candidate,
		   struct arena *arena, struct axis_values *values)
{
	const struct site *site = site_of(space, candidate);
	const int64_t pp = candidate->at[AXIS_PP];
	const int64_t layers = site->job.model ? site->job.model->layers : 0;
	const char *schedule = schedule_of(space, candidate);
	const bool one = !strcmp(schedule, "1F1B") || !strcmp(schedule, "GPipe");
	const bool two = !strcmp(schedule, "ZBVZeroBubble") || !strcmp(schedule, "DualPipeV");
	int64_t value;

	if (pp < 2 || !can_stage(site, pp)) {
		vec_push(arena, &values->list, 0);
		return;
	}
	for (value = one || !*schedule ? 1 : 2; value * pp <= layers; value++) {
		if (!has_stages(site, pp, value, layers) ||
		    !allows_number(space, FIELD_PP_VIRTUAL_STAGES, value))
			continue;
		vec_push(arena, &values->list, value);
		if (one || two)
			break;
	}
}

/* Whether the config has the value at a site, or can be told it. */
static bool can_be(const struct site *site, enum field_id field, int64_t value)
{
	return site->open[field] || setting_int(&site->job.settings, field, 1) == value;
}

/* Whether it can say so many microbatches, in tokens. */
static bool can_count(const struct site *site, int64_t pp, int64_t micro, int64_t passes)
{
	const int64_t length = setting_int(&site->job.settings, FIELD_SEQ_LEN, 1);

	if (!can_be(site, FIELD_TOKENS_PER_MICROBATCH, micro * length))
		return false;
	if (pp > 1)
		return can_be(site, FIELD_PP_MICROBATCHES, passes);
	return passes < 2 || site->open[FIELD_TOKENS_PER_STEP] ||
	       setting_int(&site->job.settings, FIELD_TOKENS_PER_STEP, -1) > 0;
}

/* Whether it can say that `each` sequences of a rank go through in microbatches of `micro`. */
static bool can_cut(const struct site *site, const struct candidate *candidate, int64_t each,
		    int64_t micro)
{
	const struct settings *settings = &site->job.settings;
	const bool local = candidate_has_local(site);
	const int64_t passes = each / micro;

	if (site->tokens)
		return can_count(site, candidate->at[AXIS_PP], micro, passes);
	if (local && candidate->at[AXIS_PP] > 1)
		return can_be(site, FIELD_LOCAL_BATCH_SIZE, each) &&
		       can_be(site, FIELD_GRADIENT_ACCUMULATION, 1) &&
		       (site->does[HABIT_COUNTS_MICRO]
				? can_be(site, FIELD_PP_MICROBATCHES, passes)
				: can_be(site, FIELD_PP_MICROBATCH_SIZE, micro));
	if (!can_be(site, local ? FIELD_LOCAL_BATCH_SIZE : FIELD_MICRO_BATCH_SIZE, micro))
		return false;
	if (site->does[HABIT_STEPS_AT_ONCE] && passes > 1)
		return false;
	if (setting_known(&settings->items[FIELD_GRADIENT_ACCUMULATION]) || passes < 2)
		return can_be(site, FIELD_GRADIENT_ACCUMULATION, passes);
	return site->open[FIELD_GRADIENT_ACCUMULATION] || site->open[FIELD_GLOBAL_BATCH_SIZE] ||
	       setting_int(settings, FIELD_GLOBAL_BATCH_SIZE, -1) > 0;
}

static void microbatches(const struct space *space, const struct candidate *candidate,
			 struct arena *arena, struct axis_values *values)
{
	const struct site *site = site_of(space, candidate);
	const int64_t each = candidate_each(space, candidate);
	struct axis_values all = { 0 };
	size_t i;

	if (each)
		divisors_of(each, arena, &all);
	for (i = 0; i < all.list.count; i++)
		if (can_cut(site, candidate, each, all.list.items[i]) &&
		    allows_number(space, FIELD_MICRO_BATCH_SIZE, all.list.items[i]))
			vec_push(arena, &values->list, all.list.items[i]);
}

static void of_words(const struct space *space, const struct candidate *candidate, enum axis axis,
		     struct arena *arena, struct axis_values *values)
{
	const int64_t *at = candidate->at;

	if (axis == AXIS_ZERO)
		words(space, candidate,
		      candidate_cuts_state(space, candidate) ? &space->zero : NULL, arena, values);
	else if (axis == AXIS_TENSOR)
		words(space, candidate, at[AXIS_TP] > 1 ? &space->tensor : NULL, arena, values);
	else if (axis == AXIS_SCHEDULE)
		words(space, candidate, at[AXIS_PP] > 1 ? &space->schedule : NULL, arena, values);
	else if (axis == AXIS_RESHARD)
		words(space, candidate, candidate_shares(space, candidate) ? &space->reshard : NULL,
		      arena, values);
	else
		words(space, candidate, &space->recompute, arena, values);
}

static void of_degrees(const struct space *space, const struct candidate *candidate, enum axis axis,
		       struct arena *arena, struct axis_values *values)
{
	const struct site *site = site_of(space, candidate);
	const struct model *model = site->job.model;
	const int64_t ranks = left(space, candidate, axis);

	if (axis == AXIS_PP)
		divisors(space, candidate, axis, ranks, model->layers, arena, values);
	else if (axis == AXIS_TP)
		divisors(space, candidate, axis, ranks, model->heads, arena, values);
	else
		divisors(space, candidate, axis, ranks,
			 setting_int(&site->job.settings, FIELD_SEQ_LEN, ranks), arena, values);
}

void space_values(const struct space *space, const struct candidate *candidate, enum axis axis,
		  struct arena *arena, struct axis_values *values)
{
	size_t i;

	values->list.count = 0;
	if (axis == AXIS_SITE)
		for (i = 0; i < space->sites.count; i++)
			vec_push(arena, &values->list, (int64_t)i);
	else if (axis == AXIS_SEQUENCE)
		sequences(space, candidate, arena, values);
	else if (axis <= AXIS_CP)
		of_degrees(space, candidate, axis, arena, values);
	else if (axis == AXIS_REPLICATE)
		replicas(space, candidate, arena, values);
	else if (axis == AXIS_EP)
		experts(space, candidate, arena, values);
	else if (axis == AXIS_ETP)
		expert_tensor(space, candidate, arena, values);
	else if (axis == AXIS_VIRTUAL)
		stages(space, candidate, arena, values);
	else if (axis == AXIS_MICRO)
		microbatches(space, candidate, arena, values);
	else
		of_words(space, candidate, axis, arena, values);
}
