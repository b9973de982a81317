#include "sim/speedup.h"

#include "unit/arena.h"
#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A forecast of eight ranks that give so many tokens per second each. */
static struct forecast forecast(struct arena *arena, double tokens)
{
	struct forecast forecast = { .profile = *h100(arena),
				     .work = { .framework = "megatron", .world = 8 } };

	forecast.step.total = 1;
	forecast.low = 0.8;
	forecast.high = 1.2;
	forecast.tokens = tokens;
	return forecast;
}

/* Alike runs are told apart at what their ratio is known to, others at both intervals. */
static void test_verdicts(void **state)
{
	static const struct {
		double tokens;
		size_t changes;
		const char *verdict;
	} rows[] = {
		{ 100, 0, "the same" },	      { 115, 1, "faster" }, { 105, 2, "cannot be said" },
		{ 115, 3, "cannot be said" }, { 140, 3, "faster" }, { 95, 1, "cannot be said" },
		{ 85, 2, "slower" },	      { 60, 9, "slower" },
	};
	struct forecast base = forecast(*state, 100);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct forecast other = forecast(*state, rows[i].tokens);
		struct speedup speedup = speedup_of(&base, &other, rows[i].changes);
		assert_string_equal(speedup_verdict(&speedup), rows[i].verdict);
		assert_true(speedup.alike == (rows[i].changes <= 2));
	}
}

/* Another device or framework is not alike, whatever differs; more ranks give more tokens. */
static void test_others(void **state)
{
	struct forecast base = forecast(*state, 100), other = base;

	other.profile.gpu = "b200";
	assert_false(speedup_of(&base, &other, 1).alike);
	other = base;
	other.work.framework = "torchtitan";
	assert_false(speedup_of(&base, &other, 1).alike);
	other = base;
	other.work.world = 16;
	assert_true(fabs(speedup_of(&base, &other, 1).value - 2) < 1e-9);
}

/* What is hurt cannot be faster: a little slower is slower. */
static void test_hurt(void **state)
{
	struct forecast base = forecast(*state, 100);
	struct forecast other = forecast(*state, 99);
	struct hurt hurt = { 1.1, 0 };
	struct speedup speedup;

	other.work.hurt = &hurt;
	speedup = speedup_of(&base, &other, 0);
	assert_string_equal(speedup_verdict(&speedup), "slower");
	assert_true(speedup.high == 1);
	speedup = speedup_of(&base, &other, 1); /* a setting differs as well */
	assert_string_equal(speedup_verdict(&speedup), "cannot be said");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_verdicts, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_others, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_hurt, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
