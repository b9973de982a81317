#include "framework/job.h"
#include "input/field.h"
#include "plan/compare.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * Where the applied plan shares as it was asked to, the plan as asked gives every rank the same
 * parts: over jobs of all kinds, thrown together at random but always the same ones.
 */
enum { JOBS = 600, RANKS_LOOKED_AT = 6 };

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525U + 1013904223U;
	return (*seed >> 8) % below;
}

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

static const char *const heads[] = {
	"framework: {torchtitan: v0.1.0}\n",
	"framework: {torchtitan: v0.2.0}\n",
	"framework: {torchtitan: v0.2.2}\n",
	"framework: {torchtitan: b5bcd76c66}\n",
	"framework: {torch: '2.9'}\n",
	"framework: {megatron: d98e8a64}\n",
	"framework: {megatron: d98e8a64}\ntraining: {optimizer: {distributed: true}}\n",
	("framework: {megatron: d98e8a64}\n"
	 "training: {optimizer: {distributed: true, instances: 2}}\n"),
	"framework: {deepspeed: edaa7221}\n",
};

enum { FIRST_OF_MEGATRON = 5, DEEPSPEED = 8 };

static const char *const models[] = { "llama3-8b", "qwen3-0.6b", "qwen3-30b-a3b",
				      "deepseek_v3-16b" };

static const char *parallelism(struct arena *arena, uint32_t *seed, size_t head, int64_t *world)
{
	const int64_t tp = 1 << draw(seed, 3), pp = 1 << draw(seed, 2), cp = 1 << draw(seed, 2);
	const int64_t replicate = 1 << draw(seed, 2), shard = 1 << draw(seed, 4);
	const int64_t ep = 1 << draw(seed, 3);
	const char *engine = head == DEEPSPEED ? ", engine: deepspeed" : "";
	const char *more = "";

	*world = tp * pp * cp * replicate * shard;
	if (head == DEEPSPEED)
		more = arena_printf(arena, ", zero_stage: %d", (int)draw(seed, 4));
	else if (head < FIRST_OF_MEGATRON)
		more = draw(seed, 3) ? "" : ", fsdp_version: '1'";
	if (head >= FIRST_OF_MEGATRON && draw(seed, 2))
		more = arena_printf(arena, "%s, etp: %d, pipeline: {virtual_stages: 2}", more,
				    1 << draw(seed, 2));
	if (head >= FIRST_OF_MEGATRON && head != DEEPSPEED && draw(seed, 3))
		return arena_printf(arena,
				    "parallelism: {tp: %" PRId64 ", pp: %" PRId64 ", cp: %" PRId64
				    ", ep: %" PRId64 "%s}\n",
				    tp, pp, cp, ep, more);
	return arena_printf(arena,
			    "parallelism: {tp: %" PRId64 ", pp: %" PRId64 ", cp: %" PRId64
			    ", dp_replicate: %" PRId64 ", dp_shard: %" PRId64 ", ep: %" PRId64
			    "%s%s}\n",
			    tp, pp, cp, replicate, shard, ep, engine, more);
}

static const char *config(struct arena *arena, uint32_t *seed)
{
	const size_t head = draw(seed, sizeof(heads) / sizeof(*heads));
	int64_t world;
	const char *degrees = parallelism(arena, seed, head, &world);

	return arena_printf(arena, "parplan: 1\n%smodel: {preset: %s}\nworld: %" PRId64 "\n%s",
			    heads[head], models[draw(seed, sizeof(models) / sizeof(*models))],
			    world, degrees);
}

static bool same_sharing(const struct sharding *a, const struct sharding *b)
{
	return layout_same_groups(&a->shard, &b->shard) &&
	       layout_same_groups(&a->replicate, &b->replicate);
}

static bool same_groups(const struct job *job, const struct plan *a, const struct plan *b)
{
	return same_sharing(&a->dense, &b->dense) &&
	       (!job->model->experts || (a->has_expert == b->has_expert &&
					 (!a->has_expert || same_sharing(&a->expert, &b->expert))));
}

static void compare(const struct plan *asked, const struct plan *applied, size_t at, int64_t rank,
		    const char *text)
{
	const struct sharded *a = &asked->parameters.items[at];
	const struct sharded *b = &applied->parameters.items[at];
	int held;

	if (strcmp(a->parameter->fqn, b->parameter->fqn) != 0 || a->stage != b->stage ||
	    a->copy != b->copy)
		fail_msg("%s: %s on stage %d, %s on stage %d", text, a->parameter->fqn, a->stage,
			 b->parameter->fqn, b->stage);
	for (held = 0; held < HELDS; held++) {
		struct box left = plan_part(asked, a, rank, (enum held)held);
		struct box right = plan_part(applied, b, rank, (enum held)held);
		if (box_volume(&left) != box_volume(&right))
			fail_msg("%s: rank %" PRId64 " keeps %" PRId64 " and %" PRId64
				 " elements of %s (%d)",
				 text, rank, box_volume(&left), box_volume(&right),
				 a->parameter->fqn, held);
	}
}

/* True when the two were held against each other. */
static bool judge(struct job *job, uint32_t *seed, const char *text)
{
	const struct plan *asked = job_asked(job), *applied = job->applied;
	size_t i;
	int k;

	if (!asked || applied->error || applied->unmodelled)
		return false;
	plan_check(asked);
	plan_check_boxes(asked);
	plan_check_boxes(applied);
	if (!applied->parameters.count || !same_groups(job, asked, applied))
		return false;
	if (asked->parameters.count != applied->parameters.count)
		fail_msg("%s: %zu and %zu parameters", text, asked->parameters.count,
			 applied->parameters.count);
	for (k = 0; k < RANKS_LOOKED_AT; k++) {
		const int64_t rank = draw(seed, (uint32_t)job->world);
		for (i = 0; i < asked->parameters.count; i++)
			compare(asked, applied, i, rank, text);
	}
	return true;
}

static void asked_plans_have_the_parts_of_applied_ones(void **state)
{
	uint32_t seed = 20261122;
	int judged = 0, i;

	(void)state;
	for (i = 0; i < JOBS; i++) {
		struct arena arena;
		const char *text;

		arena_init(&arena);
		text = config(&arena, &seed);
		judged += judge(read_job(&arena, text), &seed, text);
		arena_release(&arena);
	}
	if (judged < JOBS / 4)
		fail_msg("only %d of %d jobs share as asked", judged, JOBS);
}

/* ---- varied jobs ---- */

static void varied_jobs_are_as_if_read(void **state)
{
	static const char text[] = "parplan: 1\nframework: {torchtitan: v0.2.2}\n"
				   "model: {preset: llama3-8b}\nworld: 64\n"
				   "parallelism: {tp: %d, dp_shard: -1}\n";
	const struct variation tp = { FIELD_TP, "4" };
	struct arena arena;
	struct job *from, *read, varied;

	(void)state;
	arena_init(&arena);
	from = read_job(&arena, arena_printf(&arena, text, 2));
	read = read_job(&arena, arena_printf(&arena, text, 4));
	job_vary(&varied, &arena, from, &tp, 1, 0);
	assert_ptr_equal(varied.model, from->model);
	assert_int_equal(varied.applied->degrees.dp_shard, 16);
	assert_int_equal(plan_compare(&arena, read->applied, varied.applied).list.count, 0);
	job_vary(&varied, &arena, from, NULL, 0, 8);
	assert_int_equal(varied.world, 8);
	assert_int_equal(varied.applied->degrees.dp_shard, 4);
	assert_null(varied.applied->error);
	arena_release(&arena);
}

static void what_followed_follows_again(void **state)
{
	const struct variation changes[] = { { FIELD_TP, "4" }, { FIELD_MODEL_LAYERS, "16" } };
	struct arena arena;
	struct job *from, varied;

	(void)state;
	arena_init(&arena);
	from = read_job(&arena, "parplan: 1\nframework: {megatron: d98e8a64}\n"
				"model: {preset: llama3-8b}\nworld: 64\n"
				"parallelism: {tp: 2}\n");
	job_vary(&varied, &arena, from, changes, 2, 0);
	assert_int_equal(varied.applied->degrees.etp, 4);
	assert_int_equal(varied.applied->degrees.dp_replicate, 16);
	assert_int_equal(varied.model->layers, 16);
	assert_int_equal(from->model->layers, 32);
	arena_release(&arena);
}

static void asked_plans_outlive_exceptions(void **state)
{
	struct arena arena;
	struct job *job;

	(void)state;
	arena_init(&arena);
	job = read_job(&arena, "parplan: 1\nframework: {torchtitan: v0.2.2}\n"
			       "model: {preset: llama3-8b}\nworld: 16\n"
			       "parallelism: {tp: 2, pp: 8, pipeline: {schedule: nonsense}}\n");
	assert_non_null(job->applied->error);
	assert_non_null(job_asked(job));
	assert_true(job_asked(job)->parameters.count > 0);
	assert_true(job_asked(job)->stages_assumed);
	assert_null(job_asked(job)->error);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_plans_have_the_parts_of_applied_ones),
		cmocka_unit_test(varied_jobs_are_as_if_read),
		cmocka_unit_test(what_followed_follows_again),
		cmocka_unit_test(asked_plans_outlive_exceptions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
