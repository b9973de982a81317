#include "framework/job.h"
#include "wings/torchtitan/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct framework framework_torchtitan;

/* What apply_fsdp passes of that version, and what the torch of its day makes of it. */
struct forward_case {
	const char *version, *torch, *policy;
	int64_t pp;
	bool embedding, block, last, end, root; /* let go after forward; of a unit that is there */
};

/*
 * From 83e694105 on the root holds parameters only where a stage has norm without output. Before,
 * it holds both ends. "end" is [norm, output].
 */
static const struct forward_case forward_cases[] = {
	{ "d7cabfb6c", "2.6.0.dev20241031", "default", 1, false, true, false, false, false },
	{ "v0.1.0", "2.7.1", "default", 1, false, true, false, false, false },
	{ "v0.1.0", "2.7.1", "always", 1, false, true, true, false, false },
	{ "v0.1.0", "2.7.1", "never", 1, false, false, false, false, false },
	{ "v0.1.0", "2.8", "default", 1, false, true, false, false, true },
	{ "v0.1.0", "2.8", "never", 1, false, false, false, false, true },
	{ "v0.1.0", "2.8", "default", 2, false, false, false, false, false },
	{ "v0.1.0", "2.8", "always", 2, false, true, true, false, false },
	{ "v0.2.0", "2.9", "default", 1, true, true, true, false, false },
	{ "v0.2.0", "2.9", "always", 1, true, true, true, true, false },
	{ "v0.2.0", "2.9", "never", 1, false, false, false, false, false },
	{ "v0.2.0", "2.9", "default", 2, false, false, false, false, false },
	{ "v0.2.0", "2.9", "always", 2, true, true, true, true, false },
	{ "v0.2.2", "2.10", "default", 1, true, true, true, false, false },
};

struct bench {
	struct arena arena;
	struct findings findings;
	struct job job;
};

static void add_version(struct bench *bench, const char *framework, const char *label,
			moment_t when)
{
	struct version version = { .framework = framework, .label = label, .when = when };

	vec_push(&bench->arena, &bench->job.versions.list, version);
}

static void bench_init(struct bench *bench, const struct forward_case *c)
{
	struct settings *settings = &bench->job.settings;

	memset(bench, 0, sizeof(*bench));
	arena_init(&bench->arena);
	findings_init(&bench->findings, &bench->arena);
	settings_init(settings);
	bench->job.arena = &bench->arena;
	bench->job.findings = &bench->findings;
	bench->job.world = 8;
	add_version(bench, "torchtitan", c->version,
		    timeline_find(&timeline_torchtitan, c->version)->when);
	add_version(bench, "torch", c->torch, 0);
	settings_put_text(settings, FIELD_MODEL_PRESET, "llama3-debugmodel", ORIGIN_GIVEN);
	settings_put_text(settings, FIELD_RESHARD_AFTER_FORWARD, c->policy, ORIGIN_GIVEN);
	settings_put_int(settings, &bench->arena, FIELD_PP, c->pp, ORIGIN_GIVEN);
	settings_put_int(settings, &bench->arena, FIELD_DP_SHARD, 8 / c->pp, ORIGIN_GIVEN);
	settings_put_int(settings, &bench->arena, FIELD_LOCAL_BATCH_SIZE, 8, ORIGIN_GIVEN);
}

static const struct plan *apply(struct bench *bench)
{
	struct job *job = &bench->job;
	struct plan *plan = plan_new(&bench->arena, PLAN_APPLIED);

	job->framework = &framework_torchtitan;
	job->model = model_new(&bench->arena, &job->settings, job->framework->naming(job),
			       &bench->findings);
	plan->world = job->world;
	job->framework->apply(job, plan);
	assert_null(plan->error);
	return plan;
}

static const struct unit *find(const struct plan *plan, const char *name)
{
	size_t i;

	for (i = 0; i < plan->units.count; i++)
		if (!strcmp(plan->units.items[i].name, name))
			return &plan->units.items[i];
	return NULL;
}

static void assert_forward(const struct plan *plan, const struct forward_case *c, const char *name,
			   bool want)
{
	const struct unit *unit = find(plan, name);

	if (unit && unit->reshard_after_forward != want)
		fail_msg("torchtitan %s, torch %s, %s, pp %d: %s", c->version, c->torch, c->policy,
			 (int)c->pp, name);
}

static void units_are_let_go_as_the_version_says(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forward_cases) / sizeof(forward_cases[0]); i++) {
		const struct forward_case *c = &forward_cases[i];
		const struct plan *plan;
		struct bench bench;

		bench_init(&bench, c);
		plan = apply(&bench);
		assert_int_equal(find(plan, "(root)") != NULL,
				 find(plan, "tok_embeddings") == NULL);
		assert_forward(plan, c, "tok_embeddings", c->embedding);
		assert_forward(plan, c, "layers.0", c->block);
		assert_forward(plan, c, "layers.5", c->last);
		assert_forward(plan, c, "[norm, output]", c->end);
		assert_forward(plan, c, "(root)", c->root);
		arena_release(&bench.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_let_go_as_the_version_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
