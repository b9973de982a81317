#include "sim/recompute.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 24 layers on 2 stages of 2 virtual ones: 6 on each. */
static struct workload workload_with(const struct model *model, const struct recompute_said *said)
{
	struct workload work = { .model = model, .pp = 2, .virtual_stages = 2, .megatron = true };

	recompute_put(&work, said);
	return work;
}

static void test_shares(void **state)
{
	static const struct {
		struct recompute_said said;
		double share, unit;
	} rows[] = {
		{ { "", "", "", 1 }, 0, 1 },
		{ { "none", "", "", 1 }, 0, 1 },
		{ { "full", "", "", 1 }, 1, 1 },
		{ { "full", "", "uniform", 3 }, 1, 3 },
		{ { "full", "", "uniform", 24 }, 1, 6 },
		{ { "full", "", "block", 0 }, 0, 1 },
		{ { "full", "", "block", 2 }, 2.0 / 6, 1 },
		{ { "full", "", "block", 9 }, 1, 1 },
		{ { "selective", "", "", 1 }, 0, 1 },
		{ { "selective", "3", "", 1 }, 1.0 / 3, 1 },
		{ { "selective", "op", "", 1 }, 0, 1 },
	};
	const struct model model = { .layers = 24 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct workload work = workload_with(&model, &rows[i].said);
		assert_true(fabs(recompute_share(&work) - rows[i].share) < 1e-12);
		assert_true(recompute_unit(&work) == rows[i].unit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_shares) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
