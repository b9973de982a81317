#include "framework/job.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * Megatron's groups by their definition: ranks are dealt out one by one, the first axis of the
 * order turning fastest; who differs in nothing but the axes of a group is in it. The row derives
 * the same from sizes and strides.
 */

enum { RANKS_MOST = 256, AXES = 4 };

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

/* The coordinates of every rank in one of the two grids. */
struct dealt {
	const char *axis[AXES]; /* innermost first */
	int size[AXES];
	int of[RANKS_MOST][AXES];
	int ranks;
};

static void deal(struct dealt *dealt)
{
	int count[AXES] = { 0 }, axis;

	dealt->ranks = 1;
	for (axis = 0; axis < AXES; axis++)
		dealt->ranks *= dealt->size[axis];
	for (int rank = 0; rank < dealt->ranks; rank++) {
		memcpy(dealt->of[rank], count, sizeof(count));
		for (axis = 0; axis < AXES && ++count[axis] == dealt->size[axis]; axis++)
			count[axis] = 0;
	}
}

static bool in_token(const char *token, const char *axis)
{
	size_t length = strlen(axis);

	for (;;) {
		if (!strncmp(token, axis, length) && (!token[length] || token[length] == '-'))
			return true;
		token = strchr(token, '-');
		if (!token++)
			return false;
	}
}

static bool together(const struct dealt *dealt, const char *token, int a, int b)
{
	for (int axis = 0; axis < AXES; axis++)
		if (!in_token(token, dealt->axis[axis]) && dealt->of[a][axis] != dealt->of[b][axis])
			return false;
	return true;
}

/* Every rank finds the group that its layout says, at the place it has among those of the token. */
static void compare(const struct plan *plan, const char *mesh_name, const struct dealt *dealt,
		    const char *token)
{
	const struct mesh *mesh = plan_mesh(plan, mesh_name);

	assert_non_null(mesh);
	for (int rank = 0; rank < dealt->ranks; rank++) {
		int first = -1, place = 0, members = 0;
		for (int other = 0; other < dealt->ranks; other++) {
			if (!together(dealt, token, rank, other))
				continue;
			if (first < 0)
				first = other;
			place += other < rank;
			members++;
		}
		assert_int_equal(layout_size(&mesh->layout), members);
		assert_int_equal(layout_base(&mesh->layout, rank), first);
		assert_int_equal(layout_index(&mesh->layout, rank), place);
	}
}

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

static void take(struct dealt *dealt, int axis, const char *name, int size)
{
	dealt->axis[axis] = name;
	dealt->size[axis] = size;
}

static void check_dense(const struct plan *plan, const struct layout_case *c)
{
	static const char *const groups[][2] = {
		{ "tp", "tp" },	      { "cp", "cp" },	    { "dp", "dp" },
		{ "pp", "pp" },	      { "dp_cp", "dp-cp" }, { "mp", "tp-pp" },
		{ "tp_dp", "tp-dp" }, { "tp_cp", "tp-cp" }, { "tp_dp_cp", "tp-dp-cp" },
	};
	static struct dealt dealt;

	take(&dealt, 0, "tp", c->tp);
	take(&dealt, 1, "cp", c->cp);
	take(&dealt, c->dp_last ? 3 : 2, "dp", c->dp);
	take(&dealt, c->dp_last ? 2 : 3, "pp", c->pp);
	deal(&dealt);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		compare(plan, groups[i][0], &dealt, groups[i][1]);
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
	static struct dealt dealt;
	const int world = c->tp * c->cp * c->dp * c->pp;

	take(&dealt, 0, "tp", c->etp);
	take(&dealt, 1, "ep", c->ep);
	take(&dealt, c->dp_last ? 3 : 2, "dp", world / (c->etp * c->ep * c->pp));
	take(&dealt, c->dp_last ? 2 : 3, "pp", c->pp);
	deal(&dealt);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		compare(plan, groups[i][0], &dealt, groups[i][1]);
	/* both grids have the same pipelines */
	compare(plan, "pp", &dealt, "pp");
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
