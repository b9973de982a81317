#include "report/search/search.h"

#include "base/number.h"
#include "base/text.h"
#include "cost/units.h"
#include "input/field.h"
#include "report/findings/excerpt.h"
#include "report/forecast/forecast.h"
#include "report/ranks/text.h"
#include "report/ranks/view.h"
#include "search/candidate.h"
#include "search/site.h"
#include "sim/workload/objective.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is written to. */
struct sheet {
	const struct search *search;
	const struct result *result;
	struct arena *arena;
	struct style style;
	struct buf *out;
};

/* "+18 %" of the best. */
static const char *against_best(const struct sheet *sheet, const struct outcome *outcome)
{
	const int which = sheet->search->aim.objective == OBJECTIVE_GPUS;
	const double best = sheet->result->proposals.items[0].outcome.score[which];

	return arena_printf(sheet->arena, "%+.1f %%", 100 * (outcome->score[which] / best - 1));
}

const char *step_text(struct arena *arena, const struct outcome *outcome)
{
	const double half = (outcome->high - outcome->low) / 2 / outcome->time;

	if (outcome->time < 1)
		return arena_printf(arena, "%.4g ms ±%.0f %%", 1e3 * outcome->time, 100 * half);
	return arena_printf(arena, "%.4g s ±%.0f %%", outcome->time, 100 * half);
}

const char *risk_text(struct arena *arena, const struct outcome *outcome)
{
	const double percent = 100 * outcome->risk;

	return percent < 0.5 ? "out of memory, P below 1 %"
			     : arena_printf(arena, "out of memory, P %.0f %%", percent);
}

static void put_padded(struct buf *out, const char *text, int width)
{
	const int used = display_width(text, strlen(text));

	buf_text(out, text);
	buf_repeat(out, ' ', used < width ? (size_t)(width - used) : 1);
}

/* ---- what is ranked ---- */

static const char *ranked_by(const struct search *search)
{
	switch (search->aim.objective) {
	case OBJECTIVE_TOKENS:
		return "tokens/s";
	case OBJECTIVE_COST:
		return search->priced ? "price" : "GPU h";
	case OBJECTIVE_TIME:
	case OBJECTIVE_GPUS: /* which the layout says */
		break;
	}
	return NULL;
}

static const char *rank_text(const struct sheet *sheet, const struct outcome *outcome)
{
	return sheet->search->aim.objective == OBJECTIVE_TOKENS
		       ? arena_printf(sheet->arena, "%.0f", outcome->tokens)
		       : arena_printf(sheet->arena, "%.4g",
				      outcome_cost(&sheet->search->space, outcome));
}

enum { LAYOUT_COLUMN = 42, RANK_COLUMN = 10 };

static int layout_column(const struct search *search)
{
	return LAYOUT_COLUMN + (ranked_by(search) ? RANK_COLUMN : 0);
}

static void put_proposal(struct sheet *sheet, const struct proposal *proposal)
{
	const struct outcome *outcome = &proposal->outcome;
	const struct candidate candidate = space_candidate(&sheet->search->space, outcome->number);
	const char *layout = candidate_text(&sheet->search->space, &candidate, sheet->arena);
	const int column = layout_column(sheet->search);
	struct arena *arena = sheet->arena;

	buf_printf(sheet->out, "%4s%c%c ",
		   proposal->position ? arena_printf(arena, "%zu", proposal->position) : "-",
		   proposal->same ? '~' : ' ', proposal->front ? '*' : ' ');
	put_padded(sheet->out, step_text(arena, outcome), 16);
	put_padded(sheet->out,
		   arena_printf(arena, "%.1f %.0f%%", outcome->memory / GIB, 100 * outcome->risk),
		   10);
	put_padded(sheet->out, arena_printf(arena, "%.1f", 100 * outcome->mfu), 5);
	buf_text(sheet->out, "   ");
	if (ranked_by(sheet->search))
		put_padded(sheet->out, rank_text(sheet, outcome), RANK_COLUMN);
	wrap_text(sheet->out, arena_printf(arena, "%s (%s)", layout, outcome->limit), column,
		  column, sheet->style.columns);
	buf_char(sheet->out, '\n');
}

/* Where others are as good as the best and cut along fewer axes: who runs one has less to set up.
 */
static void put_simplest(struct sheet *sheet)
{
	const struct result *result = sheet->result;
	const struct proposal *simplest = &result->proposals.items[result->simplest];
	struct candidate candidate;

	if (!result->simplest)
		return;
	candidate = space_candidate(&sheet->search->space, simplest->outcome.number);
	wrap_text(sheet->out,
		  arena_printf(sheet->arena,
			       "  %zu of these are as good as the best; the simplest is %s: %s",
			       result->same,
			       simplest->position ? arena_printf(sheet->arena, "number %zu",
								 simplest->position)
						  : "one that is here for its memory",
			       candidate_text(&sheet->search->space, &candidate, sheet->arena)),
		  0, 4, sheet->style.columns);
	buf_char(sheet->out, '\n');
}

static void put_table(struct sheet *sheet)
{
	const struct result *result = sheet->result;
	const bool by_time = sheet->search->aim.objective == OBJECTIVE_TIME;
	size_t i, front = 0;

	style_heading(&sheet->style, sheet->out, "Best layouts%s",
		      result->decided ? "" : " so far (not proven)");
	buf_text(sheet->out, "   #   step            GiB  OOM  MFU %   ");
	if (ranked_by(sheet->search))
		put_padded(sheet->out, ranked_by(sheet->search), RANK_COLUMN);
	buf_text(sheet->out, "layout (what it waits for most)\n");
	for (i = 0; i < result->proposals.count; i++)
		if (result->proposals.items[i].top)
			put_proposal(sheet, &result->proposals.items[i]);
		else
			front++;
	if (front) {
		style_heading(&sheet->style, sheet->out, "%s, with more memory free",
			      by_time ? "Slower" : "Lower ranked");
		for (i = 0; i < result->proposals.count; i++)
			if (!result->proposals.items[i].top)
				put_proposal(sheet, &result->proposals.items[i]);
	}
	buf_printf(sheet->out,
		   "  ~ as %s as the best, as far as forecasts tell   "
		   "* none is faster and freer\n",
		   by_time ? "fast" : "good");
	put_simplest(sheet);
	if (ranked_by(sheet->search))
		buf_printf(sheet->out, "  %s: %s\n", ranked_by(sheet->search),
			   sheet->search->aim.objective == OBJECTIVE_TOKENS
				   ? "of each GPU"
				   : "of a billion tokens");
}

/* ---- the user's own ---- */

static bool is_yours(const struct job *yours, const struct variation *change)
{
	const struct setting *setting = &yours->settings.items[change->field];

	return change->value ? setting_known(setting) && !strcmp(setting->text, change->value)
			     : !setting_known(setting);
}

/* A line that begins so, where there are any. */
static void put_texts(struct sheet *sheet, const char *start, const struct texts_said *texts)
{
	size_t i;

	for (i = 0; i < texts->list.count; i++)
		start = arena_join(sheet->arena, start, i ? ", " : "", texts->list.items[i]);
	if (!i)
		return;
	wrap_text(sheet->out, start, 0, 4, sheet->style.columns);
	buf_char(sheet->out, '\n');
}

/* What to change for the best. */
static void put_changes(struct sheet *sheet)
{
	const struct written *best = &sheet->result->proposals.items[0].written;
	const char *text = "  the best needs ";
	size_t i, count = 0;

	for (i = 0; i < best->changes.count; i++) {
		const struct variation *change = &best->changes.items[i];
		if (is_yours(sheet->search->yours, change))
			continue;
		text = arena_join(sheet->arena, text, count++ ? ", " : "",
				  variation_text(sheet->arena, change));
	}
	if (!count)
		return;
	wrap_text(sheet->out, text, 0, 4, sheet->style.columns);
	buf_char(sheet->out, '\n');
	put_texts(sheet, "  as its arguments: ", &best->arguments);
	if (best->arguments.list.count)
		put_texts(sheet, "  which its command line cannot say: ", &best->wordless);
}

static const char *device_of(const struct job *job)
{
	return setting_text(&job->settings, FIELD_CLUSTER_GPU, "");
}

/* Whether all layouts have the same value of it. */
static bool is_of_all(const struct space *space, enum field_id field)
{
	const struct settings *first = &space->sites.items[0]->job.settings;
	size_t i;

	for (i = 1; i < space->sites.count; i++)
		if (strcmp(setting_text(first, field, ""),
			   setting_text(&space->sites.items[i]->job.settings, field, "")) != 0)
			return false;
	return true;
}

/* On which machine and of how large a step, where these are not those of all layouts. */
static const char *yours_text(struct sheet *sheet)
{
	const struct search *search = sheet->search;
	const struct site *first = search->space.sites.items[0];
	const int64_t batch = site_batch(search->yours);
	const char *gpu = device_of(search->yours);
	const char *text = "Yours";

	if (search->yours->world != first->world)
		text = arena_printf(sheet->arena, "Yours on %" PRId64 " GPU%s",
				    search->yours->world, search->yours->world == 1 ? "" : "s");
	else if (search->yours != search->own && *gpu &&
		 !is_of_all(&search->space, FIELD_CLUSTER_GPU))
		text = arena_join(sheet->arena, "Yours on ", gpu, "");
	return batch < 1 || batch == first->batch
		       ? text
		       : arena_printf(sheet->arena, "%s, a step of %s", text,
				      objective_samples(sheet->arena, search->yours, batch));
}

static const char *refused_text(struct sheet *sheet)
{
	const struct rule_id *rule = sheet->search->current.rule;
	const char *why = sheet->search->yours->unforecast;

	return rule  ? arena_printf(sheet->arena, "it stops: %s (parplan check says why)",
				    rule->name)
	       : why ? arena_join(sheet->arena, "no forecast can be made of it: ", why, "")
		     : "no forecast can be made of it";
}

/* ": number 6 of up to 485, +3.2 %" */
static const char *place_text(struct sheet *sheet)
{
	const struct result *result = sheet->result;
	const struct outcome *current = &sheet->search->current;
	/* What was cut as slower may also be too large: nobody looked. */
	const size_t slower = cuts_of(&sheet->search->tally, 1U << CUT_BOUND | 1U << CUT_WORSE);
	const size_t all = result->runs + slower; /* yours may be none of them */

	if (!result->proposals.count)
		return "";
	if (!search_compares(sheet->search))
		return arena_printf(sheet->arena, ": %.0f tokens per second and GPU, the best %.0f",
				    current->tokens, result->proposals.items[0].outcome.tokens);
	if (sheet->search->excluded.count)
		return yours_excluded_text(sheet->search, &result->proposals.items[0].outcome);
	if (!result->current)
		return arena_printf(sheet->arena, ": number %zu or later, %s", result->ahead + 1,
				    against_best(sheet, current));
	return arena_printf(sheet->arena, ": number %zu of %s%zu, %s", result->current,
			    slower ? "up to " : "", all < result->current ? result->current : all,
			    against_best(sheet, current));
}

/* What becomes of it. */
static const char *current_text(struct sheet *sheet, const char *time)
{
	const struct outcome *current = &sheet->search->current;

	if (current->fate == OUTCOME_REFUSED)
		return refused_text(sheet);
	if (current->fate == OUTCOME_MEMORY)
		return arena_printf(sheet->arena, "%s, %.1f of %.1f GiB: %s", time,
				    current->memory / GIB, current->capacity / GIB,
				    risk_text(sheet->arena, current));
	return arena_printf(sheet->arena, "%s, %.1f GiB, MFU %.1f %%%s", time,
			    current->memory / GIB, 100 * current->mfu, place_text(sheet));
}

static void put_current(struct sheet *sheet)
{
	const struct outcome *current = &sheet->search->current;
	const char *time = step_text(sheet->arena, current);

	if (!(current->time > 0) && current->fate != OUTCOME_REFUSED)
		return;
	style_heading(&sheet->style, sheet->out, "%s", yours_text(sheet));
	wrap_text(sheet->out, arena_join(sheet->arena, "  ", current_text(sheet, time), ""), 0, 4,
		  sheet->style.columns);
	buf_char(sheet->out, '\n');
	if (sheet->result->proposals.count)
		put_changes(sheet);
}

/* ---- one step away ---- */

static const char *fate_text(struct sheet *sheet, const struct outcome *outcome)
{
	switch (outcome->fate) {
	case OUTCOME_REFUSED:
		return arena_printf(sheet->arena, "refused: %s",
				    outcome->rule ? outcome->rule->name : "no forecast");
	case OUTCOME_MEMORY:
		return arena_printf(sheet->arena, "%s, %.1f GiB: %s", against_best(sheet, outcome),
				    outcome->memory / GIB, risk_text(sheet->arena, outcome));
	case OUTCOME_SLOW:
		return "too few tokens per second";
	case OUTCOME_RUNS:
		break;
	}
	return arena_printf(sheet->arena, "%s, %.1f GiB", against_best(sheet, outcome),
			    outcome->memory / GIB);
}

enum { FATE_COLUMN = 36 };

static void put_neighbours(struct sheet *sheet)
{
	const struct result *result = sheet->result;
	size_t i;

	if (!result->neighbours.count)
		return;
	style_heading(&sheet->style, sheet->out, "One step from the best");
	for (i = 0; i < result->neighbours.count; i++) {
		const struct neighbour *neighbour = &result->neighbours.items[i];
		const char *name = space_axis_name(neighbour->axis), *dot = strrchr(name, '.');
		const char *what = arena_join(sheet->arena, dot ? dot + 1 : name, " ",
					      result_value(&sheet->search->space, neighbour->axis,
							   neighbour->value, sheet->arena));
		buf_text(sheet->out, "  ");
		put_padded(sheet->out, what, FATE_COLUMN - 2);
		wrap_text(sheet->out,
			  arena_join(sheet->arena, fate_text(sheet, &neighbour->outcome),
				     neighbour->unsaid ? ": the config cannot say it" : "", ""),
			  FATE_COLUMN, FATE_COLUMN, sheet->style.columns);
		buf_char(sheet->out, '\n');
	}
}

/* ---- where ranks sit ---- */

static void put_lost(struct sheet *sheet)
{
	const struct lost *lost = &sheet->search->lost;
	const char *names = "";
	size_t i;

	if (!lost->list.count)
		return;
	for (i = 0; i < lost->list.count; i++)
		names = arena_join(sheet->arena, names, i ? ", " : "", lost->list.items[i]);
	wrap_text(sheet->out,
		  arena_printf(sheet->arena, "Without %s: at most %" PRId64 " node%s", names,
			       lost->left, lost->left == 1 ? "" : "s"),
		  0, 2, sheet->style.columns);
	buf_char(sheet->out, '\n');
}

/* Of many names the place stands in a line of its own. */
static void put_groups(struct sheet *sheet, const struct communicator *axis)
{
	const bool inside = axis->spans.node != WITHIN_NO;
	const char *names = ranks_axis_names(sheet->arena, axis);
	const int used = 2 + display_width(names, strlen(names));
	const char *where = inside ? "within a node"
				   : arena_printf(sheet->arena, "over %" PRId64 " nodes",
						  axis->spans.nodes_max);

	where = arena_printf(sheet->arena, "%" PRId64 " ranks %s", layout_size(&axis->layout),
			     where);
	wrap_text(sheet->out, arena_join(sheet->arena, "  ", names, ""), 0, 4,
		  sheet->style.columns);
	if (used >= FATE_COLUMN && used + (int)strlen(where) >= sheet->style.columns) {
		buf_char(sheet->out, '\n');
		buf_repeat(sheet->out, ' ', FATE_COLUMN);
	} else {
		buf_repeat(sheet->out, ' ', used < FATE_COLUMN ? (size_t)(FATE_COLUMN - used) : 1);
	}
	buf_printf(sheet->out, "%s\n", where);
}

/* Where a file of hosts, an order or a launcher says how ranks follow nodes. */
static void put_placement(struct sheet *sheet)
{
	struct ranks_view view;
	size_t i;

	if (!sheet->result->proposals.count)
		return;
	ranks_view_init(&view, sheet->result->proposals.items[0].written.job);
	if (!view.topology)
		return;
	style_heading(&sheet->style, sheet->out, "Where the groups of the best lie%s",
		      view.topology->assumed ? " (ranks in blocks, as assumed)" : "");
	for (i = 0; i < view.axes.count; i++) {
		const struct communicator *axis = &view.axes.items[i];
		if (axis->placed && axis->parallel)
			put_groups(sheet, axis);
	}
}

/* ---- what was cut ---- */

static void put_cuts(struct sheet *sheet)
{
	const struct search *search = sheet->search;
	const size_t layouts = search->space.layouts.count - search->space.uneven;
	size_t i;

	style_heading(&sheet->style, sheet->out, "Candidates");
	buf_printf(sheet->out,
		   "  %" PRIu64 " in %zu layout%s; %zu run, %" PRIu64 " were forecast%s\n",
		   space_count(&search->space), layouts, layouts == 1 ? "" : "s",
		   sheet->result->runs, search->tally.simulated, result_doubt(sheet->result));
	for (i = 0; i < search->tally.cuts.count; i++) {
		const struct cut *cut = &search->tally.cuts.items[i];
		buf_printf(sheet->out, "  %10" PRIu64 "  %s\n", cut->count,
			   cut_text(sheet->arena, cut));
	}
	if (search->space.uneven)
		buf_printf(sheet->out,
			   "  %10" PRIu64 "  more layout%s, over whose ranks the batch cannot be "
			   "cut%s\n",
			   search->space.uneven, search->space.uneven == 1 ? "" : "s",
			   space_restriction(&search->space, FIELD_MICRO_BATCH_SIZE)
				   ? " into such microbatches"
				   : "");
}

/* What all layouts have: the device, and what a step is. */
static void put_step(struct sheet *sheet)
{
	const struct space *space = &sheet->search->space;
	const struct site *site = space->sites.items[0];
	const char *device = is_of_all(space, FIELD_CLUSTER_GPU) ? device_of(&site->job) : "";
	const char *step = "";
	size_t i = 0;

	while (i < space->sites.count && space->sites.items[i]->batch == site->batch)
		i++;
	if (i == space->sites.count && is_of_all(space, FIELD_SEQ_LEN))
		step = arena_printf(sheet->arena, "a step of %s of %" PRId64 " tokens",
				    objective_samples(sheet->arena, &site->job, site->batch),
				    setting_int(&site->job.settings, FIELD_SEQ_LEN, 0));
	if (!*device && !*step)
		return;
	wrap_text(sheet->out, arena_join(sheet->arena, device, *device && *step ? ", " : "", step),
		  0, 2, sheet->style.columns);
	buf_char(sheet->out, '\n');
}

static void put_none(struct sheet *sheet)
{
	wrap_text(sheet->out, nothing_text(sheet->search, sheet->result), 0, 2,
		  sheet->style.columns);
	buf_char(sheet->out, '\n');
}

void report_search_text(const struct search *search, const struct result *result, struct buf *out,
			bool color, int columns)
{
	struct sheet sheet = { search, result, search->arena, { color, columns }, out };

	if (search->space.sites.count)
		put_step(&sheet);
	put_lost(&sheet);
	if (search->space.sites.count)
		report_uncounted_text(workload_not_counted(&search->space.sites.items[0]->job), out,
				      color, columns);
	if (result->proposals.count)
		put_table(&sheet);
	else
		put_none(&sheet);
	put_current(&sheet);
	put_neighbours(&sheet);
	put_placement(&sheet);
	put_cuts(&sheet);
}
