#include "framework/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * The two products of LLaMA-Factory's v1 over 8 ranks, by hand after DistributedStrategy: both
 * factors as they are given, and by floor division where one is left open.
 */
#define MODEL "mp_replicate_size * mp_shard_size must equal to world_size, got "
#define DATA  "dp_size * cp_size must equal to world_size, got "

static const struct {
	const char *sizes, *message; /* "" for none */
} cases[] = {
	{ "", "" },
	{ ", mp_replicate_size: 2", "" },
	{ ", mp_replicate_size: 2, mp_shard_size: 4", "" },
	{ ", mp_replicate_size: 2, mp_shard_size: 3", MODEL "2 * 3 != 8." },
	{ ", mp_shard_size: 4", MODEL "1 * 4 != 8." },
	{ ", mp_replicate_size: 3", MODEL "3 * 2 != 8." },
	{ ", dp_size: 4, cp_size: 2", "" },
	{ ", dp_size: 4", DATA "4 * 1 != 8." },
	{ ", dp_size: 2, cp_size: 3", DATA "2 * 3 != 8." },
	{ ", cp_size: 4", "" },
	{ ", cp_size: 3", DATA "2 * 3 != 8." },
	/* the model's comes first */
	{ ", mp_replicate_size: 2, mp_shard_size: 2, dp_size: 3", MODEL "2 * 2 != 8." },
	{ ", mp_replicate_size: 3, dp_size: 3", DATA "3 * 1 != 8." },
	{ ", mp_replicate_size: 3, cp_size: 5", MODEL "3 * 2 != 8." },
};

static void products(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena;
		struct findings findings;
		struct overrides overrides = { .world = 8 };
		struct job job;
		const char *said;

		arena_init(&arena);
		findings_init(&findings, &arena);
		overrides.text = arena_printf(&arena,
					      "model: Qwen/Qwen3-0.6B\nmax_steps: 10\n"
					      "dist_config: {name: fsdp2%s}\n",
					      cases[i].sizes);
		assert_null(job_read(&job, &arena, "v1.yaml", &overrides, &findings));
		said = job.applied->error ? job.applied->error->message : "";
		if (strcmp(said, cases[i].message) != 0)
			fail_msg("%s: %s", cases[i].sizes, said);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(products) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
