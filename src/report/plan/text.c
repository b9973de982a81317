#include "report/plan/text.h"

#include "base/text.h"
#include "plan/compare.h"
#include "report/plan/fold.h"
#include "report/plan/held.h"
#include "report/plan/words.h"

#include <inttypes.h>
#include <string.h>

enum { GROUPS_SHOWN = 2, GROUPS_LISTED = 1024, UNIT_NAME = 34, FLAT_INDENT = 14 };

/* ---- what stops it ---- */

static void put_wrapped(struct page *page, const char *text, int indent)
{
	buf_repeat(page->out, ' ', (size_t)indent);
	wrap_text(page->out, text, indent, indent, page->style.columns);
	buf_char(page->out, '\n');
}

static void put_because(struct page *page, const struct setting *setting)
{
	const struct field *field = field_of(setting->field);
	const char *value = setting->written ? setting->written : setting->text;

	if (value && !strcmp(value, "-1") && !setting_given(setting))
		value = "the rest";
	put_wrapped(page,
		    arena_printf(page->arena, "because %s = %s (%s)",
				 setting->spelling ? setting->spelling : field->key,
				 value ? value : "?", setting_where(page->arena, setting)),
		    2);
}

static const char *error_heading(const struct page *page)
{
	if (page->view->doubt)
		return arena_join(page->arena, plan_doubt, page->view->doubt, "");
	return page->plan->error ? "It stops here" : "The job stops before its first step";
}

static void put_error(struct page *page)
{
	const struct plan_error *error =
		page->plan->error ? page->plan->error : plan_view_error(page->view, page->plan);
	int i;

	if (!error)
		return;
	buf_char(page->out, '\n');
	style_put(&page->style, page->out, COLOR_ERROR);
	wrap_text(page->out, error_heading(page), 0, 0, page->style.columns);
	style_put(&page->style, page->out, COLOR_PLAIN);
	buf_char(page->out, '\n');
	/* The framework's own words, not wrapped: people search for them. */
	buf_text(page->out, "  ");
	wrap_text(page->out,
		  arena_join(page->arena, error->type, *error->message ? ": " : "", error->message),
		  2, 4, STYLE_UNWRAPPED);
	buf_char(page->out, '\n');
	if (error->where)
		put_wrapped(page, arena_printf(page->arena, "raised in %s", error->where), 2);
	for (i = 0; i < error->because_count; i++)
		put_because(page, error->because[i]);
}

static void put_unknown_world(struct page *page)
{
	const struct degree_row *row;

	style_heading(&page->style, page->out, "Degrees that the file fixes");
	for (row = degree_rows; row->name; row++) {
		const struct setting *setting = &page->job->settings.items[row->field];
		if (setting_known(setting) && setting_given(setting))
			buf_printf(page->out, "  %-14s%s%s\n", row->name, setting->text,
				   setting->integer == -1 ? " (what is left of the world)" : "");
	}
	style_heading(&page->style, page->out, "Data parallel");
	buf_printf(page->out, "  asked for   %s\n", strategy_name(page->plan->requested));
	buf_char(page->out, '\n');
	put_wrapped(page, "The world size is not known: give --world N for meshes and groups.", 0);
}

static void put_degrees(struct page *page)
{
	const struct degree_row *row;
	char *text = arena_strdup(page->arena, "");

	for (row = degree_rows; row->name; row++) {
		int64_t degree = degree_shown(page->job, page->plan, row);
		if (degree < 0 || setting_unresolved(&page->job->settings, row->field))
			text = arena_printf(page->arena, "%s%s%s not known", text,
					    *text ? ", " : "", row->name);
		else if (degree)
			text = arena_printf(page->arena, "%s%s%s %" PRId64, text, *text ? ", " : "",
					    row->name, degree);
	}
	style_heading(&page->style, page->out, "Degrees");
	put_wrapped(page, text, 2);
}

/* ---- who shares parameters ---- */

static void put_groups(struct page *page, const struct layout *shard,
		       const struct layout *replicate)
{
	int64_t world = page->plan->world;

	buf_printf(page->out, "    shard     %s\n",
		   groups_text(page->arena, shard, world, GROUPS_SHOWN));
	buf_printf(page->out, "    replicate %s\n",
		   groups_text(page->arena, replicate, world, GROUPS_SHOWN));
}

/* "    flat      gradients, optimizer state over dp_cp: {0-7} {8-15}". */
static void put_run(struct page *page, const struct run_cut *run)
{
	const char *what = plan_run_text(page->arena, run);

	if (!what)
		return;
	buf_text(page->out, "    flat      ");
	wrap_text(page->out,
		  arena_printf(
			  page->arena, "%s over %s: %s", what, run->name,
			  groups_text(page->arena, &run->layout, page->plan->world, GROUPS_SHOWN)),
		  FLAT_INDENT, FLAT_INDENT, page->style.columns);
	buf_char(page->out, '\n');
}

static void put_list(struct buf *out, const char *const *names, int count)
{
	int i;

	buf_char(out, '[');
	for (i = 0; i < count; i++)
		buf_printf(out, "%s%s", i ? ", " : "", names[i]);
	buf_char(out, ']');
}

static void put_expression(struct page *page, const struct sharding *sharding)
{
	struct buf *out = page->out;

	if (!sharding->mesh_count)
		return;
	buf_text(out, "    mesh      ");
	put_list(out, sharding->mesh, sharding->mesh_count);
	if (sharding->named_dims) {
		buf_text(out, ", shard=");
		put_list(out, sharding->shard_dims, sharding->shard_count);
		buf_printf(out, ", replicate=%s",
			   sharding->replicate_dim ? sharding->replicate_dim : "None");
	}
	buf_char(out, '\n');
}

static void put_sharing(struct page *page, const struct sharding *sharding)
{
	put_expression(page, sharding);
	put_groups(page, &sharding->shard, &sharding->replicate);
	put_run(page, &sharding->run);
}

/* Who shares parameters is told side by side; experts and the rest are not. */
static bool is_told(const struct difference *difference)
{
	return difference->kind <= DIFFERENCE_REPLICATE_GROUP &&
	       strcmp(difference->subject, "experts") != 0;
}

static bool differs_in_sharing(const struct differences *differences)
{
	size_t i;

	for (i = 0; i < differences->list.count; i++)
		if (is_told(&differences->list.items[i]))
			return true;
	return false;
}

static void put_data_parallel(struct page *page)
{
	const struct plan *plan = page->plan, *intended = page->job->intended;
	bool differs = differs_in_sharing(&page->job->differences);
	struct buf *out = page->out;

	style_heading(&page->style, page->out, "Data parallel");
	buf_printf(out, "  asked for   %s\n", strategy_name(plan->requested));
	if (plan->error || plan->unmodelled)
		return;
	if (differs && intended)
		put_groups(page, &intended->dense.shard, &intended->dense.replicate);
	buf_printf(out, "  applied     %s", strategy_name(plan->dense.strategy));
	style_put(&page->style, out, differs ? COLOR_ERROR : COLOR_PLAIN);
	buf_text(out, differs ? ", NOT as asked for" : "");
	style_put(&page->style, out, COLOR_PLAIN);
	buf_char(out, '\n');
	put_sharing(page, &plan->dense);
	if (plan->has_expert) {
		buf_printf(out, "  experts     %s\n", strategy_name(plan->expert.strategy));
		put_sharing(page, &plan->expert);
	}
}

static void put_differences(struct page *page)
{
	const struct differences *differences = &page->job->differences;
	bool first = true;
	size_t i;

	for (i = 0; i < differences->list.count; i++) {
		const struct difference *d = &differences->list.items[i];
		if (is_told(d) || d->kind == DIFFERENCE_EXCEPTION)
			continue;
		if (first)
			style_heading(&page->style, page->out, "Also not as asked for");
		first = false;
		put_wrapped(page,
			    arena_printf(page->arena, "%s of %s: %s asked for, %s applied",
					 difference_kind_name(d->kind), d->subject, d->left,
					 d->right),
			    2);
	}
}

/* ---- meshes ---- */

static bool is_row(const struct page *page, const struct mesh *mesh)
{
	return page->view->mesh ? !strcmp(page->view->mesh, mesh->name)
				: layout_size(&mesh->layout) > 1;
}

static int name_width(const struct page *page)
{
	int width = 4;
	size_t i;

	for (i = 0; i < page->plan->meshes.count; i++) {
		const struct mesh *mesh = &page->plan->meshes.items[i];
		int length = (int)strlen(mesh->name);
		if (is_row(page, mesh) && length > width)
			width = length;
	}
	return width;
}

static void put_mesh(struct page *page, const struct mesh *mesh, int width, int64_t most)
{
	int64_t size = layout_size(&mesh->layout);
	int indent = width + 25;
	char *row = arena_printf(page->arena, "  %-*s  %7" PRId64 "  %-12s", width,
				 text_on_line(page->arena, mesh->name), size,
				 plan_layout_text(page->arena, &mesh->layout));
	const char *groups = groups_text(page->arena, &mesh->layout, page->plan->world, most);

	buf_text(page->out, row);
	if ((int)strlen(row) > indent)
		buf_printf(page->out, "\n%*s", indent, "");
	wrap_text(page->out,
		  arena_printf(page->arena, "%s%s", groups, plan_mesh_remark(page->arena, mesh)),
		  indent, indent, page->style.columns);
	buf_char(page->out, '\n');
}

static void put_ones(struct page *page)
{
	char *names = arena_strdup(page->arena, "");
	size_t i;

	for (i = 0; i < page->plan->meshes.count; i++) {
		const struct mesh *mesh = &page->plan->meshes.items[i];
		if (layout_size(&mesh->layout) == 1)
			names = arena_printf(page->arena, "%s%s%s", names, *names ? ", " : "",
					     text_on_line(page->arena, mesh->name));
	}
	if (*names && !page->view->mesh)
		put_wrapped(page, arena_printf(page->arena, "of size 1: %s", names), 2);
}

/* "embd: first and last of each pp group, {0,12} {1,13} ... (4 groups)". */
static void put_ends(struct page *page, const struct ends *ends)
{
	const struct layout *layout = &plan_mesh(page->plan, ends->of)->layout;
	const int64_t size = layout_size(layout), far = layout_offset(layout, size - 1);
	const int64_t groups = page->plan->world / size;
	struct layout starts;
	const char *text = "";
	int64_t g;

	if (!ends->last || !layout_complement(layout, page->plan->world, &starts))
		return;
	for (g = 0; g < groups && g < 2; g++) {
		const int64_t base = layout_offset(&starts, g);
		text = arena_printf(page->arena, "%s {%" PRId64 ",%" PRId64 "}", text, base,
				    base + far);
	}
	put_wrapped(page,
		    arena_printf(page->arena,
				 groups > 2 ? "%s: first and last of each %s group,%s ... (%" PRId64
					      " groups)"
					    : "%s: first and last of each %s group,%s",
				 ends->name, ends->of, text, groups),
		    2);
}

static void put_meshes(struct page *page)
{
	int width = name_width(page);
	size_t i;

	if (!page->plan->meshes.count)
		return;
	style_heading(&page->style, page->out, "Meshes of %" PRId64 " ranks", page->plan->world);
	buf_printf(page->out, "  %-*s  %7s  %-12s%s\n", width, "axis", "size", "layout", "groups");
	for (i = 0; i < page->plan->meshes.count; i++)
		if (is_row(page, &page->plan->meshes.items[i]))
			put_mesh(page, &page->plan->meshes.items[i], width,
				 page->view->mesh ? GROUPS_LISTED : GROUPS_SHOWN);
	for (i = 0; i < page->plan->ends.count && !page->view->mesh; i++)
		put_ends(page, &page->plan->ends.items[i]);
	put_ones(page);
}

/* ---- units and stages ---- */

/* Units that are let go say nothing. */
static void put_unit(struct page *page, const struct fold_row *row, const struct unit *unit)
{
	const char *times = row->numbers.count > 1
				    ? arena_printf(page->arena, " x%zu", row->numbers.count)
				    : "";
	const char *name = arena_printf(page->arena, "%s%s", fold_name(page->arena, row), times);

	if (strlen(name) > UNIT_NAME) { /* a line of its own keeps the columns straight */
		buf_printf(page->out, "  %s\n", name);
		name = "";
	}
	buf_printf(page->out, "  %-*s%6d  %16s", UNIT_NAME, name, unit->parameters,
		   text_count(page->arena, unit->shard_elements));
	if (unit->kept_over)
		buf_printf(page->out, "  %s", plan_unit_forward(page->arena, unit));
	buf_text(page->out, unit->reshard_after_forward ? "\n" : "  kept after forward\n");
}

static void put_units(struct page *page)
{
	struct fold fold;
	size_t i;

	if (!page->plan->units.count)
		return;
	fold_init(&fold, page->arena);
	for (i = 0; i < page->plan->units.count; i++) {
		const struct unit *unit = &page->plan->units.items[i];
		fold_add(&fold, unit->name,
			 arena_printf(page->arena, "%d %" PRId64 " %d %s", unit->parameters,
				      unit->shard_elements, unit->expert,
				      plan_unit_forward(page->arena, unit)),
			 i);
	}
	style_heading(&page->style, page->out,
		      "Units (gathered together): parameters, elements on each rank");
	for (i = 0; i < fold.rows.count; i++)
		put_unit(page, &fold.rows.items[i],
			 &page->plan->units.items[fold.rows.items[i].at]);
}

static void put_stages(struct page *page)
{
	int width = 5, indent;
	size_t i;

	if (page->plan->stages.count < 2)
		return;
	for (i = 0; i < page->plan->stages.count; i++) {
		int length = (int)strlen(
			plan_stage_ranks(page->arena, page->plan, &page->plan->stages.items[i]));
		if (length > width)
			width = length;
	}
	indent = width + 20;
	style_heading(&page->style, page->out, "Pipeline stages");
	buf_printf(page->out, "  stage  pp rank  %-*s  modules\n", width, "ranks");
	for (i = 0; i < page->plan->stages.count; i++) {
		const struct stage *stage = &page->plan->stages.items[i];
		buf_printf(page->out, "  %5d  %7" PRId64 "  %-*s  ", stage->index, stage->pp_rank,
			   width, plan_stage_ranks(page->arena, page->plan, stage));
		wrap_text(page->out, plan_stage_modules(page->arena, stage), indent, indent,
			  page->style.columns);
		buf_char(page->out, '\n');
	}
	if (page->plan->stages_assumed)
		put_wrapped(page, plan_stages_assumed, 2);
}

static void put_log(struct page *page)
{
	size_t i;

	if (!page->plan->log.count)
		return;
	style_heading(&page->style, page->out, "Lines it logs (what it says, not what it does)");
	for (i = 0; i < page->plan->log.count; i++)
		buf_printf(page->out, "  %s\n",
			   text_on_line(page->arena, page->plan->log.items[i]));
}

/* One of several stands below its name. */
static void put_name(struct page *page)
{
	if (!page->view->path)
		return;
	if (page->out->length)
		buf_char(page->out, '\n');
	style_put(&page->style, page->out, COLOR_BOLD);
	buf_printf(page->out, "== %s", text_on_line(page->arena, page->view->path));
	style_put(&page->style, page->out, COLOR_PLAIN);
	buf_char(page->out, '\n');
}

void report_plan_text(const struct job *job, const struct plan_view *view, struct buf *out,
		      bool color, int columns)
{
	struct page page = { .arena = job->arena,
			     .job = job,
			     .plan = job_plan(job),
			     .view = view,
			     .out = out,
			     .style = { color, columns } };

	put_name(&page);
	report_assumptions(job, out, color, columns);
	if (plan_remark(job)) {
		buf_char(out, '\n');
		put_wrapped(&page, plan_remark(job), 0);
	}
	put_error(&page);
	if (!page.plan->world) {
		put_unknown_world(&page);
		return;
	}
	if (view->mesh) {
		put_meshes(&page);
	} else if (view->param) {
		plan_text_parameters(&page);
	} else {
		put_degrees(&page);
		put_data_parallel(&page);
		put_differences(&page);
		put_meshes(&page);
		put_units(&page);
		put_stages(&page);
		plan_text_parameters(&page);
		put_log(&page);
	}
}
