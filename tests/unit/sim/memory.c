#include "sim/memory.h"
#include "sim/overhead.h"

#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 32 blocks of 218,103,808 and two tables of 128256 x 4096, without the vectors of norms. */
#define ELEMENTS (32 * 218103808.0 + 2 * 128256.0 * 4096)
/* What a block keeps of a token; see test_block. */
#define KEPT 139392.0

/*
 * Per token: two norms and their outputs 4 x 2 x 4096, queries 8192, keys and values 2 x 2048,
 * the core's output 8192 and statistics 4 x 32, the MLP's two branches and product 6 x 14336.
 */
static void test_block(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);

	(void)state;
	assert_true(activations_block(&work, false) == 32768 + 8192 + 4096 + 8192 + 128 + 86016);
	work.tp = 2;
	work.sequence_parallel = true;
	assert_true(activations_block(&work, false) == KEPT / 2);
}

/* DTensor keeps both gathered inputs of a block, 2 x 8192, where Megatron keeps its part of them.
 */
static void test_gathered_inputs(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);

	(void)state;
	work.tp = 2;
	work.sequence_parallel = true;
	work.framework = "torchtitan";
	work.software = SOFTWARE_COMPILED;
	assert_true(activations_block(&work, false) == KEPT / 2 + 8192);
}

/* Bytes per logit: kept, at the most, and while the projection goes backward. */
static void test_losses(void **state)
{
	static const struct {
		const char *framework;
		enum software software;
		moment_t since;
		int64_t tp;
		double kept, peak, gradient;
	} rows[] = {
		{ "torchtitan", SOFTWARE_EAGER, 2024060100, 1, 8, 16, 6 }, /* held, too */
		{ "torchtitan", SOFTWARE_EAGER, 2024070100, 1, 4, 12, 2 },
		{ "torchtitan", SOFTWARE_EAGER, 2024070100, 2, 4, 16, 2 }, /* loss-parallel */
		{ "torchtitan", SOFTWARE_COMPILED, 2025010100, 2, 4, 16, 2 },
		{ "torchtitan", SOFTWARE_COMPILED, 2025060100, 2, 2, 4, 2 },
		{ "torchtitan", SOFTWARE_COMPILED, 2026060100, 2, 4, 12, 2 },
		{ "torchtitan", SOFTWARE_EAGER, 2026070100, 2, 0, 1.5, 0.25 },
		{ "nemo-automodel", SOFTWARE_ENGINE, 0, 1, 4, 12, 2 },
		{ "megatron", SOFTWARE_MEGATRON, 0, 1, 4, 10, 2 },
	};
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double logits = 8192.0 * 128256 / (double)rows[i].tp;
		struct activations sizes;
		work.framework = rows[i].framework;
		work.software = rows[i].software;
		work.since = rows[i].since;
		work.tp = rows[i].tp;
		sizes = activations_of(&work);
		assert_true(sizes.logits == rows[i].kept * logits);
		assert_true(sizes.loss == rows[i].peak * logits);
		assert_true(sizes.gradient == rows[i].gradient * logits);
	}
}

/*
 * With fused accumulation an empty gradient of the projection, its gathered input and the gradient
 * of that; and from Transformer Engine 2.3 on an empty one of each shape of a block's weights.
 */
static void test_empty_gradients(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	double before;

	(void)state;
	assert_true(activations_of(&work).gradient ==
		    2 * 8192.0 * 128256 + 2 * 4096.0 * 128256 + 4 * 4096.0 * 8192);
	work.since = 2024060100;
	before = overhead_of(&profile, &work).workspaces;
	work.since = 2026010100;
	assert_true(overhead_of(&profile, &work).workspaces == before + 2 * 218103808.0);
	work.framework = "nemo-automodel";
	assert_true(overhead_of(&profile, &work).workspaces == before);
	arena_release(&arena);
}

/*
 * Of every second product: queries 8192, values 2048, the first branch 28672, the last projection
 * 8192; the input 8192, the core's output 8192 and statistics 128.
 */
static void test_operators(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);

	(void)state;
	work.recompute = RECOMPUTE_OPERATORS;
	assert_true(activations_of(&work).kept[0] ==
		    8192.0 * (8192 + 2048 + 28672 + 8192 + 8192 + 8192 + 128));
}

static struct memory cost(const struct profile *profile, const struct workload *work)
{
	struct run run = step_run(profile->arena, profile, work);

	return memory_cost(profile->arena, profile, work, &run);
}

/* The walk of one pipeline rank, with what it needs kept in `run`. */
static struct memory_timeline walk(const struct profile *profile, const struct workload *work,
				   int32_t rank, int32_t stretches)
{
	struct run run = step_run(profile->arena, profile, work);
	struct memory_sizes sizes = { work, states_of(work), activations_of(work), 0 };

	return memory_timeline_of(profile->arena, &sizes, &run, rank, stretches);
}

static bool near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * fabs(expected) + 1;
}

static void test_megatron_states(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory = cost(&profile, &work);
	const struct memory_class *class = memory_fullest(&memory);

	(void)state;
	assert_int_equal(memory.count, 1);
	assert_int_equal(class->ranks, 8);
	assert_true(near(class->peak.parts[MEMORY_PARAMETERS], 2 * ELEMENTS));
	assert_true(near(class->peak.parts[MEMORY_GRADIENTS], 4 * ELEMENTS));
	assert_true(near(class->peak.parts[MEMORY_OPTIMIZER], 12 * ELEMENTS / 8));
	assert_true(class->allocated < class->reserved && class->reserved < class->device);
	arena_release(&arena);
}

/* At the loss all blocks wait, with the norm before it: 32 x 8192 tokens, and 6 bytes a logit. */
static void test_loss(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory = cost(&profile, &work);
	const struct memory_moment *peak = &memory_fullest(&memory)->peak;

	(void)state;
	assert_true(near(peak->parts[MEMORY_LOSS], 6 * 8192.0 * 128256));
	assert_true(near(peak->parts[MEMORY_ACTIVATIONS], 8192 * (32 * KEPT + 2 * 8192)));
	assert_int_equal(peak->unit, 33);
	assert_int_equal(peak->flights, 1);
	arena_release(&arena);
}

/* What FSDP cuts over ranks adds up to the whole on them all. */
static void test_sharded_states(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory;
	const double *parts;

	(void)state;
	work.framework = "torchtitan";
	work.software = SOFTWARE_COMPILED;
	work.zero = ZERO_PARAMETERS;
	work.reshard = true;
	memory = cost(&profile, &work);
	parts = memory_fullest(&memory)->peak.parts;
	assert_true(near(8 * parts[MEMORY_PARAMETERS], 4 * ELEMENTS));
	assert_true(near(8 * parts[MEMORY_OPTIMIZER], 8 * ELEMENTS));
	assert_true(parts[MEMORY_UNSHARDED] > 2 * ELEMENTS / 40);
	assert_true(parts[MEMORY_UNSHARDED] < 2 * ELEMENTS / 4);
	arena_release(&arena);
}

/* A step ends as it began, with whatever schedule and sharding; states are always there. */
static void test_conservation(void **state)
{
	static const struct {
		const char *schedule;
		int64_t virtual_stages;
	} rows[] = { { "1F1B", 1 },
		     { "GPipe", 1 },
		     { "Interleaved1F1B", 2 },
		     { "InterleavedZeroBubble", 2 },
		     { "ZBVZeroBubble", 2 },
		     { "DualPipeV", 2 } };
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	size_t i;
	int zero;

	(void)state;
	work.pp = 4;
	work.dp = work.shard = 2;
	work.microbatches = 8;
	work.recompute = RECOMPUTE_FULL;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (zero = ZERO_NONE; zero <= ZERO_PARAMETERS; zero++) {
			struct memory_timeline timeline;
			int32_t rank;
			work.schedule = schedule_find(rows[i].schedule);
			assert_non_null(work.schedule);
			work.virtual_stages = rows[i].virtual_stages;
			work.zero = (enum zero)zero;
			work.software = zero == ZERO_PARAMETERS ? SOFTWARE_EAGER : SOFTWARE_ENGINE;
			work.framework = zero == ZERO_PARAMETERS ? "torchtitan" : "megatron";
			for (rank = 0; rank < work.pp; rank++) {
				const double *parts;
				timeline = walk(&profile, &work, rank, 64);
				parts = timeline.peak.parts;
				assert_true(fabs(timeline.left) < 16);
				assert_true(timeline.peak.total >
					    parts[MEMORY_PARAMETERS] + parts[MEMORY_OPTIMIZER]);
				assert_in_range(timeline.moments.count, 1, 65);
			}
		}
	}
	arena_release(&arena);
}

/* Without a pipeline FSDP reduces every microbatch, and a root keeps its tables until the end. */
static void test_root(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory_timeline root, split;

	(void)state;
	work.framework = "torchtitan";
	work.software = SOFTWARE_EAGER;
	work.zero = ZERO_PARAMETERS;
	work.reshard = true;
	work.microbatches = 2;
	work.since = 2026010100;
	split = walk(&profile, &work, 0, 0);
	work.since = 2025010100;
	root = walk(&profile, &work, 0, 0);
	assert_true(fabs(split.left) < 16 && fabs(root.left) < 16);
	/* the embedding in 16 bits */
	assert_true(near(root.peak.parts[MEMORY_UNSHARDED],
			 split.peak.parts[MEMORY_UNSHARDED] + 2 * 128256.0 * 4096));
	arena_release(&arena);
}

/* Recomputing everything keeps a block's input, and what is left open can only take less. */
static void test_recomputation(void **state)
{
	static const enum recompute modes[] = { RECOMPUTE_NONE, RECOMPUTE_OPERATORS,
						RECOMPUTE_FULL };
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory;
	double before = INFINITY;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		work.recompute = modes[i];
		memory = cost(&profile, &work);
		assert_true(memory_fullest(&memory)->allocated < before);
		before = memory_fullest(&memory)->allocated;
	}
	assert_true(activations_of(&work).kept[0] == 8192 * 8192.0);
	assert_true(memory.low < memory.high);
	work.gradients_said = true;
	memory = cost(&profile, &work);
	assert_true(memory.low == memory.high);
	arena_release(&arena);
}

static struct workload piped(const struct model *model, const char *schedule)
{
	struct workload work = eight_ranks(model);

	work.pp = 4;
	work.dp = work.shard = 2;
	work.microbatches = 16;
	work.schedule = schedule_find(schedule);
	return work;
}

/*
 * 1F1B: the first stage holds as many microbatches as there are stages, the last one; GPipe: all
 * of them.
 */
static void test_pipeline(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = piped(&model, "1F1B");
	struct memory_timeline first = walk(&profile, &work, 0, 0), last;

	(void)state;
	assert_true(near(first.peak.parts[MEMORY_ACTIVATIONS], 4 * 8 * 8192 * KEPT));
	assert_int_equal(first.peak.flights, 4);
	last = walk(&profile, &work, 3, 0);
	assert_true(near(last.peak.parts[MEMORY_ACTIVATIONS], 8192 * (8 * KEPT + 2 * 8192)));
	assert_int_equal(last.peak.flights, 1);
	work = piped(&model, "GPipe");
	first = walk(&profile, &work, 0, 0);
	assert_true(near(first.peak.parts[MEMORY_ACTIVATIONS], 16 * 8 * 8192 * KEPT));
	assert_int_equal(first.peak.flights, 16);
	work.microbatches = 2;
	work.schedule = schedule_find("1F1B");
	first = walk(&profile, &work, 0, 0);
	assert_true(near(first.peak.parts[MEMORY_ACTIVATIONS], 2 * 8 * 8192 * KEPT));
	arena_release(&arena);
}

/* Both ends of a V are on the first rank, which is no fuller than under 1F1B: every rank alike. */
static void test_vee(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = piped(&model, "ZBVZeroBubble");
	struct memory_timeline timeline;
	int32_t rank;

	(void)state;
	work.virtual_stages = 2;
	for (rank = 0; rank < 4; rank++) {
		timeline = walk(&profile, &work, rank, 0);
		assert_true(timeline.peak.parts[MEMORY_ACTIVATIONS] < 1.01 * 4 * 8 * 8192 * KEPT);
		assert_true(timeline.peak.parts[MEMORY_ACTIVATIONS] > 0.5 * 4 * 8 * 8192 * KEPT);
	}
	arena_release(&arena);
}

/* Ranks between the first and the last are one class. */
static void test_classes(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = piped(&model, "1F1B");
	struct memory memory = cost(&profile, &work);

	(void)state;
	assert_int_equal(memory.count, 3);
	assert_string_equal(memory.classes[1].name, "middle");
	assert_int_equal(memory.classes[1].ranks, 4);
	assert_int_equal(memory.classes[1].rank, 1);
	assert_int_equal(memory.classes[0].ranks + memory.classes[2].ranks, 4);
	assert_int_equal(memory.fullest, 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block),	      cmocka_unit_test(test_gathered_inputs),
		cmocka_unit_test(test_losses),	      cmocka_unit_test(test_empty_gradients),
		cmocka_unit_test(test_operators),     cmocka_unit_test(test_megatron_states),
		cmocka_unit_test(test_loss),	      cmocka_unit_test(test_sharded_states),
		cmocka_unit_test(test_conservation),  cmocka_unit_test(test_root),
		cmocka_unit_test(test_recomputation), cmocka_unit_test(test_pipeline),
		cmocka_unit_test(test_vee),	      cmocka_unit_test(test_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
