#include "search/nearest.h"

#include "base/text.h"
#include "search/candidate.h"
#include "search/refusals.h"

#include <string.h>

/* Bounds tell which are worth a forecast, of which some are made; rules may refuse the first. */
enum { GUESSES = 1024, FORECAST = 128 };

struct guess {
	uint64_t number;
	double far; /* bytes or seconds, at least */
};

struct looking {
	const struct search *search;
	bool slow;  /* some fit: the fastest is looked for */
	bool roomy; /* those that may fit, by memory */
	struct guess guesses[GUESSES];
	size_t count;
};

static void add(struct looking *looking, uint64_t number, double far)
{
	size_t at = looking->count;

	while (at && far < looking->guesses[at - 1].far)
		at--;
	if (at == GUESSES)
		return;
	looking->count += looking->count < GUESSES;
	memmove(looking->guesses + at + 1, looking->guesses + at,
		(looking->count - at - 1) * sizeof(*looking->guesses));
	looking->guesses[at] = (struct guess) { number, far };
}

static void guess_at(struct looking *looking, struct layout_bounds *bounds,
		     const struct candidate *candidate, uint64_t number)
{
	const struct bound bound =
		bounds_at(bounds, candidate->at[AXIS_MICRO], candidate->at[AXIS_RECOMPUTE]);

	if ((looking->slow || looking->roomy) && bound_too_large(looking->search, &bound))
		return;
	add(looking, number, looking->slow ? bound.time : bound.memory);
}

static void guess_layout(struct looking *looking, size_t layout)
{
	const struct search *search = looking->search;
	const struct space *space = &search->space;
	struct candidate candidate = space->layouts.items[layout];
	uint64_t number = space->first.items[layout];
	struct layout_bounds bounds;
	struct leaves leaves = { 0 };
	struct arena scratch;
	size_t i, k;

	if (refusals_of(search, &candidate))
		return;
	arena_init(&scratch);
	bounds_begin(&bounds, &search->bounds, space, &candidate);
	space_leaves(space, &candidate, &scratch, &leaves);
	for (i = 0; i < leaves.micro.list.count; i++)
		for (k = 0; k < leaves.recompute.list.count; k++) {
			candidate.at[AXIS_MICRO] = leaves.micro.list.items[i];
			candidate.at[AXIS_RECOMPUTE] = leaves.recompute.list.items[k];
			guess_at(looking, &bounds, &candidate, number++);
		}
	arena_release(&scratch);
}

static bool is_nearer(const struct looking *looking, const struct outcome *outcome,
		      const struct outcome *than)
{
	if (outcome->fate == OUTCOME_REFUSED)
		return false;
	if (!looking->slow)
		return !(than->time > 0) || outcome->memory < than->memory;
	return outcome->fate == OUTCOME_RUNS &&
	       (!(than->time > 0) || outcome->score[0] < than->score[0]);
}

size_t nearest_roomy(const struct search *search, uint64_t *numbers, size_t most)
{
	struct looking looking = { .search = search, .roomy = true };
	size_t i;

	for (i = 0; i < search->space.layouts.count && !search_must_stop(search); i++)
		guess_layout(&looking, i);
	for (i = 0; i < looking.count && i < most; i++)
		numbers[i] = looking.guesses[i].number;
	return i;
}

/* ---- what speaks against all ---- */

/* So many candidates are asked, from all over. */
enum { ASKED = 256 };

const struct cut *nearest_cut(const struct search *search)
{
	const struct tally *tally = &search->tally;
	const struct cut *most = NULL;
	size_t i;

	for (i = 0; i < tally->cuts.count; i++)
		if (!most || tally->cuts.items[i].count > most->count)
			most = &tally->cuts.items[i];
	return most;
}

/* The first line of what is raised, or of what a finding says, with indented ones behind it. */
static const char *first_line(struct arena *arena, const char *text)
{
	const char *joined = text_join_lines(arena, text, false);

	return arena_strndup(arena, joined, strcspn(joined, "\n"));
}

/* An exception without words is told by what it comes of: "AssertionError for seq_len 4096". */
static const char *raised_text(struct arena *arena, const struct plan_error *error)
{
	const char *text = error->type;
	int i;

	if (*error->message)
		return first_line(arena, arena_join(arena, text, ": ", error->message));
	for (i = 0; i < error->because_count; i++) {
		const struct setting *setting = error->because[i];
		const struct variation one = { setting->field, setting->text };
		text = arena_join(arena, text, i ? ", " : " for ", variation_text(arena, &one));
	}
	return text;
}

static const char *words_of(struct arena *arena, const struct job *job, const struct rule_id *rule)
{
	const struct plan_error *error = job->applied->error;
	size_t i;

	if (error)
		return raised_text(arena, error);
	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		if (finding->rule == rule)
			return first_line(arena,
					  finding->quote ? finding->quote : finding->message);
	}
	return NULL;
}

/* What a candidate is refused with, if it is by that rule; else NULL. */
static const char *refused_with(const struct search *search, const struct rule_id *rule,
				uint64_t number)
{
	const char *words = NULL;
	struct arena arena;
	struct job job;

	arena_init(&arena);
	if (outcome_in(&arena, &search->space, &search->aim, number, &job).rule == rule)
		words = words_of(&arena, &job, rule);
	words = words ? arena_strdup(search->arena, words) : NULL;
	arena_release(&arena);
	return words;
}

/* ---- what comes nearest ---- */

/* Whether it would not fit either, were it not refused. */
static bool is_too_large(const struct search *search, const struct outcome *outcome)
{
	return outcome->time > 0 && outcome->risk > search->aim.risk;
}

bool nearest_find(const struct search *search, struct outcome *nearest, const char **words)
{
	const struct cut *most = nearest_cut(search);
	struct looking looking = { .search = search };
	struct outcome large = { 0 };
	struct aim aim = search->aim;
	size_t i, made = 0;

	aim.min_tokens = 0;
	for (i = 0; i < search->tally.cuts.count; i++)
		looking.slow = looking.slow || search->tally.cuts.items[i].why == CUT_SLOW;
	for (i = 0; i < search->space.layouts.count; i++)
		guess_layout(&looking, i);
	memset(nearest, 0, sizeof(*nearest));
	for (i = 0; i < looking.count && made < FORECAST; i++) {
		const struct outcome outcome =
			outcome_of(&search->space, &aim, looking.guesses[i].number);
		made += outcome.fate != OUTCOME_REFUSED;
		if (is_nearer(&looking, &outcome, nearest))
			*nearest = outcome;
		if (is_too_large(search, &outcome) &&
		    (!(large.time > 0) || outcome.memory < large.memory))
			large = outcome;
	}
	if (!(nearest->time > 0) && most && !most->rule && large.rule) {
		*nearest = large;
		*words = refused_with(search, large.rule, large.number);
	}
	return nearest->time > 0;
}

struct telling {
	const char *words;
	size_t count;
};

struct tellings {
	VEC(struct telling) list;
};

/* Alike but for numbers. */
static bool is_alike(const char *one, const char *other)
{
	const size_t length = strcspn(one, "0123456789");

	return length == strcspn(other, "0123456789") && !strncmp(one, other, length);
}

static void count_words(struct arena *arena, struct tellings *told, const char *words)
{
	struct telling first = { words, 1 };
	size_t i;

	for (i = 0; i < told->list.count; i++)
		if (is_alike(told->list.items[i].words, words)) {
			told->list.items[i].count++;
			return;
		}
	vec_push(arena, &told->list, first);
}

const char *nearest_words(const struct search *search)
{
	const struct cut *most = nearest_cut(search);
	const uint64_t count = space_count(&search->space), step = count / ASKED + 1;
	struct tellings told = { 0 };
	const char *words;
	uint64_t number;
	size_t i, best = 0;

	for (number = 0; most && most->rule && number < count; number += step) {
		words = refused_with(search, most->rule, number);
		if (words)
			count_words(search->arena, &told, words);
	}
	if (told.list.count && search->yours && search->current.rule == most->rule) {
		words = words_of(search->arena, search->yours, most->rule);
		if (words)
			count_words(search->arena, &told, words);
	}
	for (i = 1; i < told.list.count; i++)
		if (told.list.items[i].count > told.list.items[best].count)
			best = i;
	return told.list.count ? told.list.items[best].words : NULL;
}
