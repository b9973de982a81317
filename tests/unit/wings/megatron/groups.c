#include "framework/job.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "unit/framework/dealt.h"

/* Megatron's groups by their definition; the row derives the same from sizes and strides. */

struct layout_case {
	int tp, cp, dp, pp, ep, etp;
	bool dp_last;
};

static const struct layout_case cases[] = {
	{ 1, 1, 8, 1, 1, 1, false },  { 2, 1, 4, 1, 1, 2, false }, { 1, 2, 4, 1, 1, 1, false },
	{ 2, 2, 2, 2, 1, 2, false },  { 2, 2, 2, 2, 1, 4, true },  { 2, 1, 4, 2, 4, 2, false },
	{ 2, 1, 4, 2, 8, 1, false },  { 2, 2, 4, 2, 4, 1, false }, { 2, 2, 2, 2, 2, 2, true },
	{ 2, 2, 2, 2, 4, 1, true },   { 4, 1, 2, 4, 2, 4, false }, { 4, 1, 2, 4, 8, 1, false },
	{ 8, 2, 2, 2, 16, 2, false }, { 3, 1, 5, 2, 5, 3, false }, { 3, 2, 4, 2, 8, 1, false },
	{ 1, 4, 6, 3, 12, 2, false }, { 2, 3, 5, 2, 3, 2, true },  { 1, 1, 16, 8, 16, 1, false },
	{ 4, 4, 4, 4, 32, 2, false }, { 2, 1, 6, 1, 12, 1, true }, { 2, 2, 8, 4, 16, 2, false },
};

static void read_case(struct job *job, struct arena *arena, const struct layout_case *c)
{
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);

	overrides->text = arena_printf(
		arena,
		"parplan: 1\nframework: {megatron: core@2025-12}\nworld: %d\nparallelism: {tp: %d, "
		"cp: %d, pp: %d, ep: %d, etp: %d, axis_order: %s}\n",
		c->tp * c->cp * c->dp * c->pp, c->tp, c->cp, c->pp, c->ep, c->etp,
		c->dp_last ? "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp");
	findings_init(findings, arena);
	assert_null(job_read(job, arena, "case.yaml", overrides, findings));
	assert_null(job->applied->error);
}

static void check_dense(const struct plan *plan, const struct layout_case *c)
{
	static const char *const groups[][2] = {
		{ "tp", "tp" },	      { "cp", "cp" },	    { "dp", "dp" },
		{ "pp", "pp" },	      { "dp_cp", "dp-cp" }, { "mp", "tp-pp" },
		{ "tp_dp", "tp-dp" }, { "tp_cp", "tp-cp" }, { "tp_dp_cp", "tp-dp-cp" },
	};
	struct dealt dealt = { .axes = 4 };

	dealt_take(&dealt, 0, "tp", c->tp);
	dealt_take(&dealt, 1, "cp", c->cp);
	dealt_take(&dealt, c->dp_last ? 3 : 2, "dp", c->dp);
	dealt_take(&dealt, c->dp_last ? 2 : 3, "pp", c->pp);
	dealt_ranks(&dealt);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		dealt_compare(plan, groups[i][0], &dealt, groups[i][1]);
}

static void check_expert(const struct plan *plan, const struct layout_case *c)
{
	static const char *const groups[][2] = {
		{ "ep", "ep" },
		{ "etp", "tp" },
		{ "expert_dp", "dp" },
		{ "etp_ep", "tp-ep" },
		{ "etp_ep_pp", "tp-ep-pp" },
	};
	struct dealt dealt = { .axes = 4 };
	const int world = c->tp * c->cp * c->dp * c->pp;

	dealt_take(&dealt, 0, "tp", c->etp);
	dealt_take(&dealt, 1, "ep", c->ep);
	dealt_take(&dealt, c->dp_last ? 3 : 2, "dp", world / (c->etp * c->ep * c->pp));
	dealt_take(&dealt, c->dp_last ? 2 : 3, "pp", c->pp);
	dealt_ranks(&dealt);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		dealt_compare(plan, groups[i][0], &dealt, groups[i][1]);
	/* both grids have the same pipelines */
	dealt_compare(plan, "pp", &dealt, "pp");
}

static void groups_are_dealt_out(void **state)
{
	struct arena arena;
	struct job job;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		arena_init(&arena);
		read_case(&job, &arena, &cases[i]);
		check_dense(job.applied, &cases[i]);
		if (plan_mesh(job.applied, "ep"))
			check_expert(job.applied, &cases[i]);
		assert_int_equal(job.differences.list.count, 0);
		arena_release(&arena);
	}
}

/* The example in the documentation of initialize_model_parallel: 16 ranks, tp 2, pp 4. */
static void documented_example(void **state)
{
	const struct layout_case c = { 2, 1, 2, 4, 1, 2, false };
	struct arena arena;
	struct job job;

	(void)state;
	arena_init(&arena);
	read_case(&job, &arena, &c);
	assert_int_equal(layout_base(&plan_mesh(job.applied, "dp")->layout, 15), 13);
	assert_int_equal(layout_base(&plan_mesh(job.applied, "pp")->layout, 15), 3);
	assert_int_equal(layout_base(&plan_mesh(job.applied, "tp")->layout, 15), 14);
	arena_release(&arena);
}

/* What stops a job, and the rule that says so. */
static void refusals(void **state)
{
	static const struct {
		const char *text, *message, *rule;
	} wrong[] = {
		{ "world: 12\nparallelism: {tp: 8}\n",
		  "world size (12) is not divisible by total_model_size (total_model_size=8)",
		  "degrees-product" },
		{ "world: 16\nparallelism: {tp: 2, pp: 2, ep: 8}\n",
		  "world_size (16) is not divisible by "
		  "expert_tensor_model_pipeline_parallel size (32)",
		  "expert-grid" },
		{ "world: 16\nparallelism: {tp: 2, pp: 2, ep: 2, etp: 1, axis_order: "
		  "tp-cp-ep-pp-dp, cp: 2}\n",
		  "When not using pp-last rank ordering, the data parallel size of the attention "
		  "and moe layers must be the same",
		  "framework-raises" },
		{ "world: 16\nparallelism: {tp: 2}\ntraining: {optimizer: {instances: 3}}\n",
		  "Data parallel size should be divisible by partial DistOpt shard factor",
		  "framework-raises" },
		{ "world: 16\nparallelism: {tp: 2, weight_shards: 4}\n",
		  "unrecognized arguments: --tensor-parallel-num-weight-shards 4",
		  "framework-raises" },
		{ "world: 8\nparallelism: {cp: 4}\ntraining: {seq_len: 1020}\n",
		  "seq-length should be a multiple of 2 * context-parallel-size if "
		  "context-parallel-size > 1.",
		  "sequence-length" },
		{ "world: 8\ntraining: {micro_batch_size: 2, global_batch_size: 24}\n",
		  "global batch size (24) is not divisible by micro batch size (2) times data "
		  "parallel size (8)",
		  "batch-remainder" },
	};
	struct overrides overrides = { 0 };
	struct findings findings;
	struct arena arena;
	struct job job;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		arena_init(&arena);
		findings_init(&findings, &arena);
		overrides.text =
			arena_printf(&arena, "parplan: 1\nframework: {megatron: core@2025-12}\n%s",
				     wrong[i].text);
		assert_null(job_read(&job, &arena, "case.yaml", &overrides, &findings));
		assert_non_null(job.applied->error);
		assert_string_equal(job.applied->error->message, wrong[i].message);
		assert_string_equal(job.applied->error->rule, wrong[i].rule);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_dealt_out),
		cmocka_unit_test(documented_example),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
