#include "report/plan/fold.h"
#include "report/plan/held.h"
#include "report/plan/view.h"
#include "report/plan/words.h"
#include "report/web/web.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Groups of an axis that are written out; beyond them two stand for all. */
enum { GROUPS_SHOWN = 8 };

#define COLUMNS_OF(columns) (columns), sizeof(columns) / sizeof(*(columns))

/* ---- what stops it ---- */

static void put_cause(struct sheet *sheet, const struct setting *setting)
{
	struct html *html = &sheet->html;
	const char *key = setting->spelling ? setting->spelling : field_of(setting->field)->key;

	html_open(html, "li");
	html_element(
		html, "code", NULL,
		arena_printf(sheet->arena, "%s = %s", key, setting->text ? setting->text : "?"));
	html_printf(html, " (%s)", setting_where(sheet->arena, setting));
	html_close(html, "li");
}

/* What ends the plan, or with `stops` what stops the job when the plan is whole. */
static void put_error(struct sheet *sheet, const struct plan_error *error, const char *stops)
{
	struct html *html = &sheet->html;
	int i;

	if (!error)
		return;
	html_open(html, "div");
	html_attribute(html, "class", "stop");
	html_element(html, "p", NULL, stops);
	sheet_excerpt(sheet, "What it raises",
		      arena_printf(sheet->arena, "%s%s%s", error->type, *error->message ? ": " : "",
				   error->message));
	if (error->where)
		html_element(html, "p", NULL,
			     arena_printf(sheet->arena, "Raised in %s, because of", error->where));
	html_open(html, "ul");
	for (i = 0; i < error->because_count; i++)
		put_cause(sheet, error->because[i]);
	if (!error->because_count)
		html_element(html, "li", NULL, "what the findings say");
	html_close(html, "ul");
	html_close(html, "div");
}

/* ---- degrees ---- */

static void put_degrees(struct sheet *sheet, const struct plan *plan)
{
	static const struct web_column columns[] = { { "axis", false },
						     { "asked for", true },
						     { "comes to", true } };
	const struct degree_row *row;

	sheet_table(sheet, "degrees", "Degrees", COLUMNS_OF(columns), NULL);
	for (row = degree_rows; row->name; row++) {
		const struct setting *setting = &sheet->job->settings.items[row->field];
		bool given = setting_known(setting) && setting_given(setting);
		int64_t degree = degree_shown(sheet->job, plan, row);

		if (!given && !degree)
			continue;
		sheet_row(sheet, row->name);
		sheet_number(sheet, given ? setting->text : "not said");
		sheet_number(sheet, degree > 0 ? arena_printf(sheet->arena, "%" PRId64, degree)
					       : "not known");
		sheet_row_end(sheet);
	}
	sheet_table_end(sheet);
}

/* ---- who shares parameters ---- */

static char *list_text(struct arena *arena, const char *const *names, int count)
{
	char *text = arena_strdup(arena, "[");
	int i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", names[i]);
	return arena_printf(arena, "%s]", text);
}

static void put_run(struct sheet *sheet, const struct run_cut *run, int64_t world)
{
	const char *what = plan_run_text(sheet->arena, run);

	if (what)
		sheet_term(
			sheet, "cut flat",
			arena_printf(sheet->arena, "%s over %s: %s", what, run->name,
				     groups_text(sheet->arena, &run->layout, world, GROUPS_SHOWN)));
}

static void put_sharing(struct sheet *sheet, const struct sharding *sharding, int64_t world,
			const char *shard, const char *replicate)
{
	if (sharding->mesh_count)
		sheet_term(sheet, "given to fully_shard",
			   list_text(sheet->arena, sharding->mesh, sharding->mesh_count));
	sheet_term(sheet, shard, groups_text(sheet->arena, &sharding->shard, world, GROUPS_SHOWN));
	sheet_term(sheet, replicate,
		   groups_text(sheet->arena, &sharding->replicate, world, GROUPS_SHOWN));
	put_run(sheet, &sharding->run, world);
}

static void put_data_parallel(struct sheet *sheet, const struct plan *plan)
{
	struct html *html = &sheet->html;

	html_element(html, "h4", NULL, "Data parallel");
	html_open(html, "dl");
	html_attribute(html, "class", "remarks");
	sheet_term(sheet, "asked for", strategy_name(plan->requested));
	if (!plan->error && !plan->unmodelled && plan->world) {
		sheet_term(sheet, "applied", strategy_name(plan->dense.strategy));
		put_sharing(sheet, &plan->dense, plan->world, "share one copy",
			    "hold the same part");
	}
	if (!plan->error && !plan->unmodelled && plan->world && plan->has_expert) {
		sheet_term(sheet, "experts", strategy_name(plan->expert.strategy));
		put_sharing(sheet, &plan->expert, plan->world, "share one copy of experts",
			    "hold the same experts");
	}
	html_close(html, "dl");
}

static void put_differences(struct sheet *sheet)
{
	static const struct web_column columns[] = {
		{ "what", false }, { "of", false }, { "asked for", false }, { "applied", false }
	};
	const struct differences *differences = &sheet->job->differences;
	bool any = false;
	size_t i;

	for (i = 0; i < differences->list.count; i++) {
		const struct difference *difference = &differences->list.items[i];
		if (difference->kind == DIFFERENCE_EXCEPTION)
			continue; /* told above */
		if (!any)
			sheet_table(sheet, "differences", "Not as asked for", COLUMNS_OF(columns),
				    NULL);
		any = true;
		sheet_row(sheet, difference_kind_name(difference->kind));
		sheet_cell(sheet, difference->subject);
		sheet_cell(sheet, difference->left);
		sheet_cell(sheet, difference->right);
		sheet_row_end(sheet);
	}
	if (any)
		sheet_table_end(sheet);
}

/* ---- groups ---- */

static const char *numbers_text(struct arena *arena, const int64_t *items, int count)
{
	const char *text = "";
	int i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? "," : "", items[i]);
	return text;
}

/* The field that says in which groups a rank is. */
static void put_rank_search(struct sheet *sheet, int64_t world)
{
	struct html *html = &sheet->html;

	sheet_field(sheet, "rank-search", "groups", "Show the groups of rank");
	html_attribute(html, "type", "number");
	html_attribute(html, "min", "0");
	html_attribute_printf(html, "max", "%" PRId64, world - 1);
	html_attribute(html, "value", "0");
	sheet_field_end(sheet);
}

/* Its layout goes along as data: scripts work out the groups of other ranks than 0. */
static void put_mesh(struct sheet *sheet, const struct mesh *mesh, int64_t world)
{
	struct layout set = layout_canonical(&mesh->layout);
	const char *remark = plan_mesh_remark(sheet->arena, mesh);
	int64_t size = layout_size(&mesh->layout);
	struct html *html = &sheet->html;

	html_open(html, "tr");
	html_attribute(html, "data-sizes", numbers_text(sheet->arena, set.size, set.modes));
	html_attribute(html, "data-strides", numbers_text(sheet->arena, set.stride, set.modes));
	sheet_row_name(sheet, mesh->name);
	sheet_number(sheet, text_count(sheet->arena, size));
	sheet_number(sheet, text_count(sheet->arena, world / size));
	sheet_cell(sheet, plan_layout_text(sheet->arena, &mesh->layout));
	sheet_cell(sheet,
		   arena_printf(sheet->arena, "%s%s",
				groups_text(sheet->arena, &mesh->layout, world, GROUPS_SHOWN),
				remark));
	html_element(html, "td", "of-rank", group_text(sheet->arena, &mesh->layout, 0));
	sheet_row_end(sheet);
}

static void put_groups(struct sheet *sheet, const struct plan *plan)
{
	static const struct web_column columns[] = { { "axis", false },	 { "ranks", true },
						     { "groups", true }, { "layout", false },
						     { "which", false }, { "of rank 0", false } };
	struct layout rest;
	size_t i;

	if (!plan->meshes.count)
		return;
	put_rank_search(sheet, plan->world);
	sheet_table(sheet, "groups",
		    arena_printf(sheet->arena, "Groups of %" PRId64 " ranks", plan->world),
		    COLUMNS_OF(columns), NULL);
	for (i = 0; i < plan->meshes.count; i++) {
		const struct mesh *mesh = &plan->meshes.items[i];
		if (layout_size(&mesh->layout) > 1 &&
		    layout_complement(&mesh->layout, plan->world, &rest))
			put_mesh(sheet, mesh, plan->world);
	}
	sheet_table_end(sheet);
}

/* ---- units and stages ---- */

static void put_unit(struct sheet *sheet, const struct fold_row *row, const struct unit *unit)
{
	sheet_row(sheet, fold_name(sheet->arena, row));
	sheet_number(sheet, arena_printf(sheet->arena, "%zu", row->numbers.count));
	sheet_number(sheet, arena_printf(sheet->arena, "%d", unit->parameters));
	sheet_number(sheet, text_count(sheet->arena, unit->shard_elements));
	sheet_cell(sheet, plan_unit_forward(sheet->arena, unit));
	sheet_row_end(sheet);
}

static void put_units(struct sheet *sheet, const struct plan *plan)
{
	static const struct web_column columns[] = { { "unit", false },
						     { "how many", true },
						     { "parameters in it", true },
						     { "elements on each rank", true },
						     { "after forward", false } };
	struct fold fold;
	size_t i;

	if (!plan->units.count)
		return;
	fold_init(&fold, sheet->arena);
	for (i = 0; i < plan->units.count; i++) {
		const struct unit *unit = &plan->units.items[i];
		fold_add(&fold, unit->name,
			 arena_printf(sheet->arena, "%d %" PRId64 " %d %s", unit->parameters,
				      unit->shard_elements, unit->expert,
				      plan_unit_forward(sheet->arena, unit)),
			 i);
	}
	sheet_table(sheet, "units", "Units: what fully_shard gathers and reduces together",
		    COLUMNS_OF(columns), NULL);
	for (i = 0; i < fold.rows.count; i++)
		put_unit(sheet, &fold.rows.items[i], &plan->units.items[fold.rows.items[i].at]);
	sheet_table_end(sheet);
}

static void put_stages(struct sheet *sheet, const struct plan *plan)
{
	static const struct web_column columns[] = { { "stage", false },
						     { "pipeline rank", true },
						     { "ranks", false },
						     { "modules", false } };
	size_t i;

	if (plan->stages.count < 2)
		return;
	sheet_table(sheet, "stages", "Pipeline stages", COLUMNS_OF(columns), NULL);
	for (i = 0; i < plan->stages.count; i++) {
		const struct stage *stage = &plan->stages.items[i];
		sheet_row(sheet, arena_printf(sheet->arena, "%d", stage->index));
		sheet_number(sheet, arena_printf(sheet->arena, "%" PRId64, stage->pp_rank));
		sheet_cell(sheet, plan_stage_ranks(sheet->arena, plan, stage));
		sheet_cell(sheet, plan_stage_modules(sheet->arena, stage));
		sheet_row_end(sheet);
	}
	sheet_table_end(sheet);
	if (plan->stages_assumed)
		html_element(&sheet->html, "p", NULL, plan_stages_assumed);
}

static void put_log(struct sheet *sheet, const struct plan *plan)
{
	struct buf text;
	size_t i;

	if (!plan->log.count)
		return;
	html_element(&sheet->html, "h4", NULL, "Lines it logs (what it says, not what it does)");
	buf_init(&text);
	for (i = 0; i < plan->log.count; i++)
		buf_printf(&text, "%s\n", plan->log.items[i]);
	sheet_excerpt(sheet, "Lines it logs", text.data);
	buf_release(&text);
}

void web_plan(struct sheet *sheet)
{
	const struct plan *plan = job_plan(sheet->job);

	if (!plan)
		return;
	sheet_part(sheet, "plan", "Plan");
	if (plan_remark(sheet->job))
		html_element(&sheet->html, "p", NULL, plan_remark(sheet->job));
	put_error(sheet, plan->error,
		  sheet->doubt ? sheet->stops
			       : "The framework stops here, and the plan goes no further:");
	put_error(sheet, plan->later, "The job stops before its first step:");
	if (!plan->world)
		html_element(&sheet->html, "p", NULL,
			     "The number of ranks is not known: give --world N, or cluster.nodes "
			     "and cluster.gpus_per_node, for meshes and groups.");
	put_degrees(sheet, plan);
	put_data_parallel(sheet, plan);
	put_differences(sheet);
	if (plan->world) {
		put_groups(sheet, plan);
		put_units(sheet, plan);
		put_stages(sheet, plan);
		web_parameters(sheet, plan);
	}
	put_log(sheet, plan);
	sheet_end(sheet);
}
