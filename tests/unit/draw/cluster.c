#include "draw/cluster.h"

#include "subject.h"

static void ranks_sit_in_blocks_or_in_turn(void **state)
{
	struct cluster block = cluster_with(*state, 12, 8, NULL);
	struct cluster cyclic = cluster_with(*state, 16, 8, "cyclic");

	assert_int_equal(cluster_nodes(&block), 2);
	assert_int_equal(cluster_rank(&block, 1, 3), 11);
	assert_int_equal(cluster_rank(&block, 1, 4), -1);
	assert_int_equal(cluster_rank(&cyclic, 0, 3), 6);
	assert_int_equal(cluster_rank(&cyclic, 1, 0), 1);
}

static void groups_keep_to_a_node_or_cross(void **state)
{
	struct cluster block = cluster_with(*state, 16, 8, NULL);
	struct cluster cyclic = cluster_with(*state, 16, 8, "cyclic");
	struct layout near = layout_axis(8, 1), far = layout_axis(2, 8), even = layout_axis(8, 2);

	assert_true(cluster_holds(&block, &near));
	assert_false(cluster_holds(&block, &far));
	assert_false(cluster_holds(&block, &even));
	assert_false(cluster_holds(&cyclic, &near));
	assert_true(cluster_holds(&cyclic, &far));
	assert_true(cluster_holds(&cyclic, &even));
}

static void folds_show_ends_and_landmarks(void **state)
{
	struct landmarks landmarks = { .count = 2, .index = { 64, 200 } };
	struct fold all = fold_of(4, 4, NULL), few = fold_of(128, 4, &landmarks);
	const int64_t want[] = { 0, 1, 64, 127 };
	int64_t i;

	(void)state;
	assert_int_equal(all.shown, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(fold_index(all, i), i);
		assert_false(fold_gap(all, i));
		assert_int_equal(fold_index(few, i), want[i]);
	}
	assert_int_equal(few.shown, 4);
	assert_false(fold_gap(few, 1));
	assert_true(fold_gap(few, 2));
	assert_true(fold_gap(few, 3));
}

static struct arrangement arrange(struct arena *arena, int64_t world, int64_t per_node,
				  int64_t rows, bool expand)
{
	struct canvas canvas;
	struct arrange wanted = { .cluster = cluster_with(arena, world, per_node, NULL),
				  .row_name = rows > 1 ? "pp" : NULL,
				  .rows = rows,
				  .mark_width = 2,
				  .expand = expand };

	canvas_init(&canvas, arena, metrics_pixels);
	wanted.width = canvas.metrics.width - 2 * canvas.metrics.margin;
	return arrangement_of(&canvas, &wanted);
}

static void nodes_are_rows_of_the_outermost_axis(void **state)
{
	struct arrangement two = arrange(*state, 16, 8, 2, false);
	struct arrangement table = arrange(*state, 128, 8, 4, false);
	struct arrangement odd = arrange(*state, 24, 8, 2, false); /* 3 nodes are no 2 rows */

	assert_int_equal(two.rows.shown, 2);
	assert_int_equal(two.columns.shown, 1);
	assert_int_equal(two.per_line, 8);
	assert_int_equal(table.rows.shown, 4);
	assert_int_equal(table.columns.total, 4);
	assert_int_equal(arrangement_node(&table, 3, 0), 12);
	assert_int_equal(odd.rows.shown, 3);
	assert_null(odd.row_name);
}

static void expanding_leaves_nothing_out(void **state)
{
	const int64_t worlds[] = { 8, 100, 1000, 16384 };
	size_t i;
	int64_t row, column, nodes;

	for (i = 0; i < sizeof(worlds) / sizeof(*worlds); i++) {
		struct arrangement a = arrange(*state, worlds[i], 8, 1, true);
		for (nodes = row = 0; row < a.rows.shown; row++)
			for (column = 0; column < a.columns.shown; column++)
				nodes += arrangement_node(&a, row, column) >= 0;
		assert_int_equal(nodes, (worlds[i] + 7) / 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_sit_in_blocks_or_in_turn),
		cmocka_unit_test(groups_keep_to_a_node_or_cross),
		cmocka_unit_test(folds_show_ends_and_landmarks),
		cmocka_unit_test(nodes_are_rows_of_the_outermost_axis),
		cmocka_unit_test(expanding_leaves_nothing_out),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
