#include "report/plan/fold.h"
#include "report/plan/held.h"
#include "report/plan/words.h"
#include "report/web/web.h"

#include "base/text.h"

#include <inttypes.h>

/* The first rank that holds a stage. */
static int64_t first_rank(const struct plan *plan, int stage)
{
	const struct mesh *pp = plan_mesh(plan, "pp");

	if (!pp || stage < 0 || (size_t)stage >= plan->stages.count)
		return 0;
	return layout_offset(&pp->layout, plan->stages.items[stage].pp_rank);
}

static char *part_text(struct arena *arena, const struct plan *plan, const struct sharded *sharded)
{
	struct box box = plan_part(plan, sharded, first_rank(plan, sharded->stage), HELD_PARAMETER);

	if (plan_is_run(plan, sharded->parameter, HELD_PARAMETER))
		return arena_printf(arena, "%s elements", text_count(arena, box.shape[0]));
	return plan_shape_text(arena, box.dims, box.shape);
}

/* "dp_replicate R, dp_shard S(0)": the dimensions of its mesh, and what each does. */
static const char *placed_text(struct arena *arena, const struct plan *plan,
			       const struct sharded *sharded)
{
	const struct held_dims dims = plan_held(plan, sharded, HELD_PARAMETER);
	const char *text = "";
	int i;

	for (i = 0; i < dims.count; i++)
		text = arena_printf(arena, "%s%s%s %s", text, i ? ", " : "", dims.item[i].name,
				    held_dim_text(arena, &dims.item[i]));
	return *text ? text : "whole on each rank";
}

/* Rows are alike in shape, placements and part, whatever block they are of. */
static struct fold fold_parameters(struct arena *arena, const struct plan *plan)
{
	struct fold fold;
	size_t i;

	fold_init(&fold, arena);
	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		const struct parameter *parameter = sharded->parameter;
		fold_add(&fold, parameter->fqn,
			 arena_printf(arena, "%s\n%s\n%s",
				      plan_shape_text(arena, parameter->dims, parameter->shape),
				      placed_text(arena, plan, sharded),
				      part_text(arena, plan, sharded)),
			 i);
	}
	return fold;
}

static void put_row(struct sheet *sheet, const struct plan *plan, const struct fold_row *row)
{
	const struct sharded *sharded = &plan->parameters.items[row->at];
	const struct parameter *parameter = sharded->parameter;
	struct arena *arena = sheet->arena;

	sheet_row(sheet, fold_name(arena, row));
	sheet_number(sheet, arena_printf(arena, "%zu", row->numbers.count));
	sheet_cell(sheet, plan_shape_text(arena, parameter->dims, parameter->shape));
	sheet_cell(sheet, placed_text(arena, plan, sharded));
	sheet_cell(sheet, part_text(arena, plan, sharded));
	sheet_row_end(sheet);
}

void web_parameters(struct sheet *sheet, const struct plan *plan)
{
	static const struct web_column columns[] = { { "parameter", false },
						     { "how many", true },
						     { "shape", false },
						     { "placements", false },
						     { "part on its first rank", false } };
	struct fold fold;
	size_t i;

	if (!plan->parameters.count)
		return;
	fold = fold_parameters(sheet->arena, plan);
	sheet_table(sheet, "parameters", "Parameters and how they are cut", columns,
		    sizeof(columns) / sizeof(*columns), "parameters");
	for (i = 0; i < fold.rows.count; i++)
		put_row(sheet, plan, &fold.rows.items[i]);
	sheet_table_end(sheet);
}
