#include "base/text.h"
#include "report/plan/text.h"

#include "plan/compare.h"
#include "report/plan/fold.h"
#include "report/plan/words.h"

#include <inttypes.h>
#include <string.h>

/* How much is said of a part. */
enum detail {
	DETAIL_SHAPE,  /* "[512, 4096]" */
	DETAIL_WHOLE,  /* "[512, 4096] of [4096, 4096]" */
	DETAIL_OFFSET, /* "[512, 4096] at [512, 0]" */
};

/* A part of a run: "2,048 elements at 512", "2,048 elements of [4096, 4096]". */
static char *flat_text(struct page *page, const struct sharded *sharded, int64_t rank,
		       enum detail detail)
{
	const struct parameter *parameter = sharded->parameter;
	struct arena *arena = page->arena;
	struct box part = plan_part(page->plan, sharded, rank, HELD_PARAMETER);
	char *text = arena_printf(arena, "%s elements", text_count(arena, part.shape[0]));

	if (!part.shape[0])
		return arena_strdup(arena, "nothing");
	if (detail == DETAIL_OFFSET && part.offset[0])
		return arena_printf(arena, "%s at %s", text, text_count(arena, part.offset[0]));
	if (detail == DETAIL_WHOLE)
		return arena_printf(arena, "%s of %s", text,
				    plan_shape_text(arena, parameter->dims, parameter->shape));
	return text;
}

static char *part_text(struct page *page, const struct sharded *sharded, int64_t rank,
		       enum detail detail)
{
	const struct parameter *parameter = sharded->parameter;
	struct arena *arena = page->arena;
	struct box box;
	char *shape;

	if (!plan_rank_has_stage(page->plan, rank, sharded->stage))
		return arena_printf(arena, "nothing: it is on stage %d", sharded->stage);
	if (plan_is_run(page->plan, parameter, HELD_PARAMETER))
		return flat_text(page, sharded, rank, detail);
	box = plan_box(sharded, rank);
	shape = plan_shape_text(arena, box.dims, box.shape);
	if (detail == DETAIL_OFFSET)
		return arena_printf(arena, "%s at %s", shape,
				    plan_shape_text(arena, box.dims, box.offset));
	if (detail == DETAIL_WHOLE)
		return arena_printf(arena, "%s of %s", shape,
				    plan_shape_text(arena, parameter->dims, parameter->shape));
	return shape;
}

/* Parameters of other stages are shown only to those who ask for them by name. */
static bool is_shown(const struct page *page, const struct sharded *sharded, int64_t rank)
{
	if (page->view->param)
		return pattern_finds(page->view->param, sharded->parameter->fqn);
	return plan_rank_has_stage(page->plan, rank, sharded->stage);
}

/* The columns of the table of parameters. */
struct columns {
	int name, placements, part;
};

static void widen(int *width, const char *text)
{
	int length = (int)strlen(text);

	if (length > *width)
		*width = length;
}

static bool fits(const struct page *page, const struct columns *columns)
{
	return columns->name + columns->placements + columns->part + 6 <= page->style.columns;
}

static struct columns measure(struct page *page, const struct fold *fold, int64_t rank,
			      enum detail detail)
{
	struct columns columns = { 0 };
	size_t i;

	for (i = 0; i < fold->rows.count; i++) {
		const struct fold_row *row = &fold->rows.items[i];
		const struct sharded *sharded = &page->plan->parameters.items[row->at];
		widen(&columns.name, fold_name(page->arena, row));
		widen(&columns.placements, plan_placements_text(page->arena, page->plan, sharded));
		widen(&columns.part, part_text(page, sharded, rank, detail));
	}
	return columns;
}

/* Rows that are too long leave the whole shape out, and if they must go on below their names. */
static void put_rows(struct page *page, const struct fold *fold, int64_t rank)
{
	enum detail detail = page->view->ranks.ranges.count ? DETAIL_OFFSET : DETAIL_WHOLE;
	struct columns columns = measure(page, fold, rank, detail);
	bool fit;
	size_t i;

	if (detail == DETAIL_WHOLE && !fits(page, &columns)) {
		detail = DETAIL_SHAPE;
		columns = measure(page, fold, rank, detail);
	}
	fit = fits(page, &columns);
	for (i = 0; i < fold->rows.count; i++) {
		const struct fold_row *row = &fold->rows.items[i];
		const struct sharded *sharded = &page->plan->parameters.items[row->at];
		const char *name = fold_name(page->arena, row);
		if (!fit) {
			buf_printf(page->out, "  %s\n", name);
			name = "";
			columns.name = 2;
		}
		buf_printf(page->out, "  %-*s  %-*s  %s\n", columns.name, name, columns.placements,
			   plan_placements_text(page->arena, page->plan, sharded),
			   part_text(page, sharded, rank, detail));
	}
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
				 arena_printf(
					 page->arena, "%s\n%s",
					 part_text(page, sharded, rank, DETAIL_OFFSET),
					 plan_placements_text(page->arena, page->plan, sharded)),
				 i);
	}
	if (!fold.rows.count && !page->view->param)
		return;
	style_heading(&page->style, page->out, "Parameters: the part on rank %" PRId64, rank);
	if (!fold.rows.count)
		buf_text(page->out,
			 page->plan->parameters.count
				 ? "  none has such a name\n"
				 : "  none is known: give a model (--set model.preset=NAME)\n");
	put_rows(page, &fold, rank);
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
		style_heading(&page->style, page->out,
			      "Rank %" PRId64 ": its place in each mesh and its group", rank);
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
