#include "framework/job.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* Reads a config text as a file. */
static void read_job(struct job *job, struct arena *arena, struct findings *findings,
		     const char *text)
{
	static const struct overrides overrides = { 0 };
	char path[] = "/tmp/parplan-unit-XXXXXX";
	int file = mkstemp(path);
	size_t length = strlen(text);

	assert_true(file >= 0);
	assert_int_equal(write(file, text, length), length);
	close(file);
	findings_init(findings, arena);
	assert_null(job_read(job, arena, path, &overrides, findings));
	unlink(path);
}

#define HEAD(version) "parplan: 1\nframework: {torch: " version "}\n"

/* "fsdp {0-7}": the strategy and the first group of those that share, or that repeat. */
static const char *outcome(struct arena *arena, const struct job *job)
{
	const struct plan *plan = job->applied;
	const char *shard = "nobody", *replicate = "nobody";

	if (plan->error)
		return arena_printf(arena, "%s in %s: %s", plan->error->type, plan->error->where,
				    plan->error->message);
	if (plan->dense.shard.modes)
		shard = group_text(arena, &plan->dense.shard, 0);
	if (plan->dense.replicate.modes)
		replicate = group_text(arena, &plan->dense.replicate, 0);
	return arena_printf(arena, "%s asked, %s applied: %s share, %s repeat",
			    strategy_name(plan->requested), strategy_name(plan->dense.strategy),
			    shard, replicate);
}

static void scripts_are_executed(void **state)
{
	static const struct {
		const char *text, *want, *rule; /* rule: of the one finding, or NULL */
	} cases[] = {
		{ HEAD("2.8.0") "mesh:\n  root: {ddp: 2, fsdp: 4}\n  fully_shard: [ddp, fsdp]\n"
				"  means: {replicate: ddp, shard: fsdp}\n",
		  "hsdp asked, hsdp applied: {0-3} share, {0,4} repeat", NULL },
		{ HEAD("2.8.0") "mesh:\n  root: {fsdp: 4}\n  fully_shard: fsdp\n",
		  "fsdp asked, fsdp applied: {0-3} share, nobody repeat", NULL },
		/* both dims were meant to share, but a 2-D mesh is HSDP */
		{ HEAD("2.8.0") "mesh:\n  root: {shard: 4, cp: 2}\n  fully_shard: [shard, cp]\n"
				"  means: {shard: [shard, cp]}\n",
		  "fsdp asked, hsdp applied: {0,1} share, {0,2,4,6} repeat", NULL },
		{ HEAD("2.8.0") "mesh:\n  root: {r: 2, s: 2, cp: 2}\n  flatten: {scp: [s, cp]}\n"
				"  fully_shard: [r, scp]\n  means: {replicate: r, shard: scp}\n",
		  "hsdp asked, hsdp applied: {0-3} share, {0,4} repeat", NULL },
		{ HEAD("2.8.0") "mesh:\n  root: {dp: 8}\n  ddp: dp\n  means: {replicate: dp}\n",
		  "ddp asked, ddp applied: nobody share, {0-7} repeat", NULL },
		{ HEAD("2.8.0") "mesh:\n  root: {dp: 8}\n  means: {replicate: dp}\n",
		  "ddp asked, none applied: nobody share, nobody repeat", NULL },
		{ HEAD("2.8.0") "mesh:\n  root: {a: 2, b: 2, c: 2}\n  fully_shard: [a, b, c]\n",
		  "ValueError in fully_shard: fully_shard expects a 1D or 2D DeviceMe", NULL },
		{ HEAD("2.8.0") "mesh:\n  root: {a: 2, b: 2}\n  fully_shard: [b, a]\n",
		  "KeyError in DeviceMesh.__getitem__: (\"Invalid mesh_dim_names ('b', 'a') spec",
		  NULL },
		{ HEAD("2.4.0") "mesh:\n  root: {a: 2, b: 2}\n  flatten: {ab: [a, b]}\n  "
				"fully_shard: ab\n",
		  "AttributeError in DeviceMesh._flatten: 'DeviceMesh' object has no attribute '_f",
		  NULL },
		/* the axis of tensor parallelism: innermost up to 2.8, behind dp up to 2.9,
		   anywhere later */
		{ HEAD("2.8.0") "mesh:\n  root: {tp: 2, dp: 4}\n  fully_shard: dp\n  "
				"tensor_parallel: tp\n",
		  "RuntimeError in parallelize_module: ('Found TP device_mesh on the 0 dimensio",
		  NULL },
		{ HEAD("2.9.0") "mesh:\n  root: {tp: 2, dp: 4}\n  fully_shard: dp\n  "
				"tensor_parallel: tp\n",
		  "KeyError in fully_shard: \"Invalid mesh_dim_names ('dp', 'tp') spe", NULL },
		{ HEAD("2.10.0") "mesh:\n  root: {tp: 2, dp: 4}\n  fully_shard: dp\n  "
				 "tensor_parallel: tp\n",
		  "fsdp asked, fsdp applied: {0-3} share, nobody repeat", NULL },
		{ HEAD("2.14.0") "mesh:\n  root: {dp: 4, tp: 2}\n  flatten: {all: [dp, tp]}\n"
				 "  fully_shard: all\n  tensor_parallel: tp\n",
		  "RuntimeError in fully_shard: Cannot concatenate overlapping meshes: [", NULL },
		{ HEAD("2.8.0") "mesh:\n  root: {a: 2, b: 2, c: 2}\n  tensor_parallel: [b, c]\n",
		  "ValueError in parallelize_module: Tensor Parallel only accepts a 1D Device",
		  NULL },
		{ HEAD("2.2.0") "mesh:\n  root: {a: 2, b: 2, c: 2}\n  tensor_parallel: c\n",
		  "RuntimeError in parallelize_module: ('Found TP device_mesh has a parent mesh",
		  NULL },
		/* statements of the script's own */
		{ HEAD("2.8.0") "mesh:\n  script: |\n    r = init(dp=2, cp=2)\n    s = "
				"flatten(r, all)\n  fully_shard: s\n  means: {shard: all}\n",
		  "fsdp asked, fsdp applied: {0-3} share, nobody repeat", NULL },
		{ HEAD("2.8.0") "mesh:\n  script: |\n    r = init(a=2, b=2, c=2)\n    s = r[a, b]\n"
				"    t = s[b]\n  fully_shard: t\n",
		  "RuntimeError in s[b]: Cannot create a submesh from a submesh.", NULL },
		{ HEAD("2.9.0") "mesh:\n  script: |\n    r = init(a=2, b=2, c=2)\n    s = r[a, b]\n"
				"    t = s[b]\n  fully_shard: t\n",
		  "fsdp asked, fsdp applied: {0,2} share, nobody repeat", NULL },
		{ HEAD("2.9.0") "mesh:\n  script: |\n    a = init(dp=4)\n    b = init(pp=2, tp=2)\n"
				"    t = b[tp]\n  fully_shard: a\n  tensor_parallel: t\n",
		  "AssertionError in fully_shard: FSDP requires the DP and model parallel TP/EP "
		  "mesh "
		  "to have the same",
		  NULL },
		{ HEAD("2.4.0") "mesh:\n  root: {r: 2, s: 2, tp: 2}\n  fully_shard: [r, s]\n"
				"  tensor_parallel: tp\n",
		  "NotImplementedError in fully_shard: Using TP with HSDP is not supported", NULL },
		{ HEAD("2.8.0") "mesh:\n  script: 'r = init(a=2'\n  fully_shard: a\n",
		  "fsdp asked, none applied: nobody share, nobody repeat", "wrong-type" },
		{ HEAD("2.8.0") "mesh:\n  root: {b: 4}\n  script: 'r = init(a=2)'\n  fully_shard: "
				"a\n",
		  "fsdp asked, fsdp applied: {0,1} share, nobody repeat", "unknown-key" },
		{ HEAD("2.8.0") "mesh:\n  script: [a]\n  fully_shard: a\n",
		  "fsdp asked, none applied: nobody share, nobody repeat", "wrong-type" },
		/* mistakes in the block itself */
		{ HEAD("2.8.0") "mesh:\n  root: {a: two}\n  fully_shard: a\n",
		  "fsdp asked, none applied: nobody share, nobody repeat", "wrong-type" },
		{ HEAD("2.8.0") "mesh:\n  root: {a: 2}\n  fully_shard: 3\n",
		  "none asked, none applied: nobody share, nobody repeat", "wrong-type" },
		{ HEAD("2.8.0") "mesh:\n  root: {a: 2}\n  fully_shard: a\n  means: {shard: b}\n",
		  "none asked, fsdp applied: {0,1} share, nobody repeat", "unknown-key" },
		{ HEAD("2.8.0") "world: 8\nmesh:\n  root: {a: 2, b: 2}\n  fully_shard: [a, b]\n",
		  "hsdp asked, hsdp applied: {0,1} share, {0,2} repeat",
		  "mesh-smaller-than-world" },
		{ HEAD("2.8.0") "world: 2\nmesh:\n  root: {a: 2, b: 2}\n  fully_shard: [a, b]\n",
		  "RuntimeError in init_device_mesh: Mesh should not be bigger than default w",
		  NULL },
	};
	struct findings findings;
	struct arena arena;
	struct job job;
	const char *got;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		read_job(&job, &arena, &findings, cases[i].text);
		got = outcome(&arena, &job);
		if (strncmp(got, cases[i].want, strlen(cases[i].want)) != 0)
			print_error("%s%s\n", cases[i].text, got);
		assert_int_equal(strncmp(got, cases[i].want, strlen(cases[i].want)), 0);
		assert_int_equal(findings.list.count, cases[i].rule ? 1 : 0);
		if (cases[i].rule)
			assert_string_equal(findings.list.items[0]->rule->name, cases[i].rule);
	}
	arena_release(&arena);
}

/* The placements of a weight, outermost mesh dim first. */
static const char *placements_of(struct arena *arena, const struct plan *plan, const char *fqn)
{
	char *text = arena_strdup(arena, "");
	size_t i;
	int dim;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		if (strcmp(sharded->parameter->fqn, fqn) != 0)
			continue;
		for (dim = 0; dim < sharded->dims; dim++)
			text = arena_printf(arena, "%s%s%s", text, dim ? " " : "",
					    placement_text(arena, sharded->dim[dim].placement));
	}
	return text;
}

#define MODEL "model: llama3-8b\n"

static void parameters_are_placed(void **state)
{
	static const struct {
		const char *text, *wq, *wo, *norm; /* colwise, rowwise, replicated */
	} cases[] = {
		{ HEAD("2.8.0") MODEL "mesh:\n  root: {dp: 8}\n  fully_shard: dp\n", "S(0)", "S(0)",
		  "S(0)" },
		{ HEAD("2.8.0") MODEL "mesh:\n  root: {r: 2, s: 4}\n  fully_shard: [r, s]\n",
		  "R S(0)", "R S(0)", "R S(0)" },
		{ HEAD("2.8.0") MODEL
		  "mesh:\n  root: {s: 4, tp: 2}\n  fully_shard: s\n  tensor_parallel: tp\n",
		  "SS(0,2) S(0)", "S(0) S(1)", "S(0) R" },
		{ HEAD("2.8.0") MODEL "mesh:\n  root: {r: 2, s: 4, tp: 2}\n  fully_shard: [r, s]\n"
				      "  tensor_parallel: tp\n",
		  "R SS(0,2) S(0)", "R S(0) S(1)", "R S(0) R" },
		{ HEAD("2.8.0") MODEL
		  "mesh:\n  root: {s: 4, tp: 1}\n  fully_shard: s\n  tensor_parallel: tp\n",
		  "S(0) S(0)", "S(0) S(1)", "S(0) R" },
		{ HEAD("2.4.0") MODEL
		  "mesh:\n  root: {s: 4, tp: 2}\n  fully_shard: s\n  tensor_parallel: tp\n",
		  "S(0) S(0)", "S(0) S(1)", "S(0) R" },
		{ HEAD("2.8.0") MODEL "mesh:\n  root: {dp: 8}\n  ddp: dp\n", "R", "R", "R" },
		/* no mesh block: the canonical axes */
		{ HEAD("2.8.0") MODEL
		  "world: 16\nparallelism: {dp_replicate: 2, dp_shard: 4, tp: 2}\n",
		  "R SS(0,2) S(0)", "R S(0) S(1)", "R S(0) R" },
		{ HEAD("2.8.0") MODEL "world: 16\nparallelism: {dp_replicate: 16, dp_shard: 1}\n",
		  "R", "R", "R" },
	};
	struct findings findings;
	struct arena arena;
	struct job job;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		read_job(&job, &arena, &findings, cases[i].text);
		assert_null(job.applied->error);
		assert_string_equal(
			placements_of(&arena, job.applied, "layers.3.attention.wq.weight"),
			cases[i].wq);
		assert_string_equal(
			placements_of(&arena, job.applied, "layers.3.attention.wo.weight"),
			cases[i].wo);
		assert_string_equal(placements_of(&arena, job.applied, "norm.weight"),
				    cases[i].norm);
	}
	arena_release(&arena);
}

/* Units hold every element of the model once over the ranks that share, but for padding. */
static void units_add_up(void **state)
{
	struct findings findings;
	struct arena arena;
	struct job job;
	int64_t elements = 0, parameters = 0;
	size_t i;

	(void)state;
	arena_init(&arena);
	read_job(&job, &arena, &findings,
		 HEAD("2.8.0") MODEL "world: 8\nparallelism: {dp_shard: 8}\n");
	for (i = 0; i < job.applied->units.count; i++) {
		elements += job.applied->units.items[i].shard_elements;
		parameters += job.applied->units.items[i].parameters;
	}
	assert_int_equal(job.applied->units.count, 33);
	assert_int_equal(parameters, job.model->parameters.count);
	assert_int_equal(elements * 8, job.model->total);
	arena_release(&arena);
}

static void uneven_parameters_stop_up_to_2_7(void **state)
{
	static const struct {
		const char *version;
		bool stops;
	} cases[] = {
		{ "2.6.0", true }, { "2.7.1", true }, { "2.8.0", false }, { "2.14.0", false }
	};
	struct findings findings;
	struct arena arena;
	struct job job;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		read_job(
			&job, &arena, &findings,
			arena_printf(&arena,
				     "parplan: 1\nframework: {torch: %s}\nmodel: {preset: "
				     "llama3-8b, vocab: "
				     "128257}\nmesh:\n  root: {dp: 4, tp: 2}\n  fully_shard: dp\n  "
				     "tensor_parallel: tp\n",
				     cases[i].version));
		assert_int_equal(job.applied->error != NULL, cases[i].stops);
		if (cases[i].stops)
			assert_string_equal(
				job.applied->error->message,
				"FSDP+TP sharding does not support uneven sharding for now: tensor "
				"dim 0 has size 128257 which cannot be evenly sharded into 8 "
				"shards.");
	}
	arena_release(&arena);
}

static void degrees_must_multiply_to_the_world(void **state)
{
	struct findings findings;
	struct arena arena;
	struct job job;

	(void)state;
	arena_init(&arena);
	read_job(&job, &arena, &findings,
		 HEAD("2.8.0") "world: 16\nparallelism: {dp_replicate: 2, dp_shard: 4, tp: 4}\n");
	assert_non_null(job.applied->error);
	assert_string_equal(job.applied->error->rule, "degrees-product");
	assert_string_equal(job.applied->error->message,
			    "dp_replicate(2) * dp_shard(4) * cp(1) * tp(4) * pp(1) != world(16)");
	arena_release(&arena);
}

/* A framework with a layout of its own is not taken for plain PyTorch. */
static void other_frameworks_are_not_passed_off(void **state)
{
	struct findings findings;
	struct arena arena;
	struct job job;

	(void)state;
	arena_init(&arena);
	read_job(&job, &arena, &findings,
		 "parplan: 1\nframework: {oumi: d8ed0777}\nworld: 16\nparallelism: {tp: 4, "
		 "pp: 2}\n");
	assert_non_null(job.applied->assumed);
	assert_non_null(strstr(job.applied->assumed, "oumi is not modelled yet"));
	assert_int_equal(job.applied->degrees.dp_shard, 2);
	assert_int_equal(job.applied->root.axes, 3);
	assert_int_equal(job.differences.list.count, 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripts_are_executed),
		cmocka_unit_test(parameters_are_placed),
		cmocka_unit_test(units_add_up),
		cmocka_unit_test(uneven_parameters_stop_up_to_2_7),
		cmocka_unit_test(degrees_must_multiply_to_the_world),
		cmocka_unit_test(other_frameworks_are_not_passed_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
