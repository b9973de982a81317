#include "rules/elsewhere.h"
#include "rules/pinned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static void read_job(struct job *job, struct arena *arena, struct findings *findings,
		     const char *framework)
{
	struct overrides overrides = { 0 };

	findings_init(findings, arena);
	overrides.text = arena_printf(arena, "parplan: 1\nframework: {%s}\nworld: 64\n", framework);
	assert_null(job_read(job, arena, "x.yaml", &overrides, findings));
}

static void heads_by_framework(void **state)
{
	static const struct {
		const char *framework;
		int64_t tp, heads, kv_heads;
		bool takes;
	} cases[] = {
		{ "megatron: core_v0.9", 4, 32, 8, true },
		{ "megatron: core_v0.9", 16, 32, 8, true }, /* each is repeated twice */
		{ "megatron: core_v0.9", 4, 40, 10, false },
		{ "megatron: core_v0.9", 3, 32, 3, false },
		{ "ms-swift: 3.8", 16, 32, 8, true },
		{ "nanotron: 0.4", 4, 40, 10, true },
		{ "nanotron: 0.4", 16, 32, 8, false },
		{ "nemo-rl: 0.3", 16, 32, 8, false },
		{ "nemo-automodel: 0.1", 2, 40, 10, true },
		{ "deepspeed: 0.16", 4, 40, 10, true },
		{ "deepspeed: 0.16", 8, 52, 52, false },
		{ "axolotl: 0.12", 8, 32, 8, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct findings findings;
		struct arena arena;
		struct job job;
		arena_init(&arena);
		read_job(&job, &arena, &findings, cases[i].framework);
		if (elsewhere_takes_heads(&job, cases[i].tp, cases[i].heads, cases[i].kv_heads) !=
		    cases[i].takes)
			fail_msg("%s, tp %d", cases[i].framework, (int)cases[i].tp);
		arena_release(&arena);
	}
}

static void families(void **state)
{
	struct findings findings;
	struct arena arena;
	struct job job;

	(void)state;
	arena_init(&arena);
	read_job(&job, &arena, &findings, "llama-factory: 0.9, megatron-bridge: 0.1");
	assert_string_equal(runs_megatron(&job), "megatron-bridge");
	assert_string_equal(job_does(&job, HABIT_HF_TRAINER)->framework, "llama-factory");
	assert_null(job_does(&job, HABIT_TRAINER));
	assert_true(elsewhere_cuts_sequence(&job));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_by_framework),
		cmocka_unit_test(families),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
