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
		{ { "", "", "", 1, NULL }, 0, 1 },
		{ { "none", "", "", 1, NULL }, 0, 1 },
		{ { "full", "", "", 1, NULL }, 1, 1 },
		{ { "full", "", "uniform", 3, NULL }, 1, 3 },
		{ { "full", "", "uniform", 24, NULL }, 1, 6 },
		{ { "full", "", "block", 0, NULL }, 0, 1 },
		{ { "full", "", "block", 2, NULL }, 2.0 / 6, 1 },
		{ { "full", "", "block", 9, NULL }, 1, 1 },
		{ { "selective", "", "", 1, NULL }, 0, 1 },
		{ { "selective", "3", "", 1, NULL }, 1.0 / 3, 1 },
		{ { "selective", "op", "", 1, NULL }, 0, 1 },
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

static struct node word(const char *text)
{
	return (struct node) { .kind = NODE_SCALAR, .type = SCALAR_STRING, .text = text };
}

/* Of modules the attention core is taken where none is named; of what they send tp's half. */
static void test_modules(void **state)
{
	struct node mlp = word("mlp"), moe = word("moe"), other = word("gdp_qkv");
	struct node list = { .kind = NODE_LIST, .first = &moe };
	struct node mlps = { .kind = NODE_LIST, .first = &mlp };
	struct node others = { .kind = NODE_LIST, .first = &other };
	const struct {
		const struct node *modules;
		unsigned bits;
		double dense, experts, sent;
	} rows[] = { { NULL, 1u << MODULE_CORE, 0, 0, 0 },
		     { &mlps, 1u << MODULE_MLP, 0.5, 0, 0 },
		     { &list, 1u << MODULE_MOE | 1u << MODULE_GATES, 0, 0.5, 1 },
		     { &others, 0, 0, 0, 0 } };
	struct node gates = word("moe_act");
	const struct model model = { .layers = 24 };
	size_t i;

	(void)state;
	moe.next = &gates;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct recompute_said said = { "selective", "", "", 1, rows[i].modules };
		struct workload work = workload_with(&model, &said);
		assert_int_equal(work.recompute, RECOMPUTE_MODULES);
		assert_int_equal(work.modules, rows[i].bits);
		assert_true(recompute_sends(&work, false) == rows[i].dense);
		assert_true(recompute_sends(&work, true) == rows[i].experts);
		assert_true(recompute_sends_experts(&work) == rows[i].sent);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_shares),
					    cmocka_unit_test(test_modules) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
