#include "base/die.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>

/* What plan_check derives, counted: parts held against each other, units and modules added up. */

/* Parts that are held against each other; more are checked by their volume, many more not at all.
 */
enum { BOXES_PAIRED = 256, BOXES_SUMMED = 65536, PARAMETERS_CHECKED = 64 };

/* The dims that cut a parameter, and how many parts they make. */
static struct layout cutting(const struct sharded *sharded)
{
	struct layout parts = { 0 };
	int i;

	for (i = 0; i < sharded->dims; i++)
		if (sharded->dim[i].placement.kind == PLACE_SHARD ||
		    sharded->dim[i].placement.kind == PLACE_STRIDED_SHARD)
			parts = layout_join(parts, *sharded->dim[i].layout);
	return parts;
}

static void check_apart(const struct sharded *sharded, const struct layout *parts, int64_t count)
{
	struct box boxes[BOXES_PAIRED];
	int64_t i, j;

	for (i = 0; i < count; i++) {
		boxes[i] = plan_box(sharded, layout_offset(parts, i));
		for (j = 0; j < i; j++)
			if (box_overlap(&boxes[i], &boxes[j]))
				bug("%s: parts %" PRId64 " and %" PRId64 " overlap",
				    sharded->parameter->fqn, j, i);
	}
}

/* The parts of a parameter fill it and do not overlap. */
static void check_parts(const struct sharded *sharded)
{
	const struct parameter *parameter = sharded->parameter;
	struct layout parts = cutting(sharded);
	int64_t count = layout_size(&parts), volume = parameter_volume(parameter), sum = 0, i;

	if (count > BOXES_SUMMED)
		return;
	for (i = 0; i < count; i++) {
		struct box box = plan_box(sharded, layout_offset(&parts, i));
		sum += box_volume(&box);
	}
	if (sum != volume)
		bug("%s: parts hold %" PRId64 " of %" PRId64 " elements", parameter->fqn, sum,
		    volume);
	if (count <= BOXES_PAIRED)
		check_apart(sharded, &parts, count);
}

/* The parts of a parameter's run hold what its placements leave of it. */
static void check_run_parts(const struct plan *plan, const struct sharded *sharded)
{
	const struct layout *layout = &plan_sharding(plan, sharded->parameter)->run.layout;
	const struct box whole = plan_box(sharded, 0);
	int64_t sum = 0, i;

	if (!plan_is_run(plan, sharded->parameter, HELD_OPTIMIZER) ||
	    layout_size(layout) > BOXES_SUMMED)
		return;
	for (i = 0; i < layout_size(layout); i++) {
		struct box part =
			plan_part(plan, sharded, layout_offset(layout, i), HELD_OPTIMIZER);
		if (box_volume(&part) && part.offset[0] != sum)
			bug("%s: part %" PRId64 " of its run begins at %" PRId64
			    ", the one before ends at %" PRId64,
			    sharded->parameter->fqn, i, part.offset[0], sum);
		sum += box_volume(&part);
	}
	if (sum != box_volume(&whole))
		bug("%s: its run holds %" PRId64 " of %" PRId64 " elements",
		    sharded->parameter->fqn, sum, box_volume(&whole));
}

/* ---- units ---- */

/* What the parameters of a unit add up to. */
struct load {
	int parameters;
	int64_t elements; /* of the largest part, which the others are padded to */
	bool run;	  /* runs are cut, and padded to more */
};

/*
 * Every parameter is counted in its unit. One may count in a second unit besides: embeddings that
 * are tied to the output after both were wrapped.
 */
static void check_units(const struct plan *plan)
{
	struct load *loads = arena_array(plan->arena, plan->units.count, sizeof(*loads));
	size_t i;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		struct box box = plan_part(plan, sharded, 0, HELD_PARAMETER);
		if (sharded->unit < 0)
			continue;
		loads[sharded->unit].run = plan_is_run(plan, sharded->parameter, HELD_PARAMETER);
		loads[sharded->unit].parameters++;
		loads[sharded->unit].elements += box_volume(&box);
	}
	for (i = 0; i < plan->units.count; i++) {
		const struct unit *unit = &plan->units.items[i];
		int more = unit->parameters - loads[i].parameters;
		if (!plan->parameters.count)
			continue;
		if (loads[i].run ? more || unit->shard_elements < loads[i].elements
				 : more < 0 || more > 1 ||
					   (unit->shard_elements == loads[i].elements) != !more)
			bug("unit %s counts %d parameters, %" PRId64
			    " elements; it has %d, %" PRId64,
			    unit->name, unit->parameters, unit->shard_elements, loads[i].parameters,
			    loads[i].elements);
	}
}

/* ---- stages ---- */

/* True when the parameter is the module's own: "layers.3" has "layers.3.wq.weight". */
static bool is_of(const char *fqn, const char *module)
{
	size_t length = strlen(module);

	return !strncmp(fqn, module, length) && fqn[length] == '.';
}

static bool has_module_of(const struct stage *stage, const char *fqn)
{
	size_t i;

	for (i = 0; i < stage->modules.count; i++)
		if (is_of(fqn, stage->modules.items[i]))
			return true;
	return false;
}

/*
 * A parameter is on the first stage that lists its module. Some have no module that is ever
 * listed: learned positions go with the embedding.
 */
static void check_modules(const struct plan *plan, const struct sharded *sharded)
{
	const char *fqn = sharded->parameter->fqn;
	int i;

	for (i = 0; !sharded->copy && (size_t)i < plan->stages.count; i++) {
		if (!has_module_of(&plan->stages.items[i], fqn))
			continue;
		if (i != sharded->stage)
			bug("%s is on stage %d, but its module is on stage %d", fqn, sharded->stage,
			    i);
		return;
	}
}

void plan_check_boxes(const struct plan *plan)
{
	size_t step = plan->parameters.count / PARAMETERS_CHECKED + 1, i;

	if (plan->error || !plan->world || plan->unmodelled)
		return;
	for (i = 0; i < plan->parameters.count; i += step) {
		check_parts(&plan->parameters.items[i]);
		check_run_parts(plan, &plan->parameters.items[i]);
		check_modules(plan, &plan->parameters.items[i]);
	}
	check_units(plan);
}
