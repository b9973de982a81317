#include "unit/plan/compared.h"

/* ---- the equivalences, one test each ---- */

static void role_not_name(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);

	put_mesh(a, "dp_shard_cp", 8, 1);
	put_mesh(a, "tp", 2, 8);
	put_mesh(b, "fsdp", 8, 1);
	put_mesh(b, "tp", 2, 8);
	a->dense.mesh[a->dense.mesh_count++] = "dp_shard_cp";
	b->dense.mesh[b->dense.mesh_count++] = "fsdp";
	assert_equal_plans(*state, a, b);
}

static void fake_group(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);
	struct plan *real = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);

	put_mesh(a, "ep", 2, 1);
	put_mesh(b, "ep", 2, 8);
	put_mesh(real, "ep", 2, 8);
	b->meshes.items[0].backend = "fake";
	assert_equal_plans(*state, a, b);
	assert_int_equal(plan_compare(*state, a, real).list.count, 1);
}

static void axis_of_one(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), layout_axis(1, 16));
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);

	put_mesh(a, "tp", 1, 1);
	put_mesh(a, "pp", 1, 16);
	a->degrees =
		(struct degrees) { .dp_replicate = 1, .dp_shard = 16, .cp = 1, .tp = 1, .pp = 1 };
	b->degrees = (struct degrees) { .dp_shard = 16 };
	assert_equal_plans(*state, a, b);
}

static void rank_set(void **state)
{
	struct layout unflattened = layout_join(layout_axis(2, 8), layout_axis(4, 2));
	struct layout turned = layout_join(layout_axis(4, 2), layout_axis(2, 8));
	struct plan *flat = sharing(*state, STRATEGY_FSDP, layout_axis(8, 2), nobody);

	assert_equal_plans(*state, flat, sharing(*state, STRATEGY_FSDP, unflattened, nobody));
	assert_equal_plans(*state, flat, sharing(*state, STRATEGY_FSDP, turned, nobody));
}

static void strategy_by_groups(void **state)
{
	struct layout all = layout_axis(16, 1), one = layout_axis(1, 1);
	const struct {
		struct plan *a, *b;
	} pairs[] = {
		/* nothing requested, fully_shard over one rank applied */
		{ sharing(*state, STRATEGY_NONE, nobody, nobody),
		  sharing(*state, STRATEGY_FSDP_SHARD1, one, nobody) },
		/* DDP requested, fully_shard with shards of one rank applied */
		{ sharing(*state, STRATEGY_DDP, nobody, all),
		  sharing(*state, STRATEGY_HSDP_SHARD1, one, all) },
		/* torchft: the replicas are jobs of their own */
		{ sharing(*state, STRATEGY_HSDP_FT, all, nobody),
		  sharing(*state, STRATEGY_HSDP, all, one) },
		/* cp without dp_shard: the cp ranks share the parameters */
		{ sharing(*state, STRATEGY_FSDP, layout_axis(4, 1), nobody),
		  sharing(*state, STRATEGY_FSDP, layout_join(one, layout_axis(4, 1)), nobody) },
	};
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		assert_equal_plans(*state, pairs[i].a, pairs[i].b);
}

static void strategy_by_name_without_world(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_DDP, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_HSDP_SHARD1, nobody, nobody);
	struct plan *c = sharing(*state, STRATEGY_HSDP, nobody, nobody);

	a->world = b->world = c->world = 0;
	assert_equal_plans(*state, a, b);
	assert_true(differences_have(&(struct differences) { 0 }, DIFFERENCE_STAGE) == false);
	assert_int_equal(plan_compare(*state, a, c).list.count, 1);
}

/* Every row has its test in this file, by name. */
static void every_equivalence_is_tested(void **state)
{
	static const char *const tested[] = { "role-not-name", "fake-group", "axis-of-one",
					      "rank-set", "strategy-by-groups" };
	size_t i;

	(void)state;
	for (i = 0; equivalences[i].name; i++)
		assert_string_equal(equivalences[i].name, tested[i]);
	assert_int_equal(i, sizeof(tested) / sizeof(*tested));
}

/* ---- differences ---- */

static void collapsed_hsdp(void **state)
{
	struct plan *asked = sharing(*state, STRATEGY_HSDP, layout_axis(8, 1), layout_axis(2, 8));
	struct plan *applied = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);
	struct differences found = plan_compare(*state, asked, applied);

	assert_int_equal(found.list.count, 3);
	assert_difference(&found, 0, DIFFERENCE_STRATEGY, "data parallel", "hsdp", "fsdp");
	assert_difference(&found, 1, DIFFERENCE_SHARD_GROUP, "parameters", "{0-7} {8-15}",
			  "{0-15}");
	assert_difference(&found, 2, DIFFERENCE_REPLICATE_GROUP, "parameters",
			  "{0,8} {1,9} ... (8 groups)", "nobody");
	assert_true(differences_have(&found, DIFFERENCE_STRATEGY));
	assert_false(differences_have(&found, DIFFERENCE_UNIT));
}

static void unsynchronised_cp(void **state)
{
	struct plan *asked = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);
	struct plan *applied = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct differences found = plan_compare(*state, asked, applied);

	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 0, DIFFERENCE_STRATEGY, "data parallel", "fsdp", "none");
	assert_difference(&found, 1, DIFFERENCE_SHARD_GROUP, "parameters", "{0-15}", "nobody");
}

static void experts_count_apart(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_HSDP, layout_axis(8, 1), layout_axis(2, 8));
	struct plan *b = sharing(*state, STRATEGY_HSDP, layout_axis(8, 1), layout_axis(2, 8));
	struct differences found;

	a->has_expert = b->has_expert = true;
	a->expert = b->expert = a->dense;
	a->expert.shard = layout_axis(2, 4);
	b->expert.shard = layout_axis(4, 4);
	b->expert.replicate = nobody;
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 0, DIFFERENCE_SHARD_GROUP, "experts",
			  "{0,4} {1,5} ... (8 groups)",
			  "{0,4,8,12} {1,5,9,13} {2,6,10,14} {3,7,11,15}");
	assert_difference(&found, 1, DIFFERENCE_REPLICATE_GROUP, "experts",
			  "{0,8} {1,9} ... (8 groups)", "nobody");
}

static void axis_sizes(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct differences found;

	a->degrees = (struct degrees) { .tp = 4, .pp = 4 };
	b->degrees = (struct degrees) { .tp = 8, .pp = 2, .cp = 1 };
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 0, DIFFERENCE_AXIS_SIZE, "pp", "4", "2");
	assert_difference(&found, 1, DIFFERENCE_AXIS_SIZE, "tp", "4", "8");
	/* What was not observed is not different. */
	b->origin = PLAN_OBSERVED;
	b->degrees = (struct degrees) { .tp = 4 };
	assert_equal_plans(*state, a, b);
}

static void total_data_parallel_is_shard(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);

	a->degrees = (struct degrees) { .dp_replicate = 1, .dp_shard = 16 };
	b->degrees = (struct degrees) { .dp = 16 };
	assert_equal_plans(*state, a, b);
}

/* pp has 2 ranks here and 4 there: that is a difference of sizes, and pp has no place in an order
 * to differ in. */
static void order_is_of_axes_of_one_size(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct differences found;
	size_t i;

	put_mesh(a, "pp", 2, 8);
	put_mesh(a, "cp", 2, 4);
	put_mesh(a, "tp", 4, 1);
	put_mesh(b, "tp", 4, 1);
	put_mesh(b, "cp", 2, 8);
	put_mesh(b, "pp", 4, 4);
	found = plan_compare(*state, a, b);
	for (i = 0; i < found.list.count; i++)
		assert_true(found.list.items[i].kind != DIFFERENCE_AXIS_ORDER);
}

static void axis_order_and_membership(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct differences found;

	put_mesh(a, "pp", 2, 8);
	put_mesh(a, "tp", 8, 1);
	put_mesh(b, "tp", 8, 2);
	put_mesh(b, "pp", 2, 1);
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 3);
	assert_difference(&found, 0, DIFFERENCE_AXIS_ORDER, "axes, outermost first", "pp, tp",
			  "tp, pp");
	assert_difference(&found, 1, DIFFERENCE_MEMBERSHIP, "pp", "{0,8} {1,9} ... (8 groups)",
			  "{0,1} {2,3} ... (8 groups)");
	assert_difference(&found, 2, DIFFERENCE_MEMBERSHIP, "tp", "{0-7} {8-15}",
			  "{0,2,..,14} {1,3,..,15}");
}

/* A parameter [4096, 8] of some layer, cut over one mesh dim. */
static void put_parameter(struct plan *plan, int layer, struct placement placement, int64_t size,
			  int64_t stride)
{
	struct parameter *parameter = arena_new(plan->arena, struct parameter);
	struct layout *layout = arena_new(plan->arena, struct layout);
	struct sharded sharded = { .parameter = parameter, .unit = -1, .dims = 1 };

	parameter->fqn = arena_printf(plan->arena, "layers.%d.wq.weight", layer);
	parameter->dims = 2;
	parameter->shape[0] = 4096;
	parameter->shape[1] = 8;
	parameter->layer = layer;
	sharded.dim[0].name = "fsdp";
	*layout = layout_axis(size, stride);
	sharded.dim[0].layout = layout;
	sharded.dim[0].placement = placement;
	vec_push(plan->arena, &plan->parameters, sharded);
}

static void placements_fold_over_layers(void **state)
{
	struct placement rows = { .kind = PLACE_SHARD, .dim = 0 };
	struct placement columns = { .kind = PLACE_SHARD, .dim = 1 };
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct differences found;
	int layer;

	for (layer = 0; layer < 32; layer++) {
		put_parameter(a, layer, rows, 8, 1);
		put_parameter(b, layer, layer < 30 ? columns : rows, 8, 1);
	}
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 1);
	assert_difference(&found, 0, DIFFERENCE_PLACEMENT, "layers.*.wq.weight", "S(0) on 8",
			  "S(1) on 8");
	assert_int_equal(found.list.items[0].count, 30);
}

static void missing_parameters(void **state)
{
	struct placement rows = { .kind = PLACE_SHARD, .dim = 0 };
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct differences found;

	put_parameter(a, 0, rows, 8, 1);
	put_parameter(a, 1, rows, 8, 1);
	put_parameter(b, 0, rows, 8, 1);
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 1);
	assert_difference(&found, 0, DIFFERENCE_PLACEMENT, "layers.1.wq.weight", "[4096, 8]",
			  "absent");
	found = plan_compare(*state, b, a);
	assert_difference(&found, 0, DIFFERENCE_PLACEMENT, "layers.1.wq.weight", "absent",
			  "[4096, 8]");
}

static void local_shapes_on_both_sides(void **state)
{
	struct placement rows = { .kind = PLACE_SHARD, .dim = 0 };
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);
	struct differences found;

	put_parameter(a, 0, rows, 8, 1);
	put_parameter(b, 0, rows, 16, 1);
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 1, DIFFERENCE_PLACEMENT, "layers.0.wq.weight", "S(0) on 8",
			  "S(0) on 16");
	assert_string_equal(found.list.items[1].left_local, "[512, 8]");
	assert_string_equal(found.list.items[1].right_local, "[256, 8]");
}

/* Layers that differ in other ways than their neighbours are differences of their own. */
static void batches_of_layers(void **state)
{
	struct placement rows = { .kind = PLACE_SHARD, .dim = 0 };
	struct placement columns = { .kind = PLACE_SHARD, .dim = 1 };
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct differences found;
	int layer;

	for (layer = 0; layer < 9; layer++) {
		put_parameter(a, layer, layer % 3 ? rows : columns, 8, 1);
		put_parameter(b, layer, rows, layer % 3 == 2 ? 4 : 8, 1);
	}
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 0, DIFFERENCE_PLACEMENT, "layers.*.wq.weight", "S(1) on 8",
			  "S(0) on 8");
	assert_difference(&found, 1, DIFFERENCE_PLACEMENT, "layers.*.wq.weight", "S(0) on 8",
			  "S(0) on 4");
	assert_int_equal(found.list.items[0].count, 3);
	assert_int_equal(found.list.items[1].count, 3);
}

static void other_models(void **state)
{
	struct placement rows = { .kind = PLACE_SHARD, .dim = 0 };
	struct plan *a = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct plan *b = sharing(*state, STRATEGY_FSDP, layout_axis(8, 1), nobody);
	struct parameter wide = { .fqn = "layers.0.wq.weight", .dims = 2, .shape = { 8192, 16 } };
	struct differences found;

	put_parameter(a, 0, rows, 8, 1);
	put_parameter(b, 0, rows, 8, 1);
	b->parameters.items[0].parameter = &wide;
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 1);
	assert_difference(&found, 0, DIFFERENCE_PLACEMENT, "layers.0.wq.weight",
			  "[4096, 8], S(0) on 8", "[8192, 16], S(0) on 8");
	assert_string_equal(found.list.items[0].right_local, "[1024, 16]");
}

static void units(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct unit unit = { .name = "layers.0", .parameters = 9, .shard_elements = 1000 };
	struct differences found;

	unit.shard = layout_axis(8, 1);
	vec_push(a->arena, &a->units, unit);
	vec_push(b->arena, &b->units, unit);
	assert_equal_plans(*state, a, b);
	b->units.items[0].reshard_after_forward = true;
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 1);
	assert_difference(&found, 0, DIFFERENCE_UNIT, "layers.0",
			  "9 parameters, 1,000 elements on each of 8 ranks, kept after forward",
			  "9 parameters, 1,000 elements on each of 8 ranks, freed after forward");
	b->units.items[0].reshard_after_forward = false;
	b->units.items[0].name = "head";
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 0, DIFFERENCE_UNIT, "layers.0",
			  "9 parameters, 1,000 elements on each of 8 ranks, kept after forward",
			  "absent");
	assert_difference(&found, 1, DIFFERENCE_UNIT, "head", "absent",
			  "9 parameters, 1,000 elements on each of 8 ranks, kept after forward");
}

static void stages(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct plan *b = sharing(*state, STRATEGY_NONE, nobody, nobody);
	struct stage first = { 0 }, second = { .index = 1, .pp_rank = 1 };
	struct differences found;

	vec_push(a->arena, &first.modules, "tok_embeddings");
	vec_push(a->arena, &first.modules, "layers.0");
	vec_push(a->arena, &second.modules, "output");
	vec_push(b->arena, &b->stages, first);
	vec_push(b->arena, &b->stages, second);
	assert_equal_plans(*state, a, b); /* nobody knows the stages of a */
	a->degrees.pp = 1;
	b->degrees.pp = 2;
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 4);
	assert_difference(&found, 0, DIFFERENCE_AXIS_SIZE, "pp", "1", "2");
	assert_difference(&found, 1, DIFFERENCE_STAGE, "stages", "1", "2");
	assert_difference(&found, 2, DIFFERENCE_STAGE, "stage 0", "the whole model",
			  "tok_embeddings ... layers.0 (2 modules) on pp rank 0");
	assert_difference(&found, 3, DIFFERENCE_STAGE, "stage 1", "absent", "output on pp rank 1");
	vec_push(a->arena, &a->stages, first);
	vec_push(a->arena, &a->stages, second);
	a->degrees.pp = b->degrees.pp;
	assert_equal_plans(*state, a, b);
	a->stages.items[1].pp_rank = 0;
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 1);
	assert_difference(&found, 0, DIFFERENCE_STAGE, "stage 1", "output on pp rank 0",
			  "output on pp rank 1");
}

static struct plan *raising(struct arena *arena, const char *message)
{
	struct plan *plan = sharing(arena, STRATEGY_NONE, nobody, nobody);

	plan_raise(plan, "ValueError", "build_mesh", "%s", message);
	return plan;
}

/* What a plan would build that stops half-way is no difference: nobody knows. */
static void exceptions(void **state)
{
	struct plan *whole = sharing(*state, STRATEGY_FSDP, layout_axis(16, 1), nobody);
	struct plan *stops = raising(*state, "no");
	struct differences found;

	whole->degrees = (struct degrees) { .dp_shard = 16, .tp = 2 };
	assert_false(plan_comparable(whole, stops));
	found = plan_compare(*state, whole, stops);
	assert_int_equal(found.list.count, 1);
	assert_difference(&found, 0, DIFFERENCE_EXCEPTION, "while building", "none",
			  "ValueError: no");
	stops->degrees.tp = 4;
	found = plan_compare(*state, stops, whole);
	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 1, DIFFERENCE_AXIS_SIZE, "tp", "4", "2");
	assert_equal_plans(*state, raising(*state, "no"), raising(*state, "no"));
	assert_int_equal(
		plan_compare(*state, raising(*state, "no"), raising(*state, "yes")).list.count, 1);
	plan_postpone(stops);
	assert_true(plan_comparable(whole, stops));
	found = plan_compare(*state, stops, whole);
	assert_difference(&found, 0, DIFFERENCE_EXCEPTION, "before the first step",
			  "ValueError: no", "none");
}

static void worlds_of_other_sizes(void **state)
{
	struct plan *a = sharing(*state, STRATEGY_HSDP, layout_axis(8, 1), layout_axis(2, 8));
	struct plan *b = sharing(*state, STRATEGY_HSDP, layout_axis(8, 1), layout_axis(4, 8));
	struct differences found;

	b->world = 32;
	found = plan_compare(*state, a, b);
	assert_int_equal(found.list.count, 2);
	assert_difference(&found, 0, DIFFERENCE_REPLICATE_GROUP, "parameters",
			  "{0,8} {1,9} ... (8 groups)", "{0,8,16,24} {1,9,17,25} ... (8 groups)");
	assert_difference(&found, 1, DIFFERENCE_AXIS_SIZE, "world", "16", "32");
	/* Who shares is not known: neither is it different. */
	b->world = 0;
	assert_false(plan_comparable(a, b));
	assert_equal_plans(*state, a, b);
}

/* ---- words ---- */

static void groups_in_words(void **state)
{
	static const struct {
		int64_t sizes[2], strides[2];
		int modes;
		int64_t world, most;
		const char *text;
	} cases[] = {
		{ { 8 }, { 1 }, 1, 16, 4, "{0-7} {8-15}" },
		{ { 2 }, { 8 }, 1, 16, 4, "{0,8} {1,9} ... (8 groups)" },
		{ { 2 }, { 8 }, 1, 16, 8, "{0,8} {1,9} {2,10} {3,11} {4,12} {5,13} {6,14} {7,15}" },
		{ { 8 }, { 2 }, 1, 16, 4, "{0,2,..,14} {1,3,..,15}" },
		{ { 4 }, { 4 }, 1, 16, 1, "{0,4,8,12} ... (4 groups)" },
		{ { 2, 4 }, { 8, 1 }, 2, 16, 4, "{0-3,8-11} {4-7,12-15}" },
		{ { 4, 2 }, { 4, 1 }, 2, 16, 4, "{0,1,4,5,8,9,12,13} {2,3,6,7,10,11,14,15}" },
		{ { 8, 2 }, { 4, 1 }, 2, 32, 4, "{0,1,4,5,..,28,29} {2,3,6,7,..,30,31}" },
		{ { 1 }, { 1 }, 1, 4, 4, "{0} {1} {2} {3}" },
		{ { 1048576 }, { 1 }, 1, 1048576, 4, "{0-1048575}" },
		{ { 3 }, { 1 }, 1, 16, 4, "groups of 3 that do not tile 16 ranks" },
		{ { 0 }, { 0 }, 0, 16, 4, "nobody" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct layout layout = { .modes = cases[i].modes };
		memcpy(layout.size, cases[i].sizes, sizeof(cases[i].sizes));
		memcpy(layout.stride, cases[i].strides, sizeof(cases[i].strides));
		assert_string_equal(groups_text(*state, &layout, cases[i].world, cases[i].most),
				    cases[i].text);
	}
}

static void patterns_of_layers(void **state)
{
	assert_string_equal(layer_pattern(*state, "layers.12.attention.wq"),
			    "layers.*.attention.wq");
	assert_string_equal(layer_pattern(*state, "layers.3"), "layers.*");
	assert_string_equal(layer_pattern(*state, "[norm, output]"), "[norm, output]");
	assert_string_equal(layer_pattern(*state, "w1.weight"), "w1.weight");
	assert_string_equal(layer_pattern(*state, ""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(role_not_name),
		TEST(fake_group),
		TEST(axis_of_one),
		TEST(rank_set),
		TEST(strategy_by_groups),
		TEST(strategy_by_name_without_world),
		TEST(every_equivalence_is_tested),
		TEST(collapsed_hsdp),
		TEST(unsynchronised_cp),
		TEST(experts_count_apart),
		TEST(axis_sizes),
		TEST(total_data_parallel_is_shard),
		TEST(order_is_of_axes_of_one_size),
		TEST(axis_order_and_membership),
		TEST(placements_fold_over_layers),
		TEST(missing_parameters),
		TEST(local_shapes_on_both_sides),
		TEST(batches_of_layers),
		TEST(other_models),
		TEST(units),
		TEST(stages),
		TEST(exceptions),
		TEST(worlds_of_other_sizes),
		TEST(groups_in_words),
		TEST(patterns_of_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
