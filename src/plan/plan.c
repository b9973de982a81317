#include "plan/plan.h"

#include "base/die.h"

#include <assert.h>
#include <string.h>

static const char *const strategies[] = {
	[STRATEGY_NONE] = "none",
	[STRATEGY_DDP] = "ddp",
	[STRATEGY_FSDP] = "fsdp",
	[STRATEGY_HSDP] = "hsdp",
	[STRATEGY_HSDP_FT] = "hsdp(ft)",
	[STRATEGY_FSDP_SHARD1] = "fsdp(shard=1)",
	[STRATEGY_HSDP_SHARD1] = "hsdp(shard=1)",
	[STRATEGY_UNKNOWN] = "not known",
};

static_assert(sizeof(strategies) / sizeof(*strategies) == STRATEGY_UNKNOWN + 1,
	      "every strategy has a name");

const char *strategy_name(enum strategy strategy)
{
	return strategies[strategy];
}

struct plan *plan_new(struct arena *arena, enum plan_origin origin)
{
	struct plan *plan = arena_new(arena, struct plan);

	plan->arena = arena;
	plan->origin = origin;
	return plan;
}

const struct mesh *plan_mesh(const struct plan *plan, const char *name)
{
	size_t i;

	for (i = 0; i < plan->meshes.count; i++) {
		const struct mesh *mesh = &plan->meshes.items[i];
		if (!strcmp(mesh->name, name) || (mesh->role && !strcmp(mesh->role, name)))
			return mesh;
	}
	return NULL;
}

const char *plan_mesh_over(const struct plan *plan, const struct layout *layout,
			   const char *otherwise)
{
	size_t i;

	for (i = 0; i < plan->meshes.count; i++)
		if (plan->meshes.items[i].exists &&
		    layout_same_groups(&plan->meshes.items[i].layout, layout))
			return plan->meshes.items[i].name;
	return otherwise;
}

void plan_log(struct plan *plan, const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	line = arena_vprintf(plan->arena, format, args);
	va_end(args);
	vec_push(plan->arena, &plan->log, line);
}

void plan_raise(struct plan *plan, const char *type, const char *where, const char *format, ...)
{
	va_list args;

	if (plan->error)
		return;
	plan->error = arena_new(plan->arena, struct plan_error);
	plan->error->type = type;
	plan->error->where = where;
	va_start(args, format);
	plan->error->message = arena_vprintf(plan->arena, format, args);
	va_end(args);
}

void plan_blame(struct plan *plan, const struct setting *setting)
{
	struct plan_error *error = plan->error;
	const int room = (int)(sizeof(error->because) / sizeof(*error->because));
	int i;

	if (!error)
		bug("blame without an error");
	for (i = 0; i < error->because_count; i++)
		if (error->because[i] == setting)
			return;
	if (i < room)
		error->because[error->because_count++] = setting;
}

void plan_postpone(struct plan *plan)
{
	if (!plan->later)
		plan->later = plan->error;
	plan->error = NULL;
}

int64_t plan_pp_rank(const struct plan *plan, int64_t rank)
{
	const struct mesh *pp = plan_mesh(plan, "pp");

	return pp ? layout_index(&pp->layout, rank) : 0;
}

bool plan_rank_has_stage(const struct plan *plan, int64_t rank, int stage)
{
	if (stage < 0 || (size_t)stage >= plan->stages.count)
		return true;
	return plan->stages.items[stage].pp_rank == plan_pp_rank(plan, rank);
}
