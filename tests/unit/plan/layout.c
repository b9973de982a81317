#include "plan/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

enum { WORLD_MOST = 512 };

/* Meshes whose every subset of axes is tried. */
static const struct {
	int axes;
	int64_t sizes[5];
} meshes[] = {
	{ 1, { 8 } },	       { 2, { 2, 4 } },		 { 3, { 2, 3, 4 } },
	{ 3, { 4, 1, 3 } },    { 4, { 2, 2, 2, 2 } },	 { 4, { 3, 2, 2, 2 } },
	{ 4, { 1, 1, 5, 1 } }, { 5, { 2, 3, 1, 4, 2 } }, { 5, { 2, 2, 4, 4, 8 } },
};

enum { MESHES = sizeof(meshes) / sizeof(*meshes) };

static int64_t ranks_of(int mesh)
{
	int64_t ranks = 1;
	int i;

	for (i = 0; i < meshes[mesh].axes; i++)
		ranks *= meshes[mesh].sizes[i];
	return ranks;
}

/* The axes of a mesh whose bits are set, in their order. */
static struct layout pick(int mesh, unsigned int axes)
{
	struct layout all = layout_row_major(meshes[mesh].sizes, meshes[mesh].axes), some = { 0 };
	int i;

	for (i = 0; i < all.modes; i++)
		if (axes & 1U << i)
			some = layout_join(some, layout_axis(all.size[i], all.stride[i]));
	return some;
}

static void groups_partition_the_world(void **state)
{
	int m;
	unsigned int axes;

	(void)state;
	for (m = 0; m < MESHES; m++)
		for (axes = 0; axes < 1U << meshes[m].axes; axes++) {
			struct layout group = pick(m, axes), starts;
			int64_t seen[WORLD_MOST] = { 0 }, world = ranks_of(m), g, i;

			assert_true(layout_complement(&group, world, &starts));
			assert_int_equal(layout_size(&group) * layout_size(&starts), world);
			for (g = 0; g < layout_size(&starts); g++)
				for (i = 0; i < layout_size(&group); i++)
					seen[layout_offset(&starts, g) +
					     layout_offset(&group, i)]++;
			for (i = 0; i < world; i++)
				assert_int_equal(seen[i], 1);
		}
}

static void index_base_and_offset_go_round(void **state)
{
	unsigned int axes;
	int64_t rank;
	int m;

	(void)state;
	for (m = 0; m < MESHES; m++)
		for (axes = 0; axes < 1U << meshes[m].axes; axes++) {
			struct layout group = pick(m, axes);
			for (rank = 0; rank < ranks_of(m); rank++) {
				int64_t index = layout_index(&group, rank);
				int64_t base = layout_base(&group, rank);
				assert_in_range(index, 0, layout_size(&group) - 1);
				assert_int_equal(base + layout_offset(&group, index), rank);
				assert_int_equal(layout_base(&group, base), base);
				assert_int_equal(layout_index(&group, base), 0);
			}
		}
}

/* The first ranks of the groups rise: groups of one axis are made in complement order. */
static void complement_rises(void **state)
{
	unsigned int axes;
	int m;

	(void)state;
	for (m = 0; m < MESHES; m++)
		for (axes = 0; axes < 1U << meshes[m].axes; axes++) {
			struct layout group = pick(m, axes), starts, back;
			int64_t g;

			assert_true(layout_complement(&group, ranks_of(m), &starts));
			for (g = 1; g < layout_size(&starts); g++)
				assert_true(layout_offset(&starts, g - 1) <
					    layout_offset(&starts, g));
			assert_true(layout_complement(&starts, ranks_of(m), &back));
			assert_true(layout_same_groups(&group, &back));
		}
}

static void coalescing_changes_no_member(void **state)
{
	unsigned int axes;
	int m;

	(void)state;
	for (m = 0; m < MESHES; m++)
		for (axes = 0; axes < 1U << meshes[m].axes; axes++) {
			struct layout group = pick(m, axes), flat = layout_coalesce(group);
			int64_t i;

			assert_int_equal(layout_size(&flat), layout_size(&group));
			assert_int_equal(layout_extent(&flat), layout_extent(&group));
			for (i = 0; i < layout_size(&group); i++)
				assert_int_equal(layout_offset(&flat, i), layout_offset(&group, i));
			assert_true(layout_same_groups(&group, &flat));
		}
}

/* PyTorch's own cases: test/distributed/test_device_mesh.py, CuTeLayoutTest. */
static void coalesces_as_pytorch_does(void **state)
{
	static const struct {
		int modes;
		int64_t size[5], stride[5];
		int want;
		int64_t want_size[4], want_stride[4];
	} cases[] = {
		{ 2, { 3, 2 }, { 2, 1 }, 1, { 6 }, { 1 } },
		{ 2, { 3, 2 }, { 4, 1 }, 2, { 3, 2 }, { 4, 1 } },
		{ 5, { 1, 3, 1, 5, 1 }, { 0, 10, 17, 2, 1 }, 1, { 15 }, { 2 } },
		{ 3, { 1, 1, 1 }, { 1, 42, 0 }, 0, { 0 }, { 0 } },
		{ 4, { 7, 5, 3, 2 }, { 900, 36, 4, 1 }, 4, { 7, 5, 3, 2 }, { 900, 36, 4, 1 } },
	};
	size_t c;
	int i;

	(void)state;
	for (c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct layout layout = { 0 };
		for (i = 0; i < cases[c].modes; i++)
			layout = layout_join(layout,
					     layout_axis(cases[c].size[i], cases[c].stride[i]));
		layout = layout_coalesce(layout);
		assert_int_equal(layout.modes, cases[c].want);
		for (i = 0; i < layout.modes; i++) {
			assert_int_equal(layout.size[i], cases[c].want_size[i]);
			assert_int_equal(layout.stride[i], cases[c].want_stride[i]);
		}
	}
}

static void complements_as_pytorch_does(void **state)
{
	static const struct {
		int modes;
		int64_t size[2], stride[2], world, groups[16];
	} cases[] = {
		{ 1, { 4 }, { 2 }, 8, { 0, 2, 4, 6, 1, 3, 5, 7 } },
		{ 2,
		  { 2, 2 },
		  { 4, 1 },
		  16,
		  { 0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15 } },
		{ 2,
		  { 2, 2 },
		  { 4, 2 },
		  16,
		  { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 } },
		{ 2,
		  { 2, 2 },
		  { 2, 4 },
		  16,
		  { 0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15 } },
	};
	struct layout starts;
	size_t c;
	int64_t i;
	int k;

	(void)state;
	for (c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct layout group = { 0 };
		for (k = 0; k < cases[c].modes; k++)
			group = layout_join(group,
					    layout_axis(cases[c].size[k], cases[c].stride[k]));
		assert_true(layout_complement(&group, cases[c].world, &starts));
		for (i = 0; i < cases[c].world; i++)
			assert_int_equal(layout_offset(&starts, i / layout_size(&group)) +
						 layout_offset(&group, i % layout_size(&group)),
					 cases[c].groups[i]);
	}
}

static void what_does_not_tile_is_refused(void **state)
{
	static const struct {
		int64_t a, stride_a, b, stride_b, world;
	} cases[] = {
		{ 3, 1, 1, 1, 8 },  /* 3 does not divide 8 */
		{ 4, 1, 2, 2, 8 },  /* overlap: {0,1,2,3} and {0,2} */
		{ 2, 3, 2, 2, 12 }, /* strides that are no multiples */
		{ 4, 4, 1, 1, 8 },  /* reaches beyond the world */
		{ 2, 1, 1, 1, 0 },
	};
	struct layout starts;
	size_t c;

	(void)state;
	for (c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct layout group = layout_join(layout_axis(cases[c].a, cases[c].stride_a),
						  layout_axis(cases[c].b, cases[c].stride_b));
		assert_false(layout_complement(&group, cases[c].world, &starts));
	}
}

static void flattening_keeps_row_major_order(void **state)
{
	static const int64_t sizes[] = { 2, 3, 4 };
	static const int64_t outer_and_inner[] = { 0, 1, 2, 3, 12, 13, 14, 15 };
	struct layout all = layout_row_major(sizes, 3);
	struct layout flat = layout_join(layout_axis(all.size[0], all.stride[0]),
					 layout_axis(all.size[2], all.stride[2]));
	int64_t i;

	(void)state;
	for (i = 0; i < 8; i++)
		assert_int_equal(layout_offset(&flat, i), outer_and_inner[i]);
	for (i = 0; i < 24; i++)
		assert_int_equal(layout_offset(&all, i), i);
}

static void within_is_about_aligned_blocks(void **state)
{
	static const struct {
		int64_t size, stride, block;
		bool within;
	} cases[] = {
		{ 8, 1, 8, true },  { 4, 2, 8, true },	{ 2, 8, 8, false }, { 16, 1, 8, false },
		{ 1, 64, 8, true }, { 3, 1, 8, false }, { 2, 4, 8, true },  { 4, 1, 4, true },
	};
	size_t c;

	(void)state;
	for (c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct layout layout = layout_axis(cases[c].size, cases[c].stride);
		assert_int_equal(layout_within(&layout, cases[c].block), cases[c].within);
	}
}

static void a_million_ranks_cost_nothing(void **state)
{
	static const int64_t sizes[] = { 16, 8, 1024, 1, 8 };
	struct layout all = layout_row_major(sizes, 5), starts;
	struct layout shard = layout_axis(all.size[2], all.stride[2]);

	(void)state;
	assert_int_equal(layout_size(&all), 1048576);
	assert_true(layout_complement(&shard, 1048576, &starts));
	assert_int_equal(layout_size(&starts), 1024);
	assert_int_equal(layout_index(&shard, 1048575), 1023);
	assert_int_equal(layout_base(&shard, 1048575), 1048575 - 1023 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_partition_the_world),
		cmocka_unit_test(index_base_and_offset_go_round),
		cmocka_unit_test(complement_rises),
		cmocka_unit_test(coalescing_changes_no_member),
		cmocka_unit_test(coalesces_as_pytorch_does),
		cmocka_unit_test(complements_as_pytorch_does),
		cmocka_unit_test(what_does_not_tile_is_refused),
		cmocka_unit_test(flattening_keeps_row_major_order),
		cmocka_unit_test(within_is_about_aligned_blocks),
		cmocka_unit_test(a_million_ranks_cost_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
