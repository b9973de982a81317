#include "report/plan/words.h"

#include "plan/compare.h"
#include "report/plan/fold.h"
#include "report/plan/held.h"
#include "report/plan/view.h"

#include <inttypes.h>
#include <string.h>

char *plan_layout_text(struct arena *arena, const struct layout *layout)
{
	char *sizes = arena_strdup(arena, ""), *strides = sizes;
	int i;

	for (i = 0; i < layout->modes; i++) {
		sizes = arena_printf(arena, "%s%s%" PRId64, sizes, i ? "," : "", layout->size[i]);
		strides = arena_printf(arena, "%s%s%" PRId64, strides, i ? "," : "",
				       layout->stride[i]);
	}
	return arena_printf(arena, layout->modes == 1 ? "%s:%s" : "(%s):(%s)", sizes, strides);
}

const char *plan_mesh_remark(struct arena *arena, const struct mesh *mesh)
{
	const char *remark = "";
	int i;

	if (mesh->backend && !strcmp(mesh->backend, "fake"))
		remark = ", no group (fake backend)";
	if (!mesh->flattened || (mesh->from_count == 1 && !strcmp(mesh->from[0], mesh->name)))
		return remark;
	remark = arena_printf(arena, "%s, flattened from ", remark);
	for (i = 0; i < mesh->from_count; i++)
		remark = arena_printf(arena, "%s%s%s", remark, i ? " x " : "", mesh->from[i]);
	return remark;
}

const char *plan_stage_ranks(struct arena *arena, const struct plan *plan,
			     const struct stage *stage)
{
	const struct mesh *pp = plan_mesh(plan, "pp");
	struct layout all = layout_axis(plan->world, 1), rest;

	if (!pp || layout_size(&pp->layout) == 1)
		return group_text(arena, &all, 0);
	if (!layout_complement(&pp->layout, plan->world, &rest))
		return "?";
	return group_text(arena, &rest, layout_offset(&pp->layout, stage->pp_rank));
}

char *plan_stage_modules(struct arena *arena, const struct stage *stage)
{
	char *text = arena_strdup(arena, "");
	struct fold fold;
	size_t i;

	fold_init(&fold, arena);
	for (i = 0; i < stage->modules.count; i++)
		fold_add(&fold, stage->modules.items[i], "", i);
	for (i = 0; i < fold.rows.count; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
				    fold_name(arena, &fold.rows.items[i]));
	return text;
}

const char *plan_remark(const struct job *job)
{
	const struct plan *plan = job_plan(job);

	if (job->document.no_job)
		return job_trains_nothing(job);
	return plan->unmodelled ? plan->unmodelled_why : NULL;
}

const char plan_doubt[] = "It is not known whether it stops here: ";

const char plan_stages_assumed[] = "assumed: blocks are dealt out evenly, only the script knows "
				   "where it cuts them";

char *plan_shape_text(struct arena *arena, int dims, const int64_t *shape)
{
	char *text = arena_strdup(arena, "[");
	int i;

	for (i = 0; i < dims; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", shape[i]);
	return arena_printf(arena, "%s]", text);
}

char *plan_placements_text(struct arena *arena, const struct plan *plan,
			   const struct sharded *sharded)
{
	const struct held_dims dims = plan_held(plan, sharded, HELD_PARAMETER);
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; i < dims.count; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? " " : "",
				    held_dim_text(arena, &dims.item[i]));
	return text;
}

const char *plan_unit_forward(struct arena *arena, const struct unit *unit)
{
	if (unit->kept_over)
		return arena_printf(arena, "cut over %" PRId64 " ranks", unit->kept_over);
	return unit->reshard_after_forward ? "let go" : "kept";
}
