#include "report/plan_text.h"

#include "plan/compare.h"
#include "report/plan_fold.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_WIDTH = 37 };

/* "[512, 4096]" */
static char *shape_text(struct arena *arena, int dims, const int64_t *shape)
{
	char *text = arena_strdup(arena, "[");
	int i;

	for (i = 0; i < dims; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", shape[i]);
	return arena_printf(arena, "%s]", text);
}

static char *placements_text(struct arena *arena, const struct sharded *sharded)
{
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; i < sharded->dims; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? " " : "",
				    placement_text(arena, sharded->dim[i].placement));
	return text;
}

/* What a rank has of a parameter: "[512, 4096] at [4608, 0] of [4096, 4096]". */
static char *part_text(struct page *page, const struct sharded *sharded, int64_t rank)
{
	const struct parameter *parameter = sharded->parameter;
	struct arena *arena = page->arena;
	char *whole = shape_text(arena, parameter->dims, parameter->shape);
	struct box box;

	if (!plan_rank_has_stage(page->plan, rank, sharded->stage))
		return arena_printf(arena, "on stage %d", sharded->stage);
	box = plan_box(sharded, rank);
	if (!page->view->ranks.ranges.count)
		return arena_printf(arena, "%s of %s", shape_text(arena, box.dims, box.shape),
				    whole);
	return arena_printf(arena, "%s at %s of %s", shape_text(arena, box.dims, box.shape),
			    shape_text(arena, box.dims, box.offset), whole);
}

/* Parameters of other stages are shown only to those who ask for them by name. */
static bool is_shown(const struct page *page, const struct sharded *sharded, int64_t rank)
{
	if (page->view->param)
		return pattern_finds(page->view->param, sharded->parameter->fqn);
	return plan_rank_has_stage(page->plan, rank, sharded->stage);
}

static void put_row(struct page *page, const char *name, const char *part, const char *placements)
{
	int width = (int)strlen(name);

	if (width > NAME_WIDTH) {
		buf_printf(page->out, "  %s\n", name);
		name = "";
	}
	if (*placements)
		buf_printf(page->out, "  %-*s %-27s %s\n", NAME_WIDTH, name, part, placements);
	else
		buf_printf(page->out, "  %-*s %s\n", NAME_WIDTH, name, part);
}

static void put_parameters(struct page *page, int64_t rank)
{
	struct fold fold;
	size_t i;

	fold_init(&fold, page->arena);
	for (i = 0; i < page->plan->parameters.count; i++) {
		const struct sharded *sharded = &page->plan->parameters.items[i];
		if (is_shown(page, sharded, rank))
			fold_add(&fold, sharded->parameter->fqn,
				 arena_printf(page->arena, "%s\n%s", part_text(page, sharded, rank),
					      placements_text(page->arena, sharded)),
				 i);
	}
	if (!fold.rows.count && !page->view->param)
		return;
	plan_heading(page, "Parameters: the part on rank %" PRId64, rank);
	if (!fold.rows.count)
		buf_text(page->out,
			 page->plan->parameters.count
				 ? "  none has such a name\n"
				 : "  none is known: give a model (--set model.preset=NAME)\n");
	for (i = 0; i < fold.rows.count; i++) {
		const struct sharded *sharded =
			&page->plan->parameters.items[fold.rows.items[i].at];
		put_row(page, fold_name(page->arena, &fold.rows.items[i]),
			part_text(page, sharded, rank), placements_text(page->arena, sharded));
	}
}

/* "3 of 8 in {0-7}" for every mesh that joins the rank to others. */
static void put_peers(struct page *page, int64_t rank)
{
	int64_t world = page->plan->world;
	struct layout rest;
	size_t i;

	for (i = 0; i < page->plan->meshes.count; i++) {
		const struct mesh *mesh = &page->plan->meshes.items[i];
		int64_t size = layout_size(&mesh->layout);
		if (size == 1 || !layout_complement(&mesh->layout, world, &rest) ||
		    (mesh->backend && !strcmp(mesh->backend, "fake")))
			continue;
		buf_printf(
			page->out, "  %-14s  %6" PRId64 " of %-6" PRId64 "  %s\n", mesh->name,
			layout_index(&mesh->layout, rank), size,
			group_text(page->arena, &mesh->layout, layout_base(&mesh->layout, rank)));
	}
}

static void put_rank_stages(struct page *page, int64_t rank)
{
	const struct plan *plan = page->plan;
	size_t i;

	if (plan->stages.count < 2)
		return;
	buf_text(page->out, "  stages        ");
	for (i = 0; i < plan->stages.count; i++)
		if (plan_rank_has_stage(plan, rank, (int)i))
			buf_printf(page->out, " %d", plan->stages.items[i].index);
	buf_char(page->out, '\n');
}

static void put_rank(struct page *page, int64_t rank)
{
	if (!page->view->param) {
		plan_heading(page, "Rank %" PRId64 ": its place in each mesh and its group", rank);
		put_peers(page, rank);
		put_rank_stages(page, rank);
	}
	put_parameters(page, rank);
}

void plan_text_parameters(struct page *page)
{
	const struct rank_list *ranks = &page->view->ranks;
	size_t i;
	int64_t rank;

	if (!ranks->ranges.count)
		put_parameters(page, 0);
	for (i = 0; i < ranks->ranges.count; i++)
		for (rank = ranks->ranges.items[i].first; rank <= ranks->ranges.items[i].last;
		     rank++)
			put_rank(page, rank);
}
