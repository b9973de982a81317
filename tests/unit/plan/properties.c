#include "plan/compare.h"
#include "plan/plan.h"

#include "unit/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * What holds of layouts, parts and plans whatever they are made of, held against enumeration: of
 * ranks and of elements one by one, without the algebra that is tested.
 */
enum { WORLD_MOST = 256, AXES_MOST = 5, ELEMENTS_MOST = 20000 };

/* ---- random worlds ---- */

/* A mesh of up to five axes over all ranks of a world, in any order of strides. */
struct grid {
	int axes;
	int64_t world, size[AXES_MOST], stride[AXES_MOST];
};

static struct grid random_grid(struct random *random)
{
	static const int64_t sizes[] = { 1, 2, 2, 2, 3, 4, 4, 5, 8, 16 };
	struct grid grid = { .axes = 1 + (int)random_below(random, AXES_MOST), .world = 1 };
	int order[AXES_MOST], i, j, swap;

	for (i = 0; i < grid.axes; i++) {
		grid.size[i] = random_pick(random, sizes);
		if (grid.world * grid.size[i] > WORLD_MOST)
			grid.size[i] = 1;
		grid.world *= grid.size[i];
		order[i] = i;
	}
	for (i = grid.axes - 1; i > 0; i--) {
		j = (int)random_below(random, i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	grid.world = 1;
	for (i = 0; i < grid.axes; i++) {
		grid.stride[order[i]] = grid.world;
		grid.world *= grid.size[order[i]];
	}
	return grid;
}

/* Some axes of a grid, in their order or the other way round. */
static struct layout random_axes(struct random *random, const struct grid *grid)
{
	struct layout layout = { 0 };
	int i, reversed = random_once(random, 2);

	for (i = 0; i < grid->axes; i++) {
		int at = reversed ? grid->axes - 1 - i : i;
		if (random_once(random, 2))
			layout = layout_join(layout, layout_axis(grid->size[at], grid->stride[at]));
	}
	return layout;
}

/* Members of the group at 0, by counting through the modes like a clock. */
static int64_t enumerate(const struct layout *layout, int64_t *members)
{
	int64_t at[LAYOUT_MODES] = { 0 }, count = 0;
	int i;

	for (;;) {
		members[count] = 0;
		for (i = 0; i < layout->modes; i++)
			members[count] += at[i] * layout->stride[i];
		count++;
		for (i = layout->modes - 1; i >= 0 && ++at[i] == layout->size[i]; i--)
			at[i] = 0;
		if (i < 0)
			return count;
	}
}

/* The lowest rank of each rank's group, by translating the group at 0 over what is not covered. */
static void partition(const struct layout *layout, int64_t world, int64_t *lowest)
{
	int64_t members[WORLD_MOST], count = enumerate(layout, members), rank, i;

	for (rank = 0; rank < world; rank++)
		lowest[rank] = -1;
	for (rank = 0; rank < world; rank++)
		for (i = 0; i < count && (i || lowest[rank] < 0); i++) {
			assert_true(rank + members[i] < world);
			assert_true(lowest[rank + members[i]] < 0);
			lowest[rank + members[i]] = rank;
		}
}

/* ---- layouts ---- */

static void members_survive(const struct layout *layout)
{
	struct layout flat = layout_coalesce(*layout), set = layout_canonical(layout);
	struct layout again = layout_canonical(&set);
	int64_t members[WORLD_MOST], count = enumerate(layout, members), i, largest = 0;
	int64_t sets[WORLD_MOST];

	assert_int_equal(layout_size(layout), count);
	assert_int_equal(layout_size(&flat), count);
	assert_int_equal(enumerate(&set, sets), count);
	assert_memory_equal(&again, &set, sizeof(set));
	for (i = 0; i < count; i++) {
		assert_int_equal(layout_offset(layout, i), members[i]);
		assert_int_equal(layout_offset(&flat, i), members[i]);
		assert_true(!i || sets[i] > sets[i - 1]);
		largest = members[i] > largest ? members[i] : largest;
	}
	assert_int_equal(layout_extent(layout), largest + 1);
}

static void complement_is_the_rest(const struct layout *layout, int64_t world)
{
	struct layout starts, back;
	int64_t lowest[WORLD_MOST], count = 0, rank;

	partition(layout, world, lowest);
	assert_true(layout_complement(layout, world, &starts));
	for (rank = 0; rank < world; rank++) {
		assert_int_equal(layout_base(layout, rank), lowest[rank]);
		assert_int_equal(lowest[rank] + layout_offset(layout, layout_index(layout, rank)),
				 rank);
		if (lowest[rank] == rank)
			assert_int_equal(layout_offset(&starts, count++), rank);
	}
	assert_int_equal(layout_size(&starts), count);
	assert_true(layout_complement(&starts, world, &back));
	assert_true(layout_same_groups(layout, &back));
}

/* Equal groups are equal partitions, and the other way round. */
static void groups_are_compared_as_sets(const struct layout *a, const struct layout *b,
					int64_t world)
{
	int64_t left[WORLD_MOST], right[WORLD_MOST];

	partition(a, world, left);
	partition(b, world, right);
	assert_int_equal(layout_same_groups(a, b),
			 !memcmp(left, right, (size_t)world * sizeof(*left)));
}

/* Blocks that end where the world ends, as nodes do. */
static void within_is_what_it_says(const struct layout *layout, int64_t world, int64_t block)
{
	int64_t lowest[WORLD_MOST], rank;
	bool within = true;

	if (world % block)
		return;
	partition(layout, world, lowest);
	for (rank = 0; rank < world; rank++)
		within = within && lowest[rank] / block == rank / block;
	assert_int_equal(layout_within(layout, block), within);
}

static void layouts_obey_their_laws(void **state)
{
	static const int64_t blocks[] = { 1, 2, 3, 4, 6, 8, 12, 16 };
	struct random random;
	int64_t number;

	(void)state;
	random_each(number, random, 2000)
	{
		struct grid grid = random_grid(&random);
		struct layout one = random_axes(&random, &grid), two = random_axes(&random, &grid);

		members_survive(&one);
		complement_is_the_rest(&one, grid.world);
		groups_are_compared_as_sets(&one, &two, grid.world);
		within_is_what_it_says(&one, grid.world, random_pick(&random, blocks));
	}
}

/* Whatever sizes and strides: what is said to tile does. */
static void nothing_else_is_said_to_tile(void **state)
{
	struct random random;
	int64_t number;

	(void)state;
	random_each(number, random, 5000)
	{
		struct layout layout = { 0 }, starts;
		int64_t world = 1 + random_below(&random, 64), lowest[WORLD_MOST];
		int i, modes = 1 + (int)random_below(&random, 3);

		for (i = 0; i < modes; i++)
			layout = layout_join(layout, layout_axis(1 + random_below(&random, 4),
								 1 + random_below(&random, 16)));
		if (layout_complement(&layout, world, &starts))
			partition(&layout, world, lowest);
	}
}

/* ---- parts of a tensor ---- */

/* A tensor on some axes of a grid, cut as FSDP2 and tensor parallelism cut. */
struct tensor {
	struct parameter parameter;
	struct layout layouts[AXES_MOST];
	struct sharded sharded;
};

static void random_shape(struct random *random, struct parameter *parameter)
{
	static const int64_t sizes[] = { 1, 2, 3, 5, 7, 8, 12, 13, 16, 24, 30 };
	int i;

	parameter->fqn = "weight";
	parameter->dims = 1 + (int)random_below(random, 3);
	for (i = 0; i < parameter->dims; i++)
		parameter->shape[i] = random_pick(random, sizes);
}

/* Parts made of a tensor dim by the axes from `at` on. */
static int64_t parts_behind(const struct sharded *sharded, int at, int dim)
{
	int64_t parts = 1;

	for (; at < sharded->dims; at++)
		if (sharded->dim[at].placement.kind != PLACE_REPLICATE &&
		    sharded->dim[at].placement.dim == dim)
			parts *= layout_size(sharded->dim[at].layout);
	return parts;
}

static void random_tensor(struct random *random, const struct grid *grid, struct tensor *tensor)
{
	struct sharded *sharded = &tensor->sharded;
	int i;

	memset(tensor, 0, sizeof(*tensor));
	random_shape(random, &tensor->parameter);
	sharded->parameter = &tensor->parameter;
	sharded->unit = -1;
	sharded->dims = grid->axes;
	for (i = grid->axes - 1; i >= 0; i--) {
		struct mesh_dim *dim = &sharded->dim[i];
		tensor->layouts[i] = layout_axis(grid->size[i], grid->stride[i]);
		dim->name = "axis";
		dim->layout = &tensor->layouts[i];
		if (random_once(random, 3))
			continue;
		dim->placement.kind = PLACE_SHARD;
		dim->placement.dim = (int)random_below(random, tensor->parameter.dims);
		dim->placement.factor = parts_behind(sharded, i + 1, dim->placement.dim);
		if (dim->placement.factor > 1)
			dim->placement.kind = PLACE_STRIDED_SHARD;
		else
			dim->placement.factor = 0;
	}
}

/* Every element once for each rank that holds it. */
static void count_elements(const struct box *box, const int64_t *shape, int64_t *held)
{
	int64_t at[3] = { 0 }, element, i, volume = box_volume(box);
	int d;

	for (i = 0; i < volume; i++) {
		for (element = 0, d = 0; d < box->dims; d++)
			element = element * shape[d] + box->offset[d] + at[d];
		held[element]++;
		for (d = box->dims - 1; d >= 0 && ++at[d] == box->shape[d]; d--)
			at[d] = 0;
	}
}

static void parts_tile_the_tensor(const struct grid *grid, const struct tensor *tensor)
{
	int64_t held[ELEMENTS_MOST] = { 0 }, volume = parameter_volume(&tensor->parameter);
	int64_t parts = 1, rank, i;
	int d;

	for (d = 0; d < tensor->parameter.dims; d++)
		parts *= parts_behind(&tensor->sharded, 0, d);
	if (volume > ELEMENTS_MOST)
		return;
	for (rank = 0; rank < grid->world; rank++) {
		struct box box = plan_box(&tensor->sharded, rank);
		for (d = 0; d < box.dims; d++)
			assert_in_range(box.offset[d], 0, tensor->parameter.shape[d]);
		count_elements(&box, tensor->parameter.shape, held);
	}
	for (i = 0; i < volume; i++)
		assert_int_equal(held[i], grid->world / parts);
}

/* No rank holds more than rank 0, which has the first part of everything. */
static void the_first_rank_holds_most(const struct grid *grid, const struct tensor *tensor)
{
	struct box first = plan_box(&tensor->sharded, 0);
	int64_t rank;

	for (rank = 0; rank < grid->world; rank++) {
		struct box box = plan_box(&tensor->sharded, rank);
		assert_true(box_volume(&box) <= box_volume(&first));
	}
}

static void storage_tiles(void **state)
{
	struct random random;
	int64_t number;

	(void)state;
	random_each(number, random, 1000)
	{
		struct grid grid = random_grid(&random);
		struct plan *plan;
		struct tensor tensor;
		struct arena arena;

		random_tensor(&random, &grid, &tensor);
		parts_tile_the_tensor(&grid, &tensor);
		the_first_rank_holds_most(&grid, &tensor);
		arena_init(&arena);
		plan = plan_new(&arena, PLAN_APPLIED);
		plan->world = grid.world;
		vec_push(&arena, &plan->parameters, tensor.sharded);
		plan_check(plan);
		plan_check_boxes(plan);
		arena_release(&arena);
	}
}

/* ---- intended plans ---- */

static void put(struct random *random, struct settings *settings, struct arena *arena,
		enum field_id field)
{
	static const int64_t degrees[] = { -1, 1, 1, 1, 2, 2, 3, 4, 8, 16, 1 << 30 };
	int64_t degree = random_pick(random, degrees);

	if (degree == 1 << 30 && !random_once(random, 8))
		degree = 2;
	settings_put_int(settings, arena, field, degree, ORIGIN_GIVEN);
}

static struct plan *random_intended(struct random *random, struct arena *arena)
{
	static const enum field_id fields[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_CP,
						FIELD_TP,	    FIELD_PP,	    FIELD_EP,
						FIELD_ETP };
	static const int64_t worlds[] = { 0, 1, 2, 6, 8, 16, 24, 32, 64, 128, 256 };
	struct settings *settings = arena_new(arena, struct settings);
	size_t i;

	settings_init(settings);
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (random_once(random, 2))
			put(random, settings, arena, fields[i]);
	if (random_once(random, 8))
		put(random, settings, arena, FIELD_DP);
	return plan_intended(arena, settings, random_pick(random, worlds),
			     (struct group_ways) { 0 });
}

/* Two plans that often have the same world. */
static void compares_evenly(struct arena *arena, const struct plan *a, const struct plan *b)
{
	struct differences self = plan_compare(arena, a, a);
	struct differences one = plan_compare(arena, a, b), two = plan_compare(arena, b, a);

	assert_int_equal(self.list.count, 0);
	assert_int_equal(!one.list.count, !two.list.count);
	assert_int_equal(one.list.count, two.list.count);
}

static void normalises_once(const struct plan *plan)
{
	struct normal once = plan_normalise(plan), twice = once;
	const struct equivalence *row;

	for (row = equivalences; row->name; row++)
		row->apply(&twice);
	assert_int_equal(once.strategy, twice.strategy);
	assert_memory_equal(&once.shard, &twice.shard, sizeof(once.shard));
	assert_memory_equal(&once.replicate, &twice.replicate, sizeof(once.replicate));
	assert_memory_equal(once.axis, twice.axis, sizeof(once.axis));
	assert_memory_equal(&once.expert_shard, &twice.expert_shard, sizeof(once.shard));
}

/* Sharers, repeaters and the other axes are directions of one world: every rank has one place. */
static void axes_are_directions(const struct plan *plan)
{
	static const char *const names[] = { "pp", "tp" };
	int64_t seen[WORLD_MOST] = { 0 }, rank, i;
	struct layout all = layout_join(plan->dense.replicate, plan->dense.shard);
	size_t k;

	if (!plan->meshes.count)
		return;
	for (k = 0; k < 2; k++)
		all = layout_join(all, plan_mesh(plan, names[k])->layout);
	assert_int_equal(layout_size(&all), plan->world);
	for (i = 0; i < plan->world; i++) {
		rank = layout_offset(&all, i);
		assert_in_range(rank, 0, plan->world - 1);
		assert_int_equal(seen[rank]++, 0);
	}
}

static void intended_plans_hold(void **state)
{
	struct random random;
	int64_t number;

	(void)state;
	random_each(number, random, 3000)
	{
		struct plan *one, *two;
		struct arena arena;

		arena_init(&arena);
		one = random_intended(&random, &arena);
		two = random_intended(&random, &arena);
		plan_check(one);
		axes_are_directions(one);
		normalises_once(one);
		compares_evenly(&arena, one, two);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		random_test(layouts_obey_their_laws),
		random_test(nothing_else_is_said_to_tile),
		random_test(storage_tiles),
		random_test(intended_plans_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
