#include "framework/job.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * What a framework does with the ranks that a native config gives to no axis: 48 ranks, of which
 * tp and pp take 6, or 24 of which tp takes 2 where there is no pipeline.
 */
static const struct {
	const char *framework, *says; /* of data parallelism */
	bool pipeline;
	int64_t dp_replicate, dp_shard;
} cases[] = {
	/* DeepSpeed@edaa7221 deepspeed/runtime/engine.py: parameters are shared in stage 3 alone */
	{ "deepspeed", "", false, 12, 1 },
	{ "deepspeed", "zero_stage: 1", false, 12, 1 },
	{ "deepspeed", "zero_stage: 2", false, 12, 1 },
	{ "deepspeed", "zero_stage: 3", false, 1, 12 },
	{ "deepspeed", "zero_stage: 2, dp_replicate: 12", false, 12, 1 },
	/* Megatron-LM@d98e8a64 megatron/core/parallel_state.py: what is left is data parallel */
	{ "megatron", "", true, 8, 1 },
	{ "nemo", "", true, 8, 1 },
	{ "ms-swift", "", true, 8, 1 },
	/* torchtitan@v0.2.2 torchtitan/config/job_config.py: data_parallel_shard_degree is -1 */
	{ "torchtitan", "", true, 1, 8 },
	{ "torchtitan", "dp_replicate: 2", true, 2, 4 },
	{ "torchtitan", "dp_replicate: 8, dp_shard: 1", true, 8, 1 },
	/* NeMo-Automodel@36044ad3 nemo_automodel/components/distributed/mesh_utils.py */
	{ "nemo-automodel", "", true, 1, 8 },
	{ "nemo-automodel", "dp_replicate: 4", true, 4, 2 },
	/* composer@64051888 composer/core/state.py: FSDP over all that is left */
	{ "llm-foundry", "", false, 1, 12 },
	{ "llm-foundry", "dp_replicate: 3", false, 3, 4 },
};

static struct job *read_job(struct arena *arena, const char *text)
{
	struct findings *findings = arena_new(arena, struct findings);
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct job *job = arena_new(arena, struct job);

	overrides->text = text;
	findings_init(findings, arena);
	assert_null(job_read(job, arena, "job.yaml", overrides, findings));
	return job;
}

static void ranks_left(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena;
		const struct degrees *d;
		const char *text;

		arena_init(&arena);
		text = arena_printf(&arena,
				    "parplan: 1\nframework: %s\nworld: %d\n"
				    "model: {preset: llama3-8b}\nparallelism: {tp: 2%s%s%s}\n",
				    cases[i].framework, cases[i].pipeline ? 48 : 24,
				    cases[i].pipeline ? ", pp: 3" : "", *cases[i].says ? ", " : "",
				    cases[i].says);
		d = &read_job(&arena, text)->applied->degrees;
		if (d->dp_replicate != cases[i].dp_replicate || d->dp_shard != cases[i].dp_shard)
			fail_msg("%s%" PRId64 " x %" PRId64, text, d->dp_replicate, d->dp_shard);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ranks_left) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
