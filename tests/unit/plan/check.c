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

/* Whether plan_check aborts, tried in a process of its own. */
static bool aborts(const struct plan *plan)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(3);
		plan_check(plan);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || !WEXITSTATUS(status));
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
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
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_plans_pass),
		cmocka_unit_test(half_plans_are_not_judged),
		cmocka_unit_test(broken_plans_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
