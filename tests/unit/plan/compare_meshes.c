#include "unit/plan/compared.h"

static void renamed_meshes(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct differences found;

	put_mesh(a, "dp_replicate", 2, 8);
	put_mesh(a, "dp_shard", 8, 1);
	put_mesh(a, "dp", 16, 1);
	put_mesh(a, "dp_shard_cp", 8, 1);
	put_mesh(a, "cp", 1, 1);
	put_mesh(b, "fsdp", 8, 1);
	put_mesh(b, "batch", 16, 1);
	put_mesh(b, "loss", 16, 1);
	put_mesh(b, "dp_replicate", 2, 8);
	put_mesh(b, "tp", 1, 1);
	found = plan_compare_meshes(*state, a, b);
	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 0, DIFFERENCE_MESH_NAME, "size 8, {0-7} {8-15}",
			  "dp_shard, dp_shard_cp", "fsdp");
	assert_difference(&found, 1, DIFFERENCE_MESH_NAME, "size 16, {0-15}", "dp", "batch, loss");
}

static void meshes_new_gone_and_other(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct differences found;

	put_mesh(a, "tp", 2, 1);
	put_mesh(a, "pp", 4, 4);
	put_mesh(b, "tp", 4, 1);
	put_mesh(b, "cp", 8, 1);
	found = plan_compare_meshes(*state, a, b);
	assert_int_equal(found.list.count, 3);
	assert_difference(&found, 0, DIFFERENCE_MESH, "tp", "size 2, {0,1} {2,3} ... (8 groups)",
			  "size 4, {0-3} {4-7} ... (4 groups)");
	assert_difference(&found, 1, DIFFERENCE_MESH, "pp",
			  "size 4, {0,4,8,12} {1,5,9,13} ... (4 groups)", "absent");
	assert_difference(&found, 2, DIFFERENCE_MESH, "cp", "absent", "size 8, {0-7} {8-15}");
	assert_int_equal(plan_compare_meshes(*state, a, a).list.count, 0);
}

/* Equal ranks by chance: a pipeline is not a set of replicas. */
static void names_that_keep_their_meaning(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct differences found;

	put_mesh(a, "pp", 2, 8);
	put_mesh(a, "fsdp", 8, 1);
	put_mesh(b, "dp_replicate", 2, 8);
	put_mesh(b, "tp", 8, 1);
	found = plan_compare_meshes(*state, a, b);
	assert_int_equal(found.list.count, 4);
	assert_difference(&found, 0, DIFFERENCE_MESH, "pp", "size 2, {0,8} {1,9} ... (8 groups)",
			  "absent");
	assert_difference(&found, 1, DIFFERENCE_MESH, "fsdp", "size 8, {0-7} {8-15}", "absent");
	assert_difference(&found, 2, DIFFERENCE_MESH, "dp_replicate", "absent",
			  "size 2, {0,8} {1,9} ... (8 groups)");
	assert_difference(&found, 3, DIFFERENCE_MESH, "tp", "absent", "size 8, {0-7} {8-15}");
}

static void fake_meshes(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct differences found;

	put_mesh(a, "batch", 16, 1);
	put_mesh(b, "batch", 16, 1);
	a->meshes.items[0].backend = "fake";
	found = plan_compare_meshes(*state, a, b);
	assert_int_equal(found.list.count, 1);
	assert_difference(&found, 0, DIFFERENCE_MESH, "batch",
			  "size 16, {0-15}, no group (fake backend)", "size 16, {0-15}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(renamed_meshes),
		TEST(meshes_new_gone_and_other),
		TEST(names_that_keep_their_meaning),
		TEST(fake_meshes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
