#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void strategies_have_the_names_of_the_contract(void **state)
{
	static const char *const names[] = { "none",	 "ddp",		  "fsdp",	  "hsdp",
					     "hsdp(ft)", "fsdp(shard=1)", "hsdp(shard=1)" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(strategy_name((enum strategy)i), names[i]);
}

static void first_error_stays(void **state)
{
	struct arena arena;
	struct plan *plan;
	struct setting a = { 0 }, b = { 0 };

	(void)state;
	arena_init(&arena);
	plan = plan_new(&arena, PLAN_APPLIED);
	assert_null(plan->error);
	plan_raise(plan, "ValueError", "parallelize_llama", "dp_shard(%d) is odd", 3);
	plan_blame(plan, &a);
	plan_raise(plan, "RuntimeError", "elsewhere", "later");
	plan_blame(plan, &a);
	plan_blame(plan, &b);
	assert_string_equal(plan->error->type, "ValueError");
	assert_string_equal(plan->error->message, "dp_shard(3) is odd");
	assert_string_equal(plan->error->where, "parallelize_llama");
	assert_int_equal(plan->error->because_count, 2);
	assert_ptr_equal(plan->error->because[0], &a);
	assert_ptr_equal(plan->error->because[1], &b);
	arena_release(&arena);
}

static void log_lines_keep_their_order(void **state)
{
	struct arena arena;
	struct plan *plan;

	(void)state;
	arena_init(&arena);
	plan = plan_new(&arena, PLAN_APPLIED);
	plan_log(plan, "Building %d-D device mesh with [%s], [%d]", 1, "'dp'", 8);
	plan_log(plan, "Applied FSDP to the model");
	assert_int_equal(plan->log.count, 2);
	assert_string_equal(plan->log.items[0], "Building 1-D device mesh with ['dp'], [8]");
	assert_string_equal(plan->log.items[1], "Applied FSDP to the model");
	arena_release(&arena);
}

static void ranks_hold_the_stages_of_their_pp_rank(void **state)
{
	struct arena arena;
	struct plan *plan;
	struct mesh pp = { .name = "pp", .layout = layout_axis(2, 8) };
	struct stage stage = { 0 };
	int i;

	(void)state;
	arena_init(&arena);
	plan = plan_new(&arena, PLAN_APPLIED);
	plan->world = 16;
	assert_int_equal(plan_pp_rank(plan, 9), 0);
	assert_true(plan_rank_has_stage(plan, 9, 0));
	vec_push(&arena, &plan->meshes, pp);
	/* Interleaved: stages 0, 2 on pp rank 0 and 1, 3 on pp rank 1. */
	for (i = 0; i < 4; i++) {
		stage.index = i;
		stage.pp_rank = i % 2;
		vec_push(&arena, &plan->stages, stage);
	}
	assert_int_equal(plan_pp_rank(plan, 7), 0);
	assert_int_equal(plan_pp_rank(plan, 8), 1);
	assert_true(plan_rank_has_stage(plan, 7, 2));
	assert_false(plan_rank_has_stage(plan, 7, 3));
	assert_true(plan_rank_has_stage(plan, 8, 3));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strategies_have_the_names_of_the_contract),
		cmocka_unit_test(first_error_stays),
		cmocka_unit_test(log_lines_keep_their_order),
		cmocka_unit_test(ranks_hold_the_stages_of_their_pp_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
