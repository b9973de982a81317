#include "sim/forecast.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 100 tokens per second and device on 8 devices, in steps of 2 s: 1,600 tokens a step. */
static struct forecast forecast_like(void)
{
	struct forecast forecast = { .tokens = 100, .low = 1.5, .high = 2.5 };

	forecast.step.total = 2;
	forecast.work.world = 8;
	return forecast;
}

static void test_steps(void **state)
{
	struct forecast forecast = forecast_like();
	struct budget_request asked = { .tokens = 16001, .price = 3 };
	struct budget budget = budget_of(&forecast, &asked);

	(void)state;
	assert_true(budget.steps == 11);
	assert_true(budget.seconds == 22 && budget.low == 16.5 && budget.high == 27.5);
	assert_true(budget.useful == 1 && budget.interval == 0);
	assert_true(fabs(budget.device_hours - 22.0 * 8 / 3600) < 1e-12);
	assert_true(fabs(budget.cost - 3 * budget.device_hours) < 1e-12);
}

/*
 * 50 s for a checkpoint and 10,000 s between interruptions: the root of a million, 1,000 s. Of each
 * 1,050 s 1,000 are steps; an interruption loses 525 + 475 s in 10,000.
 */
static void test_interruptions(void **state)
{
	struct forecast forecast = forecast_like();
	struct budget_request asked = { 1600, 0, 10000, 50, 475 };
	struct budget budget = budget_of(&forecast, &asked);

	(void)state;
	assert_true(fabs(budget.interval - 1000) < 1e-9);
	assert_true(fabs(budget.useful - 1000.0 / 1050 * 0.9) < 1e-12);
	assert_true(fabs(budget.seconds - 2 / budget.useful) < 1e-12);
	asked.restart = 20000;
	assert_true(budget_of(&forecast, &asked).useful == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_interruptions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
