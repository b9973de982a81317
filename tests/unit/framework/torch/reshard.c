#include "framework/torch/reshard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first */
#include <cmocka.h>

enum { BOTH = -1 };

/* What becomes of a unit: BOTH stands for any root. */
struct reshard_case {
	const char *torch, *policy;
	int64_t shards;
	int root;
	bool let_go;
	int64_t kept_over;
};

/*
 * Of 2.13: what torch 2.13.0 does over meshes of 8, 2 x 4 and 8 x 1 ranks, run with its fake
 * process group. The others: what _lazy_init of 2.7.1, 2.6.0, 2.3.1 and 2.8.0 says.
 */
static const struct reshard_case cases[] = {
	{ "2.13", "default", 8, false, true, 0 },
	{ "2.13", "default", 8, true, false, 0 },
	{ "2.13", "always", 8, BOTH, true, 0 },
	{ "2.13", "never", 8, BOTH, false, 0 },
	{ "2.13", "8", 8, BOTH, true, 0 },
	{ "2.13", "4", 8, BOTH, true, 4 },
	{ "2.13", "2", 8, BOTH, true, 2 },
	{ "2.13", "1", 8, BOTH, false, 0 },
	{ "2.13", "4", 4, BOTH, true, 0 },
	{ "2.13", "2", 4, BOTH, true, 2 },
	{ "2.13", "always", 1, BOTH, true, 0 },
	{ "2.13", "1", 1, BOTH, false, 0 },
	{ "2.8", "default", 8, true, false, 0 },
	{ "2.8", "always", 8, true, true, 0 },
	{ "2.8", "4", 8, true, true, 4 },
	{ "2.7.1", "default", 8, false, true, 0 },
	{ "2.7.1", "default", 8, true, false, 0 },
	{ "2.7.1", "always", 8, true, false, 0 },
	{ "2.7.1", "4", 8, true, false, 0 },
	{ "2.7.1", "4", 8, false, true, 4 },
	{ "2.6.0.dev20241031", "always", 16, true, false, 0 },
	{ "2.3.1", "always", 8, true, false, 0 },
	{ "2.3.1", "always", 8, false, true, 0 },
};

static void assert_case(struct arena *arena, const struct reshard_case *c, bool root)
{
	struct unit unit = { .shard = layout_axis(c->shards, 1), .kept_over = 7 };
	struct torch_release torch;

	assert_true(torch_parse(arena, c->torch, &torch));
	reshard_unit(&unit, &torch, reshard_policy(c->policy), root);
	if (unit.reshard_after_forward != c->let_go || unit.kept_over != c->kept_over)
		fail_msg("torch %s, %s over %d ranks, root %d: %d, kept over %d", c->torch,
			 c->policy, (int)c->shards, root, unit.reshard_after_forward,
			 (int)unit.kept_over);
}

static void units_are_let_go_as_by_fully_shard(void **state)
{
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].root != true)
			assert_case(&arena, &cases[i], false);
		if (cases[i].root != false)
			assert_case(&arena, &cases[i], true);
	}
	arena_release(&arena);
}

static void a_number_that_is_no_factor_cuts_nothing(void **state)
{
	struct unit unit = { .shard = layout_axis(8, 1) };
	struct torch_release torch = torch_latest();

	(void)state;
	reshard_unit(&unit, &torch, reshard_policy("3"), false);
	assert_int_equal(unit.kept_over, 0);
	reshard_unit(&unit, &torch, reshard_policy("16"), false);
	assert_int_equal(unit.kept_over, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_let_go_as_by_fully_shard),
		cmocka_unit_test(a_number_that_is_no_factor_cuts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
