#include "plan/plan.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct plan *whole(struct arena *arena)
{
	struct plan *plan = plan_new(arena, PLAN_APPLIED);
	struct mesh mesh = { .name = "fsdp", .layout = layout_axis(8, 2) };

	plan->world = 16;
	vec_push(arena, &plan->meshes, mesh);
	plan->dense.strategy = STRATEGY_FSDP;
	plan->dense.shard = layout_axis(8, 2);
	return plan;
}

/* A parameter [10, 6] cut over mesh dims by placements on tensor dim 0, uneven on purpose. */
static void put_parameter(struct plan *plan, enum placement_kind kind, struct layout outer,
			  struct layout inner)
{
	struct parameter *parameter = arena_new(plan->arena, struct parameter);
	struct layout *layouts = arena_array(plan->arena, 2, sizeof(*layouts));
	struct sharded sharded = { .parameter = parameter, .unit = -1, .dims = 2 };

	layouts[0] = outer;
	layouts[1] = inner;
	parameter->fqn = "layers.0.wq.weight";
	parameter->dims = 2;
	parameter->shape[0] = 10;
	parameter->shape[1] = 6;
	sharded.dim[0].layout = &layouts[0];
	sharded.dim[0].placement.kind = kind;
	sharded.dim[0].placement.factor = 2;
	sharded.dim[1].layout = &layouts[1];
	sharded.dim[1].placement.kind = PLACE_SHARD;
	vec_push(plan->arena, &plan->parameters, sharded);
}

/* Whether a check aborts, tried in a process of its own. */
static bool aborts_in(void (*check)(const struct plan *plan), const struct plan *plan)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(3);
		check(plan);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || !WEXITSTATUS(status));
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static bool aborts(const struct plan *plan)
{
	return aborts_in(plan_check, plan);
}

static void whole_plans_pass(void **state)
{
	struct arena arena;
	struct plan *plan;

	(void)state;
	arena_init(&arena);
	plan = whole(&arena);
	put_parameter(plan, PLACE_STRIDED_SHARD, layout_axis(8, 2), layout_axis(2, 1));
	put_parameter(plan, PLACE_REPLICATE, layout_axis(8, 2), layout_axis(2, 1));
	plan_check(plan);
	plan_check_boxes(plan);
	arena_release(&arena);
}

static void half_plans_are_not_judged(void **state)
{
	struct arena arena;
	struct plan *plan;

	(void)state;
	arena_init(&arena);
	plan = whole(&arena);
	plan->dense.shard = layout_axis(3, 1);
	plan_raise(plan, "ValueError", "here", "no");
	plan_check(plan);
	plan_check_boxes(plan);
	arena_release(&arena);
}

static void broken_plans_abort(void **state)
{
	struct arena arena;
	struct plan *plan;

	(void)state;
	arena_init(&arena);
	plan = whole(&arena);
	assert_false(aborts(plan));
	plan->meshes.items[0].layout = layout_axis(3, 1);
	assert_true(aborts(plan));

	plan = whole(&arena); /* sharers and repeaters overlap */
	plan->dense.strategy = STRATEGY_HSDP;
	plan->dense.replicate = layout_axis(2, 4);
	assert_true(aborts(plan));

	plan = whole(&arena); /* called DDP, but shared */
	plan->dense.strategy = STRATEGY_DDP;
	assert_true(aborts(plan));

	plan = whole(&arena); /* no such unit */
	put_parameter(plan, PLACE_REPLICATE, layout_axis(8, 2), layout_axis(2, 1));
	plan->parameters.items[0].unit = 0;
	assert_true(aborts(plan));

	plan = whole(&arena); /* both dims cut by the same ranks: parts go missing */
	put_parameter(plan, PLACE_SHARD, layout_axis(2, 1), layout_axis(2, 1));
	assert_true(aborts(plan));
	assert_true(aborts_in(plan_check_boxes, plan));
	arena_release(&arena);
}

/* A plan with one parameter of 10 x 6 elements, in a unit on a stage. */
static struct plan *furnished(struct arena *arena)
{
	struct plan *plan = whole(arena);
	struct unit unit = { .name = "layers.0", .parameters = 1, .shard_elements = 6 };
	struct stage stage = { 0 };

	put_parameter(plan, PLACE_STRIDED_SHARD, layout_axis(8, 2), layout_axis(2, 1));
	vec_push(arena, &stage.modules, "layers.0");
	vec_push(arena, &plan->stages, stage);
	vec_push(arena, &plan->units, unit);
	plan->parameters.items[0].unit = 0;
	return plan;
}

static void broken_parameters_abort(void **state)
{
	struct arena arena;
	struct plan *plan;

	(void)state;
	arena_init(&arena);
	assert_false(aborts(furnished(&arena)));
	assert_false(aborts_in(plan_check_boxes, furnished(&arena)));

	plan = furnished(&arena); /* tensor parallelism cut it twice, not thrice */
	plan->parameters.items[0].dim[0].placement.factor = 3;
	assert_true(aborts(plan));

	plan = furnished(&arena); /* no such dim */
	plan->parameters.items[0].dim[1].placement.dim = 2;
	assert_true(aborts(plan));

	plan = furnished(&arena); /* in no unit */
	plan->parameters.items[0].unit = -1;
	assert_true(aborts(plan));

	plan = furnished(&arena); /* on no stage */
	plan->parameters.items[0].stage = 1;
	assert_true(aborts(plan));

	plan = furnished(&arena); /* its unit is on another stage */
	plan->units.items[0].stage = 1;
	assert_true(aborts(plan));

	plan = furnished(&arena); /* the stage is nobody's */
	plan->stages.items[0].pp_rank = 1;
	assert_true(aborts(plan));
	arena_release(&arena);
}

static void wrong_sums_abort(void **state)
{
	struct arena arena;
	struct plan *plan;

	(void)state;
	arena_init(&arena);
	plan = furnished(&arena); /* a parameter was counted that is not there */
	plan->units.items[0].parameters = 3;
	assert_true(aborts_in(plan_check_boxes, plan));

	plan = furnished(&arena); /* elements without padding */
	plan->units.items[0].shard_elements = 5;
	assert_true(aborts_in(plan_check_boxes, plan));

	plan = furnished(&arena); /* its module is listed on another stage */
	vec_push(&arena, &plan->stages, plan->stages.items[0]);
	plan->parameters.items[0].stage = 1;
	assert_true(aborts_in(plan_check_boxes, plan));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_plans_pass),   cmocka_unit_test(half_plans_are_not_judged),
		cmocka_unit_test(broken_plans_abort), cmocka_unit_test(broken_parameters_abort),
		cmocka_unit_test(wrong_sums_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
