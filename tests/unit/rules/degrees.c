#include "judged.h"

/*
 * Frameworks that ask for degrees of 1 at least, one after the other: each degree alone is zero, or
 * less than -1 where that is what is left of the world. The exception is the framework's, and the
 * degree is what is blamed for it.
 */

static const char *const axes[] = { "dp_replicate", "dp_shard", "cp", "tp", "pp", "ep" };

/* torchtitan@v0.2.2 torchtitan/distributed/parallel_dims.py, torchtune@bd2a0fc7
 * torchtune/training/_distributed.py: assertions of ParallelDims._validate */
#define DEGREE "Parallelism degree should be >= 1, except for dp_shard"

static const struct {
	const char *framework, *axis;
	int degree;
	const char *message; /* "" for none */
} cases[] = {
	{ "torchtune", "dp_replicate", 0, DEGREE },
	{ "torchtune", "dp_shard", 0, " dp_shard must -1 or >=1." },
	{ "torchtune", "dp_shard", -2, " dp_shard must -1 or >=1." },
	{ "torchtune", "cp", 0, DEGREE },
	{ "torchtune", "tp", 0, DEGREE },
	{ "torchtune", "ep", 0, "" }, /* it has no experts */
	{ "torchtune", "ep", 1, "" },
	{ "torchtitan: v0.2.2", "dp_replicate", 0, DEGREE },
	{ "torchtitan: v0.2.2", "dp_shard", 0, "dp_shard must -1 or >=1." },
	{ "torchtitan: v0.2.2", "dp_shard", -2, "dp_shard must -1 or >=1." },
	{ "torchtitan: v0.2.2", "cp", 0, DEGREE },
	{ "torchtitan: v0.2.2", "tp", 0, DEGREE },
	{ "torchtitan: v0.2.2", "pp", 0, DEGREE },
	{ "torchtitan: v0.2.2", "ep", 0, DEGREE },
	{ "torchtitan: v0.2.2", "ep", 1, "" },
};

/* The axes stand in lines 6 to 11. */
static const char *config(struct arena *arena, size_t at, int *line)
{
	const char *text = arena_printf(arena,
					"parplan: 1\nframework: {%s}\nworld: 8\n"
					"model: {preset: llama3-8b}\nparallelism:\n",
					strchr(cases[at].framework, ':') ? cases[at].framework
									 : "torchtune: bd2a0fc7");
	size_t i;

	for (i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		const bool own = !strcmp(axes[i], cases[at].axis);
		*line = own ? 6 + (int)i : *line;
		text = arena_printf(arena, "%s  %s: %d\n", text, axes[i],
				    own				   ? cases[at].degree
				    : !strcmp(axes[i], "dp_shard") ? -1
								   : 1);
	}
	return text;
}

/* The line of the error about a degree; 0 for none. */
static int told_at(const struct job *job)
{
	const struct findings *findings = job->findings;
	size_t i;

	for (i = 0; i < findings->list.count; i++)
		if (!strcmp(findings->list.items[i]->rule->name, "degree-below-one"))
			return (int)findings->list.items[i]->span.line;
	return 0;
}

static void degrees_below_one(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int line = 0;
		struct job *job = job_of(*state, config(*state, i, &line), NULL);
		const struct plan_error *error = job->applied->error;

		side_judged(*state, job);
		assert_string_equal(error ? error->message : "", cases[i].message);
		assert_int_equal(told_at(job), *cases[i].message ? line : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(degrees_below_one) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
