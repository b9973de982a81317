#include "search/choices.h"

#include "base/text.h"
#include "input/field.h"
#include "search/wording.h"
#include "sim/schedule.h"
#include "sim/workload.h"

#include <string.h>

/* ---- words ---- */

/* What a choice says; of no field (FIELD_COUNT) nothing. A value of NULL: that it is not given. */
static void say(struct choice *choice, enum field_id field, const char *value)
{
	const struct variation variation = { field, value };

	if (field != FIELD_COUNT)
		choice->said[choice->count++] = variation;
}

/* Adds a choice that the config can be told. */
static void offer_choice(struct space *space, struct choices *choices, struct choice choice)
{
	const struct site *site = space->sites.items[0];
	int i;

	for (i = 0; i < choice.count; i++)
		if (!wording_can(site->wording, choice.said[i].field, choice.said[i].value))
			return;
	vec_push(space->arena, &choices->list, choice);
}

static void offer(struct space *space, struct choices *choices, const char *name,
		  enum field_id field, const char *value)
{
	struct choice choice = { .name = name };

	say(&choice, field, value);
	offer_choice(space, choices, choice);
}

/* Where nothing can be said the config's own is the only choice. */
static void end_choices(struct space *space, struct choices *choices)
{
	if (!choices->list.count)
		offer(space, choices, "", FIELD_COUNT, NULL);
}

/* ---- recomputation ---- */

/* A mode, without a word of which layers. */
static void offer_mode(struct space *space, const char *name, const char *mode, const char *option)
{
	static const enum field_id unsaid[] = { FIELD_AC_METHOD, FIELD_AC_LAYERS };
	const struct settings *settings = &space->sites.items[0]->job.settings;
	struct choice choice = { .name = name };
	size_t i;

	say(&choice, FIELD_AC_MODE, mode);
	if (option)
		say(&choice, FIELD_AC_OPTION, option);
	for (i = 0; i < sizeof(unsaid) / sizeof(unsaid[0]); i++)
		if (setting_given(&settings->items[unsaid[i]]))
			say(&choice, unsaid[i], NULL);
	offer_choice(space, &space->recompute, choice);
}

/* The values that the user allows of a field, or the others. */
static struct restriction allowed_of(struct space *space, enum field_id field,
				     const char *const *others, size_t count)
{
	const struct restriction *only = space_restriction(space, field);
	struct restriction all = { .field = field };
	size_t i;

	for (i = 0; !only && i < count; i++)
		vec_push(space->arena, &all.values, others[i]);
	return only ? *only : all;
}

static const char *ordinal_ending(int64_t number)
{
	static const char *const endings[] = { "th", "st", "nd", "rd" };

	return number / 10 % 10 == 1 || number % 10 > 3 ? "th" : endings[number % 10];
}

/* Operators, or each so many-th block. */
static void offer_selective(struct space *space)
{
	static const char *const usual[] = { "op", "2" };
	const struct restriction options =
		allowed_of(space, FIELD_AC_OPTION, usual, sizeof(usual) / sizeof(usual[0]));
	size_t i;

	for (i = 0; i < options.values.count; i++) {
		const char *option = options.values.items[i];
		int64_t every;
		if (!text_to_int(option, &every))
			offer_mode(space, option, "selective", option);
		else
			offer_mode(space,
				   arena_printf(space->arena, "every %s%s", option,
						ordinal_ending(every)),
				   "selective", option);
	}
}

/*
 * Megatron's methods: so many layers of each stage, the first ones, and all of them in units of so
 * many, which keep fewer inputs. `least`: of so many layers a stage has to be.
 */
static void offer_method(struct space *space, const char *method, const char *layers, int64_t least)
{
	const bool all = !strcmp(method, "uniform") && !strcmp(layers, "1");
	struct choice choice = {
		.name = all ? "full" : arena_join(space->arena, method, " ", layers),
		.least_layers = least,
	};

	say(&choice, FIELD_AC_MODE, "full");
	say(&choice, FIELD_AC_METHOD, method);
	say(&choice, FIELD_AC_LAYERS, layers);
	offer_choice(space, &space->recompute, choice);
}

static void offer_methods(struct space *space)
{
	static const char *const blocks[] = {
		"1", "2", "3", "4", "6", "8", "12", "16", "24", "32"
	};
	const struct restriction units = allowed_of(space, FIELD_AC_LAYERS, blocks, 1),
				 firsts = allowed_of(space, FIELD_AC_LAYERS, blocks,
						     sizeof(blocks) / sizeof(blocks[0]));
	int64_t layers;
	size_t i;

	for (i = 0; i < firsts.values.count; i++)
		if (text_to_int(firsts.values.items[i], &layers))
			offer_method(space, "block", firsts.values.items[i], layers + 1);
	for (i = 0; i < units.values.count; i++)
		if (text_to_int(units.values.items[i], &layers))
			offer_method(space, "uniform", units.values.items[i], layers);
}

static void add_recompute(struct space *space, const struct site *site)
{
	const bool megatron = site->does[HABIT_MEGATRON];

	if (site->open[FIELD_AC_MODE]) {
		offer_mode(space, "none", "none", NULL);
		if (megatron)
			offer_mode(space, "selective", "selective", NULL);
		else if (site->open[FIELD_AC_OPTION])
			offer_selective(space);
		if (megatron && site->open[FIELD_AC_METHOD] && site->open[FIELD_AC_LAYERS])
			offer_methods(space);
		else
			offer_mode(space, "full", "full", NULL);
	}
	end_choices(space, &space->recompute);
}

static void add_zero(struct space *space, const struct site *site)
{
	struct choices *choices = &space->zero;
	const enum strategy strategy = site->job.intended->dense.strategy;
	const bool shares = strategy == STRATEGY_FSDP || strategy == STRATEGY_HSDP;

	if (site->does[HABIT_MEGATRON] && !shares && site->open[FIELD_OPTIMIZER_DISTRIBUTED]) {
		offer(space, choices, "zero 0", FIELD_OPTIMIZER_DISTRIBUTED, "false");
		offer(space, choices, "zero 1", FIELD_OPTIMIZER_DISTRIBUTED, "true");
	} else if (site->does[HABIT_ENGINE] && site->open[FIELD_ZERO_STAGE]) {
		offer(space, choices, "zero 0", FIELD_ZERO_STAGE, "0");
		offer(space, choices, "zero 1", FIELD_ZERO_STAGE, "1");
		offer(space, choices, "zero 2", FIELD_ZERO_STAGE, "2");
		offer(space, choices, "zero 3", FIELD_ZERO_STAGE, "3");
	}
	end_choices(space, choices);
}

/* One way of tensor parallelism; `overlap` is the field that says whether its traffic overlaps. */
static void offer_tensor(struct space *space, const char *name, const char *sequence,
			 enum field_id overlap, const char *overlaps)
{
	struct choice choice = { .name = name, .overlaps = !strcmp(overlaps, "true") };

	if (sequence)
		say(&choice, FIELD_SEQUENCE_PARALLEL, sequence);
	say(&choice, overlap, overlaps);
	offer_choice(space, &space->tensor, choice);
}

/* Megatron overlaps it beside sequence parallelism alone; whether it does now must be known. */
static void add_megatron_tensor(struct space *space, const struct site *site)
{
	const bool known = setting_known(&site->job.settings.items[FIELD_OVERLAP_TP]) ||
			   workload_waits_unless_told(&site->job);
	const bool overlap = known && site->open[FIELD_OVERLAP_TP];
	const enum field_id field = overlap ? FIELD_OVERLAP_TP : FIELD_COUNT;

	offer_tensor(space, "sp", "true", field, "false");
	if (overlap)
		offer_tensor(space, "sp, tp overlapped", "true", field, "true");
	offer_tensor(space, "no sp", "false", field, "false");
}

/* Asynchronous tensor parallelism is a pass of the compiler. */
static bool compiles(const struct space *space)
{
	size_t i;

	for (i = 0; i < space->sites.count; i++)
		if (setting_bool(&space->sites.items[i]->job.settings, FIELD_COMPILE, false))
			return true;
	return false;
}

static void add_tensor(struct space *space, const struct site *site)
{
	if (site->does[HABIT_MEGATRON] && site->open[FIELD_SEQUENCE_PARALLEL]) {
		add_megatron_tensor(space, site);
	} else if (!site->does[HABIT_MEGATRON] && site->open[FIELD_ASYNC_TP] && compiles(space)) {
		offer_tensor(space, "", NULL, FIELD_ASYNC_TP, "false");
		offer_tensor(space, "async tp", NULL, FIELD_ASYNC_TP, "true");
	}
	end_choices(space, &space->tensor);
}

static bool is_schedule(const char *name)
{
	const struct schedule *schedule = schedule_find(name);

	return schedule && !strcmp(schedule->name, name);
}

/* DualPipeV is of use where it hides experts' traffic. --fix and --vary may name others. */
static void add_schedules(struct space *space, const struct site *site)
{
	static const char *const usual[] = { "1F1B", "Interleaved1F1B", "InterleavedZeroBubble",
					     "ZBVZeroBubble", "DualPipeV" };
	const bool hides = setting_bool(&site->job.settings, FIELD_EXPERT_OVERLAP, false) &&
			   setting_int(&site->job.settings, FIELD_MODEL_MOE_EXPERTS, 0) > 1;
	const struct restriction names = allowed_of(space, FIELD_PP_SCHEDULE, usual, hides ? 5 : 4);
	size_t i;

	for (i = 0; !site->derived_dp && site->open[FIELD_PP_SCHEDULE] && i < names.values.count;
	     i++)
		if (is_schedule(names.values.items[i]))
			offer(space, &space->schedule, names.values.items[i], FIELD_PP_SCHEDULE,
			      names.values.items[i]);
	end_choices(space, &space->schedule);
}

/* "default" lets go of all but the root, which some frameworks cannot be told otherwise; ZeRO's
 * stage may make another one of it. */
static void add_reshard(struct space *space, const struct site *site)
{
	static const char *const words[] = { "always", "default", "never" };
	const bool staged = space->zero.list.count > 1 ||
			    setting_known(&site->job.settings.items[FIELD_ZERO_STAGE]);
	struct choices *choices = &space->reshard;
	size_t i;

	for (i = 0; site->knows_sharing && site->open[FIELD_RESHARD_AFTER_FORWARD] &&
		    i < sizeof(words) / sizeof(words[0]);
	     i++)
		if (i != 1 || !choices->list.count || !staged)
			offer(space, choices, words[i], FIELD_RESHARD_AFTER_FORWARD, words[i]);
	end_choices(space, choices);
}

/* ---- what the user allows ---- */

static const struct choice *next_saying(const struct choices *choices, size_t *at,
					enum field_id field, const char **word)
{
	for (; *at < choices->list.count; ++*at) {
		const struct choice *choice = &choices->list.items[*at];
		int i;
		for (i = 0; i < choice->count; i++)
			if (choice->said[i].field == field && choice->said[i].value) {
				*word = choice->said[i].value;
				++*at;
				return choice;
			}
	}
	return NULL;
}

/* The words of a field that are tried, "a, b", or whether `wanted` is one of them. */
static const char *words_of(const struct space *space, enum field_id field, const char *wanted,
			    bool *found)
{
	const struct choices *const all[] = { &space->recompute, &space->zero, &space->tensor,
					      &space->schedule, &space->reshard };
	const char *words = "", *met = "", *word;
	size_t i, at;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (at = 0; next_saying(all[i], &at, field, &word);) {
			*found = *found || !strcmp(word, wanted);
			if (words_have(met, word))
				continue;
			words = arena_join(space->arena, words, *words ? ", " : "", word);
			met = arena_join(space->arena, met, "|", word);
		}
	return words;
}

static const char *cannot_tell(const struct space *space, enum field_id field)
{
	const struct site *site = space->sites.items[0];
	const char *key = field_of(field)->key;

	if (site->job.settings.items[field].origin == ORIGIN_SET)
		return arena_join(space->arena, "--set gives ", key, " already");
	return arena_join(space->arena, "the config cannot be told ", key,
			  ": leave --fix and --vary of it out");
}

static const char *word_trouble(const struct space *space, enum field_id field, const char *value)
{
	bool found = false;
	const char *words = words_of(space, field, value, &found);

	if (found)
		return NULL;
	if (field == FIELD_ASYNC_TP && space->sites.items[0]->open[field] && !compiles(space))
		return "parallelism.async_tp needs a compiled model: --set training.compile=true";
	return *words ? arena_printf(space->arena, "%s is one of %s here, not '%s'",
				     field_of(field)->key, words, value)
		      : cannot_tell(space, field);
}

/* What of a degree has no effect there. */
static const char *degree_trouble(const struct space *space, enum field_id field, int64_t value)
{
	const struct site *site = space->sites.items[0];
	const struct settings *settings = &site->job.settings;
	const bool experts = field == FIELD_EP || field == FIELD_ETP;

	if (experts && value > 1 && setting_int(settings, FIELD_MODEL_MOE_EXPERTS, 0) < 2)
		return arena_join(space->arena, "the model has no experts for ",
				  field_of(field)->key, "");
	if (site->derived_dp && (field == FIELD_DP_SHARD || field == FIELD_DP_REPLICATE))
		return arena_join(space->arena, field_of(field)->key,
				  " is what the other degrees leave there: give those", "");
	return site->open[field] || setting_int(settings, field, 1) == value
		       ? NULL
		       : cannot_tell(space, field);
}

static const char *number_trouble(const struct space *space, enum field_id field, const char *value)
{
	static const enum field_id degrees[] = { FIELD_PP,     FIELD_TP,	   FIELD_CP,
						 FIELD_DP,     FIELD_DP_REPLICATE, FIELD_DP_SHARD,
						 FIELD_EP,     FIELD_ETP,	   FIELD_SP,
						 FIELD_ULYSSES };
	int64_t number;
	size_t i;

	if (!text_to_int(value, &number) || number < 1)
		return arena_printf(space->arena, "%s takes whole numbers from 1 on, not '%s'",
				    field_of(field)->key, value);
	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
		if (degrees[i] == field)
			return degree_trouble(space, field, number);
	return field == FIELD_AC_LAYERS ? word_trouble(space, field, value) : NULL;
}

static const char *option_trouble(const struct space *space, enum field_id field, const char *value)
{
	int64_t number;

	if (text_to_int(value, &number) ? number > 0 : !strcmp(value, "op"))
		return word_trouble(space, field, value);
	return arena_printf(space->arena, "%s is op or a whole number from 1 on, not '%s'",
			    field_of(field)->key, value);
}

static const char *no_schedule(const struct space *space, const char *value)
{
	const char *names = "";
	size_t i;

	for (i = 0; schedules[i]; i++)
		names = arena_join(space->arena, names, i ? ", " : "", schedules[i]->name);
	return arena_printf(space->arena, "no schedule is called '%s'; there are %s", value, names);
}

static const char *value_trouble(const struct space *space, enum field_id field, const char *value)
{
	if (field == FIELD_PP_SCHEDULE && !is_schedule(value))
		return no_schedule(space, value);
	if (field == FIELD_AC_OPTION)
		return option_trouble(space, field, value);
	return (field_of(field)->type == FIELD_INT ? number_trouble : word_trouble)(space, field,
										    value);
}

/* What is wrong with the values that the user allows, or NULL. */
static const char *restrictions_trouble(const struct space *space)
{
	const char *trouble = NULL;
	size_t i, k;

	for (i = 0; i < space->restrictions.list.count; i++) {
		const struct restriction *only = &space->restrictions.list.items[i];
		for (k = 0; k < only->values.count && !trouble; k++)
			trouble = value_trouble(space, only->field, only->values.items[k]);
	}
	return trouble;
}

const char *choices_fill(struct space *space)
{
	const struct site *site = space->sites.items[0];

	add_recompute(space, site);
	add_zero(space, site);
	add_tensor(space, site);
	add_schedules(space, site);
	add_reshard(space, site);
	return restrictions_trouble(space);
}
