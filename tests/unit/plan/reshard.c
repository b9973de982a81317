#include "plan/reshard.h"

#include "plan/meeting.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* xorshift: the same numbers on every machine. */
static uint64_t random_state = 88172645463325252u;

static int64_t any(int64_t from, int64_t to)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return from + (int64_t)(random_state % (uint64_t)(to - from + 1));
}

/* A tensor over a mesh of one to three dims, each of which cuts a dim of the tensor or repeats. */
static struct sharded *any_sharded(struct arena *arena, const struct parameter *parameter,
				   int64_t *world)
{
	struct sharded *sharded = arena_new(arena, struct sharded);
	struct layout *layouts = arena_array(arena, 3, sizeof(*layouts));
	int64_t sizes[3], stride = 1;
	int i;

	sharded->parameter = parameter;
	sharded->dims = (int)any(1, 3);
	for (i = sharded->dims - 1; i >= 0; i--) {
		sizes[i] = any(1, 4);
		layouts[i] = layout_axis(sizes[i], stride);
		stride *= sizes[i];
		sharded->dim[i].layout = &layouts[i];
		sharded->dim[i].placement.kind = any(0, 3) ? PLACE_SHARD : PLACE_REPLICATE;
		sharded->dim[i].placement.dim = (int)any(0, parameter->dims - 1);
	}
	*world = stride;
	return sharded;
}

static void put_saved(struct saved *saved, const struct sharded *sharded, int64_t world)
{
	struct saved_tensor tensor = { .key = "w", .fqn = "w", .element = 2 };
	struct spread *spread = spread_of(saved->arena, sharded, world);
	int32_t *file = arena_array(saved->arena, (size_t)spread->boxes, sizeof(*file));
	int64_t rank;

	for (rank = 0; rank < world; rank++)
		saved_file(saved, arena_printf(saved->arena, "%" PRId64, rank));
	for (rank = world - 1; rank >= 0; rank--)
		if (spread->box_of[rank] >= 0)
			file[spread->box_of[rank]] = (int32_t)rank;
	tensor.file = file;
	vec_push(saved->arena, &saved->spreads, spread);
	saved_add(saved, &tensor);
}

static bool inside(const struct box *box, const int64_t *at)
{
	int i;

	for (i = 0; i < box->dims; i++)
		if (at[i] < box->offset[i] || at[i] >= box->offset[i] + box->shape[i])
			return false;
	return true;
}

/* Every element of `own` is in exactly one part, and every part's elements are in `own`. */
static void covered_once(const struct box *own, const struct readings *readings)
{
	int64_t at[PARAMETER_DIMS] = { 0 }, volume = box_volume(own), i, rest, sum = 0;
	size_t j;
	int dim;

	for (i = 0; i < volume; i++) {
		int hits = 0;
		for (dim = own->dims - 1, rest = i; dim >= 0; dim--) {
			at[dim] = own->offset[dim] + rest % own->shape[dim];
			rest /= own->shape[dim];
		}
		for (j = 0; j < readings->list.count; j++)
			hits += inside(&readings->list.items[j].part, at);
		assert_int_equal(hits, 1);
	}
	for (j = 0; j < readings->list.count; j++)
		sum += box_volume(&readings->list.items[j].part);
	assert_int_equal(sum, volume);
}

/* The writer really has what is read, and what is read goes where it belongs. */
static void from_a_writer(const struct sharded *old, const struct box *own,
			  const struct readings *readings)
{
	size_t i;
	int dim;

	for (i = 0; i < readings->list.count; i++) {
		const struct reading *reading = &readings->list.items[i];
		struct box held = plan_box(old, reading->tensor->file[reading->box]);
		for (dim = 0; dim < own->dims; dim++) {
			assert_int_equal(held.offset[dim], reading->saved.offset[dim]);
			assert_int_equal(held.shape[dim], reading->saved.shape[dim]);
			assert_true(reading->part.offset[dim] >= held.offset[dim]);
			assert_true(reading->part.offset[dim] + reading->part.shape[dim] <=
				    held.offset[dim] + held.shape[dim]);
			assert_int_equal(reading->dest[dim],
					 reading->part.offset[dim] - own->offset[dim]);
		}
	}
}

static int64_t files_of(const struct readings *readings)
{
	bool seen[64] = { false };
	int64_t count = 0;
	size_t i;

	for (i = 0; i < readings->list.count; i++) {
		int32_t file = readings->list.items[i].tensor->file[readings->list.items[i].box];
		count += !seen[file];
		seen[file] = true;
	}
	return count;
}

/* Holds the sums over all ranks against the lists of each. */
static void check(struct arena *arena, const struct loader *loader, const struct sharded *old,
		  const struct sharded *new)
{
	struct reshard reshard;
	int64_t rank;

	reshard_compute(&reshard, loader);
	assert_int_equal(reshard.uncovered, 0);
	for (rank = 0; rank < loader->ranks; rank++) {
		struct box own = plan_box(new, rank);
		struct readings readings;
		int64_t needed = 0, read = 0;
		size_t i;
		reshard_list(&readings, arena, loader, rank);
		covered_once(&own, &readings);
		from_a_writer(old, &own, &readings);
		for (i = 0; i < readings.list.count; i++) {
			needed += readings.list.items[i].needed;
			read += readings.list.items[i].read;
		}
		assert_int_equal(reshard.load[rank].needed, needed);
		assert_int_equal(reshard.load[rank].read, read);
		assert_int_equal(reshard.load[rank].chunks, readings.list.count);
		assert_int_equal(reshard.load[rank].files, files_of(&readings));
	}
}

/* The same chunks as metadata lists them: in any order, one perhaps cut in two. */
static void as_listed(struct arena *arena, struct saved *saved, bool split)
{
	struct saved_tensor *tensor = &saved->tensors.items[0];
	const struct spread *grid = saved->spreads.items[0];
	struct box *boxes = arena_array(arena, (size_t)grid->boxes + 1, sizeof(*boxes));
	int32_t *number = arena_array(arena, (size_t)grid->boxes + 1, sizeof(*number)), *file;
	int64_t count = grid->boxes, i;
	struct spread *spread;

	for (i = 0; i < count; i++)
		boxes[i] = spread_box(grid, count - 1 - i);
	if (split && boxes[0].shape[0] > 1) {
		boxes[count] = boxes[0];
		boxes[0].shape[0] = 1;
		boxes[count].shape[0]--;
		boxes[count].offset[0]++;
		count++;
	}
	spread = spread_of_boxes(arena, grid->dims, grid->shape, boxes, count, number);
	file = arena_array(arena, (size_t)spread->boxes, sizeof(*file));
	for (i = 0; i < count; i++)
		file[number[i]] =
			tensor->file[i == grid->boxes ? grid->boxes - 1 : grid->boxes - 1 - i];
	tensor->file = file;
	saved->spreads.items[0] = spread;
}

static void every_byte_is_read_once(void **state)
{
	int round;

	(void)state;
	for (round = 0; round < 3000; round++) {
		struct parameter parameter = { .fqn = "w", .dims = (int)any(1, 3) };
		struct wanted wanted = { .key = "w", .fqn = "w", .pp = -1 };
		struct loader loader = { .pp = 1 };
		struct sharded *old, *new;
		struct saved saved;
		struct arena arena;
		int64_t world;
		int i;
		arena_init(&arena);
		for (i = 0; i < parameter.dims; i++)
			parameter.shape[i] = any(1, 11);
		saved_init(&saved, &arena);
		old = any_sharded(&arena, &parameter, &world);
		put_saved(&saved, old, world);
		new = any_sharded(&arena, &parameter, &loader.ranks);
		loader.arena = &arena;
		loader.saved = &saved;
		vec_push(&arena, &loader.spreads, spread_of(&arena, new, loader.ranks));
		vec_push(&arena, &loader.wanted, wanted);
		check(&arena, &loader, old, new);
		as_listed(&arena, &saved, false);
		assert_null(saved.spreads.items[0]->list);
		check(&arena, &loader, old, new);
		arena_release(&arena);
	}
}

/* Boxes that are no grid: a 4 x 4 tensor in an L and the rest. */
static void boxes_without_a_grid(void **state)
{
	static const struct box boxes[] = {
		{ 2, { 4, 1 }, { 0, 0 } },
		{ 2, { 1, 3 }, { 0, 1 } },
		{ 2, { 0, 3 }, { 4, 1 } },
		{ 2, { 3, 3 }, { 1, 1 } },
	};
	static const int64_t shape[] = { 4, 4 };
	struct parameter parameter = { .fqn = "w", .dims = 2, .shape = { 4, 4 } };
	struct saved_tensor tensor = { .key = "w", .fqn = "w", .element = 4 };
	struct wanted wanted = { .key = "w", .fqn = "w", .pp = -1 };
	struct layout layout = layout_axis(2, 1);
	struct sharded sharded = { .parameter = &parameter, .dims = 1 };
	struct loader loader = { .ranks = 2, .pp = 1 };
	static const int32_t file[] = { 0, 1, 2 };
	struct readings readings;
	struct reshard reshard;
	struct saved saved;
	struct arena arena;
	int32_t number[4];

	(void)state;
	arena_init(&arena);
	saved_init(&saved, &arena);
	vec_push(&arena, &saved.spreads, spread_of_boxes(&arena, 2, shape, boxes, 4, number));
	assert_non_null(saved.spreads.items[0]->list);
	assert_int_equal(saved.spreads.items[0]->boxes, 3);
	assert_int_equal(number[2], -1);
	assert_int_equal(number[3], 2);
	saved_file(&saved, "a");
	saved_file(&saved, "b");
	saved_file(&saved, "c");
	tensor.file = file;
	saved_add(&saved, &tensor);
	assert_int_equal(saved_file(&saved, "b"), 1);
	sharded.dim[0].layout = &layout;
	sharded.dim[0].placement.kind = PLACE_SHARD;
	loader.arena = &arena;
	loader.saved = &saved;
	vec_push(&arena, &loader.spreads, spread_of(&arena, &sharded, 2));
	vec_push(&arena, &loader.wanted, wanted);
	reshard_compute(&reshard, &loader);
	/* rows 0 and 1 meet all three, rows 2 and 3 the first and the last */
	assert_int_equal(reshard.load[0].files, 3);
	assert_int_equal(reshard.load[0].needed, 32);
	assert_int_equal(reshard.load[0].read, 64);
	assert_int_equal(reshard.load[1].files, 2);
	assert_int_equal(reshard.load[1].read, 4 * (4 + 9));
	assert_int_equal(reshard.uncovered, 0);
	reshard_list(&readings, &arena, &loader, 1);
	assert_int_equal(readings.list.count, 2);
	assert_int_equal(readings.list.items[1].needed, 4 * 6);
	/* without its last box the tensor has a hole */
	saved.spreads.items[0]->boxes = 2;
	reshard_compute(&reshard, &loader);
	assert_int_equal(reshard.uncovered, 1);
	assert_string_equal(reshard.first_uncovered, "w");
	arena_release(&arena);
}

/* A chunk cut in two leaves no grid in more than one dim; what is read stays the same. */
static void a_cut_chunk_is_read_in_two(void **state)
{
	struct parameter parameter = { .fqn = "w", .dims = 2, .shape = { 8, 6 } };
	struct layout rows = layout_axis(2, 2), columns = layout_axis(2, 1);
	struct sharded sharded = { .parameter = &parameter, .dims = 2 };
	struct wanted wanted = { .key = "w", .fqn = "w", .pp = -1 };
	struct loader loader = { .ranks = 4, .pp = 1 };
	struct readings readings;
	struct saved saved;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	saved_init(&saved, &arena);
	sharded.dim[0].layout = &rows;
	sharded.dim[1].layout = &columns;
	sharded.dim[0].placement.kind = sharded.dim[1].placement.kind = PLACE_SHARD;
	sharded.dim[1].placement.dim = 1;
	put_saved(&saved, &sharded, 4);
	as_listed(&arena, &saved, true);
	assert_int_equal(saved.spreads.items[0]->boxes, 5);
	loader.arena = &arena;
	loader.saved = &saved;
	vec_push(&arena, &loader.spreads, spread_of(&arena, &sharded, 4));
	vec_push(&arena, &loader.wanted, wanted);
	reshard_list(&readings, &arena, &loader, 3);
	assert_int_equal(readings.list.count, 2);
	assert_int_equal(readings.list.items[0].needed + readings.list.items[1].needed, 2 * 4 * 3);
	arena_release(&arena);
}

/* Metadata may list the same box a thousand times: what is counted has an end. */
static void overlaps_have_an_end(void **state)
{
	enum { ROWS = 4200 };
	struct parameter parameter = { .fqn = "w", .dims = 1, .shape = { ROWS } };
	struct saved_tensor tensor = { .key = "w", .fqn = "w", .element = 4 };
	struct wanted wanted = { .key = "w", .fqn = "w", .pp = -1 };
	struct sharded sharded = { .parameter = &parameter, .dims = 1 };
	struct layout layout = layout_axis(ROWS, 1);
	struct loader loader = { .ranks = ROWS, .pp = 1 };
	struct reshard reshard;
	struct saved saved;
	struct arena arena;
	struct box *boxes;
	int32_t *number;
	int i;

	(void)state;
	arena_init(&arena);
	saved_init(&saved, &arena);
	boxes = arena_array(&arena, ROWS, sizeof(*boxes));
	number = arena_array(&arena, ROWS, sizeof(*number));
	for (i = 0; i < ROWS; i++)
		boxes[i] = (struct box) { .dims = 1, .shape = { ROWS } };
	vec_push(&arena, &saved.spreads,
		 spread_of_boxes(&arena, 1, parameter.shape, boxes, ROWS, number));
	saved_file(&saved, "a");
	tensor.file = arena_array(&arena, ROWS, sizeof(int32_t));
	saved_add(&saved, &tensor);
	sharded.dim[0].layout = &layout;
	sharded.dim[0].placement.kind = PLACE_SHARD;
	loader.arena = &arena;
	loader.saved = &saved;
	vec_push(&arena, &loader.spreads, spread_of(&arena, &sharded, ROWS));
	vec_push(&arena, &loader.wanted, wanted);
	reshard_compute(&reshard, &loader);
	assert_true(reshard.cut_off);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_read_once),
		cmocka_unit_test(boxes_without_a_grid),
		cmocka_unit_test(overlaps_have_an_end),
		cmocka_unit_test(a_cut_chunk_is_read_in_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
